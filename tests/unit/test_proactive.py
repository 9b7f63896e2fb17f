"""Routines: what they may propose and notify, when, and who answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from driver import NOW, Driver, at
from workindex.domain.errors import CommandRefused, NotPermitted
from workindex.domain.facts import EVERY_ACTOR, PEOPLE, ActorKind, Command
from workindex.domain.proactive import PROACTIVE
from workindex.domain.proactive_commands import (
    AnswerNotification,
    AnswerProposal,
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
from workindex.domain.proactive_facts import ProposalExpired, ProposalMade
from workindex.projections import proactive

DEFINE = DefineRoutine(
    routine_id="R",
    title="Morning mail",
    schedule={"rrule": "FREQ=DAILY"},
    next_at=at("2026-03-03 07:00"),
    cooldown_seconds=3_600,
)
TRIGGER = ObserveTrigger(trigger_id="T", routine_id="R", summary="3 new mails")
PROPOSAL = MakeProposal(
    proposal_id="P", trigger_id="T", title="Answer Ms Lee?", expires_at=at("12:00")
)
NOTICE = SendNotification(notification_id="N", routine_id="R", title="3 new mails")
COMMANDS: tuple[Command, ...] = (
    DEFINE,
    ChangeRoutine(routine_id="R", title="Evening mail"),
    PauseRoutine(routine_id="R"),
    ResumeRoutine(routine_id="R"),
    StartCooldown(routine_id="R"),
    TRIGGER,
    PROPOSAL,
    NOTICE,
    AnswerProposal(proposal_id="P", answer="accepted"),
    AnswerNotification(notification_id="N", answer="dismissed"),
)


def new_driver(*commands: Command) -> Driver:
    return Driver((PROACTIVE,), proactive.TABLES).given(*commands)


def test_from_a_trigger_to_an_answer() -> None:
    """All facts of a routine stand in its stream, and the answer needs the proposal's id only."""
    driver = new_driver(DEFINE, TRIGGER, PROPOSAL)
    assert driver.row("trigger/T").proposal_id == "P"
    is_open = proactive.WORK_PROPOSAL.is_open
    assert is_open is not None
    assert is_open(driver.row("proposal/P"))
    answer = AnswerProposal(proposal_id="P", answer="accepted", note="go on")
    driver.do(answer, now=at("10:00"))
    assert {event.fact.stream for event in driver.log} == {"routine/R"}
    assert driver.row("proposal/P") == proactive.ProposalRow(
        proposal_id="P",
        routine_id="R",
        trigger_id="T",
        task_id=None,
        title="Answer Ms Lee?",
        body=None,
        status="accepted",
        made_at=NOW,
        expires_at=at("12:00"),
        answered_at=at("10:00"),
        answer="accepted",
        note="go on",
    )
    assert not is_open(driver.row("proposal/P"))
    assert driver.row("routine/R").revision == 4


def test_without_a_routine_each_has_its_own_stream() -> None:
    """What belongs to no routine lives in routine/<its own id> and makes no routine row."""
    driver = new_driver(
        ObserveTrigger(trigger_id="T", summary="Parcel arrived"),
        MakeProposal(proposal_id="P", trigger_id="T", title="Pick it up?"),
        SendNotification(notification_id="N", proposal_id="P", title="Parcel"),
        AnswerProposal(proposal_id="P", answer="declined"),
        AnswerNotification(notification_id="N", answer="dismissed"),
    )
    assert [event.fact.stream for event in driver.log] == [
        "routine/T",
        "routine/P",
        "routine/N",
        "routine/P",
        "routine/N",
    ]
    assert [ref for ref in driver.rows if ref.startswith("routine/")] == []
    assert driver.row("notification/N").answer == "dismissed"


def test_touches_name_every_row() -> None:
    """A proposal of a routine moves the routine, itself and its trigger."""
    driver = new_driver(DEFINE, TRIGGER, PROPOSAL, NOTICE)
    assert [event.fact.touches for event in driver.log] == [
        ("routine/R",),
        ("routine/R", "trigger/T"),
        ("routine/R", "proposal/P", "trigger/T"),
        ("routine/R", "notification/N"),
    ]


