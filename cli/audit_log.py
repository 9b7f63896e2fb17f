"""What did operators decide by hand, and why?"""

from __future__ import annotations

import rich_click as click

from workindex.cli.output import Cli, json_option
from workindex.cli.tables import Heading, moment, show_table


@click.command("audit-log")
@click.option("--command", metavar="TEXT", help="Only this command: projections switch.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="So many at most."
)
@json_option
@click.pass_obj
def audit_log(cli: Cli, command: str | None, limit: int) -> None:
    """List what operators did by hand, the newest first: who, what, why and what came of it.

    \b
    Example:
      workindex audit-log --limit 10
    """
    from workindex.eventlog.audit import actions

    with cli.open().database.maintenance() as conn:
        found = list(actions(conn, command=command, limit=limit))
    if cli.json:
        cli.emit({"actions": [one.to_json() for one in found]})
        return
    if not found:
        only = f" by the command {command!r}" if command else ""
        every = "; the names are whole, such as 'projections switch'" if command else ""
        cli.say(f"nothing was done by hand{only}{every}")
        return
    headings = (
        Heading("at"),
        Heading("who"),
        Heading("command"),
        Heading("arguments", long=True),
        Heading("reason", long=True),
        Heading("outcome"),
    )
    rows = [
        (
            moment(one.at),
            one.who,
            one.command,
            ", ".join(f"{name} {value}" for name, value in one.arguments.items()),
            one.reason or "",
            one.outcome,
        )
        for one in found
    ]
    show_table(cli, "audit log", headings, rows)
