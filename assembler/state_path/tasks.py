"""Which tasks do I have? Unended ones unless a status is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

from workindex.assembler.state_path.days import Clock
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.renderer import (
    Asked,
    GroupName,
    Renderer,
    Selection,
    earliest,
)
from workindex.assembler.state_path.wording import Phrase, Words, being
from workindex.domain.tasks import ENDED
from workindex.projections.bounds import Bounds
from workindex.projections.needs import Item, Rows, Why, pending_of, task_instants, urgency
from workindex.projections.tasks import TaskRow

STATUS: Mapping[str, tuple[str, str]] = {
    "open": ("open", "待办"),
    "active": ("active", "进行中"),
    "blocked": ("blocked", "被阻塞"),
    "scheduled": ("scheduled", "已安排"),
    "done": ("done", "已完成"),
    "failed": ("failed", "失败"),
    "cancelled": ("cancelled", "已取消"),
}
_WAITS = {
    "approval": ("waits for your approval", "等你批准"),
    "decision": ("waits for your decision", "等你决定"),
    "input": ("waits for your input", "等你提供信息"),
}
_WHEN = {
    "today": ("due today", "今天到期"),
    "tomorrow": ("due tomorrow", "明天到期"),
    "this_week": ("due this week", "本周到期"),
    "overdue": ("overdue", "逾期"),
    "next": ("due or scheduled next", "下一项到期或安排"),
    "now": ("active", "进行中"),
}


def select(question: StateQuestion, rows: Rows, clock: Clock) -> Selection:
    """The tasks of the question's status and time, most urgent first."""
    tasks: list[TaskRow] = list(rows["task"])
    named = question.filter("id")
    if named is not None:
        chosen = [task for task in tasks if task.task_id == named]
    else:
        chosen = _timed([task for task in tasks if _is_of(task, question)], question, clock)
    items = sorted((_item(task, clock.now) for task in chosen), key=urgency)
    return Selection(items, _changes(question, tasks, clock), beside=_beside(question, tasks))


def asks(question: StateQuestion) -> Asked:
    """The task named, else those of the status."""
    named, when = question.filter("id"), question.filter("when")
    if named is not None:
        return Asked({"task": "named"}, Bounds(id=named))
    status = question.filter("status") or ("active" if when == "now" else None)
    times: Literal["due", "next", "all"] = (
        "due" if when == "overdue" else "next" if when == "next" else "all"
    )
    bounds = Bounds(status=status, times=times, is_overdue=when == "overdue")
    return Asked({"task": "listed"}, bounds)


def _is_of(task: TaskRow, question: StateQuestion) -> bool:
    status = question.filter("status")
    return task.status == status if status else task.status not in ENDED


def _timed(tasks: list[TaskRow], question: StateQuestion, clock: Clock) -> list[TaskRow]:
    window = clock.window(question)
    if window is not None:
        return [
            task for task in tasks if window.holds(task.due_at) or window.holds(task.scheduled_at)
        ]
    match question.filter("when"):
        case "overdue":
            return [task for task in tasks if task.due_at is not None and task.due_at <= clock.now]
        case "now":
            return [task for task in tasks if task.status == "active"]
        case "next":
            first = earliest(clock.now, [at for task in tasks for at in _times(task)])
            return [task for task in tasks if first is not None and first in _times(task)]
    return tasks


def _times(task: TaskRow) -> tuple[datetime | None, ...]:
    return (task.due_at, task.scheduled_at)


def _item(task: TaskRow, now: datetime) -> Item:
    pending = pending_of(task, now)
    text = task.blocked_reason if task.status == "blocked" else None
    return Item(
        kind="task",
        id=task.task_id,
        title=task.title,
        why=Why(f"{task.status}/{pending}", text, tuple(task.blocked_by)),
        since_at=task.status_since_at,
        due_at=task.due_at,
        value={"status": task.status},
    )


def _changes(question: StateQuestion, tasks: Iterable[TaskRow], clock: Clock) -> datetime | None:
    instants: list[datetime | None] = [at for task in tasks for at in task_instants(task)]
    when = question.filter("when")
    if when in ("overdue", "next"):
        instants += [at for task in tasks for at in _times(task)]
    if when in ("today", "tomorrow", "this_week"):
        instants.append(clock.next_midnight())
    return earliest(clock.now, instants)


def _beside(question: StateQuestion, tasks: Iterable[TaskRow]) -> tuple[tuple[str, str, int], ...]:
    """Unended tasks that an answer about the status "open" leaves out, counted by status.

    Many people say "open" for everything that has not ended.
    """
    if question.filters != (("status", "open"),):
        return ()
    counts: dict[str, int] = {}
    for task in tasks:
        if task.status not in ENDED and task.status != "open":
            counts[task.status] = counts.get(task.status, 0) + 1
    return tuple((*STATUS[status], count) for status, count in sorted(counts.items()))


def task_why(item: Item, words: Words) -> str:
    """What the task waits for, or what state it is in."""
    why = item.why
    if why.reason in _WAITS:
        text = words.pick(*_WAITS[why.reason])
        if why.text:
            text += words.pick(": ", "：") + words.quoted(why.text)
        elif why.reason == "approval" and why.refs:
            text += words.pick(f" ({words.names(why.refs)})", f"（{words.names(why.refs)}）")
        return text
    status, _, pending = why.reason.partition("/")
    text = words.pick(*STATUS.get(status, (status, status)))
    if status == "blocked" and why.refs:
        text = words.pick(f"blocked by {words.names(why.refs)}", f"被 {words.names(why.refs)} 阻塞")
    if status == "blocked" and why.text:
        text += words.pick(": ", "：") + words.quoted(why.text)
    waits = words.pick(*_WAITS[pending]) if pending in _WAITS else ""
    return f"{text}{words.pick(', ', '，')}{waits}" if waits else text


def phrase(question: StateQuestion) -> Phrase:
    """`blocked tasks are due today`, `tasks are unfinished`."""
    status = question.filter("status")
    day = question.filter("date")
    when = (f"due on {day}", f"{day} 到期") if day else _WHEN.get(question.filter("when") or "")
    en, zh = STATUS[status] if status else ("", "")
    if when is None:
        state, attribute = (en, zh) if status else ("unfinished", "未完成")
        return being("task", "tasks", state, f"{attribute}的", "项", "任务")
    adjective = f"{en} " if en else ""
    attribute = f"{when[1]}的{zh}" if zh else when[1]
    return being(f"{adjective}task", f"{adjective}tasks", when[0], f"{attribute}的", "项", "任务")


def by_status(item: Item) -> GroupName:
    """Tasks counted by their status."""
    status = item.value["status"] if item.value else ""
    en, zh = STATUS.get(status, (status, status))
    return en, en, zh


TASKS = Renderer(
    kind="tasks",
    needs={"task": "all"},
    select=select,
    phrase=phrase,
    why={"task": task_why},
    counted=by_status,
    asks=asks,
)
