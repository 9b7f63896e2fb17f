"""Every stored field is changed once: verify finds each change, and repair undoes it in the rows.

A column that verify cannot know is named below with the reason; a new column has to be put into
one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg.types.json import Jsonb

from conftest import Cluster, Urls
from driver import actor
from engine import do_as_owner, owner
from everything import fill
from tampering import LOG, PROGRESS, UNKNOWABLE, Change
from workindex.eventlog.database import Database
from workindex.projections.repair import repair
from workindex.projections.sets import ALL_SETS
from workindex.projections.table import Table
from workindex.projections.verify import Difference, Report, Verifier

WHO = actor("operator")
TABLES = [table for one in ALL_SETS for table in one.tables]
SET_OF = {table.name: one for one in ALL_SETS for table in one.tables}


@pytest.fixture(scope="module")
def filled(embedded_cluster: Cluster) -> Iterator[Urls]:
    """Ann has everything in her log and in her rows, documents too."""
    urls = embedded_cluster.clone()
    database = Database(urls.app, maint_url=urls.maint)
    fill(database, "ann")
    do_as_owner(urls, "DELETE FROM catchup_due")
    database.close()
    yield urls
    embedded_cluster.drop(urls)


@pytest.fixture(scope="module")
def whole(filled: Urls) -> Iterator[Database]:
    """Her database, which each test leaves as it was."""
    database = Database(filled.app, maint_url=filled.maint)
    yield database
    database.close()


def verified(database: Database) -> Report:
    return Verifier(database).verify()


def repaired(database: Database) -> Report:
    """What is found after a repair."""
    repair(database, "ann", WHO)
    return verified(database)


def test_it_is_clean(whole: Database) -> None:
    """Before anything is changed there is nothing to find."""
    assert verified(whole).is_clean, verified(whole).to_json()
    assert repaired(whole).is_clean


class Row(NamedTuple):
    """One stored row, and how to find it."""

    table: str
    where: str
    values: dict[str, Any]

    def set(self, urls: Urls, changes: dict[str, Any]) -> None:
        """Change columns behind everybody's back."""
        names = ", ".join(f"{name} = %s" for name in changes)
        do_as_owner(urls, f"UPDATE {self.table} SET {names} WHERE {self.where}", *changes.values())


def a_row(urls: Urls, table: Table[Any]) -> Row:
    """The row of the table in which the fewest columns are empty."""
    with owner(urls) as conn, conn.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        rows = cursor.execute(f"SELECT * FROM {table.name}".encode()).fetchall()
    row = min(rows, key=lambda one: (sum(v is None for v in one.values()), one[table.id_column]))
    return Row(table.name, f"{table.id_column} = '{row[table.id_column]}'", row)


def columns(urls: Urls, table: str) -> dict[str, tuple[str, bool]]:
    """Type and nullability of every column."""
    rows = do_as_owner(
        urls,
        "SELECT attname, format_type(atttypid, NULL), NOT attnotnull FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
        table,
    )
    return {name: (type_, nullable) for name, type_, nullable in rows}


def another(type_: str, value: Any) -> Any:
    """A value of the same shape that is not the value."""
    match type_:
        case "text":
            return f"{value or ''}x"
        case "bigint" | "integer":
            return (value or 0) + 1
        case "boolean":
            return not value
        case "double precision":
            return (value or 0.0) / 2 + 0.25
        case "timestamp with time zone":
            return value.replace(microsecond=value.microsecond ^ 1) if value else "2026-03-02Z"
        case "jsonb":
            return Jsonb(deeper(value))
        case _:
            raise AssertionError(f"no other value of type {type_} is known here")


def deeper(value: Any) -> Any:
    """A JSON value that differs in its innermost first place, or by a new member."""
    match value:
        case dict() if value:
            first = next(iter(value))
            return {**value, first: deeper(value[first])}
        case dict() | None:
            return {"new": {}}
        case list() if value:
            return [deeper(value[0]), *value[1:]]
        case list():
            return [] if value is None else ["new"]
        case bool():
            return not value
        case int() | float():
            return value + 1
        case _:
            return f"{value}x"


