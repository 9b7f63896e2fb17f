"""Asking, listing, explaining and verifying from the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest

from commands import PROGRAM, Command
from conftest import Urls

PROPOSAL = {"type": "make_proposal", "proposal_id": "P-1", "title": "Book the flight"}


@pytest.fixture
def ann(workindex: Command) -> Command:
    """A user with something of most kinds."""
    commands: list[dict[str, Any]] = [
        {"type": "create_task", "task_id": "T-1", "title": "Send the offer"},
        {"type": "create_task", "task_id": "T-2", "title": "Invoice", "blocked_by": ["T-1"]},
        {"type": "request_task_input", "task_id": "T-1", "kind": "decision", "prompt": "A or B?"},
        PROPOSAL,
        {"type": "complete_task", "task_id": "T-1"},
    ]
    workindex("record", "ann", input="\n".join(map(json.dumps, commands)))
    return workindex


def test_an_answer_has_the_contract_s_shape(ann: Command) -> None:
    """Every member of the answer and of its items, and the certificate of its proof."""
    answer = ann("ask", "ann", "What needs me?", "--json").document
    assert list(answer) == [
        "format",
        "kind",
        "filters",
        "verdict",
        "reasons",
        "text",
        "items",
        "total",
        "truncated",
        "certificate",
        "tokens",
    ]
    (item,) = answer["items"]
    assert list(item) == ["kind", "id", "title", "why", "since_at", "due_at", "value"]
    assert (item["kind"], item["id"], answer["verdict"]) == ("proposal", "P-1", "items")
    assert (answer["certificate"]["user_id"], answer["certificate"]["position"]) == ("ann", 7)
    assert ann("ask", "ann", "What needs me?").out.strip() == answer["text"]


def test_nothing_is_said_with_a_proof_only(ann: Command) -> None:
    """Proved empty for a user with a log, unproven for one without; --require-proof tells apart."""
    sent = json.dumps({"type": "create_task", "title": "x"})
    ann("record", "bob", input=sent)
    empty = ann("ask", "bob", "What needs me?", "--require-proof")
    assert empty.out == "Nothing needs you right now.\n"
    unknown = ann("ask", "nobody", "What needs me?", "--json").document
    assert (unknown["verdict"], unknown["reasons"]) == ("unproven", ["unknown_user"])
    ann("ask", "nobody", "What needs me?", "--require-proof", code=4)
    chinese = ann("ask", "bob", "What needs me?", "--locale", "zh").out
    assert chinese == "现在没有需要你处理的事。\n"


def test_a_question_for_the_assembler(ann: Command) -> None:
    """What is not canonical is not answered, and that is no failure."""
    asked = ann("ask", "ann", "Why did you do that?", "--json").document
    assert asked == {"format": 1, "kind": None, "route": "assembler"}


def test_an_earlier_position(ann: Command) -> None:
    """The answer over the log up to N is never worded as being about now."""
    early = ann("ask", "ann", "What needs me?", "--at-position", "1", "--json").document
    assert early["text"].startswith("At position 1")
    assert "right now" not in early["text"]
    outside = ann("ask", "ann", "What needs me?", "--at-position", "99", "--json", code=3)
    assert outside.document["error"]["field"] == "at_position"


def test_the_index_as_a_document_and_as_tables(ann: Command) -> None:
    """Every row for programs; for people ended rows are a count, at any width."""
    found = ann("index", "ann", "--json").document
    assert {
        "user_id",
        "proof",
        "tasks",
        "meetings",
        "commitments",
        "approvals",
        "routines",
        "triggers",
        "reminders",
        "connections",
        "credits",
        "sources",
    } <= found.keys()
    assert {row["task_id"]: row["status"] for row in found["tasks"]} == {
        "T-1": "done",
        "T-2": "open",
    }
    assert found["proof"]["verdict"] == "items"
    for width in ("80", "160"):
        shown = ann.with_env(COLUMNS=width)("index", "ann").out
        assert max(map(len, shown.splitlines())) <= int(width)
        assert "\x1b" not in shown
        assert "also: tasks 1 done" in shown
    assert len(ann("index", "ann", "--limit", "1", "--json").document["tasks"]) == 1


def test_the_log(ann: Command) -> None:
    """Positions in order, one object a line; a stream alone; from a position."""
    events = ann("log", "ann", "--json").lines
    assert [event["position"] for event in events] == list(range(1, 8))
    assert set(events[0]) == {
        "position",
        "event_id",
        "stream",
        "stream_version",
        "type",
        "schema_version",
        "data",
        "actor",
        "occurred_at",
        "recorded_at",
        "correlation_id",
        "causation_id",
    }
    stream = ann("log", "ann", "--stream", "task/T-2", "--json").lines
    assert [event["type"] for event in stream] == ["task_created", "task_blocked", "task_unblocked"]
    assert len(ann("log", "ann", "--from", "6").out.splitlines()) == 2
    none = ann("log", "nobody", "--json")
    assert (none.out, none.err.strip()) == (
        "",
        "no events from position 1 on in the log of user nobody",
    )


def test_why_a_row_is_so(ann: Command) -> None:
    """The events that touched it, also those of other streams."""
    found = ann("explain", "ann", "T-1", "--json").document
    assert list(found["rows"]) == ["task/T-1"]
    assert [event["type"] for event in found["events"]] == [
        "task_created",
        "task_blocked",
        "task_input_requested",
        "task_completed",
        "task_unblocked",
    ]
    assert ann("explain", "ann", "proposal/P-1", "--json").document["rows"].keys() == {
        "proposal/P-1"
    }
    missing = ann("explain", "ann", "T-9", "--json", code=3).document
    assert missing["error"]["code"] == "not_found"
    assert "task_blocked" in ann("explain", "ann", "T-2").out


def test_an_old_answer_folded_again(ann: Command, tmp_path: Path) -> None:
    """The log gives the same answer again, later too; a forged one differs."""
    file = tmp_path / "answer.json"
    answer = ann("ask", "ann", "What needs me?", "--json").document
    file.write_text(json.dumps(answer))
    ann(
        "record",
        "ann",
        input=json.dumps(
            {
                "type": "answer_proposal",
                "proposal_id": "P-1",
                "answer": "declined",
                "actor": {"kind": "user", "id": "ann"},
            }
        ),
    )
    again = ann("explain", "--certificate", file, "--json").document
    assert again["differences"] == []
    assert [item["id"] for item in again["answer"]["items"]] == ["P-1"]
    file.write_text(json.dumps(answer["certificate"]))
    assert "Book the flight" in ann("explain", "--certificate", file).out
    file.write_text(json.dumps({**answer, "items": [], "total": 0, "verdict": "proven_empty"}))
    forged = ann("explain", "--certificate", file, "--json", code=1).document
    assert len(forged["differences"]) == 3
    file.write_text("{}")
    assert ann("explain", "--certificate", file, "--json", code=3).document["error"]["field"]


def test_verify_finds_what_was_changed_behind_its_back(ann: Command, urls: Urls) -> None:
    """Exit code 1, with user, table, row, field and the event that last touched it."""
    clean = ann("projections", "verify", "--json").document
    assert (clean["users"], clean["events"], clean["differences"]) == (1, 7, [])
    with psycopg.connect(urls.maint, autocommit=True) as conn:
        conn.execute("UPDATE work_task SET title = 'Forged' WHERE task_id = 'T-2'")
    (found,) = ann("projections", "verify", "--json", code=1).document["differences"]
    assert found == {
        "user_id": "ann",
        "table": "work_task",
        "row": "T-2",
        "field": "title",
        "stored": "Forged",
        "folded": "Invoice",
        "position": 7,
    }
    assert "1 difference" in ann("projections", "verify", code=1).out
    listed = ann("projections", "list", "--json").document["projections"]
    live = {(one["projection_set"], one["state"]): one["users"] for one in listed}
    assert live["inline", "live"] == 1


def test_the_readiness_probe(ann: Command, urls: Urls) -> None:
    """Ready, not durable, no schema, no safe login: the first thing to mend is named."""
    ready = ann("doctor", "--json", code=None).document
    checks = {check["name"]: check["ok"] for check in ready["checks"]}
    # The tests' own server runs with fsync off, which the probe must not let pass.
    assert checks == {
        "server": True,
        "durability": False,
        "roles": True,
        "schema": True,
        "generations": True,
        "maintenance": True,
    }
    assert not ready["ok"]
    owner = ann.with_env(WORKINDEX_DATABASE_URL=urls.owner)("doctor", "--json", code=4).document
    assert "superuser" in owner["checks"][-1]["detail"]
    with psycopg.connect(urls.owner, autocommit=True) as conn:
        conn.execute("UPDATE workindex_revision SET version_num = '0000'")
    old = ann("doctor", "--json", code=4).document["checks"][-1]
    assert (old["name"], old["ok"]) == ("schema", False)
    assert "workindex db upgrade" in old["detail"]
    assert "workindex db upgrade" in ann("index", "ann", code=4).err


def test_a_reader_that_leaves(installed: Command, urls: Urls) -> None:
    """A closed pipe ends the program quietly, with the exit code that shells know."""
    command = json.dumps({"type": "create_task", "title": "T", "description": "x" * 2_000})
    sent = f"{command}\n" * 100
    installed("record", "ann", input=sent)
    shell = f"{PROGRAM} log ann --json | head -1; echo ${{PIPESTATUS[0]}}"
    told = subprocess.run(
        ["bash", "-c", shell], env=urls.env, capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines()[1] == "141"
    assert told.stderr == ""


def test_the_demo(installed: Command) -> None:
    """The day ends proved empty, with one unproven answer that says why and no difference."""
    told = installed("demo")
    assert "Nothing needs you right now." in told.out
    assert "source_stale:calendar" in told.out
    assert "0 differences" in told.out
    assert "\x1b" not in told.out
    assert max(map(len, told.out.splitlines())) <= 80
    document = installed("demo", "--json").document
    assert document["differences"] == 0
    verdicts = [one["answer"]["verdict"] for one in document["answers"]]
    assert {"items", "proven_empty", "unproven"} == set(verdicts)
    assert installed("projections", "verify", "--json").document["users"] == 2
