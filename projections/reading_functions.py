"""The functions that decisions and readers read with, as SQL, generated from the tables.

They are STABLE: all their statements see the one snapshot of the calling statement (PostgreSQL,
"Function Volatility Categories"). Lists of ids are looked up one by one (LATERAL, which OFFSET 0
keeps): joined or compared as a list, they may be planned as a read of everything the user has,
and such a plan is kept from the time when the tables were empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from workindex.projections.bounded_reads import (
    DECLARE_BOUNDS,
    DECLARE_LISTED,
    SET_WINDOW,
    named_rows,
    urgent_block,
)
from workindex.projections.table import AnyTable

# The generation that a reader of one fold version uses: live or kept, at head if there is one,
# the live one first, else the newest.
PICK_PROGRESS = """
    SELECT p.generation, p.position, p.parked, p.skipped, p.open_count
        INTO v_generation, v_position, v_parked, v_skipped, v_open_count
        FROM projection_progress p
        JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
        WHERE p.user_id = p_user AND p.projection_set = 'inline'
          AND g.fold_version = p_fold_version AND g.state IN ('live', 'kept')
        ORDER BY (p.position = v_head) DESC, (g.state = 'live') DESC, p.generation DESC
        LIMIT 1;"""

# The generation whose rows a writer folds onto: also one that is being built, so that the process
# of a new fold version keeps it; one at head if there is one, before others one that holds every
# member.
PICK_FOLDED = """
    SELECT p.generation, p.position, p.parked, p.skipped, g.state IN ('live', 'kept')
        INTO v_generation, v_position, v_parked, v_skipped, v_readable
        FROM projection_progress p
        JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
        WHERE p.user_id = p_user AND p.projection_set = 'inline'
          AND g.fold_version = p_fold_version AND g.state <> 'retiring'
        ORDER BY (p.position = v_head) DESC, (p.parked = '{}') DESC, (p.skipped = '{}') DESC,
                 (g.state IN ('live', 'kept')) DESC, (g.state = 'live') DESC, p.generation DESC
        LIMIT 1;"""

DECLARE_PROGRESS = """
    v_head bigint;
    v_erased_at timestamptz;
    v_generation integer;
    v_position bigint;
    v_parked jsonb;
    v_skipped jsonb;"""


def _read_block(table: AnyTable) -> str:
    return f"""
    IF p_want ? '{table.name}' THEN
        SELECT json_agg(x.found) INTO v_{table.name}
            FROM jsonb_array_elements_text(p_want -> '{table.name}') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM {table.name} t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.{table.id_column} = w.id OFFSET 0) AS x;
    END IF;"""


def _declared(tables: Sequence[AnyTable]) -> str:
    """One variable a table for the rows found in it."""
    return "".join(f"\n    v_{table.name} json;" for table in tables)


def _found(tables: Sequence[AnyTable]) -> str:
    """The rows found by table. json and not jsonb: nothing looks into them on their way out."""
    rows = ",\n            ".join(f"'{table.name}', v_{table.name}" for table in tables)
    return f"json_build_object(\n            {rows})"


def read_sql(tables: Sequence[AnyTable]) -> str:
    """The function that a decision reads with: head, progress, keys, versions, streams, rows."""
    blocks = "".join(map(_read_block, tables))
    return f"""
-- What a decision needs, as of one instant: STABLE, so every statement in it sees the snapshot of
-- the calling one. Binds: the reader's fold version, wanted row ids by table, streams whose
-- versions are wanted, streams to replay, and command keys to look up. NULL for an unknown user.
CREATE FUNCTION wi_read(
    p_user text, p_fold_version integer, p_want jsonb, p_streams text[], p_replay text[],
    p_source text, p_keys text[]
) RETURNS json LANGUAGE plpgsql STABLE AS $body$
DECLARE{DECLARE_PROGRESS}
    v_epoch integer;
    v_readable boolean;
    v_keys json;
    v_versions json;
    v_replay json;{_declared(tables)}
