"""Do the stored rows say what the log says?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from workindex.cli.output import DIFFERENT, Cli, Stop, json_option
from workindex.cli.tables import Heading, show_table

if TYPE_CHECKING:
    from workindex.projections.verify import Report

DIFFERENCES_SHOWN = 50


@click.command()
@click.option("--user", "users", multiple=True, metavar="USER", help="Only this user (repeatable).")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Only so many users.")
@click.option("--seed", type=click.IntRange(min=0), help="Choose the same sample again.")
@click.option("--repair", metavar="USER", help="Make the rows of this user anew, then verify them.")
@json_option
@click.pass_obj
def verify(
    cli: Cli, users: tuple[str, ...], sample: int | None, seed: int | None, repair: str | None
) -> None:
    """Fold the log again and compare it with every stored row.

    Writes nothing, but with --repair the rows of one user, from the log. Exit code 1 where
    anything differs, stands still, was left out without its proof accepted, or lags behind.

    \b
    Example:
      workindex projections verify --sample 100
    """
    from workindex.cli.record import operator
    from workindex.projections.repair import repair as make_anew
    from workindex.projections.verify import Verifier

    if sum((bool(users), sample is not None, repair is not None)) > 1:
        raise click.UsageError("choose one of --user, --sample and --repair")
    if seed is not None and sample is None:
        raise click.UsageError("--seed goes with --sample")
    database = cli.open().database
    if repair is not None:
        done = make_anew(database, repair, operator())
        cli.note(
            f"rows made anew from {_count(done.events, 'event')}: "
            + ", ".join(f"{name} {rows:,}" for name, rows in done.rows.items())
            + f"; {_count(done.strays, 'row')} of no generation deleted"
        )
        users = (repair,)
    verifier = Verifier(database)
    if sample is not None:
        report = verifier.sample(sample, seed)
    else:
        report = verifier.verify(list(users) or None)
    if cli.json:
        cli.emit(report.to_json())
    else:
        show_report(cli, report)
    if not report.is_clean:
        raise Stop(DIFFERENT)


def show_report(cli: Cli, report: Report) -> None:
    """Prints what a verification found."""
    for fault in report.log_faults:
        cli.say(f"log of {fault['user_id']}, position {fault['position']}: {fault['fault']}")
    for title, found in (
        ("parked", report.parked),
        ("behind", report.behind),
        ("left out by hand", report.skipped),
    ):
        for one in found:
            cli.say(f"{title}: " + ", ".join(f"{name} {value}" for name, value in one.items()))
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
    if report.seed is not None:
        cli.say(f"chosen by seed {report.seed}")


def _cells(difference: Any) -> tuple[Any, ...]:
    stored, folded = (_shown(getattr(difference, name)) for name in ("stored", "folded"))
    return (*difference[:4], stored, folded, difference.position)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
