"""What a checkpoint holds of the records it names: exact ids, parameters of actions, times.

They stand in one output of the body, named `records`: {"rows": {"task/T-1": {…}, …}, "named":
[…], "message_ids": […]}. A record is told by columns of its row; of one that has ended its status
is left. `named` are those that somebody named, the others have to do with these. `message_ids` are
the messages that the words of the checkpoint rest on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from workindex.assembler.records import standing
from workindex.assembler.rendering import plain
from workindex.domain.tasks import ENDED
from workindex.projections.snapshot import Find

Ref = tuple[str, str]

OUTPUT: Final = "records"
TEXT_CHARS_MAX: Final = 500
# What goes on from a checkpoint must know of a record; ids, parameters and times are never cut.
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "task": ("title", "status", "due_at", "scheduled_at", "blocked_by", "blocked_reason"),
    "approval": (
        *("title", "status", "task_id", "tool", "arguments", "target", "account", "action_hash"),
        *("expires_at", "redeem_by", "execution_id", "deadline_at", "reason_code"),
    ),
    "meeting": ("title", "status", "start_at", "end_at", "time_zone", "location"),
    "commitment": ("text", "status", "owner", "due_at", "meeting_id", "task_id"),
    "reminder": ("title", "status", "remind_at", "next_at", "time_zone"),
    "proposal": ("title", "status", "expires_at"),
    "routine": ("title", "status", "next_at", "cooldown_until_at"),
    "trigger": ("summary", "observed_at"),
}
_ENDED: Final[Mapping[str, frozenset[str]]] = {
    "task": ENDED,
    "approval": frozenset(
        {"executed", "granted_not_executed", "denied", "expired", "withdrawn", "moot"}
    ),
    "meeting": frozenset({"ended", "cancelled"}),
    "commitment": frozenset({"kept", "broken", "withdrawn"}),
    "reminder": frozenset({"dismissed", "cancelled"}),
    "proposal": frozenset({"accepted", "declined", "dismissed", "expired"}),
}
# Executions that began and of which no end is recorded.
RUNNING: Final = frozenset({"executing", "outcome_unknown"})


class Kept(NamedTuple):
    """The records of a body by reference, those that were named, the messages of its words."""

    rows: dict[str, dict[str, Any]]
    message_ids: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


def kept_in(body: Mapping[str, Any]) -> Kept:
    """What a body holds; where its output has another form it holds nothing."""
    for output in body.get("outputs") or ():
        value = output.get("value")
        if output.get("name") != OUTPUT or not isinstance(value, dict):
            continue
        held = value.get("rows")
        rows = held if isinstance(held, dict) else {}
        return Kept(
            {ref: row for ref, row in rows.items() if isinstance(row, dict)},
            _texts(value.get("message_ids")),
            _texts(value.get("named")) if "named" in value else tuple(rows),
        )
    return Kept({})


def _texts(listed: Any) -> tuple[str, ...]:
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


def output_of(kept: Kept) -> dict[str, Any]:
    """The output of a body that holds the records."""
    lists = {"named": list(kept.named), "message_ids": list(kept.message_ids)}
    value = {"rows": kept.rows, **lists}
    return {"name": OUTPUT, "value": value, "artifact_id": None}


def has_ended(kind: str, row: Any, now: datetime) -> bool:
    """Whether nothing can happen to the record any more without being opened again."""
    return getattr(standing(row, now), "status", None) in _ENDED.get(kind, frozenset())


def told(kind: str, row: Any, now: datetime) -> dict[str, Any]:
    """The record as it stands at `now`; an execution without an end has an unknown outcome."""
    stands = standing(row, now)
    if has_ended(kind, row, now):
        return {"status": stands.status}
    fields = {name: plain(getattr(stands, name)) for name in COLUMNS.get(kind, ())}
    held = {name: value for name, value in fields.items() if value not in (None, [], "")}
    for name in ("title", "text", "summary", "blocked_reason"):
        if name in held:
            held[name] = held[name][:TEXT_CHARS_MAX]
    if kind == "approval" and stands.status in RUNNING:
        held["outcome"] = "unknown"
    return held


def reference(ref: Ref) -> str:
    """`task/T-1`, as stored."""
    return f"{ref[0]}/{ref[1]}"


def ref_of(text: str) -> Ref:
    """Kind and id of a reference."""
    kind, _, id_ = text.partition("/")
    return kind, id_


def found(refs: Iterable[Ref], rows: Find, kinds: Iterable[str]) -> dict[Ref, Any]:
    """The rows of these references that there are, of these kinds, in their order."""
    ids_by_kind: dict[str, list[str]] = {kind: [] for kind in kinds}
    order = list(dict.fromkeys(refs))
    for kind, id_ in order:
        if kind in ids_by_kind:
            ids_by_kind[kind].append(id_)
    by_ref = {
        (kind, row[0]): row for kind, ids in ids_by_kind.items() if ids for row in rows(kind, ids)
    }
    return {ref: by_ref[ref] for ref in order if ref in by_ref}


def refreshed(kept: Kept, rows: Find, now: datetime) -> dict[str, dict[str, Any]]:
    """The records as their rows stand now, and beside each what the checkpoint said otherwise.

    One that is not there, or is hidden from whoever looks, is not told.
    """
    refs = [ref_of(text) for text in kept.rows]
    by_ref = found(refs, rows, KINDS)
    fresh: dict[str, dict[str, Any]] = {}
    for text, held in kept.rows.items():
        ref = ref_of(text)
        if ref in by_ref:
            stands = told(ref[0], by_ref[ref], now)
            was = {name: value for name, value in held.items() if stands.get(name, value) != value}
            fresh[text] = {**stands, "was": was} if was else stands
    return fresh


# The kinds that a checkpoint can name; of a claim, an artifact or a message it holds the id alone.
KINDS: Final = (*COLUMNS, "artifact", "claim", "message")
