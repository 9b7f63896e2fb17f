"""What stands beside a thread: its checkpoint and its summary, as a working set tells them.

Both are checked against the rows, and where they differ the rows hold and the difference is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from pydantic import JsonValue

from workindex.assembler.checkpoints.stage import checkpoint_stage, summary_stage
from workindex.assembler.checkpoints.words import LookUp
from workindex.assembler.envelope import Omission, ToolCall
from workindex.assembler.notices import notices
from workindex.assembler.offers import Stage, joined
from workindex.assembler.tools.sight import STALE, Sight
from workindex.projections.proof import Reading
from workindex.projections.snapshot import Snapshot

THREADS_MAX: Final = 10  # of one call, whose checkpoints and summaries are read


def of_threads(
    snapshot: Snapshot, base: Reading, threads: Sequence[Any], sight: Sight, now: datetime
) -> Stage:
    """Checkpoints and summaries of the first of these rows of threads, with a notice for each
    conflict."""
    if not threads or STALE.intersection(snapshot.doubts("message")):
        return Stage()

    def rows(kind: str, ids: Sequence[str]) -> Sequence[Any]:
        return snapshot.named(base, kind, ids)

    look_up = LookUp(rows, partial(snapshot.message_marks, base), sight.sensitivity_max)
    first, others = threads[:THREADS_MAX], threads[THREADS_MAX:]
    checkpoints = [row.checkpoint_id for row in first if row.checkpoint_id is not None]
    summaries = [row.summary_id for row in first if row.summary_id is not None]
    stages = [checkpoint_stage(row, look_up, now) for row in rows("checkpoint", checkpoints)]
    stages += [summary_stage(row, look_up) for row in rows("summary", summaries)]
    if doubts := snapshot.doubts("task"):
        stages.append(Stage(degraded=(f"state: not certain ({', '.join(doubts)})",)))
    if others:
        stages.append(Stage(left=(_unread(others),)))
    found = joined(stages)
    return joined((found, notices(found.conflicts, (), now)))


def _unread(threads: Sequence[Any]) -> Omission:
    ids: list[JsonValue] = [row.thread_id for row in threads[:THREADS_MAX]]
    return Omission(
        lane="history",
        source_id="thread:checkpoints",
        reason=f"checkpoints and summaries of {THREADS_MAX} threads were read: name others by id",
        recover_with=ToolCall(name="get_context", arguments={"type": "thread", "ids": ids}),
    )
