"""Conversations: what can be asked of messages and threads, and when it is refused.

The facts stand in conversation_facts.py and are named here again, so that `domain.conversations`
is the one place to import them from. Posting needs no read; a summary is refused where a sentence
rests on a message that is unknown, redacted or from another thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar, Literal, Self, assert_never

from pydantic import model_validator

from workindex.domain.changes import plain
from workindex.domain.checkpoint_body import CheckpointBody
from workindex.domain.conversation_facts import (
    Attachments,
    CheckpointRecorded,
    CheckpointState,
    CorrectionRecorded,
    MessagePosted,
    MessageRedacted,
    MessageState,
    Role,
    Sentence,
    Sentences,
    ShownApproval,
    ShownApprovals,
    SummaryRecorded,
    SummaryState,
    ThreadState,
    evolve_checkpoint,
    evolve_message,
    evolve_summary,
    evolve_thread,
)
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import (
    PEOPLE,
    Command,
    Concept,
    Entity,
    Fact,
    Id,
    Sensitivity,
    Text,
    World,
)

__all__ = [
    "CheckpointBody",
    "CheckpointRecorded",
    "CorrectionRecorded",
    "MessagePosted",
    "MessageRedacted",
    "Sentence",
    "ShownApproval",
    "SummaryRecorded",
]

SUMMARY_MESSAGES_MAX = 500


class PostMessage(Command):
    """Say something in a thread; an id seen before with the same content changes nothing."""

    type: Literal["post_message"] = "post_message"
    new_ids: ClassVar[tuple[str, ...]] = ("message_id",)
    message_id: Id | None = None
    thread_id: Id
    role: Role
    text: Text
    reply_to: Id | None = None
    shown_approvals: ShownApprovals = ()
    attachments: Attachments = ()
    sensitivity: Sensitivity = "normal"

    @property
    def stream(self) -> str:
        return f"message/{self.message_id}"

    @property
    def is_blind(self) -> bool:
        return True


class RedactMessage(Command):
    """Take a message's text away; only a person or an operator may."""

    type: Literal["redact_message"] = "redact_message"
    allowed_actors: ClassVar[frozenset[str]] = PEOPLE | {"operator"}
    message_id: Id
    reason: Text | None = None

    @property
    def stream(self) -> str:
        return f"message/{self.message_id}"


class ThreadCommand(Command):
    """A command about one thread."""

    thread_id: Id

    @property
    def stream(self) -> str:
        return f"thread/{self.thread_id}"


class RecordCorrection(ThreadCommand):
    """Keep what somebody put right."""

    type: Literal["record_correction"] = "record_correction"
    new_ids: ClassVar[tuple[str, ...]] = ("correction_id",)
    correction_id: Id | None = None
    text: Text
    message_id: Id | None = None
    corrects: Id | None = None
    task_id: Id | None = None


class RecordCheckpoint(ThreadCommand):
    """Keep where the thread stands."""

    type: Literal["record_checkpoint"] = "record_checkpoint"
    new_ids: ClassVar[tuple[str, ...]] = ("checkpoint_id",)
    checkpoint_id: Id | None = None
    task_id: Id | None = None
    body: CheckpointBody

    def reads(self, world: World) -> Iterable[str]:
        return (f"checkpoint/{self.checkpoint_id}",)


