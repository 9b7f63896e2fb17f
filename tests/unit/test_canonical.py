"""Canonical bytes are exact or refused; what cannot be stored is named by its path."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from workindex.domain.approval_commands import GiveConsent, GrantApproval, RequestApproval
from workindex.domain.approval_facts import Precondition
from workindex.domain.canonical import (
    DEPTH_MAX,
    SAFE_INTEGER_MAX,
    Action,
    action_hash,
    action_text,
    canonical_json,
    check_command,
    check_json,
    escape_for_display,
    normalised,
    payload,
    same_action,
)
from workindex.domain.errors import ActionNotCanonical, InvalidInput

DATA = Path(__file__).parents[3] / "shared" / "data"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ACTION = Action(
    user_id="ana",
    approval_id="A-1",
    tool="pay",
    tool_schema_sha256="0" * 64,
    arguments={"amount": 100, "to": {"iban": "DE1"}},
    target="invoice 7",
    account="main",
    requester="agent-1",
    expires_at=NOON,
    preconditions=[{"kind": "invoice", "id": "7", "version": 3}],
)
OTHER: dict[str, Any] = {
    "user_id": "bo",
    "approval_id": "A-2",
    "tool": "refund",
    "tool_schema_sha256": None,
    "arguments": {"amount": 101, "to": {"iban": "DE1"}},
    "target": None,
    "account": "spare",
    "requester": "agent-2",
    "expires_at": NOON + timedelta(microseconds=1),
    "preconditions": [{"kind": "invoice", "id": "7", "version": "3"}],
}
UNSAFE = [
    (SAFE_INTEGER_MAX + 1, "2^53"),
    (-SAFE_INTEGER_MAX - 1, "2^53"),
    (10**40, "2^53"),
    (math.nan, "finite"),
    (math.inf, "finite"),
    (-math.inf, "finite"),
    ("\ud800", "surrogate"),
    ("ok\udc00", "surrogate"),
    (b"bytes", "plain JSON"),
    (NOON, "plain JSON"),
]
whole_text = st.text(st.characters(codec="utf-8"))
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-SAFE_INTEGER_MAX, SAFE_INTEGER_MAX)
    | st.floats(allow_nan=False, allow_infinity=False)
    | whole_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(whole_text, inner, max_size=4),
    max_leaves=12,
)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def data(*parts: str) -> Path:
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the test data {path} is not on this machine")
    return path


def test_published_vectors_are_exact() -> None:
    """Every RFC 8785 input gives exactly the published bytes."""
    inputs = sorted(data("json_canonicalization", "testdata", "input").glob("*.json"))
    assert inputs
    for source in inputs:
        wanted = (source.parents[1] / "output" / source.name).read_bytes()
        assert canonical_json(json.loads(source.read_bytes())) == wanted, source.name


def test_nasty_strings_survive() -> None:
    """Every nasty string comes back unchanged from canonical text, as value and as name."""
    strings = json.loads(data("blns", "blns.json").read_text(encoding="utf-8"))
    assert len(strings) > 400
    for text in strings:
        document = {"value": text, text: [text]}
        assert json.loads(canonical_json(document)) == document
        check_json(document, "arguments")


@pytest.mark.parametrize(("value", "words"), UNSAFE)
@pytest.mark.parametrize(
    ("wrap", "path"),
    [
        (lambda value: value, "arguments"),
        (lambda value: {"a": {"b": value}}, "arguments.a.b"),
        (lambda value: {"list": [0, (1, value)]}, "arguments.list.1.1"),
    ],
)
def test_inexact_values_are_named(value: Any, words: str, wrap: Any, path: str) -> None:
    """A value without exact bytes is refused and its dotted path is the error's field."""
    with pytest.raises(ActionNotCanonical, match=words.replace("^", r"\^")) as refused:
        canonical_json(wrap(value), "arguments")
    assert refused.value.field == path
    assert refused.value.code == "action_not_canonical"


def test_names_must_be_whole_text() -> None:
    """A name that is not text, or half a character, is refused with its shown path."""
    for name, path in (("\ud800", "a.\\ud800"), (7, "a.7")):
        with pytest.raises(ActionNotCanonical) as refused:
            canonical_json({"a": {name: 1}})
        assert refused.value.field == path


def test_an_action_names_the_argument() -> None:
    """The path of an action's error begins at the command's field."""
    drifts: list[tuple[str, Any, str]] = [
        ("arguments", {"order": {"id": 2**60}}, "arguments.order.id"),
        ("preconditions", [{"kind": "k", "id": "i", "version": 2**53}], "preconditions.0.version"),
    ]
    for field, value, path in drifts:
        with pytest.raises(ActionNotCanonical) as refused:
            action_text(ACTION._replace(**{field: value}))
        assert refused.value.field == path


