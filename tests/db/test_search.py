"""Does a search find what is there, nothing that has ended, and nothing of anybody else?"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from commands import Command
from conftest import Urls
from driver import actor
from engine import Engine, do_as_owner, owner
from workindex import WorkIndex
from workindex.domain.artifacts import ForgetArtifact, StoreArtifact
from workindex.domain.conversations import PostMessage, RedactMessage
from workindex.domain.errors import InvalidInput
from workindex.domain.memory import RecordClaim, SupersedeClaim, WithdrawClaim
from workindex.eventlog.append import OTHER_TENANT, sqlstate
from workindex.eventlog.database import Database, tenant_transaction
from workindex.eventlog.transcripts import Turn, media_type, to_parts
from workindex.projections.search import Hits
from workindex.service.client import UserScope

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
FORGED = ("", "ann", "ann' OR '1'='1", "%", "ANN", "ann ", "NULL", "{ann}")


@pytest.fixture
def ann(database: Database) -> Engine:
    return Engine(database)


@pytest.fixture
def scope(database: Database) -> UserScope:
    return WorkIndex(database).user("ann")


def say(engine: Engine, id_: str, text: str, thread: str = "TH-1", **more: Any) -> None:
    engine.record(PostMessage(message_id=id_, thread_id=thread, role="user", text=text, **more))


def store(scope: UserScope, id_: str, body: bytes, media: str = "text/plain", **more: Any) -> None:
    """Store a body and name it."""
    kept = scope.bodies.store([body], media)
    command = StoreArtifact(artifact_id=id_, title="a file", media_type=media, **kept._asdict())
    scope.record(command.model_copy(update=more), actor=actor("user"))


def ids(hits: Hits) -> list[str]:
    return [hit.id for hit in hits]


def test_every_kind_of_source_is_found(ann: Engine, scope: UserScope) -> None:
    """By a word of its text, in another form of the word too, whatever its case."""
    say(ann, "M-1", "We booked the venue for the Meetings")
    ann.record(RecordClaim(claim_id="C-1", subject="home", attribute="city", value="Venezia"))
    store(scope, "F-1", b"the quarterly zebras report")
    turns = [
        Turn(n, "Bo", f"turn {n} about giraffes" if n == 12 else f"turn {n}") for n in range(20)
    ]
    store(scope, "F-2", b"".join(to_parts(turns)), media_type())
    scope.catch_up()
    assert ids(scope.search("venues MEETING")) == ["message/M-1"]
    assert ids(scope.search("venezia")) == ["claim/C-1"]
    assert ids(scope.search("zebra")) == ["artifact/F-1#1"]
    (hit,) = scope.search("giraffe")
    assert (hit.id, hit.source_kind, hit.first_turn, hit.last_turn) == (
        "artifact/F-2#2", "transcript", 10, 19,
    )  # fmt: skip


def test_every_word_first_then_some(ann: Engine, scope: UserScope) -> None:
    """Documents with some of the words come only where none has all of them, and are marked."""
    say(ann, "M-1", "red apples")
    say(ann, "M-2", "green apples")
    scope.catch_up()
    hits = scope.search("red apples")
    assert (ids(hits), hits.is_retry) == (["message/M-1"], False)
    hits = scope.search("red apples quince")
    assert (ids(hits), hits.is_retry) == (["message/M-1", "message/M-2"], True)
    assert ids(scope.search("quince")) == []
    assert ids(scope.search("the and of")) == []


def test_an_exact_id_beats_similarity(ann: Engine, scope: UserScope) -> None:
    """What the query names comes first, and T-1 is not T-12."""
    say(ann, "T-12", "nothing of note")
    say(ann, "T-1", "nothing either")
    say(ann, "M-3", "T-12 T-12 T-12 is what this talks about", thread="TH-9")
    scope.catch_up()
    hits = scope.search("what about T-12?")
    assert ids(hits)[0] == "message/T-12"
    assert [hit.is_exact for hit in hits] == [True, *[False] * (len(hits) - 1)]
    assert "message/T-1" not in ids(hits)
    assert ids(scope.search("TH-9")) == ["message/M-3"]


def test_signs_without_spaces_are_found_by_pairs(ann: Engine, scope: UserScope) -> None:
    """Chinese, Japanese and Korean words inside a sentence, and single signs."""
    say(ann, "M-1", "明天的预算会议在柏林 with Bob")
    say(ann, "M-2", "予算のかいぎ")
    say(ann, "M-3", "예산 회의는 내일")
    scope.catch_up()
    for query, found in (
        ("预算", ["message/M-1"]),
        ("预算会议", ["message/M-1"]),
        ("柏林 bob", ["message/M-1"]),
        ("议", ["message/M-1"]),
        ("算预", []),
        ("かいぎ", ["message/M-2"]),
        ("회의", ["message/M-3"]),
    ):
        assert ids(scope.search(query)) == found, query


@pytest.mark.parametrize("how", ["at head", "inline lags", "inline is parked"])
def test_what_ended_vanishes_at_once(urls: Urls, ann: Engine, scope: UserScope, how: str) -> None:
    """Redacted, withdrawn, superseded, forgotten: gone before the documents follow, also where
    the inline rows do not know of it yet."""
    say(ann, "M-1", "secret plan")
    say(ann, "M-2", "secret plan of others")
    ann.record(RecordClaim(claim_id="C-1", subject="s", attribute="a", value="secret plan one"))
    ann.record(RecordClaim(claim_id="C-2", subject="s", attribute="b", value="secret plan two"))
    store(scope, "F-1", b"secret plan in a file")
    scope.catch_up()
    assert len(scope.search("secret plan")) == 5
    if how == "inline lags":
        do_as_owner(
            urls,
            "UPDATE projection_generation SET fold_version = 9 WHERE projection_set = 'inline'",
        )
    if how == "inline is parked":
        do_as_owner(
            urls,
            'UPDATE projection_progress SET parked = \'{"memory": {}, "conversation": {}}\' '
            "WHERE projection_set = 'inline'",
        )
    ann.record(RedactMessage(message_id="M-1"))
    ann.record(WithdrawClaim(claim_id="C-1"))
    ann.record(SupersedeClaim(claim_id="C-2", new_claim_id="C-3", value="public"))
    ann.record(ForgetArtifact(artifact_id="F-1"))
    hits = scope.search("secret plan")
    assert ids(hits) == ["message/M-2"]
    assert hits.position is not None
    assert hits.position < hits.head
    scope.catch_up()
    rows = do_as_owner(urls, "SELECT id FROM document WHERE text LIKE '%%secret%%'")
    assert rows == [("message/M-2",)]


def test_a_claim_ends_when_it_expires(ann: Engine, scope: UserScope) -> None:
    """At the instant, by the clock that is given or the database's."""
    until = NOW + timedelta(hours=1)
    ann.record(
        RecordClaim(claim_id="C-1", subject="s", attribute="a", value="parking", expires_at=until)
    )
    scope.catch_up()
    assert ids(scope.search("parking", now=until - timedelta(seconds=1))) == ["claim/C-1"]
    assert ids(scope.search("parking", now=until)) == []
    assert ids(scope.search("parking")) == []


