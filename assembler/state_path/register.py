"""Every kind of question that the state path answers, in one tuple."""

from __future__ import annotations

from workindex.assembler.state_path.approvals import APPROVALS
from workindex.assembler.state_path.connections import CONNECTIONS, CREDITS
from workindex.assembler.state_path.meetings import MEETINGS
from workindex.assembler.state_path.pending import PENDING
from workindex.assembler.state_path.proactive import PROACTIVE
from workindex.assembler.state_path.reminders import REMINDERS
from workindex.assembler.state_path.tasks import TASKS

ALL_RENDERERS = (
    PENDING,
    TASKS,
    APPROVALS,
    REMINDERS,
    MEETINGS,
    CREDITS,
    CONNECTIONS,
    PROACTIVE,
)
