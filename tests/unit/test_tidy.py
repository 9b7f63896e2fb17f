"""Is the house tidy? Sizes, names, leftovers, links and the rules that no linter knows.

Looks at every file that git would take along, so that a new file is judged before it is committed.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from workindex._links import FOLDERS

ROOT = Path(__file__).parents[2]
LINES_MAX = 400
FUNCTION_LINES_MAX = 50
TARGETS_MAX = 10
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}
# Written in halves, so that this file does not name what it forbids.
LEFTOVERS = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
REGISTRY_HOSTS = re.compile(
    r"(py"
    r"pi|python"
    r"hosted|npm"
    r"js|crates|debian|docker|ghcr|quay|maven|golang|rubygems)"
    r"\.(org|io|com|dev|net)\b",
    re.IGNORECASE,
)
INDEX_OPTIONS = re.compile(r"--(extra-)?index" r"-url[ =]|--find" r"-links[ =]|index" r"-url\s*=")
GENERATED = {"requirements.lock", "LICENSE"}


@cache
def files() -> tuple[Path, ...]:
    """Every regular file that is tracked, or that would be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split("\0")
    paths = (ROOT / name for name in sorted(set(listed)) if name)
    return tuple(path for path in paths if path.is_file() and not path.is_symlink())


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def texts() -> Iterator[tuple[str, str]]:
    """Name and content of every text file that a person wrote."""
    for path in files():
        if path.name not in GENERATED and b"\0" not in path.read_bytes()[:8_000]:
            yield named(path), path.read_text(encoding="utf-8", errors="replace")


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """Name and syntax tree of every Python file."""
    return tuple(
        (named(path), ast.parse(path.read_text(encoding="utf-8")))
        for path in files()
        if path.suffix == ".py"
    )


def settings() -> dict[str, dict[str, object]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_a_file_of_code_has_at_most_400_lines() -> None:
    """What is longer answers more than one question. Migrations and golden databases hold
    generated, frozen SQL."""
    sizes = {name: text.count("\n") for name, text in texts() if name.endswith((".py", ".sql"))}
    assert len(sizes) > 20
    long = {name for name, size in sizes.items() if size > LINES_MAX}
    frozen = r"(alembic/versions|tests/golden/databases)/.*\.sql$"
    assert {name for name in long if not re.match(frozen, name)} == set()


def test_a_function_has_at_most_50_lines() -> None:
    """A function is read without scrolling."""
    long = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES_MAX
    ]
    assert long == []


def test_nothing_is_left_for_later_in_the_text() -> None:
    """Open work stands in the tracker, not in the files."""
    left = [
        f"{name}:{number}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if LEFTOVERS.search(line) and not name.startswith("tests/golden/")
    ]
    assert left == []


def test_a_module_is_named_for_what_it_holds() -> None:
    """A drawer for everything ends up holding everything."""
    assert [n for n, _ in modules() if Path(n).stem.removeprefix("test_") in EMPTY_NAMES] == []


def test_no_error_is_swallowed() -> None:
    """An `except` does something; only named errors pass, and a comment says why."""
    swallowed = [
        f"{name}:{node.lineno}"
        for name, tree in modules()
        for node in ast.walk(tree)
        if (isinstance(node, ast.ExceptHandler) and _swallows(node, name))
        or (isinstance(node, ast.Call) and _suppresses_everything(node))
    ]
    assert swallowed == []


def _swallows(handler: ast.ExceptHandler, name: str) -> bool:
    if not all(map(_does_nothing, handler.body)):
        return False
    last = (ROOT / name).read_text(encoding="utf-8").splitlines()[handler.body[-1].lineno - 1]
    return _is_broad(handler.type) or "#" not in last


def _suppresses_everything(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith("suppress") and any(map(_is_broad, call.args))


def _does_nothing(line: ast.stmt) -> bool:
    return isinstance(line, ast.Pass) or (
        isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)
    )


def _is_broad(error: ast.expr | None) -> bool:
    return error is None or bool(re.search(r"\b(Base)?Exception\b", ast.unparse(error)))


