"""May a turn call what its working set told it of, and nothing else?"""

from __future__ import annotations

from typing import Any

import pytest

from sessions import REGISTRY, error_of, store
from turns import NOW, do, say
from workindex import UserScope, WorkIndex
from workindex.assembler.envelope import ContextEnvelope, Omission, ToolCall
from workindex.assembler.rendering import item_text
from workindex.assembler.stages import ARTIFACTS_MAX
from workindex.assembler.tools import ToolAccess, ToolCatalogue, UnknownTools
from workindex.assembler.tools.calls import Call, ToolNotLoaded
from workindex.assembler.tools.context import Found
from workindex.assembler.tools.references import Issued
from workindex.assembler.tools.signed import WeakSecret
from workindex.domain.errors import InvalidInput
from workindex.eventlog.database import Database
from workindex.eventlog.transcripts import Turn as Said
from workindex.eventlog.transcripts import media_type, to_parts

ACCESS = ToolAccess(ToolCatalogue(REGISTRY))
LETTER: dict[str, Any] = {"to": ["bob"], "text": "hello"}


@pytest.fixture
def ann(database: Database) -> UserScope:
    """A thread with a message, a file of the task, and a group that the request names."""
    ann = WorkIndex(database, lambda: NOW).user("ann")
    do(ann, "create_task", task_id="T-1", title="Book the venue")
    say(ann, "M-1", "the venue is booked")
    store(ann, "F-1", [b"the offer of the venue"], "text/plain", task_id="T-1")
    return ann


def turn(ann: UserScope, **more: Any) -> ContextEnvelope:
    request = {
        "text": "mail.send the offer to Bob",
        "surface": "task",
        "thread_id": "main",
        "message_id": "M-2",
        "task_id": "T-1",
    }
    return ann.assemble({**request, **more}, tools=ACCESS)


def test_a_session_has_what_the_working_set_told_of(ann: UserScope) -> None:
    """Loaded groups run, every reference that an item or an omission names resolves."""
    calls: list[Call] = []

    def run(call: Call) -> Any:
        calls.append(call)
        return {"sent": True}

    envelope = turn(ann)
    session = ann.tools(envelope, ACCESS, executor=run)
    assert session.loaded == envelope.active_tool_groups == ("mail",)
    session.call_tool("mail.send", LETTER)
    assert [(call.user_id, call.turn_id) for call in calls] == [("ann", "M-2")]
    with pytest.raises(ToolNotLoaded):
        session.call_tool("lab.launch", {})
    assert session.resolve("artifact:F-1", "chars=0-8", 200).content["text"] == "the offer"  # type: ignore[index, call-overload]
    session.resolve("message:M-1", "0-9", 200)
    assert session.beside == ()
    assert session.turn.now == NOW


@pytest.mark.parametrize("policy", ["assistant", "strict"])
def test_every_call_of_an_omission_is_one_that_the_session_takes(
    ann: UserScope, policy: str
) -> None:
    """Of every lane and kind: what was left out comes back with the call that it names."""
    for number in range(3, 40):
        say(ann, f"M-{number}", f"message {number} about the venue " + "word " * 200)
        store(ann, f"F-{number}", [f"the venue {number}".encode()], "text/plain", task_id="T-1")
        claim: Any = {"subject": "task/T-1", "attribute": f"venue {number}", "value": "word " * 60}
        do(ann, "record_claim", claim_id=f"C-{number}", **claim)
        do(ann, "create_task", task_id=f"T-{number}", title=f"Task {number} of the venue")
    turns = [Said(at, "Eve", f"the venue is number {at} " + "word " * 90) for at in range(60)]
    store(ann, "TR", to_parts(turns), media_type())
    meeting: Any = {
        "meeting_id": "MT-1",
        "title": "About the venue",
        "start_at": "2026-03-05T10:00Z",
    }
    do(ann, "schedule_meeting", **meeting)
    do(ann, "attach_transcript", meeting_id="MT-1", artifact_id="TR")
    ann.catch_up()
    kinds = set()
    for more in ({}, {"surface": "meeting", "task_id": None, "meeting_id": "MT-1"}):
        request = {"text": "what about the venue?", "thread_id": "main", "surface": "task"}
        envelope = ann.assemble({**request, "task_id": "T-1", **more}, policy=policy, tools=ACCESS)
        session = ann.tools(envelope, ACCESS)
        calls = [one.recover_with for one in envelope.omissions if one.recover_with is not None]
        for call in {str(call): call for call in calls}.values():
            found = getattr(session, call.name)(**call.arguments)
            kinds.add((call.name, call.arguments.get("type")))
            if isinstance(found, Found):
                assert found.items, call
    assert {("get_context", "message"), ("resolve", None)} <= kinds


