"""Which rows a call of `get_context` finds: by id, by words, by time, or those wanted most.

However many rows of a kind a user has, so many are read as a call can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from workindex.assembler.envelope import Omission, ToolCall
from workindex.assembler.memory import rests_on_hidden
from workindex.assembler.tools.asked import Asked
from workindex.assembler.tools.sight import STALE, Seen, Sight
from workindex.assembler.tools.words import words
from workindex.domain.facts import utc
from workindex.projections.bounds import Bounds
from workindex.projections.foremost import Foremost, Wanted, is_within, text_of
from workindex.projections.memory import ClaimRow
from workindex.projections.proof import Reading
from workindex.projections.search import Filters
from workindex.projections.snapshot import Snapshot
from workindex.projections.work_index import UNREADABLE

HITS_MAX: Final = 40
ROWS_MAX: Final = 100  # of a call that names no ids
HIDDEN: Final = "not all of it may be told here"
HAVE_SENSITIVITY: Final = ("message", "artifact", "claim")
EVERYTHING: Final = Sight("restricted")
UNREADABLE_ROWS: Final = ("state: not certain (rows_missing)",)
NARROWER: Final = timedelta(days=7)


class FoundRows(NamedTuple):
    """The rows found that may be seen, the ids that are not there, and what else there is.

    `beyond` tells of rows that were not read or may not be told, `degraded` what stands against
    trusting the rest.
    """

    seen: list[Any]
    missing: tuple[str, ...] = ()
    beyond: tuple[Omission, ...] = ()
    degraded: tuple[str, ...] = ()


def find(
    snapshot: Seen, base: Reading, kind: str, asked: Asked, sight: Sight, now: datetime
) -> FoundRows:
    """The rows of a kind that a call asks for; `base` was read before.

    Raises: InvalidInput, Unavailable.
    """
    beyond: tuple[Omission, ...] = ()
    degraded: tuple[str, ...] = ()
    if asked.ids:
        rows, degraded = named_rows(snapshot, base, kind, asked.ids)
    elif asked.query is not None and kind in ("message", "artifact", "claim"):
        rows, degraded = _searched(snapshot, base, asked, sight, now)
    else:
        foremost = _foremost(snapshot, base, kind, asked, now)
        rows = foremost.rows
        if foremost.total > ROWS_MAX:
            beyond = (_beyond(asked, foremost, now),)
        if not foremost.is_whole:
            degraded = UNREADABLE_ROWS
    if kind == "claim" and STALE.intersection(snapshot.doubts(kind)):
        rows, beyond = [], ()  # what was withdrawn since is not known
    seen = _told(snapshot, base, kind, rows, sight, now)
    if not asked.ids and _hides_some(snapshot, base, kind, sight, now):
        beyond += (hidden(kind),)
    missing = tuple(sorted(set(asked.ids) - {row[0] for row in seen}))
    if asked.ids and asked.query is not None:
        seen = _matching(seen, asked.query)
    within = [row for row in seen if is_within(row, asked.time_range)]
    return FoundRows(within, missing, beyond, degraded)


def hidden(kind: str) -> Omission:
    """That there is more of a kind: not how much, and nothing of it."""
    return Omission(lane="evidence", source_id=f"hidden:{kind}", reason=HIDDEN)


def _hides_some(snapshot: Seen, base: Reading, kind: str, sight: Sight, now: datetime) -> bool:
    """Whether of the first rows of a kind some may not be told.

    Whatever words and times a call looks for: nobody finds out which a row has that is hidden.
    """
    if snapshot.shows_all and (kind not in HAVE_SENSITIVITY or sight == EVERYTHING):
        return False
    first = snapshot.whole.foremost(base, kind, Wanted(now, ROWS_MAX)).rows
    there = [row for row in first if EVERYTHING.sees(kind, row, now)]
    return len(_told(snapshot, base, kind, snapshot.only(kind, there), sight, now)) < len(there)


def _told(
    snapshot: Seen, base: Reading, kind: str, rows: Sequence[Any], sight: Sight, now: datetime
) -> list[Any]:
    """Of rows that the policy shows those that the house's own rules show too."""
    seen = [row for row in rows if sight.sees(kind, row, now)]
    return told_claims(snapshot, base, seen, sight) if kind == "claim" else seen


