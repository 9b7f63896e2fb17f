"""Which JSON object stands on each line of a stream, or why none does?

Strict: UTF-8 without a byte order mark, no NaN or Infinity, no member of the line twice, no NUL, no
lone surrogate, numbers that a double holds, bounded depth, bounded length. A line that breaks a
rule becomes an error of its own and the next line is read as if it had been fine; a line that is
too long is named without being held in memory.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from workindex.domain.canonical import DEPTH_MAX, check_json
from workindex.domain.errors import InvalidInput

LINE_BYTES_MAX = 1024 * 1024
_DIGITS_MAX = 1_000
_SKIP_BYTES = 64 * 1024
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line that is not blank: its number from 1, and its object or the error in it."""

    number: int
    value: dict[str, Any] | None
    error: InvalidInput | None = None
    bytes_read: int = 0


def read_lines(stream: BinaryIO, *, line_bytes_max: int = LINE_BYTES_MAX) -> Iterator[Line]:
    """Every line that is not blank, in order."""
    number = 0
    parser = _Parser()
    while raw := stream.readline(line_bytes_max + 2):
        number += 1
        size = len(raw)
        if len(raw.rstrip(b"\r\n")) > line_bytes_max:
            size += 0 if raw.endswith(b"\n") else _skip_line(stream)
            error = InvalidInput(
                f"the line is longer than {line_bytes_max:,} bytes: split it or store the body "
                f"as an artifact"
            )
            yield Line(number, None, error, size)
            continue
        if not raw.strip(b" \t\r\n"):
            continue
        try:
            yield Line(number, parser.object(raw, first=number == 1), None, size)
        except InvalidInput as error:
            yield Line(number, None, error, size)


def parse_object(raw: bytes, *, first: bool = False) -> dict[str, Any]:
    """The one JSON object that `raw` holds; `first` where a file begins with it.

    Raises: InvalidInput, naming what is wrong and where.
    """
    return _Parser().object(raw, first=first)


class _Parser:
    """Parses lines, one after the other: making a decoder takes as long as reading a line.

    Inside a value the last of several members of one name counts, as it does in jsonb; the line's
    own members say what is to be done, so one of them given twice is an error.
    """

    def __init__(self) -> None:
        self._outermost: list[tuple[str, Any]] = []
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._members,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
        )

    def object(self, raw: bytes, *, first: bool = False) -> dict[str, Any]:
        """As `parse_object`."""
        if raw.startswith(_BOM):
            where = "the file" if first else "the line"
            raise InvalidInput(f"{where} starts with a byte order mark: write UTF-8 without one")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput(
                f"byte {error.start + 1} is not UTF-8 ({error.reason}): write the line in UTF-8"
            ) from None
        value = self._parse(text)
        if not isinstance(value, dict):
            raise InvalidInput(f"the line is {_kind(value)}, expected one JSON object {{…}}")
        check_json(value, "")
        return value

    def _parse(self, text: str) -> Any:
        try:
            value = self._decoder.decode(text)
        except json.JSONDecodeError as error:
            raise InvalidInput(f"not JSON: {error.msg} at character {error.pos + 1}") from None
        except RecursionError:
            raise InvalidInput(_TOO_DEEP) from None
        if isinstance(value, dict) and len(value) < len(self._outermost):
            names = Counter(name for name, _ in self._outermost)
            name = next(name for name, count in names.items() if count > 1)
            raise InvalidInput(f"the member {name!r} stands twice: keep one", field=name)
        return value

    def _members(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        self._outermost = pairs
        return dict(pairs)


_TOO_DEEP = f"nested deeper than {DEPTH_MAX} levels: flatten it"


def _no_constant(name: str) -> Any:
    raise InvalidInput(f"{name} is not a JSON number: use null or text")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise InvalidInput(f"the number {text[:40]} is too large: give it as text")
    return value


def _whole(text: str) -> int:
    if len(text) > _DIGITS_MAX:
        raise InvalidInput(f"the number {text[:20]}… has {len(text)} digits: give it as text")
    return int(text)


def _kind(value: Any) -> str:
    names = {str: "text", bool: "true or false", list: "an array", type(None): "null"}
    return names.get(type(value), "a number")


def _skip_line(stream: BinaryIO) -> int:
    skipped = 0
    while chunk := stream.readline(_SKIP_BYTES):
        skipped += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return skipped
