"""What a turn is told of a thread's checkpoint and summary, as far as the rows bear them out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from workindex.assembler.checkpoints.checking import checked
from workindex.assembler.checkpoints.records import Rows
from workindex.assembler.checkpoints.words import Marks, contradicted, marks_by, why_hidden
from workindex.assembler.envelope import Conflict, ContextItem, Omission, Priority, ToolCall
from workindex.assembler.offers import Offer, Stage
from workindex.domain.facts import Sensitivity
from workindex.projections.conversations import CheckpointRow, SummaryRow


def checkpoint_stage(
    row: CheckpointRow,
    rows: Rows,
    now: datetime,
    *,
    is_needed: bool,
    sensitivity_max: Sensitivity = "private",
    marks: Marks | None = None,
) -> Stage:
    """The thread's latest checkpoint; protected where the surface goes on from it.

    The records that it names are an item of their own, which shrinks to what each came to: they
    can be read again by their ids.
    """
    told = checked(row, rows, now, sensitivity_max, marks)
    records = told.body.pop("records", None)
    recover = ToolCall(name="get_context", arguments={"type": "thread", "ids": [row.thread_id]})
    priority: Priority = 2 if is_needed else 3
    item = ContextItem(
        source_type="memory",
        source_id=f"checkpoint:{row.checkpoint_id}",
        authority="derived",
        authority_rank=4,
        observed_at=row.recorded_at,
        priority=priority,
        admission_reason="where the thread stood, checked against the rows",
        content=told.body,
    )
    offers = [Offer("history", item, "compacted", "checkpoint", recover_with=recover)]
    if records:
        offers.append(_records(row, records, now, recover))
    return Stage(offers=tuple(offers), left=told.left, conflicts=told.conflicts)


def _records(
    row: CheckpointRow, records: Mapping[str, dict[str, Any]], now: datetime, recover: ToolCall
) -> Offer:
    item = ContextItem(
        source_type="projection",
        source_id=f"checkpoint:{row.checkpoint_id}/records",
        authority="canonical",
        authority_rank=2,
        observed_at=now,
        priority=3,
        admission_reason="what the thread named before, as it stands now",
        content=dict(records),
    )
    short = {ref: held.get("outcome") or held.get("status") for ref, held in records.items()}
    smaller = item.model_copy(update={"content": short})
    return Offer(
        "history",
        item,
        "compacted",
        "turn",
        rank=1.0,  # after every turn that may go
        smaller=smaller,
        recover_with=recover,
    )


def summary_stage(row: SummaryRow, rows: Rows, sensitivity_max: Sensitivity) -> Stage:
    """The sentences of the thread's summary that no row contradicts, and whose messages may all
    be seen: what is redacted is not told in other words."""
    source_id = f"summary:{row.summary_id}"
    kept = []
    conflicts = []
    left = []
    for place, sentence in enumerate(row.sentences):
        if reason := why_hidden(sentence.get("message_ids", ()), marks_by(rows), sensitivity_max):
            left.append(Omission(lane="history", source_id=f"{source_id}#{place}", reason=reason))
            continue
        task = contradicted(str(sentence.get("text", "")), rows)
        if task is None:
            kept.append(sentence)
            continue
        conflicts.append(
            Conflict(
                subject=f"task/{task.task_id}",
                attribute="status",
                winner=f"task:{task.task_id}",
                winner_value=task.status,
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
