"""Is docker-compose.yml what it promises? Read only: no container engine runs here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    services = compose["services"]
    assert isinstance(services, dict)
    assert set(services) == {"postgres", "migrate", "worker"}
    assert set(compose["volumes"]) == {"postgres"}
    return services


def test_the_server_has_pgvector_and_says_when_it_is_ready(services: dict[str, Any]) -> None:
    """Its data outlives the container, its port is open to this machine only."""
    server = services["postgres"]
    assert re.fullmatch(r"pgvector/pgvector:pg1[5-9]", server["image"])
    assert server["healthcheck"]["test"][:2] == ["CMD", "pg_isready"]
    assert "--host=127.0.0.1" in server["healthcheck"]["test"]
    assert server["volumes"] == ["postgres:/var/lib/postgresql"]
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])


def test_the_migration_waits_runs_once_and_alone_holds_the_owner_url(
    services: dict[str, Any],
) -> None:
    """Roles first, then the schema; a failure of the first stops the second (-e)."""
    migrate = services["migrate"]
    assert migrate["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert migrate["restart"] == "no"
    assert migrate["entrypoint"] == ["/bin/sh", "-euc"]
    lines = migrate["command"][0].splitlines()
    assert [line.split()[:3] for line in lines] == [
        ["workindex", "db", "init"],
        ["workindex", "db", "upgrade"],
    ]
    assert "WORKINDEX_OWNER_URL" in migrate["environment"]
    assert "//workindex_app:" in migrate["environment"]["WORKINDEX_DATABASE_URL"]
    assert "WORKINDEX_OWNER_URL" not in services["postgres"]["environment"]


def test_the_migration_sets_the_passwords_that_the_others_log_in_with(
    services: dict[str, Any],
) -> None:
    """`db init` takes them from its environment, by the names that the URLs are made of."""
    environment = services["migrate"]["environment"]
    for role, name in (("app", "WORKINDEX_APP_PASSWORD"), ("maint", "WORKINDEX_MAINT_PASSWORD")):
        assert environment[name].startswith(f"${{{name}:?")
        assert any(
            f"//workindex_{role}:${{{name}:?" in value
            for value in services["worker"]["environment"].values()
        )


def test_the_worker_follows_the_migration_and_ends_in_order(services: dict[str, Any]) -> None:
    """It never sees the owner's login, is started again, and has time to end its step."""
    worker = services["worker"]
    assert worker["command"] == ["worker"]
    assert worker["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert worker["restart"] == "unless-stopped"
    assert set(worker["environment"]) == {"WORKINDEX_DATABASE_URL", "WORKINDEX_MAINT_URL"}
    assert worker["stop_signal"] == "SIGTERM"
    assert worker["healthcheck"]["test"] == ["CMD", "workindex", "doctor"]


def test_no_password_stands_in_the_files(services: dict[str, Any]) -> None:
    """Each comes from the environment, and a missing one stops compose with a sentence."""
    for service in services.values():
        for name, value in service["environment"].items():
            if "PASSWORD" in name or "URL" in name:
                assert re.search(r"\$\{\w+PASSWORD:\?", value), name


def test_the_image_is_built_from_the_lock(services: dict[str, Any]) -> None:
    """With hashes, and not as root."""
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert services["migrate"]["build"] == "."
    assert "--require-hashes -r requirements.lock" in dockerfile
    assert "--no-deps --no-build-isolation ." in dockerfile
    assert re.search(r"^USER (?!root)", dockerfile, re.MULTILINE)
