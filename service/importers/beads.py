"""How does an issue tracker's history become tasks? The pure plan of one step.

`plan_step` compares what a source holds with what one step says and gives the commands that lead
from one to the other, and what the source holds afterwards; a plan of a step that is already
done is empty. Status, in this order: closed is done, waiting for an issue that is present and
not closed is blocked, in_progress is active, open is open. The driver is beads_driver.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from workindex.domain.tasks import ENDED
from workindex.service.importers.beads_files import Issue, Step

WAITS_FOR = "waits_for"
_DESCRIBED = ("title", "description", "family", "priority", "labels", "assignee")


class Held(NamedTuple):
    """One item of the source as the Work Index holds it.

    `status` is the tracker's own (open, in_progress, closed), or failed or cancelled where
    somebody ended the task here. `waits_for` names every issue that blocks it in the tracker;
    `blocked_by` those of the source that really do now, `blocked_otherwise` anything else. An
    ended task keeps the `filed` list that it had, which may be older: then it `is_sure` no longer.
    """

    described: Mapping[str, Any]
    status: str
    waits_for: tuple[str, ...] = ()
    filed: tuple[str, ...] = ()
    blocked_by: frozenset[str] = frozenset()
    blocked_otherwise: bool = False
    is_sure: bool = True


class Wish(NamedTuple):
    """One command for one item, with the instant at which the tracker did it."""

    item_id: str
    command: dict[str, Any]
    at: datetime | None


class StepPlan(NamedTuple):
    """The commands of a step in order, what it removes, and what the source holds after it."""

    wishes: tuple[Wish, ...]
    removed: tuple[str, ...]
    after: Mapping[str, Held]


def held_items(tasks: Iterable[Mapping[str, Any]], source: str) -> dict[str, Held]:
    """The items of one source, out of the tasks of the Work Index as JSON objects."""
    rows = {row["task_id"]: row for row in tasks if row["source"] == source}
    return {task_id: _held(row, rows) for task_id, row in rows.items()}


def reminded(held: Mapping[str, Held], steps: Iterable[Step]) -> dict[str, Held]:
    """The same items, sure of what each waits for after steps that are done already."""
    told: dict[str, tuple[str, ...]] = {}
    for step in steps:
        if step.is_whole:
            told.clear()
        told.update((issue.id, issue.waits_for) for issue in step.issues)
    return {
        item: one._replace(waits_for=told[item], is_sure=True) if item in told else one
        for item, one in held.items()
    }


def plan_step(step: Step, held: Mapping[str, Held], source: str) -> StepPlan:
    """The commands that bring a source which holds `held` to what the step says."""
    told = {issue.id: issue for issue in step.issues}
    if step.is_whole:
        removed = tuple(item for item in held if item not in told)
    else:
        removed = tuple(item for item in step.deleted if item in held)
    after = _after(told, held, removed)
    wishes = [
        *_created(told, held, source),
        *_described(told, held),
        *_filed(told, held, were_ended=False),
        *_reopened(told, held),
        *_filed(told, held, were_ended=True),
        *_completed(told, held),
        *(_wish(item, "remove_task", step.at) for item in removed),
        *_going_on(told, held, after, step.at),
    ]
    return StepPlan(tuple(wishes), removed, after)


def _held(row: Mapping[str, Any], rows: Mapping[str, Any]) -> Held:
    if row["status"] == "done":
        status = "closed"
    elif row["status"] in ENDED:
        status = row["status"]
    else:
        status = "in_progress" if row["status_unblocked"] == "active" else "open"
    blockers = frozenset(row["blocked_by"])
    filed = tuple(row["fields"].get(WAITS_FOR, {}).get("value") or ())
    return Held(
        described={name: row[name] for name in _DESCRIBED},
        status=status,
        waits_for=filed,
        filed=filed,
        blocked_by=blockers & rows.keys(),
        blocked_otherwise=row["blocked_outside"] or not blockers <= rows.keys(),
        is_sure=not _is_ended(status),
    )


def _after(
    told: Mapping[str, Issue], held: Mapping[str, Held], removed: tuple[str, ...]
) -> dict[str, Held]:
    """What the source holds after the step; blockers of all items are worked out anew."""
    gone = frozenset(removed)
    after = {item: one for item, one in held.items() if item not in gone}
    for item, issue in told.items():
        before = held.get(item)
        after[item] = Held(
            described=describe(issue),
            status=issue.status,
            waits_for=issue.waits_for,
            filed=before.filed if before and _stays_ended(before, issue) else issue.waits_for,
            blocked_otherwise=before is not None and before.blocked_otherwise,
        )
    unended = {item for item, one in after.items() if not _is_ended(one.status)}
    return {
        item: one._replace(
            blocked_by=(frozenset(one.waits_for) if one.is_sure else one.blocked_by) & unended
        )
        for item, one in after.items()
    }


def describe(issue: Issue) -> dict[str, Any]:
    """The descriptive columns of the issue's task."""
    return {
        "title": issue.title,
        "description": issue.description,
        "family": issue.issue_type,
        "priority": issue.priority,
        "labels": list(issue.labels),
        "assignee": issue.assignee,
    }


