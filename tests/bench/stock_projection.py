"""The library's own projection of the same tasks: one transaction an event, as it ships."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresDatastore, PostgresTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

WAIT_SECONDS = 120.0
CHANGES = {"Created": 0, "InputRequested": 1, "InputGiven": -1}  # of the open requests


class StockTask(Aggregate):
    """The same task as the library's tutorials would write it."""

    @event("Created")
    def __init__(self, title: str) -> None:
        self.title = title
        self.requests: dict[str, str] = {}

    @event("InputRequested")
    def request(self, request_id: str, prompt: str) -> None:
        self.requests[request_id] = prompt

    @event("InputGiven")
    def give(self, request_id: str, answer: str) -> None:
        del self.requests[request_id]


class StockTasks(Application[UUID]):
    """Its application."""


class StockView(PostgresTrackingRecorder):
    """A table of tasks: title, and how many requests are open."""

    def __init__(self, datastore: PostgresDatastore, **given: Any) -> None:
        super().__init__(datastore, **given)
        self.rows = sql.SQL("{}.stock_task").format(sql.Identifier(datastore.schema))
        self.sql_create_statements.append(
            sql.SQL(
                "CREATE TABLE IF NOT EXISTS {} (id uuid PRIMARY KEY, title text, requests integer)"
            ).format(self.rows)
        )

    def change(self, tracking: Tracking, id_: UUID, title: str | None, requests: int) -> None:
        """Write what one event changes, with how far the view is."""
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            cursor.execute(
                sql.SQL(
                    "INSERT INTO {} AS t VALUES (%s, %s, %s) ON CONFLICT (id) DO UPDATE "
                    "SET requests = t.requests + excluded.requests"
                ).format(self.rows),
                (id_, title, requests),
            )

    def count(self) -> int:
        """How many tasks the view holds."""
        with self.datastore.transaction(commit=False) as cursor:
            cursor.execute(sql.SQL("SELECT count(*) AS count FROM {}").format(self.rows))
            row = cursor.fetchone()
        assert row is not None
        return int(row["count"])


class StockProjection(Projection[StockView]):
    """Each event changes one row."""

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        """Write the row with its tracking."""
        change = CHANGES[type(domain_event).__name__]
        title = getattr(domain_event, "title", None)
        self.view.change(tracking, domain_event.originator_id, title, change)


def environment(url: str) -> dict[str, str]:
    """The library's settings for a database."""
    given = conninfo_to_dict(url)
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(given["dbname"]),
        "POSTGRES_HOST": str(given.get("host", "")),
        "POSTGRES_PORT": str(given.get("port", "5432")),
        "POSTGRES_USER": str(given.get("user", "")),
        "POSTGRES_PASSWORD": str(given.get("password", "")),
    }


def load(url: str, tasks: int, asked: int) -> int:
    """Store tasks with so many answered requests each; returns how many events."""
    application = StockTasks(environment(url))
    for number in range(tasks):
        task = StockTask(title=f"Task {number}")
        for request in range(asked):
            task.request(f"R-{request}", "Which of the three offers do you like best?")
            task.give(f"R-{request}", "the second one")
        application.save(task)
    application.close()
    return tasks * (1 + 2 * asked)


def project(url: str, events: int, tasks: int, name: str) -> float:
    """Project every event into a fresh view of that name; events a second."""
    projection = type(name, (StockProjection,), {"name": name})
    start = time.perf_counter()
    with ProjectionRunner(
        application_class=StockTasks,
        projection_class=projection,
        view_class=StockView,
        env=environment(url),
    ) as runner:
        runner.wait(events, timeout=WAIT_SECONDS)
        rate = events / (time.perf_counter() - start)
        assert runner.view.count() == tasks
    return rate