def test_depth_is_bounded() -> None:
    """Nesting ends at a named limit instead of the interpreter's."""
    canonical_json(nested(DEPTH_MAX))
    check_json(nested(DEPTH_MAX), "x")
    for check in (canonical_json, check_json):
        for levels in (DEPTH_MAX + 1, 100_000):
            with pytest.raises(InvalidInput, match="nested deeper"):
                check(nested(levels), "x")


@given(json_values)
def test_canonical_is_a_normal_form(value: Any) -> None:
    """Canonical text read back and written again is the same text, names in any order."""
    text = canonical_json({"v": value})
    assert canonical_json(normalised({"v": value})) == text
    assert canonical_json(_reversed({"v": value})) == text


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _reversed(item) for name, item in reversed(value.items())}
    return [_reversed(item) for item in value] if isinstance(value, list) else value


def test_normalised_shows_what_is_hashed() -> None:
    """Numbers that are equal in JSON have one form; a large float stays a float."""
    assert json.dumps(normalised({"a": 1.0, "b": -0.0, "c": 2.50})) == '{"a": 1, "b": 0, "c": 2.5}'
    large = normalised({"a": 1e20})["a"]
    assert isinstance(large, float)
    assert large == 1e20


@pytest.mark.parametrize("field", Action._fields)
def test_any_drift_changes_the_hash(field: str) -> None:
    """Another value of any hashed field is another action."""
    changed = ACTION._replace(**{field: OTHER[field]})
    assert action_hash(action_text(changed)) != action_hash(action_text(ACTION))


@given(json_values, json_values)
def test_arguments_decide_the_hash(one: Any, other: Any) -> None:
    """Two actions have one hash exactly when their canonical arguments are one text."""
    hashes = {
        action_hash(action_text(ACTION._replace(arguments={"x": value}))) for value in (one, other)
    }
    repeats = {same_action("pay", {"x": value}, None, None) for value in (one, other)}
    expected = 1 if canonical_json(one) == canonical_json(other) else 2
    assert (len(hashes), len(repeats)) == (expected, expected)


def test_the_hash_is_fixed() -> None:
    """The text and the hash are stored: they never change for the same action."""
    text = action_text(ACTION)
    assert text == (
        '{"account":"main","approval_id":"A-1","arguments":{"amount":100,"to":{"iban":"DE1"}},'
        '"expires_at":"2026-03-01T12:00:00+00:00",'
        '"preconditions":[{"id":"7","kind":"invoice","version":3}],"requester":"agent-1",'
        '"target":"invoice 7","tool":"pay","tool_schema_sha256":"' + "0" * 64 + '",'
        '"user_id":"ana","v":1}'
    )
    elsewhere = NOON.astimezone(timezone(timedelta(hours=9)))
    assert action_text(ACTION._replace(expires_at=elsewhere)) == text
    assert len(action_hash(text)) == 64


def test_same_action_ignores_who_asks() -> None:
    """A repeat is found by tool, arguments, target and account alone, and by each of them."""
    base = same_action("pay", {"n": 1}, "t", "a")
    assert same_action("pay", {"n": 1.0}, "t", "a") == base
    others = [
        same_action("get", {"n": 1}, "t", "a"),
        same_action("pay", {"n": 2}, "t", "a"),
        same_action("pay", {"n": 1}, None, "a"),
        same_action("pay", {"n": 1}, "t", "b"),
    ]
    assert len({base, *others}) == 5


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"a": ["x", "nul\x00"]}, "arguments.a.1"),
        ({"a\x00": 1}, "arguments.a\\u0000"),
        ({"a": "\udfff"}, "arguments.a"),
        ({"\udfff": 1}, "arguments.\\udfff"),
        ({"a": math.inf}, "arguments.a"),
        ({"a": 2**64}, "arguments.a"),
        ({"a": {1: 2}}, "arguments.a.1"),
        ({"a": NOON}, "arguments.a"),
        ({"a": {1, 2}}, "arguments.a"),
    ],
)
def test_what_cannot_be_stored_is_named(value: Any, field: str) -> None:
    """NUL, half characters, numbers and objects that JSON cannot hold: a path, not a crash."""
    with pytest.raises(InvalidInput) as refused:
        check_json(value, "arguments")
    assert refused.value.field == field
    command = RequestApproval(title="t", tool="pay", arguments=value, expires_at=NOON)
    with pytest.raises(InvalidInput) as refused:
        check_command(command)
    assert refused.value.field == field