def test_filters(ann: Engine, scope: UserScope) -> None:
    """Kind, entity, source, time and sensitivity, alone and together."""
    for number, sensitivity in enumerate(("normal", "private", "restricted")):
        say(ann, f"M-{number}", f"tea {number}", f"TH-{number}", sensitivity=sensitivity)
    ann.record(RecordClaim(claim_id="C-1", subject="home", attribute="drink", value="tea"))
    store(scope, "F-1", b"tea", meeting_id="ME-1", task_id="T-1", source="qmsum")
    scope.catch_up()

    def found(**filters: Any) -> set[str]:
        return set(ids(scope.search("tea", **filters)))

    messages = {"message/M-0", "message/M-1", "message/M-2"}
    assert found() == {*messages, "claim/C-1", "artifact/F-1#1"}
    assert found(kinds=["message"]) == messages
    assert found(entities=["thread/TH-1"]) == {"message/M-1"}
    assert found(entities=["thread/TH-1", "subject/home"]) == {"message/M-1", "claim/C-1"}
    assert found(entities=["meeting/ME-1"]) == found(entities=["task/T-1"]) == {"artifact/F-1#1"}
    assert found(entities=["artifact/F-1"]) == found(sources=["qmsum"]) == {"artifact/F-1#1"}
    assert found(entities=["message/M-2"], sensitivity=["normal"]) == set()
    assert found(sensitivity=["private"]) == {"message/M-1"}
    assert found(since=datetime.now(UTC) + timedelta(days=1)) == set()
    assert found(until=datetime.now(UTC) + timedelta(days=1)) == found()
    assert len(scope.search("tea", limit=2)) == 2


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"kinds": ["mesage"]}, "kinds"),
        ({"entities": ["room/1"]}, "entities"),
        ({"entities": ["T-1"]}, "entities"),
        ({"sensitivity": ["secret"]}, "sensitivity"),
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"since": datetime(2026, 3, 2)}, "since"),  # noqa: DTZ001 - a zone is what it lacks
    ],
)
def test_a_filter_that_does_not_exist_is_refused(
    scope: UserScope, wrong: dict[str, Any], field: str
) -> None:
    """A misspelt filter would show more than was asked for."""
    with pytest.raises(InvalidInput) as refused:
        scope.search("tea", **wrong)
    assert refused.value.field == field


