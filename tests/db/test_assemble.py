"""Is a working set what the log says at one position: all that must be there, nothing else?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from pydantic import JsonValue

from conftest import Urls
from engine import do_as_owner
from turns import AGENT, NOW, approval, assemble, do, ids, item, say
from workindex import Actor, UserScope, WorkIndex
from workindex.assembler.lanes import ContextBudgetExceeded
from workindex.assembler.rendering import parsed, working_set_text
from workindex.assembler.scope import UnknownRecord
from workindex.assembler.tokens import counter
from workindex.domain.errors import InvalidInput
from workindex.projections.recording import Clock

SECRET = "ixtlan"


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


def test_the_state_lane_is_what_the_state_path_reads(ann: UserScope) -> None:
    """Both readers give the same items and the same verdict, as of the same position."""
    for number in range(14):
        do(ann, "create_task", task_id=f"T-{number}", title=f"Task {number}")
        if number % 2:
            request = {"task_id": f"T-{number}", "request_id": "Q", "prompt": "Which?"}
            do(ann, "request_task_input", by=AGENT, **request)
    envelope = assemble(ann, "How are things?")
    asked = ann.ask("What needs me?", now=NOW)
    assert asked is not None
    told: Any = item(envelope, "projection:work_index").content
    assert told["position"] == asked.certificate["position"] == 21
    needs = told["needs_you"]
    assert (needs["verdict"], needs["total"]) == (asked.verdict, asked.total) == ("items", 7)
    assert [one["id"] for one in needs["items"]] == [one.id for one in asked.items]
    assert [one["why"] for one in needs["items"]] == [one.why for one in asked.items]
    assert envelope.proof["certificate"] == asked.certificate


def test_nothing_pending_is_said_with_the_proof_alone(ann: UserScope, urls: Urls) -> None:
    """Where rows cannot be trusted the lane says so, and no list reads as none."""
    do(ann, "create_task", task_id="T-1", title="Task")
    assert assemble(ann, "hi").proof["verdict"] == "proven_empty"
    do_as_owner(urls, "UPDATE projection_progress SET open_count = 3")
    envelope = assemble(ann, "hi")
    assert (envelope.proof["verdict"], envelope.proof["reasons"]) == ("unproven", ["rows_missing"])
    told: Any = item(envelope, "projection:work_index").content
    assert told["needs_you"]["verdict"] == "unproven"


def test_an_exact_id_beats_any_likeness(ann: UserScope) -> None:
    """T-12 is never T-1; what only sounds alike is a candidate and no record in scope."""
    do(ann, "create_task", task_id="T-1", title="Sign the venue contract")
    do(ann, "create_task", task_id="T-12", title="Pay the band")
    do(ann, "create_task", task_id="T-3", title="Cancel the venue contract")
    envelope = assemble(ann, "What about T-12, and the venue contract?")
    assert envelope.scope.task_id == "T-12"
    assert [one for one in ids(envelope.current_state) if one.startswith("task:")] == ["task:T-12"]
    candidates = [one for one in ids(envelope.current_state) if one.startswith("candidate:")]
    assert candidates == ["candidate:task:T-1", "candidate:task:T-3"]


@pytest.mark.parametrize(
    "field", ["task_id", "meeting_id", "approval_id", "entity_ids", "reply_to"]
)
def test_an_unknown_id_and_another_users_are_one_error(
    work_index: WorkIndex, ann: UserScope, field: str
) -> None:
    """The error says the same, so it tells nobody what others have."""
    bob = work_index.user("bob")
    do(bob, "create_task", task_id="X-1", title="Bob's")
    do(bob, "schedule_meeting", meeting_id="X-2", title="Bob's", start_at="2026-03-05T12:00:00Z")
    approval(bob, "X-3")
    say(bob, "X-4", "Bob's")
    do(ann, "create_task", task_id="T-1", title="Ann's")
    theirs = {"task_id": "X-1", "meeting_id": "X-2", "approval_id": "X-3", "reply_to": "X-4"}
    words = []
    for id_ in (theirs.get(field, "X-1"), "X-9"):
        with pytest.raises(UnknownRecord) as refused:
            assemble(ann, "hi", **{field: [id_] if field == "entity_ids" else id_})
        words.append(str(refused.value).replace(id_, "…"))
    assert words[0] == words[1]


def test_nothing_of_another_user_ever_appears(work_index: WorkIndex, ann: UserScope) -> None:
    """Whatever the request names, whatever the surface."""
    bob = work_index.user("bob")
    do(bob, "create_task", task_id="T-1", title=f"{SECRET} task")
    do(bob, "record_claim", claim_id="C-1", subject="home", attribute="city", value=SECRET)
    say(bob, "M-1", f"{SECRET} message")
    do(ann, "create_task", task_id="T-2", title="Ann's own task")
    for surface in ("main", "task", "meeting", "approval", "proactive"):
        request = {"surface": surface, "thread_id": "main"}
        envelope = assemble(ann, f"home T-1 M-1 {SECRET}"[:14], **request)
        assert SECRET not in envelope.model_dump_json()


def test_a_bare_yes_binds_to_nothing(ann: UserScope) -> None:
    """An approval is in scope by its id alone, on every surface."""
    approval(ann, "A-1")
    say(ann, "M-1", "May I pay?", role="agent")
    for surface in ("main", "task", "approval"):
        envelope = assemble(ann, "yes", surface=surface, thread_id="main", reply_to="M-1")
        assert envelope.scope.approval_id is None
        assert "approval:A-1" not in ids(envelope.current_state)
    named = assemble(ann, "yes", surface="approval", approval_id="A-1")
    exact = item(named, "approval:A-1")
    assert (exact.authority_rank, exact.priority) == (1, 1)
    told: Any = exact.content
    assert told["arguments"] == {"amount": 100, "to": "Bo"}
    assert (told["requester"], told["status"]) == ("helper", "requested")
    assert exact.expires_at == datetime(2026, 3, 5, 12, tzinfo=UTC)


def test_the_thread_is_that_of_the_message(ann: UserScope) -> None:
    """Of the message that is answered, or to which it replies; one not recorded yet has none."""
    say(ann, "M-1", "Shall we?", role="agent", thread_id="other")
    say(ann, "M-2", "Yes.", thread_id="other")
    for fields, thread_id in (
        ({"message_id": "M-2"}, "other"),
        ({"reply_to": "M-1"}, "other"),
        ({"message_id": "M-2", "thread_id": "main"}, "main"),
        ({"message_id": "M-9"}, None),
    ):
        envelope = assemble(ann, "Yes.", **fields)
        assert envelope.scope.thread_id == thread_id
    told = assemble(ann, "Yes.", message_id="M-2")
    assert ids(told.recent_history) == ["message:M-1"]


def test_what_is_gone_is_gone_at_once(ann: UserScope) -> None:
    """Redacted, withdrawn, superseded, expired, forgotten and too sensitive things: no lane."""
    say(ann, "M-1", f"the {SECRET} plan")
    say(ann, "M-2", f"{SECRET} for few", sensitivity="restricted")
    claim: dict[str, Any] = {"subject": "home", "attribute": "city", "value": SECRET}
    do(ann, "record_claim", claim_id="C-1", **claim)
    do(ann, "record_claim", claim_id="C-2", **claim, expires_at="2026-03-04T11:00:00Z")
    do(ann, "record_claim", claim_id="C-3", **claim, sensitivity="restricted")
    do(ann, "record_claim", claim_id="C-4", **claim)
    before = assemble(ann, "Which city is home? M-1", thread_id="main").model_dump_json()
    assert SECRET in before
    do(ann, "redact_message", message_id="M-1", reason="asked for")
    do(ann, "withdraw_claim", claim_id="C-1", reason="asked for")
    do(ann, "supersede_claim", claim_id="C-4", new_claim_id="C-5", value="Oslo")
    envelope = assemble(ann, "Which city is home?", thread_id="main")
    assert SECRET not in envelope.model_dump_json()
    assert "Oslo" in envelope.model_dump_json()
    left = {one.source_id: one.reason for one in envelope.omissions}
    assert left["message:M-1"] == "redacted"
    assert left["claim:C-2"] == "expired"
    assert left["claim:C-3"] == left["message:M-2"] == "more sensitive than the caller may see"


def test_a_claim_never_outweighs_a_row(ann: UserScope) -> None:
    """The row is admitted, the claim travels beside it as superseded, however new it is."""
    do(ann, "create_task", task_id="T-1", title="Pay the band")
    do(ann, "record_claim", claim_id="C-1", subject="T-1", attribute="status", value="done")
    envelope = assemble(ann, "Is T-1 done?")
    (conflict,) = envelope.conflicts
    assert (conflict.winner, conflict.winner_value) == ("task:T-1", "open")
    assert (conflict.superseded, conflict.superseded_value) == ("claim:C-1", "done")
    assert "claim:C-1" not in ids(envelope.retrieved_evidence)


def test_a_checkpoint_is_checked_against_the_rows(ann: UserScope) -> None:
    """What was pending and is settled is taken out and told; the rest survives word for word."""
    do(ann, "create_task", task_id="T-1", title="Pay the band")
    request = {"task_id": "T-1", "prompt": "Which?"}
    do(ann, "request_task_input", by=AGENT, request_id="Q-1", **request)
    do(ann, "request_task_input", by=AGENT, request_id="Q-2", **request)
    approval(ann, "A-1")
    body = {
        "goal": "A good party",
        "corrections": [{"text": "Not on Sunday"}],
        "attempts": [{"text": "Called the hall", "outcome": "failed"}],
        "pending_input": [
            {"prompt": "Which band?", "task_id": "T-1", "request_id": "Q-1"},
            {"prompt": "Which hall?", "task_id": "T-1", "request_id": "Q-2"},
            {"prompt": "Pay?", "approval_id": "A-1"},
        ],
    }
    thread = {"thread_id": "main", "checkpoint_id": "CP-1"}
    do(ann, "record_checkpoint", by=AGENT, **thread, body=body)
    do(ann, "give_task_input", task_id="T-1", request_id="Q-1", answer="The first")
    do(ann, "deny_approval", approval_id="A-1", reason="Too much")
    envelope = assemble(ann, "Go on", surface="task", task_id="T-1", thread_id="main")
    kept = item(envelope, "checkpoint:CP-1")
    told: Any = kept.content
    assert kept.priority == 3
    assert [one["request_id"] for one in told["pending_input"]] == ["Q-2"]
    assert (told["goal"], told["corrections"][0]["text"]) == ("A good party", "Not on Sunday")
    assert told["attempts"][0]["outcome"] == "failed"
    assert {(one.winner, one.winner_value) for one in envelope.conflicts} == {
        ("task:T-1", "answered or withdrawn"),
        ("approval:A-1", "denied"),
    }


def test_a_summary_that_contradicts_a_row_is_dropped(ann: UserScope) -> None:
    """Sentence by sentence, and counted; without any summary the state is the same."""
    do(ann, "create_task", task_id="T-1", title="Pay the band")
    say(ann, "M-1", "Let us talk")
    before = assemble(ann, "hi", thread_id="main").current_state
    sentences = [
        {"text": "T-1 is done.", "message_ids": ["M-1"]},
        {"text": "Ann likes jazz.", "message_ids": ["M-1"]},
    ]
    summary = {"thread_id": "main", "summary_id": "S-1", "sentences": sentences}
    do(ann, "record_summary", by=AGENT, **summary)
    envelope = assemble(ann, "hi", thread_id="main")
    told: Any = item(envelope, "summary:S-1").content
    assert [one["text"] for one in told["sentences"]] == ["Ann likes jazz."]
    assert [one.superseded for one in envelope.conflicts] == ["summary:S-1"]
    lanes = [
        one.content for one in envelope.current_state if not one.source_id.startswith("conflict:")
    ]
    assert [c for c in lanes if "position" not in str(c)] == [
        one.content for one in before if "position" not in str(one.content)
    ]


def test_the_latest_message_is_in_the_request_alone(ann: UserScope) -> None:
    """It is not told twice; older turns are whole and in order."""
    for number in range(4):
        say(ann, f"M-{number}", f"question {number}")
        say(ann, f"R-{number}", f"answer {number}", role="agent")
    say(ann, "M-4", "the last one")
    envelope = assemble(ann, "the last one", thread_id="main", message_id="M-4")
    assert envelope.request.text == "the last one"
    history = ids(envelope.recent_history)
    assert history == [f"message:{kind}-{n}" for n in range(4) for kind in ("M", "R")]
    strict = ann.assemble({"text": "x" * 40, "thread_id": "main", "now": NOW}, policy="strict")
    assert strict.budget.used <= 3_000
    assert strict.budget.by_lane["history"] <= 500


def test_a_request_too_large_stops_with_what_to_do(ann: UserScope) -> None:
    """Nothing is cut from it; the same error for the same request."""
    do(ann, "create_task", task_id="T-1", title="Task")
    words = set()
    for _ in range(2):
        with pytest.raises(ContextBudgetExceeded, match="store a pasted text") as stopped:
            assemble(ann, "paste " * 30_000)
        words.add(str(stopped.value))
    assert len(words) == 1


def test_the_same_request_gives_the_same_bytes(ann: UserScope) -> None:
    """But for the clock's own figures; also in a process that read other things before."""
    do(ann, "create_task", task_id="T-1", title="Task")
    say(ann, "M-1", "hello")

    def plain() -> dict[str, Any]:
        document = assemble(ann, "T-1?", thread_id="main").model_dump(mode="json")
        document["manifest"].pop("latency_ms")
        document["proof"]["certificate"].pop("as_of")
        return document

    first = plain()
    ann.ask("What needs me?")
    assert plain() == first


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"surface": "main"}, "text"),
        ({"text": "hi", "surface": "phone"}, "surface"),
        ({"text": "hi", "more": 1}, "more"),
        ({"text": "hi", "now": "2026-03-04T12:00:00"}, "has no zone"),
        ({"text": "hi", "tz": "Mars/Base"}, "Mars/Base"),
        ({"text": "\ud800"}, "surrogate"),
        ({"text": "hi", "locale": "\ud800"}, "locale"),
        ({"text": "hi", "attachments": [{"name": "\ud800"}]}, "attachments"),
    ],
)
def test_a_bad_request_is_refused_by_name(
    ann: UserScope, request_: dict[str, Any], words: str
) -> None:
    """The first wrong field is named; nothing was read or written."""
    do(ann, "create_task", task_id="T-1", title="Task")
    with pytest.raises(InvalidInput, match=words):
        ann.assemble(request_)


