"""Is what was said and seen elsewhere brought in by its words, in time, and never for certain?"""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from threading import Event
from typing import Any

import pytest

from conftest import Urls
from engine import do_as_owner
from sessions import Backend
from turns import NOW, assemble, do, ids, item, say
from workindex import Actor, UserScope, WorkIndex
from workindex.assembler.envelope import Scope, UserRequest
from workindex.assembler.state_lane import LIVE_MAX
from workindex.domain.errors import InvalidInput, NotReady
from workindex.domain.facts import utc
from workindex.eventlog.database import Database
from workindex.eventlog.transcripts import Turn, media_type, to_parts
from workindex.projections.recording import Clock
from workindex.service.refreshing import Stale


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


class _Looking:
    """A provider that answers as it is told to: at once, late, wrongly or not at all."""

    def __init__(self, does: str) -> None:
        self.does = does
        self.may_end = Event()

    def observe(self, stale: Stale) -> dict[str, Any]:
        if self.does == "hangs":
            self.may_end.wait(30)
        if self.does == "raises":
            raise OSError("no network")
        seen = {"type": "observe_connection", "provider": stale.provider, "account": stale.account}
        if self.does == "lies":
            return {**seen, "status": "purple", "ttl_seconds": 60}
        return {**seen, "status": "expired", "ttl_seconds": 60}


@pytest.mark.parametrize(
    ("does", "status", "failure"),
    [
        ("answers", "expired", None),
        ("hangs", "connected", "no answer within 0.2 s"),
        ("raises", "connected", "OSError"),
        ("lies", "connected", "invalid_input"),
    ],
)
def test_stale_provider_state_is_asked_for_again(
    ann: UserScope, does: str, status: str, failure: str | None
) -> None:
    """What comes in time is recorded and read; what does not is told, and the old row stays."""
    provider = Actor(kind="provider", id="mail")
    seen = {"provider": "mail", "account": "me", "status": "connected", "ttl_seconds": 60}
    seen |= {"observed_at": utc(NOW - timedelta(hours=2))}
    ann.record({"type": "observe_connection", **seen}, actor=provider)
    looking = _Looking(does)
    envelope = ann.assemble({"text": "hi"}, provider=looking, refresh_seconds=0.2)
    looking.may_end.set()
    told: Any = item(envelope, "connection:mail:me").content
    assert told["status"] == status
    expected = [] if failure is None else [f"not refreshed: connection:mail:me: {failure}"]
    assert [one for one in envelope.manifest.degraded if "refreshed" in one] == expected


def test_connections_that_are_not_told_are_counted(ann: UserScope) -> None:
    """The first of them stand in the set; the call that is named brings all."""
    seen = {"type": "observe_connection", "provider": "mail", "status": "expired"}
    for number in range(LIVE_MAX + 2):
        command = {**seen, "account": f"a-{number}", "ttl_seconds": 60}
        ann.record(command, actor=Actor(kind="provider", id="mail"))
    envelope = assemble(ann, "hi", surface="task")
    (left,) = [one for one in envelope.omissions if one.source_id == "connection:beyond"]
    assert left.reason == f"only the first {LIVE_MAX} of {LIVE_MAX + 2} are told"
    assert left.recover_with is not None
    assert left.recover_with.arguments == {"type": "connection"}
    found = ann.tools(envelope).get_context("connection", max_tokens=8_000)
    assert len(found.items) == LIVE_MAX + 2


def test_what_is_not_searched_yet_is_told(work_index: WorkIndex, ann: UserScope) -> None:
    """Documents follow the log: until they have, nothing found is not nothing said."""
    say(ann, "M-1", "the purple elephant dances tonight")
    envelope = assemble(ann, "Where does the purple elephant dance?", thread_id="other")
    assert envelope.retrieved_evidence == ()
    assert envelope.manifest.degraded == ("evidence: 1 event is not searched yet",)
    work_index.catch_up()
    envelope = assemble(ann, "Where does the purple elephant dance?", thread_id="other")
    assert ids(envelope.retrieved_evidence) == ["message:M-1"]
    assert envelope.manifest.degraded == ()
    (search,) = envelope.manifest.retrieval
    assert (search.hits, search.query) == (1, "Where does the purple elephant dance?")


def test_a_message_is_not_told_twice(work_index: WorkIndex, ann: UserScope) -> None:
    """Of the recent tail and a hit of the search the tail stays; the other is a duplicate."""
    say(ann, "M-1", "the purple elephant dances tonight")
    work_index.catch_up()
    envelope = assemble(ann, "Where does the purple elephant dance?", thread_id="main")
    assert ids(envelope.recent_history) == ["message:M-1"]
    assert envelope.retrieved_evidence == ()
    assert [one.reason for one in envelope.omissions] == ["duplicate of message:M-1"]


