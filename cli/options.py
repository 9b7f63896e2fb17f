"""Values that several commands take from the command line."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import rich_click as click


class Moment(click.ParamType[datetime]):
    """An instant in ISO 8601; it must name its zone."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """The aware instant."""
        if isinstance(value, datetime):
            return value
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a time such as 2026-03-17T09:00:00Z", param, ctx)
        if at.tzinfo is None:
            self.fail(f"{value!r} has no zone: add Z or an offset such as +01:00", param, ctx)
        return at


class Zone(click.ParamType[str]):
    """A time zone by its name."""

    name = "zone"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, known to exist."""
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            self.fail(f"{value!r} is no time zone such as Europe/Berlin or UTC", param, ctx)
        return str(value)


MOMENT = Moment()
ZONE = Zone()
