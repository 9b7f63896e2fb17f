"""The stages of a turn, one function each: they find, and none of them decides what fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from workindex.assembler.beside import (
    artifacts_stage,
    attachments_stage,
    commitments_stage,
    preferences_stage,
)
from workindex.assembler.checkpoints.stage import checkpoint_stage, summary_stage
from workindex.assembler.checkpoints.words import LookUp
from workindex.assembler.envelope import Omission, ToolCall
from workindex.assembler.evidence import found_by_words, passages, query_of
from workindex.assembler.history import MESSAGES_MAX, older, recent_tail
from workindex.assembler.memory import (
    CLAIMS_MAX,
    about_others,
    claims_stage,
    older_claims,
    rests_on_hidden,
)
from workindex.assembler.offers import Stage, joined
from workindex.assembler.records import since_last_answer
from workindex.assembler.state_lane import live_state, possible, records, work_index
from workindex.assembler.state_path.question import Locale
from workindex.assembler.state_path.recognise import locale_of
from workindex.assembler.tools import Wanted, budget_of, tools_stage
from workindex.assembler.tools.sight import STALE
from workindex.assembler.turn import HISTORY, Turn
from workindex.projections.bounds import Bounds
from workindex.projections.conversations import MessageRow
from workindex.projections.memory import ClaimRow

ARTIFACTS_MAX = 20
SAID_MAX = 12  # messages whose words may tell which tools are meant


def _state(turn: Turn) -> Stage:
    """What stands now: records in scope, what needs the person, what may be meant."""
    has = turn.admission.has
    stages = []
    if has("records"):
        stages.append(_records(turn))
    if has("work_index"):
        is_main = "work_index" in turn.admission.always
        stages.append(work_index(turn.answers, 2 if is_main else 4, turn.snapshot))
    if has("candidates"):
        most = turn.settings.policy.candidates_max
        stages.append(possible(turn.scoped.candidates, turn.now, most))
    if doubts := turn.answers.doubts("task"):
        stages.append(Stage(degraded=(f"state: not certain ({', '.join(doubts)})",)))
    stages.append(Stage(degraded=turn.scoped.degraded))
    return joined(stages)


def _records(turn: Turn) -> Stage:
    """The records in scope, in the language of the request or else the person's."""
    base, thread_id = turn.answers.base, turn.scoped.scope.thread_id
    since = None
    is_known = turn.has_messages and not turn.answers.doubts("message")
    if thread_id is not None and turn.refs_of("task") and is_known:
        since = since_last_answer(_tail(turn, thread_id)[0], turn.request.message_id)
    users = turn.snapshot.only("user", base.rows.get("user", ()))
    tags = (turn.request.locale, *(row.locale for row in users))
    spoken: Iterator[Locale] = (found for tag in tags if (found := locale_of(tag)) is not None)
    locale: Locale = next(spoken, "en")
    return records(turn.scoped, turn.now, turn.named, locale, since)


def _live(turn: Turn) -> Stage:
    """Provider state with its age."""
    if not turn.admission.has("live_state"):
        return Stage()
    return live_state(turn.snapshot, turn.now)


def _trusted(kind: str, what: str, stage: Callable[[Turn], Stage]) -> Callable[[Turn], Stage]:
    """The stage, where the rows of the kind can be trusted to say what has ended.

    Rows that stand still may show what was withdrawn or redacted since: none of them is told.
    """

    def run(turn: Turn) -> Stage:
        doubts = turn.answers.doubts(kind)
        found = Stage() if STALE.intersection(doubts) else stage(turn)
        if not doubts:
            return found
        how = "not told, the rows stand still" if STALE.intersection(doubts) else "not certain"
        told = Stage(degraded=(f"{what}: {how} ({', '.join(doubts)})",))
        return joined((found, told))

    return run


