"""Which rows a question reads: no more than it needs, and of thousands only the first.

The days of "tomorrow" are the user's, whose zone stands in the rows; a question about days is
therefore read a second time where there are too many rows to read them all.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from workindex.assembler.state_path.days import Clock, clock_of
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.register import ALL_RENDERERS
from workindex.assembler.state_path.renderer import ITEMS_MAX, Asked, holds_now
from workindex.projections.bounds import Bounds, Want
from workindex.projections.proof import Reading
from workindex.projections.table import EVER

Read = Callable[[Want, Bounds, datetime | None], Reading]

_RENDERER_OF = {renderer.kind: renderer for renderer in ALL_RENDERERS}


def read_for(
    question: StateQuestion, read: Read, now: datetime | None = None, tz: str | None = None
) -> Reading:
    """The rows that answer the question; `read` reads them at the `now` given, else the clock's.

    Raises: InvalidInput for an unknown zone.
    """
    renderer = _RENDERER_OF[question.kind]
    asked = Asked(renderer.needs, Bounds(ITEMS_MAX))
    if renderer.asks is not None:
        asked = renderer.asks(question)
    reading = read(asked.want, asked.bounds, now)
    while reading.beyond:
        window = _window(question, clock_of(reading.now, tz, reading.rows))
        if window == asked.bounds.window:
            break
        asked = asked._replace(bounds=asked.bounds._replace(window=window))
        reading = read(asked.want, asked.bounds, reading.now)
    return reading


def _window(question: StateQuestion, clock: Clock) -> tuple[datetime, datetime] | None:
    """The instants by which the question narrows what it lists."""
    if question.filter("when") == "overdue":
        return EVER, clock.now + timedelta(microseconds=1)
    window = clock.window(question)
    if window is None or (question.kind != "tasks" and holds_now(question)):
        return None
    return window.start_at, window.end_at
