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


-- Writes rows into the given generations of each member; positions are p_base + offset.
CREATE FUNCTION wi_write_rows(
    p_user text, p_work_index integer[], p_conversation integer[], p_memory integer[],
    p_base bigint, p_rows jsonb
) RETURNS void LANGUAGE plpgsql AS $body$
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
        DELETE FROM work_task
            WHERE user_id = p_user AND generation = ANY (p_work_index)
              AND task_id IN (
                SELECT jsonb_array_elements_text(p_rows -> 'work_task' -> 'drop'));
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
        DELETE FROM work_approval
            WHERE user_id = p_user AND generation = ANY (p_work_index)
              AND approval_id IN (
                SELECT jsonb_array_elements_text(p_rows -> 'work_approval' -> 'drop'));
        INSERT INTO work_due (user_id, generation, kind, id, due_at)
            SELECT p_user, g.generation, 'approval', r.approval_id, r.wake_at
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_approval' -> 'put') AS r(
                approval_id text, wake_at timestamptz)
            WHERE r.wake_at IS NOT NULL
            ON CONFLICT (user_id, generation, kind, id) DO UPDATE SET due_at = excluded.due_at;
        DELETE FROM work_due
            WHERE user_id = p_user AND generation = ANY (p_work_index)
              AND kind = 'approval'
              AND id IN (
                SELECT r.approval_id
                FROM jsonb_to_recordset(p_rows -> 'work_approval' -> 'put') AS r(
                    approval_id text, wake_at timestamptz)
                WHERE r.wake_at IS NULL
                UNION ALL
                SELECT jsonb_array_elements_text(p_rows -> 'work_approval' -> 'drop'));
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
        DELETE FROM work_denial
            WHERE user_id = p_user AND generation = ANY (p_work_index)
              AND denial_id IN (
                SELECT jsonb_array_elements_text(p_rows -> 'work_denial' -> 'drop'));
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
        DELETE FROM work_connection
            WHERE user_id = p_user AND generation = ANY (p_work_index)
              AND connection_id IN (
                SELECT jsonb_array_elements_text(p_rows -> 'work_connection' -> 'drop'));
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
        DELETE FROM work_credits
            WHERE user_id = p_user AND generation = ANY (p_work_index)
              AND account IN (
                SELECT jsonb_array_elements_text(p_rows -> 'work_credits' -> 'drop'));
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
        DELETE FROM work_source
            WHERE user_id = p_user AND generation = ANY (p_work_index)
              AND source IN (
                SELECT jsonb_array_elements_text(p_rows -> 'work_source' -> 'drop'));
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
        DELETE FROM work_user
            WHERE user_id = p_user AND generation = ANY (p_work_index)
              AND user_key IN (
                SELECT jsonb_array_elements_text(p_rows -> 'work_user' -> 'drop'));
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
        DELETE FROM claim
            WHERE user_id = p_user AND generation = ANY (p_memory)
              AND claim_id IN (
                SELECT jsonb_array_elements_text(p_rows -> 'claim' -> 'drop'));
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
        DELETE FROM artifact
            WHERE user_id = p_user AND generation = ANY (p_memory)
              AND artifact_id IN (
                SELECT jsonb_array_elements_text(p_rows -> 'artifact' -> 'drop'));
    END IF;
END
$body$;


-- Appends events, moves the projections that stand at the old head, writes their rows.
-- Binds: expected head and epoch (NULL = not compared), the writer's fold version, its command
-- keys, events in order, rows, the change of open_count, and members to park from here on.
-- Locks the user's head until commit. Returns the new head. SQLSTATE WI001 = somebody else
-- appended first, WI004 = the log is erased, 23505 = a key or stream version exists.
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
    INSERT INTO catchup_due (user_id, projection_set, generation, attempts, next_at)
        SELECT p_user, g.projection_set, g.generation, 0, p_recorded_at
        FROM projection_generation g
        WHERE g.state <> 'retiring'
          AND NOT (g.projection_set = 'inline' AND g.generation = ANY (coalesce(v_moved, '{}')))
        ON CONFLICT (user_id, projection_set, generation) DO NOTHING;
    PERFORM wi_write_rows(p_user, v_work_index, v_conversation, v_memory, v_base, p_rows);
    RETURN v_head;
END
$body$;


-- Moves the projections of one fold version from p_base to p_position with rows that were folded
-- from the events in between (the head must be locked). Returns the generations that moved.
CREATE FUNCTION wi_project(
    p_user text, p_fold_version integer, p_base bigint, p_position bigint, p_rows jsonb,
    p_open_delta integer, p_parked jsonb
) RETURNS integer[] LANGUAGE plpgsql AS $body$
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
$body$;


