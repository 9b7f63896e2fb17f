"""Generations side by side: who moves which, who reads which, and what catches up by itself."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import Urls
from engine import Engine, do_as_owner, proof_of, question, task
from workindex.domain.memory import RecordClaim, WithdrawClaim
from workindex.domain.tasks import GiveTaskInput, StartTask
from workindex.eventlog.database import Database
from workindex.projections.functions import UNAPPLIED_EVENTS_MAX
from workindex.projections.sets import INLINE
from workindex.projections.work_index import LIVE_FOLD_EVENTS_MAX

pytestmark = pytest.mark.pg15
NEXT = INLINE._replace(fold_version=INLINE.fold_version + 1)


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user of the running program."""
    return Engine(database)


def register(urls: Urls, generation: int, fold_version: int, state: str) -> None:
    do_as_owner(
        urls,
        "INSERT INTO projection_generation VALUES ('inline', %s, %s, %s)",
        generation,
        fold_version,
        state,
    )


def change_state(urls: Urls, **states: str) -> None:
    """Generations' states by number, `g1="kept"`; the live one is named last."""
    for name, state in states.items():
        do_as_owner(
            urls,
            "UPDATE projection_generation SET state = %s WHERE generation = %s",
            state,
            int(name[1:]),
        )


def lag_behind(urls: Urls, ann: Engine, events: int) -> None:
    """Append events that no projection follows, as a program of another fold version would."""
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 99")
    ann.record_all([task(f"L-{number}") for number in range(events)])
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = %s", INLINE.fold_version)


def positions(urls: Urls, user_id: str = "ann") -> dict[int, int]:
    """Where each generation stands."""
    return dict(
        do_as_owner(
            urls,
            "SELECT generation, position FROM projection_progress "
            "WHERE user_id = %s AND projection_set = 'inline'",
            user_id,
        )
    )


def due(urls: Urls, user_id: str = "ann") -> set[int]:
    """The generations that somebody has to catch up."""
    rows = do_as_owner(
        urls,
        "SELECT generation FROM catchup_due WHERE user_id = %s AND projection_set = 'inline'",
        user_id,
    )
    return {row[0] for row in rows}


def read_from(ann: Engine) -> tuple[int | None, bool]:
    """Which generation a reader used, and whether it had to fold live."""
    certificate = ann.proof().certificate
    return certificate["projections"][0]["generation"], certificate["live"]


def test_an_append_moves_its_own_fold_version(urls: Urls, ann: Engine) -> None:
    """Every registered generation of that version but a retiring one; others become due."""
    register(urls, 2, 2, "building")
    register(urls, 3, 1, "kept")
    register(urls, 4, 1, "retiring")
    ann.record(task("T-1"))
    ann.record(question("T-1"))
    assert positions(urls) == {1: 2, 3: 2}
    assert due(urls) == {2}
    rows = do_as_owner(urls, "SELECT generation, open FROM work_task ORDER BY 1")
    assert rows == [(1, True), (3, True)]
    assert [ann.progress(g)["open_count"] for g in (1, 3)] == [1, 1]
    assert ann.is_whole()


def test_which_generation_is_read(urls: Urls, ann: Engine) -> None:
    """At head the live one, else the newest kept one at head; never one in building or retiring."""
    register(urls, 2, 1, "kept")
    register(urls, 3, 1, "kept")
    register(urls, 4, 1, "building")
    ann.record(task("T-1"))
    assert read_from(ann) == (1, False)
    change_state(urls, g1="kept", g2="live")
    assert read_from(ann) == (2, False)
    do_as_owner(urls, "UPDATE projection_progress SET position = 0 WHERE generation = 2")
    assert read_from(ann) == (3, False)
    change_state(urls, g3="retiring")
    assert read_from(ann) == (1, False)
    change_state(urls, g1="building")
    # Only the live one is left, and it lags: its rows and the tail are folded.
    do_as_owner(urls, "DELETE FROM work_task WHERE generation = 2")
    assert read_from(ann) == (2, True)
    change_state(urls, g2="building")
    assert read_from(ann) == (None, True)
    assert ann.proof().verdict == "proven_empty"


