"""How do rows look to a person? Plain tables that fit 80 columns and use 160."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

import rich_click as click

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
    table = _table([headings[at] for at in kept])
    for row in cells:
        table.add_row(*(_styled(row[at]) for at in kept))
    cli.say(title, style="bold")
    with cli.out.capture() as drawn:
        cli.out.print(table)
    for line in drawn.get().splitlines():
        click.echo(line.rstrip())
    cli.out.print()


def moment(value: datetime | str | None, zone: str | None = None) -> str:
    """The instant to the minute, in the zone or in UTC (marked Z)."""
    if value is None:
        return ""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    if zone is None:
        return f"{at.astimezone(UTC):%Y-%m-%d %H:%MZ}"
    return f"{at.astimezone(ZoneInfo(zone)):%a %d %b %H:%M}"


def say_wrapped(cli: Cli, text: str, *, indent: int = 0, style: str | None = None) -> None:
    """Prints text for people, each of its lines wrapped under its own beginning."""
    from rich.text import Text

    width = cli.out.width - indent
    for line in safe(text).splitlines():
        hanging = 2 if line.startswith("- ") else 0
        first, *rest = Text(line).wrap(cli.out, width) or [Text("")]
        cli.say(" " * indent + first.plain.rstrip(), style=style)
        left = Text(" ".join(part.plain.strip() for part in rest))
        for part in left.wrap(cli.out, width - hanging) if rest else ():
            cli.say(" " * (indent + hanging) + part.plain.rstrip(), style=style)


def _table(headings: Sequence[Heading]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        header_style="bold",
    )
    for heading in headings:
        table.add_column(
            heading.name,
            justify="right" if heading.right else "left",
            overflow="fold",
            no_wrap=not heading.long,
            min_width=8 if heading.long else None,
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
