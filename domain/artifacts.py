"""Artifacts: bodies that were stored, known here by their hash only.

The bodies stay in the table `content`; a forgotten artifact keeps its place and its title.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Literal, NamedTuple, assert_never, cast

from pydantic import Field, StringConstraints

from workindex.domain.errors import CommandRefused
from workindex.domain.facts import (
    PEOPLE,
    Command,
    Concept,
    Entity,
    Event,
    Fact,
    Id,
    Sensitivity,
    Text,
    Title,
    World,
)

_NAME = r"[A-Za-z0-9][A-Za-z0-9.+_-]*"
MediaType = Annotated[
    str,
    StringConstraints(max_length=255, pattern=rf"^{_NAME}/{_NAME}(; ?{_NAME}=[ -~]+)?$"),
]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
SizeBytes = Annotated[int, Field(ge=0, lt=2**53)]
Parts = Annotated[int, Field(ge=1, le=100_000)]
Status = Literal["stored", "forgotten"]


class ArtifactFact(Fact):
    """A fact about one artifact."""

    artifact_id: Id

    @property
    def stream(self) -> str:
        return f"artifact/{self.artifact_id}"


class ArtifactStored(ArtifactFact):
    """A body of `parts` parts lies in `content` under its hash."""

    type: Literal["artifact_stored"] = "artifact_stored"
    title: Title
    media_type: MediaType
    sha256: Sha256
    size_bytes: SizeBytes
    parts: Parts = 1
    summary: Text | None = None
    sensitivity: Sensitivity = "normal"
    task_id: Id | None = None
    meeting_id: Id | None = None
    source: Id | None = None


class ArtifactForgotten(ArtifactFact):
    """The body must not be used any more."""

    type: Literal["artifact_forgotten"] = "artifact_forgotten"
    reason: Text | None = None


class StoreArtifact(Command):
    """Make a stored body known; the body itself is put into `content` beforehand."""

    type: Literal["store_artifact"] = "store_artifact"
    new_ids: ClassVar[tuple[str, ...]] = ("artifact_id",)
    artifact_id: Id | None = None
    title: Title
    media_type: MediaType
    sha256: Sha256
    size_bytes: SizeBytes
    parts: Parts = 1
    summary: Text | None = None
    sensitivity: Sensitivity = "normal"
    task_id: Id | None = None
    meeting_id: Id | None = None
    source: Id | None = None

    @property
    def stream(self) -> str:
        return f"artifact/{self.artifact_id}"

    @property
    def is_blind(self) -> bool:
        return True


class ForgetArtifact(Command):
    """Forget a body; only a person or an operator may."""

    type: Literal["forget_artifact"] = "forget_artifact"
    allowed_actors: ClassVar[frozenset[str]] = PEOPLE | {"operator"}
    artifact_id: Id
    reason: Text | None = None

    @property
    def stream(self) -> str:
        return f"artifact/{self.artifact_id}"


AnyArtifactFact = ArtifactStored | ArtifactForgotten
AnyArtifactCommand = StoreArtifact | ForgetArtifact


class ArtifactState(NamedTuple):
    """What decisions need of an artifact."""

    status: Status


def evolve(state: ArtifactState | None, event: Event) -> ArtifactState | None:
    """The artifact after one more event."""
    fact = cast(AnyArtifactFact, event.fact)
    match fact:
        case ArtifactStored():
            return ArtifactState("stored")
        case ArtifactForgotten():
            assert state is not None, fact
            return ArtifactState("forgotten")
        case _:
            assert_never(fact)


def decide(world: World, command: AnyArtifactCommand, now: datetime) -> list[Fact]:
    """Facts for a command about artifacts."""
    state = world.get(command.stream, ArtifactState)
    match command:
        case StoreArtifact(artifact_id=artifact_id):
            if state is not None:
                raise CommandRefused(
                    "artifact_exists",
                    f"artifact {artifact_id!r} exists and is {state.status}: choose another id",
                    field="artifact_id",
                )
            return [ArtifactStored(**command.model_dump(exclude={"type"}))]
        case ForgetArtifact(artifact_id=artifact_id):
            if state is None:
                raise CommandRefused(
                    "unknown_artifact",
                    f"there is no artifact {artifact_id!r} to forget: check the id",
                    field="artifact_id",
                )
            if state.status == "forgotten":
                return []
            return [ArtifactForgotten(artifact_id=artifact_id, reason=command.reason)]
        case _:
            assert_never(command)


ARTIFACTS = Concept(
    "artifacts",
    facts=(ArtifactStored, ArtifactForgotten),
    commands=(StoreArtifact, ForgetArtifact),
    entities=(Entity("artifact", ArtifactState, evolve),),
    decide=decide,
)
