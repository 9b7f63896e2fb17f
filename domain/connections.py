"""Live provider state: connections, credits, and how far each source of facts has been seen.

Observations repeat; a fact is appended when something changed or half of the time to live has
passed. An observation older than the stored one never rolls it back, unless the stored one lies
in the future (a wrong clock must not silence the right one). What proofs rest on is never an
agent's word: see docs/decisions/0015.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, assert_never, cast

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from workindex.domain.errors import CommandRefused
from workindex.domain.facts import (
    PEOPLE,
    ActorKind,
    At,
    Command,
    Concept,
    Entity,
    Event,
    Fact,
    Id,
    QuestionKind,
    Seconds,
    Text,
    World,
)

# Who may say how the world outside stands: whoever looked at it, not who was told of it.
OBSERVERS: frozenset[ActorKind] = frozenset({"provider", "import", "scheduler", "operator", "user"})
FUTURE_TOLERANCE = timedelta(seconds=60)
HOUR_SECONDS = 3_600
DAY_SECONDS = 86_400
AMOUNT_DIGITS_MAX = 40
_AMOUNT = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", re.ASCII)


def _exact(value: Any) -> str:
    """The amount as canonical decimal text: plain notation, no trailing zeros, no minus zero."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError("an amount is a number or its decimal text")
    text = repr(value) if isinstance(value, float) else str(value)
    if not _AMOUNT.fullmatch(text):
        raise ValueError("an amount is a finite decimal number such as 12.50")
    plain = f"{Decimal(text):f}"
    whole, _, fraction = plain.lstrip("+-").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    if len(whole) + len(fraction) > AMOUNT_DIGITS_MAX:
        raise ValueError(f"an amount has at most {AMOUNT_DIGITS_MAX} digits")
    amount = f"{whole}.{fraction}" if fraction else whole
    return f"-{amount}" if plain.startswith("-") and amount != "0" else amount


def _in_order(kinds: tuple[QuestionKind, ...]) -> tuple[QuestionKind, ...]:
    return tuple(sorted(set(kinds)))


Amount = Annotated[str, BeforeValidator(_exact, json_schema_input_type=int | float | str)]
Provider = Annotated[str, StringConstraints(max_length=100, pattern=r"^[a-z][a-z0-9_]*$")]
Unit = Annotated[str, StringConstraints(min_length=1, max_length=50)]
Covers = Annotated[
    tuple[QuestionKind, ...], Field(min_length=1, max_length=100), AfterValidator(_in_order)
]
ConnectionStatus = Literal["connected", "expired", "error", "disconnected"]
SourceCondition = Literal["whole", "partial", "suspect"]
_CAUTION: dict[str, int] = {"whole": 0, "partial": 1, "suspect": 2}


class _OfConnection(Fact):
    provider: Provider
    account: Id

    @property
    def stream(self) -> str:
        return f"connection/{self.provider}:{self.account}"


class ConnectionObserved(_OfConnection):
    """How the connection to one account at a provider stood at `observed_at`."""

    type: Literal["connection_observed"] = "connection_observed"
    status: ConnectionStatus
    detail: Text | None = None
    observed_at: At
    ttl_seconds: Seconds


class CreditsObserved(Fact):
    """The balance of one account at `observed_at`."""

    type: Literal["credits_observed"] = "credits_observed"
    account: Id
    provider: Provider | None = None
    amount: Amount
    unit: Unit
    observed_at: At
    ttl_seconds: Seconds

    @property
    def stream(self) -> str:
        return f"credits/{self.account}"


class SourceObserved(Fact):
    """A source says how far it has been seen; it is required for `covers` from here on.

    `cursor` is the importer's own mark of where it goes on; without one the earlier mark stays.
    """

    type: Literal["source_observed"] = "source_observed"
    source: Id
    observed_through: At
    covers: Covers
    fresh_seconds: Seconds
    state: SourceCondition
    cursor: Id | None = None

    @property
    def stream(self) -> str:
        return f"source/{self.source}"


