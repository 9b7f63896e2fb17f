"""`observe` measures every request and changes nothing: not the call, its reply or its errors."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import workindex
from workindex.assembler.audit import audit_files
from workindex.assembler.audit.measured import measure
from workindex.assembler.audit.observing import WAITING_MAX
from workindex.assembler.audit.shapes import recognised
from workindex.domain.errors import InvalidInput

BODY: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [{"role": "user", "content": "Is anything waiting for me?"}],
}


class Backend:
    """Stands where a provider's client does: keeps what it was given, answers or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.given: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        self.reply = object()
        self.error = error

    def create(self, *args: Any, **kwargs: Any) -> object:
        """The call."""
        self.given.append((args, kwargs))
        if self.error is not None:
            raise self.error
        return self.reply

    async def create_later(self, *args: Any, **kwargs: Any) -> object:
        """The same, awaited."""
        await asyncio.sleep(0)
        return self.create(*args, **kwargs)


def test_a_call_keeps_its_arguments_and_its_reply() -> None:
    """The same objects go in and come out; one record a request is made beside."""
    backend, records = Backend(), list[dict[str, Any]]()
    call = workindex.observe(backend.create, to=records.append)
    messages = BODY["messages"]
    assert call(model="gpt-4o", messages=messages) is backend.reply
    assert backend.given[0][1]["messages"] is messages
    assert call.recording.flush(60)
    assert [one["tokens"] for one in records] == [measure(recognised(BODY)).tokens]
    assert (call.recording.recorded, call.recording.failed) == (1, 0)
    assert call.__name__ == "create"  # type: ignore[attr-defined]