def test_other_generations_hold_back_no_proof(urls: Urls, ann: Engine) -> None:
    """Lag and parks count only where the reader reads."""
    register(urls, 2, 2, "building")
    register(urls, 3, 1, "kept")
    ann.record(task("T-1"))
    change_state(urls, g3="retiring")
    ann.record(task("T-2"))
    do_as_owner(
        urls,
        "UPDATE projection_progress SET parked = '{\"work_index\": {}}' WHERE generation = 3",
    )
    assert positions(urls) == {1: 2, 3: 1}
    assert ann.proof().verdict == "proven_empty"
    assert read_from(ann) == (1, False)


def test_next_program_beside_this_one(urls: Urls, ann: Engine) -> None:
    """Two fold versions append by turns: each answers truthfully, nobody touches the other's."""
    newer = Engine(ann.database, projection_set=NEXT)
    register(urls, 2, NEXT.fold_version, "building")
    ann.record(task("T-1"))
    newer.record(question("T-1"))
    assert positions(urls) == {1: 1}
    assert due(urls) == {1, 2}
    for engine, generation in ((ann, 1), (newer, None)):
        assert engine.proof().verdict == "items"
        assert read_from(engine) == (generation, True)
    ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="x"))
    assert positions(urls) == {1: 3}
    assert ann.proof().verdict == newer.proof().verdict == "proven_empty"
    assert ann.is_whole()


def test_a_generation_in_building_is_kept(urls: Urls, ann: Engine) -> None:
    """From a user's progress row on, the program of its version keeps it, reads or not."""
    newer = Engine(ann.database, "ann", projection_set=NEXT)
    register(urls, 2, NEXT.fold_version, "building")
    newer.record(task("T-1"))
    newer.record(question("T-1"))
    newer.record(StartTask(task_id="T-1"))
    assert positions(urls) == {2: 3}
    assert read_from(newer) == (None, True)
    assert newer.is_whole()
    change_state(urls, g1="kept", g2="live")
    assert read_from(newer) == (2, False)
    assert newer.proof().verdict == "items"


@pytest.mark.parametrize("blind", [True, False])
def test_the_next_append_catches_up(urls: Urls, ann: Engine, blind: bool) -> None:
    """A hundred events that no projection saw are folded by the next append, whatever it is."""
    ann.record(task("T-1"))
    lag_behind(urls, ann, UNAPPLIED_EVENTS_MAX)
    assert positions(urls) == {1: 1}
    assert due(urls) == {1}
    epoch = do_as_owner(urls, "SELECT epoch FROM user_log")
    ann.record(task("T-2") if blind else StartTask(task_id="L-7"))
    assert positions(urls) == {1: UNAPPLIED_EVENTS_MAX + 2}
    assert do_as_owner(urls, "SELECT epoch FROM user_log") == [(epoch[0][0] + 1,)]
    assert ann.is_whole()
    assert read_from(ann) == (1, False)


def test_further_behind_nobody_waits(urls: Urls, ann: Engine) -> None:
    """A hundred and one: the append is stored and moves nothing; the answer is folded live."""
    ann.record(task("T-1"))
    lag_behind(urls, ann, UNAPPLIED_EVENTS_MAX + 1)
    ann.record(task("T-2"))
    ann.record(question("L-7"))
    assert positions(urls) == {1: 1}
    proof = ann.proof()
    assert (proof.verdict, proof.certificate["live"]) == ("items", True)
    assert proof.certificate["position"] == len(ann.events()) == UNAPPLIED_EVENTS_MAX + 4


def test_live_fold_is_the_rows(urls: Urls, ann: Engine) -> None:
    """Rows and tail folded in one snapshot are what the projection has once it caught up."""
    ann.record(task("T-1"))
    ann.record(task("T-2"))
    ann.record(question("T-1"))
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 99")
    ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="x"))
    ann.record(question("T-2", "R-2"))
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 1")
    for want in ({"task": "open"}, {"task": "all", "reminder": "all", "meeting": "all"}):
        live: Any = ann.read(want)  # type: ignore[arg-type]
        whole: Any = ann.read(want, at_position=5)  # type: ignore[arg-type]
        assert (live.live, live.reasons) == (True, ())
        assert live.rows == whole.rows
    before = ann.read()
    ann.record(StartTask(task_id="T-1"))
    after = ann.read(at_position=5)
    assert (before.rows, before.position) == (after.rows, 5)
    assert read_from(ann) == (1, False)
    assert ann.is_whole()


