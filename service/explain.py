"""Why is this row so, and does an old answer still follow from the log?"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from workindex.assembler.envelope import ContextEnvelope
from workindex.assembler.state_path import NEEDS, StateAnswer, StateQuestion, answer
from workindex.domain.errors import CommandRefused, InvalidInput
from workindex.domain.facts import Event
from workindex.projections.index import SECTIONS
from workindex.projections.proof import KINDS
from workindex.service.client import UserScope, WorkIndex

# Doubts about the projection at the time of the answer; a fold of the log does not have them.
_PASSING = ("lag", "parked", "skipped", "fold_version", "rows_missing", "replica", "unavailable")


class Explained(NamedTuple):
    """Rows with this id as they are now, by reference, and every event that touched them."""

    rows: dict[str, dict[str, Any]]
    events: list[Event]


class FoldedAgain(NamedTuple):
    """The answer as the log gives it at the certificate's position, and what was different."""

    answer: StateAnswer
    differences: list[str]


def explain(scope: UserScope, name: str) -> Explained:
    """The rows and events of an id (`T-1`) or of one reference (`task/T-1`).

    Reads the whole log of the user, because an event of another stream may have touched the row.
    Raises: CommandRefused (not_found).
    """
    events = [
        event
        for event in scope.log()
        if any(
            name in (ref, ref.partition("/")[2]) for ref in (*event.fact.touches, event.fact.stream)
        )
    ]
    if not events:
        raise CommandRefused(
            "not_found",
            f"no event of user {scope.user_id} names {name!r}: see workindex index "
            f"{scope.user_id} for the ids",
            field="id",
        )
    rows = {}
    for section, rows_of in scope.index().sections.items():
        for row in rows_of:
            row_id = next(iter(row.values()))
            if name in (row_id, ref := f"{SECTIONS[section]}/{row_id}"):
                rows[ref] = row
    return Explained(rows, events)


def why_absent(scope: UserScope, envelope: ContextEnvelope, name: str) -> str:
    """Why nothing of this id or reference was a candidate of a turn's working set."""
    position = envelope.proof["certificate"]["position"]
    first = _first_position(scope, {name, name.replace(":", "/", 1)})
    if first is None:
        return f"{name} was no candidate: no event of {scope.user_id} names it"
    if first > position:
        return (
            f"{name} was no candidate: it came at position {first}, the working set is as of "
            f"position {position}"
        )
    return (
        f"{name} was no candidate: it was there since position {first}, but the request does not "
        f"name it, and nothing that surface {envelope.scope.surface} looks at led to it"
    )


def _first_position(scope: UserScope, names: set[str]) -> int | None:
    for event in scope.log():
        for ref in (*event.fact.touches, event.fact.stream):
            if names & {ref, ref.partition("/")[2]}:
                return event.position
    return None


def fold_again(work_index: WorkIndex, document: Mapping[str, Any], tz: str | None) -> FoldedAgain:
    """Folds the log to the certificate's position and answers the same question again.

    `document` is an `ask --json` answer (then its items and verdict are compared) or a bare
    certificate. Raises: InvalidInput where it is neither, or the log does not reach so far.
    """
    certificate = document.get("certificate", document)
    if not isinstance(certificate, dict):
        raise InvalidInput("the certificate is not an object", field="certificate")
    user_id = _text(certificate, "user_id")
    kind = _text(certificate, "kind")
    if kind not in KINDS:
        raise InvalidInput(f"kind {kind!r} is not one of {', '.join(KINDS)}", field="kind")
    position = certificate.get("position")
    if not isinstance(position, int) or isinstance(position, bool):
        raise InvalidInput(f"position {position!r} is not a position", field="position")
    as_of = _moment(_text(certificate, "as_of"))
    scope = work_index.user(user_id)
    reading = work_index.reader.read(
        scope.user_id,
        NEEDS[kind],
        now=as_of,
        at_position=position,
    )
    subject = certificate.get("subject")
    question = StateQuestion(
        kind=kind,  # type: ignore[arg-type]
        filters=_filters(document),
        subject=subject if isinstance(subject, str) else None,
    )
    told = _Told.of(document) if "items" in document else None
    try:
        again = answer(question, reading, now=as_of, tz=tz, locale="en")
    except (KeyError, ValueError) as error:  # renderers take what the recogniser makes, not more
        raise InvalidInput(
            f"filters {document.get('filters')!r} are not those of a question of kind {kind}",
            field="filters",
        ) from error
    return FoldedAgain(again, [] if told is None else _compared(told, again.to_json()))


class _Item(BaseModel):
    """An item of an old answer; its other fields are whatever they are."""

    model_config = ConfigDict(extra="allow", frozen=True)
    kind: str
    id: str


class _Told(BaseModel):
    """What an old answer says that the log must say again."""

    items: list[_Item]
    total: Any = None
    verdict: Any = None
    reasons: list[str] = []

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        try:
            return cls.model_validate(dict(document), strict=True)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            field = ".".join(map(str, problem["loc"]))
            raise InvalidInput(
                f"{field}: {problem['msg']}: give an answer as ask --json told it", field=field
            ) from error


def _compared(told: _Told, again: Mapping[str, Any]) -> list[str]:
    """What the old answer says otherwise."""
    differences = []
    if told.total != again["total"]:
        differences.append(f"total was {told.total}, the log gives {again['total']}")
    was = {(one.kind, one.id): one.model_dump() for one in told.items}
    now = {(one["kind"], one["id"]): one for one in again["items"]}
    for key in [*was, *(key for key in now if key not in was)]:
        if key not in now or key not in was:
            side = "the answer" if key in was else "the log"
            differences.append(f"{key[0]}/{key[1]} is only in {side}")
            continue
        differences += [
            f"{key[0]}/{key[1]} {field}: was {was[key].get(field)!r}, the log gives {value!r}"
            for field, value in now[key].items()
            if field != "why" and was[key].get(field) != value
        ]
    doubted = any(reason in _PASSING for reason in told.reasons)
    if told.verdict != again["verdict"] and not doubted:
        differences.append(f"verdict was {told.verdict}, the log gives {again['verdict']}")
    return differences


def _filters(document: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    given = document.get("filters") or {}
    if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
        raise InvalidInput(f"filters {given!r} are not names with their text", field="filters")
    return tuple(given.items())


def _text(certificate: Mapping[str, Any], name: str) -> str:
    value = certificate.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"the certificate has no {name}: give an ask --json answer", field=name)
    return value


def _moment(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"as_of {text!r} is not a time", field="as_of") from None
    if at.tzinfo is None:
        raise InvalidInput(f"as_of {text!r} has no zone", field="as_of")
    return at
