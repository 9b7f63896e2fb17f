"""Which door does the installed program come in by? One that Ctrl-C closes without a noise.

Only what Python itself has loaded may be imported before the handler stands: an interrupt while
click and the commands are being loaded is no fault, so it ends the program with 130 and no words.
"""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130


def main() -> None:
    """Loads the command line, runs it and leaves with its exit code."""
    standing = signal.getsignal(signal.SIGINT)
    heard = standing is signal.default_int_handler  # else a parent wants interrupts unheard
    if heard:
        signal.signal(signal.SIGINT, _leave)
    from workindex.cli.main import main as run

    if heard:
        signal.signal(signal.SIGINT, standing)
    try:
        run()
    except KeyboardInterrupt:  # a second one, while the first was being told
        os._exit(INTERRUPTED)
    finally:
        if heard:  # what the interpreter still ends by itself is nothing to tell about either
            signal.signal(signal.SIGINT, _leave)


def _leave(*_: object) -> None:
    os._exit(INTERRUPTED)
