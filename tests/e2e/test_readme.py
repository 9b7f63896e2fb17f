"""What the README shows is what happens: its commands and programs run, its output is compared.

In a `console` block a line that begins with `$ ` is a command and the lines below it are its whole
output; `…` stands for text that differs each time, and a line of `…` alone for any lines. All
blocks of a page run in order, in one folder, on one database. `sh` blocks are not run here.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import Urls

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md",)
FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)(?P<target>[^)#]+)")


class Step(NamedTuple):
    """One command and the output that the page shows for it."""

    command: str
    output: str


def steps(body: str) -> list[Step]:
    """The commands of a console block."""
    found: list[Step] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append(Step(line[2:], ""))
        elif found and line.startswith("> "):
            last = found.pop()
            found.append(Step(f"{last.command}\n{line[2:]}", last.output))
        else:
            last = found.pop()
            found.append(Step(last.command, f"{last.output}{line.rstrip()}\n"))
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


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_happens(page: str, urls: Urls, tmp_path: Path) -> None:
    """Every console and python block of the page runs and prints what stands there."""
    text = (ROOT / page).read_text(encoding="utf-8")
    scripts = sysconfig.get_path("scripts")
    env = {**urls.env, "PATH": f"{scripts}:{urls.env['PATH']}", "COLUMNS": "80", "USER": "ann"}
    env |= {"LOGNAME": "ann", "LANG": "C.UTF-8"}
    ran = 0
    for fence in FENCE.finditer(text):
        language, body = fence["language"], fence["body"]
        if language == "console":
            blocks = [(["bash", "-c", step.command], step) for step in steps(body)]
        elif language == "python":
            blocks = [([sys.executable, "-c", body], Step(body, "…"))]
        else:
            continue
        for command, step in blocks:
            done = subprocess.run(
                command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
            )
            printed = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
            assert re.fullmatch(pattern(step.output), printed), (
                f"{step.command}\nprints:\n{printed}{done.stderr}\nthe page shows:\n{step.output}"
            )
            ran += 1
    assert ran > 3, "the page shows hardly anything that runs"


@pytest.mark.parametrize("page", sorted(p.relative_to(ROOT) for p in ROOT.glob("docs/**/*.md")))
def test_links_of_documents_lead_somewhere(page: Path) -> None:
    """A relative link of a document names a file or folder of the repository."""
    check_links(page)


def test_links_of_the_readme_lead_somewhere() -> None:
    """A relative link of the README names a file or folder of the repository."""
    check_links(Path("README.md"))


def check_links(page: Path) -> None:
    """Every relative link of the page exists."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in LINK.finditer(text):
        target = (ROOT / page).parent / link["target"]
        assert target.exists(), f"{page} links to {link['target']}, which is not there"
