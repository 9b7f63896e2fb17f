"""What a thread's checkpoint and summary still say, checked against the rows.

Neither outweighs state: what was pending and is settled is taken out of the checkpoint, a sentence
of a summary that contradicts a row is dropped, and both are told as conflicts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from workindex.assembler.envelope import Conflict, ContextItem, Omission, Priority, ToolCall
from workindex.assembler.history import hidden
from workindex.assembler.offers import Offer, Stage
from workindex.assembler.scope import ids_in
from workindex.domain.facts import Sensitivity
from workindex.domain.tasks import ENDED
from workindex.projections.approvals import ApprovalRow
from workindex.projections.conversations import CheckpointRow, MessageRow, SummaryRow
from workindex.projections.needs import is_requested
from workindex.projections.tasks import TaskRow

Rows = Callable[[str, Sequence[str]], Sequence[Any]]

# Words by which a sentence says that a task stands so; each must be the row's own status.
_SAYS: Final = {
    "done": frozenset({"done", "completed", "finished", "closed"}),
    "failed": frozenset({"failed"}),
    "cancelled": frozenset({"cancelled", "canceled"}),
    "blocked": frozenset({"blocked"}),
    "open": frozenset({"open", "unfinished", "pending"}),
}
_WORD = re.compile(r"[a-z]+")


class Checked(NamedTuple):
    """A checkpoint's body without what is settled, and what was taken out."""

    body: dict[str, Any]
    conflicts: tuple[Conflict, ...]


def checked(row: CheckpointRow, rows: Rows, now: datetime) -> Checked:
    """The checkpoint as far as the rows bear it out."""
    source_id = f"checkpoint:{row.checkpoint_id}"
    body = {name: value for name, value in row.body.items() if value not in (None, [], ())}
    conflicts: list[Conflict] = []
    pending = []
    for one in body.get("pending_input", ()):
        if settled := _settled(one, rows, now):
            conflicts.append(
                Conflict(
                    subject=settled.subject,
                    attribute="pending",
                    winner=settled.source_id,
                    winner_value=settled.status,
                    superseded=source_id,
                    superseded_value=str(one.get("prompt"))[:300],
                    reason="it was settled after the checkpoint",
                )
            )
        else:
            pending.append(one)
    blockers = []
    for one in body.get("blockers", ()):
        ended = _ended_task(one.get("task_id"), rows)
        if ended is None:
            blockers.append(one)
        else:
            conflicts.append(
                Conflict(
                    subject=f"task/{ended.task_id}",
                    attribute="status",
                    winner=f"task:{ended.task_id}",
                    winner_value=ended.status,
                    superseded=source_id,
                    superseded_value=str(one.get("text"))[:300],
                    reason="the task that blocked has ended",
                )
            )
    for name, kept in (("pending_input", pending), ("blockers", blockers)):
        body.pop(name, None)
        if kept:
            body[name] = kept
    return Checked(body, tuple(conflicts))


class _Settled(NamedTuple):
    subject: str
    source_id: str
    status: str


def _settled(asked: dict[str, Any], rows: Rows, now: datetime) -> _Settled | None:
    """What became of something that was asked; None where it still waits or nothing is known."""
    approval_id, task_id = asked.get("approval_id"), asked.get("task_id")
    if approval_id is not None:
        found: Sequence[ApprovalRow] = rows("approval", [approval_id])
        if found and not is_requested(found[0], now):
            status = "expired" if found[0].status == "requested" else found[0].status
            return _Settled(f"approval/{approval_id}", f"approval:{approval_id}", status)
    if task_id is not None:
        tasks: Sequence[TaskRow] = rows("task", [task_id])
        request_id = asked.get("request_id")
        if tasks and tasks[0].status in ENDED:
            return _Settled(f"task/{task_id}", f"task:{task_id}", tasks[0].status)
        if tasks and request_id is not None and request_id not in tasks[0].requests:
            return _Settled(f"task/{task_id}", f"task:{task_id}", "answered or withdrawn")
    return None


