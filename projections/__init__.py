"""The Work Index: tables that follow the log, and the readers that prove what they say."""

from __future__ import annotations

from typing import Any

from workindex.projections import (
    approvals,
    artifacts,
    connections,
    conversations,
    meetings,
    memory,
    proactive,
    reminders,
    tasks,
    users,
)
from workindex.projections.table import Table

ALL_TABLES: tuple[Table[Any], ...] = (
    *tasks.TABLES,
    *meetings.TABLES,
    *approvals.TABLES,
    *proactive.TABLES,
    *reminders.TABLES,
    *connections.TABLES,
    *users.TABLES,
    *conversations.TABLES,
    *memory.TABLES,
    *artifacts.TABLES,
)
