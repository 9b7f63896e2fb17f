"""Which approvals are waiting? Every open one, also those that a waiting task already tells of."""

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
from workindex.assembler.state_path.wording import NAME_CHARS_MAX, Phrase, Words, being, plain
from workindex.projections.approvals import ApprovalRow
from workindex.projections.bounds import Bounds
from workindex.projections.needs import (
    Item,
    Rows,
    approval_instants,
    approval_item,
    is_requested,
    needs_settling,
    urgency,
)

STATUS_WORDS: Mapping[str, tuple[str, str]] = {
    "requested": ("waits for your approval", "等你批准"),
    "granted": ("granted, not executed yet", "已批准，尚未执行"),
    "executing": ("is being executed", "正在执行"),
    "overdue": (
        "was started, but no result came by its deadline",
        "已开始执行，但到期限仍无结果",
    ),
    "executed": ("executed", "已执行"),
    "failed": ("its execution failed", "执行失败"),
    "granted_not_executed": ("granted, but not used in time", "已批准，但未在期限内执行"),
    "outcome_unknown": ("the outcome of its execution is unknown", "执行结果不明"),
    "denied": ("denied", "已拒绝"),
    "expired": ("expired before anybody decided", "无人决定，已过期"),
    "withdrawn": ("withdrawn", "已撤回"),
    "moot": ("no longer needed", "已不再需要"),
}


def select(question: StateQuestion, rows: Rows, clock: Clock) -> Selection:
    """The approvals that wait for a decision or for their outcome to be settled."""
    now = clock.now
    approvals: list[ApprovalRow] = list(rows["approval"])
    named = question.filter("id")
    if named is not None:
        chosen = [row for row in approvals if row.approval_id == named]
    else:
        chosen = [row for row in approvals if is_requested(row, now) or needs_settling(row, now)]
    items = [_item(row, clock) for row in chosen]
    items, beside = of_time(items, question, clock)
    instants = [at for row in approvals for at in approval_instants(row)]
    if day_of(question) is not None:
        instants.append(clock.next_midnight())
    return Selection(sorted(items, key=urgency), earliest(now, instants), beside=beside)


def asks(question: StateQuestion) -> Asked:
    """The approval named, else the most urgent open ones."""
    named = question.filter("id")
    return Asked({"approval": "named" if named else "urgent"}, Bounds(id=named))


def _item(row: ApprovalRow, clock: Clock) -> Item:
    item = approval_item(row)
    if row.status != "requested" or is_requested(row, clock.now):
        return item
    expired = item.why._replace(reason="approval_expired")
    return item._replace(
        why=expired, since_at=row.expires_at, due_at=None, value={"status": "expired"}
    )


def approval_why(item: Item, words: Words) -> str:
    """Where the approval stands, and for which task."""
    status = item.why.reason.removeprefix("approval_")
    if status == "executing" and item.due_at is not None and item.due_at <= words.clock.now:
        status = "overdue"
    text = words.pick(*STATUS_WORDS.get(status, (status, status)))
    if item.why.text:
        text += words.pick(": ", "：") + words.quoted(item.why.text)
    if item.why.refs:
        task = plain(item.why.refs[0], NAME_CHARS_MAX)
        text += words.pick(f" (task {task})", f"（任务 {task}）")
    return text


def phrase(question: StateQuestion) -> Phrase:
    """`approvals are waiting`."""
    day = day_of(question)
    if day is not None and not holds_now(question):
        state = f"waiting and due {day[0]}"
        return being("approval", "approvals", state, f"{day[1]}到期的", "项", "审批")
    return being("approval", "approvals", "waiting", "等待中的", "项", "审批")


APPROVALS = Renderer(
    kind="approvals",
    needs={"approval": "all"},
    select=select,
    phrase=phrase,
    why={"approval": approval_why},
    counted=by_kind,
    asks=asks,
)
