"""Live provider state: connections, credits, and the sources that feed the log."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, assert_never, cast

from workindex.domain.connections import (
    ConnectionObserved,
    CreditsObserved,
    SourceFact,
    SourceObserved,
    SourceRetired,
    covers_after,
    cursor_after,
)
from workindex.domain.facts import Event
from workindex.projections.table import Table


class ConnectionRow(NamedTuple):
    """One account at a provider (`connection_id` is `<provider>:<account>`).

    `status` is connected, expired, error or disconnected; stale after observed_at + ttl_seconds.
    """

    connection_id: str
    provider: str
    account: str
    status: str
    detail: str | None
    observed_at: datetime
    ttl_seconds: int


class CreditsRow(NamedTuple):
    """The balance of one account as last observed; `amount` is an exact decimal as text."""

    account: str
    provider: str | None
    amount: str
    unit: str
    observed_at: datetime
    ttl_seconds: int


class SourceRow(NamedTuple):
    """One required source of facts: the kinds it covers and how far it has been seen.

    `covers` holds every kind that it ever covered until it is retired, sorted; `cursor` is where
    its importer goes on.
    """

    source: str
    state: str
    covers: list[str]
    observed_through_at: datetime
    fresh_seconds: int
    cursor: str | None
    reported_at: datetime


def fold_connection(row: ConnectionRow | None, event: Event) -> ConnectionRow | None:
    """The row of one connection: always the latest observation."""
    fact = cast(ConnectionObserved, event.fact)
    return ConnectionRow(
        connection_id=f"{fact.provider}:{fact.account}",
        provider=fact.provider,
        account=fact.account,
        status=fact.status,
        detail=fact.detail,
        observed_at=fact.observed_at,
        ttl_seconds=fact.ttl_seconds,
    )


def fold_credits(row: CreditsRow | None, event: Event) -> CreditsRow | None:
    """The row of one balance: always the latest observation."""
    fact = cast(CreditsObserved, event.fact)
    return CreditsRow(
        account=fact.account,
        provider=fact.provider,
        amount=fact.amount,
        unit=fact.unit,
        observed_at=fact.observed_at,
        ttl_seconds=fact.ttl_seconds,
    )


def fold_source(row: SourceRow | None, event: Event) -> SourceRow | None:
    """The row of one source; none once it is retired."""
    fact = cast(SourceFact, event.fact)
    match fact:
        case SourceObserved():
            return SourceRow(
                source=fact.source,
                state=fact.state,
                covers=covers_after([] if row is None else row.covers, fact),
                observed_through_at=fact.observed_through,
                fresh_seconds=fact.fresh_seconds,
                cursor=cursor_after(None if row is None else row.cursor, fact),
                reported_at=event.recorded_at,
            )
        case SourceRetired():
            return None
        case _:
            assert_never(fact)


WORK_CONNECTION = Table(
    "work_connection",
    kind="connection",
    member="work_index",
    row=ConnectionRow,
    fold=fold_connection,
)
WORK_CREDITS = Table(
    "work_credits", kind="credits", member="work_index", row=CreditsRow, fold=fold_credits
)
WORK_SOURCE = Table(
    "work_source", kind="source", member="work_index", row=SourceRow, fold=fold_source
)
TABLES = (WORK_CONNECTION, WORK_CREDITS, WORK_SOURCE)
