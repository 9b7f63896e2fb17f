"""What of a user's rows may a turn see? One place for sensitivity, consent and what has ended.

`Sight` is the house's own rule, and holds the policy of the caller. `Seen` asks the policy: it
stands between the rows and every stage or tool, so that nobody can forget to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from workindex.assembler.envelope import Lane, Omission
from workindex.assembler.offers import Stage
from workindex.assembler.sensitivity import LEVELS, up_to
from workindex.assembler.state_path.answer import AnswerItem
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Sensitivity
from workindex.eventlog.transcripts import Turn as Said
from workindex.projections.artifacts import ArtifactRow
from workindex.projections.bounds import Bounds, Want
from workindex.projections.conversations import MessageRow
from workindex.projections.foremost import Foremost, Wanted
from workindex.projections.memory import ClaimRow
from workindex.projections.proof import Reading
from workindex.projections.search import Filters, Hit, Hits
from workindex.projections.snapshot import Mark, Snapshot

# The caller's policy: whether a row of a kind (a kind of `get_context`, or checkpoint, summary,
# user) may be seen by whom this turn is for. Only True shows it.
MaySee = Callable[[str, Any], bool]

# Of rows of which this is said, it is not known what has ended or was redacted since.
STALE: Final = frozenset({"lag", "parked", "fold_version", "no_tenant", "erased"})


def everything(kind: str, row: Any) -> bool:
    """No rule beside the house's own."""
    return bool(kind) or row is not None


class Sight(NamedTuple):
    """The most sensitive thing that the caller may see, and the caller's policy."""

    sensitivity_max: Sensitivity = "private"
    may_see: MaySee = everything

    @property
    def levels(self) -> list[Sensitivity]:
        """The sensitivities that may be seen."""
        return list(up_to(self.sensitivity_max))

    def sees(self, kind: str, row: Any, now: datetime) -> bool:
        """Whether the house's own rule shows the row: not ended, and not too sensitive."""
        if getattr(row, "sensitivity", "normal") not in self.levels:
            return False
        is_there = _IS_THERE.get(kind)
        return is_there is None or is_there(row, now)


def sight_of(sensitivity_max: Sensitivity, may_see: MaySee) -> Sight:
    """What a caller says of who may see what.

    Raises: InvalidInput where either is none.
    """
    if sensitivity_max not in LEVELS:
        raise InvalidInput(
            f"sensitivity_max {str(sensitivity_max)[:40]!r} is none of {', '.join(LEVELS)}",
            field="sensitivity_max",
        )
    if not callable(may_see):
        raise InvalidInput("may_see takes a function of kind and row", field="may_see")
    return Sight(sensitivity_max, may_see)


