"""The command line's own rules: help, exit codes, error documents, what a terminal is shown."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import rich_click as click

from workindex.cli import main as entry
from workindex.cli.main import ALL_COMMANDS
from workindex.cli.output import Cli, error_document, exit_code_of, safe
from workindex.domain.errors import (
    BatchRefused,
    CommandRefused,
    CorruptEvent,
    DuplicateKeyConflict,
    InvalidInput,
    NeedsNewerCode,
    NotBuilt,
    NotPermitted,
    NotReady,
    Unavailable,
    VersionConflict,
    WorkindexError,
)
from workindex.service.client import WorkIndex

HEAVY = ("sqlalchemy", "psycopg", "alembic", "pydantic", "eventsourcing")


def leaves(command: click.Command, path: str = "") -> list[tuple[str, click.Command]]:
    """Every command that does something, with its path."""
    name = f"{path} {command.name}".strip()
    if isinstance(command, click.Group):
        return [leaf for child in command.commands.values() for leaf in leaves(child, name)]
    return [(name, command)]


@pytest.mark.parametrize(
    ("path", "command"), [leaf for command in ALL_COMMANDS for leaf in leaves(command)]
)
def test_every_command_has_help_with_an_example(path: str, command: click.Command) -> None:
    """A reader of `--help` can copy a line that works."""
    assert command.help, path
    assert f"workindex {path}" in command.help, f"the help of {path} shows no example"
    assert len(command.get_short_help_str(200)) < 100


def test_help_loads_no_database_code() -> None:
    """`--help` answers at once: nothing heavy is imported for it."""
    code = (
        "import sys; from workindex.cli.main import main\n"
        "try: main(['import', 'beads', '--help'])\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stderr.strip() == "[]"
    assert "Usage: workindex import beads" in told.stdout


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidInput("x", field="a.b"), 3),
        (CommandRefused("task_exists", "x"), 3),
        (NotPermitted("x"), 3),
        (NotBuilt("x"), 3),
        (DuplicateKeyConflict("x"), 3),
        (VersionConflict("task/T", 1, 2), 3),
        (BatchRefused(4, InvalidInput("x")), 3),
        (CorruptEvent("x"), 1),
        (NeedsNewerCode("x"), 4),
        (Unavailable("x"), 4),
        (NotReady("x"), 4),
    ],
)
def test_an_error_has_one_exit_code(
    error: WorkindexError,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """3 refused, 4 unavailable, 1 broken; as text on stderr, as one document on stdout."""
    assert exit_code_of(error) == code
    monkeypatch.setattr(Cli, "open", lambda *_: (_ for _ in ()).throw(error))
    for arguments in (["--json", "index", "ada"], ["index", "ada", "--json"]):
        with pytest.raises(SystemExit) as left:
            entry.main(arguments)
        told = capsys.readouterr()
        assert left.value.code == code
        assert json.loads(told.out) == {"format": 1, "error": error_document(error)}
        assert list(json.loads(told.out)) == ["format", "error"]
        assert told.err == ""
    with pytest.raises(SystemExit) as left:
        entry.main(["index", "ada"])
    told = capsys.readouterr()
    assert (left.value.code, told.out) == (code, "")
    assert str(error) in told.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-command"],
        ["ask", "ada"],
        ["ask", "ada", "What needs me?", "--now", "2026-03-17T09:00:00"],
        ["ask", "ada", "What needs me?", "--now", "yesterday"],
        ["ask", "ada", "What needs me?", "--tz", "Mars/Olympus"],
        ["index", "ada", "--limit", "0"],
        ["index", "ada", "--at-position", "-1"],
        ["record", "ada", "no-such-file.ndjson"],
        ["import", "beads", "ada"],
        ["import", "beads", "ada", "no-such-file.jsonl"],
        ["import", "ics", "ada", "x"],
        ["explain", "ada"],
        ["explain", "ada", "T-1", "--certificate", "pyproject.toml"],
        ["schema", "commands", "no_such_command"],
        ["schema", "poems"],
        ["schema", "answer", "items"],
        ["worker", "--poll-seconds", "0"],
        ["worker", "--poll-seconds", "nan"],
        ["search", "ada", "tea \udcff"],
        ["search", "ada", "tea", "--source=\udcff"],
        ["log", "ada", "--stream", "task/\udcff"],
        ["audit-log", "--command", "\udcff"],
        ["projections", "retry", "\udcff"],
        ["projections", "verify", "--repair", "\udcff"],
        ["assemble", "ada"],
        ["audit"],
        ["turn", "ada", "hello"],
    ],
)
def test_a_wrong_call_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Also with --json, where the document says so."""
    with pytest.raises(SystemExit) as left:
        entry.main(arguments)
    assert left.value.code == 2
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit) as left:
        entry.main(["--json", *arguments])
    assert left.value.code == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Start with the demo"),
        (["aks", "ada", "hi"], "'ask'"),
        (["help"], "workindex --help"),
        (["help", "ask"], "workindex ask --help"),
        (["db", "strat"], "'start'"),
        (["ask", "ada", "hi", "--lcale", "en"], "--locale"),
        (["db"], "Usage: workindex db"),
    ],
)
def test_a_wrong_call_says_what_is_right(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No command, a mistyped one, and help asked for as elsewhere: the next words are named."""
    with pytest.raises(SystemExit) as left:
        entry.main(arguments)
    assert left.value.code == 2
    assert told in "".join(capsys.readouterr())


def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not an error of the package is raised as it is."""
    monkeypatch.setattr(Cli, "open", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        entry.main(["index", "ada"])


def test_an_interrupt_that_other_code_wrapped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python wraps what a class that is being made raises: it is an interrupt all the same."""

    def opened(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise RuntimeError("Error calling __set_name__") from interrupt

    monkeypatch.setattr(Cli, "open", opened)
    with pytest.raises(SystemExit) as left:
        entry.main(["index", "ada"])
    assert left.value.code == 130
    assert capsys.readouterr().err.strip() == "interrupted"


def test_a_bad_url_is_refused_without_showing_its_password() -> None:
    """The message says how a URL is written and nothing of what was given."""
    for url in ("mysql://ann:secret@db.example/x", "postgresql://db.example/x?secret=1"):
        with pytest.raises(InvalidInput) as caught:
            WorkIndex.open(url)
        assert "postgresql://user@host/database" in str(caught.value)
        assert "secret" not in str(caught.value)


def test_text_cannot_drive_the_terminal() -> None:
    """Control and direction characters are written out; words and line breaks stay."""
    assert safe("née 北京\nline") == "née 北京\nline"
    assert safe("a\x1b[31mb\u202ec") == "a\\u001b[31mb\\u202ec"


def test_the_questions_that_ask_names_are_answered() -> None:
    """Each is a question of the state path, the first ones are of every kind."""
    from workindex.assembler.state_path import ALL_RENDERERS, recognise
    from workindex.cli.ask import QUESTIONS, ask

    found = [recognise(text) for text in QUESTIONS]
    assert {one.kind for one in found if one} == {one.kind for one in ALL_RENDERERS}
    in_help = [text for text in re.findall(r'"([^"]+)"', ask.help or "") if text[-1] in "?？"]
    assert len(in_help) == 4
    assert None not in [*found, *map(recognise, in_help)]


def test_the_catalog_is_fresh() -> None:
    """docs/catalog.md is what `workindex catalog` prints."""
    from workindex.cli.catalog import catalog_markdown

    page = Path(__file__).parents[2] / "docs" / "catalog.md"
    assert page.read_text() == catalog_markdown(), "run: workindex catalog > docs/catalog.md"


def test_the_reference_page_is_fresh() -> None:
    """docs/commands.md is what the help of the commands says."""
    from workindex.cli.pages import commands_markdown

    page = Path(__file__).parents[2] / "docs" / "commands.md"
    wanted = commands_markdown()
    assert page.read_text() == wanted, "run: python -m workindex.cli.pages > docs/commands.md"
    for command in ALL_COMMANDS:
        for path, _ in leaves(command):
            assert f"## workindex {path}" in wanted


def test_every_command_and_fact_has_a_schema() -> None:
    """`workindex schema` names them all, and an envelope's members never clash with a field."""
    from workindex.cli.lines import ENVELOPE
    from workindex.cli.schema import schemas
    from workindex.domain import ALL_COMMANDS, ALL_FACTS

    found = schemas()
    assert len(found["commands"]) == len(ALL_COMMANDS)
    assert len(found["facts"]) == len(ALL_FACTS)
    for command in ALL_COMMANDS:
        assert not ENVELOPE & command.model_fields.keys(), command
