"""Which documents does each source have, and do they go with it?"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workindex.domain.artifacts import ArtifactForgotten, ArtifactStored
from workindex.domain.conversations import MessagePosted, MessageRedacted
from workindex.domain.facts import Actor, Event, Fact
from workindex.domain.meetings import TranscriptAttached
from workindex.domain.memory import ClaimRecorded, ClaimSuperseded, ClaimWithdrawn
from workindex.eventlog.transcripts import Turn, media_type, to_parts, turns_in
from workindex.projections.evidence import (
    SEGMENT_CHARS,
    SEGMENT_TURNS,
    SEGMENTS_MAX,
    Body,
    Origin,
    cut,
    segments_of,
    source_stream,
    tell,
)
from workindex.projections.folding import Folding
from workindex.projections.sets import EVIDENCE

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DIGESTS = Path(__file__).resolve().parents[1] / "golden" / "folds" / "evidence.json"
SHA = "ab" * 32


def happened(fact: Fact, version: int = 1, position: int = 1) -> Event:
    return Event(fact, version, NOW, NOW, Actor(kind="user", id="ann"), position)


def rows_after(origin: Origin, *later: Fact, body: Body = None) -> dict[str, Any]:
    """The documents of one source, by id, after its first fact and others."""
    folding = Folding(projection_set=EVIDENCE)
    for position, fact in enumerate((origin, *later), start=1):
        for event in tell(happened(fact, position, position), origin, body):
            folding.apply(event, position)
    return {row.id: row for row in folding.rows("document")}


def stored(media: str = "text/plain", size: int = 0, parts: int = 1, **more: Any) -> ArtifactStored:
    return ArtifactStored(
        artifact_id="F-1", title="plan", media_type=media, sha256=SHA, size_bytes=size,
        parts=parts, **more,
    )  # fmt: skip


def posted(text: str, **more: Any) -> MessagePosted:
    return MessagePosted(message_id="M-1", thread_id="TH-1", role="user", text=text, **more)


def claimed(value: Any, **more: Any) -> ClaimRecorded:
    return ClaimRecorded(claim_id="C-1", subject="home", attribute="city", value=value, **more)


def test_a_message_is_a_document() -> None:
    """Its text, thread, role and sensitivity; it happened when it was said."""
    rows = rows_after(posted("hello", sensitivity="private"))
    (row,) = rows.values()
    assert (row.id, row.text, row.source_kind, row.source_id) == (
        "message/M-1", "hello", "message", "M-1",
    )  # fmt: skip
    assert (row.thread_id, row.role, row.sensitivity, row.occurred_at) == (
        "TH-1", "user", "private", NOW,
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_said_is_no_document(text: str) -> None:
    """An empty row would be found by nothing and counted by everything."""
    assert rows_after(posted(text)) == {}


def test_a_claim_is_a_document_until_it_ends() -> None:
    """Subject, attribute and value are its text; supersession and withdrawal remove it."""
    claim = claimed({"street": "Elm"}, expires_at=NOW)
    (row,) = rows_after(claim).values()
    assert row.text == 'home city: {"street":"Elm"}'
    assert (row.subject, row.expires_at) == ("home", NOW)
    assert rows_after(claim, ClaimSuperseded(claim_id="C-1", superseded_by="C-2")) == {}
    assert rows_after(claim, ClaimWithdrawn(claim_id="C-1")) == {}


@given(st.integers(1, 3 * SEGMENT_CHARS), st.data())
def test_the_end_of_a_source_removes_every_segment(size: int, data: st.DataObject) -> None:
    """Also where nobody has the body any more: the first fact alone says which there are."""
    text = data.draw(st.text("ab \n", min_size=size, max_size=size))
    artifact = stored(size=size)
    for origin, ending, body in (
        (artifact, ArtifactForgotten(artifact_id="F-1"), text),
        (posted(text), MessageRedacted(message_id="M-1"), None),
        (claimed(text), ClaimWithdrawn(claim_id="C-1"), None),
    ):
        assert len(rows_after(origin, body=body)) <= segments_of(origin)
        folding = Folding(projection_set=EVIDENCE)
        for event in tell(happened(origin), origin, body):
            folding.apply(event, 1)
        for event in tell(happened(ending, 2, 2), origin, None):
            folding.apply(event, 2)
        assert folding.rows("document") == []


@given(st.text(max_size=4 * SEGMENT_CHARS))
def test_a_cut_loses_nothing(text: str) -> None:
    """The segments make the text again, and are as many as its length says."""
    pieces = cut(text)
    assert "".join(pieces) == text
    assert len(pieces) == max(1, ceil(len(text) / SEGMENT_CHARS))


def test_a_cut_lies_at_a_space() -> None:
    """No word is torn where a space is near."""
    pieces = cut("word " * 1_000)
    assert all(piece.endswith(" ") for piece in pieces)


def test_an_artifact_is_a_title_and_segments() -> None:
    """Segment 0 is title and summary; NUL, which no database text holds, is a space."""
    text = "x" * SEGMENT_CHARS + "\0tail"
    rows = rows_after(stored(size=len(text), summary="for May", task_id="T-1"), body=text)
    assert list(rows) == ["artifact/F-1", "artifact/F-1#1", "artifact/F-1#2"]
    assert rows["artifact/F-1"].text == "plan\nfor May"
    assert rows["artifact/F-1#2"].text == " tail"
    assert {row.task_id for row in rows.values()} == {"T-1"}


@pytest.mark.parametrize(
    ("media", "count"),
    [
        ("text/plain", 3),
        ("text/markdown; charset=utf-8", 3),
        ("application/json", 3),
        ("application/ld+json", 3),
        ("application/xhtml+xml", 3),
        ("application/pdf", 1),
        ("image/png", 1),
        ("application/octet-stream", 1),
    ],
)
def test_only_text_is_looked_into(media: str, count: int) -> None:
    """Of other bodies the title is searched."""
    assert segments_of(stored(media, size=2 * SEGMENT_CHARS)) == count


def test_no_source_has_more_segments_than_the_limit() -> None:
    """A body of any size is bounded work."""
    assert segments_of(stored(size=2**52)) == SEGMENTS_MAX


def test_a_transcript_is_cut_by_turns() -> None:
    """Each segment holds so many turns and says which, whatever the body's parts hold."""
    turns = [Turn(n, f"P{n % 3}", f"said {n}") for n in range(2 * SEGMENT_TURNS + 5)]
    parts = to_parts(turns, 7)
    origin = stored(media_type(7), size=sum(map(len, parts)), parts=len(parts))
    rows = rows_after(origin, body=turns_in(b"".join(parts)))
    spans = [(r.first_turn, r.last_turn) for r in rows.values() if r.source_kind == "transcript"]
    assert spans == [(0, 9), (10, 19), (20, 29)]
    assert rows["artifact/F-1#3"].text.splitlines()[-1] == "P0: said 24"


