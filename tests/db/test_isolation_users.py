"""Does any command or query reach another user's log by his ids, keys or name?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, nullcontext
from typing import Any

import psycopg
import pytest

from catalog_dump import rows_of
from conftest import Cluster, Urls
from driver import NOW, actor
from engine import Engine, task
from everything import EVERYTHING as STEPS
from everything import MODELS, SECRET, STEP_OF, Step, fill, give, renamed
from isolation_check import ANN, TABLES
from workindex import WorkIndex
from workindex.domain.errors import CommandRefused, InvalidInput, WorkindexError
from workindex.eventlog.append import Wanted, read
from workindex.eventlog.database import Database, tenant_transaction
from workindex.eventlog.recorder import UserRecorder
from workindex.projections import ALL_TABLES
from workindex.projections.bounds import Part
from workindex.projections.sets import INLINE
from workindex.service.explain import explain

pytestmark = pytest.mark.pg15

ALL_ROWS: dict[str, Part] = {table.kind: "all" for table in ALL_TABLES}
QUESTIONS = (
    "What needs me?",
    "What are my tasks?",
    "Which approvals are open?",
    "Which reminders do I have?",
    "Which meetings do I have?",
    "Which connections do I have?",
)


@pytest.fixture(scope="module")
def full(cluster: Cluster) -> Iterator[Urls]:
    """A database in which ann has everything."""
    urls = cluster.clone()
    with closing(Database(urls.app)) as database:
        fill(database, ANN)
    yield urls
    cluster.drop(urls)


@pytest.fixture
def database(full: Urls) -> Iterator[Database]:
    """Pools of that database."""
    opened = Database(full.app, maint_url=full.maint)
    yield opened
    opened.close()


def everything_of(urls: Urls, user_id: str) -> dict[str, list[str]]:
    """Every row of one user, byte by byte."""
    with psycopg.connect(urls.maint) as conn:
        return {table: rows_of(conn, table, user_id) for table in TABLES}


def outcome(database: Database, user: str, step: Step, shown_to: str = ANN) -> str:
    """What came of the command, without its own ids, hashes and user."""
    found: Any
    try:
        receipt = give(database, user, step, shown_to=shown_to)
        found = [
            receipt.positions,
            [json.loads(event.fact.model_dump_json()) for event in receipt.events],
        ]
    except WorkindexError as error:
        facts = [fact.model_dump(mode="json") for fact in getattr(error, "facts", ())]
        found = [type(error).__name__, error.code, error.field, str(error), facts]
    text = json.dumps(found).replace(user, "USER")
    return re.sub(r"\b[0-9a-f]{64}\b", "HASH", re.sub(r"(-\d)000\b", r"\1", text))


def test_another_users_ids_are_unknown_ids(full: Urls, database: Database) -> None:
    """For every command: the ids of ann's things do in a stranger's hands what ids of nothing
    do, in result and in words; nothing of hers is told or touched (H1, J1)."""
    assert STEP_OF.keys() == MODELS.keys()
    before = everything_of(full, ANN)
    different = {}
    for place, (name, step) in enumerate(STEP_OF.items()):
        mine = renamed(step.command, str, lambda text: text.replace(SECRET, "plain"))
        nothings = renamed(mine, lambda id_: f"{id_}000", str)
        known = outcome(database, f"knows-{place}", step._replace(command=mine))
        unknown = outcome(database, f"guesses-{place}", step._replace(command=nothings))
        if known != unknown or SECRET in known:
            different[name] = (known, unknown)
    assert different == {}
    assert everything_of(full, ANN) == before


def test_the_comparison_of_outcomes_sees_a_difference(database: Database) -> None:
    """Where the ids are one's own, the same commands do come out otherwise."""
    fill(database, "owner")
    stranger = {name: outcome(database, "stranger", step) for name, step in STEP_OF.items()}
    owner = {name: outcome(database, "owner", step, "owner") for name, step in STEP_OF.items()}
    assert sum(stranger[name] != owner[name] for name in STEP_OF) > len(STEP_OF) / 2


def test_the_same_ids_for_two_users_are_two_of_everything(full: Urls, database: Database) -> None:
    """Whatever a user with the very same ids and keys does, ann's bytes stay (J1, J2)."""
    before = everything_of(full, ANN)
    fill(database, "twin")
    theirs = everything_of(full, "twin")
    assert {table: len(rows) for table, rows in theirs.items()} == {
        table: len(rows) for table, rows in before.items()
    }
    for command in (
        {"type": "cancel_task", "task_id": "T-1"},
        {"type": "remove_task", "task_id": "T-2"},
        {"type": "redact_message", "message_id": "ME-1"},
        {"type": "forget_artifact", "artifact_id": "F-1"},
    ):
        assert give(database, "twin", Step(20, "user", command)).positions
    assert everything_of(full, ANN) == before
    for user in (ANN, "twin"):
        assert Engine(database, user).is_whole()