def test_live_fold_of_one_projection(urls: Urls, ann: Engine) -> None:
    """Events of projections that were not asked for do not disturb the live fold."""
    ann.record(RecordClaim(claim_id="C-1", subject="ann", attribute="a", value=1))
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 99")
    ann.record(WithdrawClaim(claim_id="C-1"))
    ann.record(task("T-1"))
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 1")
    assert ann.proof().verdict == "proven_empty"
    reading = ann.read({"claim": "all", "task": "all"})
    assert (reading.live, reading.reasons) == (True, ())
    assert [row.status for row in reading.rows["claim"]] == ["withdrawn"]


@pytest.mark.parametrize(("limit", "reasons"), [(5, ()), (4, ("lag",))])
def test_limit_of_a_live_fold(
    urls: Urls, ann: Engine, monkeypatch: pytest.MonkeyPatch, limit: int, reasons: tuple[str, ...]
) -> None:
    """Up to so many events the verdict is the normal one, over it the lag is the reason."""
    assert LIVE_FOLD_EVENTS_MAX == 2_000
    monkeypatch.setattr("workindex.projections.work_index.LIVE_FOLD_EVENTS_MAX", limit)
    ann.record(task("T-1"))
    ann.record(question("T-1"))
    lag_behind(urls, ann, 5)
    proof = ann.proof()
    assert proof.reasons == reasons
    assert proof.verdict == ("unproven" if reasons else "items")
    assert proof.certificate["position"] == 7
    # The rows that were seen are there, for "at least".
    assert len(ann.read().rows["task"]) == 1
    monkeypatch.setattr("workindex.projections.work_index.LIVE_FOLD_EVENTS_MAX", 6)
    other = proof_of(Engine(ann.database, projection_set=NEXT).read())
    assert (other.verdict, other.reasons) == ("unproven", ("fold_version",))


def test_parked_in_one_generation(urls: Urls, ann: Engine) -> None:
    """Of two generations of one version one is parked: the other one keeps all of its rows."""
    register(urls, 2, 1, "kept")
    ann.record(task("T-1"))
    park(urls, 1, "work_index")
    ann.record(StartTask(task_id="T-1"))
    ann.record(question("T-1"))
    assert ann.progress(2) == {"position": 3, "parked": {}, "open_count": 1}
    assert ann.progress(1)["open_count"] == 0
    rows = do_as_owner(urls, "SELECT generation, status FROM work_task ORDER BY 1")
    assert rows == [(1, "open"), (2, "active")]
    assert not ann.verify().differences


def test_parked_in_every_generation(urls: Urls, ann: Engine) -> None:
    """Where no generation holds every member, none moves on with rows missing and no mark."""
    register(urls, 2, 1, "kept")
    ann.record(task("T-1"))
    park(urls, 1, "work_index")
    park(urls, 2, "memory")
    ann.record(StartTask(task_id="T-1"))
    ann.record(RecordClaim(claim_id="C-1", subject="ann", attribute="a", value=1))
    parked = {g: ann.progress(g)["parked"] for g in (1, 2)}
    assert set(parked[1]) == {"work_index"}
    assert parked[1]["work_index"]["reason"] == "a bug"  # the first record stays
    assert set(parked[2]) == {"memory", "work_index"}
    assert parked[2]["work_index"]["position"] == 2
    assert ann.proof().reasons == ("parked",)
    assert not ann.verify().differences


def park(urls: Urls, generation: int, member: str) -> None:
    record = '{"position": 2, "failed_position": 2, "reason": "a bug", "at": ""}'
    do_as_owner(
        urls,
        "UPDATE projection_progress SET parked = jsonb_build_object(%s::text, %s::jsonb) "
        "WHERE generation = %s",
        member,
        record,
        generation,
    )
