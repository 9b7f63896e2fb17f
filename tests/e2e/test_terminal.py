"""What a person sees: the installed command on a terminal of 80 and 160 columns, and in a pipe."""

from __future__ import annotations

import fcntl
import json
import os
import re
import struct
import subprocess
import termios
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from commands import PROGRAM, Installed
from conftest import Urls
from workindex.cli.wrapping import cells_of

pytestmark = pytest.mark.pages

STYLE = re.compile(r"\x1b\[[0-9;]*m")
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?3[0-9]")
CHINESE = "修复登录页面在移动设备上的显示问题并通知所有相关的团队成员以及外部合作伙伴" * 2
WORDS = "a very long title that goes on and on " * 12
READS = (
    ("ask", "ann", "What needs me?"),
    ("ask", "ann", "现在有什么需要我处理的？"),
    ("ask", "nobody", "What needs me?"),
    ("index", "ann"),
    ("index", "nobody"),
    ("log", "ann"),
    ("log", "nobody"),
    ("explain", "ann", "T-1"),
)


def on_terminal(env: Mapping[str, str], words: tuple[str, ...], width: int) -> list[str]:
    """The lines that the command writes to a terminal of that width, with their styles."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    kept = {name: value for name, value in env.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [PROGRAM, *words],
        env={**kept, "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ) as program:
        os.close(theirs)
        told = b""
        with suppress(OSError):  # the other end is closed: everything has been read
            while part := os.read(ours, 65_536):
                told += part
        assert program.wait(60) == 0, told
    os.close(ours)
    return told.decode().splitlines()


@pytest.fixture
def env(installed: Installed, urls: Urls) -> Mapping[str, str]:
    """A database with long, wide and many rows."""
    commands: list[dict[str, Any]] = [
        {"type": "create_task", "task_id": "T-1", "title": CHINESE},
        {"type": "create_task", "task_id": "T-2", "title": WORDS[:500], "blocked_by": ["T-1"]},
        {"type": "create_task", "task_id": "task-" + "9" * 60, "title": "🚀 Launch 🇩🇪"},
        {"type": "request_task_input", "task_id": "T-1", "kind": "decision", "prompt": CHINESE},
        {"type": "make_proposal", "proposal_id": "P-1", "title": WORDS[:300]},
    ]
    installed("record", "ann", input="\n".join(map(json.dumps, commands)))
    return {name: value for name, value in urls.env.items() if name != "NO_COLOR"}


@pytest.mark.parametrize("width", [80, 160])
def test_everything_fits_the_terminal(env: Mapping[str, str], width: int) -> None:
    """No line is wider than the terminal, so that no word is torn at its edge."""
    for words in READS:
        lines = [STYLE.sub("", line) for line in on_terminal(env, words, width)]
        assert lines, words
        too_wide = [line for line in lines if cells_of(line) > width]
        assert too_wide == [], words
        if words[:2] == ("ask", "ann"):
            assert CHINESE in "".join(map(str.strip, lines)), words


def test_colour_and_none(env: Mapping[str, str]) -> None:
    """A terminal gets colours and emphasis, one that wants no colour the same text without."""
    for words in READS[::3]:
        coloured = on_terminal(env, words, 80)
        plain = on_terminal({**env, "NO_COLOR": "1"}, words, 80)
        assert not COLOUR.search("\n".join(plain)), words
        assert [STYLE.sub("", line) for line in coloured] == [STYLE.sub("", line) for line in plain]
    assert COLOUR.search("\n".join(on_terminal(env, ("index", "ann"), 80)))


def test_a_pipe_gets_whole_lines(env: Mapping[str, str]) -> None:
    """One line an event and one line a thing that needs the user, for grep; no styles."""
    piped = Installed({**env, "COLUMNS": "40"})
    assert len(piped("log", "ann").out.splitlines()) == 6
    asked = piped("ask", "ann", "What needs me?").out.splitlines()
    assert len(asked) == 3
    assert CHINESE in "".join(asked)
    for words in READS:
        assert "\x1b" not in piped(*words).out


def test_many_things_are_counted_and_the_way_to_all_is_told(installed: Installed) -> None:
    """More than a short list can hold: the count is exact, and stderr says where each is."""
    commands = [
        {"type": "make_proposal", "proposal_id": f"P-{n}", "title": f"Offer {n}"} for n in range(30)
    ]
    installed("record", "ann", input="\n".join(map(json.dumps, commands)))
    told = installed("ask", "ann", "What needs me?")
    assert told.out == "30 things need you: 30 proposals.\n"
    assert "workindex index ann" in told.err
    assert len(installed("index", "ann").out.splitlines()) == 3 + 30 + 1 + 1


def test_what_an_answer_has_to_name_is_told(installed: Installed) -> None:
    """The way from a refused grant to a granted one: who, and for which hash, is said each time."""
    asking: dict[str, Any] = {"type": "request_approval", "approval_id": "A-1"}
    asking |= {"title": "Pay", "tool": "bank"}
    asking |= {"arguments": {"eur": 10}, "expires_at": "2099-01-01T00:00:00Z"}
    deciding = {"type": "request_task_input", "task_id": "T-1", "prompt": "A or B?"}
    task = {"type": "create_task", "task_id": "T-1", "title": "Choose"}
    installed("record", "ann", input="\n".join(map(json.dumps, (asking, task, deciding))))
    grant = {"type": "grant_approval", "approval_id": "A-1"}
    refused = installed("record", "ann", input=json.dumps(grant), code=3).out
    assert "action_hash is missing (workindex explain USER ID shows it)" in refused
    told = dict(line.split(None, 1) for line in installed("explain", "ann", "A-1").out.splitlines())
    assert json.loads(told["action"])["arguments"] == {"eur": 10}
    grant["action_hash"] = told["action_hash"]
    refused = installed("record", "ann", input=json.dumps(grant), code=3).out
    assert '"actor": {"kind": "user", "id": "…"}' in refused
    granted = {**grant, "actor": {"kind": "user", "id": "ann"}}
    installed("record", "ann", input=json.dumps(granted))
    asked = re.search(r"request_id (\S+): input “A or B\?”", installed("explain", "ann", "T-1").out)
    assert asked is not None
    given = {"type": "give_task_input", "task_id": "T-1", "request_id": asked[1], "answer": "A"}
    installed("record", "ann", input=json.dumps(given))
    assert installed("ask", "ann", "What needs me?").out == "Nothing needs you right now.\n"
