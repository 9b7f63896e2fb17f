"""Images and documents: their sizes as sent, their costs as the providers publish them."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest

from workindex.assembler.audit.media import media_of, pixels


def png(wide: int, high: int) -> bytes:
    """A white PNG of that size."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + check

    head = struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xff" * wide) * high)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    b"\xff\xc2\x00\x11\x08\x01\x2c\x01\x90\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"
)
GIF = b"GIF89a" + struct.pack("<HH", 400, 300) + b"\x00" * 3
WEBP = b"RIFF\x00\x00\x00\x00WEBP"
VP8X = WEBP + b"VP8X" + bytes(8) + (399).to_bytes(3, "little") + (299).to_bytes(3, "little")
VP8L = WEBP + b"VP8L" + bytes(4) + b"\x2f" + (399 | 299 << 14).to_bytes(4, "little")
VP8 = WEBP + b"VP8 " + bytes(10) + struct.pack("<HH", 400, 300)


@pytest.mark.parametrize("raw", [png(400, 300), JPEG, GIF, VP8X, VP8L, VP8])
def test_the_size_of_a_picture_is_read_from_its_head(raw: bytes) -> None:
    """400 by 300 pixels in each of the forms that providers take."""
    assert pixels(raw) == (400, 300)


@pytest.mark.parametrize("raw", [b"", b"\x89PNG", JPEG[:8], b"\xff\xd8\xff", WEBP, b"plain text"])
def test_a_broken_picture_has_no_size(raw: bytes) -> None:
    """It is estimated as the largest, and nothing fails."""
    assert pixels(raw) is None
    data = base64.b64encode(raw).decode()
    assert media_of("image", data, by_tiles=False).tokens == 1_600
    assert media_of("image", data, by_tiles=True).tokens == 85 + 8 * 170


@pytest.mark.parametrize(
    ("wide", "high", "by_area", "by_tiles"),
    [
        (200, 200, 54, 255),  # Anthropic's own examples: ~54, ~1,334 and ~1,590 tokens
        (1000, 1000, 1334, 765),
        (1092, 1092, 1590, 765),
        (1024, 1024, 1399, 765),  # OpenAI's own examples: 765 and 1,105 tokens
        (2048, 4096, 1600, 1105),
    ],
)
def test_pictures_cost_what_the_providers_say(
    wide: int, high: int, by_area: int, by_tiles: int
) -> None:
    """Area by 750 with Anthropic, squares of 512 with OpenAI, after their scaling."""
    data = base64.b64encode(png(wide, high)).decode()
    assert media_of("image", data, by_tiles=False).tokens == by_area
    assert media_of("image", f"data:image/png;base64,{data}", by_tiles=True).tokens == by_tiles
    assert media_of("image", data, by_tiles=True, detail="low").tokens == 85


def test_sizes_are_of_the_decoded_bytes() -> None:
    """What only an address names has no size here, and is estimated as the largest."""
    raw = png(20, 10)
    media = media_of("image", base64.b64encode(raw).decode(), by_tiles=False)
    assert (media.size_bytes, media.tokens) == (len(raw), 1)
    away = media_of("image", "https://example.com/a.png", by_tiles=False)
    assert (away.size_bytes, away.tokens) == (None, 1_600)
    assert media_of("audio", base64.b64encode(bytes(5_000)).decode(), by_tiles=True).tokens == 6


def test_a_document_costs_its_pages() -> None:
    """3,000 tokens a page; one where no page can be seen."""
    pages = b"%PDF-1.4 /Type/Pages <</Type/Page>> << /Type /Page /Parent 1 0 R>>"
    assert media_of("document", base64.b64encode(pages).decode(), by_tiles=False).tokens == 6_000
    assert media_of("document", None, by_tiles=False).tokens == 3_000
