"""Does what is admitted fit, is what may not be cut whole, and is everything accounted for once?"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workindex.assembler.envelope import (
    ContextItem,
    Lane,
    Omission,
    OverLimit,
    Priority,
    ToolCall,
)
from workindex.assembler.lanes import ContextBudgetExceeded, Fitted, fit
from workindex.assembler.notices import LEFT_OUT, left_out
from workindex.assembler.offers import Kind, Offer
from workindex.assembler.policies import Policy, shipped
from workindex.assembler.rendering import Segment, parsed, rendered
from workindex.assembler.tokens import counter

NOW = datetime(2026, 3, 4, tzinfo=UTC)
COUNTER = counter("o200k_base")
CORE = Segment("policy", "Be brief.\n")
REQUEST = Segment("request", "<request>\nWhat now?\n</request>\n")
ASSISTANT = shipped()["assistant"]
KINDS: dict[Lane, tuple[Kind, ...]] = {
    "state": ("state", "candidate", "attachment"),
    "history": ("turn", "last_turn"),
    "evidence": ("evidence", "tool_output"),
    "tools": ("tool",),
}


def item(id_: str, words: int, priority: Priority = 3) -> ContextItem:
    return ContextItem(
        source_type="message",
        source_id=id_,
        authority="derived",
        authority_rank=4,
        observed_at=NOW,
        priority=priority,
        admission_reason="a test",
        content={"text": "word " * words},
    )


def offer(id_: str, words: int, lane: Lane = "evidence", **given: Any) -> Offer:
    priority: Priority = given.pop("priority", 3)
    kind: Kind = given.pop("kind", KINDS[lane][0])
    return Offer(lane, item(id_, words, priority), "always", kind, **given)


def small(target: int, limit: int, **ceilings: int) -> Policy:
    """A policy for a few hundred tokens."""
    lanes = dict.fromkeys(("tool_index", "tools_loaded", "state", "history", "evidence"), limit)
    return ASSISTANT.model_copy(
        update={
            "target": target,
            "limit": limit,
            "limit_max": 2 * limit,
            "ceilings": ASSISTANT.ceilings.model_copy(update=lanes | ceilings),
        }
    )


def ids(fitted: Fitted, lane: Lane) -> list[str]:
    return [one.source_id for one in fitted.items[lane]]


@st.composite
def offers(draw: st.DrawFn) -> list[Offer]:
    """Any offers: every lane, kind and priority, some with a smaller form, some of one group."""
    found = []
    for place in range(draw(st.integers(0, 14))):
        lane = draw(st.sampled_from(sorted(KINDS)))
        kind = draw(st.sampled_from(KINDS[lane]))
        id_ = f"i{draw(st.integers(0, 11))}"
        found.append(
            Offer(
                lane,
                item(id_, draw(st.integers(0, 120)), draw(st.sampled_from((1, 2, 3, 3, 4, 4)))),
                "always",
                kind,
                rank=draw(st.integers(-3, 3)),
                smaller=item(id_, 1) if draw(st.booleans()) else None,
                group=draw(st.sampled_from((None, "g1", "g2"))) if lane == "history" else None,
                same_as=draw(st.sampled_from((None, "s1", f"p{place}"))),
            )
        )
    return found


@given(offers(), st.integers(60, 700), st.integers(0, 400))
def test_the_laws_of_a_fit(given_: list[Offer], target: int, more: int) -> None:
    """Never above the limit; protected items whole or the error; every offer once; exact sums."""
    policy = small(target, target + more)
    protected = [one for one in given_ if one.item.priority <= 2]
    stopped: ContextBudgetExceeded | None = None
    try:
        fitted = fit(given_, [CORE, REQUEST], policy, COUNTER)
    except ContextBudgetExceeded as error:
        stopped = error
    if stopped is not None:
        assert protected or policy.limit < 60
        assert stopped.used > stopped.limit
        return
    text = rendered(fitted.segments)
    assert fitted.budget.used == COUNTER.count([text])[0] <= policy.limit
    assert sum(fitted.budget.by_lane.values()) == fitted.budget.used
    assert len(fitted.candidates) == len(given_)
    admitted = [one for one in fitted.candidates if one.decision == "admitted"]
    assert len(parsed(text)) == len(admitted) == sum(len(one) for one in fitted.items.values())
    for candidate, one in zip(fitted.candidates, given_, strict=True):
        assert (candidate.source_id, candidate.lane) == (one.item.source_id, one.lane)
        if one.item.priority <= 2:
            assert (candidate.decision, candidate.load_mode) == ("admitted", "always")
    told = {(one.lane, one.source_id) for one in fitted.omissions}
    changed = [c for c in fitted.candidates if c.decision == "omitted" or c.load_mode != "always"]
    assert {(one.lane, one.source_id) for one in changed} == told
    assert fit(given_, [CORE, REQUEST], policy, COUNTER) == fitted


@given(offers(), st.integers(60, 700))
def test_what_is_left_out_is_told_with_its_number(given_: list[Offer], limit: int) -> None:
    """Unless there is no room for telling; and telling it never costs the working set."""
    policy = small(limit, limit)
    try:
        fit(given_, [CORE, REQUEST], policy, COUNTER)
    except ContextBudgetExceeded:
        return
    fitted = fit(given_, [CORE, REQUEST], policy, COUNTER, tell=lambda gone: left_out(gone, NOW))
    assert fitted.budget.used <= limit
    told = [one.content for one in fitted.items["state"] if one.source_id == LEFT_OUT]
    gone = Counter(one.lane for one in fitted.omissions)
    if told:
        assert told == [{lane: {"count": count} for lane, count in gone.items()}]
    else:
        assert not gone or LEFT_OUT in {one.source_id for one in fitted.omissions}


def test_the_call_that_most_have_is_told() -> None:
    """Of calls for one thing each the last one: of messages that is the newest."""
    search = ToolCall(name="get_context", arguments={"type": "message", "query": "offer"})
    each = [ToolCall(name="get_context", arguments={"ids": [f"M-{n}"]}) for n in (1, 2)]
    found = left_out(
        [
            *(Omission(lane="history", source_id="m", reason="r", recover_with=c) for c in each),
            *(
                Omission(lane="evidence", source_id="e", reason="r", recover_with=call)
                for call in (search, each[0], search)
            ),
            Omission(lane="state", source_id="s", reason="r"),
        ],
        NOW,
    )
    assert found is not None
    assert found.item.content == {
        "history": {"count": 2, "call": each[1].model_dump()},
        "evidence": {"count": 3, "call": search.model_dump()},
        "state": {"count": 1},
    }


def test_who_goes_first() -> None:
    """Tool output, evidence by rank, candidates, then the oldest turns; the last turns stay."""
    given_ = [
        offer("old", 40, "history", rank=-2.0),
        offer("new", 40, "history", rank=-1.0),
        offer("last", 40, "history", kind="last_turn", rank=0.0),
        offer("maybe", 40, "state", kind="candidate"),
        offer("weak", 40, rank=0.1),
        offer("strong", 40, rank=0.9),
        offer("output", 40, kind="tool_output"),
    ]
    gone = []
    for target in range(700, 100, -10):
        fitted = fit(given_, [CORE, REQUEST], small(target, 1_000), COUNTER)
        new = [one.source_id for one in fitted.omissions if one.source_id not in gone]
        gone += new
    assert gone == ["output", "weak", "strong", "maybe", "old", "new"]


def test_the_last_turns_go_only_beyond_the_limit() -> None:
    """Trimming to the target never takes them; a limit is a limit."""
    given_ = [offer("last", 300, "history", kind="last_turn")]
    assert ids(fit(given_, [REQUEST], small(60, 1_000), COUNTER), "history") == ["last"]
    assert ids(fit(given_, [REQUEST], small(60, 100), COUNTER), "history") == []


def test_a_turn_goes_whole() -> None:
    """An answer without its question, or the reverse, is worse than neither."""
    given_ = [
        offer("asked", 10, "history", rank=-1.0, group="t1"),
        offer("answered", 200, "history", rank=-1.0, group="t1"),
        offer("later", 10, "history", rank=0.0, group="t2"),
    ]
    fitted = fit(given_, [REQUEST], small(150, 1_000), COUNTER)
    assert ids(fitted, "history") == ["later"]


def test_a_ceiling_bounds_unprotected_items_alone() -> None:
    """Records in scope borrow what is free; lists have their lane."""
    given_ = [
        offer("record", 300, "state", priority=2),
        offer("list", 30, "state", rank=1.0),
        offer("other", 30, "state"),
    ]
    fitted = fit(given_, [REQUEST], small(2_000, 2_000, state=100), COUNTER)
    assert ids(fitted, "state") == ["record", "list"]


def test_of_two_that_say_the_same_the_more_trusted_stays() -> None:
    """Whatever came first; the other is named as a duplicate."""
    copy = offer("copy", 20, same_as="x")
    trusted = offer("row", 20, "state", same_as="x")
    trusted = trusted._replace(item=trusted.item.model_copy(update={"authority_rank": 2}))
    fitted = fit([copy, trusted], [REQUEST], small(500, 500), COUNTER)
    assert ids(fitted, "state") == ["row"]
    assert [(one.source_id, one.reason) for one in fitted.omissions] == [
        ("copy", "duplicate of row")
    ]


def test_what_does_not_fit_becomes_a_reference() -> None:
    """The smaller form stands in its place, and the call that brings the whole is named."""
    evidence = offer("long", 400, smaller=item("long", 2))
    fitted = fit([evidence], [REQUEST], small(150, 1_000), COUNTER)
    assert [one.content for one in fitted.items["evidence"]] == [{"text": "word word "}]
    assert fitted.candidates[0].load_mode == "reference"
    assert fitted.items["evidence"][0].token_estimate == fitted.candidates[0].tokens


@pytest.mark.parametrize(
    ("largest", "given_", "request_words"),
    [("request", [], 2_000), ("A12", [offer("A12", 2_000, "state", priority=1)], 1)],
)
def test_what_may_not_be_cut_stops(largest: str, given_: list[Offer], request_words: int) -> None:
    """The error names the part, its size and what to do; the same words for the same request."""
    request = Segment("request", "word " * request_words + "\n")
    with pytest.raises(ContextBudgetExceeded) as stopped:
        fit(given_, [CORE, request], small(500, 900), COUNTER)
    assert stopped.value.code == "CONTEXT_BUDGET_EXCEEDED"
    assert stopped.value.largest == largest
    assert f"the largest part is {largest} with" in str(stopped.value)
    assert stopped.value.clarification


def test_a_reason_opens_the_larger_limit_and_is_recorded() -> None:
    """Only with a reason and a bucket, and only if it was needed is it told."""
    given_ = [offer("A12", 600, "state", priority=1)]
    reason = OverLimit(reason="a long contract", bucket="contracts")
    with pytest.raises(ContextBudgetExceeded):
        fit(given_, [REQUEST], small(500, 600), COUNTER)
    fitted = fit(given_, [REQUEST], small(500, 600), COUNTER, reason)
    assert (fitted.over_limit, fitted.budget.budget_reason) == (reason, "a long contract")
    few = fit([offer("A1", 10)], [REQUEST], small(500, 600), COUNTER, reason)
    assert (few.over_limit, few.budget.budget_reason) == (None, None)
