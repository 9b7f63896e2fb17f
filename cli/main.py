"""Which command runs? All of them in one group, and what their errors end in.

Command modules import only click at the top and the rest where they work, so that `--help` is
fast and needs no database.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

import rich_click as click

from workindex.cli.ask import ask
from workindex.cli.assemble import assemble
from workindex.cli.audit import audit
from workindex.cli.audit_log import audit_log
from workindex.cli.catalog import catalog
from workindex.cli.completion import completion
from workindex.cli.db import db
from workindex.cli.demo import demo
from workindex.cli.doctor import doctor
from workindex.cli.entry import INTERRUPTED
from workindex.cli.explain import explain
from workindex.cli.imports import imports
from workindex.cli.index import index
from workindex.cli.log import log
from workindex.cli.output import UNAVAILABLE, Cli, fail, fail_usage
from workindex.cli.projections import projections
from workindex.cli.record import record
from workindex.cli.schema import schema
from workindex.cli.search import search
from workindex.cli.streams import abandon_stdout, is_broken, prepare
from workindex.cli.worker import worker

PIPE_CLOSED = 141
# In the order in which a newcomer needs them; help keeps it.
ALL_COMMANDS: tuple[click.Command, ...] = (
    demo,
    db,
    record,
    imports,
    ask,
    assemble,
    index,
    log,
    explain,
    search,
    projections,
    worker,
    audit,
    audit_log,
    catalog,
    schema,
    doctor,
    completion,
)


class InOrder(click.RichGroup):
    """A group that lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As everywhere, but `help` says how it is written here."""
        if args[:1] == ["help"] and not ctx.resilient_parsing:
            command = " ".join([ctx.command_path, *args[1:]])
            raise click.UsageError(f"help is an option: {command} --help", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=InOrder,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 differences found, 2 wrong call, 3 refused, 4 unavailable.",
)
@click.rich_config(click.RichHelpConfiguration(text_paragraph_linebreaks="\n\n"))
@click.option(
    "--database-url",
    metavar="URL",
    envvar="WORKINDEX_DATABASE_URL",
    help="PostgreSQL to use; without it the embedded server.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.version_option(package_name="workindex", message="%(prog)s %(version)s")
@click.pass_context
def workindex(context: click.Context, database_url: str | None, as_json: bool) -> None:
    """Facts in, the Work Index kept, "what needs me?" answered with a proof.

    Start with the demo, a day of one user's agent.

    \b
    Example:
      workindex demo
    """
    cli = context.ensure_object(Cli)
    cli.database_url = database_url
    cli.json = cli.json or as_json
    context.call_on_close(cli.close)


for _command in ALL_COMMANDS:
    workindex.add_command(_command)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and leaves with its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    prepare()
    cli = Cli(json="--json" in given)
    try:
        _check_text(given)
        code = workindex.main(given, prog_name="workindex", standalone_mode=False, obj=cli)
        sys.stdout.flush()
    except click.ClickException as error:
        fail_usage(error, as_json=cli.json)
    except (click.Abort, KeyboardInterrupt):
        _leave_interrupted()
    except BrokenPipeError:
        _leave_closed_pipe()
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # click met it first
            _leave_closed_pipe()
        raise
    except Exception as error:  # noqa: BLE001  (sorted here, and raised again when not ours)
        _fail_ours(error, cli)
    sys.exit(code if isinstance(code, int) else 0)


def _check_text(given: list[str]) -> None:
    """Only the name of a file may be other bytes than UTF-8: no user, id or word is.

    Raises: click.UsageError.
    """
    for text in given:
        try:
            text.encode()
        except UnicodeEncodeError:
            if not Path(text).exists():
                raise click.UsageError(f"the argument {text!a} is not UTF-8") from None


def _leave_interrupted() -> NoReturn:
    click.echo("interrupted", err=True)
    sys.exit(INTERRUPTED)


def _was_interrupted(error: BaseException | None) -> bool:
    """Whether an interrupt is behind the error: code that was being loaded may wrap it."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _leave_closed_pipe() -> NoReturn:
    abandon_stdout()
    sys.exit(PIPE_CLOSED)


def _fail_ours(error: Exception, cli: Cli) -> None:
    if _was_interrupted(error):
        _leave_interrupted()
    from workindex.domain.errors import WorkindexError

    if is_broken(error):
        abandon_stdout()
        click.echo(f"cannot read or write: {error}", err=True)
        sys.exit(UNAVAILABLE)
    if not isinstance(error, WorkindexError):
        raise error
    fail(error, as_json=cli.json)
