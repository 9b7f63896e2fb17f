"""Closed and full streams, narrow encodings, odd login names: never a traceback, nothing lost."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping

import pytest

from commands import PROGRAM
from conftest import Urls

pytestmark = pytest.mark.faults

TIMEOUT_SECONDS = 60
TITLE = "中文 😀"
CREATE = json.dumps({"type": "create_task", "task_id": "T-1", "title": TITLE})


def shell(
    line: str, env: Mapping[str, str], *words: str, sent: str = CREATE
) -> subprocess.CompletedProcess[bytes]:
    """`workindex` with these words where the line of a shell says "$@"."""
    ran = subprocess.run(
        ["/bin/sh", "-c", line, "sh", str(PROGRAM), *words],
        input=sent.encode(),
        env=dict(env),
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert b"Traceback" not in ran.stdout + ran.stderr, ran
    return ran


def titles(env: Mapping[str, str]) -> list[str]:
    """What the log of ann holds."""
    lines = shell('exec "$@"', env, "log", "ann", "--json").stdout.decode().splitlines()
    return [json.loads(line)["data"]["title"] for line in lines]


@pytest.mark.parametrize(
    ("line", "code", "recorded"),
    [
        ('"$@" <&-', 0, False),
        ('"$@" >&-', 0, True),
        ('"$@" 2>&-', 0, True),
        ('"$@" <&- >&- 2>&-', 0, False),
        ('"$@" >/dev/full', 4, True),
    ],
)
def test_record_with_streams_that_are_closed_or_full(
    urls: Urls, line: str, code: int, recorded: bool
) -> None:
    """A closed stdin is an empty one; who does not listen is not told, and the work is done."""
    assert shell(line, urls.env, "record", "ann").returncode == code
    assert titles(urls.env) == ([TITLE] if recorded else [])


@pytest.mark.parametrize("line", ['"$@" >/dev/full', '"$@" <&- >&- 2>&-'])
@pytest.mark.parametrize(
    "words",
    [
        ("ask", "ann", "What needs me?"),
        ("index", "ann", "--json"),
        ("log", "ann"),
        ("explain", "ann", "T-9"),
    ],
    ids=lambda words: words[0],
)
def test_reading_with_streams_that_are_closed_or_full(
    urls: Urls, line: str, words: tuple[str, ...]
) -> None:
    """Every command leaves with an exit code of its list."""
    assert shell(line, urls.env, *words).returncode in (0, 3, 4)


@pytest.mark.parametrize("encoding", ["ascii:strict", "latin-1"])
def test_encodings_that_hold_little(urls: Urls, encoding: str) -> None:
    """What stdout cannot hold is written out, and JSON stays the same JSON."""
    env = {**urls.env, "PYTHONIOENCODING": encoding}
    told = shell('exec "$@"', env, "record", "ann", "--json")
    assert json.loads(told.stdout)["ok"]
    shown = shell('exec "$@"', env, "log", "ann", "--json").stdout
    assert shown.isascii()
    assert json.loads(shown)["data"]["title"] == TITLE
    assert b"\\u4e2d\\u6587 \\U0001f600" in shell('exec "$@"', env, "log", "ann").stdout
    asked = shell('exec "$@"', env, "ask", "ann", "现在有什么需要我处理的吗？")
    assert asked.stdout.decode("ascii").startswith("\\u73b0\\u5728\\u6ca1\\u6709")


@pytest.mark.parametrize("name", ["a\nb", "x" * 300, None])
def test_login_names_that_are_no_ids(urls: Urls, name: str | None) -> None:
    """Whoever it is that records, it is recorded, and by whom."""
    kept = {key: value for key, value in urls.env.items() if key not in ("USER", "LOGNAME", "HOME")}
    env = kept if name is None else {**kept, "USER": name, "LOGNAME": name}
    assert shell('exec "$@"', env, "record", "ann").returncode == 0
    event = json.loads(shell('exec "$@"', env, "log", "ann", "--json").stdout)
    actor = event["metadata"]["actor"] if "metadata" in event else event["actor"]
    assert actor["kind"] == "operator"
    assert name is None or actor["id"] == f"uid-{os.getuid()}"
