"""What can have been said in a conversation and made of it, and what decisions remember of it.

The `…_columns` functions give the columns that a state shares with its row: evolve and fold both
apply them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, assert_never, cast

from pydantic import Field, StringConstraints

from workindex.domain.changes import plain
from workindex.domain.checkpoint_body import CheckpointBody
from workindex.domain.facts import Event, Fact, Frozen, Id, Sensitivity, Text, utc

CORRECTIONS_KEPT = 200
Role = Literal["user", "assistant", "agent", "tool", "system"]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
SentenceText = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]


class ShownApproval(Frozen):
    """An exact approval that the message displayed."""

    approval_id: Id
    action_hash: Sha256


class Sentence(Frozen):
    """One sentence of a summary and the messages it rests on."""

    text: SentenceText
    message_ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=50)]


ShownApprovals = Annotated[tuple[ShownApproval, ...], Field(max_length=100)]
Attachments = Annotated[tuple[Id, ...], Field(max_length=100)]
Sentences = Annotated[tuple[Sentence, ...], Field(min_length=1, max_length=200)]


class MessageFact(Fact):
    """A fact about one message."""

    message_id: Id

    @property
    def stream(self) -> str:
        return f"message/{self.message_id}"


class MessagePosted(MessageFact):
    """Somebody said something in a thread."""

    type: Literal["message_posted"] = "message_posted"
    thread_id: Id
    role: Role
    text: Text
    reply_to: Id | None = None
    shown_approvals: ShownApprovals = ()
    attachments: Attachments = ()
    sensitivity: Sensitivity = "normal"


class MessageRedacted(MessageFact):
    """The message keeps its place and loses its text."""

    type: Literal["message_redacted"] = "message_redacted"
    reason: Text | None = None


class ThreadFact(Fact):
    """A fact about one thread."""

    thread_id: Id

    @property
    def stream(self) -> str:
        return f"thread/{self.thread_id}"


class CorrectionRecorded(ThreadFact):
    """Somebody put something right: in `message_id`, about the message `corrects`."""

    type: Literal["correction_recorded"] = "correction_recorded"
    correction_id: Id
    text: Text
    message_id: Id | None = None
    corrects: Id | None = None
    task_id: Id | None = None


class CheckpointRecorded(ThreadFact):
    """Where the thread stood."""

    type: Literal["checkpoint_recorded"] = "checkpoint_recorded"
    checkpoint_id: Id
    task_id: Id | None = None
    body: CheckpointBody

    @property
    def touches(self) -> tuple[str, ...]:
        return (self.stream, f"checkpoint/{self.checkpoint_id}")


class SummaryRecorded(ThreadFact):
    """What was said, in short."""

    type: Literal["summary_recorded"] = "summary_recorded"
    summary_id: Id
    sentences: Sentences

    @property
    def touches(self) -> tuple[str, ...]:
        return (self.stream, f"summary/{self.summary_id}")


AnyMessageFact = MessagePosted | MessageRedacted
AnyThreadFact = CorrectionRecorded | CheckpointRecorded | SummaryRecorded


class MessageState(NamedTuple):
    """A message; without text once it is redacted."""

    thread_id: str
    role: str
    text: str | None
    reply_to: str | None
    shown_approvals: list[dict[str, Any]]
    attachments: list[str]
    sensitivity: str
    redacted: bool


class ThreadState(NamedTuple):
    """A thread: its latest checkpoint and summary, its latest corrections."""

    checkpoint_id: str | None
    summary_id: str | None
    corrections: list[dict[str, Any]]


class CheckpointState(NamedTuple):
    """A checkpoint; it never changes."""

    thread_id: str
    task_id: str | None
    body: dict[str, Any]


class SummaryState(NamedTuple):
    """A summary; it never changes."""

    thread_id: str
    sentences: list[dict[str, Any]]


def message_columns(fact: AnyMessageFact) -> dict[str, Any]:
    """The columns of a message that the fact sets."""
    match fact:
        case MessagePosted():
            return {
                "thread_id": fact.thread_id,
                "role": fact.role,
                "text": fact.text,
                "reply_to": fact.reply_to,
                "shown_approvals": plain(fact.shown_approvals),
                "attachments": list(fact.attachments),
                "sensitivity": fact.sensitivity,
                "redacted": False,
            }
        case MessageRedacted():
            return {"text": None, "redacted": True}
        case _:
            assert_never(fact)


def thread_columns(corrections: list[dict[str, Any]], event: Event) -> dict[str, Any]:
    """The columns of a thread that the event sets, given the corrections before it."""
    fact = cast(AnyThreadFact, event.fact)
    match fact:
        case CheckpointRecorded():
            return {"checkpoint_id": fact.checkpoint_id}
        case SummaryRecorded():
            return {"summary_id": fact.summary_id}
        case CorrectionRecorded():
            latest = {
                "correction_id": fact.correction_id,
                "text": fact.text,
                "message_id": fact.message_id,
                "corrects": fact.corrects,
                "task_id": fact.task_id,
                "corrected_at": utc(event.occurred_at),
            }
            return {"corrections": [*corrections, latest][-CORRECTIONS_KEPT:]}
        case _:
            assert_never(fact)


def evolve_message(state: MessageState | None, event: Event) -> MessageState | None:
    """The message after one more event."""
    fact = cast(AnyMessageFact, event.fact)
    columns = message_columns(fact)
    if isinstance(fact, MessagePosted):
        return MessageState(**columns)
    assert state is not None, fact
    return state._replace(**columns)


def evolve_thread(state: ThreadState | None, event: Event) -> ThreadState | None:
    """The thread after one more event."""
    before = state or ThreadState(None, None, [])
    return before._replace(**thread_columns(before.corrections, event))


def evolve_checkpoint(state: CheckpointState | None, event: Event) -> CheckpointState | None:
    """The checkpoint as recorded."""
    fact = cast(CheckpointRecorded, event.fact)
    return CheckpointState(fact.thread_id, fact.task_id, plain(fact.body))


def evolve_summary(state: SummaryState | None, event: Event) -> SummaryState | None:
    """The summary as recorded."""
    fact = cast(SummaryRecorded, event.fact)
    return SummaryState(fact.thread_id, plain(fact.sentences))
