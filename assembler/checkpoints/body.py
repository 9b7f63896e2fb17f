"""A checkpoint of a thread, made of the rows and of what somebody adds in words, and verified.

No model is needed: what must be in it is worked out from the rows. What a caller says itself is
held against the same rows before anything is recorded, whoever made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from workindex.assembler.checkpoints.checking import refs_in, settled
from workindex.assembler.checkpoints.contents import (
    ARTIFACTS_MAX,
    ENTRIES_MAX,
    Contents,
    Entry,
    Scene,
    asked_key,
    blocker_key,
    contents_of_rows,
    unique,
)
from workindex.assembler.checkpoints.records import (
    KINDS,
    OUTPUT,
    Kept,
    found,
    kept_in,
    output_of,
    ref_of,
    told,
)
from workindex.assembler.checkpoints.words import from_rows, has_words, misstated
from workindex.assembler.rendering import plain
from workindex.domain.errors import WorkindexError
from workindex.domain.tasks import ENDED

# The messages that the words of a checkpoint may rest on, those carried on included.
RESTS_ON_MAX: Final = 1_000
# A given part stands instead of the one before; entries of the others stand beside those before.
REPLACED: Final = ("goal", "plan", "active_tool_groups")
_NOTHING: Final = object()


class CheckpointIncomplete(WorkindexError):
    """The checkpoint lacks what must survive, or says what the rows do not; nothing was recorded.

    `missing` names what has to be in it, `untrue` what it says otherwise than rows or messages.
    """

    code = "checkpoint_incomplete"

    def __init__(self, missing: Sequence[str], untrue: Sequence[str]) -> None:
        problems = [*(f"it lacks {name}" for name in missing), *untrue]
        super().__init__(
            f"the checkpoint is not recorded: {'; '.join(problems)} "
            "(checkpoint_draft gives a body that holds everything)",
            field="body",
        )
        self.missing = tuple(missing)
        self.untrue = tuple(untrue)


def draft(
    contents: Contents,
    before: Mapping[str, Any],
    words: Mapping[str, Any],
    message_ids: Sequence[str],
    through_message_id: str | None,
) -> dict[str, Any]:
    """The body that holds everything that must be in it, what went before, and the words.

    `before` is the body of the checkpoint before, as far as it may be told; `words` are parts of a
    body as JSON. Where there is too much of a part, what must be in it stays, then the newest.
    """
    body = {name: words.get(name, before.get(name)) for name in REPLACED}
    earlier = {**before, "outputs": _without_records(before)}
    said = {
        name: [*(earlier.get(name) or ()), *words.get(name, ())]
        for name in ("decisions", "outputs", "attempts", "corrections")
    }
    for name, key in (("pending_input", asked_key), ("blockers", blocker_key)):
        own = getattr(contents, name)
        free = [one for one in before.get(name) or () if key(one) is None]
        known = {key(one) for one in own}
        others = [one for one in words.get(name, free) if key(one) not in known]
        body[name] = _bounded(others, own)
    corrections = [one for one in said["corrections"] if one.get("correction_id") is None]
    kept = Kept(contents.records, tuple(message_ids), contents.named)
    body |= {
        "decisions": unique([*said["decisions"], *contents.decisions])[-ENTRIES_MAX:],
        "outputs": [
            *unique([*contents.outputs, *said["outputs"]])[-(ENTRIES_MAX - 1) :],
            output_of(kept),
        ],
        "attempts": _bounded(said["attempts"], contents.attempts),
        "corrections": _bounded(corrections, contents.corrections),
        "artifact_ids": _bounded(
            words.get("artifact_ids", ()), contents.artifact_ids, ARTIFACTS_MAX
        ),
        "through_message_id": through_message_id,
    }
    return {name: value for name, value in body.items() if value is not None}


def verify(body: Mapping[str, Any], contents: Contents, scene: Scene) -> None:
    """The body holds all that it must, and says nothing that rows and messages do not bear out.

    Raises: CheckpointIncomplete naming everything that is wrong.
    """
    missing = [*_missing(body, contents), *_uncovered(body, scene)]
    untrue = [
        *_unlike_rows(kept_in(body), scene),
        *_settled_since(body, scene),
        *_misstated(body, contents, scene),
        *_unseen(kept_in(body), scene),
    ]
    if missing or untrue:
        raise CheckpointIncomplete(missing, untrue)


def says_more(body: Mapping[str, Any], scene: Scene) -> bool:
    """Whether the body says more than the rows of the records that it names."""
    return has_words({**body, "outputs": _without_records(body)}, _of_records(body, scene))


def without_words(body: Mapping[str, Any], scene: Scene) -> dict[str, Any]:
    """The body with what the rows of its records say, and nobody's words."""
    said = from_rows({**body, "outputs": _without_records(body)}, _of_records(body, scene))
    output = output_of(kept_in(body)._replace(message_ids=()))
    return {**said, "outputs": [*said.get("outputs", ()), output]}


def _of_records(body: Mapping[str, Any], scene: Scene) -> Contents:
    refs = [*map(ref_of, kept_in(body).rows), *refs_in(body)]
    return contents_of_rows(found(refs, scene.rows, KINDS), scene.now)


def _without_records(body: Mapping[str, Any]) -> list[Entry]:
    return [one for one in body.get("outputs") or () if one.get("name") != OUTPUT]


