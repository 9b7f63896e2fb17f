"""What goes into the log comes out unchanged, or is refused whole with a typed error."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import psycopg
import pytest

from conftest import Cluster, Urls
from driver import actor
from engine import Engine, do_as_owner, order, owner, task
from workindex import UserScope, WorkIndex
from workindex.domain.approval_commands import RequestApproval
from workindex.domain.canonical import payload
from workindex.domain.errors import BatchRefused, InvalidInput
from workindex.domain.facts import Command
from workindex.domain.tasks import CreateTask, SetTaskField, TaskFieldSet
from workindex.eventlog.append import EVENT_BYTES_MAX, Batch, NewKey, append
from workindex.eventlog.database import Database
from workindex.projections.planning import BATCH_EVENTS_MAX

ANN = actor("user")
NUMBERS = count(1)
HALF = b"\xed\xa0\x80".decode("utf-8", "surrogatepass")


@pytest.fixture(scope="module")
def shared(cluster: Cluster) -> Iterator[WorkIndex]:
    """One database for all tests that need no more than a user of their own."""
    urls = cluster.clone()
    with WorkIndex(Database(urls.app)) as work_index:
        yield work_index
    cluster.drop(urls)


@pytest.fixture
def ann(shared: WorkIndex) -> UserScope:
    """A new user with one task."""
    scope = shared.user(f"ann {next(NUMBERS)}")
    scope.record(task("T-1"), actor=ANN)
    return scope


def create(title: str, **fields: Any) -> dict[str, Any]:
    return {"type": "create_task", "title": title, **fields}


@pytest.mark.pg15
@pytest.mark.parametrize("bad", ["a\x00b", f"a{HALF}b"], ids=["NUL", "half a surrogate pair"])
def test_one_bad_text_of_fifty(ann: UserScope, bad: str) -> None:
    """A batch with one unusable text is refused whole, names its place, and leaves no scar."""
    entries = [create(bad if place == 17 else f"task {place}") for place in range(50)]
    for _ in range(3):
        with pytest.raises(BatchRefused) as caught:
            ann.record_all(entries, actor=ANN)
        assert caught.value.index == 17
        assert caught.value.code == "invalid_input"
        assert caught.value.field == "title"
    assert len(list(ann.log())) == 1
    entries[17] = create("task 17")
    assert len(ann.record_all(entries, actor=ANN)) == 50


def test_refused_entry_is_named_by_its_place_in_the_batch(ann: UserScope) -> None:
    """Entries that were recorded before count too when the refused one is named."""
    first = [create("one", task_id="A"), create("two", task_id="B")]
    ann.record_all(first, actor=ANN, key="k")
    with pytest.raises(BatchRefused) as caught:
        ann.record_all([*first, {"type": "start_task", "task_id": "nowhere"}], actor=ANN, key="k")
    assert (caught.value.index, caught.value.code) == (2, "unknown_task")
    with pytest.raises(BatchRefused) as caught:
        ann.record_all([first[0], create("other", task_id="C")], actor=ANN, key="k")
    assert (caught.value.index, caught.value.code) == (1, "duplicate_key_conflict")
    assert len(list(ann.log())) == 3


@pytest.mark.pg15
@pytest.mark.parametrize(
    "value",
    [
        r"the six characters \u0000 stay",
        "2019-11-21T11:11:50+08:00",
        {"b": 1, "a": {"z": None, "y": [True, 1, 1.0, "1"]}},
        {"big": 2**60, "whole": 1.0, "least": -(2**63), "most": 2**64 - 1, "tiny": 5e-324},
        [
            1e15,
            1e16,
            1e17,
            -1e18,
            1.2345678901234568e18,
            9.3e18,
            1.8446744073709552e19,
            2e19,
            1e300,
        ],
        {"1e17": 1e17, 'quoted "1e17" \\': [-1.5e16, "1e18", 10**16, 0.1 + 0.2, 1.5e-16]},
        {"": "empty name", "ключ": "日本", "emoji": "👩‍👩‍👧", "quote": '"\\/\b\f\n\r\t'},
        ["", " ", "\u2028", "\ufeff", "\ud7ff", "\U0010ffff", "e\u0301", "\u00e9"],
        [],
        {},
        [[[[[[]]]]]],
    ],
)
def test_value_comes_back_unchanged(ann: UserScope, value: Any) -> None:
    """From the log and from the row; and its hash is the same after the round trip."""
    command = SetTaskField(task_id="T-1", name="f", value=value)
    ann.record(command, actor=ANN)
    fact = list(ann.log())[-1].fact
    assert isinstance(fact, TaskFieldSet)
    row = ann.index().sections["tasks"][0]["fields"]["f"]["value"]
    for found in (fact.value, row):
        assert found == value
        assert repr(_sorted(found)) == repr(_sorted(value))  # 1, 1.0 and True are three values
    again = command.model_copy(update={"value": fact.value})
    assert payload(again) == payload(command)


@pytest.mark.parametrize("place", [lambda v: v, lambda v: [1, v], lambda v: {"a": [{"b": v}]}])
def test_no_minus_zero(ann: UserScope, place: Callable[[float], Any]) -> None:
    """The log keeps no -0.0: receipt, log and row say 0.0, and it is the same command."""
    given = {"type": "set_task_field", "task_id": "T-1", "name": "f", "value": place(-0.0)}
    first = ann.record(given, actor=ANN, key="k")
    facts = [first.events[0].fact, list(ann.log())[-1].fact]
    assert all(isinstance(fact, TaskFieldSet) for fact in facts)
    values = [fact.value for fact in facts if isinstance(fact, TaskFieldSet)]
    values.append(ann.index().sections["tasks"][0]["fields"]["f"]["value"])
    assert [repr(value) for value in values] == [repr(place(0.0))] * 3
    again = ann.record(given | {"value": place(0.0)}, actor=ANN, key="k")
    assert (again.duplicate, again.positions) == (True, first.positions)
    # A text that looks like one is left alone.
    text = ann.record(given | {"value": "-0.0", "name": "-0.0"}, actor=ANN)
    fact = text.events[0].fact
    assert isinstance(fact, TaskFieldSet)
    assert (fact.name, fact.value) == ("-0.0", "-0.0")


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "value",
    ["a\x00", HALF, {"a\x00": 1}, {HALF: 1}, [float("nan")], float("inf"), 2**64, -(2**63) - 1],
    ids=repr,
)
def test_value_that_cannot_be_stored(ann: UserScope, value: Any) -> None:
    """Refused with the path of the culprit before anything reaches the database."""
    with pytest.raises(InvalidInput) as caught:
        ann.record({"type": "set_task_field", "task_id": "T-1", "name": "f", "value": value},
                   actor=ANN)  # fmt: skip
    assert str(caught.value.field).startswith("value")
    with pytest.raises(InvalidInput):
        ann.record(SetTaskField(task_id="T-1", name="f", value=value), actor=ANN)
    assert len(list(ann.log())) == 1


def test_one_limit_for_the_size_of_an_event(database: Database) -> None:
    """What the append takes, every reader takes; what is larger is refused by the append."""
    ann = Engine(database)
    largest = task("T-1", description="x" * 1_000_000)
    ann.record(largest)
    assert ann.read({"task": "all"}).rows["task"][0].description == largest.description
    assert ann.is_whole()
    with pytest.raises(InvalidInput, match=f"create_task takes .* at most {EVENT_BYTES_MAX}"):
        ann.record(task("T-2", description="é" * 600_000))
    # The fact of this command holds its arguments twice: as they are and in the exact action.
    request = RequestApproval(
        title="Pay",
        tool="bank",
        arguments={"note": "x" * 700_000},
        expires_at=datetime.now(UTC) + timedelta(hours=1),
    )
    with pytest.raises(InvalidInput, match=r"approval_requested of approval/.* at most"):
        ann.record(request)
    assert len(ann.events()) == 1


def test_one_limit_for_the_events_of_an_append(database: Database) -> None:
    """Five thousand events fit into one append, one more is refused whole."""
    ann = Engine(database)
    many: list[Command] = [task(f"T-{number}") for number in range(BATCH_EVENTS_MAX + 1)]
    with pytest.raises(InvalidInput, match=r"at most 5000 events, this one 5001"):
        ann.record_all(many)
    assert ann.events() == []
    receipts = ann.record_all(many[:-1])
    assert receipts[-1].positions == (BATCH_EVENTS_MAX,)
    assert ann.progress()["position"] == BATCH_EVENTS_MAX


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"key": ""}, "key"),
        ({"key": "x" * 201}, "key"),
        ({"key": "a\x00"}, "key"),
        ({"key": HALF}, "key"),
        ({"source": ""}, "source"),
        ({"source": "x" * 201}, "source"),
        ({"correlation_id": "a\x00"}, "correlation_id"),
        ({"causation_id": HALF}, "causation_id"),
        ({"occurred_at": datetime(2026, 3, 2)}, "occurred_at"),  # noqa: DTZ001 - refused for it
        ({"occurred_at": "2026-03-02T10:00:00Z"}, "occurred_at"),
        ({"occurred_at": 1_772_445_600}, "occurred_at"),
        ({"occurred_at": datetime.min.replace(tzinfo=UTC)}, "occurred_at"),
        ({"occurred_at": datetime.max.replace(tzinfo=UTC)}, "occurred_at"),
    ],
    ids=repr,
)
def test_unusable_envelope(ann: UserScope, entry: dict[str, Any], field: str) -> None:
    """A key, a time or a correlation that could not be stored or read again is refused."""
    with pytest.raises(InvalidInput) as caught:
        ann.record(create("x"), actor=ANN, **entry)
    assert caught.value.field == field
    assert len(list(ann.log())) == 1


def test_what_the_server_cannot_hold_is_the_callers_error(database: Database) -> None:
    """A value beyond the server's own limits is InvalidInput, never "no database"."""
    noise = random.Random(1)
    key = "".join(chr(noise.randrange(0x4E00, 0x9FFF)) for _ in range(5_000))
    batch = Batch((), [NewKey("api", key, "hash", 1, 0)], {}, 0, {}, datetime.now(UTC))
    with pytest.raises(InvalidInput, match="cannot hold"), database.connection() as conn:
        append(conn, "ann", 1, batch, expected=None)
    Engine(database).record(task("T-1"))


