"""How fast does a stored log become state, beside the library's own mapper and aggregates?

Ours validates every field of every event and folds it into a row of 32 columns. The stock mapper
builds its events from a transcoded dict, validates nothing, and lets them change an aggregate of
two attributes. Beside it stands what the library's documentation shows for validated events:
frozen pydantic models, a mapper that constructs them, and a function that makes a new state.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

import orjson
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent
from eventsourcing.utils import get_topic, resolve_topic
from pydantic import BaseModel, ConfigDict

from bench.harness import Row, ratios, report
from driver import actor
from workindex.domain.facts import Event, Fact
from workindex.domain.tasks import TaskCreated, TaskInputGiven, TaskInputRequested
from workindex.eventlog.mapper import FactMapper, LogEvent
from workindex.projections.folding import Folding

ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "5"))
TASKS = 300
ASKED = 5  # requests a task, each answered
EVENTS = TASKS * (1 + 2 * ASKED)
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class StockTask(Aggregate):
    """The same task as the library's tutorials would write it."""

    @event("Created")
    def __init__(self, title: str) -> None:
        self.title = title
        self.requests: dict[str, str] = {}

    @event("InputRequested")
    def request(self, request_id: str, prompt: str) -> None:
        self.requests[request_id] = prompt

    @event("InputGiven")
    def give(self, request_id: str, answer: str) -> None:
        del self.requests[request_id]


class Validated(BaseModel):
    """An event as the library's example with pydantic writes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    originator_id: str
    originator_version: int
    timestamp: datetime


class Created(Validated):
    title: str


class InputRequested(Validated):
    request_id: str
    prompt: str


class InputGiven(Validated):
    request_id: str
    answer: str


class ValidatedTask(BaseModel):
    """The same task as the example's immutable aggregate."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    version: int
    title: str
    requests: dict[str, str]


class ValidatingMapper(Mapper[str]):
    """The example's mapper: pydantic constructs what the transcoder gives."""

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        return StoredEvent(
            domain_event.originator_id,
            domain_event.originator_version,
            get_topic(type(domain_event)),
            orjson.dumps(domain_event.model_dump(mode="json")),
        )

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        return resolve_topic(stored_event.topic)(**orjson.loads(stored_event.state))


def mutate(happened: Validated, task: ValidatedTask | None) -> ValidatedTask:
    """The task after the event."""
    id_, version = happened.originator_id, happened.originator_version
    if isinstance(happened, Created):
        return ValidatedTask(id=id_, version=version, title=happened.title, requests={})
    assert task is not None
    requests = dict(task.requests)
    if isinstance(happened, InputRequested):
        requests[happened.request_id] = happened.prompt
    elif isinstance(happened, InputGiven):
        del requests[happened.request_id]
    return ValidatedTask(id=id_, version=version, title=task.title, requests=requests)


def test_decode() -> None:
    """Decode with validation, then fold ÷ the stock mapper and aggregate."""
    runs = {"ours": _run_ours(), "stock": _run_stock(), "validated": _run_validated()}
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for round_ in range(ROUNDS + 1):
        for name, run in runs.items():
            rate = EVENTS / _cpu_seconds(run)
            if round_:  # the first one warms up
                rates[name].append(rate)
    report(
        "decode",
        [
            Row("stock mapper and aggregate", tuple(rates["stock"]), unit="/s"),
            Row("decode with validation and fold", tuple(rates["ours"]), unit="/s"),
            Row(
                "decode with validation + fold ÷ stock mapper + aggregate",
                ratios(rates["ours"], rates["stock"]),
                at_least=2.5,
                note="stock validates nothing",
            ),
            Row(
                "decode with validation + fold ÷ the library's example with pydantic",
                ratios(rates["ours"], rates["validated"]),
            ),
        ],
    )


def _run_ours() -> Callable[[], None]:
    mapper, stored = FactMapper(), _ours()

    def run() -> None:
        folding = Folding()
        for one in stored:
            folding.apply(mapper.to_domain_event(one), one.position)
        assert len(folding.rows("task")) == TASKS

    return run


def _run_stock() -> Callable[[], None]:
    mapper, stored = _stock()

    def run() -> None:
        aggregates: dict[Any, Any] = {}
        for one in stored:
            happened = mapper.to_domain_event(one)
            found = aggregates.get(happened.originator_id)
            aggregates[happened.originator_id] = happened.mutate(found)
        assert len(aggregates) == TASKS

    return run


def _run_validated() -> Callable[[], None]:
    mapper, stored = ValidatingMapper(JSONTranscoder()), _validated()

    def run() -> None:
        tasks: dict[str, ValidatedTask] = {}
        for one in stored:
            happened = mapper.to_domain_event(one)
            tasks[happened.originator_id] = mutate(happened, tasks.get(happened.originator_id))
        assert len(tasks) == TASKS

    return run


def _cpu_seconds(run: Callable[[], None]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _ours() -> list[LogEvent]:
    mapper = FactMapper()
    facts: list[Fact] = []
    for number in range(TASKS):
        task_id = f"t{number}"
        facts.append(TaskCreated(task_id=task_id, title=f"Task {number}"))
        for asked in range(ASKED):
            request_id = f"r{asked}"
            facts.append(
                TaskInputRequested(
                    task_id=task_id, request_id=request_id, kind="input", prompt="Which one?"
                )
            )
            facts.append(TaskInputGiven(task_id=task_id, request_id=request_id, answer="this"))
    return [
        mapper.to_stored_event(
            Event(fact, 1 + place % (1 + 2 * ASKED), AT, AT, actor("user"), place + 1, "e")
        )
        for place, fact in enumerate(facts)
    ]


def _stock() -> tuple[Any, list[StoredEvent]]:
    mapper = cast(Any, Application().mapper)
    stored: list[StoredEvent] = []
    for number in range(TASKS):
        task = StockTask(title=f"Task {number}")
        for asked in range(ASKED):
            task.request(f"r{asked}", "Which one?")
            task.give(f"r{asked}", "this")
        stored += [mapper.to_stored_event(one) for one in task.collect_events()]
    return mapper, stored


def _validated() -> list[StoredEvent]:
    mapper = ValidatingMapper(JSONTranscoder())
    happened: list[Validated] = []
    for number in range(TASKS):
        base: dict[str, Any] = {"originator_id": f"task/t{number}", "timestamp": AT}
        happened.append(Created(**base, originator_version=1, title=f"Task {number}"))
        for asked in range(ASKED):
            own = {**base, "request_id": f"r{asked}"}
            version = 2 + 2 * asked
            happened.append(InputRequested(**own, originator_version=version, prompt="Which one?"))
            happened.append(InputGiven(**own, originator_version=version + 1, answer="this"))
    return [mapper.to_stored_event(one) for one in happened]
