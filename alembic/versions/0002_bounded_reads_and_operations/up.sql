DROP FUNCTION wi_state(text, integer, jsonb);
DROP FUNCTION wi_proof(text, integer, jsonb);
DROP FUNCTION wi_read(text, integer, jsonb, text[], text[], text, text[]);
DROP FUNCTION wi_project(text, integer, bigint, bigint, jsonb, integer, jsonb);
DROP FUNCTION wi_append(text, bigint, integer, integer, jsonb, jsonb, jsonb, integer, jsonb, timestamptz);
DROP FUNCTION wi_write_rows(text, integer[], integer[], integer[], bigint, jsonb);
DROP FUNCTION wi_lock(text);
DROP FUNCTION wi_enter(text);

-- When an open row needs the user, kept beside it. For a moment the owner sees every tenant.
ALTER TABLE work_task
    ADD COLUMN need_from_at timestamptz,
    ADD COLUMN need_steady_until_at timestamptz,
    ADD COLUMN need_until_at timestamptz,
    ADD COLUMN need_due_at timestamptz,
    ADD COLUMN need_since_at timestamptz,
    NO FORCE ROW LEVEL SECURITY;
ALTER TABLE work_approval
    ADD COLUMN need_from_at timestamptz,
    ADD COLUMN need_steady_until_at timestamptz,
    ADD COLUMN need_until_at timestamptz,
    ADD COLUMN need_due_at timestamptz,
    ADD COLUMN need_since_at timestamptz,
    NO FORCE ROW LEVEL SECURITY;
ALTER TABLE work_proposal
    ADD COLUMN need_from_at timestamptz,
    ADD COLUMN need_steady_until_at timestamptz,
    ADD COLUMN need_until_at timestamptz,
    ADD COLUMN need_due_at timestamptz,
    ADD COLUMN need_since_at timestamptz,
    NO FORCE ROW LEVEL SECURITY;
ALTER TABLE work_reminder
    ADD COLUMN need_from_at timestamptz,
    ADD COLUMN need_steady_until_at timestamptz,
    ADD COLUMN need_until_at timestamptz,
    ADD COLUMN need_due_at timestamptz,
    ADD COLUMN need_since_at timestamptz,
    NO FORCE ROW LEVEL SECURITY;

UPDATE work_task t SET need_from_at = '0001-01-01 00:00:00+00', need_steady_until_at = coalesce(w.first_at, '0001-01-01 00:00:00+00'),
        need_until_at = coalesce(w.last_at, '0001-01-01 00:00:00+00'),
        need_due_at = CASE WHEN w.first_at IS NOT NULL
            THEN least(nullif(w.first_at, '9999-12-31 23:59:59.999999+00'), t.due_at) END,
        need_since_at = CASE WHEN w.first_at IS NOT NULL
            THEN coalesce(w.asked_at, t.status_since_at) END
    FROM (
        SELECT o.user_id, o.generation, o.task_id, min(x.until_at) AS first_at,
               max(x.until_at) AS last_at,
               min(x.asked_at) FILTER (WHERE x.rank = x.first_rank) AS asked_at
        FROM work_task o LEFT JOIN LATERAL (
            SELECT coalesce((h.held ->> 'expires_at')::timestamptz, '9999-12-31 23:59:59.999999+00') AS until_at,
                   (h.held ->> 'asked_at')::timestamptz AS asked_at, h.rank,
                   min(h.rank) OVER () AS first_rank
            FROM (
                SELECT r.value AS held, array_position(
                           ARRAY['approval', 'decision', 'input'], r.value ->> 'kind') AS rank
                FROM jsonb_each(o.requests) r
                UNION ALL
                SELECT a.value, 1 FROM jsonb_each(o.approvals) a
                WHERE a.value ->> 'status' = 'requested'
            ) h
        ) x ON true
        WHERE o.open GROUP BY o.user_id, o.generation, o.task_id
    ) w
    WHERE w.user_id = t.user_id AND w.generation = t.generation AND w.task_id = t.task_id;
UPDATE work_approval SET
        need_from_at = CASE WHEN status = 'executing'
            THEN coalesce(deadline_at, '0001-01-01 00:00:00+00') ELSE '0001-01-01 00:00:00+00' END,
        need_steady_until_at = CASE WHEN status = 'requested' THEN expires_at
            WHEN status = 'executing' AND deadline_at IS NULL THEN '0001-01-01 00:00:00+00' ELSE '9999-12-31 23:59:59.999999+00' END,
        need_until_at = CASE WHEN status = 'requested' THEN expires_at
            WHEN status = 'executing' AND deadline_at IS NULL THEN '0001-01-01 00:00:00+00' ELSE '9999-12-31 23:59:59.999999+00' END,
        need_due_at = CASE WHEN status = 'requested' THEN expires_at ELSE deadline_at END,
        need_since_at = CASE WHEN status = 'requested' THEN requested_at
            WHEN status = 'executing' AND deadline_at IS NULL THEN NULL ELSE status_since_at END
    WHERE open;
