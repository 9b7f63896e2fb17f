"""How does a case of a process log become a task? The pure plan of one case.

Each event is a phase that the task enters, under whoever did it; the first one starts the task,
the last one may end it. An approval in the log is asked for as an input of the task. The import
never speaks for a person: an answer in the log becomes a decision on the task and takes the
request back.

An event is known by what it says and by how often that stood before in its case, so a longer
export of the same log adds what is new and a shorter one changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from workindex.domain.facts import Command
from workindex.domain.tasks import (
    CompleteTask,
    CreateTask,
    EnterTaskPhase,
    RecordTaskDecision,
    ReopenTask,
    RequestTaskInput,
    StartTask,
    WithdrawTaskInput,
)
from workindex.service.importers.session import key_of
from workindex.service.importers.xes_files import Case, CaseEvent
from workindex.service.importers.xes_mapping import Approval, XesMapping, phase_of, says

EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


class Wish(NamedTuple):
    """One command and its key."""

    key: str
    command: Command


class Happening(NamedTuple):
    """One event of a case and its commands; `key` is that of the event.

    `order_at` never goes back within a case, so that sorting by it keeps each case's own order.
    """

    key: str
    task_id: str
    place: str
    at: datetime | None
    order_at: datetime
    wishes: tuple[Wish, ...]


class Standing(NamedTuple):
    """What the Work Index holds of a case's task, and which of its requests are open."""

    exists: bool = False
    is_ended: bool = False
    requests: frozenset[str] = frozenset()


class Wait(NamedTuple):
    """One wait for an approval: the numbers of the events that asked and that answered."""

    rule: Approval
    request_id: str
    asked: int | None
    answered: int | None
    verdict: str


def task_id_of(case: Case, prefix: str) -> str:
    """The id of the case's task."""
    return f"{prefix}{case.name}"


def event_keys(case: Case, task_id: str) -> list[str]:
    """The key of each event; a case without events has one of its own."""
    seen: Counter[str] = Counter()
    keys = []
    for event in case.events:
        at = "" if event.at is None else event.at.isoformat()
        parts = (event.activity, event.transition or "", event.resource or "", at)
        digest = sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:20]
        seen[digest] += 1
        keys.append(key_of("xes", task_id, digest, seen[digest]))
    return keys or [key_of("xes", task_id, "empty")]


def plan_case(
    case: Case,
    task_id: str,
    source: str,
    family: str,
    mapping: XesMapping,
    known: Collection[str],
    standing: Standing,
) -> list[Happening]:
    """What is new in the case, in its own order; nothing where every event is known.

    Raises: ValidationError where a text does not fit its field.
    """
    keys = event_keys(case, task_id)
    new = [number for number, key in enumerate(keys) if key not in known]
    if not new:
        return []
    if not case.events:
        created = tuple(_beginning(case, task_id, source, family, keys[0], standing))
        return [Happening(keys[0], task_id, case.place, None, EARLIEST, created)]
    waits = list(_waits(case, keys, mapping))
    times = list(_times(case))
    happenings = []
    for number in new:
        key = keys[number]
        wishes: list[Wish] = []
        if number == new[0]:
            wishes += _beginning(case, task_id, source, family, key, standing)
            wishes += _asked_again(case, task_id, waits, number, key, standing)
        wishes.append(Wish(key, _phase(case, task_id, number)))
        wishes += _approvals(case, task_id, waits, number, key, set(new), standing)
        if number == new[-1]:
            wishes += _ending(case, task_id, number, key, mapping)
        place = f"{case.place} event {number + 1}"
        happenings.append(Happening(key, task_id, place, *times[number], tuple(wishes)))
    return happenings


def _beginning(
    case: Case, task_id: str, source: str, family: str, key: str, standing: Standing
) -> Iterator[Wish]:
    if not standing.exists:
        told: dict[str, Any] = {"task_id": task_id, "title": case.name}
        told |= {"family": family, "source": source}
        if case.attributes:
            told["fields"] = {name: {"value": value} for name, value in case.attributes.items()}
        yield Wish(f"{key}:create" if case.events else key, CreateTask.model_validate(told))
    elif standing.is_ended:
        yield Wish(f"{key}:reopen", ReopenTask(task_id=task_id, reason="the log goes on"))
    if case.events:
        yield Wish(f"{key}:start", StartTask(task_id=task_id))


