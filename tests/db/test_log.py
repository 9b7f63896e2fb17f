"""Reading the log through the public API."""

from __future__ import annotations

import pytest

from workindex import Actor, InvalidInput, WorkIndex
from workindex.service import client

ANN = Actor(kind="user", id="ann")


def filled(work_index: WorkIndex, count: int) -> client.UserScope:
    """A user with `count` tasks of one event each."""
    ann = work_index.user("ann")
    ann.record_all(
        [{"type": "create_task", "task_id": f"T-{n}", "title": "x"} for n in range(1, count + 1)],
        actor=ANN,
    )
    return ann


@pytest.mark.parametrize("page", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("limit", [None, 0, 1, 3, 6, 7, 8])
def test_pages_change_nothing(
    work_index: WorkIndex, monkeypatch: pytest.MonkeyPatch, page: int, limit: int | None
) -> None:
    """However long a page is, the log is the same events in the order of positions."""
    ann = filled(work_index, 7)
    monkeypatch.setattr(client, "PAGE_EVENTS", page)
    wanted = list(range(1, 8))[:limit]
    assert [event.position for event in ann.log(limit=limit)] == wanted
    assert [event.position for event in ann.log(2, 6, limit=limit)] == list(range(2, 7))[:limit]


def test_a_slow_reader_holds_no_connection(
    work_index: WorkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two events of a half-read log every connection is free, and new events are seen."""
    ann = filled(work_index, 4)
    monkeypatch.setattr(client, "PAGE_EVENTS", 2)
    events = ann.log()
    first = next(events)
    with work_index.database.connection() as conn:
        row = conn.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
        ).fetchone()
    assert row == (0,)
    ann.record({"type": "start_task", "task_id": "T-1"}, actor=ANN)
    assert [first.position, *(event.position for event in events)] == [1, 2, 3, 4, 5]
    assert [event.position for event in ann.log(stream="task/T-1")] == [1, 5]


def test_a_closed_work_index_answers_nothing(work_index: WorkIndex) -> None:
    """After close every use is a typed error; nothing opens a connection again."""
    ann = filled(work_index, 1)
    work_index.close()
    for use in (
        lambda: ann.ask("what needs me?"),
        lambda: list(ann.log()),
        lambda: ann.record({"type": "start_task", "task_id": "T-1"}, actor=ANN),
    ):
        with pytest.raises(InvalidInput, match="closed"):
            use()
