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

from workindex.cli.bulk import BY_LINE, record_window, windows
from workindex.cli.lines import ENVELOPE, Result, envelope, refused, result_of
from workindex.cli.output import REFUSED, Cli, Stop, json_option

if TYPE_CHECKING:
    from workindex.domain.facts import Actor
    from workindex.service.client import UserScope, WorkIndex
    from workindex.service.ndjson import Line

_HINTS = {"not_permitted": '; the line says who acts: "actor": {"kind": "user", "id": "…"}'}
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
@click.option(
    "--bulk",
    is_flag=True,
    help="Record many commands in one transaction; each still stands or falls alone.",
)
@click.option(
    "--park",
    multiple=True,
    metavar="MEMBER",
    help="Store the facts and let this projection stand still before them (repeatable).",
)
@json_option
@click.pass_obj
def record(cli: Cli, user: str, file: str, source: str, bulk: bool, park: tuple[str, ...]) -> None:
    """Record commands: one JSON object a line, one result line each.

    A line of FILE, or of stdin, is a command, {"type": "create_task", …}, with the fields that
    `workindex catalog` lists. It may add "key" (makes sending it again safe), "actor" {"kind",
    "id"}, "occurred_at" and "expected_version". Without an actor it is you, kind operator; an
    approval is granted by kind user or approver. An id that is left out is made, and a time has a
    zone: 2026-03-17T18:00:00+01:00. A line that is refused says why, and the others go on; then
    the exit code is 3.

    With --bulk a long file takes a fraction of the time, and only refused lines are told (all of
    them with --json). Where USER is -, each line names its own in "user_id"; a file in which the
    lines of a user stand together is recorded fastest. After a break send the file again: lines
    with a key are not repeated.

    --park is for facts whose fold ends the process that records them: they are stored, and
    `workindex projections retry` folds them once that is mended.

    \b
    Examples:
      echo '{"type": "create_task", "title": "Book the train", "key": "1"}' \\
        | workindex record ada
      workindex record ada commands.ndjson --json
      workindex record - everybody.ndjson --bulk
    """
    if user == BY_LINE and not bulk:
        raise click.UsageError('USER - means that each line names its "user_id": add --bulk')
    counts: Counter[str] = Counter()

    def tell(result: Result) -> None:
        outcome = _outcome(result)
        counts[outcome] += 1
        if cli.json:
            cli.emit_line(result)
        elif not bulk or outcome == "refused":
            cli.say(_sentence(result))

    if park:
        cli.open().writer.let_stand(park)
    with _input(file) as stream, _progress(cli, file) as advance:
        recorder = _record_in_bulk if bulk else _record_each
        recorder(cli.open(), user, stream, source=source, tell=tell, advance=advance)
    cli.note(_summary(counts))
    if counts["refused"]:
        raise Stop(REFUSED)


def _record_each(
    work_index: WorkIndex,
    user: str,
    stream: BinaryIO,
    *,
    source: str,
    tell: Callable[[Result], None],
    advance: Callable[[int], None],
) -> None:
    """Record line by line, and tell each result at once."""
    from workindex.service.ndjson import read_lines

    scope = work_index.user(user)
    actor = operator()
    for line in read_lines(stream):
        tell(record_line(scope, line, actor=actor, source=source))
        advance(line.bytes_read)


def _record_in_bulk(
    work_index: WorkIndex,
    user: str,
    stream: BinaryIO,
    *,
    source: str,
    tell: Callable[[Result], None],
    advance: Callable[[int], None],
) -> None:
    """Record window by window."""
    from workindex.service.ndjson import read_lines

    if user != BY_LINE:
        work_index.user(user)  # refuses an id that is not usable
    actor = operator()
    for window in windows(read_lines(stream)):
        record_window(work_index, user, window, actor=actor, source=source, tell=tell)
        advance(sum(line.bytes_read for line in window))


def record_line(scope: UserScope, line: Line, *, actor: Actor, source: str) -> Result:
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
        return refused(line.number, error)
    return result_of(line.number, receipt)


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
        hint = _HINTS.get(error["code"], "")
        return f"{head}refused, {error['code']}: {error['message']}{where}{hint}"
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
