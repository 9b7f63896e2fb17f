"""Is everything ready to serve?"""

from __future__ import annotations

import rich_click as click

from workindex.cli.output import UNAVAILABLE, Cli, Stop, json_option


@click.command()
@json_option
@click.pass_obj
def doctor(cli: Cli) -> None:
    """Check server, durability settings, roles, schema and live generation.

    Exit code 0 when all of them fit this program, else 4: a readiness probe.

    \b
    Example:
      workindex doctor --json
    """
    from workindex.service.doctor import examine

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
