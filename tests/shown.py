"""Pages whose commands run: what they show is compared with what happens.

In a `console` block a line that begins with `$ ` is a command, `> ` goes on with it, and the lines
below are its whole output; `…` stands for text that differs each time, and a line of `…` alone for
any lines. All blocks of a page run in order, in one folder. `sh` blocks are not run.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


class Shown(NamedTuple):
    """One command and the output that the page shows for it."""

    command: str
    output: str


def steps(body: str) -> list[Shown]:
    """The commands of a console block."""
    found: list[Shown] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append(Shown(line[2:], ""))
        elif found and line.startswith("> "):
            last = found.pop()
            found.append(Shown(f"{last.command}\n{line[2:]}", last.output))
        else:
            last = found.pop()
            found.append(Shown(last.command, f"{last.output}{line.rstrip()}\n"))
    return found


def pattern(shown: str) -> str:
    """The regular expression that the shown output stands for."""
    lines = []
    for line in shown.splitlines():
        if line.strip() == "…":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(re.escape(line).replace("…", ".*") + r"\n")
    return "".join(lines)


def run_blocks(text: str, env: Mapping[str, str], folder: Path, *, must_succeed: bool) -> int:
    """Run the console and python blocks of a text, compare what they print, count them.

    `must_succeed`: a command that the page does not show the exit code of has exit code 0.
    """
    ran = 0
    for fence in FENCE.finditer(text):
        language, body = fence["language"], fence["body"]
        if language == "console":
            blocks = [(["bash", "-c", step.command], step) for step in steps(body)]
        elif language == "python":
            blocks = [([sys.executable, "-c", body], Shown(body, "…"))]
        else:
            continue
        for command, step in blocks:
            done = subprocess.run(
                command,
                cwd=folder,
                env=dict(env),
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            printed = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
            assert re.fullmatch(pattern(step.output), printed), (
                f"{step.command}\nprints:\n{printed}{done.stderr}\nthe page shows:\n{step.output}"
            )
            assert done.returncode == 0 or not must_succeed, (step.command, done)
            ran += 1
    return ran
