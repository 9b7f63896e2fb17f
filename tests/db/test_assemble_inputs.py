"""Is whatever a caller gets wrong a typed error with a short message, and never a crash?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest

from turns import ME, NOW, assemble, do
from workindex import Actor, UserScope, WorkIndex
from workindex.assembler.lanes import ContextBudgetExceeded
from workindex.assembler.scope import CLASSIFIED_MAX
from workindex.assembler.tools import ToolAccess, ToolCatalogue, ToolRegistry, UnknownTools
from workindex.assembler.tools.asked import MAX_TOKENS
from workindex.assembler.tools.references import UnknownReference
from workindex.domain.errors import InvalidInput
from workindex.eventlog.database import Database

MESSAGE_CHARS_MAX = 3_000
LONG = "a" * 100_000


@pytest.fixture
def ann(database: Database) -> UserScope:
    return WorkIndex(database, clock=lambda: NOW).user("ann")


def nested(depth: int) -> Any:
    found: Any = {}
    for _ in range(depth):
        found = {"a": found}
    return found


def endless() -> Any:
    found: dict[str, Any] = {}
    found["a"] = found
    return found


def refused(ann: UserScope, request: Any, **settings: Any) -> InvalidInput:
    with pytest.raises(InvalidInput) as error:
        ann.assemble(request, **settings)
    assert len(str(error.value)) < MESSAGE_CHARS_MAX
    str(error.value).encode()
    return error.value


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("attachments", [{"size_bytes": 2**63}]),
        ("attachments", [{"size_bytes": 10**5_000}]),
        ("attachments", [{"size_bytes": -1}]),
        ("entity_ids", ["\ud800"]),
        ("entity_ids", ["\0"] * 10_000),
        ("tz", LONG),
        ("thread_id", LONG),
        ("text", LONG * 21),
        ("text", "\ud800"),
        ("now", 0),
        ("now", 1e9),
        ("now", "1772620000"),
        ("now", "soon"),
        pytest.param("now", 10**5_000, id="a number too long to write"),
        ("now", "\ud800"),
        ("now", LONG),
    ],
)
def test_a_request_that_is_none_is_refused(ann: UserScope, field: str, given: Any) -> None:
    """Naming the field, and without giving back all that was sent."""
    problem = refused(ann, {"text": "hello", "now": NOW, field: given})
    assert (problem.field or "").split(".")[0] == field


def test_of_many_unknown_fields_the_first_are_told(ann: UserScope) -> None:
    """Not all of a hundred thousand."""
    problem = refused(ann, {"text": "hello"} | {f"field_{n}": n for n in range(100_000)})
    assert problem.field == "field_0"


NO_JSON: list[Any] = [object(), b"x", {1: 2}, {"a": {1, 2}}, 2**70, "\ud800", {"\ud800": 1}]
NO_SETTINGS: dict[str, list[Any]] = {
    "policy": [[], None, 5, LONG, "\0"],
    "counter": [[], None, 5, LONG],
    "settings_file": ["policies.toml", 5, Path("\0"), Path("/")],
    "refresh_seconds": ["2", None, -1, float("nan"), float("inf")],
    "provider": [5, object()],
}
TOO_DEEP: list[Any] = [nested(300), nested(50_000), endless()]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *((name, one) for name, some in NO_SETTINGS.items() for one in some),
        *(("output_schema", one) for one in (*NO_JSON, *TOO_DEEP)),
    ],
)
def test_a_setting_that_is_none_is_refused(ann: UserScope, name: str, given: Any) -> None:
    """Whatever it is instead."""
    problem = refused(ann, {"text": "hello", "now": NOW}, **{name: given})
    assert (problem.field or "").startswith(name.removesuffix("_file"))


def test_an_object_of_the_wrong_type_is_told_what_to_give(ann: UserScope) -> None:
    """Such as the catalogue where the access to it is wanted."""
    problem = refused(ann, {"text": "hello"}, tools=["mail.json"])
    assert "tools takes ToolAccess, not list: give ToolAccess(ToolCatalogue(" in str(problem)
    problem = refused(ann, {"text": "hello"}, settings_file="policies.toml")
    assert 'settings_file takes Path, not str: give Path("policies.toml")' in str(problem)


@pytest.mark.parametrize(
    "given",
    [
        "policy = 5",
        "policy = []",
        "[policy]\nown = 5",
        "[policy.own]\nceilings = 5",
        "[policy.own]\nceilings = []",
        "[policy.own]\nbased_on = []",
        "[policy.own]\nbased_on = 5",
        "[policy.own]\ntarget = -1",
        "[policy.own]\nlimit = 10",
        "[policy.own]\nturns_min = 5\nturns_max = 2",
        "a = " + "[" * 100_000,
        "\0" * 1_000,
    ],
)
def test_a_settings_file_that_is_none_is_refused(
    ann: UserScope, tmp_path: Path, given: str
) -> None:
    """The file is named."""
    settings = tmp_path / "policies.toml"
    settings.write_text(given)
    problem = refused(ann, {"text": "hello"}, policy="own", settings_file=settings)
    assert str(settings) in str(problem)


def _without_end(_request: Any, _scope: Any) -> Iterator[str]:
    yield from (f"task/T-{number}" for number in count())


def _of_anything(_request: Any, _scope: Any) -> Iterator[Any]:
    yield from (None, 5, "task/\0", "task/\ud800", "task/", "/", "x", f"task/{LONG}", "task/T-1")


@pytest.mark.parametrize("classifier", [_without_end, _of_anything])
def test_a_classifier_adds_only_so_much(ann: UserScope, classifier: Callable[..., Any]) -> None:
    """However much it names, what is there among the first is a candidate, and the rest is told."""
    do(ann, "create_task", task_id="T-1", title="Fly")
    envelope = ann.assemble({"text": "go on", "now": NOW}, classifier=classifier)
    assert [one.source_id for one in envelope.current_state if "candidate" in one.source_id] == [
        "candidate:task:T-1"
    ]
    told = f"scope: the classifier names more than {CLASSIFIED_MAX} records"
    assert (told in envelope.manifest.degraded) == (classifier is _without_end)


def test_a_text_of_one_repeated_id_is_counted_and_not_looked_through(ann: UserScope) -> None:
    """Two million characters are refused for their tokens, in the time of counting them."""
    began = time.process_time()
    with pytest.raises(ContextBudgetExceeded):
        assemble(ann, "T-1 " * 499_999)
    assert time.process_time() - began < 10


def test_the_error_names_what_there_is_too_much_of(ann: UserScope) -> None:
    """Where no single thing is large, the kind with how many there are."""
    start: dict[str, Any] = {"title": "Talk", "start_at": "2026-03-04T13:00:00Z"}
    do(ann, "schedule_meeting", meeting_id="ME-1", **start)
    made = [
        {
            "type": "make_commitment",
            "meeting_id": "ME-1",
            "commitment_id": f"CO-{number}",
            "text": "I will send the plan. " * 10,
        }
        for number in range(200)
    ]
    ann.record_all(made, actor=ME)
    with pytest.raises(ContextBudgetExceeded) as stopped:
        assemble(ann, "go on", surface="meeting", meeting_id="ME-1")
    assert stopped.value.largest == "commitment (200 of them)"
    assert "commitment" in stopped.value.clarification


@pytest.mark.parametrize("secret", [None, "s" * 40])
def test_a_record_too_large_for_any_call_is_read_in_parts(
    ann: UserScope, monkeypatch: pytest.MonkeyPatch, secret: str | None
) -> None:
    """The call that its omission names works, and the calls after it bring all of the record."""
    if secret is not None:
        monkeypatch.setenv("WORKINDEX_SECRET", secret)
    words = " ".join(f"word{number}" for number in range(6_000))
    do(ann, "create_task", task_id="T-1", title="Fly", description=words)
    session = ann.tools(assemble(ann, "hello"))
    found = session.get_context("task", ids=["T-1"], max_tokens=MAX_TOKENS)
    call = found.omissions[0].recover_with
    assert (found.items, call and call.name) == ((), "resolve")
    assert call is not None
    told, arguments = "", cast("dict[str, Any]", call.arguments)
    while arguments:
        part = session.resolve(**arguments)
        assert isinstance(part.content, dict)
        told += str(part.content["text"])
        following = part.content.get("next")
        arguments = {**arguments, "selector": following} if following else {}
    assert words in told


def test_a_name_that_is_none_comes_back_short(ann: UserScope) -> None:
    """What a model made up is not told to it again at any length."""
    access = ToolAccess(ToolCatalogue(ToolRegistry((), NOW)))
    session = ann.tools(assemble(ann, "hello"), access)
    calls: list[Callable[[], object]] = [
        lambda: session.call_tool(LONG, {}),
        lambda: session.load_tool_group(namespace=LONG),
        lambda: session.get_context("task", ids=[LONG]),
        lambda: session.get_context("state", query=LONG),
        lambda: session.resolve(LONG, "0-9", 100),
        lambda: session.resolve("message:M-1", LONG, 100),
    ]
    for call in calls:
        with pytest.raises((UnknownTools, UnknownReference, InvalidInput)) as error:
            call()
        assert len(str(error.value)) < MESSAGE_CHARS_MAX


@pytest.mark.parametrize("given", [None, 5, "create_task", ["create_task"], object()])
def test_what_is_no_command_is_refused(ann: UserScope, given: Any) -> None:
    """Whatever it is instead."""
    with pytest.raises(InvalidInput) as error:
        ann.record(given, actor=ME)
    assert error.value.field == "command"


CREATE = {"type": "create_task", "task_id": "T-9", "title": "Not asked for"}
OTHER = {"type": "observe_connection", "provider": "mail", "account": "you", "status": "connected"}


@pytest.mark.parametrize("answer", [None, 5, "x", [], {}, CREATE, OTHER])
def test_a_provider_that_answers_about_something_else_is_named(ann: UserScope, answer: Any) -> None:
    """Nothing of it is recorded, and the turn says what was not refreshed."""

    class Provider:
        def observe(self, _stale: Any) -> Any:
            return answer

    seen = {"provider": "mail", "account": "me", "status": "connected", "ttl_seconds": 60}
    ann.record({"type": "observe_connection", **seen}, actor=Actor(kind="provider", id="mail"))
    before = len(list(ann.log()))
    later = NOW + timedelta(hours=1)
    envelope = ann.assemble({"text": "hello", "now": later}, provider=Provider())
    assert len(list(ann.log())) == before
    told = "not refreshed: connection:mail:me: the answer is about something else"
    assert envelope.manifest.degraded == (told,)
