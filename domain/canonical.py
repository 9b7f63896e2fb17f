"""Which bytes stand for a value: canonical JSON, hashes, and what may be stored at all.

Invariant: equal actions have equal bytes (RFC 8785) on every machine, and a value whose bytes
would not be exact is refused with the dotted path of the culprit, never rounded.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple, NoReturn

import rfc8785
from pydantic import BaseModel

from workindex.domain.errors import ActionNotCanonical, InvalidInput
from workindex.domain.facts import Command, Json, utc
from workindex.domain.names import BLANKS, SHAPES

DEPTH_MAX = 100
SAFE_INTEGER_MAX = 2**53 - 1
STORED_INTEGER_MIN = -(2**63)
STORED_INTEGER_MAX = 2**64 - 1
ACTION_VERSION = 1

_SORTED = json.JSONEncoder(sort_keys=True, separators=(",", ":"))

# What shows as nothing although Unicode counts it as printable.
_BLANKS = BLANKS | SHAPES
_EMOJI_SHAPES = frozenset("\ufe0e\ufe0f")
_SYMBOLS = frozenset({"So", "Sm"})
_SHOWN_AS = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class _Path(NamedTuple):
    """Where a value stands; made into text only when it is to blame."""

    parent: _Path | None
    key: str

    def __str__(self) -> str:
        keys: list[str] = []
        step: _Path | None = self
        while step is not None:
            keys.append(step.key)
            step = step.parent
        return ".".join(escape_for_display(key) for key in reversed(keys))


class Action(NamedTuple):
    """Everything that an approval fixes; any other value of any field is another action."""

    user_id: str
    approval_id: str
    tool: str
    tool_schema_sha256: str | None
    arguments: Json
    target: str | None
    account: str | None
    requester: str
    expires_at: datetime
    preconditions: Sequence[Mapping[str, str | int]]


def action_text(action: Action) -> str:
    """The canonical text of an action: what is shown, hashed and later executed.

    Raises: ActionNotCanonical with the path of a value that has no exact canonical form.
    Source: RFC 8785.
    """
    document = action._asdict()
    document["v"] = ACTION_VERSION
    document["expires_at"] = utc(action.expires_at)
    document["preconditions"] = [dict(one) for one in action.preconditions]
    return canonical_json(document).decode()


def action_hash(text: str) -> str:
    """The hash that a grant names: sha256 of the action's canonical text, in hex."""
    return sha256(text.encode()).hexdigest()


def parsed_action(text: str) -> Json:
    """The action that the canonical text holds; its values have the same canonical text again."""
    parsed: Json = json.loads(text, parse_int=_exact_number)
    return parsed


def same_action(tool: str, arguments: Json, target: str | None, account: str | None) -> str:
    """The hash that finds the same deed asked for again, whoever asks and until when."""
    document = {"tool": tool, "arguments": arguments, "target": target, "account": account}
    return sha256(canonical_json(document)).hexdigest()


def normalised(arguments: Json) -> Json:
    """The arguments as the canonical text holds them (1.0 is 1, -0.0 is 0)."""
    return parsed_action(canonical_json(arguments, "arguments").decode())


def canonical_json(value: Any, path: str = "") -> bytes:
    """The RFC 8785 bytes of a JSON value; `path` is where the value stands in its command.

    Raises: ActionNotCanonical for integers outside ±(2^53-1), NaN, infinities, lone surrogates,
    nesting beyond `DEPTH_MAX` and values that are not JSON.
    """
    _check_canonical(value, _Path(None, path) if path else None, 1)
    return rfc8785.dumps(value)


def check_json(value: Any, path: str) -> None:
    """Refuse what the log could not store and give back unchanged.

    Raises: InvalidInput naming the dotted path of a NUL, a lone surrogate, a number that is not
    finite or an integer beyond 64 bits, nesting beyond `DEPTH_MAX`, or a value that is not JSON.
    """
    if not _is_plain(value, 1):
        _check_stored(value, _Path(None, path) if path else None, 1, typed=False)


def check_command(command: BaseModel) -> None:
    """`check_json` for every text and every free JSON of a command, under its fields' names."""
    for name, value in vars(command).items():
        if not _is_plain(value, 1):
            _check_stored(value, _Path(None, name), 1, typed=True)


def with_plain_zeros(command: Command) -> Command:
    """The command with 0.0 for every -0.0: the log cannot tell them apart, so nobody may."""
    sent = command.model_dump(mode="json", exclude_unset=True)
    return type(command).model_validate(_plain_zeros(sent))


def _plain_zeros(value: Any) -> Any:
    match value:
        case dict():
            return {name: _plain_zeros(item) for name, item in value.items()}
        case list():
            return [_plain_zeros(item) for item in value]
        case float():
            return value + 0.0  # of both zeros this is the plain one
        case _:
            return value


def payload(command: Command) -> bytes:
    """A command as the caller sent it, for its hash: before ids, times and defaults are set.

    Fields that the caller left out do not count. Keys are sorted and integers of any size keep
    all their digits (neither RFC 8785 nor orjson would take them), so that a key sent again with
    another payload never passes for a repetition. It is ASCII: at least as long as the same fields
    in UTF-8. Give it only what `check_command` accepts.
    """
    sent = command.model_dump(mode="json", exclude_unset=True)
    sent["type"] = command.type
    return _SORTED.encode(sent).encode()


