"""What is the state? Canonical questions answered with a proof."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import rich_click as click

from workindex.cli.options import MOMENT, ZONE
from workindex.cli.output import UNAVAILABLE, Cli, Stop, json_option
from workindex.cli.tables import VERDICT_STYLES, tell

if TYPE_CHECKING:
    from workindex.assembler.state_path import StateAnswer

# At least one of each kind; a test asks them all.
QUESTIONS = (
    "What needs me?",
    "Which tasks do I have?",
    "Which tasks are blocked?",
    "Which approvals are waiting?",
    "Which reminders do I have?",
    "What meetings do I have today?",
    "Which proposals are waiting?",
    "Which connections do I have?",
    "How many credits do I have?",
    "我有哪些任务？",
)


@click.command()
@click.argument("user")
@click.argument("question")
@click.option("--now", type=MOMENT, help="Answer as of this instant (ISO 8601 with a zone).")
@click.option("--tz", type=ZONE, help="Zone of the user's days; default: the user's own.")
@click.option("--locale", type=click.Choice(["en", "zh"]), help="Language of the answer.")
@click.option(
    "--at-position",
    type=click.IntRange(min=0),
    metavar="N",
    help="Answer over the log up to position N.",
)
@click.option("--require-proof", is_flag=True, help="Exit code 4 without a proven answer.")
@json_option
@click.pass_obj
def ask(
    cli: Cli,
    user: str,
    question: str,
    now: datetime | None,
    tz: str | None,
    locale: str | None,
    at_position: int | None,
    require_proof: bool,
) -> None:
    """Answer a question about the user's own state, without a model.

    "Nothing needs you right now." is said only with a proof. A question that is not exactly one
    of the known ones is not answered: it is for the assembler. Known are questions in many
    wordings, English and Chinese, about what needs the user (what waits for an answer, an
    approval or a dismissal), tasks, approvals, reminders, meetings, proposals and routines,
    connections and credits, and about one of them: "What is the status of task T-1?"

    \b
    Examples:
      workindex ask ada "What needs me?"
      workindex ask ada "Which tasks are due tomorrow?"
      workindex ask ada "我今天有什么会议？" --json
    """
    answer = (
        cli.open().user(user).ask(question, now=now, tz=tz, locale=locale, at_position=at_position)
    )
    if answer is None:
        if cli.json:
            cli.emit({"kind": None, "route": "assembler"})
        else:
            cli.say("This is not one of the questions that are answered without a model.")
            cli.note("\n  ".join(["such are, in these and many other words:", *QUESTIONS]))
            cli.note("for a model: workindex assemble; for words: workindex search")
        if require_proof:
            raise Stop(UNAVAILABLE)
        return
    if cli.json:
        cli.emit(answer.to_json())
    else:
        show_answer(cli, answer)
        if _is_collapsed(answer):
            cli.note(f"each of them: the same with --json, or workindex index {user}")
    if require_proof and answer.verdict == "unproven":
        raise Stop(UNAVAILABLE)


def show_answer(cli: Cli, answer: StateAnswer) -> None:
    """Prints the answer and, where it is unproven, why."""
    style = VERDICT_STYLES[answer.verdict]
    for line in answer.text.splitlines():
        tell(cli, line, style=None if line.startswith("- ") else style)
    if answer.reasons:
        cli.note(f"unproven: {', '.join(answer.reasons)}")


def _is_collapsed(answer: StateAnswer) -> bool:
    """Whether the text only counts what are too many lines."""
    from workindex.assembler.state_path.renderer import LINES_MAX

    return answer.total > LINES_MAX
