"""Which reminders do I have? Those that have not ended, the due ones first."""

from __future__ import annotations

from collections.abc import Mapping

from workindex.assembler.state_path.days import Clock, Window
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.renderer import Renderer, Selection, by_kind, earliest
from workindex.assembler.state_path.series import has_ended_before
from workindex.assembler.state_path.wording import Phrase, Words, being
from workindex.projections.needs import Item, Rows, Why, is_due, reminder_item, urgency
from workindex.projections.reminders import ReminderRow

_LIVE = ("set", "snoozed", "due")
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
    live = [row for row in reminders if row.status in _LIVE]
    if named is not None:
        chosen = [row for row in reminders if row.reminder_id == named]
    else:
        chosen = _timed(live, question, clock)
    window = clock.window(question)
    instants = [row.remind_at for row in live]
    if window is not None:
        instants.append(clock.next_midnight())
    doubts = () if window is None or named else _doubts(live, window)
    items = sorted((_item(row, clock) for row in chosen), key=urgency)
    return Selection(items, earliest(clock.now, instants), doubts)


def _timed(live: list[ReminderRow], question: StateQuestion, clock: Clock) -> list[ReminderRow]:
    now = clock.now
    window = clock.window(question)
    if window is not None:
        return [
            row
            for row in live
            if window.holds(row.remind_at) or (is_due(row, now) and window.holds(now))
        ]
    match question.filter("when"):
        case "now" | "overdue":
            return [row for row in live if is_due(row, now)]
        case "next":
            first = earliest(now, [row.remind_at for row in live])
            return [row for row in live if row.remind_at == first]
    return live


def _doubts(live: list[ReminderRow], window: Window) -> tuple[str, ...]:
    """Repeating reminders that may come in the window at times nobody has worked out."""
    return tuple(
        f"recurrence:{row.reminder_id}"
        for row in live
        if row.recurrence is not None
        and row.remind_at < window.start_at
        and not has_ended_before(row.recurrence, window.start_at)
    )


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
    state, attribute = (f"set for {day}", f"{day} 的") if day else _WHEN.get(when, ("set", ""))
    return being("reminder", "reminders", state, attribute, "条", "提醒")


REMINDERS = Renderer(
    kind="reminders",
    needs={"reminder": "all"},
    select=select,
    phrase=phrase,
    why={"reminder": reminder_why},
    counted=by_kind,
)
