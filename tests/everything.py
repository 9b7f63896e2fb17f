"""One log that holds everything: every command of the house at least once, a row in every table.

Each command is plain data with ids of its own, so that the same log can be given to several
users, and the same command can be given by one user with the ids of another.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from driver import NOW, actor
from workindex.domain import ALL_COMMANDS
from workindex.domain.facts import ActorKind, Command
from workindex.eventlog.database import Database, tenant_transaction
from workindex.projections.awaiting import catch_up_user
from workindex.projections.follower import Follower
from workindex.projections.planning import Entry, order_of
from workindex.projections.recording import Receipt, Writer

Json = dict[str, Any]
MODELS = {command.model_fields["type"].default: command for command in ALL_COMMANDS}
SHOWN = "the hash of the approval"  # stands for what the person was shown
SECRET = "hush"  # a word in every text, so that a leak is seen
SHA = sha256(SECRET.encode()).hexdigest()


class Step(NamedTuple):
    """Somebody gives a command, so many minutes after NOW."""

    minute: int
    by: ActorKind
    command: Json

    @property
    def now(self) -> datetime:
        """When it is given."""
        return NOW + timedelta(minutes=self.minute)


def when(minute: int) -> str:
    """ISO text of NOW and so many minutes."""
    return (NOW + timedelta(minutes=minute)).isoformat()


def _do(type_: str, *, by: ActorKind = "user", at: int = 0, **given: Any) -> Step:
    return Step(at, by, {"type": type_, **given})


def _approval(number: int, *, expires: int = 600, **given: Any) -> Step:
    return _do(
        "request_approval",
        by="agent",
        approval_id=f"A-{number}",
        title=f"pay {SECRET} {number}",
        tool="bank.transfer",
        arguments={"amount": f"{number}.00", "note": SECRET},
        expires_at=when(expires),
        **given,
    )


def _grant(number: int, **given: Any) -> Step:
    return _do("grant_approval", approval_id=f"A-{number}", action_hash=SHOWN, **given)


def _start(number: int) -> Step:
    return _do(
        "start_execution",
        by="agent",
        approval_id=f"A-{number}",
        execution_id=f"X-{number}",
        action_hash=SHOWN,
        deadline_at=when(300),
        policy={"decision": "allow", "policy_id": "P-1"},
    )


TASKS = (
    _do("create_task", task_id="T-1", title=f"venue {SECRET}", description=SECRET),
    _do("create_task", task_id="T-2", title=f"guests {SECRET}", blocked_by=["T-1"]),
    _do("create_task", task_id="T-3", title=f"letter {SECRET}", parent_id="T-1"),
    _do("create_task", task_id="T-4", title=f"gone {SECRET}"),
    _do("create_task", task_id="T-5", title=f"done {SECRET}"),
    _do("change_task", task_id="T-1", description=f"more {SECRET}"),
    _do("start_task", task_id="T-1"),
    _do("enter_task_phase", task_id="T-1", phase="draft"),
    _do("set_task_plan", task_id="T-1", steps=[{"step_id": "S-1", "title": SECRET}]),
    _do("record_task_decision", task_id="T-1", decision_id="D-1", decision=SECRET),
    _do("set_task_field", task_id="T-1", name="city", value=SECRET, state="confirmed"),
    _do("attach_task_output", task_id="T-1", output_id="O-1", title=SECRET),
    _do("request_task_input", by="agent", task_id="T-1", request_id="Q-1", prompt=SECRET),
    _do("request_task_input", by="agent", task_id="T-1", request_id="Q-2", prompt=SECRET),
    _do("request_task_input", by="agent", task_id="T-1", request_id="Q-3", prompt=SECRET),
    _do("give_task_input", task_id="T-1", request_id="Q-1", answer=SECRET),
    _do("withdraw_task_input", task_id="T-1", request_id="Q-2"),
    _do("block_task", task_id="T-3", blocked_by=["T-2"], reason=SECRET),
    _do("unblock_task", task_id="T-3", blocked_by=["T-2"]),
    _do("schedule_task", task_id="T-3", scheduled_at=when(900)),
    _do("record_attempt", by="agent", task_id="T-1", attempt_id="AT-1", summary=SECRET,
        outcome="failed"),
    _do("complete_task", task_id="T-5", outcome=SECRET),
    _do("reopen_task", task_id="T-5", reason=SECRET),
    _do("fail_task", task_id="T-5", reason=SECRET),
    _do("cancel_task", task_id="T-4", reason=SECRET),
    _do("remove_task", task_id="T-4", reason=SECRET),
)  # fmt: skip

MEETINGS = (
    _do("schedule_meeting", meeting_id="M-1", title=f"budget {SECRET}", start_at=when(60)),
    _do("schedule_meeting", meeting_id="M-2", title=f"off {SECRET}", start_at=when(90)),
    _do("change_meeting", meeting_id="M-1", location=SECRET),
    _do("start_meeting", meeting_id="M-1"),
    _do("make_commitment", meeting_id="M-1", commitment_id="C-1", text=SECRET, task_id="T-1"),
    _do("make_commitment", meeting_id="M-1", commitment_id="C-2", text=SECRET),
    _do("end_meeting", meeting_id="M-1"),
    _do("write_meeting_notes", meeting_id="M-1", notes=SECRET),
    _do("attach_transcript", meeting_id="M-1", artifact_id="F-1"),
    _do("settle_commitment", meeting_id="M-1", commitment_id="C-2", status="kept"),
    _do("cancel_meeting", meeting_id="M-2", reason=SECRET),
)

APPROVALS = (
    _approval(1, task_id="T-1"),
    *(_approval(number) for number in (2, 3, 6, 7, 8, 9)),
    _approval(4, expires=5),
    _approval(5),
    _do("decide_policy", by="operator", approval_id="A-1", decision="ask", policy_id="P-1"),
    *(_grant(number) for number in (2, 8, 9)),
    _grant(5, redeem_by=when(5)),
    *(_start(number) for number in (2, 8, 9)),
    _do("succeed_execution", by="agent", approval_id="A-2", execution_id="X-2"),
    _do("fail_execution", by="agent", approval_id="A-8", execution_id="X-8", error=SECRET),
    _do("mark_execution_outcome_unknown", by="agent", approval_id="A-9", execution_id="X-9"),
    _do("deny_approval", approval_id="A-3", reason=SECRET),
    _do("withdraw_approval", approval_id="A-6", reason=SECRET),
    _do("moot_approval", by="agent", approval_id="A-7", reason_code="no_need", reason=SECRET),
    _do("expire_approval", by="scheduler", at=10, approval_id="A-4"),
    _do("lapse_grant", by="scheduler", at=10, approval_id="A-5"),
    _do("give_consent", consent="CO-1", scope="mail"),
    _do("give_consent", consent="CO-2", scope=SECRET),
    _do("withdraw_consent", consent="CO-1", reason=SECRET),
)

PROACTIVE = (
    _do("define_routine", routine_id="R-1", title=f"fares {SECRET}", next_at=when(60),
        cooldown_seconds=60),
    _do("change_routine", routine_id="R-1", instructions=SECRET),
    _do("pause_routine", routine_id="R-1", reason=SECRET),
    _do("resume_routine", routine_id="R-1", next_at=when(120)),
    _do("observe_trigger", by="agent", routine_id="R-1", trigger_id="TR-1", summary=SECRET),
    _do("make_proposal", by="agent", routine_id="R-1", proposal_id="PR-1", title=SECRET,
        trigger_id="TR-1"),
    _do("make_proposal", by="agent", routine_id="R-1", proposal_id="PR-2", title=SECRET),
    _do("answer_proposal", routine_id="R-1", proposal_id="PR-2", answer="declined", note=SECRET),
    _do("send_notification", by="agent", routine_id="R-1", notification_id="N-1", title=SECRET),
    _do("answer_notification", routine_id="R-1", notification_id="N-1", answer="dismissed"),
    _do("start_cooldown", by="scheduler", routine_id="R-1", until_at=when(90)),
    _do("set_reminder", reminder_id="RE-1", title=f"dentist {SECRET}", remind_at=when(5)),
    _do("set_reminder", reminder_id="RE-2", title=f"plants {SECRET}", remind_at=when(5)),
    _do("set_reminder", reminder_id="RE-3", title=f"off {SECRET}", remind_at=when(5)),
    _do("change_reminder", reminder_id="RE-1", title=f"the dentist {SECRET}"),
    _do("mark_reminder_due", by="scheduler", at=6, reminder_id="RE-1"),
    _do("mark_reminder_due", by="scheduler", at=6, reminder_id="RE-2"),
    _do("snooze_reminder", at=7, reminder_id="RE-1", until_at=when(60)),
    _do("dismiss_reminder", at=7, reminder_id="RE-2"),
    _do("cancel_reminder", reminder_id="RE-3", reason=SECRET),
    _do("make_proposal", by="agent", proposal_id="PR-3", title=SECRET, expires_at=when(5)),
    _do("expire_proposal", by="scheduler", at=6, proposal_id="PR-3"),
)  # fmt: skip

WORLD = (
    _do("observe_connection", by="provider", provider="mail", account="ACC-1", status="connected",
        detail=SECRET),
    _do("observe_credits", by="provider", account="ACC-2", amount="12.50", unit="EUR"),
    _do("observe_source", by="import", source="SRC-1", observed_through=when(0),
        covers=["tasks"]),
    _do("observe_source", by="import", source="SRC-2", observed_through=when(0),
        covers=["meetings"]),
    _do("retire_source", source="SRC-2", reason=SECRET),
    _do("post_message", thread_id="TH-1", message_id="ME-1", role="user", text=SECRET),
    _do("post_message", thread_id="TH-1", message_id="ME-2", role="agent", text=SECRET,
        reply_to="ME-1"),
    _do("redact_message", message_id="ME-2", reason=SECRET),
    _do("record_correction", thread_id="TH-1", correction_id="CR-1", text=SECRET,
        message_id="ME-1"),
    _do("record_checkpoint", by="agent", thread_id="TH-1", checkpoint_id="CP-1",
        body={"goal": SECRET}),
    _do("record_summary", by="agent", thread_id="TH-1", summary_id="SU-1",
        sentences=[{"text": SECRET, "message_ids": ["ME-1"]}]),
    _do("record_claim", claim_id="CL-1", subject="home", attribute="city", value=SECRET),
    _do("supersede_claim", claim_id="CL-1", new_claim_id="CL-2", value=f"other {SECRET}"),
    _do("withdraw_claim", claim_id="CL-2", reason=SECRET),
    _do("store_artifact", artifact_id="F-1", title=SECRET, media_type="text/plain", sha256=SHA,
        size_bytes=4, task_id="T-1"),
    _do("store_artifact", artifact_id="F-2", title=SECRET, media_type="text/plain", sha256=SHA,
        size_bytes=4),
    _do("forget_artifact", artifact_id="F-2", reason=SECRET),
    _do("set_preferences", time_zone="Europe/Berlin", preferences={"word": SECRET}),
)  # fmt: skip

# Artifacts come before the meeting that names one.
EVERYTHING: tuple[Step, ...] = (*TASKS, *WORLD, *MEETINGS, *APPROVALS, *PROACTIVE)
STEP_OF = {step.command["type"]: step for step in EVERYTHING} | {
    "erase_user": _do("erase_user", reason=SECRET)
}


def renamed(document: Any, ids: Callable[[str], str], texts: Callable[[str], str]) -> Any:
    """A command's document with other ids (they look like `T-1`) and other texts."""
    if isinstance(document, dict):
        return {name: renamed(value, ids, texts) for name, value in document.items()}
    if isinstance(document, list):
        return [renamed(value, ids, texts) for value in document]
    if not isinstance(document, str):
        return document
    return ids(document) if re.fullmatch(r"[A-Z]+-\d", document) else texts(document)