@pytest.mark.parametrize("query", ["", "  ", "x" * 2_001, "a\0b", "a\ud800b"])
def test_a_query_that_is_none_is_refused(scope: UserScope, query: str) -> None:
    """Nothing is searched for, or more than anybody writes."""
    with pytest.raises(InvalidInput):
        scope.search(query)


@pytest.mark.parametrize("query", ["'", "a' | 'b", "!tea", "tea & !x", "a:*", "\\", "<->", "é'\"("])
def test_a_query_is_words_and_no_language(ann: Engine, scope: UserScope, query: str) -> None:
    """No sign of it is an operator, and none breaks the search."""
    say(ann, "M-1", "coffee")
    scope.catch_up()
    assert ids(scope.search(query)) == []


def test_documents_of_one_source_do_not_crowd_out_others(ann: Engine, scope: UserScope) -> None:
    """A few of each first; the same text is shown once."""
    store(scope, "F-1", b"".join(b"tea %d %s" % (n, b"word " * 500) for n in range(8)))
    say(ann, "M-1", "there is a word about the tea somewhere in this long sentence of mine")
    say(ann, "M-2", "there is a word about the tea somewhere in this long sentence of mine")
    scope.catch_up()
    found = ids(scope.search("tea", limit=4))
    assert len([one for one in found if one.startswith("artifact/F-1#")]) == 3
    assert len([one for one in found if one.startswith("message/")]) == 1


def test_nothing_found_says_how_far_it_looked(ann: Engine, scope: UserScope) -> None:
    """Nobody has begun; behind; at the head."""
    assert (scope.search("tea").position, scope.search("tea").head) == (None, 0)
    say(ann, "M-1", "coffee")
    assert (scope.search("tea").position, scope.search("tea").head) == (None, 1)
    scope.catch_up()
    say(ann, "M-2", "tea")
    assert (scope.search("tea").position, scope.search("tea").head) == (1, 2)


def test_nobody_finds_what_another_user_has(database: Database, ann: Engine) -> None:
    """The same ids and words in two logs: each finds his own."""
    say(ann, "M-1", "budget of ann")
    say(Engine(database, "bob"), "M-1", "budget of bob")
    work_index = WorkIndex(database)
    for user in ("ann", "bob"):
        work_index.user(user).catch_up()
    for user in ("ann", "bob"):
        assert [hit.text for hit in work_index.user(user).search("budget M-1")] == [
            f"budget of {user}"
        ]
    assert work_index.user("cem").search("budget") == []


@pytest.mark.parametrize("tenant", [None, "bob", *(f for f in FORGED if f not in ("", "ann"))])
def test_the_function_refuses_another_tenant(
    database: Database, ann: Engine, scope: UserScope, tenant: str | None
) -> None:
    """Whoever is set, or nobody: it searches for that one only, by words that name no one."""
    say(ann, "M-1", "budget")
    scope.catch_up()
    for connect in (database.connection, database.maintenance):
        with (
            pytest.raises(psycopg.Error) as refused,
            connect() as conn,
            tenant_transaction(conn, tenant or ""),
        ):
            conn.execute("SELECT * FROM search_documents('ann', 'budget', '{}')")
        assert sqlstate(refused.value) == OTHER_TENANT
        assert "budget" not in str(refused.value)


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_filter_is_a_value(
    database: Database, ann: Engine, scope: UserScope, forged: str
) -> None:
    """A filter is compared; a name that is no filter is refused and never read as nothing."""
    say(ann, "M-1", "budget")
    say(Engine(database, "bob"), "M-1", "budget of bob", thread=forged.strip() or "x")
    scope.catch_up()
    WorkIndex(database).user("bob").catch_up()
    with database.connection() as conn, tenant_transaction(conn, "ann"):
        found = conn.execute(
            "SELECT text FROM search_documents('ann', 'budget', "
            "jsonb_build_object('entities', jsonb_build_array('thread/' || %s::text)))",
            (forged,),
        ).fetchall()
        assert found == []
    with database.connection() as conn, tenant_transaction(conn, "ann"):
        with pytest.raises(psycopg.Error) as refused:
            conn.execute(
                "SELECT * FROM search_documents('ann', 'budget', jsonb_build_object(%s::text, 1))",
                (forged or "user_id",),
            )
        assert sqlstate(refused.value) == "WI005"


