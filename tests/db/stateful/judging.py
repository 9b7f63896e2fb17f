"""Was the outcome of operations that ran at the same time right, one after the other?

Positions give the order. An operation that stored nothing must have been right at some moment of
the step. A refusal may have stored facts without a receipt: then one of the refused operations
must account for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from db.stateful import oracle
from db.stateful.worker import Instruction, Result

Stored = tuple[int, tuple[str, str]]  # a position, and (type, stream)


class Done(NamedTuple):
    """An instruction with its last result."""

    told: Instruction
    result: Result

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of all of its events."""
        return tuple(p for positions in self.result.positions for p in positions)

    @property
    def outcome(self) -> str:
        """done, nothing (done without events), or how it failed."""
        return "nothing" if self.result.kind == "done" and not self.positions else self.result.kind


def settle(user: dict[str, Any], dones: Sequence[Done], log: Sequence[Stored]) -> dict[str, Any]:
    """The user after the operations; `log` is what was stored since.

    Raises: AssertionError where the log or an outcome is not what the oracle says.
    """
    assert [position for position, _ in log] == [
        user["head"] + number for number in range(1, len(log) + 1)
    ], f"positions are not dense after {user['head']}: {log}"
    owners = {done.positions[0]: done for done in _once_a_key(dones) if done.positions}
    moments = [user]
    explained: list[Done] = []
    left = dict(log)
    while left:
        position = min(left)
        owner = owners.pop(position, None)
        if owner is None:
            owner = _who_was_refused(moments[-1], dones, left, position)
            explained.append(owner)
        judged = _judge(moments[-1], owner)
        places = owner.result.positions
        for number, facts in enumerate(judged.facts):
            taken = sorted(places[number]) if places else [position]
            told = sorted(left.pop(place) for place in taken if place in left)
            assert told == sorted(facts), f"{owner} stored {told}, not {sorted(facts)}"
        moments.append(judged.after)
    assert not owners, f"acknowledged, but not in the log: {owners}"
    assert moments[-1]["head"] == user["head"] + len(log), (moments[-1]["head"], log)
    for done in dones:
        if not done.positions:
            assert any(_fits(moment, done, explained) for moment in moments), (
                f"{done} was never right between {moments[0]} and {moments[-1]}"
            )
    return moments[-1]


def _judge(user: dict[str, Any], done: Done) -> oracle.Verdict:
    told = done.told
    judged = oracle.judge(user, told.commands, told.actor, told.now)
    if done.positions:
        assert judged.accepted, f"{done} was accepted, but must be refused: {user}"
    return judged


def _once_a_key(dones: Iterable[Done]) -> list[Done]:
    """One of those that were sent twice: both must tell the same, and only one the first time."""
    by_key: dict[str, Done] = {}
    for done in dones:
        if done.result.kind != "done":
            continue
        other = by_key.setdefault(done.told.key, done)
        if other is not done:
            assert other.positions == done.positions, f"stored twice: {other} and {done}"
            assert other.result.duplicate or done.result.duplicate, f"{other} and {done}"
    return list(by_key.values())


def _who_was_refused(
    user: dict[str, Any], dones: Iterable[Done], left: dict[int, tuple[str, str]], position: int
) -> Done:
    for done in dones:
        if not done.positions and done.result.kind == "refused":
            judged = oracle.judge(user, done.told.commands, done.told.actor, done.told.now)
            if not judged.accepted and judged.facts == ((left[position],),):
                return done
    raise AssertionError(f"nobody was told of {left[position]} at {position}: {dones}")


def _fits(user: dict[str, Any], done: Done, explained: Sequence[Done]) -> bool:
    judged = oracle.judge(user, done.told.commands, done.told.actor, done.told.now)
    if done.result.kind == "done":
        return judged.accepted and not any(judged.facts)
    # A refusal with facts leaves them in the log, where somebody must have accounted for them.
    return not judged.accepted and (not judged.facts or done in explained)
