"""What does the agent propose, and which routines run? Waiting proposals, or the routines."""

from __future__ import annotations

from collections.abc import Mapping

from workindex.assembler.state_path.days import Clock
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.renderer import (
    Asked,
    Renderer,
    Selection,
    by_kind,
    day_of,
    earliest,
    holds_now,
    of_time,
)
from workindex.assembler.state_path.wording import Phrase, Words, being
from workindex.projections.bounds import Bounds
from workindex.projections.needs import Item, Rows, Why, is_waiting, proposal_item, urgency
from workindex.projections.proactive import ProposalRow, RoutineRow

_PROPOSAL: Mapping[str, tuple[str, str]] = {
    "waiting": ("waits for your answer", "等你答复"),
    "accepted": ("accepted", "已接受"),
    "declined": ("declined", "已拒绝"),
    "dismissed": ("dismissed", "已忽略"),
    "expired": ("expired without an answer", "无人答复，已过期"),
}
_ROUTINE: Mapping[str, tuple[str, str]] = {
    "active": ("active", "启用中"),
    "paused": ("paused", "已暂停"),
}


def select(question: StateQuestion, rows: Rows, clock: Clock) -> Selection:
    """The waiting proposals; the routines where these are asked for."""
    if question.subject == "routine":
        return _routines(question, list(rows["routine"]))
    proposals: list[ProposalRow] = list(rows["proposal"])
    named = question.filter("id")
    if named is not None:
        items = [_named(row, clock) for row in proposals if row.proposal_id == named]
        beside: tuple[tuple[str, str, int], ...] = ()
    else:
        waiting = [proposal_item(row) for row in proposals if is_waiting(row, clock.now)]
        items, beside = of_time(waiting, question, clock)
    instants = [row.expires_at for row in proposals if row.status == "waiting"]
    if day_of(question) is not None:
        instants.append(clock.next_midnight())
    return Selection(sorted(items, key=urgency), earliest(clock.now, instants), beside=beside)


def asks(question: StateQuestion) -> Asked:
    """The routines, the proposal named, or the most urgent proposals that wait."""
    named = question.filter("id")
    if question.subject == "routine":
        return Asked({"routine": "all", "proposal": "named"})
    return Asked({"routine": "named", "proposal": "named" if named else "urgent"}, Bounds(id=named))


def _named(row: ProposalRow, clock: Clock) -> Item:
    item = proposal_item(row)
    if row.status == "expired" or (row.status == "waiting" and not is_waiting(row, clock.now)):
        return item._replace(
            why=Why("proposal_expired"),
            since_at=row.expires_at,
            due_at=None,
            value={"status": "expired"},
        )
    since_at = row.made_at if row.status == "waiting" else row.answered_at
    due_at = row.expires_at if row.status == "waiting" else None
    return item._replace(why=Why(f"proposal_{row.status}"), since_at=since_at, due_at=due_at)


def _routines(question: StateQuestion, routines: list[RoutineRow]) -> Selection:
    named, status = question.filter("id"), question.filter("status")
    chosen = [
        row for row in routines if named in (None, row.routine_id) and status in (None, row.status)
    ]
    items = [
        Item(
            kind="routine",
            id=row.routine_id,
            title=row.title,
            why=Why(f"routine_{row.status}"),
            since_at=None,
            due_at=row.next_at if row.status == "active" else None,
            value={"status": row.status},
        )
        for row in chosen
    ]
    return Selection(sorted(items, key=urgency))


def proposal_why(item: Item, words: Words) -> str:
    """Where the proposal stands, in its own words where it waits."""
    status = item.why.reason.removeprefix("proposal_")
    text = words.pick(*_PROPOSAL.get(status, (status, status)))
    if item.why.text:
        text += words.pick(": ", "：") + words.quoted(item.why.text)
    return text


def routine_why(item: Item, words: Words) -> str:
    """Whether the routine runs, and when next."""
    status = item.why.reason.removeprefix("routine_")
    text = words.pick(*_ROUTINE.get(status, (status, status)))
    if item.due_at is not None:
        at = words.time(item.due_at)
        text += words.pick(f", next run {at}", words.after_zh("，下次在", item.due_at))
    return text


def phrase(question: StateQuestion) -> Phrase:
    """`proposals are waiting`, `routines are active`."""
    if question.subject == "routine":
        status = question.filter("status")
        en, zh = _ROUTINE.get(status or "", ("set up", "已设置"))
        return being("routine", "routines", en, f"{zh}的", "个", "例行任务")
    day = day_of(question)
    if day is not None and not holds_now(question):
        state = f"waiting and due {day[0]}"
        return being("proposal", "proposals", state, f"{day[1]}过期、等你答复的", "条", "建议")
    return being("proposal", "proposals", "waiting", "等你答复的", "条", "建议")


PROACTIVE = Renderer(
    kind="proactive",
    needs={"proposal": "all", "routine": "all"},
    select=select,
    phrase=phrase,
    why={"proposal": proposal_why, "routine": routine_why},
    counted=by_kind,
    asks=asks,
)
