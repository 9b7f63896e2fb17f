"""`workindex record`: NDJSON in, one result line each, safe to send again by key."""

from __future__ import annotations

import getpass
import json
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest

from commands import Command

# Documents that the parsing suite accepts and that cannot be kept whole.
REFUSED_ON_PURPOSE = {
    "y_object_escaped_null_in_key.json",
    "y_string_null_escape.json",
}


def lines(*commands: dict[str, Any]) -> str:
    """Commands as NDJSON."""
    return "".join(json.dumps(command) + "\n" for command in commands)


def create(task_id: str, **more: Any) -> dict[str, Any]:
    """A command that creates a task."""
    return {"type": "create_task", "task_id": task_id, "title": f"Task {task_id}", **more}


def test_results_line_by_line(workindex: Command) -> None:
    """Good lines are recorded, bad ones say why, and the exit code tells that there were some."""
    sent = (
        lines(create("T-1", key="k1"), create("T-1", key="k2"))
        + "\n{]\n"
        + lines(
            {"type": "complete_task", "task_id": "T-1", "key": "k3"},
            {"type": "complete_task", "task_id": "T-1", "key": "k4"},
            create("T-2", expected_version=3),
            create("T-3", titel="x"),
        )
    )
    ran = workindex("record", "ann", "--json", input=sent, code=3)
    ok = {"ok": True, "duplicate": False, "error": None}
    assert [{**one, "error": one.get("error", {}).get("code")} for one in ran.lines] == [
        ok | {"line": 1, "positions": [1], "streams": ["task/T-1"]},
        {"line": 2, "ok": False, "error": "task_exists"},
        {"line": 4, "ok": False, "error": "invalid_input"},
        ok | {"line": 5, "positions": [2], "streams": ["task/T-1"]},
        ok | {"line": 6, "positions": [], "streams": []},
        {"line": 7, "ok": False, "error": "version_conflict"},
        {"line": 8, "ok": False, "error": "invalid_input"},
    ]
    assert set(ran.lines[1]["error"]) == {"code", "message", "field"}
    assert ran.lines[6]["error"]["field"] == "titel"
    assert "7 lines: 3 recorded, 4 refused" in ran.err


def test_a_file_sent_again_changes_nothing(workindex: Command, tmp_path: Path) -> None:
    """Lines with a key give their first result again, and another command under it is refused."""
    file = tmp_path / "commands.ndjson"
    file.write_text(lines(*(create(f"T-{n}", key=str(n)) for n in range(1, 6))))
    first = workindex("record", "ann", file, "--json").lines
    again = workindex("record", "ann", file, "--json").lines
    assert [one["positions"] for one in again] == [one["positions"] for one in first]
    assert all(one["duplicate"] for one in again)
    other_source = workindex("record", "ann", file, "--source", "x", "--json", code=3)
    assert {one["error"]["code"] for one in other_source.lines} == {"task_exists"}
    changed = lines({**create("T-1", key="1"), "title": "Other"})
    (refused,) = workindex("record", "ann", "--json", input=changed, code=3).lines
    assert refused["error"]["code"] == "duplicate_key_conflict"
    assert len(workindex("log", "ann", "--json").lines) == 5


def test_who_and_when(workindex: Command) -> None:
    """The actor is the operator at the terminal unless a line names another, who may do less."""
    sent = lines(
        create("T-1"),
        create("T-2", actor={"kind": "agent", "id": "planner"}, occurred_at="2026-01-02T03:04Z"),
        create("T-3", actor={"kind": "emperor", "id": "x"}),
        create("T-4", occurred_at="2026-01-02T03:04"),
        create("T-5", occurred_at=1),
        create("T-6", key=7),
        {"type": "grant_approval", "approval_id": "A", "action_hash": "0" * 64},
    )
    told = workindex("record", "ann", "--json", input=sent, code=3).lines
    fields = [one["error"]["field"] for one in told if not one["ok"]]
    assert fields == ["actor.kind", "occurred_at", "occurred_at", "key", None]
    assert told[-1]["error"]["code"] == "not_permitted"
    first, second = workindex("log", "ann", "--json").lines
    assert first["actor"] == {"kind": "operator", "id": getpass.getuser()}
    assert second["actor"] == {"kind": "agent", "id": "planner"}
    assert second["occurred_at"] == "2026-01-02T03:04:00+00:00"


