"""Projection tables as SQL, generated from the table definitions, and a whole fresh database.

Migrations keep frozen copies of what this generates; a test holds that both are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from workindex.eventlog.schema import SEARCH_ROLE, log_sql, protect
from workindex.projections.evidence import DOCUMENT
from workindex.projections.functions import functions_sql
from workindex.projections.table import NEED_COLUMNS, AnyTable

WRITABLE = "SELECT, INSERT, UPDATE, DELETE"
USER_ID = """    user_id text COLLATE "C" NOT NULL CHECK (user_id <> '')"""


def table_sql(table: AnyTable) -> str:
    """CREATE TABLE, indexes, policies and grants of one projection table."""
    lines = [USER_ID, "    generation integer NOT NULL"]
    for column in table.columns:
        collation = ' COLLATE "C"' if column.name == table.id_column else ""
        null = "" if column.nullable else " NOT NULL"
        lines.append(f"    {column.name} {column.sql_type}{collation}{null}")
    if table.is_open is not None:
        lines.append("    open boolean NOT NULL")
    lines.append("    created_position bigint NOT NULL")
    lines.append("    source_position bigint NOT NULL")
    if table.need is not None:
        lines += [f"    {name} timestamptz" for name in NEED_COLUMNS]
    if table.searched is not None:
        lines.append("    words tsvector NOT NULL")
    body = ",\n".join(lines)
    indexes = [
        f"CREATE INDEX {table.name}_{'_'.join(columns)} ON {table.name} "
        f"({', '.join(('user_id', columns[0], 'generation', *columns[1:]))})"
        f"{_where_given(table, columns[0])};"
        for columns in table.indexes
    ]
    if table.is_open is not None:
        indexes.append(
            f"CREATE INDEX {table.name}_open ON {table.name} "
            f"(user_id, generation, need_due_at, need_since_at, {table.id_column})\n"
            "    INCLUDE (need_from_at, need_steady_until_at, need_until_at) WHERE open;"
        )
    if table.searched is not None:
        # Its entries begin with a lexeme of the tenant's (wi_owner), so no other tenant's are read.
        # No list of pending entries: each search would read it whole.
        indexes.append(
            f"CREATE INDEX {table.name}_words ON {table.name} USING gin (words) "
            "WITH (fastupdate = off);"
        )
    # The key comes last, and no other index begins as it does: without statistics many indexes look
    # alike, the planner takes the youngest of them, and a row is to be found by its key.
    return "\n".join(
        [
            f"CREATE TABLE {table.name} (\n{body}\n) WITH (fillfactor = 80);",
            *indexes,
            f"ALTER TABLE {table.name} ADD PRIMARY KEY (user_id, generation, {table.id_column});",
            protect(table.name, (WRITABLE, WRITABLE)),
        ]
    )


def _where_given(table: AnyTable, name: str) -> str:
    """Rows without the column are in no look-up by it; nor may a look-up by key use the index."""
    is_nullable = next(column.nullable for column in table.columns if column.name == name)
    return f" WHERE {name} IS NOT NULL" if is_nullable else ""


DUE_TABLE = f"""
CREATE TABLE work_due (
{USER_ID},
    generation integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, generation, kind, id)
);
CREATE INDEX work_due_due_at ON work_due (due_at, generation);
{protect("work_due", (WRITABLE, WRITABLE))}"""


# What is searched is read by a function that belongs to this role, which has nothing else.
DOCUMENT_SQL = f"""{table_sql(DOCUMENT)}
CREATE POLICY search ON document FOR SELECT TO {SEARCH_ROLE} USING (true);
GRANT SELECT ON document TO {SEARCH_ROLE};
"""


def projections_sql(tables: Sequence[AnyTable]) -> str:
    """Every projection table with its indexes, policies and grants."""
    parts = [*(table_sql(table) for table in tables), DUE_TABLE, DOCUMENT_SQL]
    return "\n".join(parts) + "\n"


def register_sql(fold_version: int = 1, set_name: str = "inline") -> str:
    """The first generation of a set, live from the start."""
    return (
        "INSERT INTO projection_generation (projection_set, generation, fold_version, state)\n"
        f"    VALUES ('{set_name}', 1, {fold_version}, 'live');\n"
    )


def fresh_sql(tables: Sequence[AnyTable], fold_version: int) -> str:
    """A whole fresh database (the roles exist and the owner role is set)."""
    parts = (
        log_sql(),
        projections_sql(tables),
        register_sql(fold_version),
        register_sql(1, "evidence"),
        functions_sql(tables),
    )
    return "".join(parts)
