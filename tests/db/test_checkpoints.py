"""Does a thread's checkpoint hold all that must survive, and nothing that is not so?"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from checkpointed import Body, action_hash, drafted, records, work
from turns import AGENT, NOW, assemble, do, item, say
from workindex import UserScope
from workindex.assembler.checkpoints import making
from workindex.assembler.checkpoints.body import CheckpointIncomplete
from workindex.domain.errors import InvalidInput
from workindex.projections.recording import Clock


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


def without(part: str, place: int = 0) -> Callable[[Body], None]:
    """Takes one entry out of a part."""

    def change(body: Body) -> None:
        del body[part][place]

    return change


def without_record(ref: str, *columns: str) -> Callable[[Body], None]:
    """Takes a record out, or some of its columns."""

    def change(body: Body) -> None:
        rows = records(body)
        for column in columns:
            del rows[ref][column]
        if not columns:
            del rows[ref]

    return change


def with_(part: str, entry: Any) -> Callable[[Body], None]:
    """Puts one more entry into a part."""

    def change(body: Body) -> None:
        body[part].append(entry)

    return change


def changed(ref: str, column: str, value: Any) -> Callable[[Body], None]:
    """Says something else of a record."""

    def change(body: Body) -> None:
        records(body)[ref][column] = value

    return change


def resting_on(*message_ids: str, **words: Any) -> Callable[[Body], None]:
    """Words, and the messages that they rest on."""

    def change(body: Body) -> None:
        body.update(words)
        value = next(one["value"] for one in body["outputs"] if one["name"] == "records")
        value["message_ids"] = list(message_ids)

    return change


def test_all_that_must_survive_is_in_it(ann: UserScope) -> None:
    """Without a model: what the rows say of all that messages, task and meeting name."""
    work(ann)
    body = drafted(ann)
    assert body["pending_input"] == [
        {"prompt": "Which band?", "task_id": "T-1", "request_id": "Q-1", "approval_id": None},
        {"prompt": "Pay A-1", "task_id": "T-1", "request_id": None, "approval_id": "A-1"},
    ]
    assert body["blockers"] == [{"text": "Find a hall", "task_id": "T-2"}]
    assert body["corrections"] == [{"text": "Not on Sunday", "correction_id": "CO-1"}]
    tried = {"text": "Called the hall", "outcome": "failed", "error": "nobody there"}
    assert body["attempts"] == [tried]
    assert (body["artifact_ids"], body["through_message_id"]) == (["F-1"], "S-2")
    rows = records(body)
    assert set(rows) == {
        *("task/T-1", "task/T-2", "meeting/M-7", "commitment/C-1", "approval/A-1", "artifact/F-1")
    }
    assert rows["task/T-1"]["due_at"] == "2026-03-09T12:00:00+00:00"
    assert rows["meeting/M-7"]["start_at"] == "2026-03-06T10:00:00+00:00"
    promised = rows["commitment/C-1"]
    assert (promised["text"], promised["owner"]) == ("Bring the list", "Bo")
    assert promised["due_at"] == "2026-03-07T12:00:00+00:00"
    exact = rows["approval/A-1"]
    assert exact["arguments"] == {"amount": 100, "to": "Bo"}
    assert (exact["target"], exact["account"]) == ("bank", "mine")
    assert exact["expires_at"] == "2026-03-05T12:00:00+00:00"
    assert exact["action_hash"] == action_hash(ann, "A-1")


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        (without("pending_input"), "pending input Q-1 of task/T-1"),
        (without("pending_input", 1), "pending input approval/A-1"),
        (without("blockers"), "blocker task/T-2"),
        (without("attempts"), "attempt 'Called the hall'"),
        (without("corrections"), "correction 'CO-1'"),
        (without("artifact_ids"), "artifact/F-1"),
        (without_record("commitment/C-1"), "commitment/C-1"),
        (without_record("commitment/C-1", "due_at"), "commitment/C-1: due_at"),
        (without_record("task/T-2"), "task/T-2"),
        (without_record("task/T-1", "due_at"), "task/T-1: due_at"),
        (without_record("meeting/M-7", "start_at"), "meeting/M-7: start_at"),
        (without_record("approval/A-1", "arguments"), "approval/A-1: arguments"),
        (without_record("approval/A-1", "action_hash"), "approval/A-1: action_hash"),
        (without_record("artifact/F-1"), "artifact/F-1"),
        (lambda body: body.update(through_message_id=None), "through_message_id"),
        (
            lambda body: body.update(goal="A good party"),
            "records.message_ids: the messages that its words rest on",
        ),
    ],
)
def test_what_lacks_is_refused_by_name(
    ann: UserScope, change: Callable[[Body], None], missing: str
) -> None:
    """Whoever made the body; nothing is recorded, and with it whole it is."""
    work(ann)
    body = drafted(ann)
    before = ann.index(now=NOW).proof.certificate["position"]
    less = deepcopy(body)
    change(less)
    with pytest.raises(CheckpointIncomplete) as refused:
        ann.checkpoint("main", actor=AGENT, task_id="T-1", body=less)
    assert refused.value.missing == (missing,)
    assert refused.value.untrue == ()
    assert ann.index(now=NOW).proof.certificate["position"] == before
    assert ann.checkpoint("main", actor=AGENT, task_id="T-1", body=body).body.goal is None


@pytest.mark.parametrize(
    ("change", "untrue"),
    [
        (changed("task/T-2", "status", "done"), "task/T-2: status is 'open', not 'done'"),
        (changed("task/T-1", "amount", 5), "task/T-1 has no amount"),
        (
            lambda body: records(body).update({"task/T-9": {"status": "open"}}),
            "task/T-9 names nothing",
        ),
        (
            with_("pending_input", {"prompt": "Which hall?", "task_id": "T-9"}),
            "task/T-9 names nothing",
        ),
        (
            with_("pending_input", {"prompt": "?", "task_id": "T-1", "request_id": "Q-9"}),
            "pending input Q-9 of task/T-1 is answered or withdrawn",
        ),
        (with_("blockers", {"text": "Ink", "task_id": "T-3"}), "blocker task/T-3 is done"),
        (with_("artifact_ids", "F-9"), "artifact/F-9 names nothing"),
        (
            with_("attempts", {"text": "Called the hall", "outcome": "succeeded"}),
            "attempt 'Called the hall' is failed, not succeeded",
        ),
        (
            resting_on("S-1", decisions=[{"text": "T-2 is done, as agreed."}]),
            "decisions says 'T-2 is done, as agreed.', task/T-2 is open",
        ),
        (resting_on("S-9", goal="A party"), "message S-9 is not of this thread"),
        (resting_on("E-1", goal="A party"), "message E-1 is not of this thread"),
        (
            resting_on("S-3", goal="A party"),
            "message S-3 is redacted: say in message_ids what the words rest on",
        ),
    ],
)
def test_what_no_row_bears_out_is_refused(
    ann: UserScope, change: Callable[[Body], None], untrue: str
) -> None:
    """Of states, of what waits, of attempts, and of messages."""
    work(ann)
    do(ann, "create_task", task_id="T-3", title="Ink")
    do(ann, "complete_task", task_id="T-3")
    say(ann, "E-1", "Elsewhere", thread_id="other")
    say(ann, "S-3", "The pin is 4711")
    do(ann, "redact_message", message_id="S-3")
    body = drafted(ann)
    change(body)
    with pytest.raises(CheckpointIncomplete) as refused:
        ann.checkpoint("main", actor=AGENT, task_id="T-1", body=body)
    assert refused.value.untrue == (untrue,)


def test_words_of_what_is_to_be_done_are_no_states(ann: UserScope) -> None:
    """A goal and a plan may name what is not so yet."""
    work(ann)
    done = ann.checkpoint(
        "main",
        actor=AGENT,
        through_message_id="S-2",
        goal="Get T-1 done",
        plan=[{"text": "Ask until T-2 can be closed", "status": "doing"}],
        decisions=[{"text": "T-2 is not done before T-1"}],
    )
    assert done.body.goal == "Get T-1 done"


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"goal": "A party"}, "through_message_id"),
        ({"through_message_id": "S-9"}, "through_message_id"),
        ({"task_id": "T-9"}, "task_id"),
        ({"meeting_id": "T-1"}, "meeting_id"),
        ({"aim": "A party"}, "aim"),
        ({"plan": [{"title": "x"}]}, "plan.0.text"),
        ({"outputs": [{"name": "records", "value": {}}]}, "outputs"),
        ({"body": {}, "goal": "A party"}, "body"),
    ],
)
def test_bad_arguments_are_refused_by_name(
    ann: UserScope, words: dict[str, Any], field: str
) -> None:
    """Words say which messages their author saw; nothing is guessed."""
    work(ann)
    with pytest.raises(InvalidInput) as refused:
        ann.checkpoint("main", actor=AGENT, **words)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ({"plan": ["Ask two more halls"]}, "an entry of plan is {text, status?}"),
        ({"attempts": [{"text": "x"}]}, "an entry of attempts is {text, outcome, error?}"),
        ({"goal": ""}, "workindex schema commands record_checkpoint"),
    ],
)
def test_a_wrong_part_is_told_what_it_looks_like(
    ann: UserScope, words: dict[str, Any], form: str
) -> None:
    """And where the whole body is shown."""
    with pytest.raises(InvalidInput) as refused:
        ann.checkpoint_draft("main", through_message_id="S-2", **words)
    assert form in str(refused.value)
    assert "workindex schema commands record_checkpoint" in str(refused.value)


def test_what_was_said_goes_on_from_checkpoint_to_checkpoint(ann: UserScope) -> None:
    """Words, tool groups, exact ids and failed attempts; each new one beside what was before."""
    work(ann)
    first: Any = {"goal": "A good party", "decisions": [{"text": "No clowns"}]}
    tried = {"text": "Wrote to the band", "outcome": "unknown"}
    ann.checkpoint(
        "main",
        actor=AGENT,
        task_id="T-1",
        through_message_id="S-1",
        active_tool_groups=["mail"],
        attempts=[tried],
        **first,
    )
    say(ann, "S-3", "And see to T-4")
    do(ann, "create_task", task_id="T-4", title="Cake")
    do(ann, "complete_task", task_id="T-2")
    second = ann.checkpoint(
        "main", actor=AGENT, through_message_id="S-3", decisions=[{"text": "Jazz, no rock"}]
    )
    body = second.body.model_dump(mode="json")
    assert (body["goal"], body["active_tool_groups"]) == ("A good party", ["mail"])
    assert [one["text"] for one in body["decisions"]] == ["No clowns", "Jazz, no rock"]
    assert tried | {"error": None} in body["attempts"]
    assert records(body)["task/T-2"] == {"status": "done"}
    assert records(body)["approval/A-1"]["arguments"] == {"amount": 100, "to": "Bo"}
    assert {"task/T-4", "commitment/C-1", "meeting/M-7"} <= set(records(body))
    assert body["blockers"] == []
    events = list(ann.log(stream="thread/main"))
    assert events[-1].fact.model_dump()["task_id"] == "T-1"


def test_words_from_a_redacted_message_are_refused(ann: UserScope) -> None:
    """Nobody knows whether their author had seen it; who says what they rest on may go on."""
    work(ann)
    say(ann, "S-3", "The pin is 4711")
    do(ann, "redact_message", message_id="S-3")
    with pytest.raises(CheckpointIncomplete, match="message S-3 is redacted"):
        ann.checkpoint("main", actor=AGENT, through_message_id="S-3", goal="A party")
    done = ann.checkpoint(
        "main", actor=AGENT, through_message_id="S-3", goal="A party", message_ids=["S-1"]
    )
    assert done.body.goal == "A party"


def test_words_are_as_sensitive_as_their_messages(ann: UserScope) -> None:
    """Who may not see the message is not told them, nor the correction made in it."""
    work(ann)
    say(ann, "S-3", "My salary is 100", sensitivity="restricted")
    corrected: Any = {"correction_id": "CO-2", "text": "No, 200", "message_id": "S-3"}
    do(ann, "record_correction", thread_id="main", **corrected)
    done = ann.checkpoint("main", actor=AGENT, through_message_id="S-3", goal="Pay from 200")
    request = {"text": "go on", "thread_id": "main", "now": NOW}
    private = ann.assemble(request)
    assert "200" not in "".join(str(one.content) for one in private.recent_history)
    whole = ann.assemble(request, sensitivity_max="restricted")
    told: Any = item(whole, f"checkpoint:{done.checkpoint_id}").content
    assert told["goal"] == "Pay from 200"
    assert [one["text"] for one in told["corrections"]] == ["Not on Sunday", "No, 200"]


def test_records_are_told_as_their_rows_stand(ann: UserScope) -> None:
    """What has changed since is told with what the checkpoint said; what is gone is not told."""
    work(ann)
    done = ann.checkpoint(
        "main",
        actor=AGENT,
        task_id="T-1",
        through_message_id="S-2",
        decisions=[{"text": "T-2 is open until May"}],
    )
    do(ann, "change_task", task_id="T-1", due_at="2026-03-10T12:00:00Z")
    do(ann, "complete_task", task_id="T-2")
    do(ann, "cancel_meeting", meeting_id="M-7")
    envelope = assemble(ann, "go on", thread_id="main")
    rows: Any = item(envelope, f"checkpoint:{done.checkpoint_id}/records").content
    assert rows["task/T-1"]["due_at"] == "2026-03-10T12:00:00+00:00"
    assert rows["task/T-1"]["was"]["due_at"] == "2026-03-09T12:00:00+00:00"
    assert rows["task/T-2"] == {"status": "done", "was": {"status": "open"}}
    assert rows["meeting/M-7"]["was"] == {"status": "scheduled"}
    told: Any = item(envelope, f"checkpoint:{done.checkpoint_id}").content
    assert "decisions" not in told
    contradicted = {one.subject: one.winner_value for one in envelope.conflicts}
    assert contradicted["task/T-2"] == "done"
    do(ann, "remove_task", task_id="T-1")
    gone = assemble(ann, "go on", thread_id="main")
    assert "task/T-1" not in str(item(gone, f"checkpoint:{done.checkpoint_id}/records").content)
    assert "Which band?" not in "".join(str(one.content) for one in gone.recent_history)


def test_what_a_policy_hides_is_not_told_by_a_checkpoint(ann: UserScope) -> None:
    """Neither the record, nor what it asks, nor what rests on a message."""
    work(ann)
    words: Any = {"goal": "A good party", "through_message_id": "S-2"}
    done = ann.checkpoint("main", actor=AGENT, task_id="T-1", **words)
    hidden = {("task", "T-2"), ("approval", "A-1"), ("artifact", "F-1"), ("message", "S-1")}

    def may_see(kind: str, row: Any) -> bool:
        return (kind, row[0]) not in hidden

    request = {"text": "go on", "thread_id": "main", "now": NOW}
    envelope = ann.assemble(request, may_see=may_see)
    kept: Any = item(envelope, f"checkpoint:{done.checkpoint_id}").content
    assert [one["request_id"] for one in kept["pending_input"]] == ["Q-1"]
    assert {"goal", "blockers", "artifact_ids"}.isdisjoint(kept)
    rows: Any = item(envelope, f"checkpoint:{done.checkpoint_id}/records").content
    assert set(rows) == {"task/T-1", "meeting/M-7", "commitment/C-1"}
    whole: Any = item(ann.assemble(request), f"checkpoint:{done.checkpoint_id}").content
    assert (whole["goal"], whole["artifact_ids"]) == ("A good party", ["F-1"])


def test_words_that_rest_on_too_many_messages_are_left_behind(
    ann: UserScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that what is told can always be held against its messages; it is said what was left."""
    monkeypatch.setattr(making, "RESTS_ON_MAX", 2)
    work(ann)
    tried = [{"text": "Wrote to the band", "outcome": "failed"}]
    words: Any = {"through_message_id": "S-2", "goal": "A party", "attempts": tried}
    assert ann.checkpoint("main", actor=AGENT, task_id="T-1", **words).left == ()
    say(ann, "S-3", "And a cake")
    words = {"through_message_id": "S-3", "decisions": [{"text": "Jazz"}]}
    after = ann.checkpoint("main", actor=AGENT, **words)
    assert after.left == ("the words of the checkpoint before: they rest on too many messages",)
    assert (after.body.goal, [one.text for one in after.body.decisions]) == (None, ["Jazz"])
    assert [one.text for one in after.body.attempts] == ["Called the hall"]
