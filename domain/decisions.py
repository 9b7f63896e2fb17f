"""Which decision answers which command, and who may give it.

The one place that every command passes: an actor that may not give it is refused before the
concept's own decision looks at the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache

from workindex.domain.errors import NotPermitted
from workindex.domain.facts import Command, Concept, Fact, World

Register = Mapping[type[Command], Concept]


def register(concepts: Iterable[Concept]) -> Register:
    """Each command's concept. A command that two concepts claim is a programmer's error."""
    found: dict[type[Command], Concept] = {}
    for concept in concepts:
        for command in concept.commands:
            assert command not in found, (command, concept.name, found[command].name)
            found[command] = concept
    return found


@cache
def whole_register() -> Register:
    """The register of all concepts of the house."""
    from workindex.domain import ALL_CONCEPTS

    return register(ALL_CONCEPTS)


def decide(
    world: World, command: Command, now: datetime, known: Register | None = None
) -> list[Fact]:
    """The facts that the command brings about; empty where nothing would change.

    `known` is the register to look the command up in, by default the whole one.
    Raises: NotPermitted for a wrong actor, CommandRefused where the state forbids it.
    """
    actor = world.actor
    if actor.kind not in command.allowed_actors:
        allowed = ", ".join(sorted(command.allowed_actors)) or "nobody"
        raise NotPermitted(
            f"{actor.kind} {actor.id} may not give {command.type} on {command.stream}: "
            f"it takes one of {allowed}"
        )
    concept = (whole_register() if known is None else known)[type(command)]
    return concept.decide(world, command, now)


def needed(commands: Iterable[Command], world: World) -> tuple[str, ...]:
    """References that the commands want to read and that `world` does not hold yet.

    Read them, add their states (None where there is none) and ask again until none is left.
    """
    wanted = (ref for command in commands for ref in command.reads(world))
    return tuple(dict.fromkeys(ref for ref in wanted if ref not in world.states))
