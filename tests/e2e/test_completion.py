"""Shells complete the words of `workindex` by asking the program, as these tests ask it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import PROGRAM
from workindex.cli.completion import SHELLS
from workindex.cli.main import ALL_COMMANDS

# A database that nobody could reach: completion needs none.
ENV = {
    **os.environ,
    "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
    "WORKINDEX_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
}
HEAVY = ("sqlalchemy", "psycopg", "pydantic", "rich.table", "rich.markdown")
# What stands on the line, its last word unfinished, and every word that fits there.
LINES = {
    "workindex ask": ["ask"],
    "workindex db st": ["start", "status", "stop"],
    "workindex import x": ["xes"],
    "workindex ask ada q --l": ["--locale"],
    "workindex ask ada q --locale ": ["en", "zh"],
    "workindex --json index ada --at": ["--at-position"],
    "workindex db url --role m": ["maint"],
    "workindex completion ": list(SHELLS),
    "workindex nonsense x": [],
}
# Each shell is told to load the printed script and to complete the line.
DRIVERS = {
    "bash": (
        'eval "$(workindex completion bash)"; read -ra COMP_WORDS <<< "$1";'
        '[[ $1 == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1));'
        '_workindex_completion workindex; printf "%s\\n" "${COMPREPLY[@]}"'
    ),
    "zsh": (
        "compdef() { }; compadd() { print -rl -- $completions };"
        "_describe() { print -rl -- ${completions_with_descriptions%%:*} };"
        'eval "$(workindex completion zsh)"; words=("${(@s: :)1}"); CURRENT=$#words;'
        "_workindex_completion"
    ),
    "fish": 'workindex completion fish | source; complete -C "$argv[1]"',
}


def ask(shell: str, line: str) -> list[list[str]]:
    """The program's lines for that line of the shell, each split at its first comma."""
    words = line.split(" ")
    env = {**ENV, "_WORKINDEX_COMPLETE": f"{shell}_complete", "COMP_WORDS": line}
    env["COMP_CWORD"] = words[-1] if shell == "fish" else str(len(words) - 1)
    done = subprocess.run([PROGRAM], env=env, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    told = done.stdout.strip("\n").splitlines()
    if shell == "zsh":
        return [[kind, value] for kind, value in zip(told[::3], told[1::3], strict=True)]
    return [row.split("\t")[0].split(",", 1) for row in told]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("line", LINES)
def test_what_fits_is_offered(shell: str, line: str) -> None:
    """Commands, subcommands, options and the values of a choice, and nothing else."""
    assert ask(shell, line) == [["plain", value] for value in LINES[line]]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_is_offered(shell: str) -> None:
    """In the order of the help."""
    assert [value for _, value in ask(shell, "workindex ")] == [one.name for one in ALL_COMMANDS]


def test_a_file_is_left_to_the_shell() -> None:
    """Where a path is wanted, the shell completes it."""
    assert ask("bash", "workindex record ada commands") == [["file", "commands"]]


@pytest.mark.parametrize("shell", [name for name in SHELLS if shutil.which(name)])
@pytest.mark.parametrize("line", ["workindex db st", "workindex ask ada q --locale "])
def test_the_printed_script_works(shell: str, line: str, tmp_path: Path) -> None:
    """A shell that has loaded it offers the same words."""
    command = [str(shutil.which(shell)), "-c", DRIVERS[shell], *(["x"] * (shell != "fish")), line]
    env = {**ENV, "HOME": str(tmp_path)}
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert done.stderr == ""
    assert [row.split("\t")[0] for row in done.stdout.splitlines()] == LINES[line]


def test_nothing_heavy_is_loaded_for_it() -> None:
    """A key press is answered at once."""
    code = (
        "import sys; from workindex.cli.entry import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    env = {**ENV, "_WORKINDEX_COMPLETE": "bash_complete"}
    env |= {"COMP_WORDS": "workindex ask", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("plain,ask\n", "[]\n")
