"""An option that does nothing where it stands is an error, never silence."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest
import rich_click as click

from workindex.cli.main import ALL_COMMANDS
from workindex.service.client import UserScope


def commands(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by what is typed."""
    name = f"{path} {command.name}".strip()
    if not isinstance(command, click.Group):
        yield name, command
        return
    for child in command.commands.values():
        yield from commands(child, name)


def options(command: click.Command) -> set[str]:
    """The long options that a command takes."""
    names = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    return {name for name in names if name.startswith("--")}


COMMANDS = dict(found for command in ALL_COMMANDS for found in commands(command))
EVERY_OPTION = set().union(*map(options, COMMANDS.values())) | {"--no-such-option", "--fresh"}


@pytest.mark.parametrize("path", COMMANDS)
def test_an_option_of_another_command(path: str) -> None:
    """`index --require-proof` proves nothing, so it is refused: so is every option out of place."""
    command = COMMANDS[path]
    misplaced = EVERY_OPTION - options(command) - {"--help"}
    assert len(misplaced) > 10
    for option in sorted(misplaced):
        with pytest.raises(click.NoSuchOption):
            command.make_context(path, [option])


@pytest.mark.parametrize("name", ["ask", "index", "log", "record", "record_all", "search"])
def test_a_call_takes_no_word_that_it_does_not_know(name: str) -> None:
    """What reads and records swallows no keywords: a misplaced one is a TypeError."""
    method = getattr(UserScope, name)
    kinds = {one.kind for one in inspect.signature(method).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert inspect.Parameter.VAR_POSITIONAL not in kinds
