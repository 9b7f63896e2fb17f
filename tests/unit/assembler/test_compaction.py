"""Is a thread compacted when its raw tail grows too large as input, and only then?"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from workindex.assembler.checkpoints.compaction import PRESSURE, compaction
from workindex.assembler.history import MESSAGES_MAX, older
from workindex.assembler.policies import shipped
from workindex.assembler.tokens import counter
from workindex.projections.conversations import MessageRow

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
COUNT = counter("o200k_base")
ASSISTANT = shipped()["assistant"]


def message(id_: str, text: str | None, role: str = "user", **given: Any) -> MessageRow:
    fields: dict[str, Any] = {
        "thread_id": "main",
        "posted_at": NOW,
        "reply_to": None,
        "shown_approvals": [],
        "attachments": [],
        "sensitivity": "normal",
        "redacted": text is None,
    }
    return MessageRow(message_id=id_, role=role, text=text, **(fields | given))


def words(count: int) -> str:
    return "word " * count


def due(*rows: MessageRow, through: str | None = None, policy: str = "assistant") -> Any:
    return compaction(rows, through, shipped()[policy], COUNT)


@pytest.mark.parametrize(
    ("lengths", "through", "is_due"),
    [
        ([], None, False),
        ([100], None, False),
        ([4_000], None, False),
        ([5_000], None, True),
        ([2_500, 2_500], None, True),
        ([5_000, 100], "M-0", False),
        ([5_000, 100], "M-1", False),
        ([100, 5_000], "M-0", True),
        ([5_000], "M-9", True),
    ],
)
def test_the_raw_tail_counts(lengths: list[int], through: str | None, is_due: bool) -> None:
    """What a checkpoint covers does not: a second pass is due only when new messages came."""
    rows = [message(f"M-{at}", words(length)) for at, length in enumerate(lengths)]
    found = due(*rows, through=through)
    assert found.is_due == is_due
    assert found.tokens_max == int(PRESSURE * ASSISTANT.ceilings.history) == 4_800


def test_only_input_counts() -> None:
    """An answer is input of the next turn, once, at what it costs as a message; what a provider
    bills as output is no part of it, so there is nowhere to give it."""
    asked, answered = message("M-1", words(500)), message("M-2", words(500), role="assistant")
    both = due(asked, answered).tokens
    assert both == due(asked).tokens + due(answered).tokens
    assert 1_000 < both < 1_200
    assert due(message("M-1", None)).tokens == 0


def test_many_short_messages_are_compacted_before_the_oldest_is_out_of_sight() -> None:
    """A turn looks at a bounded number of them."""
    rows = [message(f"M-{number}", "hi") for number in range(MESSAGES_MAX)]
    least = int(PRESSURE * MESSAGES_MAX)
    assert not due(*rows[: least - 1]).is_due
    assert due(*rows[:least]).is_due
    assert not due(*rows[:least], through=rows[least - 1].message_id).is_due


def test_a_smaller_policy_is_due_earlier() -> None:
    """By its own ceiling of history."""
    rows = [message("M-1", words(450))]
    assert (due(*rows).is_due, due(*rows, policy="strict").is_due) == (False, True)


def test_what_is_older_is_told_by_the_oldest_message_that_is_not() -> None:
    """With a search in what was said until then, for the words of the turn."""
    (left,) = older("main", [message("M-5", "hi")], " hats? ").left
    assert left.recover_with is not None
    assert left.recover_with.arguments == {
        "type": "message",
        "query": "hats?",
        "time_range": {"to": "2026-03-04T12:00:00.000001+00:00"},
    }
    (unseen,) = older("main", [], "hats?").left
    assert unseen.recover_with is not None
    assert unseen.recover_with.arguments == {"type": "thread", "ids": ["main"]}
