"""A connection that is cut while a commit is on its way, and a clock that goes backwards.

Something between the program and its server loses one message: the request, so that nothing was
done, or the answer, so that the program cannot know. Whoever has the key finds out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from typing import NamedTuple

import pytest

from conftest import Urls
from cutting import Cutter, Lost, cutter
from driver import NOW, actor
from engine import Engine, do_as_owner, order, question, task
from workindex import WorkIndex
from workindex.domain.errors import Unavailable
from workindex.domain.tasks import ChangeTask, GiveTaskInput
from workindex.eventlog.database import Database
from workindex.projections.planning import Order

# Only what is appended holds this word; a read looks up ids and keys.
WORD = "the word that cuts"


class Way(NamedTuple):
    """What is recorded and what cuts it; `lags` sends it down the path that locks and commits."""

    orders: Callable[[], list[Order]]
    word: str = WORD
    lags: bool = False


def change(key: str | None) -> list[Order]:
    """A command that is decided from what is there."""
    return [order(ChangeTask(task_id="T-1", title=WORD), key=key)]


WAYS: dict[str, Way] = {
    "decided without reading": Way(lambda: [order(task("T-2", title=WORD), key="K")]),
    "read, decided, appended": Way(lambda: change("K")),
    "a key made by the library": Way(lambda: change(None)),
    "a batch": Way(lambda: [*change("K"), order(task("T-2"), key="L")]),
    "under the lock": Way(lambda: change("K"), lags=True),
    "COMMIT": Way(lambda: change("K"), word="COMMIT", lags=True),
    "COMMIT of a batch": Way(
        lambda: [*change("K"), order(task("T-2"), key="L")], word="COMMIT", lags=True
    ),
}


@pytest.fixture
def cut(urls: Urls) -> Iterator[Cutter]:
    """What the program connects through."""
    with cutter(urls) as made:
        yield made


@pytest.fixture
def ann(urls: Urls, cut: Cutter) -> Iterator[Engine]:
    """A user with a task that waits, whose program connects through the cutter."""
    through = cut.through(urls)
    with closing(Database(through.app, maint_url=urls.maint)) as database:
        engine = Engine(database)
        engine.record(task("T-1"))
        engine.record(question("T-1"))
        yield engine


def lag(urls: Urls) -> None:
    """Put the projection at the start, so that an append takes the locked path."""
    do_as_owner(urls, "DELETE FROM work_task")
    do_as_owner(urls, "UPDATE projection_progress SET position = 0, open_count = 0")


@pytest.mark.faults
@pytest.mark.parametrize("lost", ["request", "answer"])
@pytest.mark.parametrize("name", WAYS)
def test_cut_in_the_middle(urls: Urls, ann: Engine, cut: Cutter, name: str, lost: Lost) -> None:
    """The caller has one result, without doing anything: the first where the answer was lost."""
    way = WAYS[name]
    if way.lags:
        lag(urls)
    orders = way.orders()
    cut.arm(way.word, lost)
    receipts = ann.write(orders, NOW)
    assert cut.cuts == 1
    # Under the lock only a COMMIT that the server has heard makes anything last.
    was_stored = lost == "answer" and not (way.lags and way.word == WORD)
    assert [one.duplicate for one in receipts] == [was_stored] * len(orders)
    assert [one.positions for one in receipts] == [(3 + n,) for n in range(len(orders))]
    again = ann.write(orders, NOW)
    assert [(one.positions, one.duplicate) for one in again] == [
        (one.positions, True) for one in receipts
    ]
    assert len(ann.events()) == 2 + len(orders)
    assert ann.is_whole()


@pytest.mark.faults
def test_cut_for_good(ann: Engine, cut: Cutter) -> None:
    """Where nobody comes through again it is Unavailable; later the key says what became of it."""
    given = GiveTaskInput(task_id="T-1", request_id="R-1", answer=WORD)
    cut.arm(WORD, "answer", for_good=True)
    with pytest.raises(Unavailable):
        ann.record(given, key="K")
    answer = WorkIndex(ann.database).user("ann").ask("what needs me?")
    assert answer is not None
    assert (answer.verdict, answer.reasons) == ("unproven", ("unavailable",))
    cut.mend()
    receipt = ann.record(given, key="K")
    assert (receipt.positions, receipt.duplicate) == ((3,), True)
    assert ann.proof().verdict == "proven_empty"
    assert ann.is_whole()


@pytest.mark.faults
@pytest.mark.pg15
def test_a_clock_that_goes_backwards(database: Database) -> None:
    """Positions and versions stay dense and order is position, whatever time each fact says."""
    steps = iter(range(10_000))

    def clock() -> object:
        return NOW - timedelta(hours=7 * next(steps))

    work_index = WorkIndex(database, clock=clock)  # type: ignore[arg-type]
    ann, me = work_index.user("ann"), actor("user")
    ann.record({"type": "create_task", "task_id": "T-1", "title": "0"}, actor=me)
    for number in range(1, 12):
        ann.record({"type": "change_task", "task_id": "T-1", "title": str(number)}, actor=me)
    events = list(ann.log())
    assert [event.position for event in events] == list(range(1, 13))
    assert [event.stream_version for event in events] == list(range(1, 13))
    assert [event.fact.model_dump()["title"] for event in events] == [str(n) for n in range(12)]
    times = [event.recorded_at for event in events]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == 12
    (row,) = ann.index(now=NOW).to_json()["tasks"]
    assert row["title"] == "11"
    (then,) = ann.index(now=NOW, at_position=5).to_json()["tasks"]
    assert then["title"] == "4"
    answer = ann.ask("what needs me?", now=times[-1])
    assert answer is not None
    assert answer.verdict == "proven_empty"
    assert Engine(database).is_whole()
