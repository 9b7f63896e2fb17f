"""Is memory told as it stands: current, once, each period by itself, and gone when it is gone?"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from threading import Barrier, Thread
from typing import Any

import pytest

from turns import ME, NOW, assemble, do, ids, item, say
from workindex import UserScope, WorkIndex
from workindex.assembler import evidence, stages
from workindex.assembler.envelope import ContextEnvelope
from workindex.assembler.rendering import working_set_text
from workindex.domain.errors import CommandRefused, WorkindexError
from workindex.eventlog.transcripts import Turn, media_type, to_parts
from workindex.projections.recording import Clock

SECRET = "ixtlan"


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


def claim(ann: UserScope, id_: str, subject: str, attribute: str, value: Any, **more: Any) -> None:
    do(
        ann,
        "record_claim",
        claim_id=id_,
        subject=subject,
        attribute=attribute,
        value=value,
        **more,
    )


def store(ann: UserScope, id_: str, parts: list[bytes], media: str, **more: Any) -> None:
    body = ann.bodies.store(parts, media)
    stored = {"title": "a paper", "media_type": media, **body._asdict(), **more}
    do(ann, "store_artifact", artifact_id=id_, **stored)


def transcript(ann: UserScope, meeting_id: str, artifact_id: str, texts: list[str]) -> None:
    parts = to_parts(Turn(n, "Bo", text) for n, text in enumerate(texts))
    store(ann, artifact_id, parts, media_type(), meeting_id=meeting_id)
    do(ann, "attach_transcript", meeting_id=meeting_id, artifact_id=artifact_id)


def meeting(ann: UserScope, id_: str, title: str = "Budget") -> None:
    start = "2026-03-05T12:00:00Z"
    do(ann, "schedule_meeting", meeting_id=id_, title=title, start_at=start)


def claims(envelope: ContextEnvelope) -> list[str]:
    found = ids(envelope.retrieved_evidence)
    return sorted(one for one in found if one.startswith("claim:"))


def left(envelope: ContextEnvelope) -> dict[str, str]:
    return {one.source_id: one.reason for one in envelope.omissions}


def test_claims_of_other_attributes_and_subjects_stand_beside_each_other(ann: UserScope) -> None:
    """Nothing but an explicit supersession retires a claim, whatever its words."""
    claim(ann, "C-1", "Eva", "works at", "Acme")
    claim(ann, "C-2", "Eva", "manages account", "Lumen at Acme")
    claim(ann, "C-3", "Adam", "works at", "Acme")
    claim(ann, "C-4", "Eva", "works at", "Acme Labs")
    envelope = assemble(ann, "What does Eva do at Acme?")
    assert claims(envelope) == ["claim:C-1", "claim:C-2", "claim:C-3", "claim:C-4"]
    do(ann, "supersede_claim", claim_id="C-1", new_claim_id="C-5", value="Birch")
    assert claims(assemble(ann, "What does Eva do at Acme?")) == [
        f"claim:C-{number}" for number in (2, 3, 4, 5)
    ]


@pytest.mark.parametrize(
    ("month", "told"), [(2, ["claim:C-1"]), (4, []), (7, ["claim:C-2"]), (12, [])]
)
def test_two_periods_of_the_same_are_two_claims(
    ann: UserScope, month: int, told: list[str]
) -> None:
    """Each holds in its own time, and of the other it is said why it does not."""
    first = {"valid_from": "2026-01-01T00:00:00Z", "expires_at": "2026-03-31T00:00:00Z"}
    again = {"valid_from": "2026-06-01T00:00:00Z", "expires_at": "2026-11-30T00:00:00Z"}
    claim(ann, "C-1", "Eva", "assigned to", "Lumen", **first)
    claim(ann, "C-2", "Eva", "assigned to", "Lumen", **again)
    at = datetime(2026, month, 15, tzinfo=NOW.tzinfo)
    envelope = assemble(ann, "Is Eva assigned to Lumen?", now=at)
    assert claims(envelope) == told
    assert set(left(envelope)) == {"claim:C-1", "claim:C-2"} - set(told)
    assert set(left(envelope).values()) <= {"expired", "not valid yet"}
    for source_id in told:
        content: Any = item(envelope, source_id).content
        assert content["valid_from"] == {"claim:C-1": first, "claim:C-2": again}[source_id][
            "valid_from"
        ].replace("Z", "+00:00")


def test_periods_that_hold_at_once_are_both_told(ann: UserScope) -> None:
    """The same of two periods is no duplicate; the same of one period is."""
    for id_, since in (("C-1", "2026-01-01"), ("C-2", "2026-02-01"), ("C-3", "2026-02-01")):
        claim(ann, id_, "Eva", "assigned to", "Lumen", valid_from=f"{since}T00:00:00Z")
    envelope = assemble(ann, "Is Eva assigned to Lumen?")
    assert len(claims(envelope)) == 2
    assert "claim:C-1" in claims(envelope)
    assert sorted(left(envelope).values()) == ["duplicate of claim:C-3"]


@pytest.mark.parametrize("follows", [False, True])
def test_what_is_superseded_is_never_current(
    work_index: WorkIndex, ann: UserScope, follows: bool
) -> None:
    """Along a whole line of corrections the last one alone, in every lane, whatever follows."""
    claim(ann, "C-0", "home", "city", "Oslo 0")
    if follows:
        work_index.catch_up()
    for number in range(3):
        changed: dict[str, Any] = {"new_claim_id": f"C-{number + 1}", "value": f"Oslo {number + 1}"}
        do(ann, "supersede_claim", claim_id=f"C-{number}", **changed)
    if follows:
        work_index.catch_up()
    for text in ("Which city is home?", "What about C-0 and the city of home?"):
        envelope = assemble(ann, text)
        assert claims(envelope) == ["claim:C-3"]
        for old in ("Oslo 0", "Oslo 1", "Oslo 2"):
            assert old not in working_set_text(envelope)


def test_of_two_corrections_at_once_one_wins(work_index: WorkIndex, ann: UserScope) -> None:
    """The other is refused, and exactly one value is current."""
    claim(ann, "C-1", "home", "city", "Oslo")
    together, refused = Barrier(2), []

    def correct(number: int) -> None:
        new = {"new_claim_id": f"N-{number}", "value": f"Bergen {number}"}
        together.wait()
        try:
            work_index.user("ann").record(
                {"type": "supersede_claim", "claim_id": "C-1", **new}, actor=ME
            )
        except WorkindexError as error:
            refused.append(error)

    threads = [Thread(target=correct, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(one) for one in refused] == [CommandRefused]
    assert len(claims(assemble(ann, "Which city is home?"))) == 1


def test_identical_evidence_is_admitted_once(work_index: WorkIndex, ann: UserScope) -> None:
    """Whatever its id and kind; the manifest names the others as duplicates."""
    text = "the purple elephant dances tonight"
    for number in range(3):
        say(ann, f"M-{number}", text, thread_id=f"old-{number}")
    for number in range(2):
        claim(ann, f"C-{number}", "elephant", "dances", "tonight")
    work_index.catch_up()
    envelope = assemble(ann, "Where does the purple elephant dance?")
    assert working_set_text(envelope).count(text) == 1
    assert len(claims(envelope)) == 1
    decided = {one.source_id: one.decision for one in envelope.manifest.candidates}
    for some in ({f"message:M-{n}" for n in range(3)}, {f"claim:C-{n}" for n in range(2)}):
        assert sorted(decided[one] for one in some) == ["admitted"] + ["omitted"] * (len(some) - 1)
        reasons = [left(envelope)[one] for one in some if decided[one] == "omitted"]
        (kept,) = (one for one in some if decided[one] == "admitted")
        assert set(reasons) == {f"duplicate of {kept}"}


def _all_but(hidden: str, kind: str, row: Any) -> bool:
    return (kind, row[0]) != ("message", hidden)


def test_a_copy_stands_in_for_what_may_not_be_seen(work_index: WorkIndex, ann: UserScope) -> None:
    """What is hidden hides nothing else by being the same."""
    for number in range(2):
        say(ann, f"M-{number}", "the purple elephant dances", thread_id=f"old-{number}")
    work_index.catch_up()
    for hidden in ("M-0", "M-1"):
        envelope = ann.assemble(
            {"text": "Where does the purple elephant dance?", "now": NOW},
            may_see=partial(_all_but, hidden),
        )
        shown = {"M-0": "M-1", "M-1": "M-0"}[hidden]
        assert ids(envelope.retrieved_evidence) == [f"message:{shown}"]


def test_two_passages_of_one_message_are_both_told(work_index: WorkIndex, ann: UserScope) -> None:
    """They are parts of it, not copies; where the message itself is told neither is."""
    filler = "nothing of interest is said here. " * 100
    text = f"the elephant is purple. {filler} the elephant dances tonight. {filler}"
    say(ann, "M-1", text, thread_id="old")
    work_index.catch_up()
    asked = "Which elephant is purple, which elephant dances tonight?"
    found = ids(assemble(ann, asked, thread_id="main").retrieved_evidence)
    assert {"message:M-1", "message:M-1#1"} <= set(found)
    within = assemble(ann, asked, thread_id="old")
    assert ids(within.recent_history) == ["message:M-1"]
    assert within.retrieved_evidence == ()
    assert left(within)["message:M-1#1"] == "duplicate of message:M-1"


def test_a_turn_without_room_does_not_take_its_evidence_along(
    work_index: WorkIndex, ann: UserScope
) -> None:
    """A message too old for its lane is no reason to drop the passage that answers."""
    say(ann, "M-0", "the purple elephant dances tonight")
    for number in range(1, 12):
        say(ann, f"M-{number}", "so many other things " * 200)
    work_index.catch_up()
    envelope = assemble(ann, "Where does the purple elephant dance?", thread_id="main")
    assert "message:M-0" not in ids(envelope.recent_history)
    assert "message:M-0" in ids(envelope.retrieved_evidence)


def test_the_request_is_no_evidence_for_itself(work_index: WorkIndex, ann: UserScope) -> None:
    """The message that is answered holds all of its own words."""
    text = "Where does the purple elephant dance?"
    say(ann, "M-1", text)
    work_index.catch_up()
    envelope = assemble(ann, text, thread_id="main", message_id="M-1")
    assert ids(envelope.retrieved_evidence) == ["search:request"]


def test_what_rests_on_something_gone_is_gone(work_index: WorkIndex, ann: UserScope) -> None:
    """A claim tells a redacted message or a forgotten file in other words."""
    say(ann, "M-1", f"I live in {SECRET}")
    store(ann, "F-1", [SECRET.encode()], "text/plain")
    for number, source in enumerate(("M-1", "message/M-1", "message:M-1", "artifact/F-1")):
        claim(ann, f"C-{number}", "home", f"city {number}", SECRET, sources=[source])
    claim(ann, "C-9", "home", "city", "Oslo", sources=["M-9"])
    assert len(claims(assemble(ann, "Which city is home?"))) == 5
    do(ann, "redact_message", message_id="M-1")
    do(ann, "forget_artifact", artifact_id="F-1")
    for _ in range(2):
        envelope = assemble(ann, "Which city is home?", thread_id="main")
        assert claims(envelope) == ["claim:C-9"]
        assert SECRET not in envelope.model_dump_json()
        assert left(envelope)["claim:C-1"] == "rests on a message: redacted"
        assert left(envelope)["claim:C-3"] == "rests on an artifact: forgotten"
        work_index.catch_up()


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("surface", ["main", "task", "meeting", "proactive"])
def test_what_is_withdrawn_is_gone_from_every_lane(
    work_index: WorkIndex, ann: UserScope, surface: str, before: bool
) -> None:
    """At once, before and after the documents have followed; and no omission repeats it."""
    do(ann, "create_task", task_id="T-1", title="Trip")
    meeting(ann, "ME-1", "Trip")
    say(ann, "M-1", f"the {SECRET} trip plan")
    say(ann, "M-2", f"a plan for {SECRET}", thread_id="old")
    claim(ann, "C-1", "task/T-1", "title", SECRET)
    claim(ann, "C-2", "trip", "plan", SECRET)
    store(ann, "F-1", [f"the trip plan {SECRET}".encode()], "text/plain", title=SECRET)
    transcript(ann, "ME-1", "F-2", ["hello", f"our trip plan is {SECRET}"])
    if before:
        work_index.catch_up()
    request: dict[str, Any] = {
        "text": "What of our trip plan, T-1, M-1, C-1, C-2, F-1 and F-2?",
        "surface": surface,
        "thread_id": "main",
        "attachments": [{"artifact_id": "F-1"}],
        "now": NOW,
    }
    assert SECRET in working_set_text(ann.assemble(request))
    for type_, name, some in (
        ("redact_message", "message_id", ("M-1", "M-2")),
        ("withdraw_claim", "claim_id", ("C-1", "C-2")),
        ("forget_artifact", "artifact_id", ("F-1", "F-2")),
    ):
        for id_ in some:
            gone: dict[str, Any] = {name: id_}
            do(ann, type_, **gone)
    for named in ({}, {"meeting_id": "ME-1"}, {"task_id": "T-1"}):
        envelope = ann.assemble({**request, **named})
        assert SECRET not in envelope.model_dump_json()
    work_index.catch_up()
    assert SECRET not in ann.assemble(request).model_dump_json()


def test_the_meeting_in_scope_is_the_only_one_told(work_index: WorkIndex, ann: UserScope) -> None:
    """Neither the transcript of another one nor a claim about it, however alike."""
    talk = ["hello", "the budget of the party is forty crowns", "bye"]
    for number in (1, 2):
        meeting(ann, f"ME-{number}")
        transcript(ann, f"ME-{number}", f"F-{number}", [*talk, f"number {number}"])
        claim(ann, f"C-{number}", f"meeting/ME-{number}", "budget", f"crowns {number}")
    claim(ann, "C-3", "ME-2", "budget", "crowns 3")
    claim(ann, "C-4", "party", "budget", "forty crowns")
    work_index.catch_up()
    asked = "What is the budget of the party in crowns?"
    for request in ({"meeting_id": "ME-1", "surface": "meeting"}, {"entity_ids": ["ME-1"]}):
        envelope = assemble(ann, asked, **request)
        told = ids(envelope.retrieved_evidence)
        assert [one for one in told if not one.startswith("claim:")] == ["artifact:F-1#turns=0-3"]
        assert claims(envelope) == ["claim:C-1", "claim:C-4"]
        assert left(envelope)["claim:C-2"] == "about another meeting"
        assert left(envelope)["claim:C-3"] == "about another meeting"
    both = assemble(ann, asked, entity_ids=["ME-1", "ME-2"])
    assert {"claim:C-1", "claim:C-2"} <= set(claims(both))


def test_a_transcript_that_came_twice_is_told_once(ann: UserScope) -> None:
    """By two routes under two ids it is one text."""
    meeting(ann, "ME-1")
    for artifact_id in ("F-1", "F-2"):
        transcript(ann, "ME-1", artifact_id, ["the budget of the party is forty crowns"])
    envelope = assemble(ann, "What is the party budget?", surface="meeting", meeting_id="ME-1")
    assert ids(envelope.retrieved_evidence) == ["artifact:F-1#turns=0-0"]
    assert left(envelope)["artifact:F-2"] == "duplicate of artifact:F-1"


def test_a_transcript_that_is_not_whole_is_no_silence(ann: UserScope) -> None:
    """Where turns are missing, what is not found may have been said."""
    meeting(ann, "ME-1")
    parts = to_parts(Turn(n, "Bo", f"talk {n}") for n in range(120))
    body = ann.bodies.store(parts, media_type())
    gone = {**body._asdict(), "sha256": "0" * 64}
    do(ann, "store_artifact", artifact_id="F-1", title="It", media_type=media_type(), **gone)
    do(ann, "attach_transcript", meeting_id="ME-1", artifact_id="F-1")
    store(ann, "F-2", [b"not cut into turns"], "text/plain")
    do(ann, "attach_transcript", meeting_id="ME-1", artifact_id="F-2")
    envelope = assemble(ann, "What was the budget?", surface="meeting", meeting_id="ME-1")
    assert envelope.manifest.degraded == ("transcripts: artifact:F-1 is not whole: 0 turns",)
    assert left(envelope)["artifact:F-2"] == "no transcript in turns"


@pytest.mark.parametrize("follows", [False, True])
def test_what_was_said_late_in_a_long_meeting_is_found(
    work_index: WorkIndex, ann: UserScope, monkeypatch: pytest.MonkeyPatch, follows: bool
) -> None:
    """Turns past those that are ranked are searched as documents; that there are such is told."""
    monkeypatch.setattr(evidence, "TURNS_MAX", 100)
    meeting(ann, "ME-1")
    texts = [f"nothing of interest {n}" for n in range(300)]
    texts[5], texts[255] = "the budget may be zero", "the budget is forty crowns"
    transcript(ann, "ME-1", "F-1", texts)
    if follows:
        work_index.catch_up()
    envelope = assemble(ann, "What is the budget?", surface="meeting", meeting_id="ME-1")
    told = ids(envelope.retrieved_evidence)
    assert "artifact:F-1#turns=2-8" in told
    (further,) = (one for one in envelope.omissions if one.source_id.endswith("turns=100-"))
    assert further.recover_with is not None
    assert further.recover_with.arguments["selector"] == "turns=100-149"
    assert ("artifact:F-1#turns=250-259" in told) == follows
    assert bool(envelope.manifest.degraded) != follows


def test_old_claims_are_found_by_their_words(
    work_index: WorkIndex, ann: UserScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest are all looked at, older ones searched for, and that is told."""
    monkeypatch.setattr(stages, "CLAIMS_MAX", 5)
    claim(ann, "C-0", "home", "city", "Oslo")
    for number in range(1, 9):
        claim(ann, f"C-{number}", "garden", f"tree {number}", "an elm")
    work_index.catch_up()
    envelope = assemble(ann, "Which city is home?")
    assert claims(envelope) == ["claim:C-0"]
    assert left(envelope)["claims:older"].startswith("of claims older than the newest")
    do(ann, "withdraw_claim", claim_id="C-0")
    assert claims(assemble(ann, "Which city is home?")) == []


def test_an_expired_claim_is_gone_without_a_sweeper(ann: UserScope) -> None:
    """To the second, and named as expired."""
    claim(ann, "C-1", "home", "city", "Oslo", expires_at="2026-03-04T12:00:00Z")
    claim(ann, "C-2", "home", "city", "Bergen", expires_at="2026-03-04T12:00:01Z")
    envelope = assemble(ann, "Which city is home?")
    assert claims(envelope) == ["claim:C-2"]
    assert left(envelope) == {"claim:C-1": "expired"}