def test_provider_state_past_its_time_is_told_as_such(ann: UserScope) -> None:
    """Live while it holds, derived afterwards; never silently current."""
    provider = Actor(kind="provider", id="mail")
    seen = {"provider": "mail", "account": "me", "status": "connected", "ttl_seconds": 3_600}
    ann.record({"type": "observe_connection", **seen}, actor=provider, occurred_at=NOW)
    fresh = item(assemble(ann, "hi"), "connection:mail:me")
    later = item(assemble(ann, "hi", now=NOW + timedelta(hours=2)), "connection:mail:me")
    assert (fresh.authority, later.authority) == ("live", "derived")
    assert later.admission_reason == "provider state past its time"


@pytest.mark.parametrize("policy", ["assistant", "strict"])
def test_the_envelope_is_all_that_was_counted(ann: UserScope, policy: str) -> None:
    """The text that a backend makes of it costs what the budget says, conflicts included."""
    do(ann, "create_task", task_id="T-1", title="Pay the band")
    claim: dict[str, Any] = {"subject": "task/T-1", "attribute": "title", "value": "Book the band"}
    do(ann, "record_claim", claim_id="C-1", **claim)
    say(ann, "M-1", "Let us talk")
    request = {"text": "What about T-1?", "now": NOW, "thread_id": "main"}
    output_schema: JsonValue = {"type": "object", "properties": {"reply": {"type": "string"}}}
    envelope = ann.assemble(request, policy=policy, output_schema=output_schema)
    text = working_set_text(envelope)
    assert counter("o200k_base").count([text]) == [envelope.budget.used]
    assert envelope.budget.by_lane["schema"] > 0
    told = {heads["source"]: content for heads, content in parsed(text)}
    assert told["conflict:task/T-1:title"]["value"] == "Pay the band"
    assert told["conflict:task/T-1:title"]["superseded"][0]["value"] == "Book the band"
    other = ann.assemble({**request, "text": "And now?"}, policy=policy)
    assert envelope.prefix.startswith(other.prefix)
    assert other.manifest.prefix_sha256 == sha256(other.prefix.encode()).hexdigest()


def test_a_schema_larger_than_the_policy_leaves_is_refused(ann: UserScope) -> None:
    """Schemas are never cut: the error names them."""
    large: JsonValue = {"enum": [f"value {number}" for number in range(500)]}
    with pytest.raises(ContextBudgetExceeded, match="schema"):
        ann.assemble({"text": "hi", "now": NOW}, policy="strict", output_schema=large)


def test_of_many_that_may_be_meant_the_others_are_named(ann: UserScope) -> None:
    """Eight candidates are told, each further one is an omission with its call."""
    for number in range(12):
        do(ann, "create_task", task_id=f"T-{number}", title=f"Spring offer for town {number}")
    envelope = assemble(ann, "How is the spring offer?")
    told = [one for one in ids(envelope.current_state) if one.startswith("candidate:")]
    left = {one.source_id: one.recover_with for one in envelope.omissions}
    assert len(told) == 8
    assert {*told, *left} >= {f"candidate:task:T-{number}" for number in range(12)}
    assert all(call is not None for ref, call in left.items() if ref.startswith("candidate:"))
