"""Which steps do the given issue-tracker files hold, and what does each one say?

Two formats, told apart by their first line: a snapshot (`*.jsonl`, one issue a line, the whole
state; the file is one step) and a delta file (one commit a line: index, commit, time, upsert[],
delete[]; each line is one step). Either may be gzipped. Nothing here knows the Work Index.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from workindex.domain.errors import InvalidInput
from workindex.domain.facts import At, Id, Text, Title
from workindex.domain.task_facts import Labels, Priority
from workindex.service.importers.files import FILE_BYTES_MAX, unpacked
from workindex.service.ndjson import parse_object

LINE_BYTES_MAX = 64 * 1024 * 1024
ITEMS_MAX = 100_000
M = TypeVar("M", bound=BaseModel)


def _given(value: Any) -> Any:
    """The tracker writes an absent text as "" and an absent time as the year 1."""
    return None if value == "" or (isinstance(value, str) and value.startswith("0001-")) else value


Optional = BeforeValidator(_given)
Moment = Annotated[At | None, Optional]
Status = Literal["open", "in_progress", "closed"]


class _Read(BaseModel):
    """Files of a program that goes on growing: fields that we do not use are left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=False)


class Dependency(_Read):
    """`issue_id` waits for (type blocks), belongs to or came out of `depends_on_id`."""

    type: str
    depends_on_id: Id


class Issue(_Read):
    """One issue as the tracker wrote it."""

    id: Id
    title: Title
    status: Status
    description: Annotated[Text | None, Optional] = None
    issue_type: Annotated[Id | None, Optional] = None
    priority: Priority | None = None
    assignee: Annotated[Id | None, Optional] = None
    labels: Annotated[Labels, BeforeValidator(lambda value: value or ())] = ()
    dependencies: Annotated[
        tuple[Dependency, ...], BeforeValidator(lambda value: value or ()), Field(max_length=1_000)
    ] = ()
    created_at: Moment = None
    updated_at: Moment = None
    closed_at: Moment = None

    @property
    def waits_for(self) -> tuple[str, ...]:
        """Ids of the issues that block it, closed and missing ones included."""
        ids = (one.depends_on_id for one in self.dependencies if one.type == "blocks")
        return tuple(sorted({one for one in ids if one != self.id}))


class _Delta(_Read):
    index: int
    commit: Id
    time: At
    upsert: tuple[dict[str, Any], ...] = Field(max_length=ITEMS_MAX)
    delete: tuple[Id, ...] = Field(max_length=ITEMS_MAX)


class Step(NamedTuple):
    """One step: the whole state (`is_whole`) or the changes of one commit.

    `step_id` names the content and how often it stood in the list before; `label` is for people.
    """

    step_id: str
    label: str
    is_whole: bool
    issues: tuple[Issue, ...]
    deleted: tuple[str, ...]
    at: datetime | None


class RawStep(NamedTuple):
    """A step that is not parsed yet; `lines` are (line number, bytes)."""

    step_id: str
    label: str
    is_whole: bool
    lines: Sequence[tuple[int, bytes]]


def raw_steps(paths: Iterable[Path]) -> Iterator[RawStep]:
    """Every step of the files, in order, cheaply: told apart and named, not parsed.

    Raises: InvalidInput where a file cannot be read as lines.
    """
    seen: Counter[str] = Counter()
    for path in paths:
        for label, is_whole, lines in _file_steps(path):
            digest = sha256(b"\n".join(line for _, line in lines)).hexdigest()[:32]
            seen[digest] += 1
            yield RawStep(f"{digest}#{seen[digest]}", label, is_whole, lines)


def parse_step(raw: RawStep) -> Step:
    """The step with its issues checked.

    Raises: InvalidInput naming file, line, issue and field.
    """
    if raw.is_whole:
        issues = [
            _issue(_object(line, f"{raw.label}:{number}"), f"{raw.label}:{number}")
            for number, line in raw.lines
        ]
        _no_twins(issues, [f"{raw.label}:{number}" for number, _ in raw.lines])
        return Step(raw.step_id, raw.label, True, tuple(issues), (), None)
    ((_, line),) = raw.lines
    delta = _validated(_Delta, _object(line, raw.label), raw.label)
    issues = [_issue(one, f"{raw.label} upsert.{at}") for at, one in enumerate(delta.upsert)]
    _no_twins(issues, [f"{raw.label} upsert.{at}" for at in range(len(issues))])
    kept = {issue.id for issue in issues}
    deleted = tuple(one for one in delta.delete if one not in kept)
    label = f"{raw.label} (commit {delta.index}, {delta.commit[:12]})"
    return Step(raw.step_id, label, False, tuple(issues), deleted, delta.time)


def _file_steps(path: Path) -> Iterator[tuple[str, bool, list[tuple[int, bytes]]]]:
    whole: list[tuple[int, bytes]] = []
    is_delta: bool | None = None
    for number, line in _lines(path):
        if is_delta is None:
            is_delta = _looks_like_delta(line)
        if is_delta:
            yield f"{path}:{number}", False, [(number, line)]
        else:
            whole.append((number, line))
    if not is_delta:
        yield str(path), True, whole


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    total = 0
    try:
        with path.open("rb") as file:
            stream = unpacked(file)
            for number, line in enumerate(iter(lambda: stream.readline(LINE_BYTES_MAX), b""), 1):
                total += len(line)
                if len(line) == LINE_BYTES_MAX or total > FILE_BYTES_MAX:
                    raise InvalidInput(
                        f"{path}:{number} is too long: a line holds at most {LINE_BYTES_MAX:,} "
                        f"bytes and a file {FILE_BYTES_MAX:,}"
                    )
                if line.strip():
                    yield number, line.rstrip(b"\r\n")
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error


def _looks_like_delta(line: bytes) -> bool:
    try:
        first = parse_object(line)
    except InvalidInput:
        return False  # the parser of the step names the fault with its place
    return {"upsert", "delete"} <= first.keys()


def _object(line: bytes, place: str) -> dict[str, Any]:
    try:
        return parse_object(line)
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}", field=error.field) from None


def _issue(value: dict[str, Any], place: str) -> Issue:
    issue_id = value.get("id")
    named = f"{place} issue {issue_id}" if isinstance(issue_id, str) else place
    return _validated(Issue, value, named)


def _validated(model: type[M], value: dict[str, Any], place: str) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{place}: {field}: {first['msg']}", field=field) from None


def _no_twins(issues: Sequence[Issue], places: Sequence[str]) -> None:
    at: dict[str, str] = {}
    for issue, place in zip(issues, places, strict=True):
        if issue.id in at:
            raise InvalidInput(
                f"{place}: issue {issue.id} stands twice, first in {at[issue.id]}: keep one",
                field="id",
            )
        at[issue.id] = place
