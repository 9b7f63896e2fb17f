"""Ctrl-C at any moment: exit code 130 and no traceback, also while the program is being loaded."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping

import pytest

from conftest import Urls

pytestmark = pytest.mark.faults

INTERRUPTED = 130
SPREAD = 16
# `workindex index ann` that interrupts itself where it looks for the module of this number: 0 for
# none of them, -1 for the end, after the command.
PROGRAM = """
import atexit, os, signal, sys
from workindex.cli.entry import main

number, looked_for = int(sys.argv[1]), 0

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        global looked_for
        looked_for += 1
        if looked_for == number:
            os.kill(os.getpid(), signal.SIGINT)

@atexit.register
def leave():
    if number == 0:
        print(looked_for, file=sys.stderr)
    if number == -1:
        os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv[1:] = ["index", "ann"]
main()
"""


def run(env: Mapping[str, str], number: int) -> subprocess.CompletedProcess[str]:
    """The program above."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(number)],
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_an_interrupt_at_any_import_is_quiet(urls: Urls) -> None:
    """130 and at most one word, wherever it meets the program, from its first line to its last."""
    whole = run(urls.env, 0)
    assert whole.returncode == 0, whole.stderr
    modules = int(whole.stderr)
    assert modules > SPREAD
    for number in (*range(1, modules + 1, modules // SPREAD), modules, -1):
        told = run(urls.env, number)
        assert told.returncode == INTERRUPTED, (number, told)
        assert told.stderr.strip() in ("", "interrupted"), (number, told)


def test_interrupts_that_a_parent_wants_unheard(urls: Urls) -> None:
    """A program that was started with interrupts ignored, as by nohup, goes on."""
    ignoring = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        told = run(urls.env, 3)
    finally:
        signal.signal(signal.SIGINT, ignoring)
    assert (told.returncode, told.stderr) == (0, "")
