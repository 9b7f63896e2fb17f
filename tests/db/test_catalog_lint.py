"""Does the migrated schema keep every rule of ours, and would each rule see what breaks it?"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from catalog_rules import RULES, Conn, broken
from conftest import Cluster

pytestmark = pytest.mark.pg15

COLUMN, EMPTY, KEYS, NULLS, FORCED, POLICIES, OWNERS, ROLES, EXECUTE, GRANTS = list(RULES)[:10]
MACHINERY, VIEWS, POSITIONS, DEFINER, SNAPSHOTS, CHECKS, BODIES = list(RULES)[10:]

TABLE = """
CREATE TABLE note (user_id text COLLATE "C" NOT NULL, n integer NOT NULL, source_position bigint,
                   PRIMARY KEY (user_id, n));
ALTER TABLE note OWNER TO workindex_owner;
"""
FUNCTION = "CREATE FUNCTION wi_bad(p_user text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN {} END $$"
VIEW = "CREATE VIEW seen AS SELECT user_id FROM event"

PLANTED = (
    (COLUMN, "CREATE TABLE note (n integer PRIMARY KEY)"),
    (COLUMN, "CREATE TABLE note (user_id text NOT NULL, PRIMARY KEY (user_id))"),
    (COLUMN, 'CREATE TABLE note (user_id varchar COLLATE "C" NOT NULL, PRIMARY KEY (user_id))'),
    (COLUMN, 'CREATE TABLE note (user_id text COLLATE "C")'),
    (EMPTY, TABLE),
    (EMPTY, "ALTER TABLE message DROP CONSTRAINT message_user_id_check"),
    (KEYS, "CREATE INDEX bad ON message (generation, user_id)"),
    (KEYS, "CREATE UNIQUE INDEX bad ON event (event_id)"),
    (KEYS, "CREATE INDEX bad ON message (lower(user_id))"),
    (KEYS, "ALTER TABLE claim ADD EXCLUDE (claim_id WITH =)"),
    (KEYS, "ALTER TABLE operator_action DROP CONSTRAINT operator_action_pkey"),
    (KEYS, "ALTER TABLE message ADD FOREIGN KEY (generation, user_id)"
           " REFERENCES note (n, user_id)"),
    (NULLS, f"{TABLE} ALTER TABLE note ADD FOREIGN KEY (user_id) REFERENCES user_log"
            " ON DELETE SET NULL"),
    (FORCED, TABLE),
    (FORCED, "ALTER TABLE event NO FORCE ROW LEVEL SECURITY"),
    (FORCED, "ALTER TABLE work_due DISABLE ROW LEVEL SECURITY"),
    (POLICIES, TABLE),
    (POLICIES, "DROP POLICY tenant ON message"),
    (POLICIES, "DROP POLICY maintenance ON event"),
    (POLICIES, "ALTER POLICY tenant ON event USING (true)"),
    (POLICIES, "ALTER POLICY tenant ON event WITH CHECK (true)"),
    (POLICIES, "ALTER POLICY tenant ON event USING"
               " (user_id = current_setting('workindex.user_id', true))"),
    (POLICIES, "ALTER POLICY maintenance ON event TO workindex_maint, workindex_app"),
    (POLICIES, "CREATE POLICY more ON event FOR SELECT USING (position = 1)"),
    (POLICIES, "CREATE POLICY search ON message FOR SELECT TO workindex_search USING (true)"),
    (POLICIES, "ALTER POLICY search ON document TO workindex_search, workindex_app"),
    (OWNERS, "CREATE TABLE note (n integer PRIMARY KEY)"),
    (OWNERS, FUNCTION.format("")),
    (OWNERS, "CREATE TYPE mood AS ENUM ('well')"),
    (OWNERS, "CREATE SCHEMA other"),
    (OWNERS, "CREATE SCHEMA other AUTHORIZATION workindex_app"),
    (OWNERS, "ALTER FUNCTION search_documents(text, text, jsonb) OWNER TO workindex_owner"),
    (OWNERS, "GRANT CREATE ON SCHEMA public TO workindex_search;"
             " ALTER FUNCTION wi_enter(text) OWNER TO workindex_search"),
    (ROLES, "ALTER ROLE workindex_owner LOGIN"),
    (ROLES, "ALTER ROLE workindex_search LOGIN"),
    (ROLES, "GRANT workindex_search TO workindex_app"),
    (ROLES, "GRANT workindex_maint TO workindex_search"),
    (ROLES, "GRANT CREATE ON SCHEMA public TO workindex_search"),
    (ROLES, "ALTER ROLE workindex_owner SUPERUSER"),
    (ROLES, "ALTER ROLE workindex_app BYPASSRLS"),
    (ROLES, "ALTER ROLE workindex_app CREATEROLE"),
    (ROLES, "GRANT workindex_maint TO workindex_app"),
    (ROLES, "GRANT pg_read_all_data TO workindex_app"),
    (ROLES, "CREATE ROLE t_more IN ROLE workindex_maint"),
    (EXECUTE, "GRANT EXECUTE ON FUNCTION wi_enter(text) TO PUBLIC"),
    (EXECUTE, FUNCTION.format("")),
    (EXECUTE, "ALTER DEFAULT PRIVILEGES FOR ROLE workindex_owner GRANT EXECUTE ON FUNCTIONS"
              " TO PUBLIC"),
    (EXECUTE, "ALTER DEFAULT PRIVILEGES FOR ROLE workindex_owner GRANT SELECT ON TABLES"
              " TO workindex_app"),
    (EXECUTE, "GRANT EXECUTE ON FUNCTION wi_enter(text) TO workindex_search"),
    (GRANTS, "GRANT SELECT ON message TO workindex_search"),
    (GRANTS, "GRANT UPDATE ON document TO workindex_search"),
    (GRANTS, "GRANT UPDATE ON event TO workindex_app"),
    (GRANTS, "GRANT DELETE ON event TO workindex_maint"),
    (GRANTS, "GRANT UPDATE (data) ON event TO workindex_app"),
    (GRANTS, "GRANT TRUNCATE ON message TO workindex_app"),
    (GRANTS, "GRANT SELECT ON message TO PUBLIC"),
    (GRANTS, "GRANT SELECT ON message TO workindex_app WITH GRANT OPTION"),
    (GRANTS, "GRANT DELETE ON command_key TO workindex_app"),
    (GRANTS, "GRANT UPDATE ON projection_generation TO workindex_app"),
    (GRANTS, "GRANT SELECT ON operator_action TO workindex_app"),
    (MACHINERY, "CREATE TRIGGER bad BEFORE UPDATE ON message"
                " EXECUTE FUNCTION suppress_redundant_updates_trigger()"),
    (MACHINERY, "CREATE RULE bad AS ON DELETE TO message DO INSTEAD NOTHING"),
    (MACHINERY, "CREATE SEQUENCE bad"),
    (MACHINERY, "ALTER TABLE message ADD n integer GENERATED ALWAYS AS IDENTITY"),
    (MACHINERY, "ALTER TABLE event ALTER recorded_at SET DEFAULT now()"),
    (MACHINERY, "ALTER TABLE event ADD written xid8"),
    (MACHINERY, "ALTER TABLE work_due SET UNLOGGED"),
    (VIEWS, VIEW),
    (VIEWS, "CREATE MATERIALIZED VIEW seen AS SELECT user_id FROM event"),
    (POSITIONS, "CREATE INDEX bad ON message (user_id, source_position)"),
    (POSITIONS, "CREATE INDEX bad ON message (user_id) WHERE source_position > 1"),
    (DEFINER, "ALTER FUNCTION wi_enter(text) SECURITY DEFINER"),
    (DEFINER, "ALTER FUNCTION wi_enter(text) SET workindex.user_id = 'ann'"),
    (DEFINER, "ALTER FUNCTION search_documents(text, text, jsonb) RESET search_path"),
    (DEFINER, "ALTER FUNCTION search_documents(text, text, jsonb) SET search_path = public"),
    (DEFINER, "ALTER FUNCTION search_documents(text, text, jsonb) SECURITY INVOKER"),
    (DEFINER, "CREATE PROCEDURE bad() LANGUAGE sql AS ''"),
    (SNAPSHOTS, "ALTER FUNCTION wi_proof(text, integer, jsonb) VOLATILE"),
    (SNAPSHOTS, "ALTER FUNCTION wi_read(text, integer, jsonb, text[], text[], text, text[])"
                " VOLATILE"),
    (SNAPSHOTS, "ALTER FUNCTION search_documents(text, text, jsonb) VOLATILE"),
    (CHECKS, "ALTER TABLE user_log DROP CONSTRAINT user_log_head_check"),
    (CHECKS, "ALTER TABLE projection_generation DROP CONSTRAINT projection_generation_state_check"),
    (CHECKS, "DROP INDEX projection_generation_live"),
    (BODIES, FUNCTION.format("EXECUTE 'SELECT 1';")),
    (BODIES, FUNCTION.format("LOCK TABLE event;")),
    (BODIES, FUNCTION.format("PERFORM pg_advisory_xact_lock(1);")),
    (BODIES, FUNCTION.format("NOTIFY there;")),
    (BODIES, FUNCTION.format("PERFORM pg_notify('there', '');")),
    (BODIES, FUNCTION.format("UPDATE user_log SET epoch = random() WHERE user_id = p_user;")),
    (BODIES, FUNCTION.format("PERFORM set_config('workindex.user_id', p_user, true);")),
    (BODIES, FUNCTION.format("UPDATE user_log SET epoch = 1;")),
    (BODIES, FUNCTION.format("DELETE FROM message WHERE message_id = '1';")),
    (BODIES, FUNCTION.format("PERFORM 1 FROM event WHERE position = 1;")),
    (BODIES, FUNCTION.format("PERFORM 1 FROM event e JOIN message m ON true"
                             " WHERE e.user_id = p_user;")),
    (BODIES, FUNCTION.format("PERFORM 1 FROM user_log WHERE user_id = p_user FOR UPDATE;")),
    (BODIES, FUNCTION.format("INSERT INTO user_log VALUES (p_user, (SELECT 1), 0);")),
    (BODIES, FUNCTION.format("PERFORM 1 FROM user_log WHERE user_id = p_user ORDER BY xmin;")),
    (BODIES, FUNCTION.format("MERGE INTO user_log USING event ON true"
                             " WHEN MATCHED THEN DO NOTHING;")),
)  # fmt: skip


@pytest.fixture(scope="module")
def migrated(cluster: Cluster) -> Iterator[Conn]:
    """A superuser's connection to a migrated database."""
    urls = cluster.clone()
    with psycopg.connect(urls.owner, autocommit=True) as conn:
        yield conn
    cluster.drop(urls)


