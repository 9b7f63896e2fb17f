"""The oracle's rules of reminders, proposals, sources, messages and claims."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from db.stateful.oracle_rules import PEOPLE, Facts, Sight, refuse_if, time_of

Command = Mapping[str, Any]
CLOCK = ("scheduler", "operator", "import")
CAUTION = ("whole", "partial", "suspect")


def due(user: dict[str, Any], now: datetime) -> set[str]:
    """Reminders that came due and were not answered."""
    return {
        name
        for name, one in user["reminders"].items()
        if one["status"] == "due" or (one["status"] in ("set", "snoozed") and one["at"] <= now)
    }


def awaiting(user: dict[str, Any], now: datetime) -> set[str]:
    """Proposals that await an answer."""
    return {
        name
        for name, one in user["proposals"].items()
        if one["status"] == "waiting" and (one["expires"] is None or one["expires"] > now)
    }


def _set(sight: Sight, command: Command) -> Facts:
    name = command["reminder_id"]
    refuse_if(name in sight.user["reminders"])
    at = time_of(command["remind_at"])
    sight.user["reminders"][name] = {"status": "set", "at": at, "since": None}
    return (("reminder_set", f"reminder/{name}"),)


def _reminder(sight: Sight, command: Command) -> Facts:
    reminder = sight.user["reminders"].get(command["reminder_id"])
    refuse_if(reminder is None or reminder["status"] in ("dismissed", "cancelled"))
    stream = f"reminder/{command['reminder_id']}"
    match command["type"]:
        case "change_reminder":
            at = time_of(command["remind_at"])
            if at == reminder["at"]:
                return ()
            reminder.update(status="set", at=at, since=None)
            return (("reminder_changed", stream),)
        case "mark_reminder_due":
            return _mark_due(sight, reminder, stream)
        case "snooze_reminder":
            until = time_of(command["until_at"])
            assert until is not None
            refuse_if(until <= sight.now)
            if (reminder["status"], reminder["at"]) == ("snoozed", until):
                return ()
            reminder.update(status="snoozed", at=until, since=None)
            return (("reminder_snoozed", stream),)
        case "dismiss_reminder":
            reminder["status"] = "dismissed"
            return (("reminder_dismissed", stream),)
        case _:
            reminder["status"] = "cancelled"
            return (("reminder_cancelled", stream),)


def _mark_due(sight: Sight, reminder: dict[str, Any], stream: str) -> Facts:
    if reminder["since"] is not None:
        return ()
    refuse_if(reminder["at"] > sight.now)
    reminder.update(status="due", since=reminder["at"])
    return (("reminder_due", stream),)


def _by_the_clock(sight: Sight, command: Command) -> Facts:
    refuse_if(sight.actor not in CLOCK)
    return _reminder(sight, command)


def _propose(sight: Sight, command: Command) -> Facts:
    name, expires_at = command["proposal_id"], time_of(command.get("expires_at"))
    said = (command["title"], expires_at)
    held = sight.user["proposals"].get(name)
    if held is not None:
        refuse_if(held["said"] != said)
        return ()
    refuse_if(expires_at is not None and expires_at <= sight.now)
    sight.user["proposals"][name] = {"status": "waiting", "expires": expires_at, "said": said}
    return (("proposal_made", f"routine/{name}"),)


def _answer(sight: Sight, command: Command) -> Facts:
    refuse_if(sight.actor not in PEOPLE)
    name = command["proposal_id"]
    held = sight.user["proposals"].get(name)
    refuse_if(held is None or held["status"] != "waiting")
    refuse_if(name not in awaiting(sight.user, sight.now))
    held["status"] = command["answer"]
    return (("proposal_answered", f"routine/{name}"),)


def _expire(sight: Sight, command: Command) -> Facts:
    refuse_if(sight.actor not in CLOCK)
    name = command["proposal_id"]
    held = sight.user["proposals"].get(name)
    refuse_if(held is None)
    if held["status"] == "expired":
        return ()
    refuse_if(held["status"] != "waiting" or held["expires"] is None)
    refuse_if(held["expires"] > sight.now)
    held["status"] = "expired"
    return (("proposal_expired", f"routine/{name}"),)


def _observe(sight: Sight, command: Command) -> Facts:
    refuse_if(sight.actor in ("agent", "approver"))
    name, through = command["source"], time_of(command["observed_through"])
    assert through is not None
    new = {
        "covers": command["covers"],
        "through": through,
        "fresh": command["fresh_seconds"],
        "state": command["state"],
    }
    fact = (("source_observed", f"source/{name}"),)
    held = sight.user["sources"].get(name)
    sight.user["sources"][name] = new
    if held is None:
        return fact
    if through < held["through"] <= sight.now + timedelta(seconds=60):
        new["state"] = max(new["state"], held["state"], key=CAUTION.index)
        is_news = new["state"] != held["state"]
    elif (new["state"], new["fresh"]) == (held["state"], held["fresh"]):
        is_news = abs(through - held["through"]) * 2 >= timedelta(seconds=new["fresh"])
    else:
        is_news = True
    if not is_news:
        sight.user["sources"][name] = held
    return fact if is_news else ()


def _retire(sight: Sight, command: Command) -> Facts:
    refuse_if(sight.actor not in (*PEOPLE, "operator", "import"))
    refuse_if(command["source"] not in sight.user["sources"])
    del sight.user["sources"][command["source"]]
    return (("source_retired", f"source/{command['source']}"),)


def _post(sight: Sight, command: Command) -> Facts:
    said, stream = sight.user["said"], f"message/{command['message_id']}"
    refuse_if(said.get(stream, command["text"]) != command["text"])
    if stream in said:
        return ()
    said[stream] = command["text"]
    return (("message_posted", stream),)


def _claim(sight: Sight, command: Command) -> Facts:
    stream = f"claim/{command['claim_id']}"
    refuse_if(stream in sight.user["said"])
    sight.user["said"][stream] = command["value"]
    return (("claim_recorded", stream),)


RULES = {
    "set_reminder": _set,
    "change_reminder": _reminder,
    "mark_reminder_due": _by_the_clock,
    "snooze_reminder": _reminder,
    "dismiss_reminder": _reminder,
    "cancel_reminder": _reminder,
    "make_proposal": _propose,
    "answer_proposal": _answer,
    "expire_proposal": _expire,
    "observe_source": _observe,
    "retire_source": _retire,
    "post_message": _post,
    "record_claim": _claim,
}
