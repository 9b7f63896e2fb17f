"""The log's own tables, roles and grants as SQL: what a fresh database holds before projections.

Migrations keep frozen copies of what stands here; a test holds that a migrated database and a
fresh one are the same.
"""

from __future__ import annotations

OWNER_ROLE = "workindex_owner"
APP_ROLE = "workindex_app"
MAINT_ROLE = "workindex_maint"
SEARCH_ROLE = "workindex_search"
TENANT = "nullif(current_setting('workindex.user_id', true), '')"

LOG_TABLES = """
CREATE TABLE user_log (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    head bigint NOT NULL CHECK (head >= 0),
    epoch integer NOT NULL CHECK (epoch >= 0),
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
    parked jsonb NOT NULL CHECK (jsonb_typeof(parked) = 'object'),
    open_count bigint NOT NULL,
    skipped jsonb NOT NULL CHECK (jsonb_typeof(skipped) = 'object'),
    PRIMARY KEY (user_id, projection_set, generation)
) WITH (fillfactor = 50);

CREATE TABLE catchup_due (
    user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
    projection_set text COLLATE "C" NOT NULL,
    generation integer NOT NULL,
    attempts integer NOT NULL CHECK (attempts >= 0),
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
"""

# What the two login roles may do with each table of the log: application, maintenance.
LOG_GRANTS: dict[str, tuple[str, str]] = {
    "user_log": ("SELECT, INSERT, UPDATE", "SELECT, UPDATE"),
    "event": ("SELECT, INSERT", "SELECT"),
    "command_key": ("SELECT, INSERT", "SELECT"),
    "content": ("SELECT, INSERT", "SELECT"),
    "projection_progress": ("SELECT, INSERT, UPDATE", "SELECT, INSERT, UPDATE, DELETE"),
    "catchup_due": ("SELECT, INSERT, UPDATE, DELETE", "SELECT, INSERT, UPDATE, DELETE"),
}
# Shared tables without a tenant: no row-level security, few rows.
REFERENCE_GRANTS: dict[str, tuple[str, str]] = {
    "projection_generation": ("SELECT", "SELECT, INSERT, UPDATE, DELETE"),
    "operator_action": ("INSERT", "SELECT, INSERT"),
}
TENANT_TABLES = tuple(LOG_GRANTS)


def protect(table: str, grants: tuple[str, str]) -> str:
    """Forced row-level security and the grants of one tenant table."""
    app, maint = grants
    return f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON {table} TO {APP_ROLE}
    USING (user_id = {TENANT}) WITH CHECK (user_id = {TENANT});
CREATE POLICY maintenance ON {table} TO {MAINT_ROLE} USING (true) WITH CHECK (true);
GRANT {app} ON {table} TO {APP_ROLE};
GRANT {maint} ON {table} TO {MAINT_ROLE};
"""


def log_sql() -> str:
    """Everything of the log: tables, policies, grants."""
    parts = [
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER_ROLE} REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;",
        LOG_TABLES,
    ]
    parts += [protect(table, grants) for table, grants in LOG_GRANTS.items()]
    for table, (app, maint) in REFERENCE_GRANTS.items():
        parts.append(f"GRANT {app} ON {table} TO {APP_ROLE};")
        parts.append(f"GRANT {maint} ON {table} TO {MAINT_ROLE};")
    return "\n".join(parts) + "\n"
