"""What a model may call in a turn: more context, more tools, a body by reference, a loaded tool.

`ToolSession.answer` takes a call as a model wrote it, and gives the text that goes back to it. A
session belongs to one turn of one user. A tool runs only if its group is visible, loaded in this
session, and its arguments fit its schema: all of that is looked at here, outside the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

import orjson
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from workindex.assembler.envelope import ContextItem, Lane, Omission
from workindex.assembler.rendering import data, item_text
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools import context, resolving
from workindex.assembler.tools.asked import asked_of, check_max_tokens
from workindex.assembler.tools.catalogue import IsPermitted, ToolCatalogue, View
from workindex.assembler.tools.catalogue import everything as every_group
from workindex.assembler.tools.core import call_of
from workindex.assembler.tools.loading import active_groups
from workindex.assembler.tools.pages import Page, group_page, names_page, search_page
from workindex.assembler.tools.references import References, UnknownReference, plain_ref
from workindex.assembler.tools.registry import Tool
from workindex.assembler.tools.schemas import Misfit, check
from workindex.assembler.tools.sight import Seen, Sight
from workindex.domain.errors import InvalidInput, WorkindexError
from workindex.projections.snapshot import snapshot
from workindex.projections.work_index import Reader

LOAD_TOKENS_MAX: Final = 3_000
CALL_TOOL: Final = "call_tool"


class ToolNotLoaded(WorkindexError):
    """The tool is there, but its schema was not loaded in this turn; nothing ran."""

    code = "tool_not_loaded"

    def __init__(self, tool: Tool) -> None:
        super().__init__(
            f"{tool.full_name} is not loaded: call load_tool_group(namespace={tool.group!r}) first",
            field="name",
        )


class BadArguments(InvalidInput):
    """The arguments do not fit the tool's schema; nothing ran. `field` is the path."""

    code = "bad_arguments"

    def __init__(self, tool: Tool, path: str, problem: str) -> None:
        field = f"arguments.{path}" if path else "arguments"
        super().__init__(f"{tool.full_name}: {field}: {problem}", field=field)


class NoExecutor(WorkindexError):
    """The backend gave nothing that runs tools; nothing ran."""

    code = "no_executor"


class Call(NamedTuple):
    """A call that passed every check; `arguments` are a copy of their own."""

    user_id: str
    turn_id: str
    tool: Tool
    arguments: dict[str, JsonValue]


class Executor(Protocol):
    """Runs a tool. What it raises goes to the caller as it is: the call may have had effects."""

    def __call__(self, call: Call) -> JsonValue: ...


class Turn(NamedTuple):
    """Whose calls these are: one turn of one user, at one instant."""

    user_id: str
    turn_id: str
    now: datetime


