"""One user's world for a turn, said in few words, and what a working set holds of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from typing import Any

from conftest import Cluster
from workindex import Actor, UserScope, WorkIndex
from workindex.assembler.envelope import ContextEnvelope, ContextItem
from workindex.eventlog.database import Database

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
ME, AGENT = Actor(kind="user", id="me"), Actor(kind="agent", id="helper")


class House:
    """One database with a new user for each case."""

    def __init__(self, work_index: WorkIndex) -> None:
        self.work_index = work_index
        self._numbers = count(1)

    def user(self) -> UserScope:
        return self.work_index.user(f"user-{next(self._numbers)}")


@contextmanager
def house_of(cluster: Cluster) -> Iterator[House]:
    """A database of the cluster for as long as the context lasts."""
    urls = cluster.clone()
    database = Database(urls.app, maint_url=urls.maint)
    with closing(WorkIndex(database, clock=lambda: NOW)) as opened:
        yield House(opened)
    cluster.drop(urls)


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
