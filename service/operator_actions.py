"""What did an operator decide by hand? One row each, written and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from workindex.domain.facts import Actor
from workindex.eventlog.database import Database
from workindex.projections.planning import new_id

# Binds: id, at, who, command, arguments, reason, outcome. No lock beyond the new row.
NOTE = """
INSERT INTO operator_action (id, at, who, command, arguments, reason, outcome)
VALUES (%s, %s, %s, %s, %s::jsonb, %s, %s)
"""


def note(
    database: Database,
    who: Actor,
    command: str,
    arguments: Mapping[str, Any],
    *,
    outcome: str,
    reason: str | None = None,
) -> None:
    """Stores that somebody gave the command.

    Raises: Unavailable.
    """
    told = orjson.dumps(dict(arguments)).decode()
    with database.connection() as conn:
        conn.execute(
            NOTE,
            (new_id(), datetime.now(UTC), f"{who.kind} {who.id}", command, told, reason, outcome),
        )
