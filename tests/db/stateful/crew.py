"""The worker processes of the stateful test: started, told what to do, replaced when killed."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from db.stateful.worker import Instruction, Look, Operate, Result, run

ANSWER_SECONDS_MAX = 60.0
# Python 3.11 loads only what is installed, so no module of the tests. Each child runs the main
# module, which imports pytest.
PRELOADED = ["pytest", "workindex.service.client", "workindex.projections.rebuild"]


class _Worker:
    def __init__(self, app_url: str, maint_url: str | None, version: int) -> None:
        # A clean server that has the modules loaded forks each one: a start costs 50 ms, not 2 s.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(PRELOADED)
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=run, args=(theirs, app_url, maint_url, version)
        )
        self.process.start()
        theirs.close()

    def end(self) -> None:
        self.pipe.close()
        self.process.join()
        self.process.close()


class Crew:
    """Some workers on one database, each a program of one of the versions.

    With a maintenance login there is an operator more for each version, who is no worker.
    """

    def __init__(
        self, app_url: str, versions: Sequence[int], *, maint_url: str | None = None
    ) -> None:
        self._app_url = app_url
        self._maint_url = maint_url
        self._size = len(versions)
        operators = sorted(set(versions)) if maint_url is not None else []
        self.versions = [*versions, *operators]
        self._workers = [self._start(number) for number in range(len(self.versions))]
        self.killed = 0

    @property
    def has_operators(self) -> bool:
        """Whether somebody changes generations."""
        return self._size < len(self.versions)

    def operator(self, version: int) -> int:
        """The number of the operator who has the folds of a version."""
        return self._size + sorted(set(self.versions)).index(version)

    def _start(self, number: int) -> _Worker:
        return _Worker(self._app_url, self._maint_url, self.versions[number])

    def __len__(self) -> int:
        return self._size

    def at_once(
        self, told: Mapping[int, Sequence[Instruction | Operate]]
    ) -> dict[int, list[Result]]:
        """Give each worker its list; they go through theirs at the same time.

        A worker that dies is replaced and goes on with the rest of its list.
        """
        results: dict[int, list[Result]] = {number: [] for number in told}
        for number, instructions in told.items():
            self._workers[number].pipe.send(instructions[0])
        while waiting := [n for n, r in results.items() if len(r) < len(told[n])]:
            pipes = {self._workers[number].pipe: number for number in waiting}
            ready = wait(list(pipes), timeout=ANSWER_SECONDS_MAX)
            assert ready, f"no answer within {ANSWER_SECONDS_MAX} s: {told}"
            for pipe in ready:
                assert isinstance(pipe, Pipe)
                number = pipes[pipe]
                results[number].append(self._answer(number))
                if len(results[number]) < len(told[number]):
                    following = told[number][len(results[number])]
                    self._workers[number].pipe.send(following)
        return results

    def look(self, number: int, look: Look) -> dict[str, Any]:
        """What one worker reads."""
        worker = self._workers[number]
        worker.pipe.send(look)
        assert worker.pipe.poll(ANSWER_SECONDS_MAX), f"no answer to {look}"
        answer: dict[str, Any] | Result = worker.pipe.recv()
        assert isinstance(answer, dict), answer
        return answer

    def _answer(self, number: int) -> Result:
        worker = self._workers[number]
        try:
            result: Result = worker.pipe.recv()
        except (EOFError, ConnectionResetError):
            worker.end()
            self._workers[number] = self._start(number)
            self.killed += 1
            return Result("killed")
        return result

    def close(self) -> None:
        """End every worker."""
        for worker in self._workers:
            worker.pipe.send(None)
            worker.end()
