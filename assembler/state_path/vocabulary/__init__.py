"""The controlled vocabulary of each language, read once from the data files beside this one.

A file holds `[rules]` (named expressions, see `grammar`), `[[frame]]` (sentences for any noun:
`<np>` a noun phrase, `<b>` one that is a question by itself, `<n>` the bare noun, `<p>` what it may
be, `<w>` when), `[[noun]]` (a kind and these expressions; a frame that needs one it lacks is left
out), `[[ask]]` (further sentences of one kind) and what spelling is mended before reading:
`[write]` (word to words), `typo_prone` (long words whose common slips are worked out here),
`[fold]` (sign to sign). `whole` is everything that may be said, with `<question>` for one of these
sentences. To teach the recogniser a phrase, add it there and to the lists of the tests.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from workindex.assembler.state_path.grammar import Grammar
from workindex.assembler.state_path.question import Locale

_PARTS = ("np", "n", "p", "w", "b", "h")
_NEEDS = re.compile(r"<(np|n|p|w|b|h)>")
_VOWELS = "aeiou"
_LONG = 7  # letters from which a word with another vowel is still no other word


class Vocabulary(NamedTuple):
    """One language, ready to read: its grammar, mended words and folded signs."""

    grammar: Grammar
    write: Mapping[str, tuple[str, ...]]
    fold: Mapping[int, str]


@cache
def vocabulary(locale: Locale) -> Vocabulary:
    """The vocabulary of one language."""
    data = tomllib.loads((files(__name__) / f"{locale}.toml").read_text("utf-8"))
    split = re.compile(data["symbol"]).findall
    grammar = Grammar(data["whole"], {**dict(_rules(data)), "question": _question(data)}, split)
    write = {word: tuple(said.split()) for word, said in data["write"].items()}
    for word in data["typo_prone"]:
        for slip in _slips(word):
            if slip not in grammar.words:
                write.setdefault(slip, (word,))
    return Vocabulary(grammar, write, str.maketrans(data["fold"]))


def _rules(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The named expressions, and those of each noun under a name of its own (`np_3`)."""
    yield from data["rules"].items()
    for place, noun in enumerate(data["noun"]):
        yield from ((f"{part}_{place}", noun[part]) for part in _PARTS if part in noun)


def _question(data: dict[str, Any]) -> str:
    """Every sentence as one choice, each with its kind and form tagged."""
    return " | ".join(
        f"( {say} ) {{kind={kind}}} {{form={form}}}" for kind, form, say in _said(data)
    )


def _said(data: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for ask in data["ask"]:
        for say in ask["say"]:
            yield ask["kind"], ask["form"], say
    frames = [
        (frame["form"], say, set(_NEEDS.findall(say)))
        for frame in data["frame"]
        for say in frame["say"]
    ]
    for place, noun in enumerate(data["noun"]):
        tag = f" {{subject={noun['subject']}}}" if "subject" in noun else ""
        for form, say, needs in frames:
            if needs <= noun.keys():
                yield noun["kind"], form, _NEEDS.sub(rf"<\1_{place}>", say) + tag


def _slips(word: str) -> Iterator[str]:
    """The word with one inner letter left out, doubled or swapped with its neighbour.

    A long word may also have one vowel in another's place.
    """
    for at in range(1, len(word) - 1):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        if len(word) >= _LONG and word[at] in _VOWELS:
            yield from (word[:at] + vowel + word[at + 1 :] for vowel in _VOWELS)
