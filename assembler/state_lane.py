"""The current state of a turn: exact records in scope, the rest as counts and ids.

What needs the person is what the state path says, asked of the same snapshot: both readers say the
same as of the same position. Records in scope are whole (priority 2, never cut); lists that the
turn is not about shrink to counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from workindex.assembler.envelope import ContextItem, Omission, Priority, ToolCall
from workindex.assembler.offers import Offer, Stage
from workindex.assembler.records import RECORDS, Since, record
from workindex.assembler.rendering import plain
from workindex.assembler.scope import Possible, Scoped
from workindex.assembler.state_path import StateAnswer, StateQuestion, answer, read_for
from workindex.assembler.state_path.answer import AnswerItem
from workindex.assembler.state_path.question import Locale
from workindex.assembler.tools.sight import Seen
from workindex.domain.facts import utc
from workindex.projections.bounds import Bounds, Want
from workindex.projections.proof import Reading
from workindex.projections.sets import TABLE_OF_KIND
from workindex.projections.snapshot import Find, Snapshot

# How many items of a list are told one by one; of more there are counts and ids.
LISTED_MAX: Final = 10
IDS_MAX: Final = 40
CANDIDATES_MAX: Final = 8
LIVE_MAX: Final = 20  # connections, and as many balances
# The lists of the compact index that are not about what needs the person.
LISTS: Final = (
    ("active", StateQuestion("tasks", (("status", "active"),))),
    ("blocked", StateQuestion("tasks", (("status", "blocked"),))),
    ("scheduled", StateQuestion("tasks", (("status", "scheduled"),))),
    ("next_meeting", StateQuestion("meetings", (("when", "next"),))),
)
NOT_SHOWN: Final = "it has ended, or is more sensitive than the caller may see"
PENDING: Final = StateQuestion("pending")
TASKS: Final = StateQuestion("tasks")


class Answers:
    """The state path's answers, read from one snapshot at one instant.

    `base` is the reading behind the first of them: later look-ups go to its generation.
    """

    def __init__(self, snapshot: Snapshot, now: datetime | None, tz: str | None) -> None:
        self._snapshot = snapshot
        self._now = now
        self._tz = tz
        self._tasks: Reading | None = None
        self._doubts: dict[str, tuple[str, ...]] = {}
        self.base = self._read(PENDING)
        self.pending = self._answer(PENDING, self.base)

    @property
    def now(self) -> datetime:
        """The instant of every answer."""
        assert self._now is not None, "the first answer settles it"
        return self._now

    @property
    def tasks(self) -> Reading:
        """The tasks that have not ended, or the first of them."""
        if self._tasks is None:
            self._tasks = self._read(TASKS)
        return self._tasks

    def doubts(self, kind: str) -> tuple[str, ...]:
        """What stands against trusting the rows of a kind, such as lag or parked."""
        member = TABLE_OF_KIND[kind].member
        if member not in self._doubts:
            found = set(self._snapshot.doubts(kind)) - {"unknown_user"}
            self._doubts[member] = tuple(sorted(found))
        return self._doubts[member]

    def lists(self) -> dict[str, StateAnswer]:
        """The other lists of the compact index."""
        return {name: self._listed(question) for name, question in LISTS}

    def _listed(self, question: StateQuestion) -> StateAnswer:
        is_whole = question.kind == "tasks" and not self.tasks.beyond
        return self._answer(question, self.tasks if is_whole else self._read(question))

    def _answer(self, question: StateQuestion, reading: Reading) -> StateAnswer:
        return answer(question, reading, tz=self._tz, locale="en")

    def _read(self, question: StateQuestion) -> Reading:
        def read(want: Want, bounds: Bounds, at: datetime | None) -> Reading:
            return self._snapshot.read(want, now=at, bounds=bounds)

        reading = read_for(question, read, self._now, self._tz)
        self._now = reading.now
        return reading


def work_index(answers: Answers, priority: Priority, seen: Seen) -> Stage:
    """What needs the person, most urgent first, and what else goes on.

    Verdicts and totals count what the caller may not see, too: hiding never makes a "none".
    """
    needs = _needs(answers.pending, seen.items(answers.base, answers.pending.items))
    content = {
        "position": answers.pending.certificate["position"],
        "as_of": utc(answers.now),
        "needs_you": needs,
    }
    reason = "what needs the person, as the state path says"
    head = _item("work_index", content, answers.now, priority, reason)
    counts = dict(content, needs_you={**needs, "items": [], "more_ids": []})
    offers = [
        Offer(
            "state",
            head,
            "always",
            "state",
            rank=1.0,
            smaller=head.model_copy(update={"content": counts}),
            recover_with=_state("pending"),
        )
    ]
    lists = {
        name: _list(found, seen.items(answers.base, found.items))
        for name, found in answers.lists().items()
    }
    whole = _item("work_index/lists", lists, answers.now, 3, "what else goes on")
    shrunk = {name: {"total": one["total"]} for name, one in lists.items()}
    offers.append(
        Offer(
            "state",
            whole,
            "always",
            "state",
            smaller=whole.model_copy(update={"content": shrunk}),
            recover_with=_state("tasks"),
        )
    )
    return Stage(offers=tuple(offers), left=_beyond(answers.pending))


def _needs(told: StateAnswer, shown: Sequence[AnswerItem]) -> dict[str, Any]:
    return {
        "verdict": told.verdict,
        "reasons": list(told.reasons),
        "total": told.total,
        "items": [_told(item) for item in shown[:LISTED_MAX]],
        "more_ids": [item.id for item in shown[LISTED_MAX : LISTED_MAX + IDS_MAX]],
    }


def _beyond(told: StateAnswer) -> tuple[Omission, ...]:
    unseen = told.total - LISTED_MAX - IDS_MAX
    if unseen <= 0:
        return ()
    return (
        Omission(
            lane="state",
            source_id="projection:work_index/more",
            reason=f"{unseen} more things need the person than are named",
            recover_with=_state("pending"),
        ),
    )


def _state(query: str) -> ToolCall:
    return ToolCall(name="get_context", arguments={"type": "state", "query": query})


def records(
    scoped: Scoped, now: datetime, find: Find, locale: Locale = "en", since: Since | None = None
) -> Stage:
    """The records in scope, exact and whole; those of the surface first."""
    offers = []
    scope = scoped.scope
    first = [
        (kind, id_)
        for kind, id_ in (
            ("approval", scope.approval_id),
            ("task", scope.task_id),
            ("meeting", scope.meeting_id),
        )
        if id_ is not None
    ]
    for kind, id_ in dict.fromkeys((*first, *scoped.refs)):
        if kind in RECORDS:
            offers += [record(kind, row, now, find, locale, since) for row in find(kind, [id_])]
    return Stage(offers=tuple(offers))


def possible(candidates: Sequence[Possible], now: datetime, candidates_max: int | None) -> Stage:
    """The first records that the text may mean: id, title and what tells them apart."""
    most = CANDIDATES_MAX if candidates_max is None else candidates_max
    offers = []
    left = []
    for place, one in enumerate(candidates):
        source_id = f"candidate:{one.kind}:{one.id}"
        recover = ToolCall(name="get_context", arguments={"type": one.kind, "ids": [one.id]})
        if not one.is_shown:
            left.append(Omission(lane="state", source_id=source_id, reason=NOT_SHOWN))
            continue
        if place >= most:
            left.append(
                Omission(
                    lane="state",
                    source_id=source_id,
                    reason=f"more than {most} candidates",
                    recover_with=recover,
                )
            )
            continue
        content = {"kind": one.kind, "id": one.id, "title": one.title, **one.distinguishing}
        item = _item(source_id, plain(content), now, 3, f"may be meant: {one.reason}")
        offers.append(
            Offer("state", item, "auto_candidate", "candidate", rank=-place, recover_with=recover)
        )
    return Stage(offers=tuple(offers), left=tuple(left))


def live_state(snapshot: Snapshot, now: datetime) -> Stage:
    """Connections and balances: live provider state with its age, and the call for the others."""
    reading = snapshot.read({"connection": "all", "credits": "all"}, now=now)
    offers = []
    left = []
    for kind in ("connection", "credits"):
        if (total := len(reading.rows[kind])) > LIVE_MAX:
            recover = ToolCall(name="get_context", arguments={"type": kind})
            reason = f"only the first {LIVE_MAX} of {total} are told"
            left.append(
                Omission(
                    lane="state", source_id=f"{kind}:beyond", reason=reason, recover_with=recover
                )
            )
        for row in reading.rows[kind][:LIVE_MAX]:
            expires_at = row.observed_at + timedelta(seconds=row.ttl_seconds)
            is_fresh = now <= expires_at
            item = ContextItem(
                source_type="projection",
                source_id=f"{kind}:{row[0]}",
                authority="live" if is_fresh else "derived",
                authority_rank=1 if is_fresh else 4,
                observed_at=row.observed_at,
                expires_at=expires_at,
                priority=4,
                admission_reason="provider state" if is_fresh else "provider state past its time",
                content=plain(row._asdict()),
            )
            recover = ToolCall(name="get_context", arguments={"type": kind, "ids": [row[0]]})
            offers.append(
                Offer("state", item, "reference", "state", rank=0.0, recover_with=recover)
            )
    return Stage(offers=tuple(offers), left=tuple(left))


def _item(
    source_id: str, content: Any, observed_at: datetime, priority: Priority, reason: str
) -> ContextItem:
    return ContextItem(
        source_type="projection",
        source_id=source_id if ":" in source_id else f"projection:{source_id}",
        authority="canonical",
        authority_rank=2,
        observed_at=observed_at,
        priority=priority,
        admission_reason=reason,
        content=content,
    )


def _told(item: Any) -> dict[str, Any]:
    told = {"kind": item.kind, "id": item.id, "title": item.title[:200], "why": item.why[:300]}
    for name in ("since_at", "due_at"):
        at = getattr(item, name)
        if at is not None:
            told[name] = utc(at)
    return told


def _list(told: StateAnswer, shown: Sequence[AnswerItem]) -> dict[str, Any]:
    return {
        "total": told.total,
        "verdict": told.verdict,
        "items": [_told(item) for item in shown[:LISTED_MAX]],
    }
