"""How do rows look to a person? Plain tables that fit 80 columns and use 160."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from workindex.cli.output import Cli, safe
from workindex.cli.wrapping import cells_of, wrapped

GAP = 2
CELL_LINES_MAX = 3
# A column that never needs more is as wide as its widest cell; a long one is at least so wide.
SHORT_CELLS_MAX, LONG_CELLS_MIN = 20, 8
VERDICT_STYLES = {"items": "bold", "proven_empty": "green", "unproven": "yellow"}
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
    """One column; `long` ones share the room that the others leave by their `share`, and wrap.

    A cell has at most `CELL_LINES_MAX` lines, unless it is `whole`: an id is there to be copied.
    """

    name: str
    long: bool = False
    right: bool = False
    whole: bool = False
    share: int = 2


def show_table(
    cli: Cli, title: str, headings: Sequence[Heading], rows: Iterable[Sequence[Any]]
) -> None:
    """Prints one table; columns that are empty in every row are left out.

    Where the terminal is too narrow for it, each row stands as a list of its cells.
    """
    cells = [[_text(value) for value in row] for row in rows]
    kept = [at for at in range(len(headings)) if any(row[at] for row in cells)] or [0]
    shown = [headings[at] for at in kept]
    cells = [[row[at] for at in kept] for row in cells]
    cli.say(title, style="bold")
    widths = widths_of(shown, cells, cli.out.width)
    if widths is None:
        _show_stacked(cli, shown, cells)
    else:
        _show_columns(cli, shown, cells, widths)
    cli.out.print()


def widths_of(
    headings: Sequence[Heading], cells: Sequence[Sequence[str]], room: int
) -> list[int] | None:
    """The width of each column, with the gaps at most `room` in all; None where that is too narrow.

    In cells, as `room`.
    """
    natural = [
        max(map(cells_of, (heading.name, *(row[at] for row in cells))))
        for at, heading in enumerate(headings)
    ]
    flexible = {at for at, one in enumerate(headings) if one.long or natural[at] > SHORT_CELLS_MAX}
    widths = [
        min(wide, max(LONG_CELLS_MIN, *map(len, headings[at].name.split())))
        if at in flexible
        else wide
        for at, wide in enumerate(natural)
    ]
    left = room - sum(widths) - GAP * (len(widths) - 1)
    if left < 0:
        return None
    while growing := [at for at in flexible if widths[at] < natural[at]]:
        if left <= 0:
            break
        widths[min(growing, key=lambda at: (widths[at] / headings[at].share, at))] += 1
        left -= 1
    return widths


def _show_columns(
    cli: Cli, headings: Sequence[Heading], cells: Sequence[Sequence[str]], widths: Sequence[int]
) -> None:
    names = [wrapped(one.name, wide) for one, wide in zip(headings, widths, strict=True)]
    height = max(map(len, names))
    names = [[""] * (height - len(lines)) + lines for lines in names]
    _show_row(cli, headings, widths, names, style="bold")
    cli.say("─" * (sum(widths) + GAP * (len(widths) - 1)))
    for row in cells:
        wraps = [
            wrapped(text, wide, lines_max=None if one.whole else CELL_LINES_MAX)
            for one, text, wide in zip(headings, row, widths, strict=True)
        ]
        _show_row(cli, headings, widths, wraps)


def _show_row(
    cli: Cli,
    headings: Sequence[Heading],
    widths: Sequence[int],
    wraps: Sequence[Sequence[str]],
    style: str = "",
) -> None:
    for number in range(max(map(len, wraps))):
        parts: list[tuple[str, str]] = []
        for heading, wide, lines in zip(headings, widths, wraps, strict=True):
            part = lines[number] if number < len(lines) else ""
            pad = " " * (wide - cells_of(part))
            aligned = (pad, part, "") if heading.right else ("", part, pad)
            parts += zip(aligned, ("", style or _style(heading, part), ""), strict=True)
            parts.append((" " * GAP, ""))
        _show_line(cli, parts)


def _show_line(cli: Cli, parts: Sequence[tuple[str, str]]) -> None:
    """Prints the parts in their styles, without the spaces at the end."""
    if cli.out.color_system is None:  # a pipe: thousands of rows at once
        cli.out.file.write("".join(text for text, _ in parts).rstrip() + "\n")
        return
    from rich.text import Text

    line = Text.assemble(*(part for part in parts if part[0]))
    line.rstrip()
    cli.out.print(line, soft_wrap=True)


def _show_stacked(cli: Cli, headings: Sequence[Heading], cells: Sequence[Sequence[str]]) -> None:
    for first, *rest in cells:
        say_wrapped(cli, first or "-")
        for heading, text in zip(headings[1:], rest, strict=True):
            if text:
                say_wrapped(cli, f"{heading.name}: {text}", indent=2)


def _style(heading: Heading, text: str) -> str:
    if heading.name == "needs":
        return "yellow"
    return STATUS_STYLES.get(text, "") if heading.name in ("status", "state") else ""


def moment(value: datetime | str | None, zone: str | None = None) -> str:
    """The instant to the minute, in the zone or in UTC (marked Z)."""
    if value is None:
        return ""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    if zone is None:
        return f"{at.astimezone(UTC):%Y-%m-%d %H:%MZ}"
    return f"{at.astimezone(ZoneInfo(zone)):%a %d %b %H:%M}"


def tell(cli: Cli, text: str, *, style: str | None = None) -> None:
    """Prints lines of text: as they are in a pipe, wrapped on a terminal."""
    if cli.out.is_terminal:
        say_wrapped(cli, text, style=style)
    else:
        cli.say(text, style=style)


def say_wrapped(cli: Cli, text: str, *, indent: int = 0, style: str | None = None) -> None:
    """Prints text for people, each of its lines wrapped; those of a list under their beginning."""
    for paragraph in safe(text).splitlines():
        hanging = 2 if paragraph.startswith("- ") else 0
        for line in wrapped(paragraph, cli.out.width - indent, hanging=hanging):
            cli.say(" " * indent + line, style=style)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return safe(", ".join(map(str, value)))
    return " ".join(safe(str(value)).split())
