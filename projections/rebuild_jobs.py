"""Processes that build ranges of users, fed one range at a time."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import NamedTuple, Self

from workindex.domain.errors import InvalidInput, Unavailable, WorkindexError
from workindex.eventlog.database import Database
from workindex.eventlog.mapper import FactMapper
from workindex.projections.advancing import Step, Target
from workindex.projections.rebuild_batches import Range, build_range
from workindex.projections.sets import SET_OF_NAME, ProjectionSet

JOBS_MAX = 64
END_SECONDS = 10.0


class _Task(NamedTuple):
    generation: int
    span: Range


class _Failed(NamedTuple):
    """What a job could not go on after: an error of ours as it is, another as text."""

    error: WorkindexError | None
    text: str


class _Job(NamedTuple):
    process: BaseProcess
    pipe: Pipe


class Jobs:
    """So many processes, each with connections of its own; use it in a `with`.

    Raises: InvalidInput for a set that is not registered: a process of its own would not know its
    folds.
    """

    def __init__(self, database: Database, projection_set: ProjectionSet, size: int) -> None:
        if not 1 <= size <= JOBS_MAX:
            raise InvalidInput(f"{size} jobs: give 1 to {JOBS_MAX}", field="jobs")
        if SET_OF_NAME.get(projection_set.name) != projection_set:
            raise InvalidInput(
                f"the set {projection_set.name} is not the registered one, which is all that "
                "other processes know: rebuild it with one job",
                field="jobs",
            )
        self.size = size
        context = multiprocessing.get_context("spawn")
        self._jobs: list[_Job] = []
        for _ in range(size):
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_work,
                args=(theirs, database.app_url, database.maint_url, projection_set.name),
                daemon=True,
            )
            process.start()
            theirs.close()
            self._jobs.append(_Job(process, ours))

    def build(self, generation: int, spans: Sequence[Range]) -> Iterator[Step]:
        """Build the ranges side by side; tells of each batch as it is done.

        Raises: Unavailable where a process died, and what a range raises.
        """
        waiting = list(reversed(spans))
        busy: dict[Pipe, _Job] = {}
        for job in self._jobs:
            if waiting:
                job.pipe.send(_Task(generation, waiting.pop()))
                busy[job.pipe] = job
        while busy:
            for pipe in wait(list(busy)):
                assert isinstance(pipe, Pipe)
                told = _told(busy[pipe])
                if told is not None:
                    yield told
                elif waiting:
                    pipe.send(_Task(generation, waiting.pop()))
                else:
                    del busy[pipe]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for job in self._jobs:
            job.pipe.close()  # it ends when it looks for more
        for job in self._jobs:
            job.process.join(END_SECONDS)
            if job.process.is_alive():
                job.process.terminate()
                job.process.join()
            job.process.close()


def _told(job: _Job) -> Step | None:
    """A batch, or None at the end of a range."""
    try:
        told: Step | _Failed | None = job.pipe.recv()
    except (EOFError, ConnectionResetError) as lost:
        job.process.join(END_SECONDS)
        raise Unavailable(
            f"a job of the rebuild ended with {job.process.exitcode}: run the command again, it "
            "goes on where it stopped"
        ) from lost
    if isinstance(told, _Failed):
        raise told.error or Unavailable(f"a job of the rebuild failed: {told.text}")
    return told


def _work(pipe: Pipe, app_url: str, maint_url: str | None, set_name: str) -> None:
    """The life of a job: a range after the other, until nobody listens any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run hears it, and ends this by its pipe
    database = Database(app_url, maint_url=maint_url)
    try:
        while True:
            task: _Task = pipe.recv()
            target = Target(SET_OF_NAME[set_name], task.generation, FactMapper())
            with database.maintenance() as conn:
                for step in build_range(conn, target, task.span):
                    pipe.send(step)
            pipe.send(None)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the run has ended
    except WorkindexError as error:
        pipe.send(_Failed(error, str(error)))
    except Exception as error:  # noqa: BLE001  (whatever it is, the run tells of it)
        pipe.send(_Failed(None, f"{type(error).__name__}: {error}"))
    finally:
        database.close()
