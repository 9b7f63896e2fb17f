"""The rows of one kind that are wanted most, of however many a user has.

First what could need the user, then what has not ended, soonest first, then the newest. However
many rows there are, so many as are asked for leave the database, with a count of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from workindex.eventlog.database import Connection
from workindex.projections.sets import TABLE_OF_KIND
from workindex.projections.table import EVER, FOREVER, AnyTable
from workindex.projections.work_index import UNREADABLE

# When a row is due, by its kind; and which column says that it has ended, whatever the kind.
DUE: Final = {
    "task": "due_at",
    "meeting": "start_at",
    "commitment": "due_at",
    "approval": "expires_at",
    "reminder": "remind_at",
    "proposal": "expires_at",
}
ENDED: Final = ("ended_at", "settled_at", "answered_at")
# A row is within a range of time where one of these is.
TIMES: Final = (
    *("due_at", "start_at", "end_at", "expires_at", "remind_at", "requested_at", "made_at"),
    *("posted_at", "stored_at", "recorded_at", "observed_at", "created_at", "updated_at"),
)
# What a row is found by.
TITLES: Final = (
    *("title", "text", "subject", "attribute", "value", "question", "reason", "summary"),
    *("provider", "account"),
)

Span = tuple[datetime | None, datetime | None]


class Wanted(NamedTuple):
    """So many rows, those with a time in `span` (from, up to but without), and where `parts` of
    words are given only rows that hold one, those with most of them first."""

    now: datetime
    limit: int
    span: Span = (None, None)
    parts: tuple[str, ...] = ()


class Foremost(NamedTuple):
    """The rows, those wanted most first, out of `total` that fit.

    Without `is_counted` the total is not to be told: rows that may not be seen are among it.
    Without `is_whole` rows are missing that no projector wrote so.
    """

    rows: list[Any]
    total: int
    is_counted: bool = True
    is_whole: bool = True


def select_foremost(
    conn: Connection, user_id: str, generation: int, kind: str, wanted: Wanted
) -> Foremost:
    """The stored rows of a generation, in the caller's transaction."""
    table = TABLE_OF_KIND[kind]
    binds = {
        "user_id": user_id,
        "generation": generation,
        "now": wanted.now,
        "since": wanted.span[0] or EVER,
        "until": wanted.span[1] or FOREVER,
        "parts": list(wanted.parts),
        "limit": wanted.limit,
    }
    source = _source(table, wanted)
    some = f"SELECT *{source} ORDER BY {_order(table, wanted)} LIMIT %(limit)s"
    found = conn.execute(f"SELECT to_json(t) FROM ({some}) t".encode(), binds).fetchall()
    total = len(found)
    if total == wanted.limit:
        ((total,),) = conn.execute(f"SELECT count(*){source}".encode(), binds).fetchall()
    rows = []
    for (stored,) in found:
        with suppress(*UNREADABLE):
            rows.append(table.load(stored))
    return Foremost(rows, total, is_whole=len(rows) == len(found))


def foremost_of(rows: Sequence[Any], kind: str, wanted: Wanted) -> Foremost:
    """The same of rows that are all at hand."""
    table = TABLE_OF_KIND[kind]
    fitting = [row for row in rows if is_within(row, wanted.span)]
    if kind == "claim":
        fitting = [row for row in fitting if row.status == "current"]
    if wanted.parts:
        fitting = [row for row in fitting if _held(row, wanted.parts)]
    fitting.sort(key=newest_at, reverse=True)
    fitting.sort(key=lambda row: (-_held(row, wanted.parts), *urgency(table, row, wanted.now)))
    return Foremost(fitting[: wanted.limit], len(fitting))


def is_within(row: Any, span: Span) -> bool:
    """Whether one of the row's times is in the range."""
    if span == (None, None):
        return True
    since, until = span[0] or EVER, span[1] or FOREVER
    return any(since <= at < until for at in _times(row))


def text_of(row: Any) -> str:
    """What a row is found by."""
    fields = row._asdict()
    return " ".join(str(fields[name]) for name in TITLES if fields.get(name) is not None)


def newest_at(row: Any) -> datetime:
    """The latest time up to which something of the row is known to have happened."""
    names = ("updated_at", "recorded_at", "observed_at", "made_at", "requested_at", "sent_at")
    times = [at for name in names if isinstance(at := getattr(row, name, None), datetime)]
    return max(times, default=datetime.min.replace(tzinfo=UTC))


def _times(row: Any) -> list[datetime]:
    return [at for name in TIMES if isinstance(at := getattr(row, name, None), datetime)]


def _held(row: Any, parts: Sequence[str]) -> int:
    text = text_of(row).lower()
    return sum(part in text for part in parts)


def urgency(table: AnyTable, row: Any, now: datetime) -> tuple[Any, ...]:
    """What rows of a kind are ordered by, the ones wanted most first."""
    ended = next((name for name in ENDED if hasattr(row, name)), None)
    has_ended = ended is not None and getattr(row, ended) is not None
    due = getattr(row, DUE[table.kind]) if table.kind in DUE and not has_ended else None
    is_open = table.is_open is not None and table.is_open(row)
    is_past = table.kind == "meeting" and not (due is not None and due >= now)
    return (not is_open, has_ended, is_past, due or FOREVER)


def _source(table: AnyTable, wanted: Wanted) -> str:
    """FROM and WHERE of the rows that fit; `{column}` are names of our own tables."""
    source = f" FROM {table.name} t WHERE t.user_id = %(user_id)s AND t.generation = %(generation)s"
    if table.kind == "claim":
        source += " AND t.status = 'current'"
    names = {column.name for column in table.columns}
    if wanted.span != (None, None):
        times = [
            f"(t.{name} >= %(since)s AND t.{name} < %(until)s)" for name in TIMES if name in names
        ]
        source += f" AND ({' OR '.join(times) or 'false'})"
    if wanted.parts:
        source += f" AND {_holding(table)} > 0"
    return source


def _holding(table: AnyTable) -> str:
    """How many of the parts of words stand in the row's text."""
    names = {column.name for column in table.columns}
    texts = ", ".join(f"t.{name}::text" for name in TITLES if name in names)
    text = f"lower(concat_ws(' ', {texts}))" if texts else "''"
    return (
        "(SELECT count(*) FROM unnest(%(parts)s::text[]) AS p(part) "
        f"WHERE position(p.part IN {text}) > 0)"
    )


def _order(table: AnyTable, wanted: Wanted) -> str:
    names = {column.name for column in table.columns}
    order = [f"{_holding(table)} DESC"] if wanted.parts else []
    if table.is_open is not None:
        order.append("t.open DESC")
    ended = next((name for name in ENDED if name in names), None)
    if ended is not None:
        order.append(f"(t.{ended} IS NULL) DESC")
    due = DUE.get(table.kind)
    if due is not None:
        unended = f"CASE WHEN t.{ended} IS NULL THEN t.{due} END"
        if table.kind == "meeting":
            order.append(f"({unended} >= %(now)s) DESC NULLS LAST")
        order.append(f"{unended} ASC NULLS LAST")
    return ", ".join([*order, "t.created_position DESC"])
