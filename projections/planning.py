"""From commands to events and rows: the pure part of recording.

A `Plan` decides the commands of one append in order. Each decision sees what the ones before it
did. What a decision or a fold needs to know is loaded by reference through a loader, so the same
planning runs on one read, under the lock, and on nothing at all (blind).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

import orjson
import uuid_utils

from workindex.domain import ALL_CONCEPTS
from workindex.domain.canonical import check_command, payload, with_plain_zeros
from workindex.domain.decisions import decide, needed
from workindex.domain.errors import BatchRefused, InvalidInput, VersionConflict, WorkindexError
from workindex.domain.facts import Actor, Command, Entity, Event, Fact, World, check_time
from workindex.domain.names import check_ids, check_name
from workindex.eventlog.append import EVENT_BYTES_MAX
from workindex.projections.folding import Folding, Kept, split_ref, touched_refs
from workindex.projections.sets import INLINE, ProjectionSet

BATCH_EVENTS_MAX = 5_000
# With every default written out, a command of less than this is not too large either.
SURELY_SMALL_BYTES = EVENT_BYTES_MAX // 2

ENTITIES: Mapping[str, Entity] = {
    entity.kind: entity for concept in ALL_CONCEPTS for entity in concept.entities
}


class Entry(NamedTuple):
    """One command of a batch. What is None is taken from the batch's own arguments."""

    command: Command
    key: str | None = None
    actor: Actor | None = None
    expected_version: int | None = None
    occurred_at: datetime | None = None
    correlation_id: str | None = None
    causation_id: str | None = None


class Order(NamedTuple):
    """An entry as the log takes it: complete, with its key and the hash of what was sent."""

    command: Command
    source: str
    key: str
    payload_hash: str
    actor: Actor
    expected_version: int | None
    occurred_at: datetime | None
    correlation_id: str | None
    causation_id: str | None


class Known(NamedTuple):
    """What is known of one reference: its state for decisions and its row for folds."""

    state: Any
    kept: Kept | None


class Loaded(NamedTuple):
    """What one load found: states and rows by reference, versions by stream (0: a new one)."""

    known: Mapping[str, Known]
    versions: Mapping[str, int]


class Loader(Protocol):
    """Where a plan gets what it needs."""

    def load(self, refs: Sequence[str], streams: Sequence[str]) -> Loaded:
        """The states and rows of references, and the versions of streams."""


class NothingKnown:
    """The loader of a blind append: everything touched is new, or the log says otherwise."""

    def load(self, refs: Sequence[str], streams: Sequence[str]) -> Loaded:
        """Nothing is there, every stream is new."""
        return Loaded({ref: Known(None, None) for ref in refs}, dict.fromkeys(streams, 0))


class Decided(NamedTuple):
    """What one order came to: its events, in order.

    `is_refusal` says that they are what its refusal established: they are stored without its key.
    """

    order: Order
    events: tuple[Event, ...]
    is_refusal: bool = False


