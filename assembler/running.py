"""Runs the stages of a turn in one snapshot, and survives those that fail.

A failure is never "there is none": a stage that fails is left out of a second reading, so that all
of the turn is as of one position again, and is told by name. Without its state there is no turn.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from psycopg import OperationalError, ProgrammingError

from workindex.assembler.admission import SURFACES
from workindex.assembler.envelope import UserRequest
from workindex.assembler.offers import Stage, joined
from workindex.assembler.records import standing
from workindex.assembler.scope import NAMEABLE, Scoped, UnknownRecord, ids_in, resolve
from workindex.assembler.stages import NEEDED, STAGES
from workindex.assembler.state_lane import Answers
from workindex.assembler.tools.sight import Seen
from workindex.assembler.turn import Settings, Turn
from workindex.domain.errors import NotReady, Unavailable, WorkindexError
from workindex.projections.sets import TABLE_OF_KIND
from workindex.projections.snapshot import Snapshot, snapshot
from workindex.projections.work_index import Reader

# What all statements of a turn together may take where some hang: the model has the rest of ten
# seconds. One statement may take half of what is left.
READING_SECONDS: Final = 6.0
STATEMENT_SECONDS_MIN: Final = 0.2
# Records by which a turn's scope can be told where the other kinds cannot be read.
OF_STATE: Final = tuple(
    kind for kind in NAMEABLE if TABLE_OF_KIND[kind].member == TABLE_OF_KIND["task"].member
)
SCOPE: Final = "scope"

_log = logging.getLogger("workindex.assembler")


class _StageFailed(Exception):
    """Something without which the turn can go on raised the exception's cause."""

    def __init__(self, stage: str, cause: Exception) -> None:
        super().__init__(stage)
        self.stage = stage
        why = cause.code if isinstance(cause, WorkindexError) else type(cause).__name__
        what = "messages, artifacts and claims by id " if stage == SCOPE else ""
        self.told = f"{stage}: {what}could not be read ({why})"


def run_stages(
    reader: Reader,
    user_id: str,
    request: UserRequest,
    settings: Settings,
    latency_ms: dict[str, float],
) -> tuple[Turn, Stage]:
    """What the stages find, all as of one position; those that fail are left out and told.

    A statement that fails ends its snapshot, hence a new one for the rest. `latency_ms` is given
    the time of each stage.

    Raises: UnknownRecord, InvalidInput; Unavailable where the turn's state cannot be told.
    """
    failed: dict[str, str] = {}
    ends = time.perf_counter() + READING_SECONDS
    while True:
        seconds = max(ends - time.perf_counter(), STATEMENT_SECONDS_MIN) / 2
        try:
            with snapshot(reader, user_id, statement_seconds=seconds) as read:
                turn = _turn(read, request, settings, failed, latency_ms)
                stages = [
                    timed(latency_ms, name, partial(_run, name, stage, turn))
                    for name, stage in STAGES
                    if name not in failed
                ]
        except _StageFailed as left_out:
            _log.warning("%s", left_out.told, exc_info=left_out.__cause__)
            failed[left_out.stage] = left_out.told
        else:
            left_out_too = Stage(degraded=tuple(failed.values()))
            return turn, joined((*stages, turn.snapshot.stage(), left_out_too))


def timed(latency_ms: dict[str, float], name: str, work: Callable[[], Any]) -> Any:
    """What the work gives; how long it took is noted under the name."""
    began = time.perf_counter()
    result = work()
    latency_ms[name] = (time.perf_counter() - began) * 1e3
    return result


def _turn(
    read: Snapshot,
    request: UserRequest,
    settings: Settings,
    failed: dict[str, str],
    latency_ms: dict[str, float],
) -> Turn:
    """What every stage builds on: the first answer, and what the request is about."""
    seen = Seen(read, settings.sight.may_see)
    with _needed("state"):
        answers = Answers(read, request.now, request.tz)
        titles = [("task", row) for row in seen.only("task", answers.tasks.rows.get("task", ()))]
    kinds = OF_STATE if SCOPE in failed else NAMEABLE

    def scope() -> Scoped:
        return _scope(seen, answers, request, settings, kinds, titles)

    if SCOPE in failed:
        with _needed(SCOPE):
            scoped = timed(latency_ms, SCOPE, scope)
    else:
        with _left_out(SCOPE, but=(UnknownRecord, NotReady)):
            scoped = timed(latency_ms, SCOPE, scope)
    surface = SURFACES[request.surface]
    return Turn(seen, request, settings, surface, answers, scoped, frozenset(failed))


def _run(name: str, stage: Callable[[Turn], Stage], turn: Turn) -> Stage:
    with _needed(name) if name in NEEDED else _left_out(name):
        return stage(turn)


@contextmanager
def _left_out(name: str, but: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Raises: _StageFailed for anything but what answers the request itself."""
    try:
        yield
    except but:
        raise
    except Exception as error:
        raise _StageFailed(name, error) from error


@contextmanager
def _needed(name: str) -> Iterator[None]:
    """Raises: Unavailable for anything but an error of ours, or one that the connection tells."""
    try:
        yield
    except (WorkindexError, OperationalError, ProgrammingError):
        raise
    except Exception as error:
        raise Unavailable(
            f"the {name} of this turn cannot be told ({type(error).__name__}: {error}): "
            "nothing was assembled"
        ) from error


def _scope(
    seen: Seen,
    answers: Answers,
    request: UserRequest,
    settings: Settings,
    kinds: Sequence[str],
    titles: Sequence[tuple[str, Any]],
) -> Scoped:
    """The scope as far as records of these kinds tell it."""

    def find(kind: str, ids: Sequence[str]) -> Sequence[Any]:
        rows = seen.named(answers.base, kind, ids) if kind in kinds else ()
        return [standing(row, answers.now) for row in rows]

    def sees(kind: str, row: Any) -> bool:
        return settings.sight.sees(kind, row, answers.now)

    seen.look_for(answers.base, kinds, [*request.entity_ids, *ids_in(request.text)])
    try:
        return resolve(request, seen.user_id, find, titles, settings.classifier, sees=sees)
    except UnknownRecord as unknown:
        doubts = {one for kind in ("task", "message", "claim") for one in answers.doubts(kind)}
        if kinds is not NAMEABLE:
            doubts.add("not all could be read")
        if not doubts:
            raise
        raise NotReady(
            "nothing is found by this id, and the rows are not certain "
            f"({', '.join(sorted(doubts))}): see workindex projections parked; {unknown}"
        ) from unknown