class ToolSession:
    """The calls of one turn. `loaded` are groups whose schemas the turn was already shown."""

    def __init__(
        self,
        turn: Turn,
        reader: Reader,
        catalogue: ToolCatalogue,
        references: References,
        counter: TokenCounter,
        *,
        is_permitted: IsPermitted = every_group,
        sight: Sight = Sight(),  # noqa: B008 - frozen
        executor: Executor | None = None,
        loaded: Iterable[str] = (),
    ) -> None:
        self.turn = turn
        self._reader = reader
        self._catalogue = catalogue
        self._references = references
        self._counter = counter
        self._is_permitted = is_permitted
        self._sight = sight
        self._executor = executor
        self._loaded = dict.fromkeys(loaded)
        self._tokens: dict[str, JsonValue] = {}

    @property
    def loaded(self) -> tuple[str, ...]:
        """The groups that may be called, in the order in which they were loaded."""
        return tuple(self._loaded)

    @property
    def beside(self) -> tuple[ContextItem, ...]:
        """What the model has to be told beside what it was shown: which token stands for which
        reference, where references are tokens."""
        if not self._tokens:
            return ()
        return (self._item("references", "what to give resolve as ref", dict(self._tokens)),)

    def show(self, items: Iterable[ContextItem], omissions: Iterable[Omission] = ()) -> None:
        """What the turn was shown: loads the groups and issues the references among it."""
        shown = list(items)
        self._loaded |= dict.fromkeys(active_groups(shown))
        refs = [plain_ref(item.source_id) for item in shown if _has_body(item.source_id)]
        for omission in omissions:
            call = omission.recover_with
            if call is not None and call.name == "resolve":
                refs.append(plain_ref(str(call.arguments.get("ref"))))
        self._references.issue(self.turn.user_id, self.turn.turn_id, refs)
        self._tokens |= {ref: token for ref in refs if (token := self._shown(ref)) != ref}

    def answer(self, name: str, arguments: Mapping[str, Any] | str) -> str:
        """What to give back to the model for a call of one of `CORE_TOOLS`, as it wrote it.

        `arguments` are an object, or its JSON. The text is the items, after those of a list one
        line of JSON with what was left out, what is uncertain and the call that goes on; or, where
        the call was refused, one line with the error's code and message. No WorkindexError is
        raised but what the executor raises: that comes through, as from `call_tool`.
        """
        try:
            call = call_of(name, arguments)
            if call.name != CALL_TOOL:
                lane: Lane = "tools" if call.name == "load_tool_group" else "evidence"
                return _text(lane, getattr(self, call.name)(**call.arguments))
            ready, run = self._ready(**call.arguments)  # type: ignore[arg-type]
        except WorkindexError as error:
            return _refusal(error)
        result = run(ready)
        try:
            return _text("tools", self._result(ready.tool, result))
        except InvalidInput as error:
            return _refusal(error)

    def load_tool_group(
        self,
        namespace: str | None = None,
        query: str | None = None,
        page: int = 1,
        max_tokens: int = LOAD_TOKENS_MAX,
    ) -> Page:
        """Schemas of a group, or of the tools nearest to a query; without either, group names.

        Pages count from 1; the page says which call goes on. What it shows may be called.

        Raises: UnknownTools, ToolsUnavailable, InvalidInput.
        """
        if namespace is not None and query is not None:
            raise InvalidInput("give a namespace or a query, not both", field="query")
        for field, given in (("namespace", namespace), ("query", query)):
            if given is not None and not isinstance(given, str):
                raise InvalidInput(f"{field} {given!r} is no text", field=field)
        if type(page) is not int or page < 1:
            raise InvalidInput(f"page {page!r} is no number from 1", field="page")
        check_max_tokens(max_tokens)
        view = self._view()
        if namespace is not None:
            found = group_page(view, namespace, page, self._counter, max_tokens)
        elif query is not None and query.strip():
            found = search_page(view, query, page, self._counter, max_tokens)
        else:
            found = names_page(view, page, self._counter, max_tokens)
        self._loaded |= dict.fromkeys(active_groups(found.items))
        return found

    def call_tool(self, name: str, arguments: Mapping[str, JsonValue]) -> ContextItem:
        """Run a loaded tool; its result is data.

        Raises: UnknownTools, ToolNotLoaded, BadArguments, NoExecutor, ToolsUnavailable: nothing
        ran. What the executor raises comes through.
        """
        call, run = self._ready(name, arguments)
        return self._result(call.tool, run(call))

    def _ready(self, name: str, arguments: Mapping[str, JsonValue]) -> tuple[Call, Executor]:
        """The call that passed every check, and what runs it."""
        view = self._view()
        tool = self._tool(view, name)
        if tool.group not in self._loaded:
            raise ToolNotLoaded(tool)
        plain = _copy(tool, arguments)
        try:
            check(view.registry.validator(tool), plain)
        except Misfit as error:
            raise BadArguments(tool, error.path, str(error)) from error
        if self._executor is None:
            raise NoExecutor(f"{tool.full_name} did not run: the backend has no executor of tools")
        return Call(self.turn.user_id, self.turn.turn_id, tool, plain), self._executor

    def get_context(
        self,
        type: str,
        ids: Sequence[str] | None = None,
        query: str | None = None,
        time_range: Mapping[str, Any] | None = None,
        max_tokens: int = 2_000,
    ) -> context.Found:
        """Rows of the user's Work Index, and references to bodies; see `asked.TYPES`.

        Raises: InvalidInput, Unavailable.
        """
        asked = asked_of(type, ids, query, time_range, max_tokens)
        with snapshot(self._reader, self.turn.user_id) as read:
            seen = Seen(read, self._sight.may_see)
            found = context.get_context(
                seen, asked, self._sight, self._counter, self.turn.now, self._shown
            )
        found = found._replace(degraded=(*found.degraded, *seen.stage().degraded))
        refs = [item.source_id for item in found.items if context.is_reference(item)]
        calls = ((one.source_id, one.recover_with) for one in found.omissions)
        refs += [plain_ref(id_) for id_, call in calls if call and call.name == "resolve"]
        self._references.issue(self.turn.user_id, self.turn.turn_id, refs)
        return found

    def resolve(self, ref: str, selector: str, max_tokens: int) -> ContextItem:
        """A part of what a reference of this turn stands for.

        Raises: UnknownReference: it was not issued to this user and turn, or nothing that may be
        seen stands behind it; InvalidInput, NotReady, Unavailable.
        """
        if not isinstance(ref, str):
            raise UnknownReference(str(ref))
        plain = self._references.plain(self.turn.user_id, self.turn.turn_id, ref)
        check_max_tokens(max_tokens)
        with snapshot(self._reader, self.turn.user_id) as read:
            seen = Seen(read, self._sight.may_see)
            try:
                return self._resolved(seen, plain, selector, max_tokens)
            except UnknownReference as error:
                raise UnknownReference(ref) from error  # in the words of one that was not issued

    def _shown(self, ref: str) -> str:
        return self._references.shown(self.turn.user_id, self.turn.turn_id, ref)

    def _resolved(self, read: Seen, ref: str, selector: str, max_tokens: int) -> ContextItem:
        return resolving.resolve(
            read,
            ref,
            selector,
            max_tokens,
            sight=self._sight,
            counter=self._counter,
            now=self.turn.now,
        )

    def _view(self) -> View:
        return self._catalogue.view(self._is_permitted)

    def _tool(self, view: View, name: str) -> Tool:
        """The tool of a full name, or of a name that only one loaded group has."""
        groups = [view.registry.groups[one] for one in self._loaded if one in view.registry.groups]
        own = [tool for group in groups if (tool := group.tool(name)) is not None]
        return own[0] if len(own) == 1 else view.registry.tool(name)

    def _result(self, tool: Tool, result: JsonValue) -> ContextItem:
        content = {"tool": tool.full_name, "result": result}
        try:
            data(content)
        except TypeError as error:
            raise InvalidInput(
                f"{tool.full_name} ran, but its result is not JSON: {error}", field="result"
            ) from error
        return self._item(f"tool_result:{tool.full_name}", "result of a tool", content)

    def _item(self, source_id: str, reason: str, content: JsonValue) -> ContextItem:
        item = ContextItem(
            source_type="artifact",
            source_id=source_id,
            authority="derived",
            authority_rank=4,
            observed_at=self.turn.now,
            priority=1,
            admission_reason=reason,
            content=content,
        )
        tokens = self._counter.count([item_text("tools", item)])[0]
        return item.model_copy(update={"token_estimate": tokens})


def _text(lane: Lane, found: ContextItem | context.Found | Page) -> str:
    """One item, or all of a list and a line about it; what items tell is not told again there."""
    if isinstance(found, ContextItem):
        return item_text(lane, found)
    told = ("refs", "conflicts")
    beside = {name: value for name, value in found._asdict().items() if value and name not in told}
    beside["items"] = len(found.items)
    items = "".join(item_text(lane, one) for one in found.items)
    return items + data(to_jsonable_python(beside, exclude_none=True))


def _refusal(error: WorkindexError) -> str:
    return data({"error": error.code, "message": str(error)})


def _has_body(source_id: str) -> bool:
    return source_id.partition(":")[0] in resolving.RESOLVED


def _copy(tool: Tool, arguments: Any) -> dict[str, JsonValue]:
    """The arguments as plain JSON of their own: nobody changes them after they were checked."""
    if not isinstance(arguments, Mapping):
        raise BadArguments(tool, "", "are not an object")
    try:
        found: dict[str, JsonValue] = orjson.loads(orjson.dumps(dict(arguments)))
    except (TypeError, orjson.JSONDecodeError, RecursionError) as error:
        raise BadArguments(tool, "", f"are not JSON: {error}") from error
    return found
