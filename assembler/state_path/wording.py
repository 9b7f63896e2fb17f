"""Words that every renderer uses, in English and Chinese.

Titles, prompts and names are data: one line, invisible characters written out, bounded, and in
quotation marks that they cannot close.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import NamedTuple

from workindex.assembler.state_path.days import Clock
from workindex.assembler.state_path.question import Locale
from workindex.domain.canonical import escape_for_display

TITLE_CHARS_MAX = 120
NAME_CHARS_MAX = 60

_MARKS = {"en": ("“", "”", "\u2018", "’"), "zh": ("「", "」", "『", "』")}
_DAYS = {
    "en": {-1: "yesterday", 0: "today", 1: "tomorrow"},
    "zh": {-1: "昨天", 0: "今天", 1: "明天"},
}


class Words(NamedTuple):
    """How one answer speaks: its language, its clock, and whether it is about the present."""

    locale: Locale
    clock: Clock
    at_position: int | None = None

    def pick(self, en: str, zh: str) -> str:
        """The text in the answer's language."""
        return zh if self.locale == "zh" else en

    def quoted(self, text: str, chars_max: int = TITLE_CHARS_MAX) -> str:
        """Text of the user's data, safe to stand inside a sentence."""
        opening, closing, inner_opening, inner_closing = _MARKS[self.locale]
        shown = plain(text, chars_max)
        shown = shown.replace(opening, inner_opening).replace(closing, inner_closing)
        return f"{opening}{shown}{closing}"

    def time(self, at: datetime) -> str:
        """An instant on the user's clock; near days by name where the answer is about now."""
        local = self.clock.local(at)
        suffix = "" if self.clock.zone_known else " UTC"
        day = None
        if self.at_position is None:
            day = _DAYS[self.locale].get((local.date() - self.clock.today).days)
        return f"{day or local.date().isoformat()} {local:%H:%M}{suffix}"

    def after_zh(self, before: str, at: datetime) -> str:
        """Chinese words and then an instant, a space before figures."""
        told = self.time(at)
        return f"{before} {told}" if told[0].isascii() else f"{before}{told}"

    def times(self, start_at: datetime, end_at: datetime) -> str:
        """A span on the user's clock, its day named once where it is one day."""
        end = self.clock.local(end_at)
        if end_at - start_at == timedelta(days=1) and end.time() == time.min:
            day, _, zone = self.time(start_at).partition(" 00:00")
            return self.pick(f"{day}{zone}, all day", f"{day}{zone}，全天")
        if self.clock.local(start_at).date() != end.date():
            return f"{self.time(start_at)} – {self.time(end_at)}"
        start = self.time(start_at).removesuffix(" UTC")
        return f"{start}–{end:%H:%M}{'' if self.clock.zone_known else ' UTC'}"

    def names(self, names: Sequence[str], shown_max: int = 3) -> str:
        """A list of ids as data, the rest counted."""
        shown = [plain(name, NAME_CHARS_MAX) for name in names[:shown_max]]
        if len(names) > shown_max:
            more = len(names) - shown_max
            shown.append(self.pick(f"{more} more", f"另外 {more} 个"))
        return self.listed(shown)

    def listed(self, parts: Sequence[str]) -> str:
        """`a, b and c`, 「a、b、c」."""
        if self.locale == "zh":
            return "、".join(parts)
        return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)

    def joined(self, parts: Sequence[str]) -> str:
        """Clauses of one line."""
        return self.pick("; ", "；").join(part for part in parts if part)


def plain(text: str, chars_max: int) -> str:
    """Data as one visible line of bounded length."""
    line = escape_for_display(" ".join(text.split()))
    return line if len(line) <= chars_max else f"{line[: chars_max - 1]}…"


def span(seconds: int, words: Words) -> str:
    """A length of time in its largest whole unit."""
    units = ((86_400, "day", "天"), (3_600, "hour", "小时"), (60, "minute", "分钟"))
    for size, en, zh in units:
        if seconds >= size and seconds % size == 0:
            count = seconds // size
            return words.pick(f"{count} {en}{'' if count == 1 else 's'}", f"{count} {zh}")
    return words.pick(f"{timedelta(seconds=seconds).total_seconds():g} s", f"{seconds} 秒")


class Phrase(NamedTuple):
    """What a question asks about, to be put into any of the sentences below.

    English: `noun` and `nouns`, then `verb` for one and `verbs` for several, `state` after "there
    were". Chinese: `measure`, `attribute`, `noun_zh` (「有 3 项等待中的审批」). The last five
    replace what is said of none (now, in the past, in Chinese) and what is not confirmed (now,
    in the past).
    """

    noun: str
    nouns: str
    verb: str
    verbs: str
    state: str
    attribute: str
    measure: str
    noun_zh: str
    none: str = ""
    none_past: str = ""
    none_zh: str = ""
    whether: str = ""
    whether_past: str = ""

    @property
    def thing_zh(self) -> str:
        """The Chinese noun phrase without a count."""
        return f"{self.attribute}{self.noun_zh}"


