"""Imports of records: interrupted anywhere, run again, grown, with bad records among good ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from fragile import Fragile
from workindex.domain.errors import NotReady, Unavailable
from workindex.domain.facts import Actor
from workindex.service.client import UserScope, WorkIndex
from workindex.service.importers import session
from workindex.service.importers.qmsum import import_qmsum
from workindex.service.importers.report import Report
from workindex.service.importers.session import Order
from workindex.service.importers.workbench_driver import import_workbench
from workindex.service.importers.xes_driver import import_xes
from workindex.service.importers.xes_mapping import Approval, XesMapping

ME = Actor(kind="operator", id="root")
MAPPING = XesMapping(
    done=("close",), approvals=(Approval(asked=("ask",), granted=("yes",), denied=("no",)),)
)
Import = Callable[[UserScope], Report]


def order(*paths: Path, source: str, accepted_by: Actor | None = None) -> Order:
    """An import of the files."""
    return Order(paths, source, 86_400, datetime.now(UTC), accepted_by)


def xes_log(path: Path, cases: dict[str, list[tuple[str, str]]]) -> Path:
    """A log: of each case its activities with their times on one day."""
    body = ""
    for name, events in cases.items():
        body += f'<trace><string key="concept:name" value="{name}"/>'
        for activity, at in events:
            body += (
                f'<event><string key="concept:name" value="{activity}"/>'
                f'<string key="org:resource" value="Pete"/>'
                f'<date key="time:timestamp" value="2026-01-05T{at}:00Z"/></event>'
            )
        body += "</trace>"
    path.write_text(f"<log>{body}</log>")
    return path


def process(path: Path) -> Path:
    """Twelve cases side by side, some of which wait, were answered or are closed."""
    steps = ["file", "ask", "yes", "file", "close"]
    return xes_log(
        path,
        {
            f"c{n}": [(steps[at], f"{8 + at:02}:{n:02}") for at in range(1 + n % len(steps))]
            for n in range(12)
        },
    )


def meetings(folder: Path) -> Path:
    """Five meetings."""
    folder.mkdir()
    for n in range(5):
        turns = [{"speaker": f"S{t % 3}", "content": f"{n}/{t}"} for t in range(60 + n)]
        (folder / f"m{n}.json").write_text(json.dumps({"meeting_transcripts": turns}))
    return folder


def office(folder: Path, tasks: int = 14) -> Path:
    """A calendar, mails and tasks."""
    folder.mkdir(exist_ok=True)
    lists = ["Backlog", "In Progress", "In Review", "Completed"]
    tables = {
        "calendar": ["event_id,event_name,participant_email,event_start,duration"]
        + [f"e{n},Meeting {n},ann@x.com,2026-01-02 {n:02}:00:00,30" for n in range(6)],
        "mails": ["email_id,inbox/outbox,sender/recipient,subject,sent_datetime,body"]
        + [f"m{n},inbox,bob@x.com,Hi {n % 3},2026-01-02 12:{n:02}:00,Text" for n in range(9)],
        "tasks": ["task_id,task_name,assigned_to_email,list_name,due_date,board"]
        + [f"t{n},Task {n},bob@x.com,{lists[n % 4]},2026-02-02,Design" for n in range(tasks)],
    }
    for name, lines in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(params=["qmsum", "xes", "workbench"])
def importing(request: pytest.FixtureRequest, tmp_path: Path) -> Import:
    """One import of each format over files of our own."""
    name = request.param
    if name == "qmsum":
        folder = meetings(tmp_path / "meetings")
        return lambda scope: import_qmsum(scope, order(folder, source=name))
    if name == "xes":
        log = process(tmp_path / "log.xes")
        return lambda scope: import_xes(scope, order(log, source=name), MAPPING)
    folder = office(tmp_path / "office")
    return lambda scope: import_workbench(scope, order(folder, source=name), ZoneInfo("UTC"))


def facts(scope: UserScope) -> list[tuple[str, str]]:
    """The stream and the type of each fact, the source's own reports aside."""
    return [
        (event.fact.stream, event.fact.type)
        for event in scope.log()
        if event.fact.type != "source_observed"
    ]


