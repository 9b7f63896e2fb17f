"""Do the first rows and the counts of the rest say what all the rows say?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from conftest import Urls
from engine import do_as_owner
from workindex import Actor, StateAnswer, UserScope, WorkIndex
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import utc
from workindex.eventlog.database import Database
from workindex.projections.verify import Verifier

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
WHOLE = 10_000
QUESTIONS = (
    "What needs me?",
    "How many things need me?",
    "What needs me next?",
    "What needs me tomorrow?",
    "What needs me today?",
    "What needs me this week?",
    "Anything overdue that needs me?",
    "What needs me on 2026-03-06?",
    "Does T-3 need me?",
    "Does A-4 need me?",
    "Does Q-5 need me?",
    "What are my tasks?",
    "Which tasks are open?",
    "Which tasks are blocked?",
    "Which tasks are active?",
    "Which tasks are done?",
    "Which tasks are overdue?",
    "Which tasks are due today?",
    "Which tasks are due tomorrow?",
    "Which tasks are due this week?",
    "Which blocked tasks are due tomorrow?",
    "What is my next task?",
    "What am I working on now?",
    "What is the status of T-7?",
    "Which approvals are waiting?",
    "Any approvals due tomorrow?",
    "Is approval A-2 still waiting?",
    "Which proposals are waiting?",
    "any proposals waiting for me this week",
    "Which routines are active?",
    "Which reminders do I have?",
    "Any reminders tomorrow?",
)
ME, AGENT = Actor(kind="user", id="me"), Actor(kind="agent", id="helper")


@pytest.fixture
def ann(urls: Urls) -> Iterator[UserScope]:
    """One user, with a clock that stands at NOW."""
    with closing(WorkIndex.open(urls.app, clock=lambda: NOW)) as work_index:
        yield work_index.user("ann")


def _at(random: Random) -> str:
    """One of a few instants around now, so that many are equal."""
    return utc(NOW + timedelta(hours=random.choice((-30, -3, 0, 2, 9, 14, 26, 26, 40, 100))))


def _later(random: Random) -> str:
    return utc(NOW + timedelta(hours=random.choice((1, 2, 9, 14, 26, 26, 40, 100))))


def _task(random: Random, number: int) -> list[dict[str, Any]]:
    """A task with a status, times and things that it waits for, some of them expired."""
    task: dict[str, Any] = {"task_id": f"T-{number}"}
    created = {"type": "create_task", "title": f"Task {number}", **task}
    if random.random() < 0.7:
        created["due_at"] = _at(random)
    told = [created]
    for request in range(random.choice((0, 1, 1, 2, 3))):
        kind = random.choice(("input", "decision", "approval"))
        asked = {"request_id": f"Q-{number}-{request}" if request else f"Q-{number}", "kind": kind}
        told.append({"type": "request_task_input", "prompt": f"What {request}?", **asked, **task})
        if random.random() < 0.6:
            told[-1]["expires_at"] = _later(random)
    if random.random() < 0.4:
        told.append(_approval(random, number) | task)
    status = random.choice((None, None, "start", "schedule", "block", "complete", "fail"))
    more = {"schedule": {"scheduled_at": _later(random)}, "block": {"reason": "No answer yet"}}
    if status is not None:
        told.append({"type": f"{status}_task", **task, **more.get(status, {})})
        if status == "fail":
            told[-1]["reason"] = "It broke"
    return told


def _approval(random: Random, number: int) -> dict[str, Any]:
    return {
        "type": "request_approval",
        "approval_id": f"A-{number}",
        "title": f"Pay {number}",
        "tool": "pay",
        "tool_schema_sha256": "0" * 64,
        "arguments": {"number": number},
        "target": "bank",
        "account": "mine",
        "expires_at": _later(random),
    }


def _others(random: Random, number: int) -> list[dict[str, Any]]:
    reminder = {"reminder_id": f"R-{number}", "title": "Call", "remind_at": _at(random)}
    proposal = {"proposal_id": f"P-{number}", "title": "Move", "routine_id": "RO-1"}
    told: list[dict[str, Any]] = [{"type": "set_reminder", **reminder}]
    told.append({"type": "make_proposal", **proposal})
    if random.random() < 0.7:
        told[-1]["expires_at"] = _later(random)
    if random.random() < 0.5:
        told.append(_approval(random, 100 + number))
    return told


def fill(user: UserScope, seed: int) -> None:
    """Some thirty tasks and a few of everything else that can need a person."""
    random = Random(seed)
    told: list[dict[str, Any]] = [{"type": "define_routine", "routine_id": "RO-1", "title": "Day"}]
    for number in range(30):
        told += _task(random, number)
    for number in range(6):
        told += _others(random, number)
    if random.random() < 0.5:
        told.append({"type": "set_preferences", "time_zone": "Pacific/Auckland"})
    for one in told:
        asks = one["type"].startswith(("request", "make"))
        user.record(one, actor=AGENT if asks else ME, occurred_at=NOW - timedelta(minutes=7))


def assert_same(bounded: StateAnswer, whole: StateAnswer, limit: int) -> None:
    """The same verdict, total and text, and the first of the same items."""
    assert bounded.reasons == whole.reasons == (), whole.filters
    assert (bounded.verdict, bounded.total, bounded.text) == (
        whole.verdict,
        whole.total,
        whole.text,
    )
    assert bounded.items == whole.items[:limit]
    assert (bounded.truncated, whole.truncated) == (whole.total > limit, False)
    # A verdict may hold longer than the items, and never holds longer than it is true.
    assert bounded.certificate["as_of"] is not None


@pytest.mark.pg15
@pytest.mark.parametrize("seed", range(2))
def test_the_first_rows_and_counts_say_what_all_rows_say(ann: UserScope, seed: int) -> None:
    """Whatever the question, the time and the bound; also where requests have expired since."""
    fill(ann, seed)
    answered = 0
    for hours in (0, 1.5, 20):
        now = NOW + timedelta(hours=hours)
        for text in QUESTIONS:
            whole = ann.ask(text, now=now, limit=WHOLE)
            assert whole is not None, text
            for limit in (1, 10, 13):
                bounded = ann.ask(text, now=now, limit=limit)
                assert bounded is not None, text
                assert_same(bounded, whole, limit)
                answered += bounded.total > limit
    assert answered > 100


def test_a_bounded_verdict_holds_until_it_says(ann: UserScope) -> None:
    """Just before `valid_until` the whole rows give the verdict and the total that were told."""
    fill(ann, 99)
    now = NOW
    for _ in range(12):
        told = ann.ask("What needs me?", now=now, limit=2)
        assert told is not None
        if told.certificate["valid_until"] is None:
            break
        until = datetime.fromisoformat(told.certificate["valid_until"])
        assert until > now
        last = ann.ask("What needs me?", now=until - timedelta(microseconds=1), limit=WHOLE)
        assert last is not None
        assert (last.verdict, last.total) == (told.verdict, told.total)
        now = until
    else:
        pytest.fail("the world has fewer than twelve instants at which something changes")


DAMAGE = {
    "the rows ended": ("UPDATE work_task SET requests = '{}', approvals = '{}'", True),
    "the requests expired": (
        """UPDATE work_task SET requests = jsonb_set(
            requests, ARRAY['Q', 'expires_at'], '"2020-01-01T00:00:00Z"')""",
        True,
    ),
    "nothing is needed yet": ("UPDATE work_task SET need_from_at = '2040-01-01'", False),
    "nothing is needed any more": (
        "UPDATE work_task SET need_until_at = '2020-01-01', need_steady_until_at = '2020-01-01'",
        False,
    ),
    "another due time": ("UPDATE work_task SET need_due_at = '2020-01-01'", False),
}


@pytest.mark.parametrize(("damage", "is_seen"), DAMAGE.values(), ids=DAMAGE)
def test_columns_that_disagree_with_their_rows(
    ann: UserScope, urls: Urls, damage: str, is_seen: bool
) -> None:
    """Counts that the rows read do not bear out prove nothing; verify finds every difference."""
    for number in range(14):
        task = {"task_id": f"T-{number}"}
        ann.record({"type": "create_task", "title": "Ask", **task}, actor=ME)
        request = {"type": "request_task_input", "request_id": "Q", "kind": "input", **task}
        ann.record({**request, "prompt": "What?"}, actor=AGENT)
    do_as_owner(urls, f"{damage} WHERE task_id <> 'T-0'")
    bounded = ann.ask("What needs me?", limit=3)
    assert bounded is not None
    assert (bounded.reasons == ("rows_missing",)) is is_seen
    assert (bounded.verdict == "unproven") is is_seen
    with closing(Database(urls.app, maint_url=urls.maint)) as database:
        found = Verifier(database).verify(["ann"]).differences
    assert {one.row for one in found} == {f"T-{number}" for number in range(1, 14)}


def test_rows_of_an_older_program_are_read_whole(ann: UserScope, urls: Urls) -> None:
    """Without the columns nothing can be counted, so nothing is left out."""
    fill(ann, 3)
    before = [ann.ask(text, limit=WHOLE) for text in QUESTIONS]
    nothing = ", ".join(
        f"need_{name}_at = NULL" for name in ("from", "steady_until", "until", "due", "since")
    )
    for table in ("work_task", "work_approval", "work_reminder", "work_proposal"):
        do_as_owner(urls, f"UPDATE {table} SET {nothing}")
    for text, whole in zip(QUESTIONS, before, strict=True):
        bounded = ann.ask(text, limit=2)
        assert bounded is not None
        assert whole is not None
        assert_same(bounded, whole, 2)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_bound_of_nothing_is_refused(ann: UserScope, limit: int) -> None:
    """An answer that could show nothing would look like "none"."""
    with pytest.raises(InvalidInput, match="limit"):
        ann.ask("What needs me?", limit=limit)
