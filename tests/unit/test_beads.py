"""An issue tracker's history becomes tasks: the plan of each step, without a database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from driver import Driver
from workindex.domain.errors import InvalidInput
from workindex.domain.tasks import TASKS
from workindex.projections.tasks import TABLES, TaskRow
from workindex.service.importers.beads import Held, StepPlan, held_items, plan_step
from workindex.service.importers.beads_files import Step, parse_step, raw_steps
from workindex.service.importers.session import removes_too_much

DATA = Path(__file__).parents[3] / "shared" / "data" / "beads_tasks"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the real tracker's files are not here")


def issue(item: str, status: str = "open", **more: Any) -> dict[str, Any]:
    """One issue as the tracker writes it; `waits_for` names what blocks it."""
    waits_for = more.pop("waits_for", ())
    links = [{"type": "blocks", "issue_id": item, "depends_on_id": one} for one in waits_for]
    return {"id": item, "title": f"Issue {item}", "status": status, "dependencies": links, **more}


def suspicious_of(plan: StepPlan, held: Mapping[str, Held]) -> bool:
    """Whether somebody has to accept what the plan removes."""
    return removes_too_much(len(plan.removed), len(held), len(plan.after))


class Tracker:
    """A source in memory: steps go in, rows come out."""

    def __init__(self) -> None:
        self.driver = Driver([TASKS], TABLES)
        self.commands: list[str] = []
        self._by_type = {c.model_fields["type"].default: c for c in TASKS.commands}

    @property
    def rows(self) -> dict[str, TaskRow]:
        return {row.task_id: row for row in self.driver.rows.values()}

    def held(self) -> dict[str, Held]:
        """What the source holds by now."""
        return held_items([row._asdict() for row in self.rows.values()], "beads")

    def take(self, step: Step) -> None:
        """Plans the step on the rows as they are, and does what the plan says."""
        held = self.held()
        plan = plan_step(step, held, "beads")
        self.commands = []
        for wish in plan.wishes:
            facts = self.driver.do(self._by_type[wish.command["type"]](**wish.command), by="import")
            assert facts, f"{wish} changed nothing"
            self.commands.append(f"{wish.command['type']} {wish.item_id}")
        assert self.held().keys() == plan.after.keys()
        for item, one in self.held().items():
            assert one.blocked_by == plan.after[item].blocked_by, item
        again = plan_step(step, self.held(), "beads")
        assert not again.wishes, "a step that is done has nothing left to do"


def snapshot(tmp_path: Path, *issues: Mapping[str, Any]) -> Step:
    """A whole-state step out of a file."""
    file = tmp_path / "snapshot.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in issues))
    (raw,) = raw_steps([file])
    return parse_step(raw)


def delta(tmp_path: Path, upsert: Iterable[Mapping[str, Any]], delete: Iterable[str] = ()) -> Step:
    """A one-commit step out of a file."""
    file = tmp_path / "delta.jsonl"
    head = {"index": 1, "commit": "c1", "time": "2026-01-02T03:04:05Z"}
    file.write_text(json.dumps({**head, "upsert": list(upsert), "delete": list(delete)}) + "\n")
    (raw,) = raw_steps([file])
    return parse_step(raw)


def gold(number: int) -> dict[str, tuple[str, str, list[str]]]:
    """Ids, titles, status and blockers, worked out from the tracker's own snapshot."""
    (file,) = (DATA / "snapshots").glob(f"{number:04}_*.jsonl")
    issues = {one["id"]: one for one in map(json.loads, file.read_text().splitlines())}
    wanted = {}
    for item, one in issues.items():
        blockers = sorted(
            link["depends_on_id"]
            for link in one.get("dependencies", [])
            if link["type"] == "blocks"
            and issues.get(link["depends_on_id"], {"status": "closed"})["status"] != "closed"
        )
        plain = {"closed": "done", "in_progress": "active", "open": "open"}[one["status"]]
        status = "blocked" if blockers and plain != "done" else plain
        wanted[item] = (one["title"], status, blockers)
    return wanted


def seen(rows: Mapping[str, TaskRow]) -> dict[str, tuple[str, str, list[str]]]:
    """The same of the rows."""
    return {item: (row.title, row.status, sorted(row.blocked_by)) for item, row in rows.items()}


@needs_data
def test_a_real_history_ends_where_the_tracker_did() -> None:
    """Snapshot 0265 and every commit after it give snapshots 0330, 0387, 0388 and 0420."""
    tracker = Tracker()
    start = next((DATA / "snapshots").glob("0265_*.jsonl"))
    deltas = DATA / "deltas_0266_0420.jsonl.gz"
    suspicious = []
    for number, raw in enumerate(raw_steps([start, deltas]), start=265):
        step = parse_step(raw)
        held = tracker.held()
        if suspicious_of(plan_step(step, held, "beads"), held):
            suspicious.append(number)
        tracker.take(step)
        if number in (265, 330, 387, 388, 420):
            assert seen(tracker.rows) == gold(number)
    assert number == 420
    assert suspicious == [388]


def test_status_follows_one_order(tmp_path: Path) -> None:
    """Closed before blocked before active before open."""
    tracker = Tracker()
    tracker.take(
        snapshot(
            tmp_path,
            issue("a", "in_progress"),
            issue("b", "in_progress", waits_for=["a"]),
            issue("c", "closed", waits_for=["a"]),
            issue("d", waits_for=["c", "gone", "d"]),
        )
    )
    assert {i: row.status for i, row in tracker.rows.items()} == {
        "a": "active",
        "b": "blocked",
        "c": "done",
        "d": "open",
    }
    tracker.take(delta(tmp_path, [issue("a", "closed")]))
    assert tracker.rows["b"].status == "active"
    assert tracker.commands == ["complete_task a"]


