"""Programs for the stateful test: lists of steps, as JSON values that can be run again.

A step moves the clock and lets workers do operations at the same time. A time in a command is a
number of seconds from the step's now; an action hash is the id of the approval that it is of.
Most operations belong to a life (of an approval, a task, ...), cut anywhere and mixed with
others, so that deep states are reached; some come from nowhere. In a template a tuple is a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from db.stateful.oracle_rules import POISON
from workindex.eventlog.failpoints import NAMES, OPERATOR_NAMES

Op = dict[str, Any]
Step = dict[str, Any]
Template = Mapping[str, Any]

WORKERS = 3
USERS = ("ann", "bob", "cyd")
TASKS = ("t1", "t2", "t3")
APPROVALS = ("a1", "a2", "a3", "a4")
SOON = (5, 60, 300, 900)
MAYBE_SOON = (None, None, 5, 60)
SECONDS = (0, 0, 0, 1, 7, 30)
LIVES_MAX = 14
LIVES_AT_ONCE = 5
# Whoever is wrong for a command must be refused, so now and then somebody else gives it.
ACTORS = ("user",) * 12 + ("agent", "approver", "scheduler")
FAILS = (None,) * 26 + NAMES + tuple(f"{name}:raise" for name in NAMES)

# What operators do, and how often: most of it with the folds of the next program.
ACTIONS = ("rebuild",) * 4 + ("switch",) * 3 + ("rollback",) * 2 + ("retire",) * 2
VERSIONS = (2, 2, 2, 1)

_TASK = {"task_id": TASKS}
_REQUEST = {**_TASK, "request_id": ("r1", "r2")}
_BLOCKERS = (["t1"], ["t2"], ["t3"], ["t1", "t3"])
TASK_COMMANDS: tuple[Template, ...] = (
    {
        "type": "create_task",
        **_TASK,
        "title": ("one", "two"),
        "blocked_by": ([], [], [], *_BLOCKERS),
    },
    {
        "type": "request_task_input",
        **_REQUEST,
        "kind": ("input", "decision", "approval"),
        "prompt": ("which?", "when?"),
        "expires_at": MAYBE_SOON,
    },
    {"type": "give_task_input", **_REQUEST, "answer": "this"},
    {"type": "withdraw_task_input", **_REQUEST},
    {"type": "change_task", **_TASK, "title": ("one", "two", "three")},
    {"type": "start_task", **_TASK},
    {"type": "schedule_task", **_TASK, "scheduled_at": SOON},
    {"type": "block_task", **_TASK, "blocked_by": _BLOCKERS},
    {"type": "block_task", **_TASK, "blocked_by": [], "reason": "the post"},
    {"type": "unblock_task", **_TASK, "blocked_by": (None, [], *_BLOCKERS)},
    *(
        {"type": name, **_TASK}
        for name in ("complete_task", "fail_task", "cancel_task", "reopen_task", "remove_task")
    ),
)
_REMINDER = {"reminder_id": ("m1", "m2", "m3", "m4")}
REMINDER_COMMANDS: tuple[Template, ...] = (
    {"type": "set_reminder", **_REMINDER, "title": "call", "remind_at": (-1, 5, 60)},
    {"type": "mark_reminder_due", **_REMINDER},
    {"type": "snooze_reminder", **_REMINDER, "until_at": SOON},
    {"type": "change_reminder", **_REMINDER, "remind_at": SOON},
    {"type": "dismiss_reminder", **_REMINDER},
    {"type": "cancel_reminder", **_REMINDER},
)
_PROPOSAL = {"proposal_id": ("p1", "p2", "p3", "p4")}
PROPOSAL_COMMANDS: tuple[Template, ...] = (
    {"type": "make_proposal", **_PROPOSAL, "title": "tidy up?", "expires_at": MAYBE_SOON},
    {"type": "answer_proposal", **_PROPOSAL, "answer": ("accepted", "declined")},
    {"type": "expire_proposal", **_PROPOSAL},
)
SOURCE_COMMANDS: tuple[Template, ...] = (
    {
        "type": "observe_source",
        "source": "tracker",
        "observed_through": (0, 0, -20, -90, 90),
        "covers": ["tasks"],
        "fresh_seconds": (20, 60),
        "state": ("whole", "whole", "whole", "partial", "suspect"),
    },
    {"type": "retire_source", "source": "tracker"},
    {
        "type": "observe_source",
        "source": "calendar",
        "observed_through": 0,
        "covers": ["meetings"],
        "fresh_seconds": 20,
        "state": "whole",
    },
)
OTHER_COMMANDS: tuple[Template, ...] = (
    {
        "type": "post_message",
        "message_id": ("n1", "n2", "n3"),
        "thread_id": "main",
        "role": "user",
        "text": ("hello", "good day"),
    },
    {
        "type": "record_claim",
        "claim_id": ("c1", "c2", "c3"),
        "subject": "me",
        "attribute": "town",
        "value": "Bern",
    },
)
EVERY_COMMAND = (
    *TASK_COMMANDS,
    *REMINDER_COMMANDS,
    *PROPOSAL_COMMANDS,
    *SOURCE_COMMANDS,
    *OTHER_COMMANDS,
)

# Ways through `_approval_line`, by place: each has one end, and some go on after it.
APPROVAL_WAYS = (
    (0, 1, 2, 3, 4),
    (0, 1, 2, 3),
    (0, 1, 2),
    (0, 7),
    (0, 1, 7),
    (0, 6, 0),
    (0, 8),
    (0, 1, 8),
    (0, 9),
    (0, 1, 10, 2),
    (0, 5),
    (0, 1, 5, 2),
)
# What may happen to the approval's task in between.
TASK_WAYS = (
    (),
    (),
    ("cancel_task",),
    ("remove_task",),
    ("complete_task", "reopen_task"),
    ("fail_task",),
    ("cancel_task", "reopen_task"),
)


def _approval_line(approval_id: str, task_id: str | None) -> tuple[Template, ...]:
    """The commands of an approval, in the order of a life that goes to its end."""
    own = {"approval_id": approval_id}
    exact = {**own, "action_hash": approval_id}
    execution = {**own, "execution_id": f"x-{approval_id}"}
    rule = {"policy_id": "rule"}
    return (
        {
            "type": "request_approval",
            **own,
            "title": f"Allow {approval_id}",
            "task_id": task_id,
            "tool": "pay",
            "arguments": ({"amount": 1}, {"amount": 2}),
            "expires_at": SOON,
            "reopen": (False, True),
        },
        {"type": "grant_approval", **exact, "redeem_by": MAYBE_SOON},
        {
            "type": "start_execution",
            **exact,
            **execution,
            "deadline_at": SOON,
            "policy": tuple({"decision": answer, **rule} for answer in ("allow", "allow", "deny")),
        },
        {"type": ("mark_execution_outcome_unknown", "fail_execution"), **execution},
        {"type": "succeed_execution", **execution},
        {"type": "decide_policy", **own, "decision": ("allow", "deny"), **rule},
        {"type": "deny_approval", **own},
        {"type": "withdraw_approval", **own},
        {"type": "moot_approval", **own, "reason_code": "superseded"},
        {"type": "expire_approval", **own},
        {"type": "lapse_grant", **own},
    )


def _fill(dice: Random, template: Template) -> dict[str, Any]:
    return {
        name: dice.choice(value) if isinstance(value, tuple) else value
        for name, value in template.items()
    }


def _op(dice: Random, commands: list[dict[str, Any]], **fixed: Any) -> Op:
    by_the_clock = commands[0]["type"] in ("mark_reminder_due", "expire_proposal")
    return {
        "worker": dice.randrange(WORKERS),
        "user": dice.choice(USERS),
        "actor": "scheduler" if by_the_clock else dice.choice(ACTORS),
        "commands": commands,
        "fail": dice.choice(FAILS),
        "locked": dice.random() < 0.3,
        "twin": dice.random() < 0.1,
        **fixed,
    }


def _life(dice: Random, commands: Sequence[dict[str, Any]]) -> list[Op]:
    user = dice.choice(USERS)
    return [_op(dice, [command], user=user) for command in commands]


def _approval_life(dice: Random) -> list[Op]:
    """An approval, often of a task, which may end in between."""
    task_id = dice.choice((None, *TASKS))
    line = _approval_line(dice.choice(APPROVALS), task_id)
    more = dice.choices(range(len(line)), k=dice.randrange(3))
    commands = [_fill(dice, line[place]) for place in (*dice.choice(APPROVAL_WAYS), *more)]
    if task_id is not None:
        of_task = [{"type": name, "task_id": task_id} for name in dice.choice(TASK_WAYS)]
        place = dice.randint(1, len(commands))
        created = {"type": "create_task", "task_id": task_id, "title": "one", "blocked_by": []}
        commands = [created, *commands[:place], *of_task, *commands[place:]]
    return _life(dice, commands)


def _life_of(line: Sequence[Template], *names: str) -> Callable[[Random], list[Op]]:
    """The beginning of a line, then any of it, all about the same thing (the ids in `names`)."""

    def life(dice: Random) -> list[Op]:
        begun = range(dice.randint(1, min(3, len(line))))
        places = [*begun, *dice.choices(range(len(line)), k=dice.randrange(6))]
        commands = [_fill(dice, line[place]) for place in places]
        same: dict[str, str] = {}
        for command in commands:
            for name in names:
                if name in command:
                    command[name] = same.setdefault(name, command[name])
        return _life(dice, commands)

    return life


def _any(dice: Random) -> list[Op]:
    return [_op(dice, [_fill(dice, dice.choice(EVERY_COMMAND))])]


def _batch(dice: Random) -> list[Op]:
    commands = [_fill(dice, dice.choice(EVERY_COMMAND)) for _ in range(dice.randint(2, 3))]
    return [_op(dice, commands)]


def _again(dice: Random) -> list[Op]:
    """An earlier operation sent once more, or its key for something else."""
    message = {"type": "post_message", "message_id": "other", "thread_id": "main"}
    command = {**message, "role": "user", "text": "other"}
    return [_op(dice, [command], again=dice.randrange(30), altered=dice.random() < 0.3)]


def _poison(dice: Random) -> list[Op]:
    """Parks a projection: of tasks for cyd, of claims for bob."""
    if dice.random() < 0.5:
        task = {"type": "create_task", "task_id": dice.choice(TASKS), "title": POISON}
        return [_op(dice, [{**task, "blocked_by": []}], user="cyd")]
    claim = {"type": "record_claim", "claim_id": "c9", "subject": "me", "attribute": "town"}
    return [_op(dice, [{**claim, "value": POISON}], user="bob")]


LIVES: tuple[Callable[[Random], list[Op]], ...] = (
    _approval_life,
    _approval_life,
    _approval_life,
    _life_of(TASK_COMMANDS, "task_id", "request_id"),
    _life_of(TASK_COMMANDS, "task_id"),
    _life_of(REMINDER_COMMANDS, "reminder_id"),
    _life_of(PROPOSAL_COMMANDS, "proposal_id"),
    _life_of(SOURCE_COMMANDS),
    _any,
    _batch,
    _again,
    _poison,
)


def program(seed: int) -> list[Step]:
    """Lives, their operations mixed; one to four of them at the same time."""
    dice = Random(seed)
    lives = [dice.choice(LIVES)(dice) for _ in range(dice.randint(3, LIVES_MAX))]
    steps: list[Step] = []
    while any(lives):
        ops: list[Op] = []
        for _ in range(dice.choice((1, 1, 2, 4))):
            left = [life for life in lives if life][:LIVES_AT_ONCE]
            if left:
                ops.append(dice.choice(left).pop(0))
        steps.append({"seconds": dice.choice(SECONDS), "ops": ops})
    return steps


def operated_program(seed: int) -> list[Step]:
    """A program in which operators change generations while others write and read."""
    dice = Random(f"operators {seed}")
    steps = program(seed)
    for step in steps:
        if dice.random() < 0.4:
            action = dice.choice(ACTIONS)
            places = [name for name in OPERATOR_NAMES if name.startswith(f"{action}.")]
            fail = dice.choice(places) if places and dice.random() < 0.3 else None
            step["operator"] = {"version": dice.choice(VERSIONS), "action": action, "fail": fail}
    return steps
