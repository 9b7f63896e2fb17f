"""Which schema does a database have, and does it fit this program?

Kept apart from the migrations themselves, so that opening a database loads no migration library.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

import psycopg

from workindex.domain.errors import NotReady
from workindex.eventlog.database import Connection

# Its own name, so that a backend may run migrations of its own in the same database.
VERSION_TABLE: Final = "workindex_revision"


def migrations() -> Path:
    """The folder of the migrations."""
    return Path(str(files("workindex") / "alembic"))


def head_revision() -> str:
    """The revision that this program was written for: the number of its last migration."""
    return max(path.name.partition("_")[0] for path in (migrations() / "versions").glob("*.py"))


def check_revision(conn: Connection) -> None:
    """Refuse a database whose schema is not the one of this program.

    Raises: NotReady naming both revisions and the command that helps.
    """
    wanted = head_revision()
    try:
        row = conn.execute(f"SELECT version_num FROM {VERSION_TABLE}".encode()).fetchone()
    except psycopg.errors.UndefinedTable:
        row = None
    except psycopg.errors.InsufficientPrivilege as error:
        raise NotReady(
            f"{conn.info.user} may not read {VERSION_TABLE}, so its rights are not those that a "
            "migration grants (a restore that ended half-way?): restore again, docs/operations.md"
        ) from error
    found = row[0] if row else None
    if found == wanted:
        return
    if found is not None and found > wanted:
        raise NotReady(
            f"the database has schema {found}, this program knows {wanted}: run a newer workindex"
        )
    raise NotReady(
        f"the database has schema {found or 'none'}, this program needs {wanted}: "
        "run workindex db upgrade"
    )
