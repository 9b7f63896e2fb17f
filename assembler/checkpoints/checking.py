"""What a thread's checkpoint still says, checked against the rows and the messages.

It never outweighs state: records are told as their rows stand, what was pending and is settled is
taken out, a sentence that contradicts a row is dropped, and it is told as a conflict. What rests on
a message that may not be seen is not told in other words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from workindex.assembler.beside import hidden
from workindex.assembler.checkpoints.contents import contents_of_rows
from workindex.assembler.checkpoints.records import (
    KINDS,
    OUTPUT,
    Kept,
    Ref,
    found,
    kept_in,
    ref_of,
    refreshed,
)
from workindex.assembler.checkpoints.words import (
    LookUp,
    Stated,
    from_rows,
    misstated,
    row_holds,
    without,
)
from workindex.assembler.envelope import Conflict, Omission
from workindex.domain.tasks import ENDED
from workindex.projections.approvals import ApprovalRow
from workindex.projections.conversations import CheckpointRow
from workindex.projections.needs import is_requested
from workindex.projections.snapshot import Find
from workindex.projections.tasks import TaskRow, expiry

# The parts of a body whose entries name a task, an approval or an artifact.
ABOUT: Final = ("pending_input", "blockers", "outputs")


class Checked(NamedTuple):
    """A checkpoint's body as far as it may be told, what was taken out, and what was left out.

    `body["records"]` holds by reference the records that it names, as their rows stand now.
    """

    body: dict[str, Any]
    conflicts: tuple[Conflict, ...]
    left: tuple[Omission, ...] = ()


def checked(row: CheckpointRow, look_up: LookUp, now: datetime) -> Checked:
    """The checkpoint as far as rows and messages bear it out."""
    source_id = f"checkpoint:{row.checkpoint_id}"
    kept, rows = kept_in(row.body), look_up.rows
    body, left = _seen(row, kept, look_up, now)
    pending, conflicts = _still_asked(body, source_id, rows, now)
    blockers, solved = _still_blocking(body, source_id, rows)
    wrong = misstated({**body, "blockers": blockers}, rows)
    body = without({**body, "pending_input": pending, "blockers": blockers}, wrong)
    body |= {"records": refreshed(kept, rows, now)}
    return Checked(
        {name: value for name, value in body.items() if value not in (None, [], (), {})},
        (*conflicts, *solved, *(_misstated(one, source_id) for one in wrong)),
        left,
    )


def _misstated(line: Stated, source_id: str) -> Conflict:
    ref, status = ("task", line.task.task_id), line.task.status
    reason = "a checkpoint does not outweigh a row"
    return row_holds(ref, "status", status, source_id, line.text, reason)


def _seen(
    row: CheckpointRow, kept: Kept, look_up: LookUp, now: datetime
) -> tuple[dict[str, Any], tuple[Omission, ...]]:
    """The body without its records, and without what rests on messages that may not be seen."""
    source_id = f"checkpoint:{row.checkpoint_id}"
    outputs = [one for one in row.body.get("outputs") or () if one.get("name") != OUTPUT]
    body = {**row.body, "outputs": outputs}
    left: list[Omission] = []
    if reason := look_up.why_hidden(_rests_on(row, kept, look_up.rows)):
        left.append(Omission(lane="history", source_id=f"{source_id}#words", reason=reason))
        refs = [*map(ref_of, kept.rows), *refs_in(body)]
        body = from_rows(body, contents_of_rows(found(refs, look_up.rows, KINDS), now))
    said_in = {
        one["correction_id"]: one.get("message_id")
        for thread in look_up.rows("thread", [row.thread_id])
        for one in thread.corrections
    }
    corrections = []
    for one in body.get("corrections") or ():
        message_id = said_in.get(one.get("correction_id"))
        reason = message_id and look_up.why_hidden([message_id])
        if reason:
            place = f"{source_id}#correction:{one['correction_id']}"
            left.append(Omission(lane="history", source_id=place, reason=reason))
        else:
            corrections.append(one)
    there, gone = _there(body, source_id, look_up)
    return {**there, "corrections": corrections}, (*left, *gone)


def _there(
    body: Mapping[str, Any], source_id: str, look_up: LookUp
) -> tuple[dict[str, Any], list[Omission]]:
    """The body without what is about records that are not there, or that may not be seen."""
    refs = [*refs_in(body), *(("artifact", id_) for id_ in body.get("artifact_ids") or ())]
    known = {
        ref
        for ref, one in found(refs, look_up.rows, ("task", "approval", "artifact")).items()
        if ref[0] != "artifact" or hidden(one, look_up.sensitivity_max) is None
    }
    kept = {
        **body,
        "artifact_ids": [
            id_ for id_ in body.get("artifact_ids") or () if ("artifact", id_) in known
        ],
    }
    left = []
    for part in ABOUT:
        kept[part] = []
        for place, one in enumerate(body.get(part) or ()):
            if known.issuperset(_refs_of(one)):
                kept[part].append(one)
            else:
                left.append(
                    Omission(
                        lane="history",
                        source_id=f"{source_id}#{part}:{place}",
                        reason="what it is about is not there",
                    )
                )
    return kept, left


def _rests_on(row: CheckpointRow, kept: Kept, rows: Find) -> Sequence[str]:
    """The messages of the words; of a checkpoint that names none, the last that it covers."""
    through = row.body.get("through_message_id")
    if kept.message_ids or through is None:
        return kept.message_ids
    return [one.message_id for one in rows("message", [through])]


def refs_in(body: Mapping[str, Any]) -> list[Ref]:
    """The tasks, approvals and artifacts that pending input, blockers and outputs name."""
    return [ref for part in ABOUT for one in body.get(part) or () for ref in _refs_of(one)]


def _refs_of(one: Mapping[str, Any]) -> list[Ref]:
    named = ((kind, one.get(f"{kind}_id")) for kind in ("task", "approval", "artifact"))
    return [(kind, id_) for kind, id_ in named if id_ is not None]


def _still_asked(
    body: Mapping[str, Any], source_id: str, rows: Find, now: datetime
) -> tuple[list[Any], list[Conflict]]:
    """What still waits, and of the rest what became of it."""
    pending = []
    conflicts = []
    for one in body.get("pending_input") or ():
        became = settled(one, rows, now)
        if became is None:
            pending.append(one)
            continue
        reason = "it was settled after the checkpoint"
        said = one.get("prompt")
        conflicts.append(row_holds(became.ref, "pending", became.status, source_id, said, reason))
    return pending, conflicts


def _still_blocking(
    body: Mapping[str, Any], source_id: str, rows: Find
) -> tuple[list[Any], list[Conflict]]:
    """What still stands in the way, and of the rest the tasks that have ended."""
    blockers = []
    conflicts = []
    for one in body.get("blockers") or ():
        ended = _ended_task(one.get("task_id"), rows)
        if ended is None:
            blockers.append(one)
            continue
        ref, said = ("task", ended.task_id), one.get("text")
        reason = "the task that blocked has ended"
        conflicts.append(row_holds(ref, "status", ended.status, source_id, said, reason))
    return blockers, conflicts


class Settled(NamedTuple):
    """What became of something that was asked: of which record, and where that stands."""

    ref: Ref
    status: str


def settled(asked: dict[str, Any], rows: Find, now: datetime) -> Settled | None:
    """What became of something that was asked; None where it still waits or nothing is known."""
    approval_id, task_id = asked.get("approval_id"), asked.get("task_id")
    if approval_id is not None:
        found: Sequence[ApprovalRow] = rows("approval", [approval_id])
        if found and not is_requested(found[0], now):
            status = "expired" if found[0].status == "requested" else found[0].status
            return Settled(("approval", approval_id), status)
    elif task_id is not None:
        tasks: Sequence[TaskRow] = rows("task", [task_id])
        request_id = asked.get("request_id")
        if tasks and tasks[0].status in ENDED:
            return Settled(("task", task_id), tasks[0].status)
        if tasks and request_id is not None:
            held = tasks[0].requests.get(request_id)
            ends = None if held is None else expiry(held)
            if held is None or (ends is not None and ends <= now):
                status = "answered or withdrawn" if held is None else "expired"
                return Settled(("task", task_id), status)
    return None


def _ended_task(task_id: str | None, rows: Find) -> TaskRow | None:
    if task_id is None:
        return None
    found: Sequence[TaskRow] = rows("task", [task_id])
    return found[0] if found and found[0].status in ENDED else None
