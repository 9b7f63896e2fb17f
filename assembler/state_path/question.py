"""What a canonical question is: one kind, its filters, the language and the form it came in."""

from __future__ import annotations

from typing import Literal, NamedTuple

from workindex.domain.facts import QuestionKind

Form = Literal["list", "count", "yes_no"]
Locale = Literal["en", "zh"]


class StateQuestion(NamedTuple):
    """A question that the state path answers.

    `filters` holds pairs of status, when, date, provider and id, in that order. `subject` narrows
    a kind that has two sorts of entity to one (`proposal` or `routine` in proactive); `due` in
    approvals narrows a day to what expires on it.
    """

    kind: QuestionKind
    filters: tuple[tuple[str, str], ...] = ()
    locale: Locale = "en"
    form: Form = "list"
    subject: str | None = None

    def filter(self, name: str) -> str | None:
        """The value of one filter, None where the question has none of that name."""
        return dict(self.filters).get(name)
