"""What did an operator decide by hand in the log of a user? Stored by the application's login."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workindex.domain.facts import Actor
from workindex.eventlog.audit import note_action
from workindex.eventlog.database import Database


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
    with database.connection() as conn:
        note_action(conn, who, command, arguments, outcome=outcome, reason=reason)
