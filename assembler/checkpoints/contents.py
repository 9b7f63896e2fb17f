"""What must a checkpoint of a thread hold, so that nothing is lost when the turns before it go?

It is worked out from the rows and from what the thread's messages and its previous checkpoint name:
no model is asked. Entries have the form that a body has as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from workindex.assembler.checkpoints.records import (
    KINDS,
    RUNNING,
    Ref,
    found,
    has_ended,
    kept_in,
    ref_of,
    reference,
    told,
)
from workindex.assembler.scope import NAMEABLE, ids_in
from workindex.domain.tasks import ENDED
from workindex.projections.approvals import ApprovalRow
from workindex.projections.conversations import CheckpointRow, MessageRow, ThreadRow
from workindex.projections.meetings import CommitmentRow
from workindex.projections.needs import is_requested
from workindex.projections.snapshot import Find
from workindex.projections.tasks import TaskRow, expiry

LINE_CHARS_MAX: Final = 20_000
ENTRIES_MAX: Final = 200
ARTIFACTS_MAX: Final = 500
FAILED: Final = frozenset({"failed", "unknown"})

Entry = dict[str, Any]


class Scene(NamedTuple):
    """What a checkpoint is made of, read as of one position.

    `messages` are those after the previous checkpoint, or all, the oldest first, up to the one
    through which the new one goes. `commitments` and `approvals` are the user's. `said` are the
    parts of a body that somebody gives.
    """

    thread_id: str
    thread: ThreadRow | None
    previous: CheckpointRow | None
    messages: Sequence[MessageRow]
    task_id: str | None
    meeting_id: str | None
    commitments: Sequence[CommitmentRow]
    approvals: Sequence[ApprovalRow]
    rows: Find
    now: datetime
    said: Mapping[str, Any] = MappingProxyType({})


class Contents(NamedTuple):
    """What the rows say of all that is named, as a checkpoint holds it.

    Records by reference, pending input, unresolved blockers, failed attempts, corrections and
    artifacts must be in it; decisions and outputs are there for whoever goes on. `named` are the
    records that somebody named.
    """

    records: dict[str, Entry]
    pending_input: list[Entry]
    blockers: list[Entry]
    attempts: list[Entry]
    corrections: list[Entry]
    artifact_ids: list[str]
    decisions: list[Entry]
    outputs: list[Entry]
    named: tuple[str, ...] = ()


def contents_of(scene: Scene) -> Contents:
    """All that the thread, its previous checkpoint, its task and its meeting name."""
    before = scene.previous.body if scene.previous is not None else {}
    by_ref = found(_named(scene), scene.rows, KINDS)
    refs = [*_related(by_ref, scene), *_carried(before)]
    contents = contents_of_rows(found(refs, scene.rows, KINDS), scene.now)
    tried = [one for one in before.get("attempts") or () if one.get("outcome") in FAILED]
    return contents._replace(
        attempts=unique([*tried, *contents.attempts])[-ENTRIES_MAX:],
        corrections=_corrections(scene, before),
        named=tuple(reference(ref) for ref in by_ref),
    )


def contents_of_rows(by_ref: Mapping[Ref, Any], now: datetime) -> Contents:
    """The same of these rows alone."""
    tasks = [row for (kind, _), row in by_ref.items() if kind == "task"]
    live = [row for row in tasks if row.status not in ENDED]
    approvals = [row for (kind, _), row in by_ref.items() if kind == "approval"]
    tried = [row for row in tasks if row.status not in ("done", "cancelled")]
    outputs = [one for row in live for one in row.outputs]
    artifact_ids = [id_ for (kind, id_), row in by_ref.items() if _is_artifact(kind, row)]
    return Contents(
        records={reference(ref): told(ref[0], row, now) for ref, row in by_ref.items()},
        pending_input=[
            *(entry for row in live for entry in _asked(row, now)),
            *(_to_approve(row) for row in approvals if is_requested(row, now)),
        ],
        blockers=_blockers(live, by_ref),
        attempts=unique(
            [
                *(
                    _attempt(one)
                    for row in tried
                    for one in row.attempts
                    if one["outcome"] in FAILED
                ),
                *(_failed_execution(row) for row in approvals if row.status == "failed"),
            ]
        ),
        corrections=[],
        artifact_ids=artifact_ids[-ARTIFACTS_MAX:],
        decisions=unique(
            {"text": _line(one["decision"]), "reason": _line_or_none(one.get("reason"))}
            for row in live
            for one in row.decisions
        ),
        outputs=unique(_output(one) for one in outputs),
    )


def unique(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, each once, where it comes first."""
    kept: list[Entry] = []
    for entry in entries:
        if entry not in kept:
            kept.append(entry)
    return kept


