"""`workindex import beads` on a real tracker's history, with and without interruptions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Command


@pytest.fixture
def beads(shared_data: Path) -> Path:
    """The tracker's own files."""
    return shared_data / "beads_tasks"


def gold(beads: Path, number: int) -> dict[str, tuple[str, str, list[str]]]:
    """Ids, titles, status and blockers, worked out from the tracker's own snapshot."""
    (file,) = (beads / "snapshots").glob(f"{number:04}_*.jsonl")
    issues = {one["id"]: one for one in map(json.loads, file.read_text().splitlines())}
    unended = {item for item, one in issues.items() if one["status"] != "closed"}
    wanted = {}
    for item, one in issues.items():
        links = one.get("dependencies", [])
        blockers = {x["depends_on_id"] for x in links if x["type"] == "blocks"} & unended
        status = {"closed": "done", "in_progress": "active", "open": "open"}[one["status"]]
        if blockers and status != "done":
            status = "blocked"
        wanted[item] = (one["title"], status, sorted(blockers))
    return wanted


def seen(workindex: Command, user: str, *more: str) -> dict[str, tuple[str, str, list[str]]]:
    """The same of the Work Index."""
    tasks = workindex("index", user, "--json", *more).document["tasks"]
    return {
        one["task_id"]: (one["title"], one["status"], sorted(one["blocked_by"])) for one in tasks
    }


def snapshot(beads: Path, number: int) -> Path:
    """One snapshot file."""
    (file,) = (beads / "snapshots").glob(f"{number:04}_*.jsonl")
    return file


def part(beads: Path, tmp_path: Path, last: int) -> Path:
    """The delta file up to commit `last`."""
    import gzip

    kept = tmp_path / f"deltas_{last}.jsonl"
    with gzip.open(beads / "deltas_0266_0420.jsonl.gz", "rt") as stream:
        kept.write_text("".join(x for x in stream if json.loads(x)["index"] <= last))
    return kept


def test_the_history_of_a_real_tracker(workindex: Command, beads: Path, tmp_path: Path) -> None:
    """0265 and the deltas give 0330 and 0387; 0388 stops until it is accepted; then 0420."""
    start, deltas = snapshot(beads, 265), beads / "deltas_0266_0420.jsonl.gz"
    assert gold(beads, 388) == {}

    workindex("import", "beads", "ann", start, part(beads, tmp_path, 330))
    assert seen(workindex, "ann") == gold(beads, 330)

    stopped = workindex("import", "beads", "ann", start, deltas, "--json", code=3)
    assert seen(workindex, "ann") == gold(beads, 387)
    assert stopped.document["stopped"] == {
        "label": stopped.document["stopped"]["label"],
        "removes": 80,
        "held": 80,
        "after": 0,
    }
    assert "commit 388" in stopped.document["stopped"]["label"]
    assert "--accept-removals" in stopped.err
    asked = workindex("ask", "ann", "What needs me?", "--json").document
    assert (asked["verdict"], asked["reasons"]) == ("unproven", ["source_suspect:beads"])

    head = len(workindex("log", "ann", "--json").lines)
    for _ in range(3):
        workindex("import", "beads", "ann", start, deltas, code=3)
    assert len(workindex("log", "ann", "--json").lines) == head, "to run it again changes nothing"

    accepted = part(beads, tmp_path, 388)
    workindex("import", "beads", "ann", start, accepted, "--accept-removals")
    assert seen(workindex, "ann") == {}
    removals = [x for x in workindex("log", "ann", "--json").lines if x["type"] == "task_removed"]
    assert {x["actor"]["kind"] for x in removals[-80:]} == {"operator"}
    assert {x["actor"]["kind"] for x in removals[:-80]} == {"import"}
    asked = workindex("ask", "ann", "What needs me?", "--json").document
    assert asked["verdict"] == "proven_empty", "suspect ends with the next applied step"

    done = workindex("import", "beads", "ann", start, deltas, "--accept-removals", "--json")
    assert seen(workindex, "ann") == gold(beads, 420)
    assert (done.document["steps"], done.document["already"]) == (156, 124)
    head = len(workindex("log", "ann", "--json").lines)
    again = workindex("import", "beads", "ann", start, deltas, "--json").document
    assert (again["applied"], again["facts"], again["already"]) == (0, 0, 156)
    assert len(workindex("log", "ann", "--json").lines) == head

    verified = workindex("projections", "verify", "--json").document
    assert (verified["differences"], verified["events"]) == ([], head)
    assert seen(workindex, "ann", "--at-position", str(head)) == gold(beads, 420)


