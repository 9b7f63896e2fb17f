"""What a monitoring system reads: one page in the Prometheus text format.

Format: https://prometheus.io/docs/instrumenting/exposition_formats (text-based, version 0.0.4).
The page is there in every case: of a server that does not answer it says `workindex_up 0`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from workindex.domain.errors import WorkindexError
from workindex.eventlog.database import Database
from workindex.projections.generations import list_generations
from workindex.projections.lag import due_of, lag_of
from workindex.service.doctor import Check, examine

Labels = Mapping[str, object]


class Sample(NamedTuple):
    """One value with its labels."""

    value: float
    labels: Labels


class Metric(NamedTuple):
    """One family of samples; all are gauges."""

    name: str
    help: str
    samples: list[Sample]


def metrics_page(database: Database | None, checks: Iterable[Check]) -> str:
    """The page for a database (None: it cannot be used) and the checks of its readiness."""
    checks = list(checks)
    up = database is not None and any(check.name == "server" and check.ok for check in checks)
    families = [
        Metric("workindex_up", "Whether the database answers.", [Sample(float(up), {})]),
        Metric(
            "workindex_check_ok",
            "Whether one check of workindex doctor holds.",
            [Sample(float(check.ok), {"check": check.name}) for check in checks],
        ),
    ]
    if database is not None and up:
        try:
            families += _of(database)
        except WorkindexError:  # told by the value itself: nothing of the database is on the page
            families.append(_readable(0.0))
        else:
            families.append(_readable(1.0))
    return "".join(line for family in families for line in _lines(family))


def page_of(database: Database | None, url: str | None) -> tuple[str, bool]:
    """The page, and whether every check of the readiness holds."""
    checks = examine(url)
    return metrics_page(database, checks), all(check.ok for check in checks)


def _readable(value: float) -> Metric:
    return Metric(
        "workindex_metrics_readable",
        "Whether the maintenance login could read the numbers of the database.",
        [Sample(value, {})],
    )


def _of(database: Database) -> Iterator[Metric]:
    generations = list_generations(database)
    with database.maintenance() as conn:
        lags, due = lag_of(conn), due_of(conn)
        row = conn.execute(
            "SELECT count(*), coalesce(sum(head), 0)::bigint FROM user_log"
        ).fetchone()
    assert row is not None
    yield Metric("workindex_log_users", "Users that have a log.", [Sample(row[0], {})])
    yield Metric("workindex_log_events", "Events in all logs.", [Sample(row[1], {})])
    yield Metric(
        "workindex_generation_info",
        "1 for every registered generation.",
        [Sample(1, {**_named(one), "fold_version": one["fold_version"], "state": one["state"]})
         for one in generations],
    )  # fmt: skip
    yield Metric(
        "workindex_parked_users",
        "Users of whom a member of the generation stands still.",
        [Sample(one["parked"], _named(one)) for one in generations],
    )
    for name, field, told in (
        ("lag_users", "users", "Users of whom the generation stands behind the log."),
        ("lag_positions", "positions_max", "Events not applied yet, of the user furthest behind."),
        ("lag_positions_all", "positions", "Events not applied yet, of all users."),
        ("lag_seconds", "seconds", "Age of the oldest event that is not applied yet."),
    ):
        samples = [Sample(getattr(one, field), _named(one._asdict())) for one in lags]
        yield Metric(f"workindex_projection_{name}", told, samples)
    for name, field, told in (
        ("entries", "entries", "Generations of users that are due to be caught up."),
        ("oldest_seconds", "oldest_seconds", "How long the oldest of them has been due."),
        ("attempts_max", "attempts_max", "The most attempts at one of them that ended in nothing."),
    ):
        found = {one.projection_set: getattr(one, field) for one in due}
        sets = sorted({one["projection_set"] for one in generations} | found.keys())
        samples = [Sample(found.get(one, 0), {"projection_set": one}) for one in sets]
        yield Metric(f"workindex_catchup_due_{name}", told, samples)


def _named(one: Mapping[str, Any]) -> Labels:
    return {"projection_set": one["projection_set"], "generation": one["generation"]}


def _lines(family: Metric) -> Iterator[str]:
    yield f"# HELP {family.name} {family.help}\n"
    yield f"# TYPE {family.name} gauge\n"
    for value, labels in family.samples:
        named = ",".join(f'{name}="{_escaped(str(label))}"' for name, label in labels.items())
        shown = int(value) if float(value).is_integer() else round(float(value), 6)
        yield f"{family.name}{f'{{{named}}}' if named else ''} {shown}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
