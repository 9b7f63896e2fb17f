"""Observations: appended when they say something new, never rolled back by a late one."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from driver import NOW, Driver, at
from workindex.domain.connections import (
    CONNECTIONS,
    ObserveConnection,
    ObserveCredits,
    ObserveSource,
    RetireSource,
)
from workindex.domain.errors import CommandRefused, NotPermitted
from workindex.domain.facts import EVERY_ACTOR, ActorKind, Command
from workindex.projections import connections


def new_driver(*commands: Command) -> Driver:
    return Driver((CONNECTIONS,), connections.TABLES).given(*commands)


def mail(status: str = "connected", at_time: str = "09:00", **more: Any) -> ObserveConnection:
    values = {"provider": "mail", "account": "ann@x", "status": status, "observed_at": at(at_time)}
    return ObserveConnection.model_validate(values | more)


def credits(amount: object, at_time: str = "09:00", **more: Any) -> ObserveCredits:
    values = {"account": "main", "amount": amount, "unit": "USD", "observed_at": at(at_time)}
    return ObserveCredits.model_validate(values | more)


def source(at_time: str = "09:00", **more: Any) -> ObserveSource:
    values = {
        "source": "calendar",
        "observed_through": at(at_time),
        "covers": ["meetings"],
        "fresh_seconds": 3_600,
    }
    return ObserveSource.model_validate(values | more)


def test_an_observed_connection() -> None:
    """The row is the observation; its id is provider and account."""
    driver = new_driver(mail(detail="token renewed"))
    assert driver.log[0].fact.stream == "connection/mail:ann@x"
    assert driver.row("connection/mail:ann@x") == connections.ConnectionRow(
        connection_id="mail:ann@x",
        provider="mail",
        account="ann@x",
        status="connected",
        detail="token renewed",
        observed_at=NOW,
        ttl_seconds=3_600,
    )


def test_the_time_of_an_observation_is_now_by_default() -> None:
    """Whoever reports what it sees right now need not say when."""
    driver = new_driver()
    driver.do(ObserveConnection(provider="mail", account="a", status="error"), now=at("11:11"))
    assert driver.row("connection/mail:a").observed_at == at("11:11")


NEWS: list[tuple[str, Command, Command, int]] = [
    ("same, soon", mail(), mail(at_time="09:29"), 0),
    ("same, half of the time to live", mail(), mail(at_time="09:30"), 1),
    ("another status", mail(), mail("expired", "09:01"), 1),
    ("another detail", mail(), mail(at_time="09:01", detail="x"), 1),
    ("another time to live", mail(), mail(at_time="09:01", ttl_seconds=60), 1),
    ("older, another status", mail(), mail("error", "08:59"), 0),
    ("as old, another status", mail(), mail("error"), 0),
    ("same amount otherwise written", credits("12.50"), credits(12.5, "09:01"), 0),
    ("another amount", credits(12), credits(13, "09:01"), 1),
    ("older amount", credits(12), credits(13, "08:00"), 0),
    ("same source, soon", source(), source("09:29"), 0),
    ("same source, half", source(), source("09:30"), 1),
    ("backwards", source(), source("08:00"), 0),
    ("suspect at once", source(), source("09:01", state="suspect"), 1),
    ("suspect at the same time", source(), source(state="suspect"), 1),
    ("whole again", source(state="suspect"), source("09:01"), 1),
    ("more kinds", source(), source("09:01", covers=["meetings", "tasks"]), 1),
    ("other freshness", source(), source("09:01", fresh_seconds=60), 1),
    ("late but more careful", source(), source("08:00", state="suspect"), 1),
    ("late with more kinds", source(), source("08:00", covers=["meetings", "tasks"]), 1),
    ("late and surer", source(state="suspect"), source("08:00"), 0),
    ("late and a little surer", source(state="suspect"), source("08:00", state="partial"), 0),
    ("after a clock that ran ahead", source("13:00"), source("09:01"), 1),
    ("after a clock that ran ahead", mail(at_time="13:00"), mail("error", "09:01"), 1),
]


@pytest.mark.parametrize(("name", "first", "second", "facts"), NEWS)
def test_only_news_is_appended(name: str, first: Command, second: Command, facts: int) -> None:
    """An observation is a fact on change or at half of the time to live, and never runs back."""
    driver = new_driver(first)
    assert len(driver.do(second, now=at("09:45"))) == facts, name


@pytest.mark.parametrize(
    ("given_amount", "stored"),
    [
        (0, "0"),
        ("-0.00", "0"),
        (12.50, "12.5"),
        ("0012.50", "12.5"),
        ("+7", "7"),
        ("1e3", "1000"),
        ("-1E-7", "-0.0000001"),
        (0.1, "0.1"),
        (10**18, "1000000000000000000"),
        (Decimal("3.140"), "3.14"),
    ],
)
def test_an_amount_is_exact(given_amount: object, stored: str) -> None:
    """Equal amounts are the same text, and no digit is lost."""
    assert credits(given_amount).amount == stored


@pytest.mark.parametrize(
    "amount",
    [True, None, "", "NaN", "inf", float("nan"), float("inf"), "1_0", " 1", "1e999", "12,5",
     "\u0661", "1" * 41, "0x10", [1]],
)  # fmt: skip
def test_what_is_no_amount_is_refused(amount: object) -> None:
    """Only finite decimal numbers in plain digits are amounts."""
    with pytest.raises(ValidationError):
        credits(amount)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15,
                   places=6))  # fmt: skip
def test_an_amount_keeps_its_value(amount: Decimal) -> None:
    """The text is worth what was given, and stays as it is when it is read again."""
    text = credits(str(amount)).amount
    assert Decimal(text) == amount
    assert credits(text).amount == text


@pytest.mark.parametrize("provider", ["Mail", "my-mail", "", "1mail", "mail:x", "a" * 101])
def test_a_provider_is_lower_snake_case(provider: str) -> None:
    """The provider's name is one form, so that a question can name it."""
    with pytest.raises(ValidationError):
        mail(provider=provider)