def _bounded(said: Sequence[Any], own: Sequence[Any], most: int = ENTRIES_MAX) -> list[Any]:
    """What was said, each once, and at the end what must be there: the first go."""
    return [*unique(one for one in said if one not in own), *own][-most:]


def _missing(body: Mapping[str, Any], contents: Contents) -> Iterator[str]:
    """What has to be in every checkpoint of the thread, and is not."""
    rows = kept_in(body).rows
    for ref, must in contents.records.items():
        if ref not in rows:
            yield ref
        else:
            yield from (f"{ref}: {name}" for name in must if name not in rows[ref])
    asked = {asked_key(one) for one in body.get("pending_input") or ()}
    for one in contents.pending_input:
        if asked_key(one) not in asked:
            yield f"pending input {_name_of_asked(one)}"
    blocking = {blocker_key(one) for one in body.get("blockers") or ()}
    for one in contents.blockers:
        if blocker_key(one) not in blocking:
            yield f"blocker task/{one['task_id']}"
    for part in ("attempts", "corrections"):
        for one in getattr(contents, part):
            if one not in (body.get(part) or ()):
                yield f"{part[:-1]} {one.get('correction_id') or one['text'][:80]!r}"
    held = set(body.get("artifact_ids") or ())
    yield from (f"artifact/{id_}" for id_ in contents.artifact_ids if id_ not in held)


def _name_of_asked(one: Mapping[str, Any]) -> str:
    if one.get("approval_id") is not None:
        return f"approval/{one['approval_id']}"
    return f"{one.get('request_id')} of task/{one.get('task_id')}"


def _uncovered(body: Mapping[str, Any], scene: Scene) -> Iterator[str]:
    """What the body does not say of the messages that it covers and rests on."""
    before = {} if scene.previous is None else scene.previous.body
    if not scene.messages and before.get("through_message_id") is None:
        return
    if body.get("through_message_id") is None:
        yield "through_message_id"
    kept = kept_in(body)
    if not says_more(body, scene):
        return
    if not kept.message_ids:
        yield "records.message_ids: the messages that its words rest on"
    rested = kept_in(before).message_ids
    yield from (f"records.message_ids: {id_}" for id_ in rested if id_ not in kept.message_ids)


def _unlike_rows(kept: Kept, scene: Scene) -> Iterator[str]:
    """Records that there are not, and columns that are otherwise."""
    by_ref = found(map(ref_of, kept.rows), scene.rows, KINDS)
    for text, held in kept.rows.items():
        ref = ref_of(text)
        if ref not in by_ref:
            yield f"{text} names nothing"
            continue
        row = by_ref[ref]
        stands = told(ref[0], row, scene.now)
        for name, value in held.items():
            own = stands.get(name, plain(getattr(row, name, _NOTHING)))
            if own is _NOTHING:
                yield f"{text} has no {name}"
            elif own != value:
                yield f"{text}: {name} is {_shown(own)}, not {_shown(value)}"


def _settled_since(body: Mapping[str, Any], scene: Scene) -> Iterator[str]:
    """What is told as pending or in the way and is not, or is of nothing that there is."""
    named = [*refs_in(body), *(("artifact", id_) for id_ in body.get("artifact_ids") or ())]
    by_ref = found(named, scene.rows, ("task", "approval", "artifact"))
    yield from (f"{kind}/{id_} names nothing" for kind, id_ in named if (kind, id_) not in by_ref)
    for one in body.get("pending_input") or ():
        became = settled(one, scene.rows, scene.now)
        if became is not None:
            yield f"pending input {_name_of_asked(one)} is {became.status}"
    for one in body.get("blockers") or ():
        task = by_ref.get(("task", one.get("task_id") or ""))
        if task is not None and task.status in ENDED:
            yield f"blocker task/{task.task_id} is {task.status}"


def _misstated(body: Mapping[str, Any], contents: Contents, scene: Scene) -> Iterator[str]:
    """Lines that say of a task or an attempt what its row does not."""
    for line in misstated(body, scene.rows):
        task = line.task
        yield f"{line.part} says {line.text[:80]!r}, task/{task.task_id} is {task.status}"
    outcomes = {one["text"]: one["outcome"] for one in contents.attempts}
    for one in body.get("attempts") or ():
        known = outcomes.get(one["text"], one["outcome"])
        if known != one["outcome"] and one not in contents.attempts:
            yield f"attempt {one['text'][:80]!r} is {known}, not {one['outcome']}"


def _unseen(kept: Kept, scene: Scene) -> Iterator[str]:
    """Messages that no words of this thread can rest on."""
    rows = scene.rows("message", kept.message_ids) if kept.message_ids else ()
    by_id = {row.message_id: row for row in rows}
    for id_ in kept.message_ids:
        row = by_id.get(id_)
        if row is None or row.thread_id != scene.thread_id:
            yield f"message {id_} is not of this thread"
        elif row.redacted:
            yield f"message {id_} is redacted: say in message_ids what the words rest on"
    if len(kept.message_ids) > RESTS_ON_MAX:
        yield f"its words rest on more than {RESTS_ON_MAX} messages: say which in message_ids"


def _shown(value: Any) -> str:
    return repr(value)[:120]
