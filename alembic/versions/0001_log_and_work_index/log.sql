ALTER DEFAULT PRIVILEGES FOR ROLE workindex_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE TABLE user_log (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    head bigint NOT NULL CHECK (head >= 0),
    epoch integer NOT NULL,
    erased_at timestamptz,
    PRIMARY KEY (user_id)
) WITH (fillfactor = 50);

CREATE TABLE event (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    position bigint NOT NULL CHECK (position > 0),
    event_id uuid NOT NULL,
    stream text COLLATE "C" NOT NULL,
    stream_version integer NOT NULL CHECK (stream_version >= 0),
    type text COLLATE "C" NOT NULL,
    schema_version integer NOT NULL,
    data jsonb NOT NULL,
    metadata jsonb NOT NULL,
    key_id text,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, position),
    UNIQUE (user_id, stream, stream_version)
);

CREATE TABLE command_key (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    source text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    payload_hash text NOT NULL,
    first_position bigint NOT NULL,
    events_count integer NOT NULL,
    PRIMARY KEY (user_id, source, key)
);

CREATE TABLE content (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    sha256 text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    media_type text NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (user_id, sha256, part)
);

CREATE TABLE projection_generation (
    projection_set text COLLATE "C" NOT NULL,
    generation integer NOT NULL CHECK (generation > 0),
    fold_version integer NOT NULL,
    state text NOT NULL CHECK (state IN ('building', 'live', 'kept', 'retiring')),
    PRIMARY KEY (projection_set, generation)
);
CREATE UNIQUE INDEX projection_generation_live
    ON projection_generation (projection_set) WHERE state = 'live';

CREATE TABLE projection_progress (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    projection_set text COLLATE "C" NOT NULL,
    generation integer NOT NULL,
    position bigint NOT NULL CHECK (position >= 0),
    parked jsonb NOT NULL,
    open_count bigint NOT NULL,
    PRIMARY KEY (user_id, projection_set, generation)
) WITH (fillfactor = 50);

CREATE TABLE catchup_due (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    projection_set text COLLATE "C" NOT NULL,
    generation integer NOT NULL,
    attempts integer NOT NULL,
    next_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, projection_set, generation)
);

CREATE TABLE operator_action (
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    who text NOT NULL,
    command text NOT NULL,
    arguments jsonb NOT NULL,
    reason text,
    outcome text NOT NULL,
    PRIMARY KEY (id)
);


ALTER TABLE user_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_log FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON user_log TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON user_log TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON user_log TO workindex_app;
GRANT SELECT, UPDATE ON user_log TO workindex_maint;


ALTER TABLE event ENABLE ROW LEVEL SECURITY;
ALTER TABLE event FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON event TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON event TO workindex_app;
GRANT SELECT ON event TO workindex_maint;


ALTER TABLE command_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE command_key FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON command_key TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON command_key TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON command_key TO workindex_app;
GRANT SELECT ON command_key TO workindex_maint;


ALTER TABLE content ENABLE ROW LEVEL SECURITY;
ALTER TABLE content FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON content TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON content TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON content TO workindex_app;
GRANT SELECT ON content TO workindex_maint;


ALTER TABLE projection_progress ENABLE ROW LEVEL SECURITY;
ALTER TABLE projection_progress FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON projection_progress TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON projection_progress TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON projection_progress TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON projection_progress TO workindex_maint;


ALTER TABLE catchup_due ENABLE ROW LEVEL SECURITY;
ALTER TABLE catchup_due FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON catchup_due TO workindex_app
    USING (user_id = nullif(current_setting('workindex.user_id', true), '')) WITH CHECK (user_id = nullif(current_setting('workindex.user_id', true), ''));
CREATE POLICY maintenance ON catchup_due TO workindex_maint USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON catchup_due TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON catchup_due TO workindex_maint;

GRANT SELECT ON projection_generation TO workindex_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON projection_generation TO workindex_maint;
GRANT INSERT ON operator_action TO workindex_app;
GRANT SELECT, INSERT ON operator_action TO workindex_maint;
