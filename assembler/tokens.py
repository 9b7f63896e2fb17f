"""How many tokens is a text? One counter a tokenizer; each says whether it is exact.

Inexact counters say an upper bound, never a guess in the middle: a budget kept by them is kept.
Tokenizers load with the first count (0.3 to 1.3 s), never with an import.
"""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Protocol

from workindex.assembler.token_weights import claude_tokens_max
from workindex.domain.errors import InvalidInput, WorkindexError

CACHED_TEXTS_MAX = 65_536  # of one counter; a digest and a number each, about 10 MiB when full
ONE_THREAD_SIGNS_MAX = 200_000  # below it, starting threads costs more than they save
LONE_SURROGATES = re.compile("[\ud800-\udfff]")

Count = Callable[[Sequence[str]], list[int]]


class MissingPackage(WorkindexError):
    """A tokenizer's package is not installed; the message says how to get it."""

    code = "missing_package"


class TokenCounter(Protocol):
    """Counts tokens as one tokenizer does.

    `is_exact` is False where the numbers are upper bounds.
    """

    @property
    def name(self) -> str: ...

    @property
    def is_exact(self) -> bool: ...

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, in their order. Signs of control are counted as plain text."""
        ...


class CachedCounter:
    """A counter that counts a text once, by its content; safe to share between threads."""

    def __init__(
        self, name: str, load: Callable[[], tuple[Count, bool]], cached_max: int = CACHED_TEXTS_MAX
    ) -> None:
        self.name = name
        self._load = load
        self._loaded: tuple[Count, bool] | None = None
        self._cached_max = cached_max
        self._cache: OrderedDict[bytes, int] = OrderedDict()
        self.renew_locks()

    def renew_locks(self) -> None:
        """For a forked process, in which the thread that held a lock is gone."""
        self._lock = Lock()
        self._loading = Lock()

    @property
    def is_exact(self) -> bool:
        """Whether the tokenizer itself counts. Raises: MissingPackage."""
        return self._tokenizer()[1]

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, in their order.

        A lone surrogate, which no provider takes, counts as U+FFFD. Raises: MissingPackage.
        """
        keys = [_digest(text) for text in texts]
        counts = self._known(keys)
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in counts}
        if fresh:
            count, _ = self._tokenizer()
            plain = [LONE_SURROGATES.sub("\ufffd", text) for text in fresh.values()]
            new = dict(zip(fresh, count(plain), strict=True))
            counts |= new
            self._remember(new)
        return [counts[key] for key in keys]

    def _tokenizer(self) -> tuple[Count, bool]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        with self._lock:
            known = {key: self._cache[key] for key in keys if key in self._cache}
            for key in known:
                self._cache.move_to_end(key)
        return known

    def _remember(self, counts: dict[bytes, int]) -> None:
        with self._lock:
            self._cache.update(counts)
            while len(self._cache) > self._cached_max:
                self._cache.popitem(last=False)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _toktok(encoding: str) -> Callable[[], tuple[Count, bool]]:
    def load() -> tuple[Count, bool]:
        return _toktok_count(encoding), True

    return load


def _toktok_count(encoding: str) -> Count:
    toktok = _package("toktok", "toktok-rs")
    toktok.batch_count([""], encoding)  # loads the vocabulary

    def count(texts: Sequence[str]) -> list[int]:
        threads = 1 if sum(map(len, texts)) <= ONE_THREAD_SIGNS_MAX else 0
        return list(toktok.batch_count(texts, encoding, threads))

    return count


def _quicktok(encoding: str) -> Callable[[], tuple[Count, bool]]:
    def load() -> tuple[Count, bool]:
        tokenizer = _package("quicktok", "quicktok-v1").get_encoding(encoding)
        return (lambda texts: [tokenizer.count(text) for text in texts]), True

    return load


def _claude(version: str) -> Callable[[], tuple[Count, bool]]:
    def load() -> tuple[Count, bool]:
        try:
            return _ctok_count(import_module("ctok"), version), True
        except ModuleNotFoundError as error:
            if error.name != "ctok":
                raise
            return _claude_bound(), False

    return load


