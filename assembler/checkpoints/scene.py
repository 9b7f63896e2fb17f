"""What a checkpoint is made of, read from one snapshot: new messages, and the one before."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from workindex.assembler.checkpoints.checking import checked
from workindex.assembler.checkpoints.contents import Scene
from workindex.assembler.checkpoints.records import kept_in, output_of
from workindex.assembler.checkpoints.words import LookUp
from workindex.assembler.scope import UnknownRecord
from workindex.domain.errors import InvalidInput, NotReady
from workindex.projections.conversations import CheckpointRow, MessageRow
from workindex.projections.proof import Reading
from workindex.projections.snapshot import Snapshot

FIRST_READ: Final = 100
# Every projection whose rows a checkpoint rests on, by a kind of each.
RESTS_ON: Final = ("task", "message", "artifact")


def scene_of(
    snapshot: Snapshot,
    thread_id: str,
    *,
    task_id: str | None,
    meeting_id: str | None,
    through_message_id: str | None,
    now: datetime | None,
) -> Scene:
    """The thread as of the snapshot's position, up to the message through which is to be told.

    Without one that is the thread's newest. What the checkpoint before may not tell any more is
    taken out of it.

    Raises: NotReady where the rows cannot be trusted; UnknownRecord for a thread of which there is
    nothing; InvalidInput for a message that does not come after the checkpoint before.
    """
    base = snapshot.read({"commitment": "all", "approval": "all"}, now=now)
    doubts = {one for kind in RESTS_ON for one in snapshot.doubts(kind)} | set(base.reasons)
    if doubts - {"unknown_user"}:
        raise NotReady(
            f"no checkpoint is made of rows that are not certain ({', '.join(sorted(doubts))}): "
            "see workindex projections list"
        )

    def rows(kind: str, ids: Sequence[str]) -> Sequence[Any]:
        return snapshot.named(base, kind, ids)

    thread = next(iter(rows("thread", [thread_id])), None)
    ids = [thread.checkpoint_id] if thread is not None and thread.checkpoint_id else []
    before: CheckpointRow | None = next(iter(rows("checkpoint", ids)), None)
    covered = before.body.get("through_message_id") if before is not None else None
    messages = _since(snapshot, base, thread_id, covered)
    if thread is None and not messages:
        raise unknown_thread(thread_id)
    scene = Scene(
        thread_id,
        thread,
        before,
        _up_to(messages, through_message_id, covered),
        task_id,
        meeting_id,
        base.rows["commitment"],
        base.rows["approval"],
        rows,
        base.now,
    )
    return scene if before is None else scene._replace(previous=_as_may_be_told(before, scene))


def unknown_thread(thread_id: str) -> UnknownRecord:
    """The error of a thread that has no message and no row."""
    then = "check the id, or record its first message (post_message) before"
    return UnknownRecord("thread_id", thread_id, then)


def _since(
    snapshot: Snapshot, base: Reading, thread_id: str, covered: str | None
) -> list[MessageRow]:
    """The thread's messages after the one that is covered, all where none is."""
    most = FIRST_READ
    while True:
        messages = snapshot.recent_messages(base, thread_id, most)
        places = [at for at, row in enumerate(messages) if row.message_id == covered]
        if places:
            return messages[places[0] + 1 :]
        if len(messages) < most:
            return messages
        most *= 10


def _up_to(
    messages: Sequence[MessageRow], through_message_id: str | None, covered: str | None
) -> Sequence[MessageRow]:
    if through_message_id is None:
        return messages
    if through_message_id == covered:
        return ()
    ids = [row.message_id for row in messages]
    if through_message_id not in ids:
        raise InvalidInput(
            f"message {through_message_id} is none of the thread after what the last checkpoint "
            "covers: name the last message that the new one covers",
            field="through_message_id",
        )
    return messages[: ids.index(through_message_id) + 1]


def _as_may_be_told(before: CheckpointRow, scene: Scene) -> CheckpointRow:
    """The checkpoint without what is settled or rests on messages that were redacted since."""
    marks = partial(scene.rows, "message")
    told = checked(before, LookUp(scene.rows, marks, "restricted"), scene.now)
    told.body.pop("records", None)
    kept = kept_in(before.body)
    has_lost = any(one.source_id.endswith("#words") for one in told.left)
    output = output_of(kept._replace(message_ids=()) if has_lost else kept)
    outputs = [*told.body.get("outputs", ()), output]
    return before._replace(body={**told.body, "outputs": outputs})
