"""What do the activities of a process log mean? An optional file of the operator says so.

    done = ["Closed"]

    [[approvals]]
    asked = ["Submit the request"]
    granted = ["Approve"]
    denied = ["Reject"]
    prompt = "Approve the request?"

TOML, or the same as JSON. An activity is named as the log does, or with its transition in round
brackets, as it is shown as a phase. Without `done` every case that has events is done with its
last one; with it only a case whose last event is one of these.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Frozen, Title
from workindex.service.importers.files import chunks
from workindex.service.importers.xes_files import CaseEvent
from workindex.service.ndjson import parse_object

MAPPING_BYTES_MAX = 1024 * 1024
Activities = Annotated[tuple[Title, ...], Field(max_length=1_000)]


class Approval(Frozen):
    """After `asked` a case waits for an approval, until `granted`, `denied` or its end."""

    asked: Annotated[Activities, Field(min_length=1)]
    granted: Activities = ()
    denied: Activities = ()
    prompt: Title | None = None


class XesMapping(Frozen):
    """What the operator says about the activities of a log."""

    done: Annotated[Activities, Field(min_length=1)] | None = None
    approvals: Annotated[tuple[Approval, ...], Field(max_length=200)] = ()

    def is_done(self, last: CaseEvent) -> bool:
        """Whether a case ends with this event."""
        return self.done is None or says(self.done, last)

    def unused(self, seen: set[str]) -> list[str]:
        """Activities that it names and no event of the log has."""
        rules = [(*rule.asked, *rule.granted, *rule.denied) for rule in self.approvals]
        named = {name for names in (self.done or (), *rules) for name in names}
        return sorted(named - seen)


def phase_of(event: CaseEvent) -> str:
    """How the event is shown: its activity, with its transition unless that is plain completion."""
    if event.transition is None or event.transition.lower() == "complete":
        return event.activity
    return f"{event.activity} ({event.transition})"


def says(names: Iterable[str], event: CaseEvent) -> bool:
    """Whether one of the names is this event's."""
    return not {event.activity, phase_of(event)}.isdisjoint(names)


def read_mapping(path: Path) -> XesMapping:
    """The mapping of a file.

    Raises: InvalidInput naming the file and the field.
    """
    raw = b"".join(chunks(path, MAPPING_BYTES_MAX))
    try:
        found: dict[str, Any] = (
            parse_object(raw) if path.suffix == ".json" else tomllib.loads(raw.decode("utf-8"))
        )
        return XesMapping.model_validate(found, strict=False)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(map(str, problem["loc"]))
        raise InvalidInput(f"{path}: {field}: {problem['msg']}", field=field) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, InvalidInput) as error:
        raise InvalidInput(f"{path} is no mapping: {error}") from error
