"""The rules that every object of our schema keeps, read from the catalog of a database.

Each rule gives one line for each thing that breaks it, none where all is well. `lint` takes a
superuser's connection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import psycopg

Conn = psycopg.Connection[tuple[Any, ...]]
Rule = str | Callable[[Conn], Iterator[str]]

# Small tables without a tenant; on a sharded server they would be copied to every node.
SHARED = ("workindex_revision", "operator_action", "projection_generation")
# The clock's worker asks for what is due of all users; the index is no key. The entries of the
# other begin with a lexeme of the tenant's.
ACROSS_USERS = ("work_due_due_at", "document_words")
# The one function that acts as its owner, and what it is held to while it does.
SEARCH = "search_documents(text,text,jsonb)"
SEARCH_SETTINGS = [
    "search_path=pg_catalog, public, pg_temp",
    "plan_cache_mode=force_generic_plan",
    "enable_seqscan=off",
    "enable_indexscan=off",
]
TENANT = "(user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))"

OURS = "c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')"
TENANT_TABLE = f"{OURS} AND c.relname <> ALL (ARRAY{list(SHARED)!r})"

CHECKS = (
    ("user_log", "CHECK ((head >= 0))"),
    ("event", 'CHECK (("position" > 0))'),
    ("event", "CHECK ((stream_version >= 0))"),
    ("projection_progress", 'CHECK (("position" >= 0))'),
    ("projection_generation", "CHECK ((generation > 0))"),
    (
        "projection_generation",
        "CHECK ((state = ANY (ARRAY['building'::text, 'live'::text, 'kept'::text, "
        "'retiring'::text])))",
    ),
)

COLUMNS = f"""
SELECT c.relname FROM pg_class c
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id' AND a.attnotnull
    AND a.atttypid = 'text'::regtype AND a.attcollation = '"C"'::regcollation
