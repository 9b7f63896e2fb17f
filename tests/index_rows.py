"""Rows of the Work Index built by hand: every column has a plain default, tests name the rest."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import NoneType
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

from workindex.projections.approvals import ApprovalRow
from workindex.projections.connections import ConnectionRow, CreditsRow, SourceRow
from workindex.projections.meetings import CommitmentRow, MeetingRow
from workindex.projections.proactive import ProposalRow, RoutineRow, TriggerRow
from workindex.projections.reminders import ReminderRow
from workindex.projections.tasks import TaskRow
from workindex.projections.users import UserRow

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)  # a Wednesday
R = TypeVar("R", bound=NamedTuple)


def at(**delta: float) -> datetime:
    """NOW moved by a timedelta's arguments."""
    return NOW + timedelta(**delta)


def row(kind: type[R], **columns: Any) -> R:
    """A row of the type; columns that are not named get None, or the empty value of their type."""
    hints = get_type_hints(kind)
    assert columns.keys() <= hints.keys(), columns.keys() - hints.keys()
    values = {name: columns.get(name, _empty(hint)) for name, hint in hints.items()}
    made: R = cast(Any, kind)(**values)
    return made


def _empty(hint: Any) -> Any:
    if NoneType in get_args(hint):
        return None
    kind = get_origin(hint) or hint
    return NOW if kind is datetime else kind()


def task(id_: str, title: str = "", **columns: Any) -> TaskRow:
    """An open task."""
    columns = {
        "status": "open",
        "status_since_at": at(days=-2),
        "created_at": at(days=-2),
    } | columns
    return row(TaskRow, task_id=id_, title=title or f"Task {id_}", **columns)


def approval(id_: str, title: str = "", **columns: Any) -> ApprovalRow:
    """A requested approval that expires in an hour."""
    columns = {
        "status": "requested",
        "status_since_at": at(hours=-1),
        "requested_at": at(hours=-1),
        "expires_at": at(hours=1),
    } | columns
    return row(ApprovalRow, approval_id=id_, title=title or f"Approval {id_}", **columns)


def reminder(id_: str, title: str = "", **columns: Any) -> ReminderRow:
    """A reminder set for the coming hour."""
    columns = {"status": "set", "remind_at": at(hours=1), "set_at": at(days=-1)} | columns
    return row(ReminderRow, reminder_id=id_, title=title or f"Reminder {id_}", **columns)


def proposal(id_: str, title: str = "", **columns: Any) -> ProposalRow:
    """A waiting proposal without an expiry."""
    columns = {"status": "waiting", "made_at": at(hours=-3)} | columns
    return row(ProposalRow, proposal_id=id_, title=title or f"Proposal {id_}", **columns)


def meeting(id_: str, title: str = "", **columns: Any) -> MeetingRow:
    """A scheduled meeting of one hour that begins in two hours."""
    start_at = columns.get("start_at", at(hours=2))
    columns = {
        "status": "scheduled",
        "start_at": start_at,
        "end_at": start_at + timedelta(hours=1),
    } | columns
    return row(MeetingRow, meeting_id=id_, title=title or f"Meeting {id_}", **columns)


def commitment(id_: str, meeting_id: str, **columns: Any) -> CommitmentRow:
    """An open commitment."""
    columns = {"status": "open", "text": f"Commitment {id_}", "made_at": at(days=-1)} | columns
    return row(CommitmentRow, commitment_id=id_, meeting_id=meeting_id, **columns)


def routine(id_: str, title: str = "", **columns: Any) -> RoutineRow:
    """An active routine."""
    columns = {"status": "active"} | columns
    return row(RoutineRow, routine_id=id_, title=title or f"Routine {id_}", **columns)


def trigger(id_: str, summary: str, **columns: Any) -> TriggerRow:
    """An observed trigger."""
    return row(TriggerRow, trigger_id=id_, summary=summary, **columns)


def connection(provider: str, account: str = "me", **columns: Any) -> ConnectionRow:
    """A connection seen ten minutes ago that may be an hour old."""
    columns = {"status": "connected", "observed_at": at(minutes=-10), "ttl_seconds": 3600} | columns
    id_ = f"{provider}:{account}"
    return row(ConnectionRow, connection_id=id_, provider=provider, account=account, **columns)


def credit(account: str, amount: str, **columns: Any) -> CreditsRow:
    """A balance in USD seen ten minutes ago that may be an hour old."""
    columns = {"unit": "USD", "observed_at": at(minutes=-10), "ttl_seconds": 3600} | columns
    return row(CreditsRow, account=account, amount=amount, **columns)


def source(name: str, **columns: Any) -> SourceRow:
    """A whole source that covers pending, seen just now."""
    columns = {"state": "whole", "covers": ["pending"], "fresh_seconds": 3600} | columns
    return row(SourceRow, source=name, **columns)


def settings(**columns: Any) -> UserRow:
    """The user's settings."""
    return row(UserRow, user_key="me", **columns)


def rows(*given: NamedTuple, **kinds: list[Any]) -> dict[str, list[Any]]:
    """Rows by kind, every kind that a reading can hold present."""
    by_kind: dict[str, list[Any]] = {kind: [] for kind in _KIND_OF.values()} | kinds
    for one in given:
        by_kind[_KIND_OF[type(one)]].append(one)
    return by_kind


_KIND_OF: dict[type[Any], str] = {
    TaskRow: "task",
    ApprovalRow: "approval",
    ReminderRow: "reminder",
    ProposalRow: "proposal",
    MeetingRow: "meeting",
    CommitmentRow: "commitment",
    RoutineRow: "routine",
    TriggerRow: "trigger",
    ConnectionRow: "connection",
    CreditsRow: "credits",
    SourceRow: "source",
    UserRow: "user",
}
