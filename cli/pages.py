"""The reference page of all commands, out of their own help.

`python -m workindex.cli.pages > docs/commands.md` writes it anew; a test keeps it fresh.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc

import rich_click as click

from workindex.cli.main import workindex


def commands_markdown() -> str:
    """The whole page docs/commands.md."""
    lines = [
        "# Commands",
        "",
        "Generated from the help of each command by `python -m workindex.cli.pages`; a test keeps",
        'it fresh. `--json` prints one JSON document (`"format": 1` first) or, for streams, one',
        "object a line; it may stand before or after the command.",
        "",
        workindex.epilog or "",
    ]
    for context in _contexts(click.Context(workindex, info_name="workindex")):
        lines += ["", f"## {context.command_path}", ""]
        lines += ["```", f"{context.command_path} {_usage(context)}", "```", ""]
        lines += [*_help(context), *_options(context)]
    return "\n".join([*lines, ""])


def _contexts(context: click.Context) -> Iterator[click.Context]:
    """The program itself and every command that does something, in the order of the help."""
    command = context.command
    if not isinstance(command, click.Group):
        yield context
        return
    if context.parent is None:
        yield context
    for name, child in command.commands.items():
        yield from _contexts(click.Context(child, info_name=name, parent=context))


def _usage(context: click.Context) -> str:
    return " ".join(context.command.collect_usage_pieces(context))


def _help(context: click.Context) -> list[str]:
    lines: list[str] = []
    is_code = False
    for line in cleandoc(context.command.help or "").splitlines():
        if line == "\b":
            continue
        starts = line.startswith("  ") and not is_code
        ends = is_code and not line.startswith("  ")
        if starts or ends:
            lines += ["", "```"] if starts else ["```"]
            is_code = starts
        lines.append(line[2:] if is_code else line)
    return [*lines, "```"] if is_code else lines


def _options(context: click.Context) -> list[str]:
    records = [
        record
        for parameter in context.command.get_params(context)
        if isinstance(parameter, click.Option)
        and (record := parameter.get_help_record(context))
        and "--help" not in record[0]
    ]
    if not records:
        return []
    rows = ["| `{}` | {} |".format(*(part.replace("|", "\\|") for part in one)) for one in records]
    return ["", "| option | |", "|---|---|", *rows]


if __name__ == "__main__":
    click.echo(commands_markdown(), nl=False)
