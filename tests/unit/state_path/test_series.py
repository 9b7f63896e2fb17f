"""Questions about repeating meetings and reminders: every instance, and no more than there are."""

from __future__ import annotations

from typing import Any

import pytest

from asking import ask, ids
from index_rows import NOW, at, meeting, reminder, settings
from workindex.domain.facts import utc


def starts(text: str, *rows: Any) -> list[str]:
    """When the items of the answer begin, as UTC day and time."""
    found = ask(text, *rows)
    assert found.verdict == "items", found.reasons
    return [f"{item.value['start_at'][5:16]}" for item in found.items if item.value]


def standup(**more: Any) -> Any:
    """Every weekday at nine in Berlin, for a quarter of an hour; NOW is a Wednesday at noon."""
    start_at = at(days=-30, hours=-4)
    return meeting(
        "M-1",
        "Stand-up",
        start_at=start_at,
        end_at=start_at.replace(minute=15),
        time_zone="Europe/Berlin",
        **{"recurrence": {"rrule": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}, **more},
    )


def test_a_series_is_on_every_day_that_it_meets() -> None:
    """Each instance of the span is an item, named by where the rule puts it."""
    assert starts("What meetings do I have today?", standup()) == ["03-04T08:00"]
    assert starts("What meetings do I have tomorrow?", standup()) == ["03-05T08:00"]
    assert starts("meetings this week", standup()) == [f"03-0{day}T08:00" for day in range(2, 7)]
    found = ask("meetings this week", standup())
    assert ids(found) == ["M-1"] * 5
    value = found.items[0].value or {}
    assert value["instance_at"] == "2026-03-02T08:00:00+00:00"
    assert ask("meetings on 2026-03-07", standup()).verdict == "proven_empty"


def test_without_a_day_a_series_is_told_once() -> None:
    """What goes on, else what comes next; the answer holds until then."""
    assert starts("my meetings", standup()) == ["03-05T08:00"]
    assert starts("What's my next meeting?", standup(), meeting("M-2", start_at=at(days=2))) == [
        "03-05T08:00"
    ]
    now = ask("Am I in a meeting right now?", standup())
    assert now.verdict == "proven_empty"
    assert now.certificate["valid_until"] == utc(at(hours=20))


def test_overrides_and_cancellations_apply() -> None:
    """A moved instance is where it was moved to, a cancelled one is in no list but its own."""
    told = {
        "rrule": "FREQ=DAILY",
        "overrides": [
            {"at": "2026-03-04T08:00:00Z", "start_at": "2026-03-05T15:00:00Z", "title": "Late"},
            {"at": "2026-03-05T08:00:00Z", "cancelled": True},
        ],
    }
    row = standup(recurrence=told)
    assert ask("meetings today?", row).verdict == "proven_empty"
    tomorrow = ask("meetings tomorrow", row)
    assert [item.title for item in tomorrow.items] == ["Late"]
    assert starts("What's my next meeting?", row) == ["03-05T15:00"]
    assert starts("cancelled meetings", row) == ["03-05T08:00"]


def test_reported_as_started_one_instance_is_on() -> None:
    """The status that was reported belongs to the instance of that time."""
    row = standup(status="started", started_at=at(hours=-4))
    assert ask("meetings today?", row).items[0].why.startswith("today 08:00–08:15")
    assert "not reported as ended" in ask("Am I in a meeting right now?", row).items[0].why
    over = standup(status="ended", started_at=at(hours=-4), ended_at=at(hours=-3.8))
    assert ask("Am I in a meeting right now?", over).verdict == "proven_empty"
    assert starts("meetings tomorrow", over) == ["03-05T08:00"]


def test_a_whole_day_reads_as_one() -> None:
    """From midnight to midnight of the user's zone is all day."""
    start_at = at(hours=-13)
    whole = meeting("M-1", "Holiday", start_at=start_at, end_at=at(hours=11))
    found = ask("meetings today?", whole, settings(time_zone="Europe/Berlin"))
    assert "today, all day" in found.text
    assert "all day" not in ask("meetings today?", whole).text


def test_a_series_that_is_not_worked_out_leaves_a_doubt() -> None:
    """Its first time is told, its others are not denied."""
    row = standup(recurrence={"rrule": "FREQ=SECONDLY"})
    found = ask("meetings tomorrow", row)
    assert (found.verdict, found.reasons) == ("unproven", ("recurrence:M-1",))
    assert ask("meetings today?", meeting("M-2"), row).text.startswith("At least 1 meeting")


WEEKLY = {"rrule": "FREQ=WEEKLY", "start_at": "2026-03-04T13:00:00Z", "offset_seconds": -3600}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Any reminders today?", ["2026-03-04T12:00"]),
        ("Do I have any reminders tomorrow?", []),
        ("reminders on 2026-03-11", ["2026-03-11T12:00"]),
        ("What's my next reminder?", ["2026-03-11T12:00"]),
        ("my reminders", ["2026-03-04T12:00"]),
    ],
)
def test_a_repeating_reminder_comes_again(text: str, expected: list[str]) -> None:
    """One that is due now waits, and is there again a week later; each an hour before."""
    row = reminder("R-1", remind_at=NOW, recurrence=WEEKLY, set_at=at(days=-1))
    found = ask(text, row)
    assert [item.due_at.isoformat()[:16] for item in found.items if item.due_at] == expected
    assert found.reasons == ()


def test_a_count_without_its_start_is_a_doubt() -> None:
    """Once the reminder has moved on, nobody knows how many are left."""
    told = {"rrule": "FREQ=DAILY;COUNT=3"}
    fresh = reminder("R-1", remind_at=at(hours=1), recurrence=told, updated_at=at(days=-1))
    assert len(ask("Do I have any reminders tomorrow?", fresh).items) == 1
    moved = fresh._replace(updated_at=NOW)
    assert ask("Do I have any reminders tomorrow?", moved).reasons == ("recurrence:R-1",)
