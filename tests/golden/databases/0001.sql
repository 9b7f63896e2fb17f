-- A database of the first release (schema 0001), made by that program on PostgreSQL 15 and dumped
-- with `pg_dump --inserts`. Never changed: later programs upgrade it and read it.
--
-- ann, bob  the whole log of tests/everything.py
-- cem       what needs somebody, and what no longer does, each in every shape
-- dee       a fold that failed parked the conversation, the task went on
-- eli       a program of another fold version wrote the last two events
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.wi_append(p_user text, p_expected_head bigint, p_expected_epoch integer, p_fold_version integer, p_keys jsonb, p_events jsonb, p_rows jsonb, p_open_delta integer, p_parked jsonb, p_recorded_at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_count integer := jsonb_array_length(p_events);
    v_head bigint;
    v_base bigint;
    v_epoch integer;
    v_erased_at timestamptz;
    v_moved integer[];
    v_work_index integer[];
    v_conversation integer[];
    v_memory integer[];
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
            (user_id, projection_set, generation, position, parked, open_count)
            SELECT p_user, g.projection_set, g.generation, 0, '{}', 0
            FROM projection_generation g
            WHERE g.projection_set = 'inline' AND g.fold_version = p_fold_version
              AND g.state <> 'retiring'
            ON CONFLICT (user_id, projection_set, generation) DO NOTHING;
    END IF;

    WITH moved AS (
        UPDATE projection_progress p
        SET position = v_head,
            parked = p_parked || p.parked,
            open_count = p.open_count + CASE
                WHEN (p_parked || p.parked) ? 'work_index' THEN 0 ELSE p_open_delta END
        FROM projection_generation g
        WHERE p.user_id = p_user AND p.projection_set = 'inline' AND p.position = v_base
          AND g.projection_set = 'inline' AND g.generation = p.generation
          AND g.fold_version = p_fold_version AND g.state <> 'retiring'
        RETURNING p.generation, p.parked
    )
    SELECT array_agg(generation),
           array_agg(generation) FILTER (WHERE NOT parked ? 'work_index'),
           array_agg(generation) FILTER (WHERE NOT parked ? 'conversation'),
           array_agg(generation) FILTER (WHERE NOT parked ? 'memory')
        INTO v_moved, v_work_index, v_conversation, v_memory FROM moved;
    IF v_moved IS NULL AND p_expected_head IS NULL AND EXISTS (
        SELECT FROM projection_progress p
        JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
        WHERE p.user_id = p_user AND p.projection_set = 'inline'
          AND p.position >= v_base - 100
          AND g.fold_version = p_fold_version AND g.state <> 'retiring') THEN
        RAISE EXCEPTION 'a projection lags' USING ERRCODE = 'WI001';
    END IF;
    INSERT INTO catchup_due (user_id, projection_set, generation, attempts, next_at)
        SELECT p_user, g.projection_set, g.generation, 0, p_recorded_at
        FROM projection_generation g
        WHERE g.state <> 'retiring'
          AND NOT (g.projection_set = 'inline' AND g.generation = ANY (coalesce(v_moved, '{}')))
        ON CONFLICT (user_id, projection_set, generation) DO NOTHING;
    PERFORM wi_write_rows(p_user, v_work_index, v_conversation, v_memory, v_base, p_rows);
    RETURN v_head;
END
$$;
ALTER FUNCTION public.wi_append(p_user text, p_expected_head bigint, p_expected_epoch integer, p_fold_version integer, p_keys jsonb, p_events jsonb, p_rows jsonb, p_open_delta integer, p_parked jsonb, p_recorded_at timestamp with time zone) OWNER TO workindex_owner;
CREATE FUNCTION public.wi_enter(p_user text) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
$$;
ALTER FUNCTION public.wi_enter(p_user text) OWNER TO workindex_owner;
CREATE FUNCTION public.wi_lock(p_user text) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_head bigint;
BEGIN
    PERFORM wi_enter(p_user);
    SELECT head INTO v_head FROM user_log WHERE user_id = p_user FOR NO KEY UPDATE;
    RETURN v_head;
END
$$;
ALTER FUNCTION public.wi_lock(p_user text) OWNER TO workindex_owner;
CREATE FUNCTION public.wi_project(p_user text, p_fold_version integer, p_base bigint, p_position bigint, p_rows jsonb, p_open_delta integer, p_parked jsonb) RETURNS integer[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_moved integer[];
    v_work_index integer[];
    v_conversation integer[];
    v_memory integer[];
BEGIN
    PERFORM wi_enter(p_user);

    WITH moved AS (
        UPDATE projection_progress p
        SET position = p_position,
            parked = p_parked || p.parked,
            open_count = p.open_count + CASE
                WHEN (p_parked || p.parked) ? 'work_index' THEN 0 ELSE p_open_delta END
        FROM projection_generation g
        WHERE p.user_id = p_user AND p.projection_set = 'inline' AND p.position = p_base
          AND g.projection_set = 'inline' AND g.generation = p.generation
          AND g.fold_version = p_fold_version AND g.state <> 'retiring'
        RETURNING p.generation, p.parked
    )
    SELECT array_agg(generation),
           array_agg(generation) FILTER (WHERE NOT parked ? 'work_index'),
           array_agg(generation) FILTER (WHERE NOT parked ? 'conversation'),
           array_agg(generation) FILTER (WHERE NOT parked ? 'memory')
        INTO v_moved, v_work_index, v_conversation, v_memory FROM moved;
    PERFORM wi_write_rows(p_user, v_work_index, v_conversation, v_memory, p_base, p_rows);
    UPDATE user_log SET epoch = epoch + 1 WHERE user_id = p_user;
    RETURN v_moved;
END
$$;
ALTER FUNCTION public.wi_project(p_user text, p_fold_version integer, p_base bigint, p_position bigint, p_rows jsonb, p_open_delta integer, p_parked jsonb) OWNER TO workindex_owner;
CREATE FUNCTION public.wi_proof(p_user text, p_fold_version integer, p_want jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    v_head bigint;
    v_erased_at timestamptz;
    v_generation integer;
    v_position bigint;
    v_parked jsonb;
    v_open_count bigint;
    v_open_rows bigint := 0;
    v_work_task json;
    v_work_meeting json;
    v_work_commitment json;
    v_work_approval json;
    v_work_denial json;
    v_work_routine json;
    v_work_trigger json;
    v_work_proposal json;
    v_work_notification json;
    v_work_reminder json;
    v_work_connection json;
    v_work_credits json;
    v_work_source json;
    v_work_user json;
    v_thread json;
    v_message json;
    v_checkpoint json;
    v_summary json;
    v_claim json;
    v_artifact json;
BEGIN
    SELECT head, erased_at INTO v_head, v_erased_at
        FROM user_log WHERE user_id = p_user;
    SELECT p.generation, p.position, p.parked, p.open_count
        INTO v_generation, v_position, v_parked, v_open_count
        FROM projection_progress p
        JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
        WHERE p.user_id = p_user AND p.projection_set = 'inline'
          AND g.fold_version = p_fold_version AND g.state IN ('live', 'kept')
        ORDER BY (p.position = v_head) DESC, (g.state = 'live') DESC, p.generation DESC
        LIMIT 1;
    IF p_want ->> 'work_task' = 'open' THEN
        SELECT json_agg(to_json(t) ORDER BY t.task_id), v_open_rows + count(*) INTO v_work_task, v_open_rows
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        IF p_want ->> 'work_task' = 'all' THEN
            SELECT json_agg(to_json(t) ORDER BY t.task_id) INTO v_work_task
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation;
        END IF;
    END IF;
    IF p_want ? 'work_meeting' THEN
        SELECT json_agg(to_json(t) ORDER BY t.meeting_id) INTO v_work_meeting
            FROM work_meeting t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'work_commitment' THEN
        SELECT json_agg(to_json(t) ORDER BY t.commitment_id) INTO v_work_commitment
            FROM work_commitment t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_approval' = 'open' THEN
        SELECT json_agg(to_json(t) ORDER BY t.approval_id), v_open_rows + count(*) INTO v_work_approval, v_open_rows
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        IF p_want ->> 'work_approval' = 'all' THEN
            SELECT json_agg(to_json(t) ORDER BY t.approval_id) INTO v_work_approval
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation;
        END IF;
    END IF;
    IF p_want ? 'work_denial' THEN
        SELECT json_agg(to_json(t) ORDER BY t.denial_id) INTO v_work_denial
            FROM work_denial t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'work_routine' THEN
        SELECT json_agg(to_json(t) ORDER BY t.routine_id) INTO v_work_routine
            FROM work_routine t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'work_trigger' THEN
        SELECT json_agg(to_json(t) ORDER BY t.trigger_id) INTO v_work_trigger
            FROM work_trigger t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_proposal' = 'open' THEN
        SELECT json_agg(to_json(t) ORDER BY t.proposal_id), v_open_rows + count(*) INTO v_work_proposal, v_open_rows
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        IF p_want ->> 'work_proposal' = 'all' THEN
            SELECT json_agg(to_json(t) ORDER BY t.proposal_id) INTO v_work_proposal
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation;
        END IF;
    END IF;
    IF p_want ? 'work_notification' THEN
        SELECT json_agg(to_json(t) ORDER BY t.notification_id) INTO v_work_notification
            FROM work_notification t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_reminder' = 'open' THEN
        SELECT json_agg(to_json(t) ORDER BY t.reminder_id), v_open_rows + count(*) INTO v_work_reminder, v_open_rows
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        IF p_want ->> 'work_reminder' = 'all' THEN
            SELECT json_agg(to_json(t) ORDER BY t.reminder_id) INTO v_work_reminder
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation;
        END IF;
    END IF;
    IF p_want ? 'work_connection' THEN
        SELECT json_agg(to_json(t) ORDER BY t.connection_id) INTO v_work_connection
            FROM work_connection t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'work_credits' THEN
        SELECT json_agg(to_json(t) ORDER BY t.account) INTO v_work_credits
            FROM work_credits t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'work_source' THEN
        SELECT json_agg(to_json(t) ORDER BY t.source) INTO v_work_source
            FROM work_source t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'work_user' THEN
        SELECT json_agg(to_json(t) ORDER BY t.user_key) INTO v_work_user
            FROM work_user t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'thread' THEN
        SELECT json_agg(to_json(t) ORDER BY t.thread_id) INTO v_thread
            FROM thread t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'message' THEN
        SELECT json_agg(to_json(t) ORDER BY t.message_id) INTO v_message
            FROM message t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'checkpoint' THEN
        SELECT json_agg(to_json(t) ORDER BY t.checkpoint_id) INTO v_checkpoint
            FROM checkpoint t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'summary' THEN
        SELECT json_agg(to_json(t) ORDER BY t.summary_id) INTO v_summary
            FROM summary t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'claim' THEN
        SELECT json_agg(to_json(t) ORDER BY t.claim_id) INTO v_claim
            FROM claim t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ? 'artifact' THEN
        SELECT json_agg(to_json(t) ORDER BY t.artifact_id) INTO v_artifact
            FROM artifact t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    RETURN json_build_object(
        'tenant', nullif(current_setting('workindex.user_id', true), '') = p_user,
        'replica', pg_is_in_recovery(), 'now', statement_timestamp(),
        'head', v_head, 'erased', v_erased_at IS NOT NULL,
        'generation', v_generation, 'position', v_position, 'parked', v_parked,
        'open_count', v_open_count, 'open_rows', v_open_rows,
        'rows', json_build_object(
            'work_task', v_work_task,
            'work_meeting', v_work_meeting,
            'work_commitment', v_work_commitment,
            'work_approval', v_work_approval,
            'work_denial', v_work_denial,
            'work_routine', v_work_routine,
            'work_trigger', v_work_trigger,
            'work_proposal', v_work_proposal,
            'work_notification', v_work_notification,
            'work_reminder', v_work_reminder,
            'work_connection', v_work_connection,
            'work_credits', v_work_credits,
            'work_source', v_work_source,
            'work_user', v_work_user,
            'thread', v_thread,
            'message', v_message,
            'checkpoint', v_checkpoint,
            'summary', v_summary,
            'claim', v_claim,
            'artifact', v_artifact));
END
$$;
ALTER FUNCTION public.wi_proof(p_user text, p_fold_version integer, p_want jsonb) OWNER TO workindex_owner;
CREATE FUNCTION public.wi_read(p_user text, p_fold_version integer, p_want jsonb, p_streams text[], p_replay text[], p_source text, p_keys text[]) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    v_head bigint;
    v_erased_at timestamptz;
    v_generation integer;
    v_position bigint;
    v_parked jsonb;
    v_epoch integer;
    v_readable boolean;
    v_keys json;
    v_versions json;
    v_replay json;
    v_work_task json;
    v_work_meeting json;
    v_work_commitment json;
    v_work_approval json;
    v_work_denial json;
    v_work_routine json;
    v_work_trigger json;
    v_work_proposal json;
    v_work_notification json;
    v_work_reminder json;
    v_work_connection json;
    v_work_credits json;
    v_work_source json;
    v_work_user json;
    v_thread json;
    v_message json;
    v_checkpoint json;
    v_summary json;
    v_claim json;
    v_artifact json;
BEGIN
    PERFORM wi_enter(p_user);
    SELECT head, epoch, erased_at INTO v_head, v_epoch, v_erased_at
        FROM user_log WHERE user_id = p_user;
    IF v_head IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT p.generation, p.position, p.parked, g.state IN ('live', 'kept')
        INTO v_generation, v_position, v_parked, v_readable
        FROM projection_progress p
        JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
        WHERE p.user_id = p_user AND p.projection_set = 'inline'
          AND g.fold_version = p_fold_version AND g.state <> 'retiring'
        ORDER BY (p.position = v_head) DESC, (p.parked = '{}') DESC,
                 (g.state IN ('live', 'kept')) DESC, (g.state = 'live') DESC, p.generation DESC
        LIMIT 1;
    IF p_keys <> '{}' THEN
        SELECT json_object_agg(w.key, x.found) INTO v_keys FROM unnest(p_keys) AS w(key),
            LATERAL (SELECT to_json(k) AS found FROM command_key k
                     WHERE k.user_id = p_user AND k.source = p_source AND k.key = w.key
                     OFFSET 0) AS x;
    END IF;
    IF p_streams <> '{}' THEN
        SELECT json_object_agg(s.stream, coalesce((
                SELECT max(e.stream_version) FROM event e
                WHERE e.user_id = p_user AND e.stream = s.stream), 0))
            INTO v_versions FROM unnest(p_streams) AS s(stream);
    END IF;
    IF p_replay <> '{}' THEN
        SELECT json_agg(x.found ORDER BY x.position) INTO v_replay
            FROM unnest(p_replay) AS s(stream),
            LATERAL (SELECT to_json(e) AS found, e.position FROM event e
                     WHERE e.user_id = p_user AND e.stream = s.stream OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_task' THEN
        SELECT json_agg(x.found) INTO v_work_task
            FROM jsonb_array_elements_text(p_want -> 'work_task') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_task t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.task_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_meeting' THEN
        SELECT json_agg(x.found) INTO v_work_meeting
            FROM jsonb_array_elements_text(p_want -> 'work_meeting') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_meeting t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.meeting_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_commitment' THEN
        SELECT json_agg(x.found) INTO v_work_commitment
            FROM jsonb_array_elements_text(p_want -> 'work_commitment') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_commitment t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.commitment_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_approval' THEN
        SELECT json_agg(x.found) INTO v_work_approval
            FROM jsonb_array_elements_text(p_want -> 'work_approval') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_approval t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.approval_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_denial' THEN
        SELECT json_agg(x.found) INTO v_work_denial
            FROM jsonb_array_elements_text(p_want -> 'work_denial') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_denial t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.denial_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_routine' THEN
        SELECT json_agg(x.found) INTO v_work_routine
            FROM jsonb_array_elements_text(p_want -> 'work_routine') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_routine t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.routine_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_trigger' THEN
        SELECT json_agg(x.found) INTO v_work_trigger
            FROM jsonb_array_elements_text(p_want -> 'work_trigger') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_trigger t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.trigger_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_proposal' THEN
        SELECT json_agg(x.found) INTO v_work_proposal
            FROM jsonb_array_elements_text(p_want -> 'work_proposal') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_proposal t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.proposal_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_notification' THEN
        SELECT json_agg(x.found) INTO v_work_notification
            FROM jsonb_array_elements_text(p_want -> 'work_notification') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_notification t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.notification_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_reminder' THEN
        SELECT json_agg(x.found) INTO v_work_reminder
            FROM jsonb_array_elements_text(p_want -> 'work_reminder') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_reminder t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.reminder_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_connection' THEN
        SELECT json_agg(x.found) INTO v_work_connection
            FROM jsonb_array_elements_text(p_want -> 'work_connection') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_connection t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.connection_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_credits' THEN
        SELECT json_agg(x.found) INTO v_work_credits
            FROM jsonb_array_elements_text(p_want -> 'work_credits') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_credits t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.account = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_source' THEN
        SELECT json_agg(x.found) INTO v_work_source
            FROM jsonb_array_elements_text(p_want -> 'work_source') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_source t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.source = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'work_user' THEN
        SELECT json_agg(x.found) INTO v_work_user
            FROM jsonb_array_elements_text(p_want -> 'work_user') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM work_user t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.user_key = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'thread' THEN
        SELECT json_agg(x.found) INTO v_thread
            FROM jsonb_array_elements_text(p_want -> 'thread') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM thread t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.thread_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'message' THEN
        SELECT json_agg(x.found) INTO v_message
            FROM jsonb_array_elements_text(p_want -> 'message') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM message t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.message_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'checkpoint' THEN
        SELECT json_agg(x.found) INTO v_checkpoint
            FROM jsonb_array_elements_text(p_want -> 'checkpoint') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM checkpoint t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.checkpoint_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'summary' THEN
        SELECT json_agg(x.found) INTO v_summary
            FROM jsonb_array_elements_text(p_want -> 'summary') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM summary t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.summary_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'claim' THEN
        SELECT json_agg(x.found) INTO v_claim
            FROM jsonb_array_elements_text(p_want -> 'claim') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM claim t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.claim_id = w.id OFFSET 0) AS x;
    END IF;
    IF p_want ? 'artifact' THEN
        SELECT json_agg(x.found) INTO v_artifact
            FROM jsonb_array_elements_text(p_want -> 'artifact') AS w(id),
            LATERAL (SELECT to_json(t) AS found FROM artifact t
                     WHERE t.user_id = p_user AND t.generation = v_generation
                       AND t.artifact_id = w.id OFFSET 0) AS x;
    END IF;
    RETURN json_build_object(
        'head', v_head, 'epoch', v_epoch, 'erased', v_erased_at IS NOT NULL,
        'generation', v_generation, 'readable', v_readable, 'position', v_position,
        'parked', v_parked, 'keys', v_keys, 'versions', v_versions, 'replay', v_replay,
        'rows', json_build_object(
            'work_task', v_work_task,
            'work_meeting', v_work_meeting,
            'work_commitment', v_work_commitment,
            'work_approval', v_work_approval,
            'work_denial', v_work_denial,
            'work_routine', v_work_routine,
            'work_trigger', v_work_trigger,
            'work_proposal', v_work_proposal,
            'work_notification', v_work_notification,
            'work_reminder', v_work_reminder,
            'work_connection', v_work_connection,
            'work_credits', v_work_credits,
            'work_source', v_work_source,
            'work_user', v_work_user,
            'thread', v_thread,
            'message', v_message,
            'checkpoint', v_checkpoint,
            'summary', v_summary,
            'claim', v_claim,
            'artifact', v_artifact));
END
$$;
ALTER FUNCTION public.wi_read(p_user text, p_fold_version integer, p_want jsonb, p_streams text[], p_replay text[], p_source text, p_keys text[]) OWNER TO workindex_owner;
CREATE FUNCTION public.wi_state(p_user text, p_fold_version integer, p_want jsonb) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    PERFORM wi_enter(p_user);
    RETURN wi_proof(p_user, p_fold_version, p_want);
END
$$;
ALTER FUNCTION public.wi_state(p_user text, p_fold_version integer, p_want jsonb) OWNER TO workindex_owner;
CREATE FUNCTION public.wi_write_rows(p_user text, p_work_index integer[], p_conversation integer[], p_memory integer[], p_base bigint, p_rows jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_id text;
BEGIN
    PERFORM wi_enter(p_user);
    IF p_rows ? 'work_task' THEN
        INSERT INTO work_task (user_id, generation, task_id, title, description, status, status_since_at, status_unblocked, family, revision, priority, labels, assignee, parent_id, source, due_at, scheduled_at, phase, plan, decisions, fields, outputs, requests, approvals, blocked_by, blocked_reason, blocked_outside, blocks, attempts, outcome, created_at, started_at, ended_at, updated_at, open, created_position, source_position)
            SELECT p_user, g.generation, r.task_id, r.title, r.description, r.status, r.status_since_at, r.status_unblocked, r.family, r.revision, r.priority, r.labels, r.assignee, r.parent_id, r.source, r.due_at, r.scheduled_at, r.phase, r.plan, r.decisions, r.fields, r.outputs, r.requests, r.approvals, r.blocked_by, r.blocked_reason, r.blocked_outside, r.blocks, r.attempts, r.outcome, r.created_at, r.started_at, r.ended_at, r.updated_at, r.open,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_task' -> 'put') AS r(
                task_id text, title text, description text, status text, status_since_at timestamptz, status_unblocked text, family text, revision bigint, priority bigint, labels jsonb, assignee text, parent_id text, source text, due_at timestamptz, scheduled_at timestamptz, phase text, plan jsonb, decisions jsonb, fields jsonb, outputs jsonb, requests jsonb, approvals jsonb, blocked_by jsonb, blocked_reason text, blocked_outside boolean, blocks jsonb, attempts jsonb, outcome text, created_at timestamptz, started_at timestamptz, ended_at timestamptz, updated_at timestamptz, open boolean, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, task_id) DO UPDATE SET title = excluded.title, description = excluded.description, status = excluded.status, status_since_at = excluded.status_since_at, status_unblocked = excluded.status_unblocked, family = excluded.family, revision = excluded.revision, priority = excluded.priority, labels = excluded.labels, assignee = excluded.assignee, parent_id = excluded.parent_id, source = excluded.source, due_at = excluded.due_at, scheduled_at = excluded.scheduled_at, phase = excluded.phase, plan = excluded.plan, decisions = excluded.decisions, fields = excluded.fields, outputs = excluded.outputs, requests = excluded.requests, approvals = excluded.approvals, blocked_by = excluded.blocked_by, blocked_reason = excluded.blocked_reason, blocked_outside = excluded.blocked_outside, blocks = excluded.blocks, attempts = excluded.attempts, outcome = excluded.outcome, created_at = excluded.created_at, started_at = excluded.started_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at, open = excluded.open, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_task' -> 'drop') LOOP
            DELETE FROM work_task
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND task_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_meeting' THEN
        INSERT INTO work_meeting (user_id, generation, meeting_id, title, status, start_at, end_at, time_zone, location, participants, agenda, notes, transcripts, recurrence, source, reason, revision, started_at, ended_at, updated_at, created_position, source_position)
            SELECT p_user, g.generation, r.meeting_id, r.title, r.status, r.start_at, r.end_at, r.time_zone, r.location, r.participants, r.agenda, r.notes, r.transcripts, r.recurrence, r.source, r.reason, r.revision, r.started_at, r.ended_at, r.updated_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_meeting' -> 'put') AS r(
                meeting_id text, title text, status text, start_at timestamptz, end_at timestamptz, time_zone text, location text, participants jsonb, agenda text, notes text, transcripts jsonb, recurrence jsonb, source text, reason text, revision bigint, started_at timestamptz, ended_at timestamptz, updated_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, meeting_id) DO UPDATE SET title = excluded.title, status = excluded.status, start_at = excluded.start_at, end_at = excluded.end_at, time_zone = excluded.time_zone, location = excluded.location, participants = excluded.participants, agenda = excluded.agenda, notes = excluded.notes, transcripts = excluded.transcripts, recurrence = excluded.recurrence, source = excluded.source, reason = excluded.reason, revision = excluded.revision, started_at = excluded.started_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_meeting' -> 'drop') LOOP
            DELETE FROM work_meeting
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND meeting_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_commitment' THEN
        INSERT INTO work_commitment (user_id, generation, commitment_id, meeting_id, text, owner, status, due_at, task_id, made_at, settled_at, created_position, source_position)
            SELECT p_user, g.generation, r.commitment_id, r.meeting_id, r.text, r.owner, r.status, r.due_at, r.task_id, r.made_at, r.settled_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_commitment' -> 'put') AS r(
                commitment_id text, meeting_id text, text text, owner text, status text, due_at timestamptz, task_id text, made_at timestamptz, settled_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, commitment_id) DO UPDATE SET meeting_id = excluded.meeting_id, text = excluded.text, owner = excluded.owner, status = excluded.status, due_at = excluded.due_at, task_id = excluded.task_id, made_at = excluded.made_at, settled_at = excluded.settled_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_commitment' -> 'drop') LOOP
            DELETE FROM work_commitment
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND commitment_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_approval' THEN
        INSERT INTO work_approval (user_id, generation, approval_id, title, status, status_since_at, task_id, tool, tool_schema_sha256, arguments, target, account, requester, action, action_hash, same_action, preconditions, policy, requested_at, expires_at, granted_by, granted_at, redeem_by, execution_id, idempotency_key, started_at, deadline_at, result, reason_code, reason, ended_at, open, created_position, source_position)
            SELECT p_user, g.generation, r.approval_id, r.title, r.status, r.status_since_at, r.task_id, r.tool, r.tool_schema_sha256, r.arguments, r.target, r.account, r.requester, r.action, r.action_hash, r.same_action, r.preconditions, r.policy, r.requested_at, r.expires_at, r.granted_by, r.granted_at, r.redeem_by, r.execution_id, r.idempotency_key, r.started_at, r.deadline_at, r.result, r.reason_code, r.reason, r.ended_at, r.open,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_approval' -> 'put') AS r(
                approval_id text, title text, status text, status_since_at timestamptz, task_id text, tool text, tool_schema_sha256 text, arguments jsonb, target text, account text, requester text, action text, action_hash text, same_action text, preconditions jsonb, policy jsonb, requested_at timestamptz, expires_at timestamptz, granted_by text, granted_at timestamptz, redeem_by timestamptz, execution_id text, idempotency_key text, started_at timestamptz, deadline_at timestamptz, result jsonb, reason_code text, reason text, ended_at timestamptz, open boolean, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, approval_id) DO UPDATE SET title = excluded.title, status = excluded.status, status_since_at = excluded.status_since_at, task_id = excluded.task_id, tool = excluded.tool, tool_schema_sha256 = excluded.tool_schema_sha256, arguments = excluded.arguments, target = excluded.target, account = excluded.account, requester = excluded.requester, action = excluded.action, action_hash = excluded.action_hash, same_action = excluded.same_action, preconditions = excluded.preconditions, policy = excluded.policy, requested_at = excluded.requested_at, expires_at = excluded.expires_at, granted_by = excluded.granted_by, granted_at = excluded.granted_at, redeem_by = excluded.redeem_by, execution_id = excluded.execution_id, idempotency_key = excluded.idempotency_key, started_at = excluded.started_at, deadline_at = excluded.deadline_at, result = excluded.result, reason_code = excluded.reason_code, reason = excluded.reason, ended_at = excluded.ended_at, open = excluded.open, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_approval' -> 'drop') LOOP
            DELETE FROM work_approval
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND approval_id = v_id;
        END LOOP;
        INSERT INTO work_due (user_id, generation, kind, id, due_at)
            SELECT p_user, g.generation, 'approval', r.approval_id, r.wake_at
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_approval' -> 'put') AS r(
                approval_id text, wake_at timestamptz)
            WHERE r.wake_at IS NOT NULL
            ON CONFLICT (user_id, generation, kind, id) DO UPDATE SET due_at = excluded.due_at;
        FOR v_id IN
            SELECT r.approval_id FROM jsonb_to_recordset(p_rows -> 'work_approval' -> 'put') AS r(
                approval_id text, wake_at timestamptz) WHERE r.wake_at IS NULL
            UNION ALL SELECT jsonb_array_elements_text(p_rows -> 'work_approval' -> 'drop')
        LOOP
            DELETE FROM work_due
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND kind = 'approval' AND id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_denial' THEN
        INSERT INTO work_denial (user_id, generation, denial_id, same_action, task_id, status, approval_id, since_at, created_position, source_position)
            SELECT p_user, g.generation, r.denial_id, r.same_action, r.task_id, r.status, r.approval_id, r.since_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_denial' -> 'put') AS r(
                denial_id text, same_action text, task_id text, status text, approval_id text, since_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, denial_id) DO UPDATE SET same_action = excluded.same_action, task_id = excluded.task_id, status = excluded.status, approval_id = excluded.approval_id, since_at = excluded.since_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_denial' -> 'drop') LOOP
            DELETE FROM work_denial
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND denial_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_routine' THEN
        INSERT INTO work_routine (user_id, generation, routine_id, title, status, schedule, next_at, cooldown_seconds, cooldown_until_at, instructions, last_notification, revision, updated_at, created_position, source_position)
            SELECT p_user, g.generation, r.routine_id, r.title, r.status, r.schedule, r.next_at, r.cooldown_seconds, r.cooldown_until_at, r.instructions, r.last_notification, r.revision, r.updated_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_routine' -> 'put') AS r(
                routine_id text, title text, status text, schedule jsonb, next_at timestamptz, cooldown_seconds bigint, cooldown_until_at timestamptz, instructions text, last_notification jsonb, revision bigint, updated_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, routine_id) DO UPDATE SET title = excluded.title, status = excluded.status, schedule = excluded.schedule, next_at = excluded.next_at, cooldown_seconds = excluded.cooldown_seconds, cooldown_until_at = excluded.cooldown_until_at, instructions = excluded.instructions, last_notification = excluded.last_notification, revision = excluded.revision, updated_at = excluded.updated_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_routine' -> 'drop') LOOP
            DELETE FROM work_routine
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND routine_id = v_id;
        END LOOP;
        INSERT INTO work_due (user_id, generation, kind, id, due_at)
            SELECT p_user, g.generation, 'routine', r.routine_id, r.wake_at
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_routine' -> 'put') AS r(
                routine_id text, wake_at timestamptz)
            WHERE r.wake_at IS NOT NULL
            ON CONFLICT (user_id, generation, kind, id) DO UPDATE SET due_at = excluded.due_at;
        FOR v_id IN
            SELECT r.routine_id FROM jsonb_to_recordset(p_rows -> 'work_routine' -> 'put') AS r(
                routine_id text, wake_at timestamptz) WHERE r.wake_at IS NULL
            UNION ALL SELECT jsonb_array_elements_text(p_rows -> 'work_routine' -> 'drop')
        LOOP
            DELETE FROM work_due
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND kind = 'routine' AND id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_trigger' THEN
        INSERT INTO work_trigger (user_id, generation, trigger_id, routine_id, summary, evidence, observed_at, proposal_id, created_position, source_position)
            SELECT p_user, g.generation, r.trigger_id, r.routine_id, r.summary, r.evidence, r.observed_at, r.proposal_id,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_trigger' -> 'put') AS r(
                trigger_id text, routine_id text, summary text, evidence jsonb, observed_at timestamptz, proposal_id text, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, trigger_id) DO UPDATE SET routine_id = excluded.routine_id, summary = excluded.summary, evidence = excluded.evidence, observed_at = excluded.observed_at, proposal_id = excluded.proposal_id, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_trigger' -> 'drop') LOOP
            DELETE FROM work_trigger
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND trigger_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_proposal' THEN
        INSERT INTO work_proposal (user_id, generation, proposal_id, routine_id, trigger_id, task_id, title, body, status, made_at, expires_at, answered_at, answer, note, open, created_position, source_position)
            SELECT p_user, g.generation, r.proposal_id, r.routine_id, r.trigger_id, r.task_id, r.title, r.body, r.status, r.made_at, r.expires_at, r.answered_at, r.answer, r.note, r.open,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_proposal' -> 'put') AS r(
                proposal_id text, routine_id text, trigger_id text, task_id text, title text, body text, status text, made_at timestamptz, expires_at timestamptz, answered_at timestamptz, answer text, note text, open boolean, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, proposal_id) DO UPDATE SET routine_id = excluded.routine_id, trigger_id = excluded.trigger_id, task_id = excluded.task_id, title = excluded.title, body = excluded.body, status = excluded.status, made_at = excluded.made_at, expires_at = excluded.expires_at, answered_at = excluded.answered_at, answer = excluded.answer, note = excluded.note, open = excluded.open, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_proposal' -> 'drop') LOOP
            DELETE FROM work_proposal
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND proposal_id = v_id;
        END LOOP;
        INSERT INTO work_due (user_id, generation, kind, id, due_at)
            SELECT p_user, g.generation, 'proposal', r.proposal_id, r.wake_at
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_proposal' -> 'put') AS r(
                proposal_id text, wake_at timestamptz)
            WHERE r.wake_at IS NOT NULL
            ON CONFLICT (user_id, generation, kind, id) DO UPDATE SET due_at = excluded.due_at;
        FOR v_id IN
            SELECT r.proposal_id FROM jsonb_to_recordset(p_rows -> 'work_proposal' -> 'put') AS r(
                proposal_id text, wake_at timestamptz) WHERE r.wake_at IS NULL
            UNION ALL SELECT jsonb_array_elements_text(p_rows -> 'work_proposal' -> 'drop')
        LOOP
            DELETE FROM work_due
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND kind = 'proposal' AND id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_notification' THEN
        INSERT INTO work_notification (user_id, generation, notification_id, routine_id, proposal_id, task_id, title, body, channel, sent_at, answered_at, answer, note, created_position, source_position)
            SELECT p_user, g.generation, r.notification_id, r.routine_id, r.proposal_id, r.task_id, r.title, r.body, r.channel, r.sent_at, r.answered_at, r.answer, r.note,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_notification' -> 'put') AS r(
                notification_id text, routine_id text, proposal_id text, task_id text, title text, body text, channel text, sent_at timestamptz, answered_at timestamptz, answer text, note text, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, notification_id) DO UPDATE SET routine_id = excluded.routine_id, proposal_id = excluded.proposal_id, task_id = excluded.task_id, title = excluded.title, body = excluded.body, channel = excluded.channel, sent_at = excluded.sent_at, answered_at = excluded.answered_at, answer = excluded.answer, note = excluded.note, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_notification' -> 'drop') LOOP
            DELETE FROM work_notification
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND notification_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_reminder' THEN
        INSERT INTO work_reminder (user_id, generation, reminder_id, title, status, remind_at, since_at, next_at, time_zone, recurrence, task_id, meeting_id, source, set_at, ended_at, updated_at, open, created_position, source_position)
            SELECT p_user, g.generation, r.reminder_id, r.title, r.status, r.remind_at, r.since_at, r.next_at, r.time_zone, r.recurrence, r.task_id, r.meeting_id, r.source, r.set_at, r.ended_at, r.updated_at, r.open,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_reminder' -> 'put') AS r(
                reminder_id text, title text, status text, remind_at timestamptz, since_at timestamptz, next_at timestamptz, time_zone text, recurrence jsonb, task_id text, meeting_id text, source text, set_at timestamptz, ended_at timestamptz, updated_at timestamptz, open boolean, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, reminder_id) DO UPDATE SET title = excluded.title, status = excluded.status, remind_at = excluded.remind_at, since_at = excluded.since_at, next_at = excluded.next_at, time_zone = excluded.time_zone, recurrence = excluded.recurrence, task_id = excluded.task_id, meeting_id = excluded.meeting_id, source = excluded.source, set_at = excluded.set_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at, open = excluded.open, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_reminder' -> 'drop') LOOP
            DELETE FROM work_reminder
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND reminder_id = v_id;
        END LOOP;
        INSERT INTO work_due (user_id, generation, kind, id, due_at)
            SELECT p_user, g.generation, 'reminder', r.reminder_id, r.wake_at
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_reminder' -> 'put') AS r(
                reminder_id text, wake_at timestamptz)
            WHERE r.wake_at IS NOT NULL
            ON CONFLICT (user_id, generation, kind, id) DO UPDATE SET due_at = excluded.due_at;
        FOR v_id IN
            SELECT r.reminder_id FROM jsonb_to_recordset(p_rows -> 'work_reminder' -> 'put') AS r(
                reminder_id text, wake_at timestamptz) WHERE r.wake_at IS NULL
            UNION ALL SELECT jsonb_array_elements_text(p_rows -> 'work_reminder' -> 'drop')
        LOOP
            DELETE FROM work_due
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND kind = 'reminder' AND id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_connection' THEN
        INSERT INTO work_connection (user_id, generation, connection_id, provider, account, status, detail, observed_at, ttl_seconds, created_position, source_position)
            SELECT p_user, g.generation, r.connection_id, r.provider, r.account, r.status, r.detail, r.observed_at, r.ttl_seconds,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_connection' -> 'put') AS r(
                connection_id text, provider text, account text, status text, detail text, observed_at timestamptz, ttl_seconds bigint, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, connection_id) DO UPDATE SET provider = excluded.provider, account = excluded.account, status = excluded.status, detail = excluded.detail, observed_at = excluded.observed_at, ttl_seconds = excluded.ttl_seconds, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_connection' -> 'drop') LOOP
            DELETE FROM work_connection
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND connection_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_credits' THEN
        INSERT INTO work_credits (user_id, generation, account, provider, amount, unit, observed_at, ttl_seconds, created_position, source_position)
            SELECT p_user, g.generation, r.account, r.provider, r.amount, r.unit, r.observed_at, r.ttl_seconds,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_credits' -> 'put') AS r(
                account text, provider text, amount text, unit text, observed_at timestamptz, ttl_seconds bigint, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, account) DO UPDATE SET provider = excluded.provider, amount = excluded.amount, unit = excluded.unit, observed_at = excluded.observed_at, ttl_seconds = excluded.ttl_seconds, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_credits' -> 'drop') LOOP
            DELETE FROM work_credits
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND account = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_source' THEN
        INSERT INTO work_source (user_id, generation, source, state, covers, observed_through_at, fresh_seconds, cursor, reported_at, created_position, source_position)
            SELECT p_user, g.generation, r.source, r.state, r.covers, r.observed_through_at, r.fresh_seconds, r.cursor, r.reported_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_source' -> 'put') AS r(
                source text, state text, covers jsonb, observed_through_at timestamptz, fresh_seconds bigint, cursor text, reported_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, source) DO UPDATE SET state = excluded.state, covers = excluded.covers, observed_through_at = excluded.observed_through_at, fresh_seconds = excluded.fresh_seconds, cursor = excluded.cursor, reported_at = excluded.reported_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_source' -> 'drop') LOOP
            DELETE FROM work_source
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND source = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'work_user' THEN
        INSERT INTO work_user (user_id, generation, user_key, time_zone, locale, preferences, consents, updated_at, created_position, source_position)
            SELECT p_user, g.generation, r.user_key, r.time_zone, r.locale, r.preferences, r.consents, r.updated_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_user' -> 'put') AS r(
                user_key text, time_zone text, locale text, preferences jsonb, consents jsonb, updated_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, user_key) DO UPDATE SET time_zone = excluded.time_zone, locale = excluded.locale, preferences = excluded.preferences, consents = excluded.consents, updated_at = excluded.updated_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'work_user' -> 'drop') LOOP
            DELETE FROM work_user
                WHERE user_id = p_user AND generation = ANY (p_work_index)
                  AND user_key = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'thread' THEN
        INSERT INTO thread (user_id, generation, thread_id, checkpoint_id, summary_id, corrections, updated_at, created_position, source_position)
            SELECT p_user, g.generation, r.thread_id, r.checkpoint_id, r.summary_id, r.corrections, r.updated_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_conversation) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'thread' -> 'put') AS r(
                thread_id text, checkpoint_id text, summary_id text, corrections jsonb, updated_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, thread_id) DO UPDATE SET checkpoint_id = excluded.checkpoint_id, summary_id = excluded.summary_id, corrections = excluded.corrections, updated_at = excluded.updated_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'thread' -> 'drop') LOOP
            DELETE FROM thread
                WHERE user_id = p_user AND generation = ANY (p_conversation)
                  AND thread_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'message' THEN
        INSERT INTO message (user_id, generation, message_id, thread_id, role, text, posted_at, reply_to, shown_approvals, attachments, sensitivity, redacted, created_position, source_position)
            SELECT p_user, g.generation, r.message_id, r.thread_id, r.role, r.text, r.posted_at, r.reply_to, r.shown_approvals, r.attachments, r.sensitivity, r.redacted,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_conversation) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'message' -> 'put') AS r(
                message_id text, thread_id text, role text, text text, posted_at timestamptz, reply_to text, shown_approvals jsonb, attachments jsonb, sensitivity text, redacted boolean, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, message_id) DO UPDATE SET thread_id = excluded.thread_id, role = excluded.role, text = excluded.text, posted_at = excluded.posted_at, reply_to = excluded.reply_to, shown_approvals = excluded.shown_approvals, attachments = excluded.attachments, sensitivity = excluded.sensitivity, redacted = excluded.redacted, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'message' -> 'drop') LOOP
            DELETE FROM message
                WHERE user_id = p_user AND generation = ANY (p_conversation)
                  AND message_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'checkpoint' THEN
        INSERT INTO checkpoint (user_id, generation, checkpoint_id, thread_id, task_id, body, recorded_at, created_position, source_position)
            SELECT p_user, g.generation, r.checkpoint_id, r.thread_id, r.task_id, r.body, r.recorded_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_conversation) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'checkpoint' -> 'put') AS r(
                checkpoint_id text, thread_id text, task_id text, body jsonb, recorded_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, checkpoint_id) DO UPDATE SET thread_id = excluded.thread_id, task_id = excluded.task_id, body = excluded.body, recorded_at = excluded.recorded_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'checkpoint' -> 'drop') LOOP
            DELETE FROM checkpoint
                WHERE user_id = p_user AND generation = ANY (p_conversation)
                  AND checkpoint_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'summary' THEN
        INSERT INTO summary (user_id, generation, summary_id, thread_id, sentences, recorded_at, created_position, source_position)
            SELECT p_user, g.generation, r.summary_id, r.thread_id, r.sentences, r.recorded_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_conversation) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'summary' -> 'put') AS r(
                summary_id text, thread_id text, sentences jsonb, recorded_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, summary_id) DO UPDATE SET thread_id = excluded.thread_id, sentences = excluded.sentences, recorded_at = excluded.recorded_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'summary' -> 'drop') LOOP
            DELETE FROM summary
                WHERE user_id = p_user AND generation = ANY (p_conversation)
                  AND summary_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'claim' THEN
        INSERT INTO claim (user_id, generation, claim_id, subject, attribute, value, status, version, confidence, sensitivity, sources, valid_from_at, expires_at, supersedes, superseded_by, reason, recorded_at, ended_at, created_position, source_position)
            SELECT p_user, g.generation, r.claim_id, r.subject, r.attribute, r.value, r.status, r.version, r.confidence, r.sensitivity, r.sources, r.valid_from_at, r.expires_at, r.supersedes, r.superseded_by, r.reason, r.recorded_at, r.ended_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_memory) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'claim' -> 'put') AS r(
                claim_id text, subject text, attribute text, value jsonb, status text, version bigint, confidence double precision, sensitivity text, sources jsonb, valid_from_at timestamptz, expires_at timestamptz, supersedes text, superseded_by text, reason text, recorded_at timestamptz, ended_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, claim_id) DO UPDATE SET subject = excluded.subject, attribute = excluded.attribute, value = excluded.value, status = excluded.status, version = excluded.version, confidence = excluded.confidence, sensitivity = excluded.sensitivity, sources = excluded.sources, valid_from_at = excluded.valid_from_at, expires_at = excluded.expires_at, supersedes = excluded.supersedes, superseded_by = excluded.superseded_by, reason = excluded.reason, recorded_at = excluded.recorded_at, ended_at = excluded.ended_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'claim' -> 'drop') LOOP
            DELETE FROM claim
                WHERE user_id = p_user AND generation = ANY (p_memory)
                  AND claim_id = v_id;
        END LOOP;
    END IF;
    IF p_rows ? 'artifact' THEN
        INSERT INTO artifact (user_id, generation, artifact_id, title, media_type, status, sha256, size_bytes, parts, summary, sensitivity, task_id, meeting_id, source, stored_at, forgotten_at, created_position, source_position)
            SELECT p_user, g.generation, r.artifact_id, r.title, r.media_type, r.status, r.sha256, r.size_bytes, r.parts, r.summary, r.sensitivity, r.task_id, r.meeting_id, r.source, r.stored_at, r.forgotten_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_memory) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'artifact' -> 'put') AS r(
                artifact_id text, title text, media_type text, status text, sha256 text, size_bytes bigint, parts bigint, summary text, sensitivity text, task_id text, meeting_id text, source text, stored_at timestamptz, forgotten_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, artifact_id) DO UPDATE SET title = excluded.title, media_type = excluded.media_type, status = excluded.status, sha256 = excluded.sha256, size_bytes = excluded.size_bytes, parts = excluded.parts, summary = excluded.summary, sensitivity = excluded.sensitivity, task_id = excluded.task_id, meeting_id = excluded.meeting_id, source = excluded.source, stored_at = excluded.stored_at, forgotten_at = excluded.forgotten_at, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'artifact' -> 'drop') LOOP
            DELETE FROM artifact
                WHERE user_id = p_user AND generation = ANY (p_memory)
                  AND artifact_id = v_id;
        END LOOP;
    END IF;
