"""Do the stored rows say what the log says?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from workindex.cli.generations import COMMANDS as GENERATION_COMMANDS
from workindex.cli.output import DIFFERENT, Cli, Stop, json_option
from workindex.cli.tables import Heading, show_table

if TYPE_CHECKING:
    from workindex.projections.verify import Report

DIFFERENCES_SHOWN = 50


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
    """List projection sets, their generations and members.

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
            one["parked"],
        )
        for one in found
    ]
    show_table(cli, "projections", headings, rows)


@projections.command()
@click.option("--user", "users", multiple=True, metavar="USER", help="Only this user (repeatable).")
@json_option
@click.pass_obj
def verify(cli: Cli, users: tuple[str, ...]) -> None:
    """Fold the log again and compare it with every stored row; writes nothing.

    Exit code 1 where anything differs, is parked or lags behind.

    \b
    Example:
      workindex projections verify
    """
    from workindex.projections.verify import Verifier

    report = Verifier(cli.open().database).verify(list(users) or None)
    if cli.json:
        cli.emit(report.to_json())
    else:
        show_report(cli, report)
    if not report.is_clean:
        raise Stop(DIFFERENT)


for _command in GENERATION_COMMANDS:
    projections.add_command(_command)


def show_report(cli: Cli, report: Report) -> None:
    """Prints what a verification found."""
    for fault in report.log_faults:
        cli.say(f"log of {fault['user_id']}, position {fault['position']}: {fault['fault']}")
    for one in (*report.parked, *report.behind):
        cli.say(", ".join(f"{name} {value}" for name, value in one.items()))
    if report.differences:
        headings = (
            Heading("user", long=True),
            Heading("table"),
            Heading("row", long=True),
            Heading("field"),
            Heading("stored", long=True),
            Heading("folded", long=True),
            Heading("position", right=True),
        )
        shown = report.differences[:DIFFERENCES_SHOWN]
        show_table(cli, "differences", headings, [_cells(one) for one in shown])
        if len(shown) < len(report.differences):
            cli.say(f"and {len(report.differences) - len(shown):,} more (all with --json)")
    cli.say(
        f"{_count(report.users, 'user')}, {_count(report.events, 'event')} folded again: "
        f"{_count(len(report.differences), 'difference')}"
    )


def _cells(difference: Any) -> tuple[Any, ...]:
    stored, folded = (_shown(getattr(difference, name)) for name in ("stored", "folded"))
    return (*difference[:4], stored, folded, difference.position)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
