"""Rebuild: fold every log again into a new generation, beside the live one, while writers write.

Every step is a transaction that leaves rows and progress equal, so a run that was ended anywhere
is gone on with by the next one. It repeats until no user is without a progress row; from a user's
row on, programs of this fold version keep it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from workindex.domain.errors import Unavailable
from workindex.domain.facts import Actor
from workindex.eventlog.audit import note_action
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.failpoints import failpoint
from workindex.eventlog.mapper import FactMapper
from workindex.projections.advancing import Park, Step, Target, Unknown, advance
from workindex.projections.generations import Generation, begin_building
from workindex.projections.rebuild_batches import Range, build_range
from workindex.projections.rebuild_jobs import Jobs
from workindex.projections.row_writing import RowWriter
from workindex.projections.sets import INLINE, ProjectionSet

RANGES_A_JOB = 8

# Binds: set, generation. One row: users without a progress row, and the events of their logs.
LEFT = """
SELECT count(*), coalesce(sum(l.head), 0)::bigint FROM user_log l
WHERE l.erased_at IS NULL
  AND NOT EXISTS (SELECT FROM projection_progress p WHERE p.user_id = l.user_id
                  AND p.projection_set = %s AND p.generation = %s)
"""

# Binds: number of parts, set, generation. The last user of each part, in order.
PARTS = """
SELECT max(user_id) FROM (
    SELECT l.user_id, ntile(%s) OVER (ORDER BY l.user_id) AS part FROM user_log l
    WHERE l.erased_at IS NULL
      AND NOT EXISTS (SELECT FROM projection_progress p WHERE p.user_id = l.user_id
                      AND p.projection_set = %s AND p.generation = %s)) AS parts
GROUP BY part ORDER BY part
"""

# Binds: set, generation, set, generation. Users who are not at the head and could be.
BEHIND = """
SELECT l.user_id FROM user_log l JOIN projection_progress p ON p.user_id = l.user_id
WHERE p.projection_set = %s AND p.generation = %s AND p.position < l.head
  AND l.erased_at IS NULL
ORDER BY l.user_id
"""

# Binds: set, generation. What stands still, whoever parked it.
PARKED = """
SELECT p.user_id, m.key, (m.value ->> 'position')::bigint,
       (m.value ->> 'failed_position')::bigint, m.value ->> 'reason'
FROM projection_progress p, jsonb_each(p.parked) AS m
WHERE p.projection_set = %s AND p.generation = %s ORDER BY p.user_id, m.key
"""


class Outcome(NamedTuple):
    """What a rebuild came to. `parked` are all members of the generation that stand still,
    `unknown` the events that this program is too old for; either leaves it unfinished."""

    generation: Generation
    is_resumed: bool
    projection_set: str
    jobs: int
    seconds: float
    done: Step
    parked: tuple[Park, ...]
    unknown: tuple[Unknown, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every user was built and nothing stands still."""
        return not (self.parked or self.unknown)

    def to_json(self) -> dict[str, Any]:
        """The document of `workindex projections rebuild --json`."""
        done, seconds = self.done, max(self.seconds, 1e-9)
        return {
            "set": self.projection_set,
            **self.generation._asdict(),
            "resumed": self.is_resumed,
            "jobs": self.jobs,
            "users": done.users,
            "events": done.events,
            "rows": done.rows,
            "seconds": round(self.seconds, 3),
            "events_per_second": round(done.events / seconds),
            "longest_stall_ms": round(done.stall_seconds * 1_000, 1),
            "parked": [one._asdict() for one in self.parked],
            "needs_newer_code": [one._asdict() for one in self.unknown],
        }


class Progress(NamedTuple):
    """How far a run is: what is done, and all that was to be done when it began."""

    done: Step
    users: int
    events: int
    seconds: float


Watch = Callable[[Progress], None]