END
$$;
ALTER FUNCTION public.wi_write_rows(p_user text, p_work_index integer[], p_conversation integer[], p_memory integer[], p_base bigint, p_rows jsonb) OWNER TO workindex_owner;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.artifact (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    artifact_id text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    media_type text NOT NULL,
    status text NOT NULL,
    sha256 text NOT NULL,
    size_bytes bigint NOT NULL,
    parts bigint NOT NULL,
    summary text,
    sensitivity text NOT NULL,
    task_id text,
    meeting_id text,
    source text,
    stored_at timestamp with time zone NOT NULL,
    forgotten_at timestamp with time zone,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT artifact_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.artifact FORCE ROW LEVEL SECURITY;
ALTER TABLE public.artifact OWNER TO workindex_owner;
CREATE TABLE public.catchup_due (
    user_id text NOT NULL COLLATE pg_catalog."C",
    projection_set text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    attempts integer NOT NULL,
    next_at timestamp with time zone NOT NULL,
    CONSTRAINT catchup_due_user_id_check CHECK ((user_id <> ''::text))
);
ALTER TABLE ONLY public.catchup_due FORCE ROW LEVEL SECURITY;
ALTER TABLE public.catchup_due OWNER TO workindex_owner;
CREATE TABLE public.checkpoint (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    checkpoint_id text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL,
    task_id text,
    body jsonb NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT checkpoint_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.checkpoint FORCE ROW LEVEL SECURITY;
ALTER TABLE public.checkpoint OWNER TO workindex_owner;
CREATE TABLE public.claim (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    claim_id text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL,
    attribute text NOT NULL,
    value jsonb,
    status text NOT NULL,
    version bigint NOT NULL,
    confidence double precision,
    sensitivity text NOT NULL,
    sources jsonb NOT NULL,
    valid_from_at timestamp with time zone,
    expires_at timestamp with time zone,
    supersedes text,
    superseded_by text,
    reason text,
    recorded_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT claim_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.claim FORCE ROW LEVEL SECURITY;
ALTER TABLE public.claim OWNER TO workindex_owner;
CREATE TABLE public.command_key (
    user_id text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    payload_hash text NOT NULL,
    first_position bigint NOT NULL,
    events_count integer NOT NULL,
    CONSTRAINT command_key_user_id_check CHECK ((user_id <> ''::text))
);
ALTER TABLE ONLY public.command_key FORCE ROW LEVEL SECURITY;
ALTER TABLE public.command_key OWNER TO workindex_owner;
CREATE TABLE public.content (
    user_id text NOT NULL COLLATE pg_catalog."C",
    sha256 text NOT NULL COLLATE pg_catalog."C",
    part integer NOT NULL,
    media_type text NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT content_user_id_check CHECK ((user_id <> ''::text))
);
ALTER TABLE ONLY public.content FORCE ROW LEVEL SECURITY;
ALTER TABLE public.content OWNER TO workindex_owner;
CREATE TABLE public.event (
    user_id text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    event_id uuid NOT NULL,
    stream text NOT NULL COLLATE pg_catalog."C",
    stream_version integer NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    schema_version integer NOT NULL,
    data jsonb NOT NULL,
    metadata jsonb NOT NULL,
    key_id text,
    occurred_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT event_position_check CHECK (("position" > 0)),
    CONSTRAINT event_stream_version_check CHECK ((stream_version >= 0)),
    CONSTRAINT event_user_id_check CHECK ((user_id <> ''::text))
);
ALTER TABLE ONLY public.event FORCE ROW LEVEL SECURITY;
ALTER TABLE public.event OWNER TO workindex_owner;
CREATE TABLE public.message (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    message_id text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL,
    role text NOT NULL,
    text text,
    posted_at timestamp with time zone NOT NULL,
    reply_to text,
    shown_approvals jsonb NOT NULL,
    attachments jsonb NOT NULL,
    sensitivity text NOT NULL,
    redacted boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT message_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.message FORCE ROW LEVEL SECURITY;
ALTER TABLE public.message OWNER TO workindex_owner;
CREATE TABLE public.operator_action (
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    who text NOT NULL,
    command text NOT NULL,
    arguments jsonb NOT NULL,
    reason text,
    outcome text NOT NULL
);
ALTER TABLE public.operator_action OWNER TO workindex_owner;
CREATE TABLE public.projection_generation (
    projection_set text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    fold_version integer NOT NULL,
    state text NOT NULL,
    CONSTRAINT projection_generation_generation_check CHECK ((generation > 0)),
    CONSTRAINT projection_generation_state_check CHECK ((state = ANY (ARRAY['building'::text, 'live'::text, 'kept'::text, 'retiring'::text])))
);
ALTER TABLE public.projection_generation OWNER TO workindex_owner;
CREATE TABLE public.projection_progress (
    user_id text NOT NULL COLLATE pg_catalog."C",
    projection_set text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    "position" bigint NOT NULL,
    parked jsonb NOT NULL,
    open_count bigint NOT NULL,
    CONSTRAINT projection_progress_position_check CHECK (("position" >= 0)),
    CONSTRAINT projection_progress_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='50');
ALTER TABLE ONLY public.projection_progress FORCE ROW LEVEL SECURITY;
ALTER TABLE public.projection_progress OWNER TO workindex_owner;
CREATE TABLE public.summary (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    summary_id text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL,
    sentences jsonb NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT summary_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.summary FORCE ROW LEVEL SECURITY;
ALTER TABLE public.summary OWNER TO workindex_owner;
CREATE TABLE public.thread (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    thread_id text NOT NULL COLLATE pg_catalog."C",
    checkpoint_id text,
    summary_id text,
    corrections jsonb NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT thread_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.thread FORCE ROW LEVEL SECURITY;
ALTER TABLE public.thread OWNER TO workindex_owner;
CREATE TABLE public.user_log (
    user_id text NOT NULL COLLATE pg_catalog."C",
    head bigint NOT NULL,
    epoch integer NOT NULL,
    erased_at timestamp with time zone,
    CONSTRAINT user_log_head_check CHECK ((head >= 0)),
    CONSTRAINT user_log_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='50');
ALTER TABLE ONLY public.user_log FORCE ROW LEVEL SECURITY;
ALTER TABLE public.user_log OWNER TO workindex_owner;
CREATE TABLE public.work_approval (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    approval_id text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    status text NOT NULL,
    status_since_at timestamp with time zone NOT NULL,
    task_id text,
    tool text NOT NULL,
    tool_schema_sha256 text,
    arguments jsonb NOT NULL,
    target text,
    account text,
    requester text NOT NULL,
    action text NOT NULL,
    action_hash text NOT NULL,
    same_action text NOT NULL,
    preconditions jsonb NOT NULL,
    policy jsonb,
    requested_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    granted_by text,
    granted_at timestamp with time zone,
    redeem_by timestamp with time zone,
    execution_id text,
    idempotency_key text,
    started_at timestamp with time zone,
    deadline_at timestamp with time zone,
    result jsonb,
    reason_code text,
    reason text,
    ended_at timestamp with time zone,
    open boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_approval_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_approval FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_approval OWNER TO workindex_owner;
CREATE TABLE public.work_commitment (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    commitment_id text NOT NULL COLLATE pg_catalog."C",
    meeting_id text NOT NULL,
    text text NOT NULL,
    owner text,
    status text NOT NULL,
    due_at timestamp with time zone,
    task_id text,
    made_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_commitment_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_commitment FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_commitment OWNER TO workindex_owner;
CREATE TABLE public.work_connection (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    connection_id text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL,
    account text NOT NULL,
    status text NOT NULL,
    detail text,
    observed_at timestamp with time zone NOT NULL,
    ttl_seconds bigint NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_connection_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_connection FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_connection OWNER TO workindex_owner;
CREATE TABLE public.work_credits (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    account text NOT NULL COLLATE pg_catalog."C",
    provider text,
    amount text NOT NULL,
    unit text NOT NULL,
    observed_at timestamp with time zone NOT NULL,
    ttl_seconds bigint NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_credits_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_credits FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_credits OWNER TO workindex_owner;
CREATE TABLE public.work_denial (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    denial_id text NOT NULL COLLATE pg_catalog."C",
    same_action text NOT NULL,
    task_id text,
    status text NOT NULL,
    approval_id text NOT NULL,
    since_at timestamp with time zone NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_denial_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_denial FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_denial OWNER TO workindex_owner;
CREATE TABLE public.work_due (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    due_at timestamp with time zone NOT NULL,
    CONSTRAINT work_due_user_id_check CHECK ((user_id <> ''::text))
);
ALTER TABLE ONLY public.work_due FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_due OWNER TO workindex_owner;
CREATE TABLE public.work_meeting (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    meeting_id text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    status text NOT NULL,
    start_at timestamp with time zone NOT NULL,
    end_at timestamp with time zone,
    time_zone text,
    location text,
    participants jsonb NOT NULL,
    agenda text,
    notes text,
    transcripts jsonb NOT NULL,
    recurrence jsonb,
    source text,
    reason text,
    revision bigint NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_meeting_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_meeting FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_meeting OWNER TO workindex_owner;
CREATE TABLE public.work_notification (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    notification_id text NOT NULL COLLATE pg_catalog."C",
    routine_id text,
    proposal_id text,
    task_id text,
    title text NOT NULL,
    body text,
    channel text,
    sent_at timestamp with time zone NOT NULL,
    answered_at timestamp with time zone,
    answer text,
    note text,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_notification_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_notification FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_notification OWNER TO workindex_owner;
CREATE TABLE public.work_proposal (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    proposal_id text NOT NULL COLLATE pg_catalog."C",
    routine_id text,
    trigger_id text,
    task_id text,
    title text NOT NULL,
    body text,
    status text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    answered_at timestamp with time zone,
    answer text,
    note text,
    open boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_proposal_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_proposal FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_proposal OWNER TO workindex_owner;
CREATE TABLE public.work_reminder (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    reminder_id text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    status text NOT NULL,
    remind_at timestamp with time zone NOT NULL,
    since_at timestamp with time zone,
    next_at timestamp with time zone,
    time_zone text,
    recurrence jsonb,
    task_id text,
    meeting_id text,
    source text,
    set_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    open boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_reminder_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_reminder FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_reminder OWNER TO workindex_owner;
CREATE TABLE public.work_routine (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    routine_id text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    status text NOT NULL,
    schedule jsonb,
    next_at timestamp with time zone,
    cooldown_seconds bigint,
    cooldown_until_at timestamp with time zone,
    instructions text,
    last_notification jsonb,
    revision bigint NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_routine_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_routine FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_routine OWNER TO workindex_owner;
CREATE TABLE public.work_source (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    covers jsonb NOT NULL,
    observed_through_at timestamp with time zone NOT NULL,
    fresh_seconds bigint NOT NULL,
    cursor text,
    reported_at timestamp with time zone NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_source_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_source FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_source OWNER TO workindex_owner;
CREATE TABLE public.work_task (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    task_id text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    description text,
    status text NOT NULL,
    status_since_at timestamp with time zone NOT NULL,
    status_unblocked text NOT NULL,
    family text,
    revision bigint NOT NULL,
    priority bigint,
    labels jsonb NOT NULL,
    assignee text,
    parent_id text,
    source text,
    due_at timestamp with time zone,
    scheduled_at timestamp with time zone,
    phase text,
    plan jsonb NOT NULL,
    decisions jsonb NOT NULL,
    fields jsonb NOT NULL,
    outputs jsonb NOT NULL,
    requests jsonb NOT NULL,
    approvals jsonb NOT NULL,
    blocked_by jsonb NOT NULL,
    blocked_reason text,
    blocked_outside boolean NOT NULL,
    blocks jsonb NOT NULL,
    attempts jsonb NOT NULL,
    outcome text,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    open boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_task_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_task FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_task OWNER TO workindex_owner;
CREATE TABLE public.work_trigger (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    trigger_id text NOT NULL COLLATE pg_catalog."C",
    routine_id text,
    summary text NOT NULL,
    evidence jsonb NOT NULL,
    observed_at timestamp with time zone NOT NULL,
    proposal_id text,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_trigger_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_trigger FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_trigger OWNER TO workindex_owner;
CREATE TABLE public.work_user (
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    user_key text NOT NULL COLLATE pg_catalog."C",
    time_zone text,
    locale text,
    preferences jsonb NOT NULL,
    consents jsonb NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    CONSTRAINT work_user_user_id_check CHECK ((user_id <> ''::text))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.work_user FORCE ROW LEVEL SECURITY;
ALTER TABLE public.work_user OWNER TO workindex_owner;
CREATE TABLE public.workindex_revision (
    version_num character varying(32) NOT NULL
);
ALTER TABLE public.workindex_revision OWNER TO workindex_owner;
INSERT INTO public.artifact VALUES
	('ann', 1, 'F-1', 'hush', 'text/plain', 'stored', 'dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c', 4, 1, NULL, 'normal', 'T-1', NULL, NULL, '2026-03-02 09:00:00+00', NULL, 43, 43),
	('ann', 1, 'F-2', 'hush', 'text/plain', 'forgotten', 'dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c', 4, 1, NULL, 'normal', NULL, NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 44, 45),
	('bob', 1, 'F-1', 'hush', 'text/plain', 'stored', 'dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c', 4, 1, NULL, 'normal', 'T-1', NULL, NULL, '2026-03-02 09:00:00+00', NULL, 43, 43),
	('bob', 1, 'F-2', 'hush', 'text/plain', 'forgotten', 'dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c', 4, 1, NULL, 'normal', NULL, NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 44, 45);
INSERT INTO public.catchup_due VALUES
	('ann', 'evidence', 1, 0, '2026-03-02 09:00:00+00'),
	('bob', 'evidence', 1, 0, '2026-03-02 09:00:00+00'),
	('eli', 'inline', 1, 0, '2026-03-02 09:01:00+00');
INSERT INTO public.checkpoint VALUES
	('ann', 1, 'CP-1', 'TH-1', NULL, '{"goal": "hush", "plan": [], "outputs": [], "attempts": [], "blockers": [], "decisions": [], "corrections": [], "artifact_ids": [], "pending_input": [], "active_tool_groups": [], "through_message_id": null}', '2026-03-02 09:00:00+00', 37, 37),
	('bob', 1, 'CP-1', 'TH-1', NULL, '{"goal": "hush", "plan": [], "outputs": [], "attempts": [], "blockers": [], "decisions": [], "corrections": [], "artifact_ids": [], "pending_input": [], "active_tool_groups": [], "through_message_id": null}', '2026-03-02 09:00:00+00', 37, 37);
INSERT INTO public.claim VALUES
	('ann', 1, 'CL-1', 'home', 'city', '"hush"', 'superseded', 1, NULL, 'normal', '[]', NULL, NULL, NULL, 'CL-2', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 39, 40),
	('ann', 1, 'CL-2', 'home', 'city', NULL, 'withdrawn', 2, NULL, 'normal', '[]', NULL, NULL, 'CL-1', NULL, 'hush', '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 41, 42),
	('bob', 1, 'CL-1', 'home', 'city', '"hush"', 'superseded', 1, NULL, 'normal', '[]', NULL, NULL, NULL, 'CL-2', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 39, 40),
	('bob', 1, 'CL-2', 'home', 'city', NULL, 'withdrawn', 2, NULL, 'normal', '[]', NULL, NULL, 'CL-1', NULL, 'hush', '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 41, 42);
INSERT INTO public.command_key VALUES
	('ann', 'api', 'K-0', '63a72e20d2bcddd9e6d70a45b1762999423f5cebbbeeea6a6e5aac0d0be30683', 1, 1),
	('ann', 'api', 'K-1', '88f0693ee3c0d05f2c0702311af8bb06de188b7ae7d085dd04cb8c7b6fcc3348', 2, 2),
	('ann', 'api', 'K-2', '0ef1bfa2cc66a8d6d622c286635f875feccc38f609edd0eac87c16991eeadaa5', 4, 1),
	('ann', 'api', 'K-3', 'df49b87ef0b180a71a480632e6ec48efcc1a40d639eff4059248d6bf70ac35ce', 5, 1),
	('ann', 'api', 'K-4', '928d977f3f56f7ab4e6edcdcedd832944e50060880a6ddeb9c42d271621419bc', 6, 1),
	('ann', 'api', 'K-5', '363b04c8d899f15205758d0022cc059b971c4bb9ee85d45c78565c6a4a9a7679', 7, 1),
	('ann', 'api', 'K-6', 'f6960b66489ea8cd68affb9aac032659461b297fec1cf145ce8b665777eca764', 8, 1),
	('ann', 'api', 'K-7', '27fb63b4d9c7bac82395981275a0d7da66867abcfeaf68e97061a6912e49e461', 9, 1),
	('ann', 'api', 'K-8', '10424bc66555fede38ee162745add27eaaadf0ba96bde34b76d059a8954150db', 10, 1),
	('ann', 'api', 'K-9', '24bbece3b270e7a263c52d5eb4cb60729c4c88da81ac6a25d10d5b29fc26087b', 11, 1),
	('ann', 'api', 'K-10', 'd89687559331f40ba4f42512935cbc481cdc7bd794b6da646a136c07fd54b8db', 12, 1),
	('ann', 'api', 'K-11', '7fffaada1b949c9e18575688c4023bfb0374ac37529620af37ade8b66198b61a', 13, 1),
	('ann', 'api', 'K-12', '6b4c0b889550d500a4545eed776a4f55def33199678eb99a3f3575b911e89878', 14, 1),
	('ann', 'api', 'K-13', '48fe94eafe2677bafb6772103c4592e66292a92631b6465c281eccf525e660db', 15, 1),
	('ann', 'api', 'K-14', 'a157502b9385f68760dda8e73ee30e74b674129345a25066e1c2804673cee8ee', 16, 1),
	('ann', 'api', 'K-15', '3e531ba9e9e53626d006beb6436931b405d165cfacf342417351f2ddd7803254', 17, 1),
	('ann', 'api', 'K-16', '430906aa9a5f41203dd9a193502bd6d6448b400d215a14259d4b12e40a0f80c6', 18, 1),
	('ann', 'api', 'K-17', '6d070b155b4efcb17753471210b7408a17ea6392cc4e530ef9400b499f9491ed', 19, 1),
	('ann', 'api', 'K-18', '16bb8f09e98a6b641e2d6e21d0f97e116369c6cf0dce17e7e75a94468f4f7166', 20, 1),
	('ann', 'api', 'K-19', '04a60d2f38661f1adf988399e1af58ba0dcad85b8ef2e3289a6ce552fd276f1f', 21, 1),
	('ann', 'api', 'K-20', '2c9c18104b8e78e20a4aa4b7fa9dc47681b9152dbe9e2665bf76a9a99820d2db', 22, 1),
	('ann', 'api', 'K-21', 'd004b969105572eb7b9a2c2711b0058a0335da2d1b21b334dea06c825be3ef38', 23, 1),
	('ann', 'api', 'K-22', '372077007c0a360c1ebf1eafcfd376272657d8fcf6143379872a75085a3893cf', 24, 1),
	('ann', 'api', 'K-23', '2ab5f6ae41c85d70686247a69fad67a71e68776346c50715ba9d151bd5f60cbd', 25, 1),
	('ann', 'api', 'K-24', '7a17fee403d4ca01859e6d254da2393dd41db87608152b7d344be132cd794377', 26, 1),
	('ann', 'api', 'K-25', '73a2c637a35af9337836c128648e87f4d0f07f287f753f67f8be1e53098183b8', 27, 1),
	('ann', 'api', 'K-26', '3baca367b7299e3f25d09cd86db02fa3fc87eda6c95152ab056b58cfb8805165', 28, 1),
	('ann', 'api', 'K-27', '88bd5e925d4a1ea27e81ce5ee6a9420c73b0c2bfe2f4dd989ebc8284a3ba7f3e', 29, 1),
	('ann', 'api', 'K-28', 'ba2024ba21d10d178d4ad73aefcb2c90501533c283d0fda0eed028584cb9ecef', 30, 1),
	('ann', 'api', 'K-29', 'f012139b43bc088bc71d4063eeb52f79c7ce82711fae149e3b0a7a246073eedd', 31, 1),
	('ann', 'api', 'K-30', '3d2922999ad11101c088dd4ac3b00ea81eece85c50a1ef7806e4002701faf283', 32, 1),
	('ann', 'api', 'K-31', '78a1aecec3afb92bffef3a48630eaeb4e79e1d41eec658932b3db16769e74fcf', 33, 1),
	('ann', 'api', 'K-32', '56059817a8c17b2d5d37ecdb30f98afaeeee250a0657151940c901847fc62ae8', 34, 1),
	('ann', 'api', 'K-33', '6129e837c197db209374a2afa0c312455b5b5e8406c411d804a56cc1a60d4c68', 35, 1),
	('ann', 'api', 'K-34', '9c59eea9c9e19afbb0fef62e3b04e95f58c483c7f6a9278c6cb0f9838b436fb0', 36, 1),
	('ann', 'api', 'K-35', 'fa111099e10cc2370c115d57c19a693c88acf66db120776e1de0fc0949e7fe41', 37, 1),
	('ann', 'api', 'K-36', '8c74b009bbd0433ba19e9c469c31b7183c0bd6ce91132286777710b45f7e5b81', 38, 1),
	('ann', 'api', 'K-37', '2f6bb94d2d765086d09bed8cf2921c8a194a3f29bab836eadd437f549ea8dc19', 39, 1),
	('ann', 'api', 'K-38', 'eb7008c0f593b11b6be646eafd59d499dd6fb1149e9a2a1880df6fe7b2d132e6', 40, 2),
	('ann', 'api', 'K-39', '5a50e9a87eba894223056bca960ca8993da7277d9eedfbcc199fe4f32cee3fae', 42, 1),
	('ann', 'api', 'K-40', '2c433b01df682e16b8d882305115225d1624d6fc2f64569701910ed761fe9763', 43, 1),
	('ann', 'api', 'K-41', '4d80abc2abc5a843e9843949fb3645e2f0f5a98d07af75c45fe8b2f099ab65c2', 44, 1),
	('ann', 'api', 'K-42', '0a5eafe98c70acf310004027d0f3df048b8ff1767f0011921fd81dbbea67853a', 45, 1),
	('ann', 'api', 'K-43', '7af15bdd9231df5e104b476ea2fd00d9abd7f31ed194ced75bacb3ccc7b6842a', 46, 1),
	('ann', 'api', 'K-44', '997bf28be4e4606504a5dd986537188109cf2ddd62ad89d8fe37b63e3688db35', 47, 1),
	('ann', 'api', 'K-45', 'cffda63e54c3dd254109e32b05ece344ae2d220159b1737037492da60adf957f', 48, 1),
	('ann', 'api', 'K-46', '34be27b5652a51128a6ee69e5165e52b8062a255d0d7521fbdffc4fc9e2e4618', 49, 1),
	('ann', 'api', 'K-47', 'f8438a6e642849b0b2c2a9599b148c0f41711f3bbedc613aa0c38da60911d1b7', 50, 1),
	('ann', 'api', 'K-48', '89ff039b9f917fb176c8848215a28040f94f5bbcbc948e06733ccab09cd33a71', 51, 1),
	('ann', 'api', 'K-49', '18c006c5ea9f9e99e14fc270574967f10e3eb8b1b4ceac4d4fd9fb2f102f2383', 52, 1),
	('ann', 'api', 'K-50', '1b5535540f2de89948d769135ba3ecdbc1f478ac32be8ebf0a5cc24ba9f24fda', 53, 1),
	('ann', 'api', 'K-51', 'cdbf7f2ae20e61c260d967cd0714d2b2a0704b87ed33bdc2298e86ced7324b6f', 54, 1),
	('ann', 'api', 'K-52', 'eac062e7b0846a54e1ada003e60e9cf747f9a95ffae5e5db42f3ca94c996dd43', 55, 1),
	('ann', 'api', 'K-53', '8879bfc6a9d185a5627764835bf001e4b00897a4e9118eb6d315ccd52706d875', 56, 1),
	('ann', 'api', 'K-54', '99642fd01a967fed7d8d9dfd09fecd1397f8f76b862dc9768ff88cfbd5ee394d', 57, 1),
	('ann', 'api', 'K-55', '0fdff2bb597602a18d9dd22f348681cffec2d75014c5ae052e6b6c25bead1671', 58, 1),
	('ann', 'api', 'K-56', '09620fd1b1f3cf032b95a9a19b34e3c7a9b90a1dcb87e8aa71fba26f0d334f1d', 59, 1),
	('ann', 'api', 'K-57', 'afb8eaffc2c43aa96a3ff1c4e0a4e8e9bbf843d727c4cd46fcd792a319daf569', 60, 1),
	('ann', 'api', 'K-58', 'd7a9fdf30e11f804618984d64d253b73baa48ccd1d98eef5441a7d2542dea77c', 61, 1),
	('ann', 'api', 'K-59', 'bb60b2fa3cd609904ab784f5de57c72a89ea12e6db992e84b8da14ac6daa923a', 62, 1),
	('ann', 'api', 'K-60', '0d10e869e4e063136df093b002533c9b1b655f68a3ceae066eb66815f4a6808b', 63, 1),
	('ann', 'api', 'K-61', 'a8832ca309df993b6d218e6367ba34d04cfff2e39e3a700c7b1db79f615a5b63', 64, 1),
	('ann', 'api', 'K-62', '027219897533a6597054f032b3475d4fc11fb777382f4bffe231fd886927032b', 65, 1),
	('ann', 'api', 'K-63', 'a03272719692480316687f681011b5f948886cb9927a9e7dda26dc87ea34460b', 66, 1),
	('ann', 'api', 'K-64', '19f26dc67573cc0d2553ec5cb9b6fff46fbdd5ea93d33b1154cafa0880ae825d', 67, 1),
	('ann', 'api', 'K-65', '0d8efd2a800b473ee585ea16ff547a145923975110983b6f8b13be280a3d95af', 68, 1),
	('ann', 'api', 'K-66', '53cc5fdac69f1e863adb89d1696c9898a90adc763957273f1fd49c3062741b7a', 69, 1),
	('ann', 'api', 'K-67', '401ef22775cc0503e88986192299e6edea45c52ef7df28940cede7bac0b726ee', 70, 1),
	('ann', 'api', 'K-68', '4a687b63fc06f59c0087ae79a1de96a30c074152f2c1a332dce30b5c9d7c5871', 71, 1),
	('ann', 'api', 'K-69', 'a6789ccf391f3a48e5ac47b6585f1e6dee77fd89c667d728377a712e8a590a37', 72, 1),
	('ann', 'api', 'K-70', '5095c69b95b1ac6a18c984ae9bf2944b5bf4f7a0aa73fa410dedba15f6278127', 73, 1),
	('ann', 'api', 'K-71', '4a473c402c01e0e8f6b3552eecf07e7ec37bd8c2754ec0fd7cf29db568abb4cb', 74, 1),
	('ann', 'api', 'K-73', 'dd8e0d18d85b73532396b08c337851f777b777540fec022402a963734d74637b', 76, 1),
	('ann', 'api', 'K-75', '03a24d25b324fc4f428d42c732040155acad0c0d3cd0e0a00a802bec5b803748', 78, 1),
	('ann', 'api', 'K-77', 'f3329e4d3e1bb91f706b8021294b4fc8937c039034e99233089abb39ec42e05a', 80, 1),
	('ann', 'api', 'K-79', '76d9d5303d51e9d8ec31231ddce1f473ea495b38cd5e5ccd0d1976fcb001b8e8', 82, 1),
	('ann', 'api', 'K-81', 'e99f41a475be112aa4df32f0d2c6525ff4ba326de98271890132d25ae4f19119', 84, 1),
	('ann', 'api', 'K-83', 'f835ec67df5396fdc687f2dcddbb8509706cdfd1b7d542f10c7d9500479d0725', 86, 1),
	('ann', 'api', 'K-85', '9c36f3689e62a51a1329754d744e533688dbbf2868c75457c432564a6344d087', 88, 1),
	('ann', 'api', 'K-87', 'e3be0061d107fa3c24df72ab3804f45befd681fbb2281d9f93517c7d058a5237', 90, 1),
	('ann', 'api', 'K-89', '3494d06b71ea8748a887b899608e5bb5722f8c6f664e9762b3241700721309df', 92, 1),
	('ann', 'api', 'K-91', '60194789a36e5862e0c90800069d223f670f555846f3d5692016162612a143ed', 94, 1),
	('ann', 'api', 'K-93', '568723cdef8407421a37f3c614e1de3907b5157828693ffb2ff542e59423763d', 96, 1),
	('ann', 'api', 'K-95', '345fcebf66324e76f19a742db89263149ee677664047e024a2a03c0852bb50d5', 98, 1),
	('ann', 'api', 'K-97', '890841b55f5cf1beef889d695de4af4648ee9fc523f12e8371593a2d2afe5d39', 100, 1),
	('ann', 'api', 'K-99', '3f1185786b15574e65dc67c5b16042b3ece25e5cc4c6b2fcab06c2eed397f137', 102, 1),
	('ann', 'api', 'K-101', '33076db75befa319e6d64523134cd9c9af80a1ec3c567682206cd31af77df537', 104, 1),
	('bob', 'api', 'K-1', '88f0693ee3c0d05f2c0702311af8bb06de188b7ae7d085dd04cb8c7b6fcc3348', 2, 2),
	('bob', 'api', 'K-3', 'df49b87ef0b180a71a480632e6ec48efcc1a40d639eff4059248d6bf70ac35ce', 5, 1),
	('bob', 'api', 'K-5', '363b04c8d899f15205758d0022cc059b971c4bb9ee85d45c78565c6a4a9a7679', 7, 1),
	('bob', 'api', 'K-7', '27fb63b4d9c7bac82395981275a0d7da66867abcfeaf68e97061a6912e49e461', 9, 1),
	('bob', 'api', 'K-9', '24bbece3b270e7a263c52d5eb4cb60729c4c88da81ac6a25d10d5b29fc26087b', 11, 1),
	('bob', 'api', 'K-11', '7fffaada1b949c9e18575688c4023bfb0374ac37529620af37ade8b66198b61a', 13, 1),
	('bob', 'api', 'K-13', '48fe94eafe2677bafb6772103c4592e66292a92631b6465c281eccf525e660db', 15, 1),
	('bob', 'api', 'K-15', '3e531ba9e9e53626d006beb6436931b405d165cfacf342417351f2ddd7803254', 17, 1),
	('bob', 'api', 'K-17', '6d070b155b4efcb17753471210b7408a17ea6392cc4e530ef9400b499f9491ed', 19, 1),
	('bob', 'api', 'K-19', '04a60d2f38661f1adf988399e1af58ba0dcad85b8ef2e3289a6ce552fd276f1f', 21, 1),
	('bob', 'api', 'K-21', 'd004b969105572eb7b9a2c2711b0058a0335da2d1b21b334dea06c825be3ef38', 23, 1),
	('bob', 'api', 'K-23', '2ab5f6ae41c85d70686247a69fad67a71e68776346c50715ba9d151bd5f60cbd', 25, 1),
	('bob', 'api', 'K-25', '73a2c637a35af9337836c128648e87f4d0f07f287f753f67f8be1e53098183b8', 27, 1),
	('bob', 'api', 'K-27', '88bd5e925d4a1ea27e81ce5ee6a9420c73b0c2bfe2f4dd989ebc8284a3ba7f3e', 29, 1),
	('bob', 'api', 'K-29', 'f012139b43bc088bc71d4063eeb52f79c7ce82711fae149e3b0a7a246073eedd', 31, 1),
	('bob', 'api', 'K-31', '78a1aecec3afb92bffef3a48630eaeb4e79e1d41eec658932b3db16769e74fcf', 33, 1),
	('bob', 'api', 'K-33', '6129e837c197db209374a2afa0c312455b5b5e8406c411d804a56cc1a60d4c68', 35, 1),
	('bob', 'api', 'K-35', 'fa111099e10cc2370c115d57c19a693c88acf66db120776e1de0fc0949e7fe41', 37, 1),
	('bob', 'api', 'K-37', '2f6bb94d2d765086d09bed8cf2921c8a194a3f29bab836eadd437f549ea8dc19', 39, 1),
	('bob', 'api', 'K-39', '5a50e9a87eba894223056bca960ca8993da7277d9eedfbcc199fe4f32cee3fae', 42, 1),
	('bob', 'api', 'K-41', '4d80abc2abc5a843e9843949fb3645e2f0f5a98d07af75c45fe8b2f099ab65c2', 44, 1),
	('bob', 'api', 'K-43', '7af15bdd9231df5e104b476ea2fd00d9abd7f31ed194ced75bacb3ccc7b6842a', 46, 1),
	('bob', 'api', 'K-45', 'cffda63e54c3dd254109e32b05ece344ae2d220159b1737037492da60adf957f', 48, 1),
	('bob', 'api', 'K-47', 'f8438a6e642849b0b2c2a9599b148c0f41711f3bbedc613aa0c38da60911d1b7', 50, 1),
	('bob', 'api', 'K-49', '18c006c5ea9f9e99e14fc270574967f10e3eb8b1b4ceac4d4fd9fb2f102f2383', 52, 1),
	('bob', 'api', 'K-51', 'cdbf7f2ae20e61c260d967cd0714d2b2a0704b87ed33bdc2298e86ced7324b6f', 54, 1),
	('bob', 'api', 'K-53', '8879bfc6a9d185a5627764835bf001e4b00897a4e9118eb6d315ccd52706d875', 56, 1),
	('bob', 'api', 'K-55', '0fdff2bb597602a18d9dd22f348681cffec2d75014c5ae052e6b6c25bead1671', 58, 1),
	('bob', 'api', 'K-57', 'afb8eaffc2c43aa96a3ff1c4e0a4e8e9bbf843d727c4cd46fcd792a319daf569', 60, 1),
	('bob', 'api', 'K-59', 'bb60b2fa3cd609904ab784f5de57c72a89ea12e6db992e84b8da14ac6daa923a', 62, 1),
	('bob', 'api', 'K-61', 'a8832ca309df993b6d218e6367ba34d04cfff2e39e3a700c7b1db79f615a5b63', 64, 1),
	('bob', 'api', 'K-63', 'a03272719692480316687f681011b5f948886cb9927a9e7dda26dc87ea34460b', 66, 1),
	('bob', 'api', 'K-72', 'bd46cc9071dadcfffcaffc573babdb68022b05c5d96d8afdcaf5454e84bde99a', 75, 1),
	('bob', 'api', 'K-74', 'b6e3f18b436e7778d8eaa02c518962adee97fd1bbd8441310d354dfb46f4cf31', 77, 1),
	('bob', 'api', 'K-76', '6482511d2c70e23ff44d27d700f0503b24f67504eea30a0c08d61198de2fa069', 79, 1),
	('bob', 'api', 'K-78', 'baf6f5c618139347f3cfc9a34b471ef2411635d14762ed2e5ad222207dff8f2c', 81, 1),
	('bob', 'api', 'K-80', '7241a7c9b829cfe8922c5fe7d59d1b1ad0809ad9a1035bd118c424285a139165', 83, 1),
	('bob', 'api', 'K-82', '32961ab94c8041cad33b99fc176374092e3dd99a35df3e1cd2eb89899a5677b6', 85, 1),
	('bob', 'api', 'K-84', 'b0ba24d7d44e40226acb771085fdbed0a17495cde2607648f5e8aa8871b117c1', 87, 1),
	('bob', 'api', 'K-86', 'a2ba56c40d34d12c00964146d92cd7b07c554b0bf3bd2812700ae24c76216cc8', 89, 1),
	('bob', 'api', 'K-88', '796052ed7c3c29e83d91985030ca7a2cf13b9cc39212966eaa1be404bd6bc969', 91, 1),
	('bob', 'api', 'K-90', '5464fd74b20628b297ec6e2e7dacfe2717f44e98f96980f78603ede0cdd6edc9', 93, 1),
	('bob', 'api', 'K-92', '15fc6f845627b9e5fc9894d3b9f18052af2daa102cbb3e284ddb55ca42764088', 95, 1),
	('ann', 'api', 'K-72', 'bd46cc9071dadcfffcaffc573babdb68022b05c5d96d8afdcaf5454e84bde99a', 75, 1),
	('ann', 'api', 'K-74', 'b6e3f18b436e7778d8eaa02c518962adee97fd1bbd8441310d354dfb46f4cf31', 77, 1),
	('ann', 'api', 'K-76', '6482511d2c70e23ff44d27d700f0503b24f67504eea30a0c08d61198de2fa069', 79, 1),
	('ann', 'api', 'K-78', 'baf6f5c618139347f3cfc9a34b471ef2411635d14762ed2e5ad222207dff8f2c', 81, 1),
	('ann', 'api', 'K-80', '7241a7c9b829cfe8922c5fe7d59d1b1ad0809ad9a1035bd118c424285a139165', 83, 1),
	('ann', 'api', 'K-82', '32961ab94c8041cad33b99fc176374092e3dd99a35df3e1cd2eb89899a5677b6', 85, 1),
	('ann', 'api', 'K-84', 'b0ba24d7d44e40226acb771085fdbed0a17495cde2607648f5e8aa8871b117c1', 87, 1),
	('ann', 'api', 'K-86', 'a2ba56c40d34d12c00964146d92cd7b07c554b0bf3bd2812700ae24c76216cc8', 89, 1),
	('ann', 'api', 'K-88', '796052ed7c3c29e83d91985030ca7a2cf13b9cc39212966eaa1be404bd6bc969', 91, 1),
	('ann', 'api', 'K-90', '5464fd74b20628b297ec6e2e7dacfe2717f44e98f96980f78603ede0cdd6edc9', 93, 1),
	('ann', 'api', 'K-92', '15fc6f845627b9e5fc9894d3b9f18052af2daa102cbb3e284ddb55ca42764088', 95, 1),
	('ann', 'api', 'K-94', 'd4f12e87f6f23047078567cac8c5c5b05df83248b1f7ddb40cc8169ff6847377', 97, 1),
	('ann', 'api', 'K-96', '06d39164844ff4b9bcdb7ebd0b3225cc8907b4e1c338f01db27e205bdc1951b6', 99, 1),
	('ann', 'api', 'K-98', 'a1a6bfa535b336d74a9ecb777ce0ac2c5f85fd84fb36484a8feffe8dc5e2f504', 101, 1),
	('ann', 'api', 'K-100', '47b51681a26fb6e235b53f50c9d0bd8836a3b22a6f6ce73d942cf7ca253dc338', 103, 1),
	('ann', 'api', 'K-102', '58aba4e0f29b79bc0eaab1f83790f709bd08d7a2e3bfff2aae6c53386d20242f', 105, 1),
	('bob', 'api', 'K-0', '63a72e20d2bcddd9e6d70a45b1762999423f5cebbbeeea6a6e5aac0d0be30683', 1, 1),
	('bob', 'api', 'K-2', '0ef1bfa2cc66a8d6d622c286635f875feccc38f609edd0eac87c16991eeadaa5', 4, 1),
	('bob', 'api', 'K-4', '928d977f3f56f7ab4e6edcdcedd832944e50060880a6ddeb9c42d271621419bc', 6, 1),
	('bob', 'api', 'K-6', 'f6960b66489ea8cd68affb9aac032659461b297fec1cf145ce8b665777eca764', 8, 1),
	('bob', 'api', 'K-8', '10424bc66555fede38ee162745add27eaaadf0ba96bde34b76d059a8954150db', 10, 1),
	('bob', 'api', 'K-10', 'd89687559331f40ba4f42512935cbc481cdc7bd794b6da646a136c07fd54b8db', 12, 1),
	('bob', 'api', 'K-12', '6b4c0b889550d500a4545eed776a4f55def33199678eb99a3f3575b911e89878', 14, 1),
	('bob', 'api', 'K-14', 'a157502b9385f68760dda8e73ee30e74b674129345a25066e1c2804673cee8ee', 16, 1),
	('bob', 'api', 'K-16', '430906aa9a5f41203dd9a193502bd6d6448b400d215a14259d4b12e40a0f80c6', 18, 1),
	('bob', 'api', 'K-18', '16bb8f09e98a6b641e2d6e21d0f97e116369c6cf0dce17e7e75a94468f4f7166', 20, 1),
	('bob', 'api', 'K-20', '2c9c18104b8e78e20a4aa4b7fa9dc47681b9152dbe9e2665bf76a9a99820d2db', 22, 1),
	('bob', 'api', 'K-22', '372077007c0a360c1ebf1eafcfd376272657d8fcf6143379872a75085a3893cf', 24, 1),
	('bob', 'api', 'K-24', '7a17fee403d4ca01859e6d254da2393dd41db87608152b7d344be132cd794377', 26, 1),
	('bob', 'api', 'K-26', '3baca367b7299e3f25d09cd86db02fa3fc87eda6c95152ab056b58cfb8805165', 28, 1),
	('bob', 'api', 'K-28', 'ba2024ba21d10d178d4ad73aefcb2c90501533c283d0fda0eed028584cb9ecef', 30, 1),
	('bob', 'api', 'K-30', '3d2922999ad11101c088dd4ac3b00ea81eece85c50a1ef7806e4002701faf283', 32, 1),
	('bob', 'api', 'K-32', '56059817a8c17b2d5d37ecdb30f98afaeeee250a0657151940c901847fc62ae8', 34, 1),
	('bob', 'api', 'K-34', '9c59eea9c9e19afbb0fef62e3b04e95f58c483c7f6a9278c6cb0f9838b436fb0', 36, 1),
	('bob', 'api', 'K-36', '8c74b009bbd0433ba19e9c469c31b7183c0bd6ce91132286777710b45f7e5b81', 38, 1),
	('bob', 'api', 'K-38', 'eb7008c0f593b11b6be646eafd59d499dd6fb1149e9a2a1880df6fe7b2d132e6', 40, 2),
	('bob', 'api', 'K-40', '2c433b01df682e16b8d882305115225d1624d6fc2f64569701910ed761fe9763', 43, 1),
	('bob', 'api', 'K-42', '0a5eafe98c70acf310004027d0f3df048b8ff1767f0011921fd81dbbea67853a', 45, 1),
	('bob', 'api', 'K-44', '997bf28be4e4606504a5dd986537188109cf2ddd62ad89d8fe37b63e3688db35', 47, 1),
	('bob', 'api', 'K-46', '34be27b5652a51128a6ee69e5165e52b8062a255d0d7521fbdffc4fc9e2e4618', 49, 1),
	('bob', 'api', 'K-48', '89ff039b9f917fb176c8848215a28040f94f5bbcbc948e06733ccab09cd33a71', 51, 1),
	('bob', 'api', 'K-50', '1b5535540f2de89948d769135ba3ecdbc1f478ac32be8ebf0a5cc24ba9f24fda', 53, 1),
	('bob', 'api', 'K-52', 'eac062e7b0846a54e1ada003e60e9cf747f9a95ffae5e5db42f3ca94c996dd43', 55, 1),
	('bob', 'api', 'K-54', '99642fd01a967fed7d8d9dfd09fecd1397f8f76b862dc9768ff88cfbd5ee394d', 57, 1),
	('bob', 'api', 'K-56', '09620fd1b1f3cf032b95a9a19b34e3c7a9b90a1dcb87e8aa71fba26f0d334f1d', 59, 1),
	('bob', 'api', 'K-58', 'd7a9fdf30e11f804618984d64d253b73baa48ccd1d98eef5441a7d2542dea77c', 61, 1),
	('bob', 'api', 'K-60', '0d10e869e4e063136df093b002533c9b1b655f68a3ceae066eb66815f4a6808b', 63, 1),
	('bob', 'api', 'K-62', '027219897533a6597054f032b3475d4fc11fb777382f4bffe231fd886927032b', 65, 1),
	('bob', 'api', 'K-64', '19f26dc67573cc0d2553ec5cb9b6fff46fbdd5ea93d33b1154cafa0880ae825d', 67, 1),
	('bob', 'api', 'K-65', '0a2a5127669490e41530cfb0ae1de60054e7517bad8928276778511c7a036f3b', 68, 1),
	('bob', 'api', 'K-66', '875951c9362bce836badbe22b9dbb6d45121e94097f129996e8ad871e1c83a19', 69, 1),
	('bob', 'api', 'K-67', '4d7025a76e71d74a6c9f30012eae762a1b9f8007bb9b4fd4c78cc2c0a3270be0', 70, 1),
	('bob', 'api', 'K-68', '649a61a603d88006ab32d52fd98452b937f53a1a1f1b5f60cb1e9a7f05900c9d', 71, 1),
	('bob', 'api', 'K-69', '627e549d503a51d16dd5e8918dfc3d36429ea9b8bfd8ade02b7b011458eacd12', 72, 1),
	('bob', 'api', 'K-70', '5e6207a52203ce08f368f5f9c8e6c19d1e36ae2460b3b6c2aec6a70135a54426', 73, 1),
	('bob', 'api', 'K-71', '397bf55b94643a04d61d3c14adaf46995358c24dcc13a44d88e9ff1d1ca8872a', 74, 1),
	('bob', 'api', 'K-73', 'dd8e0d18d85b73532396b08c337851f777b777540fec022402a963734d74637b', 76, 1),
	('bob', 'api', 'K-75', '03a24d25b324fc4f428d42c732040155acad0c0d3cd0e0a00a802bec5b803748', 78, 1),
	('bob', 'api', 'K-77', 'f3329e4d3e1bb91f706b8021294b4fc8937c039034e99233089abb39ec42e05a', 80, 1),
	('bob', 'api', 'K-79', '76d9d5303d51e9d8ec31231ddce1f473ea495b38cd5e5ccd0d1976fcb001b8e8', 82, 1),
	('bob', 'api', 'K-81', 'e99f41a475be112aa4df32f0d2c6525ff4ba326de98271890132d25ae4f19119', 84, 1),
	('bob', 'api', 'K-83', 'f835ec67df5396fdc687f2dcddbb8509706cdfd1b7d542f10c7d9500479d0725', 86, 1),
	('bob', 'api', 'K-85', '9c36f3689e62a51a1329754d744e533688dbbf2868c75457c432564a6344d087', 88, 1),
	('bob', 'api', 'K-87', 'e3be0061d107fa3c24df72ab3804f45befd681fbb2281d9f93517c7d058a5237', 90, 1),
	('bob', 'api', 'K-89', '3494d06b71ea8748a887b899608e5bb5722f8c6f664e9762b3241700721309df', 92, 1),
	('bob', 'api', 'K-91', '60194789a36e5862e0c90800069d223f670f555846f3d5692016162612a143ed', 94, 1),
	('bob', 'api', 'K-93', '568723cdef8407421a37f3c614e1de3907b5157828693ffb2ff542e59423763d', 96, 1),
	('bob', 'api', 'K-95', '345fcebf66324e76f19a742db89263149ee677664047e024a2a03c0852bb50d5', 98, 1),
	('bob', 'api', 'K-97', '890841b55f5cf1beef889d695de4af4648ee9fc523f12e8371593a2d2afe5d39', 100, 1),
	('bob', 'api', 'K-99', '3f1185786b15574e65dc67c5b16042b3ece25e5cc4c6b2fcab06c2eed397f137', 102, 1);
INSERT INTO public.command_key VALUES
	('bob', 'api', 'K-101', '33076db75befa319e6d64523134cd9c9af80a1ec3c567682206cd31af77df537', 104, 1),
	('cem', 'api', 'create_task-0-N-2', '12783bdd1b76f46a77749cef7fbcd7ba0da658125d4641658d77a1246de8e15c', 2, 1),
	('cem', 'api', 'create_task-0-N-4', '3f04bec34dee984e3168b7441dc14ad37cab41b058d06cc56ee6296a0c488f6c', 4, 1),
	('cem', 'api', 'create_task-0-N-6', '3be81d1fa50a802c9c20703ae9d594145b6dd780c306dd3b6786ee33230383c9', 6, 1),
	('cem', 'api', 'create_task-0-N-8', 'dc146d3f6817d342d787ec89023f816ecce6cf7967e7006a5158fa02428de9f7', 8, 1),
	('cem', 'api', 'request_task_input-1-N-1-R-1', 'a00d23dd81fe3bfc8fcdd2848a4a98f1c0c84c394abede4b59b2144751cba228', 10, 1),
	('cem', 'api', 'request_task_input-1-N-3-R-3', '413c541f841cf451b15e4ed01e56e7165d7dd67363e27b2ebc7e753583e5c45a', 12, 1),
	('cem', 'api', 'request_task_input-1-N-4-R-5', '32de91b81e2033aa91e530910470fa5e60ed477ef72b0d1ae5838bbe0d1080b7', 14, 1),
	('cem', 'api', 'request_task_input-1-N-5-R-6', '3fc4ee7a9b280f556a4275f5ea6f83df5f25a706b99310735ec42d4b2ee0c875', 16, 1),
	('cem', 'api', 'request_task_input-1-N-7-R-7', '7e7235554ee55aca7b23d905185954c02d16616678841e87117d0b1043f3c2cc', 18, 1),
	('cem', 'api', 'request_task_input-1-N-9-R-8', '6b2516c4b14fc3e7daf4588bdb0807c1c420d69f4c31f451e1ae1202fce7c2e7', 20, 1),
	('cem', 'api', 'reopen_task-6-N-9', 'a8a642e598f6c2b1185bf5a84bd37fb9d90f3567e7a65830d4c2ccb771bc09e0', 22, 1),
	('cem', 'api', 'request_approval-1-V-1', 'd63fe4d35fec440cde68decdec3e16256f49f1b9db68d237dbbe266f4dd26c8f', 24, 1),
	('cem', 'api', 'request_approval-1-V-3-N-6', '6ab58b1c4abe767b7292ed7343b7e1f71c676fac967e33fb57b3f399c73c2a1b', 26, 1),
	('cem', 'api', 'request_approval-1-V-5', '30512934d1f16045118002b870f0386bec0a8893f1f33ae77cb7e0569588fd34', 28, 1),
	('cem', 'api', 'request_approval-1-V-7', 'f924449eadec0a9128a85bffc258bcc1c7f6b2629ad4543606e4a686bac04862', 30, 1),
	('cem', 'api', 'mark_execution_outcome_unknown-4-V-6-X-V-6', 'b4633b49e398092b4835f6d1dee2e0a4dab1b292e12d6e8ad541c4e3ccfcf6e5', 37, 1),
	('cem', 'api', 'grant_approval-2-V-7', 'be5a5634573b6dfa54ce23035a0d92c291c29dc23f874e86f7bd55b4a08406ab', 38, 1),
	('cem', 'api', 'start_execution-3-V-7-X-V-7', '340443a61f9cfc981444cd8165a5fd8e4a72252efa0b73e8367851883ae4cdad', 39, 1),
	('cem', 'api', 'deny_approval-4-V-8', '73c2a58c60b6e9646f39cd1aeb9acfad82c36f705e6aa35aa2a25532bf269b5b', 41, 1),
	('cem', 'api', 'set_reminder-0-B-2', 'c56f3db347e75b87bbee09276fcdd2a7dabe442ead0b2af5efeda49c03295a35', 43, 1),
	('cem', 'api', 'set_reminder-0-B-4', '4dd9deec6b05c0edc1dc20ca0a61b00e07c9e3c2b71eca2762698a6b7e7a2ff1', 45, 1),
	('cem', 'api', 'mark_reminder_due-6-B-2', '9fec6de89d4c2b09c5602b622ca3e62d14bdfb2c76a6e3a90cfe85ffebe0b0f1', 47, 1),
	('cem', 'api', 'snooze_reminder-7-B-3', 'd69b476eb05c9fb782ec7c4a86bbd815ab288c2ccc9a58b09c2f9cdfe22be0c4', 49, 1),
	('cem', 'api', 'make_proposal-1-P-1', '843ab40ea5afb03405207bffdfe3f7b7ef94cee7b930d84fc1f25d91751746fd', 51, 1),
	('cem', 'api', 'make_proposal-1-P-3', 'b3035ca4c2532409aae70b01884982c3366e81ab6b55fa8cd14e10f28523350d', 53, 1),
	('dee', 'api', 'create_task-0-D-1', '9fffaefc734f5a295872c6a4ece7853b0943571a6096fee544447423fdb2b09a', 1, 1),
	('dee', 'api', 'post_message-3-TH-ME-3', 'a32fade66f16e952f0cee9352e0b611f91c60d0a774e763ed096810900ac4b66', 4, 1),
	('dee', 'api', 'request_task_input-4-D-1-R-1', '9a2dc1e5e6afbc40b2ecd70059a43ba74244c887ef2534d64d3259f5216f4791', 5, 1),
	('bob', 'api', 'K-94', 'd4f12e87f6f23047078567cac8c5c5b05df83248b1f7ddb40cc8169ff6847377', 97, 1),
	('bob', 'api', 'K-96', '06d39164844ff4b9bcdb7ebd0b3225cc8907b4e1c338f01db27e205bdc1951b6', 99, 1),
	('bob', 'api', 'K-98', 'a1a6bfa535b336d74a9ecb777ce0ac2c5f85fd84fb36484a8feffe8dc5e2f504', 101, 1),
	('bob', 'api', 'K-100', '47b51681a26fb6e235b53f50c9d0bd8836a3b22a6f6ce73d942cf7ca253dc338', 103, 1),
	('bob', 'api', 'K-102', '58aba4e0f29b79bc0eaab1f83790f709bd08d7a2e3bfff2aae6c53386d20242f', 105, 1),
	('cem', 'api', 'create_task-0-N-1', '97855121d4e0e09c43ea11dfde9d85511c551525e6a67deaf56b998fd6a71ee5', 1, 1),
	('cem', 'api', 'create_task-0-N-3', '66e093cce11ac257dbf24572af0cc0b08bdab687ed5eca5366647abf7c125146', 3, 1),
	('cem', 'api', 'create_task-0-N-5', '5c9e2525c8ad814d39c3affe380b2402b05b780e9d2cd26d8118a44c922babb6', 5, 1),
	('cem', 'api', 'create_task-0-N-7', 'b1768b6d7b15c36363a48cfcbbdd08facd6b8bac634c89c46655288567999bd3', 7, 1),
	('cem', 'api', 'create_task-0-N-9', 'e800e9242215a392f8cc858aa6a02e80251331b1223a47c2cc127e7c443a094e', 9, 1),
	('cem', 'api', 'request_task_input-1-N-2-R-2', 'd26eb4f46f80c87bc103eb68f99b08112750f7b01c2c26dbc17fa81cefadb8f8', 11, 1),
	('cem', 'api', 'request_task_input-2-N-3-R-4', '688d271ccbf63974459a3027c8800f589bc3faebd9217cf804e3a393f2c8c9b2', 13, 1),
	('cem', 'api', 'complete_task-3-N-4', '50a8d8f14a03b55a1277506302d765e40c087abd02b35c27e23b7e25d4a3f20a', 15, 1),
	('cem', 'api', 'block_task-3-N-5', '1dc9e37b398713ee476c902bf4e6d8387dae97aeb122ef9a4257b18cfbbca37e', 17, 1),
	('cem', 'api', 'give_task_input-4-N-7-R-7', '67be1a29b4adba9724b20fc45746fe06685940423491d7b0b1c49ca2d10a2db5', 19, 1),
	('cem', 'api', 'complete_task-5-N-9', 'd45626ae46fe8050c5addf65da649f16a76ae526fc701a3db210f835fc555d8c', 21, 1),
	('cem', 'api', 'request_task_input-7-N-9-R-9', 'eba500db3c93dbe19b92a000ce75960b6c5ebd107da65ded2a9d5fdd999191a6', 23, 1),
	('cem', 'api', 'request_approval-1-V-2', 'a0b0cf70859416c8b9375dce4f146c98c41c5a063503011cdc782ac3cba12fc1', 25, 1),
	('cem', 'api', 'request_approval-1-V-4', 'a99d196a9b265437b28d4c88c63983ce198791def53ab4a93bfcae2b649628c9', 27, 1),
	('cem', 'api', 'request_approval-1-V-6', '2462ae3a80f297f774de8cefc4935343b23fd028a1f0e17b7b77d92ee721ee2c', 29, 1),
	('cem', 'api', 'request_approval-1-V-8', 'a420fe0b840e532fa5f6fd4468f845879f416eee78cb7d1c085ee5f6aa8b9230', 31, 1),
	('cem', 'api', 'grant_approval-2-V-4', 'e185e2048023f7c9a82aaf5670006e4d54735645f6c5636a5c9bd98cd0d4242e', 32, 1),
	('cem', 'api', 'grant_approval-2-V-5', '4ceaf88bcf202bde9b73c2fb9b99c342664cfc7c70519ff0ec681d7b1b7c3b71', 33, 1),
	('cem', 'api', 'start_execution-3-V-5-X-V-5', '501056499ef591e804f75de123f0ae118f6939024088f4b069163a6d299f47ed', 34, 1),
	('cem', 'api', 'grant_approval-2-V-6', '84495201e7286f67990e2bf315e241d627bbd818bf17db14293423e9961a4988', 35, 1),
	('cem', 'api', 'start_execution-3-V-6-X-V-6', 'f8965338b9912d743c5b2fcdc3feb085d93bb416113d3d7ce8d72897772be072', 36, 1),
	('cem', 'api', 'succeed_execution-4-V-7-X-V-7', '73aa6d815e911779be19c8e9e400b793fa3038260fb1ffdab08b463b5e47a5dc', 40, 1),
	('cem', 'api', 'set_reminder-0-B-1', '2f25ab05dab6b476db828394dcdd36cb0d9caecf1603996ac26b7d64f3bc253b', 42, 1),
	('cem', 'api', 'set_reminder-0-B-3', '32932e80397ab1c8843a13c7c15e44b749bb1e08cfbb3cf31d9aea6002be8cb2', 44, 1),
	('cem', 'api', 'set_reminder-0-B-5', '15701f00b02fadb2312f0ccf4bfe9e75f5e62b29adbe26dc06a75cc23f36aec4', 46, 1),
	('cem', 'api', 'mark_reminder_due-6-B-3', '0966f4d1d42f5c5db791c227e576ed935fa80c177ebe7d90614b438b8cd31935', 48, 1),
	('cem', 'api', 'dismiss_reminder-7-B-4', '613158cacdb5582f1e84b9caccc4c0ff375235d39f628c6002c5606163b89fb1', 50, 1),
	('cem', 'api', 'make_proposal-1-P-2', '9699b232b834934f04fc312cb2cb89240feaf5b37fd48f577ebc7b2e80948cd4', 52, 1),
	('cem', 'api', 'answer_proposal-2-P-3', 'd75625f18245bfb0db4775a633480eacfb9b095f6c38a2c9613e5ebd5ae91409', 54, 1),
	('dee', 'api', 'post_message-1-TH-ME-1', 'ac7ecb476c58f279661173b9e5987b42a972e2d1631407f225a9a4c0afe03e33', 2, 1),
	('dee', 'api', 'post_message-2-TH-ME-2', '3d98e3489a078c3d02ff02acd76c4bc065db88dd9aa28685c794a9b0a2fb8cd5', 3, 1),
	('eli', 'api', 'create_task-0-E-1', '2ac13f8553ce1ad99efd5b9a6631eca5fb5e8deddc238a48872bb7b3aaed941d', 1, 1),
	('eli', 'api', 'k1', 'bff52397a514df84cd29231fc365c9a0cb8902b3ccead87f3a8f62ac76374318', 2, 1),
	('eli', 'api', 'k2', 'fdcba25fb842f5dd0c15b705700ad00e808cee0a9c890e27827153ce961d1e8c', 3, 1);
INSERT INTO public.content VALUES
	('ann', 'dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c', 0, 'text/plain', '\x68757368'),
	('bob', 'dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c', 0, 'text/plain', '\x68757368');
INSERT INTO public.event VALUES
	('ann', 1, '01a22d1b-a21c-7631-afe9-21453e174aaa', 'task/T-1', 1, 'task_created', 1, '{"title": "venue hush", "task_id": "T-1", "description": "hush"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 2, '01a22d1b-a22c-753d-b5c7-6f31597bc193', 'task/T-2', 1, 'task_created', 1, '{"title": "guests hush", "task_id": "T-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 3, '01a22d1b-a22c-753d-b5c7-6f32a1de8a84', 'task/T-2', 2, 'task_blocked', 1, '{"task_id": "T-2", "blocked_by": ["T-1"]}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 4, '01a22d1b-a234-7236-a666-bbecb9ef7a52', 'task/T-3', 1, 'task_created', 1, '{"title": "letter hush", "task_id": "T-3", "parent_id": "T-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 5, '01a22d1b-a235-7296-9aac-d60bdf3490e8', 'task/T-4', 1, 'task_created', 1, '{"title": "gone hush", "task_id": "T-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 6, '01a22d1b-a237-7292-8092-652bf3f1b77c', 'task/T-5', 1, 'task_created', 1, '{"title": "done hush", "task_id": "T-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 7, '01a22d1b-a238-7613-bd34-681acbf6adf9', 'task/T-1', 2, 'task_changed', 1, '{"cleared": [], "task_id": "T-1", "description": "more hush"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 8, '01a22d1b-a23a-711a-aeb5-4e983f6edca8', 'task/T-1', 3, 'task_started', 1, '{"task_id": "T-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 9, '01a22d1b-a23c-7460-84dd-cddb0dc2b980', 'task/T-1', 4, 'task_phase_entered', 2, '{"phase": "draft", "task_id": "T-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 10, '01a22d1b-a23d-7675-ab14-b40d41a7066b', 'task/T-1', 5, 'task_plan_set', 1, '{"steps": [{"title": "hush", "step_id": "S-1"}], "task_id": "T-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 11, '01a22d1b-a23e-7178-914e-5a68323fab27', 'task/T-1', 6, 'task_decision_recorded', 1, '{"reason": null, "task_id": "T-1", "decision": "hush", "decision_id": "D-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 12, '01a22d1b-a240-72f1-b727-ffc1a0d2dd2b', 'task/T-1', 7, 'task_field_set', 1, '{"name": "city", "state": "confirmed", "value": "hush", "task_id": "T-1", "required": false, "allowed_values": null, "source_message_id": null}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 13, '01a22d1b-a241-7609-8c9c-2e49121e285f', 'task/T-1', 8, 'task_output_attached', 1, '{"url": null, "title": "hush", "summary": null, "task_id": "T-1", "output_id": "O-1", "artifact_id": null}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 14, '01a22d1b-a242-774f-b7d9-7168d0a76f2c', 'task/T-1', 9, 'task_input_requested', 1, '{"kind": "input", "prompt": "hush", "task_id": "T-1", "expires_at": null, "request_id": "Q-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 15, '01a22d1b-a244-779f-84aa-d0f417025061', 'task/T-1', 10, 'task_input_requested', 1, '{"kind": "input", "prompt": "hush", "task_id": "T-1", "expires_at": null, "request_id": "Q-2"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 16, '01a22d1b-a245-7242-8992-d1382d7d6dab', 'task/T-1', 11, 'task_input_requested', 1, '{"kind": "input", "prompt": "hush", "task_id": "T-1", "expires_at": null, "request_id": "Q-3"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 17, '01a22d1b-a246-73a7-8288-7e36642f8db6', 'task/T-1', 12, 'task_input_given', 1, '{"answer": "hush", "task_id": "T-1", "request_id": "Q-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 18, '01a22d1b-a24b-77dc-82e8-c0807154a62e', 'task/T-1', 13, 'task_input_withdrawn', 1, '{"reason": null, "task_id": "T-1", "request_id": "Q-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 19, '01a22d1b-a24e-71e0-9665-8608ab2afc3b', 'task/T-3', 2, 'task_blocked', 1, '{"reason": "hush", "task_id": "T-3", "blocked_by": ["T-2"]}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 20, '01a22d1b-a250-749f-ae94-4419715d9559', 'task/T-3', 3, 'task_unblocked', 1, '{"reason": null, "outside": false, "task_id": "T-3", "blocked_by": ["T-2"]}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 21, '01a22d1b-a252-722e-9ed0-c343eabaeaac', 'task/T-3', 4, 'task_scheduled', 1, '{"task_id": "T-3", "scheduled_at": "2026-03-03T00:00:00Z"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 22, '01a22d1b-a255-7772-9684-924ecc5f5bb2', 'task/T-1', 14, 'attempt_recorded', 1, '{"tool": null, "error": null, "outcome": "failed", "summary": "hush", "task_id": "T-1", "attempt_id": "AT-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 23, '01a22d1b-a257-77ec-b783-e5bb06807ddb', 'task/T-5', 2, 'task_completed', 1, '{"outcome": "hush", "task_id": "T-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 24, '01a22d1b-a258-73e4-a3fc-fc56344c5954', 'task/T-5', 3, 'task_reopened', 1, '{"reason": "hush", "task_id": "T-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 25, '01a22d1b-a25a-75be-a7da-df9fb5364684', 'task/T-5', 4, 'task_failed', 1, '{"reason": "hush", "task_id": "T-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 26, '01a22d1b-a25b-7038-91df-74b7251d29ff', 'task/T-4', 2, 'task_cancelled', 1, '{"reason": "hush", "task_id": "T-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 27, '01a22d1b-a25d-7473-8086-410dfd999f35', 'task/T-4', 3, 'task_removed', 1, '{"reason": "hush", "task_id": "T-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 28, '01a22d1b-a25f-7040-9fb6-457d2daa7a20', 'connection/mail:ACC-1', 1, 'connection_observed', 1, '{"detail": "hush", "status": "connected", "account": "ACC-1", "provider": "mail", "observed_at": "2026-03-02T09:00:00Z", "ttl_seconds": 3600}', '{"actor": {"id": "the-provider", "kind": "provider"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 29, '01a22d1b-a261-70dd-a94e-e496a7ab852f', 'credits/ACC-2', 1, 'credits_observed', 1, '{"unit": "EUR", "amount": "12.5", "account": "ACC-2", "provider": null, "observed_at": "2026-03-02T09:00:00Z", "ttl_seconds": 3600}', '{"actor": {"id": "the-provider", "kind": "provider"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 30, '01a22d1b-a263-71f1-8887-99afadf94dd7', 'source/SRC-1', 1, 'source_observed', 1, '{"state": "whole", "covers": ["tasks"], "cursor": null, "source": "SRC-1", "fresh_seconds": 86400, "observed_through": "2026-03-02T09:00:00Z"}', '{"actor": {"id": "the-import", "kind": "import"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 32, '01a22d1b-a268-757d-9a78-e336f4d08c18', 'source/SRC-2', 2, 'source_retired', 1, '{"reason": "hush", "source": "SRC-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 31, '01a22d1b-a265-776f-a7c3-51d8bfcb633b', 'source/SRC-2', 1, 'source_observed', 1, '{"state": "whole", "covers": ["meetings"], "cursor": null, "source": "SRC-2", "fresh_seconds": 86400, "observed_through": "2026-03-02T09:00:00Z"}', '{"actor": {"id": "the-import", "kind": "import"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 33, '01a22d1b-a269-77ac-8e0a-36fd6bc1ce21', 'message/ME-1', 1, 'message_posted', 1, '{"role": "user", "text": "hush", "reply_to": null, "thread_id": "TH-1", "message_id": "ME-1", "attachments": [], "sensitivity": "normal", "shown_approvals": []}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 35, '01a22d1b-a26d-76af-b043-22422ae8bf41', 'message/ME-2', 2, 'message_redacted', 1, '{"reason": "hush", "message_id": "ME-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 37, '01a22d1b-a272-71b1-a295-8abb023e5ef9', 'thread/TH-1', 2, 'checkpoint_recorded', 1, '{"body": {"goal": "hush"}, "task_id": null, "thread_id": "TH-1", "checkpoint_id": "CP-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 39, '01a22d1b-a277-73c1-a899-3ded7ef2a1ea', 'claim/CL-1', 1, 'claim_recorded', 1, '{"value": "hush", "sources": [], "subject": "home", "claim_id": "CL-1", "attribute": "city", "confidence": null, "expires_at": null, "valid_from": null, "sensitivity": "normal"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 42, '01a22d1b-a27c-721f-992b-de464c22b6de', 'claim/CL-2', 2, 'claim_withdrawn', 1, '{"reason": "hush", "claim_id": "CL-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 44, '01a22d1b-a27f-73ca-9cf5-0869782d6330', 'artifact/F-2', 1, 'artifact_stored', 1, '{"parts": 1, "title": "hush", "sha256": "dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c", "source": null, "summary": null, "task_id": null, "media_type": "text/plain", "meeting_id": null, "size_bytes": 4, "artifact_id": "F-2", "sensitivity": "normal"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 46, '01a22d1b-a285-71be-81aa-634b7e1e5f8b', 'user', 1, 'preferences_set', 1, '{"locale": null, "cleared": [], "time_zone": "Europe/Berlin", "preferences": {"word": "hush"}}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 48, '01a22d1b-a288-7311-88ab-205ecba3b346', 'meeting/M-2', 1, 'meeting_scheduled', 1, '{"title": "off hush", "start_at": "2026-03-02T10:30:00Z", "meeting_id": "M-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 50, '01a22d1b-a28d-749a-bd21-bd76eb34174f', 'meeting/M-1', 3, 'meeting_started', 1, '{"meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 52, '01a22d1b-a291-7003-8254-6a017c688b58', 'meeting/M-1', 5, 'commitment_made', 1, '{"text": "hush", "owner": null, "due_at": null, "task_id": null, "meeting_id": "M-1", "commitment_id": "C-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 54, '01a22d1b-a294-75b9-a34b-0489722e016c', 'meeting/M-1', 7, 'meeting_notes_written', 1, '{"notes": "hush", "meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 56, '01a22d1b-a297-7455-b142-d095364475f2', 'meeting/M-1', 9, 'commitment_settled', 1, '{"reason": null, "status": "kept", "meeting_id": "M-1", "commitment_id": "C-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 58, '01a22d1b-a29c-7558-a140-a724d87879fc', 'approval/A-1', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 1", "action": "{\"account\":null,\"approval_id\":\"A-1\",\"arguments\":{\"amount\":\"1.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"ann\",\"v\":1}", "target": null, "account": null, "task_id": "T-1", "arguments": {"note": "hush", "amount": "1.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "02e771a80cbeae9a100b3340bcc5594d48a0925ae9fbcef7fcf39f15cc689629", "approval_id": "A-1", "same_action": "449f223d1f40de74c1ef502d22917ecd69f270fb2c6d9bfcdd8031b735912186", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 60, '01a22d1b-a2a3-756e-8f6d-caf4b70482e8', 'approval/A-3', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 3", "action": "{\"account\":null,\"approval_id\":\"A-3\",\"arguments\":{\"amount\":\"3.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"ann\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "3.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "e9943f53501f1b3b6e9dcdfc1cb0be99ed9fd2b660ed22ff092589d51fdbe7f7", "approval_id": "A-3", "same_action": "a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 62, '01a22d1b-a2a9-7560-816a-74cb49361a3b', 'approval/A-7', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 7", "action": "{\"account\":null,\"approval_id\":\"A-7\",\"arguments\":{\"amount\":\"7.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"ann\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "7.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "c8e2155c719135906a5fc651435a7afd2c472af3bf7b1076502be8b489475fbb", "approval_id": "A-7", "same_action": "6473a5fc4abc30d950429ede98390fbaad32d6593de0002d3f60e8e0554e87d7", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 64, '01a22d1b-a2ac-7243-9853-4340287b8b68', 'approval/A-9', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 9", "action": "{\"account\":null,\"approval_id\":\"A-9\",\"arguments\":{\"amount\":\"9.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"ann\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "9.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "e0c89c070a1e107a3ac38815cf58f04b036d120fce6719ccf44ed868872d117b", "approval_id": "A-9", "same_action": "f7ab7ce69fa442a67497a34aca798247cf6bdb592aa5ab192d946f7540ddbb93", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 68, '01a22d1b-a2b7-71cf-a567-66f5d4c164b0', 'approval/A-2', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T19:00:00Z", "action_hash": "501cb3f94990511beb3fa87f14c54f8931e1c6755599553f603eca0a6a73920c", "approval_id": "A-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 24, '01a22d1b-a336-7183-93fd-c2bc9cbf67a9', 'task/T-5', 3, 'task_reopened', 1, '{"reason": "hush", "task_id": "T-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 34, '01a22d1b-a26a-74ff-84dc-280d8a89e4c0', 'message/ME-2', 1, 'message_posted', 1, '{"role": "agent", "text": "hush", "reply_to": "ME-1", "thread_id": "TH-1", "message_id": "ME-2", "attachments": [], "sensitivity": "normal", "shown_approvals": []}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 36, '01a22d1b-a26f-72dd-ad81-74256be7ff73', 'thread/TH-1', 1, 'correction_recorded', 1, '{"text": "hush", "task_id": null, "corrects": null, "thread_id": "TH-1", "message_id": "ME-1", "correction_id": "CR-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 38, '01a22d1b-a275-749b-af21-ce0ce52bb440', 'thread/TH-1', 3, 'summary_recorded', 1, '{"sentences": [{"text": "hush", "message_ids": ["ME-1"]}], "thread_id": "TH-1", "summary_id": "SU-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 40, '01a22d1b-a27a-70d1-af42-e2a457503a60', 'claim/CL-1', 2, 'claim_superseded', 1, '{"reason": null, "claim_id": "CL-1", "superseded_by": "CL-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 41, '01a22d1b-a27a-70d1-af42-e2a5eebcaaf2', 'claim/CL-2', 1, 'claim_recorded', 1, '{"value": "other hush", "sources": [], "subject": "home", "version": 2, "claim_id": "CL-2", "attribute": "city", "confidence": null, "expires_at": null, "supersedes": "CL-1", "valid_from": null, "sensitivity": "normal"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 43, '01a22d1b-a27e-775c-98a9-4497a0641f44', 'artifact/F-1', 1, 'artifact_stored', 1, '{"parts": 1, "title": "hush", "sha256": "dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c", "source": null, "summary": null, "task_id": "T-1", "media_type": "text/plain", "meeting_id": null, "size_bytes": 4, "artifact_id": "F-1", "sensitivity": "normal"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 45, '01a22d1b-a282-72c0-894c-00b262e52221', 'artifact/F-2', 2, 'artifact_forgotten', 1, '{"reason": "hush", "artifact_id": "F-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 47, '01a22d1b-a286-768b-b749-be2326ac9846', 'meeting/M-1', 1, 'meeting_scheduled', 1, '{"title": "budget hush", "start_at": "2026-03-02T10:00:00Z", "meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 49, '01a22d1b-a28b-76f7-a12a-f8c01f7d86df', 'meeting/M-1', 2, 'meeting_changed', 1, '{"cleared": [], "location": "hush", "meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 51, '01a22d1b-a28e-7430-bb01-f34af756a7b8', 'meeting/M-1', 4, 'commitment_made', 1, '{"text": "hush", "owner": null, "due_at": null, "task_id": "T-1", "meeting_id": "M-1", "commitment_id": "C-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 53, '01a22d1b-a293-7450-abb5-14b72dcd66d5', 'meeting/M-1', 6, 'meeting_ended', 1, '{"meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 55, '01a22d1b-a295-7383-a96a-cfd340ba135f', 'meeting/M-1', 8, 'transcript_attached', 1, '{"turns": null, "meeting_id": "M-1", "artifact_id": "F-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 57, '01a22d1b-a298-72d3-b655-8b9b6b5e5f8a', 'meeting/M-2', 2, 'meeting_cancelled', 1, '{"reason": "hush", "meeting_id": "M-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 59, '01a22d1b-a2a0-73b1-a440-49d9be5c70bd', 'approval/A-2', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 2", "action": "{\"account\":null,\"approval_id\":\"A-2\",\"arguments\":{\"amount\":\"2.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"ann\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "2.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "501cb3f94990511beb3fa87f14c54f8931e1c6755599553f603eca0a6a73920c", "approval_id": "A-2", "same_action": "2753ab65b5fbe33b62614c833560f5b99ff15af512f7564dd729789a2fb7e6f6", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 61, '01a22d1b-a2a7-76a9-91e1-5bcd17ced769', 'approval/A-6', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 6", "action": "{\"account\":null,\"approval_id\":\"A-6\",\"arguments\":{\"amount\":\"6.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"ann\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "6.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "acf1d3a1ffd01cd22f8477df1da1c3e0b4742f2b36a77efb3fde0af560f08d3f", "approval_id": "A-6", "same_action": "ab66e4c1894d2476c14e12ce77fbfcb64f9724a8ca79fc2c54caa6c86323bf26", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 63, '01a22d1b-a2ab-7424-b634-a27fed55ea13', 'approval/A-8', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 8", "action": "{\"account\":null,\"approval_id\":\"A-8\",\"arguments\":{\"amount\":\"8.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"ann\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "8.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "1ba9b84ade6ab84b03c6b61d57b2f399ab5bdef3a208f2178bb4f02f71fdb400", "approval_id": "A-8", "same_action": "5e31fbe5be1ac9d5cc34637a4c85fa75b78f9723bd052f15e42d0ec0db8fa60d", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 65, '01a22d1b-a2ae-77fd-8964-72c03fc15dd4', 'approval/A-4', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 4", "action": "{\"account\":null,\"approval_id\":\"A-4\",\"arguments\":{\"amount\":\"4.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T09:05:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"ann\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "4.00"}, "requester": "the-agent", "expires_at": "2026-03-02T09:05:00Z", "action_hash": "e2a6fffe886442b74cf41f452dc88aab2cae095fad34814c298e2c81c2864251", "approval_id": "A-4", "same_action": "19738763cdfba43dbb19de2b836cc00e4d514644ba7ef5349e77661f438aba62", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 67, '01a22d1b-a2b3-75d7-8a70-2617efe3c8db', 'approval/A-1', 2, 'policy_decided', 1, '{"reason": null, "task_id": "T-1", "decision": "ask", "policy_id": "P-1", "approval_id": "A-1"}', '{"actor": {"id": "the-operator", "kind": "operator"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 11, '01a22d1b-a324-7511-b8aa-10d602593010', 'task/T-1', 6, 'task_decision_recorded', 1, '{"reason": null, "task_id": "T-1", "decision": "hush", "decision_id": "D-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 66, '01a22d1b-a2b0-7366-974e-89db9a029cb5', 'approval/A-5', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 5", "action": "{\"account\":null,\"approval_id\":\"A-5\",\"arguments\":{\"amount\":\"5.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"ann\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "5.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "b3df6b35aade6108675581b7628a832ed733ce89ef96d4cb23cb8b6eee5c0739", "approval_id": "A-5", "same_action": "82954c352f514c56216e20f977b305cf086ddb5c3af290aebb6d9de35afe9695", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 75, '01a22d1b-a2d0-7021-ade1-e6e006939862', 'approval/A-2', 4, 'execution_succeeded', 1, '{"result": null, "task_id": null, "approval_id": "A-2", "execution_id": "X-2"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 77, '01a22d1b-a2d4-71cc-8e37-92c6f2ff0930', 'approval/A-9', 4, 'execution_outcome_unknown', 1, '{"reason": null, "task_id": null, "approval_id": "A-9", "reason_code": "no_result", "execution_id": "X-9"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 79, '01a22d1b-a2d8-77a0-a6af-8636dca32781', 'approval/A-6', 2, 'approval_withdrawn', 1, '{"reason": "hush", "task_id": null, "approval_id": "A-6", "reason_code": "withdrawn_by_user"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 81, '01a22d1b-a2dc-7708-8cd4-322a1686e023', 'approval/A-4', 2, 'approval_expired', 1, '{"task_id": null, "approval_id": "A-4"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:10:00+00', '2026-03-02 09:10:00+00'),
	('ann', 83, '01a22d1b-a2df-743a-8b0d-c2cd3cb11e8a', 'user', 2, 'consent_given', 1, '{"scope": "mail", "consent": "CO-1", "details": null, "expires_at": null}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 85, '01a22d1b-a2e4-707b-8c92-3696e957b0f3', 'user', 4, 'consent_withdrawn', 1, '{"reason": "hush", "consent": "CO-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 87, '01a22d1b-a2ea-74c8-8acb-c13d5339c696', 'routine/R-1', 2, 'routine_changed', 1, '{"cleared": [], "routine_id": "R-1", "instructions": "hush"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 89, '01a22d1b-a2ef-7292-80e5-239ab2aa7350', 'routine/R-1', 4, 'routine_resumed', 1, '{"next_at": "2026-03-02T11:00:00Z", "routine_id": "R-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 91, '01a22d1b-a2f5-769b-89ed-1b5276cddd0c', 'routine/R-1', 6, 'proposal_made', 1, '{"body": null, "title": "hush", "task_id": null, "expires_at": null, "routine_id": "R-1", "trigger_id": "TR-1", "proposal_id": "PR-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 93, '01a22d1b-a2fd-7288-a5c1-6961d450b1c0', 'routine/R-1', 8, 'proposal_answered', 1, '{"note": "hush", "answer": "declined", "routine_id": "R-1", "proposal_id": "PR-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 95, '01a22d1b-a304-7063-a6f2-269a42c9334c', 'routine/R-1', 10, 'notification_answered', 1, '{"note": null, "answer": "dismissed", "routine_id": "R-1", "notification_id": "N-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 97, '01a22d1b-a308-7401-96b9-651daa14009d', 'reminder/RE-1', 1, 'reminder_set', 1, '{"title": "dentist hush", "remind_at": "2026-03-02T09:05:00Z", "reminder_id": "RE-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 99, '01a22d1b-a30c-71cd-a124-0345a30d91ea', 'reminder/RE-3', 1, 'reminder_set', 1, '{"title": "off hush", "remind_at": "2026-03-02T09:05:00Z", "reminder_id": "RE-3"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 101, '01a22d1b-a310-73e8-bfe2-f8adec58c1d2', 'reminder/RE-1', 3, 'reminder_due', 1, '{"late": false, "due_at": "2026-03-02T09:05:00Z", "next_at": null, "reminder_id": "RE-1"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:06:00+00', '2026-03-02 09:06:00+00'),
	('ann', 103, '01a22d1b-a313-7252-93ea-b45592c80f18', 'reminder/RE-1', 4, 'reminder_snoozed', 1, '{"until_at": "2026-03-02T10:00:00Z", "reminder_id": "RE-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00'),
	('ann', 105, '01a22d1b-a316-76ac-b4d0-9235423ce192', 'reminder/RE-3', 2, 'reminder_cancelled', 1, '{"reason": "hush", "reminder_id": "RE-3"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 1, '01a22d1b-a318-72f5-a4f7-2d6bf86c2f57', 'task/T-1', 1, 'task_created', 1, '{"title": "venue hush", "task_id": "T-1", "description": "hush"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 4, '01a22d1b-a31c-7788-a93c-528b3e816c53', 'task/T-3', 1, 'task_created', 1, '{"title": "letter hush", "task_id": "T-3", "parent_id": "T-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 6, '01a22d1b-a31e-731f-9ee4-225510e57311', 'task/T-5', 1, 'task_created', 1, '{"title": "done hush", "task_id": "T-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 8, '01a22d1b-a320-76bd-9fcb-3158d1064ed0', 'task/T-1', 3, 'task_started', 1, '{"task_id": "T-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 10, '01a22d1b-a323-736f-b72f-45a028659afe', 'task/T-1', 5, 'task_plan_set', 1, '{"steps": [{"title": "hush", "step_id": "S-1"}], "task_id": "T-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 12, '01a22d1b-a326-72fd-b336-3a73b5fa932a', 'task/T-1', 7, 'task_field_set', 1, '{"name": "city", "state": "confirmed", "value": "hush", "task_id": "T-1", "required": false, "allowed_values": null, "source_message_id": null}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 14, '01a22d1b-a328-74b4-92e5-d3e299f93f92', 'task/T-1', 9, 'task_input_requested', 1, '{"kind": "input", "prompt": "hush", "task_id": "T-1", "expires_at": null, "request_id": "Q-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 16, '01a22d1b-a32b-706f-ae63-930d6bfac4db', 'task/T-1', 11, 'task_input_requested', 1, '{"kind": "input", "prompt": "hush", "task_id": "T-1", "expires_at": null, "request_id": "Q-3"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 18, '01a22d1b-a32e-702d-90dc-96af6ef58a5d', 'task/T-1', 13, 'task_input_withdrawn', 1, '{"reason": null, "task_id": "T-1", "request_id": "Q-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 20, '01a22d1b-a331-728c-9d07-626b143fff21', 'task/T-3', 3, 'task_unblocked', 1, '{"reason": null, "outside": false, "task_id": "T-3", "blocked_by": ["T-2"]}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 22, '01a22d1b-a334-71f0-9770-8ef46c8b4094', 'task/T-1', 14, 'attempt_recorded', 1, '{"tool": null, "error": null, "outcome": "failed", "summary": "hush", "task_id": "T-1", "attempt_id": "AT-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 69, '01a22d1b-a2bc-7691-96a9-6a3273dd6d68', 'approval/A-8', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T19:00:00Z", "action_hash": "1ba9b84ade6ab84b03c6b61d57b2f399ab5bdef3a208f2178bb4f02f71fdb400", "approval_id": "A-8"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 70, '01a22d1b-a2bf-72ae-8033-e6caa08add7b', 'approval/A-9', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T19:00:00Z", "action_hash": "e0c89c070a1e107a3ac38815cf58f04b036d120fce6719ccf44ed868872d117b", "approval_id": "A-9"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 71, '01a22d1b-a2c2-7175-a3ac-4224528d7398', 'approval/A-5', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T09:05:00Z", "action_hash": "b3df6b35aade6108675581b7628a832ed733ce89ef96d4cb23cb8b6eee5c0739", "approval_id": "A-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 72, '01a22d1b-a2c6-71e3-bc4b-9c759831e15a', 'approval/A-2', 3, 'execution_started', 1, '{"policy": {"decision": "allow", "policy_id": "P-1"}, "task_id": null, "action_hash": "501cb3f94990511beb3fa87f14c54f8931e1c6755599553f603eca0a6a73920c", "approval_id": "A-2", "deadline_at": "2026-03-02T14:00:00Z", "execution_id": "X-2", "idempotency_key": "501cb3f94990511beb3fa87f14c54f8931e1c6755599553f603eca0a6a73920c"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 73, '01a22d1b-a2c9-71f5-a79e-43afe79c92ad', 'approval/A-8', 3, 'execution_started', 1, '{"policy": {"decision": "allow", "policy_id": "P-1"}, "task_id": null, "action_hash": "1ba9b84ade6ab84b03c6b61d57b2f399ab5bdef3a208f2178bb4f02f71fdb400", "approval_id": "A-8", "deadline_at": "2026-03-02T14:00:00Z", "execution_id": "X-8", "idempotency_key": "1ba9b84ade6ab84b03c6b61d57b2f399ab5bdef3a208f2178bb4f02f71fdb400"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 74, '01a22d1b-a2cd-7119-9779-98b6b5e629a2', 'approval/A-9', 3, 'execution_started', 1, '{"policy": {"decision": "allow", "policy_id": "P-1"}, "task_id": null, "action_hash": "e0c89c070a1e107a3ac38815cf58f04b036d120fce6719ccf44ed868872d117b", "approval_id": "A-9", "deadline_at": "2026-03-02T14:00:00Z", "execution_id": "X-9", "idempotency_key": "e0c89c070a1e107a3ac38815cf58f04b036d120fce6719ccf44ed868872d117b"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 76, '01a22d1b-a2d2-7646-8748-4637b5008e8f', 'approval/A-8', 4, 'execution_failed', 1, '{"error": "hush", "result": null, "task_id": null, "approval_id": "A-8", "reason_code": "execution_failed", "execution_id": "X-8"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 78, '01a22d1b-a2d6-76ed-8fcd-d7f5cdd28308', 'approval/A-3', 2, 'approval_denied', 1, '{"reason": "hush", "task_id": null, "approval_id": "A-3", "same_action": "a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 80, '01a22d1b-a2da-7741-b0af-8a4fc3702a52', 'approval/A-7', 2, 'approval_mooted', 1, '{"reason": "hush", "task_id": null, "approval_id": "A-7", "reason_code": "no_need"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 82, '01a22d1b-a2dd-7128-b7d0-943475d87156', 'approval/A-5', 3, 'grant_lapsed', 1, '{"task_id": null, "approval_id": "A-5"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:10:00+00', '2026-03-02 09:10:00+00'),
	('ann', 84, '01a22d1b-a2e2-73d4-a5b2-82d07026708b', 'user', 3, 'consent_given', 1, '{"scope": "hush", "consent": "CO-2", "details": null, "expires_at": null}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 86, '01a22d1b-a2e6-75e2-8c01-404feb093f4a', 'routine/R-1', 1, 'routine_defined', 1, '{"title": "fares hush", "next_at": "2026-03-02T10:00:00Z", "schedule": null, "routine_id": "R-1", "instructions": null, "cooldown_seconds": 60}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 88, '01a22d1b-a2ed-7453-9c4a-b8bd9de310e3', 'routine/R-1', 3, 'routine_paused', 1, '{"reason": "hush", "routine_id": "R-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 90, '01a22d1b-a2f2-77bd-987d-9495923691f1', 'routine/R-1', 5, 'trigger_observed', 1, '{"next_at": null, "summary": "hush", "evidence": [], "routine_id": "R-1", "trigger_id": "TR-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 92, '01a22d1b-a2f9-7258-8144-bca2e8b4a6eb', 'routine/R-1', 7, 'proposal_made', 1, '{"body": null, "title": "hush", "task_id": null, "expires_at": null, "routine_id": "R-1", "trigger_id": null, "proposal_id": "PR-2"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 94, '01a22d1b-a300-766a-8719-7b8434e5338b', 'routine/R-1', 9, 'notification_sent', 1, '{"body": null, "title": "hush", "channel": null, "task_id": null, "routine_id": "R-1", "proposal_id": null, "notification_id": "N-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 96, '01a22d1b-a307-76aa-8c9c-c9783149502f', 'routine/R-1', 11, 'cooldown_started', 1, '{"reason": null, "until_at": "2026-03-02T10:30:00Z", "routine_id": "R-1"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 98, '01a22d1b-a30a-726c-9557-a543ca87816c', 'reminder/RE-2', 1, 'reminder_set', 1, '{"title": "plants hush", "remind_at": "2026-03-02T09:05:00Z", "reminder_id": "RE-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 100, '01a22d1b-a30e-750b-96bf-d9cbc9259725', 'reminder/RE-1', 2, 'reminder_changed', 1, '{"title": "the dentist hush", "cleared": [], "reminder_id": "RE-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('ann', 102, '01a22d1b-a312-7582-b46f-97ae4be926ae', 'reminder/RE-2', 2, 'reminder_due', 1, '{"late": false, "due_at": "2026-03-02T09:05:00Z", "next_at": null, "reminder_id": "RE-2"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:06:00+00', '2026-03-02 09:06:00+00'),
	('ann', 104, '01a22d1b-a315-758e-95ae-704df1f4fd4a', 'reminder/RE-2', 3, 'reminder_dismissed', 1, '{"next_at": null, "reminder_id": "RE-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00'),
	('bob', 2, '01a22d1b-a31a-7650-8d86-30923e119405', 'task/T-2', 1, 'task_created', 1, '{"title": "guests hush", "task_id": "T-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 3, '01a22d1b-a31a-7650-8d86-3093f9f4af37', 'task/T-2', 2, 'task_blocked', 1, '{"task_id": "T-2", "blocked_by": ["T-1"]}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 5, '01a22d1b-a31d-7275-9460-d0e39621bda1', 'task/T-4', 1, 'task_created', 1, '{"title": "gone hush", "task_id": "T-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 7, '01a22d1b-a31f-77cc-a8f3-4a3c3e6a6c7e', 'task/T-1', 2, 'task_changed', 1, '{"cleared": [], "task_id": "T-1", "description": "more hush"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 9, '01a22d1b-a322-76c3-87e2-7eea162b2aef', 'task/T-1', 4, 'task_phase_entered', 2, '{"phase": "draft", "task_id": "T-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 13, '01a22d1b-a327-74f4-902e-fec5c531f3d1', 'task/T-1', 8, 'task_output_attached', 1, '{"url": null, "title": "hush", "summary": null, "task_id": "T-1", "output_id": "O-1", "artifact_id": null}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 15, '01a22d1b-a32a-7011-82af-33e5a831e058', 'task/T-1', 10, 'task_input_requested', 1, '{"kind": "input", "prompt": "hush", "task_id": "T-1", "expires_at": null, "request_id": "Q-2"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 17, '01a22d1b-a32c-77a0-ba5e-0455463e95c8', 'task/T-1', 12, 'task_input_given', 1, '{"answer": "hush", "task_id": "T-1", "request_id": "Q-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 19, '01a22d1b-a32f-728a-b843-4029f93a17c4', 'task/T-3', 2, 'task_blocked', 1, '{"reason": "hush", "task_id": "T-3", "blocked_by": ["T-2"]}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 21, '01a22d1b-a332-7799-9c24-79b37bc66628', 'task/T-3', 4, 'task_scheduled', 1, '{"task_id": "T-3", "scheduled_at": "2026-03-03T00:00:00Z"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 23, '01a22d1b-a335-7458-b72b-1725f7cc642b', 'task/T-5', 2, 'task_completed', 1, '{"outcome": "hush", "task_id": "T-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 25, '01a22d1b-a337-74e8-aaed-b085bbc4f707', 'task/T-5', 4, 'task_failed', 1, '{"reason": "hush", "task_id": "T-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 27, '01a22d1b-a33a-7237-b553-366ca0b80794', 'task/T-4', 3, 'task_removed', 1, '{"reason": "hush", "task_id": "T-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 29, '01a22d1b-a33d-7234-8706-78a16004d19f', 'credits/ACC-2', 1, 'credits_observed', 1, '{"unit": "EUR", "amount": "12.5", "account": "ACC-2", "provider": null, "observed_at": "2026-03-02T09:00:00Z", "ttl_seconds": 3600}', '{"actor": {"id": "the-provider", "kind": "provider"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 31, '01a22d1b-a340-76e5-8aed-d5f36139816e', 'source/SRC-2', 1, 'source_observed', 1, '{"state": "whole", "covers": ["meetings"], "cursor": null, "source": "SRC-2", "fresh_seconds": 86400, "observed_through": "2026-03-02T09:00:00Z"}', '{"actor": {"id": "the-import", "kind": "import"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 33, '01a22d1b-a342-749f-bf6b-1e2e27eff73c', 'message/ME-1', 1, 'message_posted', 1, '{"role": "user", "text": "hush", "reply_to": null, "thread_id": "TH-1", "message_id": "ME-1", "attachments": [], "sensitivity": "normal", "shown_approvals": []}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 35, '01a22d1b-a344-7568-8207-76b0f6154b95', 'message/ME-2', 2, 'message_redacted', 1, '{"reason": "hush", "message_id": "ME-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 37, '01a22d1b-a348-739e-a775-089c99cc6f65', 'thread/TH-1', 2, 'checkpoint_recorded', 1, '{"body": {"goal": "hush"}, "task_id": null, "thread_id": "TH-1", "checkpoint_id": "CP-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 39, '01a22d1b-a34b-73d2-8827-c55bbad81cbe', 'claim/CL-1', 1, 'claim_recorded', 1, '{"value": "hush", "sources": [], "subject": "home", "claim_id": "CL-1", "attribute": "city", "confidence": null, "expires_at": null, "valid_from": null, "sensitivity": "normal"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 42, '01a22d1b-a34e-769f-af34-dcdd28cc4d60', 'claim/CL-2', 2, 'claim_withdrawn', 1, '{"reason": "hush", "claim_id": "CL-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 44, '01a22d1b-a350-739d-819f-d573f411ed06', 'artifact/F-2', 1, 'artifact_stored', 1, '{"parts": 1, "title": "hush", "sha256": "dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c", "source": null, "summary": null, "task_id": null, "media_type": "text/plain", "meeting_id": null, "size_bytes": 4, "artifact_id": "F-2", "sensitivity": "normal"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 46, '01a22d1b-a353-71e1-93c3-5f377932660f', 'user', 1, 'preferences_set', 1, '{"locale": null, "cleared": [], "time_zone": "Europe/Berlin", "preferences": {"word": "hush"}}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 48, '01a22d1b-a355-7298-9504-ffc0b886eb2b', 'meeting/M-2', 1, 'meeting_scheduled', 1, '{"title": "off hush", "start_at": "2026-03-02T10:30:00Z", "meeting_id": "M-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 50, '01a22d1b-a358-73d7-a3b9-31c858d99960', 'meeting/M-1', 3, 'meeting_started', 1, '{"meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 52, '01a22d1b-a35b-7376-82ec-d194399e30f9', 'meeting/M-1', 5, 'commitment_made', 1, '{"text": "hush", "owner": null, "due_at": null, "task_id": null, "meeting_id": "M-1", "commitment_id": "C-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 54, '01a22d1b-a35e-7717-829f-f2020d5ed595', 'meeting/M-1', 7, 'meeting_notes_written', 1, '{"notes": "hush", "meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 56, '01a22d1b-a360-76d7-9220-2fc1f3b3fb3a', 'meeting/M-1', 9, 'commitment_settled', 1, '{"reason": null, "status": "kept", "meeting_id": "M-1", "commitment_id": "C-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 58, '01a22d1b-a364-7189-a399-39d9a53aaead', 'approval/A-1', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 1", "action": "{\"account\":null,\"approval_id\":\"A-1\",\"arguments\":{\"amount\":\"1.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"bob\",\"v\":1}", "target": null, "account": null, "task_id": "T-1", "arguments": {"note": "hush", "amount": "1.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "931a5960ce05551d59087006e1d15b8a438f58aa693ff3c747e026128d4490eb", "approval_id": "A-1", "same_action": "449f223d1f40de74c1ef502d22917ecd69f270fb2c6d9bfcdd8031b735912186", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 60, '01a22d1b-a368-76e7-9f22-fb1bffe01088', 'approval/A-3', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 3", "action": "{\"account\":null,\"approval_id\":\"A-3\",\"arguments\":{\"amount\":\"3.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"bob\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "3.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "7da11c820d5f96d2798cc8dc574eda66c31a658eb24e1d49844745917d7e0b88", "approval_id": "A-3", "same_action": "a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 26, '01a22d1b-a338-75d4-ae07-800751c3a0f9', 'task/T-4', 2, 'task_cancelled', 1, '{"reason": "hush", "task_id": "T-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 28, '01a22d1b-a33b-742c-913d-e0c6f16025e1', 'connection/mail:ACC-1', 1, 'connection_observed', 1, '{"detail": "hush", "status": "connected", "account": "ACC-1", "provider": "mail", "observed_at": "2026-03-02T09:00:00Z", "ttl_seconds": 3600}', '{"actor": {"id": "the-provider", "kind": "provider"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 30, '01a22d1b-a33f-74bb-b4c9-e8613e87057d', 'source/SRC-1', 1, 'source_observed', 1, '{"state": "whole", "covers": ["tasks"], "cursor": null, "source": "SRC-1", "fresh_seconds": 86400, "observed_through": "2026-03-02T09:00:00Z"}', '{"actor": {"id": "the-import", "kind": "import"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 32, '01a22d1b-a341-704f-820e-fb2fd79aea94', 'source/SRC-2', 2, 'source_retired', 1, '{"reason": "hush", "source": "SRC-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 34, '01a22d1b-a343-74a7-9b16-af1d536040d8', 'message/ME-2', 1, 'message_posted', 1, '{"role": "agent", "text": "hush", "reply_to": "ME-1", "thread_id": "TH-1", "message_id": "ME-2", "attachments": [], "sensitivity": "normal", "shown_approvals": []}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 36, '01a22d1b-a346-75a5-8442-7d613d68be30', 'thread/TH-1', 1, 'correction_recorded', 1, '{"text": "hush", "task_id": null, "corrects": null, "thread_id": "TH-1", "message_id": "ME-1", "correction_id": "CR-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 38, '01a22d1b-a34a-70e7-bd3b-f1ddb6aef1f0', 'thread/TH-1', 3, 'summary_recorded', 1, '{"sentences": [{"text": "hush", "message_ids": ["ME-1"]}], "thread_id": "TH-1", "summary_id": "SU-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 40, '01a22d1b-a34d-72e1-9060-5e0bb95252fe', 'claim/CL-1', 2, 'claim_superseded', 1, '{"reason": null, "claim_id": "CL-1", "superseded_by": "CL-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 41, '01a22d1b-a34d-72e1-9060-5e0c24798ccb', 'claim/CL-2', 1, 'claim_recorded', 1, '{"value": "other hush", "sources": [], "subject": "home", "version": 2, "claim_id": "CL-2", "attribute": "city", "confidence": null, "expires_at": null, "supersedes": "CL-1", "valid_from": null, "sensitivity": "normal"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 43, '01a22d1b-a34f-72c2-a5fd-33f74d1b1e08', 'artifact/F-1', 1, 'artifact_stored', 1, '{"parts": 1, "title": "hush", "sha256": "dc8331bcb2283e89d275a1c2fe66f7bf5ac3163ec1967f149dd7e27906365f0c", "source": null, "summary": null, "task_id": "T-1", "media_type": "text/plain", "meeting_id": null, "size_bytes": 4, "artifact_id": "F-1", "sensitivity": "normal"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 45, '01a22d1b-a352-75dc-af12-0a18457835ed', 'artifact/F-2', 2, 'artifact_forgotten', 1, '{"reason": "hush", "artifact_id": "F-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 47, '01a22d1b-a354-75d6-83ca-fa97c1158d0c', 'meeting/M-1', 1, 'meeting_scheduled', 1, '{"title": "budget hush", "start_at": "2026-03-02T10:00:00Z", "meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 49, '01a22d1b-a357-774b-8963-d9471147344b', 'meeting/M-1', 2, 'meeting_changed', 1, '{"cleared": [], "location": "hush", "meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 51, '01a22d1b-a359-77e1-8286-29a8d9ba4441', 'meeting/M-1', 4, 'commitment_made', 1, '{"text": "hush", "owner": null, "due_at": null, "task_id": "T-1", "meeting_id": "M-1", "commitment_id": "C-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 53, '01a22d1b-a35c-76b7-9a6e-0282512dc600', 'meeting/M-1', 6, 'meeting_ended', 1, '{"meeting_id": "M-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 55, '01a22d1b-a35f-731b-848c-6817ac5de6ef', 'meeting/M-1', 8, 'transcript_attached', 1, '{"turns": null, "meeting_id": "M-1", "artifact_id": "F-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 57, '01a22d1b-a362-7506-9796-36281c6edadc', 'meeting/M-2', 2, 'meeting_cancelled', 1, '{"reason": "hush", "meeting_id": "M-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 59, '01a22d1b-a366-718e-8d78-44604aeecbe3', 'approval/A-2', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 2", "action": "{\"account\":null,\"approval_id\":\"A-2\",\"arguments\":{\"amount\":\"2.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"bob\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "2.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "c1c4038d7681d755a5feee5b3474aecabcf418db2ac4731bf63ead1f119a5528", "approval_id": "A-2", "same_action": "2753ab65b5fbe33b62614c833560f5b99ff15af512f7564dd729789a2fb7e6f6", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 61, '01a22d1b-a36a-717a-997f-ef5719dc9326', 'approval/A-6', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 6", "action": "{\"account\":null,\"approval_id\":\"A-6\",\"arguments\":{\"amount\":\"6.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"bob\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "6.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "d62938b580ced4b5975be1fb715c8f492269942889381feee145bd43b7eea9f7", "approval_id": "A-6", "same_action": "ab66e4c1894d2476c14e12ce77fbfcb64f9724a8ca79fc2c54caa6c86323bf26", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 63, '01a22d1b-a36d-742d-acc6-ab34625b526c', 'approval/A-8', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 8", "action": "{\"account\":null,\"approval_id\":\"A-8\",\"arguments\":{\"amount\":\"8.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"bob\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "8.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "747e0350d5015f88c576498a4d2f2933381f6181bfefb4cae05983245e31655a", "approval_id": "A-8", "same_action": "5e31fbe5be1ac9d5cc34637a4c85fa75b78f9723bd052f15e42d0ec0db8fa60d", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 102, '01a22d1b-a3b8-7449-b5ef-3ae051f580be', 'reminder/RE-2', 2, 'reminder_due', 1, '{"late": false, "due_at": "2026-03-02T09:05:00Z", "next_at": null, "reminder_id": "RE-2"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:06:00+00', '2026-03-02 09:06:00+00'),
	('bob', 62, '01a22d1b-a36b-7230-b18f-87cdd8610687', 'approval/A-7', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 7", "action": "{\"account\":null,\"approval_id\":\"A-7\",\"arguments\":{\"amount\":\"7.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"bob\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "7.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "6c72f40d28a371c4d1109ce9d2b0acbeb0f7b1c0ba45756d6060654026a21e0b", "approval_id": "A-7", "same_action": "6473a5fc4abc30d950429ede98390fbaad32d6593de0002d3f60e8e0554e87d7", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 64, '01a22d1b-a36e-7678-8e97-bd1461d763ad', 'approval/A-9', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 9", "action": "{\"account\":null,\"approval_id\":\"A-9\",\"arguments\":{\"amount\":\"9.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"bob\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "9.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "d4170b08e099fe65a02ab98e7f5020c70ebe8245544ee4b732da610a0ab24075", "approval_id": "A-9", "same_action": "f7ab7ce69fa442a67497a34aca798247cf6bdb592aa5ab192d946f7540ddbb93", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 66, '01a22d1b-a372-738e-8c24-c115a3dc7227', 'approval/A-5', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 5", "action": "{\"account\":null,\"approval_id\":\"A-5\",\"arguments\":{\"amount\":\"5.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"bob\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "5.00"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "fc15bad3189ac4e98f0c5f60e3181757e87fb2508b9b8f18703e555e5770b837", "approval_id": "A-5", "same_action": "82954c352f514c56216e20f977b305cf086ddb5c3af290aebb6d9de35afe9695", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 75, '01a22d1b-a38c-7618-b25d-8273e4d877cf', 'approval/A-2', 4, 'execution_succeeded', 1, '{"result": null, "task_id": null, "approval_id": "A-2", "execution_id": "X-2"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 77, '01a22d1b-a391-745a-84de-b17bd9b264d5', 'approval/A-9', 4, 'execution_outcome_unknown', 1, '{"reason": null, "task_id": null, "approval_id": "A-9", "reason_code": "no_result", "execution_id": "X-9"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 79, '01a22d1b-a397-770d-b365-bf15f8c91d07', 'approval/A-6', 2, 'approval_withdrawn', 1, '{"reason": "hush", "task_id": null, "approval_id": "A-6", "reason_code": "withdrawn_by_user"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 81, '01a22d1b-a39b-73b1-80ad-5e1dde4b4a5f', 'approval/A-4', 2, 'approval_expired', 1, '{"task_id": null, "approval_id": "A-4"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:10:00+00', '2026-03-02 09:10:00+00'),
	('bob', 83, '01a22d1b-a39e-7239-ad66-61bd43e49c25', 'user', 2, 'consent_given', 1, '{"scope": "mail", "consent": "CO-1", "details": null, "expires_at": null}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 85, '01a22d1b-a3a1-7790-90b4-77bb7e8a77b7', 'user', 4, 'consent_withdrawn', 1, '{"reason": "hush", "consent": "CO-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 87, '01a22d1b-a3a3-739d-a7ff-798546a6d9f1', 'routine/R-1', 2, 'routine_changed', 1, '{"cleared": [], "routine_id": "R-1", "instructions": "hush"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 89, '01a22d1b-a3a6-7613-8b70-a6ca2180dcfa', 'routine/R-1', 4, 'routine_resumed', 1, '{"next_at": "2026-03-02T11:00:00Z", "routine_id": "R-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 91, '01a22d1b-a3a9-71fe-984d-7b8028375973', 'routine/R-1', 6, 'proposal_made', 1, '{"body": null, "title": "hush", "task_id": null, "expires_at": null, "routine_id": "R-1", "trigger_id": "TR-1", "proposal_id": "PR-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 93, '01a22d1b-a3ad-7593-8cba-82fbca57790d', 'routine/R-1', 8, 'proposal_answered', 1, '{"note": "hush", "answer": "declined", "routine_id": "R-1", "proposal_id": "PR-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 95, '01a22d1b-a3b0-7401-b01c-eddae35394c9', 'routine/R-1', 10, 'notification_answered', 1, '{"note": null, "answer": "dismissed", "routine_id": "R-1", "notification_id": "N-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 97, '01a22d1b-a3b2-7773-9c59-d3ddcdf09c0b', 'reminder/RE-1', 1, 'reminder_set', 1, '{"title": "dentist hush", "remind_at": "2026-03-02T09:05:00Z", "reminder_id": "RE-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 99, '01a22d1b-a3b4-70f2-8613-02dcef2a6677', 'reminder/RE-3', 1, 'reminder_set', 1, '{"title": "off hush", "remind_at": "2026-03-02T09:05:00Z", "reminder_id": "RE-3"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 101, '01a22d1b-a3b7-7343-9cea-7af75472ccc7', 'reminder/RE-1', 3, 'reminder_due', 1, '{"late": false, "due_at": "2026-03-02T09:05:00Z", "next_at": null, "reminder_id": "RE-1"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:06:00+00', '2026-03-02 09:06:00+00'),
	('bob', 103, '01a22d1b-a3ba-75ce-8bdf-5d9ffd0fadcc', 'reminder/RE-1', 4, 'reminder_snoozed', 1, '{"until_at": "2026-03-02T10:00:00Z", "reminder_id": "RE-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00'),
	('bob', 105, '01a22d1b-a3bd-7456-83cd-84b37c47e825', 'reminder/RE-3', 2, 'reminder_cancelled', 1, '{"reason": "hush", "reminder_id": "RE-3"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 1, '01a22d1b-a3bf-74e1-acab-0dfbc0275e72', 'task/N-1', 1, 'task_created', 1, '{"title": "asked for ever", "task_id": "N-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 3, '01a22d1b-a3c1-76e7-aa32-b47213c01f4b', 'task/N-3', 1, 'task_created', 1, '{"title": "asked twice", "task_id": "N-3"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 5, '01a22d1b-a3c3-751c-b765-e8117f65712c', 'task/N-5', 1, 'task_created', 1, '{"title": "blocked and asked", "task_id": "N-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 7, '01a22d1b-a3c5-70f4-ba1f-78e13b6cbd2e', 'task/N-7', 1, 'task_created', 1, '{"title": "answered", "task_id": "N-7"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 65, '01a22d1b-a370-75ce-9843-73ac3e8b739f', 'approval/A-4', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay hush 4", "action": "{\"account\":null,\"approval_id\":\"A-4\",\"arguments\":{\"amount\":\"4.00\",\"note\":\"hush\"},\"expires_at\":\"2026-03-02T09:05:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"bob\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"note": "hush", "amount": "4.00"}, "requester": "the-agent", "expires_at": "2026-03-02T09:05:00Z", "action_hash": "20bd45509d3d857ff7965acb40faf46e42335949d30a64155e541e2316b01a5f", "approval_id": "A-4", "same_action": "19738763cdfba43dbb19de2b836cc00e4d514644ba7ef5349e77661f438aba62", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 67, '01a22d1b-a374-70d3-9b06-35f0cd056016', 'approval/A-1', 2, 'policy_decided', 1, '{"reason": null, "task_id": "T-1", "decision": "ask", "policy_id": "P-1", "approval_id": "A-1"}', '{"actor": {"id": "the-operator", "kind": "operator"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 68, '01a22d1b-a377-712e-b19e-0a1186d71649', 'approval/A-2', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T19:00:00Z", "action_hash": "c1c4038d7681d755a5feee5b3474aecabcf418db2ac4731bf63ead1f119a5528", "approval_id": "A-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 69, '01a22d1b-a37b-727b-b414-f2d4770327e9', 'approval/A-8', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T19:00:00Z", "action_hash": "747e0350d5015f88c576498a4d2f2933381f6181bfefb4cae05983245e31655a", "approval_id": "A-8"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 70, '01a22d1b-a37e-7303-8b8a-848557c4eaac', 'approval/A-9', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T19:00:00Z", "action_hash": "d4170b08e099fe65a02ab98e7f5020c70ebe8245544ee4b732da610a0ab24075", "approval_id": "A-9"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 71, '01a22d1b-a381-7341-8c3b-2f03bd2a4a59', 'approval/A-5', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T09:05:00Z", "action_hash": "fc15bad3189ac4e98f0c5f60e3181757e87fb2508b9b8f18703e555e5770b837", "approval_id": "A-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 72, '01a22d1b-a384-772a-a35d-24826125f38c', 'approval/A-2', 3, 'execution_started', 1, '{"policy": {"decision": "allow", "policy_id": "P-1"}, "task_id": null, "action_hash": "c1c4038d7681d755a5feee5b3474aecabcf418db2ac4731bf63ead1f119a5528", "approval_id": "A-2", "deadline_at": "2026-03-02T14:00:00Z", "execution_id": "X-2", "idempotency_key": "c1c4038d7681d755a5feee5b3474aecabcf418db2ac4731bf63ead1f119a5528"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 73, '01a22d1b-a387-712a-ac9b-68cd291c0a8d', 'approval/A-8', 3, 'execution_started', 1, '{"policy": {"decision": "allow", "policy_id": "P-1"}, "task_id": null, "action_hash": "747e0350d5015f88c576498a4d2f2933381f6181bfefb4cae05983245e31655a", "approval_id": "A-8", "deadline_at": "2026-03-02T14:00:00Z", "execution_id": "X-8", "idempotency_key": "747e0350d5015f88c576498a4d2f2933381f6181bfefb4cae05983245e31655a"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 74, '01a22d1b-a38a-751d-8db1-5fda67be9bbe', 'approval/A-9', 3, 'execution_started', 1, '{"policy": {"decision": "allow", "policy_id": "P-1"}, "task_id": null, "action_hash": "d4170b08e099fe65a02ab98e7f5020c70ebe8245544ee4b732da610a0ab24075", "approval_id": "A-9", "deadline_at": "2026-03-02T14:00:00Z", "execution_id": "X-9", "idempotency_key": "d4170b08e099fe65a02ab98e7f5020c70ebe8245544ee4b732da610a0ab24075"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00');
INSERT INTO public.event VALUES
	('bob', 76, '01a22d1b-a38f-7030-a8be-4b2f4575f338', 'approval/A-8', 4, 'execution_failed', 1, '{"error": "hush", "result": null, "task_id": null, "approval_id": "A-8", "reason_code": "execution_failed", "execution_id": "X-8"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 78, '01a22d1b-a394-757b-844d-1d7164ca296e', 'approval/A-3', 2, 'approval_denied', 1, '{"reason": "hush", "task_id": null, "approval_id": "A-3", "same_action": "a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 80, '01a22d1b-a399-74da-9a67-47bf0c099756', 'approval/A-7', 2, 'approval_mooted', 1, '{"reason": "hush", "task_id": null, "approval_id": "A-7", "reason_code": "no_need"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 82, '01a22d1b-a39d-7483-b482-f1926134f784', 'approval/A-5', 3, 'grant_lapsed', 1, '{"task_id": null, "approval_id": "A-5"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:10:00+00', '2026-03-02 09:10:00+00'),
	('bob', 84, '01a22d1b-a3a0-76fc-bb7d-f0735058437c', 'user', 3, 'consent_given', 1, '{"scope": "hush", "consent": "CO-2", "details": null, "expires_at": null}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 86, '01a22d1b-a3a2-7390-a8e5-7417054dbfdc', 'routine/R-1', 1, 'routine_defined', 1, '{"title": "fares hush", "next_at": "2026-03-02T10:00:00Z", "schedule": null, "routine_id": "R-1", "instructions": null, "cooldown_seconds": 60}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 88, '01a22d1b-a3a5-72c3-a927-67438146d9ca', 'routine/R-1', 3, 'routine_paused', 1, '{"reason": "hush", "routine_id": "R-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 90, '01a22d1b-a3a8-7249-b61c-b7d40a81f03f', 'routine/R-1', 5, 'trigger_observed', 1, '{"next_at": null, "summary": "hush", "evidence": [], "routine_id": "R-1", "trigger_id": "TR-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 92, '01a22d1b-a3ab-7336-b60c-15aed84dd4d0', 'routine/R-1', 7, 'proposal_made', 1, '{"body": null, "title": "hush", "task_id": null, "expires_at": null, "routine_id": "R-1", "trigger_id": null, "proposal_id": "PR-2"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 94, '01a22d1b-a3ae-7228-9ae7-47452423aad3', 'routine/R-1', 9, 'notification_sent', 1, '{"body": null, "title": "hush", "channel": null, "task_id": null, "routine_id": "R-1", "proposal_id": null, "notification_id": "N-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 96, '01a22d1b-a3b1-75d7-96ae-cec38b334903', 'routine/R-1', 11, 'cooldown_started', 1, '{"reason": null, "until_at": "2026-03-02T10:30:00Z", "routine_id": "R-1"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 98, '01a22d1b-a3b3-75f0-b494-5c55c9334602', 'reminder/RE-2', 1, 'reminder_set', 1, '{"title": "plants hush", "remind_at": "2026-03-02T09:05:00Z", "reminder_id": "RE-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 100, '01a22d1b-a3b6-726a-bcd4-261b5ebfe14d', 'reminder/RE-1', 2, 'reminder_changed', 1, '{"title": "the dentist hush", "cleared": [], "reminder_id": "RE-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('bob', 104, '01a22d1b-a3bb-7649-96a1-30fb2c6c41ca', 'reminder/RE-2', 3, 'reminder_dismissed', 1, '{"next_at": null, "reminder_id": "RE-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00'),
	('cem', 2, '01a22d1b-a3c0-740f-80e0-629cf81f8f84', 'task/N-2', 1, 'task_created', 1, '{"title": "asked until ten", "task_id": "N-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 4, '01a22d1b-a3c2-7464-b097-b65a098bf1c4', 'task/N-4', 1, 'task_created', 1, '{"title": "ended while asked", "task_id": "N-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 6, '01a22d1b-a3c4-76a6-af9f-f82228def583', 'task/N-6', 1, 'task_created', 1, '{"title": "waits for an approval", "task_id": "N-6"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 8, '01a22d1b-a3c5-70f4-ba1f-78e26c152a95', 'task/N-8', 1, 'task_created', 1, '{"title": "never asked", "task_id": "N-8"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 10, '01a22d1b-a3c8-70eb-a53a-f839cca0c09a', 'task/N-1', 2, 'task_input_requested', 1, '{"kind": "input", "prompt": "R-1?", "task_id": "N-1", "expires_at": null, "request_id": "R-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 12, '01a22d1b-a3ca-74c6-b746-e1181a1b7f40', 'task/N-3', 2, 'task_input_requested', 1, '{"kind": "decision", "prompt": "R-3?", "task_id": "N-3", "expires_at": "2026-03-02T10:00:00Z", "request_id": "R-3"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 14, '01a22d1b-a3cd-70c8-ac97-946b964d6e3a', 'task/N-4', 2, 'task_input_requested', 1, '{"kind": "input", "prompt": "R-5?", "task_id": "N-4", "expires_at": null, "request_id": "R-5"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 16, '01a22d1b-a3d0-73c7-ada6-67fcf3045c05', 'task/N-5', 2, 'task_input_requested', 1, '{"kind": "input", "prompt": "R-6?", "task_id": "N-5", "expires_at": null, "request_id": "R-6"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 18, '01a22d1b-a3d2-7669-8fce-ca9bab19a7bd', 'task/N-7', 2, 'task_input_requested', 1, '{"kind": "input", "prompt": "R-7?", "task_id": "N-7", "expires_at": null, "request_id": "R-7"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 20, '01a22d1b-a3d5-70ef-9e07-2654f2a38f2c', 'task/N-9', 2, 'task_input_requested', 1, '{"kind": "input", "prompt": "R-8?", "task_id": "N-9", "expires_at": null, "request_id": "R-8"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 22, '01a22d1b-a3d8-7511-8d9c-ce5e9178087e', 'task/N-9', 4, 'task_reopened', 1, '{"reason": null, "task_id": "N-9"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:06:00+00', '2026-03-02 09:06:00+00'),
	('cem', 24, '01a22d1b-a3da-7316-aa0f-69fd83771fc7', 'approval/V-1', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay V-1", "action": "{\"account\":null,\"approval_id\":\"V-1\",\"arguments\":{\"id\":\"V-1\"},\"expires_at\":\"2026-03-02T11:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"cem\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"id": "V-1"}, "requester": "the-agent", "expires_at": "2026-03-02T11:00:00Z", "action_hash": "10d02d60dae5ed70a1bacf1249a49aa4eb6e2878d169207736c67a715b603279", "approval_id": "V-1", "same_action": "5b89a5556a6f5202a1539d9e4462cbdad16c16bfb657e7dfd54968f4a972c8aa", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 26, '01a22d1b-a3de-709e-925d-d0fa2b90bcf4', 'approval/V-3', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay V-3", "action": "{\"account\":null,\"approval_id\":\"V-3\",\"arguments\":{\"id\":\"V-3\"},\"expires_at\":\"2026-03-02T11:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"cem\",\"v\":1}", "target": null, "account": null, "task_id": "N-6", "arguments": {"id": "V-3"}, "requester": "the-agent", "expires_at": "2026-03-02T11:00:00Z", "action_hash": "4264314cfb5c30edde2de4ca30d260500e33006d63df738aec924b17a3b959d7", "approval_id": "V-3", "same_action": "d3e1a522d3393c567a6e80f9da931fe2d4057f0ab877de22830b4fd06b3b516a", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 28, '01a22d1b-a3e1-72a3-9be4-9e58391122d9', 'approval/V-5', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay V-5", "action": "{\"account\":null,\"approval_id\":\"V-5\",\"arguments\":{\"id\":\"V-5\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"cem\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"id": "V-5"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "426ce9cd109c2f6ab4ddbe30f1886b9591dc0b3289dd23eea0c771e191bb331a", "approval_id": "V-5", "same_action": "fa6e0811e51085c1981406f0897d0eda08982f9eed1a715280d036a5120df7bf", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 30, '01a22d1b-a3e5-7609-a872-36c1a570fac6', 'approval/V-7', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay V-7", "action": "{\"account\":null,\"approval_id\":\"V-7\",\"arguments\":{\"id\":\"V-7\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"cem\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"id": "V-7"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "2b4f1f9757f3d2bb4b9e5b309ec46b61c3721da9b10b2bf59ce57007de26c0ed", "approval_id": "V-7", "same_action": "7e1e6046a7b4d6fcd90866591e6792a05b47774d2b7e577aef61a163fe8d0baf", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 37, '01a22d1b-a3f9-71be-81ab-ceccdace09da', 'approval/V-6', 4, 'execution_outcome_unknown', 1, '{"reason": null, "task_id": null, "approval_id": "V-6", "reason_code": "no_result", "execution_id": "X-V-6"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:04:00+00', '2026-03-02 09:04:00+00'),
	('cem', 38, '01a22d1b-a3fb-7080-9729-6b7987a906b8', 'approval/V-7', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T19:00:00Z", "action_hash": "2b4f1f9757f3d2bb4b9e5b309ec46b61c3721da9b10b2bf59ce57007de26c0ed", "approval_id": "V-7"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:02:00+00', '2026-03-02 09:02:00+00'),
	('cem', 39, '01a22d1b-a3fe-7507-b266-1dd8ab8bef9c', 'approval/V-7', 3, 'execution_started', 1, '{"policy": {"decision": "allow", "policy_id": "P-1"}, "task_id": null, "action_hash": "2b4f1f9757f3d2bb4b9e5b309ec46b61c3721da9b10b2bf59ce57007de26c0ed", "approval_id": "V-7", "deadline_at": "2026-03-02T14:00:00Z", "execution_id": "X-V-7", "idempotency_key": "2b4f1f9757f3d2bb4b9e5b309ec46b61c3721da9b10b2bf59ce57007de26c0ed"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:03:00+00', '2026-03-02 09:03:00+00'),
	('cem', 42, '01a22d1b-a404-7255-9b91-d698320cf984', 'reminder/B-1', 1, 'reminder_set', 1, '{"title": "call B-1", "remind_at": "2026-03-02T10:00:00Z", "reminder_id": "B-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 9, '01a22d1b-a3c6-7530-8e27-b4b620cca28b', 'task/N-9', 1, 'task_created', 1, '{"title": "asked again", "task_id": "N-9"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 11, '01a22d1b-a3c9-77dc-a6ed-89b1fa9a8ffd', 'task/N-2', 2, 'task_input_requested', 1, '{"kind": "input", "prompt": "R-2?", "task_id": "N-2", "expires_at": "2026-03-02T10:00:00Z", "request_id": "R-2"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 13, '01a22d1b-a3cc-7020-86c4-f423eb48f90d', 'task/N-3', 3, 'task_input_requested', 1, '{"kind": "input", "prompt": "R-4?", "task_id": "N-3", "expires_at": "2026-03-02T13:00:00Z", "request_id": "R-4"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:02:00+00', '2026-03-02 09:02:00+00'),
	('cem', 15, '01a22d1b-a3ce-768e-bc4b-15346a74704e', 'task/N-4', 3, 'task_completed', 1, '{"outcome": null, "task_id": "N-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:03:00+00', '2026-03-02 09:03:00+00'),
	('cem', 17, '01a22d1b-a3d1-7263-8c7a-8eec699d3904', 'task/N-5', 3, 'task_blocked', 1, '{"reason": null, "task_id": "N-5", "blocked_by": ["N-8"]}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:03:00+00', '2026-03-02 09:03:00+00'),
	('cem', 19, '01a22d1b-a3d4-74b5-b413-707e51aacbf1', 'task/N-7', 3, 'task_input_given', 1, '{"answer": "yes", "task_id": "N-7", "request_id": "R-7"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:04:00+00', '2026-03-02 09:04:00+00'),
	('cem', 21, '01a22d1b-a3d6-73b8-9788-9be1d1703f42', 'task/N-9', 3, 'task_completed', 1, '{"outcome": null, "task_id": "N-9"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:05:00+00', '2026-03-02 09:05:00+00'),
	('cem', 23, '01a22d1b-a3d9-70d6-8633-940a8cac46f2', 'task/N-9', 5, 'task_input_requested', 1, '{"kind": "input", "prompt": "R-9?", "task_id": "N-9", "expires_at": null, "request_id": "R-9"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00'),
	('cem', 25, '01a22d1b-a3dc-72e9-bc3e-f515f82f533a', 'approval/V-2', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay V-2", "action": "{\"account\":null,\"approval_id\":\"V-2\",\"arguments\":{\"id\":\"V-2\"},\"expires_at\":\"2026-03-02T10:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"cem\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"id": "V-2"}, "requester": "the-agent", "expires_at": "2026-03-02T10:00:00Z", "action_hash": "5a874cd155bd5950127afcd8fedc6a78999e3ce256f199f3f56b94dd8361258d", "approval_id": "V-2", "same_action": "a3ebce7c87193bf2bab6d3d6f7883eef1e15651568c05f9ef8baf8b2f5760c37", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 27, '01a22d1b-a3e0-75c3-8432-e4a757be689a', 'approval/V-4', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay V-4", "action": "{\"account\":null,\"approval_id\":\"V-4\",\"arguments\":{\"id\":\"V-4\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"cem\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"id": "V-4"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "ee56c92da7d9d3c71accb80d1c6236510d4bce2fec9ac1e575566de0180f1fe8", "approval_id": "V-4", "same_action": "0a12f5a9114e0b1d0b81699e30f882c0b62b6aea4c1c5236493ad91676d50a9c", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 29, '01a22d1b-a3e3-722f-b2a5-449784b8c478', 'approval/V-6', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay V-6", "action": "{\"account\":null,\"approval_id\":\"V-6\",\"arguments\":{\"id\":\"V-6\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"cem\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"id": "V-6"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "c228d29753ffc84f1761cae3f9df8f8e906347138afb171eb033f1b1a444e2cd", "approval_id": "V-6", "same_action": "6ea1e8c5077021067030b79bc59b3a33b2750f57d377ef5041daeabd6ef1c748", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 31, '01a22d1b-a3e7-741d-9c53-69fcb098d868', 'approval/V-8', 1, 'approval_requested', 1, '{"tool": "bank.transfer", "title": "pay V-8", "action": "{\"account\":null,\"approval_id\":\"V-8\",\"arguments\":{\"id\":\"V-8\"},\"expires_at\":\"2026-03-02T19:00:00+00:00\",\"preconditions\":[],\"requester\":\"the-agent\",\"target\":null,\"tool\":\"bank.transfer\",\"tool_schema_sha256\":null,\"user_id\":\"cem\",\"v\":1}", "target": null, "account": null, "task_id": null, "arguments": {"id": "V-8"}, "requester": "the-agent", "expires_at": "2026-03-02T19:00:00Z", "action_hash": "f9036b092bf817bc7112c6ff01166ad75905151afc5ab21bbaa5e846e889d1de", "approval_id": "V-8", "same_action": "6c6194e32bbfdc8ea0efa112c026ce945c3f90828a4c1b40f4256e8b8c972dc0", "preconditions": [], "tool_schema_sha256": null}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 32, '01a22d1b-a3ea-70b4-825d-733b6bdc16ff', 'approval/V-4', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T14:00:00Z", "action_hash": "ee56c92da7d9d3c71accb80d1c6236510d4bce2fec9ac1e575566de0180f1fe8", "approval_id": "V-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:02:00+00', '2026-03-02 09:02:00+00'),
	('cem', 33, '01a22d1b-a3ed-759e-b15e-10f02e2fc6e3', 'approval/V-5', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T19:00:00Z", "action_hash": "426ce9cd109c2f6ab4ddbe30f1886b9591dc0b3289dd23eea0c771e191bb331a", "approval_id": "V-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:02:00+00', '2026-03-02 09:02:00+00'),
	('cem', 34, '01a22d1b-a3f0-7581-8ba5-37f90ef992b0', 'approval/V-5', 3, 'execution_started', 1, '{"policy": {"decision": "allow", "policy_id": "P-1"}, "task_id": null, "action_hash": "426ce9cd109c2f6ab4ddbe30f1886b9591dc0b3289dd23eea0c771e191bb331a", "approval_id": "V-5", "deadline_at": "2026-03-02T10:00:00Z", "execution_id": "X-V-5", "idempotency_key": "426ce9cd109c2f6ab4ddbe30f1886b9591dc0b3289dd23eea0c771e191bb331a"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:03:00+00', '2026-03-02 09:03:00+00'),
	('cem', 35, '01a22d1b-a3f4-73ec-a7d8-d3fe9da60c64', 'approval/V-6', 2, 'approval_granted', 1, '{"task_id": null, "redeem_by": "2026-03-02T19:00:00Z", "action_hash": "c228d29753ffc84f1761cae3f9df8f8e906347138afb171eb033f1b1a444e2cd", "approval_id": "V-6"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:02:00+00', '2026-03-02 09:02:00+00'),
	('cem', 36, '01a22d1b-a3f7-7080-b122-54734d78f3c9', 'approval/V-6', 3, 'execution_started', 1, '{"policy": {"decision": "allow", "policy_id": "P-1"}, "task_id": null, "action_hash": "c228d29753ffc84f1761cae3f9df8f8e906347138afb171eb033f1b1a444e2cd", "approval_id": "V-6", "deadline_at": "2026-03-02T14:00:00Z", "execution_id": "X-V-6", "idempotency_key": "c228d29753ffc84f1761cae3f9df8f8e906347138afb171eb033f1b1a444e2cd"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:03:00+00', '2026-03-02 09:03:00+00'),
	('cem', 40, '01a22d1b-a401-76b3-a6d3-1d82db6e4ed5', 'approval/V-7', 4, 'execution_succeeded', 1, '{"result": null, "task_id": null, "approval_id": "V-7", "execution_id": "X-V-7"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:04:00+00', '2026-03-02 09:04:00+00'),
	('cem', 41, '01a22d1b-a403-75dc-b05a-580c208991b2', 'approval/V-8', 2, 'approval_denied', 1, '{"reason": null, "task_id": null, "approval_id": "V-8", "same_action": "6c6194e32bbfdc8ea0efa112c026ce945c3f90828a4c1b40f4256e8b8c972dc0"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:04:00+00', '2026-03-02 09:04:00+00'),
	('cem', 43, '01a22d1b-a405-773e-b113-651d2a679aec', 'reminder/B-2', 1, 'reminder_set', 1, '{"title": "call B-2", "remind_at": "2026-03-02T09:05:00Z", "reminder_id": "B-2"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 45, '01a22d1b-a407-750b-bae6-de89d2e8783e', 'reminder/B-4', 1, 'reminder_set', 1, '{"title": "call B-4", "remind_at": "2026-03-02T09:05:00Z", "reminder_id": "B-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 47, '01a22d1b-a40a-7338-bbc5-ad4d3abdacee', 'reminder/B-2', 2, 'reminder_due', 1, '{"late": false, "due_at": "2026-03-02T09:05:00Z", "next_at": null, "reminder_id": "B-2"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:06:00+00', '2026-03-02 09:06:00+00'),
	('cem', 49, '01a22d1b-a40e-75cb-b115-92322d01c76c', 'reminder/B-3', 3, 'reminder_snoozed', 1, '{"until_at": "2026-03-02T10:00:00Z", "reminder_id": "B-3"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00'),
	('cem', 51, '01a22d1b-a410-7346-ac1e-75c32fca4816', 'routine/P-1', 1, 'proposal_made', 1, '{"body": null, "title": "a walk", "task_id": null, "expires_at": null, "routine_id": null, "trigger_id": null, "proposal_id": "P-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 53, '01a22d1b-a412-7124-84d0-434abfe880fd', 'routine/P-3', 1, 'proposal_made', 1, '{"body": null, "title": "a book", "task_id": null, "expires_at": null, "routine_id": null, "trigger_id": null, "proposal_id": "P-3"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('dee', 1, '01a22d1b-a415-7522-8a0c-1009ffd82a0b', 'task/D-1', 1, 'task_created', 1, '{"title": "still told", "task_id": "D-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('dee', 4, '01a22d1b-a419-7592-ab72-c1f8b732d514', 'message/ME-3', 1, 'message_posted', 1, '{"role": "user", "text": "after", "reply_to": null, "thread_id": "TH", "message_id": "ME-3", "attachments": [], "sensitivity": "normal", "shown_approvals": []}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:03:00+00', '2026-03-02 09:03:00+00'),
	('dee', 5, '01a22d1b-a41c-707a-95ce-a8c26d7acda2', 'task/D-1', 2, 'task_input_requested', 1, '{"kind": "input", "prompt": "Which?", "task_id": "D-1", "expires_at": null, "request_id": "R-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:04:00+00', '2026-03-02 09:04:00+00'),
	('cem', 44, '01a22d1b-a406-747b-bdb0-e43315b23c76', 'reminder/B-3', 1, 'reminder_set', 1, '{"title": "call B-3", "remind_at": "2026-03-02T09:05:00Z", "reminder_id": "B-3"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 46, '01a22d1b-a408-76f1-b300-7ba855dbc660', 'reminder/B-5', 1, 'reminder_set', 1, '{"title": "call B-5", "remind_at": "2026-03-02T19:00:00Z", "reminder_id": "B-5"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('cem', 48, '01a22d1b-a40c-762e-8da7-e419b952077c', 'reminder/B-3', 2, 'reminder_due', 1, '{"late": false, "due_at": "2026-03-02T09:05:00Z", "next_at": null, "reminder_id": "B-3"}', '{"actor": {"id": "the-scheduler", "kind": "scheduler"}}', NULL, '2026-03-02 09:06:00+00', '2026-03-02 09:06:00+00'),
	('cem', 50, '01a22d1b-a40f-74a5-b0a5-c70b4cc33aa4', 'reminder/B-4', 2, 'reminder_dismissed', 1, '{"next_at": null, "reminder_id": "B-4"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00'),
	('cem', 52, '01a22d1b-a411-748a-b4ba-605b8b805b86', 'routine/P-2', 1, 'proposal_made', 1, '{"body": null, "title": "a train", "task_id": null, "expires_at": "2026-03-02T10:00:00Z", "routine_id": null, "trigger_id": null, "proposal_id": "P-2"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('cem', 54, '01a22d1b-a414-7005-a12d-f4c5c9bf226d', 'routine/P-3', 2, 'proposal_answered', 1, '{"note": null, "answer": "accepted", "routine_id": null, "proposal_id": "P-3"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:02:00+00', '2026-03-02 09:02:00+00'),
	('dee', 2, '01a22d1b-a416-756e-9a02-9f384fcb389a', 'message/ME-1', 1, 'message_posted', 1, '{"role": "user", "text": "before", "reply_to": null, "thread_id": "TH", "message_id": "ME-1", "attachments": [], "sensitivity": "normal", "shown_approvals": []}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('dee', 3, '01a22d1b-a418-770d-8b95-3dca98911f53', 'message/ME-2', 1, 'message_posted', 1, '{"role": "user", "text": "parked", "reply_to": null, "thread_id": "TH", "message_id": "ME-2", "attachments": [], "sensitivity": "normal", "shown_approvals": []}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:02:00+00', '2026-03-02 09:02:00+00'),
	('eli', 1, '01a22d1b-a41d-7655-a87d-0853fd54f566', 'task/E-1', 1, 'task_created', 1, '{"title": "behind", "task_id": "E-1"}', '{"actor": {"id": "the-user", "kind": "user"}}', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00'),
	('eli', 2, '01a22d1b-a421-75c8-8ff7-42a0e20d34d1', 'task/E-1', 2, 'task_input_requested', 1, '{"kind": "input", "prompt": "1?", "task_id": "E-1", "expires_at": null, "request_id": "R-1"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:01:00+00', '2026-03-02 09:01:00+00'),
	('eli', 3, '01a22d1b-a426-7743-a7f5-838ba92f11a3', 'task/E-1', 3, 'task_input_requested', 1, '{"kind": "input", "prompt": "2?", "task_id": "E-1", "expires_at": null, "request_id": "R-2"}', '{"actor": {"id": "the-agent", "kind": "agent"}}', NULL, '2026-03-02 09:02:00+00', '2026-03-02 09:02:00+00');
INSERT INTO public.message VALUES
	('ann', 1, 'ME-1', 'TH-1', 'user', 'hush', '2026-03-02 09:00:00+00', NULL, '[]', '[]', 'normal', false, 33, 33),
	('ann', 1, 'ME-2', 'TH-1', 'agent', NULL, '2026-03-02 09:00:00+00', 'ME-1', '[]', '[]', 'normal', true, 34, 35),
	('bob', 1, 'ME-1', 'TH-1', 'user', 'hush', '2026-03-02 09:00:00+00', NULL, '[]', '[]', 'normal', false, 33, 33),
	('bob', 1, 'ME-2', 'TH-1', 'agent', NULL, '2026-03-02 09:00:00+00', 'ME-1', '[]', '[]', 'normal', true, 34, 35),
	('dee', 1, 'ME-1', 'TH', 'user', 'before', '2026-03-02 09:01:00+00', NULL, '[]', '[]', 'normal', false, 2, 2);
INSERT INTO public.projection_generation VALUES
	('inline', 1, 1, 'live');
INSERT INTO public.projection_progress VALUES
	('cem', 'inline', 1, 54, '{}', 17),
	('bob', 'inline', 1, 105, '{}', 5),
	('dee', 'inline', 1, 5, '{"conversation": {"at": "2026-03-02T09:02:00+00:00", "reason": "message cannot fold message_posted of message/ME-2 (version 1): ZeroDivisionError: a fault of that day", "position": 3, "failed_position": 3}}', 1),
	('eli', 'inline', 1, 1, '{}', 0),
	('ann', 'inline', 1, 105, '{}', 5);
INSERT INTO public.summary VALUES
	('ann', 1, 'SU-1', 'TH-1', '[{"text": "hush", "message_ids": ["ME-1"]}]', '2026-03-02 09:00:00+00', 38, 38),
	('bob', 1, 'SU-1', 'TH-1', '[{"text": "hush", "message_ids": ["ME-1"]}]', '2026-03-02 09:00:00+00', 38, 38);
INSERT INTO public.thread VALUES
	('ann', 1, 'TH-1', 'CP-1', 'SU-1', '[{"text": "hush", "task_id": null, "corrects": null, "message_id": "ME-1", "corrected_at": "2026-03-02T09:00:00+00:00", "correction_id": "CR-1"}]', '2026-03-02 09:00:00+00', 36, 38),
	('bob', 1, 'TH-1', 'CP-1', 'SU-1', '[{"text": "hush", "task_id": null, "corrects": null, "message_id": "ME-1", "corrected_at": "2026-03-02T09:00:00+00:00", "correction_id": "CR-1"}]', '2026-03-02 09:00:00+00', 36, 38);
INSERT INTO public.user_log VALUES
	('ann', 105, 0, NULL),
	('cem', 54, 0, NULL),
	('dee', 5, 0, NULL),
	('eli', 3, 0, NULL),
	('bob', 105, 0, NULL);
INSERT INTO public.work_approval VALUES
	('ann', 1, 'A-1', 'pay hush 1', 'requested', '2026-03-02 09:00:00+00', 'T-1', 'bank.transfer', NULL, '{"note": "hush", "amount": "1.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-1","arguments":{"amount":"1.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"ann","v":1}', '02e771a80cbeae9a100b3340bcc5594d48a0925ae9fbcef7fcf39f15cc689629', '449f223d1f40de74c1ef502d22917ecd69f270fb2c6d9bfcdd8031b735912186', '[]', '{"reason": null, "decision": "ask", "policy_id": "P-1"}', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, 58, 67),
	('ann', 1, 'A-2', 'pay hush 2', 'executed', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "2.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-2","arguments":{"amount":"2.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"ann","v":1}', '501cb3f94990511beb3fa87f14c54f8931e1c6755599553f603eca0a6a73920c', '2753ab65b5fbe33b62614c833560f5b99ff15af512f7564dd729789a2fb7e6f6', '[]', '{"reason": null, "decision": "allow", "policy_id": "P-1"}', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'X-2', '501cb3f94990511beb3fa87f14c54f8931e1c6755599553f603eca0a6a73920c', '2026-03-02 09:00:00+00', '2026-03-02 14:00:00+00', NULL, NULL, NULL, '2026-03-02 09:00:00+00', false, 59, 75),
	('ann', 1, 'A-8', 'pay hush 8', 'failed', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "8.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-8","arguments":{"amount":"8.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"ann","v":1}', '1ba9b84ade6ab84b03c6b61d57b2f399ab5bdef3a208f2178bb4f02f71fdb400', '5e31fbe5be1ac9d5cc34637a4c85fa75b78f9723bd052f15e42d0ec0db8fa60d', '[]', '{"reason": null, "decision": "allow", "policy_id": "P-1"}', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'X-8', '1ba9b84ade6ab84b03c6b61d57b2f399ab5bdef3a208f2178bb4f02f71fdb400', '2026-03-02 09:00:00+00', '2026-03-02 14:00:00+00', NULL, 'execution_failed', 'hush', '2026-03-02 09:00:00+00', false, 63, 76),
	('ann', 1, 'A-9', 'pay hush 9', 'outcome_unknown', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "9.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-9","arguments":{"amount":"9.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"ann","v":1}', 'e0c89c070a1e107a3ac38815cf58f04b036d120fce6719ccf44ed868872d117b', 'f7ab7ce69fa442a67497a34aca798247cf6bdb592aa5ab192d946f7540ddbb93', '[]', '{"reason": null, "decision": "allow", "policy_id": "P-1"}', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'X-9', 'e0c89c070a1e107a3ac38815cf58f04b036d120fce6719ccf44ed868872d117b', '2026-03-02 09:00:00+00', '2026-03-02 14:00:00+00', NULL, 'no_result', NULL, NULL, true, 64, 77),
	('ann', 1, 'A-3', 'pay hush 3', 'denied', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "3.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-3","arguments":{"amount":"3.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"ann","v":1}', 'e9943f53501f1b3b6e9dcdfc1cb0be99ed9fd2b660ed22ff092589d51fdbe7f7', 'a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'human_denied', 'hush', '2026-03-02 09:00:00+00', false, 60, 78),
	('ann', 1, 'A-6', 'pay hush 6', 'withdrawn', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "6.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-6","arguments":{"amount":"6.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"ann","v":1}', 'acf1d3a1ffd01cd22f8477df1da1c3e0b4742f2b36a77efb3fde0af560f08d3f', 'ab66e4c1894d2476c14e12ce77fbfcb64f9724a8ca79fc2c54caa6c86323bf26', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'withdrawn_by_user', 'hush', '2026-03-02 09:00:00+00', false, 61, 79),
	('ann', 1, 'A-7', 'pay hush 7', 'moot', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "7.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-7","arguments":{"amount":"7.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"ann","v":1}', 'c8e2155c719135906a5fc651435a7afd2c472af3bf7b1076502be8b489475fbb', '6473a5fc4abc30d950429ede98390fbaad32d6593de0002d3f60e8e0554e87d7', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'no_need', 'hush', '2026-03-02 09:00:00+00', false, 62, 80),
	('ann', 1, 'A-4', 'pay hush 4', 'expired', '2026-03-02 09:10:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "4.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-4","arguments":{"amount":"4.00","note":"hush"},"expires_at":"2026-03-02T09:05:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"ann","v":1}', 'e2a6fffe886442b74cf41f452dc88aab2cae095fad34814c298e2c81c2864251', '19738763cdfba43dbb19de2b836cc00e4d514644ba7ef5349e77661f438aba62', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'system_timeout', NULL, '2026-03-02 09:10:00+00', false, 65, 81),
	('ann', 1, 'A-5', 'pay hush 5', 'granted_not_executed', '2026-03-02 09:10:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "5.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-5","arguments":{"amount":"5.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"ann","v":1}', 'b3df6b35aade6108675581b7628a832ed733ce89ef96d4cb23cb8b6eee5c0739', '82954c352f514c56216e20f977b305cf086ddb5c3af290aebb6d9de35afe9695', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:00:00+00', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, 'system_timeout', NULL, '2026-03-02 09:10:00+00', false, 66, 82),
	('bob', 1, 'A-1', 'pay hush 1', 'requested', '2026-03-02 09:00:00+00', 'T-1', 'bank.transfer', NULL, '{"note": "hush", "amount": "1.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-1","arguments":{"amount":"1.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"bob","v":1}', '931a5960ce05551d59087006e1d15b8a438f58aa693ff3c747e026128d4490eb', '449f223d1f40de74c1ef502d22917ecd69f270fb2c6d9bfcdd8031b735912186', '[]', '{"reason": null, "decision": "ask", "policy_id": "P-1"}', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, 58, 67),
	('bob', 1, 'A-9', 'pay hush 9', 'outcome_unknown', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "9.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-9","arguments":{"amount":"9.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"bob","v":1}', 'd4170b08e099fe65a02ab98e7f5020c70ebe8245544ee4b732da610a0ab24075', 'f7ab7ce69fa442a67497a34aca798247cf6bdb592aa5ab192d946f7540ddbb93', '[]', '{"reason": null, "decision": "allow", "policy_id": "P-1"}', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'X-9', 'd4170b08e099fe65a02ab98e7f5020c70ebe8245544ee4b732da610a0ab24075', '2026-03-02 09:00:00+00', '2026-03-02 14:00:00+00', NULL, 'no_result', NULL, NULL, true, 64, 77),
	('bob', 1, 'A-3', 'pay hush 3', 'denied', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "3.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-3","arguments":{"amount":"3.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"bob","v":1}', '7da11c820d5f96d2798cc8dc574eda66c31a658eb24e1d49844745917d7e0b88', 'a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'human_denied', 'hush', '2026-03-02 09:00:00+00', false, 60, 78),
	('bob', 1, 'A-7', 'pay hush 7', 'moot', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "7.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-7","arguments":{"amount":"7.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"bob","v":1}', '6c72f40d28a371c4d1109ce9d2b0acbeb0f7b1c0ba45756d6060654026a21e0b', '6473a5fc4abc30d950429ede98390fbaad32d6593de0002d3f60e8e0554e87d7', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'no_need', 'hush', '2026-03-02 09:00:00+00', false, 62, 80),
	('bob', 1, 'A-5', 'pay hush 5', 'granted_not_executed', '2026-03-02 09:10:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "5.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-5","arguments":{"amount":"5.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"bob","v":1}', 'fc15bad3189ac4e98f0c5f60e3181757e87fb2508b9b8f18703e555e5770b837', '82954c352f514c56216e20f977b305cf086ddb5c3af290aebb6d9de35afe9695', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:00:00+00', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, 'system_timeout', NULL, '2026-03-02 09:10:00+00', false, 66, 82),
	('cem', 1, 'V-2', 'pay V-2', 'requested', '2026-03-02 09:01:00+00', NULL, 'bank.transfer', NULL, '{"id": "V-2"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"V-2","arguments":{"id":"V-2"},"expires_at":"2026-03-02T10:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"cem","v":1}', '5a874cd155bd5950127afcd8fedc6a78999e3ce256f199f3f56b94dd8361258d', 'a3ebce7c87193bf2bab6d3d6f7883eef1e15651568c05f9ef8baf8b2f5760c37', '[]', NULL, '2026-03-02 09:01:00+00', '2026-03-02 10:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, 25, 25),
	('cem', 1, 'V-4', 'pay V-4', 'granted', '2026-03-02 09:02:00+00', NULL, 'bank.transfer', NULL, '{"id": "V-4"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"V-4","arguments":{"id":"V-4"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"cem","v":1}', 'ee56c92da7d9d3c71accb80d1c6236510d4bce2fec9ac1e575566de0180f1fe8', '0a12f5a9114e0b1d0b81699e30f882c0b62b6aea4c1c5236493ad91676d50a9c', '[]', NULL, '2026-03-02 09:01:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:02:00+00', '2026-03-02 14:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 27, 32),
	('cem', 1, 'V-6', 'pay V-6', 'outcome_unknown', '2026-03-02 09:04:00+00', NULL, 'bank.transfer', NULL, '{"id": "V-6"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"V-6","arguments":{"id":"V-6"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"cem","v":1}', 'c228d29753ffc84f1761cae3f9df8f8e906347138afb171eb033f1b1a444e2cd', '6ea1e8c5077021067030b79bc59b3a33b2750f57d377ef5041daeabd6ef1c748', '[]', '{"reason": null, "decision": "allow", "policy_id": "P-1"}', '2026-03-02 09:01:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:02:00+00', '2026-03-02 19:00:00+00', 'X-V-6', 'c228d29753ffc84f1761cae3f9df8f8e906347138afb171eb033f1b1a444e2cd', '2026-03-02 09:03:00+00', '2026-03-02 14:00:00+00', NULL, 'no_result', NULL, NULL, true, 29, 37),
	('bob', 1, 'A-2', 'pay hush 2', 'executed', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "2.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-2","arguments":{"amount":"2.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"bob","v":1}', 'c1c4038d7681d755a5feee5b3474aecabcf418db2ac4731bf63ead1f119a5528', '2753ab65b5fbe33b62614c833560f5b99ff15af512f7564dd729789a2fb7e6f6', '[]', '{"reason": null, "decision": "allow", "policy_id": "P-1"}', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'X-2', 'c1c4038d7681d755a5feee5b3474aecabcf418db2ac4731bf63ead1f119a5528', '2026-03-02 09:00:00+00', '2026-03-02 14:00:00+00', NULL, NULL, NULL, '2026-03-02 09:00:00+00', false, 59, 75),
	('bob', 1, 'A-8', 'pay hush 8', 'failed', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "8.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-8","arguments":{"amount":"8.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"bob","v":1}', '747e0350d5015f88c576498a4d2f2933381f6181bfefb4cae05983245e31655a', '5e31fbe5be1ac9d5cc34637a4c85fa75b78f9723bd052f15e42d0ec0db8fa60d', '[]', '{"reason": null, "decision": "allow", "policy_id": "P-1"}', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', 'X-8', '747e0350d5015f88c576498a4d2f2933381f6181bfefb4cae05983245e31655a', '2026-03-02 09:00:00+00', '2026-03-02 14:00:00+00', NULL, 'execution_failed', 'hush', '2026-03-02 09:00:00+00', false, 63, 76),
	('bob', 1, 'A-6', 'pay hush 6', 'withdrawn', '2026-03-02 09:00:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "6.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-6","arguments":{"amount":"6.00","note":"hush"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"bob","v":1}', 'd62938b580ced4b5975be1fb715c8f492269942889381feee145bd43b7eea9f7', 'ab66e4c1894d2476c14e12ce77fbfcb64f9724a8ca79fc2c54caa6c86323bf26', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'withdrawn_by_user', 'hush', '2026-03-02 09:00:00+00', false, 61, 79),
	('bob', 1, 'A-4', 'pay hush 4', 'expired', '2026-03-02 09:10:00+00', NULL, 'bank.transfer', NULL, '{"note": "hush", "amount": "4.00"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"A-4","arguments":{"amount":"4.00","note":"hush"},"expires_at":"2026-03-02T09:05:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"bob","v":1}', '20bd45509d3d857ff7965acb40faf46e42335949d30a64155e541e2316b01a5f', '19738763cdfba43dbb19de2b836cc00e4d514644ba7ef5349e77661f438aba62', '[]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'system_timeout', NULL, '2026-03-02 09:10:00+00', false, 65, 81),
	('cem', 1, 'V-1', 'pay V-1', 'requested', '2026-03-02 09:01:00+00', NULL, 'bank.transfer', NULL, '{"id": "V-1"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"V-1","arguments":{"id":"V-1"},"expires_at":"2026-03-02T11:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"cem","v":1}', '10d02d60dae5ed70a1bacf1249a49aa4eb6e2878d169207736c67a715b603279', '5b89a5556a6f5202a1539d9e4462cbdad16c16bfb657e7dfd54968f4a972c8aa', '[]', NULL, '2026-03-02 09:01:00+00', '2026-03-02 11:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, 24, 24),
	('cem', 1, 'V-3', 'pay V-3', 'requested', '2026-03-02 09:01:00+00', 'N-6', 'bank.transfer', NULL, '{"id": "V-3"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"V-3","arguments":{"id":"V-3"},"expires_at":"2026-03-02T11:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"cem","v":1}', '4264314cfb5c30edde2de4ca30d260500e33006d63df738aec924b17a3b959d7', 'd3e1a522d3393c567a6e80f9da931fe2d4057f0ab877de22830b4fd06b3b516a', '[]', NULL, '2026-03-02 09:01:00+00', '2026-03-02 11:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, 26, 26),
	('cem', 1, 'V-5', 'pay V-5', 'executing', '2026-03-02 09:03:00+00', NULL, 'bank.transfer', NULL, '{"id": "V-5"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"V-5","arguments":{"id":"V-5"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"cem","v":1}', '426ce9cd109c2f6ab4ddbe30f1886b9591dc0b3289dd23eea0c771e191bb331a', 'fa6e0811e51085c1981406f0897d0eda08982f9eed1a715280d036a5120df7bf', '[]', '{"reason": null, "decision": "allow", "policy_id": "P-1"}', '2026-03-02 09:01:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:02:00+00', '2026-03-02 19:00:00+00', 'X-V-5', '426ce9cd109c2f6ab4ddbe30f1886b9591dc0b3289dd23eea0c771e191bb331a', '2026-03-02 09:03:00+00', '2026-03-02 10:00:00+00', NULL, NULL, NULL, NULL, true, 28, 34),
	('cem', 1, 'V-7', 'pay V-7', 'executed', '2026-03-02 09:04:00+00', NULL, 'bank.transfer', NULL, '{"id": "V-7"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"V-7","arguments":{"id":"V-7"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"cem","v":1}', '2b4f1f9757f3d2bb4b9e5b309ec46b61c3721da9b10b2bf59ce57007de26c0ed', '7e1e6046a7b4d6fcd90866591e6792a05b47774d2b7e577aef61a163fe8d0baf', '[]', '{"reason": null, "decision": "allow", "policy_id": "P-1"}', '2026-03-02 09:01:00+00', '2026-03-02 19:00:00+00', 'the-user', '2026-03-02 09:02:00+00', '2026-03-02 19:00:00+00', 'X-V-7', '2b4f1f9757f3d2bb4b9e5b309ec46b61c3721da9b10b2bf59ce57007de26c0ed', '2026-03-02 09:03:00+00', '2026-03-02 14:00:00+00', NULL, NULL, NULL, '2026-03-02 09:04:00+00', false, 30, 40),
	('cem', 1, 'V-8', 'pay V-8', 'denied', '2026-03-02 09:04:00+00', NULL, 'bank.transfer', NULL, '{"id": "V-8"}', NULL, NULL, 'the-agent', '{"account":null,"approval_id":"V-8","arguments":{"id":"V-8"},"expires_at":"2026-03-02T19:00:00+00:00","preconditions":[],"requester":"the-agent","target":null,"tool":"bank.transfer","tool_schema_sha256":null,"user_id":"cem","v":1}', 'f9036b092bf817bc7112c6ff01166ad75905151afc5ab21bbaa5e846e889d1de', '6c6194e32bbfdc8ea0efa112c026ce945c3f90828a4c1b40f4256e8b8c972dc0', '[]', NULL, '2026-03-02 09:01:00+00', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'human_denied', NULL, '2026-03-02 09:04:00+00', false, 31, 41);
INSERT INTO public.work_commitment VALUES
	('ann', 1, 'C-1', 'M-1', 'hush', NULL, 'open', NULL, 'T-1', '2026-03-02 09:00:00+00', NULL, 51, 51),
	('ann', 1, 'C-2', 'M-1', 'hush', NULL, 'kept', NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 52, 56),
	('bob', 1, 'C-1', 'M-1', 'hush', NULL, 'open', NULL, 'T-1', '2026-03-02 09:00:00+00', NULL, 51, 51),
	('bob', 1, 'C-2', 'M-1', 'hush', NULL, 'kept', NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 52, 56);
INSERT INTO public.work_connection VALUES
	('ann', 1, 'mail:ACC-1', 'mail', 'ACC-1', 'connected', 'hush', '2026-03-02 09:00:00+00', 3600, 28, 28),
	('bob', 1, 'mail:ACC-1', 'mail', 'ACC-1', 'connected', 'hush', '2026-03-02 09:00:00+00', 3600, 28, 28);
INSERT INTO public.work_credits VALUES
	('ann', 1, 'ACC-2', NULL, '12.5', 'EUR', '2026-03-02 09:00:00+00', 3600, 29, 29),
	('bob', 1, 'ACC-2', NULL, '12.5', 'EUR', '2026-03-02 09:00:00+00', 3600, 29, 29);
INSERT INTO public.work_denial VALUES
	('ann', 1, 'a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68:', 'a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68', NULL, 'denied', 'A-3', '2026-03-02 09:00:00+00', 78, 78),
	('bob', 1, 'a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68:', 'a812abf7e10f952914d86c51a543d0255590681ac3a5b74925d12b85618bbb68', NULL, 'denied', 'A-3', '2026-03-02 09:00:00+00', 78, 78),
	('cem', 1, '6c6194e32bbfdc8ea0efa112c026ce945c3f90828a4c1b40f4256e8b8c972dc0:', '6c6194e32bbfdc8ea0efa112c026ce945c3f90828a4c1b40f4256e8b8c972dc0', NULL, 'denied', 'V-8', '2026-03-02 09:04:00+00', 41, 41);
INSERT INTO public.work_due VALUES
	('ann', 1, 'approval', 'A-1', '2026-03-02 19:00:00+00'),
	('ann', 1, 'routine', 'R-1', '2026-03-02 11:00:00+00'),
	('ann', 1, 'reminder', 'RE-1', '2026-03-02 10:00:00+00'),
	('bob', 1, 'approval', 'A-1', '2026-03-02 19:00:00+00'),
	('bob', 1, 'routine', 'R-1', '2026-03-02 11:00:00+00'),
	('bob', 1, 'reminder', 'RE-1', '2026-03-02 10:00:00+00'),
	('cem', 1, 'approval', 'V-1', '2026-03-02 11:00:00+00'),
	('cem', 1, 'approval', 'V-2', '2026-03-02 10:00:00+00'),
	('cem', 1, 'approval', 'V-3', '2026-03-02 11:00:00+00'),
	('cem', 1, 'approval', 'V-4', '2026-03-02 14:00:00+00'),
	('cem', 1, 'approval', 'V-5', '2026-03-02 10:00:00+00'),
	('cem', 1, 'reminder', 'B-1', '2026-03-02 10:00:00+00'),
	('cem', 1, 'reminder', 'B-5', '2026-03-02 19:00:00+00'),
	('cem', 1, 'reminder', 'B-3', '2026-03-02 10:00:00+00'),
	('cem', 1, 'proposal', 'P-2', '2026-03-02 10:00:00+00');
INSERT INTO public.work_meeting VALUES
	('ann', 1, 'M-1', 'budget hush', 'ended', '2026-03-02 10:00:00+00', NULL, NULL, 'hush', '[]', NULL, 'hush', '["F-1"]', NULL, NULL, NULL, 9, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 47, 56),
	('ann', 1, 'M-2', 'off hush', 'cancelled', '2026-03-02 10:30:00+00', NULL, NULL, NULL, '[]', NULL, NULL, '[]', NULL, NULL, 'hush', 2, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 48, 57),
	('bob', 1, 'M-1', 'budget hush', 'ended', '2026-03-02 10:00:00+00', NULL, NULL, 'hush', '[]', NULL, 'hush', '["F-1"]', NULL, NULL, NULL, 9, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 47, 56),
	('bob', 1, 'M-2', 'off hush', 'cancelled', '2026-03-02 10:30:00+00', NULL, NULL, NULL, '[]', NULL, NULL, '[]', NULL, NULL, 'hush', 2, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 48, 57);
INSERT INTO public.work_notification VALUES
	('ann', 1, 'N-1', 'R-1', NULL, NULL, 'hush', NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 'dismissed', NULL, 94, 95),
	('bob', 1, 'N-1', 'R-1', NULL, NULL, 'hush', NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', 'dismissed', NULL, 94, 95);
INSERT INTO public.work_proposal VALUES
	('ann', 1, 'PR-1', 'R-1', 'TR-1', NULL, 'hush', NULL, 'waiting', '2026-03-02 09:00:00+00', NULL, NULL, NULL, NULL, true, 91, 91),
	('ann', 1, 'PR-2', 'R-1', NULL, NULL, 'hush', NULL, 'declined', '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:00:00+00', 'declined', 'hush', false, 92, 93),
	('bob', 1, 'PR-1', 'R-1', 'TR-1', NULL, 'hush', NULL, 'waiting', '2026-03-02 09:00:00+00', NULL, NULL, NULL, NULL, true, 91, 91),
	('bob', 1, 'PR-2', 'R-1', NULL, NULL, 'hush', NULL, 'declined', '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:00:00+00', 'declined', 'hush', false, 92, 93),
	('cem', 1, 'P-1', NULL, NULL, NULL, 'a walk', NULL, 'waiting', '2026-03-02 09:01:00+00', NULL, NULL, NULL, NULL, true, 51, 51),
	('cem', 1, 'P-2', NULL, NULL, NULL, 'a train', NULL, 'waiting', '2026-03-02 09:01:00+00', '2026-03-02 10:00:00+00', NULL, NULL, NULL, true, 52, 52),
	('cem', 1, 'P-3', NULL, NULL, NULL, 'a book', NULL, 'accepted', '2026-03-02 09:01:00+00', NULL, '2026-03-02 09:02:00+00', 'accepted', NULL, false, 53, 54);
INSERT INTO public.work_reminder VALUES
	('ann', 1, 'RE-1', 'the dentist hush', 'snoozed', '2026-03-02 10:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:07:00+00', true, 97, 103),
	('ann', 1, 'RE-2', 'plants hush', 'dismissed', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00', false, 98, 104),
	('ann', 1, 'RE-3', 'off hush', 'cancelled', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', false, 99, 105),
	('bob', 1, 'RE-1', 'the dentist hush', 'snoozed', '2026-03-02 10:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:07:00+00', true, 97, 103),
	('bob', 1, 'RE-2', 'plants hush', 'dismissed', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00', false, 98, 104),
	('bob', 1, 'RE-3', 'off hush', 'cancelled', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', false, 99, 105),
	('cem', 1, 'B-1', 'call B-1', 'set', '2026-03-02 10:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:00:00+00', true, 42, 42),
	('cem', 1, 'B-5', 'call B-5', 'set', '2026-03-02 19:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:00:00+00', true, 46, 46),
	('cem', 1, 'B-2', 'call B-2', 'due', '2026-03-02 09:05:00+00', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:06:00+00', true, 43, 47),
	('cem', 1, 'B-3', 'call B-3', 'snoozed', '2026-03-02 10:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:07:00+00', true, 44, 49),
	('cem', 1, 'B-4', 'call B-4', 'dismissed', '2026-03-02 09:05:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:07:00+00', '2026-03-02 09:07:00+00', false, 45, 50);
INSERT INTO public.work_routine VALUES
	('ann', 1, 'R-1', 'fares hush', 'active', NULL, '2026-03-02 11:00:00+00', 60, '2026-03-02 10:30:00+00', 'hush', '{"title": "hush", "answer": "dismissed", "sent_at": "2026-03-02T09:00:00+00:00", "answered_at": "2026-03-02T09:00:00+00:00", "notification_id": "N-1"}', 11, '2026-03-02 09:00:00+00', 86, 96),
	('bob', 1, 'R-1', 'fares hush', 'active', NULL, '2026-03-02 11:00:00+00', 60, '2026-03-02 10:30:00+00', 'hush', '{"title": "hush", "answer": "dismissed", "sent_at": "2026-03-02T09:00:00+00:00", "answered_at": "2026-03-02T09:00:00+00:00", "notification_id": "N-1"}', 11, '2026-03-02 09:00:00+00', 86, 96);
INSERT INTO public.work_source VALUES
	('ann', 1, 'SRC-1', 'whole', '["tasks"]', '2026-03-02 09:00:00+00', 86400, NULL, '2026-03-02 09:00:00+00', 30, 30),
	('bob', 1, 'SRC-1', 'whole', '["tasks"]', '2026-03-02 09:00:00+00', 86400, NULL, '2026-03-02 09:00:00+00', 30, 30);
INSERT INTO public.work_task VALUES
	('ann', 1, 'T-2', 'guests hush', NULL, 'blocked', '2026-03-02 09:00:00+00', 'open', NULL, 2, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{}', '{}', '["T-1"]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:00:00+00', false, 2, 20),
	('ann', 1, 'T-3', 'letter hush', NULL, 'scheduled', '2026-03-02 09:00:00+00', 'scheduled', NULL, 4, NULL, '[]', NULL, 'T-1', NULL, NULL, '2026-03-03 00:00:00+00', NULL, '[]', '[]', '{}', '[]', '{}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:00:00+00', false, 4, 21),
	('ann', 1, 'T-5', 'done hush', NULL, 'failed', '2026-03-02 09:00:00+00', 'open', NULL, 4, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{}', '{}', '[]', NULL, false, '[]', '[]', 'hush', '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', false, 6, 25),
	('ann', 1, 'T-1', 'venue hush', 'more hush', 'active', '2026-03-02 09:00:00+00', 'active', NULL, 14, NULL, '[]', NULL, NULL, NULL, NULL, NULL, 'draft', '[{"title": "hush", "status": "pending", "step_id": "S-1"}]', '[{"at": "2026-03-02T09:00:00+00:00", "reason": null, "decision": "hush", "decision_id": "D-1"}]', '{"city": {"state": "confirmed", "value": "hush", "required": false, "allowed_values": null, "source_message_id": null}}', '[{"at": "2026-03-02T09:00:00+00:00", "url": null, "title": "hush", "summary": null, "output_id": "O-1", "artifact_id": null}]', '{"Q-3": {"kind": "input", "prompt": "hush", "asked_at": "2026-03-02T09:00:00+00:00", "expires_at": null}}', '{"A-1": {"title": "pay hush 1", "status": "requested", "expires_at": "2026-03-02T19:00:00+00:00"}}', '[]', NULL, false, '["T-2"]', '[{"at": "2026-03-02T09:00:00+00:00", "tool": null, "error": null, "outcome": "failed", "summary": "hush", "attempt_id": "AT-1"}]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:00:00+00', true, 1, 67),
	('cem', 1, 'N-4', 'ended while asked', NULL, 'done', '2026-03-02 09:03:00+00', 'open', NULL, 3, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:03:00+00', '2026-03-02 09:03:00+00', false, 4, 15),
	('bob', 1, 'T-3', 'letter hush', NULL, 'scheduled', '2026-03-02 09:00:00+00', 'scheduled', NULL, 4, NULL, '[]', NULL, 'T-1', NULL, NULL, '2026-03-03 00:00:00+00', NULL, '[]', '[]', '{}', '[]', '{}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:00:00+00', false, 4, 21),
	('bob', 1, 'T-5', 'done hush', NULL, 'failed', '2026-03-02 09:00:00+00', 'open', NULL, 4, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{}', '{}', '[]', NULL, false, '[]', '[]', 'hush', '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', false, 6, 25),
	('bob', 1, 'T-1', 'venue hush', 'more hush', 'active', '2026-03-02 09:00:00+00', 'active', NULL, 14, NULL, '[]', NULL, NULL, NULL, NULL, NULL, 'draft', '[{"title": "hush", "status": "pending", "step_id": "S-1"}]', '[{"at": "2026-03-02T09:00:00+00:00", "reason": null, "decision": "hush", "decision_id": "D-1"}]', '{"city": {"state": "confirmed", "value": "hush", "required": false, "allowed_values": null, "source_message_id": null}}', '[{"at": "2026-03-02T09:00:00+00:00", "url": null, "title": "hush", "summary": null, "output_id": "O-1", "artifact_id": null}]', '{"Q-3": {"kind": "input", "prompt": "hush", "asked_at": "2026-03-02T09:00:00+00:00", "expires_at": null}}', '{"A-1": {"title": "pay hush 1", "status": "requested", "expires_at": "2026-03-02T19:00:00+00:00"}}', '[]', NULL, false, '["T-2"]', '[{"at": "2026-03-02T09:00:00+00:00", "tool": null, "error": null, "outcome": "failed", "summary": "hush", "attempt_id": "AT-1"}]', NULL, '2026-03-02 09:00:00+00', '2026-03-02 09:00:00+00', NULL, '2026-03-02 09:00:00+00', true, 1, 67),
	('cem', 1, 'N-2', 'asked until ten', NULL, 'open', '2026-03-02 09:00:00+00', 'open', NULL, 2, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{"R-2": {"kind": "input", "prompt": "R-2?", "asked_at": "2026-03-02T09:01:00+00:00", "expires_at": "2026-03-02T10:00:00+00:00"}}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:01:00+00', true, 2, 11),
	('bob', 1, 'T-2', 'guests hush', NULL, 'blocked', '2026-03-02 09:00:00+00', 'open', NULL, 2, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{}', '{}', '["T-1"]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:00:00+00', false, 2, 20),
	('cem', 1, 'N-1', 'asked for ever', NULL, 'open', '2026-03-02 09:00:00+00', 'open', NULL, 2, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{"R-1": {"kind": "input", "prompt": "R-1?", "asked_at": "2026-03-02T09:01:00+00:00", "expires_at": null}}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:01:00+00', true, 1, 10),
	('cem', 1, 'N-3', 'asked twice', NULL, 'open', '2026-03-02 09:00:00+00', 'open', NULL, 3, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{"R-3": {"kind": "decision", "prompt": "R-3?", "asked_at": "2026-03-02T09:01:00+00:00", "expires_at": "2026-03-02T10:00:00+00:00"}, "R-4": {"kind": "input", "prompt": "R-4?", "asked_at": "2026-03-02T09:02:00+00:00", "expires_at": "2026-03-02T13:00:00+00:00"}}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:02:00+00', true, 3, 13),
	('cem', 1, 'N-5', 'blocked and asked', NULL, 'blocked', '2026-03-02 09:03:00+00', 'open', NULL, 3, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{"R-6": {"kind": "input", "prompt": "R-6?", "asked_at": "2026-03-02T09:01:00+00:00", "expires_at": null}}', '{}', '["N-8"]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:03:00+00', true, 5, 17),
	('cem', 1, 'N-7', 'answered', NULL, 'open', '2026-03-02 09:00:00+00', 'open', NULL, 3, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:04:00+00', false, 7, 19),
	('cem', 1, 'N-9', 'asked again', NULL, 'open', '2026-03-02 09:06:00+00', 'open', NULL, 5, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{"R-9": {"kind": "input", "prompt": "R-9?", "asked_at": "2026-03-02T09:07:00+00:00", "expires_at": null}}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:07:00+00', true, 9, 23),
	('eli', 1, 'E-1', 'behind', NULL, 'open', '2026-03-02 09:00:00+00', 'open', NULL, 1, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:00:00+00', false, 1, 1),
	('cem', 1, 'N-8', 'never asked', NULL, 'open', '2026-03-02 09:00:00+00', 'open', NULL, 1, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{}', '{}', '[]', NULL, false, '["N-5"]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:00:00+00', false, 8, 17),
	('cem', 1, 'N-6', 'waits for an approval', NULL, 'open', '2026-03-02 09:00:00+00', 'open', NULL, 1, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{}', '{"V-3": {"title": "pay V-3", "status": "requested", "expires_at": "2026-03-02T11:00:00+00:00"}}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:00:00+00', true, 6, 26),
	('dee', 1, 'D-1', 'still told', NULL, 'open', '2026-03-02 09:00:00+00', 'open', NULL, 2, NULL, '[]', NULL, NULL, NULL, NULL, NULL, NULL, '[]', '[]', '{}', '[]', '{"R-1": {"kind": "input", "prompt": "Which?", "asked_at": "2026-03-02T09:04:00+00:00", "expires_at": null}}', '{}', '[]', NULL, false, '[]', '[]', NULL, '2026-03-02 09:00:00+00', NULL, NULL, '2026-03-02 09:04:00+00', true, 1, 5);
INSERT INTO public.work_trigger VALUES
	('ann', 1, 'TR-1', 'R-1', 'hush', '[]', '2026-03-02 09:00:00+00', 'PR-1', 90, 91),
	('bob', 1, 'TR-1', 'R-1', 'hush', '[]', '2026-03-02 09:00:00+00', 'PR-1', 90, 91);
INSERT INTO public.work_user VALUES
	('ann', 1, 'me', 'Europe/Berlin', NULL, '{"word": "hush"}', '{"CO-2": {"scope": "hush", "details": null, "given_at": "2026-03-02T09:00:00+00:00", "expires_at": null}}', '2026-03-02 09:00:00+00', 46, 85),
	('bob', 1, 'me', 'Europe/Berlin', NULL, '{"word": "hush"}', '{"CO-2": {"scope": "hush", "details": null, "given_at": "2026-03-02T09:00:00+00:00", "expires_at": null}}', '2026-03-02 09:00:00+00', 46, 85);
INSERT INTO public.workindex_revision VALUES
	('0001');
ALTER TABLE ONLY public.artifact
    ADD CONSTRAINT artifact_pkey PRIMARY KEY (user_id, generation, artifact_id);
ALTER TABLE ONLY public.catchup_due
    ADD CONSTRAINT catchup_due_pkey PRIMARY KEY (user_id, projection_set, generation);
ALTER TABLE ONLY public.checkpoint
    ADD CONSTRAINT checkpoint_pkey PRIMARY KEY (user_id, generation, checkpoint_id);
ALTER TABLE ONLY public.claim
    ADD CONSTRAINT claim_pkey PRIMARY KEY (user_id, generation, claim_id);
ALTER TABLE ONLY public.command_key
    ADD CONSTRAINT command_key_pkey PRIMARY KEY (user_id, source, key);
ALTER TABLE ONLY public.content
    ADD CONSTRAINT content_pkey PRIMARY KEY (user_id, sha256, part);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (user_id, "position");
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_user_id_stream_stream_version_key UNIQUE (user_id, stream, stream_version);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (user_id, generation, message_id);
ALTER TABLE ONLY public.operator_action
    ADD CONSTRAINT operator_action_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.projection_generation
    ADD CONSTRAINT projection_generation_pkey PRIMARY KEY (projection_set, generation);
ALTER TABLE ONLY public.projection_progress
    ADD CONSTRAINT projection_progress_pkey PRIMARY KEY (user_id, projection_set, generation);
ALTER TABLE ONLY public.summary
    ADD CONSTRAINT summary_pkey PRIMARY KEY (user_id, generation, summary_id);
ALTER TABLE ONLY public.thread
    ADD CONSTRAINT thread_pkey PRIMARY KEY (user_id, generation, thread_id);
ALTER TABLE ONLY public.user_log
    ADD CONSTRAINT user_log_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.work_approval
    ADD CONSTRAINT work_approval_pkey PRIMARY KEY (user_id, generation, approval_id);
ALTER TABLE ONLY public.work_commitment
    ADD CONSTRAINT work_commitment_pkey PRIMARY KEY (user_id, generation, commitment_id);
ALTER TABLE ONLY public.work_connection
    ADD CONSTRAINT work_connection_pkey PRIMARY KEY (user_id, generation, connection_id);
ALTER TABLE ONLY public.work_credits
    ADD CONSTRAINT work_credits_pkey PRIMARY KEY (user_id, generation, account);
ALTER TABLE ONLY public.work_denial
    ADD CONSTRAINT work_denial_pkey PRIMARY KEY (user_id, generation, denial_id);
ALTER TABLE ONLY public.work_due
    ADD CONSTRAINT work_due_pkey PRIMARY KEY (user_id, generation, kind, id);
ALTER TABLE ONLY public.work_meeting
    ADD CONSTRAINT work_meeting_pkey PRIMARY KEY (user_id, generation, meeting_id);
ALTER TABLE ONLY public.work_notification
    ADD CONSTRAINT work_notification_pkey PRIMARY KEY (user_id, generation, notification_id);
ALTER TABLE ONLY public.work_proposal
    ADD CONSTRAINT work_proposal_pkey PRIMARY KEY (user_id, generation, proposal_id);
ALTER TABLE ONLY public.work_reminder
    ADD CONSTRAINT work_reminder_pkey PRIMARY KEY (user_id, generation, reminder_id);
ALTER TABLE ONLY public.work_routine
    ADD CONSTRAINT work_routine_pkey PRIMARY KEY (user_id, generation, routine_id);
ALTER TABLE ONLY public.work_source
    ADD CONSTRAINT work_source_pkey PRIMARY KEY (user_id, generation, source);
ALTER TABLE ONLY public.work_task
    ADD CONSTRAINT work_task_pkey PRIMARY KEY (user_id, generation, task_id);
ALTER TABLE ONLY public.work_trigger
    ADD CONSTRAINT work_trigger_pkey PRIMARY KEY (user_id, generation, trigger_id);
ALTER TABLE ONLY public.work_user
    ADD CONSTRAINT work_user_pkey PRIMARY KEY (user_id, generation, user_key);
ALTER TABLE ONLY public.workindex_revision
    ADD CONSTRAINT workindex_revision_pkc PRIMARY KEY (version_num);
CREATE INDEX artifact_task_id ON public.artifact USING btree (user_id, task_id, generation);
CREATE INDEX claim_subject_attribute ON public.claim USING btree (user_id, subject, generation, attribute);
CREATE INDEX message_thread_id_created_position ON public.message USING btree (user_id, thread_id, generation, created_position);
CREATE UNIQUE INDEX projection_generation_live ON public.projection_generation USING btree (projection_set) WHERE (state = 'live'::text);
CREATE INDEX work_approval_open ON public.work_approval USING btree (user_id, generation) WHERE open;
CREATE INDEX work_due_due_at ON public.work_due USING btree (due_at, generation);
CREATE INDEX work_proposal_open ON public.work_proposal USING btree (user_id, generation) WHERE open;
CREATE INDEX work_reminder_open ON public.work_reminder USING btree (user_id, generation) WHERE open;
CREATE INDEX work_task_open ON public.work_task USING btree (user_id, generation) WHERE open;
ALTER TABLE public.artifact ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.catchup_due ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.checkpoint ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.command_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.content ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event ENABLE ROW LEVEL SECURITY;
CREATE POLICY maintenance ON public.artifact TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.catchup_due TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.checkpoint TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.claim TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.command_key TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.content TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.event TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.message TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.projection_progress TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.summary TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.thread TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.user_log TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_approval TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_commitment TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_connection TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_credits TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_denial TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_due TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_meeting TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_notification TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_proposal TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_reminder TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_routine TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_source TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_task TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_trigger TO workindex_maint USING (true) WITH CHECK (true);
CREATE POLICY maintenance ON public.work_user TO workindex_maint USING (true) WITH CHECK (true);
ALTER TABLE public.message ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.projection_progress ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.summary ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON public.artifact TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.catchup_due TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.checkpoint TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.claim TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.command_key TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.content TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.event TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.message TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.projection_progress TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.summary TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.thread TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.user_log TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_approval TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_commitment TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_connection TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_credits TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_denial TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_due TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_meeting TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_notification TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_proposal TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_reminder TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_routine TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_source TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_task TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_trigger TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
CREATE POLICY tenant ON public.work_user TO workindex_app USING ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text))) WITH CHECK ((user_id = NULLIF(current_setting('workindex.user_id'::text, true), ''::text)));
ALTER TABLE public.thread ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.user_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_approval ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_commitment ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_connection ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_credits ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_denial ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_due ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_meeting ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_notification ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_proposal ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_reminder ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_routine ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_source ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_task ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_trigger ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.work_user ENABLE ROW LEVEL SECURITY;
GRANT ALL ON SCHEMA public TO workindex_owner;
GRANT USAGE ON SCHEMA public TO workindex_app;
GRANT USAGE ON SCHEMA public TO workindex_maint;
REVOKE ALL ON FUNCTION public.wi_append(p_user text, p_expected_head bigint, p_expected_epoch integer, p_fold_version integer, p_keys jsonb, p_events jsonb, p_rows jsonb, p_open_delta integer, p_parked jsonb, p_recorded_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.wi_append(p_user text, p_expected_head bigint, p_expected_epoch integer, p_fold_version integer, p_keys jsonb, p_events jsonb, p_rows jsonb, p_open_delta integer, p_parked jsonb, p_recorded_at timestamp with time zone) TO workindex_app;
GRANT ALL ON FUNCTION public.wi_append(p_user text, p_expected_head bigint, p_expected_epoch integer, p_fold_version integer, p_keys jsonb, p_events jsonb, p_rows jsonb, p_open_delta integer, p_parked jsonb, p_recorded_at timestamp with time zone) TO workindex_maint;
REVOKE ALL ON FUNCTION public.wi_enter(p_user text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.wi_enter(p_user text) TO workindex_app;
GRANT ALL ON FUNCTION public.wi_enter(p_user text) TO workindex_maint;
REVOKE ALL ON FUNCTION public.wi_lock(p_user text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.wi_lock(p_user text) TO workindex_app;
GRANT ALL ON FUNCTION public.wi_lock(p_user text) TO workindex_maint;
REVOKE ALL ON FUNCTION public.wi_project(p_user text, p_fold_version integer, p_base bigint, p_position bigint, p_rows jsonb, p_open_delta integer, p_parked jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.wi_project(p_user text, p_fold_version integer, p_base bigint, p_position bigint, p_rows jsonb, p_open_delta integer, p_parked jsonb) TO workindex_app;
GRANT ALL ON FUNCTION public.wi_project(p_user text, p_fold_version integer, p_base bigint, p_position bigint, p_rows jsonb, p_open_delta integer, p_parked jsonb) TO workindex_maint;
REVOKE ALL ON FUNCTION public.wi_proof(p_user text, p_fold_version integer, p_want jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.wi_proof(p_user text, p_fold_version integer, p_want jsonb) TO workindex_app;
GRANT ALL ON FUNCTION public.wi_proof(p_user text, p_fold_version integer, p_want jsonb) TO workindex_maint;
REVOKE ALL ON FUNCTION public.wi_read(p_user text, p_fold_version integer, p_want jsonb, p_streams text[], p_replay text[], p_source text, p_keys text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.wi_read(p_user text, p_fold_version integer, p_want jsonb, p_streams text[], p_replay text[], p_source text, p_keys text[]) TO workindex_app;
GRANT ALL ON FUNCTION public.wi_read(p_user text, p_fold_version integer, p_want jsonb, p_streams text[], p_replay text[], p_source text, p_keys text[]) TO workindex_maint;
REVOKE ALL ON FUNCTION public.wi_state(p_user text, p_fold_version integer, p_want jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.wi_state(p_user text, p_fold_version integer, p_want jsonb) TO workindex_app;
GRANT ALL ON FUNCTION public.wi_state(p_user text, p_fold_version integer, p_want jsonb) TO workindex_maint;
REVOKE ALL ON FUNCTION public.wi_write_rows(p_user text, p_work_index integer[], p_conversation integer[], p_memory integer[], p_base bigint, p_rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.wi_write_rows(p_user text, p_work_index integer[], p_conversation integer[], p_memory integer[], p_base bigint, p_rows jsonb) TO workindex_app;
GRANT ALL ON FUNCTION public.wi_write_rows(p_user text, p_work_index integer[], p_conversation integer[], p_memory integer[], p_base bigint, p_rows jsonb) TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.artifact TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.artifact TO workindex_maint;
GRANT SELECT,INSERT ON TABLE public.catchup_due TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.catchup_due TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.checkpoint TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.checkpoint TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.claim TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.claim TO workindex_maint;
GRANT SELECT,INSERT ON TABLE public.command_key TO workindex_app;
GRANT SELECT ON TABLE public.command_key TO workindex_maint;
GRANT SELECT,INSERT ON TABLE public.content TO workindex_app;
GRANT SELECT ON TABLE public.content TO workindex_maint;
GRANT SELECT,INSERT ON TABLE public.event TO workindex_app;
GRANT SELECT ON TABLE public.event TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.message TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.message TO workindex_maint;
GRANT INSERT ON TABLE public.operator_action TO workindex_app;
GRANT SELECT,INSERT ON TABLE public.operator_action TO workindex_maint;
GRANT SELECT ON TABLE public.projection_generation TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.projection_generation TO workindex_maint;
GRANT SELECT,INSERT,UPDATE ON TABLE public.projection_progress TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.projection_progress TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.summary TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.summary TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.thread TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.thread TO workindex_maint;
GRANT SELECT,INSERT,UPDATE ON TABLE public.user_log TO workindex_app;
GRANT SELECT,UPDATE ON TABLE public.user_log TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_approval TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_approval TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_commitment TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_commitment TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_connection TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_connection TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_credits TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_credits TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_denial TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_denial TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_due TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_due TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_meeting TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_meeting TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_notification TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_notification TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_proposal TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_proposal TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_reminder TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_reminder TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_routine TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_routine TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_source TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_source TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_task TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_task TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_trigger TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_trigger TO workindex_maint;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_user TO workindex_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_user TO workindex_maint;
GRANT SELECT ON TABLE public.workindex_revision TO workindex_app;
GRANT SELECT ON TABLE public.workindex_revision TO workindex_maint;
ALTER DEFAULT PRIVILEGES FOR ROLE workindex_owner REVOKE ALL ON FUNCTIONS  FROM PUBLIC;
