"""The answer to a canonical question: rows and proof in, one structured answer with its text out.

Deterministic: no model, no tools, no clock, no I/O. The verdict comes from the proof; the words
follow the verdict. "Nothing needs you right now." is said for kind pending on `proven_empty`
alone, an unproven answer says what could not be confirmed, and its items begin with "At least".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from workindex.assembler.state_path.connections import is_of_provider
from workindex.assembler.state_path.days import clock_of
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.recognise import locale_of
from workindex.assembler.state_path.register import ALL_RENDERERS
from workindex.assembler.state_path.renderer import Renderer, Selection, rows_max
from workindex.assembler.state_path.text import text_of
from workindex.assembler.state_path.widening import widened
from workindex.assembler.state_path.wording import Words
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import QuestionKind, utc
from workindex.projections.bounds import ITEMS_MAX, Part
from workindex.projections.needs import Item, Rows
from workindex.projections.proof import Proof, Reading, Verdict, conclude

_RENDERER_OF = {renderer.kind: renderer for renderer in ALL_RENDERERS}
# Which rows each kind of question reads; `open` ones suffice where ended rows cannot matter.
NEEDS: Mapping[str, Mapping[str, Part]] = {
    renderer.kind: renderer.needs for renderer in ALL_RENDERERS
}


class AnswerItem(NamedTuple):
    """One thing in the answer; `why` is in the answer's language."""

    kind: str
    id: str
    title: str
    why: str
    since_at: datetime | None
    due_at: datetime | None
    value: dict[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        """The item as `ask --json` gives it."""
        return self._asdict() | {"since_at": _text(self.since_at), "due_at": _text(self.due_at)}


@dataclass(frozen=True, slots=True)
class StateAnswer:
    """What the state path answers.

    `items` are the first of `total`, most urgent first; `truncated` says that there
    are more. `tokens` counts tokens sent to a model: none, ever.
    """

    kind: QuestionKind
    filters: dict[str, str]
    verdict: Verdict
    reasons: tuple[str, ...]
    text: str
    items: tuple[AnswerItem, ...]
    total: int
    truncated: bool
    certificate: dict[str, Any]
    tokens: int = 0

    def to_json(self) -> dict[str, Any]:
        """The document of `workindex ask --json`."""
        return {
            "kind": self.kind,
            "filters": dict(self.filters),
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "text": self.text,
            "items": [item.to_json() for item in self.items],
            "total": self.total,
            "truncated": self.truncated,
            "certificate": self.certificate,
            "tokens": self.tokens,
        }


def answer(
    question: StateQuestion,
    reading: Reading,
    *,
    now: datetime | None = None,
    tz: str | None = None,
    locale: str | None = None,
    limit: int = ITEMS_MAX,
) -> StateAnswer:
    """The answer that the rows give at `now` (by default the reading's).

    `limit` bounds the items, and is the one that the rows were read with. `tz` names the zone of
    the user's days (else the user's setting, else UTC), `locale` the answer's language (else the
    question's).

    Raises: InvalidInput for an unknown zone or locale; KeyError where the reading lacks a kind
    that `NEEDS` names and does not say that it was unavailable.
    """
    reading = reading._replace(now=reading.now if now is None else now)
    language = locale_of(locale)
    if locale is not None and language is None:
        raise InvalidInput(f"locale {locale!r} is not spoken here: give en or zh", field="locale")
    renderer = _RENDERER_OF[question.kind]
    rows = _rows(renderer, reading)
    clock = clock_of(reading.now, tz, rows)
    words = Words(language or question.locale, clock, reading.at_position)
    selection = widened(question, renderer, reading, rows, clock, rows_max(limit))
    proof = _proof(question, reading, rows, selection)
    return StateAnswer(
        kind=question.kind,
        filters=dict(question.filters),
        verdict=proof.verdict,
        reasons=proof.reasons,
        text=text_of(question, renderer, selection, proof, words),
        items=tuple(
            _worded(item, renderer.why[item.kind], words) for item in selection.items[:limit]
        ),
        total=selection.total,
        truncated=selection.total > limit,
        certificate=proof.certificate,
    )


def _rows(renderer: Renderer, reading: Reading) -> Rows:
    """The rows that the question reads; a missing kind is empty only where the reading failed."""
    if reading.reasons:
        return {kind: reading.rows.get(kind, ()) for kind in (*renderer.needs, "user")}
    rows: dict[str, Any] = {kind: reading.rows[kind] for kind in renderer.needs}
    return rows | {"user": reading.rows.get("user", ())}


def _proof(question: StateQuestion, reading: Reading, rows: Rows, selection: Selection) -> Proof:
    """The proof of what was asked: providers outside the question do not matter to it."""
    asked = question.filter("provider")
    narrowed = {
        kind: [row for row in rows[kind] if is_of_provider(row.provider or row[0], asked)]
        for kind in ("connection", "credits")
        if asked is not None and kind in rows
    }
    proof = conclude(
        reading._replace(
            rows={**reading.rows, **narrowed}, reasons=(*reading.reasons, *selection.doubts)
        ),
        question.kind,
        has_items=selection.total > 0,
        changes_at=selection.changes_at,
    )
    if question.subject is None:
        return proof
    return proof._replace(certificate={**proof.certificate, "subject": question.subject})


def _worded(item: Item, why: Callable[[Item, Words], str], words: Words) -> AnswerItem:
    return AnswerItem(
        item.kind, item.id, item.title, why(item, words), item.since_at, item.due_at, item.value
    )


def _text(at: datetime | None) -> str | None:
    return None if at is None else utc(at)