class Plan:
    """The decisions of one append.

    After `run`, `decided` holds each order's events and `folding` the rows that they make.
    """

    def __init__(
        self,
        user_id: str,
        now: datetime,
        loader: Loader,
        projection_set: ProjectionSet = INLINE,
    ) -> None:
        self._user_id = user_id
        self.projection_set = projection_set
        self.now = now
        self._loader = loader
        self._states: dict[str, Any] = {}
        self._versions: dict[str, int] = {}
        self.kept: dict[str, Kept | None] = {}
        self.decided: list[Decided] = []

    @property
    def events(self) -> list[Event]:
        """All events in order."""
        return [event for decided in self.decided for event in decided.events]

    def preload(self, orders: Sequence[Order]) -> None:
        """Load in one go what the orders are known to need."""
        refs: dict[str, None] = {}
        streams: dict[str, None] = {}
        for order in orders:
            world = World(self._user_id, order.actor, {})
            refs.update(dict.fromkeys(order.command.reads(world)))
            streams[order.command.stream] = None
        streams.update(dict.fromkeys(map(_stream_of, refs)))
        self._load(list(refs), list(streams))

    def run(self, orders: Mapping[int, Order], *, alone: bool) -> None:
        """Decide every order; they are named by their place in the batch.

        Raises: the order's own error where it stands `alone`, else BatchRefused naming its place.
        """
        for place, order in orders.items():
            try:
                self.decide(order)
            except WorkindexError as error:
                if alone:
                    raise
                raise BatchRefused(place, error) from error
        if len(self.events) > BATCH_EVENTS_MAX:
            raise InvalidInput(
                f"one append holds at most {BATCH_EVENTS_MAX} events, this one "
                f"{len(self.events)}: split the batch"
            )

    def decide(self, order: Order) -> None:
        """Decide one order after those before it.

        Raises: the order's own error; the plan is then as it was.
        """
        self.decided.append(Decided(order, self._decide(order)))

    def record_refusal(self, order: Order, facts: Iterable[Fact]) -> None:
        """Append what an order's refusal established, without deciding."""
        self.decided.append(Decided(order, self._emit(order, list(facts)), is_refusal=True))

    def fold(self, *, without: Iterable[str] = ()) -> Folding:
        """A folding that holds the rows as they were; members of `without` are left alone."""
        folding = Folding(without=set(without), projection_set=self.projection_set)
        for ref, kept in self.kept.items():
            folding.load(ref, kept)
        return folding

    def _load(self, refs: Sequence[str], streams: Sequence[str]) -> None:
        loaded = self._loader.load(refs, streams)
        for ref, known in loaded.known.items():
            self._states[ref] = known.state
            self.kept[ref] = known.kept
        self._versions.update(loaded.versions)

    def _know(self, refs: Iterable[str], streams: Iterable[str] = ()) -> None:
        new_refs = [ref for ref in dict.fromkeys(refs) if ref not in self._states]
        new_streams = [s for s in dict.fromkeys(streams) if s not in self._versions]
        if new_refs or new_streams:
            self._load(new_refs, new_streams)

    def _decide(self, order: Order) -> tuple[Event, ...]:
        world = World(self._user_id, order.actor, self._states)
        while missing := needed(order.command, world):
            self._know(missing, map(_stream_of, missing))
        expected = order.expected_version
        if expected is not None:
            self._know((), [order.command.stream])
            actual = self._versions[order.command.stream]
            if actual != expected:
                raise VersionConflict(order.command.stream, expected, actual)
        return self._emit(order, decide(world, order.command, self.now))

    def _emit(self, order: Order, facts: Sequence[Fact]) -> tuple[Event, ...]:
        self._know(touched_refs(facts), [fact.stream for fact in facts])
        return tuple(self._event(order, fact) for fact in facts)

    def _event(self, order: Order, fact: Fact) -> Event:
        version = self._versions[fact.stream] + 1
        self._versions[fact.stream] = version
        event = Event(
            fact=fact,
            stream_version=version,
            occurred_at=order.occurred_at or self.now,
            recorded_at=self.now,
            actor=order.actor,
            event_id=new_id(),
            correlation_id=order.correlation_id,
            causation_id=order.causation_id,
        )
        for ref in fact.touches:
            entity = ENTITIES.get(split_ref(ref)[0])
            if entity is not None:
                self._states[ref] = entity.evolve(self._states[ref], event)
        return event


def _stream_of(ref: str) -> str:
    return "user" if ref == "user/me" else ref


def new_id() -> str:
    """A fresh UUIDv7."""
    return str(uuid_utils.uuid7())


def _new_ids() -> Iterator[str]:
    while True:
        yield new_id()


def order_of(entry: Entry, source: str, default_actor: Actor) -> Order:
    """Complete an entry: its hash is of the command as sent (-0.0 is 0.0), its ids come after.

    Raises: InvalidInput where the command is too large, or its source, its actor, its key, its
    time or an id that it is correlated with is not usable.
    """
    sent = entry.command
    actor = entry.actor or default_actor
    _check_actor(actor)
    check_name(source, "source")
    for name in ("key", "correlation_id", "causation_id"):
        if (value := getattr(entry, name)) is not None:
            check_name(value, name)
    check_command(sent)
    as_sent = payload(sent)
    if b"-0.0" in as_sent:
        sent = with_plain_zeros(sent)
        as_sent = payload(sent)
    if b"\\u" in as_sent:  # every character that may be invisible is written so
        check_ids(sent)
    if len(as_sent) > SURELY_SMALL_BYTES:
        _check_size(sent)
    if entry.occurred_at is not None:
        check_time(entry.occurred_at, "occurred_at")
    return Order(
        command=sent.with_ids(_new_ids()),
        source=source,
        key=entry.key if entry.key is not None else f"auto-{secrets.token_hex(16)}",
        payload_hash=sha256(as_sent).hexdigest(),
        actor=actor,
        expected_version=entry.expected_version,
        occurred_at=entry.occurred_at,
        correlation_id=entry.correlation_id,
        causation_id=entry.causation_id,
    )


def _check_size(command: Command) -> None:
    size = len(orjson.dumps(command.model_dump(mode="json")))
    if size > EVENT_BYTES_MAX:
        raise InvalidInput(
            f"the command {command.type} takes {size} bytes, at most {EVENT_BYTES_MAX}: store the "
            "large part as an artifact"
        )


def _check_actor(actor: object) -> None:
    if not isinstance(actor, Actor):
        raise InvalidInput(
            f"actor is a {type(actor).__name__}: give Actor(kind=…, id=…)", field="actor"
        )
    check_name(actor.id, "actor")


def state_of(ref: str, row: Any) -> Any:
    """The decision state that a projection row holds: its fields of the same name."""
    if row is None:
        return None
    entity = ENTITIES.get(split_ref(ref)[0])
    if entity is None:
        return None
    return entity.state(**{name: getattr(row, name) for name in entity.state._fields})
