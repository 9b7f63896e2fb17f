"""What stands beside the records in scope: artifacts, attachments, commitments, preferences.

Bodies stay outside: an artifact enters as a reference with one sentence, and the reason why its
body is not here is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from workindex.assembler.envelope import (
    Attachment,
    ContextItem,
    Omission,
    Priority,
    SourceType,
    ToolCall,
)
from workindex.assembler.offers import Kind, Offer, Stage
from workindex.assembler.rendering import plain
from workindex.assembler.sensitivity import TOO_SENSITIVE, hides, level
from workindex.domain.facts import Sensitivity
from workindex.projections.artifacts import ArtifactRow
from workindex.projections.meetings import CommitmentRow
from workindex.projections.users import UserRow, consents_at

SUMMARY_CHARS_MAX = 300


def artifacts_stage(
    rows: Sequence[ArtifactRow], sensitivity_max: Sensitivity, reason: str
) -> Stage:
    """References to artifacts: never a body."""
    offers = []
    left = []
    for place, row in enumerate(rows):
        source_id = f"artifact:{row.artifact_id}"
        if reason_hidden := hidden(row, sensitivity_max):
            left.append(Omission(lane="state", source_id=source_id, reason=reason_hidden))
            continue
        content = {
            "ref": source_id,
            "type": row.media_type,
            "title": row.title[:SUMMARY_CHARS_MAX],
            "processing_status": row.status,
            "size_bytes": row.size_bytes,
            "summary": (row.summary or "")[:SUMMARY_CHARS_MAX] or None,
        }
        offers.append(
            _offer(
                "artifact",
                source_id,
                content,
                row.stored_at,
                reason,
                kind="attachment",
                rank=-place,
                sensitivity=level(row.sensitivity),
                recover_with=ToolCall(
                    name="resolve",
                    arguments={"ref": source_id, "selector": "0-0", "max_tokens": 1_000},
                ),
            )
        )
    return Stage(offers=tuple(offers), left=tuple(left))


def hidden(row: ArtifactRow, sensitivity_max: Sensitivity) -> str | None:
    """Why nobody may see the artifact here."""
    if row.status != "stored":
        return "forgotten"
    return TOO_SENSITIVE if hides(row.sensitivity, sensitivity_max) else None


def attachments_stage(attachments: Sequence[Attachment], now: datetime) -> Stage:
    """Files of the message that are not stored: what is known of them; nobody read them."""
    offers = [
        _offer(
            "message",
            f"attachment:{place}",
            one.model_dump(mode="json", exclude_none=True),
            now,
            "it came with the message and is not stored: its body is not here",
            kind="attachment",
        )
        for place, one in enumerate(attachments)
        if one.artifact_id is None
    ]
    return Stage(offers=tuple(offers))


def commitments_stage(rows: Sequence[CommitmentRow]) -> Stage:
    """What was promised in the meeting, open ones first."""
    ordered = sorted(rows, key=lambda row: (row.status != "open", row.made_at, row.commitment_id))
    return Stage(
        offers=tuple(
            _offer(
                "projection",
                f"commitment:{row.commitment_id}",
                plain(row._asdict()),
                row.settled_at or row.made_at,
                "a commitment of the meeting in scope",
                rank=-place,
                priority=2 if row.status == "open" else 3,
            )
            for place, row in enumerate(ordered)
        )
    )


def preferences_stage(row: UserRow | None, now: datetime) -> Stage:
    """What the person set, and which consents hold now."""
    if row is None:
        return Stage()
    content = {
        "time_zone": row.time_zone,
        "locale": row.locale,
        "preferences": row.preferences,
        "consents": consents_at(row, now),
    }
    offer = _offer(
        "projection",
        "user:me",
        plain(content),
        row.updated_at,
        "preferences and consents in force",
        priority=2,
    )
    return Stage(offers=(offer,))


def _offer(
    source_type: SourceType,
    source_id: str,
    content: Any,
    observed_at: datetime,
    reason: str,
    *,
    kind: Kind = "state",
    rank: float = 0.0,
    priority: Priority = 3,
    sensitivity: Sensitivity = "normal",
    recover_with: ToolCall | None = None,
) -> Offer:
    item = ContextItem(
        source_type=source_type,
        source_id=source_id,
        authority="canonical",
        authority_rank=2,
        observed_at=observed_at,
        sensitivity=sensitivity,
        priority=priority,
        admission_reason=reason,
        content=content,
    )
    return Offer("state", item, "reference", kind, rank, recover_with=recover_with)
