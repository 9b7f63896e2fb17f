"""How do rows look to a person? Plain tables that fit 80 columns and use 160."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from workindex.cli.output import Cli, safe

if TYPE_CHECKING:
    from rich.table import Table

STATUS_STYLES = {
    "active": "green",
    "blocked": "yellow",
    "requested": "yellow",
    "waiting": "yellow",
    "due": "yellow",
    "suspect": "red",
    "partial": "yellow",
    "expired": "dim",
    "done": "dim",
}


class Heading(NamedTuple):
    """One column; `long` ones share the room that the short ones leave, and wrap."""

    name: str
    long: bool = False
    right: bool = False


def show_table(
    cli: Cli, title: str, headings: Sequence[Heading], rows: Iterable[Sequence[Any]]
) -> None:
    """Prints one table; columns that are empty in every row are left out."""
    cells = [[_text(value) for value in row] for row in rows]
    kept = [at for at in range(len(headings)) if any(row[at] for row in cells)] or [0]
    table = _table(title, [headings[at] for at in kept])
    for row in cells:
        table.add_row(*(_styled(row[at]) for at in kept))
    cli.out.print(table)


def moment(value: datetime | str | None, zone: str | None = None) -> str:
    """The instant to the minute, in the zone or in UTC (marked Z)."""
    if value is None:
        return ""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    if zone is None:
        return f"{at.astimezone(UTC):%Y-%m-%d %H:%MZ}"
    return f"{at.astimezone(ZoneInfo(zone)):%a %d %b %H:%M}"


def _table(title: str, headings: Sequence[Heading]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        title=safe(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        header_style="bold",
    )
    for heading in headings:
        table.add_column(
            heading.name,
            justify="right" if heading.right else "left",
            overflow="fold",
            no_wrap=not heading.long,
            min_width=10 if heading.long else None,
        )
    return table


def _styled(text: str) -> Any:
    from rich.text import Text

    return Text(text, style=STATUS_STYLES.get(text, ""))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return safe(", ".join(map(str, value)))
    return safe(str(value)).replace("\n", " ")