BEGIN
    PERFORM wi_enter(p_user);
    SELECT head, epoch, erased_at INTO v_head, v_epoch, v_erased_at
        FROM user_log WHERE user_id = p_user;
    IF v_head IS NULL THEN
        RETURN NULL;
    END IF;{PICK_FOLDED}
    IF p_keys <> '{{}}' THEN
        SELECT json_object_agg(w.key, x.found) INTO v_keys FROM unnest(p_keys) AS w(key),
            LATERAL (SELECT to_json(k) AS found FROM command_key k
                     WHERE k.user_id = p_user AND k.source = p_source AND k.key = w.key
                     OFFSET 0) AS x;
    END IF;
    IF p_streams <> '{{}}' THEN
        SELECT json_object_agg(s.stream, coalesce((
                SELECT max(e.stream_version) FROM event e
                WHERE e.user_id = p_user AND e.stream = s.stream), 0))
            INTO v_versions FROM unnest(p_streams) AS s(stream);
    END IF;
    IF p_replay <> '{{}}' THEN
        SELECT json_agg(x.found ORDER BY x.position) INTO v_replay
            FROM unnest(p_replay) AS s(stream),
            LATERAL (SELECT to_json(e) AS found, e.position FROM event e
                     WHERE e.user_id = p_user AND e.stream = s.stream OFFSET 0) AS x;
    END IF;{blocks}
    RETURN json_build_object(
        'head', v_head, 'epoch', v_epoch, 'erased', v_erased_at IS NOT NULL,
        'generation', v_generation, 'readable', v_readable, 'position', v_position,
        'parked', v_parked, 'skipped', v_skipped, 'keys', v_keys, 'versions', v_versions,
        'replay', v_replay, 'rows', {_found(tables)});
END
$body$;
"""


def _proof_block(table: AnyTable) -> str:
    rows = f"json_agg(to_json(t) ORDER BY t.{table.id_column})"
    source = f"""
            FROM {table.name} t WHERE t.user_id = p_user AND t.generation = v_generation"""
    if table.need is not None:
        return urgent_block(table, rows, source)
    return f"""
    IF p_want ->> '{table.name}' = 'named' THEN
        {named_rows(table, rows, source)}{_timely_block(table, rows, source)}
    ELSIF p_want ? '{table.name}' THEN
        SELECT {rows} INTO v_{table.name}{source};
    END IF;"""


def _timely_block(table: AnyTable, rows: str, source: str) -> str:
    if table.timely is None:
        return ""
    return f"""
    ELSIF p_want ->> '{table.name}' = 'timely' THEN
        SELECT {rows} INTO v_{table.name}{source}
              AND {table.timely};"""


def proof_sql(tables: Sequence[AnyTable]) -> str:
    """The proof: one snapshot that sees the head, the progress, the counts and the rows."""
    blocks = "".join(_proof_block(table) for table in tables)
    return f"""
-- Everything that a verdict rests on, and the rows it speaks of, as of one instant: STABLE, so
-- every statement in it sees the snapshot of the calling one. It never sets the tenant: called
-- without one it says so and sees nothing. Binds: which rows of each table (all, open, the most
-- urgent, named, timely or listed ones), and under `bounds` how many and which.
CREATE FUNCTION wi_proof(p_user text, p_fold_version integer, p_want jsonb)
RETURNS json LANGUAGE plpgsql STABLE AS $body$
DECLARE{DECLARE_PROGRESS}
    v_open_count bigint;
    v_open_rows bigint := 0;{DECLARE_BOUNDS}{DECLARE_LISTED}{_declared(tables)}
BEGIN
    SELECT head, erased_at INTO v_head, v_erased_at
        FROM user_log WHERE user_id = p_user;{PICK_PROGRESS}{SET_WINDOW}{blocks}
    RETURN json_build_object(
        'tenant', nullif(current_setting('workindex.user_id', true), '') = p_user,
        'replica', pg_is_in_recovery(), 'now', statement_timestamp(),
        'head', v_head, 'erased', v_erased_at IS NOT NULL,
        'generation', v_generation, 'position', v_position, 'parked', v_parked,
        'skipped', v_skipped, 'open_count', v_open_count, 'open_rows', v_open_rows,
        'beyond', v_beyond,
        'rows', {_found(tables)});
END
$body$;

-- The proof of one user from a connection without a tenant.
CREATE FUNCTION wi_state(p_user text, p_fold_version integer, p_want jsonb)
RETURNS json LANGUAGE plpgsql STABLE AS $body$
BEGIN
    PERFORM wi_enter(p_user);
    RETURN wi_proof(p_user, p_fold_version, p_want);
END
$body$;
"""
