"""From facts to stored events and back: the one decode path that every reader shares.

The stored name of an event is its type and schema version, never a class path. An upcaster turns
the data of an older version into the next one; it is pure and kept for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any

import orjson
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent
from pydantic import ValidationError

from workindex.domain import ALL_FACTS
from workindex.domain.errors import CorruptEvent, NeedsNewerCode
from workindex.domain.facts import Actor, ActorKind, Event, Fact

Data = dict[str, Any]
# jsonb writes the float 1e20 as digits. Only orjson reads integers of more than 64 bits as the
# floats that they were (a command's own integers have at most 64 bits).
_LONG_NUMBER = re.compile(rb"\d{20}")
_ANY_NUMBER = frozenset({"any", "float", "decimal", "complex", "json"})
Upcaster = Callable[[Data], Data]

# (type, version) -> the data of version + 1.
UPCASTERS: dict[tuple[str, int], Upcaster] = {
    ("task_phase_entered", 1): lambda data: data,  # 2 may name who has the task from then on
}

MODELS: Mapping[tuple[str, int], type[Fact]] = {
    (fact.model_fields["type"].default, fact.model_fields["schema_version"].default): fact
    for fact in ALL_FACTS
}


@dataclass(frozen=True)
class LogEvent(StoredEvent):
    """A stored event with what our log keeps beside its state.

    `position` is 0 until it is stored. `state` is the JSON text of the fact's own fields.
    """

    originator_id: str
    schema_version: int
    event_id: str
    metadata: Data
    occurred_at: datetime
    recorded_at: datetime
    position: int = 0


class FactMapper(Mapper[str]):
    """The library's mapper over our registry of type names."""

    def __init__(
        self,
        models: Mapping[tuple[str, int], type[Fact]] = MODELS,
        upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS,
    ) -> None:
        super().__init__(JSONTranscoder())
        self._models = models
        self._upcasters = upcasters

    def to_stored_event(self, domain_event: Any) -> LogEvent:
        """The stored form of an Event."""
        event: Event = domain_event
        metadata: Data = {"actor": {"kind": event.actor.kind, "id": event.actor.id}}
        for name in ("correlation_id", "causation_id", "trace_id"):
            if (value := getattr(event, name)) is not None:
                metadata[name] = value
        fact = event.fact
        return LogEvent(
            originator_id=fact.stream,
            originator_version=event.stream_version,
            topic=fact.type,
            state=orjson.dumps(fact_data(fact)),
            schema_version=fact.schema_version,
            event_id=event.event_id,
            metadata=metadata,
            occurred_at=event.occurred_at,
            recorded_at=event.recorded_at,
            position=event.position,
        )

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        """The Event of a stored one.

        Raises: NeedsNewerCode for an unknown type or version; CorruptEvent where the data does
        not fit its type, or the metadata name no actor.
        """
        assert isinstance(stored_event, LogEvent)
        stored = stored_event
        metadata = stored.metadata
        try:
            actor = actor_of(**metadata["actor"])
        except (KeyError, TypeError) as error:
            raise CorruptEvent(
                f"event {stored.position} of type {stored.topic} names no actor in its metadata"
            ) from error
        fact = self.decode(stored.topic, stored.schema_version, stored.state, stored.position)
        return Event(
            fact,
            stored.originator_version,
            stored.occurred_at,
            stored.recorded_at,
            actor,
            stored.position,
            stored.event_id,
            metadata.get("correlation_id"),
            metadata.get("causation_id"),
            metadata.get("trace_id"),
        )

    def knows(self, type_: str, version: int) -> bool:
        """Whether this program can decode events of the type and version."""
        while (type_, version) in self._upcasters:
            version += 1
        return (type_, version) in self._models

    def decode(self, type_: str, version: int, data: bytes | Data, position: int = 0) -> Fact:
        """The fact of a stored type, version and data, upcast to today's version."""
        name = (type_, version)
        while name in self._upcasters:
            fields = orjson.loads(data) if isinstance(data, bytes) else data
            try:
                data = self._upcasters[name](fields)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise CorruptEvent(
                    f"event {position} of type {type_} version {name[1]} does not fit: {error!r}"
                ) from error
            name = (type_, name[1] + 1)
        model = self._models.get(name)
        if model is None:
            raise NeedsNewerCode(
                f"event {position} has type {type_} version {name[1]}, which this program does "
                "not know: run a newer workindex"
            )
        if isinstance(data, bytes) and _takes_any_number(model) and _LONG_NUMBER.search(data):
            data = orjson.loads(data)
        try:
            if isinstance(data, bytes):
                # As model_validate_json, which looks at its options for a third of the time.
                fact: Fact = model.__pydantic_validator__.validate_json(data)
                return fact
            return model.model_validate(data)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            raise CorruptEvent(
                f"event {position} of type {type_} version {name[1]} does not fit: "
                f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
            ) from error


@cache
def _takes_any_number(model: type[Fact]) -> bool:
    """Whether a field of the fact may hold a number of any size: a float, or any JSON."""
    return not _ANY_NUMBER.isdisjoint(_schema_types(model.__pydantic_core_schema__))


def _schema_types(schema: Any) -> Iterator[str]:
    """The types that a validator's schema is made of, at any depth."""
    parts: Iterable[Any] = schema if isinstance(schema, list | tuple) else ()
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield schema["type"]
        parts = schema.values()
    for part in parts:
        yield from _schema_types(part)


@lru_cache(maxsize=1_000)
def actor_of(kind: ActorKind, id: str) -> Actor:
    """The same few actors cause most of a log."""
    return Actor.model_construct(kind=kind, id=id)


def fact_data(fact: Fact) -> Data:
    """The fact's fields that were given, as JSON values; type and version have own columns.

    What was not given is not stored, so a default of a stored version must never change.
    """
    return fact.model_dump(mode="json", exclude={"type", "schema_version"}, exclude_unset=True)


def log_event(row: Mapping[str, Any]) -> LogEvent:
    """The stored event of one row of `event`, as JSON (`to_jsonb`) or as a mapping of columns."""
    data = row["data"]
    return LogEvent(
        originator_id=row["stream"],
        originator_version=row["stream_version"],
        topic=row["type"],
        state=data.encode() if isinstance(data, str) else orjson.dumps(data),
        schema_version=row["schema_version"],
        event_id=str(row["event_id"]),
        metadata=row["metadata"],
        occurred_at=_instant(row["occurred_at"]),
        recorded_at=_instant(row["recorded_at"]),
        position=row["position"],
    )


def _instant(value: Any) -> datetime:
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    assert isinstance(value, datetime)
    return value.astimezone(UTC)
