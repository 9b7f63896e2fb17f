"""Operators' actions in a process of its own that is killed at a named place."""

from __future__ import annotations

import multiprocessing
import os
import signal

from conftest import Urls
from generations import OPERATOR
from workindex.eventlog import failpoints
from workindex.eventlog.database import Database
from workindex.projections import advancing, rebuild_batches, retire
from workindex.projections.generations import rollback, switch
from workindex.projections.rebuild import Rebuilder

# A clean server that has the modules loaded forks each process: a start costs 50 ms, not 2 s.
PRELOADED = ["pytest", "workindex.service.client", "workindex.projections.rebuild", "dying"]
TIMEOUT_SECONDS = 60


def die_at(urls: Urls, place: str, action: str) -> None:
    """Run the action until it is killed at the place."""
    code = run_to(urls, place, action)
    assert code == -signal.SIGKILL, f"{action} was not killed at {place}: it left with {code}"


def run_to(urls: Urls, place: str, action: str) -> int | None:
    """Run the action with a failpoint set; the exit code, negative for a signal."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=_act, args=(urls, place, action))
    process.start()
    process.join(TIMEOUT_SECONDS)
    code = process.exitcode
    process.kill()
    process.join()
    process.close()
    return code


def _act(urls: Urls, place: str, action: str) -> None:
    """The life of the process: small batches and chunks, so that each place is met."""
    os.environ[failpoints.VARIABLE] = place
    for module in (rebuild_batches, retire):
        vars(module)["BATCH_USERS_MAX"] = 3
    vars(rebuild_batches)["LONG_LOG_EVENTS"] = 40
    vars(advancing).update(CHUNK_EVENTS=7, TAIL_EVENTS_MAX=2)
    database = Database(urls.app, maint_url=urls.maint)
    if action == "rebuild":
        Rebuilder(database).rebuild(OPERATOR)
    elif action == "retire":
        retire.retire(database, OPERATOR, generation=2)
    else:
        (switch if action == "switch" else rollback)(database, OPERATOR)
    database.close()
