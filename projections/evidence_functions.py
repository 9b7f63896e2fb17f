"""Full-text search as SQL: the words that are kept with a document, and the one function that
looks for them.

`@@` is not leakproof, so under row-level security the index of the words would not be used. The
search therefore belongs to a role of its own, which may read documents and nothing else, and is
held to one user by its fixed text, by the tenant's setting, and by a lexeme of user and
generation that stands in every entry of the index.
"""

from __future__ import annotations

from typing import Final

from workindex.eventlog.schema import APP_ROLE, MAINT_ROLE, SEARCH_ROLE

# What lies further back in one document is not searched (segments are much shorter than this).
WORDS_CHARS_MAX: Final = 30_000
# How many documents that match are ranked; more of them match only the commonest words.
RANKED_MAX: Final = 2_000
# How many words of a query may be ids.
TOKENS_MAX: Final = 20
SEARCH_LIMIT_MAX: Final = 1_000

FILTERS: Final = (
    "generation", "limit", "kinds", "sources", "entities", "since", "until", "sensitivity", "now",
)  # fmt: skip

# Chinese and Japanese are written without spaces, Korean with suffixes: pairs of signs stand for
# words there.
_SIGN = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
_OTHER = _SIGN.replace("[", "[^", 1)

WORDS_FUNCTIONS = rf"""
-- The text with spaces between the pairs of signs that are looked up as words. For a document
-- (p_all) also every single sign; for a query those only that stand alone.
CREATE FUNCTION wi_words(p_text text, p_all boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $body$
DECLARE
    v_signs text;
    v_pairs text;
BEGIN
    IF p_text !~ '{_SIGN}' THEN
        RETURN p_text;
    END IF;
    v_signs := regexp_replace(p_text, '{_OTHER}+', ' ', 'g');
    v_pairs := regexp_replace(v_signs, '({_SIGN}{{2}})', '\1 ', 'g') || ' ' || regexp_replace(
        regexp_replace(v_signs, '(^| ){_SIGN}', ' ', 'g'), '({_SIGN}{{2}})', '\1 ', 'g');
    IF p_all THEN
        RETURN regexp_replace(p_text, '({_SIGN})', ' \1 ', 'g') || ' ' || v_pairs;
    END IF;
    RETURN regexp_replace(p_text, '{_SIGN}{{2,}}', ' ', 'g') || ' '
        || regexp_replace(v_pairs, '(^| ){_SIGN}(?= |$)', ' ', 'g');
END
$body$;

-- The lexeme that only documents of this user and generation have.
CREATE FUNCTION wi_owner(p_user text, p_generation integer) RETURNS text
LANGUAGE sql STABLE AS $body$
    SELECT '@' || left(encode(sha256(convert_to(p_generation || '/' || p_user, 'UTF8')), 'hex'), 20)
$body$;
"""


def words_of(column: str, user: str = "p_user") -> str:
    """The expression for what is kept of a text of a user, in generation g.generation."""
    return (
        f"to_tsvector('pg_catalog.english', wi_words(left({column}, {WORDS_CHARS_MAX}), true))"
        f"\n                || array_to_tsvector(ARRAY[wi_owner({user}, g.generation)])"
    )


_COLUMNS = (
    ("id", "text"), ("text", "text"), ("source_kind", "text"), ("source_id", "text"),
    ("segment", "bigint"), ("first_turn", "bigint"), ("last_turn", "bigint"),
    ("thread_id", "text"), ("meeting_id", "text"), ("task_id", "text"), ("subject", "text"),
    ("role", "text"), ("source", "text"), ("sensitivity", "text"),
    ("occurred_at", "timestamptz"), ("expires_at", "timestamptz"), ("source_position", "bigint"),
)  # fmt: skip
_RETURNED = ", ".join(f"{name} {sql_type}" for name, sql_type in _COLUMNS)
_SELECTED = ", ".join(f"d.{name}" for name, _ in _COLUMNS)
# Looked up by one index each, one id after the other, whatever the planner knows of the table.
_LOOKED_UP = "\n            UNION\n            ".join(
    f"""SELECT d.id FROM unnest(v_tokens) AS t(token), LATERAL (
                SELECT d.id, d.generation FROM document d
                WHERE d.user_id = p_user AND d.{name} = t.token OFFSET 0) d
            WHERE d.generation = v_generation"""
    for name in ("source_id", "thread_id", "meeting_id", "task_id")
)
_WANTED = """
              AND (v_kinds IS NULL OR d.source_kind = ANY (v_kinds))
              AND (v_sources IS NULL OR d.source = ANY (v_sources))
              AND (v_sensitivity IS NULL OR d.sensitivity = ANY (v_sensitivity))
              AND (v_since IS NULL OR d.occurred_at >= v_since)
              AND (v_until IS NULL OR d.occurred_at < v_until)
              AND (d.expires_at IS NULL OR d.expires_at > v_now)
              AND (v_entities IS NULL OR 'thread/' || d.thread_id = ANY (v_entities)
                   OR 'meeting/' || d.meeting_id = ANY (v_entities)
                   OR 'task/' || d.task_id = ANY (v_entities)
                   OR 'subject/' || d.subject = ANY (v_entities)
                   OR CASE d.source_kind WHEN 'transcript' THEN 'artifact' ELSE d.source_kind END
                      || '/' || d.source_id = ANY (v_entities))"""

# Where every word is there, their nearness counts, else how many and how often.
_BY_ALL = "ts_rank_cd(d.words, v_words, 1)"
_BY_ANY = "ts_rank(d.words, v_any, 1)"
# Only the index of the words can answer the inner question, and it reads this user's entries only.
_MATCHING = "(SELECT d.* FROM document d WHERE d.words @@ (v_owner && {}) OFFSET 0) d"
_NAMED = """(
                SELECT d.* FROM unnest(v_named) AS n(id), LATERAL (
                    SELECT d.* FROM document d
                    WHERE d.user_id = p_user AND d.generation = v_generation AND d.id = n.id
                    OFFSET 0) d) d"""


