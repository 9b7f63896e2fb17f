"""Routines and what comes of them: when a trigger, a proposal or a notification is refused.

A paused routine, or one in its cooldown, neither proposes nor notifies; one trigger leads to at
most one proposal; a proposal is answered once or expires, never both. The facts stand in
proactive_facts.py and the commands in proactive_commands.py; import them from here.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NoReturn, assert_never

from workindex.domain.changes import asked_changes, plain
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import Concept, Entity, Fact, World
from workindex.domain.proactive_commands import (
    AnswerNotification,
    AnswerProposal,
    AnyProactiveCommand,
    ChangeRoutine,
    DefineRoutine,
    ExpireProposal,
    MakeProposal,
    ObserveTrigger,
    PauseRoutine,
    ResumeRoutine,
    SendNotification,
    StartCooldown,
)
from workindex.domain.proactive_facts import (
    CHANGEABLE,
    CooldownStarted,
    NotificationAnswered,
    NotificationSent,
    NotificationState,
    ProposalAnswered,
    ProposalExpired,
    ProposalMade,
    ProposalState,
    RoutineChanged,
    RoutineDefined,
    RoutinePaused,
    RoutineResumed,
    RoutineState,
    TriggerObserved,
    TriggerState,
    evolve_notification,
    evolve_proposal,
    evolve_routine,
    evolve_trigger,
)


def decide(world: World, command: AnyProactiveCommand, now: datetime) -> list[Fact]:
    """Facts for a command around a routine; none where it is so already."""
    match command:
        case DefineRoutine():
            return _define(world, command)
        case ChangeRoutine() | PauseRoutine() | ResumeRoutine() | StartCooldown():
            return _steer(_routine(world, command.routine_id), command, now)
        case ObserveTrigger():
            return _observe(world, command)
        case MakeProposal():
            return _propose(world, command, now)
        case SendNotification():
            return _notify(world, command, now)
        case AnswerProposal():
            return _answer_proposal(world, command, now)
        case ExpireProposal():
            return _expire_proposal(world, command, now)
        case AnswerNotification():
            return _answer_notification(world, command)
        case _:
            assert_never(command)


def _define(world: World, command: DefineRoutine) -> list[Fact]:
    held = world.get(command.stream, RoutineState)
    fact = RoutineDefined(**command.model_dump(exclude={"type"}))
    if held is None:
        return [fact]
    if any(getattr(held, name) != getattr(fact, name) for name in CHANGEABLE):
        _refuse("routine_exists", "routine", fact.routine_id, "exists and differs: change_routine")
    return []


def _steer(
    held: RoutineState,
    command: ChangeRoutine | PauseRoutine | ResumeRoutine | StartCooldown,
    now: datetime,
) -> list[Fact]:
    routine_id = command.routine_id
    match command:
        case ChangeRoutine():
            changes = asked_changes(command, held, CHANGEABLE, never_empty=("title",))
            return [RoutineChanged(routine_id=routine_id, **changes)] if changes else []
        case PauseRoutine(reason=reason):
            is_new = held.status != "paused"
            return [RoutinePaused(routine_id=routine_id, reason=reason)] if is_new else []
        case ResumeRoutine(next_at=next_at):
            if held.status == "paused":
                return [RoutineResumed(routine_id=routine_id, next_at=next_at)]
            if next_at not in (None, held.next_at):
                _refuse("routine_active", "routine", routine_id, "is active: use change_routine")
            return []
        case StartCooldown():
            return _cool_down(held, command, now)
        case _:
            assert_never(command)


def _cool_down(held: RoutineState, command: StartCooldown, now: datetime) -> list[Fact]:
    until_at = command.until_at
    if until_at is None:
        if held.cooldown_seconds is None:
            raise CommandRefused(
                "no_cooldown",
                f"routine {command.routine_id} has no cooldown_seconds: give until_at",
                field="until_at",
            )
        until_at = now + timedelta(seconds=held.cooldown_seconds)
    if until_at <= now:
        raise CommandRefused(
            "until_at_past",
            f"until_at {until_at.isoformat()} has passed: give a later time",
            field="until_at",
        )
    if until_at == held.cooldown_until_at:
        return []
    started = CooldownStarted(
        routine_id=command.routine_id, until_at=until_at, reason=command.reason
    )
    return [started]


def _observe(world: World, command: ObserveTrigger) -> list[Fact]:
    assert command.trigger_id is not None, "the runtime fills new ids"
    held = world.get(f"trigger/{command.trigger_id}", TriggerState)
    if held is not None:
        if held.routine_id != command.routine_id:
            owner = f"exists for routine {held.routine_id}: choose another id"
            _refuse("trigger_exists", "trigger", command.trigger_id, owner)
        return []
    if command.routine_id is not None:
        _routine(world, command.routine_id)
    return [TriggerObserved(**command.model_dump(exclude={"type"}))]


def _propose(world: World, command: MakeProposal, now: datetime) -> list[Fact]:
    assert command.proposal_id is not None, "the runtime fills new ids"
    routine_id = command.routine_id
    trigger = None
    if command.trigger_id is not None:
        trigger = world.get(f"trigger/{command.trigger_id}", TriggerState)
        if trigger is None:
            _refuse("unknown_trigger", "trigger", command.trigger_id, "is unknown: observe it")
        routine_id = _same_routine(routine_id, trigger.routine_id)
    values = command.model_dump(exclude={"type"}) | {"routine_id": routine_id}
    fact = ProposalMade(**values)
    held = world.get(f"proposal/{fact.proposal_id}", ProposalState)
    if _is_stored("proposal", fact.proposal_id, held, fact):
        return []
    if trigger is not None and trigger.proposal_id is not None:
        led_to = f"led to proposal {trigger.proposal_id} already: one trigger, one proposal"
        _refuse("trigger_has_proposal", "trigger", str(command.trigger_id), led_to)
    if fact.expires_at is not None and fact.expires_at <= now:
        raise CommandRefused(
            "expires_at_past",
            f"expires_at {fact.expires_at.isoformat()} has passed: give a later time",
            field="expires_at",
        )
    _refuse_silent(world, routine_id, now)
    return [fact]


def _notify(world: World, command: SendNotification, now: datetime) -> list[Fact]:
    assert command.notification_id is not None, "the runtime fills new ids"
    routine_id = command.routine_id
    if command.proposal_id is not None:
        proposal = _proposal(world, command.proposal_id)
        routine_id = _same_routine(routine_id, proposal.routine_id)
    values = command.model_dump(exclude={"type"}) | {"routine_id": routine_id}
    fact = NotificationSent(**values)
    held = world.get(f"notification/{fact.notification_id}", NotificationState)
    if _is_stored("notification", fact.notification_id, held, fact):
        return []
    _refuse_silent(world, routine_id, now)
    return [fact]


def _answer_proposal(world: World, command: AnswerProposal, now: datetime) -> list[Fact]:
    held = _proposal(world, command.proposal_id)
    if held.expires_at is not None and (
        held.status == "expired" or (held.status == "waiting" and held.expires_at <= now)
    ):
        ended = f"expired at {held.expires_at.isoformat()}: ask for a new one"
        _refuse("proposal_expired", "proposal", command.proposal_id, ended)
    if held.status != "waiting":
        _refuse("already_answered", "proposal", command.proposal_id, f"was {held.status} already")
    routine_id = _same_routine(command.routine_id, held.routine_id)
    values = command.model_dump(exclude={"type"}) | {"routine_id": routine_id}
    return [ProposalAnswered(**values)]


def _expire_proposal(world: World, command: ExpireProposal, now: datetime) -> list[Fact]:
    held = _proposal(world, command.proposal_id)
    name = command.proposal_id
    if held.status == "expired":
        return []
    if held.status != "waiting":
        _refuse("already_answered", "proposal", name, f"was {held.status}: it waits for nobody")
    if held.expires_at is None:
        _refuse("not_expiring", "proposal", name, "has no expires_at: it waits for its answer")
    if held.expires_at > now:
        until = f"may be answered until {held.expires_at.isoformat()}: wait until then"
        _refuse("not_due", "proposal", name, until)
    routine_id = _same_routine(command.routine_id, held.routine_id)
    return [ProposalExpired(routine_id=routine_id, proposal_id=name)]


def _answer_notification(world: World, command: AnswerNotification) -> list[Fact]:
    held = world.get(f"notification/{command.notification_id}", NotificationState)
    name = command.notification_id
    if held is None:
        _refuse("unknown_notification", "notification", name, "is unknown: check the id")
    if held.answer is not None:
        _refuse("already_answered", "notification", name, f"was {held.answer} already")
    routine_id = _same_routine(command.routine_id, held.routine_id)
    values = command.model_dump(exclude={"type"}) | {"routine_id": routine_id}
    return [NotificationAnswered(**values)]


def _is_stored(
    kind: str, name: str, held: ProposalState | NotificationState | None, fact: Fact
) -> bool:
    """Whether the very same was stored before. Raises: CommandRefused for other content."""
    if held is None:
        return False
    stored = {key: value for key, value in held._asdict().items() if hasattr(fact, key)}
    if stored != {key: plain(getattr(fact, key)) for key in stored}:
        _refuse(f"{kind}_exists", kind, name, "exists and differs: choose another id")
    return True


def _routine(world: World, routine_id: str) -> RoutineState:
    state = world.get(f"routine/{routine_id}", RoutineState)
    if state is None:
        _refuse("unknown_routine", "routine", routine_id, "is unknown: define it first")
    return state


def _proposal(world: World, proposal_id: str) -> ProposalState:
    state = world.get(f"proposal/{proposal_id}", ProposalState)
    if state is None:
        _refuse("unknown_proposal", "proposal", proposal_id, "is unknown: check the id")
    return state


def _same_routine(given: str | None, held: str | None) -> str | None:
    if given is not None and given != held:
        raise CommandRefused(
            "wrong_routine",
            f"it belongs to {f'routine {held}' if held else 'no routine'}, not to routine {given}: "
            "leave routine_id out",
            field="routine_id",
        )
    return held


def _refuse_silent(world: World, routine_id: str | None, now: datetime) -> None:
    """Refuse while the routine is paused or in its cooldown."""
    if routine_id is None:
        return
    routine = _routine(world, routine_id)
    if routine.status == "paused":
        _refuse("routine_paused", "routine", routine_id, "is paused: resume_routine comes first")
    until_at = routine.cooldown_until_at
    if until_at is not None and now < until_at:
        waits = f"is in its cooldown until {until_at.isoformat()}: wait until then"
        _refuse("in_cooldown", "routine", routine_id, waits)


def _refuse(code: str, kind: str, name: str, why: str) -> NoReturn:
    raise CommandRefused(code, f"{kind} {name} {why}", field=f"{kind}_id")


PROACTIVE = Concept(
    "proactive",
    facts=(
        RoutineDefined,
        RoutineChanged,
        RoutinePaused,
        RoutineResumed,
        TriggerObserved,
        ProposalMade,
        ProposalAnswered,
        ProposalExpired,
        NotificationSent,
        NotificationAnswered,
        CooldownStarted,
    ),
    commands=(
        DefineRoutine,
        ChangeRoutine,
        PauseRoutine,
        ResumeRoutine,
        ObserveTrigger,
        MakeProposal,
        AnswerProposal,
        ExpireProposal,
        SendNotification,
        AnswerNotification,
        StartCooldown,
    ),
    entities=(
        Entity("routine", RoutineState, evolve_routine),
        Entity("trigger", TriggerState, evolve_trigger),
        Entity("proposal", ProposalState, evolve_proposal),
        Entity("notification", NotificationState, evolve_notification),
    ),
    decide=decide,
)