REFUSED: list[tuple[str, tuple[Command, ...], Command, str]] = [
    ("no routine", (), ChangeRoutine(routine_id="R", title="x"), "unknown_routine"),
    ("no routine", (), TRIGGER, "unknown_routine"),
    ("no routine", (), NOTICE, "unknown_routine"),
    ("no trigger", (DEFINE,), PROPOSAL, "unknown_trigger"),
    ("no proposal", (), AnswerProposal(proposal_id="P", answer="declined"), "unknown_proposal"),
    ("no notice", (), AnswerNotification(notification_id="N", answer="accepted"),
     "unknown_notification"),
    ("about no proposal", (), SendNotification(proposal_id="P", title="x"), "unknown_proposal"),
    ("defined otherwise", (DEFINE,), DefineRoutine(routine_id="R", title="x"), "routine_exists"),
    ("no title", (DEFINE,), ChangeRoutine(routine_id="R", title=None), "field_required"),
    ("not paused", (DEFINE,), ResumeRoutine(routine_id="R", next_at=at("20:00")),
     "routine_active"),
    ("trigger of another", (DEFINE, TRIGGER), ObserveTrigger(trigger_id="T", summary="x"),
     "trigger_exists"),
    ("second proposal", (DEFINE, TRIGGER, PROPOSAL),
     MakeProposal(proposal_id="P2", trigger_id="T", title="Again?"), "trigger_has_proposal"),
    ("other content", (DEFINE, TRIGGER, PROPOSAL),
     MakeProposal(proposal_id="P", trigger_id="T", title="Else?"), "proposal_exists"),
    ("other routine", (DEFINE, TRIGGER),
     MakeProposal(proposal_id="P", trigger_id="T", routine_id="Q", title="x"), "wrong_routine"),
    ("other routine", (DEFINE, TRIGGER, PROPOSAL),
     AnswerProposal(proposal_id="P", routine_id="Q", answer="accepted"), "wrong_routine"),
    ("too late", (DEFINE, TRIGGER),
     MakeProposal(proposal_id="P", trigger_id="T", title="x", expires_at=NOW), "expires_at_past"),
    ("paused", (DEFINE, TRIGGER, PauseRoutine(routine_id="R")), PROPOSAL, "routine_paused"),
    ("paused", (DEFINE, PauseRoutine(routine_id="R")), NOTICE, "routine_paused"),
    ("cooldown", (DEFINE, TRIGGER, StartCooldown(routine_id="R")), PROPOSAL, "in_cooldown"),
    ("cooldown", (DEFINE, StartCooldown(routine_id="R")), NOTICE, "in_cooldown"),
    ("answered", (DEFINE, TRIGGER, PROPOSAL, AnswerProposal(proposal_id="P", answer="accepted")),
     AnswerProposal(proposal_id="P", answer="accepted"), "already_answered"),
    ("answered", (DEFINE, NOTICE, AnswerNotification(notification_id="N", answer="accepted")),
     AnswerNotification(notification_id="N", answer="declined"), "already_answered"),
    ("no length", (DefineRoutine(routine_id="R", title="x"),), StartCooldown(routine_id="R"),
     "no_cooldown"),
    ("over", (DEFINE,), StartCooldown(routine_id="R", until_at=NOW), "until_at_past"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "command", "code"), REFUSED)
def test_refusals(name: str, before: tuple[Command, ...], command: Command, code: str) -> None:
    """What the state forbids is refused with its own code, and nothing is recorded."""
    driver = new_driver(*before)
    recorded = len(driver.log)
    assert driver.refusal(command) == code, name
    assert len(driver.log) == recorded


NOTHING_NEW: list[tuple[tuple[Command, ...], Command]] = [
    ((DEFINE,), DEFINE),
    ((DEFINE,), ChangeRoutine(routine_id="R", title="Morning mail")),
    ((DEFINE,), ResumeRoutine(routine_id="R")),
    ((DEFINE, PauseRoutine(routine_id="R")), PauseRoutine(routine_id="R")),
    ((DEFINE, TRIGGER), TRIGGER),
    ((DEFINE, TRIGGER, PROPOSAL), PROPOSAL),
    ((DEFINE, NOTICE), NOTICE),
    ((DEFINE, StartCooldown(routine_id="R")), StartCooldown(routine_id="R")),
]


@pytest.mark.parametrize(("before", "command"), NOTHING_NEW)
def test_the_same_again_changes_nothing(before: tuple[Command, ...], command: Command) -> None:
    """A repeated wish decides nothing."""
    assert new_driver(*before).do(command) == []


