"""The words of a text as a search compares them: identifiers in parts, endings off, fillers out.

Texts in Chinese, Japanese and Korean, which have no spaces, give pairs of signs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from threading import Lock
from typing import Final

import snowballstemmer

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
# A stemmer keeps the word that it works on: one at a time.
_STEMMER: Final = snowballstemmer.stemmer("english")
_LOCK: Final = Lock()


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


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one English word in small letters; safe to ask from several threads."""
    with _LOCK:
        found: str = _STEMMER.stemWord(word)
    return found
