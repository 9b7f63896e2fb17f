"""What the operations page shows is what happens, on a server where nobody is a superuser."""

from __future__ import annotations

import configparser
import os
import re
import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from bouncer import bouncer
from conftest import Cluster, Urls
from engine import do_as_owner
from private import bare_server, private_server, urls_of
from shown import FENCE, run_blocks
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.migrate import bootstrap

pytestmark = pytest.mark.pages

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
POOLER = "## A pooler in front"
LOGINS = ("dba", "deploy", "workindex_app", "workindex_maint")


def chapters() -> dict[str, str]:
    """The chapters of the page by their headings, the beginning by an empty one."""
    parts = re.split(r"^(## .*)\n", PAGE, flags=re.MULTILINE)
    return {"": parts[0]} | dict(zip(parts[1::2], parts[2::2], strict=True))


def let_in(server: EmbeddedServer) -> None:
    """Lets the logins of the page in over the socket, and makes the one that may create roles."""
    with psycopg.connect(server.url("owner", "postgres"), autocommit=True) as conn:
        row = conn.execute("SHOW hba_file").fetchone()
        assert row is not None
        path = Path(row[0])
        path.write_text(f"local all {','.join(LOGINS)} trust\n" + path.read_text())
        conn.execute("SELECT pg_reload_conf()")
        conn.execute("CREATE ROLE dba LOGIN CREATEROLE CREATEDB")


def url(server: EmbeddedServer, role: str, database: str = "workindex") -> str:
    """The URL of a login of the page."""
    return server.url("app", database).replace("workindex_app@", f"{role}@")


def environment(server: EmbeddedServer, folder: Path) -> dict[str, str]:
    """The commands of this program and of this server, and a user's name."""
    bin_dir = server.status().bin_dir
    path = f"{sysconfig.get_path('scripts')}:{bin_dir}:{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKINDEX")}
    return {
        **kept,
        "PATH": path,
        "COLUMNS": "80",
        "USER": "ops",
        "LOGNAME": "ops",
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "WORKINDEX_DATABASE_URL": url(server, "workindex_app"),
        "WORKINDEX_MAINT_URL": url(server, "workindex_maint"),
        "WORKINDEX_OWNER_URL": url(server, "deploy"),
        "DBA_URL": url(server, "dba", "postgres"),
    }


@pytest.fixture
def servers(cluster: Cluster) -> Iterator[tuple[EmbeddedServer, EmbeddedServer]]:
    """The server of the page and the one that its dump is restored into, both without roles."""
    with ExitStack() as stack:
        made = [stack.enter_context(bare_server(cluster)) for _ in range(2)]
        for server in made:
            let_in(server)
        yield made[0], made[1]


def test_the_page_shows_what_happens(
    servers: tuple[EmbeddedServer, EmbeddedServer], tmp_path: Path
) -> None:
    """Every command of every chapter but the pooler's runs in order and prints what is shown."""
    server, new = servers
    env = environment(server, tmp_path) | {
        "NEW_DBA_URL": url(new, "dba", "postgres"),
        "NEW_OWNER_URL": url(new, "deploy"),
        "NEW_DATABASE_URL": url(new, "workindex_app"),
        "NEW_MAINT_URL": url(new, "workindex_maint"),
    }
    ran = 0
    for heading, text in chapters().items():
        if heading == POOLER:
            continue
        ran += run_blocks(text, env, tmp_path, must_succeed=True)
        if heading.startswith("## The roles"):
            _nothing_is_missing(server)
    assert ran >= 30, "the page shows hardly anything that runs"
    metrics = (tmp_path / "workindex.prom").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(workindex_\w+)`", PAGE, flags=re.MULTILINE))
    assert len(named) >= 7
    assert named <= set(re.findall(r"^# TYPE (\w+) gauge$", metrics, flags=re.MULTILINE))


def _nothing_is_missing(server: EmbeddedServer) -> None:
    """`db init` finds every role, membership, setting and right that it would make."""
    urls = Urls(server.url("app"), server.url("maint"), server.url("owner"))
    before = _granted(urls)
    bootstrap(url(server, "dba"))
    assert _granted(urls) == before


def _granted(urls: Urls) -> list[tuple[object, ...]]:
    roles = do_as_owner(
        urls,
        "SELECT rolname, rolcanlogin, rolsuper, rolbypassrls, rolconfig::text FROM pg_roles "
        "WHERE rolname ~ '^workindex' ORDER BY 1",
    )
    members = do_as_owner(
        urls,
        "SELECT roleid::regrole::text, member::regrole::text, inherit_option, set_option "
        "FROM pg_auth_members WHERE roleid::regrole::text ~ '^workindex' ORDER BY 1, 2, 3, 4",
    )
    rights = do_as_owner(
        urls,
        "SELECT rolname, p, has_schema_privilege(rolname, 'public', p), q, "
        "has_database_privilege(rolname, 'workindex', q) FROM pg_roles, "
        "unnest(ARRAY['CREATE', 'USAGE', 'CREATE WITH GRANT OPTION']) AS p, "
        "unnest(ARRAY['CONNECT', 'CREATE', 'TEMPORARY']) AS q "
        "WHERE rolname ~ '^(workindex|deploy|dba)' ORDER BY 1, 2, 4",
    )
    return [*roles, *members, *rights]


def test_the_pooler_chapter(cluster: Cluster, tmp_path: Path) -> None:
    """pgbouncer with the settings of the page does; skipped where it is not installed."""
    text = chapters()[POOLER]
    (block,) = [fence["body"] for fence in FENCE.finditer(text) if fence["language"] == "ini"]
    shown = configparser.ConfigParser()
    shown.read_string(block)
    settings = {n: v for n, v in shown["pgbouncer"].items() if not n.startswith("auth_")}
    assert settings["pool_mode"] == "transaction"
    with private_server(cluster) as server, bouncer(urls_of(server), **settings) as running:
        pooled = running.through(urls_of(server))
        env = environment(server, tmp_path)
        env |= {"POOLED_URL": pooled.app, "POOLED_MAINT_URL": pooled.maint}
        assert run_blocks(text, env, tmp_path, must_succeed=True) == 1


def test_every_command_of_the_page_is_run() -> None:
    """No command stands in a block that is not run: there are console blocks and one ini."""
    assert {fence["language"] for fence in FENCE.finditer(PAGE)} == {"console", "ini"}
