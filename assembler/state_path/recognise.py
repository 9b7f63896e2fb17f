"""Is this text exactly one question that the state path answers, and which?

Conservative: every word is accounted for by the grammar, there is one reading, it is about the
asking user and about the present. Everything else is None and goes to the assembler, because a
wrong deterministic answer is worse than a model call. Pure and total: any text gives a result.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import cast

from workindex.assembler.state_path.question import Form, Locale, StateQuestion
from workindex.assembler.state_path.vocabulary import Vocabulary, vocabulary
from workindex.domain.facts import QuestionKind

TEXT_CHARS_MAX = 300
FILTERS = ("status", "when", "date", "provider", "id")

_HAN = re.compile(r"[\u3400-\u9fff]")
_ODD = re.compile(r"[^\x00-\x7f\u3400-\u9fff]")
# Quotation, markup, code, lists and addresses: nobody asks a plain question with these.
_FOREIGN = re.compile(
    r"[\"“”„‟«»\u2039\u203a「」『』《》〈〉【】<>{}()\[\]|\\/@*=`^$%&;:#+\x00-\x08\x0e-\x1f\x7f]"
)
_SMILEY = re.compile(r"(?<!\S)[:;]-?[)DP](?!\S)")
_PAUSE = re.compile(r"[~…·]|\.{2,}|(?<!\w)-+|-+(?!\w)|[–—]")
_END = re.compile(r"[.!?。,、]+(?=\s|$)|[!?。,、]+")
_CHINESE_DATE = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})[日号]")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "|".join((*_MONTHS, *(name[:3] for name in _MONTHS), "sept"))
_DAY = r"(?P<day{}>\d{{1,2}})(?:st|nd|rd|th)?"
# A day by the name of its month; without a year it could be two days, and is no date.
_ENGLISH_DATE = re.compile(
    rf"\b(?:(?P<month1>{_MONTH})\.?\s+(?:the\s+)?{_DAY.format(1)},?"
    rf"|(?:the\s+)?{_DAY.format(2)}(?:\s+of)?\s+(?P<month2>{_MONTH})\.?,?)"
    r"\s+(?P<year>\d{4})(?![\w-])",
    re.IGNORECASE,
)
_ID = re.compile(r"(?=.*\d)(?=.*[a-z_-])[a-z0-9]+(?:[-_.][a-z0-9]+)*")
_NO_ID = re.compile(r"\d+(?:am|pm|st|nd|rd|th|s|h|d|m|min|k)")
_TASK = re.compile(r"t(?:ask)?[-_]?\d+")
_PROVIDER = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_CHINESE_WORD = re.compile(r"[A-Za-z0-9_]+(?:[-.][A-Za-z0-9_]+)*|[\u3400-\u9fff]|[.']")


def recognise(text: str, locale: str | None = None) -> StateQuestion | None:
    """The canonical question that the text asks, None for everything else.

    The language is read off the text; `locale` (`en`, `zh` or a tag of either, `zh-CN`) sets only
    the language of the answer.
    """
    if len(text) > TEXT_CHARS_MAX:
        return None
    language: Locale = "zh" if _HAN.search(text) else "en"
    words = vocabulary(language)
    tokens = _tokens(text, language, words)
    if tokens is None:
        return None
    symbols, named = _symbols(tokens, words)
    if not symbols:
        return None
    return _question(words.grammar.read(symbols), named, locale_of(locale) or language)


def locale_of(tag: str | None) -> Locale | None:
    """The language of a tag such as `zh-Hans-CN`, None where it is neither of ours."""
    language = (tag or "").replace("_", "-").split("-")[0].lower()
    return cast(Locale, language) if language in ("en", "zh") else None


def _tokens(text: str, language: Locale, words: Vocabulary) -> list[str] | None:
    """The words as written, clause ends as `.`; None where a sign has no place here."""
    if not text.isascii():
        text = _plain(text)
    if ":" in text or ";" in text:
        text = _SMILEY.sub(" ", text)
    if _FOREIGN.search(text):
        return None
    if language == "en" and _YEAR.search(text):
        text = _ENGLISH_DATE.sub(_iso_of_month, text)
    text = _END.sub(" . ", _PAUSE.sub(" ", text))
    if language == "en":
        tokens = text.split()
    else:
        text = _CHINESE_DATE.sub(_iso, text.translate(words.fold))
        tokens = _CHINESE_WORD.findall(text)
        if sum(map(len, tokens)) != len("".join(text.split())):
            return None
    return tokens


def _plain(text: str) -> str:
    """Full-width signs made plain, curly apostrophes straight, pictures left out."""
    return _ODD.sub(_unless_picture, unicodedata.normalize("NFKC", text).replace("’", "'"))


def _unless_picture(found: re.Match[str]) -> str:
    sign = found[0]
    is_picture = unicodedata.category(sign) in ("So", "Sk") or sign in "\u200d\ufe0f"
    return " " if is_picture else sign


def _iso(found: re.Match[str]) -> str:
    year, month, day = found.groups()
    return f" {year}-{int(month):02}-{int(day):02} "


def _iso_of_month(found: re.Match[str]) -> str:
    month, day = (found[f"{name}1"] or found[f"{name}2"] for name in ("month", "day"))
    number = 1 + [name[:3] for name in _MONTHS].index(month[:3].lower())
    return f" {found['year']}-{number:02}-{int(day):02} "


def _symbols(tokens: list[str], words: Vocabulary) -> tuple[list[str], dict[str, str]]:
    """What the grammar reads, and the words that its open symbols stand for.

    Empty where a word is unknown.
    """
    symbols: list[str] = []
    named: dict[str, str] = {}
    known = words.grammar.words
    write = words.write
    for token in tokens:
        low = token.lower()
        if low == ".":
            if symbols and symbols[-1] != ".":
                symbols.append(low)
        elif low in write:
            symbols += write[low]
        elif low in known:
            symbols.append(low)
        else:
            symbol = _open_symbol(low)
            if symbol is None:
                return [], {}
            named[symbol] = token
            symbols.append(symbol)
    if symbols and symbols[-1] == ".":
        symbols.pop()
    return symbols, named


def _open_symbol(low: str) -> str | None:
    if _DATE.fullmatch(low):
        return "%date" if _is_date(low) else None
    if _ID.fullmatch(low) and not _NO_ID.fullmatch(low):
        return "%task" if _TASK.fullmatch(low) else "%id"
    return "%name" if "_" in low and _PROVIDER.fullmatch(low) else None


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _question(
    readings: tuple[tuple[tuple[str, str], ...], ...], named: dict[str, str], locale: Locale
) -> StateQuestion | None:
    """The question if every reading means the same; the form may differ between them."""
    questions = set()
    for reading in readings:
        tags = dict(reading)
        if "date" in tags and "when" in tags:
            continue  # two times in one question contradict each other
        filters = tuple(
            (name, named.get(tags[name], tags[name])) for name in FILTERS if name in tags
        )
        kind = cast(QuestionKind, tags["kind"])
        form = cast(Form, tags["form"])
        questions.add(StateQuestion(kind, filters, locale, form, tags.get("subject")))
    if len({question._replace(form="list") for question in questions}) != 1:
        return None
    return min(questions)
