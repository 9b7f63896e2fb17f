"""From what a caller gives to a verified body: the one way on which a checkpoint comes about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, get_args

from pydantic import ValidationError

from workindex.assembler.checkpoints.body import (
    RESTS_ON_MAX,
    draft,
    says_more,
    verify,
    without_words,
)
from workindex.assembler.checkpoints.contents import Scene, contents_of
from workindex.assembler.checkpoints.records import OUTPUT, kept_in
from workindex.assembler.checkpoints.scene import scene_of
from workindex.domain.checkpoint_body import CheckpointBody
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Frozen
from workindex.projections.snapshot import Snapshot

# The parts of a body that are somebody's words: they rest on what was read.
WORDS: Final = frozenset(
    {
        *("goal", "plan", "decisions", "blockers", "pending_input", "outputs", "attempts"),
        "corrections",
    }
)
BESIDE: Final = ("task_id", "meeting_id", "through_message_id", "message_ids")


class Given(NamedTuple):
    """What a caller says: a whole body, or parts of one as JSON; and what it is about."""

    body: Mapping[str, Any] | None
    words: Mapping[str, Any]
    task_id: str | None
    meeting_id: str | None
    through_message_id: str | None
    message_ids: tuple[str, ...] | None


class Made(NamedTuple):
    """A body that was verified, the thread's task, and what could not be carried on."""

    body: dict[str, Any]
    task_id: str | None
    left: tuple[str, ...] = ()


def given_of(body: CheckpointBody | Mapping[str, Any] | None, words: Mapping[str, Any]) -> Given:
    """The caller's arguments, checked.

    Raises: InvalidInput naming the first that is wrong.
    """
    parts = {name: value for name, value in words.items() if name not in BESIDE}
    if unknown := sorted(set(parts) - set(CheckpointBody.model_fields)):
        raise InvalidInput(f"a checkpoint has no {unknown[0]}", field=unknown[0])
    if body is not None and set(words) - {"task_id", "meeting_id"}:
        raise InvalidInput("a whole body takes no words beside it", field="body")
    if any(_named(one) == OUTPUT for one in parts.get("outputs") or ()):
        raise InvalidInput(f"the output {OUTPUT} is made of the rows", field="outputs")
    whole = _body(parts if body is None else body)
    message_ids = words.get("message_ids")
    return Given(
        None if body is None else whole,
        {name: whole[name] for name in parts},
        words.get("task_id"),
        words.get("meeting_id"),
        words.get("through_message_id") if body is None else whole["through_message_id"],
        None if message_ids is None else tuple(message_ids),
    )


def made(snapshot: Snapshot, thread_id: str, given: Given, now: datetime | None) -> Made:
    """The body, verified against the rows and messages of the snapshot.

    Raises: CheckpointIncomplete; InvalidInput; NotReady where the rows cannot be trusted.
    """
    scene = scene_of(
        snapshot,
        thread_id,
        task_id=given.task_id,
        meeting_id=given.meeting_id,
        through_message_id=given.through_message_id,
        now=now,
    )
    _check_named(scene)
    scene = scene._replace(said=given.words if given.body is None else given.body)
    task_id = given.task_id
    if task_id is None and scene.previous is not None:
        task_id = scene.previous.task_id
    if given.body is not None:
        verify(given.body, contents_of(scene), scene)
        return Made(dict(given.body), task_id)
    scene, message_ids, left = _carried(scene, _rests_on(scene, given))
    contents = contents_of(scene)
    before = {} if scene.previous is None else scene.previous.body
    body = _body(draft(contents, before, given.words, message_ids, _through(scene)))
    verify(body, contents, scene)
    return Made(body, task_id, left)


def _named(output: Any) -> Any:
    return output.get("name") if isinstance(output, Mapping) else getattr(output, "name", None)


def _body(given: CheckpointBody | Mapping[str, Any]) -> dict[str, Any]:
    """As JSON with every default written out, so that the same body is always the same bytes."""
    try:
        body = CheckpointBody.model_validate(given)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(map(str, problem["loc"]))
        told = f"checkpoint: {field}: {problem['msg']}: {_form(problem['loc'])}"
        raise InvalidInput(told, field=field) from error
    return body.model_dump(mode="json")


def _form(loc: Sequence[int | str]) -> str:
    """What an entry of the part looks like, `?` where a name may be left out, and where all is."""
    part = CheckpointBody.model_fields.get(str(loc[0])) if loc else None
    entry = next(iter(get_args(part.annotation)), None) if part is not None else None
    whole = "workindex schema commands record_checkpoint shows the body"
    if not isinstance(entry, type) or not issubclass(entry, Frozen):
        return whole
    fields = entry.model_fields.items()
    names = ", ".join(name if field.is_required() else f"{name}?" for name, field in fields)
    return f"an entry of {loc[0]} is {{{names}}} ({whole})"


def _check_named(scene: Scene) -> None:
    for kind in ("task", "meeting"):
        id_ = getattr(scene, f"{kind}_id")
        if id_ is not None and not scene.rows(kind, [id_]):
            raise InvalidInput(f"there is no {kind} {id_}: check the id", field=f"{kind}_id")


def _through(scene: Scene) -> str | None:
    """The last message that is covered: one that was before, where there is none since."""
    if scene.messages:
        return scene.messages[-1].message_id
    return None if scene.previous is None else scene.previous.body.get("through_message_id")


def _rests_on(scene: Scene, given: Given) -> Sequence[str]:
    """The messages that the words given now rest on."""
    if not WORDS.intersection(given.words):
        return ()
    if given.through_message_id is None and scene.messages:
        raise InvalidInput(
            "words rest on messages: name in through_message_id the last that their author saw",
            field="through_message_id",
        )
    if given.message_ids is not None:
        return given.message_ids
    return [row.message_id for row in scene.messages]


def _carried(
    scene: Scene, message_ids: Sequence[str]
) -> tuple[Scene, tuple[str, ...], tuple[str, ...]]:
    """The scene with what of the checkpoint before goes on, all messages that words then rest on,
    and what had to be left behind."""
    own = tuple(dict.fromkeys(message_ids))
    previous = scene.previous
    if previous is None or not says_more(previous.body, scene):
        return scene, own, ()
    both = tuple(dict.fromkeys((*kept_in(previous.body).message_ids, *own)))
    if len(both) <= RESTS_ON_MAX:
        return scene, both, ()
    stripped = previous._replace(body=without_words(previous.body, scene))
    told = "the words of the checkpoint before: they rest on too many messages"
    return scene._replace(previous=stripped), own, (told,)
