"""Questions asked over rows built by hand: one reading, one text, one answer."""

from __future__ import annotations

from typing import Any

from index_rows import NOW, at, rows
from workindex.assembler.state_path import StateAnswer, answer, recognise
from workindex.domain.facts import utc
from workindex.projections.proof import Reading


def reading(given: dict[str, list[Any]], **changes: Any) -> Reading:
    """A reading at position 12 that nothing speaks against."""
    whole: dict[str, Any] = {
        "user_id": "ada",
        "position": 12,
        "now": NOW,
        "as_of": NOW,
        "at_position": None,
        "rows": given,
        "reasons": (),
        "live": False,
        "projections": ({"name": "work_index", "generation": 1, "fold_version": 1},),
    }
    return Reading(**(whole | changes))


def ask(
    text: str, *given: Any, tz: str | None = None, locale: str | None = None, **changes: Any
) -> StateAnswer:
    """The answer to a text over the rows."""
    question = recognise(text, locale)
    assert question is not None, text
    return answer(question, reading(rows(*given), **changes), tz=tz, locale=locale)


def asked_for(kind: str) -> dict[str, Any]:
    """One open request of a task."""
    since = utc(at(hours=-20))
    return {"r": {"kind": kind, "prompt": "Which date?", "asked_at": since, "expires_at": None}}


def ids(found: StateAnswer) -> list[str]:
    """The ids of the items in order."""
    return [item.id for item in found.items]