WHERE {TENANT_TABLE} AND a.attname IS NULL"""

NEVER_EMPTY = f"""
SELECT c.relname FROM pg_class c
WHERE {TENANT_TABLE} AND NOT EXISTS (
    SELECT 1 FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.convalidated
      AND pg_get_constraintdef(k.oid) = 'CHECK ((user_id <> ''''::text))')"""

KEYS = f"""
SELECT i.indexrelid::regclass::text FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
WHERE {TENANT_TABLE} AND a.attname IS DISTINCT FROM 'user_id'
  AND (i.indisunique OR i.indexrelid::regclass::text <> ALL (ARRAY{list(ACROSS_USERS)!r}))
UNION ALL
SELECT c.relname || ' has no primary key' FROM pg_class c
WHERE {OURS} AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
UNION ALL
SELECT k.conname::text FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
LEFT JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
LEFT JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
WHERE k.contype = 'f' AND {TENANT_TABLE}
  AND (a.attname IS DISTINCT FROM 'user_id' OR b.attname IS DISTINCT FROM 'user_id')"""

FOREIGN_KEY_ACTIONS = """
SELECT k.conname::text FROM pg_constraint k
WHERE k.contype = 'f' AND (k.confdeltype IN ('n', 'd') OR k.confupdtype IN ('n', 'd'))"""

FORCED = f"""
SELECT c.relname FROM pg_class c
WHERE {TENANT_TABLE} AND NOT (c.relrowsecurity AND c.relforcerowsecurity)"""

POLICIES = f"""
WITH wanted (polname, role, condition) AS (VALUES
    ('tenant', 'workindex_app', $tenant${TENANT}$tenant$),
    ('maintenance', 'workindex_maint', 'true')
), found AS (
    SELECT p.polrelid, p.polname::text, ARRAY(SELECT r::regrole::text FROM unnest(p.polroles) r),
           p.polcmd, p.polpermissive, pg_get_expr(p.polqual, p.polrelid),
           pg_get_expr(p.polwithcheck, p.polrelid)
    FROM pg_policy p
), due AS (
    SELECT c.oid, w.polname, ARRAY[w.role], '*'::"char", true, w.condition, w.condition
    FROM pg_class c, wanted w WHERE {TENANT_TABLE}
    UNION ALL
    SELECT 'document'::regclass, 'search', ARRAY['workindex_search'], 'r', true, 'true', NULL
)
SELECT 'missing or different: ' || d.oid::regclass || ' ' || d.polname
FROM (SELECT * FROM due EXCEPT SELECT * FROM found) d
UNION ALL
SELECT 'too many: ' || f.polrelid::regclass || ' ' || f.polname
FROM (SELECT * FROM found EXCEPT SELECT * FROM due) f"""

OWNERS = f"""
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relowner <> 'workindex_owner'::regrole
UNION ALL
SELECT p.proname FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace
  AND p.proowner::regrole::text <> CASE p.oid::regprocedure::text
      WHEN '{SEARCH}' THEN 'workindex_search' ELSE 'workindex_owner' END
UNION ALL
SELECT t.typname FROM pg_type t
WHERE t.typnamespace = 'public'::regnamespace AND t.typowner <> 'workindex_owner'::regrole
UNION ALL
SELECT n.nspname FROM pg_namespace n
WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('public', 'information_schema')
UNION ALL
SELECT r.rolname || ' owns something' FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid
WHERE d.refclassid = 'pg_authid'::regclass AND d.deptype = 'o'
  AND (r.rolname IN ('workindex_app', 'workindex_maint')
       OR (r.rolname = 'workindex_search' AND NOT (
           d.classid = 'pg_proc'::regclass AND d.objid::regprocedure::text = '{SEARCH}')))"""

ROLES = """
SELECT r.rolname FROM pg_roles r
WHERE r.rolname ~ '^workindex'
  AND (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication
       OR r.rolcanlogin <> (r.rolname IN ('workindex_app', 'workindex_maint'))
       OR EXISTS (SELECT 1 FROM pg_auth_members m WHERE m.member = r.oid
                  AND (r.rolname, m.roleid::regrole::text)
                      <> ('workindex_owner', 'workindex_search')))
UNION ALL
SELECT m.member::regrole || ' is a member of ' || m.roleid::regrole FROM pg_auth_members m
WHERE m.roleid::regrole::text IN ('workindex_app', 'workindex_maint')
   OR (m.roleid::regrole::text = 'workindex_search'
       AND m.member::regrole::text = ANY (ARRAY['workindex_app', 'workindex_maint']))
UNION ALL
SELECT format('schema %s', a.privilege_type) FROM pg_namespace n, aclexplode(n.nspacl) a
WHERE n.nspname = 'public' AND a.grantee = 'workindex_search'::regrole
  AND a.privilege_type <> 'USAGE'"""

EXECUTE = """
SELECT p.proname FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
WHERE p.pronamespace = 'public'::regnamespace
  AND a.grantee NOT IN (p.proowner, 'workindex_app'::regrole, 'workindex_maint'::regrole)
  AND NOT (a.grantee = 'workindex_search'::regrole AND p.proname IN ('wi_words', 'wi_owner'))
UNION ALL
SELECT 'default privileges' WHERE NOT EXISTS (
    SELECT 1 FROM pg_default_acl d
    WHERE d.defaclrole = 'workindex_owner'::regrole AND d.defaclobjtype = 'f'
      AND d.defaclnamespace = 0)
UNION ALL
SELECT 'default privileges of ' || d.defaclrole::regrole
FROM pg_default_acl d, aclexplode(d.defaclacl) a WHERE a.grantee <> d.defaclrole"""

GRANTS = f"""
SELECT format('%s on %s to %s', a.privilege_type, c.relname, a.grantee::regrole)
FROM pg_class c, aclexplode(c.relacl) a
WHERE c.relnamespace = 'public'::regnamespace AND a.grantee <> c.relowner AND (
    (a.grantee NOT IN ('workindex_app'::regrole, 'workindex_maint'::regrole)
     AND (a.grantee, c.relname, a.privilege_type)
         <> ('workindex_search'::regrole, 'document', 'SELECT'))
    OR a.is_grantable
    OR a.privilege_type NOT IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    OR (c.relname IN ('event', 'command_key', 'content', 'operator_action')
        AND a.privilege_type IN ('UPDATE', 'DELETE'))
    OR (c.relname = 'user_log' AND a.privilege_type = 'DELETE')
    OR (c.relname = 'workindex_revision' AND a.privilege_type <> 'SELECT')
    OR (a.grantee = 'workindex_app'::regrole AND (
        (c.relname = 'projection_generation' AND a.privilege_type <> 'SELECT')
        OR (c.relname = 'operator_action' AND a.privilege_type <> 'INSERT'))))
UNION ALL
SELECT format('columns of %s', c.relname) FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid
WHERE {OURS} AND t.attacl IS NOT NULL"""

MACHINERY = f"""
SELECT 'trigger ' || t.tgname FROM pg_trigger t WHERE NOT t.tgisinternal
UNION ALL
SELECT 'event trigger ' || e.evtname FROM pg_event_trigger e
UNION ALL
SELECT 'rule ' || r.rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
WHERE {OURS}
UNION ALL
SELECT 'sequence ' || c.relname FROM pg_class c
WHERE c.relkind = 'S' AND c.relnamespace = 'public'::regnamespace
UNION ALL
SELECT 'default of ' || c.relname || '.' || a.attname
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE {OURS} AND a.attnum > 0 AND (a.atthasdef OR a.attidentity <> '' OR a.attgenerated <> '')
UNION ALL
SELECT 'transaction id in ' || c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE {OURS} AND a.attnum > 0 AND a.atttypid::regtype::text ~ 'xid|snapshot'
UNION ALL
SELECT 'not logged: ' || c.relname FROM pg_class c WHERE {OURS} AND c.relpersistence <> 'p'"""

VIEWS = """
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace
  AND (c.relkind IN ('m', 'f')
       OR (c.relkind = 'v'
           AND NOT coalesce(c.reloptions, '{}') && ARRAY['security_invoker=true',
                                                          'security_invoker=on']))"""

POSITION_INDEXES = f"""
SELECT i.indexrelid::regclass::text FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid
WHERE {OURS} AND pg_get_indexdef(i.indexrelid) ~ '\\msource_position\\M'"""

DEFINER = f"""
SELECT p.proname FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace
  AND (p.prosecdef OR p.proconfig IS NOT NULL OR p.prokind <> 'f')
  AND NOT (p.oid::regprocedure::text = '{SEARCH}' AND p.prosecdef AND p.prokind = 'f'
           AND p.proconfig = ARRAY{SEARCH_SETTINGS!r})
UNION ALL
SELECT p.proname FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'public'::regnamespace AND l.lanname NOT IN ('plpgsql', 'sql')"""


# What a proof or a decision reads is of one instant only in a function that is STABLE.
SNAPSHOTS = """
SELECT p.proname FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.provolatile <> 's'
  AND p.proname IN ('wi_read', 'wi_proof', 'wi_state', 'search_documents')"""


def _checks(conn: Conn) -> Iterator[str]:
    found = conn.execute(
        "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE contype = 'c' AND convalidated"
    ).fetchall()
    yield from (f"{table}: {check}" for table, check in CHECKS if (table, check) not in found)
    live = conn.execute(
        "SELECT 1 FROM pg_index WHERE indrelid = 'projection_generation'::regclass AND indisunique "
        "AND pg_get_expr(indpred, indrelid) = '(state = ''live''::text)'"
    ).fetchone()
    if live is None:
        yield "projection_generation: at most one live generation a set"


FORBIDDEN_WORDS = (
    (r"\bEXECUTE\b", "dynamic SQL"),
    (r"\bLOCK\s+TABLE\b", "LOCK TABLE"),
    (r"\bpg_\w*advisory\w*", "advisory lock"),
    (r"\bNOTIFY\b|\bpg_notify\b", "NOTIFY"),
    (r"\bMERGE\b", "MERGE"),
    (r"\bFOR\s+(UPDATE|SHARE|KEY\s+SHARE)\b", "a stronger or shared row lock"),
    (r"\bVALUES\s*\([^;]*\bSELECT\b", "a subselect inside VALUES"),
    (r"\b(ctid|xmin|xmax)\b|pg_snapshot|txid_", "order by transaction id"),
    (r"\bTRUNCATE\b", "TRUNCATE"),
)
# What the functions may call although it is no pure function of its arguments.
ALLOWED_CALLS = {("wi_enter", "set_config"), ("wi_proof", "pg_is_in_recovery")}
HELD = r"\buser_id = p_user\b|\b(?:SELECT|VALUES \() ?p_user\b"
REFERENCE = r"\b(?:FROM|JOIN|UPDATE|INTO)\s+({tables})\b"


def _bodies(conn: Conn) -> Iterator[str]:
    volatile = {
        row[0]
        for row in conn.execute(
            "SELECT proname::text FROM pg_proc WHERE provolatile = 'v' AND proname !~ '^wi_'"
        )
    }
    tables = "|".join(row[0] for row in conn.execute(
        f"SELECT c.relname FROM pg_class c WHERE {TENANT_TABLE}".encode()
    ))  # fmt: skip
    functions = conn.execute(
        "SELECT proname::text, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
    ).fetchall()
    for name, source in functions:
        body = re.sub(r"--[^\n]*|'[^']*'", "''", source)
        for pattern, what in FORBIDDEN_WORDS:
            if re.search(pattern, body, re.IGNORECASE):
                yield f"{name}: {what}"
        called = {word.lower() for word in re.findall(r"\b(\w+)\s*\(", body)} & volatile
        for word in called:
            if (name, word) not in ALLOWED_CALLS:
                yield f"{name}: calls the volatile {word}"
        for statement in body.split(";"):
            references = re.findall(REFERENCE.format(tables=tables), statement)
            if len(references) > len(re.findall(HELD, statement)):
                yield f"{name}: {' '.join(statement.split())[:80]} is not held to one user"


RULES: Mapping[str, Rule] = {
    "user_id is a C-collated text that is always there": COLUMNS,
    "user_id is never empty": NEVER_EMPTY,
    "user_id leads every key": KEYS,
    "no foreign key sets anything to null": FOREIGN_KEY_ACTIONS,
    "row-level security is forced": FORCED,
    "policies compare with the tenant, or are maintenance": POLICIES,
    "the owner role owns everything, a login nothing": OWNERS,
    "roles can do nothing more than they must": ROLES,
    "functions are executed by our logins only": EXECUTE,
    "grants leave the log append-only": GRANTS,
    "no triggers, rules, sequences or defaults": MACHINERY,
    "views act as who asks": VIEWS,
    "source_position is in no index": POSITION_INDEXES,
    "functions act as who calls": DEFINER,
    "what reads for a proof or a decision reads one snapshot": SNAPSHOTS,
    "checks are in place": _checks,
    "function bodies are static and held to one user": _bodies,
}


def broken(conn: Conn, rule: str) -> list[str]:
    """What breaks one rule."""
    found = RULES[rule]
    if isinstance(found, str):
        return [str(row[0]) for row in conn.execute(found.encode()).fetchall()]
    return list(found(conn))
