
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


-- The text with spaces between the pairs of signs that are looked up as words. For a document
-- (p_all) also every single sign; for a query those only that stand alone.
CREATE FUNCTION wi_words(p_text text, p_all boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $body$
DECLARE
    v_signs text;
    v_pairs text;
BEGIN
    IF p_text !~ '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]' THEN
        RETURN p_text;
    END IF;
    v_signs := regexp_replace(p_text, '[^\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+', ' ', 'g');
    v_pairs := regexp_replace(v_signs, '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]{2})', '\1 ', 'g') || ' ' || regexp_replace(
        regexp_replace(v_signs, '(^| )[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]', ' ', 'g'), '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]{2})', '\1 ', 'g');
    IF p_all THEN
        RETURN regexp_replace(p_text, '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g') || ' ' || v_pairs;
    END IF;
    RETURN regexp_replace(p_text, '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]{2,}', ' ', 'g') || ' '
        || regexp_replace(v_pairs, '(^| )[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff](?= |$)', ' ', 'g');
END
$body$;

-- The lexeme that only documents of this user and generation have.
CREATE FUNCTION wi_owner(p_user text, p_generation integer) RETURNS text
LANGUAGE sql STABLE AS $body$
    SELECT '@' || left(encode(sha256(convert_to(p_generation || '/' || p_user, 'UTF8')), 'hex'), 20)
$body$;


-- Writes rows into the given generations of each member; positions are p_base + offset.
CREATE FUNCTION wi_write_rows(
    p_user text, p_work_index integer[], p_conversation integer[], p_memory integer[],
    p_evidence integer[], p_base bigint, p_rows jsonb
) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
    v_id text;
BEGIN
    PERFORM wi_enter(p_user);
    IF p_rows ? 'work_task' THEN
        INSERT INTO work_task (user_id, generation, task_id, title, description, status, status_since_at, status_unblocked, family, revision, priority, labels, assignee, parent_id, source, due_at, scheduled_at, phase, plan, decisions, fields, outputs, requests, approvals, blocked_by, blocked_reason, blocked_outside, blocks, attempts, outcome, created_at, started_at, ended_at, updated_at, open, need_from_at, need_steady_until_at, need_until_at, need_due_at, need_since_at, created_position, source_position)
            SELECT p_user, g.generation, r.task_id, r.title, r.description, r.status, r.status_since_at, r.status_unblocked, r.family, r.revision, r.priority, r.labels, r.assignee, r.parent_id, r.source, r.due_at, r.scheduled_at, r.phase, r.plan, r.decisions, r.fields, r.outputs, r.requests, r.approvals, r.blocked_by, r.blocked_reason, r.blocked_outside, r.blocks, r.attempts, r.outcome, r.created_at, r.started_at, r.ended_at, r.updated_at, r.open, r.need_from_at, r.need_steady_until_at, r.need_until_at, r.need_due_at, r.need_since_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_task' -> 'put') AS r(
                task_id text, title text, description text, status text, status_since_at timestamptz, status_unblocked text, family text, revision bigint, priority bigint, labels jsonb, assignee text, parent_id text, source text, due_at timestamptz, scheduled_at timestamptz, phase text, plan jsonb, decisions jsonb, fields jsonb, outputs jsonb, requests jsonb, approvals jsonb, blocked_by jsonb, blocked_reason text, blocked_outside boolean, blocks jsonb, attempts jsonb, outcome text, created_at timestamptz, started_at timestamptz, ended_at timestamptz, updated_at timestamptz, open boolean, need_from_at timestamptz, need_steady_until_at timestamptz, need_until_at timestamptz, need_due_at timestamptz, need_since_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, task_id) DO UPDATE SET title = excluded.title, description = excluded.description, status = excluded.status, status_since_at = excluded.status_since_at, status_unblocked = excluded.status_unblocked, family = excluded.family, revision = excluded.revision, priority = excluded.priority, labels = excluded.labels, assignee = excluded.assignee, parent_id = excluded.parent_id, source = excluded.source, due_at = excluded.due_at, scheduled_at = excluded.scheduled_at, phase = excluded.phase, plan = excluded.plan, decisions = excluded.decisions, fields = excluded.fields, outputs = excluded.outputs, requests = excluded.requests, approvals = excluded.approvals, blocked_by = excluded.blocked_by, blocked_reason = excluded.blocked_reason, blocked_outside = excluded.blocked_outside, blocks = excluded.blocks, attempts = excluded.attempts, outcome = excluded.outcome, created_at = excluded.created_at, started_at = excluded.started_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at, open = excluded.open, need_from_at = excluded.need_from_at, need_steady_until_at = excluded.need_steady_until_at, need_until_at = excluded.need_until_at, need_due_at = excluded.need_due_at, need_since_at = excluded.need_since_at, created_position = excluded.created_position, source_position = excluded.source_position;
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
        INSERT INTO work_approval (user_id, generation, approval_id, title, status, status_since_at, task_id, tool, tool_schema_sha256, arguments, target, account, requester, action, action_hash, same_action, preconditions, policy, requested_at, expires_at, granted_by, granted_at, redeem_by, execution_id, idempotency_key, started_at, deadline_at, result, reason_code, reason, ended_at, open, need_from_at, need_steady_until_at, need_until_at, need_due_at, need_since_at, created_position, source_position)
            SELECT p_user, g.generation, r.approval_id, r.title, r.status, r.status_since_at, r.task_id, r.tool, r.tool_schema_sha256, r.arguments, r.target, r.account, r.requester, r.action, r.action_hash, r.same_action, r.preconditions, r.policy, r.requested_at, r.expires_at, r.granted_by, r.granted_at, r.redeem_by, r.execution_id, r.idempotency_key, r.started_at, r.deadline_at, r.result, r.reason_code, r.reason, r.ended_at, r.open, r.need_from_at, r.need_steady_until_at, r.need_until_at, r.need_due_at, r.need_since_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_approval' -> 'put') AS r(
                approval_id text, title text, status text, status_since_at timestamptz, task_id text, tool text, tool_schema_sha256 text, arguments jsonb, target text, account text, requester text, action text, action_hash text, same_action text, preconditions jsonb, policy jsonb, requested_at timestamptz, expires_at timestamptz, granted_by text, granted_at timestamptz, redeem_by timestamptz, execution_id text, idempotency_key text, started_at timestamptz, deadline_at timestamptz, result jsonb, reason_code text, reason text, ended_at timestamptz, open boolean, need_from_at timestamptz, need_steady_until_at timestamptz, need_until_at timestamptz, need_due_at timestamptz, need_since_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, approval_id) DO UPDATE SET title = excluded.title, status = excluded.status, status_since_at = excluded.status_since_at, task_id = excluded.task_id, tool = excluded.tool, tool_schema_sha256 = excluded.tool_schema_sha256, arguments = excluded.arguments, target = excluded.target, account = excluded.account, requester = excluded.requester, action = excluded.action, action_hash = excluded.action_hash, same_action = excluded.same_action, preconditions = excluded.preconditions, policy = excluded.policy, requested_at = excluded.requested_at, expires_at = excluded.expires_at, granted_by = excluded.granted_by, granted_at = excluded.granted_at, redeem_by = excluded.redeem_by, execution_id = excluded.execution_id, idempotency_key = excluded.idempotency_key, started_at = excluded.started_at, deadline_at = excluded.deadline_at, result = excluded.result, reason_code = excluded.reason_code, reason = excluded.reason, ended_at = excluded.ended_at, open = excluded.open, need_from_at = excluded.need_from_at, need_steady_until_at = excluded.need_steady_until_at, need_until_at = excluded.need_until_at, need_due_at = excluded.need_due_at, need_since_at = excluded.need_since_at, created_position = excluded.created_position, source_position = excluded.source_position;
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
        INSERT INTO work_proposal (user_id, generation, proposal_id, routine_id, trigger_id, task_id, title, body, status, made_at, expires_at, answered_at, answer, note, open, need_from_at, need_steady_until_at, need_until_at, need_due_at, need_since_at, created_position, source_position)
            SELECT p_user, g.generation, r.proposal_id, r.routine_id, r.trigger_id, r.task_id, r.title, r.body, r.status, r.made_at, r.expires_at, r.answered_at, r.answer, r.note, r.open, r.need_from_at, r.need_steady_until_at, r.need_until_at, r.need_due_at, r.need_since_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_proposal' -> 'put') AS r(
                proposal_id text, routine_id text, trigger_id text, task_id text, title text, body text, status text, made_at timestamptz, expires_at timestamptz, answered_at timestamptz, answer text, note text, open boolean, need_from_at timestamptz, need_steady_until_at timestamptz, need_until_at timestamptz, need_due_at timestamptz, need_since_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, proposal_id) DO UPDATE SET routine_id = excluded.routine_id, trigger_id = excluded.trigger_id, task_id = excluded.task_id, title = excluded.title, body = excluded.body, status = excluded.status, made_at = excluded.made_at, expires_at = excluded.expires_at, answered_at = excluded.answered_at, answer = excluded.answer, note = excluded.note, open = excluded.open, need_from_at = excluded.need_from_at, need_steady_until_at = excluded.need_steady_until_at, need_until_at = excluded.need_until_at, need_due_at = excluded.need_due_at, need_since_at = excluded.need_since_at, created_position = excluded.created_position, source_position = excluded.source_position;
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
        INSERT INTO work_reminder (user_id, generation, reminder_id, title, status, remind_at, since_at, next_at, time_zone, recurrence, task_id, meeting_id, source, set_at, ended_at, updated_at, open, need_from_at, need_steady_until_at, need_until_at, need_due_at, need_since_at, created_position, source_position)
            SELECT p_user, g.generation, r.reminder_id, r.title, r.status, r.remind_at, r.since_at, r.next_at, r.time_zone, r.recurrence, r.task_id, r.meeting_id, r.source, r.set_at, r.ended_at, r.updated_at, r.open, r.need_from_at, r.need_steady_until_at, r.need_until_at, r.need_due_at, r.need_since_at,
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_work_index) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'work_reminder' -> 'put') AS r(
                reminder_id text, title text, status text, remind_at timestamptz, since_at timestamptz, next_at timestamptz, time_zone text, recurrence jsonb, task_id text, meeting_id text, source text, set_at timestamptz, ended_at timestamptz, updated_at timestamptz, open boolean, need_from_at timestamptz, need_steady_until_at timestamptz, need_until_at timestamptz, need_due_at timestamptz, need_since_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, reminder_id) DO UPDATE SET title = excluded.title, status = excluded.status, remind_at = excluded.remind_at, since_at = excluded.since_at, next_at = excluded.next_at, time_zone = excluded.time_zone, recurrence = excluded.recurrence, task_id = excluded.task_id, meeting_id = excluded.meeting_id, source = excluded.source, set_at = excluded.set_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at, open = excluded.open, need_from_at = excluded.need_from_at, need_steady_until_at = excluded.need_steady_until_at, need_until_at = excluded.need_until_at, need_due_at = excluded.need_due_at, need_since_at = excluded.need_since_at, created_position = excluded.created_position, source_position = excluded.source_position;
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
    IF p_rows ? 'document' THEN
        INSERT INTO document (user_id, generation, id, text, source_kind, source_id, segment, first_turn, last_turn, thread_id, meeting_id, task_id, subject, role, source, sensitivity, occurred_at, expires_at, words, created_position, source_position)
            SELECT p_user, g.generation, r.id, r.text, r.source_kind, r.source_id, r.segment, r.first_turn, r.last_turn, r.thread_id, r.meeting_id, r.task_id, r.subject, r.role, r.source, r.sensitivity, r.occurred_at, r.expires_at, to_tsvector('pg_catalog.english', wi_words(left(r.text, 30000), true))
                || array_to_tsvector(ARRAY[wi_owner(p_user, g.generation)]),
                   coalesce(p_base + r.created_offset, r.created_position),
                   p_base + r.source_offset
            FROM unnest(p_evidence) AS g(generation)
            CROSS JOIN jsonb_to_recordset(p_rows -> 'document' -> 'put') AS r(
                id text, text text, source_kind text, source_id text, segment bigint, first_turn bigint, last_turn bigint, thread_id text, meeting_id text, task_id text, subject text, role text, source text, sensitivity text, occurred_at timestamptz, expires_at timestamptz, created_offset integer, created_position bigint, source_offset integer)
            ON CONFLICT (user_id, generation, id) DO UPDATE SET text = excluded.text, source_kind = excluded.source_kind, source_id = excluded.source_id, segment = excluded.segment, first_turn = excluded.first_turn, last_turn = excluded.last_turn, thread_id = excluded.thread_id, meeting_id = excluded.meeting_id, task_id = excluded.task_id, subject = excluded.subject, role = excluded.role, source = excluded.source, sensitivity = excluded.sensitivity, occurred_at = excluded.occurred_at, expires_at = excluded.expires_at, words = excluded.words, created_position = excluded.created_position, source_position = excluded.source_position;
        FOR v_id IN SELECT jsonb_array_elements_text(p_rows -> 'document' -> 'drop') LOOP
            DELETE FROM document
                WHERE user_id = p_user AND generation = ANY (p_evidence)
                  AND id = v_id;
        END LOOP;
    END IF;
