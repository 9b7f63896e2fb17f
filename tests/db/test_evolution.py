"""Whatever shape a stored event has, every reader sees it upcast, by the one decode function.

The whole log is written in today's shapes and then rewritten into older ones behind everybody's
back, while the program learns upcasters for them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from tempfile import NamedTemporaryFile
from typing import Any

import pytest

from commands import Command
from conftest import Urls
from driver import NOW
from engine import Engine, do_as_owner
from everything import EVERYTHING, SHOWN, fill, give
from generations import OPERATOR, stored
from workindex.domain import ALL_CONCEPTS, ALL_FACTS
from workindex.domain.approval_commands import GrantApproval
from workindex.domain.proactive_commands import AnswerProposal
from workindex.domain.tasks import GiveTaskInput
from workindex.eventlog.database import Database, tenant_transaction
from workindex.eventlog.mapper import MODELS, UPCASTERS, FactMapper
from workindex.eventlog.recorder import UserRecorder
from workindex.projections.awaiting import catch_up_user
from workindex.projections.follower import Follower
from workindex.projections.loading import LogLoader
from workindex.projections.rebuild import Rebuilder
from workindex.projections.sets import ALL_SETS, INLINE, TABLE_OF_KIND, ProjectionSet

LATER = NOW + timedelta(minutes=30)
EVERY_ROW: dict[str, Any] = dict.fromkeys(TABLE_OF_KIND, "all")
HELD = 60  # so many commands of bob's were followed by his rows
Told = Callable[[Urls, Database], Any]


@pytest.fixture
def filled(urls: Urls, database: Database) -> Database:
    """ann has everything; bob, too, but his rows hold the first part of it only."""
    fill(database, "ann")
    for step in EVERYTHING[:HELD]:
        give(database, "bob", step)
    as_version(urls, 99)
    behind = Engine(database, "bob", projection_set=INLINE._replace(fold_version=99))
    for step in EVERYTHING[HELD:]:
        if SHOWN in step.command.values():
            id_ = step.command["approval_id"]
            step = step._replace(command=step.command | {"action_hash": shown(behind, id_)})
        give(database, "bob", step)
    as_version(urls, INLINE.fold_version)
    return database


def as_version(urls: Urls, fold_version: int) -> None:
    """Say that the inline generation belongs to programs of this version."""
    do_as_owner(
        urls,
        "UPDATE projection_generation SET fold_version = %s WHERE projection_set = 'inline'",
        fold_version,
    )


def shown(engine: Engine, approval_id: str) -> str:
    """The hash of an approval, as a person is shown it."""
    rows = engine.read({"approval": "all"}).rows["approval"]
    hashes = {row.approval_id: row.action_hash for row in rows}
    return str(hashes[approval_id])


@pytest.fixture
def evolve(urls: Urls, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes every stored event one of an older shape, and the program one that knows it."""

    def unwrapped(data: dict[str, Any]) -> dict[str, Any]:
        old: dict[str, Any] = data["old"] if data.keys() == {"old"} else data
        return old

    def evolve_all() -> None:
        do_as_owner(urls, "UPDATE event SET data = jsonb_build_object('old', data)")
        for (type_, version), model in list(MODELS.items()):
            monkeypatch.delitem(MODELS, (type_, version))
            monkeypatch.setitem(MODELS, (type_, version + 1), model)
            monkeypatch.setitem(UPCASTERS, (type_, version), unwrapped)

    return evolve_all


def told_log(urls: Urls, database: Database) -> Any:
    """`workindex log`."""
    return [Command(urls.env)("log", user, "--json").lines for user in ("ann", "bob")]


def told_reasons(urls: Urls, database: Database) -> Any:
    """`workindex explain` of a row, and of every entity that a command made."""
    names = ["T-1", "meeting/M-1", "A-9", "R-1", "RE-1", "ACC-2", "SRC-1", "PR-2", "C-1"]
    return [Command(urls.env)("explain", "ann", name, "--json").document for name in names]


def folded_again(urls: Urls, database: Database) -> Any:
    """`workindex explain --certificate`, over the whole log and over half of it."""
    workindex = Command(urls.env)
    told = []
    for place in ((), ("--at-position", "50")):
        answer = workindex(
            "ask", "ann", "What needs me?", "--now", LATER.isoformat(), "--json", *place
        )
        with NamedTemporaryFile("w", suffix=".json") as file:
            file.write(answer.out)
            file.flush()
            again = workindex("explain", "--certificate", file.name, "--json").document
        told.append((answer.document, again))
    return told


def rows_at(urls: Urls, database: Database) -> Any:
    """The Work Index at every tenth position, folded from the log."""
    ann = Engine(database)
    return [
        (reading.reasons, reading.rows)
        for position in range(0, len(ann.events()), 10)
        for reading in [ann.read(EVERY_ROW, at_position=position)]
    ]


