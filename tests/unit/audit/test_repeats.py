"""What is sent twice, again and for nothing, with figures worked out by hand."""

from __future__ import annotations

import json
from typing import Any

from workindex.assembler.audit.measured import Measured, measure, of_record, record_of, units_of
from workindex.assembler.audit.prefixes import prefixes
from workindex.assembler.audit.repeats import (
    repeats_within,
    resent,
    sent_again_tokens,
    unused_tools,
)
from workindex.assembler.audit.report import Audit, spread
from workindex.assembler.audit.shapes import recognised
from workindex.assembler.tokens import counter

O200K = counter("o200k_base")
LINES = [
    f"Speaker {n}: the offer number {n} is still waiting for a price from Ann." for n in range(40)
]
NOTES = "\n".join(LINES)
OTHER = "\n".join(f"In {year} the company moved its office to another town." for year in range(40))


def chat(*contents: str, tools: tuple[str, ...] = (), calls: tuple[str, ...] = ()) -> Measured:
    """A measured request with those messages, tools and calls."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": one} for one in contents]
    for name in calls:
        call = {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
    given = [{"type": "function", "function": {"name": name}} for name in tools]
    return measure(recognised({"model": "gpt-4o", "tools": given, "messages": messages}))


def tokens(text: str) -> int:
    """Counted by the tokenizer itself."""
    return O200K.count([text])[0]


def test_the_same_text_is_found_identical() -> None:
    """Wherever it stands; what is too small or is different is not."""
    found = repeats_within(chat(NOTES, "short", OTHER, NOTES, "short"))
    assert [(one.is_identical, one.first.message, one.again.message) for one in found] == [
        (True, 0, 3)
    ]
    assert found[0].tokens == tokens(NOTES)


def test_a_text_that_holds_another_is_found() -> None:
    """The transcript came by two ways, once with a head and a changed line."""
    changed = "\n".join(
        [*LINES[:20], "Speaker 20: nothing is waiting for anybody any more.", *LINES[21:]]
    )
    found = repeats_within(chat(NOTES, f"Here are the notes of today.\n\n{changed}\n\nWhat now?"))
    assert len(found) == 1
    assert not found[0].is_identical
    assert 0.95 < found[0].share < 1.0
    assert 0.9 * tokens(NOTES) < found[0].tokens < tokens(NOTES)


def test_texts_with_little_in_common_are_not_repeats() -> None:
    """Half of the smaller one must be shared, and as many tokens as asked for."""
    assert repeats_within(chat(NOTES, "\n".join([OTHER, *LINES[:15]]))) == []
    assert repeats_within(chat(NOTES, NOTES), tokens_min=tokens(NOTES) + 1) == []
    assert len(repeats_within(chat(NOTES, NOTES), tokens_min=tokens(NOTES))) == 1


def test_chinese_has_units_too() -> None:
    """Sentences end there with other signs and have no spaces."""
    text = "".join(
        f"第{n}项报价仍在等待安娜星期四上午给出的价格，预算尚未得到确认和批准。" for n in range(30)
    )
    found = repeats_within(chat(text, "今天的会议记录如下：" + text))
    assert [one.is_identical for one in found] == [False]
    assert found[0].share > 0.95
    assert units_of("短。短。短。") == ()


def test_what_requests_carry_again_is_counted_once_less() -> None:
    """The first request that sends a text is not to blame for it."""
    calls = [chat(NOTES), chat(NOTES, OTHER), chat(NOTES, OTHER, "bye")]
    found = resent(calls)
    assert [(one.requests, one.tokens) for one in found] == [
        (3, 2 * tokens(NOTES)),
        (2, tokens(OTHER)),
    ]
    assert sent_again_tokens(calls) == 2 * tokens(NOTES) + tokens(OTHER)
    assert sent_again_tokens(calls[:1]) == 0


def test_a_tool_that_any_request_calls_is_used() -> None:
    """A call in a later request's conversation counts for all."""
    calls = [chat("a", tools=("x", "y", "z")), chat("a", tools=("x", "y", "z"), calls=("y",))]
    found = unused_tools(calls)
    schema = json.dumps({"type": "function", "function": {"name": "x"}}, separators=(",", ":"))
    assert [(one.name, one.requests, one.tokens) for one in found] == [
        ("x", 2, 2 * tokens(schema)),
        ("z", 2, 2 * tokens(schema)),
    ]


