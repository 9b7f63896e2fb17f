"""Working sets that were kept: read back from a file, and asked what became of one thing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from workindex.cli.output import Cli
from workindex.cli.tables import Heading, show_table

if TYPE_CHECKING:
    from workindex.assembler.envelope import ContextEnvelope, ToolCall


def kept(path: Path, field: str, user: str) -> ContextEnvelope:
    """The working set that `assemble --json` printed for this user.

    Raises: InvalidInput naming the file, or whose working set it is.
    """
    from pydantic import ValidationError

    from workindex.assembler.envelope import ContextEnvelope
    from workindex.domain.errors import InvalidInput

    try:
        document = orjson.loads(path.read_bytes())
        document.pop("format", None)
        envelope = ContextEnvelope.model_validate(document)
    except (orjson.JSONDecodeError, ValidationError, AttributeError, TypeError) as error:
        raise InvalidInput(
            f"{path} is no working set: give what assemble --json printed", field=field
        ) from error
    if envelope.scope.user_id != user:
        raise InvalidInput(
            f"the working set in {path} is that of {envelope.scope.user_id}, not of {user}",
            field=field,
        )
    return envelope


def call_text(call: ToolCall | None) -> str:
    """The call that brings something back, on one line; empty where there is none."""
    return "" if call is None else f"{call.name} {orjson.dumps(call.arguments).decode()}"


def became(envelope: ContextEnvelope, id_: str) -> list[dict[str, Any]]:
    """What was decided about an id (`T-1`) or a reference (`task/T-1`, `task:T-1`), and why."""
    names = {id_, id_.replace("/", ":", 1)}
    calls = {(one.lane, one.source_id): one.recover_with for one in envelope.omissions}
    return [
        {
            **one.model_dump(mode="json", include={"source_id", "lane", "decision", "reason"}),
            "tokens": one.tokens,
            "recover_with": call_text(calls.get((one.lane, one.source_id))),
        }
        for one in envelope.manifest.candidates
        if names & {one.source_id, one.source_id.rpartition(":")[2]}
    ]


def show_became(cli: Cli, rows: Sequence[dict[str, Any]]) -> None:
    """The decisions as a table."""
    headings = tuple(Heading(name, long=name in ("source_id", "reason")) for name in rows[0])
    show_table(cli, "what became of it", headings, [tuple(row.values()) for row in rows])