class RecordSummary(ThreadCommand):
    """Keep a summary; each sentence names the messages of the thread that it rests on."""

    type: Literal["record_summary"] = "record_summary"
    new_ids: ClassVar[tuple[str, ...]] = ("summary_id",)
    summary_id: Id | None = None
    sentences: Sentences

    @model_validator(mode="after")
    def _few_messages(self) -> Self:
        if len(self.message_ids) > SUMMARY_MESSAGES_MAX:
            raise ValueError(f"a summary rests on at most {SUMMARY_MESSAGES_MAX} messages")
        return self

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The messages that the sentences name, each once, in order."""
        named = (message_id for each in self.sentences for message_id in each.message_ids)
        return tuple(dict.fromkeys(named))

    def reads(self, world: World) -> Iterable[str]:
        return (f"summary/{self.summary_id}", *(f"message/{name}" for name in self.message_ids))


AnyConversationCommand = (
    PostMessage | RedactMessage | RecordCorrection | RecordCheckpoint | RecordSummary
)


def decide(world: World, command: AnyConversationCommand, now: datetime) -> list[Fact]:
    """Facts for a command about a conversation; none where it was recorded before."""
    match command:
        case PostMessage():
            return _post(world, command)
        case RedactMessage(message_id=message_id):
            if _message(world, message_id, "message_id").redacted:
                return []
            return [MessageRedacted(message_id=message_id, reason=command.reason)]
        case RecordCorrection():
            return _correct(world, command)
        case RecordCheckpoint():
            return _checkpoint(world, command)
        case RecordSummary():
            return _summarise(world, command)
        case _:
            assert_never(command)


def _post(world: World, command: PostMessage) -> list[Fact]:
    assert command.message_id is not None, "the runtime fills new ids"
    fact = MessagePosted(
        message_id=command.message_id,
        thread_id=command.thread_id,
        role=command.role,
        text=command.text,
        reply_to=command.reply_to,
        shown_approvals=command.shown_approvals,
        attachments=command.attachments,
        sensitivity=command.sensitivity,
    )
    held = world.get(command.stream, MessageState)
    return [fact] if _is_new("message", fact.message_id, held, fact) else []


def _correct(world: World, command: RecordCorrection) -> list[Fact]:
    assert command.correction_id is not None, "the runtime fills new ids"
    fact = CorrectionRecorded(
        thread_id=command.thread_id,
        correction_id=command.correction_id,
        text=command.text,
        message_id=command.message_id,
        corrects=command.corrects,
        task_id=command.task_id,
    )
    thread = world.get(command.stream, ThreadState)
    for held in () if thread is None else thread.corrections:
        if held["correction_id"] == fact.correction_id:
            if held["text"] == fact.text:
                return []
            _refuse_other("correction", fact.correction_id)
    return [fact]


def _checkpoint(world: World, command: RecordCheckpoint) -> list[Fact]:
    assert command.checkpoint_id is not None, "the runtime fills new ids"
    fact = CheckpointRecorded(
        thread_id=command.thread_id,
        checkpoint_id=command.checkpoint_id,
        task_id=command.task_id,
        body=command.body,
    )
    held = world.get(f"checkpoint/{fact.checkpoint_id}", CheckpointState)
    return [fact] if _is_new("checkpoint", fact.checkpoint_id, held, fact) else []


def _summarise(world: World, command: RecordSummary) -> list[Fact]:
    assert command.summary_id is not None, "the runtime fills new ids"
    fact = SummaryRecorded(
        thread_id=command.thread_id, summary_id=command.summary_id, sentences=command.sentences
    )
    held = world.get(f"summary/{fact.summary_id}", SummaryState)
    if not _is_new("summary", fact.summary_id, held, fact):
        return []
    for message_id in command.message_ids:
        message = _message(world, message_id, "sentences.message_ids")
        if message.thread_id != command.thread_id:
            raise CommandRefused(
                "message_elsewhere",
                f"message {message_id} belongs to thread {message.thread_id}, not to "
                f"{command.thread_id}: a summary rests on messages of its own thread",
                field="sentences.message_ids",
            )
        if message.redacted:
            raise CommandRefused(
                "message_redacted",
                f"message {message_id} is redacted: leave out what rests on it",
                field="sentences.message_ids",
            )
    return [fact]


Held = MessageState | CheckpointState | SummaryState


def _is_new(kind: str, name: str, held: Held | None, fact: Fact) -> bool:
    """Whether nothing is stored under the id yet. Raises: CommandRefused for other content."""
    if held is None:
        return True
    stored = held._asdict()
    is_redacted = stored.pop("redacted", False)
    if is_redacted or stored != {key: plain(getattr(fact, key)) for key in stored}:
        _refuse_other(kind, name)
    return False


def _refuse_other(kind: str, name: str) -> None:
    raise CommandRefused(
        f"{kind}_exists",
        f"{kind} {name} exists and its content differs: choose another id",
        field=f"{kind}_id",
    )


def _message(world: World, message_id: str, field: str) -> MessageState:
    state = world.get(f"message/{message_id}", MessageState)
    if state is None:
        raise CommandRefused(
            "unknown_message",
            f"there is no message {message_id}: post it first, or check the id",
            field=field,
        )
    return state


CONVERSATIONS = Concept(
    "conversations",
    facts=(
        MessagePosted,
        MessageRedacted,
        CorrectionRecorded,
        CheckpointRecorded,
        SummaryRecorded,
    ),
    commands=(PostMessage, RedactMessage, RecordCorrection, RecordCheckpoint, RecordSummary),
    entities=(
        Entity("message", MessageState, evolve_message),
        Entity("thread", ThreadState, evolve_thread),
        Entity("checkpoint", CheckpointState, evolve_checkpoint),
        Entity("summary", SummaryState, evolve_summary),
    ),
    decide=decide,
)
