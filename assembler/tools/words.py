"""The words of a text as a search compares them: identifiers in parts, endings off, fillers out.

Stems are those of Porter's algorithm. Source: M. F. Porter, "An algorithm for suffix stripping",
Program 14(3), 1980. Texts in Chinese, Japanese and Korean, which have no spaces, give pairs of
signs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_PARTS: Final = re.compile(
    r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+"
    r"|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+"
    r"|[^\W\d_]+"
)
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
# What stands in every request and says nothing of what it is about.
_FILLERS: Final = """
a able about all also am an and any anyone anything are as at available be been being best by can
could current d did do does doing doesn don find finding for from get getting give good got had has
have having he help her here him his how i id if im in interested into is isn it its ive just know
let like ll look looking m made make many may me might more most much must my need needs new no not
of off on one or other our out over please provide re really recommend s search she should show so
some someone something suggest t tell than that the their them then there these they this those to
today tool tools trying try two up us use using ve very want wants was way ways we well were what
when where which who whom why will with would you your
"""
FILLERS: Final = frozenset(_FILLERS.split())

_SECOND: Final = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_THIRD: Final = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
# Longer ones first: of endings that fit, the longest counts.
_FOURTH: Final = (
    "ement",
    *("ance", "ence", "able", "ible", "ment"),
    *("ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion"),
    *("al", "er", "ic", "ou"),
)


def words(text: str) -> list[str]:
    """The stems of a text in order, without fillers."""
    found = []
    for part in _PARTS.findall(text):
        if _UNSPACED.match(part):
            pairs = [part[place : place + 2] for place in range(len(part) - 1)]
            found += pairs or [part]
        else:
            word = part.lower()
            if word not in FILLERS:
                found.append(stem(word))
    return found


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of one English word in small letters; other words come back almost whole."""
    if len(word) <= 2 or not word.isascii() or not word.isalpha():
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = f"{word[:-1]}i"
    word = _replaced(word, _SECOND)
    word = _replaced(word, _THIRD)
    for ending in _FOURTH:
        if word.endswith(ending):
            base = word[: -len(ending)]
            if _measure(base) > 1 and (ending != "ion" or base[-1:] in ("s", "t")):
                word = base
            break
    return _tidied(word)


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        base = word[: -len(ending)]
        if word.endswith(ending) and _has_vowel(base):
            if base.endswith(("at", "bl", "iz")):
                return f"{base}e"
            if _is_double(base) and base[-1] not in "lsz":
                return base[:-1]
            return f"{base}e" if _measure(base) == 1 and _is_short(base) else base
    return word


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, other in endings:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + other if _measure(base) > 0 else word
    return word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _measure(base) > 1 or (_measure(base) == 1 and not _is_short(base)):
            word = base
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


def _shape(word: str) -> str:
    """Vowels as v, other letters as c."""
    told = ""
    for place, letter in enumerate(word):
        is_vowel = letter in "aeiou" or (letter == "y" and place > 0 and told[-1] == "c")
        told += "v" if is_vowel else "c"
    return told


def _measure(word: str) -> int:
    """How often a vowel is followed by another letter."""
    return len(re.findall("v+c+", _shape(word)))


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _is_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _is_short(word: str) -> bool:
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"
