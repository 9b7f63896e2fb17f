"""The example backend: state questions never reach the model, everything else does."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from conftest import Urls
from workindex.assembler.rendering import parsed

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "chat_backend.py"


@pytest.fixture
def backend(urls: Urls, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The example as a module, on a fresh database."""
    monkeypatch.setenv("WORKINDEX_DATABASE_URL", urls.app)
    spec = importlib.util.spec_from_file_location("chat_backend", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, "chat_backend", module)
    spec.loader.exec_module(module)
    return module


ANN = {"x-user-id": "ann"}


class Talk:
    """Ann's talk with the backend; the model writes down what it is given."""

    def __init__(self, backend: Any, client: TestClient) -> None:
        self.given: list[str] = []
        self._client = client

        async def model(working_set: str) -> str:
            self.given.append(working_set)
            return "Sounds good."

        backend.app.state.model = model

    def say(self, text: str, message_id: str) -> Any:
        sent = {"text": text, "message_id": message_id}
        return self._client.post("/chat", json=sent, headers=ANN).json()

    def command(self, **body: Any) -> None:
        self._client.post("/commands", json=body, headers=ANN).raise_for_status()


@pytest.fixture
def talk(backend: Any) -> Iterator[Talk]:
    with TestClient(backend.app) as client:
        yield Talk(backend, client)


def test_the_state_answers_and_the_rest_falls_through(talk: Talk) -> None:
    """A task that waits is named without the model; chat goes to the model, as often as sent."""
    assert talk.say("what needs me?", "m-1") == {
        "route": "state",
        "text": "Nothing needs you right now.",
        "verdict": "proven_empty",
    }
    asked = {"request_id": "Q-1", "kind": "decision", "prompt": "Hall or boat?"}
    talk.command(type="create_task", task_id="T-1", title="Choose a venue")
    talk.command(type="request_task_input", task_id="T-1", **asked)
    second = talk.say("what needs me?", "m-2")
    assert second["verdict"] == "items"
    assert "Hall or boat?" in second["text"]
    assert talk.given == []
    assert talk.say("shall we take the boat?", "m-3") == {"route": "model", "text": "Sounds good."}
    assert talk.say("shall we take the boat?", "m-3")["route"] == "model"
    assert len(talk.given) == 2


def test_the_model_is_given_the_working_set(talk: Talk) -> None:
    """The policy, what stands now, what was said before by both, and the message once."""
    asked = {"request_id": "Q-1", "kind": "decision", "prompt": "Hall or boat?"}
    talk.command(type="create_task", task_id="T-1", title="Choose a venue")
    talk.command(type="request_task_input", task_id="T-1", **asked)
    talk.say("shall we take the boat for T-1?", "m-1")
    talk.say("then book it", "m-2")
    last = talk.given[-1]
    told = {heads["source"]: content for heads, content in parsed(last)}
    assert "Hall or boat?" in str(told)
    assert told["message:m-1"]["text"] == "shall we take the boat for T-1?"
    assert [one["text"] for one in told.values() if one.get("role") == "assistant"] == [
        "Sounds good."
    ]
    assert "message:m-2" not in told
    assert last.count("then book it") == 1
    assert last.startswith("You are the assistant")


def test_what_is_too_much_is_answered_to_the_person(talk: Talk) -> None:
    """A clarification, and the model is not called."""
    told = talk.say("word " * 30_000, "m-1")
    assert told["route"] == "clarification"
    assert "Store the long part as a file" in told["text"]
    assert talk.given == []


def test_a_refusal_names_its_code(backend: Any) -> None:
    """A command that the state forbids is a 409 with the code, and nothing is stored."""
    with TestClient(backend.app) as client:
        refused = client.post(
            "/commands",
            json={"type": "complete_task", "task_id": "T-9"},
            headers=ANN,
        )
        assert refused.status_code == 409
        assert refused.json()["code"] == "unknown_task"
        assert list(client.app.state.work_index.user("ann").log()) == []  # type: ignore[attr-defined]
