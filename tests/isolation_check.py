"""Is one table separated by tenant? The check that the isolation tests and the policy tests share.

It takes a superuser's connection to a database in which ANN and BOB have everything, becomes the
roles in turn inside one transaction, and leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from everything import SECRET
from workindex.eventlog.schema import APP_ROLE, MAINT_ROLE, OWNER_ROLE, TENANT_TABLES
from workindex.projections import ALL_TABLES

Conn = psycopg.Connection[tuple[Any, ...]]

ANN, BOB = "ann", "bob"
TABLES = (*TENANT_TABLES, *(table.name for table in ALL_TABLES), "work_due", "document")


def assert_isolated(conn: Conn, table: str) -> None:
    """BOB sees and touches his rows only, nobody without a tenant any, maintenance all."""
    for tenant in (None, ""):
        with _acting(conn, APP_ROLE, tenant):
            assert _rows_of(conn, table) == {}, f"{table} shows rows without a tenant"
    # On PostgreSQL 15 the owner has what the role of the search has, whom it may become.
    inherits = table == "document" and conn.info.server_version < 160_000
    with _acting(conn, OWNER_ROLE, BOB):
        assert inherits or _rows_of(conn, table) == {}, f"{table} shows rows to its owner"
    with _acting(conn, MAINT_ROLE, None):
        everybody = _rows_of(conn, table)
        assert everybody.keys() >= {ANN, BOB}, f"{table} hides rows from maintenance"
    with _acting(conn, APP_ROLE, BOB):
        seen = _rows_of(conn, table)
        assert seen == {BOB: everybody[BOB]}, f"{table} shows {seen} to {BOB}"
        _assert_writes_are_held(conn, table)


def _assert_writes_are_held(conn: Conn, table: str) -> None:
    """The acting tenant can neither give rows to another one nor change or remove theirs."""
    name = sql.Identifier(table)
    forged = sql.SQL(
        "INSERT INTO {0} SELECT (jsonb_populate_record(t, {1})).* FROM {0} t LIMIT 1"
    ).format(name, sql.Literal(f'{{"user_id": "{ANN}"}}'))
    _assert_refused(conn, table, forged, f"{table} takes a row of {ANN} from {BOB}")
    if _may(conn, table, "UPDATE"):
        given = sql.SQL("UPDATE {} SET user_id = {}").format(name, sql.Literal(ANN))
        _assert_refused(conn, table, given, f"{table} lets {BOB} give a row to {ANN}")
        changed = sql.SQL("UPDATE {} SET user_id = user_id WHERE user_id = {}")
        touched = conn.execute(changed.format(name, sql.Literal(ANN))).rowcount
        assert touched == 0, f"{table} lets {BOB} change rows of {ANN}"
    if _may(conn, table, "DELETE"):
        removed = sql.SQL("DELETE FROM {} WHERE user_id <> {}")
        touched = conn.execute(removed.format(name, sql.Literal(BOB))).rowcount
        assert touched == 0, f"{table} lets {BOB} remove rows of others"


def _assert_refused(conn: Conn, table: str, statement: sql.Composed, complaint: str) -> None:
    try:
        with conn.transaction():
            conn.execute(statement)
    except psycopg.errors.InsufficientPrivilege as refused:
        words = str(refused)
    except psycopg.errors.UniqueViolation as told:
        raise AssertionError(f"{complaint}: it says what {ANN} has ({told})") from told
    else:
        raise AssertionError(complaint)
    assert SECRET not in words, f"{table} refuses with too many words: {words}"


@contextmanager
def _acting(conn: Conn, role: str, tenant: str | None) -> Iterator[None]:
    with conn.transaction(force_rollback=True):
        conn.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(role)))
        if tenant is not None:
            setting = sql.SQL("SET LOCAL workindex.user_id = {}")
            conn.execute(setting.format(sql.Literal(tenant)))
        yield


def _rows_of(conn: Conn, table: str) -> dict[str, int]:
    """How many rows of each user are visible."""
    counted = sql.SQL("SELECT user_id, count(*) FROM {} GROUP BY 1").format(sql.Identifier(table))
    rows: list[Any] = conn.execute(counted).fetchall()
    return dict(rows)


def _may(conn: Conn, table: str, privilege: str) -> bool:
    row = conn.execute("SELECT has_table_privilege(%s, %s)", (table, privilege)).fetchone()
    return row == (True,)
