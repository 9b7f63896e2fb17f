"""Does a turn survive what fails beside its state, say so, and never take it for "none"?

Failures are made for real where that is possible: rights are taken away, tables are held by
somebody else, statements and connections are ended. Where nothing real reaches a stage alone, the
stage is replaced by one that raises.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from conftest import Urls
from engine import do_as_owner, owner
from turns import NOW, do, ids, item, say
from workindex import Actor, UserScope, WorkIndex
from workindex.assembler import running
from workindex.assembler.envelope import ContextEnvelope
from workindex.assembler.lanes import ContextBudgetExceeded
from workindex.assembler.offers import Stage
from workindex.assembler.rendering import data, parsed, working_set_text
from workindex.assembler.stages import NEEDED, STAGES
from workindex.assembler.tools import Tool, ToolAccess, ToolCatalogue, ToolRegistry, tool_group
from workindex.assembler.turn import Turn
from workindex.domain.errors import NotReady, StillBehind, Unavailable
from workindex.projections.recording import Clock
from workindex.service.refreshing import Stale

OPTIONAL = [name for name, _ in STAGES if name not in NEEDED]
# What each stage alone brings into the turn of `world`.
BRINGS = {
    "live": {"connection:mail:me"},
    "artifacts": {"artifact:F-1"},
    "beside": {"attachment:1"},
    "history": {"message:M-1", "summary:S-1"},
    "memory": {"claim:C-1"},
    "evidence": {"message:M-2"},
    "tools": {"tools:group:mail"},
}
NEGATIVE = re.compile(
    r"\b(nothing needs|no (claims?|messages?|files?|artifacts?|tools?|results?|evidence)|"
    r"none|not found|there is no|empty)\b",
    re.IGNORECASE,
)
SEND = {"type": "object", "properties": {"to": {"type": "string"}}}
MAIL = tool_group("s", "mail", [Tool("", "send", "Sends mail about an elephant", SEND)])
TOOLS = ToolAccess(ToolCatalogue(ToolRegistry([MAIL], NOW)))


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


@pytest.fixture
def ann(work_index: WorkIndex) -> UserScope:
    """A user of whom every stage has something to tell."""
    ann = work_index.user("ann")
    do(ann, "create_task", task_id="T-1", title="Wash the animal")
    do(ann, "set_preferences", time_zone="Europe/Oslo")
    mail = {"provider": "mail", "account": "me", "status": "expired", "ttl_seconds": 3_600}
    provider = Actor(kind="provider", id="mail")
    ann.record({"type": "observe_connection", **mail}, actor=provider, occurred_at=NOW)
    say(ann, "M-1", "hello there")
    sentences = [{"text": "She said hello.", "message_ids": ["M-1"]}]
    do(ann, "record_summary", thread_id="main", summary_id="S-1", sentences=sentences)
    say(ann, "M-2", "the purple elephant dances", thread_id="other")
    claim: dict[str, Any] = {"subject": "elephant", "attribute": "colour", "value": "purple"}
    do(ann, "record_claim", claim_id="C-1", **claim)
    store(ann, "F-1", [b"a map"], "text/plain")
    work_index.catch_up()
    return ann


def store(ann: UserScope, id_: str, parts: list[bytes], media: str, **more: Any) -> None:
    body = ann.bodies.store(parts, media)
    stored = {"title": "a map", "media_type": media, **body._asdict(), **more}
    do(ann, "store_artifact", artifact_id=id_, **stored)


def turn(ann: UserScope, text: str = "Which elephant dances?", **request: Any) -> ContextEnvelope:
    whole = {"text": text, "now": NOW, "thread_id": "main", "surface": "main"}
    whole |= {"attachments": [{"artifact_id": "F-1"}, {"name": "photo.png"}]}
    return ann.assemble({**whole, **request}, tools=TOOLS)


def held(envelope: ContextEnvelope) -> set[str]:
    lanes = (envelope.tools, envelope.current_state, envelope.recent_history)
    return {one for lane in (*lanes, envelope.retrieved_evidence) for one in ids(lane)}


def told_missing(envelope: ContextEnvelope) -> list[str]:
    """What the model is told that could not be read, as it stands in the rendered text."""
    for heads, content in parsed(working_set_text(envelope)):
        if heads["source"] == "degraded:turn":
            missing: list[str] = content["could_not_be_read"]
            return missing
    return []


def assert_survived(envelope: ContextEnvelope, *stages: str) -> None:
    """All but these stages is there, these are named to the model, and nothing says "none"."""
    assert [one.partition(":")[0] for one in envelope.manifest.degraded] == list(stages)
    assert told_missing(envelope) == list(envelope.manifest.degraded)
    gone = {source for stage in stages for source in BRINGS.get(stage, ())}
    brought = {source for some in BRINGS.values() for source in some}
    assert held(envelope) & brought == brought - gone
    assert "projection:work_index" in held(envelope)
    assert envelope.budget.used <= envelope.budget.limit
    assert_no_negative(envelope)


def assert_no_negative(envelope: ContextEnvelope) -> None:
    """Nothing but the columns of a record says that something is not there."""
    for heads, content in parsed(working_set_text(envelope)):
        if heads["source"] != "degraded:turn" and not heads["source"].startswith("task:"):
            assert not NEGATIVE.search(data(content)), (heads, content)


def test_every_stage_brings_something(ann: UserScope) -> None:
    """Else none of the failures below would be one."""
    assert set(BRINGS) == set(OPTIONAL)
    assert_survived(turn(ann))


@contextmanager
def revoked(urls: Urls, *tables: str) -> Iterator[None]:
    """The application, and what searches for it, may not read the tables."""
    names, roles = ", ".join(tables), "workindex_app, workindex_search"
    do_as_owner(urls, f"REVOKE SELECT ON {names} FROM {roles}")
    try:
        yield
    finally:
        do_as_owner(urls, f"GRANT SELECT ON {names} TO {roles}")


@contextmanager
def locked(urls: Urls, *tables: str) -> Iterator[None]:
    """Somebody else holds the tables and does not let go."""
    with owner(urls) as conn:
        conn.execute("BEGIN")
        conn.execute(f"LOCK {', '.join(tables)} IN ACCESS EXCLUSIVE MODE".encode())
        yield
        conn.execute("ROLLBACK")


@contextmanager
def broken(urls: Urls, *tables: str) -> Iterator[None]:
    """The tables are not there: a migration that went wrong."""
    for table in tables:
        do_as_owner(urls, f"ALTER TABLE {table} RENAME TO {table}_gone")
    try:
        yield
    finally:
        for table in tables:
            do_as_owner(urls, f"ALTER TABLE {table}_gone RENAME TO {table}")


# The tables that no stage but these needs.
TABLES = {
    ("live",): ("work_connection", "work_credits"),
    ("evidence",): ("document",),
    ("history",): ("thread",),
    ("artifacts", "evidence"): ("artifact",),
    ("history", "evidence"): ("message",),
    ("memory", "evidence"): ("claim",),
}


@pytest.mark.parametrize("trouble", [revoked, broken])
def test_a_table_that_cannot_be_read_costs_its_own_stages(
    ann: UserScope, urls: Urls, trouble: Callable[..., Any]
) -> None:
    """All else is there, as of one position, and the model is told what is missing."""
    for stages, tables in TABLES.items():
        with trouble(urls, *tables):
            assert_survived(turn(ann), *stages)
    assert_survived(turn(ann))


@pytest.mark.faults
@pytest.mark.parametrize("tables", [("document",), ("message",)])
def test_a_table_that_is_held_costs_a_part_of_the_turns_time(
    ann: UserScope, urls: Urls, tables: tuple[str, ...]
) -> None:
    """A turn has ten seconds; what hangs takes no more than six of them, however much hangs."""
    stages = next(found for found, some in TABLES.items() if some == tables)
    with locked(urls, *tables):
        began = time.monotonic()
        envelope = turn(ann)
        took = time.monotonic() - began
    assert_survived(envelope, *stages)
    assert took < running.READING_SECONDS + 2
    assert 0 < envelope.manifest.latency_ms["whole"] <= took * 1e3


class _Asked:
    """A provider that says that all is well."""

    def observe(self, stale: Stale) -> dict[str, Any]:
        seen = {"provider": stale.provider, "account": stale.account, "ttl_seconds": 60}
        return {"type": "observe_connection", "status": "connected", **seen}


@pytest.mark.faults
@pytest.mark.parametrize("trouble", [revoked, broken, locked])
def test_live_state_that_cannot_be_looked_up_is_not_refreshed(
    ann: UserScope, urls: Urls, trouble: Callable[..., Any]
) -> None:
    """The turn goes on without it, says so, and soon."""
    later = NOW + timedelta(hours=2)
    request = {"text": "Which elephant dances?", "now": later, "thread_id": "main"}
    with trouble(urls, "work_connection"):
        began = time.monotonic()
        envelope = ann.assemble(request, provider=_Asked())
        assert time.monotonic() - began < 9
    told = [one.partition(" (")[0] for one in envelope.manifest.degraded]
    assert told[0].startswith("not refreshed: live state: ")
    assert told[1:] == ["live: could not be read"]
    assert "message:M-1" in ids(envelope.recent_history)


def test_a_search_that_is_not_there_costs_the_evidence(ann: UserScope, urls: Urls) -> None:
    """Another program's migration took its function away."""
    signature = "search_documents(text, text, jsonb)"
    do_as_owner(urls, f"ALTER FUNCTION {signature} RENAME TO search_gone")
    assert_survived(turn(ann), "evidence")


