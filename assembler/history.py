"""The conversation of a turn: its last turns word for word, older ones behind the checkpoint.

A turn is a person's message with everything up to the next one. What a checkpoint says of state is
checked against the rows; where they differ the rows hold and the difference is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from workindex.assembler.envelope import ContextItem, Omission, Priority, ToolCall
from workindex.assembler.offers import Kind, Offer, Stage
from workindex.assembler.sensitivity import TOO_SENSITIVE, hides, level
from workindex.domain.facts import Sensitivity, utc
from workindex.projections.conversations import MessageRow

MESSAGES_MAX: Final = 60
QUERY_CHARS_MAX: Final = 300


def recent_tail(
    messages: Sequence[MessageRow],
    *,
    latest_id: str | None,
    turns_min: int,
    turns_max: int | None,
    sensitivity_max: Sensitivity,
) -> Stage:
    """The thread's newest messages as turns; `messages` come oldest first.

    `latest_id` is the message that is answered: it stands in the request and nowhere else.
    """
    offers: list[Offer] = []
    left: list[Omission] = []
    turns = _turns([row for row in messages if row.message_id != latest_id])
    for age, turn in enumerate(reversed(turns)):
        for row in turn:
            if reason := hidden(row, sensitivity_max):
                left.append(_omission(row, reason, can_recover=False))
            elif turns_max is not None and age >= turns_max:
                left.append(_omission(row, f"older than the last {turns_max} turns"))
            else:
                offers.append(_offer(row, age, turn[0].message_id, turns_min))
    offers.reverse()
    in_order = {row.message_id: place for place, row in enumerate(messages)}
    offers.sort(key=lambda offer: in_order[offer.item.source_id.removeprefix("message:")])
    return Stage(offers=tuple(offers), left=tuple(left))


def older(thread_id: str, messages: Sequence[MessageRow], text: str) -> Stage:
    """What is said of the messages before these, which nobody looked at.

    `text` is what the turn is about: the call finds what the older messages say of it.
    """
    call: dict[str, Any] = {"type": "thread", "ids": [thread_id]}
    reason = f"older than the last {MESSAGES_MAX} messages"
    if messages:
        reason = f"older than message {messages[0].message_id}, and not looked at"
        if text.strip():
            # The end of a range is not in it, and others may have been said at the same instant.
            span = {"to": utc(messages[0].posted_at + timedelta(microseconds=1))}
            query = text.strip()[:QUERY_CHARS_MAX]
            call = {"type": "message", "query": query, "time_range": span}
    omission = Omission(
        lane="history",
        source_id=f"thread:{thread_id}#older",
        reason=reason,
        recover_with=ToolCall(name="get_context", arguments=call),
    )
    return Stage(left=(omission,))


def _turns(messages: Sequence[MessageRow]) -> list[list[MessageRow]]:
    turns: list[list[MessageRow]] = []
    for row in messages:
        if row.role == "user" or not turns:
            turns.append([])
        turns[-1].append(row)
    return turns


def hidden(row: MessageRow, sensitivity_max: Sensitivity) -> str | None:
    """Why nobody may see the message, or what rests on it, here."""
    if row.redacted or row.text is None:
        return "redacted"
    if hides(row.sensitivity, sensitivity_max):
        return TOO_SENSITIVE
    return None


def _offer(row: MessageRow, age: int, group: str, turns_min: int) -> Offer:
    kind: Kind = "last_turn" if age < turns_min else "turn"
    priority: Priority = 3
    is_user = row.role == "user"
    item = ContextItem(
        source_type="message",
        source_id=f"message:{row.message_id}",
        authority="user_claim",
        authority_rank=5,
        observed_at=row.posted_at,
        sensitivity=level(row.sensitivity),
        priority=priority,
        admission_reason="recent turn",
        content=_content(row, is_user=is_user),
    )
    return Offer(
        "history",
        item,
        "always",
        kind,
        rank=-float(age),
        group=f"turn:{group}",
        recover_with=_recover(row),
        same_as=f"message:{row.message_id}",
    )


def _content(row: MessageRow, *, is_user: bool) -> dict[str, Any]:
    content: dict[str, Any] = {"role": row.role, "text": row.text}
    if row.reply_to is not None:
        content["reply_to"] = row.reply_to
    if row.attachments:
        content["attachments"] = list(row.attachments)
    if not is_user and row.shown_approvals:
        content["showed_approvals"] = [one["approval_id"] for one in row.shown_approvals]
    return content


def _omission(row: MessageRow, reason: str, *, can_recover: bool = True) -> Omission:
    return Omission(
        lane="history",
        source_id=f"message:{row.message_id}",
        reason=reason,
        recover_with=_recover(row) if can_recover else None,
    )


def _recover(row: MessageRow) -> ToolCall:
    return ToolCall(name="get_context", arguments={"type": "message", "ids": [row.message_id]})
