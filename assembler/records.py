"""The records in scope, exact and whole, as they stand at the turn's instant.

Rows hold no clock: what has run out since the last fact is told as ended, with the ending that the
fact will have. An approval that is settled is a fact of the past and stands in the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from workindex.assembler.approval_display import display
from workindex.assembler.envelope import ContextItem, Lane, Priority
from workindex.assembler.offers import Offer
from workindex.assembler.rendering import plain
from workindex.assembler.state_path.question import Locale
from workindex.domain.facts import utc
from workindex.projections.approvals import ApprovalRow
from workindex.projections.conversations import MessageRow, ThreadRow
from workindex.projections.needs import is_due, is_requested, is_waiting, pending_of
from workindex.projections.proactive import ProposalRow
from workindex.projections.reminders import ReminderRow
from workindex.projections.snapshot import Find
from workindex.projections.tasks import TaskRow, waits_of

RECORDS: Final = frozenset(
    {"task", "approval", "meeting", "commitment", "reminder", "proposal", "routine", "trigger"}
)
# While an approval has one of these, somebody may still do something about it.
OPEN_APPROVALS: Final = frozenset({"requested", "granted", "executing", "outcome_unknown"})


class Since(NamedTuple):
    """The last answer in the thread, and the ids of the messages after it."""

    answer: MessageRow
    message_ids: frozenset[str]


def since_last_answer(messages: Sequence[MessageRow], latest_id: str | None) -> Since | None:
    """None where no answer is among the thread's last messages, the oldest first."""
    answers = [at for at, row in enumerate(messages) if row.role in ("assistant", "agent")]
    if not answers:
        return None
    after = {row.message_id for row in messages[answers[-1] + 1 :]}
    return Since(messages[answers[-1]], frozenset(after | ({latest_id} if latest_id else set())))


def standing(row: Any, now: datetime) -> Any:
    """The row as it stands at `now`, whether or not a fact says so yet."""
    if isinstance(row, ApprovalRow):
        return _standing_approval(row, now)
    if isinstance(row, ProposalRow) and row.status == "waiting" and not is_waiting(row, now):
        return row._replace(status="expired")
    if isinstance(row, ReminderRow) and row.status != "due" and is_due(row, now):
        return row._replace(status="due", since_at=row.remind_at)
    return row


def _standing_approval(row: ApprovalRow, now: datetime) -> ApprovalRow:
    if row.status == "requested" and not is_requested(row, now):
        status, at = "expired", row.expires_at
    elif row.status == "granted" and row.redeem_by is not None and row.redeem_by <= now:
        status, at = "granted_not_executed", row.redeem_by
    else:
        return row
    return row._replace(
        status=status, status_since_at=at, reason_code="system_timeout", ended_at=at
    )


def told(row: Any, now: datetime, find: Find, since: Since | None = None) -> dict[str, Any]:
    """The row at `now` with what a reader works out of it, as JSON.

    `find` looks up other rows, those alone that may be told.
    """
    fields = standing(row, now)._asdict()
    if isinstance(row, TaskRow):
        fields |= _of_task(row, now, since)
        approvals = (standing(one, now) for one in find("approval", list(row.approvals)))
        fields["approvals"] = {
            one.approval_id: {
                name: getattr(one, name) for name in ("title", "status", "expires_at")
            }
            for one in approvals
            if one.status in OPEN_APPROVALS
        }
    if isinstance(row, ThreadRow):
        fields["corrections"] = _that_may_be_told(row.corrections, find)
    content: dict[str, Any] = plain(fields)
    return content


def _that_may_be_told(corrections: list[dict[str, Any]], find: Find) -> list[dict[str, Any]]:
    """What a person put right goes with the message that it was said in."""
    said_in = {one["message_id"] for one in corrections if one.get("message_id") is not None}
    there = {row.message_id for row in find("message", sorted(said_in))}
    return [one for one in corrections if one.get("message_id") in {None, *there}]


def record(
    kind: str, row: Any, now: datetime, find: Find, locale: Locale, since: Since | None
) -> Offer:
    """A record in scope, never cut."""
    is_exact = kind == "approval"
    priority: Priority = 1 if is_exact else 2
    lane: Lane = "state"
    reason, content = "the record in scope", told(row, now, find, since)
    if is_exact:
        stands = standing(row, now)
        if stands.status in OPEN_APPROVALS:
            content["display"] = display(stands, now, locale)
        else:
            lane, reason = "history", f"settled, nothing is left to decide: {stands.status}"
    item = ContextItem(
        source_type="projection",
        source_id=f"{kind}:{row[0]}",
        authority="canonical",
        authority_rank=1 if is_exact else 2,
        observed_at=now,
        expires_at=getattr(row, "expires_at", None) if is_exact else None,
        sensitivity=getattr(row, "sensitivity", "normal"),
        priority=priority,
        admission_reason=reason,
        content=content,
    )
    return Offer(lane, item, "explicit", "state", same_as=f"record:{kind}:{row[0]}")


def _of_task(row: TaskRow, now: datetime, since: Since | None) -> dict[str, Any]:
    """What waits and what has run out, which fields are missing, what comes next, what is new."""
    lacking = [
        name for name, held in sorted(row.fields.items()) if held.get("required") and _lacks(held)
    ]
    out = {one.id for one in waits_of(row) if one.expires_at is not None and one.expires_at <= now}
    waiting = [one for one in waits_of(row) if one.id not in out]
    pending = pending_of(row, now)
    first = min(
        (one for one in waiting if one.kind == pending),
        key=lambda one: (one.asked_at or row.status_since_at, one.id),
        default=None,
    )
    following: dict[str, Any] | None = None
    if first is not None:
        following = {"kind": first.kind, "id": first.id, "prompt": first.prompt}
    elif lacking:
        allowed = row.fields[lacking[0]].get("allowed_values")
        following = {"kind": "field", "name": lacking[0], "allowed_values": allowed}
    return {
        "pending": pending,
        "requests": {id_: held for id_, held in row.requests.items() if id_ not in out},
        "expired": sorted(out),
        "missing_fields": lacking,
        "next_required": following,
        "changed": None if since is None else _changed(row, since),
    }


def _lacks(held: dict[str, Any]) -> bool:
    return held.get("value") is None or held.get("state") != "confirmed"


def _changed(row: TaskRow, since: Since) -> dict[str, Any]:
    """What of the task is newer than the last answer, as far as its row tells.

    A field is known to be new by the message that it is from; `is_changed` counts everything.
    """
    at = utc(since.answer.posted_at)
    parts = [
        f"fields.{name}"
        for name, held in sorted(row.fields.items())
        if held.get("source_message_id") in since.message_ids
    ]
    parts += [
        f"requests.{id_}" for id_, held in sorted(row.requests.items()) if held["asked_at"] > at
    ]
    for name in ("decisions", "outputs", "attempts"):
        parts += [name] if any(one["at"] > at for one in getattr(row, name)) else []
    parts += ["status"] if row.status_since_at > since.answer.posted_at else []
    return {
        "since": f"message:{since.answer.message_id}",
        "is_changed": row.updated_at > since.answer.posted_at,
        "parts": parts,
    }
