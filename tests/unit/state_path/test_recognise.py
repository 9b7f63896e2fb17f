"""The recogniser against two lists a language: questions it answers, texts it must leave alone."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workindex.assembler.state_path import NEEDS, StateQuestion, recognise
from workindex.assembler.state_path.question import Form
from workindex.assembler.state_path.recognise import FILTERS, TEXT_CHARS_MAX

LISTS = Path(__file__).parent
LOCALES = ("en", "zh")
GREETINGS = ("hi", "hey", "hello", "good", "你好", "嗨", "早", "um")


class Proper(NamedTuple):
    """One line of a list of proper questions."""

    kind: str
    filters: dict[str, str]
    text: str


def lines_of(name: str) -> list[str]:
    """The lines of a list without its comments."""
    lines = (LISTS / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def propers(locale: str) -> list[Proper]:
    """The proper questions of one language."""
    found = []
    for line in lines_of(f"proper.{locale}.txt"):
        kind, filters, text = (part.strip() for part in line.split("|", 2))
        pairs = () if filters == "-" else (pair.split("=") for pair in filters.split())
        found.append(Proper(kind, dict(pairs), text))
    return found


def asked(text: str) -> tuple[str, dict[str, str]] | None:
    """Kind and filters of a text."""
    question = recognise(text)
    return None if question is None else (question.kind, dict(question.filters))


@pytest.mark.parametrize("locale", LOCALES)
def test_every_proper_question_is_recognised_with_exactly_its_filters(locale: str) -> None:
    """No proper question is missed, takes another kind, or is narrowed or widened."""
    wrong = {
        proper.text: asked(proper.text)
        for proper in propers(locale)
        if asked(proper.text) != (proper.kind, proper.filters)
    }
    assert wrong == {}


@pytest.mark.parametrize("locale", LOCALES)
def test_no_near_miss_is_answered(locale: str) -> None:
    """A wrong deterministic answer is worse than a model call."""
    answered = {text: recognise(text) for text in lines_of(f"near_misses.{locale}.txt")}
    assert {text: question for text, question in answered.items() if question is not None} == {}


@pytest.mark.parametrize("locale", LOCALES)
def test_the_lists_are_large_and_hold_every_kind(locale: str) -> None:
    """At least 200 proper questions of all eight kinds and 300 near misses, none twice."""
    good, bad = propers(locale), lines_of(f"near_misses.{locale}.txt")
    assert len({proper.text for proper in good}) == len(good) >= 200
    assert len(set(bad)) == len(bad) >= 300
    assert {proper.kind for proper in good} == set(NEEDS)


@pytest.mark.parametrize("locale", LOCALES)
def test_case_and_end_marks_and_pictures_carry_no_meaning(locale: str) -> None:
    """Voice transcripts, shouting and emoji ask the same question."""
    changes = (str.upper, str.lower, lambda t: t.rstrip("?？"), lambda t: f"🙂 {t} 🙏", str.title)
    wrong = [
        changed
        for proper in propers(locale)
        if "id" not in proper.filters
        for change in changes
        if asked(changed := change(proper.text)) != (proper.kind, proper.filters)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("locale", "before", "after"),
    [("en", "Hi there, ", " Thank you!"), ("zh", "你好，", "谢谢！")],
)
def test_courtesies_around_a_question_carry_no_meaning(
    locale: str, before: str, after: str
) -> None:
    """Greeting and thanks may stand around every question that has none."""
    wrong = [
        text
        for proper in propers(locale)
        if not proper.text.lower().startswith(GREETINGS)
        and asked(text := f"{before}{proper.text}{after}") != (proper.kind, proper.filters)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("locale", "join"), [("en", " and "), ("en", "? "), ("en", ", "), ("zh", "，")]
)
def test_two_questions_in_one_text_are_not_answered(locale: str, join: str) -> None:
    """Every pair of neighbours of different kinds in the list is two intents."""
    good = propers(locale)
    pairs = [(a, b) for a in good[::7] for b in good[3::11] if a.kind != b.kind]
    texts = [a.text.rstrip("?？.。!") + join + b.text for a, b in pairs]
    assert [text for text in texts if recognise(text)] == []


@pytest.mark.parametrize("marks", ['""', "“”", "「」", "''", "()", "<>", "``"])
@pytest.mark.parametrize("locale", LOCALES)
def test_a_quoted_question_is_talked_about_and_not_asked(locale: str, marks: str) -> None:
    """Quotation, brackets and code are never the user's own question."""
    texts = [f"{marks[0]}{proper.text}{marks[1]}" for proper in propers(locale)]
    assert [text for text in texts if recognise(text)] == []


