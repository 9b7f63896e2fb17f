"""Does a person see exactly what a grant binds, and can nothing in it pass for the template?"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workindex.assembler.approval_display import display
from workindex.domain.canonical import Action, action_hash, action_text, normalised, parsed_action
from workindex.projections.approvals import ApprovalRow

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
EXPIRES = NOW + timedelta(days=1)
FIELDS = (
    *("Approval", "Of user", "Status", "Tool", "Tool schema (sha256)", "Arguments", "Target"),
    *("Account", "Requested by", "Expires at", "Preconditions", "Action hash (sha256)", "Policy"),
    "Title, no part of the action",
)


def row_of(arguments: dict[str, Any], title: str = "Pay Bo", **changes: Any) -> ApprovalRow:
    given_: dict[str, Any] = {
        "user_id": "ann",
        "approval_id": "A-1",
        "tool": "pay",
        "tool_schema_sha256": "0" * 64,
        "arguments": arguments,
        "target": "bank",
        "account": None,
        "requester": "helper",
        "expires_at": EXPIRES,
        "preconditions": [],
    }
    action = Action(**{**given_, **changes})
    text = action_text(action)
    fields: dict[str, Any] = dict.fromkeys(ApprovalRow._fields)
    fields |= {name: value for name, value in action._asdict().items() if name in fields}
    fields |= {"arguments": normalised(arguments), "title": title, "status": "requested"}
    return ApprovalRow(**{**fields, "action": text, "action_hash": action_hash(text)})


def test_the_template_shows_all_that_a_grant_binds() -> None:
    """A line a field of the action, then its hash; what is not bound says so or stands after it."""
    row = row_of(
        {"to": "Bo", "amount": 1e21, "parts": [{"n": 1.0}, None]},
        preconditions=[{"kind": "invoice", "id": "I-1", "version": 3}],
    )
    policy = {"decision": "ask", "policy_id": "P-7", "reason": 'over "limit"'}
    assert display(row._replace(policy=policy), NOW) == "\n".join(
        [
            'Approval: "A-1"',
            'Of user: "ann"',
            "Status: waits for your approval",
            'Tool: "pay"',
            f'Tool schema (sha256): "{"0" * 64}"',
            "Arguments: 3",
            '  "amount": 1e+21',
            '  "parts": [{"n":1},null]',
            '  "to": "Bo"',
            'Target: "bank"',
            "Account: none",
            'Requested by: "helper"',
            "Expires at: 2026-03-05T12:00:00+00:00",
            "Preconditions: 1",
            '  "invoice" "I-1": 3',
            f"Action hash (sha256): {row.action_hash}",
            'Policy: "ask" "P-7" "over \\"limit\\""',
            'Title, no part of the action: "Pay Bo"',
        ]
    )
    told = display(row, NOW, "zh").splitlines()
    assert told[2] == "状态: 等你批准"
    assert len(told) == 18
    assert [line.partition(": ")[2] for line in told if line.startswith("  ")] == [
        "1e+21",
        '[{"n":1},null]',
        '"Bo"',
        "3",
    ]


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("100\nTarget: other", "100\\nTarget: other"),
        ("a\r\u2028\u2029\x85b", "a\\r\\u2028\\u2029\\u0085b"),
        ("\u202e001\u2066x\u200b", "\\u202e001\\u2066x\\u200b"),
        ('Bo", "amount": "1', 'Bo\\", \\"amount\\": \\"1'),
        ("Bo   \u3000\u00a0Target", "Bo \\u0020\\u0020\\u3000\\u00a0Target"),
        ("\\u202e", "\\\\u202e"),
        ("\x7f\u00ad\U000e0041", "\\u007f\\u00ad\\U000e0041"),
    ],
)
def test_nothing_of_an_action_forges_a_line(hidden: str, shown: str) -> None:
    """Line ends, reordering, quotes and runs of spaces are written out, in names and values."""
    told = display(row_of({"to": hidden, hidden: 1}, title=hidden, target=hidden), NOW)
    assert told.count(f'"{shown}"') == 4
    assert told.isascii()
    assert [line.partition(":")[0] for line in told.splitlines() if line[0] != " "] == list(FIELDS)


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-1e30, 1e30)
    | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(ANY_TEXT, ANY_JSON, max_size=5), ANY_TEXT, ANY_TEXT)
def test_what_is_shown_is_what_was_hashed(
    arguments: dict[str, Any], title: str, target: str
) -> None:
    """Read back from the text, the arguments are those of the action; fields keep their order."""
    row = row_of(arguments, title=title, target=target)
    lines = display(row, NOW).splitlines()
    assert [line.partition(":")[0] for line in lines if line[0] != " "] == list(FIELDS)
    shown = [line for line in lines if line.startswith("  ")]
    assert all(sign.isprintable() or sign in "\ufe0e\ufe0f" for line in lines for sign in line)
    read: dict[str, Any] = {}
    decoder = json.JSONDecoder()
    for line in shown:
        plain = _with_pairs(line)
        name, end = decoder.raw_decode(plain[2:])
        read |= parsed_action(f"{{{json.dumps(name)}:{plain[2 + end + 2 :]}}}")
    assert read == row.arguments
    assert display(row, NOW) == display(row, NOW)


def _with_pairs(line: str) -> str:
    r"""The line with `\U000e0041` as JSON has it; an escaped backslash before a U stays."""
    out, at = "", 0
    while at < len(line):
        if line[at] == "\\" and line[at + 1] == "U":
            out += chr(int(line[at + 2 : at + 10], 16))
            at += 10
        else:
            step = 2 if line[at] == "\\" else 1
            out += line[at : at + step]
            at += step
    return out


def test_a_stored_action_of_another_hash_is_not_offered() -> None:
    """Whoever changed the row: the text begins with the warning."""
    row = row_of({"amount": 100})
    changed = row._replace(action=row.action.replace("100", "900"))
    assert display(changed, NOW).startswith("Do not decide: the stored action has another hash.\n")
    assert display(changed, NOW, "zh").startswith("请勿决定")
    assert '"amount": 900' in display(changed, NOW)
