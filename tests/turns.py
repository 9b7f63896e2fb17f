"""One user's world for a turn, said in few words, and what a working set holds of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from workindex import Actor, UserScope
from workindex.assembler.envelope import ContextEnvelope, ContextItem

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
ME, AGENT = Actor(kind="user", id="me"), Actor(kind="agent", id="helper")


def do(user: UserScope, type_: str, *, by: Actor = ME, **fields: Any) -> None:
    user.record({"type": type_, **fields}, actor=by)


def say(user: UserScope, id_: str, text: str, role: str = "user", **fields: Any) -> None:
    thread = {"thread_id": "main", **fields}
    do(user, "post_message", message_id=id_, role=role, text=text, **thread)


def approval(user: UserScope, id_: str, **fields: Any) -> None:
    do(
        user,
        "request_approval",
        by=AGENT,
        approval_id=id_,
        title=f"Pay {id_}",
        tool="pay",
        tool_schema_sha256="0" * 64,
        arguments={"amount": 100, "to": "Bo"},
        target="bank",
        account="mine",
        expires_at="2026-03-05T12:00:00Z",
        **fields,
    )


def assemble(user: UserScope, text: str, **request: Any) -> ContextEnvelope:
    return user.assemble({"text": text, "now": NOW, **request})


def ids(items: tuple[ContextItem, ...]) -> list[str]:
    return [item.source_id for item in items]


def item(envelope: ContextEnvelope, source_id: str) -> ContextItem:
    whole = (
        *envelope.current_state,
        *envelope.recent_history,
        *envelope.retrieved_evidence,
    )
    return next(one for one in whole if one.source_id == source_id)
