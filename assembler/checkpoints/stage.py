"""What a turn is told of a thread's checkpoint and summary, as far as the rows bear them out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from workindex.assembler.checkpoints.checking import checked
from workindex.assembler.checkpoints.words import LookUp, contradicted, row_holds
from workindex.assembler.envelope import ContextItem, Omission, ToolCall
from workindex.assembler.offers import Offer, Stage
from workindex.projections.conversations import CheckpointRow, SummaryRow


def checkpoint_stage(row: CheckpointRow, look_up: LookUp, now: datetime) -> Stage:
    """The thread's latest checkpoint, which goes last of all and only beyond the limit.

    The records that it names are an item of their own, which shrinks to what each came to: they
    can be read again by their ids.
    """
    told = checked(row, look_up, now)
    records = told.body.pop("records", None)
    item = ContextItem(
        source_type="memory",
        source_id=f"checkpoint:{row.checkpoint_id}",
        authority="derived",
        authority_rank=4,
        observed_at=row.recorded_at,
        priority=3,
        admission_reason="where the thread stood, checked against the rows",
        content=told.body,
    )
    offers = [Offer("history", item, "compacted", "checkpoint", recover_with=_recover(row))]
    if records:
        offers.append(_records(row, records, now))
    return Stage(offers=tuple(offers), left=told.left, conflicts=told.conflicts)


def _records(row: CheckpointRow, records: Mapping[str, dict[str, Any]], now: datetime) -> Offer:
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
        recover_with=_recover(row),
    )


def summary_stage(row: SummaryRow, look_up: LookUp) -> Stage:
    """The sentences of the thread's summary that no row contradicts, and whose messages may all
    be seen: what is redacted is not told in other words."""
    source_id = f"summary:{row.summary_id}"
    kept = []
    conflicts = []
    left = []
    for place, sentence in enumerate(row.sentences):
        if reason := look_up.why_hidden(sentence.get("message_ids", ())):
            left.append(Omission(lane="history", source_id=f"{source_id}#{place}", reason=reason))
            continue
        said = str(sentence.get("text", ""))
        task = contradicted(said, look_up.rows)
        if task is None:
            kept.append(sentence)
            continue
        ref, reason = ("task", task.task_id), "a summary does not outweigh a row"
        conflicts.append(row_holds(ref, "status", task.status, source_id, said, reason))
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
    offer = Offer("history", item, "compacted", "evidence", recover_with=_recover(row))
    return Stage(offers=(offer,), left=tuple(left), conflicts=tuple(conflicts))


def _recover(row: CheckpointRow | SummaryRow) -> ToolCall:
    return ToolCall(name="get_context", arguments={"type": "thread", "ids": [row.thread_id]})
