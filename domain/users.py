"""The user's own settings: time zone, locale, free preferences, and the consents in force.

A consent is given and withdrawn by the commands of approvals; its state is kept here, because
the user's one entity is `user/me`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, assert_never, cast
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, StringConstraints

from workindex.domain.approval_facts import ConsentGiven, ConsentWithdrawn
from workindex.domain.errors import CommandRefused, NotBuilt
from workindex.domain.facts import Command, Concept, Entity, Event, Fact, Json, Text, World, utc

USER_KEY = "me"
PREFERENCES_MAX = 500
USER_REF = f"user/{USER_KEY}"


def _known_zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):  # unknown, not a key, a folder of keys
        raise ValueError(
            f"no time zone is called {value!r}: give a name such as Europe/Berlin or UTC"
        ) from None
    return value


# A stored zone stays readable when zone data changes: only the command checks that it exists.
ZoneName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
KnownZone = Annotated[ZoneName, AfterValidator(_known_zone)]
Locale = Annotated[
    str, StringConstraints(max_length=35, pattern=r"^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$")
]
Preferences = Annotated[Json, Field(max_length=200)]
Setting = Literal["time_zone", "locale"]


class UserFact(Fact):
    """A fact about the user's settings."""

    @property
    def stream(self) -> str:
        return "user"

    @property
    def touches(self) -> tuple[str, ...]:
        return (USER_REF,)


class PreferencesSet(UserFact):
    """Settings changed: what is None stayed, what `cleared` names is gone.

    `preferences` is merged into what there is; a null in it deletes its key.
    """

    type: Literal["preferences_set"] = "preferences_set"
    time_zone: ZoneName | None = None
    locale: Locale | None = None
    preferences: Preferences = Field(default_factory=dict)
    cleared: tuple[Setting, ...] = ()


class UserErased(UserFact):
    """Everything about the user was erased."""

    type: Literal["user_erased"] = "user_erased"
    reason: Text | None = None


class UserCommand(Command):
    """A command about the user's settings."""

    @property
    def stream(self) -> str:
        return "user"

    def reads(self, world: World) -> tuple[str, ...]:
        return (USER_REF,)


class SetPreferences(UserCommand):
    """Change settings: a field left out stays, null clears it; `preferences` is merged."""

    type: Literal["set_preferences"] = "set_preferences"
    time_zone: KnownZone | None = None
    locale: Locale | None = None
    preferences: Preferences = Field(default_factory=dict)


class EraseUser(UserCommand):
    """Erase everything about the user; refused until erasing is built."""

    type: Literal["erase_user"] = "erase_user"
    allowed_actors = frozenset({"user", "operator"})
    reason: Text | None = None


AnyUserFact = PreferencesSet | UserErased | ConsentGiven | ConsentWithdrawn
AnyUserCommand = SetPreferences | EraseUser


class UserState(NamedTuple):
    """Settings and consents in force; `consents` maps a consent's name to its terms."""

    time_zone: str | None
    locale: str | None
    preferences: dict[str, Any]
    consents: dict[str, dict[str, Any]]


NO_SETTINGS = UserState(None, None, {}, {})


def evolve(state: UserState | None, event: Event) -> UserState | None:
    """The user's settings after one more event."""
    before = state or NO_SETTINGS
    fact = cast(AnyUserFact, event.fact)
    match fact:
        case PreferencesSet():
            return before._replace(**settings_after(before, fact))
        case ConsentGiven() | ConsentWithdrawn():
            return before._replace(consents=consents_after(before.consents, fact, event))
        case UserErased():
            return None
        case _:
            assert_never(fact)


def settings_after(before: Any, fact: PreferencesSet) -> dict[str, Any]:
    """The changed columns of `before` (a state or a row) after a PreferencesSet."""
    after: dict[str, Any] = dict.fromkeys(fact.cleared)
    if fact.time_zone is not None:
        after["time_zone"] = fact.time_zone
    if fact.locale is not None:
        after["locale"] = fact.locale
    merged = before.preferences | fact.preferences
    after["preferences"] = {key: value for key, value in merged.items() if value is not None}
    return after


def consents_after(
    consents: dict[str, dict[str, Any]], fact: ConsentGiven | ConsentWithdrawn, event: Event
) -> dict[str, dict[str, Any]]:
    """The consents in force after one more: {name: {scope, given_at, expires_at, details}}."""
    others = {name: terms for name, terms in consents.items() if name != fact.consent}
    if isinstance(fact, ConsentWithdrawn):
        return others
    terms = {
        "scope": fact.scope,
        "given_at": utc(event.occurred_at),
        "expires_at": None if fact.expires_at is None else utc(fact.expires_at),
        "details": fact.details,
    }
    return others | {fact.consent: terms}


def decide(world: World, command: AnyUserCommand, now: datetime) -> list[Fact]:
    """Facts for a command about settings; none where everything is so already."""
    match command:
        case SetPreferences():
            return _set(world, command)
        case EraseUser():
            raise NotBuilt(
                "erasing a user comes with a later version: nothing was erased; until then "
                "redact messages, withdraw claims and forget artifacts one by one"
            )
        case _:
            assert_never(command)


def _set(world: World, command: SetPreferences) -> list[Fact]:
    before = world.get(USER_REF, UserState) or NO_SETTINGS
    given = command.model_fields_set
    settings: tuple[Setting, ...] = ("time_zone", "locale")
    fact = PreferencesSet(
        time_zone=command.time_zone,
        locale=command.locale,
        preferences=command.preferences,
        cleared=tuple(n for n in settings if n in given and getattr(command, n) is None),
    )
    after = before._replace(**settings_after(before, fact))
    if len(after.preferences) > PREFERENCES_MAX:
        raise CommandRefused(
            "too_many",
            f"this would make {len(after.preferences)} preferences and {PREFERENCES_MAX} is the "
            "limit: delete some by setting them to null",
            field="preferences",
        )
    return [] if after == before else [fact]


USERS = Concept(
    "users",
    facts=(PreferencesSet, UserErased),
    commands=(SetPreferences, EraseUser),
    entities=(Entity("user", UserState, evolve),),
    decide=decide,
)
