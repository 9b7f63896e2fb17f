"""Plays a program with real processes and holds every outcome against the oracle."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from db.stateful import oracle, oracle_approvals
from db.stateful.crew import Crew
from db.stateful.judging import Done, settle
from db.stateful.programs import Op, Step
from db.stateful.worker import Instruction, Look, Operate, Result, view
from next_program import MARK, PROGRAMS
from workindex.eventlog.database import Database, tenant_transaction
from workindex.eventlog.reader import read_stored
from workindex.projections.generations import list_generations
from workindex.projections.verify import Verifier
from workindex.service.client import WorkIndex

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LATER = timedelta(days=3_650)
TIMES = frozenset(
    ("expires_at", "redeem_by", "deadline_at", "remind_at", "until_at", "scheduled_at")
) | {"observed_through"}
STORED_AT = "append.done"  # a process killed here has stored its command
NO_HASH = "0" * 64


class Play:
    """One program on users of its own; `name` keeps them apart from those of other programs."""

    def __init__(self, crew: Crew, database: Database, name: str) -> None:
        self._crew = crew
        self._database = database
        self._work_index = WorkIndex(database)
        self._name = name
        self._now = START
        self._keys = count(1)
        self._users: dict[str, dict[str, Any]] = {}
        self._history: dict[str, list[Done]] = {}
        self._asked: dict[tuple[str, str], str] = {}
        self.outcomes: list[tuple[str, str]] = []

    def run(self, program: list[Step]) -> None:
        """Raises: AssertionError naming the step after which something was wrong."""
        number = 0
        try:
            for number, step in enumerate(program, 1):
                self._step(number, step)
            self._check_whole()
        except AssertionError as error:
            raise AssertionError(f"after {number} of {len(program)} steps: {error}") from error

    def _step(self, number: int, step: Step) -> None:
        self._now += timedelta(seconds=step["seconds"])
        told: dict[int, list[Any]] = {}
        taken: dict[str, Instruction] = {}
        for op in step["ops"]:
            made = self._instruction(op)
            if made is None or taken.setdefault(made.key, made).commands != made.commands:
                continue
            told.setdefault(op["worker"], []).append(made)
            if op["twin"]:
                other = (op["worker"] + 1) % len(self._crew)
                told.setdefault(other, []).append(made._replace(failpoint=None))
        if operated := step.get("operator"):
            number_of_it = self._crew.operator(operated["version"])
            told[number_of_it] = [Operate(operated["action"], operated["fail"])]
        results = self._crew.at_once(told) if told else {}
        if operated:
            (changed,) = results.pop(number_of_it)
            del told[number_of_it]
            assert changed.kind != "broken", changed.text
            self.outcomes.append((f"{operated['action']} {operated['version']}", changed.kind))
            self._check_register()
        finished: dict[str, list[Done]] = {}
        for worker, instructions in told.items():
            for instruction, result in zip(instructions, results[worker], strict=True):
                done = Done(instruction, self._certain(instruction, result, worker))
                finished.setdefault(instruction.user_id, []).append(done)
                types = "+".join(command["type"] for command in instruction.commands)
                self.outcomes.append((types, done.outcome))
        for user_id, dones in finished.items():
            self._judge(user_id, dones)
            self._check_view(user_id, number % len(self._crew))

    def _instruction(self, op: Op) -> Instruction | None:
        user_id = f"{self._name}-{op['user']}"
        self._users.setdefault(user_id, oracle.new_user(user_id))
        history = self._history.setdefault(user_id, [])
        commands = [self._command(user_id, command, op["actor"]) for command in op["commands"]]
        key = f"{user_id}-{next(self._keys)}"
        made = Instruction(user_id, commands, op["actor"], key, self._now, op["fail"], op["locked"])
        if "again" not in op:
            return made
        if not history:
            return None
        earlier = history[op["again"] % len(history)].told
        if op["altered"]:
            return made._replace(key=earlier.key)
        return made._replace(key=earlier.key, commands=earlier.commands, actor=earlier.actor)

    def _command(self, user_id: str, command: dict[str, Any], actor: str) -> dict[str, Any]:
        made = {name: value for name, value in command.items() if value is not None}
        for name in TIMES & made.keys():
            made[name] = (self._now + timedelta(seconds=made[name])).isoformat()
        if made["type"] == "request_approval":
            asked = oracle_approvals.hash_of(user_id, made, f"the-{actor}")
            self._asked[user_id, made["approval_id"]] = asked
        if "action_hash" in made:
            held = self._users[user_id]["approvals"].get(made["action_hash"])
            asked = self._asked.get((user_id, made["action_hash"]), NO_HASH)
            made["action_hash"] = held["hash"] if held else asked
        return made

    def _certain(self, told: Instruction, result: Result, worker: int) -> Result:
        """The result, by another try with the same key where it is not known."""
        assert result.kind != "broken", result.text
        if result.kind not in ("killed", "unknown"):
            return result
        other = (worker + 1) % len(self._crew)
        again = self._crew.at_once({other: [told._replace(failpoint=None)]})[other][0]
        assert again.kind in ("done", "refused", "conflict"), (told, result, again)
        if (result.kind, again.kind, told.failpoint) == ("killed", "done", STORED_AT):
            assert again.duplicate, f"killed after the commit, stored again: {told}"
        return again

    def _judge(self, user_id: str, dones: list[Done]) -> None:
        user = self._users[user_id]
        history = self._history[user_id]
        earlier = {done.told.key: done for done in history if done.result.kind == "done"}
        fresh = []
        for done in dones:
            first = earlier.get(done.told.key)
            if first is None:
                fresh.append(done)
            elif first.told.commands != done.told.commands:
                assert done.result.kind == "conflict", f"a key was used twice: {done}"
            else:
                assert done.result.duplicate, f"stored twice: {first} and {done}"
                assert done.result.positions == first.result.positions, (first, done)
        with self._database.connection() as conn, tenant_transaction(conn, user_id):
            stored = list(read_stored(conn, user_id, from_position=user["head"] + 1))
        log = [(e.position, (e.topic, e.originator_id)) for e in stored]
        self._users[user_id] = settle(user, fresh, log)
        history.extend(fresh)

    def _check_view(self, user_id: str, worker: int) -> None:
        user = self._users[user_id]
        seen = self._crew.look(worker, Look(user_id, self._now))
        verdict, reasons = oracle.verdict(user, self._now)
        assert seen["position"] == user["head"], (user["head"], seen)
        version = self._crew.versions[worker]
        assert seen["fold_versions"] <= {version}, (version, seen)
        told = [task["title"] for task in seen["sections"]["tasks"]]
        assert all(title.endswith(MARK) is (version == 2) for title in told), (version, told)
        assert seen["answer"] == (seen["verdict"], seen["reasons"]), seen
        assert seen["says_nothing"] == (seen["verdict"] == "proven_empty"), seen
        if "work_index" in user["parked"]:  # its rows, sources among them, stand still
            assert seen["verdict"] == "unproven", seen
            assert "parked" in seen["reasons"], seen
            return
        assert (seen["verdict"], seen["reasons"]) == (verdict, reasons), (user, seen)
        expected = oracle.view(user, self._now)
        assert seen["view"] == expected, f"seen {seen['view']}, but it is {expected}"
        until = seen["valid_until"]
        last = self._now + LATER if until is None else datetime.fromisoformat(until)
        last -= timedelta(microseconds=1)
        assert oracle.verdict(user, last) == (verdict, reasons), f"changes before {until}: {user}"
        assert oracle.needs(user, last) == oracle.needs(user, self._now), (until, user)

    def _check_register(self) -> None:
        """One generation is live, whatever was done or killed."""
        live = [
            one["generation"]
            for one in list_generations(self._database)
            if (one["projection_set"], one["state"]) == ("inline", "live")
        ]
        assert len(live) == 1, live

    def _check_whole(self) -> None:
        """At the end: rows = fold of the log, replay = inline, parked are who should be."""
        users = {name: user for name, user in self._users.items() if user["head"]}
        if self._crew.has_operators:
            for version in set(self._crew.versions):
                catch_up = Operate("catch_up", users=tuple(users))
                operator = self._crew.operator(version)
                (done,) = self._crew.at_once({operator: [catch_up]})[operator]
                assert done.kind == "done", done
        for version in set(self._crew.versions):
            self._verify(version, users)
        for name, user in users.items():
            replay = Look(name, self._now, at_position=user["head"])
            # This process folds without poison, so a parked user's log replays as well.
            found = view(self._work_index, replay)
            assert found["view"] == oracle.view(user, self._now), (name, found["view"])
            if "work_index" not in user["parked"]:
                inline = view(self._work_index, Look(name, self._now))
                assert inline["sections"] == found["sections"], name

    def _verify(self, version: int, users: dict[str, dict[str, Any]]) -> None:
        """Rows of every generation of one fold version, and the marks of those who stand still."""
        projection_set, mapper = PROGRAMS[version]
        verifier = Verifier(self._database, projection_set=projection_set, mapper=mapper)
        report = verifier.verify(list(users))
        assert not report.differences, report.differences
        assert not report.log_faults, report.log_faults
        late = [one for one in report.behind if one["generation"] is not None]
        assert not late, late
        assert self._crew.has_operators or not report.behind, report.behind
        for one in report.parked:
            assert set(one["parked"]) == users[one["user_id"]]["parked"], one
        if not self._crew.has_operators:
            parked = {name for name, user in users.items() if user["parked"]}
            assert {one["user_id"] for one in report.parked} == parked
