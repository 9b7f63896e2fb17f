"""Lines fit the terminal, whatever signs they hold, and nothing of a text is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workindex.cli.wrapping import cells_of, cut, wrapped

SIGNS = [*"ab1-:,.“”()  é中文，。「」🚀", "e\u0301", "🇩🇪"]
TEXTS = st.lists(st.sampled_from(SIGNS), max_size=80).map("".join)


@given(TEXTS, st.integers(8, 40), st.integers(0, 4))
def test_every_line_fits_and_nothing_is_lost(text: str, width: int, hanging: int) -> None:
    """No line is wider than asked; without spaces the lines are the text."""
    lines = wrapped(text.strip(), width, hanging=hanging)
    assert max(map(cells_of, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(line.startswith(" " * hanging) for line in lines[1:])


@given(TEXTS, st.integers(4, 40), st.integers(1, 3))
def test_a_text_that_is_cut_says_so(text: str, width: int, lines_max: int) -> None:
    """With fewer lines than it takes the last one ends in an ellipsis, and fits too."""
    whole = wrapped(text.strip(), width)
    few = wrapped(text.strip(), width, lines_max=lines_max)
    assert len(few) <= lines_max
    assert max(map(cells_of, few)) <= width
    assert few == whole or few[-1].endswith("…")
    one = cut(text, width)
    assert one == text or (one.endswith("…") and cells_of(one) <= width)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 8, ["one two", "three"]),
        # Two cells a sign: four of them are a line of nine cells, with one to spare.
        ("一二三四五六", 9, ["一二三四", "五六"]),
        # A comma never begins a line, an opening quote never ends one.
        ("一二三四，五", 8, ["一二三", "四，五"]),
        ("一二三「四」", 8, ["一二三", "「四」"]),
        # No space comes between signs that a line break parted.
        ("在移动设备上", 4, ["在移", "动设", "备上"]),
        ("abcdefgh", 4, ["abcd", "efgh"]),
        # Columns in a line stay where they are.
        ("  7  done   x", 40, ["  7  done   x"]),
        ("", 10, [""]),
    ],
)
def test_where_lines_break(text: str, width: int, lines: list[str]) -> None:
    """At spaces and beside wide signs, and inside of a word only where it is too long."""
    assert wrapped(text, width) == lines


def test_later_lines_hang() -> None:
    """Under the beginning of the first, so that a list reads as one."""
    assert wrapped("- one two three four", 11, hanging=2) == ["- one two", "  three", "  four"]
    assert wrapped("a b c d e f", 3, lines_max=2) == ["a b", "c…"]
