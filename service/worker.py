"""The process that catches up: what stands behind is brought to the head, user by user.

Several may run. Each takes whatever is due, in a random order, one step a turn, so that they seldom
meet and no user keeps the others waiting. With nothing to do it reads one small table now and then
and writes nothing.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Final

from workindex.domain.errors import NotReady, Unavailable
from workindex.eventlog.database import Database
from workindex.projections.follower import Follower, Step
from workindex.projections.following import Due, are_claimed, back_off_seconds, find_due, scan

PAGE_ENTRIES: Final = 200
SCAN_SECONDS: Final = 60.0
POLL_MIN_S: Final = 0.001
LIVELY_SECONDS: Final = 1.0  # so long after something moved the next is looked for at once
POLL_S: Final = 0.02  # how long after its append an event lies there at most while all is quiet
GROWTH: Final = 1.3

Say = Callable[[str], None]


@dataclass
class Done:
    """What a worker did: steps that applied something, events, members that it parked."""

    steps: int = 0
    events: int = 0
    users: set[str] = field(default_factory=set)
    parked: list[dict[str, Any]] = field(default_factory=list)
    failures: int = 0

    def to_json(self) -> dict[str, Any]:
        """The document that `workindex worker --json` ends with."""
        return {
            "steps": self.steps,
            "events": self.events,
            "users": len(self.users),
            "parked": self.parked,
            "failures": self.failures,
        }


class Stopping:
    """Whether to stop, and waiting for it. `set` may come from a signal in the middle of anything:
    a `threading.Event` would wait there for a lock that the interrupted `wait` holds.
    """

    def __init__(self) -> None:
        self._woken: SimpleQueue[None] = SimpleQueue()  # its `put` is reentrant
        self.is_set = False

    def set(self) -> None:
        """Stop; whoever waits goes on."""
        self.is_set = True
        self._woken.put(None)

    def wait(self, seconds: float) -> None:
        """Wait so long, or until it is set."""
        if not self.is_set:
            with suppress(Empty):
                self._woken.get(timeout=seconds)


class Worker:
    """Catches up until it is told to stop; `stop` may be called from a signal or a thread."""

    def __init__(
        self,
        database: Database,
        follower: Follower,
        *,
        say: Say | None = None,
        poll_s: float = POLL_S,
    ) -> None:
        self._database = database
        self._follower = follower
        self._say = say or _say_nothing
        self._poll_max_s = poll_s
        self._stopping = Stopping()
        self.done = Done()

    def stop(self) -> None:
        """End after the step that is being done."""
        self._stopping.set()

    def run(self) -> Done:
        """Catch up until `stop`; an unreachable database is waited for.

        Raises: NotReady where the login may not do this.
        """
        next_scan = moved_at = time.monotonic()
        pause_s = POLL_MIN_S
        outages = 0
        while not self._stopping.is_set:
            try:
                if time.monotonic() >= next_scan:
                    self._scan()
                    next_scan = time.monotonic() + SCAN_SECONDS
                moved = self._round(find_due(self._database, self._follower.sets, PAGE_ENTRIES))
                outages = 0
            except NotReady:
                raise
            except Unavailable as error:
                outages += 1
                self._say(f"waiting for the database: {error}")
                self._stopping.wait(back_off_seconds(outages))
                continue
            if moved:
                moved_at = time.monotonic()
                continue
            is_lively = time.monotonic() - moved_at < LIVELY_SECONDS
            pause_s = POLL_MIN_S if is_lively else min(pause_s * GROWTH, self._poll_max_s)
            self._stopping.wait(pause_s)
        return self.done

    def drain(self) -> Done:
        """Catch up everything that stands behind now, and return.

        What waits for newer code or for a rebuild, or fails, is left; what another worker has is
        waited for, in case it died. Raises: Unavailable.
        """
        sets = self._follower.sets
        self._scan()
        while not self._stopping.is_set:
            entries = find_due(self._database, sets, PAGE_ENTRIES)
            if not entries and not are_claimed(self._database, sets):
                break
            if not self._round(entries):
                self._stopping.wait(self._poll_max_s)
        return self.done

    def _scan(self) -> None:
        if found := scan(self._database, self._follower.sets):
            self._say(f"found {found} behind that nobody had noted")

    def _round(self, entries: list[Due]) -> bool:
        """One step of each entry; whether anything moved."""
        random.shuffle(entries)
        moved = False
        for due in entries:
            if self._stopping.is_set:
                break
            step = self._follower.step(due)
            self._note(due, step)
            moved = moved or step.events > 0
        return moved

    def _note(self, due: Due, step: Step) -> None:
        done = self.done
        if step.events:
            done.steps += 1
            done.events += step.events
            done.users.add(due.user_id)
        if step.parked:
            named = ", ".join(step.parked)
            done.parked.append({**due._asdict(), "members": list(step.parked)})
            self._say(
                f"parked {named} of {due.user_id} (generation {due.generation}) at position "
                f"{step.position}: see workindex projections parked"
            )
        if step.state == "failed":
            done.failures += 1
            self._say(
                f"could not catch up {due.projection_set} of {due.user_id}, trying again "
                f"later: {' '.join(str(step.error).split())}"
            )
        if step.state == "waiting":
            self._say(
                f"{due.projection_set} generation {due.generation} of {due.user_id} waits at "
                f"position {step.position} for newer code or for a rebuild"
            )


def _say_nothing(line: str) -> None:
    """For who looks at what was done only."""
