"""How much does an append cost beside the library's own recorder, which stores events only?

Our recorder appends, keeps the Work Index in the same transaction and is held back by row-level
security; the stock recorder inserts one row into one table, under a lock of the whole table. A
whole command is also validated, hashed, decided and folded. Both are bound by processor time where
clients and server share two cores.
"""

from __future__ import annotations

import os

from bench.conftest import Bench
from bench.harness import Row, ratios, report
from bench.writers import Spans, Writers

ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "5"))
SECONDS = float(os.environ.get("WORKINDEX_BENCH_SECONDS", "0.8"))
USERS = 16
FLUSH_US = 2_000
MODES = ("stock", "recorder", "message", "task", "decide")
TARGETS = {
    "1 writer": (1.5, 1.15),
    "16 users": (2.3, 1.5),
    "16 users, 2 ms flush": (9.0, 6.0),
}
LOCKED_P99_MS = 50.0


def test_append(bench: Bench) -> None:
    """Blind and decided appends ÷ stock, by one writer, by 16 users, and on a slow disk."""
    rows: list[Row] = []
    with Writers(bench.app, bench.scratch, USERS) as writers:
        several = [f"user-{number}" for number in range(USERS)]
        for name, flush_us, users in (
            ("1 writer", 0, several[:1]),
            ("16 users", 0, several),
            ("16 users, 2 ms flush", FLUSH_US, several),
        ):
            bench.flush(flush_us)
            found = _rounds(writers, MODES, users)
            rows += _rows(name, found)
        bench.flush(0)
        rows += _hot(writers)
    report("append", rows)


def _rounds(writers: Writers, modes: tuple[str, ...], users: list[str]) -> dict[str, list[Spans]]:
    found: dict[str, list[Spans]] = {mode: [] for mode in modes}
    for round_ in range(ROUNDS):
        turned = modes[round_ % len(modes) :] + modes[: round_ % len(modes)]
        for mode in turned:
            found[mode].append(writers.round(mode, users, SECONDS))
    return found


def _rows(name: str, found: dict[str, list[Spans]]) -> list[Row]:
    rates = {mode: [spans.rate for spans in rounds] for mode, rounds in found.items()}
    blind, decided = TARGETS[name]
    return [
        Row(f"stock recorder, {name}", tuple(rates["stock"]), unit="/s"),
        Row(
            f"our recorder ÷ stock, {name}",
            ratios(rates["recorder"], rates["stock"]),
            at_least=blind,
        ),
        Row(
            f"whole command: a message ÷ stock, {name}",
            ratios(rates["message"], rates["stock"]),
            at_least=blind,
        ),
        Row(
            f"whole command: a new task ÷ stock, {name}",
            ratios(rates["task"], rates["stock"]),
            at_least=blind,
        ),
        Row(
            f"whole command: read, decide, append ÷ stock, {name}",
            ratios(rates["decide"], rates["stock"]),
            at_least=decided,
        ),
    ]


def _hot(writers: Writers) -> list[Row]:
    found = _rounds(writers, ("stock", "recorder", "message", "decide"), ["hot"] * USERS)
    rates = {mode: [spans.rate for spans in rounds] for mode, rounds in found.items()}
    p99 = {mode: tuple(s.quantile(0.99) * 1e3 for s in spans) for mode, spans in found.items()}
    return [
        Row(
            "16 writers on one user: our recorder, blind ÷ stock",
            ratios(rates["recorder"], rates["stock"]),
            at_least=1.0,
            note=f"p99 {max(p99['recorder']):.0f} ms",
        ),
        Row(
            "16 writers on one user: whole command, blind ÷ stock",
            ratios(rates["message"], rates["stock"]),
            at_least=1.0,
            note=f"p99 {max(p99['message']):.0f} ms",
        ),
        Row(
            "16 writers on one user: decided ÷ stock",
            ratios(rates["decide"], rates["stock"]),
        ),
        Row(
            "16 writers on one user: decided, p99",
            p99["decide"],
            unit="ms",
            at_most=LOCKED_P99_MS,
        ),
    ]