def _phase(case: Case, task_id: str, number: int) -> EnterTaskPhase:
    event = case.events[number]
    told = {} if event.resource is None else {"assignee": event.resource}
    return EnterTaskPhase(task_id=task_id, phase=phase_of(event), again=True, **told)


def _ending(case: Case, task_id: str, number: int, key: str, mapping: XesMapping) -> Iterator[Wish]:
    last = len(case.events) - 1
    if number != last:  # an event that the log came to know late: the case stands where it stood
        back = _phase(case, task_id, last).model_copy(update={"again": False})
        yield Wish(f"{key}:back", back)
    if mapping.is_done(case.events[last]):
        yield Wish(f"{key}:complete", CompleteTask(task_id=task_id))


def _waits(case: Case, keys: list[str], mapping: XesMapping) -> Iterator[Wait]:
    """Every wait of the case, named for the event that began it (an answer may stand alone)."""
    for place, rule in enumerate(mapping.approvals, start=1):
        asked: int | None = None
        for number, event in enumerate(case.events):
            if asked is None and says(rule.asked, event):
                asked = number
            elif verdict := _verdict(rule, event):
                name = _name(place, keys[number if asked is None else asked])
                yield Wait(rule, name, asked, number, verdict)
                asked = None
        if asked is not None:
            yield Wait(rule, _name(place, keys[asked]), asked, None, "")


def _name(place: int, key: str) -> str:
    return f"approval-{place}-{sha256(key.encode()).hexdigest()[:12]}"


def _asked_again(
    case: Case, task_id: str, waits: list[Wait], first: int, key: str, standing: Standing
) -> Iterator[Wish]:
    """A task that ended here, or is gone, lost the requests that its case still waits for."""
    if standing.exists and not standing.is_ended:
        return
    for wait in waits:
        is_old = wait.asked is not None and wait.asked < first
        if is_old and (wait.answered is None or wait.answered >= first):
            yield Wish(f"{key}:{wait.request_id}:again", _request(case, task_id, wait))


def _approvals(
    case: Case,
    task_id: str,
    waits: list[Wait],
    number: int,
    key: str,
    new: set[int],
    standing: Standing,
) -> Iterator[Wish]:
    """What one new event means for the waits of its case."""
    for wait in waits:
        name = f"{key}:{wait.request_id}"
        if wait.asked == number and (wait.answered is None or wait.answered in new):
            yield Wish(f"{name}:ask", _request(case, task_id, wait))
        if wait.answered == number:
            yield Wish(f"{name}:decide", _decision(case, task_id, wait))
            was_lost = not standing.exists or standing.is_ended
            if wait.asked is not None and (
                wait.asked in new or was_lost or wait.request_id in standing.requests
            ):
                taken = WithdrawTaskInput(
                    task_id=task_id,
                    request_id=wait.request_id,
                    reason=f"{wait.verdict} in the log",
                )
                yield Wish(f"{name}:settle", taken)


def _verdict(rule: Approval, event: CaseEvent) -> str | None:
    if says(rule.granted, event):
        return "granted"
    return "denied" if says(rule.denied, event) else None


def _request(case: Case, task_id: str, wait: Wait) -> RequestTaskInput:
    assert wait.asked is not None, wait
    return RequestTaskInput(
        task_id=task_id,
        request_id=wait.request_id,
        kind="approval",
        prompt=wait.rule.prompt or f"{phase_of(case.events[wait.asked])}: approve?",
    )


def _decision(case: Case, task_id: str, wait: Wait) -> RecordTaskDecision:
    assert wait.answered is not None, wait
    event = case.events[wait.answered]
    by = f" by {event.resource}" if event.resource else ""
    return RecordTaskDecision(
        task_id=task_id,
        decision_id=wait.request_id,
        decision=wait.verdict,
        reason=f"{phase_of(event)}{by}, as the log says",
    )


def _times(case: Case) -> Iterator[tuple[datetime | None, datetime]]:
    """Of each event, when it happened (an unknown time is that of its neighbour) and its order."""
    first = next((event.at for event in case.events if event.at is not None), None)
    at, latest = first, first or EARLIEST
    for event in case.events:
        at = event.at or at
        latest = max(latest, at or latest)
        yield at, latest