def being(noun: str, nouns: str, state: str, attribute: str, measure: str, noun_zh: str) -> Phrase:
    """A phrase with "to be": 3 tasks are blocked."""
    return Phrase(
        noun=noun,
        nouns=nouns,
        verb=f"is {state}",
        verbs=f"are {state}",
        state=state,
        attribute=attribute,
        measure=measure,
        noun_zh=noun_zh,
    )


def count_sentence(phrase: Phrase, count: int, words: Words, *, at_least: bool) -> str:
    """The headline of an answer that has items, without its end mark."""
    if words.locale == "zh":
        counted = f"有 {count} {phrase.measure}{phrase.thing_zh}"
        head = f"至少{counted}" if at_least else counted
        return head if words.at_position is None else f"在位置 {words.at_position}，{head}"
    noun = phrase.noun if count == 1 else phrase.nouns
    if words.at_position is not None:
        were = "there was" if count == 1 else "there were"
        some = f"at least {count}" if at_least else f"{count}"
        return f"At position {words.at_position} {were} {some} {noun} {phrase.state}"
    verb = phrase.verb if count == 1 else phrase.verbs
    return f"At least {count} {noun} {verb}" if at_least else f"{count} {noun} {verb}"


def none_sentence(phrase: Phrase, words: Words) -> str:
    """That there is none, which only a proof allows."""
    if words.at_position is None:
        zh = phrase.none_zh or f"没有{phrase.thing_zh}。"
        return words.pick(phrase.none or f"No {phrase.nouns} {phrase.verbs}.", zh)
    past = phrase.none_past or f"there were no {phrase.nouns} {phrase.state}."
    return words.pick(
        f"At position {words.at_position} {past}",
        f"在位置 {words.at_position}，没有{phrase.thing_zh}。",
    )


def unconfirmed_sentence(phrase: Phrase, words: Words, reasons: Sequence[str]) -> str:
    """That nothing was seen and nothing was proved, and why."""
    because = doubts(reasons, words)
    where = "" if words.at_position is None else f"在位置 {words.at_position}，"
    zh = f"{where}无法确认是否有{phrase.thing_zh}：{because}。"
    whether = phrase.whether or f"whether any {phrase.nouns} {phrase.verbs}"
    if words.at_position is None:
        return words.pick(f"W{whether[1:]} could not be confirmed: {because}.", zh)
    past = phrase.whether_past or f"whether there were any {phrase.nouns} {phrase.state}"
    en = f"At position {words.at_position} it could not be confirmed {past}: {because}."
    return words.pick(en, zh)


def doubts(reasons: Sequence[str], words: Words) -> str:
    """Every reason in words."""
    return words.pick("; ", "；").join(_doubt(reason, words) for reason in reasons)


def _doubt(reason: str, words: Words) -> str:
    token, _, name = reason.partition(":")
    en, zh = _DOUBTS.get(token, ("{token}", "{token}"))
    shown = words.quoted(name, NAME_CHARS_MAX)
    return words.pick(en, zh).format(name=shown, token=plain(reason, NAME_CHARS_MAX))


_DOUBTS = {
    "lag": ("the index is behind the log", "索引落后于日志"),
    "parked": ("a fact could not be taken into the index", "有一条事实未能写入索引"),
    "skipped": ("a fact was left out of the index by hand", "有一条事实被人工排除在索引之外"),
    "fold_version": (
        "the index was built by another version of this program",
        "索引由本程序的另一个版本建立",
    ),
    "rows_missing": ("rows of the index are missing", "索引缺少记录"),
    "source_stale": ("source {name} has not been seen recently enough", "来源{name}近期没有更新"),
    "source_suspect": ("the last report of source {name} is doubtful", "来源{name}的最近报告可疑"),
    "source_partial": ("source {name} was seen only in part", "来源{name}只看到一部分"),
    "provider_stale": (
        "what is known of {name} is older than it may be",
        "{name}的信息已超过有效期",
    ),
    "recurrence": (
        "{name} repeats and its later dates are not worked out",
        "{name}会重复，之后的日期尚未算出",
    ),
    "replica": ("this database is a replica", "当前数据库是副本"),
    "no_tenant": ("the database was not told which user asks", "数据库不知道是哪个用户在提问"),
    "unknown_user": ("there is no log of this user", "没有该用户的日志"),
    "erased": ("this user's log was erased", "该用户的日志已被清除"),
    "unavailable": ("the database could not be asked", "无法查询数据库"),
}
