"""The house in memory: commands through decide, evolve and fold, without a database.

`Driver` keeps a user's log, the states that decisions read and the rows that readers see. Every
step is checked against the law that a state and its row agree on the columns they share.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import count
from typing import Any

from workindex.domain.decisions import decide, needed
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import Actor, ActorKind, Command, Concept, Event, Fact, World
from workindex.projections.table import Table

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def at(text: str) -> datetime:
    """`14:30` on the driver's day, or `2026-03-05 14:30`, in UTC."""
    day = f"{NOW:%Y-%m-%d} " if len(text) == 5 else ""
    return datetime.strptime(f"{day}{text} +0000", "%Y-%m-%d %H:%M %z")


def actor(kind: ActorKind) -> Actor:
    """Somebody of that kind."""
    return Actor(kind=kind, id=f"the-{kind}")


class Driver:
    """One user's log with its states and rows, for some concepts and their tables."""

    def __init__(self, concepts: Iterable[Concept], tables: Iterable[Table[Any]]) -> None:
        self.now = NOW
        self.user_id = "ann"
        self.actor = actor("user")
        self.log: list[Event] = []
        self.states: dict[str, Any] = {}
        self.rows: dict[str, Any] = {}
        self._ids = count(1)
        self._entities = {entity.kind: entity for c in concepts for entity in c.entities}
        self._tables = {table.kind: table for table in tables}

    def do(
        self, command: Command, *, by: ActorKind | None = None, now: datetime | None = None
    ) -> list[Fact]:
        """Decides, and applies the facts; a refusal's own facts are applied before it is raised."""
        filled = command.with_ids(f"id-{next(self._ids)}" for _ in command.new_ids)
        who = self.actor if by is None else actor(by)
        try:
            facts = decide(self._world(filled, who), filled, now or self.now)
        except CommandRefused as refusal:
            self.apply(refusal.facts, by=who, now=now)
            raise
        self.apply(facts, by=who, now=now)
        return facts

    def given(self, *commands: Command) -> Driver:
        """Gives each command as the user and returns the driver."""
        for command in commands:
            self.do(command)
        return self

    def refusal(
        self, command: Command, *, by: ActorKind | None = None, now: datetime | None = None
    ) -> str:
        """The code with which the command is refused."""
        try:
            facts = self.do(command, by=by, now=now)
        except CommandRefused as refusal:
            return refusal.code
        raise AssertionError(f"{command!r} was not refused: {facts}")

    def apply(
        self, facts: Iterable[Fact], *, by: Actor | None = None, now: datetime | None = None
    ) -> None:
        """Appends the facts and moves every state and row that they touch."""
        for fact in facts:
            event = Event(
                fact=type(fact).model_validate_json(fact.model_dump_json()),
                stream_version=1 + sum(e.fact.stream == fact.stream for e in self.log),
                occurred_at=now or self.now,
                recorded_at=now or self.now,
                actor=by or self.actor,
                position=len(self.log) + 1,
            )
            self.log.append(event)
            for ref in event.fact.touches:
                self._move(ref, event)

    def row(self, ref: str) -> Any:
        """The row of `kind/id`, None where there is none."""
        return self.rows.get(ref)

    def _world(self, command: Command, who: Actor) -> World:
        if command.is_blind and command.stream not in {e.fact.stream for e in self.log}:
            blind = World(self.user_id, who, _Blind())
            decide(blind, command, self.now)
        states: dict[str, Any] = {}
        world = World(self.user_id, who, states)
        while wanted := needed(command, world):
            states.update({ref: self.states.get(ref) for ref in wanted})
        return world

    def _move(self, ref: str, event: Event) -> None:
        kind = ref.split("/", 1)[0]
        entity, table = self._entities.get(kind), self._tables.get(kind)
        if entity is not None:
            self.states[ref] = entity.evolve(self.states.get(ref), event)
        if table is None:
            return
        row = table.fold(self.rows.pop(ref, None), event)
        if row is not None:
            self.rows[ref] = row
        self._check(ref, table, row)

    def _check(self, ref: str, table: Table[Any], row: Any) -> None:
        """A row survives the way through JSON, and says the same as the state."""
        if row is not None:
            assert f"{table.kind}/{row[0]}" == ref
            stored = table.adapter.validate_json(table.adapter.dump_json(row))
            assert stored == row, f"{ref} is not what {table.name} would give back"
        entity = self._entities.get(table.kind)
        if entity is None:
            return
        state = self.states[ref]
        if state is None or row is None:
            assert state is row, f"only one of state and row of {ref} is there"
        else:
            shared = {name: getattr(row, name) for name in state._fields}
            assert shared == state._asdict(), f"state and row of {ref} disagree"


class _Blind(dict[str, Any]):
    """The world of a blind command: nothing is there."""

    def __missing__(self, key: str) -> None:
        return None
