"""What do the standard streams take? Closed ones, full ones, and encodings other than UTF-8."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from pathlib import Path

# What a write to stdout that cannot be done, or a read of a broken device, raises.
_BROKEN = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


def prepare() -> None:
    """Make the three streams usable, whatever they are.

    A closed one is an empty one: in this order each gets its own number back, so that no socket
    is opened in its place. What an encoding cannot hold is written out, never an error.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  (open until the end)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (open until the end)
            setattr(sys, name, stream)
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not takes_unicode(stream):
            stream.reconfigure(errors="backslashreplace")


def takes_unicode(stream: object) -> bool:
    """Whether every character can be written to the stream as it is."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return codecs.lookup(encoding).name.startswith("utf")


def is_broken(error: Exception) -> bool:
    """Whether the error is that of a stream or device that takes or gives nothing more."""
    return isinstance(error, OSError) and error.errno in _BROKEN


def abandon_stdout() -> None:
    """Send what the interpreter would still flush at its end nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