-- What a decision needs, in one statement. Binds: the reader's fold version, wanted row ids by
-- table, streams whose versions are wanted, streams to replay, and command keys to look up.
CREATE FUNCTION wi_read(
    p_user text, p_fold_version integer, p_want jsonb, p_streams text[], p_replay text[],
    p_source text, p_keys text[]
) RETURNS jsonb LANGUAGE plpgsql AS $body$
BEGIN
    PERFORM wi_enter(p_user);
    RETURN (
        SELECT jsonb_build_object(
            'head', l.head, 'epoch', l.epoch, 'erased', l.erased_at IS NOT NULL,
            'generation', p.generation, 'position', p.position, 'parked', p.parked,
            'keys', (
                SELECT jsonb_object_agg(k.key, to_jsonb(k)) FROM command_key k
                WHERE k.user_id = p_user AND k.source = p_source AND k.key = ANY (p_keys)),
            'versions', (
                SELECT jsonb_object_agg(s.stream, coalesce((
                    SELECT max(e.stream_version) FROM event e
                    WHERE e.user_id = p_user AND e.stream = s.stream), 0))
                FROM unnest(p_streams) AS s(stream)),
            'replay', (
                SELECT jsonb_agg(to_jsonb(e) ORDER BY e.position) FROM event e
                WHERE e.user_id = p_user AND e.stream = ANY (p_replay)),
            'rows', jsonb_build_object(
                'work_task', CASE WHEN p_want ? 'work_task' THEN (
                    SELECT jsonb_agg(to_jsonb(t)) FROM work_task t
                    WHERE t.user_id = p_user AND t.generation = p.generation
                      AND t.task_id IN (
                        SELECT jsonb_array_elements_text(p_want -> 'work_task'))) END,
                'work_approval', CASE WHEN p_want ? 'work_approval' THEN (
                    SELECT jsonb_agg(to_jsonb(t)) FROM work_approval t
                    WHERE t.user_id = p_user AND t.generation = p.generation
                      AND t.approval_id IN (
                        SELECT jsonb_array_elements_text(p_want -> 'work_approval'))) END,
                'work_denial', CASE WHEN p_want ? 'work_denial' THEN (
                    SELECT jsonb_agg(to_jsonb(t)) FROM work_denial t
                    WHERE t.user_id = p_user AND t.generation = p.generation
                      AND t.denial_id IN (
                        SELECT jsonb_array_elements_text(p_want -> 'work_denial'))) END,
                'work_connection', CASE WHEN p_want ? 'work_connection' THEN (
                    SELECT jsonb_agg(to_jsonb(t)) FROM work_connection t
                    WHERE t.user_id = p_user AND t.generation = p.generation
                      AND t.connection_id IN (
                        SELECT jsonb_array_elements_text(p_want -> 'work_connection'))) END,
                'work_credits', CASE WHEN p_want ? 'work_credits' THEN (
                    SELECT jsonb_agg(to_jsonb(t)) FROM work_credits t
                    WHERE t.user_id = p_user AND t.generation = p.generation
                      AND t.account IN (
                        SELECT jsonb_array_elements_text(p_want -> 'work_credits'))) END,
                'work_source', CASE WHEN p_want ? 'work_source' THEN (
                    SELECT jsonb_agg(to_jsonb(t)) FROM work_source t
                    WHERE t.user_id = p_user AND t.generation = p.generation
                      AND t.source IN (
                        SELECT jsonb_array_elements_text(p_want -> 'work_source'))) END,
                'work_user', CASE WHEN p_want ? 'work_user' THEN (
                    SELECT jsonb_agg(to_jsonb(t)) FROM work_user t
                    WHERE t.user_id = p_user AND t.generation = p.generation
                      AND t.user_key IN (
                        SELECT jsonb_array_elements_text(p_want -> 'work_user'))) END,
                'claim', CASE WHEN p_want ? 'claim' THEN (
                    SELECT jsonb_agg(to_jsonb(t)) FROM claim t
                    WHERE t.user_id = p_user AND t.generation = p.generation
                      AND t.claim_id IN (
                        SELECT jsonb_array_elements_text(p_want -> 'claim'))) END,
                'artifact', CASE WHEN p_want ? 'artifact' THEN (
                    SELECT jsonb_agg(to_jsonb(t)) FROM artifact t
                    WHERE t.user_id = p_user AND t.generation = p.generation
                      AND t.artifact_id IN (
                        SELECT jsonb_array_elements_text(p_want -> 'artifact'))) END
            ))
        FROM user_log l
        LEFT JOIN LATERAL (
            SELECT p.generation, p.position, p.parked, p.open_count, g.state
            FROM projection_progress p
            JOIN projection_generation g
              ON g.projection_set = 'inline' AND g.generation = p.generation
            WHERE p.user_id = p_user AND p.projection_set = 'inline'
              AND g.fold_version = p_fold_version AND g.state IN ('live', 'kept')
            ORDER BY (p.position = l.head) DESC, (g.state = 'live') DESC, p.generation DESC
            LIMIT 1
        ) p ON true
        WHERE l.user_id = p_user
    );
END
$body$;