def _artifacts(turn: Turn) -> Stage:
    """Artifacts that are named, came with the message or belong to what is in scope."""
    has, scope, base = turn.admission.has, turn.scoped.scope, turn.answers.base
    seen = turn.settings.sensitivity_max
    attached = [one.artifact_id for one in turn.request.attachments if one.artifact_id is not None]
    rows = turn.named("artifact", [*attached, *turn.refs_of("artifact")])
    lost = set(attached) - {row.artifact_id for row in rows}
    told = [f"artifacts: artifact:{id_} came with the message and is not found" for id_ in lost]
    stages = [artifacts_stage(rows, seen, "it is named or came with the message")]
    stages.append(Stage(degraded=tuple(sorted(told))))
    if has("artifacts"):
        ids = (scope.task_id, scope.meeting_id)
        read = turn.snapshot.whole.artifacts_of(base, *ids, ARTIFACTS_MAX + 1)
        own = turn.snapshot.only("artifact", read[:ARTIFACTS_MAX])
        stages.append(artifacts_stage(own, seen, "it belongs to what is in scope"))
        if len(read) > ARTIFACTS_MAX:
            stages.append(Stage(left=(_older_artifacts(turn.request.text),)))
    return joined(stages)


def _older_artifacts(text: str) -> Omission:
    query = query_of(text)
    call = ToolCall(name="get_context", arguments={"type": "artifact", "query": query[:200]})
    return Omission(
        lane="state",
        source_id="artifact:beyond",
        reason=f"only the newest {ARTIFACTS_MAX} of what is in scope are told",
        recover_with=call if query else None,
    )


def _beside(turn: Turn) -> Stage:
    """What stands beside the records in scope, artifacts apart."""
    has, scope, base = turn.admission.has, turn.scoped.scope, turn.answers.base
    stages = [attachments_stage(turn.request.attachments, turn.now)]
    if has("commitments") and scope.meeting_id is not None:
        bounds = Bounds(id=scope.meeting_id)
        made = turn.snapshot.read({"commitment": "timely"}, now=turn.now, bounds=bounds)
        own_ones = [row for row in made.rows["commitment"] if row.meeting_id == scope.meeting_id]
        stages.append(commitments_stage(own_ones))
    if has("preferences"):
        users = turn.snapshot.only("user", base.rows.get("user", ()))
        stages.append(preferences_stage(users[0] if users else None, turn.now))
    return joined(stages)


def _history(turn: Turn) -> Stage:
    """The conversation's last turns, its checkpoint and its summary."""
    has, thread_id = turn.admission.has, turn.scoped.scope.thread_id
    if thread_id is None:
        return Stage()
    stages = []
    thread = next(iter(turn.named("thread", [thread_id])), None)
    marks = partial(turn.snapshot.message_marks, turn.answers.base)
    look_up = LookUp(turn.named, marks, turn.settings.sensitivity_max)
    if has("checkpoint") and thread is not None and thread.checkpoint_id is not None:
        stages += [
            checkpoint_stage(row, look_up, turn.now)
            for row in turn.named("checkpoint", [thread.checkpoint_id])
        ]
    if has("summary") and thread is not None and thread.summary_id is not None:
        summaries = turn.named("summary", [thread.summary_id])
        stages += [summary_stage(row, look_up) for row in summaries]
    if has("recent_tail"):
        policy = turn.settings.policy
        messages, has_older = _tail(turn, thread_id)
        if has_older:
            stages.append(older(thread_id, messages, turn.request.text))
        stages.append(
            recent_tail(
                messages,
                latest_id=turn.request.message_id,
                turns_min=policy.turns_min,
                turns_max=policy.turns_max,
                sensitivity_max=turn.settings.sensitivity_max,
            )
        )
    return joined(stages)


def _tail(turn: Turn, thread_id: str) -> tuple[list[MessageRow], bool]:
    """The thread's newest messages that may be seen, and whether there are older ones."""
    read = turn.snapshot.whole.recent_messages(turn.answers.base, thread_id, MESSAGES_MAX + 1)
    return turn.snapshot.only("message", read[-MESSAGES_MAX:]), len(read) > MESSAGES_MAX


def _memory(turn: Turn) -> Stage:
    if not turn.admission.has("claims"):
        return Stage()
    base, text, seen = turn.answers.base, turn.request.text, turn.settings.sensitivity_max
    read = turn.snapshot.whole.current_claims(base, CLAIMS_MAX + 1)
    claims = turn.snapshot.only("claim", read[:CLAIMS_MAX])
    told = Stage()
    if len(read) > CLAIMS_MAX:
        older, told = older_claims(
            turn.snapshot, turn.named, text, now=turn.now, sensitivity_max=seen
        )
        known = {claim.claim_id for claim in claims}
        claims = [*claims, *(claim for claim in older if claim.claim_id not in known)]
    records_in_scope = [
        (kind, row) for kind, id_ in turn.scoped.refs for row in turn.named(kind, [id_])
    ]
    found = claims_stage(
        claims,
        text,
        records_in_scope,
        now=turn.now,
        sensitivity_max=seen,
        also_unfit=partial(_not_told, turn),
    )
    return joined((found, told))


