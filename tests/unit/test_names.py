"""What names something new can be seen and told apart; what was stored before stays readable."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from driver import actor
from everything import MODELS, STEP_OF, renamed
from workindex import WorkIndex
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Actor
from workindex.domain.names import BLANKS, SHAPES, is_name
from workindex.eventlog.mapper import FactMapper
from workindex.projections.planning import Entry, order_of

ANN = actor("user")
# Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties, version 16).
IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
# With one of these, texts that look alike would be different; the fillers show nothing at all.
INVISIBLE = ["\u3164", "\uffa0", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u034f", "\u2800"]
UNPRINTABLE = [
    "\x00",
    "\n",
    "\u200b",
    "\u202e",
    "\u00ad",
    "\u2028",
    "\u00a0",
    "\ue000",
    "\U000e0001",
]


def test_nothing_invisible_is_a_whole_name() -> None:
    """No code point that shows nothing names anything, and none that shows something is lost."""
    ignorable = {chr(at) for first, last in IGNORABLE for at in range(first, last + 1)}
    for character in map(chr, range(sys.maxunicode + 1)):
        category = unicodedata.category(character)
        hidden = category[0] in "CZ" or character in ignorable or character == "\u2800"
        assert is_name(character) is not hidden, (hex(ord(character)), category)


@pytest.mark.parametrize("character", [*INVISIBLE, *UNPRINTABLE])
def test_nothing_invisible_is_part_of_a_name(character: str) -> None:
    """Neither alone nor beside letters, so that two names that look alike are the same."""
    for text in (character, character * 3, f"a{character}", f"{character}a", f"a{character}b"):
        assert not is_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "T-1",
        "a b",
        "数据",
        "é",
        "e\u0301",
        "✔️",
        "\u2764\ufe0e",
        "\u1820\u180b",
        "हिन्दी",
        "·",
        "x" * 200,
    ],
)
def test_what_shows_is_a_name(text: str) -> None:
    """Every script, marks on their letters, and selectors behind what they give a shape."""
    assert is_name(text)


@pytest.mark.parametrize("text", ["", " ", "   ", "\ufe0f", " \ufe0f", "\U000e0100", "x" * 201])
def test_what_shows_nothing_is_none(text: str) -> None:
    """Spaces and selectors alone show nothing, and a name has an end."""
    assert not is_name(text)


def test_the_two_lists_are_apart() -> None:
    """A selector is not a blank letter: it may follow what it selects a shape of."""
    assert BLANKS.isdisjoint(SHAPES)
    assert all(character.isprintable() for character in BLANKS | SHAPES)


def _ids(document: Any) -> list[str]:
    """Every id in a command's document."""
    ids: list[str] = []

    def note(id_: str) -> str:
        ids.append(id_)
        return id_

    renamed(document, note, lambda text: text)
    return ids


def _hiding(hidden: str) -> Callable[[str], str]:
    """What gives this one id in invisible text."""
    return lambda id_: "\u3164" if id_ == hidden else id_


@pytest.mark.parametrize("type_", sorted(STEP_OF))
def test_every_id_of_every_command_is_looked_at(type_: str) -> None:
    """Wherever a command gives an id, one that cannot be seen is refused, naming the field."""
    document = STEP_OF[type_].command
    for hidden in set(_ids(document)):
        given = renamed(document, _hiding(hidden), lambda text: text)
        if "action_hash" in given:
            given["action_hash"] = "0" * 64
        command = MODELS[type_].model_validate(given)
        with pytest.raises(InvalidInput, match=r"\\u3164.* is not 1 to 200 printable") as refused:
            order_of(Entry(command), "api", ANN)
        assert refused.value.field


@pytest.mark.parametrize("name", ["key", "correlation_id", "causation_id"])
def test_names_beside_a_command(name: str) -> None:
    """Keys, sources, actors, users and what a command is correlated with are names, too."""
    command = MODELS["create_task"].model_validate({"title": "x"})
    beside: dict[str, Any] = {name: "\u3164"}
    with pytest.raises(InvalidInput) as refused:
        order_of(Entry(command, **beside), "api", ANN)
    assert refused.value.field == name
    with pytest.raises(InvalidInput, match="source"):
        order_of(Entry(command), "\u2800", ANN)
    with pytest.raises(InvalidInput, match="actor"):
        order_of(Entry(command), "api", Actor(kind="user", id="\u3164"))


def test_a_user_has_a_name() -> None:
    """A user that nobody can see is none."""
    scopes = WorkIndex.user
    with pytest.raises(InvalidInput, match="user_id"):
        scopes(WorkIndex.__new__(WorkIndex), "\u3164")


def test_what_is_stored_is_read() -> None:
    """An event that was stored under such an id before it was refused decodes as ever."""
    data = {"task_id": "\u3164", "title": "x", "parent_id": "\u115f"}
    fact = FactMapper().decode("task_created", 1, data)
    assert fact.stream == "task/\u3164"