UPDATE work_proposal SET need_from_at = '0001-01-01 00:00:00+00',
        need_steady_until_at = coalesce(expires_at, '9999-12-31 23:59:59.999999+00'),
        need_until_at = coalesce(expires_at, '9999-12-31 23:59:59.999999+00'),
        need_due_at = expires_at, need_since_at = made_at
    WHERE open;
UPDATE work_reminder SET
        need_from_at = CASE WHEN status = 'due' THEN '0001-01-01 00:00:00+00' ELSE remind_at END,
        need_steady_until_at = '9999-12-31 23:59:59.999999+00', need_until_at = '9999-12-31 23:59:59.999999+00',
        need_due_at = coalesce(since_at, remind_at), need_since_at = coalesce(since_at, remind_at)
    WHERE open;

ALTER TABLE work_task FORCE ROW LEVEL SECURITY;
DROP INDEX work_task_open;
CREATE INDEX work_task_open ON work_task (user_id, generation, need_due_at, need_since_at, task_id)
    INCLUDE (need_from_at, need_steady_until_at, need_until_at) WHERE open;
ALTER TABLE work_approval FORCE ROW LEVEL SECURITY;
DROP INDEX work_approval_open;
CREATE INDEX work_approval_open ON work_approval (user_id, generation, need_due_at, need_since_at, approval_id)
    INCLUDE (need_from_at, need_steady_until_at, need_until_at) WHERE open;
ALTER TABLE work_proposal FORCE ROW LEVEL SECURITY;
DROP INDEX work_proposal_open;
CREATE INDEX work_proposal_open ON work_proposal (user_id, generation, need_due_at, need_since_at, proposal_id)
    INCLUDE (need_from_at, need_steady_until_at, need_until_at) WHERE open;
ALTER TABLE work_reminder FORCE ROW LEVEL SECURITY;
DROP INDEX work_reminder_open;
CREATE INDEX work_reminder_open ON work_reminder (user_id, generation, need_due_at, need_since_at, reminder_id)
    INCLUDE (need_from_at, need_steady_until_at, need_until_at) WHERE open;

-- Marks are objects; what an operator had left out of a member's rows stands beside what is parked.
ALTER TABLE user_log ADD CHECK (epoch >= 0);
DROP INDEX artifact_task_id;
CREATE INDEX artifact_task_id ON artifact (user_id, task_id, generation) WHERE task_id IS NOT NULL;

ALTER TABLE catchup_due ADD CHECK (attempts >= 0);
ALTER TABLE projection_progress
    ADD CHECK (jsonb_typeof(parked) = 'object'),
    ADD COLUMN skipped jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(skipped) = 'object');
ALTER TABLE projection_progress ALTER COLUMN skipped DROP DEFAULT;

-- Evidence: documents that follow the log and are searched.
CREATE TABLE document (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    text text NOT NULL,
    source_kind text NOT NULL,
    source_id text NOT NULL,
    segment bigint NOT NULL,
    first_turn bigint,
    last_turn bigint,
    thread_id text,
    meeting_id text,
    task_id text,
    subject text,
    role text,
    source text,
    sensitivity text NOT NULL,
    occurred_at timestamptz NOT NULL,
    expires_at timestamptz,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL,
    words tsvector NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX document_source_id ON document (user_id, source_id, generation);
CREATE INDEX document_thread_id ON document (user_id, thread_id, generation) WHERE thread_id IS NOT NULL;
CREATE INDEX document_meeting_id ON document (user_id, meeting_id, generation) WHERE meeting_id IS NOT NULL;
CREATE INDEX document_task_id ON document (user_id, task_id, generation) WHERE task_id IS NOT NULL;
CREATE INDEX document_words ON document USING gin (words) WITH (fastupdate = off);
ALTER TABLE document ADD PRIMARY KEY (user_id, generation, id);

ALTER TABLE document ENABLE ROW LEVEL SECURITY;
ALTER TABLE document FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON document TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON document TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON document TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON document TO workindex_maint;

CREATE POLICY search ON document FOR SELECT TO workindex_search USING (true);
GRANT SELECT ON document TO workindex_search;
INSERT INTO projection_generation (projection_set, generation, fold_version, state)
    VALUES ('evidence', 1, 1, 'live');
GRANT UPDATE, DELETE ON catchup_due TO workindex_app;
