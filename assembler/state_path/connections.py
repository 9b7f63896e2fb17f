"""Which accounts are connected, and what credit is left? Live provider state, with its age."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation

from workindex.assembler.state_path.days import Clock
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.renderer import Renderer, Selection, by_kind
from workindex.assembler.state_path.wording import (
    NAME_CHARS_MAX,
    Phrase,
    Words,
    being,
    plain,
    span,
)
from workindex.projections.connections import ConnectionRow, CreditsRow
from workindex.projections.needs import Item, Rows, Why

_STATUS: Mapping[str, tuple[str, str]] = {
    "connected": ("connected", "已连接"),
    "expired": ("its access has expired", "授权已过期"),
    "error": ("has an error", "出错"),
    "disconnected": ("disconnected", "已断开"),
}
_WORD = re.compile(r"[^a-z0-9]+")


def select_connections(question: StateQuestion, rows: Rows, clock: Clock) -> Selection:
    """The connections asked for, those that do not work first."""
    chosen: list[ConnectionRow] = [
        row for row in rows["connection"] if _is_named(row.provider, question)
    ]
    chosen.sort(key=lambda row: (row.status == "connected", row.connection_id))
    return Selection(
        [
            Item(
                kind="connection",
                id=row.connection_id,
                title=f"{row.provider} {row.account}",
                why=Why(row.status, row.detail, _age(row, clock.now)),
                since_at=row.observed_at,
                due_at=None,
                value={"status": row.status},
            )
            for row in chosen
        ]
    )


def select_credits(question: StateQuestion, rows: Rows, clock: Clock) -> Selection:
    """The balances asked for."""
    chosen: list[CreditsRow] = [
        row for row in rows["credits"] if _is_named(row.provider or row.account, question)
    ]
    chosen.sort(key=lambda row: (row.provider or "", row.account))
    return Selection(
        [
            Item(
                kind="credits",
                id=row.account,
                title=row.account if row.provider is None else f"{row.provider} {row.account}",
                why=Why(row.amount, row.unit, _age(row, clock.now)),
                since_at=row.observed_at,
                due_at=None,
                value={"amount": _number(row.amount), "unit": row.unit},
            )
            for row in chosen
        ]
    )


def connection_why(item: Item, words: Words) -> str:
    """Whether the account is connected, and as of when."""
    text = words.pick(*_STATUS.get(item.why.reason, (item.why.reason, item.why.reason)))
    if item.why.text:
        text += words.pick(": ", "：") + words.quoted(item.why.text)
    return text + _as_of(item, words)


def credits_why(item: Item, words: Words) -> str:
    """How much there is, and as of when."""
    amount = plain(f"{item.why.reason} {item.why.text or ''}", NAME_CHARS_MAX)
    return amount + _as_of(item, words)


def _as_of(item: Item, words: Words) -> str:
    """When it was seen, and where that is too long ago, how old it may be."""
    assert item.since_at is not None
    at = words.time(item.since_at)
    text = words.pick(f", as of {at}", words.after_zh("，截至", item.since_at))
    for limit in item.why.refs:
        allowed = span(int(limit), words)
        text += words.pick(f" (older than {allowed})", f"（超过 {allowed}）")
    return text


def _age(row: ConnectionRow | CreditsRow, now: datetime) -> tuple[str, ...]:
    """The seconds that the row may be old, if it is older."""
    is_stale = now - row.observed_at > timedelta(seconds=row.ttl_seconds)
    return (str(row.ttl_seconds),) if is_stale else ()


def is_of_provider(name: str, asked: str) -> bool:
    """Whether a provider's name is the one asked for, or a part of it (google, google_calendar)."""
    own = _WORD.sub("_", name.lower()).strip("_")
    return own == asked or own.startswith(f"{asked}_")


def _is_named(provider: str, question: StateQuestion) -> bool:
    asked = question.filter("provider")
    return asked is None or is_of_provider(provider, asked)


def _number(amount: str) -> int | float | None:
    try:
        exact = Decimal(amount)
    except InvalidOperation:
        return None
    if not exact.is_finite():
        return None
    return int(exact) if exact == exact.to_integral_value() else float(exact)


def connections_phrase(question: StateQuestion) -> Phrase:
    """`connections are known`."""
    return _known(question, ("connection", "connections", "连接"), "to")


def credits_phrase(question: StateQuestion) -> Phrase:
    """`credit balances are known`."""
    return _known(question, ("credit balance", "credit balances", "额度余额"), "at")


def _known(question: StateQuestion, names: Sequence[str], preposition: str) -> Phrase:
    noun, nouns, noun_zh = names
    asked = question.filter("provider")
    if asked is None:
        return being(noun, nouns, "known", "已知的", "个", noun_zh)
    provider = plain(asked, NAME_CHARS_MAX)
    return being(
        f"{noun} {preposition} {provider}",
        f"{nouns} {preposition} {provider}",
        "known",
        f"已知的 {provider} ",
        "个",
        noun_zh,
    )


CONNECTIONS = Renderer(
    kind="connections",
    needs={"connection": "all"},
    select=select_connections,
    phrase=connections_phrase,
    why={"connection": connection_why},
    counted=by_kind,
)
CREDITS = Renderer(
    kind="credits",
    needs={"credits": "all"},
    select=select_credits,
    phrase=credits_phrase,
    why={"credits": credits_why},
    counted=by_kind,
)
