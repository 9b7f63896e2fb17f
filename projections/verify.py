"""Verify: the log is whole, and every stored row is what the log folds to.

Reads as the maintenance role, a few users a snapshot, and writes nothing. A difference names the
user, the table, the row, the field and the event that last touched the row.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from workindex.domain.errors import CorruptEvent, InvalidInput, NeedsNewerCode
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.mapper import FactMapper
from workindex.projections.marks import accepts
from workindex.projections.rows import Progress
from workindex.projections.sets import ALL_SETS, INLINE, ProjectionSet
from workindex.projections.verify_log import (
    NO_LOG,
    WITHOUT_KEY,
    Fault,
    Head,
    content_faults,
    head_faults,
    key_faults,
    read_log,
)
from workindex.projections.verify_rows import Difference as Difference
from workindex.projections.verify_rows import StoredRows, View, strays_of_progress

USERS_AT_ONCE: Final = 50
EVENTS_AT_ONCE: Final = 20_000
SEED_MAX: Final = 2**32

HEADS = "SELECT user_id, head, erased_at FROM user_log WHERE user_id = ANY (%s)"
# Binds: users. One row a generation that the user has.
PROGRESS = """
SELECT user_id, projection_set, generation, position, parked, skipped, open_count
FROM projection_progress WHERE user_id = ANY (%s) ORDER BY user_id, projection_set, generation
"""
DUE = "SELECT user_id, projection_set, generation FROM catchup_due WHERE user_id = ANY (%s)"
REGISTERED = "SELECT projection_set, generation, fold_version, state FROM projection_generation"


class Report(NamedTuple):
    """What a verification saw.

    `log_faults` lists what is wrong with the log itself, `parked` the members that stand still,
    `behind` the generations that have not reached the head, `skipped` the events that members
    leave out. `seed` chose the users where only some were looked at.
    """

    users: int
    events: int
    differences: list[Difference]
    log_faults: list[dict[str, Any]]
    parked: list[dict[str, Any]]
    behind: list[dict[str, Any]]
    skipped: list[dict[str, Any]]
    seed: int | None = None

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to do: no fault, no park, no lag of the set that moves with
        the append, and no event left out whose proof was not accepted."""
        late = [one for one in self.behind if one["projection_set"] == INLINE.name]
        doubted = [one for one in self.skipped if not one["accepted"]]
        return not (self.differences or self.log_faults or self.parked or late or doubted)

    def to_json(self) -> dict[str, Any]:
        """The document of `workindex projections verify --json`."""
        return {
            "users": self.users,
            "events": self.events,
            "differences": [difference._asdict() for difference in self.differences],
            "log": {"faults": self.log_faults},
            "parked": self.parked,
            "behind": self.behind,
            "skipped": self.skipped,
            "seed": self.seed,
        }


class _Registered(NamedTuple):
    fold_version: int
    state: str


