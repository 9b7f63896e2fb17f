"""Which decision answers which command, and who may give it.

The one place that every command passes: an actor that may not give it is refused before the
concept's own decision looks at the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache

from workindex.domain.errors import NotPermitted
from workindex.domain.facts import Command, Concept, Fact, World


@cache
def _concepts() -> Mapping[type[Command], Concept]:
    """Each command's concept. A command that two concepts claim is a programmer's error."""
    from workindex.domain import ALL_CONCEPTS

    found: dict[type[Command], Concept] = {}
    for concept in ALL_CONCEPTS:
        for command in concept.commands:
            assert command not in found, (command, concept.name, found[command].name)
            found[command] = concept
    return found


def decide(world: World, command: Command, now: datetime) -> list[Fact]:
    """The facts that the command brings about; empty where nothing would change.

    Raises: NotPermitted for a wrong actor, CommandRefused where the state forbids it.
    """
    actor = world.actor
    if actor.kind not in command.allowed_actors:
        allowed = ", ".join(sorted(command.allowed_actors)) or "nobody"
        raise NotPermitted(
            f"{actor.kind} {actor.id} may not give {command.type} on {command.stream}: "
            f"it takes one of {allowed}"
        )
    return _concepts()[type(command)].decide(world, command, now)


def needed(command: Command, world: World) -> tuple[str, ...]:
    """References that the command wants to read and that `world` does not hold yet.

    Read them, add their states (None where there is none) and ask again until none is left.
    """
    return tuple(dict.fromkeys(ref for ref in command.reads(world) if ref not in world.states))
