"""What was found among the first rows, widened to what all the rows say.

A reading that held only the first rows of a kind counts all of them (`Reading.beyond`). Both
must agree: where the rows that were read are not as many as the counts say, rows are missing.
"""

from __future__ import annotations

from collections.abc import Mapping

from workindex.assembler.state_path.days import Clock
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.renderer import (
    NAMES,
    Renderer,
    Selection,
    earliest,
    holds_now,
)
from workindex.assembler.state_path.tasks import STATUS
from workindex.projections.bounds import Beyond
from workindex.projections.needs import Item, Rows
from workindex.projections.proof import Reading

DOUBT = "rows_missing"


def widened(
    question: StateQuestion,
    renderer: Renderer,
    reading: Reading,
    rows: Rows,
    clock: Clock,
    limit: int,
) -> Selection:
    """What the question found, with the counts of all the rows where only the first were read."""
    selection = renderer.select(question, rows, clock)
    if not reading.beyond:
        return selection
    if question.kind == "tasks":
        return _tasks(question, selection, reading.beyond["task"], clock, limit)
    return _urgent(question, renderer, selection, reading.beyond, rows, clock, limit)


def _tasks(
    question: StateQuestion, selection: Selection, beyond: Beyond, clock: Clock, limit: int
) -> Selection:
    """Tasks of a status and time; those beside are the other unended ones."""
    groups = {(STATUS[one][0], *STATUS[one]): count for one, count in beyond.groups.items()}
    beside: tuple[tuple[str, str, int], ...] = ()
    if question.filters == (("status", "open"),):
        others = sorted(one for one in beyond.pool if one != "open")
        beside = tuple((*STATUS[one], beyond.pool[one]) for one in others)
    instants = [selection.changes_at]
    if question.filter("when") in ("overdue", "next"):
        instants.append(beyond.changes_at)
    as_many = len(selection.items) == min(sum(groups.values()), limit)
    return selection._replace(
        groups=groups,
        beside=beside,
        changes_at=earliest(clock.now, instants),
        doubts=selection.doubts if as_many else (*selection.doubts, DOUBT),
    )


def _urgent(
    question: StateQuestion,
    renderer: Renderer,
    selection: Selection,
    beyond: Mapping[str, Beyond],
    rows: Rows,
    clock: Clock,
    limit: int,
) -> Selection:
    """What needs the user, at all or at the question's time."""
    when = question.filter("when")
    instants = [selection.changes_at, *(one.changes_at for one in beyond.values())]
    if when == "overdue":
        instants += [one.due_at for one in beyond.values()]
    selection = selection._replace(changes_at=earliest(clock.now, instants))
    if when == "next":
        return selection
    is_dated = clock.window(question) is not None and not holds_now(question)
    is_timed = is_dated or when == "overdue"
    found = _by_kind(renderer, selection.items)
    doubts = selection.doubts
    totals = {}
    for kind, items in found.items():
        totals[kind] = len(items)
        if (one := beyond.get(kind)) is not None:
            counted = one.within if is_timed else one.needing
            loose = sum(item.id in one.loose for item in items)
            totals[kind] = counted + loose
            if len(items) - loose != min(counted, limit):
                doubts = (*doubts, DOUBT)
    beside = selection.beside
    if is_dated:
        others = _at_other_times(question, renderer, beyond, rows, clock)
        beside = (("waiting", "等待中", others),) if others else ()
    groups = {NAMES[kind]: count for kind, count in totals.items() if count}
    return selection._replace(groups=groups, doubts=tuple(dict.fromkeys(doubts)), beside=beside)


def _at_other_times(
    question: StateQuestion,
    renderer: Renderer,
    beyond: Mapping[str, Beyond],
    rows: Rows,
    clock: Clock,
) -> int:
    """How many items need the user and are due at other times than those asked for."""
    window = clock.window(question)
    assert window is not None, "a question about days has a window"
    whole = renderer.select(question._replace(filters=()), rows, clock)
    count = 0
    for kind, items in _by_kind(renderer, whole.items).items():
        if (one := beyond.get(kind)) is not None:
            count += one.needing - one.within
            items = [item for item in items if item.id in one.loose]
        count += sum(not window.holds(item.due_at) for item in items)
    return count


def _by_kind(renderer: Renderer, items: list[Item]) -> dict[str, list[Item]]:
    """The items of each kind that the renderer lists, kinds without any included."""
    found: dict[str, list[Item]] = {kind: [] for kind in renderer.why}
    for item in items:
        found[item.kind].append(item)
    return found
