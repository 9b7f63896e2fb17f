"""A generation is taken away whole, while programs of its fold version go on writing."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import Urls
from engine import Engine, do_as_owner, owner, question, task
from everything import fill
from generations import OPERATOR, copy_user, noted, states, stored
from next_program import NEXT
from workindex.domain.errors import CommandRefused, InvalidInput, Unavailable
from workindex.eventlog.database import Database
from workindex.projections import retire as retiring
from workindex.projections.generations import switch
from workindex.projections.rebuild import Rebuilder
from workindex.projections.retire import retire
from workindex.projections.verify import Verifier


def switched(database: Database) -> None:
    """The next program's generation is live, the running one's is kept."""
    Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR)
    switch(database, OPERATOR, projection_set=NEXT)


def left_of(urls: Urls, generation: int) -> list[str]:
    """Tables in which anything of the generation is left."""
    left = [name for name, rows in stored(urls, generation).items() if rows]
    due = "SELECT count(*) FROM catchup_due WHERE projection_set = 'inline' AND generation = %s"
    return left + ["catchup_due"] * (do_as_owner(urls, due, generation) != [(0,)])


def test_nothing_is_left(urls: Urls, database: Database) -> None:
    """Rows of every table, progress, what is due, and the registration; the live one is whole."""
    fill(database, "ann")
    copy_user(urls, "ann", ["bob"])
    switched(database)
    Engine(database, projection_set=NEXT).record(task("T-new"))  # generation 1 is due now
    assert "catchup_due" in left_of(urls, 1)
    live = stored(urls, 2)
    done = retire(database, OPERATOR)
    assert (done.generation.generation, done.users) == (1, 1)
    assert left_of(urls, 1) == []
    assert stored(urls, 2) == live
    assert states(urls) == {2: "live"}
    assert noted(urls)[-2:] == [("projections retire", "begun"), ("projections retire", "done")]
    assert not Verifier(database, projection_set=NEXT).verify().differences


def test_what_may_be_retired(urls: Urls, database: Database) -> None:
    """Never the live one; without a number the one that is kept, if it is one."""
    Engine(database).record(task("T-1"))
    with pytest.raises(CommandRefused, match="no older generation of inline is kept"):
        retire(database, OPERATOR)
    with pytest.raises(CommandRefused, match="generation 1 of inline is live"):
        retire(database, OPERATOR, generation=1)
    with pytest.raises(InvalidInput, match="no generation 5"):
        retire(database, OPERATOR, generation=5)
    for _ in range(2):
        Rebuilder(database).rebuild(OPERATOR)
        switch(database, OPERATOR)
    with pytest.raises(CommandRefused, match="the generations 1, 2 of inline are kept"):
        retire(database, OPERATOR)
    retire(database, OPERATOR, generation=2)
    Rebuilder(database).rebuild(OPERATOR)
    retire(database, OPERATOR, generation=4)  # one that was being built is given up
    retire(database, OPERATOR)
    assert states(urls) == {3: "live"}


def test_a_number_is_not_used_twice(urls: Urls, database: Database) -> None:
    """What a certificate or a note named stays what it was."""
    Engine(database).record(task("T-1"))
    for number in (2, 3):
        assert Rebuilder(database).rebuild(OPERATOR).generation.generation == number
        retire(database, OPERATOR, generation=number)


def test_while_programs_of_its_version_write(urls: Urls, database: Database) -> None:
    """Old writers go on, with new users too; nothing of theirs comes back, all answers are true."""
    for number in range(6):
        Engine(database, f"u-{number}").record(task("T-1"))
    switched(database)
    stop = threading.Event()

    def write(number: int) -> int:
        done = 0
        while not stop.is_set():
            user = Engine(database, f"u-{number}" if done % 3 else f"new-{number}-{done}")
            user.record(task(f"N-{done}"))
            user.record(question(f"N-{done}"))
            assert user.proof().verdict == "items"
            done += 1
        return done

    with ThreadPoolExecutor(6) as pool:
        writers = [pool.submit(write, number) for number in range(6)]
        try:
            time.sleep(0.3)
            retire(database, OPERATOR)
            time.sleep(0.3)
        finally:
            stop.set()
        assert all(writer.result() for writer in writers)
    assert left_of(urls, 1) == []
    assert states(urls) == {2: "live"}
    newer = Engine(database, "u-0", projection_set=NEXT)
    newer.record(task("T-last"))
    assert newer.proof().verdict == Engine(database, "u-0").proof().verdict


def test_an_append_that_began_before_is_waited_for(
    urls: Urls, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an open transaction wrote into it, even for a user nobody sees yet, goes with it."""
    Engine(database).record(task("T-1"))
    switched(database)
    wrote, go_on = threading.Event(), threading.Event()

    def first_append() -> None:
        with owner(urls) as conn, conn.transaction():
            conn.execute("INSERT INTO user_log VALUES ('late', 1, 0)")
            conn.execute(
                "INSERT INTO projection_progress (user_id, projection_set, generation, position, "
                "parked, skipped, open_count) VALUES ('late', 'inline', 1, 1, '{}', '{}', 0)"
            )
            conn.execute(
                "INSERT INTO work_due VALUES ('late', 1, 'reminder', 'R', '2026-03-02T09:00Z')"
            )
            wrote.set()
            assert go_on.wait(30)

    with ThreadPoolExecutor(2) as pool:
        late = pool.submit(first_append)
        assert wrote.wait(30)
        monkeypatch.setattr(retiring, "WAIT_SECONDS_MAX", 0.05)
        with pytest.raises(Unavailable, match=r"has not ended .* workindex projections retire"):
            retire(database, OPERATOR)
        assert states(urls) == {1: "retiring", 2: "live"}
        monkeypatch.undo()
        run = pool.submit(retire, database, OPERATOR)
        time.sleep(0.2)
        assert not run.done()
        go_on.set()
        late.result()
        assert run.result().generation.generation == 1
    assert left_of(urls, 1) == []


def test_rows_without_a_log_go_too(urls: Urls, database: Database) -> None:
    """Rows that damage left without progress, or without a user, are found by the scan."""
    Engine(database).record(task("T-1"))
    switched(database)
    do_as_owner(urls, "DELETE FROM projection_progress WHERE generation = 1")
    do_as_owner(urls, "UPDATE work_task SET user_id = 'nobody' WHERE generation = 1")
    do_as_owner(urls, "INSERT INTO catchup_due VALUES ('gone', 'inline', 1, 0, now())")
    assert set(left_of(urls, 1)) == {"work_task", "catchup_due"}
    retire(database, OPERATOR)
    assert left_of(urls, 1) == []


def test_a_busy_head_holds_up_nobody_else(urls: Urls, database: Database) -> None:
    """Whoever's head is held is taken at the end; the others are gone by then."""
    Engine(database).record(task("T-1"))
    copy_user(urls, "ann", ["bob", "cyd"])
    Rebuilder(database).rebuild(OPERATOR)
    with owner(urls) as conn, ThreadPoolExecutor() as pool:
        with conn.transaction():
            conn.execute("SELECT head FROM user_log WHERE user_id = 'bob' FOR NO KEY UPDATE")
            run = pool.submit(retire, database, OPERATOR, generation=2)
            while [one["user_id"] for one in stored(urls, 2)["progress"]] != ["bob"]:
                assert not run.done(), run.result()
                time.sleep(0.01)
        assert run.result().users == 3
    assert left_of(urls, 2) == []