def _created(told: Mapping[str, Issue], held: Mapping[str, Held], source: str) -> list[Wish]:
    wishes = []
    for item, issue in told.items():
        if item in held:
            continue
        given = {name: value for name, value in describe(issue).items() if value not in (None, [])}
        if issue.waits_for:
            given["fields"] = {WAITS_FOR: {"value": list(issue.waits_for)}}
        wishes.append(_wish(item, "create_task", issue.created_at, source=source, **given))
    return wishes


def _described(told: Mapping[str, Issue], held: Mapping[str, Held]) -> list[Wish]:
    wishes = []
    for item, issue in told.items():
        if item not in held:
            continue
        before = held[item].described
        changes = {name: value for name, value in describe(issue).items() if value != before[name]}
        if changes:
            wishes.append(_wish(item, "change_task", issue.updated_at, **changes))
    return wishes


def _filed(told: Mapping[str, Issue], held: Mapping[str, Held], *, were_ended: bool) -> list[Wish]:
    """What an issue waits for, kept with the task while it is not ended (later it cannot be)."""
    wishes = []
    for item, issue in told.items():
        before = held.get(item)
        if before is None or before.filed == issue.waits_for or _stays_ended(before, issue):
            continue
        if _is_ended(before.status) == were_ended:
            value = list(issue.waits_for)
            wishes.append(
                _wish(item, "set_task_field", issue.updated_at, name=WAITS_FOR, value=value)
            )
    return wishes


def _reopened(told: Mapping[str, Issue], held: Mapping[str, Held]) -> list[Wish]:
    """Closed in the tracker and open again, ended here in another way, or put back."""
    wishes = []
    for item, issue in told.items():
        before = held[item].status if item in held else "open"
        put_back = (before, issue.status) == ("in_progress", "open")
        if put_back or (_is_ended(before) and before != issue.status):
            wishes.append(_wish(item, "reopen_task", issue.updated_at))
    return wishes


def _completed(told: Mapping[str, Issue], held: Mapping[str, Held]) -> list[Wish]:
    return [
        _wish(item, "complete_task", issue.closed_at or issue.updated_at)
        for item, issue in told.items()
        if issue.status == "closed" and (item not in held or held[item].status != "closed")
    ]


def _going_on(
    told: Mapping[str, Issue],
    held: Mapping[str, Held],
    after: Mapping[str, Held],
    step_at: datetime | None,
) -> list[Wish]:
    """Unblocked, then started, then blocked: a task that waits cannot be started."""
    unblocked, started, blocked = [], [], []
    for item, one in after.items():
        issue, before = told.get(item), held.get(item)
        at = step_at if issue is None else issue.updated_at
        # Those that ended or went in this step have freed the item already.
        left = set() if before is None else _unended(before.blocked_by, after)
        starts = (
            one.status == "in_progress"
            and (before is None or before.status != "in_progress")
            and not one.blocked_otherwise
        )
        extra = left if starts else left - one.blocked_by
        missing = one.blocked_by - (left - extra)
        if extra:
            unblocked.append(_wish(item, "unblock_task", at, blocked_by=sorted(extra)))
        if starts:
            started.append(_wish(item, "start_task", at))
        if missing:
            blocked.append(_wish(item, "block_task", at, blocked_by=sorted(missing)))
    return [*unblocked, *started, *blocked]


def _unended(items: Iterable[str], after: Mapping[str, Held]) -> set[str]:
    return {item for item in items if item in after and not _is_ended(after[item].status)}


def _stays_ended(before: Held, issue: Issue) -> bool:
    return before.status == issue.status and _is_ended(before.status)


def _is_ended(status: str) -> bool:
    return status == "closed" or status in ENDED


def _wish(item: str, command: str, at: datetime | None, **given: Any) -> Wish:
    return Wish(item, {"type": command, "task_id": item, **given}, at)
