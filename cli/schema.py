"""What shape do commands, facts and answers have?"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import rich_click as click

from workindex.cli.output import Cli, json_option

PARTS = ("commands", "facts", "answer", "request", "envelope")


@click.command()
@click.argument("part", type=click.Choice(PARTS), required=False)
@click.argument("name", required=False)
@json_option
@click.pass_obj
def schema(cli: Cli, part: str | None, name: str | None) -> None:
    """Print JSON Schemas of commands, facts, answers, and of what `assemble` takes and gives.

    NAME picks one command or fact by its type; `workindex catalog` lists them with their fields.

    \b
    Example:
      workindex schema commands create_task
    """
    document = schemas()
    if name is not None:
        if part not in ("commands", "facts"):
            raise click.BadParameter(f"the {part} is one schema: leave it out", param_hint="NAME")
        if name not in document[part]:
            near = get_close_matches(name, document[part], n=3, cutoff=0.5)
            meant = f"did you mean {' or '.join(near)}? " if near else ""
            told = f"no {part[:-1]} {name!r}: {meant}workindex catalog lists them"
            raise click.BadParameter(told, param_hint="NAME")
        document = {name: document[part][name]}
    elif part is not None:
        document = {part: document[part]}
    # A schema is for programs in any case: --json only leaves the indentation out.
    if cli.json:
        cli.emit(document)
    else:
        import json

        click.echo(json.dumps({"format": 1, **document}, indent=2, ensure_ascii=False))


def schemas() -> dict[str, Any]:
    """Every schema: of commands and facts by type, the others whole."""
    from pydantic import TypeAdapter

    from workindex.assembler.envelope import ContextEnvelope, UserRequest
    from workindex.assembler.state_path import StateAnswer
    from workindex.domain import ALL_COMMANDS, ALL_FACTS

    return {
        "commands": {
            command.model_fields["type"].default: command.model_json_schema()
            for command in ALL_COMMANDS
        },
        "facts": {
            fact.model_fields["type"].default: fact.model_json_schema(mode="serialization")
            for fact in ALL_FACTS
        },
        "answer": TypeAdapter(StateAnswer).json_schema(mode="serialization"),
        "request": UserRequest.model_json_schema(),
        "envelope": ContextEnvelope.model_json_schema(mode="serialization"),
    }
