"""Is everything ready to serve?"""

from __future__ import annotations

import rich_click as click

from workindex.cli.output import UNAVAILABLE, Cli, Stop, json_option


@click.command()
@click.option("--metrics", is_flag=True, help="Print metrics in the Prometheus text format.")
@json_option
@click.pass_obj
def doctor(cli: Cli, metrics: bool) -> None:
    """Check server, durability settings, roles, schema and live generation.

    Exit code 0 when all of them fit this program, else 4: a readiness probe.

    \b
    Example:
      workindex doctor --json
    """
    from workindex.service.doctor import examine

    if metrics:
        _show_metrics(cli)
        return
    checks = examine(cli.database_url)
    ok = all(check.ok for check in checks)
    if cli.json:
        cli.emit({"ok": ok, "checks": [check._asdict() for check in checks]})
    else:
        for check in checks:
            cli.say(f"{'ok  ' if check.ok else 'FAIL'}  {check.name:<12} {check.detail}")
        cli.say("ready" if ok else "not ready")
    if not ok:
        raise Stop(UNAVAILABLE)


def _show_metrics(cli: Cli) -> None:
    """The page for a monitoring system; it is printed whether or not all is well."""
    from workindex.service.doctor import opened
    from workindex.service.metrics import page_of

    with opened(cli.database_url) as database:
        page, is_ready = page_of(database, cli.database_url)
    click.echo(page, nl=False)
    if not is_ready:
        raise Stop(UNAVAILABLE)
