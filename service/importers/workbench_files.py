"""What do the tables of an office say? Rows of CSV files become meetings, mails and tasks.

A table is known by its columns: calendar (event_id, …), emails (email_id, …) and project tasks
(task_id, …). Customers (customer_id, …) and page visits (visitor_id, …) are known and skipped:
the Work Index has no place for them. Times without a zone are of the given one.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from workindex.domain.errors import InvalidInput
from workindex.domain.facts import At, Id, Text, Title
from workindex.service.importers.files import chunks
from workindex.service.importers.session import key_of

FILE_BYTES_MAX = 256 * 1024 * 1024
ROWS_MAX = 500_000
CELL_CHARACTERS_MAX = 1_000_000
_REPLY = re.compile(r"^(?:(?:re|fwd?|aw|wg|回复|转发)\s*[:：]\s*)+", re.IGNORECASE)
# Of a task's list: its status and its phase.
LISTS: Mapping[str, tuple[str, str]] = {
    "backlog": ("open", "Backlog"),
    "in progress": ("active", "In Progress"),
    "in review": ("active", "In Review"),
    "completed": ("done", "Completed"),
}
_COLUMNS = {
    "meetings": ("event_id", "event_name", "participant_email", "event_start", "duration"),
    "messages": (
        "email_id",
        "inbox/outbox",
        "sender/recipient",
        "subject",
        "sent_datetime",
        "body",
    ),
    "tasks": ("task_id", "task_name", "assigned_to_email", "list_name", "due_date", "board"),
}
_SKIPPED = {"customers": "customer_id", "page visits": "visitor_id"}


_AT: TypeAdapter[datetime] = TypeAdapter(At)


def _known_list(value: str) -> str:
    if value.lower() not in LISTS:
        names = ", ".join(phase for _, phase in LISTS.values())
        raise ValueError(f"expected one of {names}")
    return value.lower()


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)


class _Event(_Row):
    event_id: Id
    event_name: Title
    participant_email: Title
    event_start: datetime
    duration: Annotated[int, Field(ge=0, le=366 * 24 * 60)]


class _Mail(_Row):
    email_id: Id
    box: Annotated[Literal["inbox", "outbox"], Field(alias="inbox/outbox")]
    other: Annotated[Title, Field(alias="sender/recipient")]
    subject: Annotated[str, Field(max_length=2_000)]
    sent_datetime: datetime
    body: Text


class _Task(_Row):
    task_id: Id
    task_name: Title
    assigned_to_email: Id | Literal[""]
    list_name: Annotated[str, AfterValidator(_known_list)]
    due_date: date | Literal[""]
    board: Id | Literal[""]


class Meeting(NamedTuple):
    """One entry of the calendar."""

    id: str
    columns: Mapping[str, Any]


class Mail(NamedTuple):
    """One mail; mails with the same address and subject are one conversation."""

    id: str
    thread_id: str
    role: Literal["user", "tool"]
    text: str
    at: datetime


class Task(NamedTuple):
    """One task of a board; `status` is open, active or done."""

    id: str
    columns: Mapping[str, Any]
    status: str
    phase: str


class Record(NamedTuple):
    """One row: its place in the files, and what it says or what is wrong with it."""

    place: str
    value: Meeting | Mail | Task | InvalidInput


class Sheet(NamedTuple):
    """One file: which kind of rows it holds, and each of them."""

    path: Path
    kind: str
    is_skipped: bool
    rows: int
    records: list[Record]


def read_sheet(path: Path, zone: ZoneInfo) -> Sheet:
    """The rows of one file.

    Raises: InvalidInput where it cannot be read as a table, or as none of those above.
    """
    lines = _lines(path)
    _, header = next(lines, (0, []))
    skipped = next((kind for kind, column in _SKIPPED.items() if column in header), None)
    if skipped is not None:
        return Sheet(path, skipped, True, sum(1 for _ in lines), [])
    kind = next((kind for kind, names in _COLUMNS.items() if names[0] in header), None)
    if kind is None:
        raise InvalidInput(
            f"{path}:1: no table that is known here (columns {', '.join(header)[:200] or 'none'})"
        )
    missing = [name for name in _COLUMNS[kind] if name not in header]
    if missing:
        raise InvalidInput(f"{path}:1: the table has no column {missing[0]}", field=missing[0])
    records = [_record(path, number, kind, header, cells, zone) for number, cells in lines]
    return Sheet(path, kind, False, len(records), records)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row that is not blank."""
    raw = b"".join(chunks(path, FILE_BYTES_MAX))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: byte {error.start + 1} is not UTF-8: convert it") from None
    csv.field_size_limit(CELL_CHARACTERS_MAX)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    count = 0
    try:
        for cells in reader:
            count += bool(cells)
            if count > ROWS_MAX:
                raise InvalidInput(f"{path} holds more than {ROWS_MAX:,} rows: split it")
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise InvalidInput(f"{path}:{reader.line_num}: not CSV: {error}") from None