def rows(scope: UserScope) -> dict[str, Any]:
    """Tasks and meetings, but for when things were recorded."""
    index = scope.index()
    late = {"created_at", "updated_at", "status_since_at", "started_at", "ended_at"}
    kept = {
        name: [{k: v for k, v in row.items() if k not in late} for row in index.sections[name]]
        for name in ("tasks", "meetings")
    }
    text = json.dumps(kept, default=str)
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_interrupted_anywhere(
    work_index: WorkIndex, importing: Import, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small batches, a failure at each of them in turn: the same facts, each once."""
    monkeypatch.setattr(session, "BATCH_COMMANDS_MAX", 7)
    straight = work_index.user("straight")
    report = importing(straight)
    assert (report.rejected_count, report.facts > 20) == (0, True)
    for interruptions in range(200):
        try:
            importing(Fragile(work_index, "broken", lasts=interruptions % 3, after=after))
        except Unavailable:
            continue
        break
    assert interruptions > 2
    broken = work_index.user("broken")
    assert sorted(facts(broken)) == sorted(facts(straight))
    assert rows(broken) == rows(straight)
    before = broken.index().position
    again = importing(broken)
    assert (again.facts, sum(one.new for one in again.files)) == (0, 0)
    assert broken.index().position == before
    (source,) = broken.index().sections["sources"]
    assert source["state"] == "whole"


def test_a_source_is_partial_until_all_of_it_is_there(
    work_index: WorkIndex, importing: Import
) -> None:
    """An answer given while the import is interrupted is not proven."""
    with pytest.raises(Unavailable):
        importing(Fragile(work_index, "ann", lasts=1, after=False))
    (source,) = work_index.user("ann").index().sections["sources"]
    assert source["state"] == "partial"


def test_the_log_is_in_the_order_of_the_world(work_index: WorkIndex, tmp_path: Path) -> None:
    """Cases side by side: a position is a moment, and each fact says when it happened."""
    ann = work_index.user("ann")
    import_xes(ann, order(process(tmp_path / "log.xes"), source="xes"), MAPPING)
    times = [e.occurred_at for e in ann.log() if e.fact.type == "task_phase_entered"]
    assert len(times) == 33
    assert all(one <= two for one, two in pairwise(times))
    assert {event.actor for event in ann.log()} == {Actor(kind="import", id="xes")}
    assert ann.index().proof.verdict == "items"
    waiting = [t["task_id"] for t in ann.index().sections["tasks"] if t["pending"] == "approval"]
    assert waiting == ["c1", "c11", "c6"]


def test_a_longer_log_goes_on(work_index: WorkIndex, tmp_path: Path) -> None:
    """Two files of one process: the second adds its events and nothing twice."""
    ann = work_index.user("ann")
    first = xes_log(tmp_path / "one.xes", {"c": [("file", "08:00"), ("close", "09:00")]})
    both = [("file", "08:00"), ("close", "09:00"), ("ask", "10:00")]
    second = xes_log(tmp_path / "two.xes", {"c": both, "d": [("file", "08:30")]})
    report = import_xes(ann, order(first, second, source="xes"), MAPPING)
    assert [(one.new, one.already) for one in report.files] == [(2, 0), (2, 2)]
    tasks = {t["task_id"]: (t["status"], t["pending"]) for t in ann.index().sections["tasks"]}
    assert tasks == {"c": ("active", "approval"), "d": ("active", "none")}


def test_good_records_are_kept(work_index: WorkIndex, tmp_path: Path) -> None:
    """A bad case, one of somebody else and one that does not fit stand beside good ones."""
    ann = work_index.user("ann")
    ann.record({"type": "create_task", "task_id": "mine", "title": "M"}, actor=ME)
    path = xes_log(
        tmp_path / "log.xes",
        {
            "good": [("a", "08:00"), ("b", "09:00")],
            "mine": [("a", "08:00")],
            "bad": [("a", "08:00"), ("b", "25:00")],
            "long": [("x" * 2_001, "08:00")],
            "last": [("a", "08:00")],
        },
    )
    report = import_xes(ann, order(path, source="xes"), MAPPING)
    assert [(one.code, one.field) for one in report.rejected] == [
        ("invalid_input", "time:timestamp"),
        ("item_of_other_source", "id"),
        ("invalid_input", "concept:name"),
    ]
    assert all(one.message.startswith(f"{path}: case") for one in report.rejected)
    assert report.files[0][1:] == ({"cases": 5, "events": 7}, 3, 0, 3)
    assert {t["task_id"] for t in ann.index().sections["tasks"]} == {"good", "mine", "last"}
    assert ann.index().sections["sources"][0]["state"] == "partial"
    again = import_xes(ann, order(path, source="xes"), MAPPING)
    assert (again.facts, again.rejected_count) == (0, 3)


def test_a_refused_record_leaves_its_batch_standing(work_index: WorkIndex, tmp_path: Path) -> None:
    """The log refuses one message of many: it is named, with its line, and the others are in."""
    ann = work_index.user("ann")
    said = {"type": "post_message", "message_id": "m4", "thread_id": "t", "role": "user"}
    ann.record({**said, "text": "Mine"}, actor=ME)
    report = import_workbench(ann, order(office(tmp_path), source="o"), ZoneInfo("UTC"))
    (rejected,) = report.rejected
    assert f"{tmp_path / 'mails.csv'}:6 email_id m4" in rejected.message
    posted = {e.fact.stream for e in ann.log() if e.fact.type == "message_posted"}
    assert len(posted) == 9


def test_removals_wait_for_a_person(work_index: WorkIndex, tmp_path: Path) -> None:
    """Few go at once; most only in somebody's name, and until then the source is suspect."""
    ann = work_index.user("ann")
    utc = ZoneInfo("UTC")
    import_workbench(ann, order(office(tmp_path), source="o"), utc)
    few = import_workbench(ann, order(office(tmp_path, tasks=12), source="o"), utc)
    assert (few.commands["remove_task"], few.stopped) == (2, None)
    most = order(office(tmp_path, tasks=1), source="o")
    stopped = import_workbench(ann, most, utc).stopped
    assert stopped is not None
    assert (stopped.removes, stopped.held, stopped.after) == (11, 12, 1)
    assert ann.index().proof.reasons == ("source_suspect:o",)
    heard: list[Any] = []
    accepted = import_workbench(ann, most._replace(accepted_by=ME), utc, accepting=heard.append)
    assert (heard, accepted.accepted, accepted.stopped) == ([stopped], ("11 tasks",), None)
    removed = [event.actor for event in ann.log() if event.fact.type == "task_removed"]
    assert removed[-11:] == [ME] * 11
    assert [t["task_id"] for t in ann.index().sections["tasks"]] == ["t0"]
    assert ann.index().sections["sources"][0]["state"] == "whole"


def test_a_table_with_a_bad_row_removes_nothing(work_index: WorkIndex, tmp_path: Path) -> None:
    """The row that cannot be read may be the one that is missing."""
    ann = work_index.user("ann")
    utc = ZoneInfo("UTC")
    import_workbench(ann, order(office(tmp_path), source="o"), utc)
    table = office(tmp_path, tasks=13) / "tasks.csv"
    table.write_text(table.read_text().replace("t1,Task 1,", "t1,,"))
    report = import_workbench(ann, order(tmp_path, source="o"), utc)
    assert (report.facts, report.rejected_count) == (1, 1)
    assert "2 tasks are named by nothing" in report.notes[0]
    assert len(ann.index().sections["tasks"]) == 14


def test_turns_are_read_back(work_index: WorkIndex, tmp_path: Path) -> None:
    """Any range of what was said, out of the artifact that the meeting names."""
    ann = work_index.user("ann")
    import_qmsum(ann, order(meetings(tmp_path / "m"), source="q"))
    row = ann.index().sections["meetings"][3]
    assert (row["title"], row["status"], row["participants"]) == ("m3", "ended", ["S0", "S1", "S2"])
    (artifact_id,) = row["transcripts"]
    found = ann.bodies.turns(artifact_id, 48, 62)
    assert [turn.text for turn in found] == [f"3/{n}" for n in range(48, 63)]


def test_rows_that_are_not_certain(work_index: WorkIndex, importing: Import) -> None:
    """Without trust in what there is, nothing is compared with it."""
    ann = work_index.user("ann")
    ann.record({"type": "create_task", "title": "T"}, actor=ME)
    with work_index.database.maintenance() as conn:
        conn.execute("UPDATE projection_progress SET open_count = 5")
    with pytest.raises(NotReady, match="rows_missing"):
        importing(ann)
    assert len(list(ann.log())) == 1
