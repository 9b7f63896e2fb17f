"""What does every import do? It looks at the source, records in batches, tells how far it got.

A group holds what one record of a file asks for: it is stored whole or not at all. A record that
is refused is left out and named, and the others are stored. A source is `partial` from the first
append of an import that needs several until all of it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from workindex.domain.connections import ObserveSource
from workindex.domain.errors import (
    BatchRefused,
    CommandRefused,
    InvalidInput,
    NotReady,
    Unavailable,
    WorkindexError,
)
from workindex.domain.facts import Actor, At, Frozen, Id, Seconds
from workindex.domain.names import is_name
from workindex.projections.index import Index
from workindex.projections.planning import Entry
from workindex.service.client import UserScope

BATCH_COMMANDS_MAX = 500
REJECTED_SHOWN_MAX = 1_000
REMOVALS_MAX = 10
# Reasons for which the rows may not be what the log says; a stale source is not one of them.
_ROWS_UNSURE = frozenset({"lag", "parked", "fold_version", "rows_missing", "replica", "erased"})
_KEY_LENGTH_MAX = 180
_OWNED = {"tasks": "task", "meetings": "meeting"}


class Order(NamedTuple):
    """What is imported: whose, from where, seen when, and who accepts removals (if anybody)."""

    paths: Sequence[Path]
    source: str
    fresh_seconds: int
    started_at: datetime
    accepted_by: Actor | None = None


class Progress(NamedTuple):
    """How much is done: `number` of `steps`, the last of them `label`."""

    number: int
    steps: int
    label: str


M = TypeVar("M", bound=BaseModel)
Told = Callable[[Progress], None]
Accepting = Callable[["Suspicion"], None]


class Suspicion(NamedTuple):
    """What removes too much; unless somebody accepts it, it is not applied."""

    label: str
    removes: int
    held: int
    after: int


class Item(NamedTuple):
    """One command, with the place in the files that asks for it."""

    place: str
    entry: Entry


class Group(NamedTuple):
    """Commands that are stored together; `record` names whose they are."""

    record: str
    items: Sequence[Item]


class Rejected(NamedTuple):
    """A record that was left out, where it stands, and why."""

    place: str
    code: str
    message: str
    field: str | None


def removes_too_much(removed: int, held: int, after: int) -> bool:
    """Whether a person should look first: most of the source, or all of it, would be gone."""
    return (removed > REMOVALS_MAX and removed * 2 > held) or (held > 0 and after == 0)


def key_of(*parts: object) -> str:
    """A command key of these parts; a long or unprintable one is its hash."""
    key = ":".join(map(str, parts))
    usable = is_name(key, _KEY_LENGTH_MAX)
    return key if usable else sha256(key.encode()).hexdigest()


class _Seen(Frozen):
    """What every report of a source says, also of one that covers nothing."""

    source: Id
    observed_through: At
    fresh_seconds: Seconds


class Session:
    """One run of one import into one user's log; call `begin` first.

    `accepting` hears of removals that are too many before they are made, because the order has
    somebody who accepts them.
    """

    def __init__(
        self,
        scope: UserScope,
        order: Order,
        covers: Iterable[str],
        accepting: Accepting = lambda _: None,
    ) -> None:
        self._scope = scope
        self._accepting = accepting
        self._order = order
        self._covers = frozenset(covers)
        self._elsewhere: dict[str, str | None] = {}
        self._refused: set[str] = set()
        self.row: Mapping[str, Any] | None = None
        self.position = 0
        self.facts = 0
        self.commands: Counter[str] = Counter()
        self.rejected: list[Rejected] = []
        self.rejected_count = 0
        self.accepted: list[str] = []
        self.stopped: Suspicion | None = None

    @property
    def importer(self) -> Actor:
        """Who gives the commands."""
        return Actor(kind="import", id=self._order.source)

    def begin(self) -> Index:
        """The Work Index as it is, with what belongs to other sources put aside.

        Raises: InvalidInput for a source that cannot be named or a wrong time to stay fresh;
        NotReady where the rows cannot be trusted.
        """
        self._told(_Seen, self._seen())
        index = self._scope.index()
        unsure = sorted(_ROWS_UNSURE & set(index.proof.reasons))
        if unsure:
            raise NotReady(
                f"the Work Index of {self._scope.user_id} is not certain ({', '.join(unsure)}): "
                f"run workindex projections verify, then import again"
            )
        source = self._order.source
        for section, kind in _OWNED.items():
            for row in index.sections[section]:
                if row["source"] != source:
                    self._elsewhere[f"{kind}/{row[f'{kind}_id']}"] = row["source"]
        sources = index.sections["sources"]
        self.row = next((row for row in sources if row["source"] == source), None)
        self.position = index.position
        return index

    def check_owner(self, ref: str, place: str) -> None:
        """Raises: CommandRefused where the task or meeting `ref` belongs to another source."""
        if ref not in self._elsewhere:
            return
        other = self._elsewhere[ref]
        owner = f"belongs to source {other}" if other else "was not imported"
        kind, _, id_ = ref.partition("/")
        raise CommandRefused(
            "item_of_other_source",
            f"{place}: there is a {kind} {id_} already, which {owner}: rename one of them or "
            f"import with --source {other or 'NAME'}",
            field="id",
        )

    def observed(self, state: str, *, cursor: str | None = None) -> ObserveSource:
        """The report that the source has been seen; it goes on covering what it covered."""
        covers = self._covers | set(self.row["covers"] if self.row else ())
        told = {"covers": sorted(covers), "state": state, "cursor": cursor}
        return self._told(ObserveSource, self._seen() | told)

    def _seen(self) -> dict[str, Any]:
        return {
            "source": self._order.source,
            "observed_through": self._order.started_at,
            "fresh_seconds": self._order.fresh_seconds,
        }

    def _told(self, model: type[M], told: Mapping[str, Any]) -> M:
        try:
            return model.model_validate(told)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            field = str(problem["loc"][0])
            raise InvalidInput(
                f"{field} {problem['input']!r} is not usable: {problem['msg']}", field=field
            ) from error

    def remover(self, found: Suspicion, name: str | None = None) -> Actor | None:
        """In whose name so much is removed: the importer's, or that of who accepted too much.

        None where nobody did: then it is not to be done, and `stopped` says what was too much.
        `name` is what the report calls it, by default its label.
        """
        if not removes_too_much(found.removes, found.held, found.after):
            return self.importer
        if self._order.accepted_by is None:
            self.stopped = self.stopped or found
            return None
        self._accepting(found)
        self.accepted.append(name or found.label)
        return self._order.accepted_by

    def record(self, items: Sequence[Item], actor: Actor | None = None) -> None:
        """One append; what it holds is stored whole or not at all.

        Raises: CommandRefused naming the place that asked for the refused command; Unavailable.
        """
        try:
            self._append(items, actor)
        except _Refused as refused:
            cause = refused.cause
            raise CommandRefused(
                cause.code, f"{items[refused.at].place}: {cause}", field=cause.field
            ) from cause

    def record_groups(
        self, groups: Sequence[Group], told: Told = lambda _: None, actor: Actor | None = None
    ) -> Counter[str]:
        """All groups in order, several an append; refused ones are left out and kept in mind.

        Returns how many groups of each record were stored.
        """
        stored: Counter[str] = Counter()
        steps = sum(len(group.items) for group in groups)
        number = 0
        if groups and self._covers:
            seen = Item(f"source {self._order.source}", Entry(self.observed("partial")))
            self.record([seen])
        for batch in _batches(groups):
            stored.update(group.record for group in self._record_batch(batch, actor))
            number += sum(len(group.items) for group in batch)
            told(Progress(number, steps, batch[-1].record))
        return stored

    def reject(self, place: str, error: WorkindexError) -> None:
        """Remembers a record that was left out; the first of many are kept, all are counted."""
        self.rejected_count += 1
        if len(self.rejected) < REJECTED_SHOWN_MAX:
            text = str(error)
            message = text if text.startswith(place) else f"{place}: {text}"
            self.rejected.append(Rejected(place, error.code, message, error.field))

    def end(self, *, is_suspect: bool = False) -> None:
        """All is said: the source has been seen, whole unless something of it was left out."""
        if not self._covers:
            return
        state = "suspect" if is_suspect else "partial" if self.rejected_count else "whole"
        self.record([Item(f"source {self._order.source}", Entry(self.observed(state)))])

    def _record_batch(self, batch: list[Group], actor: Actor | None) -> list[Group]:
        left = [group for group in batch if group.record not in self._refused]
        while left:
            items = [item for group in left for item in group.items]
            try:
                self._append(items, actor)
            except _Refused as refused:
                self.reject(items[refused.at].place, refused.cause)
                owner = _owner(left, refused.at)
                self._refused.add(owner)
                left = [group for group in left if group.record != owner]
            else:
                break
        return left

    def _append(self, items: Sequence[Item], actor: Actor | None) -> None:
        entries = [item.entry for item in items]
        try:
            receipts = self._scope.record_all(
                entries, actor=actor or self.importer, source=self._order.source
            )
        except Unavailable:
            raise
        except BatchRefused as error:
            cause = error.__cause__
            assert isinstance(cause, WorkindexError)
            raise _Refused(error.index, cause) from cause
        except WorkindexError as error:
            if len(entries) > 1:
                raise
            raise _Refused(0, error) from error
        for entry, receipt in zip(entries, receipts, strict=True):
            if receipt.positions and not receipt.duplicate:
                self.facts += len(receipt.positions)
                self.position = max(self.position, *receipt.positions)
                self.commands[entry.command.type] += 1


class _Refused(Exception):
    """One entry of an append was refused; its place is known to whoever made the append."""

    def __init__(self, at: int, cause: WorkindexError) -> None:
        super().__init__(at, cause)
        self.at = at
        self.cause = cause


def _batches(groups: Iterable[Group]) -> Iterator[list[Group]]:
    batch: list[Group] = []
    size = 0
    for group in groups:
        if batch and size + len(group.items) > BATCH_COMMANDS_MAX:
            yield batch
            batch, size = [], 0
        batch.append(group)
        size += len(group.items)
    if batch:
        yield batch


def _owner(groups: Sequence[Group], at: int) -> str:
    for group in groups:
        if at < len(group.items):
            return group.record
        at -= len(group.items)
    raise AssertionError("the place lies within the groups")