class Verifier:
    """Compares stored rows with the log, a few users at a time.

    Only generations of the program's own fold version are folded; of the others it is known that
    they are registered.
    """

    def __init__(
        self,
        database: Database,
        *,
        projection_set: ProjectionSet | None = None,
        mapper: FactMapper | None = None,
    ) -> None:
        self._database = database
        self._sets = ALL_SETS if projection_set is None else (projection_set,)
        self._mapper = mapper or FactMapper()

    def users(self, among: Sequence[str] | None = None) -> list[str]:
        """Every user who has a log or any row, in order; those of `among` where it is given."""
        tables = ["user_log", "projection_progress", "command_key", "content", "catchup_due"]
        tables += ["work_due", *(t.name for one in self._sets for t in one.tables)]
        union = " UNION ".join(f"SELECT user_id FROM {name}" for name in tables)
        where = "" if among is None else "WHERE user_id = ANY (%s)"
        with self._database.maintenance() as conn:
            rows = conn.execute(
                f"SELECT user_id FROM ({union}) AS u {where} ORDER BY 1".encode(),
                None if among is None else (list(among),),
            ).fetchall()
        return [row[0] for row in rows]

    def sample(self, count: int, seed: int | None = None) -> Report:
        """Verify so many users, chosen by the seed (by default one of its own)."""
        chosen = random.randrange(SEED_MAX) if seed is None else seed
        with self._database.maintenance() as conn:
            rows = conn.execute("SELECT user_id FROM user_log ORDER BY user_id").fetchall()
        everybody = [row[0] for row in rows]
        some = random.Random(chosen).sample(everybody, min(count, len(everybody)))
        return self.verify(sorted(some))._replace(seed=chosen)

    def verify(self, users: Sequence[str] | None = None) -> Report:
        """Verify the given users, by default all and what belongs to none.

        Raises: InvalidInput for a user without a log and without rows; Unavailable, NotReady
        without a maintenance login.
        """
        known = self.users(users)
        for user_id in users or ():
            if user_id not in known:
                raise InvalidInput(f"there is no user {user_id}: see workindex projections list")
        report = Report(0, 0, [], [], [], [], [])
        for batch in self._batches(known):
            with self._database.maintenance() as conn, conn.transaction():
                conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                events = _Batch(conn, self._sets, self._mapper, batch, report).run()
            report = report._replace(users=report.users + len(batch), events=report.events + events)
        if users is None:
            with self._database.maintenance() as conn:
                report.differences.extend(_unregistered(conn, self._sets))
        return report

    def _batches(self, users: Sequence[str]) -> Iterator[list[str]]:
        """The users in groups whose logs are not too long together."""
        with self._database.maintenance() as conn:
            rows = conn.execute(HEADS, (list(users),)).fetchall()
        heads = {user_id: head for user_id, head, _ in rows}
        batch: list[str] = []
        events = 0
        for user_id in users:
            events += heads.get(user_id, 0)
            if batch and (events > EVENTS_AT_ONCE or len(batch) == USERS_AT_ONCE):
                yield batch
                batch, events = [], heads.get(user_id, 0)
            batch.append(user_id)
        if batch:
            yield batch


