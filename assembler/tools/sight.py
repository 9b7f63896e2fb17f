"""What of a user's rows may a turn see? One place for sensitivity, consent and what has ended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, NamedTuple

from workindex.assembler.sensitivity import up_to
from workindex.domain.facts import Sensitivity

MaySee = Callable[[str, Any], bool]


def everything(kind: str, row: Any) -> bool:
    """No rule beside the house's own."""
    return bool(kind) or row is not None


class Sight(NamedTuple):
    """The most sensitive thing that the caller may see, and `may_see`: scope and consent, asked
    with kind and row."""

    sensitivity_max: Sensitivity = "private"
    may_see: MaySee = everything

    @property
    def levels(self) -> list[Sensitivity]:
        """The sensitivities that may be seen."""
        return list(up_to(self.sensitivity_max))

    def sees(self, kind: str, row: Any, now: datetime) -> bool:
        """Whether the row is there for this turn: neither ended nor hidden."""
        if getattr(row, "sensitivity", "normal") not in self.levels:
            return False
        is_there = _IS_THERE.get(kind)
        if is_there is not None and not is_there(row, now):
            return False
        return self.may_see(kind, row)


def _claim(row: Any, now: datetime) -> bool:
    has_expired = row.expires_at is not None and row.expires_at <= now
    has_begun = row.valid_from_at is None or row.valid_from_at <= now
    return row.status == "current" and has_begun and not has_expired


_IS_THERE: Final[dict[str, Callable[[Any, datetime], bool]]] = {
    "claim": _claim,
    "message": lambda row, _now: not row.redacted and row.text is not None,
    "artifact": lambda row, _now: row.status == "stored",
}
