"""Which text may name something new: what a person can see, tell apart and type again.

Decoding does not ask: an id that is in a log stays readable, whatever it looks like.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, get_args

from pydantic import BaseModel

from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Command, Id

LENGTH_MAX: Final = 200
# Selectors of another shape of the character before them: they show nothing of their own.
SHAPES: Final = frozenset(
    map(chr, (*range(0x180B, 0x180E), 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
# What counts as a letter, a mark or a symbol and has no glyph: the code points that Unicode calls
# default-ignorable in those categories, and the empty pattern of Braille.
BLANKS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_SHOWS_NOTHING: Final = SHAPES | {" "}
_ID_METADATA: Final = Id.__metadata__  # type: ignore[attr-defined]


def is_name(text: str, length_max: int = LENGTH_MAX) -> bool:
    """Whether a text can name something: 1 to so many printable characters that show.

    No control, format, private or unassigned character and no space but the plain one (those are
    what `str.isprintable` refuses), no blank letter, and more than spaces and selectors of shapes.
    """
    if not (0 < len(text) <= length_max and text.isprintable()):
        return False
    if text.isascii():
        return not text.isspace()
    return BLANKS.isdisjoint(text) and not _SHOWS_NOTHING.issuperset(text)


def check_name(text: str, field: str) -> None:
    """Raises: InvalidInput naming the field where the text cannot name anything."""
    if not is_name(text):
        raise InvalidInput(
            f"{field} {text[:80]!a} is not 1 to {LENGTH_MAX} printable characters that show",
            field=field,
        )


def check_ids(command: Command) -> None:
    """Look at every id that a command gives, in its fields and in the values that they hold.

    Raises: InvalidInput naming the dotted path of one that cannot be seen.
    """
    for path, text in _ids(command, ""):
        if not text.isascii():  # the field's own type has seen to the rest
            check_name(text, path)


def _ids(model: BaseModel, before: str) -> Iterator[tuple[str, str]]:
    for name, is_id in _fields(type(model)):
        value = getattr(model, name)
        if value is not None:
            yield from _within(value, f"{before}{name}", is_id)


def _within(value: Any, path: str, is_id: bool) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if is_id:
            yield path, value
    elif isinstance(value, BaseModel):
        yield from _ids(value, f"{path}.")
    elif isinstance(value, tuple):
        for place, item in enumerate(value):
            yield from _within(item, f"{path}.{place}", is_id)
    elif isinstance(value, dict) and is_id:
        for key in value:
            yield f"{path}.{key}", key


@cache
def _fields(model: type[BaseModel]) -> tuple[tuple[str, bool], ...]:
    """The fields that hold ids or models, and whether it is ids."""
    found = []
    for name, field in model.model_fields.items():
        is_id = tuple(field.metadata) == _ID_METADATA or _holds_id(field.annotation)
        if is_id or _holds_model(field.annotation):
            found.append((name, is_id))
    return tuple(found)


def _holds_id(hint: Any) -> bool:
    same = getattr(hint, "__metadata__", None) == _ID_METADATA
    return same or any(_holds_id(inner) for inner in get_args(hint))


def _holds_model(hint: Any) -> bool:
    is_model = isinstance(hint, type) and issubclass(hint, BaseModel)
    return is_model or any(_holds_model(inner) for inner in get_args(hint))
