"""Does a signal end a worker wherever it falls, also into the wait for the next round?"""

from __future__ import annotations

import random
import signal

from workindex.service.worker import Stopping

ROUNDS = 400
WAIT_S = 0.0005


def test_a_signal_ends_the_wait_wherever_it_falls() -> None:
    """Hundreds of signals at any moment of a wait: none is lost, and none waits for a lock."""
    chosen = random.Random(5)
    stopping = Stopping()
    before = signal.signal(signal.SIGALRM, lambda *_: stopping.set())
    try:
        for _ in range(ROUNDS):
            stopping = Stopping()
            signal.setitimer(signal.ITIMER_REAL, chosen.uniform(1e-5, 4 * WAIT_S))
            while not stopping.is_set:
                stopping.wait(WAIT_S)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_set_one_does_not_wait() -> None:
    """A wait of ten minutes is over at once; one that is not set ends with its time."""
    stopping = Stopping()
    stopping.wait(0.01)
    assert not stopping.is_set
    stopping.set()
    stopping.wait(600)
