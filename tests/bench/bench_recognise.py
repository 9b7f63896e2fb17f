"""How long does it take to tell a question from everything else, each text seen for the first time?

The texts are the recogniser's own lists, in one pass and none twice, over a grammar that was just
loaded: nobody's second question is measured by somebody's first.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from bench.harness import Row, report
from workindex.assembler.state_path import recognise
from workindex.assembler.state_path.question import Locale
from workindex.assembler.state_path.vocabulary import vocabulary

ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "5"))
LISTS = Path(__file__).parents[1] / "unit" / "state_path"
NAMES = {"en": "English", "zh": "Chinese"}


def test_recognise() -> None:
    """The median of one pass, questions by themselves and mixed with what must be left alone."""
    rows: list[Row] = []
    for locale in get_args(Locale):
        proper, misses = list(_texts("proper", locale)), list(_texts("near_misses", locale))
        passes = [
            (_pass(locale, proper, n), _pass(locale, proper + misses, n)) for n in range(ROUNDS)
        ]
        of_proper, of_all = zip(*passes, strict=True)
        rows += [
            Row(
                f"{NAMES[locale]}, {len(proper)} questions, p50",
                tuple(p50 for p50, _ in of_proper),
                unit="µs",
                at_most=100,
            ),
            Row(
                f"{NAMES[locale]}, {len(proper) + len(misses)} texts, p50",
                tuple(p50 for p50, _ in of_all),
                unit="µs",
                at_most=100,
            ),
            Row(f"{NAMES[locale]}, loading", tuple(load for _, load in of_all), unit="ms"),
        ]
    report("recognise", rows)


def _pass(locale: Locale, texts: Sequence[str], seed: int) -> tuple[float, float]:
    """The median microseconds of one pass in one order, and the milliseconds to load before it."""
    vocabulary.cache_clear()
    start = time.perf_counter()
    vocabulary(locale)
    load = (time.perf_counter() - start) * 1e3
    spans = []
    for text in random.Random(seed).sample(texts, len(texts)):
        start = time.perf_counter()
        recognise(text)
        spans.append(time.perf_counter() - start)
    return statistics.median(spans) * 1e6, load


def _texts(name: str, locale: str) -> Iterator[str]:
    for line in (LISTS / f"{name}.{locale}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("|")[-1].strip()
