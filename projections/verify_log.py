"""Is the log itself whole? Every stored field of it that can be known to be wrong is looked at.

What an event says beyond its own shape is known by the rows that it folds to, if at all: a log
has no second copy. Everything is read as the maintenance role, in the caller's snapshot, for a
few users at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

import orjson
from pydantic import ValidationError

from workindex.domain.errors import CorruptEvent, NeedsNewerCode
from workindex.domain.facts import Actor, Event
from workindex.eventlog.database import Connection
from workindex.eventlog.mapper import FactMapper

PAGE_EVENTS: Final = 5_000
CAUSES: Final = ("correlation_id", "causation_id", "trace_id")
# What a refusal establishes is appended without the key of the command that was refused.
WITHOUT_KEY: Final = frozenset(
    {"approval_expired", "grant_lapsed", "approval_mooted", "policy_decided"}
)
_SHA256 = re.compile(r"[0-9a-f]{64}")

# Binds: users. Rows by user, in the order of positions.
EVENTS = """
SELECT u.user_id, e.position, e.stream, e.stream_version, e.type, e.schema_version,
       e.data::text, e.metadata::text, e.event_id::text, e.occurred_at, e.recorded_at, e.key_id
FROM unnest(%s::text[]) AS u(user_id),
LATERAL (SELECT * FROM event e WHERE e.user_id = u.user_id ORDER BY e.position) AS e
"""

# Binds: users. Rows by user, in the order of the events that each key stands for.
KEYS = """
SELECT user_id, source, key, payload_hash, first_position, events_count FROM command_key
WHERE user_id = ANY (%s) ORDER BY user_id, first_position, events_count, source, key
"""

# Binds: users. Rows by body, in the order of its parts.
CONTENTS = """
SELECT user_id, sha256, part, media_type, body FROM content
WHERE user_id = ANY (%s) ORDER BY user_id, sha256, part
"""


class Fault(NamedTuple):
    """Something that is wrong with a log; `position` is the event, the head for what has none."""

    user_id: str
    position: int
    fault: str


class Read(NamedTuple):
    """One stored event: its place, what is wrong with it, and the event if it can be decoded."""

    user_id: str
    position: int
    type: str
    faults: list[str]
    event: Event | None


class Head(NamedTuple):
    """What `user_log` says of one user."""

    head: int
    erased_at: datetime | None


NO_LOG: Final = Head(0, None)


def read_log(conn: Connection, mapper: FactMapper, users: Sequence[str]) -> Iterator[Read]:
    """Every event of the users, each looked at by itself and against the one before it."""
    user_id: str | None = None
    last = 0
    versions: dict[str, int] = {}
    with conn.cursor(name="verify_events", binary=True) as cursor:
        cursor.itersize = PAGE_EVENTS
        for row in cursor.execute(EVENTS, (list(users),)):
            owner, position, stream, version, type_, schema_version, data, metadata, *rest = row
            if owner != user_id:
                user_id, last, versions = owner, 0, {}
            faults = []
            if position != last + 1:
                faults.append(f"position {last + 1} is missing")
            last = position
            before = versions.get(stream, 0)
            if version != before + 1:
                faults.append(f"stream {stream} goes from version {before} to {version}")
            versions[stream] = version
            event_id, occurred_at, recorded_at, key_id = rest
            if event_id[14] != "7":
                faults.append(f"the event's id {event_id} is none of ours")
            if key_id is not None:
                faults.append(f"is encrypted with key {key_id}, which no program does yet")
            cause, problem = _cause(metadata)
            if problem is not None:
                faults.append(problem)
            event = None
            try:
                fact = mapper.decode(type_, schema_version, data.encode(), position)
            except (CorruptEvent, NeedsNewerCode) as error:
                faults.append(str(error))
            else:
                if fact.stream != stream:
                    faults.append(f"is stored in {stream}, its data says {fact.stream}")
                if cause is not None:
                    told = (fact, version, occurred_at, recorded_at, cause[0], position, event_id)
                    event = Event(*told, *cause[1])
            yield Read(owner, position, type_, faults, event)


@lru_cache(maxsize=10_000)
def _cause(metadata: str) -> tuple[tuple[Actor, tuple[Any, ...]] | None, str | None]:
    """Who caused an event, and what is wrong with how it is stored."""
    told = orjson.loads(metadata)
    if not isinstance(told, dict) or "actor" not in told:
        return None, "names no actor in its metadata"
    try:
        actor = Actor.model_validate(told["actor"])
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return None, f"names no actor in its metadata: {first['msg']}"
    more = told.keys() - {"actor", *CAUSES}
    ids = [told[name] for name in CAUSES if name in told]
    wrong = more or not all(isinstance(one, str) for one in ids)
    known = (actor, tuple(told.get(name) for name in CAUSES))
    return known, f"has metadata of another shape: {metadata}" if wrong else None


def head_faults(user_id: str, head: Head, last: int, types: Iterable[str]) -> Iterator[Fault]:
    """What is wrong with what `user_log` says, given the last event and the types of all."""
    if last != head.head:
        yield Fault(user_id, head.head, f"the head says {head.head}, the last event is {last}")
    if head.erased_at is not None and "user_erased" not in types:
        yield Fault(user_id, head.head, "is marked as erased, no event says so")


def key_faults(
    conn: Connection,
    users: Sequence[str],
    heads: Mapping[str, Head],
    keyless: Mapping[str, Sequence[int]],
) -> Iterator[Fault]:
    """Command keys that cannot be true, and events without one that must have one.

    `keyless` names by user the positions of the events that a refusal may have established.
    """
    rows = conn.execute(KEYS, (list(users),)).fetchall()
    by_user = {user_id: list(group) for user_id, group in groupby(rows, itemgetter(0))}
    for user_id in users:
        head = heads.get(user_id, NO_LOG).head
        end = 0  # the last position that a command before this one holds
        allowed = frozenset(keyless.get(user_id, ()))
        for _, source, key, payload_hash, first, count in by_user.get(user_id, ()):
            last = first + count - 1
            if not _SHA256.fullmatch(payload_hash):
                told = f"has no sha256 of a command: {payload_hash!r}"
                yield Fault(user_id, first, f"the key {key} of source {source} {told}")
            if count < 0 or first < 1 or last > head:
                told = f"stands for {count} events from {first} on"
                yield Fault(user_id, first, f"the key {key} of source {source} {told}")
                continue
            if count == 0:
                continue
            if first <= end:
                told = "stands for an event of another command"
                yield Fault(user_id, first, f"the key {key} of source {source} {told}")
            elif first > end + 1:
                yield from _without_key(user_id, range(end + 1, first), allowed)
            end = max(end, last)
        yield from _without_key(user_id, range(end + 1, head + 1), allowed)


def _without_key(user_id: str, missing: range, allowed: frozenset[int]) -> Iterator[Fault]:
    """One fault for each run of positions, however many millions there are from one to the next."""
    first = missing.start
    for end in (*sorted(position for position in allowed if position in missing), missing.stop):
        if first < end:
            upto = f"and all up to {end - 1} " if end - 1 > first else ""
            told = "belong" if upto else "belongs"
            yield Fault(user_id, first, f"{upto}{told} to no command that was recorded")
        first = end + 1


def content_faults(
    conn: Connection, users: Sequence[str], heads: Mapping[str, Head]
) -> Iterator[Fault]:
    """Bodies whose parts are not those that their name says."""
    with conn.cursor(name="verify_contents", binary=True) as cursor:
        cursor.itersize = 10
        for (user_id, name), parts in groupby(
            cursor.execute(CONTENTS, (list(users),)), itemgetter(0, 1)
        ):
            digest = sha256()
            kinds = set()
            numbers = []
            for _, _, part, media_type, body in parts:
                digest.update(body)
                kinds.add(media_type)
                numbers.append(part)
            head = heads.get(user_id, NO_LOG).head
            if numbers != list(range(len(numbers))):
                yield Fault(user_id, head, f"the body {name} has not all of its parts")
            elif digest.hexdigest() != name:
                yield Fault(user_id, head, f"the body {name} is not what its name says")
            if len(kinds) > 1:
                yield Fault(user_id, head, f"the body {name} has parts of several media types")
