"""The user's own settings: preferences and consents."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, assert_never, cast

from workindex.domain.approval_facts import ConsentGiven, ConsentWithdrawn
from workindex.domain.facts import Event
from workindex.domain.users import (
    USER_KEY,
    AnyUserFact,
    PreferencesSet,
    UserErased,
    consents_after,
    settings_after,
)
from workindex.projections.table import Table


class UserRow(NamedTuple):
    """Preferences and consents; the one row's id is `me` (reference `user/me`).

    `consents` maps the name of each consent in force to {scope, given_at, expires_at, details};
    its times are UTC ISO text.
    """

    user_key: str
    time_zone: str | None
    locale: str | None
    preferences: dict[str, Any]
    consents: dict[str, dict[str, Any]]
    updated_at: datetime


def consents_at(row: UserRow, now: datetime) -> dict[str, dict[str, Any]]:
    """The consents that are in force at `now`: given, not withdrawn and not expired."""
    ends = {name: held.get("expires_at") for name, held in row.consents.items()}
    return {
        name: held
        for name, held in row.consents.items()
        if ends[name] is None or datetime.fromisoformat(str(ends[name])) > now
    }


def fold_user(row: UserRow | None, event: Event) -> UserRow | None:
    """The user's row after one more event."""
    at = event.recorded_at
    before = row or UserRow(USER_KEY, None, None, {}, {}, at)
    fact = cast(AnyUserFact, event.fact)
    match fact:
        case PreferencesSet():
            return before._replace(**settings_after(before, fact), updated_at=at)
        case ConsentGiven() | ConsentWithdrawn():
            consents = consents_after(before.consents, fact, event)
            return before._replace(consents=consents, updated_at=at)
        case UserErased():
            return None
        case _:
            assert_never(fact)


WORK_USER = Table("work_user", kind="user", member="work_index", row=UserRow, fold=fold_user)
TABLES = (WORK_USER,)
