"""What does a session look like? The picture of the README, drawn from commands that were run.

`python -m workindex.cli.picture > docs/terminal.svg` draws it anew; a test keeps it fresh. The
commands run on WORKINDEX_DATABASE_URL, which must hold no user ada, or else on an embedded server
of their own. Clock, width and names are fixed, so that the same program draws the same bytes.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from workindex.cli.main import workindex
from workindex.cli.output import Cli

if TYPE_CHECKING:
    from rich.console import Console

    from workindex.service.client import WorkIndex

NOW = datetime(2026, 3, 17, 9, 40, tzinfo=UTC)
WIDTH_CELLS = 100
_WHO = {"LOGNAME": "ada", "USER": "ada"}
_URL = "WORKINDEX_DATABASE_URL"
DAY = """\
{"type": "create_task", "task_id": "T-1", "title": "Send the offer", "due_at": "2026-03-17T17:00Z"}
{"type": "request_task_input", "task_id": "T-1", "request_id": "Q-1", "prompt": "A discount?"}
{"type": "create_task", "task_id": "T-2", "title": "Book the venue", "blocked_by": ["T-1"]}
{"type": "set_reminder", "reminder_id": "R-1", "title": "Call Bo", "remind_at": "2026-03-17T09:30Z"}
"""
SESSION = (
    "cat day.ndjson",
    "workindex record ada day.ndjson",
    'workindex ask ada "What needs me?"',
    'workindex ask ada "哪些任务被阻塞了？"',
    "workindex index ada",
    "workindex explain ada T-1",
    'workindex ask nobody "What needs me?"',
)


class Drawn(Cli):
    """A command line whose clock stands still and whose streams are one recorded terminal."""

    @cached_property
    def out(self) -> Console:
        """The terminal that is drawn; nothing of the environment reaches it."""
        from rich.console import Console

        return Console(
            file=io.StringIO(),
            record=True,
            width=WIDTH_CELLS,
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
            highlight=False,
            _environ={},
        )

    @cached_property
    def err(self) -> Console:
        """The same terminal."""
        return self.out

    def open(self, clock: Callable[[], datetime] | None = None) -> WorkIndex:
        """The client, at the fixed instant."""
        return super().open(clock or (lambda: NOW))


def terminal_svg() -> str:
    """The session as SVG, without a font from elsewhere.

    Raises: what a command of the session raises.
    """
    from rich.text import Text

    cli = Drawn()
    with _database(), tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("day.ndjson").write_text(DAY, encoding="utf-8")
        for number, command in enumerate(SESSION):
            if number:
                cli.out.print()
            cli.out.print(Text.assemble(("$ ", "green"), (command, "bold")))
            program, *words = shlex.split(command)
            if program == "workindex":
                workindex.main(words, prog_name=program, standalone_mode=False, obj=cli)
            else:
                told = subprocess.run([program, *words], capture_output=True, text=True, check=True)
                cli.say(told.stdout.rstrip("\n"))
    drawn = cli.out.export_svg(title="workindex", unique_id="workindex")
    drawn = re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", drawn, flags=re.DOTALL)
    drawn = drawn.replace("<svg ", '<svg xml:space="preserve" ', 1)  # some viewers join spaces
    return "".join(f"{line.rstrip()}\n" for line in drawn.splitlines())


@contextmanager
def _database() -> Iterator[None]:
    """The database of the environment, or an embedded server that is gone afterwards."""
    before = dict(os.environ)
    os.environ |= _WHO
    try:
        if _URL in before:
            os.environ[_URL] = before[_URL]
            yield
            return
        from workindex.eventlog.embedded import EmbeddedServer

        with tempfile.TemporaryDirectory(prefix="wi") as home:
            Path(home).chmod(0o755)  # as root the server runs as another user
            os.environ["WORKINDEX_HOME"] = str(Path(home) / "s")
            try:
                yield
            finally:
                EmbeddedServer().stop()
    finally:
        os.environ.clear()
        os.environ |= before


if __name__ == "__main__":
    click.echo(terminal_svg(), nl=False)
