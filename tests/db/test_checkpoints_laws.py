"""What holds of every checkpoint, whatever happened before, between and after?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkpointed import Body, records
from conftest import Cluster
from turns import AGENT, ME, NOW, House, house_of
from workindex import UserScope
from workindex.assembler.checkpoints.body import CheckpointIncomplete
from workindex.projections.planning import Entry
from workindex.service.parsing import parse_command

Json = dict[str, Any]
FEW = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NUMBERS = st.integers(1, 3)
TIMES = st.sampled_from(("2026-03-04T11:00:00Z", "2026-03-05T12:00:00Z", "2026-04-01T08:30:00Z"))
NAMES = st.sampled_from(("T-1", "T-2", "T-3", "A-1", "A-2", "ME-1", "ME-2", "C-1", "R-1", "T-12"))
TEXTS = st.lists(st.one_of(NAMES, st.sampled_from(("see", "to", "the", "cake"))), max_size=4).map(
    lambda words: " ".join(("of", *words))
)
KIND_OF = {
    "T": "task",
    "A": "approval",
    "ME": "meeting",
    "C": "commitment",
    "R": "reminder",
}
SECTION_OF = {kind: f"{kind}s" for kind in KIND_OF.values()}
TIMES_OF = {
    "task": ("due_at", "scheduled_at"),
    "approval": ("expires_at",),
    "meeting": ("start_at", "end_at"),
    "commitment": ("due_at",),
    "reminder": ("remind_at",),
}
ENDED = {
    *("done", "failed", "cancelled", "executed", "denied", "expired", "withdrawn", "moot"),
    *("ended", "kept", "broken", "dismissed"),
}


def _command(type_: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({"type": st.just(type_), **fields})


def _id(letters: str) -> st.SearchStrategy[str]:
    return NUMBERS.map(lambda number: f"{letters}-{number}")


# Any commands in any order: those that the state forbids are left out.
COMMANDS = st.one_of(
    _command("create_task", task_id=_id("T"), title=TEXTS, due_at=TIMES),
    _command("schedule_task", task_id=_id("T"), scheduled_at=TIMES),
    _command("block_task", task_id=_id("T"), blocked_by=_id("T").map(lambda id_: [id_])),
    _command(
        "request_task_input",
        task_id=_id("T"),
        request_id=_id("Q"),
        prompt=TEXTS,
        expires_at=TIMES,
    ),
    _command("give_task_input", task_id=_id("T"), request_id=_id("Q"), answer=TEXTS),
    _command(
        "record_attempt",
        task_id=_id("T"),
        attempt_id=_id("AT"),
        summary=TEXTS,
        outcome=st.sampled_from(("failed", "unknown", "succeeded")),
        error=TEXTS,
    ),
    _command("complete_task", task_id=_id("T")),
    _command("fail_task", task_id=_id("T"), reason=TEXTS),
    _command("schedule_meeting", meeting_id=_id("ME"), title=TEXTS, start_at=TIMES),
    _command(
        "make_commitment",
        meeting_id=_id("ME"),
        commitment_id=_id("C"),
        text=TEXTS,
        due_at=TIMES,
        task_id=_id("T"),
    ),
    _command(
        "settle_commitment", meeting_id=_id("ME"), commitment_id=_id("C"), status=st.just("kept")
    ),
    _command("set_reminder", reminder_id=_id("R"), title=TEXTS, remind_at=TIMES),
    _command(
        "request_approval",
        approval_id=_id("A"),
        title=TEXTS,
        tool=st.just("pay"),
        arguments=st.fixed_dictionaries({"amount": st.integers(0, 9), "to": TEXTS}),
        target=st.just("bank"),
        account=st.just("mine"),
        task_id=_id("T"),
        expires_at=TIMES,
        tool_schema_sha256=st.just("0" * 64),
    ),
    _command("deny_approval", approval_id=_id("A")),
    _command("record_correction", thread_id=st.just("main"), correction_id=_id("CO"), text=TEXTS),
    _command(
        "post_message",
        message_id=_id("S"),
        thread_id=st.sampled_from(("main", "main", "other")),
        role=st.sampled_from(("user", "agent")),
        text=TEXTS,
    ),
    _command("redact_message", message_id=_id("S")),
)
LOGS = st.lists(COMMANDS, min_size=5, max_size=30)


@pytest.fixture(scope="module")
def house(embedded_cluster: Cluster) -> Iterator[House]:
    with house_of(embedded_cluster) as opened:
        yield opened


def happen(user: UserScope, commands: list[Json]) -> None:
    for one in commands:
        by = AGENT if one["type"] == "request_approval" else ME
        user.record_bulk([Entry(parse_command(one))], actor=by)


class Must(NamedTuple):
    """What has to be in a checkpoint, worked out from index and log alone."""

    records: dict[str, Json]
    asked: set[tuple[str, str]]
    blockers: set[str]
    attempts: set[tuple[str, str, str]]
    corrections: set[str]


def must_hold(user: UserScope, named_before: set[str], after: int = 0) -> Must:
    """By the messages after a position, what was named before, and the rows that there are."""
    sections = user.index(now=NOW).sections
    rows = {
        f"{kind}/{row[f'{kind}_id']}": row
        for kind, section in SECTION_OF.items()
        for row in sections[section]
    }
    named = {ref for ref in _named(user, after) | named_before if ref in rows}
    tasks = {ref: rows[ref] for ref in named if ref.startswith("task/")}
    live = [row for row in tasks.values() if row["status"] not in ENDED]
    blockers = {
        id_
        for row in live
        for id_ in row["blocked_by"]
        if rows[f"task/{id_}"]["status"] not in ENDED
    }
    about = {
        ref
        for ref, row in rows.items()
        if (ref.startswith("approval/") and _is_open(row) and f"task/{row['task_id']}" in tasks)
        or (
            ref.startswith("commitment/")
            and row["status"] == "open"
            and (f"task/{row['task_id']}" in tasks or f"meeting/{row['meeting_id']}" in named)
        )
    }
    whole = {ref: rows[ref] for ref in named | about | {f"task/{id_}" for id_ in blockers}}
    asked = {
        ("request", f"{row['task_id']}/{id_}")
        for row in live
        for id_, held in row["requests"].items()
        if held["expires_at"] is None or held["expires_at"] > "2026-03-04T12"
    }
    asked |= {("approval", ref) for ref, row in whole.items() if ref[0] == "a" and _is_open(row)}
    failed = {
        (one["summary"], one["outcome"], one["error"])
        for row in tasks.values()
        if row["status"] not in ("done", "cancelled")
        for one in row["attempts"]
        if one["outcome"] != "succeeded"
    }
    return Must(whole, asked, blockers, failed, _corrected(user))


def _is_open(row: Json) -> bool:
    return bool(row["status"] == "requested" and row["expires_at"] > "2026-03-04T12")


def _facts(user: UserScope) -> list[Any]:
    return [event.fact for event in user.log()]


def _named(user: UserScope, after: int) -> set[str]:
    facts: list[Any] = [event.fact for event in user.log(after + 1)]
    gone = {one.message_id for one in facts if one.type == "message_redacted"}
    posted = [one for one in facts if one.type == "message_posted" and one.thread_id == "main"]
    texts = [one.text for one in posted if one.message_id not in gone]
    ids = {id_ for text in texts for id_ in re.findall(r"\b[A-Z]+-\d+\b", text)}
    return {f"{KIND_OF[id_.split('-')[0]]}/{id_}" for id_ in ids}


def _corrected(user: UserScope) -> set[str]:
    return {one.correction_id for one in _facts(user) if one.type == "correction_recorded"}


def check(body: Body, must: Must) -> None:
    """Everything is there, with the exact values of the rows."""
    rows = records(body)
    for ref, row in must.records.items():
        held = rows[ref]
        kind = ref.partition("/")[0]
        expected = row["status"]
        if kind == "approval" and expected == "requested" and not _is_open(row):
            expected = "expired"
        if kind == "reminder" and expected == "set" and row["remind_at"] <= "2026-03-04T12":
            expected = "due"
        assert held["status"] == expected
        if expected in ENDED:
            continue
        for name in TIMES_OF[kind]:
            assert held.get(name) == row[name]
        if kind == "approval":
            assert (held["arguments"], held["action_hash"]) == (
                row["arguments"],
                row["action_hash"],
            )
    assert must.asked <= asked_in(body)
    assert must.blockers <= {one["task_id"] for one in body["blockers"]}
    tried = {(one["text"], one["outcome"], one["error"]) for one in body["attempts"]}
    assert must.attempts <= tried
    assert {one["correction_id"] for one in body["corrections"]} == must.corrections


def asked_in(body: Body) -> set[tuple[str, str]]:
    return {
        ("approval", f"approval/{one['approval_id']}")
        if one["approval_id"]
        else ("request", f"{one['task_id']}/{one['request_id']}")
        for one in body["pending_input"]
    }


def check_true(body: Body, user: UserScope) -> None:
    """What is told as pending or in the way is."""
    sections = user.index(now=NOW).sections
    tasks = {row["task_id"]: row for row in sections["tasks"]}
    approvals = {row["approval_id"]: row for row in sections["approvals"]}
    for one in body["pending_input"]:
        if one["approval_id"]:
            assert _is_open(approvals[one["approval_id"]])
        else:
            assert one["request_id"] in tasks[one["task_id"]]["requests"]
            assert tasks[one["task_id"]]["status"] not in ENDED
    assert not {tasks[one["task_id"]]["status"] for one in body["blockers"]} & ENDED


@FEW
@given(LOGS, LOGS)
def test_all_that_must_survive_does(house: House, first: list[Json], second: list[Json]) -> None:
    """From the thread into its checkpoint, and from that with what came later into the next; where
    nothing happened since, the next says the same."""
    user = house.user()
    happen(user, [*LEAST, *first])
    before = user.checkpoint("main", actor=AGENT).body.model_dump(mode="json")
    check(before, must_hold(user, set()))
    check_true(before, user)
    position = user.index(now=NOW).position
    happen(user, second)
    after = user.checkpoint("main", actor=AGENT).body.model_dump(mode="json")
    must = must_hold(user, set(records(before)), position)
    check(after, must)
    check_true(after, user)
    assert user.checkpoint_draft("main").model_dump(mode="json") == after


@FEW
@given(LOGS, st.data())
def test_nothing_can_be_left_out(house: House, log: list[Json], data: st.DataObject) -> None:
    """Any one thing taken out of a whole body, and it is refused by that thing's name."""
    user = house.user()
    happen(user, [*LEAST, *log])
    body = user.checkpoint_draft("main").model_dump(mode="json")
    parts = ("pending_input", "blockers", "attempts", "corrections", "artifact_ids")
    entries = [(part, place) for part in parts for place in range(len(body[part]))]
    columns = [(ref, name) for ref, held in records(body).items() for name in held]
    whole = [(ref, None) for ref in records(body)]
    where, what = data.draw(st.sampled_from([*entries, *columns, *whole]))
    less = deepcopy(body)
    if where in parts:
        gone = less[where].pop(what)
        names = [str(value) for value in (gone.values() if isinstance(gone, dict) else [gone])]
    elif what is None:
        del records(less)[where]
        names = [where]
    else:
        del records(less)[where][what]
        names = [f"{where}: {what}"]
    with pytest.raises(CheckpointIncomplete) as refused:
        user.checkpoint("main", actor=AGENT, body=less)
    told = " ".join(refused.value.missing)
    assert any(name in told for name in names)
    assert user.checkpoint("main", actor=AGENT, body=body).body.model_dump(mode="json") == body


# So that there is always a thread, and something that could be left out.
LEAST: list[Json] = [
    {"type": "create_task", "task_id": "T-9", "title": "Cake", "due_at": "2026-03-05T12:00:00Z"},
    {
        "type": "post_message",
        "message_id": "S-9",
        "thread_id": "main",
        "role": "user",
        "text": "See to T-9",
    },
]
