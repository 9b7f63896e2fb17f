"""`workindex import qmsum | xes | workbench`: counts, twice the same, exit codes, real data."""

from __future__ import annotations

import json
import random
import subprocess
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from commands import PROGRAM, Command
from conftest import Urls
from workindex import WorkIndex

# Cases and events of each log, as the page beside the logs says.
LOGS = {
    "06_bpic2013_closed.xes.gz": (1_487, 6_660),
    "08_receipt.xes.gz": (1_434, 8_577),
    "helpdesk.xes.gz": (4_580, 21_348),
    "roadtraffic100traces.xes": (100, 390),
    "running-example.xes": (6, 42),
}


def head(workindex: Command, user: str) -> int:
    """How many facts the user's log holds."""
    position: int = workindex("index", user, "--limit", "1", "--json").document["position"]
    return position


def case(name: str, *activities: str) -> str:
    """One case of a log."""
    events = "".join(
        f'<event><string key="concept:name" value="{activity}"/>'
        f'<date key="time:timestamp" value="2026-01-05T{hour:02}:00:00Z"/></event>'
        for hour, activity in enumerate(activities)
    )
    return f'<trace><string key="concept:name" value="{name}"/>{events}</trace>'


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """A log of three claims and a mapping beside it."""
    log = tmp_path / "claims.xes"
    body = case("k1", "Submit") + case("k2", "Submit", "Approve", "Archive") + case("k3", "Call")
    log.write_text(f"<log>{body}</log>")
    (tmp_path / "claims.toml").write_text(
        'done = ["Archive"]\n[[approvals]]\nasked = ["Submit"]\ngranted = ["Approve"]\n'
        'denied = ["Reject"]\nprompt = "Approve the claim?"\n'
    )
    return log


def test_a_log_with_a_mapping(workindex: Command, claims: Path) -> None:
    """Counts, a table, a document, and what needs the user because the log waits for an answer."""
    words = ("import", "xes", "ann", claims, "--mapping", claims.with_suffix(".toml"))
    first = workindex(*words)
    assert first.out.splitlines()[1].split() == ["file", "cases", "events", "new", "already"]
    assert first.out.splitlines()[3].split() == ["claims.xes", "3", "5", "5", "0"]
    assert "the mapping names activities that no event has: Reject" in first.err
    before = head(workindex, "ann")
    again = workindex(*words, "--json").document
    assert (again["cases"], again["events"], again["new"], again["already"]) == (3, 5, 0, 5)
    assert (again["facts"], again["rejected"], again["errors"]) == (0, 0, [])
    assert head(workindex, "ann") == before
    asked = workindex("ask", "ann", "What needs me?", "--json").document
    assert [item["id"] for item in asked["items"]] == ["k1"]
    assert asked["verdict"] == "items"
    tasks = workindex("index", "ann", "--json").document["tasks"]
    assert {t["task_id"]: t["status"] for t in tasks} == {
        "k1": "active",
        "k2": "done",
        "k3": "active",
    }


def test_a_prefix_keeps_two_logs_apart(workindex: Command, claims: Path) -> None:
    """The same case names in another process: refused by name, or under names of their own."""
    workindex("import", "xes", "ann", claims, "--source", "one")
    clash = workindex("import", "xes", "ann", claims, "--source", "two", "--json", code=3)
    assert clash.document["rejected"] == 3
    assert clash.document["errors"][0]["code"] == "item_of_other_source"
    workindex("import", "xes", "ann", claims, "--source", "two", "--prefix", "two/")
    tasks = workindex("index", "ann", "--json").document["tasks"]
    assert {"k1", "two/k1"} < {task["task_id"] for task in tasks}


def test_what_is_left_out_is_told(workindex: Command, tmp_path: Path) -> None:
    """Exit code 3, file, record and field on stderr and in the document; the rest is in."""
    log = tmp_path / "log.xes"
    log.write_text(f"<log>{case('good', 'a')}{case('', 'a')}<trace>")
    ran = workindex("import", "xes", "ann", log, code=3)
    assert f"left out: {log}: case 2: concept:name: the case has no name" in ran.err
    assert "not a log that can be read" in ran.err
    told = workindex("import", "xes", "ann", log, "--json", code=3).document
    assert (told["new"], told["already"], told["rejected"]) == (0, 1, 2)
    assert [error["field"] for error in told["errors"]] == ["concept:name", None]
    asked = workindex("ask", "ann", "What needs me?", "--json").document
    assert asked["verdict"] == "unproven"


@pytest.mark.parametrize("kind", ["qmsum", "xes", "workbench"])
def test_an_empty_folder(workindex: Command, tmp_path: Path, kind: str) -> None:
    """Refused, and nothing is stored."""
    ran = workindex("import", kind, "ann", tmp_path, "--json", code=3)
    assert "holds no" in ran.document["error"]["message"]
    bad = workindex("import", kind, "ann", tmp_path, "--source", " ", "--json", code=3)
    assert bad.document["error"]["code"] == "invalid_input"


