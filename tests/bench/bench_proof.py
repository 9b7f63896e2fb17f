"""Is "nothing needs you" ever said while something does? Asked a great many times, under writers.

WORKINDEX_PROOF_READS (default 1,000,000) proved answers are read; a violation fails the run.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from typing import Any

from bench.proof_load import Board, read, write
from conftest import Urls

READS = int(os.environ.get("WORKINDEX_PROOF_READS", "1000000"))
READERS = 2
WRITERS = 2
POLL_SECONDS = 0.2
REPORT_SECONDS = 15.0


def test_no_answer_leaves_out_what_needs_the_user(urls: Urls) -> None:
    """P1: in no proved answer is an acknowledged open need missing, or an answered one listed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pytest", "workindex.service.client"])
    board = Board(READERS, WRITERS)
    violations = context.SimpleQueue()
    workers = [context.Process(target=write, args=(board, n, urls.app)) for n in range(WRITERS)]
    workers += [
        context.Process(target=read, args=(board, n, urls.app, violations)) for n in range(READERS)
    ]
    start = time.monotonic()
    for worker in workers:
        worker.start()
    try:
        _wait(board, workers, start)
    finally:
        board.stop[0] = 1
        for worker in workers:
            worker.join()
    seconds = time.monotonic() - start
    recorded = sum(board.recorded[number] for number in range(WRITERS))
    found = [violations.get() for _ in range(min(20, board.total("violations")))]
    print(
        f"\n{board.total('reads'):,} proved answers in {seconds:.0f} s "
        f"({board.total('reads') / seconds:,.0f}/s) by {READERS} processes, "
        f"{board.total('empty'):,} of them proved empty, beside {recorded:,} commands of "
        f"{WRITERS} writers\n"
        f"{board.total('open_checked'):,} open and {board.total('closed_checked'):,} closed needs "
        f"looked for, {board.total('unproven'):,} unproven answers\n"
        f"violations: {board.total('violations')}"
    )
    assert not found, found
    assert not board.total("violations")
    assert all(worker.exitcode == 0 for worker in workers)
    assert board.total("empty")
    assert board.total("open_checked")


def _wait(board: Board, workers: list[Any], start: float) -> None:
    told = start
    while board.total("reads") < READS and not board.total("violations"):
        time.sleep(POLL_SECONDS)
        assert all(worker.is_alive() for worker in workers), "a process ended early"
        if time.monotonic() - told > REPORT_SECONDS:
            told = time.monotonic()
            reads = board.total("reads")
            print(f"{reads:,} of {READS:,} answers, {reads / (told - start):,.0f}/s", flush=True)
