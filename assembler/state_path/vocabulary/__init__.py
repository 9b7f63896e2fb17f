"""The controlled vocabulary of each language, read once from the data files beside this one.

A file holds `[rules]` (named expressions, see `grammar`), `[[frame]]` (sentences for any noun:
`<np>` a noun phrase, `<b>` one that is a question by itself, `<n>` the bare noun, `<p>` what it may
be), `[[noun]]` (a kind and these expressions; `never` names tags that it is not said with),
`[[ask]]` (further sentences of one kind) and what spelling is mended before reading:
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

_PARTS = ("np", "n", "p", "b")
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
    grammar = Grammar(data["whole"], _rules(data), split)
    for sentence in data["often"]:
        grammar.read(split(sentence))
    write = {word: tuple(said.split()) for word, said in data["write"].items()}
    for word in data["typo_prone"]:
        for slip in _slips(word):
            if slip not in grammar.words:
                write.setdefault(slip, (word,))
    return Vocabulary(grammar, write, str.maketrans(data["fold"]))


def _rules(data: dict[str, Any]) -> dict[str, str]:
    """The named expressions, and each part of a sentence that nouns fill, of all nouns at once.

    What fills the parts of one sentence agrees by its tags: those of two nouns contradict each
    other, and so does what a noun is `never` said with.
    """
    parts = {
        part: " | ".join(
            f"{{noun={place}}} ( {noun[part]} ) {_tags(noun)}"
            for place, noun in enumerate(data["noun"])
            if part in noun
        )
        for part in _PARTS
    }
    return {**data["rules"], **parts, "question": _question(data)}


def _tags(noun: Mapping[str, Any]) -> str:
    tags = [f"{{{name}={noun[name]}}}" for name in ("kind", "subject") if name in noun]
    return " ".join((*tags, *(f"{{{name}=no}}" for name in noun.get("never", ()))))


def _question(data: dict[str, Any]) -> str:
    """Every sentence as one choice, each with its form, and its kind where no noun tells it."""
    said = []
    for sentence in (*data["frame"], *data["ask"]):
        names = [name for name in ("kind", "form") if name in sentence]
        tags = " ".join(f"{{{name}={sentence[name]}}}" for name in names)
        said += [f"( {say} ) {tags}" for say in sentence["say"]]
    return " | ".join(said)


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