END
$body$;


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
            (user_id, projection_set, generation, position, parked, skipped, open_count)
            SELECT p_user, g.projection_set, g.generation, 0, '{}', '{}', 0
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
        SELECT p_user, g.projection_set, g.generation, 0, statement_timestamp()
        FROM projection_generation g
        WHERE g.state <> 'retiring'
          AND NOT (g.projection_set = 'inline' AND g.generation = ANY (coalesce(v_moved, '{}')))
        ON CONFLICT (user_id, projection_set, generation) DO NOTHING;
    PERFORM wi_write_rows(
        p_user, v_work_index, v_conversation, v_memory, '{}', v_base, p_rows);
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
    PERFORM wi_write_rows(
        p_user, v_work_index, v_conversation, v_memory, '{}', p_base, p_rows);
    UPDATE user_log SET epoch = epoch + 1 WHERE user_id = p_user;
    RETURN v_moved;
END
$body$;


-- What a decision needs, as of one instant: STABLE, so every statement in it sees the snapshot of
-- the calling one. Binds: the reader's fold version, wanted row ids by table, streams whose
-- versions are wanted, streams to replay, and command keys to look up. NULL for an unknown user.
CREATE FUNCTION wi_read(
    p_user text, p_fold_version integer, p_want jsonb, p_streams text[], p_replay text[],
    p_source text, p_keys text[]
) RETURNS json LANGUAGE plpgsql STABLE AS $body$
DECLARE
    v_head bigint;
    v_erased_at timestamptz;
    v_generation integer;
    v_position bigint;
    v_parked jsonb;
    v_skipped jsonb;
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
    SELECT p.generation, p.position, p.parked, p.skipped, g.state IN ('live', 'kept')
        INTO v_generation, v_position, v_parked, v_skipped, v_readable
        FROM projection_progress p
        JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
        WHERE p.user_id = p_user AND p.projection_set = 'inline'
          AND g.fold_version = p_fold_version AND g.state <> 'retiring'
        ORDER BY (p.position = v_head) DESC, (p.parked = '{}') DESC, (p.skipped = '{}') DESC,
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
        'parked', v_parked, 'skipped', v_skipped, 'keys', v_keys, 'versions', v_versions,
        'replay', v_replay, 'rows', json_build_object(
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
$body$;


-- Everything that a verdict rests on, and the rows it speaks of, as of one instant: STABLE, so
-- every statement in it sees the snapshot of the calling one. It never sets the tenant: called
-- without one it says so and sees nothing. Binds: which rows of each table (all, open, the most
-- urgent, named, timely or listed ones), and under `bounds` how many and which.
CREATE FUNCTION wi_proof(p_user text, p_fold_version integer, p_want jsonb)
RETURNS json LANGUAGE plpgsql STABLE AS $body$
DECLARE
    v_head bigint;
    v_erased_at timestamptz;
    v_generation integer;
    v_position bigint;
    v_parked jsonb;
    v_skipped jsonb;
    v_open_count bigint;
    v_open_rows bigint := 0;
    v_bounds jsonb := p_want -> 'bounds';
    v_limit bigint := (v_bounds -> 'limit')::bigint;
    v_now timestamptz := coalesce((v_bounds ->> 'now')::timestamptz, statement_timestamp());
    v_from timestamptz := (v_bounds ->> 'from')::timestamptz;
    v_to timestamptz := (v_bounds ->> 'to')::timestamptz;
    v_id text := v_bounds ->> 'id';
    v_status text := v_bounds ->> 'status';
    v_beyond jsonb := '{}';
    v_times text := v_bounds ->> 'times';
    v_pool jsonb;
    v_count bigint;
    v_next timestamptz;
    v_listed jsonb;
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
    SELECT p.generation, p.position, p.parked, p.skipped, p.open_count
        INTO v_generation, v_position, v_parked, v_skipped, v_open_count
        FROM projection_progress p
        JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
        WHERE p.user_id = p_user AND p.projection_set = 'inline'
          AND g.fold_version = p_fold_version AND g.state IN ('live', 'kept')
        ORDER BY (p.position = v_head) DESC, (g.state = 'live') DESC, p.generation DESC
        LIMIT 1;
    IF v_bounds ->> 'is_overdue' = 'true' THEN
        v_from := '0001-01-01 00:00:00+00:00';
        v_to := v_now + interval '1 microsecond';
    END IF;
    IF p_want ->> 'work_task' = 'open'
       OR p_want ->> 'work_task' = 'urgent' AND v_open_count <= v_limit THEN
        -- OFFSET 0: else the order of the ids would have every row read by the key.
        SELECT json_agg(to_json(t) ORDER BY t.task_id), v_open_rows + count(*) INTO v_work_task, v_open_rows
            FROM (SELECT t.*
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open OFFSET 0) t;
    ELSIF p_want ->> 'work_task' = 'urgent' AND v_id IS NOT NULL THEN
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        SELECT json_agg(to_json(t) ORDER BY t.task_id) INTO v_work_task
            FROM (SELECT t.*
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open OFFSET 0) t WHERE t.task_id = v_id OR t.requests ? v_id OR t.approvals ? v_id;
        v_beyond := v_beyond || '{"task": {}}';
    ELSIF p_want ->> 'work_task' = 'urgent' THEN
        SELECT v_open_rows + count(*), v_beyond || jsonb_build_object('task',
                   jsonb_build_object(
                       'needing', count(*) FILTER (WHERE t.need_from_at <= v_now AND t.need_steady_until_at > v_now),
                       'within', count(*) FILTER (WHERE t.need_from_at <= v_now AND t.need_steady_until_at > v_now AND (v_from IS NULL OR (t.need_due_at >= v_from AND t.need_due_at < v_to))),
                       'loose', coalesce(jsonb_agg(t.task_id)
                           FILTER (WHERE (t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now))), '[]'),
                       'changes_at', min(CASE WHEN t.need_from_at > v_now THEN t.need_from_at
                   WHEN t.need_steady_until_at > v_now AND t.need_steady_until_at < '9999-12-31 23:59:59.999999+00:00'
                   THEN t.need_steady_until_at END),
                       'due_at', min(t.need_due_at) FILTER (WHERE t.need_due_at > v_now)))
            INTO v_open_rows, v_beyond
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        SELECT json_agg(to_json(t) ORDER BY t.task_id) INTO v_work_task FROM (
            (SELECT t.*
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open AND t.need_from_at <= v_now AND t.need_steady_until_at > v_now AND (v_from IS NULL OR (t.need_due_at >= v_from AND t.need_due_at < v_to))
             ORDER BY t.need_due_at, t.need_since_at, t.task_id LIMIT v_limit)
            UNION ALL
            SELECT t.*
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open AND (t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now))) t;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        IF p_want ->> 'work_task' = 'all' THEN
            SELECT json_agg(to_json(t) ORDER BY t.task_id) INTO v_work_task
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation;
        ELSIF p_want ->> 'work_task' = 'named' THEN
            SELECT json_agg(to_json(t) ORDER BY t.task_id) INTO v_work_task FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation AND t.task_id = w.id OFFSET 0) t;
        END IF;
        IF p_want ->> 'work_task' = 'listed' THEN
            SELECT jsonb_object_agg(g.status, g.rows), coalesce(sum(g.rows), 0),
                   min(g.next_at) FILTER (WHERE v_status IS NULL OR g.status = v_status),
                   jsonb_object_agg(g.status, g.listed) FILTER (WHERE g.listed > 0)
                INTO v_pool, v_count, v_next, v_listed
                FROM (SELECT t.status, count(*) AS rows, least(min(t.due_at) FILTER (WHERE t.due_at > v_now),
                    min(t.scheduled_at) FILTER (WHERE t.scheduled_at > v_now)) AS next_at,
                             count(*) FILTER (WHERE (v_status IS NULL OR t.status = v_status) AND (v_from IS NULL OR (t.due_at >= v_from AND t.due_at < v_to)
                    OR (v_times <> 'due' AND t.scheduled_at >= v_from AND t.scheduled_at < v_to))) AS listed
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation
                AND CASE WHEN v_status IN ('cancelled', 'done', 'failed') THEN t.status = v_status
                    ELSE t.status NOT IN ('cancelled', 'done', 'failed') END
                      GROUP BY t.status) g;
            IF v_count <= v_limit THEN
                SELECT json_agg(to_json(t) ORDER BY t.task_id) INTO v_work_task
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation
                AND CASE WHEN v_status IN ('cancelled', 'done', 'failed') THEN t.status = v_status
                    ELSE t.status NOT IN ('cancelled', 'done', 'failed') END;
            ELSE
                IF v_times = 'next' THEN
                    v_from := coalesce(v_next, 'infinity');
                    v_to := v_from + interval '1 microsecond';
                    SELECT jsonb_object_agg(g.status, g.listed) INTO v_listed
                        FROM (SELECT t.status, count(*) AS listed
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation
                AND CASE WHEN v_status IN ('cancelled', 'done', 'failed') THEN t.status = v_status
                    ELSE t.status NOT IN ('cancelled', 'done', 'failed') END
                                  AND (v_status IS NULL OR t.status = v_status) AND (v_from IS NULL OR (t.due_at >= v_from AND t.due_at < v_to)
                    OR (v_times <> 'due' AND t.scheduled_at >= v_from AND t.scheduled_at < v_to))
                              GROUP BY t.status) g;
                END IF;
                v_beyond := v_beyond || jsonb_build_object('task', jsonb_build_object(
                    'groups', coalesce(v_listed, '{}'), 'pool', v_pool, 'changes_at', v_next));
                SELECT json_agg(to_json(t) ORDER BY t.task_id) INTO v_work_task FROM (
                    SELECT t.*
            FROM work_task t WHERE t.user_id = p_user AND t.generation = v_generation
                AND CASE WHEN v_status IN ('cancelled', 'done', 'failed') THEN t.status = v_status
                    ELSE t.status NOT IN ('cancelled', 'done', 'failed') END AND (v_status IS NULL OR t.status = v_status) AND (v_from IS NULL OR (t.due_at >= v_from AND t.due_at < v_to)
                    OR (v_times <> 'due' AND t.scheduled_at >= v_from AND t.scheduled_at < v_to))
                    ORDER BY t.due_at, t.status_since_at, t.task_id LIMIT v_limit) t;
            END IF;
        END IF;
    END IF;
    IF p_want ->> 'work_meeting' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.meeting_id) INTO v_work_meeting FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_meeting t WHERE t.user_id = p_user AND t.generation = v_generation AND t.meeting_id = w.id OFFSET 0) t;
    ELSIF p_want ->> 'work_meeting' = 'timely' THEN
        SELECT json_agg(to_json(t) ORDER BY t.meeting_id) INTO v_work_meeting
            FROM work_meeting t WHERE t.user_id = p_user AND t.generation = v_generation
              AND (t.recurrence IS NOT NULL OR t.status = 'started'
                   OR (coalesce(t.end_at, t.start_at + interval '3600 seconds') >= coalesce(v_from - interval '2 days', v_now - interval '9 days')
                       AND (v_to IS NULL OR t.start_at < v_to + interval '2 days')));
    ELSIF p_want ? 'work_meeting' THEN
        SELECT json_agg(to_json(t) ORDER BY t.meeting_id) INTO v_work_meeting
            FROM work_meeting t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_commitment' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.commitment_id) INTO v_work_commitment FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_commitment t WHERE t.user_id = p_user AND t.generation = v_generation AND t.commitment_id = w.id OFFSET 0) t;
    ELSIF p_want ->> 'work_commitment' = 'timely' THEN
        SELECT json_agg(to_json(t) ORDER BY t.commitment_id) INTO v_work_commitment
            FROM work_commitment t WHERE t.user_id = p_user AND t.generation = v_generation
              AND CASE WHEN v_id IS NULL THEN t.status = 'open' ELSE t.meeting_id = v_id END;
    ELSIF p_want ? 'work_commitment' THEN
        SELECT json_agg(to_json(t) ORDER BY t.commitment_id) INTO v_work_commitment
            FROM work_commitment t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_approval' = 'open'
       OR p_want ->> 'work_approval' = 'urgent' AND v_open_count <= v_limit THEN
        -- OFFSET 0: else the order of the ids would have every row read by the key.
        SELECT json_agg(to_json(t) ORDER BY t.approval_id), v_open_rows + count(*) INTO v_work_approval, v_open_rows
            FROM (SELECT t.*
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open OFFSET 0) t;
    ELSIF p_want ->> 'work_approval' = 'urgent' AND v_id IS NOT NULL THEN
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        SELECT json_agg(to_json(t) ORDER BY t.approval_id) INTO v_work_approval
            FROM (SELECT t.*
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open OFFSET 0) t WHERE t.approval_id = v_id OR (p_want ? 'work_task' AND (t.task_id = v_id OR t.task_id IN (
                    SELECT x.value ->> 'task_id' FROM json_array_elements(v_work_task) AS x)));
        v_beyond := v_beyond || '{"approval": {}}';
    ELSIF p_want ->> 'work_approval' = 'urgent' THEN
        SELECT v_open_rows + count(*), v_beyond || jsonb_build_object('approval',
                   jsonb_build_object(
                       'needing', count(*) FILTER (WHERE t.need_from_at <= v_now AND t.need_steady_until_at > v_now
                AND NOT (p_want ? 'work_task' AND EXISTS (
                    SELECT FROM work_task o WHERE o.user_id = p_user
                      AND o.generation = v_generation AND o.task_id = t.task_id
                      AND o.open))),
                       'within', count(*) FILTER (WHERE t.need_from_at <= v_now AND t.need_steady_until_at > v_now AND (v_from IS NULL OR (t.need_due_at >= v_from AND t.need_due_at < v_to))
                AND NOT (p_want ? 'work_task' AND EXISTS (
                    SELECT FROM work_task o WHERE o.user_id = p_user
                      AND o.generation = v_generation AND o.task_id = t.task_id
                      AND o.open))),
                       'loose', coalesce(jsonb_agg(t.approval_id)
                           FILTER (WHERE (t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now))), '[]'),
                       'changes_at', min(CASE WHEN t.need_from_at > v_now THEN t.need_from_at
                   WHEN t.need_steady_until_at > v_now AND t.need_steady_until_at < '9999-12-31 23:59:59.999999+00:00'
                   THEN t.need_steady_until_at END),
                       'due_at', min(t.need_due_at) FILTER (WHERE t.need_due_at > v_now)))
            INTO v_open_rows, v_beyond
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        SELECT json_agg(to_json(t) ORDER BY t.approval_id) INTO v_work_approval FROM (
            (SELECT t.*
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open AND t.need_from_at <= v_now AND t.need_steady_until_at > v_now AND (v_from IS NULL OR (t.need_due_at >= v_from AND t.need_due_at < v_to))
                AND NOT (p_want ? 'work_task' AND EXISTS (
                    SELECT FROM work_task o WHERE o.user_id = p_user
                      AND o.generation = v_generation AND o.task_id = t.task_id
                      AND o.open))
             ORDER BY t.need_due_at, t.need_since_at, t.approval_id LIMIT v_limit)
            UNION ALL
            SELECT t.*
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open AND (t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now))
            UNION ALL
            SELECT t.*
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open AND NOT (t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now)) AND p_want ? 'work_task'
                AND t.task_id IN (
                    SELECT x.value ->> 'task_id' FROM json_array_elements(v_work_task) AS x)) t;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        IF p_want ->> 'work_approval' = 'all' THEN
            SELECT json_agg(to_json(t) ORDER BY t.approval_id) INTO v_work_approval
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation;
        ELSIF p_want ->> 'work_approval' = 'named' THEN
            SELECT json_agg(to_json(t) ORDER BY t.approval_id) INTO v_work_approval FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_approval t WHERE t.user_id = p_user AND t.generation = v_generation AND t.approval_id = w.id OFFSET 0) t;
        END IF;
    END IF;
    IF p_want ->> 'work_denial' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.denial_id) INTO v_work_denial FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_denial t WHERE t.user_id = p_user AND t.generation = v_generation AND t.denial_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'work_denial' THEN
        SELECT json_agg(to_json(t) ORDER BY t.denial_id) INTO v_work_denial
            FROM work_denial t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_routine' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.routine_id) INTO v_work_routine FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_routine t WHERE t.user_id = p_user AND t.generation = v_generation AND t.routine_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'work_routine' THEN
        SELECT json_agg(to_json(t) ORDER BY t.routine_id) INTO v_work_routine
            FROM work_routine t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_trigger' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.trigger_id) INTO v_work_trigger FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_trigger t WHERE t.user_id = p_user AND t.generation = v_generation AND t.trigger_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'work_trigger' THEN
        SELECT json_agg(to_json(t) ORDER BY t.trigger_id) INTO v_work_trigger
            FROM work_trigger t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_proposal' = 'open'
       OR p_want ->> 'work_proposal' = 'urgent' AND v_open_count <= v_limit THEN
        -- OFFSET 0: else the order of the ids would have every row read by the key.
        SELECT json_agg(to_json(t) ORDER BY t.proposal_id), v_open_rows + count(*) INTO v_work_proposal, v_open_rows
            FROM (SELECT t.*
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open OFFSET 0) t;
    ELSIF p_want ->> 'work_proposal' = 'urgent' AND v_id IS NOT NULL THEN
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        SELECT json_agg(to_json(t) ORDER BY t.proposal_id) INTO v_work_proposal
            FROM (SELECT t.*
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open OFFSET 0) t WHERE t.proposal_id = v_id;
        v_beyond := v_beyond || '{"proposal": {}}';
    ELSIF p_want ->> 'work_proposal' = 'urgent' THEN
        SELECT v_open_rows + count(*), v_beyond || jsonb_build_object('proposal',
                   jsonb_build_object(
                       'needing', count(*) FILTER (WHERE t.need_from_at <= v_now AND t.need_steady_until_at > v_now),
                       'within', count(*) FILTER (WHERE t.need_from_at <= v_now AND t.need_steady_until_at > v_now AND (v_from IS NULL OR (t.need_due_at >= v_from AND t.need_due_at < v_to))),
                       'loose', coalesce(jsonb_agg(t.proposal_id)
                           FILTER (WHERE (t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now))), '[]'),
                       'changes_at', min(CASE WHEN t.need_from_at > v_now THEN t.need_from_at
                   WHEN t.need_steady_until_at > v_now AND t.need_steady_until_at < '9999-12-31 23:59:59.999999+00:00'
                   THEN t.need_steady_until_at END),
                       'due_at', min(t.need_due_at) FILTER (WHERE t.need_due_at > v_now)))
            INTO v_open_rows, v_beyond
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        SELECT json_agg(to_json(t) ORDER BY t.proposal_id) INTO v_work_proposal FROM (
            (SELECT t.*
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open AND t.need_from_at <= v_now AND t.need_steady_until_at > v_now AND (v_from IS NULL OR (t.need_due_at >= v_from AND t.need_due_at < v_to))
             ORDER BY t.need_due_at, t.need_since_at, t.proposal_id LIMIT v_limit)
            UNION ALL
            SELECT t.*
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open AND (t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now))) t;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        IF p_want ->> 'work_proposal' = 'all' THEN
            SELECT json_agg(to_json(t) ORDER BY t.proposal_id) INTO v_work_proposal
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation;
        ELSIF p_want ->> 'work_proposal' = 'named' THEN
            SELECT json_agg(to_json(t) ORDER BY t.proposal_id) INTO v_work_proposal FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_proposal t WHERE t.user_id = p_user AND t.generation = v_generation AND t.proposal_id = w.id OFFSET 0) t;
        END IF;
    END IF;
    IF p_want ->> 'work_notification' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.notification_id) INTO v_work_notification FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_notification t WHERE t.user_id = p_user AND t.generation = v_generation AND t.notification_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'work_notification' THEN
        SELECT json_agg(to_json(t) ORDER BY t.notification_id) INTO v_work_notification
            FROM work_notification t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_reminder' = 'open'
       OR p_want ->> 'work_reminder' = 'urgent' AND v_open_count <= v_limit THEN
        -- OFFSET 0: else the order of the ids would have every row read by the key.
        SELECT json_agg(to_json(t) ORDER BY t.reminder_id), v_open_rows + count(*) INTO v_work_reminder, v_open_rows
            FROM (SELECT t.*
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open OFFSET 0) t;
    ELSIF p_want ->> 'work_reminder' = 'urgent' AND v_id IS NOT NULL THEN
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        SELECT json_agg(to_json(t) ORDER BY t.reminder_id) INTO v_work_reminder
            FROM (SELECT t.*
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open OFFSET 0) t WHERE t.reminder_id = v_id;
        v_beyond := v_beyond || '{"reminder": {}}';
    ELSIF p_want ->> 'work_reminder' = 'urgent' THEN
        SELECT v_open_rows + count(*), v_beyond || jsonb_build_object('reminder',
                   jsonb_build_object(
                       'needing', count(*) FILTER (WHERE t.need_from_at <= v_now AND t.need_steady_until_at > v_now),
                       'within', count(*) FILTER (WHERE t.need_from_at <= v_now AND t.need_steady_until_at > v_now AND (v_from IS NULL OR (t.need_due_at >= v_from AND t.need_due_at < v_to))),
                       'loose', coalesce(jsonb_agg(t.reminder_id)
                           FILTER (WHERE (t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now))), '[]'),
                       'changes_at', min(CASE WHEN t.need_from_at > v_now THEN t.need_from_at
                   WHEN t.need_steady_until_at > v_now AND t.need_steady_until_at < '9999-12-31 23:59:59.999999+00:00'
                   THEN t.need_steady_until_at END),
                       'due_at', min(t.need_due_at) FILTER (WHERE t.need_due_at > v_now)))
            INTO v_open_rows, v_beyond
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        SELECT json_agg(to_json(t) ORDER BY t.reminder_id) INTO v_work_reminder FROM (
            (SELECT t.*
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open AND t.need_from_at <= v_now AND t.need_steady_until_at > v_now AND (v_from IS NULL OR (t.need_due_at >= v_from AND t.need_due_at < v_to))
             ORDER BY t.need_due_at, t.need_since_at, t.reminder_id LIMIT v_limit)
            UNION ALL
            SELECT t.*
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open AND (t.need_until_at IS NULL
                   OR (t.need_steady_until_at <= v_now AND t.need_until_at > v_now))) t;
    ELSE
        SELECT v_open_rows + count(*) INTO v_open_rows
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.open;
        IF p_want ->> 'work_reminder' = 'all' THEN
            SELECT json_agg(to_json(t) ORDER BY t.reminder_id) INTO v_work_reminder
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation;
        ELSIF p_want ->> 'work_reminder' = 'named' THEN
            SELECT json_agg(to_json(t) ORDER BY t.reminder_id) INTO v_work_reminder FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_reminder t WHERE t.user_id = p_user AND t.generation = v_generation AND t.reminder_id = w.id OFFSET 0) t;
        END IF;
    END IF;
    IF p_want ->> 'work_connection' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.connection_id) INTO v_work_connection FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_connection t WHERE t.user_id = p_user AND t.generation = v_generation AND t.connection_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'work_connection' THEN
        SELECT json_agg(to_json(t) ORDER BY t.connection_id) INTO v_work_connection
            FROM work_connection t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_credits' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.account) INTO v_work_credits FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_credits t WHERE t.user_id = p_user AND t.generation = v_generation AND t.account = w.id OFFSET 0) t;
    ELSIF p_want ? 'work_credits' THEN
        SELECT json_agg(to_json(t) ORDER BY t.account) INTO v_work_credits
            FROM work_credits t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_source' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.source) INTO v_work_source FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_source t WHERE t.user_id = p_user AND t.generation = v_generation AND t.source = w.id OFFSET 0) t;
    ELSIF p_want ? 'work_source' THEN
        SELECT json_agg(to_json(t) ORDER BY t.source) INTO v_work_source
            FROM work_source t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'work_user' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.user_key) INTO v_work_user FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM work_user t WHERE t.user_id = p_user AND t.generation = v_generation AND t.user_key = w.id OFFSET 0) t;
    ELSIF p_want ? 'work_user' THEN
        SELECT json_agg(to_json(t) ORDER BY t.user_key) INTO v_work_user
            FROM work_user t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'thread' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.thread_id) INTO v_thread FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM thread t WHERE t.user_id = p_user AND t.generation = v_generation AND t.thread_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'thread' THEN
        SELECT json_agg(to_json(t) ORDER BY t.thread_id) INTO v_thread
            FROM thread t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'message' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.message_id) INTO v_message FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM message t WHERE t.user_id = p_user AND t.generation = v_generation AND t.message_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'message' THEN
        SELECT json_agg(to_json(t) ORDER BY t.message_id) INTO v_message
            FROM message t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'checkpoint' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.checkpoint_id) INTO v_checkpoint FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM checkpoint t WHERE t.user_id = p_user AND t.generation = v_generation AND t.checkpoint_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'checkpoint' THEN
        SELECT json_agg(to_json(t) ORDER BY t.checkpoint_id) INTO v_checkpoint
            FROM checkpoint t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'summary' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.summary_id) INTO v_summary FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM summary t WHERE t.user_id = p_user AND t.generation = v_generation AND t.summary_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'summary' THEN
        SELECT json_agg(to_json(t) ORDER BY t.summary_id) INTO v_summary
            FROM summary t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'claim' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.claim_id) INTO v_claim FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM claim t WHERE t.user_id = p_user AND t.generation = v_generation AND t.claim_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'claim' THEN
        SELECT json_agg(to_json(t) ORDER BY t.claim_id) INTO v_claim
            FROM claim t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    IF p_want ->> 'artifact' = 'named' THEN
        SELECT json_agg(to_json(t) ORDER BY t.artifact_id) INTO v_artifact FROM unnest(ARRAY[v_id]) AS w(id),
                LATERAL (SELECT t.*
            FROM artifact t WHERE t.user_id = p_user AND t.generation = v_generation AND t.artifact_id = w.id OFFSET 0) t;
    ELSIF p_want ? 'artifact' THEN
        SELECT json_agg(to_json(t) ORDER BY t.artifact_id) INTO v_artifact
            FROM artifact t WHERE t.user_id = p_user AND t.generation = v_generation;
    END IF;
    RETURN json_build_object(
        'tenant', nullif(current_setting('workindex.user_id', true), '') = p_user,
        'replica', pg_is_in_recovery(), 'now', statement_timestamp(),
        'head', v_head, 'erased', v_erased_at IS NOT NULL,
        'generation', v_generation, 'position', v_position, 'parked', v_parked,
        'skipped', v_skipped, 'open_count', v_open_count, 'open_rows', v_open_rows,
        'beyond', v_beyond,
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
$body$;

-- The proof of one user from a connection without a tenant.
CREATE FUNCTION wi_state(p_user text, p_fold_version integer, p_want jsonb)
RETURNS json LANGUAGE plpgsql STABLE AS $body$
BEGIN
    PERFORM wi_enter(p_user);
    RETURN wi_proof(p_user, p_fold_version, p_want);
END
$body$;

REVOKE EXECUTE ON FUNCTION wi_enter(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_enter(text) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_lock(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_lock(text) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_write_rows(text, integer[], integer[], integer[], integer[], bigint, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_write_rows(text, integer[], integer[], integer[], integer[], bigint, jsonb) TO workindex_app, workindex_maint;
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
REVOKE EXECUTE ON FUNCTION wi_words(text, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_words(text, boolean) TO workindex_app, workindex_maint;
REVOKE EXECUTE ON FUNCTION wi_owner(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wi_owner(text, integer) TO workindex_app, workindex_maint;

-- Documents of one user that hold every word of the query, else, where none does, any of them
-- (is_retry); those whose id, thread, meeting or task the query names come first (is_exact).
-- Binds: user, query, filters: generation (by default the newest that has documents), limit,
-- kinds, sources, entities (as task/T-1), since, until, sensitivity, now. SQLSTATE WI002 = the
-- transaction is not this user's, WI005 = a filter that does not exist.
CREATE FUNCTION search_documents(p_user text, p_query text, p_filters jsonb)
RETURNS TABLE (id text, text text, source_kind text, source_id text, segment bigint, first_turn bigint, last_turn bigint, thread_id text, meeting_id text, task_id text, subject text, role text, source text, sensitivity text, occurred_at timestamptz, expires_at timestamptz, source_position bigint, rank real, is_exact boolean, is_retry boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_indexscan = off AS $body$
#variable_conflict use_column
DECLARE
    v_generation integer := (p_filters ->> 'generation')::integer;
    v_limit integer := least(coalesce((p_filters ->> 'limit')::integer, 20), 1000);
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
               WHERE k.name <> ALL (ARRAY['generation', 'limit', 'kinds', 'sources', 'entities', 'since', 'until', 'sensitivity', 'now'])) THEN
        RAISE EXCEPTION 'a filter that does not exist' USING ERRCODE = 'WI005';
    END IF;
    IF v_generation IS NULL THEN
        SELECT max(d.generation) INTO v_generation FROM document d WHERE d.user_id = p_user;
    END IF;
    v_owner := ('''' || wi_owner(p_user, v_generation) || '''')::tsquery;
    v_words := plainto_tsquery('pg_catalog.english', wi_words(left(p_query, 2000), false));
    v_tokens := ARRAY(SELECT trim(t.token, '.,;:!?()[]"''') FROM regexp_split_to_table(
        left(p_query, 2000), '\s+') AS t(token) WHERE t.token <> '' LIMIT 20);
    v_named := ARRAY(SELECT n.id FROM (
            SELECT d.id FROM unnest(v_tokens) AS t(token), LATERAL (
                SELECT d.id, d.generation FROM document d
                WHERE d.user_id = p_user AND d.source_id = t.token OFFSET 0) d
            WHERE d.generation = v_generation
            UNION
            SELECT d.id FROM unnest(v_tokens) AS t(token), LATERAL (
                SELECT d.id, d.generation FROM document d
                WHERE d.user_id = p_user AND d.thread_id = t.token OFFSET 0) d
            WHERE d.generation = v_generation
            UNION
            SELECT d.id FROM unnest(v_tokens) AS t(token), LATERAL (
                SELECT d.id, d.generation FROM document d
                WHERE d.user_id = p_user AND d.meeting_id = t.token OFFSET 0) d
            WHERE d.generation = v_generation
            UNION
            SELECT d.id FROM unnest(v_tokens) AS t(token), LATERAL (
                SELECT d.id, d.generation FROM document d
                WHERE d.user_id = p_user AND d.task_id = t.token OFFSET 0) d
            WHERE d.generation = v_generation
        ) n LIMIT 2000);
    v_any := replace(replace(v_words::text, ' & ', ' | '), ' <-> ', ' | ')::tsquery;
    RETURN QUERY
        SELECT d.id, d.text, d.source_kind, d.source_id, d.segment, d.first_turn, d.last_turn, d.thread_id, d.meeting_id, d.task_id, d.subject, d.role, d.source, d.sensitivity, d.occurred_at, d.expires_at, d.source_position, d.rank, true, false
        FROM (
            SELECT d.*, ts_rank(d.words, v_any, 1) AS rank, d.source_id = ANY (v_tokens) AS is_source
            FROM (
                SELECT d.* FROM unnest(v_named) AS n(id), LATERAL (
                    SELECT d.* FROM document d
                    WHERE d.user_id = p_user AND d.generation = v_generation AND d.id = n.id
                    OFFSET 0) d) d
            WHERE d.user_id = p_user AND d.generation = v_generation
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
                      || '/' || d.source_id = ANY (v_entities))
            LIMIT 2000
        ) d
        ORDER BY is_source DESC, d.rank DESC, d.occurred_at DESC, d.id LIMIT v_limit;
    IF numnode(v_words) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY
        SELECT d.id, d.text, d.source_kind, d.source_id, d.segment, d.first_turn, d.last_turn, d.thread_id, d.meeting_id, d.task_id, d.subject, d.role, d.source, d.sensitivity, d.occurred_at, d.expires_at, d.source_position, d.rank, false, false
        FROM (
            SELECT d.*, ts_rank_cd(d.words, v_words, 1) AS rank, d.source_id = ANY (v_tokens) AS is_source
            FROM (SELECT d.* FROM document d WHERE d.words @@ (v_owner && v_words) OFFSET 0) d
            WHERE d.user_id = p_user AND d.generation = v_generation AND d.id <> ALL (v_named)
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
                      || '/' || d.source_id = ANY (v_entities))
            LIMIT 2000
        ) d
        ORDER BY d.rank DESC, d.occurred_at DESC, d.id LIMIT v_limit;
    IF FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY
        SELECT d.id, d.text, d.source_kind, d.source_id, d.segment, d.first_turn, d.last_turn, d.thread_id, d.meeting_id, d.task_id, d.subject, d.role, d.source, d.sensitivity, d.occurred_at, d.expires_at, d.source_position, d.rank, false, true
        FROM (
            SELECT d.*, ts_rank(d.words, v_any, 1) AS rank, d.source_id = ANY (v_tokens) AS is_source
            FROM (SELECT d.* FROM document d WHERE d.words @@ (v_owner && v_any) OFFSET 0) d
            WHERE d.user_id = p_user AND d.generation = v_generation AND d.id <> ALL (v_named)
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
                      || '/' || d.source_id = ANY (v_entities))
            LIMIT 2000
        ) d
        ORDER BY d.rank DESC, d.occurred_at DESC, d.id LIMIT v_limit;
END
$body$;

REVOKE EXECUTE ON FUNCTION search_documents(text, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_documents(text, text, jsonb) TO workindex_app, workindex_maint;
GRANT EXECUTE ON FUNCTION wi_words(text, boolean), wi_owner(text, integer) TO workindex_search;
-- The role may make this one function its own, then nothing any more.
GRANT CREATE ON SCHEMA public TO workindex_search;
ALTER FUNCTION search_documents(text, text, jsonb) OWNER TO workindex_search;
REVOKE CREATE ON SCHEMA public FROM workindex_search;