class Rebuilder:
    """Builds one generation of a set with the set's folds.

    `jobs` processes share the users; more than one of them know only the sets that are
    registered, with this program's own folds.
    """

    def __init__(
        self,
        database: Database,
        *,
        projection_set: ProjectionSet = INLINE,
        mapper: FactMapper | None = None,
        jobs: int = 1,
    ) -> None:
        self._database = database
        self._set = projection_set
        self._mapper = mapper or FactMapper()
        self._jobs = jobs

    def rebuild(self, who: Actor, watch: Watch | None = None) -> Outcome:
        """Build every user; stops at the first park.

        Raises: NotReady without a maintenance login; Unavailable, and then the next run goes on.
        """
        begun = time.monotonic()
        generation, is_resumed = begin_building(self._database, who, self._set)
        failpoint("rebuild.registered")
        run = _Run(self._database, Target(self._set, generation.generation, self._mapper))
        with self._started() as jobs:
            for step in run.steps(jobs):
                run.done = run.done.plus(step)
                if watch is not None:
                    seconds = time.monotonic() - begun
                    watch(Progress(run.done, run.users, run.events, seconds))
                if step.parked:
                    break
        outcome = Outcome(
            generation,
            is_resumed,
            self._set.name,
            self._jobs,
            time.monotonic() - begun,
            run.done,
            run.parked(),
            run.done.unknown,
        )
        self._note(who, outcome)
        return outcome

    def _started(self) -> AbstractContextManager[Jobs | None]:
        if self._jobs == 1:
            return nullcontext()
        return Jobs(self._database, self._set, self._jobs)

    def _note(self, who: Actor, outcome: Outcome) -> None:
        told = {
            "set": self._set.name,
            "generation": outcome.generation.generation,
            "users": outcome.done.users,
            "events": outcome.done.events,
        }
        ends = {"done": True, "parked": outcome.parked, "needs newer code": outcome.unknown}
        ended = [name for name, is_so in ends.items() if is_so][-1]
        with self._database.maintenance() as conn:
            note_action(conn, who, "projections rebuild", told, outcome=ended)


class _Run:
    """One run: passes over the users that are left, then those that lag behind."""

    def __init__(self, database: Database, target: Target) -> None:
        self._database = database
        self._target = target
        self._key = (target.projection_set.name, target.generation)
        self.done = Step()
        self.users = 0
        self.events = 0

    def steps(self, jobs: Jobs | None) -> Iterator[Step]:
        """Each batch that was built, in whatever order."""
        self.users, self.events = left, _ = self._left()
        while left > 0:
            unknown = len(self.done.unknown)
            yield from self._pass(jobs)
            before, (left, _) = left, self._left()
            left -= len(self.done.unknown)
            if left >= before and len(self.done.unknown) == unknown:
                raise Unavailable(
                    f"{left} users could not be built although others ended: run the command again"
                )
        yield from self._catch_up()

    def _pass(self, jobs: Jobs | None) -> Iterator[Step]:
        if jobs is not None:
            yield from jobs.build(self._target.generation, self._ranges(jobs.size))
            return
        with self._database.maintenance() as conn:
            yield from build_range(conn, self._target, Range("", None))

    def _catch_up(self) -> Iterator[Step]:
        """Users whom an earlier run left in the middle, or whom others appended to."""
        with self._database.maintenance() as conn:
            behind = conn.execute(BEHIND, self._key).fetchall()
            writer = RowWriter(conn, self._target.projection_set, self._target.generation)
            for (user_id,) in behind:
                yield advance(conn, self._target, writer, user_id)

    def _ranges(self, jobs: int) -> list[Range]:
        with self._database.maintenance() as conn:
            rows = conn.execute(PARTS, (jobs * RANGES_A_JOB, *self._key)).fetchall()
        ends = [row[0] for row in rows]
        return [
            Range(after, last)
            for after, last in zip(["", *ends[:-1]], [*ends[:-1], None], strict=True)
        ]

    def _left(self) -> tuple[int, int]:
        with self._database.maintenance() as conn:
            users, events = conn.execute(LEFT, self._key).fetchall()[0]
        return users, events

    def parked(self) -> tuple[Park, ...]:
        """Every member of the generation that stands still."""
        with self._database.maintenance() as conn:
            return parked_in(conn, *self._key)


def parked_in(conn: Connection, set_name: str, generation: int) -> tuple[Park, ...]:
    """Every member of a generation that stands still, by user."""
    return tuple(Park(*row) for row in conn.execute(PARKED, (set_name, generation)).fetchall())