@pytest.mark.parametrize("rule", RULES)
def test_the_schema_keeps_the_rule(migrated: Conn, rule: str) -> None:
    """Nothing in a migrated database breaks it."""
    assert broken(migrated, rule) == []


@pytest.mark.parametrize(("rule", "statement"), PLANTED)
def test_the_rule_sees_what_breaks_it(migrated: Conn, rule: str, statement: str) -> None:
    """A planted violation is found, and gone with it the lint is quiet again."""
    with migrated.transaction(force_rollback=True):
        if "REFERENCES note" in statement:
            migrated.execute(f"{TABLE} CREATE UNIQUE INDEX ON note (n, user_id)".encode())
        migrated.execute(statement.encode())
        assert broken(migrated, rule) != []
    assert broken(migrated, rule) == []


def test_every_rule_was_broken_once() -> None:
    """No rule stands here that was never seen to fail."""
    assert {rule for rule, _ in PLANTED} == set(RULES)


def test_a_view_that_acts_as_who_asks_is_fine(migrated: Conn) -> None:
    """The rule about views is no ban of views."""
    with migrated.transaction(force_rollback=True):
        migrated.execute(f"{VIEW.replace('AS', 'WITH (security_invoker) AS', 1)}".encode())
        assert broken(migrated, VIEWS) == []
