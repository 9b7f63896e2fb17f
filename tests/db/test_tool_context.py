"""May a turn see only what it was given? Context and references of one session."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from conftest import Urls
from driver import actor
from engine import Engine, do_as_owner
from sessions import COUNT, NOW, Backend, contents, error_of, say, store
from workindex import WorkIndex
from workindex.assembler.envelope import ContextItem, Omission
from workindex.assembler.rendering import item_text
from workindex.assembler.tools.asked import BODIES, ROWS, STATE
from workindex.assembler.tools.context import NOT_HERE, Found
from workindex.assembler.tools.sight import Sight
from workindex.domain.artifacts import ForgetArtifact
from workindex.domain.conversations import RedactMessage
from workindex.domain.errors import InvalidInput, NotReady
from workindex.domain.memory import RecordClaim, SupersedeClaim, WithdrawClaim
from workindex.domain.tasks import CreateTask
from workindex.eventlog.database import Database
from workindex.eventlog.transcripts import Turn as Said
from workindex.eventlog.transcripts import media_type, to_parts
from workindex.service.client import UserScope


@pytest.fixture
def ann(database: Database) -> Engine:
    return Engine(database)


@pytest.fixture
def scope(database: Database) -> UserScope:
    return WorkIndex(database).user("ann")


@pytest.fixture
def backend(database: Database) -> Backend:
    return Backend(database)


def test_rows_come_whole_and_bodies_as_references(
    ann: Engine, scope: UserScope, backend: Backend
) -> None:
    """A task with all of its columns; a message and a file without a word of theirs."""
    ann.record(CreateTask(task_id="T-7", title="Book the venue"))
    say(ann, "M-1", "the sixth word is cormorant")
    store(scope, "F-1", [b"cormorants everywhere"], "text/plain")
    session = backend.session()
    task = session.get_context("task", ids=["T-7"])
    assert contents(task)[0]["title"] == "Book the venue"
    assert task.refs == ()
    message = session.get_context("message", ids=["M-1"])
    file = session.get_context("artifact", ids=["F-1"])
    assert message.refs == ("message:M-1",)
    assert file.refs == ("artifact:F-1",)
    for told in (*contents(message), *contents(file)):
        assert set(told) == {"ref", "type", "summary", "version", "available_operations"}
        assert "cormorant" not in str(told)
    assert session.resolve("message:M-1", "0-8", 200).content == {
        "text": "the sixth",
        "chars": [0, 8],
    }
    assert session.resolve("artifact:F-1", "parts=0-0", 200).content == {
        "text": "cormorants everywhere",
        "chars": [0, 20],
    }


def test_what_is_not_there_and_what_may_not_be_seen_are_one_answer(
    ann: Engine, scope: UserScope, database: Database, backend: Backend
) -> None:
    """Another user's, redacted, forgotten, withdrawn, superseded, expired, too sensitive, without
    consent: not a byte differs from an id that never was."""
    bob = Engine(database, "bob")
    say(bob, "X", "of bob")
    say(ann, "R", "to be redacted")
    ann.record(RedactMessage(message_id="R", reason="asked"))
    say(ann, "S", "salaries", sensitivity="restricted")
    say(ann, "NO", "said without consent")
    store(scope, "F", [b"gone"], "text/plain")
    scope.record(ForgetArtifact(artifact_id="F", reason="asked"), actor=actor("user"))
    store(scope, "G", [b"secret"], "text/plain", sensitivity="restricted")
    claims = {"W": {}, "O": {}, "E": {"expires_at": NOW - timedelta(days=1)}}
    for id_, more in claims.items():
        ann.record(RecordClaim(claim_id=id_, subject=id_, attribute="city", value="Oslo", **more))
    ann.record(WithdrawClaim(claim_id="W", reason="wrong"))
    ann.record(SupersedeClaim(claim_id="O", new_claim_id="O2", value="Rome"))
    sight = Sight("private", lambda kind, row: row[0] != "NO")
    session = backend.session(sight=sight)
    kinds = {
        "message": ("X", "R", "S", "NO", "never"),
        "artifact": ("F", "G", "never"),
        "claim": ("W", "O", "E", "never"),
    }
    for kind, ids in kinds.items():
        for id_ in ids:
            found = session.get_context(kind, ids=[id_])
            left = Omission(lane="evidence", source_id=f"{kind}:{id_}", reason=NOT_HERE)
            assert found == Found((), (left,), (), ()), (kind, id_)
            refs = [f"{kind}:{id_}"]
            backend.issued.issue("ann", "T-1", refs)  # as if an earlier call had found it
            told = error_of(lambda ref=refs[0]: session.resolve(ref, "0-9", 100))  # type: ignore[misc]
            assert told == error_of(lambda: session.resolve("nothing:at-all", "0-9", 100)).replace(
                "nothing:at-all", refs[0]
            )


def test_a_reference_resolves_in_its_turn_and_for_its_user_alone(
    ann: Engine, database: Database, backend: Backend
) -> None:
    """Not in the next turn, not for somebody else with the same id, not when it was made up."""
    say(ann, "M-1", "what ann said")
    say(Engine(database, "bob"), "M-1", "what bob said")
    backend.session().get_context("message", ids=["M-1"])
    assert backend.session().resolve("message:M-1", "0-99", 200).content == {
        "text": "what ann said",
        "chars": [0, 12],
    }
    for other in (backend.session(turn_id="T-2"), backend.session(user_id="bob")):
        assert "message:M-1" in error_of(lambda s=other: s.resolve("message:M-1", "0-9", 99))  # type: ignore[misc]
    backend.issued.end("ann", "T-1")
    error_of(lambda: backend.session().resolve("message:M-1", "0-9", 99))


@pytest.mark.parametrize(
    ("end", "kind"), [("redact", "message"), ("forget", "artifact"), ("withdraw", "claim")]
)
def test_what_ends_after_it_was_issued_does_not_resolve(
    ann: Engine, scope: UserScope, backend: Backend, end: str, kind: str
) -> None:
    """A reference grants nothing: the row is read anew."""
    say(ann, "A", "some text")
    store(scope, "A", [b"some text"], "text/plain")
    ann.record(RecordClaim(claim_id="A", subject="home", attribute="city", value="Oslo"))
    session = backend.session()
    backend.issued.issue("ann", "T-1", [f"{kind}:A"])
    session.resolve(f"{kind}:A", "0-0", 200)
    commands = {
        "redact": RedactMessage(message_id="A", reason="asked"),
        "forget": ForgetArtifact(artifact_id="A", reason="asked"),
        "withdraw": WithdrawClaim(claim_id="A", reason="wrong"),
    }
    ann.record(commands[end])
    error_of(lambda: session.resolve(f"{kind}:A", "0-0", 200))


def test_a_body_is_told_in_pieces_that_fit(ann: Engine, scope: UserScope, backend: Backend) -> None:
    """The pieces, each within its limit, are the whole; each says where the next begins."""
    text = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. " * 40
    say(ann, "M", text)
    turns = [Said(number, "Eve", f"sentence number {number}") for number in range(120)]
    store(scope, "TR", to_parts(turns, 50), media_type(50))
    session = backend.session()
    backend.issued.issue("ann", "T-1", ["message:M", "artifact:TR"])
    told, selector = "", "chars=0-99999"
    while selector:
        item = session.resolve("message:M", selector, 300)
        assert COUNT.count([item_text("evidence", item)])[0] == item.token_estimate <= 300
        content: Any = item.content
        told += content["text"]
        selector = content.get("next", "")
    assert told == text
    numbers: list[int] = []
    selector = "turns=5-118"
    while selector:
        content = session.resolve("artifact:TR", selector, 500).content
        numbers += [turn["n"] for turn in content["turns"]]
        selector = content.get("next", "")
    assert numbers == list(range(5, 119))


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"selector": "all", "max_tokens": 100}, "selector"),
        ({"selector": None, "max_tokens": 100}, "selector"),
        ({"selector": "9-3", "max_tokens": 100}, "selector"),
        ({"selector": "turns=0-3", "max_tokens": 100}, "selector"),
        ({"selector": "0-3", "max_tokens": 0}, "max_tokens"),
        ({"selector": "0-3", "max_tokens": 10**9}, "max_tokens"),
        ({"selector": "0-3", "max_tokens": 5}, "max_tokens"),
    ],
)
def test_selector_and_limit_are_mandatory(
    ann: Engine, backend: Backend, arguments: dict[str, Any], field: str
) -> None:
    """Nobody gets a whole body by leaving out what to read of it."""
    say(ann, "M", "some text")
    backend.issued.issue("ann", "T-1", ["message:M"])
    with pytest.raises(InvalidInput) as raised:
        backend.session().resolve("message:M", **arguments)
    assert raised.value.field == field


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"type": "password"}, "type"),
        ({"type": "message"}, "query"),
        ({"type": "task", "query": " "}, "query"),
        ({"type": "state", "query": "everything"}, "query"),
        ({"type": "task", "ids": [3]}, "ids"),
        ({"type": "task", "ids": [["T-1"]]}, "ids"),
        ({"type": "task", "ids": 3}, "ids"),
        ({"type": "task", "ids": "T-1"}, "ids"),
        ({"type": "task", "ids": ["T-1\0"]}, "ids.0"),
        ({"type": "message", "ids": ["\ud800"]}, "ids.0"),
        ({"type": "message", "query": "a\0b"}, "query"),
        ({"type": "claim", "query": "\ud800"}, "query"),
        ({"type": "task", "max_tokens": 0}, "max_tokens"),
        ({"type": "task", "time_range": {"since": "2026-01-01"}}, "time_range"),
        ({"type": "task", "time_range": {"from": "soon"}}, "time_range.from"),
        ({"type": "task", "time_range": {"to": "2026-01-01"}}, "time_range.to"),
    ],
)
def test_a_misspelt_filter_is_refused(
    backend: Backend, arguments: dict[str, Any], field: str
) -> None:
    """Never treated as "all"."""
    with pytest.raises(InvalidInput) as raised:
        backend.session().get_context(**arguments)
    assert raised.value.field == field


def test_rows_are_found_by_words_and_by_time(ann: Engine, backend: Backend) -> None:
    """A query takes the rows that share most words; a range takes those with a time inside."""
    for number in range(1, 6):
        ann.record(
            CreateTask(
                task_id=f"T-{number}",
                title=f"Book venue {number}" if number % 2 else "Water plants",
                due_at=NOW + timedelta(days=number),
            )
        )
    session = backend.session()
    found = session.get_context("task", query="booking of the venues")
    assert sorted(content["task_id"] for content in contents(found)) == ["T-1", "T-3", "T-5"]
    span = {"from": (NOW + timedelta(days=2)).isoformat(), "to": NOW + timedelta(days=4)}
    within = session.get_context("task", time_range=span, max_tokens=8_000)
    due = [one for one in contents(within) if one["due_at"] is not None]
    assert {"T-2", "T-3"} <= {one["task_id"] for one in due}


def test_what_has_no_room_is_named_with_its_call(ann: Engine, backend: Backend) -> None:
    """The rows told and the rows named are all rows; each call brings its row."""
    for number in range(30):
        ann.record(CreateTask(task_id=f"T-{number}", title=f"Task {number} " + "long " * 20))
    session = backend.session()
    found = session.get_context("task", max_tokens=1_500)
    used = COUNT.count([item_text("evidence", item) for item in found.items])
    assert sum(used) <= 1_500
    assert len(found.items) + len(found.omissions) == 30
    call = found.omissions[0].recover_with
    assert call is not None
    again = session.get_context(**call.arguments)  # type: ignore[arg-type]
    assert [item.source_id for item in again.items] == [found.omissions[0].source_id]


def test_state_is_what_the_state_path_says(ann: Engine, backend: Backend) -> None:
    """Verdict, total and items of a kind, as of the same position."""
    ann.record(CreateTask(task_id="T-1", title="Book the venue"))
    head, *items = contents(backend.session().get_context("state", query="tasks"))
    assert (head["kind"], head["total"], len(items)) == ("tasks", 1, 1)
    assert items[0]["id"] == "T-1"


def test_nobody_elses_rows_are_found_by_any_way(
    ann: Engine, database: Database, backend: Backend
) -> None:
    """By id, by words, by time, as state: nothing of ann's for bob."""
    ann.record(CreateTask(task_id="T-1", title="Book the venue", due_at=NOW))
    say(ann, "M-1", "cormorants")
    ann.record(RecordClaim(claim_id="C-1", subject="home", attribute="city", value="Oslo"))
    Engine(database, "bob").record(CreateTask(task_id="T-9", title="Own task"))
    session = backend.session(user_id="bob")
    told = [
        session.get_context("task", query="venue"),
        session.get_context("task", ids=["T-1"]),
        session.get_context("task", time_range={"from": NOW, "to": NOW + timedelta(days=1)}),
        session.get_context("message", query="cormorants"),
        session.get_context("claim", query="Oslo"),
        session.get_context("claim"),
        session.get_context("state", query="tasks"),
    ]
    items: list[ContextItem] = [item for found in told for item in found.items]
    assert "venue" not in str(items)
    assert "Oslo" not in str(items)


