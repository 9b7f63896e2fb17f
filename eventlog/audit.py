"""What did operators decide by hand? One row each, written once and never changed.

A row that belongs to a change of the database is written in the transaction of that change, so
that neither is there without the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson
import uuid_utils

from workindex.domain.facts import Actor, utc
from workindex.eventlog.database import Connection

PAGE_ACTIONS = 1_000

# Binds: id, at, who, command, arguments, reason, outcome. No lock beyond the new row.
NOTE = """
INSERT INTO operator_action (id, at, who, command, arguments, reason, outcome)
VALUES (%s, %s, %s, %s, %s::jsonb, %s, %s)
"""

# Binds: the time and the id after which the page begins (NULL for the newest), a command or NULL,
# the size of a page. Newest first; runs as the maintenance role.
ACTIONS = """
SELECT id::text AS id, at, who, command, arguments, reason, outcome FROM operator_action
WHERE (%(at)s::timestamptz IS NULL OR (at, id) < (%(at)s, %(id)s::uuid))
  AND (%(command)s::text IS NULL OR command = %(command)s)
ORDER BY at DESC, operator_action.id DESC LIMIT %(limit)s
"""


class Action(NamedTuple):
    """One thing that somebody did by hand; `who` is the kind and the id of the actor."""

    id: str
    at: datetime
    who: str
    command: str
    arguments: dict[str, Any]
    reason: str | None
    outcome: str

    def to_json(self) -> dict[str, Any]:
        """The action as `workindex audit-log --json` prints it."""
        return {**self._asdict(), "at": utc(self.at)}


def note_action(
    conn: Connection,
    who: Actor,
    command: str,
    arguments: Mapping[str, Any],
    *,
    outcome: str,
    reason: str | None = None,
) -> None:
    """Store that somebody gave the command, in the transaction that the connection is in."""
    told = orjson.dumps(dict(arguments)).decode()
    new_id = str(uuid_utils.uuid7())
    whoever = f"{who.kind} {who.id}"
    conn.execute(NOTE, (new_id, datetime.now(UTC), whoever, command, told, reason, outcome))


def actions(conn: Connection, *, command: str | None = None, limit: int) -> Iterator[Action]:
    """At most `limit` actions, the newest first, of one command or of all."""
    last: dict[str, Any] = {"at": None, "id": None}
    while limit > 0:
        binds = {**last, "command": command, "limit": min(PAGE_ACTIONS, limit)}
        page = [Action(*row) for row in conn.execute(ACTIONS, binds).fetchall()]
        yield from page
        if len(page) < binds["limit"]:
            return
        limit -= len(page)
        last = {"at": page[-1].at, "id": page[-1].id}
