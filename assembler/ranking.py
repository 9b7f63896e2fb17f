"""Which of some texts answer a question best? Words by their stem, weighed by how rare they are.

Ranking is BM25 over the candidates themselves, with three things that talk needs: what stands near
counts as well (an answer goes on over several turns), the turns of whom the question names come
first, and of neighbours only the best is told, so that the first few lie at different places.
Source: docs/decisions/0020.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from threading import Lock
from typing import Final

import snowballstemmer

# BM25's usual constants: how soon repetition stops to count, how much length is held against.
SATURATION: Final = 1.5
LENGTH_WEIGHT: Final = 0.75
# How far neighbours count, and how much less with each step.
NEAR_MAX: Final = 3
NEAR_WEIGHT: Final = 0.6
# Short turns ("Yeah.") match by accident: longer ones gain a little.
LENGTH_GAIN: Final = 0.3
# How much more the turns of a speaker count whom the question names.
NAMED_GAIN: Final = 1.0
# What a word counts that asks how something was said, and is hardly said itself.
ASKING_WEIGHT: Final = 0.5
# Of the turns so near to a better one none is told by itself.
APART: Final = 10

_WORD = re.compile(r"[^\W_]+")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_COMMON: Final = frozenset(
    """a about an and are as at be been by did discuss discussed discussion do does for from
    how i in is it its me meeting my of on or said say summarize summary tell that the their there
    they think this thought to us was we were what when where which who whom whose why will with
    you your""".split()  # noqa: SIM905 - a list of words reads better as a text
)
_ASKING_WORDS: Final = """
    according agree agreed answer argue argument ask asked attitude comment concern concerned
    conclude conclusion consider considered decide decided decision describe disagree
    discussing during explain explanation feel feeling forward give group idea ideas introduce
    introduction main make mate mates member members mention mentioned opinion overall
    particular point points propose proposal put question reason recommend recommendation
    reflect regard regarding reply respond response speak suggest suggestion talk team towards
    view whole
"""
_STEMMER = snowballstemmer.stemmer("english")
_ONE_AT_A_TIME = Lock()  # a stemmer keeps the word that it works on


def words(text: str) -> list[str]:
    """The stems of a text's words without the commonest; pairs of signs where none are spaced."""
    found = [_stem(word) for word in _WORD.findall(_SIGNS.sub(" ", text.casefold()))]
    kept = [word for word in found if word not in _COMMON]
    for run in _SIGNS.findall(text):
        kept += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return kept


class Corpus:
    """Some texts, prepared to be ranked again and again; `speakers` says who said each."""

    def __init__(self, texts: Sequence[str], speakers: Sequence[str] = ()) -> None:
        self._speakers = speakers
        self._bags = [Counter(words(text)) for text in texts]
        self._lengths = [sum(bag.values()) for bag in self._bags]
        self._mean = sum(self._lengths) / len(self._lengths) if self._lengths else 0.0
        self._having: dict[str, list[int]] = {}
        for place, bag in enumerate(self._bags):
            for word in bag:
                self._having.setdefault(word, []).append(place)

    def scores(self, query: str) -> list[float]:
        """How well each text answers the query; 0.0 where no word of it is there."""
        found = [0.0] * len(self._bags)
        for word in dict.fromkeys(words(query)):
            having = self._having.get(word, ())
            rarity = math.log(1 + (len(found) - len(having) + 0.5) / (len(having) + 0.5))
            if word in _asking():
                rarity *= ASKING_WEIGHT
            for place in having:
                often = self._bags[place][word]
                length = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * self._lengths[place] / self._mean
                found[place] += rarity * often * (SATURATION + 1) / (often + SATURATION * length)
        return found

    def best_turns(self, query: str, limit: int) -> list[int]:
        """The places of the best turns, where the texts are those of one conversation in order.

        They lie apart from each other, the best first.
        """
        own = self.scores(query)
        named = named_in(query, set(self._speakers))
        near = []
        for place, length in enumerate(self._lengths):
            total = own[place]
            for step in range(1, NEAR_MAX + 1):
                weight = NEAR_WEIGHT**step
                total += weight * own[place - step] if place >= step else 0.0
                total += weight * own[place + step] if place + step < len(own) else 0.0
            if named and self._speakers[place] in named:
                total *= 1 + NAMED_GAIN
            near.append(total * (1 + LENGTH_GAIN * math.log(1 + length)))
        chosen: list[int] = []
        for place in sorted(range(len(near)), key=lambda at: (-near[at], at)):
            if len(chosen) >= limit or near[place] <= 0.0:
                break
            if all(abs(place - other) > APART for other in chosen):
                chosen.append(place)
        return chosen


def named_in(query: str, speakers: Collection[str]) -> set[str]:
    """The speakers whom a question names: by the whole name, or by a word of it, written as there,
    that no other speaker has.
    """
    words_of = {speaker: _WORD.findall(speaker) for speaker in speakers}
    having = Counter(word for own in words_of.values() for word in set(own))
    written = _WORD.findall(query)
    folded = f" {' '.join(written).casefold()} "
    return {
        speaker
        for speaker, own in words_of.items()
        if (own and f" {' '.join(own).casefold()} " in folded)
        or any(having[word] == 1 and word in written for word in own)
    }


@cache
def _asking() -> frozenset[str]:
    return frozenset(map(_stem, _ASKING_WORDS.split()))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if word in _COMMON:
        return word
    with _ONE_AT_A_TIME:
        stem: str = _STEMMER.stemWord(word)
    return stem