@pytest.mark.long
def test_the_real_logs(workindex: Command, shared_data: Path) -> None:
    """Every case and event of every log is a task and a phase; again, nothing changes."""
    folder = shared_data / "eventlogs"
    ran = workindex("import", "xes", "ann", folder, "--json").document
    assert {Path(f["file"]).name: (f["cases"], f["events"]) for f in ran["files"]} == LOGS
    cases, events = (sum(column) for column in zip(*LOGS.values(), strict=True))
    assert (ran["cases"], ran["events"], ran["new"]) == (cases, events, events)
    assert ran["commands"] == {
        "complete_task": cases,
        "create_task": cases,
        "enter_task_phase": events,
        "observe_source": 2,
        "start_task": cases,
    }
    again = workindex("import", "xes", "ann", folder, "--json").document
    assert (again["new"], again["already"], again["facts"]) == (0, events, 0)
    totals = workindex("index", "ann", "--limit", "1", "--json").document["totals"]
    assert totals["tasks"] == cases


@pytest.mark.faults
def test_a_real_log_after_a_kill(workindex: Command, urls: Urls, shared_data: Path) -> None:
    """The process is killed in the middle; run again, the log is that of one straight run."""
    log = shared_data / "eventlogs" / "08_receipt.xes.gz"
    workindex("import", "xes", "straight", log)
    words: list[str | Path] = [PROGRAM, "import", "xes", "killed", log]
    process = subprocess.Popen(words, env=urls.env, stdout=subprocess.DEVNULL)
    while not head(workindex, "killed"):
        time.sleep(0.05)
    process.kill()
    process.wait()
    partly = head(workindex, "killed")
    whole = head(workindex, "straight")
    workindex("import", "xes", "killed", log)
    assert 0 < partly < whole
    assert head(workindex, "killed") == whole
    for user in ("killed", "straight"):
        assert workindex("import", "xes", user, log, "--json").document["facts"] == 0

    def world(user: str) -> list[tuple[Any, ...]]:
        tasks = workindex("index", user, "--json").document["tasks"]
        return [(t["task_id"], t["status"], t["phase"], t["assignee"]) for t in tasks]

    assert world("killed") == world("straight")
    assert workindex("projections", "verify", "--json").document["differences"] == []


def test_the_real_meetings(workindex: Command, work_index: WorkIndex, shared_data: Path) -> None:
    """All files of the folder; any range of turns equals that of the file."""
    folder = shared_data / "qmsum" / "val"
    ran = workindex("import", "qmsum", "ann", folder, "--json").document
    assert (ran["meetings"], ran["new"], ran["rejected"]) == (35, 35, 0)
    again = workindex("import", "qmsum", "ann", folder, "--json").document
    assert (again["new"], again["already"], again["facts"]) == (0, 35, 0)
    ann = work_index.user("ann")
    rows = {row["meeting_id"]: row for row in ann.index().sections["meetings"]}
    choose = random.Random(3)
    for path in sorted(folder.glob("*.json")):
        meeting = json.loads(path.read_text())
        said = [(turn["speaker"], turn["content"]) for turn in meeting["meeting_transcripts"]]
        row = rows[path.stem]
        assert set(row["participants"]) == {speaker for speaker, _ in said}
        (artifact_id,) = row["transcripts"]
        spans = [
            (int(first), int(last))
            for question in meeting["specific_query_list"]
            for first, last in question["relevant_text_span"]
        ]
        spans = [*choose.sample(spans, min(3, len(spans))), (0, len(said))]
        for first, last in spans:
            found = ann.bodies.turns(artifact_id, first, last)
            assert [turn[1:] for turn in found] == list(islice(said, first, last + 1))


def test_the_real_office(workindex: Command, shared_data: Path) -> None:
    """Every row of calendar, mails and tasks; customers are counted; again, nothing changes."""
    folder = shared_data / "workbench"
    ran = workindex("import", "workbench", "ann", folder, "--json").document
    assert (ran["meetings"], ran["messages"], ran["tasks"]) == (300, 500, 300)
    assert (ran["new"], ran["rejected"], ran["skipped"]["customers"]) == (1_100, 0, 200)
    before = head(workindex, "ann")
    again = workindex("import", "workbench", "ann", folder, "--json").document
    assert (again["new"], again["already"], again["facts"]) == (0, 1_100, 0)
    assert head(workindex, "ann") == before
    index = workindex("index", "ann", "--json").document
    statuses = [task["status"] for task in index["tasks"]]
    counts = {status: statuses.count(status) for status in set(statuses)}
    assert counts == {"open": 191, "active": 58, "done": 51}
    assert len(index["meetings"]) == 300
