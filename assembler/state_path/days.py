"""Which instants does "today" mean? The user's days, in the user's zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from workindex.assembler.state_path.question import StateQuestion
from workindex.domain.errors import InvalidInput
from workindex.projections.needs import Rows


class Window(NamedTuple):
    """Instants from `start_at` up to, but without, `end_at`."""

    start_at: datetime
    end_at: datetime

    def holds(self, at: datetime | None) -> bool:
        """Whether the instant lies inside."""
        return at is not None and self.start_at <= at < self.end_at

    def meets(self, start_at: datetime, end_at: datetime) -> bool:
        """Whether a span shares an instant with the window (an empty span counts as its start)."""
        return start_at < self.end_at and (end_at > self.start_at or start_at >= self.start_at)


class Clock(NamedTuple):
    """The instant of the answer and the user's zone; `zone_known` is False where UTC stands in."""

    now: datetime
    zone: ZoneInfo
    zone_known: bool

    def local(self, at: datetime) -> datetime:
        """The instant on the user's clock."""
        return at.astimezone(self.zone)

    @property
    def today(self) -> date:
        """The user's day."""
        return self.local(self.now).date()

    def days(self, first: date, count: int = 1) -> Window:
        """A run of the user's days; a day may have 23 or 25 hours."""
        return Window(self._midnight(first), self._midnight(_later(first, count)))

    def window(self, question: StateQuestion) -> Window | None:
        """The days that the question names by `date` or `when`, None where it names none."""
        named = question.filter("date")
        if named is not None:
            return self.days(date.fromisoformat(named))
        match question.filter("when"):
            case "today":
                return self.days(self.today)
            case "tomorrow":
                return self.days(_later(self.today, 1))
            case "this_week":
                return self.days(_later(self.today, -self.today.weekday()), 7)
        return None

    def next_midnight(self) -> datetime:
        """When the user's next day begins: every answer about a day may change then."""
        return self._midnight(_later(self.today, 1))

    def _midnight(self, day: date) -> datetime:
        return datetime.combine(day, time.min, self.zone).astimezone(UTC)


def clock_of(now: datetime, tz: str | None, rows: Rows) -> Clock:
    """The clock of an answer: `tz`, else the zone of the user's settings, else UTC.

    Raises: InvalidInput where `tz` names no zone.
    """
    if tz is not None:
        zone = _zone(tz)
        if zone is None:
            raise InvalidInput(
                f"{tz[:100]!r} is not a time zone: give a name such as Europe/Berlin", field="tz"
            )
        return Clock(now, zone, zone_known=True)
    for row in rows.get("user", ()):
        zone = None if row.time_zone is None else _zone(row.time_zone)
        if zone is not None:
            return Clock(now, zone, zone_known=True)
    return Clock(now, ZoneInfo("UTC"), zone_known=False)


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None  # this machine has no such zone; the caller says what that means


def _later(day: date, days: int) -> date:
    """A later day; the calendar's ends stay where they are."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.max if days > 0 else date.min