def test_one_intent_runs_once() -> None:
    """J5: the restart and the schedule report one intent under one id; one proposal results."""
    slot = at("2026-03-03 07:00")
    intent = {"trigger_id": "R:2026-03-03", "routine_id": "R"}
    driver = new_driver(DEFINE, ObserveTrigger(**intent, summary="restart"))
    assert driver.do(ObserveTrigger(**intent, summary="schedule"), now=slot) == []
    driver.do(MakeProposal(trigger_id="R:2026-03-03", title="Do it?"))
    again = MakeProposal(trigger_id="R:2026-03-03", title="Do it?")
    assert driver.refusal(again, now=slot) == "trigger_has_proposal"


def test_an_answer_after_expiry_is_refused() -> None:
    """J6: what ran out is not taken up again by a late answer; only a new proposal is."""
    driver = new_driver(DEFINE, TRIGGER, PROPOSAL)
    answer = AnswerProposal(proposal_id="P", answer="accepted")
    assert driver.refusal(answer, now=at("12:00")) == "proposal_expired"
    assert driver.do(answer, now=at("11:59"))


def test_a_proposal_expires_once_at_its_time() -> None:
    """The clock says so at its instant and not before; it is then open to nobody, and wakes no one.

    What has no time, was answered, or is unknown does not expire; saying it again says nothing.
    """
    driver = new_driver(DEFINE, TRIGGER, PROPOSAL, MakeProposal(proposal_id="P-ever", title="x"))
    table = proactive.WORK_PROPOSAL
    assert table.is_open is not None
    assert table.due_at is not None
    expire = ExpireProposal(proposal_id="P")
    assert table.due_at(driver.row("proposal/P")) == at("12:00")
    before = at("12:00") - timedelta(microseconds=1)
    assert driver.refusal(expire, by="scheduler", now=before) == "not_due"
    row = driver.row("proposal/P")
    facts = driver.do(expire, by="scheduler", now=at("12:00"))
    assert facts == [ProposalExpired(routine_id="R", proposal_id="P")]
    assert driver.row("proposal/P") == row._replace(status="expired")
    assert not table.is_open(driver.row("proposal/P"))
    assert table.due_at(driver.row("proposal/P")) is None
    assert driver.do(expire, by="scheduler", now=at("12:01")) == []
    late = AnswerProposal(proposal_id="P", answer="accepted")
    assert driver.refusal(late, now=at("12:01")) == "proposal_expired"
    ever = ExpireProposal(proposal_id="P-ever")
    assert driver.refusal(ever, by="scheduler", now=at("12:01")) == "not_expiring"
    unknown = ExpireProposal(proposal_id="P-none")
    assert driver.refusal(unknown, by="scheduler") == "unknown_proposal"
    driver.do(AnswerProposal(proposal_id="P-ever", answer="declined"))
    assert driver.refusal(ever, by="scheduler", now=at("12:01")) == "already_answered"


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
def test_who_says_that_a_proposal_expired(kind: ActorKind) -> None:
    """Whoever keeps the time; nobody ends what waits for a person by word alone."""
    driver = new_driver(DEFINE, TRIGGER, PROPOSAL)
    expire = ExpireProposal(proposal_id="P")
    if kind in ("scheduler", "operator", "import"):
        assert driver.do(expire, by=kind, now=at("12:00"))
    else:
        assert driver.refusal(expire, by=kind, now=at("12:00")) == "not_permitted"


def test_a_cooldown_ends_by_itself() -> None:
    """Inside it nothing is proposed; at its end it is over."""
    driver = new_driver(DEFINE, TRIGGER, StartCooldown(routine_id="R", reason="enough"))
    assert driver.row("routine/R").cooldown_until_at == NOW + timedelta(hours=1)
    end = driver.row("routine/R").cooldown_until_at
    assert driver.refusal(PROPOSAL, now=end - timedelta(seconds=1)) == "in_cooldown"
    assert driver.do(PROPOSAL, now=end)


def test_the_next_time_comes_from_the_fact() -> None:
    """A firing, a change and a resumption move `next_at`; only an active routine is due."""
    driver = new_driver(DEFINE)
    due = proactive.WORK_ROUTINE.due_at
    assert due is not None
    tomorrow, later = at("2026-03-04 07:00"), at("2026-03-05 07:00")
    fired = ObserveTrigger(trigger_id="T", routine_id="R", summary="daily", next_at=tomorrow)
    driver.do(fired, by="scheduler")
    assert due(driver.row("routine/R")) == tomorrow
    driver.do(PauseRoutine(routine_id="R"))
    assert due(driver.row("routine/R")) is None
    driver.do(ResumeRoutine(routine_id="R", next_at=later))
    assert due(driver.row("routine/R")) == later
    driver.do(ChangeRoutine(routine_id="R", next_at=None, schedule=None))
    row = driver.row("routine/R")
    assert (row.next_at, row.schedule, row.title) == (None, None, "Morning mail")