def _record(
    path: Path, number: int, kind: str, header: list[str], cells: list[str], zone: ZoneInfo
) -> Record:
    place = f"{path}:{number}"
    if len(cells) != len(header):
        fault = InvalidInput(f"the row has {len(cells)} cells, expected {len(header)}")
        return Record(place, fault)
    row = dict(zip(header, cells, strict=True))
    id_column = _COLUMNS[kind][0]
    place = f"{place} {id_column} {row[id_column][:80]}"
    try:
        match kind:
            case "meetings":
                return Record(place, _meeting(_Event.model_validate(row), zone))
            case "messages":
                return Record(place, _mail(_Mail.model_validate(row), zone))
            case _:
                return Record(place, _task(_Task.model_validate(row), zone))
    except InvalidInput as fault:
        return Record(place, fault)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = str(problem["loc"][0])
        value = repr(problem["input"])[:80]
        return Record(place, InvalidInput(f"{field}: {problem['msg']} (got {value})", field=field))


def _meeting(row: _Event, zone: ZoneInfo) -> Meeting:
    start_at = _instant("event_start", row.event_start, zone)
    end_at = _instant("duration", start_at + timedelta(minutes=row.duration), zone)
    columns = {
        "title": row.event_name,
        "start_at": start_at,
        "end_at": end_at,
        "time_zone": zone.key,
        "participants": (row.participant_email,),
    }
    return Meeting(row.event_id, columns)


def _mail(row: _Mail, zone: ZoneInfo) -> Mail:
    topic = _REPLY.sub("", row.subject).strip().lower()
    is_ours = row.box == "outbox"
    # The table writes a line break as backslash and n.
    body = row.body.replace("\\n", "\n")
    text = f"{'To' if is_ours else 'From'}: {row.other}\nSubject: {row.subject}\n\n{body}"
    return Mail(
        id=row.email_id,
        thread_id=key_of("mail", row.other.lower(), topic).strip(),
        role="user" if is_ours else "tool",
        text=text,
        at=_instant("sent_datetime", row.sent_datetime, zone),
    )


def _task(row: _Task, zone: ZoneInfo) -> Task:
    status, phase = LISTS[row.list_name]
    due_at = None
    if isinstance(row.due_date, date):  # the day's last second
        due_at = _instant("due_date", datetime.combine(row.due_date, time(23, 59, 59)), zone)
    columns = {
        "title": row.task_name,
        "assignee": row.assigned_to_email or None,
        "labels": (row.board,) if row.board else (),
        "due_at": due_at,
    }
    return Task(row.task_id, columns, status, phase)


def _instant(field: str, value: datetime, zone: ZoneInfo) -> datetime:
    """The instant, of the zone where it names none; within the years that facts may have."""
    aware = value if value.tzinfo is not None else value.replace(tzinfo=zone)
    try:
        return _AT.validate_python(aware)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        raise InvalidInput(f"{field}: {problem['msg']} (got {value})", field=field) from None