def rows_live(urls: Urls, database: Database) -> Any:
    """Rows with the tail that they do not hold yet."""
    reading = Engine(database, "bob").read(EVERY_ROW, now=LATER)
    assert reading.live
    return reading.reasons, reading.rows


def states_for_decisions(urls: Urls, database: Database) -> Any:
    """What decisions look at: replayed where they never trust rows, and where rows are behind."""
    kinds = [entity.kind for concept in ALL_CONCEPTS for entity in concept.entities]
    states = {}
    for user in ("ann", "bob"):
        refs = {ref for event in Engine(database, user).events() for ref in event.fact.touches}
        refs = {ref for ref in refs if ref.partition("/")[0] in kinds}
        with database.connection() as conn, tenant_transaction(conn, user):
            loader = LogLoader(conn, user, INLINE, FactMapper(), may_replay=True)
            loaded = loader.load(sorted(refs), [])
        states[user] = {ref: known.state for ref, known in loaded.known.items()}
        assert {ref.partition("/")[0] for ref in refs} == set(kinds)
    return states


def verified(urls: Urls, database: Database) -> Any:
    """`workindex projections verify`."""
    return Command(urls.env)("projections", "verify", "--json", code=None).document


def through_the_library(urls: Urls, database: Database) -> Any:
    """The library's port, by stream and by position."""
    mapper = FactMapper()
    recorder = UserRecorder(database.connection, "ann")
    stored = recorder.select_events("task/T-1")
    assert len(recorder.select_notifications(1, 1_000)) == recorder.max_notification_id()
    return [event.fact.model_dump() for event in map(mapper.to_domain_event, stored)]


PATHS: tuple[Told, ...] = (
    told_log,
    told_reasons,
    folded_again,
    rows_at,
    rows_live,
    states_for_decisions,
    verified,
    through_the_library,
)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)
def test_every_path_upcasts(
    urls: Urls, filled: Database, evolve: Callable[[], None], path: Told
) -> None:
    """Each reader tells of events of an older shape what it told of them in today's."""
    before = path(urls, filled)
    assert before
    evolve()
    assert path(urls, filled) == before


def test_rows_that_were_behind(urls: Urls, filled: Database, evolve: Callable[[], None]) -> None:
    """Old events that an append catches up give the rows that new ones gave."""
    bob = Engine(filled, "bob")
    before = bob.read(EVERY_ROW, now=LATER)
    evolve()
    bob.record(AnswerProposal(proposal_id="PR-1", answer="declined"), now=LATER)
    after = bob.read(EVERY_ROW, now=LATER)
    assert (after.live, after.reasons) == (False, ())
    changed = {kind for kind, rows in after.rows.items() if rows != before.rows[kind]}
    assert changed == {"proposal", "routine"}
    assert bob.is_whole()


@pytest.mark.parametrize("projection_set", ALL_SETS, ids=lambda one: one.name)
def test_rebuilt_from_old_events(
    urls: Urls, filled: Database, evolve: Callable[[], None], projection_set: ProjectionSet
) -> None:
    """A new generation out of old events holds the rows that new ones made, documents too."""
    Engine(filled, "bob").record(AnswerProposal(proposal_id="PR-1", answer="declined"), now=LATER)
    for user in ("ann", "bob"):
        catch_up_user(Follower(filled), filled, user, timeout_s=60)
    before = stored(urls, 1, projection_set)
    assert before["progress"]
    evolve()
    outcome = Rebuilder(filled, projection_set=projection_set).rebuild(OPERATOR)
    assert outcome.is_whole
    assert stored(urls, 2, projection_set) == before


def test_old_and_new_events_in_one_stream(
    urls: Urls, filled: Database, evolve: Callable[[], None]
) -> None:
    """Commands are decided on old events, and what they append is read beside them."""
    evolve()
    ann = Engine(filled)
    before = len(ann.events())
    ann.record(GiveTaskInput(task_id="T-1", request_id="Q-3", answer="x"), now=LATER)
    approve = GrantApproval(approval_id="A-1", action_hash=shown(ann, "A-1"))
    ann.record(approve, now=LATER)
    assert ann.is_whole()
    stored = do_as_owner(
        urls, "SELECT data ? 'old' FROM event WHERE user_id = 'ann' ORDER BY position"
    )
    assert [old for (old,) in stored] == [True] * before + [False] * 2


def test_what_is_stored_names_no_code(urls: Urls, filled: Database) -> None:
    """An event is stored under its type and version, so that classes may be renamed and moved."""
    known = {fact.__name__ for fact in ALL_FACTS}
    stored = do_as_owner(urls, "SELECT type, (to_jsonb(event) - 'data')::text FROM event")
    assert {type_ for type_, _ in stored} == {type_ for type_, _ in MODELS} - {"user_erased"}
    for _, text in stored:
        assert "workindex." not in text
        assert not any(name in text for name in known)
