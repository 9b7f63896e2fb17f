"""Which commands were recorded? NDJSON in, one result line each."""

from __future__ import annotations

import getpass
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import rich_click as click

from workindex.cli.output import REFUSED, Cli, Stop, error_document, json_option

if TYPE_CHECKING:
    from workindex.domain.facts import Actor
    from workindex.service.client import UserScope
    from workindex.service.ndjson import Line

# What a line may say about the recording itself; everything else belongs to the command.
ENVELOPE = frozenset(
    {"key", "actor", "occurred_at", "expected_version", "correlation_id", "causation_id"}
)
_RATHER_BIG_BYTES = 64 * 1024


@click.command()
@click.argument("user")
@click.argument(
    "file",
    required=False,
    default="-",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
)
@click.option(
    "--source",
    default="cli",
    show_default=True,
    help="Who sends the commands; keys belong to a source.",
)
@json_option
@click.pass_obj
def record(cli: Cli, user: str, file: str, source: str) -> None:
    """Record commands: one JSON object a line, one result line each.

    A line of FILE, or of stdin, is a command, {"type": "create_task", …}, with the fields that
    `workindex catalog` lists. It may add "key" (makes sending it again safe), "actor" {"kind",
    "id"}, "occurred_at" and "expected_version". Without an actor it is you, kind operator; an
    approval is granted by kind user or approver. An id that is left out is made, and a time has a
    zone: 2026-03-17T18:00:00+01:00. A line that is refused says why, and the others go on; then
    the exit code is 3.

    \b
    Examples:
      echo '{"type": "create_task", "title": "Book the train", "key": "1"}' \\
        | workindex record ada
      workindex record ada commands.ndjson --json
    """
    from workindex.service.ndjson import read_lines

    scope = cli.open().user(user)
    counts: Counter[str] = Counter()
    actor = operator()
    with _input(file) as stream, _progress(cli, file) as advance:
        for line in read_lines(stream):
            result = record_line(scope, line, actor=actor, source=source)
            counts[_outcome(result)] += 1
            advance(line.bytes_read)
            cli.emit_line(result) if cli.json else cli.say(_sentence(result))
    cli.note(_summary(counts))
    if counts["refused"]:
        raise Stop(REFUSED)


def record_line(scope: UserScope, line: Line, *, actor: Actor, source: str) -> dict[str, Any]:
    """Records one line and tells what came of it.

    Raises: Unavailable, because the lines after it would fare no better.
    """
    from workindex.domain.errors import Unavailable, WorkindexError

    try:
        if line.value is None:
            assert line.error is not None
            raise line.error
        command = {name: value for name, value in line.value.items() if name not in ENVELOPE}
        receipt = scope.record(command, source=source, **envelope(line.value, actor))
    except Unavailable:
        raise
    except WorkindexError as error:
        return {"line": line.number, "ok": False, "error": error_document(error)}
    return {
        "line": line.number,
        "ok": True,
        "positions": list(receipt.positions),
        "duplicate": receipt.duplicate,
        "streams": list(dict.fromkeys(event.fact.stream for event in receipt.events)),
    }


def envelope(line: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """What the line says about the recording itself, checked.

    Raises: InvalidInput, naming the member.
    """
    from datetime import datetime

    from pydantic import StrictInt, StrictStr, TypeAdapter, ValidationError

    from workindex.domain.errors import InvalidInput
    from workindex.domain.facts import Actor, At
    from workindex.service.parsing import NOT_A_TIME, is_time_text

    kinds: dict[str, Any] = {
        "key": StrictStr | None,
        "actor": Actor,
        "occurred_at": At | None,
        "expected_version": StrictInt | None,
        "correlation_id": StrictStr | None,
        "causation_id": StrictStr | None,
    }
    given: dict[str, Any] = {"actor": actor}
    for name in ENVELOPE & line.keys():
        value = line[name]
        if name == "occurred_at" and not is_time_text(value):
            raise InvalidInput(f"occurred_at {value!r}: {NOT_A_TIME}", field=name)
        try:
            given[name] = TypeAdapter[str | int | datetime | Actor | None](
                kinds[name]
            ).validate_python(value)
        except ValidationError as error:
            first = error.errors()[0]
            path = ".".join([name, *(str(part) for part in first["loc"])])
            raise InvalidInput(f"{path}: {first['msg']}", field=path) from None
    return given


def operator() -> Actor:
    """The person at this terminal."""
    from workindex.domain.facts import Actor

    try:
        return Actor(kind="operator", id=getpass.getuser())
    except (OSError, KeyError, ValueError):  # no login name, as in some containers, or an odd one
        return Actor(kind="operator", id=f"uid-{os.getuid()}")


@contextmanager
def _input(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as stream:
        yield stream


@contextmanager
def _progress(cli: Cli, file: str) -> Iterator[Callable[[int], None]]:
    size = Path(file).stat().st_size if file != "-" else 0
    if size < _RATHER_BIG_BYTES or not cli.err.is_terminal:
        yield lambda _: None
        return
    from rich.progress import Progress

    with Progress(console=cli.err, transient=True) as bar:
        task = bar.add_task(f"recording {Path(file).name}", total=size)
        yield lambda done: bar.advance(task, done)


def _outcome(result: dict[str, Any]) -> str:
    if not result["ok"]:
        return "refused"
    return "duplicate" if result["duplicate"] else "recorded"


def _sentence(result: dict[str, Any]) -> str:
    head = f"line {result['line']}: "
    if not result["ok"]:
        error = result["error"]
        where = f" (field {error['field']})" if error["field"] else ""
        return f"{head}refused, {error['code']}: {error['message']}{where}"
    positions = result["positions"]
    if not positions:
        told = "nothing to do"
    elif len(positions) == 1:
        told = f"position {positions[0]}"
    else:
        told = f"positions {positions[0]} to {positions[-1]}"
    told += ", recorded before" if result["duplicate"] else ""
    return ", ".join([f"{head}{told}", *result["streams"]])


def _summary(counts: Counter[str]) -> str:
    total = counts.total()
    parts = [
        f"{counts[name]:,} {name}" for name in ("recorded", "duplicate", "refused") if counts[name]
    ]
    return f"{total:,} {'line' if total == 1 else 'lines'}: {', '.join(parts) or 'nothing to do'}"