MACHINERY = {"user_id", "generation", "words"}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_column_of_a_row(filled: Urls, whole: Database, table: Table[Any]) -> None:
    """Each changed column is named, with user, table, row, both values and the last event."""
    row = a_row(filled, table)
    kinds = columns(filled, table.name)
    changes = {
        name: another(type_, row.values[name])
        for name, (type_, _) in kinds.items()
        if name not in {*MACHINERY, table.id_column}
    }
    found: dict[str, Difference] = {}
    for name, value in changes.items():
        row.set(filled, {name: value})
        told = [one for one in verified(whole).differences if one.table == table.name]
        assert len(told) == 1, (name, told)
        (found[name],) = told
        was = row.values[name]
        row.set(filled, {name: Jsonb(was) if kinds[name][0] == "jsonb" else was})
    id_ = row.values[table.id_column]
    for name, one in found.items():
        assert one[:3] == ("ann", table.name, id_)
        assert one.position == row.values["source_position"]
        assert one.field in (name, "row")  # a value that no such row can have makes it unreadable
        assert one.stored != one.folded
    assert verified(whole).is_clean


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_empty_or_emptied_column(filled: Urls, whole: Database, table: Table[Any]) -> None:
    """What may be null and is not is emptied: all of it is found at once, and repaired."""
    row = a_row(filled, table)
    changes = {
        name: None
        for name, (_, nullable) in columns(filled, table.name).items()
        if nullable and row.values[name] is not None
    }
    if not changes:
        return
    row.set(filled, changes)
    found = {one.field: one.stored for one in verified(whole).differences}
    assert found == changes or set(found) == {"row"}
    assert repaired(whole).is_clean


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_rows_that_went_or_came(filled: Urls, whole: Database, table: Table[Any]) -> None:
    """A deleted row, one of another name, one of a generation that nobody has: each is named."""
    row = a_row(filled, table)
    id_, at = row.values[table.id_column], row.values["source_position"]
    twin = f"SELECT (jsonb_populate_record(t, %s)).* FROM {table.name} t WHERE {row.where}"
    for change in ({"generation": 7}, {table.id_column: "twin"}, {"user_id": "zoe"}):
        do_as_owner(filled, f"INSERT INTO {table.name} {twin}", Jsonb(change))
        (found,) = (one for one in verified(whole).differences if one.table == table.name)
        name = change.get(table.id_column, id_)
        assert found == (change.get("user_id", "ann"), table.name, name, "row", True, False, at)
        repair(whole, str(change.get("user_id", "ann")), WHO)
        assert verified(whole).is_clean
    do_as_owner(filled, f"DELETE FROM {table.name} WHERE {row.where}")
    (found,) = (one for one in verified(whole).differences if one.table == table.name)
    assert found == ("ann", table.name, id_, "row", False, True, at)
    assert repaired(whole).is_clean


def set_word(urls: Urls, value: str, *, in_log: bool) -> None:
    """Put a JSON value into a preference: into its row, and into its event."""
    if in_log:
        do_as_owner(
            urls,
            "UPDATE event SET data = jsonb_set(data, '{preferences,word}', %s::jsonb) "
            "WHERE type = 'preferences_set'",
            value,
        )
    do_as_owner(
        urls,
        "UPDATE work_user SET preferences = jsonb_set(preferences, '{word}', %s::jsonb)",
        value,
    )


@pytest.mark.parametrize(
    ("was", "is_"),
    [
        ("1", "true"),
        ("1", "1.0"),
        ("true", '"true"'),
        ('{"a": null}', "{}"),
        ("[1, 2]", "[2, 1]"),
        ("[[]]", "[{}]"),
        ('"\\u00e9"', '"e\\u0301"'),
        ('{"a": {"b": [1]}}', '{"a": {"b": [1, null]}}'),
    ],
)  # fmt: skip
def test_json_that_looks_alike(filled: Urls, whole: Database, was: str, is_: str) -> None:
    """A value of JSON is compared with its type, its order and what is not in it."""
    set_word(filled, was, in_log=True)
    assert verified(whole).is_clean
    set_word(filled, is_, in_log=False)
    assert [one.field for one in verified(whole).differences] == ["preferences"]
    assert repaired(whole).is_clean


