"""What needs me? Everything that waits for the user, of whatever kind."""

from __future__ import annotations

from workindex.assembler.state_path.approvals import approval_why
from workindex.assembler.state_path.days import Clock
from workindex.assembler.state_path.proactive import proposal_why
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.reminders import reminder_why
from workindex.assembler.state_path.renderer import Renderer, Selection, by_kind
from workindex.assembler.state_path.tasks import task_why
from workindex.assembler.state_path.wording import Phrase
from workindex.projections.needs import Rows, changes_at, needs_you

NEEDS_YOU = Phrase(
    "thing",
    "things",
    "needs you",
    "need you",
    "that needed you",
    "需要你处理的",
    "件",
    "事",
    none="Nothing needs you right now.",
    none_past="nothing needed you.",
    none_zh="现在没有需要你处理的事。",
    whether="whether anything needs you",
    whether_past="whether anything needed you",
)


def select(_question: StateQuestion, rows: Rows, clock: Clock) -> Selection:
    """Every item that needs the user at this instant."""
    return Selection(needs_you(rows, clock.now), changes_at(rows, clock.now))


PENDING = Renderer(
    kind="pending",
    needs={"task": "open", "approval": "open", "reminder": "open", "proposal": "open"},
    select=select,
    phrase=lambda _question: NEEDS_YOU,
    why={
        "task": task_why,
        "approval": approval_why,
        "reminder": reminder_why,
        "proposal": proposal_why,
    },
    counted=by_kind,
)