def test_documents_of_the_parsing_suite(workindex: Command, shared_data: Path) -> None:
    """A y_ document comes back as it was, or the rule that keeps it out is named; no n_ goes in."""
    suite = shared_data / "jsontestsuite/test_parsing"
    good = sorted(suite.glob("y_*.json"))
    sent = b""
    for file in good:
        document = file.read_bytes().strip(b" \t\r\n").replace(b"\n", b" ").replace(b"\r", b" ")
        head = json.dumps(create(file.name, key=file.name)).encode()[:-1]
        sent += head + b', "fields": {"document": {"value": ' + document + b"}}}\n"
    told = workindex("record", "ann", "--json", input=sent, code=3).lines
    refused = {file.name: one for file, one in zip(good, told, strict=True) if not one["ok"]}
    assert refused.keys() == REFUSED_ON_PURPOSE
    assert {one["error"]["code"] for one in refused.values()} == {"invalid_input"}
    kept = {
        task["task_id"]: task["fields"]["document"]["value"]
        for task in workindex("index", "ann", "--json").document["tasks"]
    }
    for file in good:
        if file.name not in refused:
            assert kept[file.name] == json.loads(file.read_bytes()), file.name

    bad = sorted(suite.glob("n_*.json"))
    sent = b""
    for file in bad:
        document = file.read_bytes()
        sent += document + b"\n"
        sent += b'{"type": "create_task", "title": "n", "fields": {"x": {"value": '
        sent += document + b"}}}\n"
    told = workindex("record", "bob", "--json", input=sent, code=3).lines
    assert len(told) > 300
    assert {one["error"]["code"] for one in told} == {"invalid_input"}
    assert workindex("log", "bob", "--json").lines == []


def test_naughty_strings_come_back_unchanged(workindex: Command, shared_data: Path) -> None:
    """As title, description, free JSON and id: unchanged, or refused with a typed error."""
    strings = json.loads((shared_data / "blns/blns.json").read_text())
    sent = lines(
        *(
            command
            for at, text in enumerate(strings)
            for command in (
                {**create(f"title-{at}"), "title": text},
                create(f"text-{at}", description=text, fields={"f": {"value": [text, {text: 1}]}}),
                {"type": "create_task", "title": "id", "task_id": text},
            )
        )
    )
    told = workindex("record", "ann", "--json", input=sent, code=3).lines
    assert len(told) == 3 * len(strings)
    tasks = {one["task_id"]: one for one in workindex("index", "ann", "--json").document["tasks"]}
    for at, text in enumerate(strings):
        titled, described, named = told[3 * at : 3 * at + 3]
        if titled["ok"]:
            assert tasks[f"title-{at}"]["title"] == text
        else:
            assert text == "", titled
        assert described["ok"], (text, described)
        assert tasks[f"text-{at}"]["description"] == text
        assert tasks[f"text-{at}"]["fields"]["f"]["value"] == [text, {text: 1}]
        if named["ok"]:
            assert tasks[text]["title"] == "id"
        else:
            assert named["error"]["code"] in ("invalid_input", "task_exists"), named
    assert workindex("projections", "verify", "--json").document["differences"] == []
    shown = workindex("index", "ann").out
    assert not {char for char in shown if category(char) in ("Cc", "Cf", "Cs")} - {"\n"}


def test_canonical_bytes_of_actions(workindex: Command, shared_data: Path) -> None:
    """The action that an approval fixes holds the published RFC 8785 bytes of its arguments."""
    data = shared_data / "json_canonicalization/testdata"
    files = sorted((data / "input").glob("*.json"))
    assert len(files) == 6
    sent = lines(
        *(
            {
                "type": "request_approval",
                "approval_id": file.stem,
                "title": file.stem,
                "tool": "t",
                "arguments": {"value": json.loads(file.read_text())},
                "expires_at": "9000-01-01T00:00:00Z",
            }
            for file in files
        )
    )
    workindex("record", "ann", input=sent)
    rows = workindex("index", "ann", "--json").document["approvals"]
    actions = {row["approval_id"]: row["action"] for row in rows}
    for file in files:
        wanted = (data / "output" / file.name).read_text(encoding="utf-8")
        assert f'"arguments":{{"value":{wanted}}}' in actions[file.stem], file.name


def test_nobody_to_ask(workindex: Command) -> None:
    """No server: exit code 4, and the lines can be sent again."""
    away = workindex.with_env(WORKINDEX_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    ran = away("record", "ann", "--json", input=lines(create("T-1", key="1")), code=4)
    assert ran.document["error"]["code"] == "unavailable"
    assert away("doctor", "--json", code=4).document["ok"] is False


@pytest.mark.parametrize("user", ["", " ann", "a\x1b[31m", "x" * 201])
def test_a_user_id_that_is_none(workindex: Command, user: str) -> None:
    """Refused before anything is opened for it."""
    ran = workindex("index", user, "--json", code=3)
    assert ran.document["error"] == {
        "code": "invalid_input",
        "field": "user_id",
        "message": ran.document["error"]["message"],
    }
