"""What did an import come to? Counts of each file, what was left out and why, and how fast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from time import perf_counter
from typing import NamedTuple

from workindex.service.importers.session import Rejected, Session, Suspicion


class FileCount(NamedTuple):
    """One file: what was found in it by kind, and how many of its records were new or known."""

    file: str
    found: Mapping[str, int]
    new: int
    already: int
    rejected: int = 0


class Report(NamedTuple):
    """What an import came to; `commands` counts those that changed something, by type.

    `skipped` counts records of kinds that have no place here, `accepted` names removals that
    somebody accepted and `stopped` one that nobody did.
    """

    files: tuple[FileCount, ...]
    facts: int
    commands: Mapping[str, int]
    rejected: tuple[Rejected, ...]
    rejected_count: int
    seconds: float
    skipped: Mapping[str, int]
    notes: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    stopped: Suspicion | None = None

    @property
    def totals(self) -> dict[str, int]:
        """What was found in all files together."""
        total: Counter[str] = Counter()
        for one in self.files:
            total.update(one.found)
        return dict(total)


class Account:
    """Keeps a report's counts while the import runs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._started = perf_counter()
        self.files: list[FileCount] = []
        self.skipped: Counter[str] = Counter()
        self.notes: list[str] = []

    def report(self) -> Report:
        """What the import came to."""
        session = self._session
        return Report(
            files=tuple(self.files),
            facts=session.facts,
            commands=dict(sorted(session.commands.items())),
            rejected=tuple(session.rejected),
            rejected_count=session.rejected_count,
            seconds=perf_counter() - self._started,
            skipped=dict(sorted(self.skipped.items())),
            notes=tuple(self.notes),
            accepted=tuple(session.accepted),
            stopped=session.stopped,
        )
