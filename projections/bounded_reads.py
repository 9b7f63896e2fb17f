"""Reading the first rows of thousands, with exact counts of the rest, as SQL of the proof.

A question about one user reads every open row as long as there are at most `limit` of them. Past
that it reads the most urgent ones and counts the others by the columns kept beside each row
(`Need`), which hold up to an instant; the rows for which they do not hold (a request of several
has expired; an older program wrote the row) are `loose` and read whole. Past `limit` unended
tasks, tasks are listed by status and time in the same way.
"""

from __future__ import annotations

from workindex.domain.tasks import ENDED
from workindex.projections.table import EVER, FOREVER, AnyTable

# Of p_want -> 'bounds'; all NULL where a question is not bounded.
DECLARE_BOUNDS = """
    v_bounds jsonb := p_want -> 'bounds';
    v_limit bigint := (v_bounds -> 'limit')::bigint;
    v_now timestamptz := coalesce((v_bounds ->> 'now')::timestamptz, statement_timestamp());
    v_from timestamptz := (v_bounds ->> 'from')::timestamptz;
    v_to timestamptz := (v_bounds ->> 'to')::timestamptz;
    v_id text := v_bounds ->> 'id';
    v_status text := v_bounds ->> 'status';
    v_beyond jsonb := '{}';"""

# Overdue is what is due up to now, whenever the statement runs.
SET_WINDOW = f"""
    IF v_bounds ->> 'is_overdue' = 'true' THEN
        v_from := '{EVER}';
        v_to := v_now + interval '1 microsecond';
    END IF;"""

_STEADY = "t.need_from_at <= v_now AND t.need_steady_until_at > v_now"
_LOOSE = """(t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now))"""
_WITHIN = "(v_from IS NULL OR (t.need_due_at >= v_from AND t.need_due_at < v_to))"
_CHANGES = f"""CASE WHEN t.need_from_at > v_now THEN t.need_from_at
                   WHEN t.need_steady_until_at > v_now AND t.need_steady_until_at < '{FOREVER}'
                   THEN t.need_steady_until_at END"""
_IN_FOUND_TASK = """t.task_id IN (
                    SELECT x.value ->> 'task_id' FROM json_array_elements(v_work_task) AS x)"""


def urgent_block(table: AnyTable, rows: str, source: str) -> str:
    """The open rows of one table, or the most urgent ones of them with counts of all.

    `rows` aggregates rows of `t`, `source` is FROM and WHERE of a user's rows of a generation.
    """
    untold = _untold(table)
    return f"""
    IF p_want ->> '{table.name}' = 'open'
       OR p_want ->> '{table.name}' = 'urgent' AND v_open_count <= v_limit THEN
        -- OFFSET 0: else the order of the ids would have every row read by the key.
        SELECT {rows}, v_open_rows + count(*) INTO v_{table.name}, v_open_rows
            FROM (SELECT t.*{source} AND t.open OFFSET 0) t;
    ELSIF p_want ->> '{table.name}' = 'urgent' AND v_id IS NOT NULL THEN
        SELECT v_open_rows + count(*) INTO v_open_rows{source} AND t.open;
        SELECT {rows} INTO v_{table.name}
            FROM (SELECT t.*{source} AND t.open OFFSET 0) t WHERE {_named(table)};
        v_beyond := v_beyond || '{{"{table.kind}": {{}}}}';
    ELSIF p_want ->> '{table.name}' = 'urgent' THEN
        SELECT v_open_rows + count(*), v_beyond || jsonb_build_object('{table.kind}',
                   jsonb_build_object(
                       'needing', count(*) FILTER (WHERE {_STEADY}{untold}),
                       'within', count(*) FILTER (WHERE {_STEADY} AND {_WITHIN}{untold}),
                       'loose', coalesce(jsonb_agg(t.{table.id_column})
                           FILTER (WHERE {_LOOSE}), '[]'),
                       'changes_at', min({_CHANGES}),
                       'due_at', min(t.need_due_at) FILTER (WHERE t.need_due_at > v_now)))
            INTO v_open_rows, v_beyond{source} AND t.open;
        SELECT {rows} INTO v_{table.name} FROM (
            (SELECT t.*{source} AND t.open AND {_STEADY} AND {_WITHIN}{untold}
             ORDER BY t.need_due_at, t.need_since_at, t.{table.id_column} LIMIT v_limit)
            UNION ALL
            SELECT t.*{source} AND t.open AND {_LOOSE}{_telling(table, source)}) t;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows{source} AND t.open;
        IF p_want ->> '{table.name}' = 'all' THEN
            SELECT {rows} INTO v_{table.name}{source};
        ELSIF p_want ->> '{table.name}' = 'named' THEN
            {named_rows(table, rows, source)}
        END IF;{_listed_block(table, rows, source)}
    END IF;"""


