"""What a fact, an actor and a command are: the base of every concept file.

A fact is a frozen model in the past tense. It lives in one stream and touches one or more
entities, each named by a reference `kind/id`; a projection row belongs to one entity, so
`touches` says exactly which rows a fact may change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from workindex.domain.errors import InvalidInput

ActorKind = Literal["user", "approver", "agent", "provider", "scheduler", "import", "operator"]
Sensitivity = Literal["normal", "private", "restricted"]
# The kinds of question that the state path answers; a source says which of them it covers.
QuestionKind = Literal[
    "pending", "tasks", "approvals", "reminders", "meetings", "credits", "connections", "proactive"
]

EVERY_ACTOR: frozenset[str] = frozenset(ActorKind.__args__)  # type: ignore[attr-defined]
PEOPLE: frozenset[str] = frozenset({"user", "approver"})
# Who says that a time has come.
CLOCK: frozenset[str] = frozenset({"scheduler", "operator", "import"})

_EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
_LATEST = datetime(9999, 1, 1, tzinfo=UTC)
# PostgreSQL reads no time whose zone is so far from UTC.
_OFFSET_BELOW = timedelta(hours=16)


def _printable(value: str) -> str:
    if not value.isprintable() or value != value.strip():
        raise ValueError("an id is 1 to 200 printable characters without spaces at its ends")
    return value


def _in_range(value: datetime) -> datetime:
    if not _EARLIEST <= value < _LATEST:
        raise ValueError("a time lies between the years 1900 and 9998")
    return value.astimezone(UTC) if _is_far(value) else value


def _is_far(at: datetime) -> bool:
    return abs(at.utcoffset() or timedelta(0)) >= _OFFSET_BELOW


Id = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_printable)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Text = Annotated[str, StringConstraints(max_length=1_000_000)]
At = Annotated[AwareDatetime, AfterValidator(_in_range)]
Seconds = Annotated[int, Field(ge=1, le=10 * 366 * 86_400)]
Json = dict[str, Any]


class Frozen(BaseModel):
    """A value: frozen, and unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Actor(Frozen):
    """Who caused a fact; set by the runtime, never taken from text."""

    kind: ActorKind
    id: Id


class Fact(Frozen):
    """Something that happened. `type` and `schema_version` are its stored name, for ever."""

    type: str
    schema_version: int = 1

    @property
    def stream(self) -> str:
        """The stream that holds this fact, `kind/id`."""
        raise NotImplementedError

    @property
    def touches(self) -> tuple[str, ...]:
        """References of every entity whose row this fact may change; its own first."""
        return (self.stream,)


class Event(NamedTuple):
    """A fact as the log holds it: `fact` has its type, its stream and its fields.

    `position` is 0 while the event is not stored yet. Folds must not read it: a blind append
    learns positions only from the database.
    """

    fact: Fact
    stream_version: int
    occurred_at: datetime
    recorded_at: datetime
    actor: Actor
    position: int = 0
    event_id: str = ""
    correlation_id: str | None = None
    causation_id: str | None = None
    trace_id: str | None = None

    @property
    def type(self) -> str:
        """The stored name of the fact."""
        return self.fact.type

    @property
    def stream(self) -> str:
        """The stream that holds the fact."""
        return self.fact.stream


S = TypeVar("S", bound=NamedTuple)


class World(NamedTuple):
    """What a decision may look at: the states of the entities that its command reads.

    `states` maps a reference (`task/T-1`) to the entity's state, or to None where there is none.
    In `decide`, asking for a reference that was not declared in `reads` is a programmer's error;
    `reads` itself looks with `states.get`, since nothing may be loaded yet.
    """

    user_id: str
    actor: Actor
    states: Mapping[str, Any]

    def get(self, ref: str, state_type: type[S]) -> S | None:
        """The state of one entity, None where the log holds none (or it was removed)."""
        state = self.states[ref]
        assert state is None or isinstance(state, state_type), (ref, state)
        return state


class Command(Frozen):
    """A wish, in the imperative. `decide` turns it into facts or refuses it.

    `new_ids` names the id fields that the runtime fills with a fresh UUIDv7 where the caller
    left them out; `allowed_actors` are the principals that may give it. `is_due_now` says that
    it uses a permission that ends at an instant: it is decided by a clock that is read while the
    log is held, so that no wait lies between the look at the clock and the append.
    """

    type: str
    new_ids: ClassVar[tuple[str, ...]] = ()
    allowed_actors: ClassVar[frozenset[str]] = EVERY_ACTOR
    is_due_now: ClassVar[bool] = False

    @property
    def stream(self) -> str:
        """The stream that the command is about; `expected_version` refers to it."""
        raise NotImplementedError

    def reads(self, world: World) -> Iterable[str]:
        """References that the decision needs, given what is known so far.

        Called again with what it asked for until it asks for nothing new, so that the second
        round may follow references found in the first.
        """
        return (self.stream,)

    @property
    def is_blind(self) -> bool:
        """Whether everything it touches is new if it succeeds at all (no read needed).

        Where it is true, `decide` must accept the command on a world of None states, and the
        stream's first version is what the log checks.
        """
        return False

    def with_ids(self, new_id: Iterable[str]) -> Self:
        """A copy in which each missing id of `new_ids` is taken from `new_id`."""
        source = iter(new_id)
        missing = {name: next(source) for name in self.new_ids if getattr(self, name) is None}
        return self.model_copy(update=missing) if missing else self


class Entity(NamedTuple):
    """One kind of entity that decisions look at.

    `evolve(state | None, event) -> state | None` replays the events that touch the entity. The
    fields of `state` are a subset of the columns of the entity's projection row, by name, and
    both agree on them for every log (a property test holds that).
    """

    kind: str
    state: type[Any]
    evolve: Callable[[Any, Event], Any]


class Concept(NamedTuple):
    """Everything that one concept file brings to the house."""

    name: str
    facts: tuple[type[Fact], ...]
    commands: tuple[type[Command], ...]
    entities: tuple[Entity, ...]
    decide: Callable[[World, Any, datetime], list[Fact]]


def check_time(at: object, field: str) -> None:
    """Refuse what is not an instant with a zone in the years that facts may name.

    Raises: InvalidInput.
    """
    if not isinstance(at, datetime):
        raise InvalidInput(f"{field} {at!r} is not a time: give a datetime", field=field)
    if at.tzinfo is None:
        raise InvalidInput(f"the time {at} has no zone: give one", field=field)
    if not _EARLIEST <= at < _LATEST:
        raise InvalidInput(
            f"{field} {at} is out of range: a time lies between the years 1900 and 9998",
            field=field,
        )
    if _is_far(at):
        raise InvalidInput(
            f"{field} {at} has a zone of 16 hours or more from UTC: give it in UTC", field=field
        )


def utc(at: datetime) -> str:
    """The instant as text in UTC, the one form that JSON columns hold."""
    if at.tzinfo is None:
        raise InvalidInput(f"the time {at} has no zone: give one")
    return (at if at.tzinfo is UTC else at.astimezone(UTC)).isoformat()
