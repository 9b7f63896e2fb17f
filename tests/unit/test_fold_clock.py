"""Rows follow from events alone: no fold and no decision looks at a clock of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from driver import Driver
from everything import EVERYTHING, MODELS, SHOWN
from workindex.domain import ALL_CONCEPTS
from workindex.projections import ALL_TABLES

DATES = [datetime(1999, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2041, 7, 1, tzinfo=UTC)]


def whole_log() -> Driver:
    """Every command of every concept, decided and folded at the instants that they name."""
    driver = Driver(ALL_CONCEPTS, ALL_TABLES)
    for step in EVERYTHING:
        given = dict(step.command)
        if SHOWN in given.values():
            given["action_hash"] = driver.row(f"approval/{given['approval_id']}").action_hash
        driver.do(MODELS[given["type"]].model_validate(given), by=step.by, now=step.now)
    return driver


@pytest.fixture(scope="module")
def today() -> dict[str, Any]:
    """The rows as they are made now."""
    return whole_log().rows


@pytest.mark.parametrize("date", DATES, ids=str)
def test_the_date_of_a_replay_changes_nothing(today: dict[str, Any], date: datetime) -> None:
    """Decided and folded in another century, the same commands give the same rows."""
    with time_machine.travel(date, tick=False):
        assert whole_log().rows == today
