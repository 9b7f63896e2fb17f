"""The eventsourcing library's own conformance cases against our recorder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar
from uuid import uuid4

import orjson
import pytest
from eventsourcing.persistence import Notification, StoredEvent
from eventsourcing.tests import persistence as cases

from conftest import Cluster
from workindex.eventlog.database import Database
from workindex.eventlog.recorder import UserRecorder


class JsonRecorder(UserRecorder):
    """The recorder for states that are raw bytes: the log holds them as a JSON text."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int]:
        as_json = [replace(e, state=orjson.dumps(e.state.decode())) for e in stored_events]
        return super().insert_events(as_json, **kwargs)

    def select_events(self, *args: Any, **kwargs: Any) -> Sequence[StoredEvent]:
        return [
            StoredEvent(e.originator_id, e.originator_version, e.topic, _raw(e.state))
            for e in super().select_events(*args, **kwargs)
        ]

    def select_notifications(self, *args: Any, **kwargs: Any) -> Sequence[Notification]:
        found = super().select_notifications(*args, **kwargs)
        return [replace(n, state=_raw(n.state)) for n in found]


def _raw(state: bytes) -> bytes:
    text: str = orjson.loads(state)
    return text.encode()


class FreshUser:
    """Each case gets a recorder of a user without a log, and stream ids that are text."""

    @pytest.fixture(autouse=True)
    def _database(self, embedded_cluster: Cluster) -> Iterator[None]:
        # The cases are unittest classes, which cannot take the parametrised fixtures.
        urls = embedded_cluster.clone()
        self.database = Database(urls.app)
        yield
        self.database.close()
        embedded_cluster.drop(urls)

    def new_originator_id(self) -> str:
        return f"task/{uuid4()}"

    def create_recorder(self) -> Any:
        return JsonRecorder(self.database.connection, f"user {uuid4()}")


class TestApplicationRecorder(FreshUser, cases.ApplicationRecorderTestCase[Any]):
    """Positions are 1, 2, 3, …; streams refuse a version twice; writers at once lose nothing."""

    # It asserts nothing and only prints a rate of inserts.
    test_performance: ClassVar[None] = None  # type: ignore[assignment]


class TestNonInterleaving(FreshUser, cases.NonInterleavingNotificationIDsBaseCase):
    """Two appends of a thousand events at once: all of one come before all of the other."""


def test_no_subscriptions() -> None:
    """The recorder does not offer what could miss an event."""
    recorder = UserRecorder(lambda: pytest.fail("no connection is needed"), "ann")
    with pytest.raises(NotImplementedError, match="poll select_notifications"):
        recorder.subscribe()
