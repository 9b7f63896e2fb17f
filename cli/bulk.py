"""Which commands were recorded, many at a time? NDJSON in, of one user or of several.

Lines are taken in windows. Within one, the lines of a user are recorded together in their order;
results come out in the order of the lines. A break loses nothing: lines with a key may be sent
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from workindex.cli.lines import ENVELOPE, Result, envelope, refused, result_of

if TYPE_CHECKING:
    from workindex.domain.facts import Actor
    from workindex.projections.planning import Entry
    from workindex.service.client import WorkIndex
    from workindex.service.ndjson import Line

BY_LINE = "-"  # the USER that says: each line names its own
WINDOW_LINES = 10_000
WINDOW_BYTES = 16 * 1024 * 1024
SLICE_COMMANDS = 2_000  # what one call records, so that a break hides no more results


class _Sent(NamedTuple):
    """A line that holds a command: its number and what it asks for."""

    number: int
    entry: Entry


def record_window(
    work_index: WorkIndex,
    user: str,
    lines: Iterable[Line],
    *,
    actor: Actor,
    source: str,
    tell: Callable[[Result], None],
) -> None:
    """Record the lines of one window and tell their results in order.

    `user` is whom all lines are about, or `BY_LINE`.

    Raises: Unavailable, after the results of what was recorded until then.
    """
    results: dict[int, Result] = {}
    sent: dict[str, list[_Sent]] = {}
    for line in lines:
        _read(line, user, actor, sent, results)
    try:
        for user_id, of_user in sent.items():
            for first in range(0, len(of_user), SLICE_COMMANDS):
                part = of_user[first : first + SLICE_COMMANDS]
                _record(work_index, user_id, part, actor, source, results)
    finally:
        for number in sorted(results):
            tell(results[number])


def windows(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """The lines in portions that fit into memory."""
    window: list[Line] = []
    size = 0
    for line in lines:
        window.append(line)
        size += line.bytes_read
        if len(window) >= WINDOW_LINES or size >= WINDOW_BYTES:
            yield window
            window, size = [], 0
    if window:
        yield window


def _read(
    line: Line,
    user: str,
    actor: Actor,
    sent: dict[str, list[_Sent]],
    results: dict[int, Result],
) -> None:
    """File the line's command under its user, or its error under the results."""
    from workindex.domain.errors import InvalidInput, WorkindexError
    from workindex.projections.planning import Entry
    from workindex.service.client import checked_user_id
    from workindex.service.parsing import parse_command

    try:
        if line.value is None:
            assert line.error is not None
            raise line.error
        command = {name: value for name, value in line.value.items() if name not in ENVELOPE}
        user_id = user
        if user == BY_LINE:
            if "user_id" not in command:
                raise InvalidInput('the line names no user: add "user_id"', field="user_id")
            user_id = checked_user_id(command.pop("user_id"))
        entry = Entry(parse_command(command), **envelope(line.value, actor))
    except WorkindexError as error:
        results[line.number] = refused(line.number, error)
    else:
        sent.setdefault(user_id, []).append(_Sent(line.number, entry))


def _record(
    work_index: WorkIndex,
    user_id: str,
    sent: list[_Sent],
    actor: Actor,
    source: str,
    results: dict[int, Result],
) -> None:
    from workindex.domain.errors import WorkindexError

    entries = [one.entry for one in sent]
    outcomes = work_index.user(user_id).record_bulk(entries, actor=actor, source=source)
    for (number, _), outcome in zip(sent, outcomes, strict=True):
        if isinstance(outcome, WorkindexError):
            results[number] = refused(number, outcome)
        else:
            results[number] = result_of(number, outcome)
