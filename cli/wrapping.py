"""Where does a text break, so that every line fits the terminal?

Widths are in cells: a Chinese character or an emoji takes two. Lines break at spaces and beside
wide characters, never before a closing mark nor after an opening one; a word that is wider than
the line is cut. Between the words of a line everything stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_CLOSING = frozenset("，。、：；？！）」』】〉》…,.:;?!)]}”’%")
_OPENING = frozenset("（「『【〈《([{“")
_MORE = "…"


class _Piece(NamedTuple):
    """Signs that no line break parts, and how many spaces stand after them."""

    text: str
    cells: int
    spaces: int


def cells_of(text: str) -> int:
    """The width of a text without line breaks."""
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int, *, hanging: int = 0, lines_max: int | None = None) -> list[str]:
    """The lines of one paragraph, at least one; those after the first begin `hanging` cells in.

    Where it takes more than `lines_max`, the last line that stays ends in an ellipsis.
    """
    if text.isascii() and len(text) <= width:
        return [text.rstrip(" ")]
    lead = len(text) - len(text.lstrip(" "))
    lines, used, gap = [" " * lead], lead, 0
    for piece, cells, spaces in _pieces(text, max(2, width - hanging)):
        if lines[-1].strip() and used + gap + cells > width:
            lines.append(" " * hanging)
            used, gap = hanging, 0
        lines[-1] += " " * gap + piece
        used, gap = used + gap + cells, spaces
    if lines_max is not None and len(lines) > lines_max:
        lines[lines_max - 1 :] = [cut(lines[lines_max - 1] + _MORE, width)]
    return lines


def cut(text: str, width: int) -> str:
    """The text in one line of that width; where it does not fit, it ends in an ellipsis."""
    if cells_of(text) <= width:
        return text
    kept, used = "", cells_of(_MORE)
    for sign, cells in _signs(text):
        if used + cells > width:
            break
        kept, used = kept + sign, used + cells
    return kept.rstrip() + _MORE


def _pieces(text: str, room: int) -> Iterator[_Piece]:
    """What stays together; nothing is wider than `room`."""
    piece, used, spaces = "", 0, 0
    was_wide = False
    for sign, cells in _signs(text):
        if sign == " ":
            spaces += bool(piece)
            continue
        joins = sign in _CLOSING or piece[-1:] in _OPENING or not (was_wide or cells > 1)
        if piece and (spaces or not joins or used + cells > room):
            yield _Piece(piece, used, spaces)
            piece, used, spaces = "", 0, 0
        piece, used, was_wide = piece + sign, used + cells, cells > 1
    if piece:
        yield _Piece(piece, used, 0)


def _signs(text: str) -> Iterator[tuple[str, int]]:
    """Each sign as a reader sees it, with its marks, and its width."""
    from rich.cells import split_graphemes

    for start, end, cells in split_graphemes(text)[0]:
        yield text[start:end], cells
