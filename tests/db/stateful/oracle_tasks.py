"""The oracle's rules of tasks: blockers, requests for input, ends."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from db.stateful.oracle_rules import PEOPLE, Facts, Sight, refuse_if, time_of

Command = Mapping[str, Any]
Task = dict[str, Any]
MOOTABLE = ("requested", "granted")


def status(task: Task) -> str:
    """Ended stays ended; else blocked while anything blocks; else what it rests in."""
    if task["ended"]:
        return str(task["ended"])
    return "blocked" if task["blockers"] or task["outside"] else str(task["rests"])


def pending(user: dict[str, Any], task_id: str, task: Task, now: datetime) -> str:
    """What the task waits for from the user."""
    if task["ended"]:
        return "none"
    kinds = {
        kind
        for kind, _, expires_at in task["requests"].values()
        if expires_at is None or expires_at > now
    }
    if any(
        a["task"] == task_id and a["status"] == "requested" and a["expires"] > now
        for a in user["approvals"].values()
    ):
        kinds.add("approval")
    return next((kind for kind in ("approval", "decision", "input") if kind in kinds), "none")


def _create(sight: Sight, command: Command) -> Facts:
    tasks, task_id = sight.user["tasks"], command["task_id"]
    blockers = list(command.get("blocked_by", ()))
    refuse_if(task_id in tasks)
    for blocker in blockers:
        refuse_if(blocker not in tasks or tasks[blocker]["ended"])
    tasks[task_id] = {
        "title": command["title"],
        "ended": None,
        "rests": "open",
        "at": None,
        "blockers": blockers,
        "outside": False,
        "requests": {},
    }
    stream = f"task/{task_id}"
    return (("task_created", stream), *((("task_blocked", stream),) if blockers else ()))


def _known(sight: Sight, command: Command) -> tuple[Task, str]:
    task = sight.user["tasks"].get(command["task_id"])
    refuse_if(task is None)
    return task, f"task/{command['task_id']}"


def _going_on(sight: Sight, command: Command) -> tuple[Task, str]:
    task, stream = _known(sight, command)
    refuse_if(task["ended"])
    return task, stream


def _change(sight: Sight, command: Command) -> Facts:
    task, stream = _known(sight, command)
    if task["title"] == command["title"]:
        return ()
    task["title"] = command["title"]
    return (("task_changed", stream),)


def _start(sight: Sight, command: Command) -> Facts:
    task, stream = _going_on(sight, command)
    refuse_if(status(task) == "blocked")
    if task["rests"] == "active":
        return ()
    task["rests"] = "active"
    return (("task_started", stream),)


def _schedule(sight: Sight, command: Command) -> Facts:
    task, stream = _going_on(sight, command)
    at = time_of(command["scheduled_at"])
    if (task["rests"], task["at"]) == ("scheduled", at):
        return ()
    task.update(rests="scheduled", at=at)
    return (("task_scheduled", stream),)


def _ask(sight: Sight, command: Command) -> Facts:
    task, stream = _going_on(sight, command)
    asked = (command["kind"], command["prompt"], time_of(command.get("expires_at")))
    held = task["requests"].get(command["request_id"])
    if held == asked:
        return ()
    refuse_if(held is not None)
    task["requests"][command["request_id"]] = asked
    return (("task_input_requested", stream),)


def _give(sight: Sight, command: Command) -> Facts:
    task, stream = _going_on(sight, command)
    held = task["requests"].get(command["request_id"])
    refuse_if(held is None)
    kind, _, expires_at = held
    refuse_if(kind == "approval" and sight.actor not in PEOPLE)
    refuse_if(expires_at is not None and expires_at <= sight.now)
    del task["requests"][command["request_id"]]
    return (("task_input_given", stream),)


def _take_back(sight: Sight, command: Command) -> Facts:
    task, stream = _going_on(sight, command)
    refuse_if(command["request_id"] not in task["requests"])
    del task["requests"][command["request_id"]]
    return (("task_input_withdrawn", stream),)


def _block(sight: Sight, command: Command) -> Facts:
    tasks = sight.user["tasks"]
    task, stream = _known(sight, command)
    blockers = command.get("blocked_by", [])
    if not blockers:
        refuse_if(task["ended"])
        if task["outside"]:
            return ()
        task["outside"] = True
        return (("task_blocked", stream),)
    new = [blocker for blocker in blockers if blocker not in task["blockers"]]
    for blocker in new:
        refuse_if(blocker not in tasks or tasks[blocker]["ended"])
        refuse_if(_waits_for(tasks, blocker, command["task_id"]))
    task["blockers"] += new
    return (("task_blocked", stream),) if new else ()


def _waits_for(tasks: dict[str, Task], first: str, target: str) -> bool:
    """Whether the first task is the target or waits for it over any number of others."""
    queue, seen = [first], set()
    while queue:
        name = queue.pop()
        if name == target:
            return True
        if name not in seen:
            seen.add(name)
            queue += tasks[name]["blockers"] if name in tasks else []
    return False


def _unblock(sight: Sight, command: Command) -> Facts:
    task, stream = _known(sight, command)
    named = command.get("blocked_by")
    gone = [b for b in task["blockers"] if named is None or b in named]
    outside = task["outside"] and not named
    if not gone and not outside:
        return ()
    task["blockers"] = [b for b in task["blockers"] if b not in gone]
    task["outside"] = task["outside"] and not outside
    return (("task_unblocked", stream),)


def _free(sight: Sight, task_id: str) -> Facts:
    freed = []
    for name, task in sight.user["tasks"].items():
        if task_id in task["blockers"]:
            task["blockers"].remove(task_id)
            freed.append(("task_unblocked", f"task/{name}"))
    return tuple(freed)


def _moot(sight: Sight, task_id: str) -> Facts:
    mooted = []
    for name, approval in sight.user["approvals"].items():
        if approval["task"] == task_id and approval["status"] in MOOTABLE:
            approval["status"] = "moot"
            mooted.append(("approval_mooted", f"approval/{name}"))
    return tuple(mooted)


def _end(sight: Sight, command: Command) -> Facts:
    ended, fact = {
        "complete_task": ("done", "task_completed"),
        "fail_task": ("failed", "task_failed"),
        "cancel_task": ("cancelled", "task_cancelled"),
    }[command["type"]]
    task, stream = _known(sight, command)
    if task["ended"] == ended:
        return ()
    refuse_if(task["ended"])
    task.update(ended=ended, requests={}, outside=False)
    facts = ((fact, stream), *_free(sight, command["task_id"]))
    return (*facts, *_moot(sight, command["task_id"])) if ended == "cancelled" else facts


def _reopen(sight: Sight, command: Command) -> Facts:
    task, stream = _known(sight, command)
    if not task["ended"] and task["rests"] != "active":
        return ()
    task.update(ended=None, rests="open", at=None)
    return (("task_reopened", stream),)


def _remove(sight: Sight, command: Command) -> Facts:
    task, stream = _known(sight, command)
    facts = (*_free(sight, command["task_id"]), *_moot(sight, command["task_id"]))
    if task["blockers"]:
        facts = (*facts, ("task_unblocked", stream))
    del sight.user["tasks"][command["task_id"]]
    return (*facts, ("task_removed", stream))


RULES = {
    "create_task": _create,
    "change_task": _change,
    "start_task": _start,
    "schedule_task": _schedule,
    "request_task_input": _ask,
    "give_task_input": _give,
    "withdraw_task_input": _take_back,
    "block_task": _block,
    "unblock_task": _unblock,
    "complete_task": _end,
    "fail_task": _end,
    "cancel_task": _end,
    "reopen_task": _reopen,
    "remove_task": _remove,
}
