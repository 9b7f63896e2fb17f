"""What needs me? Everything that waits for the user, of whatever kind.

What needs the user now needs the user today and this week: those days list it all, and what comes
later in them. Another day lists what is due on it and counts the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from workindex.assembler.state_path.approvals import approval_why
from workindex.assembler.state_path.days import Clock
from workindex.assembler.state_path.proactive import proposal_why
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.reminders import coming, reminder_why
from workindex.assembler.state_path.renderer import (
    Asked,
    Renderer,
    Selection,
    by_kind,
    day_of,
    earliest,
    holds_now,
    of_time,
)
from workindex.assembler.state_path.tasks import task_why
from workindex.assembler.state_path.wording import Phrase, being
from workindex.projections.bounds import Bounds, Part
from workindex.projections.needs import Item, Rows, changes_at, needs_you, urgency

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


def select(question: StateQuestion, rows: Rows, clock: Clock) -> Selection:
    """Every item that needs the user at this instant, or those of the question's time."""
    items, changes = needs_you(rows, clock.now), changes_at(rows, clock.now)
    named, when, window = question.filter("id"), question.filter("when"), clock.window(question)
    if named is not None:
        return Selection([item for item in items if _is_named(item, named)], changes)
    if window is None:
        if when == "overdue":
            items = [item for item in items if item.due_at and item.due_at <= clock.now]
            changes = earliest(clock.now, [changes, *_dues(needs_you(rows, clock.now))])
        return Selection(items[:1] if when == "next" else items, changes)
    chosen, beside = of_time(items, question, clock)
    later, doubts = coming(list(rows["reminder"]), window, clock)
    instants = [changes, *_dues(later), clock.next_midnight()]
    return Selection(
        sorted((*chosen, *later), key=urgency), earliest(clock.now, instants), doubts, beside
    )


def asks(question: StateQuestion) -> Asked:
    """The most urgent open rows; every open reminder where one may come later in the day."""
    want: dict[str, Part] = dict.fromkeys(("task", "approval", "reminder", "proposal"), "urgent")
    if day_of(question) is not None:
        want["reminder"] = "open"
    is_overdue = question.filter("when") == "overdue"
    return Asked(want, Bounds(id=question.filter("id"), is_overdue=is_overdue))


def _is_named(item: Item, named: str) -> bool:
    """Whether the item is of that id, or waits for the approval or request of that id."""
    return named in (item.id, *item.why.refs)


def _dues(items: Sequence[Item]) -> list[datetime | None]:
    return [item.due_at for item in items]


def phrase(question: StateQuestion) -> Phrase:
    """`things need you`, `things for you are due tomorrow`."""
    day = day_of(question)
    if day is not None and holds_now(question):
        return NEEDS_YOU._replace(
            verb=f"needs you {day[0]}",
            verbs=f"need you {day[0]}",
            attribute=f"{day[1]}需要你处理的",
            none=f"Nothing needs you right now or later {day[0]}.",
            none_zh=f"现在没有需要你处理的事，{day[1]}稍后也没有。",
        )
    if day is not None:
        return _due(f"due {day[0]}", f"{day[1]}到期、需要你处理的")
    if question.filter("when") == "overdue":
        return _due("overdue", "已逾期、需要你处理的")
    if question.filter("when") == "next":
        return NEEDS_YOU._replace(verb="needs you next", attribute="接下来需要你处理的")
    return NEEDS_YOU


def _due(state: str, attribute: str) -> Phrase:
    none = f"Nothing that needs you is {state}."
    due = being("thing for you", "things for you", state, attribute, "件", "事")
    return due._replace(none=none, whether=f"whether anything that needs you is {state}")


PENDING = Renderer(
    kind="pending",
    needs={"task": "open", "approval": "open", "reminder": "open", "proposal": "open"},
    select=select,
    phrase=phrase,
    why={
        "task": task_why,
        "approval": approval_why,
        "reminder": reminder_why,
        "proposal": proposal_why,
    },
    counted=by_kind,
    asks=asks,
)
