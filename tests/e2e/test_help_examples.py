"""Every line that the help of a command shows as its example is run, as a reader would run it.

They run in one folder on one database, in the order of the help, after `world` has made the files
and rows that they name. A new command needs an example; a new example that needs more than `world`
has gets it there.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from pathlib import Path
from typing import Any

import psycopg
import pytest
import rich_click as click

from calendars import event, todo, write
from commands import PROGRAM, Installed
from conftest import Cluster, Urls
from workindex.cli.main import workindex as program

pytestmark = pytest.mark.pages

OWNER_URL = "postgresql://admin@db.example/workindex"  # what examples call a server of one's own
TIMEOUT_SECONDS = 120
EXAMPLES = Path(__file__).parents[2] / "examples"
REQUESTS = EXAMPLES / "requests/conversation.ndjson"
# Examples that do not leave with 0, and why.
CODES = {
    "workindex doctor --json": 4,  # the tests' own server runs with fsync off
    # Nothing stands still in this world.
    "workindex projections retry ada --member work_index": 3,
    'workindex projections skip ada --member work_index --reason "a duplicate, see T-7"': 3,
}
# Commands that go on until they are stopped, by Ctrl-C.
ENDLESS = ("workindex worker", "workindex log ada --follow")
# `psql` is no part of the package: this one connects to the URL and asks who it is.
PSQL = f"""#!{sys.executable}
import sys, psycopg
with psycopg.connect(sys.argv[1]) as conn:
    print(conn.execute("SELECT current_user").fetchone()[0])
"""
LOG = """<log><trace><string key="concept:name" value="k1"/><event>
<string key="concept:name" value="Submit"/>
<date key="time:timestamp" value="2026-01-05T09:00:00Z"/></event></trace></log>"""
MAPPING = """done = ["Archive"]
[[approvals]]
asked = ["Submit"]
granted = ["Approve"]
prompt = "Approve the claim?"
"""
OFFICE = """event_id,event_name,participant_email,event_start,duration
1,Talk,bo@x.org,2026-03-02 10:00:00,30
"""


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """The program, its groups and its commands, each with its path, in the order of the help."""
    yield path, command
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from commands(child, f"{path} {name}")


def examples(command: click.Command) -> list[str]:
    """The lines under `Example:` or `Examples:`, those that go on joined."""
    _, _, told = cleandoc(command.help or "").partition("\n\b\nExample")
    shown = re.match(r"s?:\n((?:  .*\n?)+)", told)
    text = shown[1] if shown else ""
    return [" ".join(line.split()) for line in text.replace("\\\n", " ").splitlines()]


ALL = [
    (path, line) for path, command in commands(program, "workindex") for line in examples(command)
]


def test_every_command_has_an_example_of_itself() -> None:
    """At the end of its help, so that a reader can copy it; groups and the program too."""
    shown = dict.fromkeys(path for path, line in ALL if path in line)
    bare = [path for path, _ in commands(program, "workindex") if path not in shown]
    assert bare == []


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder for an embedded server, reachable for an unprivileged user, its path short."""
    with tempfile.TemporaryDirectory(prefix="wi", dir="/tmp") as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.fixture
def own(cluster: Cluster) -> Iterator[Urls]:
    """A server of one's own: one on which `db init` makes a database."""
    made = cluster.urls("example_of_help")
    yield made
    cluster.drop(made)


@pytest.fixture
def world(tmp_path: Path, installed: Installed) -> Path:
    """The folder in which the examples run: the files that they name, and a user ada with rows."""
    given: list[dict[str, Any]] = [
        {"type": "create_task", "task_id": "T-1", "title": "Send the offer"},
        {"type": "request_task_input", "task_id": "T-1", "kind": "decision", "prompt": "A or B?"},
    ]
    installed("record", "ada", input="\n".join(map(json.dumps, given)))
    sent = {"type": "create_task", "title": "Call Bo"}
    (tmp_path / "commands.ndjson").write_text(json.dumps(sent))
    (tmp_path / "everybody.ndjson").write_text(json.dumps({"user_id": "bob", **sent}))
    for folder in ("docs", ".beads", "meetings", "office", ".config/fish/completions", "bin"):
        (tmp_path / folder).mkdir(parents=True)
    issue = {"id": "i-1", "title": "Fix it", "status": "open"}
    (tmp_path / ".beads/issues.jsonl").write_text(json.dumps(issue))
    write(tmp_path / "calendar.ics", event("day", start=";VALUE=DATE:20260304"), todo("buy"))
    turns = [{"speaker": "Bo", "content": "Well ,"}]
    (tmp_path / "meetings/m.json").write_text(json.dumps({"meeting_transcripts": turns}))
    (tmp_path / "claims.xes.gz").write_bytes(gzip.compress(LOG.encode()))
    (tmp_path / "claims.toml").write_text(MAPPING)
    (tmp_path / "office/calendar.csv").write_text(OFFICE)
    shutil.copy(REQUESTS, tmp_path / "requests.ndjson")
    shutil.copy(EXAMPLES / "tools/mail.json", tmp_path)
    psql = tmp_path / "bin/psql"
    psql.write_text(PSQL)
    psql.chmod(0o755)
    return tmp_path


def run(line: str, folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
    """Exit code and everything said; a command without an end is interrupted after a moment."""
    with subprocess.Popen(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=folder,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        if line in ENDLESS:
            with pytest.raises(subprocess.TimeoutExpired):
                process.communicate(timeout=3)
            os.killpg(process.pid, signal.SIGINT)
        told, _ = process.communicate(timeout=TIMEOUT_SECONDS)
        return process.returncode, told


def test_every_example_works(world: Path, urls: Urls, own: Urls, home: Path) -> None:
    """Each leaves with 0, or with the code that is written down above with its reason."""
    env = {**urls.env, "HOME": str(world), "WORKINDEX_HOME": str(home / "s")}
    env["PATH"] = f"{world / 'bin'}:{PROGRAM.parent}:{env['PATH']}"
    failed = []
    try:
        for path, line in ALL:
            code, told = run(line.replace(OWNER_URL, f"'{own.owner}'"), world, env)
            # A shell that is interrupted too ends by the signal itself.
            wanted = (0, 130, -signal.SIGINT) if line in ENDLESS else (CODES.get(line, 0),)
            if code not in wanted or "Traceback" in told:
                failed.append(f"{path}: {line}\n  left with {code}:\n{told}")
    finally:
        run("workindex db stop", world, env)
    assert failed == [], "\n".join(failed)
    with psycopg.connect(own.app) as conn:  # what db init and db upgrade made is there
        assert conn.execute("SELECT count(*) FROM user_log").fetchone() == (0,)