def test_files_that_are_not_told_are_named(ann: UserScope) -> None:
    """Beyond the newest of a task, with a search for the others where the request has words."""
    for number in range(ARTIFACTS_MAX):
        store(ann, f"N-{number}", [b"a plan"], "text/plain", task_id="T-1")
    envelope = turn(ann)
    assert not any("F-1" in one.source_id for one in envelope.current_state)
    (left,) = [one for one in envelope.omissions if one.source_id == "artifact:beyond"]
    assert left.recover_with is not None
    assert left.recover_with.arguments == {"type": "artifact", "query": envelope.request.text}
    (left,) = [one for one in turn(ann, text="hm").omissions if "artifact:b" in one.source_id]
    assert left.recover_with is None


def test_a_session_without_tools_reads_and_runs_nothing(ann: UserScope) -> None:
    """No registry, no group: context and references still are there."""
    envelope = ann.assemble({"text": "hello", "thread_id": "main"})
    session = ann.tools(envelope)
    session.resolve("message:M-1", "0-9", 200)
    assert session.get_context("task", ids=["T-1"]).items
    with pytest.raises(UnknownTools):
        session.call_tool("mail.send", LETTER)
    assert session.turn.turn_id != ann.tools(envelope).turn.turn_id


def test_turns_of_one_backend_share_what_was_issued_by_turn(ann: UserScope) -> None:
    """A second session of the same turn resolves what the first was given; another turn not."""
    issued = Issued()
    ann.tools(turn(ann), ACCESS, references=issued)
    empty = ann.assemble({"text": "hello", "thread_id": "other"})
    ann.tools(empty, references=issued, turn_id="M-2").resolve("artifact:F-1", "0-0", 200)
    later = ann.tools(empty, references=issued, turn_id="M-3")
    error_of(lambda: later.resolve("artifact:F-1", "0-0", 200))


def test_a_rule_of_the_backend_holds_in_its_sessions(ann: UserScope) -> None:
    """What may not be seen is not read by a call either."""
    session = ann.tools(turn(ann), ACCESS, may_see=lambda kind, row: kind != "artifact")
    error_of(lambda: session.resolve("artifact:F-1", "0-0", 200))
    session.resolve("message:M-1", "0-9", 200)


def test_a_session_shows_as_much_as_the_backend_says(ann: UserScope) -> None:
    """Up to `sensitivity_max`, private where nothing is said; another word is refused."""
    store(ann, "F-2", [b"a diagnosis"], "text/plain", task_id="T-1", sensitivity="restricted")
    envelope = turn(ann)
    assert not ann.tools(envelope).get_context("artifact", ids=["F-2"]).items
    session = ann.tools(envelope, sensitivity_max="restricted")
    (found,) = session.get_context("artifact", ids=["F-2"]).items
    assert found.sensitivity == "restricted"
    wrong: list[tuple[str, Any]] = [("sensitivity_max", "secret"), ("may_see", "nobody")]
    for field, given in wrong:
        with pytest.raises(InvalidInput) as raised:
            ann.tools(envelope, **{field: given})
        assert raised.value.field == field


def test_another_users_working_set_is_refused(ann: UserScope, database: Database) -> None:
    """Nobody gets a session, and with it references, out of it."""
    with pytest.raises(InvalidInput) as raised:
        WorkIndex(database).user("bob").tools(turn(ann))
    assert raised.value.field == "envelope"


def test_with_a_secret_tokens_pass_between_processes(
    ann: UserScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where WORKINDEX_SECRET is set; its list is newest first, and each secret is checked."""
    envelope = turn(ann)
    monkeypatch.setenv("WORKINDEX_SECRET", "a" * 32)
    (told,) = ann.tools(envelope, ACCESS).beside
    tokens: Any = told.content
    assert item_text("tools", told)
    monkeypatch.setenv("WORKINDEX_SECRET", f"{'b' * 32}, {'a' * 32}")
    elsewhere = ann.tools(ann.assemble({"text": "x", "message_id": "M-2"}))
    assert elsewhere.resolve(tokens["artifact:F-1"], "0-0", 200).source_id == "artifact:F-1"
    error_of(lambda: elsewhere.resolve("artifact:F-1", "0-0", 200))
    monkeypatch.setenv("WORKINDEX_SECRET", "a" * 32 + ",short")
    with pytest.raises(WeakSecret):
        ann.tools(envelope, ACCESS)


def test_an_omission_issues_the_reference_that_it_names(ann: UserScope) -> None:
    """The model may follow it."""
    call = ToolCall(
        name="resolve", arguments={"ref": "artifact:F-1", "selector": "0-0", "max_tokens": 200}
    )
    left = Omission(lane="evidence", source_id="artifact:F-1", reason="no room", recover_with=call)
    envelope = ann.assemble({"text": "hello", "thread_id": "other"})
    session = ann.tools(envelope.model_copy(update={"omissions": (left,)}))
    session.resolve(**call.arguments)  # type: ignore[arg-type]
