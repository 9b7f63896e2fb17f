"""What does a command say, where, and with which exit code?

Data goes to stdout, progress and errors to stderr. With `--json` stdout holds exactly one JSON
document (`"format": 1` first) or, for streams, one JSON object a line. This is the one place that
turns an error of the package into an exit code and an error document.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import rich_click as click

from workindex.cli.streams import takes_unicode

if TYPE_CHECKING:
    from rich.console import Console

    from workindex.domain.errors import WorkindexError
    from workindex.service.client import WorkIndex

FORMAT = 1
DONE, DIFFERENT, USAGE, REFUSED, UNAVAILABLE = 0, 1, 2, 3, 4

F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class Cli:
    """What every command shares: where the database is and how to speak."""

    database_url: str | None = None
    json: bool = False
    _opened: list[WorkIndex] = field(default_factory=list)

    @cached_property
    def out(self) -> Console:
        """The console for people on stdout."""
        return _console(sys.stdout)

    @cached_property
    def err(self) -> Console:
        """The console for progress and errors on stderr."""
        return _console(sys.stderr)

    def open(self, clock: Callable[[], datetime] | None = None) -> WorkIndex:
        """The client, opened once and closed when the command ends."""
        from workindex.service.client import WorkIndex

        if not self._opened:
            given = {} if clock is None else {"clock": clock}
            self._opened.append(WorkIndex.open(self.database_url, **given))
        return self._opened[0]

    def close(self) -> None:
        """Closes what `open` opened."""
        while self._opened:
            self._opened.pop().close()

    def emit(self, document: Mapping[str, Any]) -> None:
        """Prints the one JSON document of a command."""
        click.echo(dumps({"format": FORMAT, **document}))

    def emit_line(self, document: Mapping[str, Any]) -> None:
        """Prints one object of a stream, at once."""
        click.echo(dumps(document))

    def say(self, text: str, *, style: str | None = None) -> None:
        """Prints text for people as it is: no markup, no forced line breaks in a pipe."""
        self.out.print(
            safe(text),
            style=style,
            markup=False,
            highlight=False,
            emoji=False,
            soft_wrap=not self.out.is_terminal,
        )

    def note(self, text: str) -> None:
        """Prints a line of progress on stderr."""
        self.err.print(safe(text), markup=False, highlight=False, emoji=False, soft_wrap=True)


class Stop(click.ClickException):
    """Ends a command that has already said everything, with an exit code."""

    def __init__(self, exit_code: int) -> None:
        super().__init__("")
        self.code = exit_code


def json_option(command: F) -> F:
    """Adds `--json` to a command, so that it may stand before or after the command's name."""

    def remember(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            context.find_object(Cli).json = True  # type: ignore[union-attr]

    return click.option(
        "--json",
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="Print JSON for programs.",
    )(command)


def exit_code_of(error: WorkindexError) -> int:
    """The exit code that says what the caller can do about the error."""
    from workindex.domain.errors import CorruptEvent, CorruptLog, NeedsNewerCode, Unavailable

    if isinstance(error, Unavailable | NeedsNewerCode):
        return UNAVAILABLE
    return DIFFERENT if isinstance(error, CorruptEvent | CorruptLog) else REFUSED


def error_document(error: WorkindexError) -> dict[str, Any]:
    """The error as programs read it."""
    return {"code": error.code, "message": str(error), "field": error.field}


def fail(error: WorkindexError, *, as_json: bool) -> NoReturn:
    """Reports the error and leaves the program."""
    if as_json:
        click.echo(dumps({"format": FORMAT, "error": error_document(error)}))
    else:
        where = f" (field {error.field})" if error.field else ""
        click.echo(safe(f"{error.code}: {error}{where}"), err=True)
    sys.exit(exit_code_of(error))


def fail_usage(error: click.ClickException, *, as_json: bool) -> NoReturn:
    """Reports a wrong call and leaves the program."""
    if isinstance(error, Stop):
        sys.exit(error.code)
    if as_json:
        told = {"code": "usage", "message": error.format_message(), "field": _parameter(error)}
        click.echo(dumps({"format": FORMAT, "error": told}))
    else:
        error.show()
    sys.exit(error.exit_code if isinstance(error, click.UsageError) else USAGE)


def dumps(document: Mapping[str, Any]) -> str:
    """One line of JSON; instants as ISO text."""
    is_ascii = not takes_unicode(sys.stdout)
    return json.dumps(document, ensure_ascii=is_ascii, allow_nan=False, default=_plain)


def safe(text: str) -> str:
    """The text with control and direction characters written out, line breaks kept."""
    if text.isprintable():
        return text
    from workindex.domain.canonical import escape_for_display

    return "\n".join(escape_for_display(line) for line in text.split("\n"))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _parameter(error: click.ClickException) -> str | None:
    parameter = getattr(error, "param", None)
    return parameter.name if parameter is not None else None


def _console(stream: Any) -> Console:
    from rich.console import Console

    return Console(file=stream, highlight=False)