class SourceRetired(Fact):
    """No question waits for this source any more."""

    type: Literal["source_retired"] = "source_retired"
    source: Id
    reason: Text | None = None

    @property
    def stream(self) -> str:
        return f"source/{self.source}"


class ObserveConnection(Command):
    """Report a connection; `observed_at` is now where it is left out."""

    type: Literal["observe_connection"] = "observe_connection"
    allowed_actors: ClassVar[frozenset[str]] = OBSERVERS
    provider: Provider
    account: Id
    status: ConnectionStatus
    detail: Text | None = None
    observed_at: At | None = None
    ttl_seconds: Seconds = HOUR_SECONDS

    @property
    def stream(self) -> str:
        return f"connection/{self.provider}:{self.account}"


class ObserveCredits(Command):
    """Report a balance; `observed_at` is now where it is left out."""

    type: Literal["observe_credits"] = "observe_credits"
    allowed_actors: ClassVar[frozenset[str]] = OBSERVERS
    account: Id
    provider: Provider | None = None
    amount: Amount
    unit: Unit
    observed_at: At | None = None
    ttl_seconds: Seconds = HOUR_SECONDS

    @property
    def stream(self) -> str:
        return f"credits/{self.account}"


class ObserveSource(Command):
    """Report through which instant a source was seen, and for which kinds of question."""

    type: Literal["observe_source"] = "observe_source"
    allowed_actors: ClassVar[frozenset[str]] = OBSERVERS
    source: Id
    observed_through: At
    covers: Covers
    fresh_seconds: Seconds = DAY_SECONDS
    state: SourceCondition = "whole"
    cursor: Id | None = None

    @property
    def stream(self) -> str:
        return f"source/{self.source}"


class RetireSource(Command):
    """Stop requiring a source; a model may not, for it would make doubtful answers sure."""

    type: Literal["retire_source"] = "retire_source"
    allowed_actors: ClassVar[frozenset[str]] = PEOPLE | {"operator", "import"}
    source: Id
    reason: Text | None = None

    @property
    def stream(self) -> str:
        return f"source/{self.source}"


AnyConnectionCommand = ObserveConnection | ObserveCredits | ObserveSource | RetireSource
SourceFact = SourceObserved | SourceRetired


class ConnectionState(NamedTuple):
    """A connection as last observed."""

    status: str
    detail: str | None
    observed_at: datetime
    ttl_seconds: int


class CreditsState(NamedTuple):
    """A balance as last observed."""

    provider: str | None
    amount: str
    unit: str
    observed_at: datetime
    ttl_seconds: int


class SourceState(NamedTuple):
    """A required source; `covers` holds every kind it ever covered, sorted."""

    state: str
    covers: list[str]
    observed_through_at: datetime
    fresh_seconds: int
    cursor: str | None


def evolve_connection(state: ConnectionState | None, event: Event) -> ConnectionState | None:
    """The connection after one more event."""
    fact = cast(ConnectionObserved, event.fact)
    return ConnectionState(fact.status, fact.detail, fact.observed_at, fact.ttl_seconds)


def evolve_credits(state: CreditsState | None, event: Event) -> CreditsState | None:
    """The balance after one more event."""
    fact = cast(CreditsObserved, event.fact)
    return CreditsState(fact.provider, fact.amount, fact.unit, fact.observed_at, fact.ttl_seconds)


def evolve_source(state: SourceState | None, event: Event) -> SourceState | None:
    """The source after one more event."""
    fact = cast(SourceFact, event.fact)
    match fact:
        case SourceObserved():
            return SourceState(
                state=fact.state,
                covers=covers_after([] if state is None else state.covers, fact),
                observed_through_at=fact.observed_through,
                fresh_seconds=fact.fresh_seconds,
                cursor=cursor_after(None if state is None else state.cursor, fact),
            )
        case SourceRetired():
            return None
        case _:
            assert_never(fact)


def covers_after(before: list[str], fact: SourceObserved) -> list[str]:
    """Every kind covered so far: a source stays required for each of them until it is retired."""
    return sorted({*before, *fact.covers})


