"""A user's scope whose server goes away, for tests of what is left then."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from workindex.domain.errors import Unavailable
from workindex.projections.recording import Receipt
from workindex.service.client import UserScope, WorkIndex


class Fragile(UserScope):
    """A scope whose server goes away before or after some appends."""

    def __init__(self, work_index: WorkIndex, user_id: str, *, lasts: int, after: bool) -> None:
        super().__init__(work_index, user_id)
        self._left = count(lasts, -1)
        self._after = after

    def record_all(self, entries: Sequence[Any], **given: Any) -> list[Receipt]:
        gone = next(self._left) <= 0
        if gone and not self._after:
            raise Unavailable("the server is away")
        receipts = super().record_all(entries, **given)
        if gone:
            raise Unavailable("the server is away, nobody knows whether it stored that")
        return receipts
