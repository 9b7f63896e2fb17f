"""Generations in tests: many users at once, what is stored of each generation, and the register."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conftest import Urls
from engine import do_as_owner
from workindex.domain.facts import Actor
from workindex.projections.sets import INLINE, ProjectionSet

OPERATOR = Actor(kind="operator", id="the-operator")
Rows = dict[str, list[dict[str, Any]]]


def copy_user(urls: Urls, user_id: str, names: Iterable[str]) -> None:
    """Give others the log of a user, without any projection of it."""
    for name in names:
        for table in ("user_log", "event", "command_key"):
            columns = do_as_owner(
                urls,
                "SELECT string_agg(attname, ', ') FROM pg_attribute WHERE attnum > 1 "
                "AND NOT attisdropped AND attrelid = %s::text::regclass",
                table,
            )[0][0]
            do_as_owner(
                urls,
                f"INSERT INTO {table} (user_id, {columns}) "
                f"SELECT %s, {columns} FROM {table} WHERE user_id = %s",
                name,
                user_id,
            )


def stored(urls: Urls, generation: int, projection_set: ProjectionSet = INLINE) -> Rows:
    """Every row of a generation by table, in order, without what holds its number."""
    found: Rows = {}
    for name in projection_set.table_names:
        rows = do_as_owner(
            urls,
            f"SELECT to_jsonb(t) - 'generation' - 'words' FROM {name} t WHERE generation = %s "
            "ORDER BY user_id, to_jsonb(t)",
            generation,
        )
        found[name] = [row[0] for row in rows]
    found["progress"] = [
        row[0]
        for row in do_as_owner(
            urls,
            "SELECT to_jsonb(p) - 'generation' FROM projection_progress p "
            "WHERE projection_set = %s AND generation = %s ORDER BY user_id",
            projection_set.name,
            generation,
        )
    ]
    return found


def states(urls: Urls, set_name: str = "inline") -> dict[int, str]:
    """The register: the state of each generation."""
    rows = do_as_owner(
        urls,
        "SELECT generation, state FROM projection_generation WHERE projection_set = %s "
        "ORDER BY generation",
        set_name,
    )
    return dict(rows)


def noted(urls: Urls) -> list[tuple[str, str]]:
    """Command and outcome of every action of an operator, in order."""
    return do_as_owner(urls, "SELECT command, outcome FROM operator_action ORDER BY at, id")
