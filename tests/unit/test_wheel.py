"""Does the built package hold the whole house, and nothing beside it?

The only tests that build: into a temporary folder, with the tools at hand, without a registry.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from workindex._links import FOLDERS

ROOT = Path(__file__).parents[2]
# Runs in an installed wheel: migrations are found by path, and `alembic` is still the library.
READ_MIGRATIONS = """
import importlib.resources, pathlib, alembic, workindex
from alembic.config import Config
from alembic.script import ScriptDirectory

package = pathlib.Path(workindex.__file__).parent
assert package.parent == pathlib.Path({site!r}), package
assert package not in pathlib.Path(alembic.__file__).parents, alembic.__file__
config = Config()
config.set_main_option("script_location", str(importlib.resources.files("workindex") / "alembic"))
scripts = ScriptDirectory.from_config(config)
assert (package / "alembic" / "env.py").is_file()
print(len(list(scripts.walk_revisions())), len(scripts.get_heads()))
"""


def run(*command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        list(command), cwd=cwd, env=clean | env, capture_output=True, text=True, check=False
    )


def tracked() -> list[str]:
    """Every file that git would take along, links included."""
    listed = run("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT)
    assert listed.returncode == 0, listed.stderr
    names = sorted(set(listed.stdout.split("\0")) - {""})
    return [name for name in names if (ROOT / name).is_symlink() or (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout as a fresh clone would have it."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    """The wheel built from the sdist, which is built from the checkout."""
    built = run(sys.executable, "-m", "build", "--no-isolation", ".", cwd=checkout)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = (checkout / "dist").glob("*.whl")
    return path


def contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def expected() -> set[str]:
    """The package's own files, and every file of the folders that it links."""
    names = [name for name in tracked() if not (ROOT / name).is_symlink()]
    own = {name.removeprefix("src/") for name in names if name.startswith("src/workindex/")}
    return own | {f"workindex/{name}" for name in names if name.split("/")[0] in FOLDERS}


def test_the_wheel_from_the_sdist_holds_every_file_of_every_folder(wheel: Path) -> None:
    """Code, SQL, migrations and the typing mark; no folder lies beside the package."""
    held = contents(wheel)
    assert held == expected()
    assert {name.split("/")[0] for name in held} == {"workindex"}
    assert {"workindex/domain/facts.py", "workindex/py.typed", "workindex/alembic/env.py"} <= held


def test_the_wheel_from_the_checkout_is_the_same(checkout: Path, wheel: Path) -> None:
    """Building through the links and building from real folders give the same files."""
    built = run(
        *(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", "direct", "."),
        cwd=checkout,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (direct,) = (checkout / "direct").glob("*.whl")
    assert contents(direct) == contents(wheel)


def test_an_installed_wheel_finds_its_migrations(wheel: Path, tmp_path: Path) -> None:
    """The folder is named like the library, does not shadow it and is read by path."""
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    asked = run(
        *(sys.executable, "-c", READ_MIGRATIONS.format(site=str(site))),
        cwd=tmp_path,
        PYTHONPATH=str(site),
    )
    assert asked.returncode == 0, asked.stderr
    revisions = [name for name in tracked() if Path(name).match("alembic/versions/*.py")]
    assert asked.stdout.split() == [str(len(revisions)), "1"]


def test_a_checkout_without_links_is_refused(checkout: Path, tmp_path: Path) -> None:
    """Git without symbolic links writes a small text file for each: no build, no import."""
    broken = tmp_path / "broken"
    shutil.copytree(checkout, broken, symlinks=True, ignore=shutil.ignore_patterns("dist"))
    for name in FOLDERS:
        link = broken / "src" / "workindex" / name
        target = str(link.readlink())
        link.unlink()
        link.write_text(target)
    attempts = [
        run(sys.executable, "-m", "build", "--no-isolation", "--wheel", ".", cwd=broken),
        run(sys.executable, "-c", "import workindex", cwd=broken, PYTHONPATH=str(broken / "src")),
    ]
    for attempt in attempts:
        assert attempt.returncode != 0
        assert "holds no link to alembic, assembler" in attempt.stdout + attempt.stderr
        assert "git clone -c core.symlinks=true" in attempt.stdout + attempt.stderr
