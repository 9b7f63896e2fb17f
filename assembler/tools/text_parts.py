"""The text of a body that is stored in parts, from any part on, without what comes before.

A character belongs to the part in which its first byte stands, so the parts' texts one after the
other are the whole text, wherever the body was cut. What is no UTF-8 reads as U+FFFD, the same
wherever reading begins.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from workindex.assembler.tools.references import Selector
from workindex.projections.snapshot import Snapshot

PART_MAX: Final = 99_999  # the last part that a body can have
READ_BYTES: Final = 1024 * 1024  # about so much is read at once
PARTS_AT_ONCE_MAX: Final = 64
_BYTES_OF_A_SIGN: Final = 4
_UTF_8: Final = getincrementaldecoder("utf-8")

Read = Callable[[int, int], list[bytes]]


class Piece(NamedTuple):
    """Text whose characters begin in one part; a part may give several pieces, or none."""

    part: int
    text: str


class Window(NamedTuple):
    """The characters of a selection, from its first one on, as many as were wanted.

    `goes_on` where the selection holds more. `begins` says at which character each part begins,
    both counted as in the selection.
    """

    text: str
    goes_on: bool
    begins: tuple[tuple[int, int], ...]

    def after(self, wanted: Selector, end: int) -> Selector:
        """The rest of a selection from the character `end` on, counted from the part that has it,
        so that nothing before that part is read again."""
        start, part = next((one for one in reversed(self.begins) if one[0] <= end), (0, 0))
        first, last = wanted.parts or (0, PART_MAX)
        if part <= first:
            return wanted._replace(first=end)
        return Selector("chars", end - start, wanted.last - start, (part, last))


def read_window(snapshot: Snapshot, row: Any, wanted: Selector, chars_max: int) -> Window:
    """The first characters of a selection of an artifact's text; reads little more than those.

    From the beginning of its first part, that is, up to `chars_max` past its first character.
    """
    first, last = wanted.parts or (0, PART_MAX)
    end = min(wanted.last + 1, wanted.first + chars_max)
    at_once = READ_BYTES * row.parts // max(1, row.size_bytes)
    kept: list[str] = []
    begins: list[tuple[int, int]] = []
    at = 0
    for part, text in pieces(
        lambda since, until: snapshot.parts(row, since, until),
        first,
        last,
        max(1, min(PARTS_AT_ONCE_MAX, at_once)),
    ):
        if not begins or begins[-1][1] != part:
            begins.append((at, part))
        kept.append(text[max(0, wanted.first - at) : max(0, end - at)])
        at += len(text)
        if at > end:
            break
    return Window("".join(kept), at > end <= wanted.last, tuple(begins))


def pieces(read: Read, first: int, last: int, at_once: int = 1) -> Iterator[Piece]:
    """The text of parts `first` to `last`, both included, as far as the body has them.

    `read` gives parts by number, both ends included, fewer where the body ends; `at_once` is how
    many it is asked for. Where a character goes on in the part after the last, that is read too.
    """
    decoder = _UTF_8("replace")
    began = first - 1
    if first > 0:  # a character of an earlier part may end in this one
        before = b"".join(read(max(0, first - _BYTES_OF_A_SIGN + 1), first - 1))
        decoder.decode(before[1 - _BYTES_OF_A_SIGN :])
    number = first
    while number <= last or (began in range(first, last + 1) and decoder.getstate()[0]):
        wanted = min(at_once, last - number + 1) if number <= last else 1
        bodies = read(number, number + wanted - 1)
        for body in bodies:
            if not decoder.getstate()[0]:
                began = number
            text = decoder.decode(body)
            yield from _split(text, began, number, first, last)
            began = number if text else began
            number += 1
        if len(bodies) < wanted:
            yield from _split(decoder.decode(b"", final=True), began, began, first, last)
            return


def _split(text: str, began: int, number: int, first: int, last: int) -> Iterator[Piece]:
    """The first character where it began, the others in this part; none from outside the range."""
    cut = 1 if began < number else 0
    for piece in (Piece(began, text[:cut]), Piece(number, text[cut:])):
        if piece.text and first <= piece.part <= last:
            yield piece
