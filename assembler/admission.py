"""What each surface is given, always and when it is needed, and what it never relies on.

One table, read by the pipeline; a part that a surface does not name is not looked for. Records are
whole rows: a routine's holds its cooldown and last notification, a meeting's its participants,
agenda and notes, an approval's the exact action with its policy decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from workindex.assembler.envelope import Surface

Part = Literal[
    "work_index",
    "records",
    "candidates",
    "recent_tail",
    "checkpoint",
    "summary",
    "artifacts",
    "commitments",
    "preferences",
    "live_state",
    "claims",
    "evidence",
]


class Admission(NamedTuple):
    """The parts of one surface; `never` says in words what no answer there may rest on."""

    always: frozenset[Part]
    when_needed: frozenset[Part]
    never: str

    def has(self, part: Part) -> bool:
        """Whether the surface looks for the part at all."""
        return part in self.always or part in self.when_needed


def _admission(always: tuple[Part, ...], when_needed: tuple[Part, ...], never: str) -> Admission:
    return Admission(frozenset(always), frozenset(when_needed), never)


SURFACES: Final[Mapping[Surface, Admission]] = {
    "main": _admission(
        ("work_index", "recent_tail"),
        ("records", "candidates", "checkpoint", "summary", "live_state", "claims", "evidence"),
        "a recap as proof that nothing is pending",
    ),
    "task": _admission(
        ("records", "checkpoint", "recent_tail", "artifacts"),
        ("work_index", "candidates", "summary", "live_state", "claims", "evidence"),
        "the whole history of the main conversation",
    ),
    "meeting": _admission(
        ("records", "commitments"),
        ("work_index", "recent_tail", "candidates", "artifacts", "claims", "evidence"),
        "what only resembles the meeting whose id is known",
    ),
    "approval": _admission(
        ("records",),
        ("candidates", "evidence"),
        "summaries, likeness or memory as permission",
    ),
    "proactive": _admission(
        ("records", "preferences"),
        ("work_index", "live_state", "claims", "evidence"),
        "general conversation as permission or urgency",
    ),
}
