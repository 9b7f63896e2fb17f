"""Does a token resolve for the user, the turn and the time that it was made for, and no other?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from driver import actor
from engine import Engine
from sessions import Backend, contents, error_of, say, store
from workindex import UserScope, WorkIndex
from workindex.assembler.rendering import item_text, parsed
from workindex.assembler.tools.signed import LIFETIME_SECONDS, SignedReferences, WeakSecret
from workindex.domain.artifacts import ForgetArtifact
from workindex.eventlog.database import Database

OLD, NEW, OTHER = "o" * 32, "n" * 32, "x" * 40
MOMENT = datetime(2030, 1, 1, tzinfo=UTC)


class Stateless(Backend):
    """A backend that keeps nothing between its sessions but its secrets."""

    def __init__(self, database: Database, *secrets: str) -> None:
        super().__init__(database)
        self.issued: Any = SignedReferences(secrets)


@pytest.fixture
def ann(database: Database) -> Engine:
    return Engine(database)


@pytest.fixture
def scope(database: Database) -> UserScope:
    return WorkIndex(database).user("ann")


@pytest.fixture
def moment() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(MOMENT, tick=False) as traveller:
        yield traveller


def token_of(backend: Backend, id_: str = "M-1", **turn: str) -> str:
    """What a session shows for a message."""
    found = backend.session(**turn).get_context("message", ids=[id_])
    (told,) = contents(found)
    assert found.refs == (told["ref"],)
    return str(told["ref"])


def test_another_process_resolves_what_one_showed(ann: Engine, database: Database) -> None:
    """With the same secrets and nothing else between them; also the shown token costs tokens."""
    say(ann, "M-1", "what ann said")
    token = token_of(Stateless(database, NEW))
    assert token.startswith("message:M-1.")
    item = Stateless(database, NEW).session().resolve(token, "0-99", 200)
    assert item.content == {"text": "what ann said", "chars": [0, 12]}
    assert item.source_id == "message:M-1"


def test_every_token_that_is_not_this_ones_is_the_same_error(
    ann: Engine, scope: UserScope, database: Database, moment: time_machine.Traveller
) -> None:
    """Forged, cut, of another user, turn or secret, expired, plain, or of what is gone."""
    say(ann, "M-1", "what ann said")
    say(Engine(database, "bob"), "M-1", "what bob said")
    store(scope, "F", [b"gone"], "text/plain")
    backend = Stateless(database, NEW)
    session = backend.session()
    (gone,) = session.get_context("artifact", ids=["F"]).refs
    scope.record(ForgetArtifact(artifact_id="F", reason="asked"), actor=actor("user"))
    token = token_of(backend)
    given = {
        "forged": token.replace("M-1", "M-2"),
        "cut": token[:-1],
        "longer": f"{token}x",
        "padded": f"{token}=",
        "with a sign that base64 leaves out": f"{token}\u00e9",
        "with a line's end": f"{token}\n",
        "plain": "message:M-1",
        "another turn's": token_of(backend, turn_id="T-2"),
        "another user's": token_of(backend, user_id="bob"),
        "another secret's": token_of(Stateless(database, OTHER)),
        "gone": gone,
        "empty": "",
        "no text": "\ud800",
        "long": "message:" + "a" * 5_000,
    }
    told = {error_of(lambda t=t: session.resolve(t, "0-9", 100)).replace(repr(t[:300]), "REF")  # type: ignore[misc]
            for t in given.values()}  # fmt: skip
    assert len(told) == 1
    session.resolve(token, "0-9", 100)
    moment.shift(LIFETIME_SECONDS + 1)
    told.add(error_of(lambda: session.resolve(token, "0-9", 100)).replace(repr(token), "REF"))
    assert len(told) == 1


def test_a_secret_is_changed_without_breaking_what_was_shown(
    ann: Engine, database: Database
) -> None:
    """The newest signs, all verify; a secret that is left out verifies no more."""
    say(ann, "M-1", "what ann said")
    before = token_of(Stateless(database, OLD))
    both = Stateless(database, NEW, OLD)
    both.session().resolve(before, "0-9", 100)
    after = token_of(both)
    Stateless(database, NEW).session().resolve(after, "0-9", 100)
    error_of(lambda: Stateless(database, NEW).session().resolve(before, "0-9", 100))


@pytest.mark.parametrize("secrets", [(), ("",), ("s" * 31,), (NEW, "short")])
def test_a_weak_secret_is_refused(secrets: tuple[str, ...]) -> None:
    """Whichever it is, and it is not told."""
    with pytest.raises(WeakSecret) as raised:
        SignedReferences(secrets)
    assert all(secret not in str(raised.value) for secret in secrets if secret)


def test_what_a_working_set_names_comes_with_its_tokens(
    ann: Engine, scope: UserScope, database: Database
) -> None:
    """One item tells which token stands for which reference; plain ones need none."""
    say(ann, "M-1", "the venue is booked")
    envelope = scope.assemble({"text": "hello", "thread_id": "TH-1"})
    plain, session = Backend(database).session(), Stateless(database, NEW).session()
    for one in (plain, session):
        one.show(envelope.recent_history)
    assert plain.beside == ()
    ((_, tokens),) = parsed("".join(item_text("tools", item) for item in session.beside))
    assert list(tokens) == ["message:M-1"]
    told = Stateless(database, NEW).session().resolve(tokens["message:M-1"], "0-9", 200)
    assert told.source_id == "message:M-1"
