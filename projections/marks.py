"""What stands in a progress row of a member that is not simply at the set's position.

`parked` maps a member that stands still to its `park_record`. `skipped` maps a member to the
events whose effect an operator had left out of its rows, oldest first. Both are JSON objects;
whoever reads them must expect that somebody wrote there by hand.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from workindex.domain.facts import utc

REASON_CHARS_MAX: Final = 500


def park_record(
    position: int,
    failed_position: int,
    reason: Exception | str,
    at: datetime,
    *,
    attempts: int = 1,
) -> dict[str, Any]:
    """What `projection_progress.parked` keeps of a member.

    `position` is the first event that the member's rows do not hold; `failed_position` names the
    event to blame; `at` is since when it stands still; `attempts` counts the folds that failed.
    """
    return {
        "position": position,
        "failed_position": failed_position,
        "reason": in_one_line(reason),
        "at": utc(at),
        "attempts": attempts,
    }


def skip_record(
    position: int, refs: Collection[str] | None, *, accepted: bool, reason: str, at: datetime
) -> dict[str, Any]:
    """What `projection_progress.skipped` keeps of one event that a member leaves out.

    `refs` are the rows that lack its effect; `accepted` says that proofs are given all the same.
    """
    return {
        "position": position,
        "refs": None if refs is None else list(refs),
        "accepted": accepted,
        "reason": in_one_line(reason),
        "at": utc(at),
    }


def in_one_line(reason: object) -> str:
    """The reason as a mark holds it."""
    return " ".join(str(reason).split())[:REASON_CHARS_MAX]


def accepts(skips: Any) -> bool:
    """Whether proofs may be given although these events are left out."""
    if not isinstance(skips, list | tuple):
        return False
    return all(isinstance(one, dict) and one.get("accepted") is True for one in skips)


def skipped_positions(skipped: Mapping[str, Any], member: str | None = None) -> frozenset[int]:
    """The positions that a member (by default: any member) leaves out."""
    lists: Sequence[Any] = [skipped.get(member, ())] if member else list(skipped.values())
    found = set()
    for skips in lists:
        for one in skips if isinstance(skips, list) else ():
            if isinstance(one, dict) and isinstance(one.get("position"), int):
                found.add(one["position"])
    return frozenset(found)
