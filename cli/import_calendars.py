"""What do calendars say? Their meetings, alarms and to-dos, safe to import again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import rich_click as click

from workindex.cli.import_records import (
    import_options,
    removals_noted,
    show_report,
    steps_told,
)
from workindex.cli.output import Cli, json_option
from workindex.cli.record import operator


@click.command()
@import_options("ics")
@click.option(
    "--tz",
    metavar="ZONE",
    help="The zone of dates and of times without one (default: yours, else the calendar's, UTC).",
)
@click.option(
    "--whole",
    is_flag=True,
    help="The files are the whole calendar: call off what they do not mention.",
)
@click.option(
    "--accept-removals",
    is_flag=True,
    help="With --whole: call off most of the source too, in your name.",
)
@json_option
@click.pass_obj
def ics(
    cli: Cli,
    user: str,
    paths: tuple[Path, ...],
    source: str,
    fresh_seconds: int,
    tz: str | None,
    whole: bool,
    accept_removals: bool,
) -> None:
    """Import calendars (iCalendar): events become meetings, alarms reminders, to-dos tasks.

    A PATH is a calendar, gzipped or not, or a folder of them. A series is one meeting with its
    rule and its exceptions; its instances are worked out when you ask. An older version of an
    event undoes nothing. An event that the files do not mention stays, unless they are the
    --whole calendar.

    \b
    Example:
      workindex import ics ada calendar.ics --tz Europe/Berlin
    """
    from workindex.service.importers.ics_driver import View, import_ics
    from workindex.service.importers.session import Order

    accepted_by = operator() if accept_removals else None
    order = Order(paths, source, fresh_seconds, datetime.now(UTC), accepted_by)
    scope = cli.open().user(user)
    accepting = removals_noted(cli, "import ics", user, source)
    with steps_told(cli) as told:
        report = import_ics(scope, order, View(tz, whole), told, accepting)
    show_report(cli, user, source, report)
