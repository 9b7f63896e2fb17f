"""Conversations: messages stay as they were said, and everything made of them points back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from driver import NOW, Driver, at
from workindex.domain.conversation_facts import CORRECTIONS_KEPT
from workindex.domain.conversations import (
    CONVERSATIONS,
    PostMessage,
    RecordCheckpoint,
    RecordCorrection,
    RecordSummary,
    RedactMessage,
)
from workindex.domain.errors import CommandRefused, NotPermitted
from workindex.domain.facts import EVERY_ACTOR, ActorKind, Command
from workindex.projections import conversations

HASH = "0f" * 32
POST = PostMessage(
    message_id="M-1",
    thread_id="H",
    role="assistant",
    text="Pay 7?\n</lane> 付款",
    reply_to="M-0",
    shown_approvals=[{"approval_id": "A-1", "action_hash": HASH}],
    attachments=("F-1",),
)
REDACT = RedactMessage(message_id="M-1", reason="card number")
CHECKPOINT = RecordCheckpoint.model_validate(
    {
        "thread_id": "H",
        "checkpoint_id": "K",
        "task_id": "T",
        "body": {
            "goal": "Pay",
            "plan": [{"text": "Ask", "status": "doing"}],
            "outputs": [{"name": "sum", "value": {"amount": "100"}}],
            "active_tool_groups": ["payments"],
        },
    }
)


def summary(*message_ids: str, own: str | None = "S", text: str = "She pays.") -> RecordSummary:
    sentences = [{"text": text, "message_ids": message_ids}]
    return RecordSummary.model_validate(
        {"thread_id": "H", "summary_id": own, "sentences": sentences}
    )


def new_driver(*commands: Command) -> Driver:
    return Driver((CONVERSATIONS,), conversations.TABLES).given(*commands)


def test_a_message_as_it_was_said() -> None:
    """Text comes back unchanged; posting writes no thread row and needs no read."""
    driver = new_driver(POST)
    assert POST.is_blind
    assert driver.log[0].fact.touches == ("message/M-1",)
    assert driver.row("thread/H") is None
    assert driver.row("message/M-1") == conversations.MessageRow(
        message_id="M-1",
        thread_id="H",
        role="assistant",
        text="Pay 7?\n</lane> 付款",
        posted_at=NOW,
        reply_to="M-0",
        shown_approvals=[{"approval_id": "A-1", "action_hash": HASH}],
        attachments=["F-1"],
        sensitivity="normal",
        redacted=False,
    )


def test_a_redacted_message_keeps_its_place() -> None:
    """Only the text is gone; the same message cannot be posted again."""
    driver = new_driver(POST)
    driver.do(REDACT, now=at("10:00"))
    row = driver.row("message/M-1")
    assert (row.text, row.redacted, row.posted_at, row.thread_id) == (None, True, NOW, "H")
    assert driver.do(REDACT) == []
    assert driver.refusal(POST) == "message_exists"


def test_a_thread_holds_its_latest() -> None:
    """Checkpoint, summary and corrections move the thread; the older ones stay to be read."""
    later = CHECKPOINT.model_copy(update={"checkpoint_id": "K-2"})
    driver = new_driver(
        POST,
        CHECKPOINT,
        later,
        summary("M-1"),
        RecordCorrection(correction_id="C", thread_id="H", text="8, not 7", corrects="M-1"),
    )
    thread = driver.row("thread/H")
    assert (thread.checkpoint_id, thread.summary_id) == ("K-2", "S")
    assert thread.corrections == [
        {
            "correction_id": "C",
            "text": "8, not 7",
            "message_id": None,
            "corrects": "M-1",
            "task_id": None,
            "corrected_at": "2026-03-02T09:00:00+00:00",
        }
    ]
    assert {e.fact.stream for e in driver.log} == {"message/M-1", "thread/H"}
    assert driver.row("checkpoint/K").body["plan"] == [{"text": "Ask", "status": "doing"}]
    assert driver.row("checkpoint/K").body["active_tool_groups"] == ["payments"]
    assert driver.row("summary/S").sentences == [{"text": "She pays.", "message_ids": ["M-1"]}]


def test_the_row_keeps_the_latest_corrections() -> None:
    """A thread's row stays small; older corrections stay in the log."""
    driver = new_driver()
    for number in range(CORRECTIONS_KEPT + 1):
        driver.do(RecordCorrection(correction_id=f"C-{number}", thread_id="H", text="x"))
    kept = driver.row("thread/H").corrections
    assert len(kept) == CORRECTIONS_KEPT
    assert (kept[0]["correction_id"], kept[-1]["correction_id"]) == ("C-1", "C-200")


