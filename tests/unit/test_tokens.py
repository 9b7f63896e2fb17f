"""Token counters: exact ones agree with an independent tokenizer, bounds are never too low."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import quicktok  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from workindex.assembler.token_weights import claude_tokens_max
from workindex.assembler.tokens import (
    ALL_COUNTERS,
    CachedCounter,
    Count,
    MissingPackage,
    counter,
    counter_for_model,
)
from workindex.domain.errors import InvalidInput

GOLDEN = Path(__file__).parents[1] / "golden/tokens/claude.json"
SAMPLES: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))["texts"]
TEXTS = [one["text"] for one in SAMPLES]
ANY_TEXT = st.text(max_size=300)
PLACES = {"toktok": "toktok-rs", "quicktok": "quicktok-v1"}


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("cl100k_base", "antidisestablishmentarianism", 6),
        ("cl100k_base", "2 + 2 = 4", 7),
        ("cl100k_base", "お誕生日おめでとう", 9),
        ("o200k_base", "antidisestablishmentarianism", 6),
        ("o200k_base", "2 + 2 = 4", 7),
        ("o200k_base", "お誕生日おめでとう", 8),
        ("o200k_base", "", 0),
    ],
)
def test_published_counts_are_met(name: str, text: str, tokens: int) -> None:
    """The counts that OpenAI's own guide to counting prints."""
    assert counter(name).count([text]) == [tokens]


@settings(deadline=None)  # the first example loads vocabularies
@given(texts=st.lists(ANY_TEXT, max_size=6))
def test_two_tokenizers_agree_on_openai_encodings(texts: list[str]) -> None:
    """An independent program of another language gives the same counts, for any text."""
    for name in ("o200k_base", "cl100k_base"):
        other = quicktok.get_encoding(name)
        assert counter(name).count(texts) == [len(other.encode_ordinary(one)) for one in texts]


@pytest.mark.parametrize("name", ["qwen3", "llama3"])
def test_open_models_count_what_they_encode(name: str) -> None:
    """The count is the number of ids that the tokenizer gives."""
    tokenizer = quicktok.get_encoding(name)
    assert counter(name).count(TEXTS) == [len(tokenizer.encode_ordinary(one)) for one in TEXTS]


def test_signs_of_control_are_plain_text() -> None:
    """What a user wrote is never one token of control, however it looks."""
    for name in ("o200k_base", "cl100k_base", "llama3", "qwen3", "qwen3.5"):
        assert counter(name).count(["<|endoftext|><|im_start|>"])[0] > 4


@pytest.mark.parametrize("sample", SAMPLES, ids=[one["name"] for one in SAMPLES])
def test_claude_is_never_under_counted(sample: dict[str, Any]) -> None:
    """The bound holds for Latin and other writings, numbers, tables, JSON, code and capitals.

    The counts were made with ctok 1.3.0; four bytes a token, as a rule of thumb has it, is far
    too low for most of these.
    """
    bound = claude_tokens_max(sample["text"], counter("o200k_base").count([sample["text"]])[0])
    real = max(sample["claude"], sample["claude-3"])
    assert real <= bound <= 3 * real


def test_a_rule_of_thumb_would_not_do() -> None:
    """Bytes by four, or 1.62 times o200k alone, is too low for many of the same texts."""
    o200k = counter("o200k_base").count(TEXTS)
    real = [one["claude"] for one in SAMPLES]
    by_bytes = [len(text.encode()) / 4 for text in TEXTS]
    by_factor = [1.62 * tokens for tokens in o200k]
    assert sum(least < most for least, most in zip(by_bytes, real, strict=True)) > 20
    assert sum(least < most for least, most in zip(by_factor, real, strict=True)) > 10


@pytest.mark.skipif(find_spec("ctok") is None, reason="the extra claude-tokens is not installed")
def test_with_ctok_claude_is_counted_as_recorded() -> None:
    """The extra changes the numbers from bounds to counts."""
    for name in ("claude", "claude-3"):
        assert counter(name).is_exact
        assert counter(name).count(TEXTS) == [one[name] for one in SAMPLES]


@given(text=ANY_TEXT)
def test_a_bound_is_at_least_every_tokenizer_it_stands_for(text: str) -> None:
    """`estimate` is for models whose tokenizer nobody knows, so it is no lower than OpenAI's."""
    o200k, cl100k, estimate = (
        counter(name).count([text])[0] for name in ("o200k_base", "cl100k_base", "estimate")
    )
    assert estimate >= max(o200k, cl100k)
    assert claude_tokens_max(text, o200k) >= o200k
    assert (estimate == 0) == (text == "")