def test_a_transcript_is_read_for_its_own_meeting_alone(
    work_index: WorkIndex, ann: UserScope
) -> None:
    """By ranges of turns, and only where that meeting is in scope; never by likeness."""
    for meeting in ("ME-1", "ME-2"):
        told = [f"turn {n} about nothing" for n in range(40)]
        told[20] = f"the budget of {meeting} is forty crowns"
        turns = [Turn(n, "Ann", text) for n, text in enumerate(told)]
        body = ann.bodies.store(to_parts(turns), media_type())
        artifact: dict[str, Any] = {"artifact_id": f"F-{meeting}", "title": "Transcript"}
        artifact |= {"meeting_id": meeting, "media_type": media_type()}
        start: dict[str, Any] = {"title": "Budget", "start_at": "2026-03-05T12:00:00Z"}
        do(ann, "schedule_meeting", meeting_id=meeting, **start)
        do(ann, "store_artifact", **artifact, **body._asdict())
        attached: dict[str, Any] = {"meeting_id": meeting, "artifact_id": f"F-{meeting}"}
        do(ann, "attach_transcript", **attached)
    asked = "What is the budget in crowns?"
    envelope = assemble(ann, asked, surface="meeting", meeting_id="ME-1")
    assert ids(envelope.retrieved_evidence) == ["artifact:F-ME-1#turns=17-23"]
    told_turns: Any = envelope.retrieved_evidence[0].content
    assert told_turns["turns"][3]["text"] == "the budget of ME-1 is forty crowns"
    assert "budget of ME-2" not in envelope.model_dump_json()
    work_index.catch_up()
    (missed,) = assemble(ann, asked, thread_id="main").retrieved_evidence
    assert missed.source_id == "search:request"


def _parked(urls: Urls, member: str) -> None:
    do_as_owner(
        urls,
        f"""UPDATE projection_progress SET parked = jsonb_build_object('{member}',
            jsonb_build_object('position', position, 'error', 'a bug', 'at', '{utc(NOW)}'))
            WHERE projection_set = 'inline'""",
    )


@pytest.mark.parametrize("member", ["memory", "conversation", "work_index"])
def test_rows_that_stand_still_are_not_told(ann: UserScope, urls: Urls, member: str) -> None:
    """What they say may have been withdrawn or redacted since; what stands still is named, the
    others are told, and an id that is not found is no "there is none"."""
    say(ann, "M-1", "the city of my home")
    do(ann, "record_claim", claim_id="C-1", subject="home", attribute="city", value="Oslo")
    body = ann.bodies.store([b"a map"], "text/plain")
    stored = {"title": "a map", "media_type": "text/plain", **body._asdict()}
    do(ann, "store_artifact", artifact_id="F-1", **stored)
    told = {"memory": {"claim:C-1", "artifact:F-1"}, "conversation": {"message:M-1"}}
    named = {
        "memory": {"memory", "artifacts"},
        "conversation": {"history"},
        "work_index": {"state"},
    }
    request = {"thread_id": "main", "attachments": [{"artifact_id": "F-1"}]}
    _parked(urls, member)
    envelope = assemble(ann, "Which city is my home?", **request)
    whole = {
        *ids(envelope.current_state),
        *ids(envelope.recent_history),
        *ids(envelope.retrieved_evidence),
    }
    for other, expected in told.items():
        assert whole & expected == (set() if other == member else expected)
    doubted = {one.partition(":")[0] for one in envelope.manifest.degraded} - {"evidence"}
    assert doubted == named[member]
    with pytest.raises(NotReady, match="parked"):
        assemble(ann, "And this?", entity_ids=["X-1"])
    with closing(Database(urls.app)) as database:
        for named_ones in (["C-1"], None):
            found = Backend(database).session().get_context("claim", ids=named_ones)
            assert ("Oslo" in str(found.items)) == (member != "memory")
            assert found.degraded == ("state: not certain (parked)",) * (member != "conversation")


