"""Rows that no projector wrote: whatever stands in them, a reader answers, and never "none"."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import Urls
from driver import NOW
from engine import Engine, do_as_owner, question, task
from everything import fill
from workindex import WorkIndex
from workindex.domain.errors import CorruptLog
from workindex.domain.tasks import CompleteTask
from workindex.eventlog.database import Database
from workindex.projections import ALL_TABLES
from workindex.projections.table import Table

QUESTIONS = (
    "what needs me?", "what are my tasks?", "my approvals", "my reminders", "my meetings",
    "how many credits do I have?", "are my connections ok?", "my routines", "overdue tasks",
)  # fmt: skip
GARBLED = (
    '{"a": {}}',
    '{"a": {"expires_at": "x"}}',
    '{"a": {"expires_at": 5, "kind": "input", "status": "requested"}}',
    '{"a": {"expires_at": "2026-03-02T09:00:00", "kind": "input", "status": "requested"}}',
    '{"a": 5}',
    '{"rrule": "XX"}',
    "[{}]",
    "[5]",
    "{}",
    "[]",
    "5",
)
JSON_TABLES = [
    table
    for table in ALL_TABLES
    if table.member == "work_index" and any(c.sql_type == "jsonb" for c in table.columns)
]


@pytest.mark.parametrize("table", JSON_TABLES, ids=lambda table: table.name)
def test_garbled_json(urls: Urls, database: Database, table: Table[Any]) -> None:
    """Every question has an answer, and the index too; none of them raises."""
    fill(database, "ann")
    ann = WorkIndex(database).user("ann")
    do_as_owner(urls, f"CREATE TABLE saved AS SELECT * FROM {table.name}")
    for column in table.columns:
        for value in GARBLED if column.sql_type == "jsonb" else ():
            do_as_owner(urls, f"UPDATE {table.name} SET {column.name} = %s::jsonb", value)
            for text in QUESTIONS:
                assert ann.ask(text, now=NOW) is not None
            ann.index(now=NOW)
        do_as_owner(urls, f"DELETE FROM {table.name}")
        do_as_owner(urls, f"INSERT INTO {table.name} SELECT * FROM saved")


@pytest.mark.parametrize("value", GARBLED[:4])
@pytest.mark.parametrize("column", ["requests", "approvals"])
@pytest.mark.parametrize("behind", [False, True], ids=["at head", "behind"])
def test_what_a_task_waits_for(
    urls: Urls, database: Database, column: str, value: str, behind: bool
) -> None:
    """A row of which nobody can tell whether it needs the user is a missing row."""
    engine = Engine(database)
    for name in ("T-1", "T-2"):
        engine.record(task(name), now=NOW)
        engine.record(question(name), now=NOW)
    if behind:
        do_as_owner(urls, "UPDATE projection_generation SET fold_version = 99")
        engine.record(task("T-3"), now=NOW)
        do_as_owner(urls, "UPDATE projection_generation SET fold_version = 1")
    do_as_owner(urls, f"UPDATE work_task SET {column} = %s::jsonb WHERE task_id = 'T-1'", value)
    reading = engine.read(now=NOW)
    assert reading.reasons == ("rows_missing",)
    assert "T-1" not in [row.task_id for row in reading.rows["task"]]
    assert (engine.proof(now=NOW).verdict, reading.live) == ("unproven", behind)


@pytest.mark.parametrize("change", ["head = head - 1", "head = 0"])
@pytest.mark.parametrize("blind", [False, True])
def test_head_that_was_set_back(urls: Urls, database: Database, change: str, blind: bool) -> None:
    """Nothing is added to a log whose events stand past its head; the error says where to look."""
    engine = Engine(database)
    engine.record(task("T-1"), now=NOW)
    engine.record(question("T-1"), now=NOW)
    do_as_owner(urls, f"UPDATE user_log SET {change}")
    with pytest.raises(CorruptLog, match=r"has events up to 2, its head says .* verify --user ann"):
        engine.record(task("T-2") if blind else CompleteTask(task_id="T-1"), now=NOW)
    assert do_as_owner(urls, "SELECT count(*) FROM event") == [(2,)]
    assert engine.proof(now=NOW).verdict == "unproven"


def test_head_that_is_gone(urls: Urls, database: Database) -> None:
    """Events without a head are a log that is damaged, not a new one."""
    engine = Engine(database)
    engine.record(task("T-1"), now=NOW)
    do_as_owner(urls, "DELETE FROM user_log")
    with pytest.raises(CorruptLog, match="has events up to 1, its head says 0"):
        engine.record(task("T-2"), now=NOW)
    assert engine.proof(now=NOW).reasons == ("unknown_user",)


@pytest.mark.parametrize("column", ["parked", "skipped"])
@pytest.mark.parametrize("value", ["[]", "5", "null", '"x"'])
def test_marks_are_objects(urls: Urls, database: Database, column: str, value: str) -> None:
    """What is no object is refused by the table, so that no reader meets it."""
    Engine(database).record(task("T-1"), now=NOW)
    with pytest.raises(Exception, match=f"projection_progress_{column}_check"):
        do_as_owner(urls, f"UPDATE projection_progress SET {column} = %s::jsonb", value)


@pytest.mark.parametrize("value", ['{"work_index": 5}', '{"work_index": [7]}', '{"memory": {}}'])
def test_skips_that_say_nothing(urls: Urls, database: Database, value: str) -> None:
    """A mark that nobody can read accepts nothing, and decisions rest on the log."""
    engine = Engine(database)
    engine.record(task("T-1"), now=NOW)
    do_as_owner(urls, "UPDATE projection_progress SET skipped = %s::jsonb", value)
    wants_memory = "memory" in value
    assert engine.proof(now=NOW).reasons == (() if wants_memory else ("skipped",))
    assert engine.read({"claim": "all"}, now=NOW).reasons == ("skipped",)
    engine.record(CompleteTask(task_id="T-1"), now=NOW)
    assert engine.progress()["position"] == 2
