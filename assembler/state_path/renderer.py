"""What a renderer is: the rows a kind of question reads, which of them it shows, and the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from workindex.assembler.state_path.days import Clock
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.wording import Phrase, Words
from workindex.domain.facts import QuestionKind
from workindex.projections.bounds import Bounds, Part, Want
from workindex.projections.needs import Item, Rows

# A text tells as many items line by line; of more it tells counts.
LINES_MAX: Final = 10

# What one, several and, in Chinese, any number of a group's items are called.
GroupName = tuple[str, str, str]
WhyText = Callable[[Item, Words], str]


class Selection(NamedTuple):
    """What a question found: every item in order, and when time alone could change that.

    `doubts` are reasons of the rows themselves why items may be missing. `beside` counts rows
    that the question leaves out though its words may have meant them: (English, Chinese, count).
    Where the reading held only the first of the rows, `groups` counts all of them by the names
    of their groups; the items are then the first ones, and more of them than were
    asked for mean nothing.
    """

    items: list[Item]
    changes_at: datetime | None = None
    doubts: tuple[str, ...] = ()
    beside: tuple[tuple[str, str, int], ...] = ()
    groups: Mapping[GroupName, int] | None = None

    @property
    def total(self) -> int:
        """How many items there are, those that were not read included."""
        return len(self.items) if self.groups is None else sum(self.groups.values())

    def grouped(self, counted: Callable[[Item], GroupName]) -> Mapping[GroupName, int]:
        """How many items each group has."""
        return Counter(map(counted, self.items)) if self.groups is None else self.groups


class Asked(NamedTuple):
    """The rows that one question reads."""

    want: Want
    bounds: Bounds = Bounds()


class Renderer(NamedTuple):
    """One kind of question.

    `needs` names the entity kinds whose rows it reads, open ones or all; `asks` narrows that for
    one question where not all of them matter, to the first ones if it can. `why` maps the
    kinds of its items to the text of why each is listed. `counted` groups a long list: it gives the
    English singular, plural and Chinese name of an item's group.
    """

    kind: QuestionKind
    needs: Mapping[str, Part]
    select: Callable[[StateQuestion, Rows, Clock], Selection]
    phrase: Callable[[StateQuestion], Phrase]
    why: Mapping[str, WhyText]
    counted: Callable[[Item], GroupName]
    asks: Callable[[StateQuestion], Asked] | None = None


_DAYS: Mapping[str, tuple[str, str]] = {
    "today": ("today", "今天"),
    "tomorrow": ("tomorrow", "明天"),
    "this_week": ("this week", "本周"),
}


def rows_max(limit: int) -> int:
    """How many rows of a kind are read for an answer of `limit` items: its text may take more."""
    return max(limit, LINES_MAX)


def day_of(question: StateQuestion) -> tuple[str, str] | None:
    """The day or week that the question names, in English and Chinese."""
    date = question.filter("date")
    if date is not None:
        return f"on {date}", f"{date} "
    return _DAYS.get(question.filter("when") or "")


def holds_now(question: StateQuestion) -> bool:
    """Whether the named time is now and the rest of a day or week.

    What waits for the user now waits today, whenever it expires; `due` asks for less.
    """
    return question.filter("when") in ("today", "this_week") and question.subject != "due"


def of_time(
    items: list[Item], question: StateQuestion, clock: Clock
) -> tuple[list[Item], tuple[tuple[str, str, int], ...]]:
    """The waiting items of the question's time, and how many wait beside them."""
    window = clock.window(question)
    if window is None or holds_now(question):
        return items, ()
    chosen = [item for item in items if window.holds(item.due_at)]
    others = len(items) - len(chosen)
    return chosen, (("waiting", "等待中", others),) if others else ()


def earliest(now: datetime, instants: Sequence[datetime | None]) -> datetime | None:
    """The first of the instants after `now`."""
    return min((at for at in instants if at is not None and at > now), default=None)


# What items of each kind are called in the text: one, several, in Chinese.
NAMES: Mapping[str, GroupName] = {
    "task": ("task", "tasks", "任务"),
    "approval": ("approval", "approvals", "审批"),
    "reminder": ("reminder", "reminders", "提醒"),
    "proposal": ("proposal", "proposals", "建议"),
    "routine": ("routine", "routines", "例行任务"),
    "trigger": ("trigger", "triggers", "触发"),
    "meeting": ("meeting", "meetings", "会议"),
    "commitment": ("commitment", "commitments", "承诺"),
    "connection": ("connection", "connections", "连接"),
    "credits": ("credit balance", "credit balances", "额度"),
}


def by_kind(item: Item) -> GroupName:
    """Items counted by what they are."""
    return NAMES[item.kind]
