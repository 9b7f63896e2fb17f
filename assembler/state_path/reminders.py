"""Which reminders do I have? Those that have not ended, the due ones first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from workindex.assembler.state_path.days import Clock, Window
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.renderer import (
    Asked,
    Renderer,
    Selection,
    by_kind,
    earliest,
)
from workindex.assembler.state_path.series import next_time, times_of
from workindex.assembler.state_path.wording import Phrase, Words, being
from workindex.projections.bounds import Bounds, Part
from workindex.projections.needs import Item, Rows, Why, is_due, reminder_item, urgency
from workindex.projections.reminders import ReminderRow
from workindex.projections.rules import NotExpandable

_LIVE = ("set", "snoozed", "due")
_OF_STATUS: Mapping[str, tuple[str, ...]] = {
    "open": _LIVE,
    "active": _LIVE,
    "scheduled": ("set", "snoozed"),
    "done": ("dismissed",),
    "cancelled": ("cancelled",),
}
_WHY: Mapping[str, tuple[str, str]] = {
    "due": ("is due", "已到时间"),
    "set": ("set for {at}", "设在{at}"),
    "snoozed": ("snoozed until {at}", "推迟到{at}"),
    "dismissed": ("dismissed", "已关闭"),
    "cancelled": ("cancelled", "已取消"),
}
_WHEN: Mapping[str, tuple[str, str]] = {
    "today": ("set for today", "今天的"),
    "tomorrow": ("set for tomorrow", "明天的"),
    "this_week": ("set for this week", "本周的"),
    "now": ("due", "到时间的"),
    "overdue": ("due", "到时间的"),
    "next": ("coming up next", "接下来的"),
}


def select(question: StateQuestion, rows: Rows, clock: Clock) -> Selection:
    """The reminders of the question's time, by when they come."""
    reminders: list[ReminderRow] = list(rows["reminder"])
    named = question.filter("id")
    live = [row for row in reminders if _is_of(row, question, clock.now)]
    window = clock.window(question)
    instants = [row.remind_at for row in live]
    doubts: tuple[str, ...] = ()
    if named is not None:
        chosen = [row for row in reminders if row.reminder_id == named]
    elif window is not None:
        later, doubts = _later(live, window)
        chosen = [*_in_window(live, window, clock.now), *later]
        instants += [row.remind_at for row in later]
    elif question.filter("when") == "next":
        live, doubts = _again(live, clock.now)
        chosen = _next(live, clock.now)
        instants += [row.remind_at for row in live]
    elif question.filter("when") in ("now", "overdue"):
        chosen = [row for row in live if is_due(row, clock.now)]
    else:
        chosen = live
    if window is not None:
        instants.append(clock.next_midnight())
    items = sorted((_item(row, clock) for row in chosen), key=urgency)
    return Selection(items, earliest(clock.now, instants), doubts)


def asks(question: StateQuestion) -> Asked:
    """The reminder named, ended ones where these are asked for, else every open one."""
    named, status = question.filter("id"), question.filter("status")
    is_ended = status is not None and not set(_OF_STATUS.get(status, ())) <= set(_LIVE)
    part: Part = "named" if named else "all" if is_ended else "open"
    return Asked({"reminder": part}, Bounds(id=named))


def _is_of(row: ReminderRow, question: StateQuestion, now: datetime) -> bool:
    """Whether the reminder has the status asked for, without one: whether it has not ended."""
    status = question.filter("status")
    if status == "scheduled" and is_due(row, now):
        return False
    return row.status in (_LIVE if status is None else _OF_STATUS.get(status, ()))


def coming(
    reminders: list[ReminderRow], window: Window, clock: Clock
) -> tuple[list[Item], tuple[str, ...]]:
    """Reminders that come later in the window, and the reasons why there may be more."""
    live = [row for row in reminders if row.status in _LIVE]
    later, doubts = _later(live, window)
    found = [row for row in (*live, *later) if not is_due(row, clock.now)]
    return [_item(row, clock) for row in found if window.holds(row.remind_at)], doubts


def _in_window(live: list[ReminderRow], window: Window, now: datetime) -> list[ReminderRow]:
    return [
        row
        for row in live
        if window.holds(row.remind_at) or (is_due(row, now) and window.holds(now))
    ]


def _next(live: list[ReminderRow], now: datetime) -> list[ReminderRow]:
    first = earliest(now, [row.remind_at for row in live])
    return [row for row in live if row.remind_at == first]


def _later(live: list[ReminderRow], window: Window) -> tuple[list[ReminderRow], tuple[str, ...]]:
    """Repeating reminders at their later times in the window, and those of unknown times."""
    found: list[ReminderRow] = []
    doubts: list[str] = []
    for row in live:
        times = times_of(row, window)
        found += [row._replace(status="set", remind_at=at, since_at=None) for at in times.at]
        if not times.is_known and row.remind_at < window.end_at:
            doubts.append(f"recurrence:{row.reminder_id}")
    return found, tuple(doubts)


def _again(live: list[ReminderRow], now: datetime) -> tuple[list[ReminderRow], tuple[str, ...]]:
    """The same reminders, those that are due and repeat at the time when they come again."""
    moved: list[ReminderRow] = []
    doubts: list[str] = []
    for row in live:
        if row.recurrence is None or row.remind_at > now:
            moved.append(row)
            continue
        try:
            at = next_time(row, now)
        except NotExpandable:
            doubts.append(f"recurrence:{row.reminder_id}")
        else:
            moved.append(
                row if at is None else row._replace(status="set", remind_at=at, since_at=None)
            )
    return moved, tuple(doubts)


def _item(row: ReminderRow, clock: Clock) -> Item:
    if row.status in _LIVE and is_due(row, clock.now):
        return reminder_item(row)
    live = row.status in _LIVE
    return Item(
        kind="reminder",
        id=row.reminder_id,
        title=row.title,
        why=Why(f"reminder_{row.status}"),
        since_at=None if live else row.ended_at,
        due_at=row.remind_at if live else None,
        value={"status": row.status},
    )


def reminder_why(item: Item, words: Words) -> str:
    """Whether the reminder is due, or when it comes."""
    status = item.why.reason.removeprefix("reminder_")
    at = ""
    if item.due_at is not None:
        at = words.pick(words.time(item.due_at), words.after_zh("", item.due_at))
    return words.pick(*_WHY.get(status, (status, status))).format(at=at)


def phrase(question: StateQuestion) -> Phrase:
    """`reminders are set for today`."""
    day = question.filter("date")
    when = question.filter("when") or ""
    if question.filter("status") == "scheduled" and not (day or when):
        return being("reminder", "reminders", "scheduled", "已安排的", "条", "提醒")
    state, attribute = (f"set for {day}", f"{day} 的") if day else _WHEN.get(when, ("set", ""))
    return being("reminder", "reminders", state, attribute, "条", "提醒")


REMINDERS = Renderer(
    kind="reminders",
    needs={"reminder": "all"},
    select=select,
    phrase=phrase,
    why={"reminder": reminder_why},
    counted=by_kind,
    asks=asks,
)
