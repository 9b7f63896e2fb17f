"""Artifacts: what is known of each stored body; the bodies stay in `content`."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class ArtifactRow(NamedTuple):
    """One artifact; `status` is stored or forgotten."""

    artifact_id: str
    title: str
    media_type: str
    status: str
    sha256: str
    size_bytes: int
    parts: int
    summary: str | None
    sensitivity: str
    task_id: str | None
    meeting_id: str | None
    source: str | None
    stored_at: datetime
    forgotten_at: datetime | None
