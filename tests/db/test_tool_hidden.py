"""Does a call tell that there is more than may be told, and nothing else of it?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from sessions import Backend
from things import SECRET, THINGS, world
from turns import NOW, do, say
from workindex import UserScope, WorkIndex
from workindex.assembler.envelope import Omission
from workindex.assembler.tools.asked import BODIES, ROWS
from workindex.assembler.tools.context import NOT_HERE
from workindex.assembler.tools.sight import Sight
from workindex.eventlog.database import Database

KINDS = (*ROWS, *BODIES)
OF_ROWS = [name for name, thing in THINGS.items() if thing.kind in ROWS]
OF_BODIES = [name for name, thing in THINGS.items() if thing.kind in BODIES]


@pytest.fixture
def ann(database: Database) -> UserScope:
    return WorkIndex(database, lambda: NOW).user("ann")


@pytest.fixture
def backend(database: Database) -> Backend:
    return Backend(database)


def hides(kind: str, *ids: str) -> Callable[[str, Any], bool]:
    return lambda one, row: one != kind or row[0] not in ids


def more_of(kind: str) -> Omission:
    return Omission(
        lane="evidence", source_id=f"hidden:{kind}", reason="not all of it may be told here"
    )


def calls(kind: str) -> list[dict[str, Any]]:
    """Every way to ask without ids: words that are in it or not, times that it has or not."""
    words: list[dict[str, Any]] = [{"query": SECRET}, {"query": "never said"}]
    if kind in BODIES:
        return words
    far = {"from": NOW + timedelta(days=900), "to": NOW + timedelta(days=901)}
    return [{}, *words, {"time_range": far}]


@pytest.mark.parametrize("name", [*OF_ROWS, *OF_BODIES])
def test_what_a_policy_hides_is_told_without_number_id_or_title(
    ann: UserScope, backend: Backend, name: str
) -> None:
    """The same words whatever is looked for, so that nobody finds out what a hidden row says; and
    nothing of it where no policy hides, or where it is asked for by id."""
    world(ann)
    thing = THINGS[name]
    thing.make(ann, {})
    ann.catch_up()
    hiding = backend.session(sight=Sight("private", hides(thing.kind, thing.id)))
    for call in calls(thing.kind):
        found = hiding.get_context(thing.kind, **call, max_tokens=8_000)
        assert [one for one in found.omissions if "hidden" in one.source_id] == [
            more_of(thing.kind)
        ], call
        assert thing.id not in str(found)
        assert SECRET not in str(found)
        open_to_all = backend.session().get_context(thing.kind, **call, max_tokens=8_000)
        assert "hidden" not in str(open_to_all)
    named = hiding.get_context(thing.kind, ids=[thing.id])
    missing = Omission(lane="evidence", source_id=f"{thing.kind}:{thing.id}", reason=NOT_HERE)
    assert named.omissions == (missing,)


@pytest.mark.parametrize("name", [one for one in THINGS if THINGS[one].has_sensitivity])
def test_so_is_what_is_too_sensitive(ann: UserScope, backend: Backend, name: str) -> None:
    """For whom less may be told; what has ended is nothing that is hidden."""
    world(ann)
    thing = THINGS[name]
    thing.make(ann, {"sensitivity": "restricted"})
    ann.catch_up()
    for call in calls(thing.kind):
        for session, told in ((backend.session(), True), (_trusted(backend), False)):
            found = session.get_context(thing.kind, **call, max_tokens=8_000)
            assert (more_of(thing.kind) in found.omissions) is told, call
    if thing.ends is not None:
        do(ann, **thing.ends)
        found = backend.session().get_context(thing.kind, query="never said")
        assert found.omissions == ()


def _trusted(backend: Backend) -> Any:
    return backend.session(sight=Sight("restricted"))


def test_which_words_and_times_a_hidden_row_has_changes_nothing(
    ann: UserScope, backend: Backend
) -> None:
    """Not a byte of the answer, whether it holds the words that are looked for or others."""
    world(ann)
    say(ann, "M-9", f"the {SECRET} city")
    do(ann, "create_task", task_id="T-9", title=f"{SECRET} city", due_at=NOW.isoformat())
    ann.catch_up()
    session = backend.session(
        sight=Sight("private", lambda _kind, row: row[0] not in {"M-9", "T-9"})
    )
    for kind in ("task", "message"):
        with_it, without = (session.get_context(kind, query=one) for one in (SECRET, "never"))
        assert with_it == without
    spans = [
        {"from": NOW + timedelta(days=day), "to": NOW + timedelta(days=day + 1)} for day in (0, 9)
    ]
    first, second = (session.get_context("task", time_range=one) for one in spans)
    assert first.omissions == second.omissions


def test_an_answer_of_the_state_path_says_it_too(ann: UserScope, backend: Backend) -> None:
    """Its total counts what is hidden, as before."""
    world(ann)
    THINGS["task"].make(ann, {})
    whole = backend.session().get_context("state", query="tasks", max_tokens=8_000)
    hiding = backend.session(sight=Sight("private", hides("task", "T-9")))
    part = hiding.get_context("state", query="tasks", max_tokens=8_000)
    assert whole.omissions == ()
    assert part.omissions == (more_of("state"),)
    assert part.items[0].content == whole.items[0].content
    assert hiding.get_context("state", query="meetings").omissions == ()
