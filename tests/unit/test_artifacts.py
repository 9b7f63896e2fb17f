"""Artifacts: known by their hash, and forgotten for good."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from driver import NOW, Driver, at
from workindex.domain.artifacts import ARTIFACTS, ForgetArtifact, StoreArtifact
from workindex.domain.errors import CommandRefused, NotPermitted
from workindex.domain.facts import EVERY_ACTOR, ActorKind, Command
from workindex.projections import artifacts

STORE = StoreArtifact(
    artifact_id="F-1",
    title="Invoice",
    media_type="application/pdf",
    sha256="ab" * 32,
    size_bytes=10,
    summary="100 USD",
    task_id="T-1",
)
FORGET = ForgetArtifact(artifact_id="F-1", reason="asked")


def new_driver(*commands: Command) -> Driver:
    return Driver((ARTIFACTS,), artifacts.TABLES).given(*commands)


def test_stored_and_forgotten() -> None:
    """A forgotten artifact keeps its place and its title, and loses its summary."""
    driver = new_driver(STORE)
    assert driver.row("artifact/F-1") == artifacts.ArtifactRow(
        artifact_id="F-1",
        title="Invoice",
        media_type="application/pdf",
        status="stored",
        sha256="ab" * 32,
        size_bytes=10,
        parts=1,
        summary="100 USD",
        sensitivity="normal",
        task_id="T-1",
        meeting_id=None,
        source=None,
        stored_at=NOW,
        forgotten_at=None,
    )
    driver.do(FORGET, now=at("10:00"))
    row = driver.row("artifact/F-1")
    assert (row.status, row.title, row.summary, row.forgotten_at) == (
        "forgotten",
        "Invoice",
        None,
        at("10:00"),
    )
    assert driver.do(FORGET) == []


@pytest.mark.parametrize(
    ("before", "command", "code"),
    [
        ((STORE,), STORE, "artifact_exists"),
        ((STORE, FORGET), STORE, "artifact_exists"),
        ((), FORGET, "unknown_artifact"),
    ],
)
def test_refusals(before: tuple[Command, ...], command: Command, code: str) -> None:
    """What the state forbids is refused; what was forgotten is not brought back."""
    assert new_driver(*before).refusal(command) == code


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sha256", "AB" * 32),
        ("sha256", "ab"),
        ("media_type", "pdf"),
        ("media_type", "text/html;"),
        ("media_type", "text/html; charset=utf-8\n"),
        ("size_bytes", -1),
        ("size_bytes", 2**53),
        ("parts", 0),
        ("title", ""),
    ],
)
def test_the_shape_of_an_artifact(field: str, value: Any) -> None:
    """A wrong hash, type or size is refused before anything is looked up."""
    with pytest.raises(ValidationError, match=field):
        StoreArtifact.model_validate({**STORE.model_dump(), field: value})


def test_a_media_type_may_have_parameters() -> None:
    """The charset of a text belongs to its type."""
    values = STORE.model_dump() | {"media_type": "text/html; charset=utf-8"}
    assert StoreArtifact.model_validate(values).media_type == "text/html; charset=utf-8"


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
def test_each_actor_times_each_command(kind: ActorKind) -> None:
    """Everybody stores; only people and operators make something be forgotten."""
    driver = new_driver()
    assert driver.do(STORE, by=kind)
    if kind in {"user", "approver", "operator"}:
        assert driver.do(FORGET, by=kind)
    else:
        with pytest.raises(NotPermitted):
            driver.do(FORGET, by=kind)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from((STORE, FORGET, StoreArtifact(**STORE.model_dump() | {
    "artifact_id": "F-2"}))), max_size=8))  # fmt: skip
def test_state_and_row_agree(walk: list[Command]) -> None:
    """Whatever happens, the fold accepts it and agrees with evolve (the driver checks it)."""
    driver = new_driver()
    for command in walk:
        try:
            driver.do(command)
        except CommandRefused:
            continue
