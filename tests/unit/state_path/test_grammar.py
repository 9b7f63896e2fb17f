"""The small grammar by itself: expressions, tags, ambiguity, and data files that are wrong."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest

from workindex.assembler.state_path.grammar import Grammar, GrammarError
from workindex.assembler.state_path.question import Locale
from workindex.assembler.state_path.vocabulary import vocabulary


def grammar(whole: str, **rules: str) -> Grammar:
    """A grammar over words parted by spaces."""
    return Grammar(whole, rules, str.split)


READS = {
    "a row": ("a b", "a b", ((),)),
    "too short": ("a b", "a", ()),
    "too long": ("a b", "a b c", ()),
    "an option taken": ("a [ b ] c", "a b c", ((),)),
    "an option left out": ("a [ b ] c", "a c", ((),)),
    "a choice": ("( a | b ) c", "b c", ((),)),
    "an empty option": ("( a | ) c", "c", ((),)),
    "a tag": ("a {x=1} | b {x=2}", "b", ((("x", "2"),),)),
    "tags in order of names": ("a {y=1} {x=2}", "a", ((("x", "2"), ("y", "1")),)),
    "the same tag twice": ("a {x=1} b {x=1}", "a b", ((("x", "1"),),)),
    "contradicting tags": ("a {x=1} b {x=2}", "a b", ()),
    "tags side by side": ("a {y=1} {x=2} {y=1}", "a", ((("x", "2"), ("y", "1")),)),
    "two meanings": ("a {x=1} | a {x=2}", "a", ((("x", "1"),), (("x", "2"),))),
    "two ways to one meaning": ("[ a ] [ a ] b", "a b", ((),)),
    "a rule": ("<r> c", "a c", ((("x", "1"),),)),
}


@pytest.mark.parametrize(("whole", "text", "meanings"), READS.values(), ids=READS)
def test_reading(whole: str, text: str, meanings: tuple[object, ...]) -> None:
    """Every meaning that covers all words is found, each once."""
    assert grammar(whole, r="a {x=1} | b {x=2}").read(text.split()) == meanings


def test_reading_twice_is_the_same() -> None:
    """What was worked out on first use does not change."""
    it = grammar("a [ b {x=1} ] c")
    assert [it.read(["a", "b", "c"]) for _ in range(3)] == [((("x", "1"),),)] * 3
    assert [it.read(["a", "z"]) for _ in range(3)] == [()] * 3


@pytest.mark.parametrize(
    "whole",
    [
        "( a",
        "a )",
        "[ a",
        "a ]",
        "( a ]",
        "<nowhere>",
        "<loop>",
        "{tag} a",
        "a {x=}",
        "{x=1} {x=2}",
    ],
)
def test_a_wrong_expression_is_refused(whole: str) -> None:
    """A data file with an error never becomes a recogniser that answers less or more."""
    with pytest.raises(GrammarError):
        grammar(whole, loop="a <loop>")


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_what_is_read_at_load_are_questions_and_every_rule_is_used(locale: Locale) -> None:
    """Sentences that no longer fit, and rules that nothing names, are left-overs."""
    text = (files("workindex.assembler.state_path.vocabulary") / f"{locale}.toml").read_text()
    data = tomllib.loads(text)
    split = re.compile(data["symbol"]).findall
    read = vocabulary(locale).grammar.read
    assert [sentence for sentence in data["often"] if not read(split(sentence))] == []
    assert [name for name in data["rules"] if f"<{name}>" not in text] == []
