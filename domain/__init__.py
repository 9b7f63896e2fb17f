"""Facts, commands and decisions: pure, without clock, randomness or I/O."""

from __future__ import annotations

from workindex.domain.approvals import APPROVALS
from workindex.domain.artifacts import ARTIFACTS
from workindex.domain.connections import CONNECTIONS
from workindex.domain.conversations import CONVERSATIONS
from workindex.domain.facts import Command, Concept, Fact
from workindex.domain.meetings import MEETINGS
from workindex.domain.memory import MEMORY
from workindex.domain.proactive import PROACTIVE
from workindex.domain.reminders import REMINDERS
from workindex.domain.tasks import TASKS
from workindex.domain.users import USERS

ALL_CONCEPTS: tuple[Concept, ...] = (
    TASKS,
    MEETINGS,
    APPROVALS,
    PROACTIVE,
    REMINDERS,
    CONNECTIONS,
    CONVERSATIONS,
    MEMORY,
    ARTIFACTS,
    USERS,
)
ALL_FACTS: tuple[type[Fact], ...] = tuple(f for concept in ALL_CONCEPTS for f in concept.facts)
ALL_COMMANDS: tuple[type[Command], ...] = tuple(
    c for concept in ALL_CONCEPTS for c in concept.commands
)