def _ranked(rank: str, source: str, condition: str, marks: str, *, first: str = "") -> str:
    """Documents of the source that fit the condition and the filters, the best first."""
    return f"""
        SELECT {_SELECTED}, d.rank, {marks}
        FROM (
            SELECT d.*, {rank} AS rank, d.source_id = ANY (v_tokens) AS is_source
            FROM {source}
            WHERE d.user_id = p_user AND d.generation = v_generation{condition}{_WANTED}
            LIMIT {RANKED_MAX}
        ) d
        ORDER BY {first}d.rank DESC, d.occurred_at DESC, d.id LIMIT v_limit;"""


_OTHERS = " AND d.id <> ALL (v_named)"
SEARCH_SIGNATURE: Final = "search_documents(text, text, jsonb)"
EVIDENCE_FUNCTIONS: Final = ("wi_words(text, boolean)", "wi_owner(text, integer)")

SEARCH_FUNCTION = f"""
-- Documents of one user that hold every word of the query, else, where none does, any of them
-- (is_retry); those whose id, thread, meeting or task the query names come first (is_exact).
-- Binds: user, query, filters: generation (by default the newest that has documents), limit,
-- kinds, sources, entities (as task/T-1), since, until, sensitivity, now. SQLSTATE WI002 = the
-- transaction is not this user's, WI005 = a filter that does not exist.
CREATE FUNCTION search_documents(p_user text, p_query text, p_filters jsonb)
RETURNS TABLE ({_RETURNED}, rank real, is_exact boolean, is_retry boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_indexscan = off AS $body$
#variable_conflict use_column
DECLARE
    v_generation integer := (p_filters ->> 'generation')::integer;
    v_limit integer := least(coalesce((p_filters ->> 'limit')::integer, 20), {SEARCH_LIMIT_MAX});
    v_kinds text[] := CASE WHEN p_filters ? 'kinds'
        THEN ARRAY(SELECT jsonb_array_elements_text(p_filters -> 'kinds')) END;
    v_sources text[] := CASE WHEN p_filters ? 'sources'
        THEN ARRAY(SELECT jsonb_array_elements_text(p_filters -> 'sources')) END;
    v_entities text[] := CASE WHEN p_filters ? 'entities'
        THEN ARRAY(SELECT jsonb_array_elements_text(p_filters -> 'entities')) END;
    v_sensitivity text[] := CASE WHEN p_filters ? 'sensitivity'
        THEN ARRAY(SELECT jsonb_array_elements_text(p_filters -> 'sensitivity')) END;
    v_since timestamptz := (p_filters ->> 'since')::timestamptz;
    v_until timestamptz := (p_filters ->> 'until')::timestamptz;
    v_now timestamptz := coalesce((p_filters ->> 'now')::timestamptz, statement_timestamp());
    v_tokens text[];
    v_named text[];
    v_owner tsquery;
    v_words tsquery;
    v_any tsquery;
BEGIN
    IF p_user IS NULL OR p_user = ''
        OR nullif(current_setting('workindex.user_id', true), '') IS DISTINCT FROM p_user THEN
        RAISE EXCEPTION 'this transaction belongs to another tenant' USING ERRCODE = 'WI002';
    END IF;
    IF EXISTS (SELECT FROM jsonb_object_keys(p_filters) AS k(name)
               WHERE k.name <> ALL (ARRAY{list(FILTERS)!r})) THEN
        RAISE EXCEPTION 'a filter that does not exist' USING ERRCODE = 'WI005';
    END IF;
    IF v_generation IS NULL THEN
        SELECT max(d.generation) INTO v_generation FROM document d WHERE d.user_id = p_user;
    END IF;
    v_owner := ('''' || wi_owner(p_user, v_generation) || '''')::tsquery;
    v_words := plainto_tsquery('pg_catalog.english', wi_words(left(p_query, 2000), false));
    v_tokens := ARRAY(SELECT trim(t.token, '.,;:!?()[]"''') FROM regexp_split_to_table(
        left(p_query, 2000), '\\s+') AS t(token) WHERE t.token <> '' LIMIT {TOKENS_MAX});
    v_named := ARRAY(SELECT n.id FROM (
            {_LOOKED_UP}
        ) n LIMIT {RANKED_MAX});
    v_any := replace(replace(v_words::text, ' & ', ' | '), ' <-> ', ' | ')::tsquery;
    RETURN QUERY{_ranked(_BY_ANY, _NAMED, "", "true, false", first="is_source DESC, ")}
    IF numnode(v_words) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY{_ranked(_BY_ALL, _MATCHING.format("v_words"), _OTHERS, "false, false")}
    IF FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY{_ranked(_BY_ANY, _MATCHING.format("v_any"), _OTHERS, "false, true")}
END
$body$;

REVOKE EXECUTE ON FUNCTION {SEARCH_SIGNATURE} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {SEARCH_SIGNATURE} TO {APP_ROLE}, {MAINT_ROLE};
GRANT EXECUTE ON FUNCTION {", ".join(EVIDENCE_FUNCTIONS)} TO {SEARCH_ROLE};
-- The role may make this one function its own, then nothing any more.
GRANT CREATE ON SCHEMA public TO {SEARCH_ROLE};
ALTER FUNCTION {SEARCH_SIGNATURE} OWNER TO {SEARCH_ROLE};
REVOKE CREATE ON SCHEMA public FROM {SEARCH_ROLE};
"""
