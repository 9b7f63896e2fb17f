"""Do the meetings that are read for a time answer as all the meetings would?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from conftest import Urls
from workindex import Actor, UserScope, WorkIndex
from workindex.assembler.state_path import answer
from workindex.assembler.state_path.recognise import recognise
from workindex.domain.facts import utc
from workindex.projections.bounds import Bounds, Want

NOW = datetime(2026, 3, 5, 9, tzinfo=UTC)  # a Thursday: the week has days behind and ahead
ZONES = ("Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin")  # UTC +14, -11, +1
QUESTIONS = (
    "What is my next meeting?",
    "Which meetings do I have?",
    "Which meetings do I have today?",
    "Which meetings do I have tomorrow?",
    "Which meetings do I have this week?",
    "Which meetings do I have on 2026-03-02?",
    "Which meetings do I have on 2026-02-01?",
    "Which meetings do I have on 2026-03-20?",
    "Which meetings are cancelled?",
    "Am I in a meeting now?",
    "What is the status of meeting M-7?",
)
ME = Actor(kind="user", id="me")


@pytest.fixture
def work_index(urls: Urls) -> Iterator[WorkIndex]:
    with closing(WorkIndex.open(urls.app, clock=lambda: NOW - timedelta(days=60))) as opened:
        yield opened


def _meeting(random: Random, number: int) -> list[dict[str, Any]]:
    """A meeting some weeks around now, of any length, perhaps a series, in any status."""
    start_at = NOW + timedelta(hours=random.choice((-900, -170, -75, -50, -26, -9, -1, 0)))
    if random.random() < 0.5:
        start_at = NOW + timedelta(hours=random.choice((1, 4, 12, 25, 31, 49, 80, 170, 366)))
    meeting = {"meeting_id": f"M-{number}"}
    told: dict[str, Any] = {"type": "schedule_meeting", "title": f"Meeting {number}", **meeting}
    told["start_at"] = utc(start_at)
    if random.random() < 0.7:
        told["end_at"] = utc(start_at + timedelta(hours=random.choice((1, 2, 30, 200))))
    if random.random() < 0.2:
        told["recurrence"] = {"rrule": random.choice(("FREQ=DAILY", "FREQ=WEEKLY;COUNT=3"))}
    commands = [told]
    if random.random() < 0.4:
        made = {"commitment_id": f"K-{number}", "text": "Send the notes", **meeting}
        commands.append({"type": "make_commitment", **made})
    ways = ((), (), ("start",), ("start", "end"), ("cancel",))
    return commands + [{"type": f"{word}_meeting", **meeting} for word in random.choice(ways)]


@pytest.mark.parametrize("seed", range(4))
def test_the_meetings_that_matter_answer_as_all_of_them(work_index: WorkIndex, seed: int) -> None:
    """In every zone, whatever was asked, also while a meeting goes on for days."""
    random = Random(seed)
    ann = work_index.user("ann")
    ann.record_all([one for n in range(40) for one in _meeting(random, n)], actor=ME)
    for tz in ZONES:
        for text in QUESTIONS:
            question = recognise(text)
            assert question is not None, text
            told = ann.ask(text, now=NOW, tz=tz)
            whole = work_index.reader.read("ann", {"meeting": "all", "commitment": "all"}, now=NOW)
            expected = answer(question, whole, tz=tz, locale="en")
            assert told is not None
            assert (told.items, told.total, told.verdict) == (
                expected.items,
                expected.total,
                expected.verdict,
            ), (text, tz)


def test_what_is_long_over_is_not_read(work_index: WorkIndex) -> None:
    """Of a thousand meetings of last year none, of their commitments those still open."""
    ann = work_index.user("ann")
    start_at = NOW - timedelta(days=400)
    _schedule(ann, [start_at + timedelta(hours=n) for n in range(1_000)])
    _schedule(ann, [NOW + timedelta(hours=1)], first=1_000)
    ann.record({"type": "make_commitment", "meeting_id": "M-1", "commitment_id": "K-1",
                "text": "Send the notes"}, actor=ME)  # fmt: skip
    want: Want = {"meeting": "timely", "commitment": "timely"}
    reading = work_index.reader.read("ann", want, now=NOW, bounds=Bounds())
    assert [row.meeting_id for row in reading.rows["meeting"]] == ["M-1000"]
    assert [row.commitment_id for row in reading.rows["commitment"]] == ["K-1"]


def _schedule(user: UserScope, starts: list[datetime], first: int = 0) -> None:
    meeting = {"type": "schedule_meeting", "title": "Talk"}
    user.record_all(
        [
            {**meeting, "meeting_id": f"M-{first + n}", "start_at": utc(at)}
            for n, at in enumerate(starts)
        ],
        actor=ME,
    )