def test_next_at_needs_a_routine() -> None:
    """A trigger of no routine has no next time."""
    with pytest.raises(ValidationError, match="give its routine_id"):
        ObserveTrigger(summary="x", next_at=NOW)


def test_only_the_last_notification_is_on_the_routine() -> None:
    """The answer to an older notification does not overwrite what became of the last one."""
    driver = new_driver(
        DEFINE,
        NOTICE,
        SendNotification(notification_id="N2", routine_id="R", title="Another"),
        AnswerNotification(notification_id="N", answer="declined"),
    )
    last = driver.row("routine/R").last_notification
    assert (last["notification_id"], last["answer"]) == ("N2", None)
    driver.do(AnswerNotification(notification_id="N2", answer="accepted"), now=at("09:30"))
    last = driver.row("routine/R").last_notification
    assert (last["answer"], last["answered_at"]) == ("accepted", "2026-03-02T09:30:00+00:00")


def test_a_notification_about_a_proposal_is_in_its_routine() -> None:
    """The routine is found through the proposal."""
    driver = new_driver(
        DEFINE, TRIGGER, PROPOSAL, SendNotification(proposal_id="P", title="Look at this")
    )
    assert driver.log[-1].fact.stream == "routine/R"


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
def test_each_actor_times_each_command(kind: ActorKind) -> None:
    """Answers are the person's; everything else may be given by everybody."""
    for command in COMMANDS:
        driver = new_driver(DEFINE, TRIGGER, PROPOSAL, NOTICE)
        if command.type.startswith("answer_") and kind not in PEOPLE:
            with pytest.raises(NotPermitted):
                driver.do(command, by=kind)
        else:
            driver.do(command, by=kind)


IDS = st.sampled_from(("R", "T", "Q"))
STEPS: st.SearchStrategy[Command] = st.one_of(
    st.sampled_from(COMMANDS),
    st.builds(
        lambda routine_id, hours: DefineRoutine(
            routine_id=routine_id, title="t", cooldown_seconds=hours * 3_600
        ),
        IDS,
        st.integers(1, 3),
    ),
    st.builds(
        lambda own, routine_id: ObserveTrigger(trigger_id=own, routine_id=routine_id, summary="s"),
        IDS,
        st.none() | IDS,
    ),
    st.builds(lambda own, t: MakeProposal(proposal_id=own, trigger_id=t, title="t"), IDS, IDS),
    st.builds(lambda own: MakeProposal(proposal_id=own, title="t"), IDS),
    st.builds(lambda own: AnswerProposal(proposal_id=own, answer="dismissed"), IDS),
    st.builds(
        lambda own, hours: MakeProposal(
            proposal_id=own, title="t", expires_at=NOW + timedelta(hours=hours)
        ),
        IDS,
        st.integers(1, 4),
    ),
    st.builds(lambda own: ExpireProposal(proposal_id=own), IDS),
    st.builds(lambda own, r: SendNotification(notification_id=own, routine_id=r, title="t"),
              IDS, st.none() | IDS),
    st.builds(lambda own: AnswerNotification(notification_id=own, answer="declined"), IDS),
    st.builds(lambda own: PauseRoutine(routine_id=own), IDS),
    st.builds(lambda own: ResumeRoutine(routine_id=own), IDS),
    st.builds(lambda own: ChangeRoutine(routine_id=own, instructions=None, title="n"), IDS),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(STEPS, st.integers(0, 5)), max_size=25))
def test_state_and_row_agree(walk: list[tuple[Any, int]]) -> None:
    """Whatever happens, folds accept it and agree with evolve (the driver checks each step)."""
    driver = new_driver()
    for command, hours in walk:
        try:
            by: ActorKind = "scheduler" if isinstance(command, ExpireProposal) else "user"
            driver.do(command, by=by, now=NOW + timedelta(hours=hours))
        except CommandRefused:
            continue
    proposed = [e.fact for e in driver.log if isinstance(e.fact, ProposalMade)]
    named = [fact.trigger_id for fact in proposed if fact.trigger_id is not None]
    assert len(named) == len(set(named))
