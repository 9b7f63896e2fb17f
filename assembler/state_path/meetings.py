"""Which meetings do I have? Those still to come or going on; a day asked for is shown whole."""

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
from workindex.assembler.state_path.series import (
    Found,
    Shown,
    meetings_coming,
    meetings_in,
)
from workindex.assembler.state_path.wording import NAME_CHARS_MAX, Phrase, Words, being
from workindex.domain.facts import utc
from workindex.projections.bounds import Bounds
from workindex.projections.meetings import ASSUMED_LENGTH, MeetingRow
from workindex.projections.needs import Item, Rows, Why

_STATUS: Mapping[str, frozenset[str]] = {
    "scheduled": frozenset({"scheduled"}),
    "open": frozenset({"scheduled", "started"}),
    "active": frozenset({"started"}),
    "done": frozenset({"ended"}),
    "cancelled": frozenset({"cancelled"}),
}
_WHY: Mapping[str, tuple[str, str]] = {
    "coming": ("{span}", "{span}"),
    "going_on": ("{span}, going on", "{span}，正在进行"),
    "running_over": ("{span}, not reported as ended", "{span}，尚未报告结束"),
    "over": ("{span}, over", "{span}，已结束"),
    "cancelled": ("{span}, cancelled", "{span}，已取消"),
}
_WHEN: Mapping[str, tuple[str, str]] = {
    "today": ("on today's calendar", "今天的"),
    "tomorrow": ("on tomorrow's calendar", "明天的"),
    "this_week": ("on this week's calendar", "本周的"),
    "now": ("going on now", "正在进行的"),
    "next": ("coming up next", "接下来的"),
}


def select(question: StateQuestion, rows: Rows, clock: Clock) -> Selection:
    """The meetings of the question's day, status or moment, by their start."""
    meetings: list[MeetingRow] = list(rows["meeting"])
    named = question.filter("id")
    window = None if named is not None else clock.window(question)
    if named is not None:
        meetings = [row for row in meetings if row.meeting_id == named]
    found = (
        meetings_coming(meetings, clock.now) if window is None else meetings_in(meetings, window)
    )
    if named is not None:
        chosen = _named(found, clock.now)
    else:
        of_status = [shown for shown in found.shown if _is_of(shown.row, question)]
        chosen = _timed(of_status, question, clock, window)
    chosen.sort(key=lambda shown: (shown.row.start_at, shown.row.meeting_id))
    instants: list[datetime | None] = [at for one in found.shown for at in span_of(one.row)]
    instants += found.instants
    if window is not None or question.filter("status"):
        instants.append(clock.next_midnight())
    open_commitments: dict[str, int] = {}
    for made in rows["commitment"]:
        if made.status == "open":
            open_commitments[made.meeting_id] = open_commitments.get(made.meeting_id, 0) + 1
    items = [_item(one, clock.now, open_commitments.get(one.row.meeting_id, 0)) for one in chosen]
    doubts = () if named is not None else found.doubts
    return Selection(items, earliest(clock.now, instants), doubts)


def asks(question: StateQuestion) -> Asked:
    """The meeting named, else those that can matter to the time that is asked about."""
    if (named := question.filter("id")) is not None:
        return Asked({"meeting": "named", "commitment": "timely"}, Bounds(id=named))
    return Asked({"meeting": "timely", "commitment": "timely"})


def _named(found: Found, now: datetime) -> list[Shown]:
    """The one meeting; of a series what goes on or else comes next."""
    held = [one for one in found.shown if one.row.status != "cancelled"] or found.shown
    return sorted(held, key=lambda one: (span_of(one.row)[1] <= now, one.row.start_at))[:1]


def span_of(row: MeetingRow) -> tuple[datetime, datetime]:
    """Start and (assumed) end of a meeting."""
    return row.start_at, row.end_at or row.start_at + ASSUMED_LENGTH


def _is_of(row: MeetingRow, question: StateQuestion) -> bool:
    status = question.filter("status")
    if status is None:
        return row.status != "cancelled"
    return row.status in _STATUS.get(status, ())


