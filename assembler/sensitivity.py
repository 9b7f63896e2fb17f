"""How sensitive a thing is, and whether the caller may see it: the one comparison of levels."""

from __future__ import annotations

from typing import Final, get_args

from workindex.domain.facts import Sensitivity

LEVELS: Final[tuple[Sensitivity, ...]] = get_args(Sensitivity)
TOO_SENSITIVE: Final = "more sensitive than the caller may see"


def level(text: str) -> Sensitivity:
    """The level that a row's column names."""
    return LEVELS[LEVELS.index(text)]


def up_to(most: Sensitivity) -> tuple[Sensitivity, ...]:
    """The levels that a caller sees who may see `most`."""
    return LEVELS[: LEVELS.index(most) + 1]


def hides(text: str, most: Sensitivity) -> bool:
    """Whether a thing of that level is hidden from a caller who may see `most`."""
    return level(text) not in up_to(most)
