"""The example backend: state questions never reach the model, everything else does."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from conftest import Urls

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


def test_the_state_answers_and_the_rest_falls_through(backend: Any) -> None:
    """A task that waits is named without the model; chat goes to the model, once and as sent."""
    heard: list[tuple[str, str]] = []

    async def model(user_id: str, text: str) -> str:
        heard.append((user_id, text))
        return "Sounds good."

    backend.app.state.model = model
    ann = {"x-user-id": "ann"}
    with TestClient(backend.app) as client:

        def say(text: str, message_id: str) -> Any:
            sent = {"text": text, "message_id": message_id}
            return client.post("/chat", json=sent, headers=ann).json()

        first = say("what needs me?", "m-1")
        assert first == {
            "route": "state",
            "text": "Nothing needs you right now.",
            "verdict": "proven_empty",
        }
        for command in (
            {"type": "create_task", "task_id": "T-1", "title": "Choose a venue"},
            {
                "type": "request_task_input",
                "task_id": "T-1",
                "request_id": "Q-1",
                "kind": "decision",
                "prompt": "Hall or boat?",
            },
        ):
            client.post("/commands", json=command, headers=ann).raise_for_status()
        second = say("what needs me?", "m-2")
        assert second["verdict"] == "items"
        assert "Hall or boat?" in second["text"]
        assert say("shall we take the boat?", "m-3") == {"route": "model", "text": "Sounds good."}
        assert say("shall we take the boat?", "m-3")["route"] == "model"
    assert heard == [("ann", "shall we take the boat?")] * 2


def test_a_refusal_names_its_code(backend: Any) -> None:
    """A command that the state forbids is a 409 with the code, and nothing is stored."""
    with TestClient(backend.app) as client:
        refused = client.post(
            "/commands",
            json={"type": "complete_task", "task_id": "T-9"},
            headers={"x-user-id": "ann"},
        )
        assert refused.status_code == 409
        assert refused.json()["code"] == "unknown_task"
        assert list(client.app.state.work_index.user("ann").log()) == []  # type: ignore[attr-defined]
