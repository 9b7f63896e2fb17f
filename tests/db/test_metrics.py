"""Is the page for a monitoring system well formed, and does it say what is true?"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from commands import Command
from conftest import Urls
from engine import Engine, do_as_owner, task
from workindex import WorkIndex
from workindex.eventlog.database import Database
from workindex.projections.generations import list_generations

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{((?:{LABEL},?)*)\}})? (\S+)")
PROJECTIONS = ("evidence", "inline")


class Page(NamedTuple):
    """What the text says: the value of each name and labels."""

    values: dict[tuple[str, tuple[tuple[str, str], ...]], float]

    def of(self, name: str, **labels: str) -> float:
        """One value."""
        return self.values[(name, tuple(sorted(labels.items())))]


def parsed(text: str) -> Page:
    """The page, by the rules of the format: HELP and TYPE first, each family and sample once."""
    assert text.endswith("\n")
    values: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
    helped: list[str] = []
    typed: list[str] = []
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, _, told = line.removeprefix("# HELP ").partition(" ")
            assert re.fullmatch(NAME, name), line
            assert told, line
            helped.append(name)
        elif line.startswith("# TYPE "):
            name, kind = line.removeprefix("# TYPE ").split(" ")
            assert kind == "gauge"
            assert name == helped[-1], f"{name} has no help before its type"
            typed.append(name)
        else:
            found = SAMPLE.fullmatch(line)
            assert found is not None, f"no sample: {line!r}"
            assert found[1] == typed[-1], f"{line} stands in the family {typed[-1]}"
            labels = tuple(sorted(re.findall(LABEL, found[2] or "")))
            assert (found[1], labels) not in values, f"twice: {line}"
            values[(found[1], labels)] = float(found[5])
    assert sorted(set(helped)) == sorted(helped)
    return Page(values)


def metrics(urls: Urls, code: int | None = None) -> Page:
    """The page; the servers of tests are not durable, so the probe's own code is 4."""
    return parsed(Command(urls.env)("doctor", "--metrics", code=code).out)


@pytest.mark.pg15
def test_an_empty_database(urls: Urls) -> None:
    """Everything is there with a zero, so that an alert has something to look at."""
    page = metrics(urls)
    assert page.of("workindex_up") == 1
    assert page.of("workindex_metrics_readable") == 1
    assert page.of("workindex_log_users") == 0
    assert page.of("workindex_check_ok", check="generations") == 1
    for one in PROJECTIONS:
        labels = {"projection_set": one, "generation": "1"}
        assert page.of("workindex_generation_info", **labels, fold_version="1", state="live") == 1
        assert page.of("workindex_projection_lag_positions", **labels) == 0
        assert page.of("workindex_parked_users", **labels) == 0
        assert page.of("workindex_catchup_due_entries", projection_set=one) == 0


@pytest.mark.pg15
def test_lag_is_told_in_positions_and_seconds(urls: Urls, database: Database) -> None:
    """Of two users one stands three behind since an hour; after a catch-up nobody does."""
    ann, bob = Engine(database), Engine(database, "bob")
    for number in range(3):
        ann.record(task(f"T-{number}"))
    WorkIndex(database).user("ann").catch_up()
    for number in range(3):
        bob.record(task(f"T-{number}"))
    do_as_owner(
        urls, "UPDATE event SET recorded_at = now() - interval '1 hour' WHERE user_id = 'bob'"
    )
    evidence = {"projection_set": "evidence", "generation": "1"}
    page = metrics(urls)
    assert page.of("workindex_log_users") == 2
    assert page.of("workindex_log_events") == 6
    assert page.of("workindex_projection_lag_users", **evidence) == 1
    assert page.of("workindex_projection_lag_positions", **evidence) == 3
    assert page.of("workindex_projection_lag_positions_all", **evidence) == 3
    assert 3_600 <= page.of("workindex_projection_lag_seconds", **evidence) < 3_900
    assert page.of("workindex_catchup_due_entries", projection_set="evidence") == 1
    assert (
        page.of("workindex_projection_lag_positions", projection_set="inline", generation="1") == 0
    )
    listed = {one["projection_set"]: one for one in list_generations(database)}
    assert (listed["evidence"]["behind"], listed["evidence"]["lag_positions"]) == (1, 3)
    assert 3_600 <= listed["evidence"]["lag_seconds"] < 3_900
    assert (listed["inline"]["lag_positions"], listed["inline"]["lag_seconds"]) == (0, 0)
    WorkIndex(database).catch_up()
    page = metrics(urls)
    assert page.of("workindex_projection_lag_positions", **evidence) == 0
    assert page.of("workindex_projection_lag_seconds", **evidence) == 0
    assert page.of("workindex_catchup_due_entries", projection_set="evidence") == 0


def test_parked_users_are_counted(urls: Urls, database: Database) -> None:
    """One a user, whatever stands still of him."""
    Engine(database).record(task("T-1"))
    do_as_owner(
        urls, 'UPDATE projection_progress SET parked = \'{"memory": {}, "work_index": {}}\''
    )
    page = metrics(urls)
    assert page.of("workindex_parked_users", projection_set="inline", generation="1") == 1


def test_a_server_that_does_not_answer(urls: Urls) -> None:
    """The page says so, and the exit code is that of the readiness probe."""
    away = urls._replace(app="postgresql://workindex_app@/workindex?host=/nowhere")
    page = metrics(away, code=4)
    assert page.of("workindex_up") == 0
    assert page.of("workindex_check_ok", check="server") == 0


def test_without_the_maintenance_login(urls: Urls) -> None:
    """What it alone may read is left out, and that is said."""
    command = Command({k: v for k, v in urls.env.items() if k != "WORKINDEX_MAINT_URL"})
    page = parsed(command("doctor", "--metrics", code=None).out)
    assert page.of("workindex_up") == 1
    assert page.of("workindex_metrics_readable") == 0
    assert not [name for name, _ in page.values if name.startswith("workindex_log")]
