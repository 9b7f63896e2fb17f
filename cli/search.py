"""Where was something said or stored?"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import rich_click as click

from workindex.cli.options import MOMENT
from workindex.cli.output import Cli, json_option
from workindex.cli.tables import Heading, moment, show_table

if TYPE_CHECKING:
    from workindex.projections.search import Hits

SHOWN_CHARS = 240


@click.command()
@click.argument("user")
@click.argument("text")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["message", "claim", "artifact", "transcript"]),
    help="Only documents of this kind (repeatable).",
)
@click.option(
    "--entity",
    "entities",
    multiple=True,
    metavar="REF",
    help="Only documents of this thread, meeting, task, … such as meeting/M-1 (repeatable).",
)
@click.option(
    "--source", "sources", multiple=True, metavar="NAME", help="Only from this import (repeatable)."
)
@click.option(
    "--sensitivity",
    multiple=True,
    type=click.Choice(["normal", "private", "restricted"]),
    help="Only documents of this sensitivity (repeatable; all without it).",
)
@click.option("--since", type=MOMENT, metavar="T", help="Not before this time.")
@click.option("--until", type=MOMENT, metavar="T", help="Before this time.")
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True)
@json_option
@click.pass_obj
def search(
    cli: Cli,
    user: str,
    text: str,
    kinds: tuple[str, ...],
    entities: tuple[str, ...],
    sources: tuple[str, ...],
    sensitivity: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    limit: int,
) -> None:
    """Find messages, claims, artifacts and what was said in meetings.

    Documents that hold every word of TEXT, else those that hold some; an id in TEXT puts what
    belongs to it first. Documents follow the log: workindex worker keeps them, and the answer says
    how far they are.

    \b
    Example:
      workindex search ann "the budget of the venue"
    """
    given = {"sensitivity": sensitivity} if sensitivity else {}
    hits = (
        cli.open()
        .user(user)
        .search(
            text,
            limit=limit,
            kinds=kinds,
            entities=entities,
            sources=sources,
            since=since,
            until=until,
            **given,  # type: ignore[arg-type]
        )
    )
    if cli.json:
        cli.emit({"user_id": user, "query": text, **hits.to_json()})
        return
    if hits:
        headings = (Heading("document", whole=True), Heading("when"), Heading("text", long=True))
        rows = [(hit.id, moment(hit.occurred_at), _shown(hit.text)) for hit in hits]
        show_table(cli, "documents", headings, rows)
    cli.say(_told(user, hits))


def _shown(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= SHOWN_CHARS else f"{one_line[: SHOWN_CHARS - 1]}…"


def _told(user: str, hits: Hits) -> str:
    """How many were found, and how far the search could see."""
    if not hits.head:
        seen = f"there is no log of user {user}"
    elif hits.position is None:
        seen = f"{user} has no documents yet: run workindex worker"
    elif hits.is_parked:
        seen = f"documents stand still at position {hits.position}: workindex projections parked"
    elif hits.position < hits.head:
        seen = f"documents up to position {hits.position} of {hits.head}: run workindex worker"
    else:
        seen = f"documents up to position {hits.head}, the last"
    if not hits:
        return f"not found; {seen}"
    some = " (no document holds every word; these hold some)" if hits.is_retry else ""
    return f"{len(hits)} found{some}; {seen}"