@pytest.mark.parametrize(
    "body", [b"", b"no json\n", b'{"number": "1", "speaker": "a", "text": "b"}\n', b"[]\n", b"{}\n"]
)
def test_a_body_that_is_no_transcript_has_no_turns(body: bytes) -> None:
    """It is the caller's; nothing parks because of it."""
    assert turns_in(body) == []


def test_a_transcript_that_is_attached_belongs_to_the_meeting() -> None:
    """Every document of the artifact is found by the meeting from then on; the first one wins."""
    origin = stored(size=5)
    attached = TranscriptAttached(meeting_id="ME-1", artifact_id="F-1")
    again = TranscriptAttached(meeting_id="ME-2", artifact_id="F-1")
    rows = rows_after(origin, attached, again, body="hello")
    assert [row.meeting_id for row in rows.values()] == ["ME-1", "ME-1"]
    assert source_stream(attached) == "artifact/F-1"


def test_a_changed_fold_has_a_higher_version() -> None:
    """The digest of the golden documents stands beside the fold version that it belongs to."""
    turns = [Turn(n, "A", f"said {n}") for n in range(12)]
    worlds = (
        rows_after(posted("word " * 900, sensitivity="private")),
        rows_after(claimed(["a", 1], expires_at=NOW)),
        rows_after(stored(size=3_000, summary="s", source="qmsum"), body="text " * 600),
        rows_after(
            stored(media_type(50), size=500, meeting_id="ME-1"),
            TranscriptAttached(meeting_id="ME-2", artifact_id="F-1"),
            body=turns,
        ),
        rows_after(posted("x"), MessageRedacted(message_id="M-1")),
    )
    found = [[row._asdict() for row in world.values()] for world in worlds]
    digest = hashlib.sha256(orjson.dumps(found, option=orjson.OPT_SORT_KEYS)).hexdigest()
    known = json.loads(DIGESTS.read_text(encoding="utf-8"))
    current = {"fold_version": EVIDENCE.fold_version, "sha256": digest}
    assert current == known[-1], (
        "the folds give other documents than the stored digest says: raise the fold version of "
        f"the set, and append {json.dumps(current)} to {DIGESTS.name}"
    )
    versions = [entry["fold_version"] for entry in known]
    assert versions == sorted(set(versions))
