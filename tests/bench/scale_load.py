"""What many users' logs look like: lines for `workindex record - --bulk`, the same each time.

A user's log is a row of days. A day holds every kind of everyday fact, and ends with little open:
some tasks, requests and reminders wait, as they would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

Json = dict[str, Any]

START = datetime(2026, 1, 5, 8, tzinfo=UTC)
LATER = datetime(2099, 1, 1, tzinfo=UTC)
TEXT = "Could you look at the offer for the spring order and tell me what is still missing? "
WAITING_DAYS = 2  # the last days whose questions nobody has answered yet


def user_name(number: int) -> str:
    """The id of one of the users."""
    return f"user-{number:06}"


def log_lines(number: int, events: int) -> Iterator[bytes]:
    """The commands of one user, each of one event, as lines."""
    user_id = user_name(number)
    made = 0
    days = -(-events // len(DAY))
    for day in range(days):
        for place, make in enumerate(DAY):
            if made == events:
                return
            command = make(f"{day}", day >= days - WAITING_DAYS)
            command["user_id"] = user_id
            command["key"] = f"{day}-{place}"
            command["occurred_at"] = (START + timedelta(days=day, minutes=place)).isoformat()
            yield orjson.dumps(command) + b"\n"
            made += 1


Make = Callable[[str, bool], Json]


def _task(name: str) -> Make:
    return lambda day, _: {
        "type": "create_task",
        "task_id": f"t{day}-{name}",
        "title": f"Send the offer {name} of day {day} to the customer",
        "priority": 2,
        "labels": ["sales"],
    }


def _of_task(type_: str, name: str, /, **more: Any) -> Make:
    return lambda day, _: {"type": type_, "task_id": f"t{day}-{name}", **more}


def _answered(name: str) -> Make:
    """An answer; in the last days the task is started instead and goes on waiting."""

    def make(day: str, waits: bool) -> Json:
        task = {"task_id": f"t{day}-{name}"}
        if waits:
            return {"type": "start_task", **task}
        return {"type": "give_task_input", **task, "request_id": "r", "answer": "the red one"}

    return make


def _message(name: str, role: str) -> Make:
    return lambda day, _: {
        "type": "post_message",
        "message_id": f"m{day}-{name}",
        "thread_id": f"d{day}",
        "role": role,
        "text": TEXT,
    }


def _claim(name: str) -> Make:
    return lambda day, _: {
        "type": "record_claim",
        "claim_id": f"c{day}-{name}",
        "subject": f"customer-{day}-{name}",
        "attribute": "city",
        "value": "Bern",
    }


def _reminder(name: str) -> Make:
    return lambda day, _: {
        "type": "set_reminder",
        "reminder_id": f"r{day}-{name}",
        "title": "Call back",
        "remind_at": LATER.isoformat(),
    }


def _approval(day: str, _: bool) -> Json:
    return {
        "type": "request_approval",
        "approval_id": f"a{day}",
        "title": "Pay the invoice",
        "tool": "bank.transfer",
        "arguments": {"amount": "120.00", "day": day},
        "expires_at": LATER.isoformat(),
    }


def _settled(day: str, _: bool) -> Json:
    return {
        "type": "withdraw_approval",
        "approval_id": f"a{day}",
        "reason": "paid by card",
        "actor": {"kind": "user", "id": "me"},
    }


def _meeting(day: str, _: bool) -> Json:
    return {
        "type": "schedule_meeting",
        "meeting_id": f"g{day}",
        "title": "Budget",
        "start_at": (START + timedelta(days=int(day), hours=3)).isoformat(),
    }


_TALK = tuple(_message(f"{n}", "user" if n % 2 else "agent") for n in range(20))
DAY: tuple[Make, ...] = (
    *_TALK[:8],
    *(_task(f"{n}") for n in range(8)),
    *(_of_task("start_task", f"{n}") for n in range(3)),
    _of_task("request_task_input", "3", request_id="r", prompt="Which one shall it be?"),
    *_TALK[8:14],
    _meeting,
    _approval,
    _settled,
    *(_claim(f"{n}") for n in range(4)),
    _answered("3"),
    *(_reminder(f"{n}") for n in range(2)),
    lambda day, _: {"type": "dismiss_reminder", "reminder_id": f"r{day}-0"},
    *_TALK[14:],
    *(_of_task("complete_task", f"{n}", outcome="sent") for n in (0, 1, 2, 4, 5, 6)),
    _of_task("set_task_field", "7", name="city", value="Bern", state="mentioned"),
    _of_task("set_task_plan", "7", steps=[{"step_id": "1", "title": "Write it"}]),
)
