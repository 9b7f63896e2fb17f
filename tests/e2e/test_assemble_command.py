"""Does `workindex assemble` tell the working set, its changes, and why something is not there?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commands import Command
from conftest import Urls
from workindex.assembler.envelope import ContextEnvelope
from workindex.assembler.rendering import working_set_text

EXAMPLES = Path(__file__).parents[2] / "examples"
TASKS = "\n".join(
    json.dumps({"type": "create_task", "task_id": f"T-{n}", "title": f"Book the hall {n}"})
    for n in (1, 2, 12)
)


@pytest.fixture
def command(urls: Urls) -> Command:
    """The command on a database in which ada has three tasks."""
    run = Command(urls.env)
    run("record", "ada", "-", input=TASKS)
    return run


def test_the_json_is_the_contract(command: Command) -> None:
    """What is printed is a ContextEnvelope: read back and written again it is the same."""
    ran = command("assemble", "ada", "-", "--json", input='{"text": "What about T-12?"}')
    document = ran.document
    document.pop("format")
    envelope = ContextEnvelope.model_validate(document)
    assert envelope.model_dump(mode="json") == document
    assert envelope.scope.task_id == "T-12"
    assert sum(envelope.budget.by_lane.values()) == envelope.budget.used
    schema = command("schema", "envelope", "--json").document["envelope"]
    assert set(schema["properties"]) == set(document)


def test_people_get_a_table(command: Command) -> None:
    """Lane, item, authority, age, reason and tokens; then what was left out."""
    told = command("assemble", "ada", "-", input='{"text": "What about T-12?"}').out
    for word in ("task:T-12", "canonical", "the record in", "tokens", "limit 24000"):
        assert word in told.replace("\n", " "), told


MCP = {"result": {"tools": [{"name": "launch", "inputSchema": {"type": "object"}}]}}
LINES = {"name": "roll", "description": "Rolls dice", "parameters": {"type": "dict"}}


def test_tools_of_files_are_a_lane(command: Command, tmp_path: Path) -> None:
    """Index and needed schemas, of every form of file; to people and in the JSON."""
    (tmp_path / "lab.json").write_text(json.dumps(MCP))
    (tmp_path / "dice.json").write_text(f"{json.dumps(LINES)}\n{json.dumps(LINES | {'name': 'x'})}")
    files = [one for name in ("lab", "dice") for one in ("--tools", tmp_path / f"{name}.json")]
    files += ["--tools", EXAMPLES / "tools/mail.json"]
    request = '{"text": "Send a letter to Bo with mail.send"}'
    document = command("assemble", "ada", "-", *files, "--json", input=request).document
    assert document["active_tool_groups"] == ["mail"]
    assert document["budget"]["by_lane"]["tools"] == sum(
        one["token_estimate"] for one in document["tools"]
    )
    told = command("assemble", "ada", "-", *files, input=request).out
    assert "\ntools " in told
    for group in ("dice", "lab", "mail"):
        assert group in str(document["tools"])
    assert command("assemble", "ada", "-", "--json", input=request).document["tools"] == []


def test_a_bad_file_of_tools_is_named(command: Command, tmp_path: Path) -> None:
    """With the file and what is wrong in it; nothing is assembled."""
    (tmp_path / "bad.json").write_text('{"tools": [{"description": "no name"}]}')
    ran = command(
        "assemble", "ada", "-", "--tools", tmp_path / "bad.json", input='{"text": "hi"}', code=None
    )
    assert ran.code == 3
    assert "bad.json" in ran.err
    assert ran.out == ""


def test_what_changed_since_an_earlier_turn(command: Command, tmp_path: Path) -> None:
    """Items whose decision or size changed, and no others."""
    request = '{"text": "What about T-12?"}'
    earlier = tmp_path / "earlier.json"
    earlier.write_text(command("assemble", "ada", "-", "--json", input=request).out)
    again = command("assemble", "ada", "-", "--diff", earlier, "--json", input=request)
    assert again.document["changed"] == []
    other = '{"text": "What about T-1?"}'
    changed = command("assemble", "ada", "-", "--diff", earlier, "--json", input=other).document
    decisions = {one["source_id"]: (one["before"], one["now"]) for one in changed["changed"]}
    assert set(decisions) == {"task:T-12", "task:T-1"}
    assert decisions["task:T-12"][1] is None
    assert decisions["task:T-1"][1].startswith("admitted ")


@pytest.mark.parametrize(
    ("id_", "decision"), [("T-12", ["admitted"]), ("task:T-12", ["admitted"]), ("T-99", [])]
)
def test_why_it_is_or_is_not_there(command: Command, id_: str, decision: list[str]) -> None:
    """A candidate with its decision, or that nothing led to it."""
    request = '{"text": "What about T-12?"}'
    ran = command("assemble", "ada", "-", "--why", id_, "--json", input=request)
    assert [one["decision"] for one in ran.document["candidates"]] == decision
    told = command("assemble", "ada", "-", "--why", id_, input=request).out
    assert ("was no candidate" in told) is (not decision)


def test_a_kept_turn_is_explained(command: Command, tmp_path: Path) -> None:
    """Why something was in it; and if not: there is none, it came later, or nothing led to it."""
    turn = tmp_path / "turn.json"
    asked = '{"text": "What about T-12?"}'
    turn.write_text(command("assemble", "ada", "-", "--json", input=asked).out)
    later = '{"type": "create_task", "task_id": "jira:T-4", "title": "Later"}'
    command("record", "ada", "-", input=later)
    for id_, words in (
        ("task/T-12", "the record in"),
        ("T-1", "it was there since position 1, but the request does not name it"),
        ("jira:T-4", "it came at position 4, the working set is as of position 3"),
        ("T-99", "no event of ada names it"),
    ):
        told = command("explain", "ada", id_, "--context", turn).out
        assert words in " ".join(told.split()), told
    document = command("explain", "ada", "T-12", "--context", turn, "--json").document
    assert [one["decision"] for one in document["candidates"]] == ["admitted"]
    assert document["absent_because"] is None
    refused = command("explain", "bob", "T-12", "--context", turn, code=None)
    assert refused.code == 3


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"text": "hi", "surface": "phone"}', "surface"),
        ('{"text": "hi", "task_id": "T-99"}', "task_id 'T-99' names nothing"),
    ],
)
def test_a_bad_request_is_named(command: Command, request_: str, words: str) -> None:
    """With the field and what to do; nothing is printed as an answer."""
    ran = command("assemble", "ada", "-", "--json", input=request_, code=None)
    assert ran.code in (2, 3)
    assert words in ran.err + ran.out


def test_who_gives_the_text_is_told_to_give_a_file(command: Command) -> None:
    """A wrong call that says what a request looks like."""
    ran = command("assemble", "ada", "What about T-1?", code=None)
    assert ran.code == 2
    assert 'give a JSON file, or - and one such as {"text"' in " ".join(ran.err.split())


def test_the_text_is_what_a_model_is_given(command: Command) -> None:
    """Byte for byte what its tokens were counted in, and nothing else on stdout, whatever the
    terminal can show."""
    request = '{"text": "Was ist mit T-12, größer \\u202e?", "now": "2026-03-04T12:00:00Z"}'
    told = command("assemble", "ada", "-", "--text", input=request).out
    document = command("assemble", "ada", "-", "--json", input=request).document
    document.pop("format")
    text = working_set_text(ContextEnvelope.model_validate(document))
    as_of = re.compile('as_of="[^"]*"')
    assert as_of.sub("", told) == as_of.sub("", text)
    assert told.startswith("You are the assistant")
    assert "größer \\u202e?" in told
    assert told.endswith("</request>\n")
    said = {"type": "post_message", "thread_id": "TH-1", "role": "user", "text": "T-12?"}
    command("record", "ada", "-", input=json.dumps(said))
    ran = command("assemble", "ada", "-", "--text", input=request)
    assert "degraded: evidence" in ran.err
    assert ran.out.endswith("</request>\n")


@pytest.mark.parametrize("other", [["--json"], ["--why", "T-1"], ["--diff", __file__]])
def test_the_text_stands_alone(command: Command, other: list[str]) -> None:
    """With another form of answer it is a wrong call, and says which there are."""
    ran = command("assemble", "ada", "-", "--text", *other, input='{"text": "hi"}', code=None)
    assert ran.code == 2
    assert "choose one of --text, --json, --diff and --why" in " ".join((ran.err + ran.out).split())
