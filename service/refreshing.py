"""Provider state past its time is asked for again, within a limit, before a turn is assembled.

What a provider answers is recorded as its observation; the turn then reads it like any other row.
What it does not answer in time stays as it is, with its age, and the turn says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, Protocol

import psycopg

from workindex.domain.errors import Unavailable, WorkindexError
from workindex.domain.facts import Actor
from workindex.projections.connections import ConnectionRow, CreditsRow
from workindex.projections.snapshot import snapshot
from workindex.projections.work_index import Reader

REFRESH_SECONDS: Final = 2.0
REFRESHED_MAX: Final = 10


class Stale(NamedTuple):
    """One connection or balance whose time is over."""

    kind: str
    id: str
    provider: str | None
    account: str
    observed_at: datetime


class StateProvider(Protocol):
    """Looks at the live state; called in a thread of its own, which may be left behind."""

    def observe(self, stale: Stale) -> Mapping[str, Any]:
        """The command that records what is so now (`observe_connection`, `observe_credits`).

        Whatever it raises is told as a failure of this one.
        """
        ...


class Records(Protocol):
    """Where observations go."""

    def record(self, command: Mapping[str, Any], *, actor: Actor) -> object: ...


def stale_of(rows: Mapping[str, Sequence[Any]], now: datetime) -> list[Stale]:
    """The connections and balances past their time, the oldest first."""
    found: list[Stale] = []
    for kind in ("connection", "credits"):
        some: Sequence[ConnectionRow | CreditsRow] = rows.get(kind, ())
        found += [
            Stale(kind, row[0], row.provider, row.account, row.observed_at)
            for row in some
            if now - row.observed_at > timedelta(seconds=row.ttl_seconds)
        ]
    return sorted(found, key=lambda one: (one.observed_at, one.kind, one.id))


def stale_state(
    reader: Reader, user_id: str, now: datetime | None
) -> tuple[list[Stale], list[str]]:
    """The live state past its time, or why it cannot be read."""
    try:
        with snapshot(reader, user_id, statement_seconds=REFRESH_SECONDS) as read:
            reading = read.read({"connection": "all", "credits": "all"}, now=now)
    except Unavailable as error:
        return [], [f"live state: {error.code}"]
    return stale_of(reading.rows, reading.now), []


def refresh(
    records: Records,
    provider: StateProvider,
    stale: Sequence[Stale],
    *,
    within_seconds: float = REFRESH_SECONDS,
) -> list[str]:
    """Ask for each at once, record what comes in time; what failed, in words, the same order."""
    asked = list(stale[:REFRESHED_MAX])
    failures = [
        f"{one.kind}:{one.id}: too many to refresh at once" for one in stale[REFRESHED_MAX:]
    ]
    if not asked:
        return failures
    pool = ThreadPoolExecutor(len(asked), thread_name_prefix="refresh")
    futures = [pool.submit(provider.observe, one) for one in asked]
    wait(futures, timeout=within_seconds)
    pool.shutdown(wait=False, cancel_futures=True)
    for one, future in zip(asked, futures, strict=True):
        name = f"{one.kind}:{one.id}"
        if not future.done():
            failures.append(f"{name}: no answer within {within_seconds:g} s")
        elif (error := future.exception()) is not None:
            failures.append(f"{name}: {type(error).__name__}")
        else:
            failures += _recorded(records, one, future.result())
    return failures


def _recorded(records: Records, one: Stale, command: Mapping[str, Any]) -> list[str]:
    actor = Actor(kind="provider", id=one.provider or one.account)
    asked = {"type": f"observe_{one.kind}", "account": one.account}
    asked |= {} if one.provider is None else {"provider": one.provider}
    if not isinstance(command, Mapping) or any(
        command.get(name) != value for name, value in asked.items()
    ):
        return [f"{one.kind}:{one.id}: the answer is about something else"]
    try:
        records.record(command, actor=actor)
    except WorkindexError as error:
        return [f"{one.kind}:{one.id}: {error.code}"]
    except psycopg.Error as error:
        return [f"{one.kind}:{one.id}: {type(error).__name__}"]
    return []
