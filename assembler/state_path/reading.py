"""Which rows a question reads: no more than it needs, and of thousands only the first.

The days of "tomorrow" are the user's, whose zone stands in the rows: they are guessed, and where
the guess was wrong and there were too many rows to read them all, these are read again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from workindex.assembler.state_path.days import Clock, clock_of
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.register import ALL_RENDERERS
from workindex.assembler.state_path.renderer import Asked, holds_now, rows_max
from workindex.projections.bounds import ITEMS_MAX, Bounds, Want
from workindex.projections.proof import Reading

Read = Callable[[Want, Bounds, datetime | None], Reading]

_RENDERER_OF = {renderer.kind: renderer for renderer in ALL_RENDERERS}


def read_for(
    question: StateQuestion,
    read: Read,
    now: datetime | None = None,
    tz: str | None = None,
    limit: int = ITEMS_MAX,
) -> Reading:
    """The rows that answer the question; `read` reads them at the `now` given, else the clock's.

    `limit` is how many items the answer may have.

    Raises: InvalidInput for an unknown zone.
    """
    renderer = _RENDERER_OF[question.kind]
    asked = Asked(renderer.needs) if renderer.asks is None else renderer.asks(question)
    bounds = asked.bounds._replace(limit=rows_max(limit))
    window = _window(question, clock_of(now or datetime.now(UTC), tz, {}))
    reading = read(asked.want, bounds._replace(window=window), now)
    while reading.beyond:
        found = _window(question, clock_of(reading.now, tz, reading.rows))
        if found == window:
            break
        window = found
        reading = read(asked.want, bounds._replace(window=window), reading.now)
    return reading


def _window(question: StateQuestion, clock: Clock) -> tuple[datetime, datetime] | None:
    """The days by which the question narrows what it lists."""
    window = clock.window(question)
    if window is None or (question.kind != "tasks" and holds_now(question)):
        return None
    return window.start_at, window.end_at
