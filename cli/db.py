"""Where is the database, and is it up? The embedded server's life, roles and schema."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, urlencode

import rich_click as click

from workindex.cli.output import Cli, json_option

if TYPE_CHECKING:
    from workindex.eventlog.embedded import EmbeddedServer, ServerStatus

_OWNER_URL = "WORKINDEX_OWNER_URL"
_MAINT_URL = "WORKINDEX_MAINT_URL"
_owner_option = click.option(
    "--owner-url",
    metavar="URL",
    envvar=_OWNER_URL,
    help="A login that may create roles and databases, on a server of your own.",
)


@click.group()
def db() -> None:
    """Start, stop and set up the database.

    Without a database URL, workindex runs a PostgreSQL server of its own, the embedded server:
    the first command that needs it makes and starts it, and it goes on running until
    `workindex db stop`.

    \b
    Examples:
      workindex db status
      workindex db init --owner-url postgresql://admin@db.example/workindex
      psql "$(workindex db url)"
    """


@db.command()
@_owner_option
@click.option(
    "--app-password",
    envvar="WORKINDEX_APP_PASSWORD",
    metavar="TEXT",
    help="Set the password of workindex_app; better by its environment variable.",
)
@click.option(
    "--maint-password",
    envvar="WORKINDEX_MAINT_PASSWORD",
    metavar="TEXT",
    help="Set the password of workindex_maint; better by its environment variable.",
)
@json_option
@click.pass_obj
def init(
    cli: Cli, owner_url: str | None, app_password: str | None, maint_password: str | None
) -> None:
    """Create what is missing: server, roles, database, schema.

    Safe to repeat. With --owner-url on a server of your own, else on the embedded one.

    \b
    Example:
      WORKINDEX_APP_PASSWORD=… workindex db init \\
        --owner-url postgresql://admin@db.example/workindex
    """
    from workindex.eventlog.migrate import Logins, bootstrap, upgrade
    from workindex.eventlog.revision import head_revision

    target = bootstrap(_owner_login(cli, owner_url), Logins(app_password, maint_password))
    upgrade(target)
    url = _app_url(target) if owner_url else _server().url()
    if cli.json:
        cli.emit({"schema": head_revision(), "url": url})
        return
    cli.say(f"The database is ready, at schema {head_revision()}.")
    if owner_url:
        cli.say(f"Use it with: export WORKINDEX_DATABASE_URL='{url}'")
    if owner_url and not app_password:
        cli.note(
            "No password was set: the server must know workindex_app by other means, or set "
            "WORKINDEX_APP_PASSWORD and run this again."
        )


@db.command()
@json_option
@click.pass_obj
def start(cli: Cli) -> None:
    """Start the embedded server, or attach to it.

    It makes the cluster if there is none; roles and schema are made by `workindex db init`, and
    by every command that needs them.

    \b
    Example:
      workindex db start
    """
    server = _server()
    server.ensure_running()
    _show(cli, server.status())


@db.command()
@json_option
@click.pass_obj
def stop(cli: Cli) -> None:
    """Stop the embedded server, ending its connections.

    Nothing committed is lost; the next command that needs the server starts it again.

    \b
    Example:
      workindex db stop
    """
    server = _server()
    server.stop()
    _show(cli, server.status())


@db.command()
@json_option
@click.pass_obj
def status(cli: Cli) -> None:
    """Show the embedded server: state, pid, folders, version. Changes nothing.

    States: running, stopped, absent (never made), stale (killed, and left files or processes
    behind; the next start cleans up), other_version (made by another major version).

    \b
    Example:
      workindex db status --json
    """
    _show(cli, _server().status())


@db.command()
@click.option(
    "--role",
    type=click.Choice(["app", "maint", "owner"]),
    default="app",
    show_default=True,
    help="Who logs in.",
)
@json_option
@click.pass_obj
def url(cli: Cli, role: Literal["app", "maint", "owner"]) -> None:
    """Print the connection URL, for psql and other programs.

    \b
    Example:
      psql "$(workindex db url)"
    """
    shown = _given_url(cli, role) if cli.database_url else _server().url(role)
    if cli.json:
        cli.emit({"role": role, "url": shown})
    else:
        click.echo(shown)


@db.command()
@_owner_option
@json_option
@click.pass_obj
def upgrade(cli: Cli, owner_url: str | None) -> None:
    """Bring the schema to the version of this program.

    In one transaction: it succeeds whole or changes nothing.

    \b
    Example:
      workindex db upgrade --owner-url postgresql://admin@db.example/workindex
    """
    from workindex.eventlog.migrate import upgrade as migrate
    from workindex.eventlog.revision import head_revision

    migrate(_owner_login(cli, owner_url))
    if cli.json:
        cli.emit({"schema": head_revision()})
    else:
        cli.say(f"The database is at schema {head_revision()}.")


def _server() -> EmbeddedServer:
    from workindex.eventlog.embedded import EmbeddedServer

    return EmbeddedServer()


def _owner_login(cli: Cli, owner_url: str | None) -> str:
    """The owner's URL; the embedded server is started for it where none is given."""
    if owner_url:
        return owner_url
    if cli.database_url:
        raise click.UsageError(
            f"the database URL names a server of your own: give --owner-url (or {_OWNER_URL}), a "
            f"login there that may create roles and databases"
        )
    server = _server()
    server.ensure_running()
    return server.url("owner")


def _given_url(cli: Cli, role: str) -> str:
    """The URL of a role on a server of the user's own."""
    name = {"app": "WORKINDEX_DATABASE_URL", "maint": _MAINT_URL, "owner": _OWNER_URL}[role]
    found = cli.database_url if role == "app" else os.environ.get(name)
    if not found:
        raise click.UsageError(f"the URL of the {role} role is not known: set {name}")
    return found


def _app_url(target: str) -> str:
    """The application's URL for the database of another login, without a password."""
    from psycopg.conninfo import conninfo_to_dict

    given = {name: str(value) for name, value in conninfo_to_dict(target).items()}
    kept = {
        name: value
        for name, value in given.items()
        if name not in ("user", "password", "passfile", "dbname")
    }
    query = f"?{urlencode(kept, quote_via=quote)}" if kept else ""
    return f"postgresql://workindex_app@/{quote(given['dbname'], safe='')}{query}"


def _show(cli: Cli, status: ServerStatus) -> None:
    document = {
        name: str(value) if isinstance(value, os.PathLike) else value
        for name, value in status._asdict().items()
    }
    if cli.json:
        cli.emit(document)
        return
    for name, value in document.items():
        cli.say(f"{name.replace('_', ' '):<11} {'-' if value is None else value}")
    if cli.database_url:
        cli.note("A database URL is set: the other commands use that database, not this server.")
