"""The proof: may we say "nothing", and what could not be confirmed.

A verdict rests on ONE statement (`wi_proof`) or, for a live fold, on one REPEATABLE READ
snapshot. There is no default for a missing value: what is not seen is a reason, never a zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from workindex.domain.facts import utc
from workindex.projections.bounds import Beyond
from workindex.projections.connections import ConnectionRow, CreditsRow, SourceRow

Verdict = Literal["proven_empty", "items", "unproven"]

FUTURE_SECONDS_MAX: Final = 60
_INSTANT = timedelta(microseconds=1)
_LAST: Final = datetime.max.replace(tzinfo=UTC)

# Which sources a kind rests on, by the kinds that a source says it covers.
SOURCE_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "pending": frozenset({"pending", "tasks", "approvals", "reminders", "proactive"}),
    "tasks": frozenset({"tasks"}),
    "approvals": frozenset({"approvals"}),
    "reminders": frozenset({"reminders"}),
    "meetings": frozenset({"meetings"}),
    "credits": frozenset({"credits"}),
    "connections": frozenset({"connections"}),
    "proactive": frozenset({"proactive"}),
}
KINDS: Final = tuple(SOURCE_KINDS)


class Proof(NamedTuple):
    """A verdict, why it is unproven (if it is), and the certificate that can be checked again."""

    verdict: Verdict
    reasons: tuple[str, ...]
    certificate: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The proof as it stands in every envelope and index."""
        return {
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "certificate": self.certificate,
        }


class Reading(NamedTuple):
    """One user's rows as of one instant, and what stands against trusting them.

    `rows` maps entity kinds to rows; `reasons` are those of the log and the projection alone.
    `now` is the instant that time-dependent answers use; `as_of` is when the rows were read.
    `at_position` is set where the log was folded up to an earlier position. `beyond` tells of
    the kinds of which the reading holds only the first rows.
    """

    user_id: str
    position: int
    now: datetime
    as_of: datetime
    at_position: int | None
    rows: Mapping[str, list[Any]]
    reasons: tuple[str, ...]
    live: bool
    projections: tuple[dict[str, Any], ...]
    beyond: Mapping[str, Beyond] = MappingProxyType({})


def conclude(
    reading: Reading, kind: str, *, has_items: bool, changes_at: datetime | None = None
) -> Proof:
    """The verdict on a kind of question.

    `changes_at` is the earliest later instant at which time alone changes the answer.
    """
    sources: list[SourceRow] = [
        row for row in reading.rows.get("source", []) if SOURCE_KINDS[kind] & set(row.covers)
    ]
    reasons = (
        *reading.reasons,
        *_source_reasons(sources, reading.now),
        *_provider_reasons(reading, kind),
    )
    verdict: Verdict = "items" if has_items else "proven_empty"
    if reasons:
        verdict = "unproven"
    ends = [end for source in sources for end in (_believed_at(source), _late_at(source))]
    ends += _provider_ends(reading, kind)
    if changes_at is not None:
        ends.append(changes_at)
    later = [end for end in ends if end > reading.now]
    certificate = {
        "user_id": reading.user_id,
        "position": reading.position,
        "projections": [dict(one) for one in reading.projections],
        "as_of": utc(reading.now),
        "valid_until": utc(min(later)) if later else None,
        "kind": kind,
        "sources": [
            {
                "source": source.source,
                "state": source.state,
                "observed_through": utc(source.observed_through_at),
                "fresh_seconds": source.fresh_seconds,
            }
            for source in sources
        ],
        "live": reading.live,
    }
    return Proof(verdict, tuple(dict.fromkeys(reasons)), certificate)


def _late_at(source: SourceRow) -> datetime:
    """The first instant at which the source counts as late."""
    return _first_after(source.observed_through_at, source.fresh_seconds)


def _believed_at(source: SourceRow) -> datetime:
    """The first instant at which the source does not claim to have seen the future."""
    return source.observed_through_at - timedelta(seconds=FUTURE_SECONDS_MAX)


def _first_after(at: datetime, life_seconds: int) -> datetime:
    """The first instant at which a life of seconds is over, at most the last one there is."""
    life = timedelta(seconds=life_seconds)
    return _LAST if at > _LAST - life - _INSTANT else at + life + _INSTANT


def _source_reasons(sources: Iterable[SourceRow], now: datetime) -> Iterable[str]:
    for source in sources:
        if source.state == "suspect" or now < _believed_at(source):
            yield f"source_suspect:{source.source}"
        elif source.state == "partial":
            yield f"source_partial:{source.source}"
        elif now >= _late_at(source):
            yield f"source_stale:{source.source}"


def _providers(reading: Reading, kind: str) -> list[tuple[str, datetime]]:
    """Names of live provider rows of the kind, and the first instant at which each is stale."""
    rows: list[ConnectionRow | CreditsRow] = []
    if kind == "connections":
        rows = reading.rows.get("connection", [])
    elif kind == "credits":
        rows = reading.rows.get("credits", [])
    return [(row[0], _first_after(row.observed_at, row.ttl_seconds)) for row in rows]


def _provider_reasons(reading: Reading, kind: str) -> Iterable[str]:
    for name, stale_at in _providers(reading, kind):
        if reading.now >= stale_at:
            yield f"provider_stale:{name}"


def _provider_ends(reading: Reading, kind: str) -> list[datetime]:
    return [stale_at for _, stale_at in _providers(reading, kind)]
