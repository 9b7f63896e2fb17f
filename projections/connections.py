"""Live provider state: connections, credits, and the sources that feed the log."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


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
    """One source of facts: the kinds it covers and how far it has been seen."""

    source: str
    state: str
    covers: list[str]
    observed_through_at: datetime
    fresh_seconds: int
    reported_at: datetime