def test_every_query_of_a_stranger_finds_nothing_of_ann(database: Database) -> None:
    """Rows, log, streams, keys, versions and replays by her ids: as if she were not there."""
    dan = Engine(database, "dan")
    dan.record(task("mine", "Dan's own"))
    ids = [table.id_column for table in ALL_TABLES]
    with database.connection() as conn, tenant_transaction(conn, ANN):
        wanted = {
            table.name: [
                row[0]
                for row in conn.execute(f"SELECT {id_} FROM {table.name}".encode()).fetchall()
            ]
            for table, id_ in zip(ALL_TABLES, ids, strict=True)
        }
        streams = [row[0] for row in conn.execute("SELECT DISTINCT stream FROM event").fetchall()]
    keys = [f"K-{place}" for place in range(len(STEPS))]
    with database.connection() as conn:
        found = read(conn, "dan", 1, Wanted(wanted, streams, streams, "api", keys))
        recorder = UserRecorder(lambda: nullcontext(conn), "dan")
        by_stream = [event for stream in streams for event in recorder.select_events(stream)]
        notifications = recorder.select_notifications(None, 1_000)
    assert (found.head, found.rows, found.replay, found.keys) == (1, {}, (), {})
    assert set(found.versions.values()) == {0}
    assert by_stream == []
    assert [one.originator_id for one in notifications] == ["task/mine"]
    reading = dan.read(ALL_ROWS)
    assert reading.reasons == ()
    assert [row.title for rows in reading.rows.values() for row in rows] == ["Dan's own"]


def test_a_scope_of_the_public_api_holds_one_user(database: Database) -> None:
    """Index, log, answers and explanations of a stranger and of a nobody: no word of ann's."""
    work_index = WorkIndex(database, clock=lambda: NOW)
    finn = work_index.user("finn")
    finn.record({"type": "create_task", "title": "Finn's"}, actor=actor("user"))
    for scope in (finn, work_index.user("nobody")):
        answers = [scope.ask(text) for text in QUESTIONS]
        assert None not in answers
        streams = [
            list(scope.log(stream=stream)) for stream in ("task/T-1", "message/ME-1", "user")
        ]
        assert streams == [[], [], []]
        shown = repr([answers, scope.index(), list(scope.log())])
        assert SECRET not in shown
        assert ANN not in shown
        with pytest.raises(CommandRefused, match="no event of user") as refused:
            explain(scope, "task/T-1")
        assert SECRET not in str(refused.value)
    assert SECRET in repr(work_index.user(ANN).index())


def test_a_user_without_a_log_is_unknown_and_proves_nothing(database: Database) -> None:
    """Nobody's emptiness is not proven by everybody else's fullness."""
    reading = Engine(database, "never-seen").read(ALL_ROWS)
    assert reading.reasons == ("unknown_user",)
    assert not any(reading.rows.values())


@pytest.mark.parametrize("other", ["axb", "a%b", "a\\_b", "A_B", "a_b ", "a_", "_", "%"])
def test_wildcards_in_names_match_nobody(database: Database, other: str) -> None:
    """User ids, entity ids, streams and keys are compared, never matched as patterns (H3)."""
    mine, theirs = Engine(database, "a_b"), Engine(database, other)
    if not mine.read(ALL_ROWS).rows["task"]:
        mine.record(task("a_b", "mine"), key="a_b")
        mine.record(task("axb", "mine too"), key="axb")
    receipt = theirs.record(task("a_b", f"of {other!r}"), key="a_b")
    assert (receipt.positions, receipt.duplicate) == ((1,), False)
    assert [row.title for row in theirs.read(ALL_ROWS).rows["task"]] == [f"of {other!r}"]
    assert [row.title for row in mine.read(ALL_ROWS).rows["task"]] == ["mine", "mine too"]
    with database.connection() as conn, tenant_transaction(conn, "a_b"):
        recorder = UserRecorder(lambda: nullcontext(conn), "a_b")
        assert recorder.max_notification_id() == 2
        found = read(conn, "a_b", INLINE.fold_version, Wanted({"work_task": ["a_b", "a%"]}))
    assert [row["task_id"] for row in found.rows["work_task"]] == ["a_b"]


def test_a_key_belongs_to_one_user(database: Database) -> None:
    """The same source and key of two users are two keys, whatever their commands are."""
    for number, user in enumerate(("key-1", "key-2", "key-3")):
        engine = Engine(database, user)
        first = engine.record(task("T-1", f"Task {number}"), key="same")
        again = engine.record(task("T-1", f"Task {number}"), key="same")
        assert (first.positions, again.positions, again.duplicate) == ((1,), (1,), True)


def test_a_misspelt_scope_is_refused(database: Database) -> None:
    """An option that does not exist is an error, never the widest reading (H4, H6)."""
    work_index = WorkIndex(database, clock=lambda: NOW)
    scope = work_index.user("gil")
    for call in (scope.index, scope.log, scope.ask):
        with pytest.raises(TypeError):
            call(user_id=ANN)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="user_id"):
        scope.record({"type": "start_task", "task_id": "T-1", "user_id": ANN}, actor=actor("user"))
    for nobody in ("", " ", "\n", "a" * 201):
        with pytest.raises(InvalidInput, match="user id"):
            work_index.user(nobody)
    with database.connection() as conn, tenant_transaction(conn, ANN):
        row = conn.execute('SELECT wi_proof(%s, 1, \'{"work_tsk": "all"}\')', (ANN,)).fetchone()
    assert row is not None
    assert not any(row[0]["rows"].values())
