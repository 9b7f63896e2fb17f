"""What a database holds of our schema, as lines of text that can be compared.

Object ids and names that the server makes up are left out; everything that a reader or a writer
could notice is in.
"""

from __future__ import annotations

from typing import Any

import psycopg

Conn = psycopg.Connection[tuple[Any, ...]]

_TABLES = """
SELECT format('table %s kind %s persistence %s options %s rls %s %s owner %s grants %s',
    c.relname, c.relkind, c.relpersistence, c.reloptions, c.relrowsecurity,
    c.relforcerowsecurity, c.relowner::regrole,
    ARRAY(SELECT a::text FROM unnest(c.relacl) a ORDER BY 1))
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind <> 'i'"""

_COLUMNS = """
SELECT format('column %s.%s #%s %s collation %s not null %s default %s identity %s grants %s',
    c.relname, a.attname, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum),
    format_type(a.atttypid, a.atttypmod), l.collname, a.attnotnull,
    pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attacl)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_collation l ON l.oid = a.attcollation
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')"""

_CONSTRAINTS = """
SELECT format('constraint %s on %s: %s', k.conname, c.relname, pg_get_constraintdef(k.oid))
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
WHERE c.relnamespace = 'public'::regnamespace"""

_INDEXES = """
SELECT format('%s valid %s', pg_get_indexdef(i.indexrelid), i.indisvalid)
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE c.relnamespace = 'public'::regnamespace"""

_POLICIES = """
SELECT format('policy %s on %s for %s permissive %s to %s using %s check %s', p.polname,
    c.relname, p.polcmd, p.polpermissive, ARRAY(SELECT r::regrole FROM unnest(p.polroles) r),
    pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid"""

_FUNCTIONS = """
SELECT format('function %s owner %s grants %s: %s', p.oid::regprocedure, p.proowner::regrole,
    ARRAY(SELECT a::text FROM unnest(p.proacl) a ORDER BY 1), pg_get_functiondef(p.oid))
FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace"""

_DEFAULT_PRIVILEGES = """
SELECT format('default privileges of %s on %s in %s: %s', d.defaclrole::regrole,
    d.defaclobjtype, d.defaclnamespace, d.defaclacl)
FROM pg_default_acl d"""

_OTHERS = """
SELECT format('trigger %s', t.tgname) FROM pg_trigger t WHERE NOT t.tgisinternal
UNION ALL SELECT format('extension %s', e.extname) FROM pg_extension e
UNION ALL SELECT format('schema %s', n.nspname) FROM pg_namespace n WHERE n.nspname !~ '^pg_'
UNION ALL SELECT format('type %s', t.typname) FROM pg_type t
    WHERE t.typnamespace = 'public'::regnamespace AND t.typrelid = 0 AND t.typelem = 0"""


def catalog(conn: Conn, *, without: str = "") -> set[str]:
    """Everything in the database's schema; lines that name the object `without` are left out."""
    queries = (
        _TABLES, _COLUMNS, _CONSTRAINTS, _INDEXES, _POLICIES, _FUNCTIONS, _DEFAULT_PRIVILEGES,
        _OTHERS,
    )  # fmt: skip
    lines = {row[0] for query in queries for row in conn.execute(query.encode()).fetchall()}
    return {line for line in lines if not without or without not in line}


def rows_of(conn: Conn, table: str, user_id: str | None = None) -> list[str]:
    """The table's rows as text in a stable order, of one user or of all."""
    condition = "true" if user_id is None else "t.user_id = %(user)s"
    found = conn.execute(
        f"SELECT t::text FROM {table} t WHERE {condition} ORDER BY 1".encode(), {"user": user_id}
    )
    return [row[0] for row in found.fetchall()]