def test_a_prefix_ends_at_the_first_other_byte() -> None:
    """In bytes by hand, in tokens of the shared text, with the segment that breaks it."""
    before, call = chat("one", "two three four"), chat("one", "two three five", "six")
    kept = prefixes([before, call], O200K)[0]
    first = json.dumps({"role": "user", "content": "one"}, separators=(",", ":")) + "\n"
    broken = '{"role":"user","content":"two three f'
    assert kept.size_bytes == len(first) + len(broken)
    assert kept.tokens == tokens("one") + tokens("two three f")
    assert kept.breaks is not None
    assert kept.breaks.path == "messages[1].content"
    assert not kept.is_whole


def test_a_conversation_that_only_grows_breaks_nothing() -> None:
    """All of the call before is the beginning of the next one."""
    before, call = chat("one", tools=("x",)), chat("one", "two", tools=("x",))
    kept = prefixes([before, call], O200K)[0]
    assert (kept.tokens, kept.breaks) == (before.tokens, None)
    assert kept.size_bytes == sum(one.size_bytes + 1 for one in before.read)
    same = prefixes([call, call], O200K)[0]
    assert (same.tokens, same.share) == (call.tokens, 1.0)


def test_another_order_of_tools_breaks_the_prefix_at_the_first() -> None:
    """The same set in another order keeps nothing but the bytes before the first name."""
    before, call = chat("one", tools=("x", "y")), chat("one", tools=("y", "x"))
    kept = prefixes([before, call], O200K)[0]
    assert kept.breaks is not None
    assert kept.breaks.path == "tools[0]"
    assert kept.size_bytes == len('{"type":"function","function":{"name":"')


def test_another_model_keeps_nothing() -> None:
    """A cache belongs to one model."""
    body = {"messages": [{"role": "user", "content": "hi"}]}
    calls = [measure(recognised({**body, "model": name})) for name in ("gpt-4o", "gpt-4.1")]
    assert (prefixes(calls, O200K)[0].size_bytes, prefixes(calls, O200K)[0].tokens) == (0, 0)


def test_a_record_says_what_the_request_says() -> None:
    """All but the text: the same repeats and totals; a prefix up to the last whole segment."""
    calls = [chat(NOTES, "one", NOTES, tools=("x",)), chat(NOTES, "two", NOTES, tools=("x",))]
    lines = [json.loads(json.dumps(record_of(one))) for one in calls]
    assert not any(text in json.dumps(lines) for text in ("Speaker", "waiting", "one"))
    records = [of_record(one, "-", 1) for one in lines]
    whole, bare = (Audit(tuple(ones), ()).document() for ones in (calls, records))
    for name in ("totals", "by_kind", "sent_again", "unused_tools", "largest"):
        kept = json.loads(json.dumps(whole[name]))
        assert json.loads(json.dumps(bare[name])) == kept or name == "largest"
    assert bare["requests"][0]["repeated"] == whole["requests"][0]["repeated"]
    kept = bare["prefixes"][0]
    assert kept["is_whole"]
    assert kept["tokens"] == sum(one.tokens for one in calls[0].read[:2])
    assert kept["breaks"]["path"] == "messages[1].content"


def test_the_spread_is_by_nearest_rank() -> None:
    """A figure that was measured, never one between two."""
    assert spread([]) == {"sum": 0, "p50": 0, "p95": 0, "max": 0}
    assert spread([5]) == {"sum": 5, "p50": 5, "p95": 5, "max": 5}
    assert spread([4, 1, 3, 2]) == {"sum": 10, "p50": 2, "p95": 4, "max": 4}
    assert spread(list(range(1, 101))) == {"sum": 5050, "p50": 50, "p95": 95, "max": 100}


def test_shares_add_up() -> None:
    """The kinds of a request are the whole of it."""
    one = Audit((chat(NOTES, OTHER, tools=("x",)),), ()).document()["requests"][0]
    assert sum(kind["tokens"] for kind in one["by_kind"]) == one["tokens"]
    assert sum(part["tokens"] for part in one["segments"]) == one["tokens"]
    assert abs(sum(kind["share"] for kind in one["by_kind"]) - 1) < 0.001
