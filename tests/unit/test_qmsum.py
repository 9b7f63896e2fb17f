"""A QMSum file is one meeting: its turns exactly, and what is wrong with it by turn and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workindex.domain.errors import InvalidInput
from workindex.eventlog.content import body_of
from workindex.eventlog.transcripts import TURNS_PER_PART
from workindex.service.importers.qmsum import artifact_id_of, plan_meeting
from workindex.service.importers.qmsum_files import Transcript, read_transcript


def file(tmp_path: Path, turns: Any, name: str = "Bed002.json") -> Path:
    """A file with these turns."""
    path = tmp_path / name
    path.write_text(json.dumps({"topic_list": [], "meeting_transcripts": turns}))
    return path


def read(tmp_path: Path, count: int, text: str = "Well ,") -> Transcript:
    """A meeting of two who take turns."""
    turns = [{"speaker": f"Grad {n % 2}", "content": text} for n in range(count)]
    return read_transcript(file(tmp_path, turns))


def test_a_meeting_is_named_for_its_file(tmp_path: Path) -> None:
    """Speakers in the order in which they first speak, each once."""
    transcript = read(tmp_path, 5)
    assert (transcript.name, transcript.turns) == ("Bed002", 5)
    assert transcript.speakers == ("Grad 0", "Grad 1")


def test_long_turns_make_shorter_parts(tmp_path: Path) -> None:
    """A part has a size limit, so fewer turns fit into it."""
    assert len(read(tmp_path, 120).parts) == 3
    long = read(tmp_path, 60, "x" * 100_000)
    assert len(long.parts) == 60 * 10 // TURNS_PER_PART
    longer = read(tmp_path, 7, "x" * 500_000)
    assert len(longer.parts) == 7


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        (None, "meeting_transcripts: "),
        ({}, "meeting_transcripts: "),
        ([{"speaker": "a", "content": "b"}, {"speaker": "a"}], r"meeting_transcripts\.1\.content"),
        ([{"speaker": "", "content": "b"}], r"meeting_transcripts\.0\.speaker"),
        ([{"speaker": "a", "content": 5}], r"meeting_transcripts\.0\.content"),
        ([{"speaker": "a", "content": "\ud800"}], "surrogate"),
        ([{"speaker": "a\u0000", "content": "b"}], "NUL|U\\+0000|character"),
    ],
)
def test_a_bad_turn_is_named(tmp_path: Path, turns: Any, told: str) -> None:
    """File, turn and field."""
    path = file(tmp_path, turns)
    with pytest.raises(InvalidInput, match=told) as refused:
        read_transcript(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe", b"\x1f\x8bgarbage"])
def test_what_is_no_meeting(tmp_path: Path, content: bytes) -> None:
    """A typed error that names the file."""
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as refused:
        read_transcript(path)
    assert str(path) in str(refused.value)


def test_the_plan_is_the_difference_to_the_row(tmp_path: Path) -> None:
    """New: everything; the same: nothing; another transcript: attached beside the first."""
    transcript = read(tmp_path, 5)
    body = body_of(transcript.parts)
    new = list(plan_meeting(transcript, body, None, "qmsum", None))
    assert [one.type for one in new] == [
        "schedule_meeting",
        "end_meeting",
        "store_artifact",
        "attach_transcript",
    ]
    row = {
        "status": "ended",
        "participants": ["Grad 0", "Grad 1"],
        "start_at": "1970-01-01T00:00:00+00:00",
        "transcripts": [artifact_id_of(transcript, body)],
    }
    assert list(plan_meeting(transcript, body, row, "qmsum", None)) == []
    other = read(tmp_path, 6)
    again = list(plan_meeting(other, body_of(other.parts), row, "qmsum", None))
    assert [one.type for one in again] == ["store_artifact", "attach_transcript"]
    cancelled = {**row, "status": "cancelled"}
    assert list(plan_meeting(other, body_of(other.parts), cancelled, "qmsum", None)) == []
