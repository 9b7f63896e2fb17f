"""What would the model be given? The working set of one request, with a reason for every token."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import orjson
import rich_click as click

from workindex.cli.output import Cli, json_option
from workindex.cli.tables import Heading, moment, show_table, tell
from workindex.cli.working_sets import became, call_text, kept, show_became

if TYPE_CHECKING:
    from workindex.assembler.envelope import ContextEnvelope
    from workindex.assembler.tools import ToolAccess

_LOOKS = 'one such as {"text": "What about T-1?"}'


class _RequestFile(click.File):
    """A file, or - for standard input; who gives the text itself is told what to do."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The open file."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            self.fail(f"{error.message}: give a JSON file, or - and {_LOOKS} on stdin", param, ctx)


@click.command()
@click.argument("user")
@click.argument("request", type=_RequestFile("r", encoding="utf-8"))
@click.option(
    "--policy",
    default="assistant",
    show_default=True,
    metavar="NAME",
    help="The budget: assistant, strict, or one of --settings.",
)
@click.option(
    "--settings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file with policies of your own (docs/turns.md).",
)
@click.option(
    "--counter",
    default="o200k_base",
    show_default=True,
    metavar="NAME",
    help="Count by this tokenizer (claude, qwen3, ...).",
)
@click.option(
    "--tools",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    multiple=True,
    help="Tool groups, an answer to MCP's tools/list, or functions; may be repeated.",
)
@click.option(
    "--diff",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Show what differs from an earlier working set (its --json).",
)
@click.option(
    "--why", metavar="ID", help="Show what became of one item, such as T-1 or message:M-1."
)
@click.option(
    "--text", is_flag=True, help="Print what a model would be given, byte for byte, and only that."
)
@json_option
@click.pass_obj
def assemble(
    cli: Cli,
    user: str,
    request: TextIO,
    policy: str,
    settings: Path | None,
    counter: str,
    tools: tuple[Path, ...],
    diff: Path | None,
    why: str | None,
    text: bool,
) -> None:
    """Assemble the working set of one request, without calling a model.

    REQUEST is a JSON file, or - for standard input: {"text": ..., "surface": "main" | "task" |
    "meeting" | "approval" | "proactive", "thread_id", "task_id", "entity_ids", ...}; `workindex
    schema request` shows every field. What was left out is named with the call that brings it
    back. With --tools it has their index, and the schemas that the request is known to need.

    \b
    Examples:
      echo '{"text": "What about T-1?"}' | workindex assemble ada -
      echo '{"text": "What about T-1?"}' | workindex assemble ada - --policy strict --json
      echo '{"text": "What about T-1?"}' | workindex assemble ada - --why T-1
      echo '{"text": "What about T-1?"}' | workindex assemble ada - --text
      echo '{"text": "Send a letter to Bo"}' | workindex assemble ada - --tools mail.json
    """
    if text and (cli.json or diff is not None or why is not None):
        raise click.UsageError("choose one of --text, --json, --diff and --why")
    access = _access(tools)
    envelope = (
        cli.open()
        .user(user)
        .assemble(
            _request(request), policy=policy, settings_file=settings, counter=counter, tools=access
        )
    )
    if text:
        _print_text(cli, envelope)
    elif why is not None:
        _show_why(cli, envelope, why)
    elif diff is not None:
        _show_diff(cli, kept(diff, "diff", user), envelope)
    elif cli.json:
        cli.emit(envelope.model_dump(mode="json"))
    else:
        _show(cli, envelope)


def _access(files: tuple[Path, ...]) -> ToolAccess | None:
    from workindex.assembler.tools import ToolAccess, ToolCatalogue, registry_from_files

    return ToolAccess(ToolCatalogue(registry_from_files(files))) if files else None


def _request(file: TextIO) -> dict[str, Any]:
    from workindex.domain.errors import InvalidInput

    try:
        document = orjson.loads(file.read())
    except (orjson.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"the request is not JSON: {error}: give {_LOOKS}", field="request"
        ) from error
    if not isinstance(document, dict):
        raise InvalidInput(f"the request is not a JSON object: give {_LOOKS}", field="request")
    return document


def _show(cli: Cli, envelope: ContextEnvelope) -> None:
    budget = envelope.budget
    rows = []
    for lane, items in envelope.lanes.items():
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
            (one.lane, one.source_id, one.reason, call_text(one.recover_with))
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
    _note_degraded(cli, envelope)


def _print_text(cli: Cli, envelope: ContextEnvelope) -> None:
    from workindex.assembler.rendering import working_set_text

    click.echo(working_set_text(envelope).encode(), nl=False)  # the same bytes on any terminal
    _note_degraded(cli, envelope)


def _note_degraded(cli: Cli, envelope: ContextEnvelope) -> None:
    if envelope.manifest.degraded:
        cli.note(f"degraded: {', '.join(envelope.manifest.degraded)}")


_COLUMNS = (
    Heading("item", long=True),
    Heading("lane"),
    Heading("before"),
    Heading("now"),
    Heading("why", long=True),
)


def _show_diff(cli: Cli, before: ContextEnvelope, now: ContextEnvelope) -> None:
    """Items whose decision or size changed, and the change of each lane."""
    old = {(one.lane, one.source_id): one for one in before.manifest.candidates}
    new = {(one.lane, one.source_id): one for one in now.manifest.candidates}
    rows = []
    for key in sorted(old.keys() | new.keys()):
        was, is_ = old.get(key), new.get(key)
        told = [None if one is None else f"{one.decision} {one.tokens}" for one in (was, is_)]
        if told[0] != told[1]:
            last = is_ or was
            rows.append(
                {
                    "source_id": key[1],
                    "lane": key[0],
                    "before": told[0],
                    "now": told[1],
                    "reason": "" if last is None else last.reason,
                }
            )
    lanes = {
        lane: [before.budget.by_lane.get(lane, 0), tokens]
        for lane, tokens in now.budget.by_lane.items()
    }
    if cli.json:
        cli.emit({"changed": rows, "lanes": lanes})
        return
    show_table(cli, "changed", _COLUMNS, [tuple(row.values()) for row in rows])
    told_lanes = (f"{lane} {a} → {b}" for lane, (a, b) in lanes.items() if a != b)
    tell(cli, ", ".join(told_lanes) or "no lane changed")


def _show_why(cli: Cli, envelope: ContextEnvelope, id_: str) -> None:
    """What became of the items of that id; where there is none, that nobody looked at it."""
    rows = became(envelope, id_)
    if cli.json:
        cli.emit({"id": id_, "candidates": rows})
    elif rows:
        show_became(cli, rows)
    else:
        surface = envelope.scope.surface
        tell(
            cli,
            f"{id_} was no candidate: the request does not name it, and nothing that "
            f"surface {surface} looks at led to it",
        )
