"""What does it look like? A day of one user's agent, its questions, and the proof of the index."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import rich_click as click

from workindex.cli.output import DIFFERENT, Cli, Stop, json_option, safe
from workindex.cli.tables import say_wrapped

if TYPE_CHECKING:
    from workindex.assembler.state_path import StateAnswer
    from workindex.cli.sample_day import Happening, Question
    from workindex.domain.facts import Event
    from workindex.projections.index import Index
    from workindex.service.client import UserScope

_WIDTH_MAX = 100
_INDENT = 7


@click.command()
@json_option
@click.pass_obj
def demo(cli: Cli) -> None:
    """Play one day of one user's agent: facts, questions with proofs, the index, the replay.

    Runs on the embedded server (or --database-url) with a fresh user and its own clock.

    \b
    Example:
      workindex demo
    """
    if cli.err.is_terminal and not cli.json:
        cli.note("opening the database (the first start of the embedded server takes a moment)")
    stage = Stage(cli)
    user_id = f"demo-{secrets.token_hex(4)}"
    scope = cli.open(clock=lambda: stage.now).user(user_id)
    told = stage.play(scope)
    index, differences = fold_again(scope, stage.now)
    if cli.json:
        cli.emit({**told, "index": index.to_json(), "differences": differences})
    else:
        _close(cli, scope, index, differences)
    if differences:
        raise Stop(DIFFERENT)


class Stage:
    """The day as it goes: what time it is, and what was shown to whom."""

    def __init__(self, cli: Cli) -> None:
        from workindex.cli.sample_day import DAY

        self.now: datetime = DAY
        self._cli = cli
        self._hashes: dict[str, str] = {}

    def play(self, scope: UserScope) -> dict[str, Any]:
        """Plays the whole day and tells it, as text or in the returned document."""
        from workindex.cli.sample_day import DAY, PARTS, ZONE

        self._title(f"A day of Ada's agent  ·  {DAY:%A %d %B %Y}  ·  {ZONE}")
        answers: list[dict[str, Any]] = []
        facts = 0
        for happenings, questions in PARTS:
            for happening in happenings:
                for event in self._happens(scope, happening):
                    facts += 1
                    self._show_event(event)
            answers += [self._asks(scope, question) for question in questions]
            self._title("")
        return {"user_id": scope.user_id, "facts": facts, "answers": answers}

    def _happens(self, scope: UserScope, happening: Happening) -> tuple[Event, ...]:
        from workindex.cli.sample_day import SHOWN_HASH
        from workindex.domain.facts import Actor

        self.now = happening.at
        kind, name = happening.who
        command = dict(happening.command)
        if command.get("action_hash") == SHOWN_HASH:
            command["action_hash"] = self._hashes[command["approval_id"]]
        receipt = scope.record(
            command, actor=Actor.model_validate({"kind": kind, "id": name}), source="demo"
        )
        for event in receipt.events:
            if event.fact.type == "approval_requested":
                self._hashes[event.fact.approval_id] = event.fact.action_hash  # type: ignore[attr-defined]
        return receipt.events

    def _asks(self, scope: UserScope, question: Question) -> dict[str, Any]:
        self.now = question.at
        answer = scope.ask(question.text)
        assert answer is not None, f"{question.text!r} is not a question of the state path"
        if not self._cli.json:
            self._show_answer(question, answer)
        return {"at": question.at, "question": question.text, "answer": answer.to_json()}

    def _title(self, text: str) -> None:
        if not self._cli.json:
            self._cli.say(f"\n{text}\n" if text else "", style="bold")

    def _show_event(self, event: Event) -> None:
        if self._cli.json:
            return
        from rich.text import Text

        when = f"{event.occurred_at.astimezone(self.now.tzinfo):%H:%M}"
        line = Text.assemble(
            (f"{when}  ", "dim"),
            (f"{event.actor.kind:<9}  ", "cyan"),
            f"{event.fact.type.replace('_', ' '):<20}  ",
            (f"{_subject(event):<8} ", "bold"),
            (safe(_words(event)), "dim"),
        )
        line.rstrip()
        line.truncate(min(self._cli.out.width, _WIDTH_MAX), overflow="ellipsis")
        self._cli.out.print(line)

    def _show_answer(self, question: Question, answer: StateAnswer) -> None:
        from rich.text import Text

        asked = (f"\n{question.at:%H:%M}  {question.text}", "bold yellow")
        self._cli.out.print(Text.assemble(asked, (f"  ({question.note})", "dim")))
        say_wrapped(self._cli, answer.text, indent=_INDENT)
        style = "red" if answer.verdict == "unproven" else "green"
        say_wrapped(self._cli, _proof(answer), indent=_INDENT, style=style)


def fold_again(scope: UserScope, now: datetime) -> tuple[Index, int]:
    """The index as stored, and in how many fields the log folds to something else."""
    stored = scope.index(now=now)
    folded = scope.index(now=now, at_position=stored.position)
    return stored, sum(1 for _ in _differences(stored.sections, folded.sections))


def _differences(stored: Mapping[str, Any], folded: Mapping[str, Any]) -> Iterator[str]:
    for section, rows in stored.items():
        others = folded[section]
        pairs = zip(rows, others, strict=False)
        yield from (section for row, other in pairs for name in row if row[name] != other[name])
        yield from [section] * abs(len(rows) - len(others))


def _close(cli: Cli, scope: UserScope, index: Index, differences: int) -> None:
    from workindex.cli.index import show_index
    from workindex.cli.sample_day import ZONE

    cli.say("The Work Index at the end of the day\n", style="bold")
    show_index(cli, index, zone=ZONE)
    noun = "difference" if differences == 1 else "differences"
    style = "bold red" if differences else "bold green"
    folded = f"\nThe same {index.position} events folded again: {differences} {noun}\n"
    cli.say(folded, style=style)
    cli.say("Go on with:", style="bold")
    for command in (f"log {scope.user_id}", f"explain {scope.user_id} T-2", "projections verify"):
        cli.say(f"  workindex {command}")


def _subject(event: Event) -> str:
    kind, _, name = event.fact.stream.partition("/")
    return name or kind


def _words(event: Event) -> str:
    fact = event.fact
    for name in ("title", "prompt", "summary", "outcome", "answer", "reason"):
        value = getattr(fact, name, None)
        if isinstance(value, str):
            return value
    blockers = getattr(fact, "blocked_by", ())
    return f"waits for {', '.join(blockers)}" if blockers else ""


def _proof(answer: StateAnswer) -> str:
    if answer.verdict == "unproven":
        return f"not proved: {', '.join(answer.reasons)}"
    told = "empty" if answer.verdict == "proven_empty" else "complete"
    return f"proved {told} at position {answer.certificate['position']}"
