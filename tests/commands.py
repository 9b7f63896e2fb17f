"""The command line on the database of a test: in this process, or as the installed program."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from workindex.cli.main import main

PROGRAM = Path(sys.executable).with_name("workindex")
TIMEOUT_SECONDS = 300


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
    """`workindex` with the environment of one database, run in this process."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)

    def __call__(self, *words: str | Path, input: str | bytes = b"", code: int | None = 0) -> Ran:
        """Runs it; `code` is the exit code that it must leave with, None for any."""
        sent = input.encode() if isinstance(input, str) else input
        ran = self._run([str(word) for word in words], sent)
        assert code is None or ran.code == code, ran
        assert "Traceback" not in ran.err, ran.err
        return ran

    def with_env(self, **more: str) -> Command:
        """The same command with more in its environment."""
        return type(self)({**self._env, **more})

    def _run(self, words: list[str], sent: bytes) -> Ran:
        # A program without a terminal sees bytes on both ends, so these are bytes too.
        stdin, out, err = (
            io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="", write_through=True)
            for content in (sent, b"", b"")
        )
        with (
            patch.dict(os.environ, self._env, clear=True),
            patch.object(sys, "stdin", stdin),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                main(words)
            except SystemExit as left:
                code = left.code
        told = [stream.buffer.getvalue().decode() for stream in (out, err)]
        assert isinstance(code, int)
        return Ran(code, *told)


class Installed(Command):
    """The installed program, a process of its own each time."""

    def _run(self, words: list[str], sent: bytes) -> Ran:
        done = subprocess.run(
            [PROGRAM, *words],
            input=sent,
            env=self._env,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