def asked_key(one: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """What names a thing that was asked; None where only words do."""
    named = (one.get("task_id"), one.get("request_id"), one.get("approval_id"))
    if named[2] is not None:
        return ("approval", named[2])
    return named if named[1] is not None else None


def blocker_key(one: Mapping[str, Any]) -> str | None:
    """What names a blocker; None where only words do."""
    return one.get("task_id")


def _named(scene: Scene) -> Iterator[Ref]:
    """References of all that the thread names, those of its task and meeting first."""
    before = scene.previous
    for kind, id_ in (
        ("task", scene.task_id),
        ("task", before and before.task_id),
        ("meeting", scene.meeting_id),
    ):
        if id_ is not None:
            yield kind, id_
    texts: list[str] = []
    if before is not None:
        yield from (ref_of(ref) for ref in kept_in(before.body).named)
        texts += _words(before.body, scene)
    yield from _in_parts(scene.said)
    texts += _words(scene.said, scene)
    for row in scene.messages:
        yield from (("artifact", id_) for id_ in row.attachments if row.text is not None)
        yield from (("approval", one["approval_id"]) for one in row.shown_approvals)
        texts.append(row.text or "")
    for one in scene.thread.corrections if scene.thread is not None else ():
        if one.get("task_id") is not None:
            yield "task", one["task_id"]
        if not _is_redacted(one.get("message_id"), scene.rows):
            texts.append(one["text"])
    ids = dict.fromkeys(id_ for text in texts for id_ in ids_in(text, None))
    yield from ((kind, id_) for id_ in ids for kind in NAMEABLE)


def _carried(body: Mapping[str, Any]) -> Iterator[Ref]:
    """What the checkpoint before holds, whether or not anything has to do with it still."""
    yield from (ref_of(ref) for ref in kept_in(body).rows)
    yield from _in_parts(body)


def _in_parts(body: Mapping[str, Any]) -> Iterator[Ref]:
    """What the entries of a body are about."""
    for one in (*(body.get("pending_input") or ()), *(body.get("blockers") or ())):
        for kind in ("task", "approval"):
            if one.get(f"{kind}_id") is not None:
                yield kind, one[f"{kind}_id"]
    for id_ in body.get("artifact_ids") or ():
        yield "artifact", id_
    for one in body.get("outputs") or ():
        if one.get("artifact_id") is not None:
            yield "artifact", one["artifact_id"]


def _words(body: Mapping[str, Any], scene: Scene) -> Iterator[str]:
    """Every line of a body that is in somebody's words and not in those of a row."""
    by_ref = found(map(ref_of, kept_in(body).rows), scene.rows, KINDS)
    own = contents_of_rows(by_ref, scene.now)
    if body.get("goal"):
        yield body["goal"]
    for name in ("plan", "decisions", "blockers", "pending_input", "attempts", "corrections"):
        for one in body.get(name) or ():
            if one not in getattr(own, name, ()):
                parts = (one.get(part) for part in ("text", "reason", "prompt", "error"))
                yield from (text for text in parts if text)


def _related(named: Mapping[Ref, Any], scene: Scene) -> list[Ref]:
    """What is named, what blocks it, was promised for it, asks for approval in it or came of it."""
    task_ids = {id_ for kind, id_ in named if kind == "task"}
    meeting_ids = {id_ for kind, id_ in named if kind == "meeting"}
    live = [row for (kind, _), row in named.items() if kind == "task" and row.status not in ENDED]
    approvals = [
        *(row for (kind, _), row in named.items() if kind == "approval"),
        *(row for row in scene.approvals if row.task_id in task_ids and _matters(row, scene.now)),
    ]
    tasks = [("task", id_) for row in live for id_ in row.blocked_by]
    tasks += [("task", row.task_id) for row in approvals if row.task_id is not None]
    worked_on = found([*named, *tasks], scene.rows, ("task",)).values()
    return [
        *named,
        *tasks,
        *(("approval", row.approval_id) for row in approvals),
        *(
            ("commitment", row.commitment_id)
            for row in scene.commitments
            if row.status == "open" and (row.meeting_id in meeting_ids or row.task_id in task_ids)
        ),
        *(
            ("artifact", one["artifact_id"])
            for row in worked_on
            for one in row.outputs
            if row.status not in ENDED and one.get("artifact_id") is not None
        ),
    ]


def _matters(row: ApprovalRow, now: datetime) -> bool:
    return row.status in RUNNING or not has_ended("approval", row, now)


def _is_artifact(kind: str, row: Any) -> bool:
    return kind == "artifact" and row.status == "stored"


def _asked(row: TaskRow, now: datetime) -> Iterator[Entry]:
    """The open requests of a task that have not run out."""
    for request_id, held in row.requests.items():
        ends = expiry(held)
        if ends is None or ends > now:
            yield {
                "prompt": _line(held.get("prompt") or row.title),
                "task_id": row.task_id,
                "request_id": request_id,
                "approval_id": None,
            }


def _to_approve(row: ApprovalRow) -> Entry:
    return {
        "prompt": _line(row.title),
        "task_id": row.task_id,
        "request_id": None,
        "approval_id": row.approval_id,
    }


def _blockers(live: Sequence[TaskRow], by_ref: Mapping[Ref, Any]) -> list[Entry]:
    """The tasks that live tasks wait for and that have not ended."""
    ids = dict.fromkeys(id_ for row in live for id_ in row.blocked_by)
    rows = [by_ref["task", id_] for id_ in ids if ("task", id_) in by_ref]
    waited = [row for row in rows if row.status not in ENDED]
    return [{"text": _line(row.title), "task_id": row.task_id} for row in waited][-ENTRIES_MAX:]


def _attempt(held: Mapping[str, Any]) -> Entry:
    return {
        "text": _line(held["summary"]),
        "outcome": held["outcome"],
        "error": _line_or_none(held.get("error")),
    }


def _failed_execution(row: ApprovalRow) -> Entry:
    """An approved action that was carried out and failed."""
    return {
        "text": _line(f"{row.title} (approval {row.approval_id})"),
        "outcome": "failed",
        "error": _line_or_none(row.reason or row.reason_code),
    }


def _output(held: Mapping[str, Any]) -> Entry:
    value = {name: held[name] for name in ("url", "summary") if held.get(name) is not None}
    return {
        "name": _line(held["title"]),
        "value": value or None,
        "artifact_id": held.get("artifact_id"),
    }


def _corrections(scene: Scene, before: Mapping[str, Any]) -> list[Entry]:
    """What was put right: those without an id of the checkpoint before, then the thread's.

    A correction goes with the message in which it was made.
    """
    carried = [one for one in before.get("corrections") or () if one.get("correction_id") is None]
    recorded = scene.thread.corrections if scene.thread is not None else []
    held = [
        {"text": _line(one["text"]), "correction_id": one["correction_id"]}
        for one in recorded
        if not _is_redacted(one.get("message_id"), scene.rows)
    ]
    return unique([*carried, *held])[-ENTRIES_MAX:]


def _is_redacted(message_id: str | None, rows: Find) -> bool:
    return message_id is not None and any(row.redacted for row in rows("message", [message_id]))


def _line(text: str) -> str:
    """The text as a line of a body, which is never empty."""
    return text[:LINE_CHARS_MAX] or "(no words)"


def _line_or_none(text: str | None) -> str | None:
    return _line(text) if text else None