def _timed(
    meetings: list[Shown], question: StateQuestion, clock: Clock, window: Window | None
) -> list[Shown]:
    if window is not None:
        return [
            one
            for one in meetings
            if window.meets(one.row.start_at, one.row.end_at or one.row.start_at)
        ]
    match question.filter("when"):
        case "now":
            return [one for one in meetings if _phase(one.row, clock.now) in _GOING_ON]
        case "next":
            coming = [one for one in meetings if _phase(one.row, clock.now) == "coming"]
            first = min((one.row.start_at for one in coming), default=None)
            return [one for one in coming if one.row.start_at == first]
    if question.filter("status") in ("cancelled", "done"):
        begin = clock.days(clock.today).start_at
        return [one for one in meetings if span_of(one.row)[1] > begin]
    held = [one for one in meetings if _phase(one.row, clock.now) in ("coming", *_GOING_ON)]
    return _first_of_each(held)


def _first_of_each(meetings: list[Shown]) -> list[Shown]:
    """A series without a day asked for is told once: by what goes on, else by what comes."""
    first: dict[str, datetime] = {}
    for one in meetings:
        if one.instance_at is not None:
            held = first.setdefault(one.row.meeting_id, one.row.start_at)
            first[one.row.meeting_id] = min(held, one.row.start_at)
    return [
        one
        for one in meetings
        if one.instance_at is None or one.row.start_at == first[one.row.meeting_id]
    ]


_GOING_ON = ("going_on", "running_over")


def _phase(row: MeetingRow, now: datetime) -> str:
    start_at, end_at = span_of(row)
    if row.status == "cancelled":
        return "cancelled"
    if row.status == "ended" or (row.status == "scheduled" and end_at <= now):
        return "over"
    if row.status == "started":
        return "going_on" if now < end_at else "running_over"
    return "coming" if now < start_at else "going_on"


def _item(shown: Shown, now: datetime, commitments: int) -> Item:
    row = shown.row
    instance = {} if shown.instance_at is None else {"instance_at": utc(shown.instance_at)}
    repeats = ("repeats",) if row.recurrence is not None else ()
    return Item(
        kind="meeting",
        id=row.meeting_id,
        title=row.title,
        why=Why(f"{_phase(row, now)}/{commitments}", row.location, repeats),
        since_at=None,
        due_at=None,
        value={
            "start_at": utc(row.start_at),
            "end_at": None if row.end_at is None else utc(row.end_at),
            "time_zone": row.time_zone,
            **instance,
        },
    )


def meeting_why(item: Item, words: Words) -> str:
    """When and where the meeting is, and whether it still is on."""
    phase, _, commitments = item.why.reason.partition("/")
    text = words.pick(*_WHY.get(phase, ("{span}", "{span}"))).format(span=_span(item, words))
    if item.why.refs:
        text += words.pick(", repeats", "，重复")
    if item.why.text:
        text += words.pick(", at ", "，地点") + words.quoted(item.why.text, NAME_CHARS_MAX)
    if commitments not in ("", "0"):
        more = "" if commitments == "1" else "s"
        text += words.pick(f", {commitments} open commitment{more}", f"，{commitments} 项未了承诺")
    return text


def _span(item: Item, words: Words) -> str:
    assert item.value is not None
    start_at = datetime.fromisoformat(item.value["start_at"])
    if item.value["end_at"] is None:
        return words.time(start_at)
    end_at = datetime.fromisoformat(item.value["end_at"])
    return words.times(start_at, end_at)


def phrase(question: StateQuestion) -> Phrase:
    """`meetings are coming up`, `meetings are on today's calendar`."""
    day = question.filter("date")
    state, attribute = _WHEN.get(question.filter("when") or "", ("coming up", "接下来的"))
    if day:
        state, attribute = f"on the calendar for {day}", f"{day} 的"
    if question.filter("status") == "cancelled":
        timed = day or question.filter("when")
        attribute = f"{attribute}已取消的" if timed else "已取消的"
        noun, nouns = "cancelled meeting", "cancelled meetings"
        return being(noun, nouns, state if timed else "known", attribute, "个", "会议")
    return being("meeting", "meetings", state, attribute, "个", "会议")


MEETINGS = Renderer(
    kind="meetings",
    needs={"meeting": "all", "commitment": "all"},
    select=select,
    phrase=phrase,
    asks=asks,
    why={"meeting": meeting_why},
    counted=by_kind,
)
