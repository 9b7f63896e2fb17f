"""What shape do commands, facts and answers have?"""

from __future__ import annotations

from typing import Any

import rich_click as click

from workindex.cli.output import Cli, json_option

PARTS = ("commands", "facts", "answer")


@click.command()
@click.argument("part", type=click.Choice(PARTS), required=False)
@click.argument("name", required=False)
@json_option
@click.pass_obj
def schema(cli: Cli, part: str | None, name: str | None) -> None:
    """Print JSON Schemas of the commands, the facts and the answer.

    NAME picks one command or fact by its type.

    \b
    Example:
      workindex schema commands create_task
    """
    document = schemas()
    if name is not None:
        assert part is not None
        if name not in document[part]:
            known = ", ".join(document[part])
            raise click.BadParameter(f"no {part} {name!r}; there are {known}", param_hint="NAME")
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
    """Every schema: of commands and facts by type, of the answer whole."""
    from pydantic import TypeAdapter

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
    }
