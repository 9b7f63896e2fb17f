"""The log's functions as SQL, generated from the table definitions.

Nothing here is dynamic at run time: the functions hold one static block a table. A test
compares the functions stored in the database with what this file generates, so a changed table
without a migration fails.

Rows travel as `{"work_task": {"put": [row, …], "drop": [id, …]}, …}`. A row carries, beside its
columns, `source_offset` (the place of the last event that touched it, counted from 1 in this
append) and either `created_offset` or, for a row that existed, `created_position`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workindex.eventlog.schema import APP_ROLE, MAINT_ROLE
from workindex.projections.evidence import TABLES as EVIDENCE_TABLES
from workindex.projections.evidence_functions import (
    EVIDENCE_FUNCTIONS,
    SEARCH_FUNCTION,
    WORDS_FUNCTIONS,
    words_of,
)
from workindex.projections.reading_functions import proof_sql, read_sql
from workindex.projections.table import NEED_COLUMNS, AnyTable

# How far a projection may lag for the next append to fold it forward.
UNAPPLIED_EVENTS_MAX = 100

ENTER = """
-- Sets the tenant for this transaction. Refuses to change it: one transaction, one tenant.
CREATE FUNCTION wi_enter(p_user text) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
    v_tenant text := nullif(current_setting('workindex.user_id', true), '');
BEGIN
    IF p_user IS NULL OR p_user = '' THEN
        RAISE EXCEPTION 'no tenant given' USING ERRCODE = 'WI002';
    END IF;
    IF v_tenant IS NOT NULL AND v_tenant <> p_user THEN
        RAISE EXCEPTION 'this transaction belongs to another tenant' USING ERRCODE = 'WI002';
    END IF;
    PERFORM set_config('workindex.user_id', p_user, true);
END
$body$;
"""

LOCK = """
-- Takes the head of one user's log until commit; NULL where the user has no log yet.
CREATE FUNCTION wi_lock(p_user text) RETURNS bigint LANGUAGE plpgsql AS $body$
DECLARE
    v_head bigint;
BEGIN
    PERFORM wi_enter(p_user);
    SELECT head INTO v_head FROM user_log WHERE user_id = p_user FOR NO KEY UPDATE;
    RETURN v_head;
END
$body$;
"""


def _move(position: str, base: str) -> str:
    """The gap rule: only projections at the base move, and parked members get no rows."""
    return f"""
    WITH moved AS (
        UPDATE projection_progress p
        SET position = {position},
            parked = p_parked || p.parked,
            open_count = p.open_count + CASE
                WHEN (p_parked || p.parked) ? 'work_index' THEN 0 ELSE p_open_delta END
        FROM projection_generation g
        WHERE p.user_id = p_user AND p.projection_set = 'inline' AND p.position = {base}
          AND g.projection_set = 'inline' AND g.generation = p.generation
          AND g.fold_version = p_fold_version AND g.state <> 'retiring'
        RETURNING p.generation, p.parked
    )
    SELECT array_agg(generation),
           array_agg(generation) FILTER (WHERE NOT parked ? 'work_index'),
           array_agg(generation) FILTER (WHERE NOT parked ? 'conversation'),
           array_agg(generation) FILTER (WHERE NOT parked ? 'memory')
        INTO v_moved, v_work_index, v_conversation, v_memory FROM moved;"""


DECLARE_MOVED = """
    v_moved integer[];
    v_work_index integer[];
    v_conversation integer[];
    v_memory integer[];"""

MOVE_APPENDED = _move("v_head", "v_base")
MOVE_PROJECTED = _move("p_position", "p_base")

APPEND = f"""
-- Appends events, moves the projections that stand at the old head, writes their rows.
-- Binds: expected head and epoch (NULL = not compared), the writer's fold version, its command
-- keys, events in order, rows, the change of open_count, and members to park from here on.
-- Locks the user's head until commit. Returns the new head. SQLSTATE WI001 = somebody else
-- appended first, or an append without a read meets a projection that it has to fold forward
-- first; WI004 = the log is erased, 23505 = a key or stream version exists.
CREATE FUNCTION wi_append(
    p_user text, p_expected_head bigint, p_expected_epoch integer, p_fold_version integer,
    p_keys jsonb, p_events jsonb, p_rows jsonb, p_open_delta integer, p_parked jsonb,
    p_recorded_at timestamptz
) RETURNS bigint LANGUAGE plpgsql AS $body$
DECLARE
    v_count integer := jsonb_array_length(p_events);
    v_head bigint;
    v_base bigint;
    v_epoch integer;
    v_erased_at timestamptz;{DECLARE_MOVED}
