"""What stands still, and how does it go on?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from workindex.cli.output import DIFFERENT, Cli, Stop, json_option
from workindex.cli.tables import Heading, moment, show_table

if TYPE_CHECKING:
    from workindex.projections.parked import Unparker, WentOn


@click.command()
@json_option
@click.pass_obj
def parked(cli: Cli) -> None:
    """List what stands still: the projections that could not follow the log, and why.

    Events that were left out with `skip` are listed below.

    \b
    Example:
      workindex projections parked
    """
    from workindex.projections.parked import list_parked

    found = list_parked(cli.open().database)
    if cli.json:
        cli.emit(found)
        return
    if found["parked"]:
        show_table(cli, "parked", _PARKED, [_cells(one, _PARKED) for one in found["parked"]])
    if found["skipped"]:
        show_table(cli, "left out", _SKIPPED, [_cells(one, _SKIPPED) for one in found["skipped"]])
    if not found["parked"]:
        cli.say("nothing stands still")


@click.command()
@click.argument("user")
@click.option("--member", metavar="M", help="Only this projection; also takes back its skips.")
@json_option
@click.pass_obj
def retry(cli: Cli, user: str, member: str | None) -> None:
    """Fold what stands still of USER again, from where it stands.

    All of it goes on, or nothing changes but the reason. A projection that is named and leaves
    out events is folded whole again with them, where it does not stand still or cannot go on
    from where it stands. Exit code 1 where something still stands.

    \b
    Example:
      workindex projections retry ada --member work_index
    """
    _report(cli, _unparker(cli).retry(user, member))


@click.command()
@click.argument("user")
@click.option("--member", metavar="M", required=True, help="The projection that stands still.")
@click.option("--reason", metavar="TEXT", required=True, help="Why the event may be left out.")
@click.option("--accept-proof", is_flag=True, help="Give proofs all the same.")
@json_option
@click.pass_obj
def skip(cli: Cli, user: str, member: str, reason: str, accept_proof: bool) -> None:
    """Leave the event that a projection failed on out of its rows, and go on.

    Done in every generation in which the projection stands still, each with the event on which it
    failed there: see `parked` first. The event stays in the log, and what was left out stays
    visible: in `parked`, in `verify` and in `audit-log`. Without --accept-proof answers stay
    unproven. Exit code 1 where a later event fails, too.

    \b
    Example:
      workindex projections skip ada --member work_index --reason "a duplicate, see T-7"
    """
    _report(cli, _unparker(cli).skip(user, member, reason=reason, accept_proof=accept_proof))


_PARKED = (
    Heading("user_id", long=True),
    Heading("projection_set"),
    Heading("generation", right=True),
    Heading("member"),
    Heading("position", right=True),
    Heading("failed_position", right=True),
    Heading("event_type"),
    Heading("reason", long=True),
    Heading("since_at"),
    Heading("attempts", right=True),
)
_SKIPPED = (*_PARKED[:5], *_PARKED[6:9], Heading("accepted"), Heading("at"))


def _cells(one: dict[str, Any], headings: tuple[Heading, ...]) -> list[Any]:
    cells = []
    for heading in headings:
        value = one.get(heading.name)
        cells.append(_moment(value) if heading.name.endswith("at") else value)
    return cells


def _moment(value: Any) -> Any:
    try:
        return moment(value)
    except (TypeError, ValueError):
        return value  # a mark that somebody wrote by hand


def _unparker(cli: Cli) -> Unparker:
    from workindex.cli.record import operator
    from workindex.projections.parked import Unparker

    return Unparker(cli.open().database, operator())


def _report(cli: Cli, done: list[WentOn]) -> None:
    if cli.json:
        cli.emit({"done": [one._asdict() for one in done]})
    for one in done if not cli.json else ():
        name = f"{one.projection_set} {one.generation}, {one.member}"
        if one.skipped is not None:
            cli.say(f"{name}: event {one.skipped} is left out")
        if one.mark is None:
            cli.say(f"{name}: {one.events:,} events folded, {one.rows:,} rows written")
        else:
            cli.say(f"{name}: stands still at {one.mark['failed_position']}: {one.mark['reason']}")
    if any(one.mark is not None for one in done):
        raise Stop(DIFFERENT)


COMMANDS = (parked, retry, skip)
