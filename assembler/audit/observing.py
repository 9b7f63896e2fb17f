"""What does a running backend send? Measured beside each call, which goes on as if unwatched.

The call gets its own arguments and its caller the call's own reply or error. The request is copied
before the call and counted on another thread; nothing that goes wrong there reaches the caller,
but it is counted, logged and kept as `Recording.last_failure`.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from queue import Full, Queue
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from workindex.assembler.audit.measured import measure, record_of
from workindex.assembler.audit.shapes import Request, UnknownRequest, plain, recognised
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tokens import counter as counter_named
from workindex.domain.errors import InvalidInput

WAITING_MAX = 256  # requests copied and not yet counted; more are dropped and counted as failures
EXIT_SECONDS_MAX = 5.0
P = ParamSpec("P")
R = TypeVar("R", covariant=True)
Sink = Callable[[dict[str, Any]], object]
_log = logging.getLogger("workindex.audit")


class Recording:
    """What became of the requests of one observed call: recorded, failed, still waiting."""

    def __init__(self, sink: Sink, counter: TokenCounter | None, *, keep_bodies: bool) -> None:
        self.recorded = 0
        self.failed = 0
        self.last_failure: str | None = None
        self._sink = sink
        self._counter = counter
        self._keep_bodies = keep_bodies
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._queue: Queue[tuple[datetime, bytes]] = Queue(WAITING_MAX)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def take(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Copies the request of a call that is about to be made. Never raises."""
        if os.getpid() != self._process:  # after a fork: what waits is the parent's to record
            self._begin()
        try:
            self._queue.put_nowait((datetime.now(UTC), _copied(args, kwargs)))
            self._start()
        except Full:
            self._fail(f"{WAITING_MAX} requests are waiting to be counted; this one is not")
        except Exception as error:  # noqa: BLE001  (a backend's call must not feel its observer)
            self._fail(f"{type(error).__name__}: {error}")

    def flush(self, timeout_seconds: float = EXIT_SECONDS_MAX) -> bool:
        """Waits until all that was taken is recorded or failed; False where time ran out."""
        with self._queue.all_tasks_done:
            return self._queue.all_tasks_done.wait_for(
                lambda: not self._queue.unfinished_tasks, timeout_seconds
            )

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                atexit.register(self.flush)
                self._thread = threading.Thread(target=self._run, name="workindex-audit")
                self._thread.daemon = True
                self._thread.start()

    def _run(self) -> None:
        while True:
            at, copied = self._queue.get()
            try:
                self._record(at, copied)
            except Exception as error:  # noqa: BLE001  (counted and logged, see the module)
                self._fail(f"{type(error).__name__}: {error}")
            finally:
                self._queue.task_done()

    def _record(self, at: datetime, copied: bytes) -> None:
        request = _request(json.loads(copied))
        measured = replace(measure(request, self._counter), at=at.isoformat())
        self._sink(record_of(measured, request.body if self._keep_bodies else None))
        with self._lock:
            self.recorded += 1

    def _fail(self, reason: str) -> None:
        with self._lock:
            self.failed += 1
            self.last_failure = reason
        _log.warning("a request was not recorded: %s", reason)


class Observed(Protocol[P, R]):
    """The call as it was, and its recording."""

    recording: Recording

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


def observe(
    call: Callable[P, R],
    *,
    to: str | Path | Sink,
    counter: str | TokenCounter | None = None,
    keep_bodies: bool = False,
) -> Observed[P, R]:
    """A call that does what `call` does and records what each of its requests is made of.

    `call` is a backend's function, sync or async, that takes the request as keyword arguments
    (as the providers' clients do) or as one argument. `to` is a file that one JSON line a request
    is added to (only its owner may read it), or a function that takes the record. `counter` names
    a tokenizer; without it the model's own is taken. A record holds sizes, kinds, tool names and
    hashes, and no text unless `keep_bodies`; a hash tells who guesses a text that it was sent.
    `workindex audit` reads the file. `recording.flush()` waits for what is being counted.

    Raises: InvalidInput for what is no function and for an unknown counter, at once and not with a
    call.
    """
    if not callable(call):
        told = f"{repr(call)[:80]} is no function: give the one that sends a request, such as "
        raise InvalidInput(f"{told}client.messages.create", field="call")
    chosen = counter_named(counter) if isinstance(counter, str) else counter
    sink = to if callable(to) else _file_sink(Path(to))
    recording = Recording(sink, chosen, keep_bodies=keep_bodies)
    if iscoroutinefunction(call):

        @wraps(call)
        async def observed(*args: P.args, **kwargs: P.kwargs) -> Any:
            recording.take(args, kwargs)
            return await call(*args, **kwargs)

    else:

        @wraps(call)
        def observed(*args: P.args, **kwargs: P.kwargs) -> Any:
            recording.take(args, kwargs)
            return call(*args, **kwargs)

    observed.recording = recording  # type: ignore[attr-defined]
    return cast("Observed[P, R]", observed)


def _copied(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bytes:
    """What may hold the request, as JSON: the keyword arguments first, then each argument."""
    import orjson

    given: list[Any] = [{key: _text(one) for key, one in kwargs.items()}] if kwargs else []
    given += [_text(one) for one in args if isinstance(one, Mapping | str | bytes | bytearray)]
    given += [one for one in args if hasattr(one, "model_dump")]
    try:
        return orjson.dumps(given, default=plain, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # numbers over 64 bits and lone surrogates
        return json.dumps(plain(given)).encode()


def _text(value: Any) -> Any:
    """A body that was given as bytes is text; anything else is what it is."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes | bytearray) else value


def _request(candidates: list[Any]) -> Request:
    problem: UnknownRequest | None = None
    for one in candidates:
        try:
            return recognised(one, "observed")
        except UnknownRequest as error:
            problem = problem or error
    raise problem or UnknownRequest("observed: the call had no argument that holds a request")


def _file_sink(path: Path) -> Sink:
    def add(record: dict[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode("utf-8", "surrogatepass"))
        finally:
            os.close(handle)

    return add
