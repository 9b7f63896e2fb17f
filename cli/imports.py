"""What do the files of other programs say? Imports, safe to run again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from workindex.cli.import_calendars import ics
from workindex.cli.import_records import RECORDS, import_options, removals_noted, steps_told
from workindex.cli.output import REFUSED, Cli, Stop, json_option
from workindex.cli.record import operator

if TYPE_CHECKING:
    from workindex.service.importers.beads_driver import Outcome


@click.group("import")
def imports() -> None:
    """Import files of other programs; running an import again changes nothing.

    \b
    Example:
      workindex import ics ada calendar.ics
    """


@imports.command()
@import_options("beads", folders=False)
@click.option(
    "--accept-removals",
    is_flag=True,
    help="Apply steps that remove most of the source, in your name.",
)
@json_option
@click.pass_obj
def beads(
    cli: Cli,
    user: str,
    paths: tuple[Path, ...],
    source: str,
    fresh_seconds: int,
    accept_removals: bool,
) -> None:
    """Import an issue tracker: snapshots (whole state) and delta files (commits), in order.

    A PATH is a snapshot, one issue a line, or a delta file, one commit a line; both may be
    gzipped. Run again, the import goes on after the last step that it finished. A step that would
    remove most of what the source holds ends it (exit code 3) until you accept that.

    \b
    Example:
      workindex import beads ada .beads/issues.jsonl
    """
    from workindex.service.importers.beads_driver import import_beads
    from workindex.service.importers.session import Order

    accepted_by = operator() if accept_removals else None
    order = Order(paths, source, fresh_seconds, datetime.now(UTC), accepted_by)
    scope = cli.open().user(user)
    accepting = removals_noted(cli, "import beads", user, source)
    with steps_told(cli) as told:
        outcome = import_beads(scope, order, told, accepting)
    if cli.json:
        cli.emit(_document(user, source, outcome))
    else:
        cli.say(_sentence(source, outcome))
    if outcome.stopped is not None:
        cli.note(
            f"{outcome.stopped.label} would remove {outcome.stopped.removes} of "
            f"{outcome.stopped.held} items and leave {outcome.stopped.after}: neither it nor a "
            f"later step was applied, and source {source} is suspect. If that is right, run the "
            f"same command with --accept-removals"
        )
        raise Stop(REFUSED)


def _document(user: str, source: str, outcome: Outcome) -> dict[str, Any]:
    stopped = outcome.stopped
    return {
        "user_id": user,
        "source": source,
        "steps": outcome.steps,
        "already": outcome.already,
        "applied": outcome.applied,
        "facts": outcome.facts,
        "commands": outcome.commands,
        "items": outcome.items,
        "accepted": list(outcome.accepted),
        "stopped": None if stopped is None else stopped._asdict(),
    }


def _sentence(source: str, outcome: Outcome) -> str:
    left = outcome.steps - outcome.already - outcome.applied
    parts = [f"{outcome.applied:,} of {outcome.steps:,} steps applied"]
    if outcome.already:
        parts.append(f"{outcome.already:,} were before")
    if left:
        parts.append(f"{left:,} left")
    done = ", ".join(f"{count:,} {name}" for name, count in outcome.commands.items())
    lines = [f"{', '.join(parts)}; {outcome.facts:,} facts; {source} holds {outcome.items:,} items"]
    if done:
        lines.append(done)
    lines += [f"removals accepted: {label}" for label in outcome.accepted]
    return "\n".join(lines)


for _command in (ics, *RECORDS):
    imports.add_command(_command)
