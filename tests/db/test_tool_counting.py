"""Is everything that the model is given counted, and is it the same bytes where nothing changed?"""

from __future__ import annotations

import random
from importlib.util import find_spec
from typing import Any

import pytest

from sessions import AT, store
from turns import AGENT, NOW, do, say
from workindex import ContextBudgetExceeded, UserScope, WorkIndex
from workindex.assembler.envelope import ContextEnvelope
from workindex.assembler.rendering import item_text, working_set_text
from workindex.assembler.tokens import ALL_COUNTERS, counter
from workindex.assembler.tools import ToolAccess, ToolCatalogue, ToolRegistry, groups_of
from workindex.eventlog.database import Database

HAS_QUICKTOK = find_spec("quicktok") is not None
TOKENIZERS = ("o200k_base", "cl100k_base", *(("qwen3", "llama3") if HAS_QUICKTOK else ()))
BOUNDS = ("claude", "claude-3", "estimate")
TEXTS = {
    "chinese": "明天上午十点在会议室讨论预算和合同，请把文件发给财务部门。" * 290,
    "csv": "".join(f"{n},2026-03-{n % 28 + 1:02},{n * 7919},0x{n:06X},\n" for n in range(260)),
    "numbers": " ".join(str(n * 104_729) for n in range(900)),
    "json": str([{"Id": n, "Äußerung": f"größer-{n}", "ok": True} for n in range(160)]),
    "emoji": "👩‍🔬🏳️‍🌈🇳🇴 " * 200,
    "code": "for(i=0;i<n;++i){a[i]=~(b[i]^0xFF)>>3;}\t\r\n" * 150,
}
KINDS = ["pear", "apple", "quince", "plum"]


def test_what_is_no_tokenizer_is_a_bound() -> None:
    """All of them are tried here; asking while tests are collected would load the tokenizers."""
    assert [one.name for one in ALL_COUNTERS if not one.is_exact] == list(BOUNDS)


@pytest.fixture
def ann(database: Database) -> UserScope:
    return WorkIndex(database, lambda: NOW).user("ann")


def access(chance: random.Random) -> ToolAccess:
    """Six groups of five tools, everything that has no order in any order."""

    def some(names: list[str]) -> list[str]:
        return chance.sample(names, len(names))

    schema: Any = {"type": "object", "required": some(KINDS)}
    schema["properties"] = {name: {"type": "string", "enum": some(KINDS)} for name in some(KINDS)}
    bullets = "".join(f"\n- {name}" for name in some(KINDS))
    groups = [
        {
            "namespace": f"shop-{n}",
            "tools": [
                {"name": f"order_{m}", "description": f"Orders one of:{bullets}", "schema": schema}
                for m in map(int, some([*"01234"]))
            ],
        }
        for n in map(int, some([*"012345"]))
    ]
    found = groups_of({"format": 1, "groups": groups}, source="s", namespace="n")
    return ToolAccess(ToolCatalogue(ToolRegistry(found, AT)))


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", BOUNDS)
def test_a_bound_is_never_below_what_a_tokenizer_counts(
    ann: UserScope, kind: str, name: str
) -> None:
    """Of whole working sets about texts for which bytes by four are far too low (case F2): that
    for unknown models is no lower than any, Claude's no lower than OpenAI's."""
    say(ann, "M-1", TEXTS[kind])
    envelope = ann.assemble({"text": TEXTS[kind][:3_000], "thread_id": "main"}, counter=name)
    text = working_set_text(envelope)
    assert TEXTS[kind][:20] in text or kind in ("json", "emoji", "csv", "code")
    stands_for = TOKENIZERS if name == "estimate" else TOKENIZERS[:2]
    real = [counter(one).count([text])[0] for one in stands_for]
    assert envelope.budget.used >= max(real)
    assert sum(envelope.budget.by_lane.values()) == envelope.budget.used


