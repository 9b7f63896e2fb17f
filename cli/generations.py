"""How does a changed projector go live, and back?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from workindex.cli.output import DIFFERENT, Cli, Stop, json_option
from workindex.cli.tables import Heading, show_table

if TYPE_CHECKING:
    from workindex.projections.advancing import Park
    from workindex.projections.generations import Switched
    from workindex.projections.rebuild import Outcome, Watch
    from workindex.projections.sets import ProjectionSet

F = TypeVar("F", bound=Callable[..., Any])
JOBS_MAX = 64
PARKED_SHOWN = 20


def set_argument(command: F) -> F:
    """Adds SET, the name of a projection set."""
    return click.argument("projection_set", metavar="[SET]", default="inline")(command)


def generation_option(told: str) -> Callable[[F], F]:
    """Adds --generation; `told` says what is taken without it."""
    return click.option(
        "--generation", type=click.IntRange(min=1), metavar="N", help=f"Without it {told}."
    )


def force_options(command: F) -> F:
    """Adds --force and --reason, which go together."""
    command = click.option(
        "--reason", metavar="TEXT", help="Why, for the audit log; --force needs it."
    )(command)
    return click.option(
        "--force", is_flag=True, help="Take it although it is not ready; written to the audit log."
    )(command)


@click.command()
@set_argument
@click.option(
    "--jobs",
    type=click.IntRange(1, JOBS_MAX),
    default=1,
    show_default=True,
    help="Processes that share the users.",
)
@json_option
@click.pass_obj
def rebuild(cli: Cli, projection_set: str, jobs: int) -> None:
    """Fold every log again into a new generation of SET (inline or evidence), beside the live one.

    Writers go on meanwhile, and readers read the live one. A run that was ended goes on where it
    stopped. It stops at the first projection that cannot follow, and names it; exit code 1 then.
    Next: verify, then switch.

    \b
    Example:
      workindex projections rebuild --jobs 2
    """
    from workindex.cli.record import operator
    from workindex.projections.rebuild import Rebuilder

    chosen = _set(projection_set)
    rebuilder = Rebuilder(cli.open().database, projection_set=chosen, jobs=jobs)
    with _bar(cli, f"rebuilding {chosen.name}") as watch:
        outcome = rebuilder.rebuild(operator(), watch)
    if cli.json:
        cli.emit(outcome.to_json())
    else:
        _show_outcome(cli, outcome)
    if not outcome.is_whole:
        raise Stop(DIFFERENT)


@click.command()
@set_argument
@generation_option("the newest that was built")
@force_options
@json_option
@click.pass_obj
def switch(
    cli: Cli, projection_set: str, generation: int | None, force: bool, reason: str | None
) -> None:
    """Make the generation of SET that was built the live one; the live one is kept.

    Refused while a user is not built, something of it is parked, or a user is more than 100
    events behind. Run verify before it.

    \b
    Example:
      workindex projections switch
    """
    from workindex.cli.record import operator
    from workindex.projections.generations import switch as switch_to

    done = switch_to(
        cli.open().database,
        operator(),
        projection_set=_set(projection_set),
        generation=generation,
        force=_reason(force, reason),
    )
    _show_switched(cli, done)


@click.command()
@set_argument
@generation_option("the newest before the live one")
@force_options
@json_option
@click.pass_obj
def rollback(
    cli: Cli, projection_set: str, generation: int | None, force: bool, reason: str | None
) -> None:
    """Make a generation of SET that was kept the live one again; refused as switch is.

    \b
    Example:
      workindex projections rollback
    """
    from workindex.cli.record import operator
    from workindex.projections.generations import rollback as roll_back

    done = roll_back(
        cli.open().database,
        operator(),
        projection_set=_set(projection_set),
        generation=generation,
        force=_reason(force, reason),
    )
    _show_switched(cli, done)


@click.command()
@set_argument
@generation_option("the one that is kept, or whose retiring was ended")
@json_option
@click.pass_obj
def retire(cli: Cli, projection_set: str, generation: int | None) -> None:
    """Take a generation of SET away with its rows; the live one never.

    Programs of its fold version may still be running: they fold the log when they are asked.

    \b
    Example:
      workindex projections retire
    """
    from workindex.cli.record import operator
    from workindex.projections.retire import retire as take_away

    done = take_away(
        cli.open().database,
        operator(),
        projection_set=_set(projection_set),
        generation=generation,
    )
    if cli.json:
        cli.emit(done.to_json())
        return
    cli.say(
        f"generation {done.generation.generation} of {done.projection_set} is gone: "
        f"{done.users:,} users, {done.rows:,} rows"
    )


COMMANDS: tuple[click.Command, ...] = (rebuild, switch, rollback, retire)


def _set(name: str) -> ProjectionSet:
    """The registered set of that name.

    Raises: a usage error naming those there are.
    """
    from workindex.projections.sets import SET_OF_NAME

    if name not in SET_OF_NAME:
        known = " and ".join(SET_OF_NAME)
        raise click.BadParameter(f"there is no set {name}: there are {known}", param_hint="SET")
    return SET_OF_NAME[name]


def _reason(force: bool, reason: str | None) -> str | None:
    """The reason for which the checks are overruled, None where they are not."""
    if force and not (reason or "").strip():
        raise click.UsageError("--force needs --reason TEXT: it is written to the audit log")
    if reason is not None and not force:
        raise click.UsageError("--reason goes with --force")
    return reason if force else None


def _show_switched(cli: Cli, done: Switched) -> None:
    if cli.json:
        cli.emit(done.to_json())
        return
    for fault in done.faults:
        cli.say(f"overruled: {fault}")
    before = "" if done.before is None else f", generation {done.before} is kept"
    cli.say(f"generation {done.live} of {done.projection_set} is live{before}")


def _show_outcome(cli: Cli, outcome: Outcome) -> None:
    told = outcome.to_json()
    cli.say(
        f"generation {told['generation']} of {told['set']}: {told['users']:,} users, "
        f"{told['events']:,} events, {told['rows']:,} rows in {told['seconds']:.1f} s "
        f"({told['events_per_second']:,} events/s, longest append stall "
        f"{told['longest_stall_ms']:.0f} ms)"
    )
    for unknown in outcome.unknown:
        cli.say(f"{unknown.user_id} is not built: {unknown.reason}")
    if outcome.parked:
        _show_parked(cli, outcome.parked)
        cli.say("see workindex projections parked, and rebuild again after the fold is mended")
    elif not outcome.unknown:
        name = outcome.projection_set
        cli.say(f"next: workindex projections verify, then workindex projections switch {name}")


def _show_parked(cli: Cli, parked: tuple[Park, ...]) -> None:
    headings = (
        Heading("user", long=True),
        Heading("member"),
        Heading("position", right=True),
        Heading("failed", right=True),
        Heading("reason", long=True),
    )
    show_table(cli, "parked", headings, [tuple(one) for one in parked[:PARKED_SHOWN]])
    if len(parked) > PARKED_SHOWN:
        cli.say(f"and {len(parked) - PARKED_SHOWN:,} more (all with --json)")


@contextmanager
def _bar(cli: Cli, title: str) -> Iterator[Watch | None]:
    """A line of progress on stderr: events, their rate, users, the rest of the time, the stall."""
    if not cli.err.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=cli.err, transient=True) as bar:
        task = bar.add_task(title, total=None, told="")

        def watch(progress: Any) -> None:
            done = progress.done
            rate = done.events / max(progress.seconds, 1e-9)
            bar.update(
                task,
                total=max(progress.events, done.events),
                completed=done.events,
                told=(
                    f"{done.users:,}/{max(progress.users, done.users):,} users, "
                    f"{rate:,.0f} events/s, longest stall {done.stall_seconds * 1_000:.0f} ms"
                ),
            )

        yield watch