class _Batch:
    """A few users in one snapshot; what is found goes into the report."""

    def __init__(
        self,
        conn: Connection,
        sets: Sequence[ProjectionSet],
        mapper: FactMapper,
        users: list[str],
        report: Report,
    ) -> None:
        self._conn = conn
        self._sets = {one.name: one for one in sets}
        self._mapper = mapper
        self._users = users
        self._report = report
        self._heads = {
            user_id: Head(head, erased_at)
            for user_id, head, erased_at in conn.execute(HEADS, (users,)).fetchall()
        }
        self._registered: dict[str, dict[int, _Registered]] = {}
        for name, generation, *rest in conn.execute(REGISTERED).fetchall():
            self._registered.setdefault(name, {})[generation] = _Registered(*rest)
        self._known: dict[str, dict[str, set[int]]] = {name: {} for name in self._sets}
        self._views: dict[str, list[View]] = {user_id: [] for user_id in users}

    def run(self) -> int:
        """Verify them; returns how many events were read."""
        self._look_at_progress()
        events = self._read_logs()
        for fault in (*content_faults(self._conn, self._users, self._heads),):
            self._fault(*fault)
        self._compare()
        return events

    def _look_at_progress(self) -> None:
        rows = self._conn.execute(PROGRESS, (self._users,)).fetchall()
        registered = {name: set(found) for name, found in self._registered.items()}
        found = self._report.differences
        places = [(user_id, name, generation) for user_id, name, generation, *_ in rows]
        found.extend(strays_of_progress(places, registered, "projection_progress"))
        due = self._conn.execute(DUE, (self._users,)).fetchall()
        found.extend(strays_of_progress(due, registered, "catchup_due"))
        for user_id, name, generation, *stands in rows:
            one = self._registered.get(name, {}).get(generation)
            if name not in self._sets or one is None:
                continue
            self._known[name].setdefault(user_id, set()).add(generation)
            if user_id not in self._heads:
                found.append(
                    Difference(
                        user_id, "projection_progress", f"{name}/{generation}", "row", True,
                        False, None,
                    )
                )  # fmt: skip
            if one.state != "retiring" and one.fold_version == self._sets[name].fold_version:
                progress = Progress(name, generation, one.fold_version, one.state, *stands)
                self._stands(user_id, progress)
        for user_id, head in self._heads.items():
            views = [v for v in self._views[user_id] if v.set.name == INLINE.name]
            if head.head and not views and INLINE.name in self._sets:
                self._behind(user_id, head.head, INLINE.name, None, None)

    def _stands(self, user_id: str, progress: Progress) -> None:
        """What the marks say, and what the generation has to hold."""
        head = self._heads.get(user_id, NO_LOG).head
        view = View(user_id, self._sets[progress.projection_set], progress)
        self._views[user_id].append(view)
        where = {
            "user_id": user_id,
            "projection_set": progress.projection_set,
            "generation": progress.generation,
        }
        if progress.parked:
            self._report.parked.append(
                {**where, "position": progress.position, "parked": progress.parked}
            )
        for member, skips in progress.skipped.items():
            for one in skips if isinstance(skips, list) else [skips]:
                told = one if isinstance(one, dict) else {"reason": one}
                self._report.skipped.append(
                    {**where, "member": member, **told, "accepted": accepts([one])}
                )
        if progress.position != head:
            place = (progress.projection_set, progress.generation, progress.position)
            self._behind(user_id, head, *place)

    def _behind(
        self, user_id: str, head: int, name: str, generation: int | None, position: int | None
    ) -> None:
        self._report.behind.append(
            {
                "user_id": user_id,
                "projection_set": name,
                "generation": generation,
                "position": position,
                "head": head,
            }
        )

    def _read_logs(self) -> int:
        """Fold every log into its views, and look at the log itself."""
        last = dict.fromkeys(self._users, 0)
        types: dict[str, set[str]] = {user_id: set() for user_id in self._users}
        keyless: dict[str, list[int]] = {}
        count = 0
        for read in read_log(self._conn, self._mapper, self._users):
            user_id, position, type_, faults, event = read
            count += 1
            last[user_id] = position
            types[user_id].add(type_)
            if type_ in WITHOUT_KEY:
                keyless.setdefault(user_id, []).append(position)
            for fault in faults:
                self._fault(user_id, position, fault)
            if event is None:
                continue
            for view in self._views[user_id]:
                try:
                    told = (
                        [event]
                        if view.set.tell is None
                        else view.set.told(self._conn, user_id, self._mapper, event)
                    )
                except (CorruptEvent, NeedsNewerCode) as error:
                    self._fault(user_id, position, str(error))
                    continue
                for fault in view.apply(told, position):
                    self._fault(user_id, position, fault)
        for user_id in self._users:
            head = self._heads.get(user_id, NO_LOG)
            for wrong in head_faults(user_id, head, last[user_id], types[user_id]):
                self._fault(*wrong)
        for wrong in key_faults(self._conn, self._users, self._heads, keyless):
            self._fault(*wrong)
        return count

    def _compare(self) -> None:
        compared: dict[str, set[int]] = {name: set() for name in self._sets}
        for views in self._views.values():
            for view in views:
                compared[view.set.name].add(view.progress.generation)
        leaving = {
            name: {g for g, one in found.items() if one.state == "retiring"}
            for name, found in self._registered.items()
        }
        sets = tuple(self._sets.values())
        rows = StoredRows(self._conn, sets, self._users, self._known, compared, leaving)
        for user_id in self._users:
            for view in self._views[user_id]:
                self._report.differences.extend(view.compare(rows))
        self._report.differences.extend(rows.strays)

    def _fault(self, user_id: str, position: int, fault: str) -> None:
        self._report.log_faults.append(Fault(user_id, position, fault)._asdict())


def _unregistered(conn: Connection, sets: Sequence[ProjectionSet]) -> Iterator[Difference]:
    """Sets that have no live generation."""
    states = conn.execute(REGISTERED).fetchall()
    for one in sets:
        if not any(name == one.name and state == "live" for name, _, _, state in states):
            yield Difference(
                "", "projection_generation", one.name, "live", None, "one generation", None
            )
