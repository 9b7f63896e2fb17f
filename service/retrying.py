"""What does a caller do who was overtaken? Read again, decide again, record again, a bounded time.

Invariant: a refusal is an answer and is never tried again.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from workindex.domain.errors import (
    BatchRefused,
    InvalidInput,
    NotReady,
    Unavailable,
    VersionConflict,
    WorkindexError,
)

T = TypeVar("T")

ATTEMPTS_MAX: Final = 6
FIRST_WAIT_S: Final = 0.05
LONGEST_WAIT_S: Final = 2.0


def retrying(
    decide: Callable[[str], T],
    *,
    key: str | None = None,
    attempts_max: int = ATTEMPTS_MAX,
    first_wait_s: float = FIRST_WAIT_S,
    longest_wait_s: float = LONGEST_WAIT_S,
) -> T:
    """Run a decision, and anew each time it was overtaken or the database was away.

    `decide` reads what it needs, decides and records, and returns what the caller wants of it. It
    is given the same key each time (`key`, else one made here) to record with: a run whose answer
    was lost is then found by the next one, which gets its first result.

        retrying(lambda key: ann.record(command, actor=me, key=key, expected_version=seen(ann)))

    The waits have full jitter: each is anything up to a limit that doubles from `first_wait_s` to
    `longest_wait_s`, so that callers who met once do not meet again.

    Raises: VersionConflict (alone or as the cause of a BatchRefused) or Unavailable of the last of
    `attempts_max` runs; every other error at once: a CommandRefused or NotReady would come again,
    and a DuplicateKeyConflict says that an earlier run was recorded, with another command.
    """
    if attempts_max < 1:
        raise InvalidInput(f"attempts_max is {attempts_max}: it takes 1 or more")
    one_key = key or f"retrying-{secrets.token_hex(16)}"
    for wait_s in waits(attempts_max - 1, first_wait_s, longest_wait_s):
        try:
            return decide(one_key)
        except WorkindexError as error:
            if not _may_pass(error):
                raise
        time.sleep(wait_s)
    return decide(one_key)


def waits(count: int, first_s: float, longest_s: float) -> Iterator[float]:
    """`count` waits in seconds, each anywhere between none and its limit.

    Source: Exponential Backoff And Jitter, Amazon Web Services architecture blog, 2015.
    """
    limit_s = first_s
    for _ in range(count):
        yield random.uniform(0.0, min(limit_s, longest_s))
        limit_s *= 2


def _may_pass(error: WorkindexError) -> bool:
    cause = error.__cause__ if isinstance(error, BatchRefused) else error
    return isinstance(cause, (VersionConflict, Unavailable)) and not isinstance(cause, NotReady)