@pytest.mark.parametrize("change", LOG, ids=lambda change: change.statement[:50])
def test_every_field_of_the_log(filled: Urls, whole: Database, change: Change) -> None:
    """The fault names the user and, for an event, its position; a repair does not hide it."""
    table = change.column.partition(".")[0]
    with owner(filled) as conn:
        conn.execute(f"CREATE TEMP TABLE saved AS SELECT * FROM {table}".encode())
        conn.execute(change.statement.encode())
        try:
            faults = verified(whole).log_faults
        finally:
            conn.execute(f"DELETE FROM {table}".encode())
            conn.execute(f"INSERT INTO {table} SELECT * FROM saved".encode())
    told = [fault for fault in faults if change.told in fault["fault"]]
    assert told, faults
    assert {fault["user_id"] for fault in told} <= {"ann", "zoe"}
    if change.position is not None:
        assert told[0]["position"] == change.position
    assert verified(whole).is_clean


def test_what_an_event_says(filled: Urls, whole: Database) -> None:
    """Of a right event with another content the rows know: they differ from what it folds to."""
    for change in ("data = jsonb_set(data, '{title}', '\"other\"')",
                   "occurred_at = occurred_at + interval '1 second'"):  # fmt: skip
        with owner(filled) as conn:
            conn.execute(b"CREATE TEMP TABLE saved AS SELECT * FROM event")
            conn.execute(f"UPDATE event SET {change} WHERE position = 1".encode())
            found = verified(whole)
            conn.execute(b"DELETE FROM event")
            conn.execute(b"INSERT INTO event SELECT * FROM saved")
        assert found.log_faults == []
        assert {(one.table, one.row) for one in found.differences} == {("work_task", "T-1")}


@pytest.mark.parametrize("change", PROGRESS, ids=lambda change: change.statement[:70])
def test_every_field_of_the_progress(filled: Urls, whole: Database, change: Change) -> None:
    """Found where it is, named by table and field, and right again after a repair."""
    do_as_owner(filled, change.statement)
    report = verified(whole)
    assert not report.is_clean
    table = change.column.partition(".")[0]
    fields = {one.field for one in report.differences if one.table == table}
    if change.told == "behind":
        assert [one["user_id"] for one in report.behind] == ["ann"]
    else:
        assert change.told in fields, report.to_json()
    repair(whole, "ann", WHO)
    if "zoe" in change.statement:
        repair(whole, "zoe", WHO)
    assert verified(whole).is_clean, verified(whole).to_json()


@pytest.mark.parametrize("state", ["kept", "building", "retiring"])
def test_no_generation_is_live(filled: Urls, whole: Database, state: str) -> None:
    """A set without a live generation is read by nobody: that is no user's fault."""
    change = "UPDATE projection_generation SET state = %s WHERE projection_set = 'inline'"
    do_as_owner(filled, change, state)
    found = verified(whole).differences
    do_as_owner(filled, change, "live")
    assert found[-1] == ("", "projection_generation", "inline", "live", None, "one generation",
                         None)  # fmt: skip


def test_every_column_is_thought_of(filled: Urls) -> None:
    """Each stored column is changed above, or named with the reason why nobody can know."""
    thought_of = {change.column for change in (*LOG, *PROGRESS)} | set(UNKNOWABLE)
    thought_of |= {"projection_generation.state", "projection_generation.generation"}
    thought_of |= {"projection_generation.projection_set", "content.user_id"}
    thought_of |= {"catchup_due.user_id"}
    rows = do_as_owner(
        filled,
        "SELECT table_name::text, column_name::text FROM information_schema.columns "
        "WHERE table_schema = 'public'",
    )
    names = {table.name for table in TABLES}  # every column of these is changed above
    missing = {
        f"{table}.{column}"
        for table, column in rows
        if table not in names and not {f"{table}.{column}", f"{table}.*"} & thought_of
    }
    assert missing == set()