@given(left=ANY_TEXT, right=ANY_TEXT)
def test_a_bound_grows_with_its_text(left: str, right: str) -> None:
    """The signs of a longer text cost no less, whatever the tokenizer joins at the seam."""
    assert claude_tokens_max(left + right, 0) >= max(
        claude_tokens_max(left, 0), claude_tokens_max(right, 0)
    )


def test_lone_surrogates_are_counted_as_the_sign_for_unknown() -> None:
    """No text makes a counter fail; such a text cannot be sent as it is."""
    for one in ALL_COUNTERS:
        assert one.count(["a\ud800b"]) == one.count(["a\ufffdb"])


class Counting:
    """A tokenizer that counts characters and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def load(self) -> tuple[Count, bool]:
        return self.count, True

    def count(self, texts: Sequence[str]) -> list[int]:
        self.asked += texts
        return [len(text) for text in texts]


def test_a_text_is_counted_once() -> None:
    """By its content: in one call, and in later ones."""
    tokenizer = Counting()
    counting = CachedCounter("signs", tokenizer.load)
    assert counting.count(["aa", "b", "aa"]) == [2, 1, 2]
    assert counting.count(["b", "ccc"]) == [1, 3]
    assert tokenizer.asked == ["aa", "b", "ccc"]
    assert counting.count([]) == []


def test_the_cache_is_bounded_and_drops_what_was_not_asked_for_longest() -> None:
    """A process that counts for weeks keeps a fixed number of counts."""
    tokenizer = Counting()
    counting = CachedCounter("signs", tokenizer.load, cached_max=2)
    counting.count(["a", "bb"])
    counting.count(["a"])
    counting.count(["ccc"])
    tokenizer.asked.clear()
    assert counting.count(["a", "ccc"]) == [1, 3]
    assert tokenizer.asked == []
    assert counting.count(["bb"]) == [2]
    assert tokenizer.asked == ["bb"]
    assert counting.count(["x", "yy", "zzz", "x"]) == [1, 2, 3, 1]


def test_threads_share_a_counter() -> None:
    """Many at once get the same numbers as one alone, with a cache too small for them."""
    counting = CachedCounter("signs", Counting().load, cached_max=3)
    texts = ["x" * size for size in range(40)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: counting.count(texts), range(50)))
    assert found == [list(range(40))] * 50


@pytest.mark.parametrize(("module", "name"), [("toktok", "o200k_base"), ("quicktok", "llama3")])
def test_a_missing_package_says_how_to_get_it(
    module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no wheel (quicktok on Python 3.14), the error names package and way out."""
    load = counter(name)._load
    monkeypatch.setitem(sys.modules, module, None)
    fresh = CachedCounter(name, load)
    with pytest.raises(MissingPackage, match=PLACES[module]) as met:
        fresh.count(["x"])
    assert "pip install" in str(met.value)
    assert met.value.code == "missing_package"


def test_with_ctok_there_claude_is_exact(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The extra is found when it is installed; its frame around a message is taken off."""
    made = "def token_count(text, version='3.0'):\n    return 7 + len(text.split())\n"
    (tmp_path / "ctok.py").write_text(made)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "ctok", raising=False)
    fresh = CachedCounter("claude", counter("claude")._load)
    assert fresh.is_exact
    assert fresh.count(["a b c", ""]) == [3, 0]
    monkeypatch.delitem(sys.modules, "ctok")


def test_an_unknown_counter_is_refused_with_the_names() -> None:
    """The error is for a person who mistyped."""
    with pytest.raises(InvalidInput, match="'o300k' is no token counter; there are: o200k_base,"):
        counter("o300k")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gpt-5.2", "o200k_base"),
        ("o3", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("openai/gpt-oss-120b", "o200k_harmony"),
        ("anthropic.claude-3-5-sonnet-20240620-v1:0", "claude-3"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-3"),
        ("claude-opus-4-6", "claude-3"),
        ("claude-opus-4-7", "claude"),
        ("claude-opus-4-10", "claude"),
        ("claude-sonnet-5", "claude"),
        ("meta.llama3-1-70b-instruct-v1:0", "llama3"),
        ("Qwen/Qwen2.5-7B", "qwen3"),
        ("qwen3.5-plus", "qwen3.5"),
        ("amazon.nova-pro-v1:0", "estimate"),
        ("solo1-x", "estimate"),
        ("", "estimate"),
    ],
)
def test_a_model_is_counted_by_its_own_tokenizer(model: str, name: str) -> None:
    """Names as providers and gateways write them; unknown ones are bounded, not guessed."""
    assert counter_for_model(model).name == name


def test_importing_loads_no_tokenizer() -> None:
    """Only a count does: the vocabularies take up to a second each."""
    code = (
        "import sys, workindex, workindex.assembler.tokens, workindex.assembler.audit\n"
        "workindex.observe\n"
        "print([m for m in ('toktok', 'quicktok', 'numpy', 'ctok') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
