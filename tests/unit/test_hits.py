"""Do hits say what of the log was not searched?"""

from __future__ import annotations

import pytest

from workindex.projections.search import Hits


@pytest.mark.parametrize(
    ("hits", "told"),
    [
        (Hits(position=7, head=7), None),
        (Hits(), None),
        (Hits(position=6, head=7), "1 event is not searched yet"),
        (Hits(position=5, head=7), "2 events are not searched yet"),
        (Hits(head=1), "1 event is not searched yet"),
        (Hits(position=5, head=7, is_parked=True), "the documents stand still at position 5"),
    ],
)
def test_what_is_not_searched_is_counted(hits: Hits, told: str | None) -> None:
    """One event and many are told in English; nothing where all was seen."""
    assert hits.unsearched == told
