"""What do meetings, process logs and office tables say? Imports that keep every good record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from workindex.cli.options import MOMENT, ZONE
from workindex.cli.output import REFUSED, Cli, Stop, json_option, safe
from workindex.cli.record import operator
from workindex.cli.tables import Heading, show_table

if TYPE_CHECKING:
    from workindex.service.importers.report import Report
    from workindex.service.importers.session import Progress, Suspicion

DAY_SECONDS = 86_400
REJECTED_TOLD_MAX = 20
F = TypeVar("F", bound=Callable[..., Any])


def import_options(source: str, *, folders: bool = True) -> Callable[[F], F]:
    """The arguments and options that all imports share; with `folders` a PATH may be one."""

    def add(command: F) -> F:
        shared: list[Callable[[Any], Any]] = [
            click.argument("user"),
            click.argument(
                "paths",
                nargs=-1,
                required=True,
                metavar="PATH…",
                type=click.Path(exists=True, dir_okay=folders, path_type=Path),
            ),
            click.option(
                "--source",
                default=source,
                show_default=True,
                metavar="NAME",
                help="The source that these files report on.",
            ),
            click.option(
                "--fresh-seconds",
                type=click.IntRange(min=1),
                default=DAY_SECONDS,
                show_default=True,
                help="How long the source counts as seen after this import.",
            ),
        ]
        for one in reversed(shared):
            command = one(command)
        return command

    return add


@click.command()
@import_options("xes")
@click.option(
    "--mapping",
    "mapping_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What activities mean: approvals, and which of them end a case (TOML or JSON).",
)
@click.option("--prefix", default="", metavar="TEXT", help="Stands before the id of each case.")
@json_option
@click.pass_obj
def xes(
    cli: Cli,
    user: str,
    paths: tuple[Path, ...],
    source: str,
    fresh_seconds: int,
    mapping_file: Path | None,
    prefix: str,
) -> None:
    """Import process logs (XES, IEEE 1849): cases become tasks, events their phases.

    A PATH is a log, gzipped or not, or a folder of them. A case's name is its task's id; who did
    an event has the task from then on; a time without a zone is UTC. A case is done with its last
    event, unless the mapping says which activities end one. Events that are there already are
    known again: a longer export adds its rest, and a mapping counts for new events only.

    A mapping names activities as the log does, or with their transition, "Accepted (Wait)". An
    approval that the log answers is kept as a decision of the task; nothing is approved here.

    \b
    Example:
      workindex import xes ada claims.xes.gz --mapping claims.toml

    \b
    Example of a mapping:
      done = ["Archive"]
      [[approvals]]
      asked = ["Submit"]
      granted = ["Approve"]
      denied = ["Reject"]
      prompt = "Approve the claim?"
    """
    from workindex.service.importers.session import Order
    from workindex.service.importers.xes_driver import import_xes
    from workindex.service.importers.xes_mapping import XesMapping, read_mapping

    mapping = XesMapping() if mapping_file is None else read_mapping(mapping_file)
    order = Order(paths, source, fresh_seconds, datetime.now(UTC))
    scope = cli.open().user(user)
    with steps_told(cli) as told:
        report = import_xes(scope, order, mapping, prefix, told)
    show_report(cli, user, source, report)


@contextmanager
def steps_told(cli: Cli) -> Iterator[Callable[[Progress], None]]:
    """Somebody to tell how far an import is: a bar at a terminal, nobody in a pipe."""
    if not cli.err.is_terminal:
        yield lambda _: None
        return
    from rich.progress import Progress as Bar

    with Bar(console=cli.err, transient=True) as bar:
        task = bar.add_task("importing", total=None)

        def told(done: Progress) -> None:
            bar.update(task, completed=done.number, total=done.steps)

        yield told


def removals_noted(cli: Cli, command: str, user: str, source: str) -> Callable[[Suspicion], None]:
    """Somebody to tell what is removed because the operator accepted it: the list of such acts."""

    def noted(found: Suspicion) -> None:
        from workindex.service.operator_actions import note

        arguments = {"user_id": user, "source": source, **found._asdict()}
        note(cli.open().database, operator(), command, arguments, outcome="removals accepted")

    return noted


@click.command()
@import_options("qmsum")
@click.option(
    "--held-at",
    type=MOMENT,
    metavar="T",
    help="When the meetings were; the files do not say, and without it they are put to 1970.",
)
@json_option
@click.pass_obj
def qmsum(
    cli: Cli,
    user: str,
    paths: tuple[Path, ...],
    source: str,
    fresh_seconds: int,
    held_at: datetime | None,
) -> None:
    """Import meetings with their transcripts (QMSum files, one meeting each).

    A PATH is a JSON file, gzipped or not, or a folder of them. The file's name is the meeting's
    id and title, the speakers are its participants, and what they said becomes an artifact from
    which any range of turns can be read. Questions and summaries in the file are left alone. A
    file with a bad turn is left out whole.

    \b
    Example:
      workindex import qmsum ada meetings/ --held-at 2026-03-02T09:00:00Z
    """
    from workindex.service.importers.qmsum import import_qmsum
    from workindex.service.importers.session import Order

    order = Order(paths, source, fresh_seconds, datetime.now(UTC))
    scope = cli.open().user(user)
    with steps_told(cli) as told:
        report = import_qmsum(scope, order, held_at, told)
    show_report(cli, user, source, report)


@click.command()
@import_options("workbench")
@click.option(
    "--tz",
    "zone",
    type=ZONE,
    default="UTC",
    show_default=True,
    metavar="ZONE",
    help="The zone of times that name none.",
)
@click.option(
    "--accept-removals",
    is_flag=True,
    help="Remove what is missing even if it is most of the source, in your name.",
)
@json_option
@click.pass_obj
def workbench(
    cli: Cli,
    user: str,
    paths: tuple[Path, ...],
    source: str,
    fresh_seconds: int,
    zone: str,
    accept_removals: bool,
) -> None:
    """Import an office's CSV tables: calendar, mails and project tasks.

    A PATH is a table, gzipped or not, or a folder of them; its columns say what it is. Calendar
    entries become meetings, mails messages (one thread for an address and a subject), project
    tasks tasks: Backlog is open, In Progress and In Review are active, Completed is done, and
    the list is the phase. Customers and page visits are counted and skipped: they are neither.

    All calendars, and all task tables, are the whole state: what they lack is cancelled or
    removed. If that is most of what is there, it waits (exit code 3) until you accept it.

    \b
    Example:
      workindex import workbench ada office/ --tz Europe/Berlin
    """
    from zoneinfo import ZoneInfo

    from workindex.service.importers.session import Order
    from workindex.service.importers.workbench_driver import import_workbench

    accepted_by = operator() if accept_removals else None
    order = Order(paths, source, fresh_seconds, datetime.now(UTC), accepted_by)
    scope = cli.open().user(user)
    accepting = removals_noted(cli, "import workbench", user, source)
    with steps_told(cli) as told:
        report = import_workbench(scope, order, ZoneInfo(zone), told, accepting)
    show_report(cli, user, source, report)


def show_report(cli: Cli, user: str, source: str, report: Report) -> None:
    """Prints the report; the exit code says whether something was left out.

    Raises: Stop.
    """
    if cli.json:
        cli.emit(_document(user, source, report))
    else:
        _show_tables(cli, source, report)
    for one in report.rejected[:REJECTED_TOLD_MAX]:
        cli.note(f"left out: {one.message}")
    if report.rejected_count > REJECTED_TOLD_MAX:
        cli.note(f"left out in all: {report.rejected_count:,}; --json names more of them")
    for note in report.notes:
        cli.note(note)
    if report.stopped is not None:
        stopped = report.stopped
        cli.note(
            f"{stopped.label} would remove {stopped.removes} of {stopped.held} items and leave "
            f"{stopped.after}: nothing of it was removed, and source {source} is suspect. If "
            f"that is right, run the same command with --accept-removals"
        )
    if report.rejected_count or report.stopped is not None:
        raise Stop(REFUSED)


def _document(user: str, source: str, report: Report) -> dict[str, Any]:
    return {
        "user_id": user,
        "source": source,
        **report.totals,
        "new": sum(one.new for one in report.files),
        "already": sum(one.already for one in report.files),
        "facts": report.facts,
        "commands": report.commands,
        "skipped": report.skipped,
        "rejected": report.rejected_count,
        "errors": [one._asdict() for one in report.rejected],
        "notes": list(report.notes),
        "accepted": list(report.accepted),
        "stopped": None if report.stopped is None else report.stopped._asdict(),
        "seconds": round(report.seconds, 3),
        "files": [
            {
                "file": one.file,
                **one.found,
                "new": one.new,
                "already": one.already,
                "rejected": one.rejected,
            }
            for one in report.files
        ],
    }


def _show_tables(cli: Cli, source: str, report: Report) -> None:
    kinds = list(report.totals)
    rows = []
    for one in report.files:
        found = [one.found.get(kind) for kind in kinds]
        rows.append([Path(one.file).name, *found, one.new, one.already, one.rejected or None])
    if len(rows) > 1:
        files = report.files
        sums = [sum(one.new for one in files), sum(one.already for one in files)]
        rows.append(["all", *report.totals.values(), *sums, report.rejected_count or None])
    headings = [Heading("file", long=True)]
    headings += [Heading(name, right=True) for name in (*kinds, "new", "already", "left out")]
    counted = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    show_table(cli, safe(f"Import into {source}"), headings, counted)
    speed = f" ({report.facts / report.seconds:,.0f} a second)" if report.facts > 1_000 else ""
    cli.say(f"{report.facts:,} facts in {report.seconds:.1f} s{speed}")
    if report.commands:
        cli.say(", ".join(f"{count:,} {name}" for name, count in report.commands.items()))
    for name, count in report.skipped.items():
        cli.say(f"skipped: {count:,} {name}")
    for label in report.accepted:
        cli.say(f"removals accepted: {label}")


RECORDS: tuple[click.Command, ...] = (qmsum, xes, workbench)
