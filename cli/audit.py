"""What is a provider request made of, by segment and token?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from workindex.cli.output import REFUSED, Cli, Stop, json_option
from workindex.cli.tables import Heading, show_table, tell

if TYPE_CHECKING:
    from workindex.assembler.audit.report import Audit
    from workindex.assembler.tokens import TokenCounter

ROWS_MAX = 12
NAMES_MAX = 30
_KIND, _TOKENS, _SHARE = (
    Heading("kind"),
    Heading("tokens", right=True),
    Heading("share", right=True),
)
_WHERE, _NAME = Heading("where", long=True), Heading("name", long=True)
_BYTES = Heading("bytes", right=True)


class CounterName(click.ParamType[str]):
    """A tokenizer's name; looked up only when it is used, so that help loads nothing."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, known to exist."""
        from workindex.assembler.tokens import counter
        from workindex.domain.errors import InvalidInput

        try:
            return counter(str(value)).name
        except InvalidInput as error:
            self.fail(str(error), param, ctx)


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--counter",
    "counter_name",
    type=CounterName(),
    metavar="NAME",
    help="Count by this tokenizer (o200k_base, claude, ...); without it by each model's own.",
)
@click.option(
    "--block-tokens",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="The smallest text that is looked for a second time.",
)
@json_option
@click.pass_obj
def audit(cli: Cli, files: Sequence[Path], counter_name: str | None, block_tokens: int) -> None:
    """Print what provider requests are made of, by segment and token.

    Each file holds requests to Anthropic Messages, OpenAI Chat Completions, OpenAI Responses or
    Bedrock Converse as they were sent, or records of observe(): JSON or NDJSON, one or many. Shows
    what is sent twice, which tools are never called, and how much of each call a cache could have
    kept. No model, no database, and nothing leaves the machine. Exit code 3 where a file or line
    holds no request; the others are measured.

    \b
    Example:
      workindex audit requests.ndjson
    """
    from workindex.assembler.audit import audit_files
    from workindex.assembler.tokens import counter

    chosen: TokenCounter | None = counter(counter_name) if counter_name else None
    found = audit_files(files, chosen, block_tokens)
    document = found.document()
    if cli.json:
        cli.emit(document)
    else:
        _show(cli, found, document)
    if found.refused:
        raise Stop(REFUSED)


def _show(cli: Cli, found: Audit, document: dict[str, Any]) -> None:
    for refused in document["refused"][:ROWS_MAX]:
        cli.note(f"{refused['code']}: {refused['message']}")
    if (left := len(document["refused"]) - ROWS_MAX) > 0:
        cli.note(f"and {left} more that hold no request; --json lists them all")
    if not found.requests:
        return
    _show_head(cli, document)
    _show_kinds(cli, document)
    _show_largest(cli, document)
    _show_repeated(cli, document)
    if len(found.requests) > 1:
        _show_sent_again(cli, document)
        _show_prefixes(cli, document)
    _show_tools(cli, document)


def _show_head(cli: Cli, document: dict[str, Any]) -> None:
    requests, totals = document["requests"], document["totals"]
    counters = sorted({one["counter"] for one in requests})
    models = sorted({one["model"] or "no model named" for one in requests})
    bound = "" if all(one["is_exact"] for one in requests) else ", at most"
    if len(requests) == 1:
        said = f"1 request, {_number(totals['tokens']['sum'])} tokens{bound}"
    else:
        spread = totals["tokens"]
        said = f"{len(requests)} requests, {_number(spread['sum'])} tokens{bound}: " + ", ".join(
            f"{name} {_number(spread[name])}" for name in ("p50", "p95", "max")
        )
    tell(cli, said, style="bold")
    tell(cli, f"counted by {', '.join(counters)}; {', '.join(models)}")
    media = [part for one in requests for part in one["segments"] if part["media"]]
    if media:
        forms = ", ".join(sorted({part["media"] for part in media}))
        size = _number(sum(part["media_bytes"] or 0 for part in media))
        tell(cli, f"no text: {len(media)} ({forms}), {size} bytes; their tokens are estimates")
    cli.out.print()


