"""A second opinion on one user: a dict of plain values and the rules of the contract, by hand.

Nothing of the product is imported, so that an error in a decision, in a fold or in a reader shows
as a difference. `judge` says what a command must come to: facts as (type, stream), or a refusal,
which may establish facts of its own. What these rules do not model (texts, titles, outcomes) the
test does not compare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from db.stateful import oracle_approvals, oracle_others, oracle_tasks
from db.stateful.oracle_rules import POISON, Facts, Refused, Sight

User = dict[str, Any]
RULES = {**oracle_tasks.RULES, **oracle_approvals.RULES, **oracle_others.RULES}


class Verdict(NamedTuple):
    """What an operation must come to, and the user after it."""

    accepted: bool
    facts: tuple[Facts, ...]
    after: User


def new_user(user_id: str) -> User:
    """A user of whom nothing is known."""
    kinds = ("tasks", "approvals", "denials", "reminders", "proposals", "sources", "said")
    return {"id": user_id, "head": 0, "parked": set(), **{kind: {} for kind in kinds}}


def judge(user: User, commands: Sequence[Mapping[str, Any]], actor: str, now: datetime) -> Verdict:
    """All commands or none; a lone refusal keeps the facts that it establishes."""
    after = deepcopy(user)
    facts: list[Facts] = []
    for command in commands:
        try:
            facts.append(RULES[command["type"]](Sight(after, actor, now), command))
        except Refused as refused:
            if len(commands) == 1 and refused.facts:
                after["head"] += len(refused.facts)
                return Verdict(False, (refused.facts,), after)
            return Verdict(False, (), user)
        if command.get("title") == POISON and facts[-1]:
            after["parked"].add("work_index")
        if command.get("value") == POISON and facts[-1]:
            after["parked"].add("memory")
    after["head"] += sum(map(len, facts))
    return Verdict(True, tuple(facts), after)


def needs(user: User, now: datetime) -> set[tuple[str, str]]:
    """What needs the user, as (kind, id)."""
    found = set()
    waiting = oracle_approvals.waiting(user, now)
    told = set()
    for task_id, task in user["tasks"].items():
        pending = oracle_tasks.pending(user, task_id, task, now)
        if pending != "none":
            found.add(("task", task_id))
        if pending == "approval":
            told |= {a for a in waiting if user["approvals"][a]["task"] == task_id}
    found |= {("approval", a) for a in waiting - told}
    found |= {("approval", a) for a in oracle_approvals.unsettled(user, now)}
    found |= {("reminder", r) for r in oracle_others.due(user, now)}
    return found | {("proposal", p) for p in oracle_others.awaiting(user, now)}


def verdict(user: User, now: datetime) -> tuple[str, set[str]]:
    """The verdict of the proof and the reasons against it."""
    if user["head"] == 0:
        return "unproven", {"unknown_user"}
    reasons = {"parked"} if "work_index" in user["parked"] else set()
    for name, source in user["sources"].items():
        if "tasks" not in source["covers"]:
            continue
        age = now - source["through"]
        if source["state"] == "suspect" or age < timedelta(seconds=-60):
            reasons.add(f"source_suspect:{name}")
        elif source["state"] == "partial":
            reasons.add(f"source_partial:{name}")
        elif age > timedelta(seconds=source["fresh"]):
            reasons.add(f"source_stale:{name}")
    if reasons:
        return "unproven", reasons
    return ("items" if needs(user, now) else "proven_empty"), reasons


def view(user: User, now: datetime) -> dict[str, Any]:
    """The index as this model sees it, in the form that `worker.view` gives."""
    return {
        "tasks": {
            task_id: {
                "status": oracle_tasks.status(task),
                "pending": oracle_tasks.pending(user, task_id, task, now),
                "blocked_by": sorted(task["blockers"]),
                "requests": sorted(task["requests"]),
            }
            for task_id, task in user["tasks"].items()
        },
        "approvals": {a: approval["status"] for a, approval in user["approvals"].items()},
        "reminders": {r: reminder["status"] for r, reminder in user["reminders"].items()},
        "proposals": {p: proposal["status"] for p, proposal in user["proposals"].items()},
        "sources": {s: source["state"] for s, source in user["sources"].items()},
        "needs": sorted(needs(user, now)),
    }
