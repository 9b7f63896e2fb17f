"""Are the turns that answer a question the first ones?"""

from __future__ import annotations

import pytest

from workindex.assembler.ranking import APART, Corpus, named_in

SPEAKERS = ("Grad A", "Grad B", "Project Manager", "Marketing", "Bethan Owen AM", "王五")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did B think about the price?", {"Grad B"}),
        ("What about plan b?", set()),
        ("Why did the Project Manager agree with Marketing?", {"Project Manager", "Marketing"}),
        ("what did the project manager say", {"Project Manager"}),
        ("Which project has a manager?", set()),
        ("Why did the marketing propose it?", {"Marketing"}),
        ("What was Bethan's comment?", {"Bethan Owen AM"}),
        ("What did a grad student say?", set()),
        ("Did Grad say so?", set()),
        ("王五 说了什么", {"王五"}),
        ("", set()),
    ],
)
def test_who_is_named(question: str, named: set[str]) -> None:
    """By the whole name in any case, or by a word as it is written that nobody else has."""
    assert named_in(question, SPEAKERS) == named


def test_of_two_who_say_the_same_the_one_who_is_named_is_first() -> None:
    """And without a name the earlier one."""
    other = ["nothing of note here"] * (APART + 1)
    texts = ["the price is high", *other, "the price is high"]
    speakers = ["Ann", *["Cem"] * len(other), "Bo"]
    corpus = Corpus(texts, speakers)
    last = len(texts) - 1
    assert corpus.best_turns("What about the price?", 2) == [0, last]
    assert corpus.best_turns("What did Bo say about the price?", 2) == [last, 0]
    assert Corpus(texts).best_turns("What did Bo say about the price?", 2) == [0, last]


def test_a_name_alone_finds_no_turn_that_holds_no_word() -> None:
    """Who is named counts more only where something was found."""
    corpus = Corpus(["hello there", "the garden"], ["Ann", "Bo"])
    assert corpus.best_turns("Ann on balconies", 2) == []


def test_words_that_ask_count_less_than_what_is_asked_about() -> None:
    """As rare as each other: "propose" asks how it was said, "balcony" is said."""
    corpus = Corpus(["we propose a walk", "a balcony or none", "something else", "and more"])
    propose, balcony, *_ = corpus.scores("Why did they propose a balcony?")
    assert 0 < propose < balcony
