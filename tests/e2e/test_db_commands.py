"""Does `workindex db` do what its help says, on a server of its own?"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from workindex.cli.db import db
from workindex.cli.output import USAGE, Cli
from workindex.eventlog.embedded import EmbeddedServer


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The home of the embedded server of this test."""
    folder = Path(tempfile.mkdtemp(prefix="wi-", dir="/tmp"))
    folder.chmod(0o755)
    for name in [name for name in os.environ if name.startswith("WORKINDEX_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WORKINDEX_HOME", str(folder / "h"))
    yield folder / "h"
    EmbeddedServer(folder / "h").stop()
    shutil.rmtree(folder)


def run(*words: str, database_url: str | None = None) -> Result:
    return CliRunner().invoke(db, words, obj=Cli(database_url))


def document(*words: str) -> dict[str, Any]:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["format"] == 1
    return found


def test_the_life_of_the_embedded_server(home: Path) -> None:
    """Absent, made with roles and schema, stopped, started again: nothing is lost on the way."""
    assert document("status")["state"] == "absent"
    made = document("init")
    assert made == document("init"), "to repeat it changes nothing"
    assert run("url").stdout.strip() == made["url"]
    with psycopg.connect(made["url"]) as connection:
        assert connection.info.user == "workindex_app"
        assert connection.execute("SELECT count(*) FROM event").fetchone() == (0,)
    assert document("stop")["state"] == "stopped"
    assert document("stop")["state"] == "stopped"
    started = document("start")
    assert (started["state"], started["data_dir"]) == ("running", str(home / "data"))
    assert document("upgrade")["schema"] == made["schema"]
    assert "running" in run("status").stdout


def test_a_server_of_ones_own_is_set_up_by_the_owner(home: Path) -> None:
    """With --owner-url the roles, the database and the schema are made there, with a password."""
    server = EmbeddedServer(home)
    server.ensure_running()
    owner = server.url("owner", "other")
    made = document("init", "--owner-url", owner, "--app-password", "not a real one")
    assert made["url"] == server.url("app", "other")
    with psycopg.connect(made["url"]) as connection:
        assert connection.execute("SELECT count(*) FROM event").fetchone() == (0,)
    assert document("upgrade", "--owner-url", owner)["schema"] == made["schema"]
    told = run("init", "--owner-url", owner)
    assert "export WORKINDEX_DATABASE_URL=" in told.stdout
    assert "No password was set" in told.stderr


def test_a_given_database_is_not_set_up_without_its_owner() -> None:
    """The application's login may not create anything: a wrong call, before anything happens."""
    for words in (["init"], ["upgrade"], ["url", "--role", "maint"], ["url", "--role", "owner"]):
        result = run(*words, database_url="postgresql://workindex_app@db.example/workindex")
        assert result.exit_code == USAGE, words
        assert "WORKINDEX_" in result.output
    given = run("url", database_url="postgresql://workindex_app@db.example/workindex")
    assert given.stdout.strip() == "postgresql://workindex_app@db.example/workindex"
