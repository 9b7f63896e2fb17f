"""Memory: typed claims about a subject, linked to their sources."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple


class ClaimRow(NamedTuple):
    """One claim; `status` is current, superseded or withdrawn."""

    claim_id: str
    subject: str
    attribute: str
    value: Any
    status: str
    version: int
    confidence: float | None
    sensitivity: str
    sources: list[str]
    valid_from_at: datetime | None
    expires_at: datetime | None
    supersedes: str | None
    superseded_by: str | None
    reason: str | None
    recorded_at: datetime
    ended_at: datetime | None
