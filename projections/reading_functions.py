"""The functions that decisions and readers read with, as SQL, generated from the tables.

They are STABLE: all their statements see the one snapshot of the calling statement (PostgreSQL,
"Function Volatility Categories").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workindex.projections.table import AnyTable

# The generation that a reader of one fold version uses: live or kept, at head if there is one,
# the live one first, else the newest.
PICK_PROGRESS = """
    SELECT p.generation, p.position, p.parked, p.open_count
        INTO v_generation, v_position, v_parked, v_open_count
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
    SELECT p.generation, p.position, p.parked, g.state IN ('live', 'kept')
        INTO v_generation, v_position, v_parked, v_readable
        FROM projection_progress p
        JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
        WHERE p.user_id = p_user AND p.projection_set = 'inline'
          AND g.fold_version = p_fold_version AND g.state <> 'retiring'
        ORDER BY (p.position = v_head) DESC, (p.parked = '{}') DESC,
                 (g.state IN ('live', 'kept')) DESC, (g.state = 'live') DESC, p.generation DESC
        LIMIT 1;"""

DECLARE_PROGRESS = """
    v_head bigint;
    v_erased_at timestamptz;
    v_generation integer;
    v_position bigint;
    v_parked jsonb;"""


def _read_block(table: AnyTable) -> str:
    return f"""
    IF p_want ? '{table.name}' THEN
        SELECT jsonb_agg(to_jsonb(t)) INTO v_found FROM {table.name} t
            WHERE t.user_id = p_user AND t.generation = v_generation
              AND t.{table.id_column} IN (
                SELECT jsonb_array_elements_text(p_want -> '{table.name}'));
        v_rows := v_rows || jsonb_build_object('{table.name}', v_found);
    END IF;"""


def read_sql(tables: Iterable[AnyTable]) -> str:
    """The function that a decision reads with: head, progress, keys, versions, streams, rows."""
    blocks = "".join(map(_read_block, tables))
    return f"""
-- What a decision needs, as of one instant: STABLE, so every statement in it sees the snapshot of
-- the calling one. Binds: the reader's fold version, wanted row ids by table, streams whose
-- versions are wanted, streams to replay, and command keys to look up. NULL for an unknown user.
CREATE FUNCTION wi_read(
    p_user text, p_fold_version integer, p_want jsonb, p_streams text[], p_replay text[],
    p_source text, p_keys text[]
) RETURNS jsonb LANGUAGE plpgsql STABLE AS $body$
DECLARE{DECLARE_PROGRESS}
    v_found jsonb;
    v_rows jsonb := '{{}}';
    v_epoch integer;
    v_readable boolean;
    v_keys jsonb;
    v_versions jsonb;
    v_replay jsonb;
BEGIN
    PERFORM wi_enter(p_user);
    SELECT head, epoch, erased_at INTO v_head, v_epoch, v_erased_at
        FROM user_log WHERE user_id = p_user;
    IF v_head IS NULL THEN
        RETURN NULL;
    END IF;{PICK_FOLDED}
    IF p_keys <> '{{}}' THEN
        SELECT jsonb_object_agg(k.key, to_jsonb(k)) INTO v_keys FROM command_key k
            WHERE k.user_id = p_user AND k.source = p_source AND k.key = ANY (p_keys);
    END IF;
    IF p_streams <> '{{}}' THEN
        SELECT jsonb_object_agg(s.stream, coalesce((
                SELECT max(e.stream_version) FROM event e
                WHERE e.user_id = p_user AND e.stream = s.stream), 0))
            INTO v_versions FROM unnest(p_streams) AS s(stream);
    END IF;
    IF p_replay <> '{{}}' THEN
        SELECT jsonb_agg(to_jsonb(e) ORDER BY e.position) INTO v_replay FROM event e
            WHERE e.user_id = p_user AND e.stream = ANY (p_replay);
    END IF;{blocks}
    RETURN jsonb_build_object(
        'head', v_head, 'epoch', v_epoch, 'erased', v_erased_at IS NOT NULL,
        'generation', v_generation, 'readable', v_readable, 'position', v_position,
        'parked', v_parked, 'keys', v_keys, 'versions', v_versions, 'replay', v_replay,
        'rows', v_rows);
END
$body$;
"""


def _proof_block(table: AnyTable) -> str:
    rows = f"json_agg(to_json(t) ORDER BY t.{table.id_column})"
    source = f"""
            FROM {table.name} t WHERE t.user_id = p_user AND t.generation = v_generation"""
    if table.is_open is None:
        return f"""
    IF p_want ? '{table.name}' THEN
        SELECT {rows} INTO v_{table.name}{source};
    END IF;"""
    return f"""
    IF p_want ->> '{table.name}' = 'open' THEN
        SELECT {rows}, v_open_rows + count(*) INTO v_{table.name}, v_open_rows{source} AND t.open;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows{source} AND t.open;
        IF p_want ->> '{table.name}' = 'all' THEN
            SELECT {rows} INTO v_{table.name}{source};
        END IF;
    END IF;"""


def proof_sql(tables: Sequence[AnyTable]) -> str:
    """The proof: one snapshot that sees the head, the progress, the counts and the rows.

    It speaks json and not jsonb: nothing looks into the rows on their way, and text is made once.
    """
    blocks = "".join(_proof_block(table) for table in tables)
    declared = "".join(f"\n    v_{table.name} json;" for table in tables)
    found = ",\n            ".join(f"'{table.name}', v_{table.name}" for table in tables)
    return f"""
-- Everything that a verdict rests on, and the rows it speaks of, as of one instant: STABLE, so
-- every statement in it sees the snapshot of the calling one. It never sets the tenant: called
-- without one it says so and sees nothing.
CREATE FUNCTION wi_proof(p_user text, p_fold_version integer, p_want jsonb)
RETURNS json LANGUAGE plpgsql STABLE AS $body$
DECLARE{DECLARE_PROGRESS}
    v_open_count bigint;
    v_open_rows bigint := 0;{declared}
BEGIN
    SELECT head, erased_at INTO v_head, v_erased_at
        FROM user_log WHERE user_id = p_user;{PICK_PROGRESS}{blocks}
    RETURN json_build_object(
        'tenant', nullif(current_setting('workindex.user_id', true), '') = p_user,
        'replica', pg_is_in_recovery(), 'now', statement_timestamp(),
        'head', v_head, 'erased', v_erased_at IS NOT NULL,
        'generation', v_generation, 'position', v_position, 'parked', v_parked,
        'open_count', v_open_count, 'open_rows', v_open_rows,
        'rows', json_build_object(
            {found}));
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