@pytest.mark.parametrize("trouble", [revoked, broken])
def test_an_id_is_looked_up_where_rows_can_be_read(
    ann: UserScope, urls: Urls, trouble: Callable[..., Any]
) -> None:
    """A task is in scope though no claim can be read; what may be a claim's id is no "unknown"."""
    with trouble(urls, "claim"):
        envelope = turn(ann, "Is T-1 about an elephant that dances?")
        assert_survived(envelope, "scope", "memory", "evidence")
        assert envelope.scope.task_id == "T-1"
        assert "task:T-1" in ids(envelope.current_state)
        with pytest.raises(NotReady, match="not all could be read"):
            turn(ann, entity_ids=["C-1"])
    with trouble(urls, "message"), pytest.raises(NotReady, match="M-9"):
        turn(ann, reply_to="M-9", thread_id=None)


@pytest.mark.parametrize("table", ["work_task", "work_approval", "user_log"])
@pytest.mark.parametrize("trouble", [revoked, broken])
def test_without_its_state_there_is_no_turn(
    ann: UserScope, urls: Urls, trouble: Callable[..., Any], table: str
) -> None:
    """A typed error, and no envelope in which nothing seems to wait."""
    with trouble(urls, table), pytest.raises(NotReady):
        turn(ann)
    assert_survived(turn(ann))


