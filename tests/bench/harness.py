"""The small bench harness: modes interleaved in one run, medians of ratios, spread, targets.

Only ratios of one run are compared with a target, because machines and their moods differ. The
result is printed as a table and kept as JSON under `.bench/`, which git does not take.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[2] / ".bench"
# What a whole run measures; what of it is not there is said to be missing, not left out.
WHOLE_RUN = ("append", "read", "decode", "rebuild", "verify", "catch_up", "search", "assemble")

_reported: dict[str, Sequence[Row]] = {}


class Row(NamedTuple):
    """One line of the table: what was measured in every round, and what it should be.

    `values` holds one value a round; `at_most` or `at_least` is the target, None where the row
    only informs.
    """

    what: str
    values: tuple[float, ...]
    unit: str = "×"
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""

    @property
    def median(self) -> float:
        """The value that is compared with the target."""
        return statistics.median(self.values)

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met, None without one."""
        if self.at_least is not None:
            return self.median >= self.at_least
        return None if self.at_most is None else self.median <= self.at_most

    @property
    def target(self) -> str:
        """The target as the table shows it."""
        if self.at_least is not None:
            return f"≥ {self.at_least:g}"
        return "" if self.at_most is None else f"≤ {self.at_most:g}"


def ratios(over: Sequence[float], under: Sequence[float]) -> tuple[float, ...]:
    """The ratio of each round."""
    return tuple(one / other for one, other in zip(over, under, strict=True))


def p50_of(operations: dict[str, Callable[[], object]], times: int) -> dict[str, float]:
    """The median seconds of each operation; they take turns, so that a mood hits all of them."""
    spans: dict[str, list[float]] = {name: [] for name in operations}
    for round_ in range(times):
        for name, operation in operations.items():
            start = time.perf_counter()
            operation()
            if round_ >= times // 10:  # the first ones warm up
                spans[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in spans.items()}


def _print(rows: Sequence[Row]) -> None:
    width = max(len(row.what) for row in rows)
    for row in rows:
        met = {True: "met", False: "MISSED", None: ""}[row.is_met]
        spread = f"{_number(min(row.values))}–{_number(max(row.values))}"
        shown = f"{_number(row.median)} {row.unit}"
        print(
            f"  {row.what:<{width}}  {shown:>14}  ({spread:<13})  {row.target:<7} {met:<6} "
            f"{row.note}".rstrip()
        )


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


def overall() -> None:
    """Print every target of this run once more, met or not, and what was not measured."""
    if len(_reported) < 2:
        return
    rows = [row for rows in _reported.values() for row in rows if row.is_met is not None]
    met = sum(row.is_met is True for row in rows)
    load = os.getloadavg()[0]
    print(f"\nall targets, {met} of {len(rows)} met, load {load:.1f} at the end")
    _print(sorted(rows, key=lambda row: row.is_met is True))
    if missing := [name for name in WHOLE_RUN if name not in _reported]:
        print(f"  NOT MEASURED in this run, or not built: {', '.join(missing)}")


def report(name: str, rows: Sequence[Row]) -> None:
    """Print the table and keep it."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    load = os.getloadavg()[0]
    print(f"\n{name}: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {machine}, load {load:.1f}")
    _print(rows)
    _reported[name] = rows
    FOLDER.mkdir(exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    document = {
        "name": name,
        "at": stamp,
        "machine": machine,
        "load": load,
        "rows": [row._asdict() | {"median": row.median, "is_met": row.is_met} for row in rows],
    }
    (FOLDER / f"{name}-{stamp}.json").write_text(json.dumps(document, ensure_ascii=False))
