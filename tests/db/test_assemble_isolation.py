"""Does a word of what a caller may not see ever appear, whatever hides it, wherever it is asked?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from sessions import Backend
from things import SECRET, SENSITIVE, SOON, THINGS, Thing, store_artifact, world
from turns import NOW, approval, do, ids, item, say
from workindex import UserScope, WorkIndex
from workindex.assembler.envelope import ContextItem
from workindex.assembler.rendering import working_set_text
from workindex.assembler.scope import UnknownRecord
from workindex.assembler.tools.asked import TYPES
from workindex.assembler.tools.references import UnknownReference
from workindex.assembler.tools.sight import MaySee, Seen, Sight
from workindex.domain.errors import InvalidInput
from workindex.eventlog.database import Database
from workindex.projections.recording import Clock
from workindex.projections.snapshot import Snapshot

# Where an envelope says again what was asked.
ECHOES: dict[str, Any] = {"request": True, "prefix": True, "manifest": {"retrieval": True}}
SURFACES = ("main", "task", "meeting", "approval", "proactive")


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


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
    try:
        hits = user.search("city home", now=NOW, sensitivity=sight.levels, may_see=sight.may_see)
        yield "search", repr([hits, hits.copies])
    except InvalidInput as error:
        yield "search", str(error)
    session = backend.session(user_id=user.user_id, sight=sight)
    for kind in TYPES:
        calls: list[dict[str, Any]] = [{"ids": [thing.id, "main", "T-1"]}, {"query": "city home"}]
        calls += [] if kind in ("message", "artifact", "transcript") else [{}]
        if kind == "state":
            kinds = ("pending", "tasks", "approvals", "meetings", "reminders", "proactive")
            calls = [{"query": one} for one in (*kinds, "connections")]
        for call in calls:
            yield f"get_context {kind} {call}", repr(session.get_context(kind, **call))
    own_ref = f"{thing.kind}:{thing.id}"
    for ref in (own_ref, "claim:C-9", "task:T-1"):
        for selector in ("chars=0-3000", "turns=0-9", "parts=0-9"):
            session.show([_naming(ref)])
            try:
                found = repr(session.resolve(ref, selector, 2_000))
            except (UnknownReference, InvalidInput) as error:
                found = str(error)
            yield f"resolve {ref} {selector}", found


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


def test_hiding_is_told_and_never_makes_a_none(ann: UserScope, database: Database) -> None:
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
    session = Backend(database).session(sight=Sight("private", hides(THINGS["task"])))
    head, *others = session.get_context("state", query="pending").items
    told: Any = head.content
    assert (told["verdict"], told["total"]) == ("items", 2)
    assert ids(tuple(others)) == ["projection:pending/A-1"]


def test_nobody_finds_out_which_words_stand_in_what_is_hidden(
    work_index: WorkIndex, ann: UserScope
) -> None:
    """Whether the words of a request are in it or not: but for them the envelopes are the same."""
    say(ann, "M-9", f"the {SECRET} city of my home", thread_id="other")
    work_index.catch_up()
    told = []
    for word in (SECRET, "nothing"):
        request = {"text": f"city {word}", "now": NOW}
        envelope = ann.assemble(request, may_see=hides(THINGS["message"]))
        document = envelope.model_dump(mode="json", exclude={"request", "proof", "budget"})
        for own in ("latency_ms", "tokens_by_component"):
            del document["manifest"][own]
        told.append(str(document).replace(SECRET, "nothing"))
    assert told[0] == told[1]


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
    ann.catch_up()
    with pytest.raises(InvalidInput) as refused:
        ann.search("plain", may_see=may_see)
    assert (refused.value.field, str(refused.value)) == ("may_see", failure)


def test_the_policy_is_asked_about_rows_by_kind(ann: UserScope) -> None:
    """With the row itself: a rule may look at sources, tasks or any other column."""
    world(ann)
    store_artifact(ann, {})
    asked: dict[tuple[str, str], Any] = {}

    def may_see(kind: str, row: Any) -> bool:
        asked[kind, row[0]] = row
        return True

    request = {"text": "go on", "surface": "task", "task_id": "T-1", "thread_id": "main"}
    ann.assemble(request, may_see=may_see)
    assert asked["artifact", "F-9"].task_id == "T-1"
    assert asked["message", "M-1"].role == "user"
    assert asked["task", "T-1"].title == "The plain task of a city"


def test_a_policy_can_ask_for_consents(ann: UserScope, database: Database) -> None:
    """What needs one is there while it is in force, and gone when it was withdrawn or expired."""
    do(ann, "create_task", task_id="T-9", title=f"{SECRET} task", source="mail")

    def tells() -> bool:
        consents = ann.consents

        def may_see(_kind: str, row: Any) -> bool:
            return getattr(row, "source", None) != "mail" or "mail" in consents

        envelope = ann.assemble({"text": f"T-9, {SECRET[:3]}"}, may_see=may_see)
        return SECRET in envelope.model_dump_json()

    assert (ann.consents, tells()) == ({}, False)
    do(ann, "give_consent", consent="mail", scope="may read letters")
    assert (ann.consents["mail"]["scope"], tells()) == ("may read letters", True)
    do(ann, "withdraw_consent", consent="mail")
    assert not tells()
    do(ann, "give_consent", consent="mail", scope="may read", expires_at=SOON)
    assert tells()
    later = WorkIndex(database, clock=lambda: NOW + timedelta(hours=1))
    assert later.user("ann").consents == {}


def test_no_way_to_the_rows_goes_around_the_policy() -> None:
    """Every public method of a snapshot is one of what is seen, too."""
    public = {name for name in vars(Snapshot) if not name.startswith("_")}
    assert public <= set(vars(Seen))


def test_a_setting_that_is_no_function_is_refused(ann: UserScope) -> None:
    """Before anything is read."""
    with pytest.raises(InvalidInput) as refused:
        ann.assemble({"text": "hi"}, may_see=None)  # type: ignore[arg-type]
    assert refused.value.field == "may_see"
