"""Decisions are run again where somebody was faster, and nowhere else."""

from __future__ import annotations

from itertools import pairwise

import pytest

from workindex import (
    BatchRefused,
    CommandRefused,
    DuplicateKeyConflict,
    InvalidInput,
    NotReady,
    Unavailable,
    VersionConflict,
    WorkindexError,
    retrying,
)
from workindex.service.retrying import waits

OVERTAKEN = VersionConflict("task/T-1", expected=1, actual=2)
AWAY = Unavailable("the database does not answer")


class Decision:
    """Fails with one error after the other, then answers; remembers the keys that it was given."""

    def __init__(self, *errors: WorkindexError) -> None:
        self._errors = list(errors)
        self.keys: list[str] = []

    def __call__(self, key: str) -> str:
        self.keys.append(key)
        if self._errors:
            raise self._errors.pop(0)
        return "decided"


def in_a_batch(error: WorkindexError) -> WorkindexError:
    """The error of the second entry of a batch."""
    refused = BatchRefused(1, error)
    refused.__cause__ = error
    return refused


@pytest.mark.parametrize("error", [OVERTAKEN, AWAY, in_a_batch(OVERTAKEN)], ids=lambda e: e.code)
def test_what_passes_is_run_again(error: WorkindexError) -> None:
    """Each run has the same key, and the answer is that of the run which came through."""
    decision = Decision(error, error, error)
    assert retrying(decision, first_wait_s=0) == "decided"
    assert len(decision.keys) == 4
    assert len(set(decision.keys)) == 1


def test_the_key_is_the_callers_or_one_of_its_own() -> None:
    """A given key is handed on; without one, two calls have two keys."""
    given, first, second = Decision(), Decision(), Decision()
    retrying(given, key="message-17")
    retrying(first)
    retrying(second)
    assert given.keys == ["message-17"]
    assert first.keys != second.keys


@pytest.mark.parametrize(
    "error",
    [
        CommandRefused("task_ended", "the task is done"),
        DuplicateKeyConflict("the key was used"),
        InvalidInput("no title"),
        NotReady("the schema is older"),
        in_a_batch(CommandRefused("task_ended", "the task is done")),
    ],
    ids=lambda e: type(e.__cause__ or e).__name__,
)
def test_what_would_come_again_is_raised_at_once(error: WorkindexError) -> None:
    """A refusal is an answer: one run, and the error as it was."""
    decision = Decision(error)
    with pytest.raises(type(error)) as raised:
        retrying(decision)
    assert raised.value is error
    assert len(decision.keys) == 1


@pytest.mark.parametrize("attempts", [1, 2, 5])
def test_the_runs_are_bounded(attempts: int) -> None:
    """After the last run its own error comes out."""
    decision = Decision(*[AWAY] * attempts)
    with pytest.raises(Unavailable):
        retrying(decision, attempts_max=attempts, first_wait_s=0)
    assert len(decision.keys) == attempts
    with pytest.raises(InvalidInput, match="attempts_max is 0"):
        retrying(decision, attempts_max=0)


def test_the_waits_have_full_jitter() -> None:
    """Each is anywhere below its limit, which doubles up to the longest: 50 ms, 100, 200, 300."""
    drawn = [list(waits(5, 0.05, 0.3)) for _ in range(400)]
    highest = [max(each) for each in zip(*drawn, strict=True)]
    for limit_s, seen_s, lowest_s in zip(
        (0.05, 0.1, 0.2, 0.3, 0.3), highest, map(min, zip(*drawn, strict=True)), strict=True
    ):
        assert lowest_s < 0.1 * limit_s < 0.9 * limit_s < seen_s <= limit_s
    assert any(later < earlier for earlier, later in pairwise(drawn[0] + drawn[1] + drawn[2]))