@pytest.mark.faults
def test_state_that_is_held_is_a_typed_error_in_time(ann: UserScope, urls: Urls) -> None:
    """The caller is told to try again, and soon enough to do so."""
    with locked(urls, "work_task"):
        began = time.monotonic()
        with pytest.raises(Unavailable):
            turn(ann)
        assert time.monotonic() - began < running.READING_SECONDS


def _errs(_turn: Turn) -> Stage:
    raise StillBehind("it is not there yet", position=3)


def _is_wrong(_turn: Turn) -> Stage:
    raise KeyError("a bug")


def _fails_in_the_database(turn: Turn) -> Stage:
    turn.snapshot._conn.execute("SELECT 1 / 0")
    raise AssertionError("not reached")


def _hangs(turn: Turn) -> Stage:
    turn.snapshot._conn.execute("SELECT pg_sleep(30)")
    raise AssertionError("not reached")


def _loses_the_connection(turn: Turn) -> Stage:
    turn.snapshot._conn.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    raise AssertionError("not reached")


FAULTS = (_errs, _is_wrong, _fails_in_the_database, _hangs, _loses_the_connection)


def replaced(monkeypatch: pytest.MonkeyPatch, faults: dict[str, Callable[[Turn], Stage]]) -> None:
    stages = tuple((name, faults.get(name, stage)) for name, stage in STAGES)
    monkeypatch.setattr(running, "STAGES", stages)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_stage_may_fail_in_each_way(
    ann: UserScope, monkeypatch: pytest.MonkeyPatch, fault: Callable[[Turn], Stage]
) -> None:
    """The stage is left out and named, or where it is needed the error is typed."""
    monkeypatch.setattr(running, "READING_SECONDS", 0.6)
    for name, _ in STAGES:
        replaced(monkeypatch, {name: fault})
        if name in NEEDED:
            with pytest.raises((Unavailable, StillBehind)):
                turn(ann)
        else:
            assert_survived(turn(ann), name)


def test_all_that_is_not_needed_may_fail_at_once(
    ann: UserScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left is the policy's core with its tools, the state, and what is missing, in time."""
    monkeypatch.setattr(running, "READING_SECONDS", 1.0)
    replaced(monkeypatch, dict.fromkeys(OPTIONAL, _hangs))
    began = time.monotonic()
    envelope = turn(ann)
    assert time.monotonic() - began < 1.0 + len(OPTIONAL) * running.STATEMENT_SECONDS_MIN
    named = [name for name, _ in STAGES if name not in NEEDED]
    assert_survived(envelope, *named)
    assert "get_context" in envelope.prefix
    assert envelope.proof["verdict"] == "proven_empty"


def test_a_second_reading_is_of_one_position_too(
    ann: UserScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What happens between the first reading and the second is in all of the second."""

    def changes(_turn: Turn) -> Stage:
        say(ann, "M-3", "one more thing")
        request: dict[str, Any] = {"task_id": "T-1", "request_id": "Q-1", "prompt": "Which?"}
        do(ann, "request_task_input", **request)
        raise OSError("and then it failed")

    replaced(monkeypatch, {"tools": changes})
    envelope = turn(ann)
    told: Any = item(envelope, "projection:work_index").content
    asked = ann.ask("What needs me?", now=NOW)
    assert asked is not None
    assert told["position"] == asked.certificate["position"]
    assert [one["id"] for one in told["needs_you"]["items"]] == ["T-1"]
    assert "message:M-3" in ids(envelope.recent_history)


def test_a_limit_holds_for_its_turn_alone(ann: UserScope) -> None:
    """The connection goes back to the pool with the limit that it had."""
    turn(ann)
    with ann._work_index.database.connection() as conn:
        assert conn.execute("SHOW statement_timeout").fetchone() == ("2min",)


def test_overflow_is_an_error_whatever_else_fails(
    ann: UserScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is cut from the request to make room for what failed."""
    replaced(monkeypatch, {"memory": _is_wrong})
    with pytest.raises(ContextBudgetExceeded) as stopped:
        turn(ann, "word " * 30_000)
    assert stopped.value.largest == "request"
