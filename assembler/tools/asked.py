"""What one call of `get_context` asks for: which types there are, and which filters are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, cast

from workindex.domain.canonical import check_json
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import check_time

MAX_TOKENS: Final = 8_000
IDS_MAX: Final = 200
ID_CHARS_MAX: Final = 500  # of a connection: its provider and account
ROWS: Final = (
    *("task", "meeting", "commitment", "approval", "reminder", "proposal", "routine", "trigger"),
    *("notification", "connection", "credits", "claim", "thread"),
)
BODIES: Final = ("message", "artifact", "transcript")
STATE: Final = "state"
TYPES: Final = (*ROWS, *BODIES, STATE)


class Asked(NamedTuple):
    """One call of `get_context`. `time_range` is from (included) to (not), either may be None."""

    type: str
    max_tokens: int
    ids: tuple[str, ...] = ()
    query: str | None = None
    time_range: tuple[datetime | None, datetime | None] = (None, None)


def asked_of(
    type: str,
    ids: Sequence[str] | None,
    query: str | None,
    time_range: Mapping[str, Any] | None,
    max_tokens: int,
) -> Asked:
    """The arguments as they are read.

    Raises: InvalidInput naming the one that is wrong.
    """
    if type not in TYPES:
        raise InvalidInput(f"type {type!r} is none of {', '.join(TYPES)}", field="type")
    check_max_tokens(max_tokens)
    listed = isinstance(ids or (), (list, tuple)) and len(ids or ()) <= IDS_MAX
    if not listed or not all(_is_id(one) for one in ids or ()):
        raise InvalidInput(
            f"ids are a list of up to {IDS_MAX} texts of up to {ID_CHARS_MAX} characters",
            field="ids",
        )
    some = tuple(dict.fromkeys(ids or ()))
    check_json(list(some), "ids")
    if query is not None and (not isinstance(query, str) or not query.strip()):
        raise InvalidInput("query is empty: leave it out, or name what to look for", field="query")
    check_json(query, "query")
    if type in BODIES and not some and query is None:
        raise InvalidInput(f"type {type} needs ids or a query", field="query")
    return Asked(type, max_tokens, some, query, _range(time_range))


def _is_id(one: Any) -> bool:
    return isinstance(one, str) and 0 < len(one) <= ID_CHARS_MAX


def check_max_tokens(max_tokens: Any) -> None:
    """Raises: InvalidInput where it is no number from 1 to MAX_TOKENS."""
    if type(max_tokens) is not int or not 1 <= max_tokens <= MAX_TOKENS:
        raise InvalidInput(
            f"max_tokens {max_tokens!r} is not 1 to {MAX_TOKENS}", field="max_tokens"
        )


def _range(given: Mapping[str, Any] | None) -> tuple[datetime | None, datetime | None]:
    if given is None:
        return (None, None)
    if not isinstance(given, Mapping) or set(given) - {"from", "to"}:
        raise InvalidInput("time_range has from and to, both instants", field="time_range")
    since, until = (_instant(given.get(name), f"time_range.{name}") for name in ("from", "to"))
    return since, until


def _instant(given: Any, field: str) -> datetime | None:
    if given is None:
        return None
    try:
        at = datetime.fromisoformat(given) if isinstance(given, str) else given
    except ValueError as error:
        raise InvalidInput(f"{field} {given[:60]!r} is no instant", field=field) from error
    check_time(at, field)
    return cast(datetime, at)
