"""The text of an answer: one headline, then a line an item, or counts where the list is long."""

from __future__ import annotations

from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.renderer import LINES_MAX, NAMES, Renderer, Selection
from workindex.assembler.state_path.wording import (
    NAME_CHARS_MAX,
    Words,
    count_sentence,
    doubts,
    none_sentence,
    plain,
    unconfirmed_sentence,
)
from workindex.projections.needs import Item
from workindex.projections.proof import Proof

# What one entity of each kind is called where a question names it by its id.
_NAMED = {
    "tasks": "task",
    "approvals": "approval",
    "reminders": "reminder",
    "meetings": "meeting",
    "proactive": "proposal",
}
# Items whose reason already says when; a reminder also says since when it is due.
_TIMELESS = frozenset({"meeting", "connection", "credits", "routine"})


def text_of(
    question: StateQuestion,
    renderer: Renderer,
    selection: Selection,
    proof: Proof,
    words: Words,
) -> str:
    """The whole text of an answer."""
    named = question.filter("id")
    unproven = proof.verdict == "unproven"
    if named is not None:
        return _one(question, renderer, selection.items, proof, words)
    phrase = renderer.phrase(question)
    if not selection.items:
        if unproven:
            return unconfirmed_sentence(phrase, words, proof.reasons)
        return _with_beside(none_sentence(phrase, words), selection, words)
    head = count_sentence(phrase, selection.total, words, at_least=unproven)
    if selection.total > LINES_MAX:
        counts = _counts(question, renderer, selection, words)
        text = words.pick(": ", "：").join(filter(None, (head, counts))) + words.pick(".", "。")
    elif question.form == "count" and question.kind != "credits":
        text = head + words.pick(".", "。")
    else:
        kind = question.kind == "pending"
        lines = [_line(item, renderer, words, with_kind=kind) for item in selection.items]
        text = "\n".join([head + words.pick(":", "："), *(f"- {line}" for line in lines)])
    if unproven:
        return f"{text}\n{_not_confirmed(proof, words)}"
    return _with_beside(text, selection, words)


def _one(
    question: StateQuestion, renderer: Renderer, items: list[Item], proof: Proof, words: Words
) -> str:
    """The answer about one entity by its id."""
    unproven = proof.verdict == "unproven"
    if not items:
        return _unknown(question, proof, words)
    line = _line(items[0], renderer, words, with_kind=True) + words.pick(".", "。")
    at = words.at_position
    if at is not None:
        least_en, least_zh = (" at least", "至少") if unproven else ("", "")
        line = words.pick(
            f"At position {at} the log held{least_en}: {line}",
            f"在位置 {at}，日志中{least_zh}有：{line}",
        )
    elif unproven:
        line = words.pick("At least this was seen: ", "至少看到：") + line
    return f"{line}\n{_not_confirmed(proof, words)}" if unproven else line


def _unneeding(name: str, proof: Proof, words: Words) -> str:
    """That the one entity asked about does not need the user, or that this is not known."""
    at = words.at_position
    if proof.verdict == "unproven":
        because = doubts(proof.reasons, words)
        en = f"Whether {name} needs you could not be confirmed: {because}."
        zh = f"无法确认 {name} 是否需要你处理：{because}。"
        if at is None:
            return words.pick(en, zh)
        en = f"At position {at} it could not be confirmed whether {name} needed you: {because}."
        return words.pick(en, f"在位置 {at}，{zh}")
    if at is None:
        return words.pick(f"{name} does not need you right now.", f"{name} 现在不需要你处理。")
    return words.pick(
        f"At position {at} {name} did not need you.", f"在位置 {at}，{name} 不需要你处理。"
    )


def _unknown(question: StateQuestion, proof: Proof, words: Words) -> str:
    if question.kind == "pending":
        name = plain(question.filter("id") or "", NAME_CHARS_MAX)
        return _unneeding(name, proof, words)
    kind = question.subject or _NAMED[question.kind]
    one, _, zh = NAMES[kind]
    name = plain(question.filter("id") or "", NAME_CHARS_MAX)
    at = words.at_position
    if proof.verdict == "unproven":
        because = doubts(proof.reasons, words)
        if at is not None:
            return words.pick(
                f"At position {at} it could not be confirmed whether there was {_article(one)} "
                f"{name}: {because}.",
                f"在位置 {at}，无法确认是否有{zh} {name}：{because}。",
            )
        return words.pick(
            f"Whether there is {_article(one)} {name} could not be confirmed: {because}.",
            f"无法确认是否有{zh} {name}：{because}。",
        )
    if at is not None:
        return words.pick(
            f"At position {at} there was no {one} {name} in this log.",
            f"在位置 {at}，日志中没有{zh} {name}。",
        )
    return words.pick(f"There is no {one} {name} in this log.", f"日志中没有{zh} {name}。")


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _line(item: Item, renderer: Renderer, words: Words, *, with_kind: bool) -> str:
    """Id, title, why it is listed, since when and until when."""
    name = plain(item.id, NAME_CHARS_MAX)
    if with_kind:
        one, _, zh = NAMES[item.kind]
        name = words.pick(f"{one.capitalize()} {name}", f"{zh} {name}")
    # A connection's id says it all, and so does an account without a provider.
    is_named = item.kind == "connection" or (item.kind == "credits" and item.title == item.id)
    title = "" if is_named else f" {words.quoted(item.title)}"
    clauses = [renderer.why[item.kind](item, words), *_times(item, words)]
    return f"{name}{title}{words.pick(': ', '：')}{words.joined(clauses)}"


def _times(item: Item, words: Words) -> list[str]:
    if item.kind in _TIMELESS:
        return []
    clauses = []
    if item.since_at is not None:
        at = words.time(item.since_at)
        clauses.append(words.pick(f"since {at}", f"{words.after_zh('自', item.since_at)} 起"))
    if item.due_at is not None and item.kind != "reminder":
        clauses.append(_due(item, words))
    return clauses


def _due(item: Item, words: Words) -> str:
    assert item.due_at is not None
    at = words.time(item.due_at)
    if item.kind == "task" and item.due_at <= words.clock.now:
        return words.pick(f"overdue since {at}", f"{words.after_zh('已于', item.due_at)} 逾期")
    if item.why.reason in ("approval_requested", "proposal_waiting"):
        return words.pick(f"expires {at}", f"{at} 过期")
    if item.kind == "approval":
        return words.pick(f"deadline {at}", words.after_zh("期限", item.due_at))
    return words.pick(f"due {at}", f"{at} 到期")


def _counts(question: StateQuestion, renderer: Renderer, selection: Selection, words: Words) -> str:
    """How many there are of each sort; empty where the headline has said it."""
    counts = selection.grouped(renderer.counted)
    if len(counts) == 1 and question.kind != "pending" and counts.keys() <= set(NAMES.values()):
        return ""
    parts = []
    for (one, several, zh), count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        parts.append(words.pick(f"{count} {one if count == 1 else several}", f"{count} 个{zh}"))
    return words.listed(parts)


def _with_beside(text: str, selection: Selection, words: Words) -> str:
    if not selection.beside:
        return text
    parts = [words.pick(f"{n} {en}", f"{n} 项{zh}") for en, zh, n in selection.beside]
    gap = "\n" if "\n" in text else words.pick(" ", "")
    return (
        text
        + gap
        + words.pick(f"Beside these: {words.listed(parts)}.", f"此外还有 {words.listed(parts)}。")
    )


def _not_confirmed(proof: Proof, words: Words) -> str:
    because = doubts(proof.reasons, words)
    return words.pick(f"Not confirmed beyond this: {because}.", f"除此之外无法确认：{because}。")
