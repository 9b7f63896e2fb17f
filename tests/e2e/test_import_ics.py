"""`workindex import ics`: the table, the questions after it, twice, and killed in the middle."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from calendars import alarm, event, todo, write
from commands import PROGRAM, Command
from conftest import Urls

ZONE = ";TZID=Europe/Berlin:"


def head(workindex: Command, user: str) -> int:
    """How many events the log has."""
    position: int = workindex("index", user, "--limit", "1", "--json").document["position"]
    return position


def test_a_calendar_and_its_questions(workindex: Command, tmp_path: Path) -> None:
    """Counts by file, faults named, exit code 3; the days of a series are answered."""
    good = write(
        tmp_path / "good.ics",
        event("daily", "RRULE:FREQ=DAILY", alarm(":-PT15M"), start=f"{ZONE}20260302T090000"),
        event("daily", f"RECURRENCE-ID{ZONE}20260304T090000", start=f"{ZONE}20260304T110000"),
        event("day", start=";VALUE=DATE:20260304"),
        todo("buy", "DUE;VALUE=DATE:20260304"),
    )
    write(tmp_path / "bad.ics", event("late", "DTEND:20200101T000000Z"))
    ran = workindex("import", "ics", "ada", tmp_path, "--tz", "Europe/Berlin", code=3)
    assert [line.split() for line in ran.out.splitlines() if line.startswith(("good", "bad"))] == [
        ["bad.ics", "0", "0", "0", "0", "0", "1"],
        ["good.ics", "2", "1", "1", "3", "0"],
    ]
    assert "bad.ics: VEVENT late: DTEND" in " ".join(ran.err.split())
    workindex("import", "ics", "eve", good, "--tz", "Europe/Berlin")
    before = head(workindex, "eve")
    again = workindex("import", "ics", "eve", good, "--tz", "Europe/Berlin", "--json").document
    assert (again["new"], again["facts"], head(workindex, "eve")) == (0, 0, before)
    asked = ("ask", "eve", "What meetings do I have on 2026-03-04?", "--tz", "Europe/Berlin")
    answer = workindex(*asked, "--now", "2026-03-03T12:00:00Z").out
    assert "tomorrow 11:00–11:30" in answer
    assert "tomorrow, all day" in answer
    refused = workindex("import", "ics", "eve", good, "--tz", "Nowhere", "--json", code=3)
    assert "Nowhere" in refused.document["error"]["message"]


@pytest.mark.faults
def test_killed_in_the_middle(workindex: Command, urls: Urls, tmp_path: Path) -> None:
    """Run again, it ends where a straight run does."""
    parts = [event(f"m{number}", alarm(":-PT5M"), alarm(":-PT1H")) for number in range(2_000)]
    path = write(tmp_path / "a.ics", *parts)
    workindex("import", "ics", "straight", path)
    words: list[str | Path] = [PROGRAM, "import", "ics", "killed", path]
    process = subprocess.Popen(words, env=urls.env, stdout=subprocess.DEVNULL)
    while head(workindex, "killed") < 2:
        time.sleep(0.05)
    process.kill()
    process.wait()
    partly, whole = head(workindex, "killed"), head(workindex, "straight")
    assert 0 < partly < whole
    workindex("import", "ics", "killed", path)
    assert head(workindex, "killed") == whole
    assert workindex("import", "ics", "killed", path, "--json").document["facts"] == 0
    assert workindex("projections", "verify", "--json").document["differences"] == []