def test_an_async_call_stays_one() -> None:
    """It is still a coroutine function, and is awaited as before."""
    backend, records = Backend(), list[dict[str, Any]]()
    call = workindex.observe(backend.create_later, to=records.append)
    assert asyncio.iscoroutinefunction(call)
    assert asyncio.run(call(**BODY)) is backend.reply
    assert call.recording.flush(60)
    assert len(records) == 1


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((), BODY),
        ((BODY,), {}),
        ((json.dumps(BODY),), {}),
        (("/v1/chat",), {"body": json.dumps(BODY).encode()}),
        ((), {"request": BODY, "timeout": 3}),
        ((object(), BODY), {}),
    ],
)
def test_a_request_is_found_however_it_is_given(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """As keywords, as one object, as text or bytes, beside other arguments."""
    records = list[dict[str, Any]]()
    call = workindex.observe(Backend().create, to=records.append)
    call(*args, **kwargs)
    assert call.recording.flush(60)
    assert call.recording.last_failure is None
    assert records[0]["model"] == "gpt-4o"


def test_the_request_is_measured_as_it_was_when_it_was_sent() -> None:
    """A backend that changes it during the call does not change the record."""
    records = list[dict[str, Any]]()

    def call_and_clear(messages: list[Any]) -> None:
        messages.clear()

    call = workindex.observe(call_and_clear, to=records.append)
    call(messages=[{"role": "user", "content": "hi"}])
    assert call.recording.flush(60)
    assert [one["kind"] for one in records[0]["segments"]] == ["message"]


def test_bytes_and_models_are_taken_as_they_are_sent() -> None:
    """A client's own types are no obstacle: bytes of a picture, a pydantic message."""
    records = list[dict[str, Any]]()
    call = workindex.observe(Backend().create, to=records.append)
    block = {"image": {"format": "png", "source": {"bytes": b"\x89PNG" * 9}}}
    call(modelId="amazon.nova-pro-v1:0", messages=[{"role": "user", "content": [block]}])
    call(**BODY, seed=2**80)
    call(model="gpt-4o", messages=[{"role": "user", "content": "a\ud800b"}])
    assert call.recording.flush(60)
    assert call.recording.last_failure is None
    assert [one["segments"][0].get("media_bytes") for one in records] == [36, None, None]


def test_an_error_of_the_call_is_the_call_s() -> None:
    """The same exception object, and the request that met it is recorded."""
    error, records = ValueError("overloaded"), list[dict[str, Any]]()
    call = workindex.observe(Backend(error).create, to=records.append)
    with pytest.raises(ValueError, match="overloaded") as met:
        call(**BODY)
    assert met.value is error
    assert call.recording.flush(60)
    assert len(records) == 1


def test_a_failure_to_record_is_counted_and_seen(caplog: pytest.LogCaptureFixture) -> None:
    """A full disk, an unknown request or strange arguments never reach the caller."""

    def broken(record: Mapping[str, Any]) -> None:
        raise OSError("no space left")

    class Strange:
        def model_dump(self, **_: Any) -> Any:
            raise RuntimeError("strange")

    backend = Backend()
    call = workindex.observe(backend.create, to=broken)
    with caplog.at_level(logging.WARNING, logger="workindex.audit"):
        assert call(**BODY) is backend.reply
        assert call(7) is backend.reply
        assert call(Strange()) is backend.reply
        assert call.recording.flush(60)
    assert (call.recording.recorded, call.recording.failed) == (0, 3)
    told = [record.getMessage() for record in caplog.records]
    for reason in ("no space left", "holds a request", "strange"):
        assert any(reason in one for one in told)
    assert call.recording.last_failure is not None


def test_a_slow_sink_does_not_hold_up_calls() -> None:
    """What waits is bounded; calls beyond it go on and are counted as not recorded."""
    gate = threading.Event()
    backend = Backend()
    call = workindex.observe(backend.create, to=lambda _: gate.wait())
    for _ in range(WAITING_MAX + 10):
        call(**BODY)
    assert len(backend.given) == WAITING_MAX + 10
    assert call.recording.failed >= 9
    assert not call.recording.flush(timeout_seconds=0)
    gate.set()
    assert call.recording.flush(timeout_seconds=60)
    assert call.recording.recorded + call.recording.failed == WAITING_MAX + 10


def test_a_file_of_records_is_audited_and_holds_no_text(tmp_path: Path) -> None:
    """Only its owner may read it; figures are those of the requests themselves."""
    path = tmp_path / "observed.ndjson"
    call = workindex.observe(Backend().create, to=path)
    for text in ("first", "second"):
        call(**{**BODY, "messages": [*BODY["messages"], {"role": "user", "content": text}]})
    assert call.recording.flush(60)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "waiting" not in path.read_text()
    assert "second" not in path.read_text()
    audit = audit_files([path])
    assert [one.line for one in audit.requests] == [1, 2]
    assert audit.document()["sent_again"]["tokens"] == measure(recognised(BODY)).tokens
    assert audit.requests[0].at is not None


FORKING = """
import os, sys, workindex
call = workindex.observe(lambda **_: None, to=sys.argv[1])
body = {"messages": [{"role": "user", "content": "hi"}]}
call(**body)
assert call.recording.flush(60)
for _ in range(8):
    call(**body)
child = os.fork()
call(**body)
assert call.recording.flush(60)
if child:
    os.waitpid(child, 0)
"""


def test_a_forked_process_records_its_own_calls(tmp_path: Path) -> None:
    """As servers do that load first and fork then; what waits at the end is still recorded."""
    path = tmp_path / "observed.ndjson"
    subprocess.run([sys.executable, "-c", FORKING, str(path)], check=True, timeout=120)
    assert len(path.read_text().splitlines()) == 11


def test_bodies_are_kept_when_asked_for(tmp_path: Path) -> None:
    """And are what was sent."""
    path = tmp_path / "observed.ndjson"
    call = workindex.observe(Backend().create, to=str(path), keep_bodies=True, counter="claude")
    call(**BODY)
    assert call.recording.flush(60)
    record = json.loads(path.read_text())
    assert record["request"] == BODY
    assert (record["counter"], record["is_exact"]) == ("claude", False)


@pytest.mark.parametrize("given", ["x", None, 5, {"model": "gpt-4o"}])
def test_what_is_no_function_is_refused_at_once(given: Any) -> None:
    """By what it is, and with what to give."""
    with pytest.raises(InvalidInput, match=r"is no function: give .*messages\.create") as refused:
        workindex.observe(given, to=print)
    assert refused.value.field == "call"
    assert repr(given) in str(refused.value)


def test_a_wrong_counter_is_told_at_once() -> None:
    """Not with the first call of a running backend."""
    with pytest.raises(InvalidInput, match="'none' is no token counter"):
        workindex.observe(Backend().create, to=print, counter="none")