class Seen(Snapshot):
    """A snapshot as the policy shows it: a row that it hides is not there, whoever looks.

    A policy that fails hides. `stage` tells how many rows of a kind were hidden and what failed,
    never which rows, for an id or a title may say too much. `whole` is for what has to count all
    rows: the answers of the state path.
    """

    def __init__(self, whole: Snapshot, may_see: MaySee) -> None:
        # Not that of the parent: everything is read, once, by the snapshot behind.
        self.whole = whole
        self.user_id = whole.user_id
        self._may_see = may_see
        self._answers: dict[tuple[str, str], bool] = {}
        self._hidden: dict[str, set[str]] = {}
        self._failures: dict[str, None] = {}

    @property
    def shows_all(self) -> bool:
        """Whether there is no policy to ask."""
        return self._may_see is everything

    def only(self, kind: str, rows: Iterable[Any]) -> list[Any]:
        """The rows that may be seen."""
        if self.shows_all:
            return list(rows)
        looked_at = list(rows)
        seen = [row for row in looked_at if self._shows(kind, row)]
        hidden = self._hidden.setdefault(kind, set())
        hidden.update(str(row[0]) for row in looked_at if not self._shows(kind, row))
        return seen

    def items(self, base: Reading, items: Sequence[AnswerItem]) -> list[AnswerItem]:
        """The items of an answer whose rows may be seen."""
        if self.shows_all:
            return list(items)
        ids: dict[str, list[str]] = {}
        for one in items:
            ids.setdefault(one.kind, []).append(one.id)
        shown = {(kind, row[0]) for kind in ids for row in self.named(base, kind, ids[kind])}
        return [one for one in items if (one.kind, one.id) in shown]

    def stage(self) -> Stage:
        """What was hidden until now, as omissions that nothing recovers, and what failed."""
        left = [
            Omission(
                lane=_LANES.get(kind, "state"),
                source_id=f"hidden:{kind}",
                reason=f"the caller may not see {len(ids)} of this kind",
            )
            for kind, ids in sorted(self._hidden.items())
            if ids
        ]
        return Stage(left=tuple(left), degraded=tuple(self._failures))

    def read(
        self, want: Want, *, now: datetime | None = None, bounds: Bounds | None = None
    ) -> Reading:
        """Rows of the wanted kinds: never what an answer about all of them rests on."""
        reading = self.whole.read(want, now=now, bounds=bounds)
        rows = {kind: self.only(kind, found) for kind, found in reading.rows.items()}
        return reading._replace(rows=rows)

    def doubts(self, kind: str) -> tuple[str, ...]:
        return self.whole.doubts(kind)

    def named(self, base: Reading, kind: str, ids: Iterable[str]) -> list[Any]:
        return self.only(kind, self.whole.named(base, kind, ids))

    def look_for(self, base: Reading, kinds: Sequence[str], ids: Iterable[str]) -> None:
        self.whole.look_for(base, kinds, ids)

    def message_marks(self, base: Reading, ids: Iterable[str]) -> list[Mark]:
        if self.shows_all:
            return self.whole.message_marks(base, ids)
        rows = self.named(base, "message", ids)
        return [Mark(row.message_id, row.redacted, row.sensitivity) for row in rows]

    def recent_messages(self, base: Reading, thread_id: str, limit: int) -> list[MessageRow]:
        return self.only("message", self.whole.recent_messages(base, thread_id, limit))

    def current_claims(self, base: Reading, limit: int) -> list[ClaimRow]:
        return self.only("claim", self.whole.current_claims(base, limit))

    def artifacts_of(
        self, base: Reading, task_id: str | None, meeting_id: str | None, limit: int
    ) -> list[ArtifactRow]:
        return self.only("artifact", self.whole.artifacts_of(base, task_id, meeting_id, limit))

    def foremost(self, base: Reading, kind: str, wanted: Wanted) -> Foremost:
        found = self.whole.foremost(base, kind, wanted)
        return found._replace(rows=self.only(kind, found.rows), is_counted=self.shows_all)

    def turns(self, row: ArtifactRow, first: int, last: int) -> list[Said]:
        return self.whole.turns(row, first, last)

    def parts(self, row: ArtifactRow, first: int, last: int) -> list[bytes]:
        return self.whole.parts(row, first, last)

    def search(self, query: str, filters: Filters, *, limit: int, now: datetime) -> Hits:
        """Documents whose rows may be seen; one whose row cannot be read may not.

        What words find and the policy hides is counted nowhere: whoever may not see a text must
        not find out which words stand in it.
        """
        hits = self.whole.search(query, filters, limit=limit, now=now)
        if self.shows_all:
            return hits
        sources = {_source(hit) for hit in (*hits, *hits.copies)}
        shown: set[tuple[str, str]] = set()
        for kind in sorted({kind for kind, _ in sources}):
            base = self.whole.read({kind: "named"}, now=now, bounds=Bounds(id=""))
            ids = sorted(id_ for one, id_ in sources if one == kind)
            rows = self.whole.named(base, kind, ids)
            shown |= {(kind, row[0]) for row in rows if self._shows(kind, row)}
        return hits.only(lambda hit: _source(hit) in shown)

    def _shows(self, kind: str, row: Any) -> bool:
        """Asked once a row."""
        key = (kind, str(row[0]))
        if key not in self._answers:
            try:
                answer = self._may_see(kind, row)
            except Exception as error:  # noqa: BLE001 - another's code: what it hides stays hidden
                self._failed(type(error).__name__)
                answer = False
            if type(answer) is not bool:
                self._failed(f"it gave {type(answer).__name__}, not True or False")
            self._answers[key] = answer is True
        return self._answers[key]

    def _failed(self, how: str) -> None:
        self._failures[f"may_see failed ({how}): what it was asked about is not shown"] = None


def _source(hit: Hit) -> tuple[str, str]:
    """Kind and id of the row that the document is of."""
    return _KIND_OF.get(hit.source_kind, hit.source_kind), hit.source_id


def _claim(row: Any, now: datetime) -> bool:
    has_expired = row.expires_at is not None and row.expires_at <= now
    has_begun = row.valid_from_at is None or row.valid_from_at <= now
    return row.status == "current" and has_begun and not has_expired


_IS_THERE: Final[dict[str, Callable[[Any, datetime], bool]]] = {
    "claim": _claim,
    "message": lambda row, _now: not row.redacted and row.text is not None,
    "artifact": lambda row, _now: row.status == "stored",
}

_KIND_OF: Final = {"transcript": "artifact"}
_LANES: Final[dict[str, Lane]] = {
    "message": "history",
    "thread": "history",
    "checkpoint": "history",
    "summary": "history",
    "claim": "evidence",
}
