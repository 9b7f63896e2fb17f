"""Is a body's text the same wherever it was cut, and wherever reading begins?"""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from workindex.assembler.tools.references import Selector
from workindex.assembler.tools.text_parts import PART_MAX, pieces, read_window
from workindex.projections.snapshot import Snapshot

TEXTS = st.one_of(
    st.binary(max_size=40),
    st.text(alphabet="aß漢😀\u0301", max_size=20).map(str.encode),
)


class Stored:
    """A body cut into parts, read as the content table is; it counts what is read."""

    def __init__(self, parts: list[bytes]) -> None:
        self.stored = parts
        self.was_read = 0

    def read(self, first: int, last: int) -> list[bytes]:
        found = self.stored[first : last + 1]
        self.was_read += len(found)
        return found

    def parts(self, row: Any, first: int, last: int) -> list[bytes]:
        assert row is not None
        return self.read(first, last)


def cut(body: bytes, places: list[int]) -> list[bytes]:
    """The body cut at these places, without an empty part."""
    ends = sorted({place % (len(body) + 1) for place in places} | {0, len(body)})
    parts = [body[a:b] for a, b in pairwise(ends)]
    return parts or [b""]


PARTS = st.builds(cut, TEXTS, st.lists(st.integers(0, 100), max_size=12))


@given(PARTS, st.integers(1, 4))
def test_the_pieces_are_the_text(parts: list[bytes], at_once: int) -> None:
    """Of any bytes cut anywhere, also inside a character."""
    found = list(pieces(Stored(parts).read, 0, PART_MAX, at_once))
    assert "".join(text for _, text in found) == b"".join(parts).decode("utf-8", "replace")
    assert [part for part, _ in found] == sorted(part for part, _ in found)


@given(PARTS, st.integers(1, 4), st.data())
def test_ranges_of_parts_are_the_text_once(
    parts: list[bytes], at_once: int, data: st.DataObject
) -> None:
    """Every character is in one of two neighbouring ranges, and in one alone."""
    last = data.draw(st.integers(0, len(parts) - 1))
    stored = Stored(parts)
    told = [
        text
        for first, until in ((0, last), (last + 1, PART_MAX))
        for _, text in pieces(stored.read, first, until, at_once)
    ]
    assert "".join(told) == b"".join(parts).decode("utf-8", "replace")


@given(PARTS, st.integers(1, 5), st.integers(0, 12))
def test_selections_that_go_on_are_the_text(parts: list[bytes], most: int, first: int) -> None:
    """From any character on, following what comes after, until nothing does."""
    stored = Stored(parts)
    row = SimpleNamespace(parts=len(parts), size_bytes=sum(map(len, parts)))
    wanted, told = Selector("chars", first, 9_999), ""
    while True:
        window = read_window(cast(Snapshot, stored), row, wanted, most)
        told += window.text
        if not window.goes_on:
            break
        wanted = window.after(wanted, wanted.first + len(window.text))
    assert told == b"".join(parts).decode("utf-8", "replace")[first:]


def test_no_more_is_read_than_is_told() -> None:
    """Ten characters out of the middle of a thousand large parts: the parts beside them."""
    stored = Stored([b"x" * 1_000_000] * 1_000)
    row = SimpleNamespace(parts=1_000, size_bytes=1_000_000_000)
    wanted = Selector("chars", 999_995, 1_000_004, (500, 999))
    window = read_window(cast(Snapshot, stored), row, wanted, 10)
    assert (window.text, window.goes_on) == ("x" * 10, False)
    assert stored.was_read <= 6
