SET LOCAL ROLE workindex_search;
DROP FUNCTION search_documents(text, text, jsonb);
SET LOCAL ROLE workindex_owner;
DROP FUNCTION wi_state(text, integer, jsonb);
DROP FUNCTION wi_proof(text, integer, jsonb);
DROP FUNCTION wi_read(text, integer, jsonb, text[], text[], text, text[]);
DROP FUNCTION wi_project(text, integer, bigint, bigint, jsonb, integer, jsonb);
DROP FUNCTION wi_append(text, bigint, integer, integer, jsonb, jsonb, jsonb, integer, jsonb, timestamptz);
DROP FUNCTION wi_write_rows(text, integer[], integer[], integer[], integer[], bigint, jsonb);
DROP FUNCTION wi_owner(text, integer);
DROP FUNCTION wi_words(text, boolean);
DROP FUNCTION wi_lock(text);
DROP FUNCTION wi_enter(text);
DROP INDEX work_task_open;
ALTER TABLE work_task
    DROP COLUMN need_from_at,
    DROP COLUMN need_steady_until_at,
    DROP COLUMN need_until_at,
    DROP COLUMN need_due_at,
    DROP COLUMN need_since_at;
CREATE INDEX work_task_open ON work_task (user_id, generation) WHERE open;
DROP INDEX work_approval_open;
ALTER TABLE work_approval
    DROP COLUMN need_from_at,
    DROP COLUMN need_steady_until_at,
    DROP COLUMN need_until_at,
    DROP COLUMN need_due_at,
    DROP COLUMN need_since_at;
CREATE INDEX work_approval_open ON work_approval (user_id, generation) WHERE open;
DROP INDEX work_proposal_open;
ALTER TABLE work_proposal
    DROP COLUMN need_from_at,
    DROP COLUMN need_steady_until_at,
    DROP COLUMN need_until_at,
    DROP COLUMN need_due_at,
    DROP COLUMN need_since_at;
CREATE INDEX work_proposal_open ON work_proposal (user_id, generation) WHERE open;
DROP INDEX work_reminder_open;
ALTER TABLE work_reminder
    DROP COLUMN need_from_at,
    DROP COLUMN need_steady_until_at,
    DROP COLUMN need_until_at,
    DROP COLUMN need_due_at,
    DROP COLUMN need_since_at;
CREATE INDEX work_reminder_open ON work_reminder (user_id, generation) WHERE open;

DROP INDEX artifact_task_id;
CREATE INDEX artifact_task_id ON artifact (user_id, task_id, generation);
ALTER TABLE projection_progress
    DROP COLUMN skipped,
    DROP CONSTRAINT projection_progress_parked_check;
ALTER TABLE catchup_due DROP CONSTRAINT catchup_due_attempts_check;
ALTER TABLE user_log DROP CONSTRAINT user_log_epoch_check;

DROP TABLE document;
ALTER TABLE projection_progress NO FORCE ROW LEVEL SECURITY;
DELETE FROM projection_progress WHERE projection_set = 'evidence';
ALTER TABLE projection_progress FORCE ROW LEVEL SECURITY;
DELETE FROM projection_generation WHERE projection_set = 'evidence';
REVOKE UPDATE, DELETE ON catchup_due FROM workindex_app;
