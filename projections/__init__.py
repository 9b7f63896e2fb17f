"""The Work Index: tables that follow the log, and the readers that prove what they say."""

from __future__ import annotations

from typing import Any

from workindex.projections import (
    approvals,
    artifacts,
    connections,
    conversations,
    memory,
    proactive,
    tasks,
    users,
)
from workindex.projections.table import Table

ALL_TABLES: tuple[Table[Any], ...] = (
    *tasks.TABLES,
    *approvals.TABLES,
    *proactive.TABLES,
    *connections.TABLES,
    *users.TABLES,
    *conversations.TABLES,
    *memory.TABLES,
    *artifacts.TABLES,
)
