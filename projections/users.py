"""The user's own settings: preferences and consents."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple


class UserRow(NamedTuple):
    """Preferences and consents; the one row's id is `me` (reference `user/me`)."""

    user_key: str
    time_zone: str | None
    locale: str | None
    preferences: dict[str, Any]
    consents: dict[str, dict[str, Any]]
    updated_at: datetime