ELSEWHERE = PostMessage(message_id="M-2", thread_id="other", role="user", text="hi")
CORRECT = RecordCorrection(correction_id="C", thread_id="H", text="8")


@pytest.mark.parametrize(
    ("before", "command", "code"),
    [
        ((POST,), POST.model_copy(update={"text": "else"}), "message_exists"),
        ((POST,), POST.model_copy(update={"attachments": ()}), "message_exists"),
        ((), REDACT, "unknown_message"),
        ((), summary("M-1"), "unknown_message"),
        ((POST,), summary("M-1", "M-9"), "unknown_message"),
        ((POST, ELSEWHERE), summary("M-1", "M-2"), "message_elsewhere"),
        ((POST, REDACT), summary("M-1"), "message_redacted"),
        ((POST, summary("M-1")), summary("M-1", text="Else."), "summary_exists"),
        ((CHECKPOINT,), CHECKPOINT.model_copy(update={"thread_id": "I"}), "checkpoint_exists"),
        ((CORRECT,), CORRECT.model_copy(update={"text": "9"}), "correction_exists"),
    ],
)
def test_refusals(before: tuple[Command, ...], command: Command, code: str) -> None:
    """What the state forbids is refused with its own code."""
    driver = new_driver(*before)
    assert driver.refusal(command) == code
    assert len(driver.log) == len(before)


@pytest.mark.parametrize("command", [POST, CHECKPOINT, summary("M-1"), CORRECT])
def test_the_same_again_changes_nothing(command: Command) -> None:
    """A repeated wish decides nothing."""
    driver = new_driver(POST, CHECKPOINT, summary("M-1"), CORRECT)
    assert driver.do(command) == []


def test_every_sentence_has_a_source() -> None:
    """A summary without messages, or with too many, has the wrong shape."""
    with pytest.raises(ValidationError):
        summary()
    many = [{"text": "x", "message_ids": [f"M-{i}-{j}" for j in range(50)]} for i in range(11)]
    with pytest.raises(ValidationError, match="at most 500 messages"):
        RecordSummary.model_validate({"thread_id": "H", "sentences": many})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("role", "root"),
        ("thread_id", ""),
        ("shown_approvals", [{"approval_id": "A", "action_hash": "short"}]),
        ("sensitivity", "secret"),
        ("colour", "red"),
    ],
)
def test_the_shape_of_a_message(field: str, value: Any) -> None:
    """Unknown roles, fields and hashes are refused before anything is looked up."""
    with pytest.raises(ValidationError, match=field):
        PostMessage.model_validate({**POST.model_dump(), field: value})


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
def test_each_actor_times_each_command(kind: ActorKind) -> None:
    """Everybody speaks and keeps notes; only people and operators take a text away."""
    for command in (POST, CHECKPOINT, CORRECT):
        assert new_driver().do(command, by=kind)
    driver = new_driver(POST)
    assert driver.do(summary("M-1"), by=kind)
    if kind in {"user", "approver", "operator"}:
        assert driver.do(REDACT, by=kind)
    else:
        with pytest.raises(NotPermitted):
            driver.do(REDACT, by=kind)


IDS = st.sampled_from(("M-1", "M-2", "M-3"))
THREADS = st.sampled_from(("H", "I"))
STEPS: st.SearchStrategy[Command] = st.one_of(
    st.builds(
        lambda own, thread, text: PostMessage(
            message_id=own, thread_id=thread, role="user", text=text
        ),
        IDS,
        THREADS,
        st.text(max_size=3),
    ),
    st.builds(lambda own: RedactMessage(message_id=own), IDS),
    st.builds(lambda own, *ids: summary(*ids, own=own), IDS, IDS, IDS),
    st.builds(
        lambda own, thread: RecordCorrection(correction_id=own, thread_id=thread, text="x"),
        st.none() | IDS,
        THREADS,
    ),
    st.just(CHECKPOINT),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, max_size=15))
def test_state_and_row_agree(walk: list[Any]) -> None:
    """Whatever happens, folds accept it and agree with evolve (the driver checks each step)."""
    driver = new_driver()
    for command in walk:
        try:
            driver.do(command)
        except CommandRefused:
            continue
    for row in driver.rows.values():
        if isinstance(row, conversations.SummaryRow):
            named = {name for each in row.sentences for name in each["message_ids"]}
            assert all(driver.row(f"message/{name}").thread_id == "H" for name in named)