def test_a_reopened_blocker_blocks_again(tmp_path: Path) -> None:
    """What waits for it is known although it was closed, and although only the blocker changed."""
    tracker = Tracker()
    tracker.take(snapshot(tmp_path, issue("a", "closed"), issue("b", waits_for=["a"])))
    tracker.take(delta(tmp_path, [issue("a")]))
    assert tracker.rows["b"].blocked_by == ["a"]
    assert tracker.commands == ["reopen_task a", "block_task b"]


def test_links_turn_round_and_work_starts_and_stops(tmp_path: Path) -> None:
    """Old links go before new ones come, and a blocked issue can be started."""
    tracker = Tracker()
    tracker.take(snapshot(tmp_path, issue("a"), issue("b", waits_for=["a"])))
    tracker.take(snapshot(tmp_path, issue("a", "in_progress", waits_for=["b"]), issue("b")))
    assert (tracker.rows["a"].status, tracker.rows["a"].blocked_by) == ("blocked", ["b"])
    tracker.take(snapshot(tmp_path, issue("a", "in_progress"), issue("b", "in_progress")))
    assert {row.status for row in tracker.rows.values()} == {"active"}
    tracker.take(snapshot(tmp_path, issue("a"), issue("b", "closed", waits_for=["a"])))
    assert seen(tracker.rows) == {"a": ("Issue a", "open", []), "b": ("Issue b", "done", ["a"])}
    tracker.take(snapshot(tmp_path, issue("a"), issue("b", "in_progress")))
    assert seen(tracker.rows) == {"a": ("Issue a", "open", []), "b": ("Issue b", "active", [])}


def test_an_id_seen_again_goes_on_in_its_stream(tmp_path: Path) -> None:
    """A deletion removes the row and its links; a later upsert creates the task again."""
    tracker = Tracker()
    tracker.take(snapshot(tmp_path, issue("a"), issue("b", waits_for=["a"])))
    tracker.take(delta(tmp_path, [], ["a", "never-seen"]))
    assert seen(tracker.rows) == {"b": ("Issue b", "open", [])}
    tracker.take(delta(tmp_path, [issue("a", title="Back")], ["a"]))
    assert seen(tracker.rows) == {"a": ("Back", "open", []), "b": ("Issue b", "blocked", ["a"])}
    last = [event for event in tracker.driver.log if event.fact.stream == "task/a"][-1]
    assert last.stream_version == 3


@pytest.mark.parametrize(
    ("held", "left", "added", "too_much"),
    [
        (20, 9, 0, True),
        (20, 10, 0, False),
        (12, 2, 0, False),
        (12, 1, 50, True),
        (3, 0, 0, True),
        (3, 0, 1, False),
        (0, 0, 0, False),
    ],
)
def test_the_removal_guard(
    tmp_path: Path, held: int, left: int, added: int, too_much: bool
) -> None:
    """More than half and more than ten, or all of a source that held some."""
    tracker = Tracker()
    tracker.take(snapshot(tmp_path, *(issue(f"i{n}", "closed") for n in range(held))))
    kept = [issue(f"i{n}") for n in range(left)] + [issue(f"n{n}") for n in range(added)]
    now_held = tracker.held()
    plan = plan_step(snapshot(tmp_path, *kept), now_held, "beads")
    assert suspicious_of(plan, now_held) is too_much


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"id": "a", "title": "A", "status": "done"}', r":2 issue a: status: .*'open'"),
        ('{"id": "a", "title": "", "status": "open"}', r":2 issue a: title"),
        ('{"id": "a", "status": "open"}', r":2 issue a: title: Field required"),
        ('{"id": "b", "title": "B", "status": "open"}', r":2: issue b stands twice, first in .*:1"),
        ('{"id": "a", "title": "A", "title": "B"}', r":2: the member 'title' stands twice"),
        ('{"id": "a", "title": "A', r":2: not JSON"),
        ('{"id": "a", "title": "A\\u0000", "status": "open"}', r":2: title holds the char"),
        ("[]", r":2: the line is an array"),
        (
            '{"id": "a", "title": "A", "status": "open", "created_at": "2026-01-01"}',
            r":2 issue a: created_at",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, told: str) -> None:
    """File, line, issue and field, before anything of the step is used."""
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps(issue("b")) + "\n" + line + "\n")
    (raw,) = raw_steps([file])
    with pytest.raises(InvalidInput, match=told):
        parse_step(raw)


def test_the_same_content_twice_is_two_steps(tmp_path: Path) -> None:
    """Steps are named by content and by how often it stood before."""
    file = tmp_path / "same.jsonl"
    file.write_text(json.dumps(issue("a")))
    first, second = (raw.step_id for raw in raw_steps([file, file]))
    assert first.split("#")[0] == second.split("#")[0]
    assert first != second


def test_a_broken_archive_is_named(tmp_path: Path) -> None:
    """A gzip file that ends too early is bad input, not a crash."""
    file = tmp_path / "cut.jsonl.gz"
    file.write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00")
    with pytest.raises(InvalidInput, match=r"cut\.jsonl\.gz cannot be read"):
        list(raw_steps([file]))
