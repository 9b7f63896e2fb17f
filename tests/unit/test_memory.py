"""Claims: one current value a line of supersessions, and nothing that was taken back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from driver import NOW, Driver, at
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import EVERY_ACTOR, ActorKind, Command
from workindex.domain.memory import MEMORY, RecordClaim, SupersedeClaim, WithdrawClaim
from workindex.projections import memory

LIVES = RecordClaim(
    claim_id="C-1",
    subject="Ann",
    attribute="home_city",
    value="Bonn",
    sensitivity="private",
    sources=("M-1",),
)
MOVED = SupersedeClaim(claim_id="C-1", new_claim_id="C-2", value="Bern", sources=("M-9",))


def new_driver(*commands: Command) -> Driver:
    return Driver((MEMORY,), memory.TABLES).given(*commands)


def current(driver: Driver, subject: str = "Ann") -> list[Any]:
    rows = (row for row in driver.rows.values() if row.subject == subject)
    return sorted(row.value for row in rows if row.status == "current")


def test_a_claim_and_its_successor() -> None:
    """The successor keeps subject, attribute and sensitivity, and counts one version on."""
    driver = new_driver(LIVES)
    assert [fact.type for fact in driver.do(MOVED)] == ["claim_superseded", "claim_recorded"]
    assert driver.row("claim/C-2") == memory.ClaimRow(
        claim_id="C-2",
        subject="Ann",
        attribute="home_city",
        value="Bern",
        status="current",
        version=2,
        confidence=None,
        sensitivity="private",
        sources=["M-9"],
        valid_from_at=None,
        expires_at=None,
        supersedes="C-1",
        superseded_by=None,
        reason=None,
        recorded_at=NOW,
        ended_at=None,
    )
    old = driver.row("claim/C-1")
    assert (old.status, old.superseded_by, old.ended_at) == ("superseded", "C-2", NOW)


def test_of_two_corrections_one_wins() -> None:
    """C13: the second supersession of the same base is refused; one value stays current."""
    driver = new_driver(LIVES, MOVED)
    other = SupersedeClaim(claim_id="C-1", new_claim_id="C-3", value="Basel")
    assert driver.refusal(other) == "claim_not_current"
    assert current(driver) == ["Bern"]


def test_other_attributes_live_side_by_side() -> None:
    """G2: only an explicit supersession retires a claim, never a related one."""
    driver = new_driver(
        RecordClaim(subject="Ann", attribute="works_at", value="Acme"),
        RecordClaim(subject="Ann", attribute="manages_account", value="Beta at Acme"),
    )
    assert current(driver) == ["Acme", "Beta at Acme"]


def test_two_periods_are_two_claims() -> None:
    """G3: the same thing said of two periods stays two claims."""
    first = {"valid_from": at("2026-01-01 00:00"), "expires_at": at("2026-03-31 00:00")}
    again = {"valid_from": at("2026-06-01 00:00")}
    what = {"subject": "Ann", "attribute": "assigned_to", "value": "Project X"}
    driver = new_driver(RecordClaim(**what, **first), RecordClaim(**what, **again))
    periods = [(row.valid_from_at, row.expires_at) for row in driver.rows.values()]
    assert periods == [
        (at("2026-01-01 00:00"), at("2026-03-31 00:00")),
        (at("2026-06-01 00:00"), None),
    ]


def test_a_superseded_claim_says_so_in_its_row() -> None:
    """G5: the row itself is not current any more, so no reader has to follow a link."""
    driver = new_driver(LIVES, MOVED)
    assert [row.claim_id for row in driver.rows.values() if row.status == "current"] == ["C-2"]


def test_a_withdrawn_claim_has_no_value() -> None:
    """What was taken back is not shown by any row, and its predecessor does not come back."""
    driver = new_driver(LIVES, MOVED, WithdrawClaim(claim_id="C-2", reason="a joke"))
    row = driver.row("claim/C-2")
    assert (row.status, row.value, row.reason) == ("withdrawn", None, "a joke")
    assert current(driver) == []
    driver.do(WithdrawClaim(claim_id="C-1"))
    assert driver.row("claim/C-1").value is None


def test_an_expired_claim_keeps_its_end_in_the_row() -> None:
    """I7: the reader needs no sweeper: the end is in the row from the start."""
    driver = new_driver(
        RecordClaim(claim_id="C", subject="a", attribute="b", value=1, expires_at=at("10:00"))
    )
    assert driver.row("claim/C").expires_at == at("10:00")


@pytest.mark.parametrize(
    ("before", "command", "code"),
    [
        ((LIVES,), LIVES, "claim_exists"),
        ((), MOVED, "unknown_claim"),
        ((), WithdrawClaim(claim_id="C-1"), "unknown_claim"),
        ((LIVES, WithdrawClaim(claim_id="C-1")), MOVED, "claim_not_current"),
        ((LIVES, WithdrawClaim(claim_id="C-1")), LIVES, "claim_exists"),
        ((LIVES,), SupersedeClaim(claim_id="C-1", new_claim_id="C-1", value=1), "claim_exists"),
        ((LIVES, MOVED), SupersedeClaim(claim_id="C-2", new_claim_id="C-1", value=1),
         "claim_exists"),
    ],
)  # fmt: skip
def test_refusals(before: tuple[Command, ...], command: Command, code: str) -> None:
    """What the state forbids is refused with its own code."""
    assert new_driver(*before).refusal(command) == code


def test_withdrawing_twice_changes_nothing() -> None:
    """A repeated wish decides nothing."""
    driver = new_driver(LIVES, WithdrawClaim(claim_id="C-1"))
    assert driver.do(WithdrawClaim(claim_id="C-1")) == []


def test_a_period_is_not_empty() -> None:
    """A claim that ends before it begins is a mistake."""
    with pytest.raises(ValidationError, match="expires_at must lie after valid_from"):
        RecordClaim(subject="a", attribute="b", value=1, valid_from=NOW, expires_at=NOW)


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan")])
def test_confidence_is_a_share(confidence: float) -> None:
    """From 0 to 1, and a number."""
    with pytest.raises(ValidationError):
        RecordClaim(subject="a", attribute="b", value=1, confidence=confidence)


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
def test_each_actor_times_each_command(kind: ActorKind) -> None:
    """Memory is written by jobs, imports and people alike."""
    for command in (LIVES, MOVED, WithdrawClaim(claim_id="C-1")):
        driver = new_driver(*(() if command is LIVES else (LIVES,)))
        assert driver.do(command, by=kind)


IDS = st.sampled_from(("C-1", "C-2", "C-3", "C-4"))
VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3)
STEPS: st.SearchStrategy[Command] = st.one_of(
    st.builds(
        lambda own, value: RecordClaim(claim_id=own, subject="s", attribute="a", value=value),
        IDS,
        VALUES,
    ),
    st.builds(
        lambda old, new, value: SupersedeClaim(claim_id=old, new_claim_id=new, value=value),
        IDS,
        IDS,
        VALUES,
    ),
    st.builds(lambda own: WithdrawClaim(claim_id=own), IDS),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, max_size=15))
def test_a_line_has_at_most_one_current_claim(walk: list[Any]) -> None:
    """Rows follow states, and whatever happens nobody is superseded by two."""
    driver = new_driver()
    for command in walk:
        try:
            driver.do(command)
        except CommandRefused:
            continue
    bases = [row.supersedes for row in driver.rows.values() if row.supersedes]
    assert len(bases) == len(set(bases))
    assert all(driver.row(f"claim/{base}").status != "current" for base in bases)