-- ONE statement: everything that a verdict rests on, and the rows it speaks of, as of one
-- instant. It never sets the tenant: called without one it says so and sees nothing.
CREATE FUNCTION wi_proof(p_user text, p_fold_version integer, p_want jsonb)
RETURNS jsonb LANGUAGE plpgsql AS $body$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
            'tenant', nullif(current_setting('workindex.user_id', true), '') = p_user,
            'replica', pg_is_in_recovery(),
            'now', statement_timestamp(),
            'head', l.head, 'erased', l.erased_at IS NOT NULL,
            'generation', p.generation, 'position', p.position, 'parked', p.parked,
            'open_count', p.open_count,
            'open_rows', (SELECT count(*) FROM work_task t WHERE t.user_id = p_user AND t.generation = p.generation AND t.open)
                + (SELECT count(*) FROM work_approval t WHERE t.user_id = p_user AND t.generation = p.generation AND t.open),
            'rows', jsonb_build_object(
                'work_task', CASE WHEN p_want ? 'work_task' THEN (
                    SELECT jsonb_agg(to_jsonb(t) ORDER BY t.task_id)
                    FROM work_task t
                    WHERE t.user_id = p_user AND t.generation = p.generation AND (p_want ->> 'work_task' = 'all' OR t.open)) END,
                'work_approval', CASE WHEN p_want ? 'work_approval' THEN (
                    SELECT jsonb_agg(to_jsonb(t) ORDER BY t.approval_id)
                    FROM work_approval t
                    WHERE t.user_id = p_user AND t.generation = p.generation AND (p_want ->> 'work_approval' = 'all' OR t.open)) END,
                'work_denial', CASE WHEN p_want ? 'work_denial' THEN (
                    SELECT jsonb_agg(to_jsonb(t) ORDER BY t.denial_id)
                    FROM work_denial t
                    WHERE t.user_id = p_user AND t.generation = p.generation) END,
                'work_connection', CASE WHEN p_want ? 'work_connection' THEN (
                    SELECT jsonb_agg(to_jsonb(t) ORDER BY t.connection_id)
                    FROM work_connection t
                    WHERE t.user_id = p_user AND t.generation = p.generation) END,
                'work_credits', CASE WHEN p_want ? 'work_credits' THEN (
                    SELECT jsonb_agg(to_jsonb(t) ORDER BY t.account)
                    FROM work_credits t
                    WHERE t.user_id = p_user AND t.generation = p.generation) END,
                'work_source', CASE WHEN p_want ? 'work_source' THEN (
                    SELECT jsonb_agg(to_jsonb(t) ORDER BY t.source)
                    FROM work_source t
                    WHERE t.user_id = p_user AND t.generation = p.generation) END,
                'work_user', CASE WHEN p_want ? 'work_user' THEN (
                    SELECT jsonb_agg(to_jsonb(t) ORDER BY t.user_key)
                    FROM work_user t
                    WHERE t.user_id = p_user AND t.generation = p.generation) END,
                'claim', CASE WHEN p_want ? 'claim' THEN (
                    SELECT jsonb_agg(to_jsonb(t) ORDER BY t.claim_id)
                    FROM claim t
                    WHERE t.user_id = p_user AND t.generation = p.generation) END,
                'artifact', CASE WHEN p_want ? 'artifact' THEN (
                    SELECT jsonb_agg(to_jsonb(t) ORDER BY t.artifact_id)
                    FROM artifact t
                    WHERE t.user_id = p_user AND t.generation = p.generation) END
            ))
        FROM (SELECT 1) AS one
        LEFT JOIN user_log l ON l.user_id = p_user
        LEFT JOIN LATERAL (
            SELECT p.generation, p.position, p.parked, p.open_count, g.state
            FROM projection_progress p
            JOIN projection_generation g
              ON g.projection_set = 'inline' AND g.generation = p.generation
            WHERE p.user_id = p_user AND p.projection_set = 'inline'
              AND g.fold_version = p_fold_version AND g.state IN ('live', 'kept')
            ORDER BY (p.position = l.head) DESC, (g.state = 'live') DESC, p.generation DESC
            LIMIT 1
        ) p ON true
    );
END
$body$;

-- The proof of one user from a connection without a tenant.
CREATE FUNCTION wi_state(p_user text, p_fold_version integer, p_want jsonb)
RETURNS jsonb LANGUAGE plpgsql AS $body$
BEGIN
    PERFORM wi_enter(p_user);
    RETURN wi_proof(p_user, p_fold_version, p_want);
END
$body$;

REVOKE EXECUTE ON FUNCTION wi_enter(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_enter(text) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_lock(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_lock(text) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_write_rows(text, integer[], integer[], integer[], bigint, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_write_rows(text, integer[], integer[], integer[], bigint, jsonb) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_append(text, bigint, integer, integer, jsonb, jsonb, jsonb, integer, jsonb, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_append(text, bigint, integer, integer, jsonb, jsonb, jsonb, integer, jsonb, timestamptz) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_project(text, integer, bigint, bigint, jsonb, integer, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_project(text, integer, bigint, bigint, jsonb, integer, jsonb) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_read(text, integer, jsonb, text[], text[], text, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_read(text, integer, jsonb, text[], text[], text, text[]) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_proof(text, integer, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_proof(text, integer, jsonb) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_state(text, integer, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_state(text, integer, jsonb) TO workindex_app, workindex_maint;
