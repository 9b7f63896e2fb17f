"""The installed command, run as a program on the database of a test."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

PROGRAM = Path(sys.executable).with_name("workindex")
TIMEOUT_SECONDS = 120


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        found: dict[str, Any] = json.loads(self.out)
        assert next(iter(found)) == "format"
        assert found["format"] == 1
        return found

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The JSON objects on stdout, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class Command:
    """`workindex` with the environment of one database."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)

    def __call__(self, *words: str | Path, input: str | bytes = b"", code: int | None = 0) -> Ran:
        """Runs it; `code` is the exit code that it must leave with, None for any."""
        sent = input.encode() if isinstance(input, str) else input
        done = subprocess.run(
            [PROGRAM, *map(str, words)],
            input=sent,
            env=self._env,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert code is None or ran.code == code, ran
        assert "Traceback" not in ran.err, ran.err
        return ran

    def with_env(self, **more: str) -> Command:
        """The same command with more in its environment."""
        return Command({**self._env, **more})
