"""How large is an image, a document, a sound or a film in a request, and what may it cost?

Providers turn them into tokens by rules of their own, so a figure here is an estimate on the high
side and is marked as one. Source: docs/decisions/0021.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from dataclasses import dataclass
from typing import Any

PDF_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
PDF_PAGE_TOKENS = 3_000
BYTES_A_TOKEN = 1_000  # of sound and film; no provider says one rule
# Anthropic: width × height / 750 after scaling to at most 1,568 pixels a side and 1,600 tokens.
PIXELS_A_TOKEN, SIDE_MAX, IMAGE_TOKENS_MAX = 750, 1_568, 1_600
# OpenAI: 85 and 170 for each square of 512 pixels, after scaling into 2,048² and 768 across.
BASE_TOKENS, TILE_TOKENS, TILE, LONG_MAX, SHORT_MAX = 85, 170, 512, 2_048, 768


@dataclass(frozen=True, slots=True)
class Media:
    """What a part holds that is no text.

    `size_bytes` is its size, None where only an address or an id of it was sent.
    """

    form: str  # image | document | audio | video | reasoning
    size_bytes: int | None
    tokens: int
    media_type: str | None = None


def media_of(
    form: str,
    data: Any,
    *,
    by_tiles: bool,
    media_type: str | None = None,
    detail: str | None = None,
) -> Media:
    """The media in base64 or in a `data:` address; anything else is held elsewhere."""
    raw = _decoded(data)
    if form == "image":
        tokens = _image_tokens(raw, by_tiles=by_tiles, is_small=detail == "low")
    elif form == "document":
        tokens = PDF_PAGE_TOKENS * max(1, len(PDF_PAGE.findall(raw or b"")))
    else:
        tokens = 1 + len(raw or b"") // BYTES_A_TOKEN
    return Media(form, None if raw is None else len(raw), tokens, media_type)


def sealed(text: str) -> Media:
    """Reasoning that only the provider can open; its size is known, and a token is 4 bytes."""
    return Media("reasoning", len(text), 1 + len(text) // 4)


def _decoded(data: Any) -> bytes | None:
    if not isinstance(data, str):
        return None
    if data.startswith("data:"):
        data = data.partition(",")[2]
    elif "://" in data[:16]:
        return None
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def _image_tokens(raw: bytes | None, *, by_tiles: bool, is_small: bool) -> int:
    size = pixels(raw or b"")
    if by_tiles:
        return BASE_TOKENS if is_small else BASE_TOKENS + TILE_TOKENS * _tiles(size)
    if size is None:
        return IMAGE_TOKENS_MAX
    scale = min(1.0, SIDE_MAX / max(size))
    wide, high = (side * scale for side in size)
    return min(IMAGE_TOKENS_MAX, math.ceil(wide * high / PIXELS_A_TOKEN))


def _tiles(size: tuple[int, int] | None) -> int:
    if size is None:
        size = (LONG_MAX, SHORT_MAX)
    scale = min(1.0, LONG_MAX / max(size))
    scale *= min(1.0, SHORT_MAX / (min(size) * scale))
    across, down = (math.ceil(round(side * scale, 6) / TILE) for side in size)
    return across * down


def pixels(raw: bytes) -> tuple[int, int] | None:
    """Width and height out of a PNG, GIF, JPEG or WebP; None for all else and for broken ones."""
    wide = high = 0
    if raw.startswith(b"\x89PNG\r\n\x1a\n"):
        wide, high = int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big")
    elif raw.startswith((b"GIF87a", b"GIF89a")):
        wide, high = int.from_bytes(raw[6:8], "little"), int.from_bytes(raw[8:10], "little")
    elif raw.startswith(b"\xff\xd8"):
        wide, high = _jpeg_pixels(raw)
    elif raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        wide, high = _webp_pixels(raw)
    return (wide, high) if wide > 0 and high > 0 else None


def _jpeg_pixels(raw: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(raw) and raw[at] == 0xFF:
        mark, length = raw[at + 1], int.from_bytes(raw[at + 2 : at + 4], "big")
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            high, wide = raw[at + 5 : at + 7], raw[at + 7 : at + 9]
            return int.from_bytes(wide, "big"), int.from_bytes(high, "big")
        at += 2 + length
    return 0, 0


def _webp_pixels(raw: bytes) -> tuple[int, int]:
    form = raw[12:16]
    if form == b"VP8X":
        return 1 + int.from_bytes(raw[24:27], "little"), 1 + int.from_bytes(raw[27:30], "little")
    if form == b"VP8L":
        bits = int.from_bytes(raw[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if form == b"VP8 ":
        wide, high = raw[26:28], raw[28:30]
        return int.from_bytes(wide, "little") & 0x3FFF, int.from_bytes(high, "little") & 0x3FFF
    return 0, 0
