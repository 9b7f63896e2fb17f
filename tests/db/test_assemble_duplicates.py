"""Is the same thing told once, and a meeting's transcript for that meeting alone?"""

from __future__ import annotations

from typing import Any

import pytest

from turns import NOW, assemble, do, ids, say
from workindex import UserScope, WorkIndex
from workindex.assembler.envelope import ContextEnvelope
from workindex.eventlog.transcripts import Turn, media_type, to_parts
from workindex.projections.recording import Clock

BUDGET = "the budget of the hall is forty crowns"


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


def attach(user: UserScope, meeting_id: str, artifact_id: str, turns: list[Turn]) -> None:
    body = user.bodies.store(to_parts(turns), media_type())
    stored: dict[str, Any] = {"title": "Transcript", "media_type": media_type()}
    do(user, "store_artifact", artifact_id=artifact_id, **stored, **body._asdict())
    do(user, "attach_transcript", meeting_id=meeting_id, artifact_id=artifact_id)


def meet(user: UserScope, *meeting_ids: str) -> None:
    for number, meeting_id in enumerate(meeting_ids):
        start: dict[str, Any] = {"title": "Hall", "start_at": f"2026-03-05T{12 + number}:00:00Z"}
        do(user, "schedule_meeting", meeting_id=meeting_id, location="Room 1", **start)


def said(speaker: str, first: str = BUDGET) -> list[Turn]:
    told = [f"turn {number} about nothing" for number in range(30)]
    told[15] = first
    return [Turn(number, speaker, text) for number, text in enumerate(told)]


def left(envelope: ContextEnvelope) -> dict[str, str]:
    return {one.source_id: one.reason for one in envelope.omissions}


def test_the_same_words_under_two_ids_are_told_once(work_index: WorkIndex, ann: UserScope) -> None:
    """Messages, artifacts and claims: one is admitted, each other is named as its duplicate."""
    for id_ in ("M-1", "M-2", "M-3"):
        text = BUDGET if id_ != "M-2" else f"  {BUDGET.upper()}\n"
        say(ann, id_, text, thread_id=f"thread of {id_}")
    body = ann.bodies.store([BUDGET.encode()], "text/plain")
    for id_ in ("C-1", "C-2"):
        claim: dict[str, Any] = {"subject": "hall", "attribute": "budget", "value": "40 crowns"}
        do(ann, "record_claim", claim_id=id_, **claim)
    do(
        ann,
        "store_artifact",
        artifact_id="F-1",
        title="Notes",
        media_type="text/plain",
        **body._asdict(),
    )
    work_index.catch_up()
    envelope = assemble(ann, "What is the budget of the hall?")
    admitted = ids(envelope.retrieved_evidence)
    texts = [str(one.content) for one in envelope.retrieved_evidence]
    assert sum("forty crowns" in text.lower() for text in texts) == 1
    (told,) = [one for one in admitted if not one.startswith("claim:")]
    others = {"message:M-1", "message:M-2", "message:M-3", "artifact:F-1#1"} - {told}
    assert {left(envelope)[one] for one in others} == {f"duplicate of {told}"}
    claims = [one for one in admitted if one.startswith("claim:")]
    assert len(claims) == 1
    (other,) = {"claim:C-1", "claim:C-2"} - set(claims)
    assert left(envelope)[other] == f"duplicate of {claims[0]}"
    named = [(one.lane, one.source_id) for one in envelope.manifest.candidates]
    assert len(named) == len(set(named))


def test_a_segment_that_came_by_two_routes_is_told_once(ann: UserScope) -> None:
    """Whoever is said to have said it; what only one of them holds is told from that one."""
    meet(ann, "ME-1")
    attach(ann, "ME-1", "F-1", said("Ann"))
    attach(ann, "ME-1", "F-2", said("Speaker 2"))
    attach(ann, "ME-1", "F-3", said("Ann", "the budget of the band is ten crowns"))
    asked = "What is the budget in crowns?"
    envelope = assemble(ann, asked, surface="meeting", meeting_id="ME-1")
    assert ids(envelope.retrieved_evidence) == [
        "artifact:F-1#turns=12-18",
        "artifact:F-3#turns=12-18",
    ]
    assert left(envelope)["artifact:F-2#turns=12-18"] == "duplicate of artifact:F-1#turns=12-18"
    assert envelope.model_dump_json().count(BUDGET) == 1


def test_what_is_said_twice_in_one_meeting_is_told_twice(ann: UserScope) -> None:
    """Within one transcript it was said twice."""
    meet(ann, "ME-1")
    turns = [*said("Ann"), *(Turn(turn.number + 30, "Bo", turn.text) for turn in said("Bo"))]
    attach(ann, "ME-1", "F-1", turns)
    envelope = assemble(ann, "What is the budget?", surface="meeting", meeting_id="ME-1")
    assert len(ids(envelope.retrieved_evidence)) == 2


def test_a_transcript_is_bound_by_the_meetings_id(work_index: WorkIndex, ann: UserScope) -> None:
    """Of two in the same room, one after the other, the named one's; without a name nobody's."""
    meet(ann, "ME-1", "ME-2")
    attach(ann, "ME-1", "F-1", said("Ann"))
    attach(ann, "ME-2", "F-2", said("Ann", "the budget of the band is ten crowns"))
    work_index.catch_up()
    asked = "What was the budget in crowns?"
    for meeting_id, own in (("ME-1", "F-1"), ("ME-2", "F-2")):
        envelope = assemble(ann, asked, surface="meeting", meeting_id=meeting_id)
        assert ids(envelope.retrieved_evidence) == [f"artifact:{own}#turns=12-18"]
        by_text = assemble(ann, f"{asked} {meeting_id}", surface="meeting")
        found = ids(by_text.retrieved_evidence)
        assert {one.partition("#")[0] for one in found} == {f"artifact:{own}"}
    for request in ({"text": asked}, {"text": f"{asked} ME-1 or ME-2?"}):
        envelope = ann.assemble({**request, "surface": "meeting", "now": NOW})
        assert envelope.scope.meeting_id is None
        assert "crowns" not in envelope.model_dump_json(exclude={"request", "manifest"})
