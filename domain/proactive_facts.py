"""What can have happened around a routine, and what decisions remember of it.

A trigger, a proposal or a notification of a routine lives in the routine's stream; one without a
routine lives in `routine/<its own id>`. `routine_columns` gives the columns that the state of a
routine shares with its row: evolve and fold both apply it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, assert_never, cast

from pydantic import Field

from workindex.domain.changes import changed_columns
from workindex.domain.facts import At, Event, Fact, Id, Json, Seconds, Text, Title, utc

CHANGEABLE = ("title", "schedule", "next_at", "cooldown_seconds", "instructions")
RoutineStatus = Literal["active", "paused"]
Answer = Literal["accepted", "declined", "dismissed"]
Evidence = Annotated[tuple[Json, ...], Field(max_length=100)]


class RoutineFact(Fact):
    """A fact about one routine."""

    routine_id: Id

    @property
    def stream(self) -> str:
        return f"routine/{self.routine_id}"


class RoutineDefined(RoutineFact):
    """The agent shall look after something by itself.

    `next_at` was worked out from the schedule by whoever gave the command; `cooldown_seconds` is
    how long a cooldown lasts that is started without an end.
    """

    type: Literal["routine_defined"] = "routine_defined"
    title: Title
    schedule: Json | None = None
    next_at: At | None = None
    cooldown_seconds: Seconds | None = None
    instructions: Text | None = None


class RoutineChanged(RoutineFact):
    """Some fields changed: what is None stayed, what `cleared` names is empty."""

    type: Literal["routine_changed"] = "routine_changed"
    title: Title | None = None
    schedule: Json | None = None
    next_at: At | None = None
    cooldown_seconds: Seconds | None = None
    instructions: Text | None = None
    cleared: Annotated[tuple[Id, ...], Field(max_length=10)] = ()


class RoutinePaused(RoutineFact):
    """The routine stands still: it proposes and notifies nothing."""

    type: Literal["routine_paused"] = "routine_paused"
    reason: Text | None = None


class RoutineResumed(RoutineFact):
    """The routine goes on, next at `next_at` where that is given."""

    type: Literal["routine_resumed"] = "routine_resumed"
    next_at: At | None = None


class CooldownStarted(RoutineFact):
    """Nothing is proposed or notified before `until_at`."""

    type: Literal["cooldown_started"] = "cooldown_started"
    until_at: At
    reason: Text | None = None


class _MaybeOfRoutine(Fact):
    routine_id: Id | None = None

    @property
    def own_id(self) -> str:
        """The id that names the stream where there is no routine."""
        raise NotImplementedError

    @property
    def stream(self) -> str:
        return f"routine/{self.routine_id or self.own_id}"

    def _touching(self, *own: str) -> tuple[str, ...]:
        return own if self.routine_id is None else (self.stream, *own)


class TriggerObserved(_MaybeOfRoutine):
    """Something happened that may call for action; a scheduled firing names the `next_at`."""

    type: Literal["trigger_observed"] = "trigger_observed"
    trigger_id: Id
    summary: Title
    evidence: Evidence = ()
    next_at: At | None = None

    @property
    def own_id(self) -> str:
        return self.trigger_id

    @property
    def touches(self) -> tuple[str, ...]:
        return self._touching(f"trigger/{self.trigger_id}")


class ProposalMade(_MaybeOfRoutine):
    """Something is proposed to the person, because of the trigger if one is named."""

    type: Literal["proposal_made"] = "proposal_made"
    proposal_id: Id
    trigger_id: Id | None = None
    task_id: Id | None = None
    title: Title
    body: Text | None = None
    expires_at: At | None = None

    @property
    def own_id(self) -> str:
        return self.proposal_id

    @property
    def touches(self) -> tuple[str, ...]:
        own = self._touching(f"proposal/{self.proposal_id}")
        return own if self.trigger_id is None else (*own, f"trigger/{self.trigger_id}")


class ProposalAnswered(_MaybeOfRoutine):
    """The person answered the proposal."""

    type: Literal["proposal_answered"] = "proposal_answered"
    proposal_id: Id
    answer: Answer
    note: Text | None = None

    @property
    def own_id(self) -> str:
        return self.proposal_id

    @property
    def touches(self) -> tuple[str, ...]:
        return self._touching(f"proposal/{self.proposal_id}")


class ProposalExpired(_MaybeOfRoutine):
    """The time in which the proposal could be answered has passed."""

    type: Literal["proposal_expired"] = "proposal_expired"
    proposal_id: Id

    @property
    def own_id(self) -> str:
        return self.proposal_id

    @property
    def touches(self) -> tuple[str, ...]:
        return self._touching(f"proposal/{self.proposal_id}")


class NotificationSent(_MaybeOfRoutine):
    """The person was told something."""

    type: Literal["notification_sent"] = "notification_sent"
    notification_id: Id
    title: Title
    body: Text | None = None
    channel: Id | None = None
    proposal_id: Id | None = None
    task_id: Id | None = None

    @property
    def own_id(self) -> str:
        return self.notification_id

    @property
    def touches(self) -> tuple[str, ...]:
        return self._touching(f"notification/{self.notification_id}")


class NotificationAnswered(_MaybeOfRoutine):
    """The person reacted to the notification."""

    type: Literal["notification_answered"] = "notification_answered"
    notification_id: Id
    answer: Answer
    note: Text | None = None

    @property
    def own_id(self) -> str:
        return self.notification_id

    @property
    def touches(self) -> tuple[str, ...]:
        return self._touching(f"notification/{self.notification_id}")


TriggerFacts = TriggerObserved | ProposalMade
ProposalFacts = ProposalMade | ProposalAnswered | ProposalExpired
NotificationFacts = NotificationSent | NotificationAnswered
RoutineFacts = (
    RoutineDefined
    | RoutineChanged
    | RoutinePaused
    | RoutineResumed
    | CooldownStarted
    | TriggerFacts
    | ProposalFacts
    | NotificationFacts
)


class RoutineState(NamedTuple):
    """What decisions need of a routine."""

    title: str
    status: RoutineStatus
    schedule: dict[str, Any] | None
    next_at: datetime | None
    cooldown_seconds: int | None
    cooldown_until_at: datetime | None
    instructions: str | None
    last_notification: dict[str, Any] | None


class TriggerState(NamedTuple):
    """What decisions need of a trigger."""

    routine_id: str | None
    summary: str
    evidence: list[dict[str, Any]]
    proposal_id: str | None


class ProposalState(NamedTuple):
    """What decisions need of a proposal."""

    routine_id: str | None
    trigger_id: str | None
    task_id: str | None
    title: str
    body: str | None
    status: Literal["waiting", "accepted", "declined", "dismissed", "expired"]
    expires_at: datetime | None


class NotificationState(NamedTuple):
    """What decisions need of a notification."""

    routine_id: str | None
    proposal_id: str | None
    task_id: str | None
    title: str
    body: str | None
    channel: str | None
    answer: str | None


def routine_columns(last: dict[str, Any] | None, event: Event) -> dict[str, Any]:
    """The columns of a routine that the event sets; `last` is its last notification so far."""
    fact = cast(RoutineFacts, event.fact)
    match fact:
        case RoutineDefined():
            fresh = {"status": "active", "cooldown_until_at": None, "last_notification": None}
            return {name: getattr(fact, name) for name in CHANGEABLE} | fresh
        case RoutineChanged():
            return changed_columns(fact, CHANGEABLE)
        case RoutinePaused():
            return {"status": "paused"}
        case RoutineResumed(next_at=next_at):
            return {"status": "active"} | ({} if next_at is None else {"next_at": next_at})
        case CooldownStarted(until_at=until_at):
            return {"cooldown_until_at": until_at}
        case TriggerObserved(next_at=next_at):
            return {} if next_at is None else {"next_at": next_at}
        case NotificationSent():
            return {"last_notification": _sent(fact, event)}
        case NotificationAnswered(notification_id=notification_id):
            if last is None or last["notification_id"] != notification_id:
                return {}
            answer = {"answer": fact.answer, "answered_at": utc(event.occurred_at)}
            return {"last_notification": last | answer}
        case ProposalMade() | ProposalAnswered() | ProposalExpired():
            return {}
        case _:
            assert_never(fact)


def _sent(fact: NotificationSent, event: Event) -> dict[str, Any]:
    return {
        "notification_id": fact.notification_id,
        "title": fact.title,
        "sent_at": utc(event.occurred_at),
        "answer": None,
        "answered_at": None,
    }


def evolve_routine(state: RoutineState | None, event: Event) -> RoutineState | None:
    """The routine after one more event."""
    columns = routine_columns(state and state.last_notification, event)
    if state is None:
        assert isinstance(event.fact, RoutineDefined), event.fact
        return RoutineState(**columns)
    return state._replace(**columns)


def evolve_trigger(state: TriggerState | None, event: Event) -> TriggerState | None:
    """The trigger after one more event."""
    fact = cast(TriggerFacts, event.fact)
    match fact:
        case TriggerObserved():
            return TriggerState(fact.routine_id, fact.summary, list(fact.evidence), None)
        case ProposalMade(proposal_id=proposal_id):
            assert state is not None, fact
            return state._replace(proposal_id=proposal_id)
        case _:
            assert_never(fact)


def evolve_proposal(state: ProposalState | None, event: Event) -> ProposalState | None:
    """The proposal after one more event."""
    fact = cast(ProposalFacts, event.fact)
    match fact:
        case ProposalMade():
            return ProposalState(
                routine_id=fact.routine_id,
                trigger_id=fact.trigger_id,
                task_id=fact.task_id,
                title=fact.title,
                body=fact.body,
                status="waiting",
                expires_at=fact.expires_at,
            )
        case ProposalAnswered(answer=answer):
            assert state is not None, fact
            return state._replace(status=answer)
        case ProposalExpired():
            assert state is not None, fact
            return state._replace(status="expired")
        case _:
            assert_never(fact)


def evolve_notification(state: NotificationState | None, event: Event) -> NotificationState | None:
    """The notification after one more event."""
    fact = cast(NotificationFacts, event.fact)
    match fact:
        case NotificationSent():
            return NotificationState(
                routine_id=fact.routine_id,
                proposal_id=fact.proposal_id,
                task_id=fact.task_id,
                title=fact.title,
                body=fact.body,
                channel=fact.channel,
                answer=None,
            )
        case NotificationAnswered(answer=answer):
            assert state is not None, fact
            return state._replace(answer=answer)
        case _:
            assert_never(fact)