def _show_kinds(cli: Cli, document: dict[str, Any]) -> None:
    rows = [
        (
            one["kind"],
            _number(one["segments"]),
            _number(one["tokens"]),
            _share(one["share"]),
            _number(one["bytes"]),
        )
        for one in document["by_kind"]
    ]
    headings = (_KIND, Heading("segments", right=True), _TOKENS, _SHARE, _BYTES)
    show_table(cli, "By kind", headings, rows)


def _show_largest(cli: Cli, document: dict[str, Any]) -> None:
    total = sum(one["tokens"] for one in document["by_kind"])
    many = len({(one["file"], one["line"]) for one in document["requests"]}) > 1
    rows = [
        (
            one["kind"],
            one["path"],
            one["name"],
            _number(one["tokens"]),
            _share(one["tokens"] / total if total else 0),
            _place(one) * many,
        )
        for one in document["largest"]
    ]
    headings = (_KIND, _WHERE, _NAME, _TOKENS, _SHARE, Heading("first in", long=True))
    show_table(cli, "Largest segments", headings, rows)


def _show_repeated(cli: Cli, document: dict[str, Any]) -> None:
    found = [(one, repeat) for one in document["requests"] for repeat in one["repeated"]]
    if not found:
        return
    found.sort(key=lambda each: -each[1]["tokens"])
    many = len(document["requests"]) > 1
    rows = [
        (
            "same" if one["is_identical"] else f"shares {_share(one['share'])}",
            one["first"],
            one["again"],
            _number(one["tokens"]),
            _place(holder) * many,
        )
        for holder, one in found[:ROWS_MAX]
    ]
    headings = (
        Heading("how"),
        Heading("first", long=True),
        Heading("again", long=True),
        _TOKENS,
        Heading("in", long=True),
    )
    total = sum(each[1]["tokens"] for each in found)
    title = f"Sent twice inside one request: {_number(total)} tokens"
    show_table(cli, title, headings, rows)


def _show_sent_again(cli: Cli, document: dict[str, Any]) -> None:
    again = document["sent_again"]
    rows = [
        (
            one["kind"],
            one["path"],
            one["name"],
            _number(one["requests"]),
            _number(one["tokens_again"]),
        )
        for one in again["segments"][:ROWS_MAX]
    ]
    title = f"Sent again in later requests: {_number(again['tokens'])} tokens"
    title += f" ({_share(again['share'])})"
    headings = (_KIND, _WHERE, _NAME, Heading("requests", right=True), _TOKENS)
    if rows:
        show_table(cli, title, headings, rows)


def _show_prefixes(cli: Cli, document: dict[str, Any]) -> None:
    rows = [
        (
            _place(one["call"]),
            _number(one["bytes"]),
            _number(one["tokens"]),
            _share(one["share"]),
            one["breaks"]["path"] if one["breaks"] else "nothing",
        )
        for one in document["prefixes"][:ROWS_MAX]
    ]
    headings = (
        Heading("call", long=True),
        _BYTES,
        _TOKENS,
        _SHARE,
        Heading("broken by", long=True),
    )
    title = "The same bytes as the call before, from the front: what a cache could keep"
    show_table(cli, title, headings, rows)
    if (more := len(document["prefixes"]) - ROWS_MAX) > 0:
        tell(cli, f"and {more} more calls: --json has them all")


def _show_tools(cli: Cli, document: dict[str, Any]) -> None:
    unused = document["unused_tools"]
    if not unused["unused"]:
        return
    tell(
        cli,
        f"{unused['unused']} of {unused['offered']} tools are not called in any of these requests: "
        f"{_number(unused['tokens'])} tokens ({_share(unused['share'])})",
        style="bold",
    )
    names = [one["name"] for one in unused["tools"]]
    more = len(names) - NAMES_MAX
    tell(cli, ", ".join(names[:NAMES_MAX]) + (f" and {more} more" if more > 0 else ""))


def _place(one: Mapping[str, Any]) -> str:
    return f"{Path(one['file']).name}:{one['line']}"


def _number(value: int) -> str:
    return f"{value:,}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"
