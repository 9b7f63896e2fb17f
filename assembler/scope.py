"""Which records is this turn about? Exact ids and what the caller knows, never a guess.

An id beats any likeness: a record that is named is in scope, and one whose title only sounds like
the text is a candidate. An unknown id and an id of somebody else are the same error. A classifier
may add candidates; nothing can remove what is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from workindex.assembler.envelope import Scope, UserRequest
from workindex.assembler.ranking import words
from workindex.domain.errors import WorkindexError
from workindex.projections.snapshot import Find

# The kinds that a bare id may name, in the order in which candidates are told.
NAMEABLE: Final = (
    "task",
    "approval",
    "meeting",
    "reminder",
    "proposal",
    "routine",
    "trigger",
    "commitment",
    "artifact",
    "claim",
    "message",
)
TEXT_IDS_MAX: Final = 40
CLASSIFIED_MAX: Final = 100  # of what a classifier names no more is looked up
# Letters of other scripts end an id: they stand beside it without a space.
_TOKEN = re.compile(r"[A-Za-z0-9_.:/#@+-]+")


class UnknownRecord(WorkindexError):
    """A request, or a call about a thread, names something that does not exist for this user."""

    code = "unknown_record"

    def __init__(self, field: str, id_: str, then: str = "check the id, or leave it out") -> None:
        super().__init__(f"{field} {id_!r} names nothing that this user has: {then}", field=field)
        self.id = id_


class Possible(NamedTuple):
    """A record that the text may mean; `distinguishing` tells it from the others.

    Of one that has ended, or that is too sensitive, nothing but its kind and id is known.
    """

    kind: str
    id: str
    title: str
    distinguishing: dict[str, Any]
    reason: str
    is_shown: bool = True


class Scoped(NamedTuple):
    """What is in scope by name, and what may be meant.

    `refs` are (kind, id) in the order in which they were named. An id that names
    records of several kinds is among the candidates, not the refs. `degraded` names what could not
    be asked.
    """

    scope: Scope
    refs: tuple[tuple[str, str], ...]
    candidates: tuple[Possible, ...]
    degraded: tuple[str, ...] = ()


class Sees(Protocol):
    """Whether a row may be told to the caller."""

    def __call__(self, kind: str, row: Any) -> bool: ...


class Classifier(Protocol):
    """May name further records that a request could be about, as references such as task/T-1."""

    def __call__(self, request: UserRequest, scope: Scope) -> Iterable[str]: ...


def resolve(
    request: UserRequest,
    user_id: str,
    find: Find,
    titles: Sequence[tuple[str, Any]] = (),
    classifier: Classifier | None = None,
    *,
    sees: Sees,
) -> Scoped:
    """The scope of a request.

    `titles` are (kind, row) of current records whose titles the text may sound like; of a
    candidate that the caller may not be told no word is.

    Raises: UnknownRecord for an id of the request itself that names nothing.
    """
    refs: dict[tuple[str, str], None] = {}
    for kind in ("task", "meeting", "approval"):
        id_ = getattr(request, f"{kind}_id")
        if id_ is not None:
            if not find(kind, [id_]):
                raise UnknownRecord(f"{kind}_id", id_)
            refs[kind, id_] = None
    thread_id = request.thread_id or _thread_of(request, find)
    found = _by_id(find, request.entity_ids)
    for id_ in request.entity_ids:
        if not found.get(id_):
            raise UnknownRecord("entity_ids", id_)
    named = found | {id_: rows for id_, rows in _by_id(find, ids_in(request.text)).items() if rows}
    refs |= {(rows[0][0], rows[0][1][0]): None for rows in named.values() if len(rows) == 1}
    doubtful = [one for rows in named.values() if len(rows) > 1 for one in rows]
    candidates = [_possible(kind, row, "an id of several kinds", sees) for kind, row in doubtful]
    scope = _scope(request, user_id, thread_id, list(refs))
    candidates += _sounding_like(request.text, titles, sees)
    degraded: tuple[str, ...] = ()
    if classifier is not None:
        named_by_it, degraded = _classified(classifier, request, scope)
        candidates += [
            _possible(kind, row, "a classifier", sees)
            for kind, id_ in named_by_it
            for row in find(kind, [id_])
        ]
    unique = {
        (one.kind, one.id): one for one in reversed(candidates) if (one.kind, one.id) not in refs
    }
    return Scoped(scope, tuple(refs), tuple(reversed(unique.values())), degraded)


def _scope(
    request: UserRequest, user_id: str, thread_id: str | None, refs: list[tuple[str, str]]
) -> Scope:
    """The one record of the surface: the field, else the only one of its kind that is named.

    An approval is only ever in scope by its field or by name: no "yes" reaches one.
    """
    only: dict[str, str | None] = {}
    for kind in ("task", "meeting", "approval"):
        given = getattr(request, f"{kind}_id")
        ids = [id_ for one, id_ in refs if one == kind]
        only[f"{kind}_id"] = given or (ids[0] if len(ids) == 1 else None)
    return Scope(user_id=user_id, thread_id=thread_id, surface=request.surface, **only)


def _thread_of(request: UserRequest, find: Find) -> str | None:
    """The thread of the message that is replied to, else of the one that is answered, if recorded.

    Raises: UnknownRecord where there is no message to reply to.
    """
    message_id = request.reply_to or request.message_id
    rows = find("message", [message_id]) if message_id is not None else []
    if rows:
        thread_id: str = rows[0].thread_id
        return thread_id
    if request.reply_to is not None:
        raise UnknownRecord("reply_to", request.reply_to)
    return None


def _by_id(find: Find, ids: Sequence[str]) -> dict[str, list[tuple[str, Any]]]:
    """The rows of every kind that have one of the ids."""
    found: dict[str, list[tuple[str, Any]]] = {id_: [] for id_ in ids}
    if ids:
        for kind in NAMEABLE:
            for row in find(kind, ids):
                found[row[0]].append((kind, row))
    return found


def ids_in(text: str, ids_max: int | None = TEXT_IDS_MAX) -> list[str]:
    """Words of the text that may be ids: whole words with a digit, so T-12 is never T-1."""
    ids: dict[str, None] = {}
    for word in (token.strip(".:") for token in dict.fromkeys(_TOKEN.findall(text))):
        if len(ids) == ids_max:
            break
        if len(word) <= 200 and any(sign.isdigit() for sign in word):
            ids[word] = None
    return list(ids)


def _sounding_like(text: str, titles: Sequence[tuple[str, Any]], sees: Sees) -> list[Possible]:
    """Records whose title has the most words of the text, where that is more than one word."""
    asked = set(words(text))
    scored = []
    for place, (kind, row) in enumerate(titles):
        own = set(words(row.title))
        shared = len(asked & own)
        if shared >= 2 or (shared == 1 and len(own) == 1):
            found = _possible(kind, row, "its title sounds like the text", sees)
            scored.append((-shared, place, found))
    return [possible for _, _, possible in sorted(scored, key=lambda one: one[:2])]


def _is_ref(ref: Any) -> bool:
    return isinstance(ref, str) and ref.isprintable()


def _classified(
    classifier: Classifier, request: UserRequest, scope: Scope
) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """What the classifier names, as far as it can be anything, and how it failed."""
    try:
        named = list(islice(classifier(request, scope), CLASSIFIED_MAX + 1))
    except Exception as error:  # noqa: BLE001 - another's code, and it only ever adds
        return [], (f"scope: the classifier failed ({type(error).__name__})",)
    told: tuple[str, ...] = ()
    if len(named) > CLASSIFIED_MAX:
        told = (f"scope: the classifier names more than {CLASSIFIED_MAX} records",)
    parts = (ref.partition("/") for ref in named[:CLASSIFIED_MAX] if _is_ref(ref))
    return [(kind, id_) for kind, _, id_ in parts if kind in NAMEABLE], told


def _possible(kind: str, row: Any, reason: str, sees: Sees) -> Possible:
    if not sees(kind, row):
        return Possible(kind, row[0], "", {}, reason, is_shown=False)
    fields: Mapping[str, Any] = row._asdict()
    told = {
        name: fields[name]
        for name in ("status", "due_at", "start_at", "expires_at", "task_id", "subject")
        if fields.get(name) is not None
    }
    title = fields.get("title") or fields.get("text") or row[0]
    return Possible(kind, row[0], str(title)[:200], told, reason)