BEGIN
    PERFORM wi_enter(p_user);
    INSERT INTO user_log AS l (user_id, head, epoch) VALUES (p_user, v_count, 0)
        ON CONFLICT (user_id) DO UPDATE SET head = l.head + excluded.head
        RETURNING l.head, l.epoch, l.erased_at INTO v_head, v_epoch, v_erased_at;
    v_base := v_head - v_count;
    IF v_erased_at IS NOT NULL THEN
        RAISE EXCEPTION 'the log is erased' USING ERRCODE = 'WI004';
    END IF;
    IF v_base <> p_expected_head OR v_epoch <> p_expected_epoch THEN
        RAISE EXCEPTION 'the log moved on' USING ERRCODE = 'WI001';
    END IF;
    INSERT INTO command_key (user_id, source, key, payload_hash, first_position, events_count)
        SELECT p_user, k.source, k.key, k.payload_hash, v_base + k.first_offset, k.events_count
        FROM jsonb_to_recordset(p_keys) AS k(
            source text, key text, payload_hash text, first_offset integer, events_count integer);
    INSERT INTO event (user_id, position, event_id, stream, stream_version, type, schema_version,
                       data, metadata, occurred_at, recorded_at)
        SELECT p_user, v_base + e.ordinality, (e.value ->> 'event_id')::uuid, e.value ->> 'stream',
               (e.value -> 'stream_version')::integer, e.value ->> 'type',
               (e.value -> 'schema_version')::integer, e.value -> 'data', e.value -> 'metadata',
               (e.value ->> 'occurred_at')::timestamptz, p_recorded_at
        FROM jsonb_array_elements(p_events) WITH ORDINALITY AS e;
    IF v_base = 0 THEN
        INSERT INTO projection_progress
            (user_id, projection_set, generation, position, parked, skipped, open_count)
            SELECT p_user, g.projection_set, g.generation, 0, '{{}}', '{{}}', 0
            FROM projection_generation g
            WHERE g.projection_set = 'inline' AND g.fold_version = p_fold_version
              AND g.state <> 'retiring'
            ON CONFLICT (user_id, projection_set, generation) DO NOTHING;
    END IF;
{MOVE_APPENDED}
    IF v_moved IS NULL AND p_expected_head IS NULL AND EXISTS (
        SELECT FROM projection_progress p
        JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
        WHERE p.user_id = p_user AND p.projection_set = 'inline'
          AND p.position >= v_base - {UNAPPLIED_EVENTS_MAX}
          AND g.fold_version = p_fold_version AND g.state <> 'retiring') THEN
        RAISE EXCEPTION 'a projection lags' USING ERRCODE = 'WI001';
    END IF;
    INSERT INTO catchup_due (user_id, projection_set, generation, attempts, next_at)
        SELECT p_user, g.projection_set, g.generation, 0, statement_timestamp()
        FROM projection_generation g
        WHERE g.state <> 'retiring'
          AND NOT (g.projection_set = 'inline' AND g.generation = ANY (coalesce(v_moved, '{{}}')))
        ON CONFLICT (user_id, projection_set, generation) DO NOTHING;
    PERFORM wi_write_rows(
        p_user, v_work_index, v_conversation, v_memory, '{{}}', v_base, p_rows);
    RETURN v_head;
END
$body$;
"""

PROJECT = f"""
-- Moves the projections of one fold version from p_base to p_position with rows that were folded
-- from the events in between (the head must be locked). Returns the generations that moved.
CREATE FUNCTION wi_project(
    p_user text, p_fold_version integer, p_base bigint, p_position bigint, p_rows jsonb,
    p_open_delta integer, p_parked jsonb
) RETURNS integer[] LANGUAGE plpgsql AS $body$
DECLARE{DECLARE_MOVED}
BEGIN
    PERFORM wi_enter(p_user);
{MOVE_PROJECTED}
    PERFORM wi_write_rows(
        p_user, v_work_index, v_conversation, v_memory, '{{}}', p_base, p_rows);
    UPDATE user_log SET epoch = epoch + 1 WHERE user_id = p_user;
    RETURN v_moved;
