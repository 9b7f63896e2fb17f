"""What a line of commands says about its own recording, and what its result line says."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from workindex.cli.output import error_document

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from workindex.domain.errors import WorkindexError
    from workindex.domain.facts import Actor
    from workindex.projections.recording import Receipt

# What a line may say about the recording itself; everything else belongs to the command.
ENVELOPE = frozenset(
    {"key", "actor", "occurred_at", "expected_version", "correlation_id", "causation_id"}
)
Result = dict[str, Any]


def result_of(number: int, receipt: Receipt) -> Result:
    """The result line of a command that was recorded, now or before."""
    return {
        "line": number,
        "ok": True,
        "positions": list(receipt.positions),
        "duplicate": receipt.duplicate,
        "streams": list(dict.fromkeys(event.fact.stream for event in receipt.events)),
    }


def refused(number: int, error: WorkindexError) -> Result:
    """The result line of a command that was not recorded."""
    return {"line": number, "ok": False, "error": error_document(error)}


def envelope(line: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """What the line says about the recording itself, checked.

    Raises: InvalidInput, naming the member.
    """
    from pydantic import ValidationError

    from workindex.domain.errors import InvalidInput
    from workindex.service.parsing import NOT_A_TIME, is_time_text

    given: dict[str, Any] = {"actor": actor}
    for name in ENVELOPE & line.keys():
        value = line[name]
        if name == "occurred_at" and not is_time_text(value):
            raise InvalidInput(f"occurred_at {value!r}: {NOT_A_TIME}", field=name)
        try:
            given[name] = _kinds()[name].validate_python(value)
        except ValidationError as error:
            first = error.errors()[0]
            path = ".".join([name, *(str(part) for part in first["loc"])])
            raise InvalidInput(f"{path}: {first['msg']}", field=path) from None
    return given


@cache
def _kinds() -> dict[str, TypeAdapter[Any]]:
    """What each member of the envelope may be; made once, because that takes longer than a look."""
    from pydantic import StrictInt, StrictStr, TypeAdapter

    from workindex.domain.facts import Actor, At

    text: TypeAdapter[Any] = TypeAdapter(StrictStr | None)
    return {
        "key": text,
        "actor": TypeAdapter(Actor),
        "occurred_at": TypeAdapter(At | None),
        "expected_version": TypeAdapter(StrictInt | None),
        "correlation_id": text,
        "causation_id": text,
    }