@pytest.mark.parametrize("name", BOUNDS)
def test_strict_has_room_for_the_core_tools(ann: UserScope, name: str) -> None:
    """By every bound, with a small schema of the answer beside them."""
    schema: Any = {"type": "object", "properties": {"text": {"type": "string"}}}
    envelope = ann.assemble(
        {"text": "hello"},
        policy="strict",
        counter=name,
        tools=access(random.Random(1)),
        output_schema=schema,
    )
    assert 0 < envelope.budget.by_lane["schema"] <= 500
    assert envelope.budget.used <= envelope.budget.limit


def test_what_is_no_text_of_a_message_is_counted(ann: UserScope) -> None:
    """Case F3: an empty text beside an action, a schema, names of files or a tool's fields of
    40,000 signs; each costs at least what a tokenizer makes of it."""
    long = "7 " * 20_000
    tokens = counter("o200k_base").count([long])[0]
    do(
        ann,
        "request_approval",
        by=AGENT,
        approval_id="A-1",
        title="Pay",
        tool="pay",
        arguments={"note": long},
        expires_at="2026-03-05T12:00:00Z",
    )
    names = [{"name": "7 " * 200} for _ in range(12)]
    group = {"namespace": "pay", "tools": [{"name": "now", "schema": {"properties": {}}}]}
    found = groups_of({"format": 1, "groups": [group]}, source="s", namespace="n")
    tools = ToolAccess(ToolCatalogue(ToolRegistry(found, AT)))
    small = ann.assemble({"text": ""}, tools=tools)
    given: list[tuple[ContextEnvelope, str]] = [
        (ann.assemble({"text": "", "attachments": names}, tools=tools), "7 " * 2_400),
        (ann.assemble({"text": ""}, tools=tools, output_schema={"x": long[:1_500]}), "7 " * 750),
    ]
    for envelope, added in given:
        assert counter("o200k_base").count([working_set_text(envelope)])[0] == envelope.budget.used
        least = counter("o200k_base").count([added])[0]
        assert envelope.budget.used >= small.budget.used + least
    with pytest.raises(ContextBudgetExceeded) as raised:  # an exact action is never cut
        ann.assemble({"text": "", "surface": "approval", "approval_id": "A-1"})
    assert raised.value.largest == "approval:A-1"
    assert raised.value.used >= tokens


def test_twenty_orders_of_the_same_tools_are_one_working_set(ann: UserScope) -> None:
    """Cases F6 and F8: prefix, index, schemas and all the rest are the same bytes, also when the
    thread goes on in another process with another order."""
    say(ann, "M-1", "please order with shop-3")
    request = {"text": "order a quince with shop-1", "thread_id": "main", "now": NOW}
    seen = set()
    for seed in range(20):
        envelope = ann.assemble(request, tools=access(random.Random(seed)))
        assert {"shop-1", "shop-3"} <= set(envelope.active_tool_groups)
        seen.add((envelope.manifest.prefix_sha256, working_set_text(envelope)))
    assert len(seen) == 1


def test_what_is_stored_or_claimed_changes_neither_prefix_nor_tools(ann: UserScope) -> None:
    """Cases F11 and F12: a new artifact, claim, message or task stands in its own lane alone."""
    tools = access(random.Random(1))
    request = {"text": "order a quince with shop-1", "thread_id": "main", "now": NOW}

    def fixed() -> tuple[str, str, str]:
        envelope = ann.assemble(request, tools=tools)
        lane = "".join(item_text("tools", item) for item in envelope.tools)
        return envelope.prefix, envelope.manifest.prefix_sha256, lane

    before = fixed()
    store(ann, "F-1", [b"quince prices"], "text/plain", title="quince shop-1")
    assert fixed() == before
    do(ann, "record_claim", claim_id="C-1", subject="ann", attribute="fruit", value="quince")
    assert fixed() == before
    do(ann, "create_task", task_id="T-1", title="Order a quince")
    ann.catch_up()
    assert fixed() == before
