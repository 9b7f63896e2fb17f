"""What of a checkpoint's or a summary's words may still be told?

Words rest on messages: they go with any of these that may not be seen. And they never outweigh a
row: a sentence that says another status than the row has is not told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from workindex.assembler.checkpoints.contents import Contents, asked_key, blocker_key
from workindex.assembler.checkpoints.records import Ref, reference
from workindex.assembler.envelope import Conflict
from workindex.assembler.scope import ids_in
from workindex.assembler.sensitivity import TOO_SENSITIVE, hides
from workindex.domain.facts import Sensitivity
from workindex.domain.tasks import ENDED
from workindex.projections.conversations import MessageRow
from workindex.projections.snapshot import Find, Mark
from workindex.projections.tasks import TaskRow

# Looks up what decides whether messages may be seen.
Marks = Callable[[Sequence[str]], Sequence[Mark | MessageRow]]

# Words by which a sentence says that a task stands so; each must be the row's own status.
_SAYS: Final = {
    "done": frozenset({"done", "completed", "finished", "closed"}),
    "failed": frozenset({"failed"}),
    "cancelled": frozenset({"cancelled", "canceled"}),
    "blocked": frozenset({"blocked"}),
    "open": frozenset({"open", "unfinished", "pending"}),
}
_WORD = re.compile(r"[a-z]+")
# A plan may name what is to be done; only this says how something stands.
_STANDS: Final = re.compile(
    r"\b(is|are|was|were|has been|have been)\s+((already|now|still)\s+)?"
    r"(done|completed|finished|closed|failed|cancell?ed|blocked|open|unfinished|pending)\b"
)
# The parts of a body whose lines may say how something stands.
STATING: Final = ("plan", "decisions", "blockers")


class Stated(NamedTuple):
    """A line of a body that says of a task what its row does not: where it stands, and the task."""

    part: str
    place: int
    text: str
    task: TaskRow


def contradicted(text: str, rows: Find) -> TaskRow | None:
    """The first task of which the sentence says another status than its row."""
    said = set(_WORD.findall(text.lower()))
    statuses = {status for status, words in _SAYS.items() if said & words}
    if not statuses or "not" in said:
        return None
    for id_ in ids_in(text):
        found = rows("task", [id_])
        if found and not _agrees(found[0].status, statuses):
            return found[0]  # type: ignore[no-any-return]
    return None


def _agrees(status: str, said: set[str]) -> bool:
    return status in said or ("open" in said and status not in ENDED)


def misstated(body: Mapping[str, Any], rows: Find) -> list[Stated]:
    """The lines of a body that say how a task stands, and say it wrongly."""
    lines = [("goal", 0, body["goal"])] if body.get("goal") else []
    lines += [
        (part, place, one["text"])
        for part in STATING
        for place, one in enumerate(body.get(part) or ())
    ]
    wrong = []
    for part, place, text in lines:
        if _STANDS.search(text.lower()) and (task := contradicted(text, rows)) is not None:
            wrong.append(Stated(part, place, text, task))
    return wrong


def without(body: Mapping[str, Any], lines: Iterable[Stated]) -> dict[str, Any]:
    """The body without these lines."""
    gone = {(one.part, one.place) for one in lines}
    kept = dict(body)
    if ("goal", 0) in gone:
        del kept["goal"]
    for part in STATING:
        if part in kept:
            listed = enumerate(kept[part])
            kept[part] = [one for place, one in listed if (part, place) not in gone]
    return kept


def row_holds(
    ref: Ref, attribute: str, value: str, source_id: str, said: Any, reason: str
) -> Conflict:
    """That the row's value holds; what was said travels beside it."""
    return Conflict(
        subject=reference(ref),
        attribute=attribute,
        winner=f"{ref[0]}:{ref[1]}",
        winner_value=value,
        superseded=source_id,
        superseded_value=str(said)[:300],
        reason=reason,
    )


class LookUp(NamedTuple):
    """Where rows, and messages without their texts, are looked up; and what may be told."""

    rows: Find
    marks: Marks
    sensitivity_max: Sensitivity

    def why_hidden(self, message_ids: Iterable[str]) -> str | None:
        """Why a message that words rest on may not be seen, None where all may."""
        wanted = list(dict.fromkeys(message_ids))
        found = {mark.message_id: mark for mark in self.marks(wanted)} if wanted else {}
        for id_ in wanted:
            mark = found.get(id_)
            if mark is None or mark.redacted:
                return f"rests on a message: {'not found' if mark is None else 'redacted'}"
            if hides(mark.sensitivity, self.sensitivity_max):
                return f"rests on a message: {TOO_SENSITIVE}"
        return None


def has_words(body: Mapping[str, Any], contents: Contents) -> bool:
    """Whether the body says anything that the rows, whose `contents` these are, do not say."""
    told = {name: value for name, value in body.items() if value not in (None, [], ())}
    return told != from_rows(body, contents)


def from_rows(body: Mapping[str, Any], contents: Contents) -> dict[str, Any]:
    """The body without anybody's words: what the rows say of it stays, in the rows' own words."""
    kept = {
        name: body[name]
        for name in ("artifact_ids", "active_tool_groups", "through_message_id")
        if body.get(name)
    }
    parts = {
        "pending_input": _same(body, "pending_input", contents.pending_input, asked_key),
        "blockers": _same(body, "blockers", contents.blockers, blocker_key),
        "decisions": [one for one in body.get("decisions") or () if one in contents.decisions],
        "outputs": [one for one in body.get("outputs") or () if one in contents.outputs],
        "attempts": [one for one in body.get("attempts") or () if one in contents.attempts],
        "corrections": [one for one in body.get("corrections") or () if one.get("correction_id")],
    }
    return kept | {name: part for name, part in parts.items() if part}


def _same(
    body: Mapping[str, Any], part: str, derived: list[Any], key: Callable[[Any], Any]
) -> list[Any]:
    named = {key(one) for one in body.get(part) or ()}
    return [one for one in derived if key(one) in named]
