"""What can be asked around a routine: the imperative twin of each of its facts.

In ChangeRoutine a field that is left out stays as it is, and an explicit null empties it. Answers
are the person's; whoever answers needs to know the id of what was asked, not its routine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from workindex.domain.facts import (
    CLOCK,
    PEOPLE,
    At,
    Command,
    Id,
    Json,
    Seconds,
    Text,
    Title,
    World,
)
from workindex.domain.proactive_facts import (
    Answer,
    Evidence,
    NotificationState,
    ProposalState,
    TriggerState,
)


class RoutineCommand(Command):
    """A command about one routine that exists."""

    routine_id: Id

    @property
    def stream(self) -> str:
        return f"routine/{self.routine_id}"


class DefineRoutine(Command):
    """Let the agent look after something by itself; work `next_at` out from the schedule."""

    type: Literal["define_routine"] = "define_routine"
    new_ids: ClassVar[tuple[str, ...]] = ("routine_id",)
    routine_id: Id | None = None
    title: Title
    schedule: Json | None = None
    next_at: At | None = None
    cooldown_seconds: Seconds | None = None
    instructions: Text | None = None

    @property
    def stream(self) -> str:
        return f"routine/{self.routine_id}"

    @property
    def is_blind(self) -> bool:
        return True


class ChangeRoutine(RoutineCommand):
    """Change a routine."""

    type: Literal["change_routine"] = "change_routine"
    title: Title | None = None
    schedule: Json | None = None
    next_at: At | None = None
    cooldown_seconds: Seconds | None = None
    instructions: Text | None = None


class PauseRoutine(RoutineCommand):
    """Let a routine stand still."""

    type: Literal["pause_routine"] = "pause_routine"
    reason: Text | None = None


class ResumeRoutine(RoutineCommand):
    """Let a paused routine go on, next at `next_at` or where it stood."""

    type: Literal["resume_routine"] = "resume_routine"
    next_at: At | None = None


class StartCooldown(RoutineCommand):
    """Keep a routine silent until `until_at`, or for its own cooldown_seconds from now."""

    type: Literal["start_cooldown"] = "start_cooldown"
    until_at: At | None = None
    reason: Text | None = None


class _MaybeOfRoutine(Command):
    routine_id: Id | None = None

    @property
    def own_id(self) -> str | None:
        """The id that names the stream where there is no routine."""
        raise NotImplementedError

    @property
    def stream(self) -> str:
        return f"routine/{self.routine_id or self.own_id}"

    def _read(self, own: str, cause: str | None, of_cause: str | None) -> Iterable[str]:
        yield own
        if cause is not None:
            yield cause
        routine_id = self.routine_id or of_cause
        if routine_id is not None:
            yield f"routine/{routine_id}"


class ObserveTrigger(_MaybeOfRoutine):
    """Report a trigger; its id stands for one intent, so the same id again changes nothing."""

    type: Literal["observe_trigger"] = "observe_trigger"
    new_ids: ClassVar[tuple[str, ...]] = ("trigger_id",)
    trigger_id: Id | None = None
    summary: Title
    evidence: Evidence = ()
    next_at: At | None = None

    @model_validator(mode="after")
    def _only_a_routine_goes_on(self) -> Self:
        if self.next_at is not None and self.routine_id is None:
            raise ValueError("next_at is the next time of a routine: give its routine_id")
        return self

    @property
    def own_id(self) -> str | None:
        return self.trigger_id

    @property
    def is_blind(self) -> bool:
        return self.routine_id is None

    def reads(self, world: World) -> Iterable[str]:
        return self._read(f"trigger/{self.trigger_id}", None, None)


class MakeProposal(_MaybeOfRoutine):
    """Propose something to the person; the routine is that of the trigger."""

    type: Literal["make_proposal"] = "make_proposal"
    new_ids: ClassVar[tuple[str, ...]] = ("proposal_id",)
    proposal_id: Id | None = None
    trigger_id: Id | None = None
    task_id: Id | None = None
    title: Title
    body: Text | None = None
    expires_at: At | None = None

    @property
    def own_id(self) -> str | None:
        return self.proposal_id

    @property
    def is_blind(self) -> bool:
        return self.routine_id is None and self.trigger_id is None

    def reads(self, world: World) -> Iterable[str]:
        own = f"proposal/{self.proposal_id}"
        if self.trigger_id is None:
            return self._read(own, None, None)
        ref = f"trigger/{self.trigger_id}"
        trigger = world.get(ref, TriggerState) if ref in world.states else None
        return self._read(own, ref, trigger and trigger.routine_id)


class SendNotification(_MaybeOfRoutine):
    """Tell the person something; the routine is that of the proposal, if it is about one."""

    type: Literal["send_notification"] = "send_notification"
    new_ids: ClassVar[tuple[str, ...]] = ("notification_id",)
    notification_id: Id | None = None
    title: Title
    body: Text | None = None
    channel: Id | None = None
    proposal_id: Id | None = None
    task_id: Id | None = None

    @property
    def own_id(self) -> str | None:
        return self.notification_id

    @property
    def is_blind(self) -> bool:
        return self.routine_id is None and self.proposal_id is None

    def reads(self, world: World) -> Iterable[str]:
        own = f"notification/{self.notification_id}"
        if self.proposal_id is None:
            return self._read(own, None, None)
        ref = f"proposal/{self.proposal_id}"
        proposal = world.get(ref, ProposalState) if ref in world.states else None
        return self._read(own, ref, proposal and proposal.routine_id)


class AnswerProposal(_MaybeOfRoutine):
    """Answer a proposal once; `routine_id` is needed only beside an expected version."""

    type: Literal["answer_proposal"] = "answer_proposal"
    allowed_actors: ClassVar[frozenset[str]] = PEOPLE
    proposal_id: Id
    answer: Answer
    note: Text | None = None

    @property
    def own_id(self) -> str | None:
        return self.proposal_id

    def reads(self, world: World) -> Iterable[str]:
        ref = f"proposal/{self.proposal_id}"
        proposal = world.get(ref, ProposalState) if ref in world.states else None
        return self._read(ref, None, proposal and proposal.routine_id)


class ExpireProposal(_MaybeOfRoutine):
    """Say that a proposal's time to be answered has passed; refused before it has."""

    type: Literal["expire_proposal"] = "expire_proposal"
    allowed_actors: ClassVar[frozenset[str]] = CLOCK
    proposal_id: Id

    @property
    def own_id(self) -> str | None:
        return self.proposal_id

    def reads(self, world: World) -> Iterable[str]:
        ref = f"proposal/{self.proposal_id}"
        proposal = world.get(ref, ProposalState) if ref in world.states else None
        return self._read(ref, None, proposal and proposal.routine_id)


class AnswerNotification(_MaybeOfRoutine):
    """Answer a notification once; `routine_id` is needed only beside an expected version."""

    type: Literal["answer_notification"] = "answer_notification"
    allowed_actors: ClassVar[frozenset[str]] = PEOPLE
    notification_id: Id
    answer: Answer
    note: Text | None = None

    @property
    def own_id(self) -> str | None:
        return self.notification_id

    def reads(self, world: World) -> Iterable[str]:
        ref = f"notification/{self.notification_id}"
        sent = world.get(ref, NotificationState) if ref in world.states else None
        return self._read(ref, None, sent and sent.routine_id)


AnyProactiveCommand = (
    DefineRoutine
    | ChangeRoutine
    | PauseRoutine
    | ResumeRoutine
    | StartCooldown
    | ObserveTrigger
    | MakeProposal
    | AnswerProposal
    | ExpireProposal
    | SendNotification
    | AnswerNotification
)