def cursor_after(before: str | None, fact: SourceObserved) -> str | None:
    """The importer's mark: a report without one leaves it where it was."""
    return before if fact.cursor is None else fact.cursor


def decide(world: World, command: AnyConnectionCommand, now: datetime) -> list[Fact]:
    """Facts for an observation; none where it says nothing new."""
    match command:
        case ObserveConnection():
            return _connection(world, command, now)
        case ObserveCredits():
            return _credits(world, command, now)
        case ObserveSource():
            return _source(world, command, now)
        case RetireSource(source=source):
            if world.get(command.stream, SourceState) is None:
                raise CommandRefused(
                    "unknown_source",
                    f"there is no source {source!r} to retire: `workindex index` lists them",
                    field="source",
                )
            return [SourceRetired(source=source, reason=command.reason)]
        case _:
            assert_never(command)


def _connection(world: World, command: ObserveConnection, now: datetime) -> list[Fact]:
    at = command.observed_at or now
    after = ConnectionState(command.status, command.detail, at, command.ttl_seconds)
    if not _is_news(world.get(command.stream, ConnectionState), after, now):
        return []
    return [
        ConnectionObserved(provider=command.provider, account=command.account, **after._asdict())
    ]


def _credits(world: World, command: ObserveCredits, now: datetime) -> list[Fact]:
    at = command.observed_at or now
    after = CreditsState(command.provider, command.amount, command.unit, at, command.ttl_seconds)
    if not _is_news(world.get(command.stream, CreditsState), after, now):
        return []
    return [CreditsObserved(account=command.account, **after._asdict())]


Observed = ConnectionState | CreditsState


def _is_news(before: Observed | None, after: Observed, now: datetime) -> bool:
    if before is None:
        return True
    if after.observed_at <= before.observed_at and not _is_future(before.observed_at, now):
        return False
    if after._replace(observed_at=before.observed_at) != before:
        return True
    return _is_half_over(before.observed_at, after.observed_at, after.ttl_seconds)


def _is_future(at: datetime, now: datetime) -> bool:
    return at > now + FUTURE_TOLERANCE


def _is_half_over(before_at: datetime, at: datetime, life_seconds: int) -> bool:
    return abs(at - before_at) * 2 >= timedelta(seconds=life_seconds)


def _source(world: World, command: ObserveSource, now: datetime) -> list[Fact]:
    fact = SourceObserved(**command.model_dump(exclude={"type"}))
    before = world.get(command.stream, SourceState)
    if before is None:
        return [fact]
    missing = sorted(set(before.covers) - set(command.covers))
    if missing and command.state != "suspect":
        raise CommandRefused(
            "covers_narrowed",
            f"source {command.source!r} covered {', '.join(missing)} until now and stays required "
            "for what it covered: report all of its kinds, or retire it first (retire_source)",
            field="covers",
        )
    grows = not set(command.covers) <= set(before.covers)
    moves = command.cursor not in (None, before.cursor)
    stored_at = before.observed_through_at
    if command.observed_through < stored_at and not _is_future(stored_at, now):
        # A late report may make answers more careful, never surer than the newer one did.
        state = max(command.state, cast(SourceCondition, before.state), key=_CAUTION.__getitem__)
        is_news = grows or moves or state != before.state
        return [fact.model_copy(update={"state": state})] if is_news else []
    same = (command.state, command.fresh_seconds) == (before.state, before.fresh_seconds)
    if same and not grows and not moves:
        is_due = _is_half_over(stored_at, command.observed_through, command.fresh_seconds)
        return [fact] if is_due else []
    return [fact]


CONNECTIONS = Concept(
    "connections",
    facts=(ConnectionObserved, CreditsObserved, SourceObserved, SourceRetired),
    commands=(ObserveConnection, ObserveCredits, ObserveSource, RetireSource),
    entities=(
        Entity("connection", ConnectionState, evolve_connection),
        Entity("credits", CreditsState, evolve_credits),
        Entity("source", SourceState, evolve_source),
    ),
    decide=decide,
)
