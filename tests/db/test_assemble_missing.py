"""Is what a turn lacks, or cannot tell apart, said as such and never as "there is none"?"""

from __future__ import annotations

from typing import Any

import pytest

from turns import NOW, assemble, do, ids, item, say
from workindex import UserScope, WorkIndex
from workindex.assembler.rendering import parsed, working_set_text
from workindex.eventlog.transcripts import Turn, media_type, to_parts
from workindex.projections.recording import Clock


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


@pytest.fixture
def ann(work_index: WorkIndex) -> UserScope:
    ann = work_index.user("ann")
    do(ann, "create_task", task_id="T-1", title="Wash the animal")
    say(ann, "M-2", "the purple elephant dances", thread_id="other")
    work_index.catch_up()
    return ann


def test_an_ambiguous_id_is_two_candidates(ann: UserScope) -> None:
    """Neither is in scope, both are told with what tells them apart."""
    do(ann, "schedule_meeting", meeting_id="T-1", title="Zoo", start_at="2026-03-05T12:00:00Z")
    envelope = assemble(ann, "What about T-1?")
    assert (envelope.scope.task_id, envelope.scope.meeting_id) == (None, None)
    told = {one for one in ids(envelope.current_state) if one.startswith("candidate:")}
    assert told == {"candidate:task:T-1", "candidate:meeting:T-1"}
    kinds: Any = [item(envelope, one).content for one in sorted(told)]
    assert [one["kind"] for one in kinds] == ["meeting", "task"]


def test_an_attachment_that_is_not_there_is_named(ann: UserScope) -> None:
    """What the message came with and nobody can find is missing, not absent."""
    envelope = assemble(ann, "What is this?", attachments=[{"artifact_id": "F-9"}])
    (told,) = envelope.manifest.degraded
    assert told == "artifacts: artifact:F-9 came with the message and is not found"
    found = {heads["source"]: content for heads, content in parsed(working_set_text(envelope))}
    assert found["degraded:turn"] == {"could_not_be_read": [told]}


def test_a_miss_is_scoped_to_what_was_searched(ann: UserScope) -> None:
    """Nothing found is told with the words and where was looked, and only if all was searched."""
    asked = "Which zebra crossing sleeps?"
    envelope = assemble(ann, asked, thread_id="main")
    (search,) = envelope.manifest.retrieval
    assert (search.hits, search.filters["kinds"]) == (0, ["message", "artifact"])
    missed = item(envelope, "search:request")
    assert missed.content == {"words_of_the_request": "not found in messages and artifacts"}
    say(ann, "M-9", "one more that no document follows yet", thread_id="other")
    behind = assemble(ann, asked, thread_id="main")
    assert behind.manifest.degraded == ("evidence: 1 event is not searched yet",)
    assert behind.retrieved_evidence == ()


def test_a_miss_in_a_meeting_names_its_transcript(ann: UserScope) -> None:
    """And how many turns were looked at, for all of them may be more."""
    start: dict[str, Any] = {"title": "Zoo", "start_at": "2026-03-05T12:00:00Z"}
    do(ann, "schedule_meeting", meeting_id="ME-1", **start)
    parts = to_parts(Turn(number, "Bo", "hello") for number in range(3))
    body = ann.bodies.store(parts, media_type())
    stored: dict[str, Any] = {"title": "Talk", "media_type": media_type(), **body._asdict()}
    do(ann, "store_artifact", artifact_id="F-2", **stored)
    attach: dict[str, Any] = {"meeting_id": "ME-1", "artifact_id": "F-2"}
    do(ann, "attach_transcript", **attach)
    envelope = assemble(ann, "Who feeds zebras?", surface="meeting", meeting_id="ME-1")
    told: Any = item(envelope, "search:artifact:F-2").content
    where = "the first 3 turns of artifact:F-2"
    assert told == {"words_of_the_request": f"not found in {where}"}