def told_claims(
    snapshot: Seen, base: Reading, claims: Sequence[ClaimRow], sight: Sight
) -> list[ClaimRow]:
    """The claims that rest on nothing that may not be seen, or of which that is not known."""
    sourced = [claim for claim in claims if claim.sources]
    if sourced and STALE.intersection(snapshot.doubts("message")):
        return [claim for claim in claims if not claim.sources]
    there = partial(snapshot.whole.named, base)
    gone = rests_on_hidden(sourced, there, sight.sensitivity_max, snapshot.only)
    return [claim for claim in claims if claim.claim_id not in gone]


def named_base(snapshot: Snapshot, kind: str, id_: str, now: datetime) -> Reading:
    """A reading to look rows of a kind up with; its reasons are about that kind."""
    return snapshot.read({kind: "named"}, now=now, bounds=Bounds(id=id_))


def named_rows(
    snapshot: Snapshot, base: Reading, kind: str, ids: Sequence[str]
) -> tuple[list[Any], tuple[str, ...]]:
    """The rows of these ids, and whether some are there that no projector wrote so."""
    try:
        return snapshot.named(base, kind, ids), ()
    except UNREADABLE:
        rows = []
        for id_ in ids:
            with suppress(*UNREADABLE):
                rows += snapshot.named(base, kind, [id_])
        return rows, UNREADABLE_ROWS


def doubts_of(reading: Reading) -> tuple[str, ...]:
    """What stands against taking rows that are missing for "there is none"."""
    doubts = sorted(set(reading.reasons) - {"unknown_user"})
    return (f"state: not certain ({', '.join(doubts)})",) if doubts else ()


def _searched(
    snapshot: Snapshot, base: Reading, asked: Asked, sight: Sight, now: datetime
) -> tuple[list[Any], tuple[str, ...]]:
    """The rows behind the documents that hold the words, the best first."""
    kinds: tuple[str, ...] = (asked.type,)
    if asked.type == "artifact":
        kinds = ("artifact", "transcript")
    since, until = asked.time_range
    filters = Filters(kinds=kinds, sensitivity=sight.levels, since=since, until=until)
    hits = snapshot.search(asked.query or "", filters, limit=HITS_MAX, now=now)
    table = "artifact" if asked.type == "transcript" else asked.type
    rows = snapshot.named(base, table, [hit.source_id for hit in hits])
    return rows, () if hits.unsearched is None else (f"evidence: {hits.unsearched}",)


def _foremost(
    snapshot: Snapshot, base: Reading, kind: str, asked: Asked, now: datetime
) -> Foremost:
    """The rows that are wanted most, and how many there are of which these are the first.

    Where the words of a query are looked for among more rows than that, the database picks the
    rows by parts of words, and a word that bends may be missed.
    """
    wanted = Wanted(now, ROWS_MAX, asked.time_range)
    found = snapshot.foremost(base, kind, wanted)
    if asked.query is None:
        return found
    if found.total > ROWS_MAX:
        parts = tuple(dict.fromkeys(_part(word) for word in words(asked.query)))
        if not parts:
            return Foremost([], 0)
        found = snapshot.foremost(base, kind, wanted._replace(parts=parts))
    return found._replace(rows=_matching(found.rows, asked.query))


def _part(stem: str) -> str:
    """What of a word's stem stands in most of its forms: happi in happy and happier."""
    return stem[:-1] if len(stem) > 3 and stem.endswith("i") else stem


def _beyond(asked: Asked, foremost: Foremost, now: datetime) -> Omission:
    """The rows past the first ones, and a call that asks for fewer.

    How many they are is not told where some of them may be hidden.
    """
    is_counted = asked.type != "claim" and foremost.is_counted
    of = f" of {foremost.total:,}" if is_counted else ""
    since, until = asked.time_range
    start = since or (until - 2 * NARROWER if until else now)
    end = until or start + 2 * NARROWER
    span = {"from": utc(start), "to": utc(start + (end - start) / 2)}
    arguments: dict[str, Any] = {"type": asked.type, "time_range": span}
    if asked.query is not None:
        arguments["query"] = asked.query
    return Omission(
        lane="evidence",
        source_id=f"{asked.type}:beyond",
        reason=f"only the first {ROWS_MAX}{of} were read: give ids, words or a time range",
        recover_with=ToolCall(name="get_context", arguments=arguments),
    )


def _matching(rows: Sequence[Any], query: str | None) -> list[Any]:
    """The rows with the most words of the query, all where there is none."""
    if query is None:
        return list(rows)
    wanted = set(words(query))
    shared = [len(wanted & set(words(text_of(row)))) for row in rows]
    order = sorted((at for at in range(len(rows)) if shared[at]), key=lambda at: -shared[at])
    return [rows[at] for at in order]
