"""What projections are there, and how far is each?"""

from __future__ import annotations

import rich_click as click

from workindex.cli.generations import COMMANDS as GENERATION_COMMANDS
from workindex.cli.output import Cli, json_option
from workindex.cli.parked import COMMANDS as PARKED_COMMANDS
from workindex.cli.tables import Heading, show_table
from workindex.cli.verify import verify


@click.group()
def projections() -> None:
    """List, verify and rebuild the projections, and say which generation is read.

    \b
    Example:
      workindex projections verify
    """


@projections.command("list")
@json_option
@click.pass_obj
def list_(cli: Cli) -> None:
    """List projection sets, their generations and members, and how far behind they are.

    Behind are so many users, the furthest by so many positions; the oldest event that is not
    applied yet was recorded so many seconds ago.

    \b
    Example:
      workindex projections list
    """
    from workindex.projections.generations import list_generations

    found = list_generations(cli.open().database)
    if cli.json:
        cli.emit({"projections": found})
        return
    headings = (
        Heading("set"),
        Heading("generation", right=True),
        Heading("fold", right=True),
        Heading("state"),
        Heading("members", long=True),
        Heading("users", right=True),
        Heading("behind", right=True),
        Heading("positions", right=True),
        Heading("seconds", right=True),
        Heading("parked", right=True),
    )
    rows = [
        (
            one["projection_set"],
            one["generation"],
            one["fold_version"],
            one["state"],
            one["members"],
            one["users"],
            one["behind"],
            one["lag_positions"],
            round(one["lag_seconds"]),
            one["parked"],
        )
        for one in found
    ]
    show_table(cli, "projections", headings, rows)


for _command in (verify, *PARKED_COMMANDS, *GENERATION_COMMANDS):
    projections.add_command(_command)
