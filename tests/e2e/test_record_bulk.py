"""`workindex record --bulk`: the results of recording line by line, for one user or for many."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from commands import PROGRAM, Command
from conftest import Urls
from workindex.cli import bulk
from workindex.cli.bulk import BY_LINE

Json = dict[str, Any]


def lines(commands: Iterable[Json]) -> str:
    """Commands as NDJSON."""
    return "".join(json.dumps(command) + "\n" for command in commands)


def create(task_id: str, **more: Any) -> Json:
    """A command that creates a task."""
    return {"type": "create_task", "task_id": task_id, "title": f"Task {task_id}", **more}


def start(task_id: str, **more: Any) -> Json:
    """A command that starts a task."""
    return {"type": "start_task", "task_id": task_id, **more}


# Some of everything that a line may be: good, refused, unreadable, sent twice.
SENT = (
    lines([create("T-1", key="k1"), start("T-9"), create("T-1", key="k2")])
    + "\n{]\n"
    + lines(
        [
            start("T-1", key="k3"),
            create("T-1", key="k1"),
            create("T-2", key="k1"),
            create("T-2", expected_version=3),
            create("T-3", titel="x"),
            create("T-3", actor={"kind": "agent", "id": "planner"}),
            create("T-4", occurred_at="2026-01-02T03:04"),
        ]
    )
)


def told(ran: Any) -> list[Json]:
    """The result lines of a run."""
    found: list[Json] = ran.lines
    return found


def log_of(workindex: Command, user: str) -> list[Json]:
    """A user's log without what differs between two recordings."""
    events: list[Json] = workindex("log", user, "--json").lines
    own = {"event_id", "occurred_at", "recorded_at"}
    return [{name: event[name] for name in event.keys() - own} for event in events]


def test_tells_and_does_the_same(workindex: Command) -> None:
    """Result lines, exit code and log are those of recording the same lines one by one."""
    single = workindex("record", "ann", "--json", input=SENT, code=3)
    together = workindex("record", "bob", "--bulk", "--json", input=SENT, code=3)
    assert told(together) == told(single)
    assert [one["ok"] for one in told(together)] == [
        *(True, False, False, False, True),
        *(True, False, False, False, True, False),
    ]
    assert log_of(workindex, "bob") == log_of(workindex, "ann")
    summary = "11 lines: 3 recorded, 1 duplicate, 7 refused"
    assert summary in together.err
    assert summary in single.err


def test_people_see_refusals_only(workindex: Command) -> None:
    """Without --json nobody reads a thousand good lines: refused ones are named by number."""
    sent = lines([*(create(f"T-{n}") for n in range(50)), start("T-99"), start("T-1")])
    ran = workindex("record", "ann", "--bulk", input=sent, code=3)
    assert ran.out.splitlines() == [ran.out.strip()]
    assert ran.out.startswith("line 51: refused, unknown_task: ")
    assert "52 lines: 51 recorded, 1 refused" in ran.err


def test_lines_that_name_their_user(workindex: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each user's lines keep their order, results keep that of the file, in every window."""
    monkeypatch.setattr(bulk, "WINDOW_LINES", 4)
    sent = [
        create("T-1", user_id="ann"),
        start("T-1", user_id="bob"),
        create("T-1", user_id="bob"),
        start("T-1", user_id="ann"),
        start("T-1", user_id="bob"),
        create("T-2"),
        create("T-2", user_id=7),
        create("T-2", user_id=""),
        create("T-2", user_id="ann"),
    ]
    ran = workindex("record", BY_LINE, "--bulk", "--json", input=lines(sent), code=3)
    said = [one["positions"] if one["ok"] else one["error"]["code"] for one in told(ran)]
    bad = "invalid_input"
    assert said == [[1], "unknown_task", [1], [2], [2], bad, bad, bad, [3]]
    assert [one["line"] for one in told(ran)] == list(range(1, 10))
    assert {one["error"]["field"] for one in told(ran)[5:8]} == {"user_id"}
    types = ["task_created", "task_started", "task_created"]
    assert [event["type"] for event in log_of(workindex, "ann")] == types
    assert [event["type"] for event in log_of(workindex, "bob")] == types[:2]


def test_many_users_need_bulk(workindex: Command) -> None:
    """USER - without --bulk is a wrong call; a line's own user is none of a named user's lines."""
    ran = workindex("record", BY_LINE, "--json", input=lines([create("T-1")]), code=2)
    assert "--bulk" in ran.document["error"]["message"]
    sent = lines([create("T-1", user_id="bob")])
    (refused,) = told(workindex("record", "ann", "--bulk", "--json", input=sent, code=3))
    assert refused["error"]["code"] == "invalid_input"
    workindex("record", "x" * 201, "--bulk", "--json", input=sent, code=3)


def stored(urls: Urls) -> int:
    """How many events are in the log."""
    with psycopg.connect(urls.owner) as conn:
        row = conn.execute("SELECT count(*) FROM event").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.faults
@pytest.mark.parametrize("wait_for", [1, 2_000, 5_000])
def test_killed_midway_and_sent_again(
    workindex: Command, urls: Urls, tmp_path: Path, wait_for: int
) -> None:
    """kill -9 loses no acknowledged line; the same file again completes the log, nothing twice."""
    users = [f"user-{number}" for number in range(8)]
    sent = [create(f"T-{n}", key=f"k{n}", user_id=user) for user in users for n in range(1_000)]
    file = tmp_path / "all.ndjson"
    file.write_text(lines(sent))
    environment = {**urls.env, "PYTHONUNBUFFERED": "1"}
    command = [str(PROGRAM), "record", BY_LINE, str(file), "--bulk", "--json"]
    with (
        (tmp_path / "out").open("wb") as out,
        subprocess.Popen(command, env=environment, stdout=out, stderr=out) as running,
    ):
        while stored(urls) < wait_for and running.poll() is None:
            time.sleep(0.01)
        os.kill(running.pid, signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL, "it was too fast to be killed"
    before = stored(urls)
    assert before >= wait_for

    again = workindex("record", BY_LINE, file, "--bulk", "--json")
    assert sum(one["duplicate"] for one in told(again)) == before
    assert [one["positions"] for one in told(again)] == [
        [n + 1] for _ in users for n in range(1_000)
    ]
    assert stored(urls) == len(sent)
    report = workindex("projections", "verify", "--json").document
    assert (report["users"], report["events"], report["differences"]) == (8, 8_000, [])
