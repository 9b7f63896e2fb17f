"""How many tokens may Claude make of a text? An upper bound from what the text is written in.

Claude's tokenizer is not published. Against counts rebuilt offline (decision record 0021), o200k
alone is too low everywhere, and 1.62 times o200k still is for German, capitals and most writings
other than Latin and Chinese. So a text costs at least what its signs cost, each by its writing.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

O200K_FACTOR = 1.62
MARGIN = 0.15  # what every estimate is raised by, before it is rounded up
TEXT_TOKENS = 2  # for the borders of a text, which short ones feel

ASCII_TOKENS = 0.44
CAPITAL_TOKENS = 0.60  # beside the sign's own
BACKSLASH_TOKENS = 0.50  # beside the sign's own


class Writing(NamedTuple):
    """Signs from `first` up to the next row cost so many tokens each.

    Where nothing was measured: a token for each byte of UTF-8, which no byte-level tokenizer
    passes by more than its markers.
    """

    first: int
    tokens: float


WRITINGS = (
    Writing(0x00000, ASCII_TOKENS),
    Writing(0x00080, 1.00),  # Latin with signs
    Writing(0x00250, 2.00),
    Writing(0x00370, 1.00),  # Greek
    Writing(0x00400, 0.70),  # Cyrillic
    Writing(0x00530, 1.00),  # Armenian, Hebrew, Arabic
    Writing(0x00700, 2.00),
    Writing(0x00800, 3.00),
    Writing(0x00900, 1.40),  # Devanagari, Bengali
    Writing(0x00A00, 2.40),  # Gurmukhi
    Writing(0x00A80, 1.20),  # Gujarati
    Writing(0x00B00, 1.90),  # Oriya
    Writing(0x00B80, 1.20),  # Tamil, Telugu
    Writing(0x00C80, 2.20),  # Kannada
    Writing(0x00D00, 1.40),  # Malayalam, Sinhala, Thai, Lao, Tibetan, Burmese, Georgian
    Writing(0x01100, 3.00),
    Writing(0x01200, 2.10),  # Ethiopic
    Writing(0x013A0, 3.00),
    Writing(0x01780, 1.40),  # Khmer
    Writing(0x01800, 3.00),
    Writing(0x01E00, 1.50),  # Latin with two signs (Vietnamese)
    Writing(0x01F00, 3.00),
    Writing(0x03000, 1.20),  # kana
    Writing(0x03100, 3.00),
    Writing(0x03400, 1.45),  # Chinese characters
    Writing(0x0A000, 3.00),
    Writing(0x0AC00, 1.45),  # Hangul
    Writing(0x0D7B0, 3.00),
    Writing(0x10000, 4.00),
)
_FIRSTS = tuple(one.first for one in WRITINGS)
_CAPITALS = bytes(range(ord("A"), ord("Z") + 1))


def claude_tokens_max(text: str, o200k_tokens: int) -> int:
    """At most so many tokens of Claude's, from the text and its count by o200k_base.

    0 for the empty text. Bounded by measurement, not by proof: long runs of one sign may cost
    more than this says.

    Source: docs/decisions/0021.
    """
    if not text:
        return 0
    raised = (1 + MARGIN) * max(O200K_FACTOR * o200k_tokens, _signs_tokens(text))
    return math.ceil(raised) + TEXT_TOKENS


def _signs_tokens(text: str) -> float:
    escapes = BACKSLASH_TOKENS * text.count("\\")
    if text.isascii():
        signs = text.encode()
        capitals = len(signs) - len(signs.translate(None, _CAPITALS))
        return escapes + ASCII_TOKENS * len(signs) + CAPITAL_TOKENS * capitals
    return escapes + sum(_sign_tokens(sign) * times for sign, times in Counter(text).items())


@lru_cache(maxsize=16_384)
def _sign_tokens(sign: str) -> float:
    tokens = WRITINGS[bisect_right(_FIRSTS, ord(sign)) - 1].tokens
    return tokens + (CAPITAL_TOKENS if sign.isupper() else 0)
