"""Lines become JSON objects or typed errors; the next line is always read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workindex.domain.errors import InvalidInput
from workindex.service.ndjson import LINE_BYTES_MAX, parse_object, read_lines

# What the parsing suite accepts and a log of ours cannot keep, or would keep only in part.
REFUSED_ON_PURPOSE = {
    "y_object_escaped_null_in_key.json": "NUL",
    "y_string_null_escape.json": "NUL",
}


def wrapped(document: bytes) -> bytes:
    """The document as a free JSON value of one line (line breaks outside texts are spaces)."""
    flat = document.strip(b" \t\r\n").replace(b"\r", b" ").replace(b"\n", b" ")
    return b'{"value": ' + flat + b"}"


def test_what_must_parse_parses(shared_data: Path) -> None:
    """Every y_ file is a value, except those that break a stated rule of ours."""
    files = sorted((shared_data / "jsontestsuite/test_parsing").glob("y_*.json"))
    assert len(files) > 90
    for file in files:
        line = wrapped(file.read_bytes())
        if (told := REFUSED_ON_PURPOSE.get(file.name)) is None:
            assert "value" in parse_object(line), file.name
        else:
            with pytest.raises(InvalidInput, match=told):
                parse_object(line)


def test_what_must_not_parse_is_refused(shared_data: Path) -> None:
    """No n_ file is a value or a line, and none breaks the reader."""
    files = sorted((shared_data / "jsontestsuite/test_parsing").glob("n_*.json"))
    assert len(files) > 180
    for file in files:
        document = file.read_bytes()
        for stream in (b'{"value": ' + document + b"}", document):
            lines = list(read_lines(io.BytesIO(stream)))
            assert all(line.error is not None for line in lines), (file.name, stream[:80])


def test_undecided_documents_never_crash(shared_data: Path) -> None:
    """An i_ file or a transform is a value or a typed error."""
    suite = shared_data / "jsontestsuite"
    for file in [*suite.glob("test_parsing/i_*"), *suite.glob("test_transform/*")]:
        for line in read_lines(io.BytesIO(wrapped(file.read_bytes()))):
            assert (line.value is None) != (line.error is None), file.name


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'\xef\xbb\xbf{"a": 1}', "byte order mark"),
        (b'{"a": "\xff"}', "byte 8 is not UTF-8"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b'{"a": -Infinity}', "Infinity is not a JSON number"),
        (b'{"a": 1e400}', "too large"),
        (b'{"a": ' + b"9" * 2_000 + b"}", "2000 digits"),
        (b'{"a": 18446744073709551616}', "a is an integer of more than 64 bits"),
        (b'{"a": {"b": "\\ud800"}}', r"a\.b holds half of a surrogate pair"),
        (b'{"a": "x\\u0000"}', "a holds the character NUL"),
        (b'{"a": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", "nested deeper"),
        (b'{"a": ' + b"[" * 150 + b"]" * 150 + b"}", "nested deeper"),
        (b'"text"', "the line is text, expected one JSON object"),
        (b"[1]", "the line is an array"),
        (b'{"a": 1} {"b": 2}', "not JSON: Extra data at character 10"),
        (b"{'a': 1}", "not JSON"),
    ],
)
def test_a_broken_rule_is_named(line: bytes, told: str) -> None:
    """The message says what is wrong and where; the line after it is fine."""
    bad, good = read_lines(io.BytesIO(line + b'\n{"ok": true}\n'))
    assert bad.error is not None
    with pytest.raises(InvalidInput, match=told):
        raise bad.error
    assert (good.number, good.value) == (2, {"ok": True})


def test_a_long_line_is_never_held() -> None:
    """Longer than the limit is an error without reading it whole; at the limit it is fine."""

    class Endless(io.BytesIO):
        largest = 0

        def readline(self, size: int | None = -1) -> bytes:
            assert size is not None
            assert size > 0, "a line is read in bounded pieces"
            self.largest = max(self.largest, size)
            return super().readline(size)

    fits = b'{"a": "' + b"x" * (LINE_BYTES_MAX - 9) + b'"}'
    assert len(fits) == LINE_BYTES_MAX
    stream = Endless(fits + b"\r\n" + fits + b" \n" + b"y" * (5 * LINE_BYTES_MAX) + b'\n{"b": 1}')
    first, second, third, last = read_lines(stream)
    assert first.error is None
    for line in (second, third):
        assert "longer than 1,048,576 bytes" in str(line.error)
    assert (last.number, last.value) == (4, {"b": 1})
    assert stream.largest <= LINE_BYTES_MAX + 2
    assert sum(line.bytes_read for line in (first, second, third, last)) == stream.tell()


def test_blank_lines_count_and_say_nothing() -> None:
    """They keep the numbers of the lines after them."""
    lines = list(read_lines(io.BytesIO(b'\n  \r\n{"a": 1}\n\n')))
    assert [(line.number, line.value) for line in lines] == [(3, {"a": 1})]


@given(st.binary(max_size=200))
def test_any_bytes_are_values_or_errors(data: bytes) -> None:
    """Total: nothing else ever comes out."""
    for line in read_lines(io.BytesIO(data)):
        assert (line.value is None) != (line.error is None)


def test_a_member_given_twice() -> None:
    """The last one counts inside a value; among the line's own members it is an error."""
    line = b'{"type": "x", "value": {"a": 1, "b": [{"c": 1, "c": 2}], "a": 3}}'
    assert parse_object(line) == {"type": "x", "value": {"a": 3, "b": [{"c": 2}]}}
    for twice in (b'{"type": "x", "value": {"a": 1}, "type": "y"}', b'{"type": 1, "type": 1}'):
        with pytest.raises(InvalidInput, match="'type' stands twice") as refused:
            parse_object(twice)
        assert refused.value.field == "type"