def test_each_exception_from_a_lint_rule_has_a_reason() -> None:
    """In pyproject.toml and in the code: who switches a rule off says why."""
    config = (ROOT / "pyproject.toml").read_text()
    ignored = re.search(r"^ignore = \[\n(.*?)^\]", config, re.MULTILINE | re.DOTALL)
    per_file = re.search(r"per-file-ignores\]\n(.*?)\n\[", config, re.DOTALL)
    assert ignored is not None
    assert per_file is not None
    rules = [line for line in (ignored[1] + per_file[1]).splitlines() if line.startswith("    ")]
    assert rules
    assert [line for line in rules if not re.search(r'",\s+# \w', line)] == []
    bare = []
    for name, text in texts():
        lines = text.splitlines() if name.endswith(".py") else []
        for number, line in enumerate(lines):
            found = re.search(r"#\s*noqa\b:?[\sA-Z0-9,]*(.*)$", line)
            before = lines[number - 1].strip() if number else ""
            if found and not found[1].strip() and not before.startswith("#"):
                bare.append(f"{name}:{number + 1}")
    assert bare == []


def test_no_file_names_a_package_registry() -> None:
    """Where packages come from is the machine's setting, not the project's."""
    hosts = [
        f"{named(path)}: {found[0]}"
        for path in files()
        for pattern in (REGISTRY_HOSTS, INDEX_OPTIONS)
        if (found := pattern.search(path.read_bytes().decode("utf-8", "replace")))
    ]
    assert hosts == []


def test_the_lock_holds_every_requirement_with_hashes() -> None:
    """requirements.lock is what pyproject.toml asks for; `make lock` writes it anew."""
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / "requirements.lock").read_text())
    pins = {}
    for entry in entries[1:]:
        first = re.split(r"\s+[;\\]", entry, maxsplit=1)[0]
        name, version = first.split("==")
        assert "--hash=sha256:" in entry, first
        pins[canonicalize_name(name)] = version.strip()
    project = settings()["project"]
    groups = settings()["dependency-groups"]
    extras = project["optional-dependencies"]
    assert isinstance(project["dependencies"], list)
    assert isinstance(groups["dev"], list)
    assert isinstance(extras, dict)
    for text in [*project["dependencies"], *groups["dev"], *extras["embedded"]]:
        wanted = Requirement(text)
        pin = pins.get(canonicalize_name(wanted.name))
        assert pin is not None, f"{text} is not locked: run `make lock`"
        assert wanted.specifier.contains(pin), f"{text} is locked at {pin}: run `make lock`"


def test_the_makefile_has_at_most_ten_targets() -> None:
    """A person keeps ten names in mind; each public one says what it does."""
    makefile = (ROOT / "Makefile").read_text()
    rules = re.findall(r"^([a-z][\w-]*):(?!=)(.*)$", makefile, re.MULTILINE)
    names = [name for name, _ in rules]
    assert len(names) <= TARGETS_MAX
    assert {"demo", "test", "check", "bench"} <= set(names)
    assert [name for name, rest in rules if "## " not in rest] == []


def test_ci_runs_the_check_and_nothing_else() -> None:
    """What is green here is green there."""
    assert "exec make check" in (ROOT / ".ci" / "run").read_text()


def test_the_package_links_every_folder_of_the_house() -> None:
    """One relative link per folder, and no folder of code without one."""
    package = ROOT / "src" / "workindex"
    links = {path.name: str(path.readlink()) for path in package.iterdir() if path.is_symlink()}
    assert links == {name: f"../../{name}" for name in FOLDERS}
    code = {name.split("/")[0] for name, _ in modules() if "/" in name}
    assert code - {"src", "tests", "examples"} == set(FOLDERS)


def test_migrations_are_scripts_and_not_a_package() -> None:
    """A package named alembic would shadow the library; a revision stands without our code."""
    assert [name for name, _ in modules() if re.match(r"alembic/.*__init__\.py$", name)] == []
    revisions = [(n, tree) for n, tree in modules() if n.startswith("alembic/versions/")]
    assert [n for n, tree in revisions if "workindex" in set(_imported(tree))] == []


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_decisions_are_numbered_in_a_row() -> None:
    """A number names one decision record, in its file's name and in its title."""
    records = [path for path in files() if re.match(r"docs/decisions/\d", named(path))]
    numbers = [path.name.partition("-")[0] for path in records]
    assert numbers == [f"{number:04}" for number in range(1, len(records) + 1)]
    titles = [path.read_text(encoding="utf-8").partition(":")[0] for path in records]
    assert titles == [f"# {number}" for number in numbers]


def test_the_domain_reads_no_clock() -> None:
    """Time and ids come in as arguments; what import-linter cannot see is seen here."""
    reading = re.compile(r"\b(now|utcnow|today|uuid[1-8])$")
    calls = [
        f"{name}:{node.lineno} {ast.unparse(node.func)}"
        for name, tree in modules()
        if name.startswith("domain/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and reading.search(ast.unparse(node.func))
    ]
    assert calls == []
