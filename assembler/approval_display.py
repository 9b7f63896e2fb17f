"""What a person decides on: the exact action of an approval, by one fixed template.

Everything that a grant binds is here and is read from the stored action itself, whose hash the
grant names. Values are JSON on one line, invisible signs and runs of spaces written out, so that
none of them can pass for a line of the template. The title is no part of the action and says so.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from workindex.assembler.state_path.approvals import STATUS_WORDS
from workindex.assembler.state_path.question import Locale
from workindex.domain.canonical import (
    action_hash,
    canonical_json,
    escape_for_display,
    parsed_action,
)
from workindex.projections.approvals import ApprovalRow

# Every space but a single plain one: a row of them pushes what follows onto a line of its own.
_SPACES: Final = re.compile(r"(?<= ) |[^\S\x00-\x7f]")


def display(row: ApprovalRow, now: datetime, locale: Locale = "en") -> str:
    """The text in the locale, a line a field; the same for the same row and status."""
    action = parsed_action(row.action)
    arguments: dict[str, Any] = action["arguments"]
    preconditions: list[dict[str, Any]] = action["preconditions"]
    some = {name: _value(value) for name, value in action.items() if value is not None}
    none = _in(locale, "none", "无")
    lines = [
        (_in(locale, "Approval", "审批"), some["approval_id"]),
        (_in(locale, "Of user", "用户"), some["user_id"]),
        (_in(locale, "Status", "状态"), _status(row, now, locale)),
        (_in(locale, "Tool", "工具"), some["tool"]),
        (
            _in(locale, "Tool schema (sha256)", "工具模式 (sha256)"),
            some.get("tool_schema_sha256", none),
        ),
        (_in(locale, "Arguments", "参数"), str(len(arguments) or none)),
        *((f"  {_value(name)}", _value(value)) for name, value in arguments.items()),
        (_in(locale, "Target", "对象"), some.get("target", none)),
        (_in(locale, "Account", "账户"), some.get("account", none)),
        (_in(locale, "Requested by", "请求者"), some["requester"]),
        (_in(locale, "Expires at", "过期时间"), action["expires_at"]),
        (_in(locale, "Preconditions", "前提条件"), str(len(preconditions) or none)),
        *(
            (f"  {_value(one['kind'])} {_value(one['id'])}", _value(one["version"]))
            for one in preconditions
        ),
        (_in(locale, "Action hash (sha256)", "操作哈希 (sha256)"), row.action_hash),
        (_in(locale, "Policy", "策略"), _policy(row.policy, locale)),
        (_in(locale, "Title, no part of the action", "标题，不属于操作"), _value(row.title)),
    ]
    text = "\n".join(f"{name}: {told}" for name, told in lines)
    if action_hash(row.action) == row.action_hash:
        return text
    en, zh = "Do not decide: the stored action has another hash.", "请勿决定：存储的操作哈希不符。"
    return f"{_in(locale, en, zh)}\n{text}"


def _in(locale: Locale, en: str, zh: str) -> str:
    return zh if locale == "zh" else en


def _status(row: ApprovalRow, now: datetime, locale: Locale) -> str:
    is_overdue = row.deadline_at is not None and row.deadline_at <= now
    status = "overdue" if row.status == "executing" and is_overdue else row.status
    told = _in(locale, *STATUS_WORDS[status])
    return told if row.reason_code is None else f"{told} ({row.reason_code})"


def _policy(policy: dict[str, Any] | None, locale: Locale) -> str:
    if policy is None:
        return _in(locale, "not asked yet", "尚未评估")
    told = f"{_value(policy['decision'])} {_value(policy['policy_id'])}"
    return told if policy.get("reason") is None else f"{told} {_value(policy['reason'])}"


def _value(value: Any) -> str:
    """A value as JSON on one line, every sign of it visible."""
    return _SPACES.sub(_written_out, escape_for_display(canonical_json(value).decode()))


def _written_out(space: re.Match[str]) -> str:
    return f"\\u{ord(space.group()):04x}"