def _ctok_count(ctok: ModuleType, version: str) -> Count:
    frame = int(ctok.token_count("", version))  # what the provider puts around one message

    def count(texts: Sequence[str]) -> list[int]:
        return [int(ctok.token_count(text, version)) - frame if text else 0 for text in texts]

    return count


def _claude_bound() -> Count:
    o200k = _toktok_count("o200k_base")

    def count(texts: Sequence[str]) -> list[int]:
        return [claude_tokens_max(*pair) for pair in zip(texts, o200k(texts), strict=True)]

    return count


def _estimate() -> tuple[Count, bool]:
    claude, cl100k = _claude_bound(), _toktok_count("cl100k_base")

    def count(texts: Sequence[str]) -> list[int]:
        numbers = map(_digits_alone, texts)
        by_cl100k = map(sum, zip(cl100k(texts), numbers, strict=True))
        return [max(pair) for pair in zip(claude(texts), by_cl100k, strict=True)]

    return count, False


def _digits_alone(text: str) -> int:
    """So many more tokens has a tokenizer that takes each digit alone, where cl100k takes three."""
    return -(-2 * sum(map(text.count, "0123456789")) // 3)


def _package(module: str, distribution: str) -> ModuleType:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise MissingPackage(
            f"the tokenizer package {distribution} is not installed (it has no build for Python "
            f"3.14 yet where it is quicktok-v1): pip install {distribution}, use Python 3.11 to "
            f"3.13, or count by another tokenizer, such as --counter estimate"
        ) from error


# In the order in which help lists them. `claude` is what the newest models count by.
ALL_COUNTERS: tuple[CachedCounter, ...] = (
    CachedCounter("o200k_base", _toktok("o200k_base")),
    CachedCounter("o200k_harmony", _toktok("o200k_harmony")),
    CachedCounter("cl100k_base", _toktok("cl100k_base")),
    CachedCounter("qwen3.5", _toktok("qwen3.5")),
    CachedCounter("qwen3", _quicktok("qwen3")),
    CachedCounter("llama3", _quicktok("llama3")),
    CachedCounter("claude", _claude("4.8")),
    CachedCounter("claude-3", _claude("3.0")),
    CachedCounter("estimate", _estimate),
)


def _renew_all_locks() -> None:
    for one in ALL_COUNTERS:
        one.renew_locks()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_renew_all_locks)
_BY_NAME = {one.name: one for one in ALL_COUNTERS}
ESTIMATE = "estimate"

# The first that fits a model's name, which may carry a vendor and a region before it.
MODELS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"gpt-?oss", "o200k_harmony"),
        (r"gpt-4o|chatgpt-4o|gpt-4\.[1-9]|gpt-[5-9]|\bo[1-9](-|$)", "o200k_base"),
        (r"gpt-4|gpt-3\.5|text-embedding-(3|ada)", "cl100k_base"),
        (r"qwen-?3\.5", "qwen3.5"),
        (r"qwen-?(2|3)", "qwen3"),
        (r"llama-?3", "llama3"),
        (
            r"claude-(instant|[23])|claude-(opus|sonnet|haiku)-(3|4)(-[0-6])?(-\d{8}|[^\d-]|$)",
            "claude-3",
        ),
        (r"claude", "claude"),
    )
)


def counter(name: str) -> CachedCounter:
    """The counter of that name; always the same one, with its cache.

    Raises: InvalidInput for a name that is none of ALL_COUNTERS.
    """
    found = _BY_NAME.get(name) if isinstance(name, str) else None
    if found is None:
        names = ", ".join(_BY_NAME)
        raise InvalidInput(
            f"{str(name)[:100]!r} is no token counter; there are: {names}", field="counter"
        )
    return found


def counter_for_model(model: str) -> CachedCounter:
    """The counter for a model's name; `estimate` where its tokenizer is not known."""
    for pattern, name in MODELS:
        if pattern.search(model):
            return counter(name)
    return counter(ESTIMATE)
