"""Tables at every width: they fit, ids can be copied, and nothing is cut silently."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from workindex.cli.output import Cli
from workindex.cli.tables import CELL_LINES_MAX, Heading, show_table, widths_of
from workindex.cli.wrapping import cells_of

HEADINGS = (
    Heading("id", long=True, whole=True),
    Heading("title", long=True, share=4),
    Heading("status"),
    Heading("waits for", long=True),
    Heading("due"),
    Heading("source"),
)
DUE = "2026-12-05 09:00Z"
LONG_ID = "a-rather-long-identifier-0190f3c2-7c1e-7a3b-9d55-000000000001"
TITLES = {
    "short": "Call Bo",
    "chinese": "修复登录页面在移动设备上的显示问题并通知所有相关的团队成员以及外部合作伙伴" * 2,
    "emoji": "🚀🔥 Launch 🎉 party 🇩🇪 ⚠️ " * 8,
    "words": "a very long title that goes on and on " * 12,
    "one word": "https://example.org/" + "path" * 60,
    "control": "red \x1b[31m and \u202e turned\nround",
}


def drawn(
    rows: list[tuple[Any, ...]], width: int, *, colour: bool = False, no_color: bool = False
) -> list[str]:
    """The lines of one table on a terminal of that width."""
    out = io.StringIO()
    cli = Cli()
    cli.out = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        no_color=no_color,
        highlight=False,
    )
    show_table(cli, "tasks", HEADINGS, rows)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 160])
@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_no_line_is_wider_than_the_terminal(title: str, width: int) -> None:
    """And no control sign of a title reaches it."""
    rows = [
        ("T-1", title, "open", None, DUE, "mail"),
        (LONG_ID, "x", "blocked", [f"T-{n}" for n in range(2_000)], None, "tracker of the company"),
    ]
    lines = drawn(rows, width)
    assert max(map(cells_of, lines)) <= width
    assert "\x1b" not in "".join(lines)
    assert "\u202e" not in "".join(lines)
    assert not [line for line in lines if line != line.rstrip()]


@pytest.mark.parametrize("width", [20, 80, 160])
def test_an_id_is_whole_and_a_cut_is_seen(width: int) -> None:
    """An id can be put together again from its lines; what is left out of others shows as `…`."""
    row = (LONG_ID, TITLES["words"], "open", "T-9", DUE, "mail")
    lines = drawn([row], width)
    column = widths_of(HEADINGS, [row], width)
    wide = width if column is None else column[0]
    assert LONG_ID in "".join(line[:wide].strip() for line in lines)
    assert column is None or "…" in "".join(lines)
    assert column is None or len(lines) <= 4 + max(CELL_LINES_MAX, -(-len(LONG_ID) // wide))


def test_short_cells_stand_in_one_line() -> None:
    """Ordinary rows take one line each, at 80 columns already."""
    rows = [(f"T-{n}", "Write the report", "open", None, DUE, "mail") for n in range(300)]
    lines = drawn(rows, 80)
    assert lines[:4] == [
        "tasks",
        "id     title             status  due                source",
        "─" * len(lines[1]),
        "T-0    Write the report  open    2026-12-05 09:00Z  mail",
    ]
    assert len(lines) == 3 + 300 + 1  # title, heads, rule; and an empty line after it


def test_no_row_and_one_row() -> None:
    """Columns that are empty everywhere are not there."""
    assert drawn([], 80) == ["tasks", "id", "──", ""]
    one = drawn([("T-1", "x", "open", None, None, None)], 80)
    assert one == ["tasks", "id   title  status", "──────────────────", "T-1  x      open", ""]


def test_columns_line_up_with_wide_signs() -> None:
    """The column after a Chinese title starts where it starts after an English one."""
    rows = [
        ("T-1", "写报告", "open", None, None, None),
        ("T-2", "Report", "open", None, None, None),
    ]
    chinese, english = drawn(rows, 80)[3:5]
    assert cells_of(chinese.split("open")[0]) == cells_of(english.split("open")[0])


def test_colour_only_where_it_is_wanted() -> None:
    """A status has its colour on a terminal, NO_COLOR takes it away, and the text is the same."""
    rows = [("T-1", "x", "blocked", None, None, None)]
    plain = drawn(rows, 80)
    assert "\x1b[33mblocked\x1b[0m" in "".join(drawn(rows, 80, colour=True))
    assert "\x1b[3" not in "".join(drawn(rows, 80, colour=True, no_color=True))
    assert "".join(plain).count("\x1b") == 0