def test_a_run_in_one_go_and_a_source_of_its_own(workindex: Command, beads: Path) -> None:
    """Accepted from the start; another source keeps apart, and an id cannot belong to two."""
    files = (snapshot(beads, 265), beads / "deltas_0266_0420.jsonl.gz")
    ran = workindex("import", "beads", "ann", *files, "--accept-removals", "--json").document
    assert seen(workindex, "ann") == gold(beads, 420)
    assert len(ran["accepted"]) == 1
    (source,) = workindex("index", "ann", "--json").document["sources"]
    assert (source["state"], source["covers"]) == ("whole", ["pending", "tasks"])
    assert source["fresh_seconds"] == 86_400

    clash = workindex("import", "beads", "ann", files[0], "--source", "two", "--json", code=3)
    assert clash.document["error"]["code"] == "item_of_other_source"
    assert seen(workindex, "ann") == gold(beads, 420)


def test_snapshots_alone(workindex: Command, beads: Path) -> None:
    """A file that is imported every day: forward, to an older state, and forward again."""
    for number in (265, 330, 387, 330, 265, 330, 420):
        workindex("import", "beads", "ann", snapshot(beads, number), "--accept-removals")
        assert seen(workindex, "ann") == gold(beads, number), number
    emptied = workindex("import", "beads", "ann", snapshot(beads, 388), code=3)
    assert "would remove 90 of 90 items" in emptied.err
    assert seen(workindex, "ann") == gold(beads, 420)
    assert workindex("projections", "verify", "--json").document["differences"] == []


def issue(item: str, **more: Any) -> str:
    """One line of a snapshot."""
    return json.dumps({"id": item, "title": f"Issue {item}", "status": "open", **more}) + "\n"


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--source", ""), "source"),
        (("--source", "a\x1bb"), "source"),
        (("--fresh-seconds", "999999999999"), "fresh_seconds"),
    ],
)
def test_bad_options(
    workindex: Command, tmp_path: Path, words: tuple[str, ...], field: str
) -> None:
    """Refused before anything is read or stored."""
    file = tmp_path / "issues.jsonl"
    file.write_text(issue("a"))
    ran = workindex("import", "beads", "ann", file, *words, "--json", code=3)
    assert ran.document["error"]["field"] == field
    assert workindex("log", "ann", "--json").lines == []


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ('{"id": "c", "title": "C", "status": "later"}\n', "issue c: status"),
        ('{"id": "c", "title": "C"\n', "not JSON"),
        (issue("a"), "issue a stands twice"),
        (issue("c", title="x" * 2_001), "issue c: title"),
        (issue("c", dependencies=[{"type": "blocks", "depends_on_id": "a"}]), None),
    ],
)
def test_bad_lines(workindex: Command, tmp_path: Path, bad: str, told: str | None) -> None:
    """File, line, issue and field are named, and nothing of the step is stored."""
    cycle = issue("a", dependencies=[{"type": "blocks", "depends_on_id": "c"}])
    file = tmp_path / "issues.jsonl"
    file.write_text((cycle if told is None else issue("a")) + issue("b") + bad)
    ran = workindex("import", "beads", "ann", file, "--json", code=3)
    error = ran.document["error"]
    if told is None:
        assert error["code"] == "block_cycle"
        assert f"{file}: issue" in error["message"]
    else:
        assert f"{file}:3" in error["message"]
        assert told in error["message"]
    assert workindex("log", "ann", "--json").lines == []
