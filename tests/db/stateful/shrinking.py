"""A shorter program that still fails, for a person to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from db.stateful.programs import Step

TRIES_MAX = 150


def shrink(program: list[Step], fails: Callable[[list[Step]], bool]) -> list[Step]:
    """Leave out what can be left out, large parts first, as long as it fails.

    Operations at the same time may end differently at each try, so a part may stay that need not.
    """
    tries = 0
    size = max(1, len(program) // 2)
    while size:
        for shorter in _without(program, size):
            tries += 1
            if tries > TRIES_MAX:
                return program
            if fails(shorter):
                program = shorter
                break
        else:
            size //= 2
    for number, step in enumerate(program):
        for op in step["ops"] if len(step["ops"]) > 1 else ():
            ops = [other for other in program[number]["ops"] if other is not op]
            shorter = [*program[:number], {**step, "ops": ops}, *program[number + 1 :]]
            tries += 1
            if ops and tries <= TRIES_MAX and fails(shorter):
                program = shorter
    return program


def _without(program: list[Step], size: int) -> Iterator[list[Step]]:
    """The program without each run of `size` steps; the clock moves on as before."""
    for first in range(0, len(program), size):
        seconds = sum(step["seconds"] for step in program[first : first + size])
        rest = program[first + size :]
        if rest:
            rest = [{**rest[0], "seconds": rest[0]["seconds"] + seconds}, *rest[1:]]
        if shorter := [*program[:first], *rest]:
            yield shorter
