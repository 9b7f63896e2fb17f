CREATE TABLE work_task (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    task_id text COLLATE "C" NOT NULL,
    title text NOT NULL,
    description text,
    status text NOT NULL,
    status_since_at timestamptz NOT NULL,
    status_unblocked text NOT NULL,
    family text,
    revision bigint NOT NULL,
    priority bigint,
    labels jsonb NOT NULL,
    assignee text,
    parent_id text,
    source text,
    due_at timestamptz,
    scheduled_at timestamptz,
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
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    updated_at timestamptz NOT NULL,
    open boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX work_task_open ON work_task (user_id, generation) WHERE open;
ALTER TABLE work_task ADD PRIMARY KEY (user_id, generation, task_id);

ALTER TABLE work_task ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_task FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_task TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_task TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_task TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_task TO workindex_maint;

CREATE TABLE work_meeting (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    meeting_id text COLLATE "C" NOT NULL,
    title text NOT NULL,
    status text NOT NULL,
    start_at timestamptz NOT NULL,
    end_at timestamptz,
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
    started_at timestamptz,
    ended_at timestamptz,
    updated_at timestamptz NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_meeting ADD PRIMARY KEY (user_id, generation, meeting_id);

ALTER TABLE work_meeting ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_meeting FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_meeting TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_meeting TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_meeting TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_meeting TO workindex_maint;

CREATE TABLE work_commitment (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    commitment_id text COLLATE "C" NOT NULL,
    meeting_id text NOT NULL,
    text text NOT NULL,
    owner text,
    status text NOT NULL,
    due_at timestamptz,
    task_id text,
    made_at timestamptz NOT NULL,
    settled_at timestamptz,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_commitment ADD PRIMARY KEY (user_id, generation, commitment_id);

ALTER TABLE work_commitment ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_commitment FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_commitment TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_commitment TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_commitment TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_commitment TO workindex_maint;

CREATE TABLE work_approval (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    approval_id text COLLATE "C" NOT NULL,
    title text NOT NULL,
    status text NOT NULL,
    status_since_at timestamptz NOT NULL,
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
    requested_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    granted_by text,
    granted_at timestamptz,
    redeem_by timestamptz,
    execution_id text,
    idempotency_key text,
    started_at timestamptz,
    deadline_at timestamptz,
    result jsonb,
    reason_code text,
    reason text,
    ended_at timestamptz,
    open boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX work_approval_open ON work_approval (user_id, generation) WHERE open;
ALTER TABLE work_approval ADD PRIMARY KEY (user_id, generation, approval_id);

ALTER TABLE work_approval ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_approval FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_approval TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_approval TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_approval TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_approval TO workindex_maint;

CREATE TABLE work_denial (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    denial_id text COLLATE "C" NOT NULL,
    same_action text NOT NULL,
    task_id text,
    status text NOT NULL,
    approval_id text NOT NULL,
    since_at timestamptz NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_denial ADD PRIMARY KEY (user_id, generation, denial_id);

ALTER TABLE work_denial ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_denial FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_denial TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_denial TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_denial TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_denial TO workindex_maint;

CREATE TABLE work_routine (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    routine_id text COLLATE "C" NOT NULL,
    title text NOT NULL,
    status text NOT NULL,
    schedule jsonb,
    next_at timestamptz,
    cooldown_seconds bigint,
    cooldown_until_at timestamptz,
    instructions text,
    last_notification jsonb,
    revision bigint NOT NULL,
    updated_at timestamptz NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_routine ADD PRIMARY KEY (user_id, generation, routine_id);

ALTER TABLE work_routine ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_routine FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_routine TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_routine TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_routine TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_routine TO workindex_maint;

CREATE TABLE work_trigger (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    trigger_id text COLLATE "C" NOT NULL,
    routine_id text,
    summary text NOT NULL,
    evidence jsonb NOT NULL,
    observed_at timestamptz NOT NULL,
    proposal_id text,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_trigger ADD PRIMARY KEY (user_id, generation, trigger_id);

ALTER TABLE work_trigger ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_trigger FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_trigger TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_trigger TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_trigger TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_trigger TO workindex_maint;

CREATE TABLE work_proposal (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    proposal_id text COLLATE "C" NOT NULL,
    routine_id text,
    trigger_id text,
    task_id text,
    title text NOT NULL,
    body text,
    status text NOT NULL,
    made_at timestamptz NOT NULL,
    expires_at timestamptz,
    answered_at timestamptz,
    answer text,
    note text,
    open boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX work_proposal_open ON work_proposal (user_id, generation) WHERE open;
ALTER TABLE work_proposal ADD PRIMARY KEY (user_id, generation, proposal_id);

ALTER TABLE work_proposal ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_proposal FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_proposal TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_proposal TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_proposal TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_proposal TO workindex_maint;

CREATE TABLE work_notification (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    notification_id text COLLATE "C" NOT NULL,
    routine_id text,
    proposal_id text,
    task_id text,
    title text NOT NULL,
    body text,
    channel text,
    sent_at timestamptz NOT NULL,
    answered_at timestamptz,
    answer text,
    note text,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_notification ADD PRIMARY KEY (user_id, generation, notification_id);

ALTER TABLE work_notification ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_notification FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_notification TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_notification TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_notification TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_notification TO workindex_maint;

CREATE TABLE work_reminder (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    reminder_id text COLLATE "C" NOT NULL,
    title text NOT NULL,
    status text NOT NULL,
    remind_at timestamptz NOT NULL,
    since_at timestamptz,
    next_at timestamptz,
    time_zone text,
    recurrence jsonb,
    task_id text,
    meeting_id text,
    source text,
    set_at timestamptz NOT NULL,
    ended_at timestamptz,
    updated_at timestamptz NOT NULL,
    open boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX work_reminder_open ON work_reminder (user_id, generation) WHERE open;
ALTER TABLE work_reminder ADD PRIMARY KEY (user_id, generation, reminder_id);

ALTER TABLE work_reminder ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_reminder FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_reminder TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_reminder TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_reminder TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_reminder TO workindex_maint;

CREATE TABLE work_connection (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    connection_id text COLLATE "C" NOT NULL,
    provider text NOT NULL,
    account text NOT NULL,
    status text NOT NULL,
    detail text,
    observed_at timestamptz NOT NULL,
    ttl_seconds bigint NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_connection ADD PRIMARY KEY (user_id, generation, connection_id);

ALTER TABLE work_connection ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_connection FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_connection TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_connection TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_connection TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_connection TO workindex_maint;

CREATE TABLE work_credits (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    account text COLLATE "C" NOT NULL,
    provider text,
    amount text NOT NULL,
    unit text NOT NULL,
    observed_at timestamptz NOT NULL,
    ttl_seconds bigint NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_credits ADD PRIMARY KEY (user_id, generation, account);

ALTER TABLE work_credits ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_credits FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_credits TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_credits TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_credits TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_credits TO workindex_maint;

CREATE TABLE work_source (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    source text COLLATE "C" NOT NULL,
    state text NOT NULL,
    covers jsonb NOT NULL,
    observed_through_at timestamptz NOT NULL,
    fresh_seconds bigint NOT NULL,
    cursor text,
    reported_at timestamptz NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_source ADD PRIMARY KEY (user_id, generation, source);

ALTER TABLE work_source ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_source FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_source TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_source TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_source TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_source TO workindex_maint;

CREATE TABLE work_user (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    user_key text COLLATE "C" NOT NULL,
    time_zone text,
    locale text,
    preferences jsonb NOT NULL,
    consents jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE work_user ADD PRIMARY KEY (user_id, generation, user_key);

ALTER TABLE work_user ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_user FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_user TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_user TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_user TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_user TO workindex_maint;

CREATE TABLE thread (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    checkpoint_id text,
    summary_id text,
    corrections jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE thread ADD PRIMARY KEY (user_id, generation, thread_id);

ALTER TABLE thread ENABLE ROW LEVEL SECURITY;
ALTER TABLE thread FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON thread TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON thread TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON thread TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON thread TO workindex_maint;

CREATE TABLE message (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    thread_id text NOT NULL,
    role text NOT NULL,
    text text,
    posted_at timestamptz NOT NULL,
    reply_to text,
    shown_approvals jsonb NOT NULL,
    attachments jsonb NOT NULL,
    sensitivity text NOT NULL,
    redacted boolean NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX message_thread_id_created_position ON message (user_id, thread_id, generation, created_position);
ALTER TABLE message ADD PRIMARY KEY (user_id, generation, message_id);

ALTER TABLE message ENABLE ROW LEVEL SECURITY;
ALTER TABLE message FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON message TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON message TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON message TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON message TO workindex_maint;

CREATE TABLE checkpoint (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    checkpoint_id text COLLATE "C" NOT NULL,
    thread_id text NOT NULL,
    task_id text,
    body jsonb NOT NULL,
    recorded_at timestamptz NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE checkpoint ADD PRIMARY KEY (user_id, generation, checkpoint_id);

ALTER TABLE checkpoint ENABLE ROW LEVEL SECURITY;
ALTER TABLE checkpoint FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON checkpoint TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON checkpoint TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON checkpoint TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON checkpoint TO workindex_maint;

CREATE TABLE summary (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    summary_id text COLLATE "C" NOT NULL,
    thread_id text NOT NULL,
    sentences jsonb NOT NULL,
    recorded_at timestamptz NOT NULL,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
ALTER TABLE summary ADD PRIMARY KEY (user_id, generation, summary_id);

ALTER TABLE summary ENABLE ROW LEVEL SECURITY;
ALTER TABLE summary FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON summary TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON summary TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON summary TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON summary TO workindex_maint;

CREATE TABLE claim (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    claim_id text COLLATE "C" NOT NULL,
    subject text NOT NULL,
    attribute text NOT NULL,
    value jsonb,
    status text NOT NULL,
    version bigint NOT NULL,
    confidence double precision,
    sensitivity text NOT NULL,
    sources jsonb NOT NULL,
    valid_from_at timestamptz,
    expires_at timestamptz,
    supersedes text,
    superseded_by text,
    reason text,
    recorded_at timestamptz NOT NULL,
    ended_at timestamptz,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX claim_subject_attribute ON claim (user_id, subject, generation, attribute);
ALTER TABLE claim ADD PRIMARY KEY (user_id, generation, claim_id);

ALTER TABLE claim ENABLE ROW LEVEL SECURITY;
ALTER TABLE claim FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON claim TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON claim TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON claim TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON claim TO workindex_maint;

CREATE TABLE artifact (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    artifact_id text COLLATE "C" NOT NULL,
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
    stored_at timestamptz NOT NULL,
    forgotten_at timestamptz,
    created_position bigint NOT NULL,
    source_position bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX artifact_task_id ON artifact (user_id, task_id, generation);
ALTER TABLE artifact ADD PRIMARY KEY (user_id, generation, artifact_id);

ALTER TABLE artifact ENABLE ROW LEVEL SECURITY;
ALTER TABLE artifact FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON artifact TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON artifact TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON artifact TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON artifact TO workindex_maint;


CREATE TABLE work_due (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    generation integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, generation, kind, id)
);
CREATE INDEX work_due_due_at ON work_due (due_at, generation);

ALTER TABLE work_due ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_due FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON work_due TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON work_due TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_due TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_due TO workindex_maint;

INSERT INTO projection_generation (projection_set, generation, fold_version, state)
    VALUES ('inline', 1, 1, 'live');
