"""Which requests are in a file? JSON or NDJSON, one or many; each line is judged for itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from workindex.assembler.audit.measured import Measured, is_record, of_record
from workindex.assembler.audit.shapes import Request, UnknownRequest, recognised
from workindex.domain.errors import InvalidInput

Found = Request | Measured | UnknownRequest


def read_file(path: Path) -> Iterator[Found]:
    """Each request of the file, a record of `observe`, or the error that stands at its place.

    The requests of a JSON list carry their index behind the file's name.

    Raises: UnknownRequest where the file cannot be read as text.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnknownRequest(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        at = f"byte {error.start}"
        raise UnknownRequest(f"{path}, {at}: not UTF-8, so neither JSON nor NDJSON") from error
    yield from read_text(text, str(path))


def read_text(text: str, file: str) -> Iterator[Found]:
    """The same for a text that stands in memory."""
    lines = [(number, one) for number, one in enumerate(text.split("\n"), 1) if one.strip()]
    if not lines:
        yield UnknownRequest(f"{file}, line 1: the file is empty; a request is a JSON object")
        return
    try:
        whole = _loaded(text, file, 1)
    except UnknownRequest as error:
        if len(lines) == 1 or not any(_is_object(line) for _, line in lines):
            yield error
            return
        for number, line in lines:
            yield from _of_line(line, file, number)
        return
    if not isinstance(whole, list):
        yield _found(whole, file, lines[0][0])
        return
    for number, one in enumerate(whole):
        yield _found(one, f"{file}[{number}]", lines[0][0])


def _of_line(line: str, file: str, number: int) -> Iterator[Found]:
    try:
        yield _found(_loaded(line, file, number), file, number)
    except UnknownRequest as error:
        yield error


def _found(value: Any, file: str, line: int) -> Found:
    try:
        if is_record(value):
            return of_record(value, file, line)
        return recognised(value, file, line)
    except InvalidInput as error:
        return error if isinstance(error, UnknownRequest) else UnknownRequest(str(error))


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _loaded(text: str, file: str, line: int) -> Any:
    def pairs(given: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(given)
        if len(found) < len(given):
            keys = [key for key, _ in given]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise UnknownRequest(
                f"{file}, line {line}: the key {twice!r} stands twice in one object; "
                f"a reader keeps one of them, so nobody knows what was sent"
            )
        return found

    def no_number(name: str) -> NoReturn:
        raise UnknownRequest(f"{file}, line {line}: {name} is no number of JSON")

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=no_number)
    except json.JSONDecodeError as error:
        where = f"line {line + error.lineno - 1}, column {error.colno}"
        raise UnknownRequest(f"{file}, {where}: not JSON ({error.msg})") from error
    except RecursionError as error:
        raise UnknownRequest(f"{file}, line {line}: nested too deeply to be a request") from error