@pytest.mark.parametrize("kind", [*ROWS, STATE])
def test_every_type_can_be_asked_for(ann: Engine, backend: Backend, kind: str) -> None:
    """By itself, by an id that is not there, and by words; nothing is there and nothing fails."""
    session = backend.session()
    asked: list[dict[str, Any]] = [{}]
    if kind != STATE:
        asked += [{"ids": ["never"]}, {"query": "cormorants"}]
    for more in asked:
        found = session.get_context(kind, **more)
        assert [item for item in found.items if kind != STATE] == []
        assert len(found.omissions) == len(more.get("ids", ()))


@pytest.mark.parametrize("kind", BODIES)
def test_bodies_are_found_by_words(
    ann: Engine, scope: UserScope, backend: Backend, kind: str
) -> None:
    """As references that resolve; what is not searched yet is said."""
    say(ann, "M-1", "cormorants dive")
    store(scope, "F-1", [b"cormorants fly"], "text/plain")
    store(scope, "F-2", to_parts([Said(0, "Eve", "cormorants swim")]), media_type())
    session = backend.session()
    before = session.get_context(kind, query="cormorants")
    assert before.items == ()
    assert before.degraded[0].startswith("evidence: ")
    scope.catch_up()
    found = session.get_context(kind, query="cormorants")
    assert found.degraded == ()
    assert "cormorant" not in str(found.items)
    for ref in found.refs:
        selector = "turns=0-0" if ref == "artifact:F-2" else "0-0"
        session.resolve(ref, selector, 200)
    assert (
        set(found.refs)
        == {
            "message": {"message:M-1"},
            "artifact": {"artifact:F-1", "artifact:F-2"},
            "transcript": {"artifact:F-2"},
        }[kind]
    )


def test_rows_that_stand_still_are_no_proof_of_absence(
    ann: Engine, urls: Urls, backend: Backend
) -> None:
    """Nothing found is then said to be uncertain, and no body is told by a row that may be old."""
    say(ann, "M-1", "what ann said")
    ann.record(RecordClaim(claim_id="C-1", subject="home", attribute="city", value="Oslo"))
    session = backend.session()
    session.get_context("message", ids=["M-1"])
    do_as_owner(
        urls,
        'UPDATE projection_progress SET parked = \'{"memory": {}, "conversation": {}}\' '
        "WHERE projection_set = 'inline'",
    )
    for kind in ("message", "claim"):
        found = session.get_context(kind, ids=["never"])
        assert found.degraded == ("state: not certain (parked)",)
    with pytest.raises(NotReady, match="not certain"):
        session.resolve("message:M-1", "0-9", 200)
    assert session.get_context("task").degraded == ()
