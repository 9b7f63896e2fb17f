"""Does each checker see every folder? One error is planted in each, one run finds them all.

A checker that skips a folder is green for ever: a link not followed, a package not listed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
LAYERS = ("domain", "eventlog", "projections", "assembler", "service", "cli")
PLACES = (*LAYERS, "alembic", "alembic/versions", "tests", "tests/unit", "tests/db", "tests/e2e")
CHECKED = (*PLACES, "tests/bench", "src/workindex")
PLANTED = "planted_error_{}.py"
# Unused import for ruff, a wrong type for mypy; import-linter's errors stand in LAYERS only.
ERROR = 'import tokenize\n\nwrong: int = "text"\n'
UPWARDS = "from workindex.cli import planted_target\n"
FOREIGN = "import eventsourcing\n"


def planted(place: str) -> str:
    """Path of the planted file, a name of its own in each place."""
    return f"{place}/{PLANTED.format(place.replace('/', '_'))}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout with one planted file in each folder."""
    copy = tmp_path_factory.mktemp("planted") / "tree"
    left_out = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=left_out)
    for place in CHECKED:
        (copy / place).mkdir(exist_ok=True)
        imports = ("" if place == "cli" else UPWARDS) + ("" if place == "eventlog" else FOREIGN)
        imports += "import random\n" if place == "domain" else ""
        (copy / planted(place)).write_text((imports if place in LAYERS else "") + ERROR)
    (copy / "cli" / "planted_target.py").write_text("")
    return copy


def check(tree: Path, *command: str) -> str:
    """Output of a checker that must have found something."""
    bin_folder = Path(sys.executable).parent
    done = subprocess.run(
        [bin_folder / command[0], *command[1:]],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree / "src"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_ruff_sees_every_folder(tree: Path) -> None:
    """Each planted unused import is reported, by the folder's own path."""
    found = json.loads(check(tree, "ruff", "check", "--no-cache", "--output-format=json", "."))
    unused = {
        str(Path(entry["filename"]).relative_to(tree))
        for entry in found
        if entry["code"] == "F401" and "tokenize" in entry["message"]
    }
    assert {planted(place) for place in CHECKED} <= unused


def test_mypy_sees_every_folder(tree: Path, tmp_path: Path) -> None:
    """Each planted wrong type is reported; the layers are seen through their links."""
    cache = tmp_path / "cache"
    if (ROOT / ".mypy_cache").is_dir():  # what is not planted need not be looked at again
        shutil.copytree(ROOT / ".mypy_cache", cache)
    output = check(tree, "mypy", f"--cache-dir={cache}", "--no-error-summary")
    wrong = {line.split(":")[0] for line in output.splitlines() if "[assignment]" in line}
    seen_as = {f"src/workindex/{planted(p)}" if p in LAYERS else planted(p) for p in CHECKED}
    assert seen_as <= wrong


def test_import_linter_sees_every_layer(tree: Path) -> None:
    """An import upwards and one of the log's library are reported in each layer."""
    output = " ".join(check(tree, "lint-imports", "--no-cache", "--no-logo").split())
    assert f"workindex.domain.{Path(planted('domain')).stem} -> random" in output
    for layer in LAYERS:
        module = f"workindex.{layer}.{Path(planted(layer)).stem}"
        if layer != "cli":
            assert f"{module} -> workindex.cli.planted_target" in output
        if layer != "eventlog":
            assert f"{module} -> eventsourcing" in output
