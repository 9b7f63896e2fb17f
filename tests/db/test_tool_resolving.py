"""Is every `next` that a call gives one that the same call takes, and are they the body?"""

from __future__ import annotations

from typing import Any
from uuid import uuid4 as new_uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import Engine
from sessions import COUNT, Backend, error_of, say, store
from workindex import WorkIndex
from workindex.assembler.rendering import item_text
from workindex.assembler.tools.calls import ToolSession
from workindex.assembler.tools.resolving import SKIPPED_MAX
from workindex.domain.errors import InvalidInput
from workindex.domain.tasks import CreateTask
from workindex.eventlog.database import Database
from workindex.eventlog.transcripts import Turn as Said
from workindex.eventlog.transcripts import media_type, to_parts
from workindex.service.client import UserScope

TEXT = "Zwölf Boxkämpfer 漢字 😀 jagen Viktor quer über den Deich. " * 25


@pytest.fixture
def ann(database: Database) -> Engine:
    return Engine(database)


@pytest.fixture
def scope(database: Database) -> UserScope:
    return WorkIndex(database).user("ann")


@pytest.fixture
def backend(database: Database) -> Backend:
    """One that issued every reference of this file."""
    backend = Backend(database)
    refs = ("message:M", "artifact:F", "artifact:TR", "task:T-1", "artifact:P")
    backend.issued.issue("ann", "T-1", refs)
    return backend


@pytest.fixture
def session(backend: Backend) -> ToolSession:
    return backend.session()


def followed(session: ToolSession, ref: str, selector: str, most: int) -> list[Any]:
    """The contents from a selector on, each within its limit, until no call goes on."""
    found = []
    while selector:
        item = session.resolve(ref, selector, most)
        assert COUNT.count([item_text("evidence", item)])[0] == item.token_estimate <= most
        content: Any = item.content
        found.append(content)
        selector = content.get("next", "")
    return found


def text_of(contents: list[Any]) -> str:
    return "".join(one["text"] for one in contents)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(part_bytes=st.integers(1, 3_000), most=st.integers(150, 900), first=st.integers(0, 900))
def test_following_gives_the_body(
    scope: UserScope, backend: Backend, part_bytes: int, most: int, first: int
) -> None:
    """Of a text cut at any byte, from any character or part, with any limit."""
    id_ = new_uuid().hex
    body = f"{id_} {TEXT}".encode()  # a body is stored in one cut only
    parts = [body[at : at + part_bytes] for at in range(0, len(body), part_bytes)]
    store(scope, id_, parts, "text/plain")
    backend.issued.issue("ann", "T-1", [ref := f"artifact:{id_}"])
    session, text = backend.session(), body.decode()
    assert text_of(followed(session, ref, f"chars={first}-99999", most)) == text[first:]
    assert text_of(followed(session, ref, f"chars={first}-1000", most)) == text[first:1001]
    middle = len(parts) // 2
    halves = [f"parts=0-{middle}", f"parts={middle + 1}-99999"]
    assert "".join(text_of(followed(session, ref, one, most)) for one in halves) == text


def test_following_gives_the_whole_of_every_kind(
    ann: Engine, scope: UserScope, session: ToolSession
) -> None:
    """Messages, transcripts by turn and by part, and rows."""
    say(ann, "M", TEXT)
    ann.record(CreateTask(task_id="T-1", title="Book the venue", description=TEXT[:900]))
    turns = [Said(number, "Eve", f"sentence number {number}") for number in range(120)]
    store(scope, "TR", to_parts(turns, 7), media_type(7))
    assert text_of(followed(session, "message:M", "0-99999", 300)) == TEXT
    assert TEXT[:900] in text_of(followed(session, "task:T-1", "0-99999", 200))
    for selector, numbers in (("turns=5-118", range(5, 119)), ("parts=1-3", range(7, 28))):
        contents = followed(session, "artifact:TR", selector, 400)
        assert [one["n"] for content in contents for one in content["turns"]] == list(numbers)


def test_past_the_end_there_is_nothing(scope: UserScope, session: ToolSession) -> None:
    """An empty text that does not go on."""
    store(scope, "F", [b"short"], "text/plain")
    for selector in ("chars=5-9", "parts=3-9", "parts=0-0,chars=7-9"):
        assert "next" not in (told := session.resolve("artifact:F", selector, 200).content)  # type: ignore[operator]
        assert told["text"] == ""  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("ref", "selector", "field"),
    [
        ("artifact:F", "turns=0-3", "selector"),
        ("artifact:F", "parts=0-3,turns=0-3", "selector"),
        ("artifact:F", "parts=3-0,chars=0-3", "selector"),
        ("artifact:F", f"chars={SKIPPED_MAX + 1}-999999999", "selector"),
        ("artifact:TR", "chars=0-3", "selector"),
        ("artifact:TR", "parts=0-3,chars=0-3", "selector"),
        ("message:M", "parts=0-3,chars=0-3", "selector"),
        ("artifact:P", "chars=0-3", "ref"),
    ],
)
def test_a_selector_that_does_not_fit_is_refused(
    ann: Engine, scope: UserScope, session: ToolSession, ref: str, selector: str, field: str
) -> None:
    """And says what would."""
    say(ann, "M", "some text")
    store(scope, "F", [b"some text"], "text/plain")
    store(scope, "P", [b"\x89PNG"], "image/png")
    store(scope, "TR", to_parts([Said(0, "Eve", "hello")]), media_type())
    with pytest.raises(InvalidInput) as raised:
        session.resolve(ref, selector, 200)
    assert raised.value.field == field
    error_of(lambda: session.resolve("artifact:never", selector, 200))
