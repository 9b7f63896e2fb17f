"""How large is each part of a request? Sizes, tokens and hashes, enough to compare without bodies.

A text's units are its sentences, lines and JSON members. Texts that share most of their units are
near-identical, wherever the shared part stands in them; the hashes of units are what is compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from workindex.assembler.audit.segments import KINDS, Segment
from workindex.assembler.audit.shapes import Request, UnknownRequest
from workindex.assembler.tokens import TokenCounter, counter_for_model

RECORD_KIND = "request_measured"
FORMAT = 1
UNIT_BYTES_MIN = 24  # shorter ones, such as a bracket or a name, stand everywhere
UNITS = re.compile(r"[^\n.!?。！？；,}\]]{0,400}(?:[\n.!?。！？；,}\]]+\s*|\Z)|[^\n]{400}")
DIGEST_BYTES = 8
OPTIONAL = ("role", "message", "turn", "name", "media", "media_bytes")
UNIT_DIGITS = 10


@dataclass(frozen=True, slots=True)
class MeasuredSegment:
    """One segment without its text.

    `size_bytes` and `digest` are of its canonical JSON, `text_digest` and `units` (hash and
    bytes) of what a model reads. `tokens` is an estimate where `is_estimate`. `wire` and
    `text` are there only while the request itself is at hand.
    """

    kind: str
    path: str
    role: str | None
    message: int | None
    turn: int | None
    name: str | None
    size_bytes: int
    tokens: int
    is_estimate: bool
    media: str | None
    media_bytes: int | None
    digest: str
    text_digest: str
    units: tuple[tuple[str, int], ...]
    wire: bytes | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One request, measured. `file` and `line` say where it was found, `at` when it was sent."""

    file: str
    line: int
    shape: str
    model: str
    counter: str
    is_exact: bool
    segments: tuple[MeasuredSegment, ...]
    at: str | None = None

    @property
    def tokens(self) -> int:
        """All that a model reads, media estimates among it; without a provider's own framing."""
        return sum(one.tokens for one in self.segments)

    @property
    def size_bytes(self) -> int:
        """The canonical JSON of all segments."""
        return sum(one.size_bytes for one in self.segments)

    @property
    def read(self) -> tuple[MeasuredSegment, ...]:
        """The segments that a model reads, in the provider's order."""
        return tuple(one for one in self.segments if one.kind != "parameters")


def measure(request: Request, counter: TokenCounter | None = None) -> Measured:
    """The request, measured by the counter, without one by that of its model.

    Raises: MissingPackage where the counter's tokenizer is not installed.
    """
    counter = counter or counter_for_model(request.model)
    segments = request.segments()
    tokens = counter.count([one.text for one in segments])
    return Measured(
        file=request.file,
        line=request.line,
        shape=request.shape.name,
        model=request.model,
        counter=counter.name,
        is_exact=counter.is_exact,
        segments=tuple(_measured(*pair) for pair in zip(segments, tokens, strict=True)),
    )


def _measured(segment: Segment, tokens: int) -> MeasuredSegment:
    wire, media = segment.wire(), segment.media
    return MeasuredSegment(
        kind=segment.kind,
        path=segment.path,
        role=segment.role,
        message=segment.message,
        turn=segment.turn,
        name=segment.name,
        size_bytes=len(wire),
        tokens=tokens + (media.tokens if media else 0),
        is_estimate=media is not None,
        media=media.form if media else None,
        media_bytes=media.size_bytes if media else None,
        digest=digest(wire),
        # media have no text to compare, so two of the same are told by the whole
        text_digest=digest(wire if media else segment.text.encode("utf-8", "surrogatepass")),
        units=units_of(segment.text),
        wire=wire,
        text=segment.text,
    )


def digest(content: bytes) -> str:
    """A short hash, in hexadecimal digits."""
    return blake2b(content, digest_size=DIGEST_BYTES).hexdigest()


def units_of(text: str) -> tuple[tuple[str, int], ...]:
    """The units of a text that are long enough to tell anything: hash and bytes of each."""
    found = (one.strip().encode("utf-8", "surrogatepass") for one in UNITS.findall(text))
    return tuple(
        (digest(one)[:UNIT_DIGITS], len(one)) for one in found if len(one) >= UNIT_BYTES_MIN
    )


def _packed(units: tuple[tuple[str, int], ...]) -> str:
    return " ".join(f"{key}{size:x}" for key, size in units)


def _unpacked(text: str) -> tuple[tuple[str, int], ...]:
    return tuple((one[:UNIT_DIGITS], int(one[UNIT_DIGITS:], 16)) for one in text.split())


def record_of(measured: Measured, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """The measurement as one JSON object; without the body no text of the request is in it.

    The units of a segment are one text: ten digits of each hash with its bytes behind them, in
    hexadecimal digits.
    """
    return {
        "format": FORMAT,
        "kind": RECORD_KIND,
        "at": measured.at,
        "shape": measured.shape,
        "model": measured.model,
        "counter": measured.counter,
        "is_exact": measured.is_exact,
        "size_bytes": measured.size_bytes,
        "tokens": measured.tokens,
        "segments": [
            {
                name: value
                for name in FIELDS
                if (value := getattr(one, name)) is not None or name not in OPTIONAL
            }
            | {"units": _packed(one.units)}
            for one in measured.segments
        ],
        **({"request": body} if body is not None else {}),
    }


FIELDS = tuple(name for name in MeasuredSegment.__slots__ if name not in ("wire", "text", "units"))


def is_record(value: Any) -> bool:
    """Whether a JSON value is a record of `observe`."""
    return isinstance(value, dict) and value.get("kind") == RECORD_KIND


def of_record(value: dict[str, Any], file: str, line: int) -> Measured:
    """The measurement out of its record. Raises: UnknownRequest for a broken or newer one."""
    if value.get("format") != FORMAT:
        raise UnknownRequest(
            f"{file}, line {line}: a record of format {value.get('format')!r}; this program reads "
            f"format {FORMAT}"
        )
    try:
        return Measured(
            file=file,
            line=line,
            shape=str(value["shape"]),
            model=str(value["model"]),
            counter=str(value["counter"]),
            is_exact=bool(value["is_exact"]),
            segments=tuple(_of_record(one) for one in value["segments"]),
            at=value.get("at"),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnknownRequest(
            f"{file}, line {line}: a broken record of a request: {error}"
        ) from error


def _of_record(one: dict[str, Any]) -> MeasuredSegment:
    if one["kind"] not in KINDS:
        raise ValueError(f"{one['kind']!r} is no kind of segment")
    fields: dict[str, Any] = dict.fromkeys(OPTIONAL)
    fields |= {name: one[name] for name in FIELDS if name in one or name not in OPTIONAL}
    for name in ("size_bytes", "tokens"):
        fields[name] = int(fields[name])
    return MeasuredSegment(**fields, units=_unpacked(one["units"]))