END
$body$;
"""


def _write_block(table: AnyTable) -> str:
    columns = [column.name for column in table.columns]
    typed = [f"{column.name} {column.sql_type}" for column in table.columns]
    if table.is_open is not None:
        columns += ["open", *NEED_COLUMNS]
        typed += ["open boolean", *(f"{name} timestamptz" for name in NEED_COLUMNS)]
    target = ", ".join([*columns, "created_position", "source_position"])
    source = ", ".join(f"r.{name}" for name in columns)
    if table.searched is not None:
        columns.append("words")
        target = ", ".join([*columns, "created_position", "source_position"])
        source += f", {words_of(f'r.{table.searched}')}"
    updates = ", ".join(
        f"{name} = excluded.{name}"
        for name in [*columns[1:], "created_position", "source_position"]
    )
    positions = "created_offset integer, created_position bigint, source_offset integer"
    dropped = f"SELECT jsonb_array_elements_text(p_rows -> '{table.name}' -> 'drop')"
    block = f"""
    IF p_rows ? '{table.name}' THEN
        INSERT INTO {table.name} (user_id, generation, {target})
            SELECT p_user, g.generation, {source},
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_{table.member}) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> '{table.name}' -> 'put') AS r(
                {", ".join(typed)}, {positions})
            ON CONFLICT (user_id, generation, {table.id_column}) DO UPDATE SET {updates};
        FOR v_id IN {dropped} LOOP
            DELETE FROM {table.name}
                WHERE user_id = p_user AND generation = ANY (p_{table.member})
                  AND {table.id_column} = v_id;
        END LOOP;"""
    if table.due_at is not None:
        block += _due_block(table, dropped)
    return block + "\n    END IF;"


def _due_block(table: AnyTable, dropped: str) -> str:
    rows = f"""jsonb_to_recordset(p_rows -> '{table.name}' -> 'put') AS r(
                {table.id_column} text, wake_at timestamptz)"""
    return f"""
        INSERT INTO work_due (user_id, generation, kind, id, due_at)
            SELECT p_user, g.generation, '{table.kind}', r.{table.id_column}, r.wake_at
            FROM unnest(p_{table.member}) AS g(generation)
            CROSS JOIN {rows}
            WHERE r.wake_at IS NOT NULL
            ON CONFLICT (user_id, generation, kind, id) DO UPDATE SET due_at = excluded.due_at;
        FOR v_id IN
            SELECT r.{table.id_column} FROM {rows} WHERE r.wake_at IS NULL
            UNION ALL {dropped}
        LOOP
            DELETE FROM work_due
                WHERE user_id = p_user AND generation = ANY (p_{table.member})
                  AND kind = '{table.kind}' AND id = v_id;
        END LOOP;"""


def write_rows_sql(tables: Iterable[AnyTable]) -> str:
    """The function that writes projection rows: one static block a table."""
    blocks = "".join(_write_block(table) for table in tables)
    return f"""
-- Writes rows into the given generations of each member; positions are p_base + offset.
CREATE FUNCTION wi_write_rows(
    p_user text, p_work_index integer[], p_conversation integer[], p_memory integer[],
    p_evidence integer[], p_base bigint, p_rows jsonb
) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
    v_id text;
BEGIN
    PERFORM wi_enter(p_user);{blocks}
END
$body$;
"""


FUNCTION_SIGNATURES = (
    "wi_enter(text)",
    "wi_lock(text)",
    "wi_write_rows(text, integer[], integer[], integer[], integer[], bigint, jsonb)",
    "wi_append(text, bigint, integer, integer, jsonb, jsonb, jsonb, integer, jsonb, timestamptz)",
    "wi_project(text, integer, bigint, bigint, jsonb, integer, jsonb)",
    "wi_read(text, integer, jsonb, text[], text[], text, text[])",
    "wi_proof(text, integer, jsonb)",
    "wi_state(text, integer, jsonb)",
    *EVIDENCE_FUNCTIONS,
)


def functions_sql(tables: Sequence[AnyTable]) -> str:
    """Every function of the log, in dependency order, with its grants."""
    parts = [ENTER, LOCK, WORDS_FUNCTIONS, write_rows_sql((*tables, *EVIDENCE_TABLES))]
    parts += [APPEND, PROJECT, read_sql(tables), proof_sql(tables)]
    for signature in FUNCTION_SIGNATURES:
        parts.append(f"REVOKE EXECUTE ON FUNCTION {signature} FROM PUBLIC;")
        parts.append(f"GRANT EXECUTE ON FUNCTION {signature} TO {APP_ROLE}, {MAINT_ROLE};")
    parts.append(SEARCH_FUNCTION)
    return "\n".join(parts) + "\n"
