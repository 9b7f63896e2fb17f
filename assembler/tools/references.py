"""References: what stands for a body that was not sent, and which turn was given which of them.

A reference is plain (`message:M-1`) and grants nothing: it resolves in the turn in which it was
issued to the user, and what stands behind it is looked at anew each time. Where a backend keeps no
turns, tokens stand for it (`signed.py`).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import Final, NamedTuple, Protocol

from pydantic import JsonValue

from workindex.domain.errors import InvalidInput, WorkindexError

TURNS_MAX: Final = 10_000
REFS_MAX: Final = 2_000  # of one turn
SUMMARY_CHARS_MAX: Final = 300
_RANGE: Final = "([0-9]{1,9})-([0-9]{1,9})"
_SELECTOR: Final = re.compile(
    rf"(?:parts={_RANGE},(?=chars=))?(?:(turns|parts|chars)=)?{_RANGE}", re.ASCII
)


class UnknownReference(WorkindexError):
    """The reference does not resolve here; why is not told apart."""

    code = "unknown_reference"

    def __init__(self, ref: str) -> None:
        super().__init__(
            f"{ref[:300]!r} is no reference of this turn: ask get_context for one", field="ref"
        )
        self.ref = ref


class Reference(NamedTuple):
    """What the model sees of a body; `version` changes when the body does."""

    ref: str
    type: str
    summary: str
    version: str
    available_operations: tuple[str, ...] = ("resolve",)

    def to_json(self) -> dict[str, JsonValue]:
        """As it stands in a context item."""
        return {
            "ref": self.ref,
            "type": self.type,
            "summary": self.summary[:SUMMARY_CHARS_MAX],
            "version": self.version,
            "available_operations": list(self.available_operations),
        }


class Selector(NamedTuple):
    """Which part of a body: turns, parts or characters, from 0, both ends included.

    With `parts` the characters are counted from the beginning of the first of these parts.
    """

    unit: str
    first: int
    last: int
    parts: tuple[int, int] | None = None

    def __str__(self) -> str:
        within = "" if self.parts is None else f"parts={self.parts[0]}-{self.parts[1]},"
        return f"{within}{self.unit}={self.first}-{self.last}"


class References(Protocol):
    """How a turn's references are shown to the model, and told from others."""

    def shown(self, user_id: str, turn_id: str, ref: str) -> str:
        """The reference as the model is shown it."""
        ...

    def issue(self, user_id: str, turn_id: str, refs: Iterable[str]) -> None:
        """Let these references resolve in the turn."""
        ...

    def plain(self, user_id: str, turn_id: str, shown: str) -> str:
        """The reference behind what was shown.

        Raises: UnknownReference where this turn of this user was not given it.
        """
        ...


class Issued:
    """Which references each turn of each user was given; the oldest turns are forgotten first.

    Safe to share between threads. A backend of several processes keeps the turns of a user in one.
    """

    def __init__(self, turns_max: int = TURNS_MAX) -> None:
        self._turns_max = turns_max
        self._turns: OrderedDict[tuple[str, str], dict[str, None]] = OrderedDict()
        self._lock = Lock()

    def issue(self, user_id: str, turn_id: str, refs: Iterable[str]) -> None:
        """Let these references resolve in the turn. Past REFS_MAX its oldest ones are forgotten."""
        with self._lock:
            held = self._turns.setdefault((user_id, turn_id), {})
            self._turns.move_to_end((user_id, turn_id))
            for ref in refs:
                held.pop(ref, None)
                held[ref] = None
            while len(held) > REFS_MAX:
                del held[next(iter(held))]
            while len(self._turns) > self._turns_max:
                self._turns.popitem(last=False)

    def shown(self, user_id: str, turn_id: str, ref: str) -> str:
        """The reference itself: it resolves because it was issued, not because of how it looks."""
        del user_id, turn_id
        return ref

    def plain(self, user_id: str, turn_id: str, shown: str) -> str:
        """The reference, without the part of it that an item held.

        Raises: UnknownReference where it was not issued to this turn of this user.
        """
        ref = plain_ref(shown)
        if not self.holds(user_id, turn_id, ref):
            raise UnknownReference(shown)
        return ref

    def holds(self, user_id: str, turn_id: str, ref: str) -> bool:
        """Whether the turn of this user was given the reference."""
        with self._lock:
            return ref in self._turns.get((user_id, turn_id), ())

    def end(self, user_id: str, turn_id: str) -> None:
        """Forget the turn: none of its references resolves any longer."""
        with self._lock:
            self._turns.pop((user_id, turn_id), None)


def plain_ref(source_id: str) -> str:
    """The reference behind an item's id: without the part that the item holds."""
    return source_id.partition("#")[0]


def selector_of(given: str, default_unit: str) -> Selector:
    """A selector such as `turns=3-9` or `parts=2-4,chars=0-999`; the unit has a default.

    Raises: InvalidInput.
    """
    found = _SELECTOR.fullmatch(given) if isinstance(given, str) else None
    ranges = [] if found is None else [(found[4], found[5]), (found[1] or 0, found[2] or 0)]
    if found is None or any(int(first) > int(last) for first, last in ranges):
        raise InvalidInput(
            f"selector {str(given)[:100]!r} is not turns=, parts= or chars= with a range such as "
            "0-9",
            field="selector",
        )
    parts = None if found[1] is None else (int(found[1]), int(found[2]))
    return Selector(found[3] or default_unit, int(found[4]), int(found[5]), parts)
