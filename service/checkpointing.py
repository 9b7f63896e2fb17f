"""Writing a thread's checkpoint: read, made or given, verified, recorded; and when it is time to.

Nothing of a turn waits for it: `assemble` never writes, and the caller asks after the reply. It is
one append, so a crash leaves a whole checkpoint or none; what others append meanwhile stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

from workindex.domain.checkpoint_body import CheckpointBody
from workindex.domain.conversations import RecordCheckpoint
from workindex.domain.errors import DuplicateKeyConflict
from workindex.domain.facts import Actor, Command, check_time
from workindex.eventlog.append import Wanted, read
from workindex.eventlog.database import Connection, tenant_transaction
from workindex.projections.recording import Receipt
from workindex.projections.snapshot import Snapshot, snapshot
from workindex.service.retrying import retrying

if TYPE_CHECKING:  # the tokenizers and tables behind it load with the first checkpoint
    from workindex.assembler.checkpoints.compaction import Compaction
    from workindex.assembler.checkpoints.making import Given, Made
    from workindex.service.client import WorkIndex


class Words(TypedDict, total=False):
    """What a model or a backend adds: parts of a body, in the form that a body has.

    Goal, plan and tool groups stand instead of those before, pending input and blockers without an
    id too; the others beside. `through_message_id` is the last message that the checkpoint covers
    and, with words, has to be given: what came later their author did not see. `message_ids` are
    the messages that they rest on, by default all since the checkpoint before.
    """

    goal: str | None
    plan: Sequence[Any]
    decisions: Sequence[Any]
    blockers: Sequence[Any]
    pending_input: Sequence[Any]
    outputs: Sequence[Any]
    attempts: Sequence[Any]
    corrections: Sequence[Any]
    artifact_ids: Sequence[str]
    active_tool_groups: Sequence[str]
    through_message_id: str | None
    message_ids: Sequence[str]
    task_id: str | None
    meeting_id: str | None


class Checkpoint(NamedTuple):
    """What was recorded: the id, the body, the receipt of its append; `left` names what of the
    checkpoint before could not be carried on."""

    checkpoint_id: str
    body: CheckpointBody
    receipt: Receipt
    left: tuple[str, ...] = ()


class _Order(NamedTuple):
    actor: Actor
    source: str
    key: str


class Checkpoints:
    """The part of a user's scope that keeps where threads stand."""

    user_id: str
    _work_index: WorkIndex

    if TYPE_CHECKING:

        def record(
            self,
            command: Command | Mapping[str, Any],
            *,
            actor: Actor,
            source: str = ...,
            key: str | None = ...,
            expected_version: int | None = ...,
        ) -> Receipt: ...

    def checkpoint(
        self,
        thread_id: str,
        *,
        actor: Actor,
        source: str = "api",
        key: str | None = None,
        body: CheckpointBody | Mapping[str, Any] | None = None,
        now: datetime | None = None,
        **words: Unpack[Words],
    ) -> Checkpoint:
        """Record where the thread stands, so that a turn can go on without the turns before.

        Without `body` it is made of the rows, the checkpoint before and the words. With one it is
        recorded as it is. Either is verified: all that is open, asked, exact, put right or failed
        in what the thread names, its task and its meeting must be in it, and nothing that rows or
        messages do not bear out. `key` makes it safe to send again: the first result is given,
        whatever the rows say by then.

        Raises: CheckpointIncomplete naming what is missing or untrue; UnknownRecord for a thread of
        which there is nothing; InvalidInput; NotReady where the rows cannot be trusted;
        CommandRefused, Unavailable.
        """
        from workindex.assembler.checkpoints.making import given_of

        given = given_of(body, words)

        def write(one_key: str) -> Checkpoint:
            order = _Order(actor, source, one_key)
            try:
                return self._try_checkpoint(thread_id, given, order, now)
            except DuplicateKeyConflict:  # somebody else was faster with this key
                return self._try_checkpoint(thread_id, given, order, now)

        return retrying(write, key=key)

    def checkpoint_draft(
        self, thread_id: str, now: datetime | None = None, **words: Unpack[Words]
    ) -> CheckpointBody:
        """The body that `checkpoint` would record; nothing is recorded.

        Raises: what `checkpoint` raises.
        """
        from workindex.assembler.checkpoints.making import given_of

        with snapshot(self._work_index.reader, self.user_id) as read_:
            made = self._made(read_, thread_id, given_of(None, words), now)
        return CheckpointBody.model_validate(made.body)

    def compaction(
        self,
        thread_id: str,
        *,
        policy: str = "assistant",
        settings_file: Path | None = None,
        counter: str = "o200k_base",
    ) -> Compaction:
        """Whether the thread's newest messages call for a checkpoint; ask it after the reply.

        Raises: UnknownRecord for a thread of which there is nothing; InvalidInput, Unavailable.
        """
        from workindex.assembler.checkpoints.compaction import compaction
        from workindex.assembler.checkpoints.scene import unknown_thread
        from workindex.assembler.history import MESSAGES_MAX
        from workindex.assembler.policies import policy_named
        from workindex.assembler.tokens import counter as counter_named

        with snapshot(self._work_index.reader, self.user_id) as read_:
            base = read_.read({})
            tail = read_.recent_messages(base, thread_id, MESSAGES_MAX + 1)
            threads = read_.named(base, "thread", [thread_id])
            if not tail and not threads and set(read_.doubts("message")) <= {"unknown_user"}:
                raise unknown_thread(thread_id)
            ids = [row.checkpoint_id for row in threads]
            last = read_.named(base, "checkpoint", [id_ for id_ in ids if id_ is not None])
        through = next((row.body.get("through_message_id") for row in last), None)
        measure = policy_named(policy, settings_file)
        return compaction(tail, through, measure, counter_named(counter))

    def _try_checkpoint(
        self, thread_id: str, given: Given, order: _Order, now: datetime | None
    ) -> Checkpoint:
        """One try. Raises: VersionConflict where the thread was written to meanwhile."""
        from workindex.assembler.checkpoints.making import Made

        checkpoint_id = _id_of(thread_id, order)
        reader = self._work_index.reader
        with (
            reader.database.connection() as conn,
            tenant_transaction(conn, self.user_id, snapshot=True),
        ):
            read_ = Snapshot(reader, conn, self.user_id)
            first = read_.named(read_.read({}), "checkpoint", [checkpoint_id])
            if first:  # its answer was lost: the same command again gives the first result
                made, version = Made(first[0].body, first[0].task_id), None
            else:
                made = self._made(read_, thread_id, given, now)
                version = _version(conn, self._work_index, self.user_id, f"thread/{thread_id}")
        command = RecordCheckpoint(
            thread_id=thread_id,
            checkpoint_id=checkpoint_id,
            task_id=made.task_id,
            body=CheckpointBody.model_validate(made.body),
        )
        receipt = self.record(
            command,
            actor=order.actor,
            source=order.source,
            key=order.key,
            expected_version=version,
        )
        return Checkpoint(checkpoint_id, command.body, receipt, made.left)

    def _made(self, read_: Snapshot, thread_id: str, given: Given, now: datetime | None) -> Made:
        from workindex.assembler.checkpoints.making import made

        clock = self._work_index.clock
        at = clock() if now is None and clock is not None else now
        if at is not None:
            check_time(at, "now")
        return made(read_, thread_id, given, at)


def _version(conn: Connection, work_index: WorkIndex, user_id: str, stream: str) -> int:
    """The version of a stream as of the connection's snapshot, 0 for a new one."""
    version = work_index.projection_set.fold_version
    return read(conn, user_id, version, Wanted({}, streams=[stream])).versions.get(stream, 0)


def _id_of(thread_id: str, order: _Order) -> str:
    """The id under which a key's checkpoint is found again."""
    named = "\0".join((thread_id, order.source, order.key))
    return f"cp-{hashlib.sha256(named.encode()).hexdigest()[:32]}"
