"""Artifacts: what is known of each stored body; the bodies stay in `content`."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, assert_never, cast

from workindex.domain.artifacts import AnyArtifactFact, ArtifactForgotten, ArtifactStored
from workindex.domain.facts import Event
from workindex.projections.table import Table


class ArtifactRow(NamedTuple):
    """One artifact; `status` is stored or forgotten (its summary is then gone)."""

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


def fold_artifact(row: ArtifactRow | None, event: Event) -> ArtifactRow | None:
    """The row of one artifact after one more event."""
    fact = cast(AnyArtifactFact, event.fact)
    match fact:
        case ArtifactStored():
            return ArtifactRow(
                artifact_id=fact.artifact_id,
                title=fact.title,
                media_type=fact.media_type,
                status="stored",
                sha256=fact.sha256,
                size_bytes=fact.size_bytes,
                parts=fact.parts,
                summary=fact.summary,
                sensitivity=fact.sensitivity,
                task_id=fact.task_id,
                meeting_id=fact.meeting_id,
                source=fact.source,
                stored_at=event.occurred_at,
                forgotten_at=None,
            )
        case ArtifactForgotten():
            assert row is not None, fact
            return row._replace(status="forgotten", summary=None, forgotten_at=event.occurred_at)
        case _:
            assert_never(fact)


ARTIFACT = Table(
    "artifact",
    kind="artifact",
    member="memory",
    row=ArtifactRow,
    fold=fold_artifact,
    indexes=(("task_id",),),
)
TABLES = (ARTIFACT,)