def test_a_summary_tells_nothing_of_messages_that_may_not_be_seen(ann: UserScope) -> None:
    """A sentence goes with any of the messages that it rests on; the others stay."""
    say(ann, "M-1", "the pin is 4711")
    say(ann, "M-2", "my salary", sensitivity="restricted")
    say(ann, "M-3", "I like jazz")
    rests_on = {"The pin is 4711.": ["M-3", "M-1"], "The salary.": ["M-2"], "Jazz.": ["M-3"]}
    sentences = [{"text": text, "message_ids": ids_} for text, ids_ in rests_on.items()]
    do(ann, "record_summary", thread_id="main", summary_id="S-1", sentences=sentences)
    do(ann, "redact_message", message_id="M-1")
    envelope = assemble(ann, "hi", thread_id="main")
    told: Any = item(envelope, "summary:S-1").content
    assert [one["text"] for one in told["sentences"]] == ["Jazz."]
    left = {one.source_id: one.reason for one in envelope.omissions}
    assert left["summary:S-1#0"] == "rests on a message: redacted"
    assert left["summary:S-1#1"] == "rests on a message: more sensitive than the caller may see"
    do(ann, "redact_message", message_id="M-3")
    assert "Jazz" not in assemble(ann, "hi", thread_id="main").model_dump_json()


def test_words_with_a_nul_are_searched_without_it(ann: UserScope) -> None:
    """A message is what it is; the database's words hold no NUL."""
    do(ann, "create_task", task_id="T-1", title="Task")
    (found,) = assemble(ann, "the\0city of\0home").manifest.retrieval
    assert found.query == "the city of home"


@pytest.mark.parametrize("name", ["entities", "sources"])
@pytest.mark.parametrize("text", ["\0", "\ud800"])
def test_a_filter_that_no_database_holds_is_refused(ann: UserScope, name: str, text: str) -> None:
    """With the field named, as any wrong filter is; never an error of the driver."""
    filters: dict[str, Any] = {name: [f"task/{text}"]}
    with pytest.raises(InvalidInput) as refused:
        ann.search("tea", **filters)
    assert refused.value.field == f"{name}.0"


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"sensitivty_max": "normal"}, "sensitivty_max"),
        ({"sensitivity_max": "secret"}, "sensitivity_max"),
        ({"sensitivity_max": None}, "sensitivity_max"),
        ({"over_limit": "because"}, "over_limit"),
        ({"tools": 5}, "tools"),
    ],
)
def test_a_misspelt_setting_is_refused(
    ann: UserScope, settings: dict[str, Any], field: str
) -> None:
    """It would show, or spend, more than was asked for."""
    with pytest.raises(InvalidInput) as refused:
        ann.assemble({"text": "hi"}, **settings)
    assert refused.value.field == field


def test_a_classifier_only_ever_adds(ann: UserScope) -> None:
    """What it names wrongly adds nothing, and where it fails the turn goes on and says so."""
    do(ann, "create_task", task_id="T-1", title="Task")

    def fails(request: UserRequest, scope: Scope) -> list[str]:
        raise OSError(f"no model for {request.surface} of {scope.user_id}")

    def names(request: UserRequest, scope: Scope) -> list[Any]:
        assert request.surface == scope.surface
        return ["task/T-1", "task/\0", "task/\ud800", "zebra", "task/T-2", None, 5]

    broken = ann.assemble({"text": "hi"}, classifier=fails)
    assert "scope: the classifier failed (OSError)" in broken.manifest.degraded
    found = ids(ann.assemble({"text": "hi"}, classifier=names).current_state)
    assert [one for one in found if one.startswith("candidate:")] == ["candidate:task:T-1"]


def test_documents_that_stand_still_are_told(
    work_index: WorkIndex, ann: UserScope, urls: Urls
) -> None:
    """Also where nothing came after them; a user without a log lacks no documents."""
    say(ann, "M-1", "the city of my home")
    work_index.catch_up()
    do_as_owner(
        urls,
        """UPDATE projection_progress SET parked = '{"evidence": {"position": 1}}'
            WHERE projection_set = 'evidence'""",
    )
    told = assemble(ann, "the city of home").manifest.degraded
    assert told == ("evidence: the documents stand still at position 1",)
    nobody = work_index.user("nobody")
    assert assemble(nobody, "the city of home").manifest.degraded == ()


def test_every_candidate_is_named_once(work_index: WorkIndex, ann: UserScope) -> None:
    """Also the parts of long messages and artifacts, of which many hold the words."""
    for number in range(8):
        words = "".join(f"the city of my home {number} {place} " for place in range(500))
        say(ann, f"M-{number}", words, thread_id="old")
    body = ann.bodies.store([words.replace("city", "old city").encode()], "text/plain")
    stored = {"title": "a map", "media_type": "text/plain", **body._asdict()}
    do(ann, "store_artifact", artifact_id="F-1", **stored)
    work_index.catch_up()
    envelope = assemble(ann, "the city of my home")
    told = [(one.lane, one.source_id) for one in envelope.manifest.candidates]
    assert len(told) == len(set(told))
    assert any("#" in source_id for _, source_id in told)
