"""What does the Work Index hold for one user?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import rich_click as click

from workindex.cli.options import MOMENT
from workindex.cli.output import Cli, json_option
from workindex.cli.tables import VERDICT_STYLES, Heading, moment, say_wrapped, show_table, tell

if TYPE_CHECKING:
    from workindex.projections.index import Index
    from workindex.projections.proof import Verdict

Row = Mapping[str, Any]
_ENDED = frozenset(
    {
        "done",
        "failed",
        "cancelled",
        "ended",
        "kept",
        "broken",
        "withdrawn",
        "executed",
        "denied",
        "expired",
        "granted_not_executed",
        "moot",
        "accepted",
        "declined",
        "dismissed",
    }
)


class Section(NamedTuple):
    """How one list of the index is shown."""

    name: str
    headings: Sequence[Heading]
    cells: Callable[[Row, str | None], Sequence[Any]]
    may_end: bool = True


def _needs(row: Row) -> str:
    return "you" if row["needs_you"] else ""


def _pending(row: Row) -> str:
    return "" if row["pending"] == "none" else row["pending"]


_ID, _TITLE = Heading("id", long=True, whole=True), Heading("title", long=True, share=4)
_STATUS, _NEEDS = Heading("status"), Heading("needs")
SECTIONS: tuple[Section, ...] = (
    Section(
        "tasks",
        (
            _ID,
            _TITLE,
            _STATUS,
            Heading("needs"),
            Heading("waits for", long=True),
            Heading("due"),
            Heading("source"),
        ),
        lambda row, zone: (
            row["task_id"],
            row["title"],
            row["status"],
            _pending(row),
            row["blocked_by"] or row["blocked_reason"],
            moment(row["due_at"], zone),
            row["source"],
        ),
    ),
    Section(
        "meetings",
        (_ID, _TITLE, _STATUS, Heading("starts"), Heading("ends")),
        lambda row, zone: (
            row["meeting_id"],
            row["title"],
            row["status"],
            moment(row["start_at"], zone),
            moment(row["end_at"], zone),
        ),
    ),
    Section(
        "commitments",
        (_ID, Heading("text", long=True, share=4), _STATUS, Heading("owner"), Heading("due")),
        lambda row, zone: (
            row["commitment_id"],
            row["text"],
            row["status"],
            row["owner"],
            moment(row["due_at"], zone),
        ),
    ),
    Section(
        "approvals",
        (_ID, _TITLE, _STATUS, _NEEDS, Heading("task"), Heading("expires")),
        lambda row, zone: (
            row["approval_id"],
            row["title"],
            row["status"],
            _needs(row),
            row["task_id"],
            moment(row["expires_at"], zone),
        ),
    ),
    Section(
        "proposals",
        (_ID, _TITLE, _STATUS, _NEEDS, Heading("made")),
        lambda row, zone: (
            row["proposal_id"],
            row["title"],
            row["status"],
            _needs(row),
            moment(row["made_at"], zone),
        ),
    ),
    Section(
        "routines",
        (_ID, _TITLE, _STATUS, Heading("next")),
        lambda row, zone: (
            row["routine_id"],
            row["title"],
            row["status"],
            moment(row["next_at"], zone),
        ),
    ),
    Section(
        "triggers",
        (_ID, Heading("summary", long=True, share=4), Heading("observed")),
        lambda row, zone: (row["trigger_id"], row["summary"], moment(row["observed_at"], zone)),
        may_end=False,
    ),
    Section(
        "reminders",
        (_ID, _TITLE, _STATUS, _NEEDS, Heading("at")),
        lambda row, zone: (
            row["reminder_id"],
            row["title"],
            row["status"],
            _needs(row),
            moment(row["remind_at"], zone),
        ),
    ),
    Section(
        "connections",
        (_ID, _STATUS, Heading("detail", long=True), Heading("observed")),
        lambda row, zone: (
            row["connection_id"],
            row["status"],
            row["detail"],
            moment(row["observed_at"], zone),
        ),
        may_end=False,
    ),
    Section(
        "credits",
        (Heading("account"), Heading("amount", right=True), Heading("unit"), Heading("observed")),
        lambda row, zone: (
            row["account"],
            row["amount"],
            row["unit"],
            moment(row["observed_at"], zone),
        ),
        may_end=False,
    ),
    Section(
        "sources",
        (
            Heading("source"),
            Heading("state"),
            Heading("covers", long=True),
            Heading("seen through"),
            Heading("fresh for"),
        ),
        lambda row, zone: (
            row["source"],
            row["state"],
            row["covers"],
            moment(row["observed_through_at"], zone),
            duration(row["fresh_seconds"]),
        ),
        may_end=False,
    ),
)


@click.command()
@click.argument("user")
@click.option("--now", type=MOMENT, help="Answer as of this instant (ISO 8601 with a zone).")
@click.option(
    "--at-position",
    type=click.IntRange(min=0),
    metavar="N",
    help="The index as the log made it up to position N.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N rows a list.")
@json_option
@click.pass_obj
def index(
    cli: Cli, user: str, now: datetime | None, at_position: int | None, limit: int | None
) -> None:
    """Show every row of the Work Index, with the proof for what needs the user.

    With --json ended rows are listed too; the tables for people only count them.

    \b
    Example:
      workindex index ada
    """
    found = cli.open().user(user).index(now=now, at_position=at_position, limit=limit)
    if cli.json:
        cli.emit(found.to_json())
    else:
        show_index(cli, found)


def show_index(cli: Cli, found: Index, zone: str | None = None) -> None:
    """Prints the index as tables; times in `zone`, by default in UTC."""
    also = []
    for section in SECTIONS:
        rows = found.sections[section.name]
        ended = [row for row in rows if _has_ended(section, row)]
        going_on = [row for row in rows if not _has_ended(section, row)]
        if going_on:
            cells = [section.cells(row, zone) for row in going_on]
            show_table(cli, section.name, section.headings, cells)
        counts = Counter(row["status"] for row in ended)
        parts = [f"{count} {status}" for status, count in sorted(counts.items())]
        if left := found.totals[section.name] - len(rows):
            parts.append(f"{left} beyond the limit")
        if parts:
            also.append(f"{section.name} {', '.join(parts)}")
    if also:
        say_wrapped(cli, f"also: {'; '.join(also)}")
    verdict = found.proof.verdict
    tell(
        cli, proof_line(found.position, verdict, found.proof.reasons), style=VERDICT_STYLES[verdict]
    )


def _has_ended(section: Section, row: Row) -> bool:
    return section.may_end and row["status"] in _ENDED


def proof_line(position: int, verdict: Verdict, reasons: Sequence[str]) -> str:
    """What the proof says, in one line."""
    told = {
        "items": "what needs you is proved complete",
        "proven_empty": "proved that nothing needs you",
        "unproven": f"what needs you is not proved ({', '.join(reasons)})",
    }
    return f"position {position}: {told[verdict]}"


def duration(seconds: int) -> str:
    """Seconds in the largest unit that divides them."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