@given(
    json_values,
    st.sampled_from(["\x00", "\udfff", math.nan, -math.inf, 2**64, {"\x00": 1}, {2: 1}, NOON, {1}]),
    st.lists(st.booleans(), max_size=6),
)
def test_what_cannot_be_stored_is_found_anywhere(good: Any, bad: Any, way: list[bool]) -> None:
    """However deep it lies, after whatever good values; and good values alone are let through."""
    assume("\\u0000" not in json.dumps(good))
    check_json({"v": good}, "x")
    value = bad
    for as_list in way:
        value = [good, value] if as_list else {"a": good, "b": value}
    with pytest.raises(InvalidInput):
        check_json(value, "x")


def test_commands_that_can_be_stored_pass() -> None:
    """Times, models and tuples of a command are no free JSON; its texts are looked at."""
    command = RequestApproval(
        title="t",
        tool="pay",
        arguments={"n": 2**63, "t": ("a", None, True, 1.5)},
        expires_at=NOON,
        preconditions=(Precondition(kind="k", id="i", version=1),),
    )
    check_command(command)
    with pytest.raises(InvalidInput) as refused:
        check_command(command.model_copy(update={"title": "a\x00b"}))
    assert refused.value.field == "title"
    with pytest.raises(InvalidInput) as refused:
        check_command(GiveConsent(consent="c", scope="s\x00"))
    assert refused.value.field == "scope"


def request(**fields: Any) -> RequestApproval:
    defaults = {"title": "t", "tool": "pay", "arguments": {"n": 1}, "expires_at": NOON}
    return RequestApproval(**{**defaults, **fields})


def test_payload_is_of_what_was_sent() -> None:
    """Ids, defaults and the order of names do not count; everything that was sent does."""
    base = payload(request())
    sent = {
        "expires_at": "2026-03-01T12:00:00Z",
        "arguments": {"n": 1},
        "tool": "pay",
        "title": "t",
        "type": "request_approval",
    }
    assert payload(RequestApproval.model_validate(sent)) == base
    assert payload(request(task_id="T-1")) != base
    assert payload(request(arguments={"n": 2})) != base
    assert payload(request(arguments={"n": 1}).with_ids(iter(["A-9"]))) != base


def test_payload_keeps_every_digit() -> None:
    """Integers that floats would merge give different payloads, and so do 1, true and '1'."""
    values = [2**53, 2**53 + 1, 10**40, 10**40 + 1, 1, True, "1", None]
    assert len({payload(request(arguments={"n": value})) for value in values}) == len(values)


def test_payload_tells_commands_apart() -> None:
    """Two commands with the same fields are two payloads."""
    grant = GrantApproval(approval_id="A", action_hash="0" * 64)
    other = grant.model_copy(update={"type": "deny_approval"})
    assert payload(grant) != payload(other)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain äöü 漢字 🙂", "plain äöü 漢字 🙂"),
        ("pay \u202egpj.exe", "pay \\u202egpj.exe"),
        ("\u2066a\u2069\u200f\u061c", "\\u2066a\\u2069\\u200f\\u061c"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("a\x00\x1b[31m\x7f\x85", "a\\u0000\\u001b[31m\\u007f\\u0085"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("blank\u3164\u2800", "blank\\u3164\\u2800"),
        ("pay 1\ufe0f00 to A\ufe01B\U000e0100", "pay 1\\ufe0f00 to A\\ufe01B\\U000e0100"),
        ("send \u2764\ufe0f and \u2714\ufe0e", "send \u2764\ufe0f and \u2714\ufe0e"),
        ("\u2764\ufe0f\ufe0f \u2800\ufe0f", "\u2764\ufe0f\\ufe0f \\u2800\\ufe0f"),
        ("line\u2028para\u2029", "line\\u2028para\\u2029"),
        ("wide\u3000and\u00a0narrow", "wide\u3000and\u00a0narrow"),
        ("half\ud800", "half\\ud800"),
    ],
)
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    """What a person could not see is written out; what they can see stays."""
    assert escape_for_display(text) == shown


@given(st.text())
def test_shown_text_hides_nothing(text: str) -> None:
    """Shown text holds only visible characters and spaces, and showing it twice changes nothing."""
    shown = escape_for_display(text)
    assert all(character.isprintable() or character.isspace() for character in shown)
    assert escape_for_display(shown) == shown
