"""Programs for the stateful test: lists of steps, as JSON values that can be run again.

A step moves the clock and lets workers do operations at the same time. A time in a command is a
number of seconds from the step's now; an action hash is the id of the approval that it is of.
Most operations belong to a life (of an approval, a task, ...), cut anywhere and mixed with
others, so that deep states are reached; some come from nowhere.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from db.stateful.oracle_rules import POISON
from workindex.eventlog.failpoints import NAMES

Op = dict[str, Any]
Step = dict[str, Any]

WORKERS = 3
USERS = ("ann", "bob", "cyd")
TASKS = ("t1", "t2", "t3")
APPROVALS = ("a1", "a2", "a3", "a4")
SOON = st.sampled_from([60, 20, 5, 300])
MAYBE_SOON = st.sampled_from([None, 20, 60, 5])
SECONDS = (0, 0, 0, 1, 7, 30)
LIVES_AT_ONCE = 5


def _command(type_: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(type_), **fields})


def _ids(kind: str, of: tuple[str, ...]) -> dict[str, st.SearchStrategy[str]]:
    return {f"{kind}_id": st.sampled_from(of)}


_task = _ids("task", TASKS)
_blockers = st.lists(st.sampled_from(TASKS), max_size=2, unique=True)
_maybe_blockers: st.SearchStrategy[list[str]] = st.one_of(st.just([]), st.just([]), _blockers)
_requests = {"request_id": st.sampled_from(("r1", "r2"))}
_reminder = _ids("reminder", ("m1", "m2", "m3"))
_proposal = _ids("proposal", ("p1", "p2", "p3"))
_deadline = {"deadline_at": SOON}
_policy = {
    "policy": st.sampled_from(
        [{"decision": d, "policy_id": "rule"} for d in ("allow", "allow", "deny")]
    )
}


@cache
def _of_approval(approval_id: str, task_id: str | None) -> list[st.SearchStrategy[dict[str, Any]]]:
    """The commands of an approval, in the order of a life that goes to its end."""
    own = {"approval_id": st.just(approval_id)}
    exact = {**own, "action_hash": st.just(approval_id)}
    execution = {**own, "execution_id": st.just(f"x-{approval_id}")}
    return [
        _command(
            "request_approval",
            **own,
            title=st.just(f"Allow {approval_id}"),
            task_id=st.just(task_id),
            tool=st.just("pay"),
            arguments=st.sampled_from([{"amount": 1}, {"amount": 2}]),
            expires_at=SOON,
            reopen=st.booleans(),
        ),
        _command("grant_approval", **exact, redeem_by=MAYBE_SOON),
        _command("start_execution", **(exact | execution | _deadline | _policy)),
        st.one_of(
            _command("mark_execution_outcome_unknown", **execution),
            _command("succeed_execution", **execution),
            _command("fail_execution", **execution),
        ),
        _command("succeed_execution", **execution),
        _command(
            "decide_policy",
            **own,
            decision=st.sampled_from(["allow", "deny"]),
            policy_id=st.just("rule"),
        ),
        _command("deny_approval", **own),
        _command("withdraw_approval", **own),
        _command("moot_approval", **own, reason_code=st.just("superseded")),
        _command("expire_approval", **own),
        _command("lapse_grant", **own),
    ]


TASK_COMMANDS = [
    _command(
        "create_task", **_task, title=st.sampled_from(["one", "two"]), blocked_by=_maybe_blockers
    ),
    _command(
        "request_task_input",
        **_task,
        **_requests,
        kind=st.sampled_from(["input", "decision", "approval"]),
        prompt=st.sampled_from(["which?", "when?"]),
        expires_at=MAYBE_SOON,
    ),
    _command("give_task_input", **_task, **_requests, answer=st.just("this")),
    _command("withdraw_task_input", **_task, **_requests),
    _command("change_task", **_task, title=st.sampled_from(["one", "two", "three"])),
    _command("start_task", **_task),
    _command("schedule_task", **_task, scheduled_at=SOON),
    _command("block_task", **_task, blocked_by=_blockers, reason=st.just(None)).map(
        lambda c: c if c["blocked_by"] else {**c, "reason": "the post"}
    ),
    _command("unblock_task", **_task, blocked_by=st.one_of(st.none(), _blockers)),
    *(
        _command(name, **_task)
        for name in ("complete_task", "fail_task", "cancel_task", "reopen_task", "remove_task")
    ),
]
REMINDER_COMMANDS = [
    _command(
        "set_reminder", **_reminder, title=st.just("call"), remind_at=st.sampled_from([5, -1, 60])
    ),
    _command("mark_reminder_due", **_reminder),
    _command("snooze_reminder", **_reminder, until_at=SOON),
    _command("change_reminder", **_reminder, remind_at=SOON),
    _command("dismiss_reminder", **_reminder),
    _command("cancel_reminder", **_reminder),
]
PROPOSAL_COMMANDS = [
    _command("make_proposal", **_proposal, title=st.just("tidy up?"), expires_at=MAYBE_SOON),
    _command("answer_proposal", **_proposal, answer=st.sampled_from(["accepted", "declined"])),
]
SOURCE_COMMANDS = [
    _command(
        "observe_source",
        source=st.just("tracker"),
        observed_through=st.sampled_from([0, -20, -90, 90]),
        covers=st.just(["tasks"]),
        fresh_seconds=st.sampled_from([20, 60]),
        state=st.sampled_from(["whole", "whole", "partial", "suspect"]),
    ),
    _command("retire_source", source=st.just("tracker")),
    _command(
        "observe_source",
        source=st.just("calendar"),
        observed_through=st.just(0),
        covers=st.just(["meetings"]),
        fresh_seconds=st.just(20),
        state=st.just("whole"),
    ),
]
OTHER_COMMANDS = [
    _command(
        "post_message",
        message_id=st.sampled_from(["n1", "n2", "n3"]),
        thread_id=st.just("main"),
        role=st.just("user"),
        text=st.sampled_from(["hello", "good day"]),
    ),
    _command(
        "record_claim",
        claim_id=st.sampled_from(["c1", "c2", "c3"]),
        subject=st.just("me"),
        attribute=st.just("town"),
        value=st.just("Bern"),
    ),
]
ANY_COMMAND = st.one_of(
    *TASK_COMMANDS, *REMINDER_COMMANDS, *PROPOSAL_COMMANDS, *SOURCE_COMMANDS, *OTHER_COMMANDS
)
# Whoever is wrong for a command must be refused, so now and then somebody else gives it.
ACTORS = st.sampled_from(["user"] * 12 + ["agent", "approver", "scheduler"])
FAILS = st.sampled_from([None] * 12 + list(NAMES) + [f"{name}:raise" for name in NAMES])


@st.composite
def _op(draw: st.DrawFn, commands: list[dict[str, Any]]) -> Op:
    by_the_clock = commands[0]["type"] == "mark_reminder_due"
    return {
        "worker": draw(st.integers(0, WORKERS - 1)),
        "user": draw(st.sampled_from(USERS)),
        "actor": "scheduler" if by_the_clock else draw(ACTORS),
        "commands": commands,
        "fail": draw(FAILS),
        "locked": draw(st.sampled_from([False, False, True])),
        "twin": draw(st.sampled_from([False] * 9 + [True])),
    }


@st.composite
def _approval_life(draw: st.DrawFn) -> list[Op]:
    task_id = draw(st.sampled_from([None, None, *TASKS]))
    line = _of_approval(draw(st.sampled_from(APPROVALS)), task_id)
    order = [*range(draw(st.integers(1, 5))), *draw(st.lists(st.integers(0, 10), max_size=3))]
    commands = [draw(line[place]) for place in order]
    if task_id is not None:
        created = {"type": "create_task", "task_id": task_id, "title": "one", "blocked_by": []}
        commands.insert(0, created)
    return draw(_life(commands))


@st.composite
def _life_of(
    draw: st.DrawFn, line: list[st.SearchStrategy[dict[str, Any]]], names: tuple[str, ...]
) -> list[Op]:
    """The beginning of a line, then any of it, all about the same thing (the ids in `names`)."""
    begun = range(draw(st.integers(1, min(3, len(line)))))
    order = [*begun, *draw(st.lists(st.integers(0, len(line) - 1), max_size=5))]
    commands = [draw(line[place]) for place in order]
    same: dict[str, str] = {}
    for command in commands:
        for name in names:
            if name in command:
                command[name] = same.setdefault(name, command[name])
    return draw(_life(commands))


@st.composite
def _life(draw: st.DrawFn, commands: list[dict[str, Any]]) -> list[Op]:
    ops = [draw(_op([command])) for command in commands]
    return [{**op, "user": ops[0]["user"]} for op in ops]


@st.composite
def _batch(draw: st.DrawFn) -> list[Op]:
    return [draw(_op(draw(st.lists(ANY_COMMAND, min_size=2, max_size=3))))]


@st.composite
def _again(draw: st.DrawFn) -> list[Op]:
    """An earlier operation sent once more, or its key for something else."""
    op = draw(
        _op(
            [
                {
                    "type": "post_message",
                    "message_id": "other",
                    "thread_id": "main",
                    "role": "user",
                    "text": "other",
                }
            ]
        )
    )
    return [{**op, "again": draw(st.integers(0, 30)), "altered": draw(st.booleans())}]


@st.composite
def _poison(draw: st.DrawFn) -> list[Op]:
    """Parks a projection: of tasks for cyd, of claims for bob."""
    if draw(st.booleans()):
        command = {
            "type": "create_task",
            "task_id": draw(st.sampled_from(TASKS)),
            "title": POISON,
            "blocked_by": [],
        }
        return [{**draw(_op([command])), "user": "cyd"}]
    command = {
        "type": "record_claim",
        "claim_id": "c9",
        "subject": "me",
        "attribute": "town",
        "value": POISON,
    }
    return [{**draw(_op([command])), "user": "bob"}]


LIFE = st.one_of(
    _approval_life(),
    _approval_life(),
    _life_of(TASK_COMMANDS, ("task_id", "request_id")),
    _life_of(TASK_COMMANDS, ("task_id", "request_id")),
    _life_of(REMINDER_COMMANDS, ("reminder_id",)),
    _life_of(PROPOSAL_COMMANDS, ("proposal_id",)),
    _life_of(SOURCE_COMMANDS, ()),
    st.builds(lambda op: [op], ANY_COMMAND.flatmap(lambda command: _op([command]))),
    _batch(),
    _again(),
    _poison(),
)


@st.composite
def programs(draw: st.DrawFn, lives_max: int = 14) -> list[Step]:
    """Lives, their operations mixed; one to four of them at the same time."""
    lives = draw(st.lists(LIFE, min_size=3, max_size=lives_max))
    queues = [list(life) for life in lives]
    steps: list[Step] = []
    while any(queues):
        ops: list[Op] = []
        for _ in range(draw(st.sampled_from([1, 1, 2, 4]))):
            left = [queue for queue in queues if queue][:LIVES_AT_ONCE]
            if left:
                ops.append(left[draw(st.integers(0, len(left) - 1))].pop(0))
        steps.append({"seconds": draw(st.sampled_from(SECONDS)), "ops": ops})
    return steps
