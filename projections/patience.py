"""Trying an append again: what passes by itself is waited for, what does not is raised at once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

import psycopg
from psycopg.errors import LockNotAvailable, QueryCanceled
from psycopg_pool import PoolTimeout

from workindex.domain.errors import InvalidInput, Unavailable
from workindex.eventlog.append import MOVED_ON, sqlstate
from workindex.eventlog.recorder import Taken
from workindex.projections.loading import Stale

T = TypeVar("T")
ATTEMPTS_MAX: Final = 6
FIRST_WAIT_S: Final = 0.02


def with_retries(attempt: Callable[[], T]) -> T:
    """Run a locked attempt; what passes by itself is tried again after a growing, jittered wait.

    The command keys make this safe: an attempt that did commit is found by the next one.

    Raises: Unavailable where nothing passed in all of the attempts; what the attempt raises else.
    """
    wait_s = FIRST_WAIT_S
    for tries_left in range(ATTEMPTS_MAX - 1, -1, -1):
        try:
            return attempt()
        except Unavailable as error:
            if tries_left == 0 or waited_long(error):
                raise
        except (Stale, Taken) as error:  # somebody else was first in a log without a head to hold
            if tries_left == 0:
                raise _outrun() from error
        except psycopg.Error as error:
            state = sqlstate(error)
            if state[:2] == "22":
                raise InvalidInput(f"the database refuses a value: {error}") from error
            if state != MOVED_ON:
                raise
            if tries_left == 0:
                raise _outrun() from error
        time.sleep(wait_s * random.uniform(0.5, 1.5))
        wait_s *= 2
    raise AssertionError("the loop returns or raises")


def _outrun() -> Unavailable:
    return Unavailable(f"others wrote to this log at each of {ATTEMPTS_MAX} attempts: try again")


def waited_long(error: Unavailable) -> bool:
    """Whether a time limit ended the attempt: the next one would only wait as long again."""
    cause = error.__cause__
    return isinstance(cause, (PoolTimeout, LockNotAvailable, QueryCanceled))
