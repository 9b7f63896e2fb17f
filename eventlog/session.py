"""What every session of the log relies on, and whether a connection pooler keeps it from us.

Straight to the server, a connection brings its settings along as it starts. A pooler in
transaction mode lends a server's connection for one transaction only, so nothing that a session
holds is ours there: its settings are those of the login role, which `workindex db init` gives it,
and no statement is prepared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import psycopg

from workindex.domain.errors import NotReady

LOCK_TIMEOUT_MS: Final = 30_000
STATEMENT_TIMEOUT_MS: Final = 120_000
IDLE_IN_TRANSACTION_TIMEOUT_MS: Final = 30_000

# Plans are kept from the time when tables were small, so they must be those that large tables need:
# every statement finds its rows by an index, and reads a table whole only where none can serve.
# In the units in which the server shows them; a login role has the same ones by default.
SESSION_SETTINGS: Final[Mapping[str, str]] = {
    "timezone": "UTC",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "lock_timeout": str(LOCK_TIMEOUT_MS),
    "statement_timeout": str(STATEMENT_TIMEOUT_MS),
    "idle_in_transaction_session_timeout": str(IDLE_IN_TRANSACTION_TIMEOUT_MS),
}
SESSION_OPTIONS: Final = " ".join(f"-c {name}={value}" for name, value in SESSION_SETTINGS.items())

# Binds: names of settings. One row: the server's own pid, and the settings as one JSON object.
SESSION_CHECK = """
SELECT pg_backend_pid(), (SELECT json_object_agg(lower(name), setting) FROM pg_settings
                          WHERE lower(name) = ANY (%s))
"""


class Session(NamedTuple):
    """What a fresh connection turned out to be; `unset` are settings that do not hold in it."""

    is_pooled: bool
    unset: tuple[str, ...]


def look_at(conn: psycopg.Connection[Any]) -> Session:
    """Whether a pooler answers for the server (it hands out pids of its own), and what holds."""
    row = conn.execute(SESSION_CHECK, (list(SESSION_SETTINGS),)).fetchone()
    assert row is not None
    pid, found = row
    unset = tuple(
        name
        for name, wanted in SESSION_SETTINGS.items()
        # An operator may choose another limit, but not none.
        if (found[name] == "0" if name.endswith("_timeout") else found[name] != wanted)
    )
    return Session(pid != conn.info.backend_pid, unset)


def refuses_options(error: psycopg.Error) -> bool:
    """Whether a connection failed because a pooler takes no settings at its start."""
    return "unsupported startup parameter" in str(error)


def refuse_unset(session: Session, role: str) -> None:
    """Raises: NotReady where settings that the log relies on do not come through a pooler."""
    if not session.is_pooled or not session.unset:
        return
    statements = "; ".join(
        f"ALTER ROLE {role} SET {name} = '{SESSION_SETTINGS[name]}'" for name in session.unset
    )
    raise NotReady(
        "the database URL leads to a connection pooler, which does not pass on "
        f"{', '.join(session.unset)}: run workindex db init with the owner URL of the server "
        f"itself, or there, as {role}: {statements}; then let the pooler connect anew"
    )


def refuse_pooler(conn: psycopg.Connection[Any]) -> None:
    """Raises: NotReady where the connection would not stay the same from one step to the next."""
    if look_at(conn).is_pooled:
        raise NotReady(
            "the owner URL leads to a connection pooler, and roles, databases and schema are made "
            "on one connection that stays: give the URL of the server itself"
        )
