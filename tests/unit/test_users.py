"""The user's settings: merged, cleared, and never silently wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from driver import NOW, Driver, at
from workindex.domain.approvals import APPROVALS
from workindex.domain.errors import NotBuilt, NotPermitted
from workindex.domain.facts import EVERY_ACTOR, ActorKind, Command
from workindex.domain.users import PREFERENCES_MAX, USERS, EraseUser, SetPreferences
from workindex.projections import users


def new_driver(*commands: Command) -> Driver:
    return Driver((USERS, APPROVALS), users.TABLES).given(*commands)


def test_what_is_left_out_stays_and_null_clears() -> None:
    """Settings are merged; a null takes one away."""
    driver = new_driver(
        SetPreferences(time_zone="Asia/Shanghai", locale="zh-CN", preferences={"a": 1, "b": 2})
    )
    assert driver.log[0].fact.stream == "user"
    driver.do(SetPreferences(locale=None, preferences={"a": None, "c": {"d": None}}))
    assert driver.row("user/me") == users.UserRow(
        user_key="me",
        time_zone="Asia/Shanghai",
        locale=None,
        preferences={"b": 2, "c": {"d": None}},
        consents={},
        updated_at=NOW,
    )


@pytest.mark.parametrize(
    "command",
    [
        SetPreferences(),
        SetPreferences(time_zone="UTC"),
        SetPreferences(locale=None),
        SetPreferences(preferences={"a": 1, "zz": None}),
    ],
)
def test_nothing_new_is_no_fact(command: Command) -> None:
    """A wish that is fulfilled decides nothing."""
    driver = new_driver(SetPreferences(time_zone="UTC", preferences={"a": 1}))
    assert driver.do(command, now=at("10:00")) == []
    assert len(driver.log) == 1


@pytest.mark.parametrize(
    "zone", ["Mars/Olympus", "Europe", "../../etc/passwd", "/etc/localtime", "", "UTC+1", "a\0b"]
)
def test_an_unknown_zone_is_refused(zone: str) -> None:
    """Only a zone that has rules can say what today is."""
    with pytest.raises(ValidationError):
        SetPreferences(time_zone=zone)


@pytest.mark.parametrize("locale", ["", "e", "english please", "en_", "en--US", "-en"])
def test_a_locale_has_its_form(locale: str) -> None:
    """A locale is a language tag."""
    with pytest.raises(ValidationError):
        SetPreferences(locale=locale)


def test_preferences_are_bounded() -> None:
    """Many small commands cannot grow the row without end."""
    driver = new_driver()
    for start in range(0, PREFERENCES_MAX, 100):
        many = {f"key-{number}": 1 for number in range(start, start + 100)}
        driver.do(SetPreferences(preferences=many))
    assert driver.refusal(SetPreferences(preferences={"more": 1})) == "too_many"
    assert driver.do(SetPreferences(preferences={"more": 1, "key-0": None}))


def test_erasing_is_not_built() -> None:
    """The command is in the contract, and says that it does nothing yet."""
    driver = new_driver(SetPreferences(locale="en"))
    with pytest.raises(NotBuilt, match="nothing was erased"):
        driver.do(EraseUser())
    assert driver.row("user/me") is not None


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
def test_each_actor_times_each_command(kind: ActorKind) -> None:
    """Everybody may set preferences; erasing takes the user or an operator."""
    driver = new_driver()
    assert driver.do(SetPreferences(locale="en"), by=kind)
    expected = NotBuilt if kind in {"user", "operator"} else NotPermitted
    with pytest.raises(expected):
        driver.do(EraseUser(), by=kind)


NAMES = st.sampled_from(("a", "b", "c"))
CHANGES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "time_zone": st.sampled_from((None, "UTC", "Europe/Berlin")),
        "locale": st.sampled_from((None, "en", "zh")),
        "preferences": st.dictionaries(NAMES, st.none() | st.integers(0, 2) | st.just({})),
    },
)


@settings(max_examples=100, deadline=None)
@given(st.lists(CHANGES, max_size=10))
def test_state_and_row_agree(walk: list[dict[str, Any]]) -> None:
    """The row is the merge of everything that was set, as an independent dict says."""
    driver = new_driver()
    expected: dict[str, Any] = {"time_zone": None, "locale": None}
    preferences: dict[str, Any] = {}
    for change in walk:
        driver.do(SetPreferences(**change))
        preferences.update(change.get("preferences", {}))
        expected.update({k: v for k, v in change.items() if k != "preferences"})
    row = driver.row("user/me")
    held = {k: v for k, v in preferences.items() if v is not None}
    if row is None:
        assert (held, set(expected.values())) == ({}, {None})
    else:
        assert (row.time_zone, row.locale) == (expected["time_zone"], expected["locale"])
        assert row.preferences == held
