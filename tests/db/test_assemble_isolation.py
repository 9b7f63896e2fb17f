"""Does a word of what a caller may not see ever appear, whatever hides it, wherever it is asked?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any, NamedTuple

import pytest

from conftest import Urls
from sessions import Backend
from turns import AGENT, NOW, approval, do, ids, item, say
from workindex import UserScope, WorkIndex
from workindex.assembler.envelope import ContextItem
from workindex.assembler.rendering import working_set_text
from workindex.assembler.scope import UnknownRecord
from workindex.assembler.tools.asked import TYPES
from workindex.assembler.tools.references import UnknownReference
from workindex.assembler.tools.sight import MaySee, Seen, Sight
from workindex.domain.errors import InvalidInput
from workindex.eventlog.database import Database
from workindex.eventlog.transcripts import Turn, media_type, to_parts
from workindex.projections.snapshot import Snapshot

SECRET = "ixtlan"
SOON = (NOW + timedelta(hours=1)).isoformat()
# Where an envelope says again what was asked.
ECHOES: dict[str, Any] = {"request": True, "prefix": True, "manifest": {"retrieval": True}}
SURFACES = ("main", "task", "meeting", "approval", "proactive")


@pytest.fixture
def database(urls: Urls) -> Iterator[Database]:
    with closing(Database(urls.app, maint_url=urls.maint)) as opened:
        yield opened


@pytest.fixture
def work_index(database: Database) -> WorkIndex:
    return WorkIndex(database, clock=lambda: NOW)


@pytest.fixture
def ann(work_index: WorkIndex) -> UserScope:
    return work_index.user("ann")


class Thing(NamedTuple):
    """One kind of thing: how it comes to hold the word, and what a policy is asked about it.

    `words` of it are searched for, `ids` are what may be named; `ends` takes it back.
    """

    kind: str
    id: str
    make: Callable[[UserScope, dict[str, Any]], None]
    ends: dict[str, Any] | None = None
    has_sensitivity: bool = False


def _message(user: UserScope, more: dict[str, Any]) -> None:
    say(user, "M-9", f"the {SECRET} city of my home", **more)


def _answer(user: UserScope, more: dict[str, Any]) -> None:
    say(user, "M-9", f"the {SECRET} city of your home", role="assistant", **more)


def _claim(user: UserScope, more: dict[str, Any]) -> None:
    do(user, "record_claim", claim_id="C-9", subject="home", attribute="city", value=SECRET, **more)


def _artifact(user: UserScope, more: dict[str, Any]) -> None:
    body = user.bodies.store([f"{SECRET} city of my home".encode()], "text/plain")
    told = {"title": f"{SECRET} city", "summary": f"{SECRET} home", "task_id": "T-1", **more}
    do(user, "store_artifact", artifact_id="F-9", media_type="text/plain", **told, **body._asdict())


def _transcript(user: UserScope, more: dict[str, Any]) -> None:
    turns = [Turn(number, "Ann", f"the {SECRET} city of my home") for number in range(4)]
    body = user.bodies.store(to_parts(turns), media_type())
    told = {"title": f"{SECRET} talk", "media_type": media_type(), "meeting_id": "ME-1", **more}
    do(user, "store_artifact", artifact_id="F-9", **told, **body._asdict())
    do(user, "attach_transcript", meeting_id="ME-1", artifact_id="F-9")


def _task(user: UserScope, _more: dict[str, Any]) -> None:
    told: dict[str, Any] = {
        "title": f"{SECRET} city home",
        "description": SECRET,
        "fields": {SECRET: {}},
    }
    do(user, "create_task", task_id="T-9", **told)
    request: dict[str, Any] = {"task_id": "T-9", "request_id": "Q-1", "prompt": f"{SECRET}?"}
    do(user, "request_task_input", by=AGENT, **request)


def _approval(user: UserScope, _more: dict[str, Any]) -> None:
    action: dict[str, Any] = {"tool": "pay", "arguments": {"to": SECRET}, "target": SECRET}
    request: dict[str, Any] = {
        "title": f"{SECRET} city",
        "task_id": "T-1",
        "expires_at": SOON,
        **action,
    }
    do(user, "request_approval", by=AGENT, approval_id="A-9", **request)


def _meeting(user: UserScope, _more: dict[str, Any]) -> None:
    told: dict[str, Any] = {"title": f"{SECRET} city", "agenda": SECRET, "start_at": SOON}
    do(user, "schedule_meeting", meeting_id="ME-9", **told)


def _commitment(user: UserScope, _more: dict[str, Any]) -> None:
    told: dict[str, Any] = {"meeting_id": "ME-1", "commitment_id": "CO-9", "text": f"{SECRET} city"}
    do(user, "make_commitment", **told)


def _proposal(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "make_proposal", by=AGENT, proposal_id="P-9", title=f"{SECRET} city", body=SECRET)


def _reminder(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "set_reminder", reminder_id="R-9", title=f"{SECRET} city", remind_at=NOW.isoformat())


def _routine(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "define_routine", routine_id="RO-9", title=f"{SECRET} city", instructions=SECRET)


def _trigger(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "observe_trigger", by=AGENT, trigger_id="TR-9", summary=f"{SECRET} city")


def _checkpoint(user: UserScope, _more: dict[str, Any]) -> None:
    body = {"goal": f"{SECRET} city", "decisions": [{"text": SECRET}]}
    do(user, "record_checkpoint", by=AGENT, thread_id="main", checkpoint_id="CP-9", body=body)


def _summary(user: UserScope, _more: dict[str, Any]) -> None:
    sentences = [{"text": f"My home is {SECRET} city.", "message_ids": ["M-1"]}]
    do(user, "record_summary", by=AGENT, thread_id="main", summary_id="S-9", sentences=sentences)


def _sentence(user: UserScope, more: dict[str, Any]) -> None:
    say(user, "M-9", "my home", **more)
    sentences = [{"text": f"My home is {SECRET} city.", "message_ids": ["M-1", "M-9"]}]
    do(user, "record_summary", by=AGENT, thread_id="main", summary_id="S-9", sentences=sentences)


def _correction(user: UserScope, more: dict[str, Any]) -> None:
    say(user, "M-9", "my home", **more)
    told: dict[str, Any] = {"correction_id": "K-9", "text": f"{SECRET} city", "message_id": "M-9"}
    do(user, "record_correction", thread_id="main", **told)


def _preference(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "set_preferences", preferences={"city": SECRET})


def _connection(user: UserScope, _more: dict[str, Any]) -> None:
    seen: dict[str, Any] = {
        "provider": "mail",
        "account": "me",
        "status": "error",
        "detail": SECRET,
    }
    do(user, "observe_connection", by=PROVIDER, ttl_seconds=60, **seen)


PROVIDER = AGENT.model_copy(update={"kind": "provider"})
REDACT = {"type_": "redact_message", "message_id": "M-9", "reason": "asked"}
WITHDRAW = {"type_": "withdraw_claim", "claim_id": "C-9", "reason": "asked"}
FORGET = {"type_": "forget_artifact", "artifact_id": "F-9", "reason": "asked"}
REMOVE = {"type_": "remove_task", "task_id": "T-9", "reason": "asked"}
THINGS = {
    "message": Thing("message", "M-9", _message, REDACT, has_sensitivity=True),
    "answer": Thing("message", "M-9", _answer, REDACT, has_sensitivity=True),
    "claim": Thing("claim", "C-9", _claim, WITHDRAW, has_sensitivity=True),
    "artifact": Thing("artifact", "F-9", _artifact, FORGET, has_sensitivity=True),
    "transcript": Thing("artifact", "F-9", _transcript, FORGET, has_sensitivity=True),
    "sentence": Thing("message", "M-9", _sentence, REDACT, has_sensitivity=True),
    "correction": Thing("message", "M-9", _correction, REDACT, has_sensitivity=True),
    "task": Thing("task", "T-9", _task, REMOVE),
    "approval": Thing("approval", "A-9", _approval),
    "meeting": Thing("meeting", "ME-9", _meeting),
    "commitment": Thing("commitment", "CO-9", _commitment),
    "proposal": Thing("proposal", "P-9", _proposal),
    "reminder": Thing("reminder", "R-9", _reminder),
    "routine": Thing("routine", "RO-9", _routine),
    "trigger": Thing("trigger", "TR-9", _trigger),
    "checkpoint": Thing("checkpoint", "CP-9", _checkpoint),
    "summary": Thing("summary", "S-9", _summary),
    "preference": Thing("user", "me", _preference),
    "connection": Thing("connection", "mail:me", _connection),
}
SENSITIVE = [name for name, thing in THINGS.items() if thing.has_sensitivity]


def world(user: UserScope) -> None:
    """What is there in any case, and must not go with what is hidden."""
    do(user, "create_task", task_id="T-1", title="The plain task of a city")
    start: dict[str, Any] = {"title": "Plain", "start_at": SOON}
    do(user, "schedule_meeting", meeting_id="ME-1", **start)
    say(user, "M-1", "a plain word")


def hides(thing: Thing) -> MaySee:
    return lambda kind, row: (kind, row[0]) != (thing.kind, thing.id)


def breaks(thing: Thing) -> MaySee:
    def may_see(kind: str, row: Any) -> bool:
        if (kind, row[0]) == (thing.kind, thing.id):
            raise KeyError(SECRET)
        return True

    return may_see


def everything_told(
    user: UserScope, backend: Backend, thing: Thing, **settings: Any
) -> Iterator[tuple[str, str]]:
    """Where something was asked, and all that was said there."""
    own = {thing.kind} & {"task", "meeting", "approval"}
    words = f"What of the city of my home, {thing.id}?"
    requests: list[dict[str, Any]] = [
        *({"text": words, "thread_id": "main", "surface": one} for one in SURFACES),
        {"text": words, "surface": "task", "thread_id": "main", "task_id": "T-1"},
        {"text": words, "surface": "meeting", "meeting_id": "ME-1"},
        {"text": "go on", "entity_ids": [thing.id]},
        {"text": "go on", "reply_to": "M-9"},
        {"text": "go on", "attachments": [{"artifact_id": "F-9"}]},
        *({"text": "go on", "surface": kind, f"{kind}_id": thing.id} for kind in own),
    ]
    for request in requests:
        try:
            envelope = user.assemble({"now": NOW, **request}, **settings)
        except UnknownRecord as error:
            yield f"assemble {request}", str(error)
        else:
            yield f"assemble {request}", envelope.model_dump_json(exclude={"request"})
            yield f"text of {request}", working_set_text(envelope)
    sight = Sight(settings.get("sensitivity_max", "private"), settings.get("may_see", _all))
    session = backend.session(user_id=user.user_id, sight=sight)
    for kind in TYPES:
        calls: list[dict[str, Any]] = [{"ids": [thing.id, "main", "T-1"]}, {"query": "city home"}]
        calls += [] if kind in ("message", "artifact", "transcript") else [{}]
        if kind == "state":
            kinds = ("pending", "tasks", "approvals", "meetings", "reminders", "proactive")
            calls = [{"query": one} for one in (*kinds, "connections")]
        for call in calls:
            yield f"get_context {kind} {call}", repr(session.get_context(kind, **call))
    for selector in ("0-99", "turns=0-9", "parts=0-9"):
        ref = f"{thing.kind}:{thing.id}"
        session.show([_naming(ref)])
        try:
            found = repr(session.resolve(ref, selector, 500))
        except (UnknownReference, InvalidInput) as error:
            found = str(error)
        yield f"resolve {selector}", found


def _naming(ref: str) -> ContextItem:
    """What shows a turn a reference."""
    return ContextItem(
        source_type="projection",
        source_id=ref,
        authority="canonical",
        authority_rank=2,
        observed_at=NOW,
        priority=3,
        admission_reason="it was there before",
        content=None,
    )


def _all(kind: str, row: Any) -> bool:
    return (kind, row) is not None


def leaks(user: UserScope, backend: Backend, thing: Thing, **settings: Any) -> list[str]:
    told = everything_told(user, backend, thing, **settings)
    return [
        f"{where}: {text[max(0, text.find(SECRET) - 150) :][:300]}"
        for where, text in told
        if SECRET in text
    ]


@pytest.mark.parametrize("name", list(THINGS))
def test_what_is_hidden_leaves_no_word_anywhere(
    work_index: WorkIndex, database: Database, name: str
) -> None:
    """Assembled on every surface, fetched or resolved: the word is there, and gone for another
    user, for whom a policy hides it, where the policy fails, and once it was taken back."""
    thing, user, backend = THINGS[name], work_index.user("ann"), Backend(database)
    other = work_index.user("bob")
    world(user)
    world(other)
    thing.make(user, {})
    work_index.catch_up()
    assert leaks(user, backend, thing)
    assert leaks(other, backend, thing) == []
    assert leaks(user, backend, thing, may_see=hides(thing)) == []
    assert leaks(user, backend, thing, may_see=breaks(thing)) == []
    if thing.ends is not None:
        do(user, **thing.ends)
        assert leaks(user, backend, thing) == []


@pytest.mark.parametrize("name", SENSITIVE)
def test_what_is_too_sensitive_leaves_no_word_anywhere(
    work_index: WorkIndex, ann: UserScope, database: Database, name: str
) -> None:
    """Also where an answer would be about it; who may see more sees it."""
    thing, backend = THINGS[name], Backend(database)
    world(ann)
    thing.make(ann, {"sensitivity": "restricted"})
    work_index.catch_up()
    assert leaks(ann, backend, thing, sensitivity_max="restricted")
    assert leaks(ann, backend, thing) == []


def test_hiding_is_told_and_never_makes_a_none(ann: UserScope) -> None:
    """Verdict and total count what is hidden; one omission a kind says how many, not which."""
    world(ann)
    approval(ann, "A-1")
    THINGS["task"].make(ann, {})
    envelope = ann.assemble({"text": "What of T-9?", "now": NOW}, may_see=hides(THINGS["task"]))
    needs: Any = item(envelope, "projection:work_index").content
    needs = needs["needs_you"]
    assert (needs["verdict"], needs["total"]) == ("items", 2)
    assert [one["id"] for one in needs["items"]] == ["A-1"]
    assert envelope.proof["verdict"] == "items"
    assert "T-9" not in envelope.model_dump_json(exclude=ECHOES)
    left = [one for one in envelope.omissions if one.source_id == "hidden:task"]
    assert [(one.reason, one.recover_with) for one in left] == [
        ("the caller may not see 1 of this kind", None)
    ]
    named = [one for one in envelope.manifest.candidates if one.source_id == "hidden:task"]
    assert [one.decision for one in named] == ["omitted"]
    assert "task:T-1" in ids(ann.assemble({"text": "T-1?"}, may_see=_all).current_state)


def test_a_hidden_id_and_an_unknown_one_are_one_error(ann: UserScope) -> None:
    """Whatever field names it: the error tells nobody that it is there."""
    world(ann)
    for thing in ("task", "meeting", "approval", "message"):
        THINGS[thing].make(ann, {})
    fields = {"task_id": "T-9", "meeting_id": "ME-9", "approval_id": "A-9", "reply_to": "M-9"}
    for field, id_ in fields.items():
        words = []
        for named in (id_, "X-9"):
            with pytest.raises(UnknownRecord) as refused:
                ann.assemble({"text": "hi", field: named}, may_see=lambda _kind, _row: False)
            words.append(str(refused.value).replace(named, "…"))
        assert words[0] == words[1]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (ValueError("ixtlan"), "ValueError"),
        (None, "it gave NoneType, not True or False"),
        (1, "it gave int, not True or False"),
        ("yes", "it gave str, not True or False"),
    ],
)
def test_a_policy_that_fails_hides_and_is_named(
    ann: UserScope, database: Database, answer: Any, told: str
) -> None:
    """Neither an error nor a value that is no answer shows anything, in a turn or in a call."""
    world(ann)

    def may_see(_kind: str, _row: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    envelope = ann.assemble({"text": "the plain task, T-1", "thread_id": "main"}, may_see=may_see)
    failure = f"may_see failed ({told}): what it was asked about is not shown"
    assert failure in envelope.manifest.degraded
    assert "plain" not in envelope.model_dump_json(exclude=ECHOES).lower()
    session = Backend(database).session(sight=Sight("private", may_see))
    found = session.get_context("task", ids=["T-1"])
    assert (found.items, found.degraded) == ((), (failure,))


def test_the_policy_is_asked_about_rows_by_kind(ann: UserScope) -> None:
    """With the row itself: a rule may look at sources, tasks or any other column."""
    world(ann)
    _artifact(ann, {})
    asked: dict[tuple[str, str], Any] = {}

    def may_see(kind: str, row: Any) -> bool:
        asked[kind, row[0]] = row
        return True

    request = {"text": "go on", "surface": "task", "task_id": "T-1", "thread_id": "main"}
    ann.assemble(request, may_see=may_see)
    assert asked["artifact", "F-9"].task_id == "T-1"
    assert asked["message", "M-1"].role == "user"
    assert asked["task", "T-1"].title == "The plain task of a city"


def test_no_way_to_the_rows_goes_around_the_policy() -> None:
    """Every public method of a snapshot is one of what is seen, too."""
    public = {name for name in vars(Snapshot) if not name.startswith("_")}
    assert public <= set(vars(Seen))


def test_a_setting_that_is_no_function_is_refused(ann: UserScope) -> None:
    """Before anything is read."""
    with pytest.raises(InvalidInput) as refused:
        ann.assemble({"text": "hi"}, may_see=None)  # type: ignore[arg-type]
    assert refused.value.field == "may_see"