def _not_told(turn: Turn, claims: Sequence[ClaimRow]) -> dict[str, str]:
    """Why claims are not told for the sake of other rows."""
    sourced = [claim for claim in claims if claim.sources]
    reasons: dict[str, str] = {}
    if turn.scoped.scope.meeting_id is not None and claims:
        reasons |= about_others(claims, "meeting", turn.refs_of("meeting"), turn.named)
    is_known = turn.has_messages and not STALE.intersection(turn.answers.doubts("message"))
    if sourced and is_known:
        there = partial(turn.snapshot.whole.named, turn.answers.base)
        seen = turn.settings.sensitivity_max
        reasons |= rests_on_hidden(sourced, there, seen, turn.snapshot.only)
    elif sourced:
        reasons |= {claim.claim_id: "what became of its sources is not known" for claim in sourced}
    return reasons


def _evidence(turn: Turn) -> Stage:
    """Parts of the meeting in scope; else what holds the request's words."""
    if not turn.admission.has("evidence"):
        return Stage()
    meeting_id, seen = turn.scoped.scope.meeting_id, turn.settings.sensitivity_max
    if meeting_id is not None:
        return _trusted("artifact", "transcripts", _passages)(turn)
    return found_by_words(
        turn.snapshot,
        turn.request.text,
        now=turn.now,
        sensitivity_max=seen,
        latest_id=turn.request.message_id,
        told=partial(_looked_at, turn),
    )


def _looked_at(turn: Turn) -> tuple[str, ...]:
    """The messages of the thread that the history tells or names as left out."""
    thread_id = turn.scoped.scope.thread_id
    if thread_id is None or not turn.has_messages or not turn.admission.has("recent_tail"):
        return ()
    return tuple(row.message_id for row in _tail(turn, thread_id)[0])


def _passages(turn: Turn) -> Stage:
    meetings = turn.named("meeting", [turn.scoped.scope.meeting_id or ""])
    rows = turn.named("artifact", [id_ for row in meetings for id_ in row.transcripts])
    seen = turn.settings.sensitivity_max
    return passages(turn.snapshot, rows, turn.request.text, now=turn.now, sensitivity_max=seen)


def _tools(turn: Turn) -> Stage:
    """The index of tools, and the schemas that the turn is known to need."""
    settings, request = turn.settings, turn.request
    if settings.tools is None:
        return Stage()
    wanted = Wanted(request.text, request.surface, _active_groups(turn), _said_before(turn))
    return tools_stage(settings.tools, wanted, budget_of(settings.policy), settings.counter)


def _said_before(turn: Turn) -> tuple[str, ...]:
    """What the person said in the thread before, as far as the turn may see it, newest last."""
    thread_id = turn.scoped.scope.thread_id
    if thread_id is None or not turn.has_messages or not turn.admission.has("recent_tail"):
        return ()
    sight = turn.settings.sight
    rows = _tail(turn, thread_id)[0][-SAID_MAX:]
    return tuple(
        row.text or ""
        for row in rows
        if row.role == "user"
        and row.message_id != turn.request.message_id
        and sight.sees("message", row, turn.now)
    )


def _active_groups(turn: Turn) -> tuple[str, ...]:
    """The groups that were in use when the thread was last checkpointed."""
    thread_id = turn.scoped.scope.thread_id
    if thread_id is None or not turn.has_messages:
        return ()
    ids = [row.checkpoint_id for row in turn.named("thread", [thread_id]) if row.checkpoint_id]
    return tuple(
        group
        for row in turn.named("checkpoint", ids)
        for group in row.body.get("active_tool_groups", ())
    )


# The order of the stages is the order of the items within their lanes. The others read messages as
# well, and do without them where the history failed.
STAGES: tuple[tuple[str, Callable[[Turn], Stage]], ...] = (
    (HISTORY, _trusted("message", "history", _history)),
    ("state", _state),
    ("live", _live),
    ("artifacts", _trusted("artifact", "artifacts", _artifacts)),
    ("beside", _beside),
    ("memory", _trusted("claim", "memory", _memory)),
    ("evidence", _evidence),
    ("tools", _tools),
)
# Without these there is no turn; one that lacks another says so.
NEEDED: Final = frozenset({"state"})
