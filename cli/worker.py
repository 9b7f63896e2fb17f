"""The long-running process beside the backends."""

from __future__ import annotations

import math
import signal

import rich_click as click

from workindex.cli.output import DIFFERENT, Cli, Stop, json_option


@click.command()
@click.option("--once", is_flag=True, help="Catch up what stands behind now, then exit.")
@click.option(
    "--poll-seconds",
    type=click.FloatRange(0.001, 60),
    default=0.02,
    show_default=True,
    help="How long to wait at most before looking again while nothing happens.",
)
@json_option
@click.pass_obj
def worker(cli: Cli, once: bool, poll_seconds: float) -> None:
    """Catch up projections that stand behind: evidence always, others after a change of code.

    Several may run at a time. Ends after the current step on SIGTERM or Ctrl-C. Tells what it
    does on stderr. Exit code 1 where it parked something, 4 where the database cannot be used.

    \b
    Example:
      workindex worker --once
    """
    from workindex.service.worker import Worker

    if math.isnan(poll_seconds):  # a range lets it through
        raise click.BadParameter("nan is no number of seconds", param_hint="'--poll-seconds'")

    opened = cli.open()
    running = Worker(opened.database, opened.follower, say=cli.note, poll_s=poll_seconds)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: running.stop())
    if not once:
        cli.note("worker started; stop it with SIGTERM or Ctrl-C")
    done = running.drain() if once else running.run()
    if cli.json:
        cli.emit(done.to_json())
    else:
        cli.note(
            f"caught up {done.events:,} events of {len(done.users):,} users in {done.steps:,} "
            f"steps, {len(done.parked)} parked"
        )
    if done.parked:
        raise Stop(DIFFERENT)