def named_rows(table: AnyTable, rows: str, source: str) -> str:
    """The row of one id, looked up as `wi_read` does: by its key, whatever the planner knows."""
    return f"""SELECT {rows} INTO v_{table.name} FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*{source} AND t.{table.id_column} = w.id OFFSET 0) t;"""


def _untold(table: AnyTable) -> str:
    """Leaves out rows that the item of an open task tells of, where tasks are read as well."""
    if table.told_by is None:
        return ""
    return f"""
                AND NOT (p_want ? 'work_task' AND EXISTS (
                    SELECT FROM work_task o WHERE o.user_id = p_user
                      AND o.generation = v_generation AND o.task_id = t.{table.told_by}
                      AND o.open))"""


def _telling(table: AnyTable, source: str) -> str:
    """Also the rows that the tasks found tell of."""
    if table.told_by is None:
        return ""
    return f"""
            UNION ALL
            SELECT t.*{source} AND t.open AND NOT {_LOOSE} AND p_want ? 'work_task'
                AND {_IN_FOUND_TASK}"""


def _named(table: AnyTable) -> str:
    """The rows by which an item could be of that id."""
    named = f"t.{table.id_column} = v_id"
    if table.kind == "task":
        return f"{named} OR t.requests ? v_id OR t.approvals ? v_id"
    if table.told_by is not None:
        told = f"t.{table.told_by} = v_id OR {_IN_FOUND_TASK}"
        return f"{named} OR (p_want ? 'work_task' AND ({told}))"
    return named


# Which tasks a question lists: those of a status, or unended ones, by when they are due (or,
# unless `times` is due, scheduled).
_ENDED = ", ".join(f"'{status}'" for status in sorted(ENDED))
_POOL = f"""
                AND CASE WHEN v_status IN ({_ENDED}) THEN t.status = v_status
                    ELSE t.status NOT IN ({_ENDED}) END"""
_ASKED = "(v_status IS NULL OR t.status = v_status)"
_TIMELY = """(v_from IS NULL OR (t.due_at >= v_from AND t.due_at < v_to)
                    OR (v_times <> 'due' AND t.scheduled_at >= v_from AND t.scheduled_at < v_to))"""
_NEXT = """least(min(t.due_at) FILTER (WHERE t.due_at > v_now),
                    min(t.scheduled_at) FILTER (WHERE t.scheduled_at > v_now))"""
DECLARE_LISTED = """
    v_times text := v_bounds ->> 'times';
    v_pool jsonb;
    v_count bigint;
    v_next timestamptz;
    v_listed jsonb;"""


def _listed_block(table: AnyTable, rows: str, source: str) -> str:
    if table.kind != "task":
        return ""
    return f"""
        IF p_want ->> 'work_task' = 'listed' THEN
            SELECT jsonb_object_agg(g.status, g.rows), coalesce(sum(g.rows), 0),
                   min(g.next_at) FILTER (WHERE v_status IS NULL OR g.status = v_status),
                   jsonb_object_agg(g.status, g.listed) FILTER (WHERE g.listed > 0)
                INTO v_pool, v_count, v_next, v_listed
                FROM (SELECT t.status, count(*) AS rows, {_NEXT} AS next_at,
                             count(*) FILTER (WHERE {_ASKED} AND {_TIMELY}) AS listed{source}{_POOL}
                      GROUP BY t.status) g;
            IF v_count <= v_limit THEN
                SELECT {rows} INTO v_work_task{source}{_POOL};
            ELSE
                IF v_times = 'next' THEN
                    v_from := coalesce(v_next, 'infinity');
                    v_to := v_from + interval '1 microsecond';
                    SELECT jsonb_object_agg(g.status, g.listed) INTO v_listed
                        FROM (SELECT t.status, count(*) AS listed{source}{_POOL}
                                  AND {_ASKED} AND {_TIMELY}
                              GROUP BY t.status) g;
                END IF;
                v_beyond := v_beyond || jsonb_build_object('task', jsonb_build_object(
                    'groups', coalesce(v_listed, '{{}}'), 'pool', v_pool, 'changes_at', v_next));
                SELECT {rows} INTO v_work_task FROM (
                    SELECT t.*{source}{_POOL} AND {_ASKED} AND {_TIMELY}
                    ORDER BY t.due_at, t.status_since_at, t.task_id LIMIT v_limit) t;
            END IF;
        END IF;"""
