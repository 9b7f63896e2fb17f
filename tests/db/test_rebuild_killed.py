"""A rebuild or a retire that is killed anywhere goes on, and the end is that of one never killed.

Each test runs a process of its own that is ended with SIGKILL at a named place.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from conftest import Urls
from dying import die_at, run_to
from engine import Engine, do_as_owner, question, task
from generations import OPERATOR, copy_user, noted, states, stored
from workindex.eventlog import failpoints
from workindex.eventlog.database import Database
from workindex.projections.generations import rollback, switch
from workindex.projections.rebuild import Rebuilder
from workindex.projections.retire import retire
from workindex.projections.verify import Verifier

pytestmark = pytest.mark.faults

REBUILD = [name for name in failpoints.OPERATOR_NAMES if name.startswith("rebuild.")]
RETIRE = [name for name in failpoints.OPERATOR_NAMES if name.startswith("retire.")]
SWITCH = [name for name in failpoints.OPERATOR_NAMES if name.startswith("switch.")]


@pytest.fixture
def world(urls: Urls, database: Database) -> None:
    """One long log and ten short ones."""
    some = [task(f"T-{number}") for number in range(25)]
    Engine(database, "m").record_all([*some, *(question(f"T-{number}") for number in range(25))])
    Engine(database, "a").record_all([task("T-1"), question("T-1")])
    copy_user(urls, "a", [f"a-{number}" for number in range(5)])
    copy_user(urls, "a", [f"z-{number}" for number in range(4)])


def is_whole(urls: Urls, database: Database) -> bool:
    """Whether generation 2 holds every user as the log says."""
    report = Verifier(database).verify()
    assert not report.differences, report.differences[:3]
    rows = stored(urls, 2)
    assert len(rows["progress"]) == 11
    for name, live in stored(urls, 1).items():
        kept = [row for row in rows[name] if row["user_id"] in ("a", "m")]
        assert kept == live
    return True


@pytest.mark.parametrize("place", REBUILD)
def test_a_rebuild_killed_there_goes_on(
    urls: Urls, database: Database, world: None, place: str
) -> None:
    """What was built stays, a writer goes on in between, and the next run makes it whole."""
    die_at(urls, place, "rebuild")
    assert states(urls) == {1: "live", 2: "building"}
    before = {one["user_id"]: one["position"] for one in stored(urls, 2)["progress"]}
    report = Verifier(database).verify()
    assert not report.differences, report.differences[:3]
    Engine(database, "m").record(task("T-while-dead"))
    outcome = Rebuilder(database).rebuild(OPERATOR)
    assert outcome.is_resumed
    assert outcome.done.users == 11 - len(before) + (0 < before.get("m", 0) < 100)
    assert is_whole(urls, database)


def test_killed_again_and_again(urls: Urls, database: Database, world: None) -> None:
    """A rebuild that dies at each place in turn, over and over, ends by going on."""
    for place in REBUILD[1:]:
        assert run_to(urls, place, "rebuild") in (0, -signal.SIGKILL)
        assert not Verifier(database).verify().differences
    assert not [one for one in noted(urls) if one[1] not in ("begun", "goes on", "done")]
    Rebuilder(database).rebuild(OPERATOR)
    assert is_whole(urls, database)


@pytest.mark.parametrize("place", SWITCH)
@pytest.mark.parametrize("action", ["switch", "rollback"])
def test_a_switch_killed_there_is_done_or_not(
    urls: Urls, database: Database, world: None, place: str, action: str
) -> None:
    """One generation is live, that of before or the other one; the note is there if it was done."""
    Rebuilder(database).rebuild(OPERATOR)
    Rebuilder(database).rebuild(OPERATOR)
    if action == "rollback":
        switch(database, OPERATOR)
        # Whoever has no row in the old generation came by a copy; the live program keeps it.
        do_as_owner(
            urls,
            "INSERT INTO projection_progress SELECT user_id, projection_set, 1, position, parked, "
            "open_count, skipped FROM projection_progress p WHERE generation = 2 "
            "AND NOT EXISTS (SELECT FROM projection_progress q "
            "WHERE q.user_id = p.user_id AND q.generation = 1)",
        )
    before, count = states(urls), len(noted(urls))
    die_at(urls, place, action)
    is_done = place == "switch.committed"
    assert (states(urls) != before) is is_done
    assert (len(noted(urls)) > count) is is_done
    if not is_done:
        (rollback if action == "rollback" else switch)(database, OPERATOR)
    wanted = {1: "live", 2: "kept"} if action == "rollback" else {1: "kept", 2: "live"}
    assert states(urls) == wanted


@pytest.mark.parametrize("place", RETIRE)
def test_a_retire_killed_there_goes_on(
    urls: Urls, database: Database, world: None, place: str
) -> None:
    """Nobody reads what is going, and the next run leaves nothing of it behind."""
    Rebuilder(database).rebuild(OPERATOR)
    live = stored(urls, 1)
    die_at(urls, place, "retire")
    assert states(urls) == {1: "live", 2: "retiring"}
    Engine(database, "a").record(task("T-while-dead"))
    assert Engine(database, "m").proof().certificate["projections"][0]["generation"] == 1
    retire(database, OPERATOR)
    assert states(urls) == {1: "live"}
    assert not any(stored(urls, 2).values())
    left = "SELECT count(*) FROM catchup_due WHERE projection_set = 'inline' AND generation = 2"
    assert do_as_owner(urls, left) == [(0,)]
    do_as_owner(urls, "DELETE FROM work_task WHERE task_id = 'T-while-dead'")
    assert stored(urls, 1)["work_task"] == live["work_task"]


def test_every_place_is_in_the_code() -> None:
    """The list of places of operators' actions and the places in the code are the same."""
    folder = Path(failpoints.__file__).parents[1] / "projections"
    found = {
        line.split('"')[1]
        for path in folder.glob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if 'failpoint("' in line
    }
    operators = {name for name in found if name.split(".")[0] in ("rebuild", "switch", "retire")}
    assert operators == set(failpoints.OPERATOR_NAMES)
