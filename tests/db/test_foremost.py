"""Does the database pick the rows that a reader of all of them would pick?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from conftest import Urls
from driver import NOW
from engine import do_as_owner
from everything import SECRET, fill
from sessions import Backend
from workindex.assembler.tools.asked import ROWS
from workindex.assembler.tools.finding import named_base
from workindex.eventlog.database import Database
from workindex.projections.foremost import Wanted, foremost_of, urgency
from workindex.projections.sets import TABLE_OF_KIND
from workindex.projections.snapshot import snapshot
from workindex.projections.work_index import Reader

SPANS: tuple[Any, ...] = (
    (None, None),
    (NOW, None),
    (None, NOW + timedelta(minutes=20)),
    (NOW + timedelta(minutes=1), NOW + timedelta(days=1)),
)


@pytest.mark.parametrize("kind", ROWS)
def test_the_database_picks_what_a_reader_of_all_rows_picks(database: Database, kind: str) -> None:
    """Of every kind, by range of time, by words and by how many: as urgent ones, and as many."""
    fill(database, "ann")
    table = TABLE_OF_KIND[kind]
    with snapshot(Reader(database), "ann") as read:
        base = named_base(read, kind, "", NOW)
        rows = read.read({kind: "all"}).rows[kind]
        assert rows
        for span in SPANS:
            for parts in ((), (SECRET,), ("never said",)):
                for limit in (1, 2, 50):
                    asked = Wanted(NOW, limit, span, parts)
                    found = read.foremost(base, kind, asked)
                    picked = foremost_of(rows, kind, asked)
                    assert found.total == picked.total, asked
                    keys = [
                        [urgency(table, row, NOW) for row in one.rows] for one in (found, picked)
                    ]
                    assert keys[0] == keys[1], asked


def test_rows_that_lag_are_picked_from_the_log(database: Database, urls: Urls) -> None:
    """The same rows where the projection has to be folded on."""
    fill(database, "ann")
    asked = Wanted(NOW, 3)

    def picked() -> list[Any]:
        with snapshot(Reader(database), "ann") as read:
            base = named_base(read, "task", "", NOW)
            rows = read.foremost(base, "task", asked).rows
        return [base.live, [urgency(TABLE_OF_KIND["task"], row, NOW) for row in rows]]

    is_live, stored = picked()
    assert is_live is False
    do_as_owner(urls, "UPDATE projection_progress SET position = 0 WHERE projection_set = 'inline'")
    for table in TABLE_OF_KIND.values():
        if table.member != "evidence":
            do_as_owner(urls, f"DELETE FROM {table.name}")
    assert picked() == [True, stored]


def test_a_row_that_no_projector_wrote_is_a_row_that_is_missing(
    database: Database, urls: Urls
) -> None:
    """The others are told, and that one is missing is said."""
    fill(database, "ann")
    session = Backend(database).session()
    whole = session.get_context("task", max_tokens=8_000)
    do_as_owner(urls, "UPDATE work_task SET labels = '7' WHERE task_id = 'T-1'")
    found = session.get_context("task", max_tokens=8_000)
    assert len(found.items) == len(whole.items) - 1
    assert whole.degraded == ()
    named = session.get_context("task", ids=["T-1", "T-2"])
    assert [item.source_id for item in named.items] == ["task:T-2"]
    for one in (found, named):
        assert "rows_missing" in str(one.degraded)