def give(
    database: Database,
    user_id: str,
    step: Step,
    *,
    key: str | None = None,
    shown_to: str | None = None,
) -> Receipt:
    """Record one step's command for a user, with the hash that `shown_to` (or he) was shown."""
    model: type[Command] = MODELS[step.command["type"]]
    given = step.command
    if SHOWN in given.values():
        shown = shown_hash(database, shown_to or user_id, given["approval_id"])
        given = {**given, "action_hash": shown}
    order = order_of(Entry(model.model_validate(given), key), "api", actor(step.by))
    return Writer(database).write(user_id, [order], step.now)[0]


def shown_hash(database: Database, user_id: str, approval_id: str) -> str:
    """The hash of the user's approval, zeros where the user has none of that id."""
    with database.connection() as conn, tenant_transaction(conn, user_id):
        row = conn.execute(
            "SELECT action_hash FROM work_approval WHERE approval_id = %s", (approval_id,)
        ).fetchone()
    return row[0] if row else "0" * 64


def fill(database: Database, user_id: str) -> None:
    """Give a user the whole log, and a row in the tables that no command writes yet."""
    for place, step in enumerate(EVERYTHING):
        give(database, user_id, step, key=f"K-{place}")
    with database.connection() as conn, tenant_transaction(conn, user_id):
        conn.execute(
            "INSERT INTO content (user_id, sha256, part, media_type, body) "
            "VALUES (%s, %s, 0, 'text/plain', %s)",
            (user_id, SHA, SECRET.encode()),
        )
    catch_up_user(Follower(database), database, user_id, timeout_s=30)
    with database.connection() as conn, tenant_transaction(conn, user_id):
        conn.execute(
            "INSERT INTO catchup_due (user_id, projection_set, generation, attempts, next_at) "
            "VALUES (%s, 'inline', 1, 0, %s)",
            (user_id, NOW),
        )