def escape_for_display(text: str) -> str:
    r"""The text with every invisible character written out (`\u202e`), for a person's decision.

    Control, format (bidirectional, zero-width), surrogate, private and unassigned characters and
    blank letters and shape selectors are written out; spaces and all visible characters stay, and
    so does the selector that makes a symbol an emoji.
    """
    if text.isprintable() and _BLANKS.isdisjoint(text):
        return text
    before = (" ", *text)
    return "".join(_shown(*pair) for pair in zip(text, before, strict=False))


def _shown(character: str, before: str) -> str:
    if character in _EMOJI_SHAPES and _is_symbol(before):
        return character
    visible = character.isprintable() or unicodedata.category(character) == "Zs"
    if visible and character not in _BLANKS:
        return character
    if character in _SHOWN_AS:
        return _SHOWN_AS[character]
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _is_symbol(character: str) -> bool:
    """Whether the character is one that has the shape of an emoji, too."""
    if character.isascii() or character in _BLANKS:
        return False
    return unicodedata.category(character) in _SYMBOLS


def _exact_number(digits: str) -> int | float:
    # A float such as 1e20 is written as digits; read back it must stay the float it was.
    number = int(digits)
    return number if abs(number) <= SAFE_INTEGER_MAX else float(digits)


def _check_canonical(value: Any, path: _Path | None, depth: int) -> None:
    match value:
        case None | bool():
            return
        case int():
            if abs(value) > SAFE_INTEGER_MAX:
                _refuse_action(path, "is an integer outside ±(2^53-1): send it as text")
        case float():
            if not math.isfinite(value):
                _refuse_action(path, f"is {value}: an action holds finite numbers only")
        case str():
            if _has_surrogate(value):
                _refuse_action(path, "holds half of a surrogate pair: send whole characters")
        case dict() | list() | tuple():
            if depth > DEPTH_MAX:
                _refuse_action(path, f"is nested deeper than {DEPTH_MAX} levels: flatten it")
            for key, item in _items(value):
                step = _Path(path, str(key))
                if isinstance(value, dict) and (not isinstance(key, str) or _has_surrogate(key)):
                    _refuse_action(step, "has a name that is not whole text: rename it")
                _check_canonical(item, step, depth + 1)
        case _:
            _refuse_action(path, f"is a {type(value).__name__}: send plain JSON")


def _is_plain(value: Any, depth: int) -> bool:
    """Whether the value is JSON that can be stored for sure. Nearly all values are, and this takes
    a fraction of the time of looking with a path at hand."""
    kind = type(value)
    if kind is str:
        return "\x00" not in value and (value.isascii() or not _has_surrogate(value))
    if value is None or kind is bool:
        return True
    if kind is int:
        return STORED_INTEGER_MIN <= value <= STORED_INTEGER_MAX  # type: ignore[no-any-return]
    if kind is float:
        return math.isfinite(value)
    if depth > DEPTH_MAX:
        return False
    if kind is dict:
        for key in value:
            if type(key) is not str or not _is_plain(key, depth):
                return False
        items = value.values()
    elif kind is list or kind is tuple:
        items = value
    else:
        return False
    for item in items:  # noqa: SIM110 - all() over a generator takes twice as long
        if not _is_plain(item, depth + 1):
            return False
    return True


def _check_stored(value: Any, path: _Path | None, depth: int, *, typed: bool) -> None:
    """`typed` is true for the fields of a model, which may hold models and times."""
    match value:
        case None | bool():
            return
        case int():
            if not STORED_INTEGER_MIN <= value <= STORED_INTEGER_MAX:
                _refuse(path, "is an integer of more than 64 bits: send it as text")
        case float():
            if not math.isfinite(value):
                _refuse(path, f"is {value}: send a finite number")
        case str():
            _check_text(value, path)
        case dict() | list() | tuple():
            if depth > DEPTH_MAX:
                _refuse(path, f"is nested deeper than {DEPTH_MAX} levels: flatten it")
            inner = typed and isinstance(value, tuple)
            for key, item in _items(value):
                step = _Path(path, str(key))
                if isinstance(value, dict):
                    if not isinstance(key, str):
                        _refuse(step, f"is named by a {type(key).__name__}: names are text")
                    _check_text(key, step)
                _check_stored(item, step, depth + 1, typed=inner)
        case BaseModel():
            for name, item in value:
                _check_stored(item, _Path(path, name), depth + 1, typed=True)
        case datetime() if typed:
            return
        case datetime():
            _refuse(path, "is a datetime: send it as text such as 2026-03-17T09:00:00Z")
        case _:
            _refuse(path, f"is a {type(value).__name__}: send plain JSON")


def _items(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items()) if isinstance(value, dict) else enumerate(value)


def _check_text(text: str, path: _Path | None) -> None:
    if "\x00" in text:
        _refuse(path, "holds the character NUL, which cannot be stored: remove it")
    if _has_surrogate(text):
        _refuse(path, "holds half of a surrogate pair: send whole characters")


def _has_surrogate(text: str) -> bool:
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse(path: _Path | None, what: str) -> NoReturn:
    raise InvalidInput(f"{path or 'the value'} {what}", field=str(path) if path else None)


def _refuse_action(path: _Path | None, what: str) -> NoReturn:
    raise ActionNotCanonical(f"{path or 'the value'} {what}", field=str(path) if path else None)
