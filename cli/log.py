"""What happened, in order?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import rich_click as click

from workindex.cli.output import Cli, json_option, safe
from workindex.cli.tables import moment
from workindex.cli.wrapping import wrapped

if TYPE_CHECKING:
    from workindex.domain.facts import Event

FOLLOW_SECONDS = 0.5
# From this width on, what an event says stands beside its time, below that under it.
_WIDE_CELLS, _HANGING_CELLS = 70, 8
_SAYING = ("title", "text", "prompt", "summary", "outcome", "reason", "answer", "status", "value")


@click.command()
@click.argument("user")
@click.option(
    "--from",
    "from_position",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    show_default=True,
    help="First position.",
)
@click.option("--stream", metavar="S", help="Only this stream, such as task/T-1.")
@click.option("--follow", is_flag=True, help="Go on with what is appended, until Ctrl-C.")
@json_option
@click.pass_obj
def log(cli: Cli, user: str, from_position: int, stream: str | None, follow: bool) -> None:
    """List the user's events in order; with --json one object a line.

    Each with its position, its time, what happened in which stream, and who did it.

    \b
    Example:
      workindex log ada --stream task/T-1
    """
    scope = cli.open().user(user)
    is_empty = True
    while True:
        for event in scope.log(from_position=from_position, stream=stream):
            cli.emit_line(event_document(event)) if cli.json else show_event(cli, event)
            from_position, is_empty = event.position + 1, False
        if not follow:
            break
        time.sleep(FOLLOW_SECONDS)
    if is_empty:
        of = f" of stream {stream}" if stream else ""
        cli.note(f"no events{of} from position {from_position} on in the log of user {user}")


def event_document(event: Event) -> dict[str, Any]:
    """The event as programs read it."""
    data = event.fact.model_dump(mode="json", exclude={"type", "schema_version"})
    return {
        "position": event.position,
        "event_id": event.event_id,
        "stream": event.fact.stream,
        "stream_version": event.stream_version,
        "type": event.fact.type,
        "schema_version": event.fact.schema_version,
        "data": data,
        "actor": event.actor.model_dump(mode="json"),
        "occurred_at": event.occurred_at,
        "recorded_at": event.recorded_at,
        "correlation_id": event.correlation_id,
        "causation_id": event.causation_id,
    }


def show_event(cli: Cli, event: Event) -> None:
    """Prints the event: one line in a pipe, wrapped beside its time on a terminal."""
    head = f"{event.position:>6}  {moment(event.occurred_at)}  "
    said = next((told for name in _SAYING if (told := _told(event, name))), "")
    line = f"{head}{event.fact.type:<22}  {event.fact.stream}  {said}{_by(event)}"
    if not cli.out.is_terminal:
        cli.say(line)
        return
    from rich.text import Text

    hanging = len(head) if cli.out.width >= _WIDE_CELLS else _HANGING_CELLS
    for number, part in enumerate(wrapped(safe(line), cli.out.width, hanging=hanging)):
        shown = Text(part)
        if not number:
            shown.stylize("dim", 0, len(head))
            shown.stylize("bold", len(head), len(head) + len(event.fact.type))
        cli.out.print(shown, soft_wrap=True)


def _told(event: Event, name: str) -> str:
    value = getattr(event.fact, name, None)
    if not isinstance(value, str) or not value:
        return ""
    flat = " ".join(value.split())
    return f"“{flat if len(flat) <= 60 else flat[:59] + '…'}”  "


def _by(event: Event) -> str:
    return f"by {event.actor.kind} {event.actor.id}"
