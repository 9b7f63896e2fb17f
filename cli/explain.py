"""Why is this so? The events behind a row, or an old answer folded again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from workindex.cli.ask import show_answer
from workindex.cli.log import event_document, show_event
from workindex.cli.options import ZONE
from workindex.cli.output import DIFFERENT, Cli, Stop, json_option
from workindex.cli.tables import moment, tell
from workindex.cli.working_sets import became, kept, show_became

if TYPE_CHECKING:
    from workindex.assembler.envelope import ContextEnvelope
    from workindex.service.explain import Explained

_TIMES = ("due_at", "start_at", "remind_at", "next_at", "expires_at")


@click.command()
@click.argument("user", required=False)
@click.argument("id_", metavar="ID", required=False)
@click.option(
    "--certificate",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="An ask --json answer, or the certificate out of one.",
)
@click.option(
    "--context",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A working set (assemble --json): why was ID in it, or not in it?",
)
@click.option("--tz", type=ZONE, help="Zone of the user's days, as it was given to ask.")
@json_option
@click.pass_obj
def explain(
    cli: Cli,
    user: str | None,
    id_: str | None,
    certificate: Path | None,
    context: Path | None,
    tz: str | None,
) -> None:
    """Show the events that made a row, or fold an old answer again from the log.

    ID is an id (T-1) or a reference (task/T-1). What an answer has to name is told too: a task's
    open requests, an approval's exact action and its hash. With --certificate the log is folded
    up to the certificate's position; exit code 1 where that gives another answer. With --context
    it is told what became of ID in the working set of a turn, and if nothing did, why.

    \b
    Examples:
      workindex explain ada T-1
      workindex ask ada "What needs me?" --json > answer.json
      workindex explain --certificate answer.json
      echo '{"text": "What about T-1?"}' | workindex assemble ada - --json > turn.json
      workindex explain ada T-2 --context turn.json
    """
    if certificate is not None and context is None and user is None and id_ is None:
        _explain_answer(cli, certificate, tz)
    elif certificate is None and context is not None and user is not None and id_ is not None:
        _explain_absence(cli, user, id_, kept(context, "context", user))
    elif certificate is None and user is not None and id_ is not None:
        _explain_row(cli, user, id_)
    else:
        raise click.UsageError("give USER and ID, or --certificate FILE")


def _explain_row(cli: Cli, user: str, id_: str) -> None:
    from workindex.service.explain import explain as find

    found = find(cli.open().user(user), id_)
    if cli.json:
        events = [event_document(event) for event in found.events]
        cli.emit({"user_id": user, "id": id_, "rows": found.rows, "events": events})
        return
    _show_rows(cli, id_, found)


def _show_rows(cli: Cli, id_: str, found: Explained) -> None:
    for ref, row in found.rows.items():
        status = row.get("status") or row.get("state") or ""
        title = row.get("title") or row.get("text") or row.get("summary") or ""
        head = ": ".join(part for part in (ref, status) if part)
        tell(cli, head + (f"  {title}" if title else ""), style="bold")
        for line in _details(row):
            tell(cli, f"        {line}")
    if not found.rows:
        cli.say(f"{id_}: no row now")
    for event in found.events:
        show_event(cli, event)


def _details(row: Mapping[str, Any]) -> Iterator[str]:
    """What a person needs who is to answer, and what the row waits for."""
    for request_id, asked in (row.get("requests") or {}).items():
        prompt = f" “{asked['prompt']}”" if asked["prompt"] else ""
        yield f"request_id {request_id}: {asked['kind']}{prompt}"
    if row.get("blocked_by"):
        yield f"blocked_by {', '.join(row['blocked_by'])}"
    for name in _TIMES:
        if row.get(name):
            yield f"{name} {moment(row[name])}"
    for name in ("action", "action_hash"):
        if row.get(name):
            yield f"{name} {row[name]}"


def _explain_absence(cli: Cli, user: str, id_: str, envelope: ContextEnvelope) -> None:
    from workindex.service.explain import why_absent

    rows = became(envelope, id_)
    why = "" if rows else why_absent(cli.open().user(user), envelope, id_)
    if cli.json:
        cli.emit({"id": id_, "candidates": rows, "absent_because": why or None})
    elif rows:
        show_became(cli, rows)
    else:
        tell(cli, why)


def _explain_answer(cli: Cli, certificate: Path, tz: str | None) -> None:
    from workindex.service.explain import fold_again
    from workindex.service.ndjson import parse_object

    document = parse_object(certificate.read_bytes(), first=True)
    again = fold_again(cli.open(), document, tz)
    if cli.json:
        cli.emit({"answer": again.answer.to_json(), "differences": again.differences})
    else:
        show_answer(cli, again.answer)
        for difference in again.differences:
            tell(cli, difference, style="red")
        count = len(again.differences)
        cli.say(f"folded again: {count} {'difference' if count == 1 else 'differences'}")
    if again.differences:
        raise Stop(DIFFERENT)