def _ended_task(task_id: str | None, rows: Rows) -> TaskRow | None:
    if task_id is None:
        return None
    found: Sequence[TaskRow] = rows("task", [task_id])
    return found[0] if found and found[0].status in ENDED else None


def checkpoint_stage(row: CheckpointRow, rows: Rows, now: datetime, *, is_needed: bool) -> Stage:
    """The thread's latest checkpoint; protected where the surface goes on from it."""
    found = checked(row, rows, now)
    priority: Priority = 2 if is_needed else 3
    item = ContextItem(
        source_type="memory",
        source_id=f"checkpoint:{row.checkpoint_id}",
        authority="derived",
        authority_rank=4,
        observed_at=row.recorded_at,
        priority=priority,
        admission_reason="where the thread stood, checked against the rows",
        content=found.body,
    )
    offer = Offer(
        "history",
        item,
        "compacted",
        "checkpoint",
        recover_with=ToolCall(
            name="get_context", arguments={"type": "thread", "ids": [row.thread_id]}
        ),
    )
    return Stage(offers=(offer,), conflicts=found.conflicts)


def summary_stage(row: SummaryRow, rows: Rows, sensitivity_max: Sensitivity) -> Stage:
    """The sentences of the thread's summary that no row contradicts, and whose messages may all
    be seen: what is redacted is not told in other words."""
    source_id = f"summary:{row.summary_id}"
    kept = []
    conflicts = []
    left = []
    for place, sentence in enumerate(row.sentences):
        if reason := _rests_on_hidden(sentence, rows, sensitivity_max):
            left.append(Omission(lane="history", source_id=f"{source_id}#{place}", reason=reason))
            continue
        contradicted = _contradicted(str(sentence.get("text", "")), rows)
        if contradicted is None:
            kept.append(sentence)
            continue
        conflicts.append(
            Conflict(
                subject=f"task/{contradicted.task_id}",
                attribute="status",
                winner=f"task:{contradicted.task_id}",
                winner_value=contradicted.status,
                superseded=source_id,
                superseded_value=str(sentence.get("text", ""))[:300],
                reason="a summary does not outweigh a row",
            )
        )
    if not kept:
        return Stage(left=tuple(left), conflicts=tuple(conflicts))
    item = ContextItem(
        source_type="memory",
        source_id=source_id,
        authority="derived",
        authority_rank=5,
        observed_at=row.recorded_at,
        priority=4,
        admission_reason="a summary of older turns",
        content={"sentences": kept},
    )
    recover = ToolCall(name="get_context", arguments={"type": "thread", "ids": [row.thread_id]})
    offer = Offer("history", item, "compacted", "evidence", recover_with=recover)
    return Stage(offers=(offer,), left=tuple(left), conflicts=tuple(conflicts))


def _rests_on_hidden(
    sentence: dict[str, Any], rows: Rows, sensitivity_max: Sensitivity
) -> str | None:
    """Why a message that the sentence rests on may not be seen."""
    found: Sequence[MessageRow] = rows("message", sentence.get("message_ids", ()))
    reasons = (hidden(row, sensitivity_max) for row in found)
    return next((f"rests on a message: {reason}" for reason in reasons if reason), None)


def _contradicted(text: str, rows: Rows) -> TaskRow | None:
    """The first task of which the sentence says another status than its row."""
    said = set(_WORD.findall(text.lower()))
    statuses = {status for status, words in _SAYS.items() if said & words}
    if not statuses or "not" in said:
        return None
    for id_ in ids_in(text):
        found: Sequence[TaskRow] = rows("task", [id_])
        if found and not _agrees(found[0].status, statuses):
            return found[0]
    return None


def _agrees(status: str, said: set[str]) -> bool:
    return status in said or ("open" in said and status not in ENDED)