UNFIT = {
    "empty": "",
    "blank": " \n\t ",
    "only marks": "?!…",
    "only a picture": "🙂",
    "too long": "what needs me" + " " * TEXT_CHARS_MAX + "?",
    "no such day": "Any meetings on 2026-02-30?",
    "an address": "show task T-1@example",
    "two ids": "show task T-1 T-2",
    "a time is no id": "Is meeting 3pm cancelled?",
    "control characters": "what needs me?\x00",
    "another language": "Was braucht mich?",
    "mixed": "what 需要 me",
}


@pytest.mark.parametrize("text", UNFIT.values(), ids=UNFIT)
def test_texts_that_no_question_looks_like(text: str) -> None:
    """Anything out of the ordinary goes to the assembler."""
    assert recognise(text) is None


def test_ids_keep_their_case_and_dates_are_checked() -> None:
    """What the user named is passed on as written."""
    assert asked("what is the status of TASK bd-A1B2") == ("tasks", {"id": "bd-A1B2"})
    assert asked("2026年2月30日有会议吗") is None
    assert asked("2026年12月5日有会议吗") == ("meetings", {"date": "2026-12-05"})
    assert asked("Is acme_crm connected?") == ("connections", {"provider": "acme_crm"})


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("What needs me?", "list"),
        ("How many tasks are pending?", "count"),
        ("Are there any tasks pending on me?", "yes_no"),
        ("哪些任务在等我", "list"),
        ("有多少任务需要我处理？", "count"),
        ("有任务在等我吗", "yes_no"),
    ],
)
def test_the_form_of_the_question_is_told(text: str, form: str) -> None:
    """A list, a number or a yes or no is wanted."""
    question = recognise(text)
    assert question is not None
    assert question.form == form


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        ("What needs me?", None, "en"),
        ("有什么需要我处理的吗", None, "zh"),
        ("What needs me?", "zh-Hans-CN", "zh"),
        ("有什么需要我处理的吗", "en_GB", "en"),
        ("What needs me?", "fr", "en"),
    ],
)
def test_the_language_is_read_off_the_text_unless_told(
    text: str, locale: str | None, expected: str
) -> None:
    """`locale` changes the answer's language, never what is understood."""
    question = recognise(text, locale)
    assert question is not None
    assert (question.kind, question.locale) == ("pending", expected)


@given(st.text(max_size=60))
def test_any_text_gives_none_or_a_well_formed_question(text: str) -> None:
    """The recogniser is total, and what it returns is of the contract."""
    question = recognise(text)
    if question is not None:
        assert_well_formed(question)


WORDS = st.sampled_from(
    (
        *("what", "are", "is", "any", "my", "tasks", "pending", "meetings", "today", "not", "on"),
        *("me", "approvals", "reminders", "show", "cancel", "due", "T-1", "for", "you", "credits"),
        *(
            "how",
            "many",
            "next",
            "2026-03-05",
            "今天",
            "有",
            "什么",
            "会议",
            "吗",
            "任务",
            "的",
            "?",
        ),
    )
)


@given(st.lists(WORDS, max_size=9).map(" ".join))
def test_any_words_of_the_vocabulary_give_none_or_a_well_formed_question(text: str) -> None:
    """Words that the grammar knows, in any order."""
    question = recognise(text)
    if question is not None:
        assert_well_formed(question)


def assert_well_formed(question: StateQuestion) -> None:
    """Kind, form and filters are those of the contract."""
    assert question.kind in NEEDS
    assert question.form in get_args(Form)
    names = [name for name, _ in question.filters]
    assert names == [name for name in FILTERS if name in names]
    assert all(value and value.isprintable() for _, value in question.filters)
