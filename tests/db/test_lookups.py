"""What a user has stored makes no append, decision or proof slower, with statistics or without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial

import psycopg
import pytest

from conftest import Urls
from driver import NOW
from engine import Engine, question, task
from workindex.domain.approval_commands import RequestApproval, WithdrawApproval
from workindex.domain.artifacts import StoreArtifact
from workindex.domain.conversations import PostMessage, RedactMessage
from workindex.domain.facts import Command
from workindex.domain.memory import RecordClaim, WithdrawClaim
from workindex.domain.reminders import DismissReminder, SetReminder
from workindex.domain.tasks import GiveTaskInput, RemoveTask
from workindex.eventlog.content import body_of
from workindex.eventlog.database import Database
from workindex.service.bodies import Bodies

ROWS = 400
FETCHED_MAX = 60  # rows and index entries, over all tables, of one command or question

PARTS = [b"text"]
BODY = body_of(PARTS)

# Binds: none. What all statements so far have read of the tables.
FETCHED = "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables"


def message(number: int) -> PostMessage:
    return PostMessage(message_id=f"M-{number}", thread_id="main", role="user", text="hello")


def claim(number: int) -> RecordClaim:
    return RecordClaim(
        claim_id=f"C-{number}", subject=f"person-{number}", attribute="town", value="Bern"
    )


def reminder(number: int) -> SetReminder:
    return SetReminder(reminder_id=f"R-{number}", title="Call", remind_at=NOW)


def artifact(number: int) -> StoreArtifact:
    return StoreArtifact(
        artifact_id=f"F-{number}",
        title="Notes",
        media_type="text/plain",
        sha256=BODY.sha256,
        size_bytes=BODY.size_bytes,
    )


def approval(number: int) -> RequestApproval:
    return RequestApproval(
        approval_id=f"A-{number}",
        title="Pay",
        tool="pay",
        arguments={"number": number},
        expires_at=NOW + timedelta(days=3_650),
    )


MAKERS: tuple[Callable[[int], Command], ...] = (
    lambda number: task(f"T-{number}"),
    message,
    claim,
    reminder,
    approval,
    artifact,
)
# Commands on rows among many others: one of every kind of table that a user fills.
COMMANDS = {
    "a new task": task("T-new"),
    "a new message": message(ROWS),
    "a question": question("T-3"),
    "an answer": GiveTaskInput(task_id="T-1", request_id="R-1", answer="this"),
    "a removed task": RemoveTask(task_id="T-2"),
    "a redacted message": RedactMessage(message_id="M-7", reason="wrong person"),
    "a withdrawn claim": WithdrawClaim(claim_id="C-7", reason="moved"),
    "an answered reminder": DismissReminder(reminder_id="R-7"),
    "a withdrawn approval": WithdrawApproval(approval_id="A-7"),
}


@pytest.fixture(params=["without statistics", "with statistics"])
def full(request: pytest.FixtureRequest, urls: Urls) -> Iterator[Engine]:
    """A user with many rows of every kind, of which few are open, on one connection."""
    # Plans are made when the tables are empty and used when they are full.
    database = Database(urls.app, pool_max=1)
    first = Engine(database, "first")
    for maker in MAKERS:
        first.record(maker(0), now=NOW)
    filler = Database(urls.app)
    engine = Engine(filler)
    for maker in MAKERS:
        engine.record_all([maker(number) for number in range(ROWS)])
    ended: list[Command] = [WithdrawApproval(approval_id=f"A-{n}") for n in range(10, ROWS)]
    ended += [DismissReminder(reminder_id=f"R-{n}") for n in range(10, ROWS)]
    engine.record_all(ended)
    engine.record(question("T-1"))
    filler.close()  # and with it tell the server what it has read
    if request.param == "with statistics":
        with psycopg.connect(urls.owner, autocommit=True) as conn:
            conn.execute("ANALYZE")
    yield Engine(database)
    database.close()


def fetched_by(engine: Engine, urls: Urls, act: Callable[[], object]) -> int:
    """How many rows and entries the act made the server read."""

    def so_far() -> int:
        with engine.database.connection() as conn:
            conn.execute("SELECT pg_stat_force_next_flush()")
        with psycopg.connect(urls.owner) as conn:
            row = conn.execute(FETCHED).fetchone()
        assert row is not None
        return int(row[0])

    before = so_far()
    act()
    return so_far() - before


@pytest.mark.pg15
def test_only_what_a_command_or_a_proof_is_about_is_read(full: Engine, urls: Urls) -> None:
    """Rows and bodies are found by their keys, and what has ended costs a question nothing."""
    bodies = Bodies(full.database, full.reader, full.user_id)
    bodies.store(PARTS, "text/plain")
    read = {
        "a proof": fetched_by(full, urls, full.proof),
        "a body": fetched_by(full, urls, lambda: bodies.read("F-7")),
    }
    for name, command in COMMANDS.items():
        read[name] = fetched_by(full, urls, partial(full.record, command))
    assert {name: rows for name, rows in read.items() if rows > FETCHED_MAX} == {}