def test_kinds_are_sorted_and_known() -> None:
    """What a source covers is a set of the kinds that questions have."""
    assert source(covers=["tasks", "meetings", "tasks"]).covers == ("meetings", "tasks")
    for covers in ([], ["weather"]):
        with pytest.raises(ValidationError):
            source(covers=covers)


def test_a_source_stays_required_for_what_it_covered() -> None:
    """Narrower reports are refused, a suspect one narrows nothing, retiring ends it all."""
    both = source(covers=["meetings", "reminders"])
    driver = new_driver(both)
    narrower = source("09:40")
    assert driver.refusal(narrower) == "covers_narrowed"
    driver.do(source("09:41", state="suspect"))
    assert driver.row("source/calendar").covers == ["meetings", "reminders"]
    driver.do(RetireSource(source="calendar", reason="moved"))
    assert driver.row("source/calendar") is None
    driver.do(narrower)
    assert driver.row("source/calendar") == connections.SourceRow(
        source="calendar",
        state="whole",
        covers=["meetings"],
        observed_through_at=at("09:40"),
        fresh_seconds=3_600,
        cursor=None,
        reported_at=NOW,
    )


def test_a_late_report_never_makes_a_source_surer() -> None:
    """What it adds is taken; the doubt of the newer report stays."""
    driver = new_driver(source(state="suspect", cursor="c-1"))
    driver.do(source("08:00", covers=["meetings", "tasks"]))
    row = driver.row("source/calendar")
    assert (row.state, row.covers, row.cursor) == ("suspect", ["meetings", "tasks"], "c-1")


def test_a_moved_cursor_is_news() -> None:
    """An importer finds its place again even where nothing else changed."""
    driver = new_driver(source(cursor="c-1"))
    assert driver.do(source("09:01", cursor="c-1")) == []
    assert driver.do(source("09:01")) == []
    assert driver.do(source("09:01", cursor="c-2"))
    assert driver.do(source("09:40"))
    assert driver.row("source/calendar").cursor == "c-2"


def test_only_a_known_source_retires() -> None:
    """A misspelt name does not look like success."""
    driver = new_driver(source())
    assert driver.refusal(RetireSource(source="calender")) == "unknown_source"
    driver.do(RetireSource(source="calendar"))
    assert driver.refusal(RetireSource(source="calendar")) == "unknown_source"


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
def test_each_actor_times_each_command(kind: ActorKind) -> None:
    """Who looked reports, be it good or bad: never a model, nor somebody who only decides.

    A model, a provider or a clock does not stop requiring a source.
    """
    may_retire = {"user", "approver", "operator", "import"}
    reports = [mail(), credits(1), *(source(state=s) for s in ("whole", "partial", "suspect"))]
    for command in reports:
        if kind not in ("agent", "approver"):
            assert new_driver().do(command, by=kind)
            continue
        with pytest.raises(NotPermitted, match=rf"{kind}.* may not"):
            new_driver().do(command, by=kind)
    driver = new_driver(source())
    if kind in may_retire:
        assert driver.do(RetireSource(source="calendar"), by=kind)
    else:
        with pytest.raises(NotPermitted):
            driver.do(RetireSource(source="calendar"), by=kind)


MINUTES = st.integers(-120, 120).map(lambda minutes: NOW + timedelta(minutes=minutes))
KINDS = st.lists(st.sampled_from(("tasks", "meetings", "reminders")), min_size=1, max_size=3)
STEPS: st.SearchStrategy[Command] = st.one_of(
    st.builds(
        lambda status, seen: ObserveConnection(
            provider="p", account="a", status=status, observed_at=seen
        ),
        st.sampled_from(("connected", "error")),
        MINUTES,
    ),
    st.builds(
        lambda amount, seen: ObserveCredits(
            account="a", amount=str(amount), unit="EUR", observed_at=seen
        ),
        st.integers(0, 2),
        MINUTES,
    ),
    st.builds(
        lambda covers, state, seen: ObserveSource(
            source="s", covers=tuple(covers), state=state, observed_through=seen
        ),
        KINDS,
        st.sampled_from(("whole", "partial", "suspect")),
        MINUTES,
    ),
    st.just(RetireSource(source="s")),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, max_size=20))
def test_state_and_row_agree(walk: list[Any]) -> None:
    """Rows follow states (the driver checks it), and kinds are never lost but by retiring."""
    driver = new_driver()
    covered: set[str] = set()
    for command in walk:
        try:
            driver.do(command, now=NOW)
        except CommandRefused:
            continue
        if isinstance(command, RetireSource):
            covered = set()
        row = driver.row("source/s")
        held = set() if row is None else set(row.covers)
        assert covered <= held
        covered = held