@pytest.mark.parametrize("with_statistics", [False, True])
def test_a_search_reads_by_the_index_of_the_words(
    urls: Urls, ann: Engine, scope: UserScope, with_statistics: bool
) -> None:
    """Two thousand documents each of two users, five with the word: the plan goes by the index of
    words and reads those five, before and after the planner knows the table."""
    for user, engine in (("ann", ann), ("bob", Engine(ann.database, "bob"))):
        engine.record_all(
            [
                PostMessage(
                    message_id=f"M-{n}", thread_id="TH-1", role="user",
                    text=f"common text {n} {'zebra' if n % 400 == 0 else ''}",
                )
                for n in range(2_000)
            ]
        )  # fmt: skip
        WorkIndex(ann.database).user(user).catch_up()
    with owner(urls) as conn:
        if with_statistics:
            conn.execute("VACUUM ANALYZE document")
        conn.execute("LOAD 'auto_explain'")
        conn.execute("SET auto_explain.log_min_duration = 0")
        conn.execute("SET auto_explain.log_nested_statements = on")
        conn.execute("SET auto_explain.log_analyze = on")
        conn.execute("SET client_min_messages = log")
        told: list[str] = []
        conn.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        with conn.transaction():
            conn.execute("SET LOCAL workindex.user_id = 'ann'")
            found = conn.execute("SELECT id FROM search_documents('ann', 'zebra', '{}')").fetchall()
    assert len(found) == 5
    (plan,) = [one for one in told if "document_words" in one]
    assert "Bitmap Index Scan on document_words" in plan
    read = re.search(r"document_words[^\n]*actual time=\S+ rows=(\d+)", plan)
    assert read is not None
    assert read[1] == "5"
    assert not [one for one in told if "Seq Scan on document" in one]


def test_the_command(urls: Urls, ann: Engine, scope: UserScope) -> None:
    """For people and for programs; a miss says how far it looked, and is no error."""
    say(ann, "M-1", "the budget of the venue")
    command = Command(urls.env)
    assert "run workindex worker" in command("search", "ann", "budget").out
    document = command("search", "ann", "budget", "--json").document
    assert (document["hits"], document["position"], document["head"]) == ([], None, 1)
    assert command("worker", "--once", "--json").document["events"] == 1
    told = command("search", "ann", "budget").out
    assert "message/M-1" in told
    assert "1 found; documents up to position 1, the last" in told
    (hit,) = command("search", "ann", "budget", "--json").document["hits"]
    assert (hit["id"], hit["text"], hit["is_exact"]) == (
        "message/M-1", "the budget of the venue", False,
    )  # fmt: skip
    assert "not found; documents up to position 1" in command("search", "ann", "zebra").out
    assert command("search", "ann", "x", "--entity", "room/1", code=3).err
    assert command("search", "ann", "budget", "--since", "2099-01-01T00:00:00Z").out


def test_a_rebuilt_generation_finds_the_same(urls: Urls, ann: Engine, scope: UserScope) -> None:
    """Rebuild, verify and switch of the set: equal rows, equal words, equal hits."""
    say(ann, "M-1", "the budget 预算 of the venue")
    store(scope, "F-1", b"budget words " * 400)
    ann.record(ForgetArtifact(artifact_id="F-1"))
    store(scope, "F-2", b"budget " * 400)
    scope.catch_up()
    before = [(hit.id, hit.text, hit.rank) for hit in scope.search("budget")]
    command = Command(urls.env)
    command("projections", "rebuild", "evidence")
    rows = do_as_owner(
        urls,
        "SELECT generation, count(*), sum(length(words::text)) FROM document GROUP BY 1 ORDER BY 1",
    )
    assert [row[0] for row in rows] == [1, 2]
    assert rows[0][1:] == rows[1][1:]
    command("projections", "verify")
    command("projections", "switch", "evidence")
    assert [(hit.id, hit.text, hit.rank) for hit in scope.search("budget")] == before
    say(ann, "M-2", "another budget")
    scope.catch_up()
    assert "message/M-2" in ids(scope.search("budget"))
    command("projections", "verify")


def test_verify_sees_documents(urls: Urls, ann: Engine, scope: UserScope) -> None:
    """A changed text, a missing document and one too many are named."""
    say(ann, "M-1", "one")
    say(ann, "M-2", "two")
    scope.catch_up()
    assert ann.is_whole()
    do_as_owner(urls, "UPDATE document SET text = 'other' WHERE id = 'message/M-1'")
    do_as_owner(urls, "DELETE FROM document WHERE id = 'message/M-2'")
    report = Command(urls.env)("projections", "verify", "--json", code=1).document
    found = {(one["table"], one["row"], one["field"]) for one in report["differences"]}
    assert {("document", "message/M-1", "text"), ("document", "message/M-2", "row")} <= found
