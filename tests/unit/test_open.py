"""Which database is opened: the one that is named, and an empty name names none."""

from __future__ import annotations

from typing import Any

import pytest

from workindex import WorkIndex
from workindex.domain.errors import InvalidInput

EMBEDDED: Any = object()


@pytest.mark.parametrize("given", [None, ""])
@pytest.mark.parametrize("variable", [None, ""])
def test_no_name_is_the_embedded_server(
    monkeypatch: pytest.MonkeyPatch, given: str | None, variable: str | None
) -> None:
    """A variable that is set to nothing must not lead to whatever libpq takes for a default."""
    monkeypatch.delenv("WORKINDEX_DATABASE_URL", raising=False)
    if variable is not None:
        monkeypatch.setenv("WORKINDEX_DATABASE_URL", variable)
    monkeypatch.setattr("workindex.service.client.open_embedded", lambda: EMBEDDED)
    assert WorkIndex.open(given).database is EMBEDDED


@pytest.mark.parametrize("user_id", ["", " a", "a ", "a\nb", "x" * 201, "\x00", "\u200b", b"x", 5])
def test_user_ids_that_are_none(user_id: object) -> None:
    """Text that shows as it is, and nothing else: bytes are not their text."""
    with pytest.raises(InvalidInput) as caught:
        WorkIndex(EMBEDDED).user(user_id)  # type: ignore[arg-type]
    assert caught.value.field == "user_id"
