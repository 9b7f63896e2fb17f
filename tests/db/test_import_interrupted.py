"""An import that dies anywhere and is run again ends where an uninterrupted one does."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fragile import Fragile
from workindex.domain.errors import CommandRefused, Unavailable
from workindex.domain.facts import Actor
from workindex.service.client import UserScope, WorkIndex
from workindex.service.importers import beads_driver
from workindex.service.importers.beads_driver import Outcome, import_beads
from workindex.service.importers.session import Order


def order(*paths: Path, accepted_by: Actor | None = None) -> Order:
    """An import of the files."""
    return Order(paths, "beads", 86_400, datetime.now(UTC), accepted_by)


def rows(scope: UserScope) -> dict[str, tuple[Any, ...]]:
    """What the import is about, by id."""
    return {
        task["task_id"]: (task["title"], task["status"], task["blocked_by"], task["description"])
        for task in scope.index().sections["tasks"]
    }


@pytest.fixture
def history(tmp_path: Path) -> list[Path]:
    """A snapshot and a delta file of our own, with every kind of change."""

    def issue(number: int, **more: Any) -> dict[str, Any]:
        return {"id": f"i{number}", "title": f"Issue {number}", "status": "open", **more}

    def waits(number: int) -> dict[str, Any]:
        return {"dependencies": [{"type": "blocks", "depends_on_id": f"i{number}"}]}

    snapshot = tmp_path / "snapshot.jsonl"
    states = ["open", "in_progress", "closed"]
    issues = [
        issue(n, status=states[n % 3], **(waits(n - 1) if n % 4 == 1 else {})) for n in range(30)
    ]
    snapshot.write_text("".join(json.dumps(one) + "\n" for one in issues))
    deltas = tmp_path / "deltas.jsonl"
    steps = [
        {
            "upsert": [
                issue(n, status=states[(n + s) % 3], **(waits(n + 1) if n % 5 == s else {}))
                for n in range(s, 30, 4)
            ],
            "delete": [f"i{s}", f"i{s + 1}"],
        }
        for s in range(6)
    ]
    lines = [
        json.dumps({"index": n, "commit": f"c{n}", "time": "2026-01-02T03:04:05Z", **step})
        for n, step in enumerate(steps)
    ]
    deltas.write_text("\n".join(lines))
    return [snapshot, deltas]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_interrupted_anywhere(
    work_index: WorkIndex, history: list[Path], after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small batches, a failure at each of them in turn, until one run gets through."""
    straight = work_index.user("straight")
    import_beads(straight, order(*history))
    monkeypatch.setattr(beads_driver, "BATCH_COMMANDS_MAX", 3)
    interruptions = 0
    while True:
        scope = Fragile(work_index, "broken", lasts=interruptions % 4, after=after)
        try:
            import_beads(scope, order(*history))
        except Unavailable:
            interruptions += 1
            assert interruptions < 200
            continue
        break
    assert interruptions > 5
    broken = work_index.user("broken")
    assert rows(broken) == rows(straight)
    before = broken.index().position
    again = import_beads(broken, order(*history))
    assert (again.applied, again.facts) == (0, 0)
    assert broken.index().position == before


def test_a_source_is_seen_again(work_index: WorkIndex, history: list[Path]) -> None:
    """Nothing new after half of the time for which it is fresh: the source has been seen."""
    scope = work_index.user("ann")
    first = order(*history)
    import_beads(scope, first)

    def later(hours: int) -> Outcome:
        at = first.started_at.replace(year=first.started_at.year + 1)
        return import_beads(scope, first._replace(started_at=at) if hours else first)

    assert later(0).facts == 0
    seen = later(20)
    assert (seen.applied, seen.facts) == (0, 1)
    assert scope.index().sections["sources"][0]["state"] == "whole"


def test_what_somebody_did_here_is_brought_back(work_index: WorkIndex, tmp_path: Path) -> None:
    """The next step of a source says what is so; blockers of others are left alone."""
    ann = work_index.user("ann")
    me = Actor(kind="user", id="ann")
    file = tmp_path / "issues.jsonl"

    def write(title: str) -> Path:
        file.write_text(
            json.dumps({"id": "a", "title": title, "status": "open"})
            + "\n"
            + json.dumps({"id": "b", "title": "B", "status": "in_progress"})
            + "\n"
        )
        return file

    import_beads(ann, order(write("A")))
    for command in (
        {"type": "cancel_task", "task_id": "a"},
        {"type": "create_task", "task_id": "mine", "title": "Mine"},
        {"type": "block_task", "task_id": "b", "blocked_by": ["mine"]},
    ):
        ann.record(command, actor=me)
    import_beads(ann, order(write("A again")))
    found = rows(ann)
    assert found["a"][:2] == ("A again", "open")
    assert found["b"][:3] == ("B", "blocked", ["mine"])
    assert found["mine"][1] == "open"


def test_an_id_of_somebody_else(work_index: WorkIndex, tmp_path: Path) -> None:
    """An issue cannot take over a task that it did not make."""
    ann = work_index.user("ann")
    ann.record(
        {"type": "create_task", "task_id": "a", "title": "Mine"}, actor=Actor(kind="user", id="ann")
    )
    file = tmp_path / "issues.jsonl"
    file.write_text(json.dumps({"id": "a", "title": "Theirs", "status": "open"}))
    with pytest.raises(CommandRefused, match="was not imported"):
        import_beads(ann, order(file))
    assert rows(ann)["a"][0] == "Mine"


def test_the_operator_is_recorded(work_index: WorkIndex, tmp_path: Path) -> None:
    """Who accepted removals stands in the facts and is told before the step is applied."""
    ann = work_index.user("ann")
    full, empty = tmp_path / "full.jsonl", tmp_path / "empty.jsonl"
    full.write_text(json.dumps({"id": "a", "title": "A", "status": "closed"}))
    empty.touch()
    stopped = import_beads(ann, order(full, empty)).stopped
    assert stopped is not None
    assert (stopped.removes, stopped.held, stopped.after) == (1, 1, 0)
    assert ann.index().proof.reasons == ("source_suspect:beads",)
    heard: list[tuple[Any, bool]] = []
    who = Actor(kind="operator", id="root")
    done = import_beads(
        ann,
        order(full, empty, accepted_by=who),
        accepting=lambda one: heard.append((one, bool(rows(ann)))),
    )
    assert heard == [(stopped, True)]
    assert (done.applied, done.stopped, rows(ann)) == (1, None, {})
    assert ann.index().proof.verdict == "proven_empty"
    removed = [event for event in ann.log() if event.fact.type == "task_removed"]
    assert [event.actor for event in removed] == [who]