@pytest.mark.pg15
@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Kolkata"])
def test_zone_of_the_server(urls: Urls, database: Database, zone: str) -> None:
    """Whatever zone the server lives in, the same instants go in and come out."""
    name = psycopg.conninfo.conninfo_to_dict(urls.app)["dbname"]
    do_as_owner(urls, f"ALTER DATABASE {name} SET timezone TO '{zone}'")
    with owner(urls) as conn:
        assert conn.execute("SHOW timezone").fetchone() == (zone,)
    ann = Engine(database)
    occurred = datetime.fromisoformat("2026-03-29T02:30:00+08:00")
    recorded = datetime(2026, 3, 29, 1, 0, 0, 123456, tzinfo=UTC)
    due = datetime.fromisoformat("2026-10-25T02:30:00+02:00")
    ann.record(CreateTask(task_id="T-1", title="x", due_at=due), occurred_at=occurred, now=recorded)
    (event,) = ann.events()
    row = ann.read({"task": "all"}).rows["task"][0]
    assert (event.occurred_at, event.recorded_at) == (occurred, recorded)
    assert (row.created_at, row.due_at) == (occurred, due)
    with owner(urls) as conn:
        stored = conn.execute("SELECT occurred_at, recorded_at FROM event").fetchone()
    assert stored == (occurred, recorded)
    assert ann.is_whole()


def test_time_of_the_world_does_not_order(database: Database) -> None:
    """No time given is the time of recording; an earlier or later one changes no position."""
    ann = Engine(database)
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    times = [None, now - timedelta(days=400), now + timedelta(days=400)]
    for number, occurred in enumerate(times):
        ann.record(task(f"T-{number}"), now=now, occurred_at=occurred)
    events = ann.events()
    assert [e.position for e in events] == [1, 2, 3]
    assert [e.occurred_at for e in events] == [now, times[1], times[2]]
    assert {e.recorded_at for e in events} == {now}


def test_order_of_one_command_is_complete() -> None:
    """A command without a key gets one that nobody else has, so that it can be sent again."""
    one, other = order(task("T-1")), order(task("T-1"))
    assert one.key != other.key
    assert one.payload_hash == other.payload_hash
