"""What would the model be given? The working set of one request, with a reason for every token."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import orjson
import rich_click as click

from workindex.cli.output import Cli, json_option
from workindex.cli.tables import Heading, moment, show_table, tell
from workindex.domain.errors import InvalidInput

if TYPE_CHECKING:
    from workindex.assembler.envelope import ContextEnvelope


@click.command()
@click.argument("user")
@click.argument("request", type=click.File("r", encoding="utf-8"))
@click.option("--policy", default="assistant", help="assistant, strict, or one of --settings.")
@click.option(
    "--settings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file with policies of your own.",
)
@click.option("--counter", default="o200k_base", help="Whose tokens are counted.")
@json_option
@click.pass_obj
def assemble(
    cli: Cli, user: str, request: TextIO, policy: str, settings: Path | None, counter: str
) -> None:
    """Assemble the working set of one request, without calling a model.

    REQUEST is a JSON file, or - for standard input: {"text": ..., "surface": "main" | "task" |
    "meeting" | "approval" | "proactive", "thread_id", "task_id", "entity_ids", ...}. What was
    left out is named with the call that brings it back.

    \b
    Examples:
      echo '{"text": "What about T-1?"}' | workindex assemble ada -
      echo '{"text": "What about T-1?"}' | workindex assemble ada - --policy strict --json
    """
    envelope = (
        cli.open()
        .user(user)
        .assemble(_request(request), policy=policy, settings_file=settings, counter=counter)
    )
    if cli.json:
        cli.emit(envelope.model_dump(mode="json"))
    else:
        _show(cli, envelope)


def _request(file: TextIO) -> dict[str, Any]:
    try:
        document = orjson.loads(file.read())
    except (orjson.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file.name} is not JSON: {error}", field="request") from error
    if not isinstance(document, dict):
        raise InvalidInput(f"{file.name} is not a JSON object", field="request")
    return document


def _show(cli: Cli, envelope: ContextEnvelope) -> None:
    budget = envelope.budget
    rows = []
    for lane, items in (
        ("state", envelope.current_state),
        ("history", envelope.recent_history),
        ("evidence", envelope.retrieved_evidence),
    ):
        for item in items:
            age = moment(item.observed_at)
            told = (item.source_id, item.authority, age, item.admission_reason)
            rows.append((lane, *told, item.token_estimate))
    headings = (
        Heading("lane"),
        Heading("item", long=True),
        Heading("authority"),
        Heading("as of"),
        Heading("why", long=True),
        Heading("tokens", right=True),
    )
    show_table(cli, "working set", headings, rows)
    lanes = ", ".join(f"{lane} {tokens}" for lane, tokens in budget.by_lane.items() if tokens)
    tell(cli, f"{budget.used} of {budget.target} tokens (limit {budget.limit}): {lanes}")
    if envelope.omissions:
        left = [
            (one.lane, one.source_id, one.reason, _call(one.recover_with))
            for one in envelope.omissions
        ]
        show_table(
            cli,
            "left out",
            (
                Heading("left out of"),
                Heading("item", long=True),
                Heading("because", long=True),
                Heading("comes back with", long=True),
            ),
            left,
        )
    if envelope.manifest.degraded:
        cli.note(f"degraded: {', '.join(envelope.manifest.degraded)}")


def _call(call: Any) -> str:
    return "" if call is None else f"{call.name} {orjson.dumps(call.arguments).decode()}"
