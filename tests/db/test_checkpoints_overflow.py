"""Does a thread of any length stay within its room, with nothing lost and nothing invented?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from checkpointed import records, start, work
from sessions import REGISTRY, Backend
from turns import AGENT, NOW, approval, assemble, do, ids, item, say
from workindex import ContextBudgetExceeded, UserScope, WorkIndex
from workindex.assembler.envelope import ContextEnvelope
from workindex.assembler.policies import shipped
from workindex.assembler.rendering import parsed, working_set_text
from workindex.assembler.tokens import counter
from workindex.assembler.tools import ToolAccess, ToolCatalogue
from workindex.projections.recording import Clock

COUNT = counter("o200k_base")
LONG = "the band plays on and on in the hall of the town " * 20


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


def talk(ann: UserScope, first: int, last: int, text: str = LONG) -> None:
    """Turns of a question and an answer, both ends included."""
    for number in range(first, last + 1):
        posted = NOW - timedelta(hours=1) + timedelta(seconds=number)
        for id_, role in ((f"U-{number}", "user"), (f"R-{number}", "assistant")):
            command = {"message_id": id_, "thread_id": "main", "role": role}
            command["text"] = f"{text} {number} {role}"
            ann.record({"type": "post_message", **command}, actor=AGENT, occurred_at=posted)


def turns_in(envelope: ContextEnvelope) -> list[int]:
    """The numbers of the turns that are told, in order."""
    told = [one for one in ids(envelope.recent_history) if one.startswith("message:U-")]
    return [int(one.removeprefix("message:U-")) for one in told]


def stands(envelope: ContextEnvelope, ref: str) -> str:
    """How a record that the checkpoint names stands, told in whole or in one word."""
    items = (one for one in envelope.recent_history if one.source_id.endswith("/records"))
    rows: Any = next(items).content
    held = rows[ref]
    return held if isinstance(held, str) else str(held.get("outcome", held["status"]))


def test_the_oldest_turns_go_first_and_the_last_two_stay(ann: UserScope) -> None:
    """Behind the checkpoint; the checkpoint and what it names stay."""
    work(ann)
    talk(ann, 1, 20)
    done = ann.checkpoint("main", actor=AGENT, through_message_id="R-15", goal="A good party")
    talk(ann, 21, 22)
    envelope = assemble(ann, "go on", thread_id="main")
    told = turns_in(envelope)
    assert told == list(range(told[0], 23))
    assert 1 < told[0] <= 21
    kept: Any = item(envelope, f"checkpoint:{done.checkpoint_id}").content
    assert kept["goal"] == "A good party"
    assert stands(envelope, "commitment/C-1") == "open"
    assert envelope.budget.by_lane["history"] <= shipped()["assistant"].ceilings.history
    gone = {one.source_id for one in envelope.omissions}
    assert {f"message:U-{number}" for number in range(1, told[0])} <= gone
    strict = ann.assemble({"text": "go on", "thread_id": "main", "now": NOW}, policy="strict")
    assert strict.budget.used <= shipped()["strict"].limit


@pytest.mark.parametrize("policy", ["assistant", "strict"])
def test_any_length_fits_without_a_model_and_without_a_checkpoint(
    ann: UserScope, policy: str
) -> None:
    """Shrinking needs nobody: what goes is named, and no summary is invented."""
    talk(ann, 1, 40, LONG * 3)
    request = {"text": "go on", "thread_id": "main", "now": NOW}
    envelope = ann.assemble(request, policy=policy)
    assert envelope.budget.used <= envelope.budget.limit
    assert COUNT.count([working_set_text(envelope)])[0] == envelope.budget.used
    assert {one.source_type for one in envelope.recent_history} <= {"message"}
    assert envelope.omissions != ()
    assert ann.assemble(request, policy=policy).recent_history == envelope.recent_history


def test_a_thread_without_a_question_keeps_its_tail(ann: UserScope) -> None:
    """Nothing is put in the place of what nobody summarised."""
    for number in range(70):
        say(ann, f"R-{number}", f"step {number}", role="agent")
    envelope = assemble(ann, "go on", thread_id="main")
    assert ids(envelope.recent_history) == [f"message:R-{number}" for number in range(10, 70)]
    assert [one.source_id for one in envelope.omissions] == ["thread:main#older"]


def test_older_messages_are_named_with_the_call_that_brings_them(
    work_index: WorkIndex, ann: UserScope
) -> None:
    """However many there are; a thread that is read whole has no such omission."""
    talk(ann, 1, 30, "we spoke of hats")
    assert "thread:main#older" not in str(assemble(ann, "the venue?", thread_id="main").omissions)
    say(ann, "N-1", "of gloves")
    envelope = assemble(ann, "which hats?", thread_id="main")
    left = next(one for one in envelope.omissions if one.source_id == "thread:main#older")
    assert left.reason == "older than message R-1, and not looked at"
    assert "thread:main#older" in [one.source_id for one in envelope.manifest.candidates]
    work_index.catch_up()
    assert left.recover_with is not None
    assert left.recover_with.name == "get_context"
    call: dict[str, Any] = dict(left.recover_with.arguments)
    found = Backend(work_index.database).session().get_context(call.pop("type"), **call)
    assert "message:U-1" in found.refs
    blank = assemble(ann, " ", thread_id="main")
    left = next(one for one in blank.omissions if one.source_id == "thread:main#older")
    assert left.recover_with is not None
    assert left.recover_with.arguments == {"type": "thread", "ids": ["main"]}


@pytest.mark.parametrize("surface", ["main", "task"])
def test_an_execution_without_an_end_is_open_and_stops_nothing(
    ann: UserScope, surface: Any
) -> None:
    """Until a terminal fact its outcome is unknown: progress is no end, a long history no reason
    to forget it, and every next turn and checkpoint is as valid as the first."""
    work(ann)
    approval(ann, "A-2")
    start(ann, "A-1")
    start(ann, "A-2")
    exact = {"approval_id": "A-2", "execution_id": "X-A-2"}
    do(ann, "mark_execution_outcome_unknown", by=AGENT, **exact, reason="the process died")
    say(ann, "P-1", "A-1: half of it is paid, A-2 began.", role="tool")
    first = ann.checkpoint("main", actor=AGENT, task_id="T-1")
    talk(ann, 1, 20)
    second = ann.checkpoint("main", actor=AGENT)
    for done in (first, second):
        rows = records(done.body.model_dump(mode="json"))
        assert [rows[f"approval/{id_}"]["status"] for id_ in ("A-1", "A-2")] == [
            *("executing", "outcome_unknown")
        ]
        assert {rows[f"approval/{id_}"]["outcome"] for id_ in ("A-1", "A-2")} == {"unknown"}
    request: dict[str, Any] = {"thread_id": "main", "surface": surface}
    if surface == "task":
        request["task_id"] = "T-1"
    envelope = assemble(ann, "go on", **request)
    assert stands(envelope, "approval/A-1") == stands(envelope, "approval/A-2") == "unknown"
    assert envelope.budget.used <= envelope.budget.limit
    assert len(parsed(working_set_text(envelope))) > 0
    do(ann, "succeed_execution", by=AGENT, approval_id="A-1", execution_id="X-A-1")
    ended = assemble(ann, "go on", **request)
    assert stands(ended, "approval/A-1") == "executed"


def test_a_failed_execution_is_a_failed_attempt(ann: UserScope) -> None:
    """It survives with its error, and is not pending."""
    work(ann)
    start(ann, "A-1")
    exact = {"approval_id": "A-1", "execution_id": "X-A-1"}
    do(ann, "fail_execution", by=AGENT, **exact, error="the bank is closed")
    body = ann.checkpoint("main", actor=AGENT, task_id="T-1").body
    assert {(one.text, one.outcome, one.error) for one in body.attempts} == {
        ("Called the hall", "failed", "nobody there"),
        ("Pay A-1 (approval A-1)", "failed", "the bank is closed"),
    }
    assert [one.request_id for one in body.pending_input] == ["Q-1"]


def test_tool_groups_are_active_again_after_any_number_of_checkpoints(ann: UserScope) -> None:
    """Until a caller says which are active now."""
    work(ann)
    tools = ToolAccess(ToolCatalogue(REGISTRY))
    request = {"text": "go on", "thread_id": "main", "now": NOW}
    ann.checkpoint("main", actor=AGENT, active_tool_groups=["mail"])
    assert ann.assemble(request, tools=tools).active_tool_groups == ("mail",)
    say(ann, "S-3", "And the cake?")
    ann.checkpoint("main", actor=AGENT, through_message_id="S-3", goal="A cake")
    assert ann.assemble(request, tools=tools).active_tool_groups == ("mail",)
    ann.checkpoint("main", actor=AGENT, active_tool_groups=[])
    assert ann.assemble(request, tools=tools).active_tool_groups == ()


def test_the_policy_and_the_request_are_whole_or_there_is_no_turn(ann: UserScope) -> None:
    """Byte for byte, with every attachment and id, whatever else is too long."""
    work(ann)
    talk(ann, 1, 20)
    core = shipped()["assistant"].core
    attachments = [{"name": "plan.txt"}, {"artifact_id": "F-1"}]
    sizes = [1_000, 15_000, 20_000, 22_000, 23_000, 24_000, 30_000]
    outcomes = []
    for words in sizes:
        text = "ä word\r\n" * (words // 5) + "end"
        request: Any = {"text": text, "attachments": attachments, "entity_ids": ["T-1"]}
        try:
            envelope = assemble(ann, thread_id="main", **request)
        except ContextBudgetExceeded:
            outcomes.append("error")
            continue
        outcomes.append("whole")
        assert envelope.request.text == text
        assert len(envelope.request.attachments) == 2
        assert core in envelope.prefix
        whole = working_set_text(envelope)
        assert COUNT.count([whole])[0] == envelope.budget.used <= envelope.budget.limit
        assert {"task:T-1", "attachment:0"} <= {*ids(envelope.current_state)} | {
            one.source_id for one in envelope.omissions
        }
    assert outcomes == sorted(outcomes, reverse=True)
    assert {"whole", "error"} == set(outcomes)


def test_all_lanes_count_together(ann: UserScope) -> None:
    """Schemas of an answer and of tools are paid for like chat."""
    talk(ann, 1, 4, "short")
    few = ann.assemble({"text": "go on", "thread_id": "main", "now": NOW})
    schema: Any = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(90)}}
    tools = ToolAccess(ToolCatalogue(REGISTRY))
    request = {"text": "mail.send a letter", "thread_id": "main", "now": NOW}
    more = ann.assemble(request, tools=tools, output_schema=schema)
    assert more.budget.by_lane["schema"] > 500
    assert more.budget.by_lane["tools"] > 0
    assert sum(more.budget.by_lane.values()) == more.budget.used
    assert more.budget.used > few.budget.used + 500
    assert COUNT.count([working_set_text(more)])[0] == more.budget.used


@pytest.mark.parametrize("policy", ["assistant", "strict"])
def test_a_checkpoint_that_has_no_room_goes_and_is_named(ann: UserScope, policy: str) -> None:
    """However much was put right in a thread, its task can still be asked about."""
    do(ann, "create_task", task_id="T-1", title="Book the hall")
    say(ann, "M-1", "Let us talk about T-1")
    for number in range(60):
        text = f"{number}: {LONG[:900]}"
        do(ann, "record_correction", thread_id="main", correction_id=f"K-{number}", text=text)
    words: dict[str, Any] = {"goal": LONG * 4, "through_message_id": "M-1"}
    done = ann.checkpoint("main", actor=AGENT, **words)
    request = {"text": "What about T-1?", "surface": "task", "task_id": "T-1"}
    envelope = ann.assemble({**request, "thread_id": "main", "now": NOW}, policy=policy)
    assert envelope.budget.used <= envelope.budget.limit
    assert "task:T-1" in ids(envelope.current_state)
    ref = f"checkpoint:{done.checkpoint_id}"
    left = [one.recover_with for one in envelope.omissions if one.source_id == ref]
    assert (ref in ids(envelope.recent_history)) is not bool(left)
    if policy == "strict":
        (call,) = left
        assert call is not None
        assert call.arguments == {"type": "thread", "ids": ["main"]}
