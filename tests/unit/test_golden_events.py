"""Stored samples of every fact: what was once written stays readable, field by field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workindex.domain import ALL_FACTS
from workindex.domain.facts import Fact
from workindex.domain.tasks import TaskPhaseEntered
from workindex.eventlog.mapper import MODELS, UPCASTERS, FactMapper, fact_data

# What the sample of a retired version says in the newest one's words.
UPCAST = {("task_phase_entered", 1): TaskPhaseEntered(task_id="T-1", phase="waiting for the photo")}

SAMPLES = Path(__file__).parents[1] / "golden" / "events"


def sample_name(type_: str, version: int) -> str:
    return f"{type_}.v{version}.json"


def own_name(fact: type[Fact]) -> str:
    fields = fact.model_fields
    return sample_name(fields["type"].default, fields["schema_version"].default)


def stored(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((SAMPLES / name).read_text())
    return document


@pytest.mark.parametrize("fact", ALL_FACTS, ids=lambda fact: fact.__name__)
def test_a_fact_reads_its_sample_and_writes_it_back(fact: type[Fact]) -> None:
    """A sample of today's version decodes to its model, loses nothing and gains nothing."""
    sample = stored(own_name(fact))
    decoded = FactMapper().decode(
        sample["type"], sample["schema_version"], json.dumps(sample["data"]).encode()
    )
    assert type(decoded) is fact
    assert fact_data(decoded) == sample["data"]
    assert decoded.touches[0] == decoded.stream or decoded.stream == "user"


@pytest.mark.parametrize("fact", ALL_FACTS, ids=lambda fact: fact.__name__)
def test_a_sample_shows_every_field(fact: type[Fact]) -> None:
    """A field that the sample leaves out could change its meaning without a test noticing.

    Facts that name only what changed leave the rest out: their samples show what was emptied.
    """
    missing = set(fact.model_fields) - set(stored(own_name(fact))["data"])
    assert missing <= {"type", "schema_version"} or "cleared" in fact.model_fields


def test_every_sample_belongs_to_a_fact_or_can_be_upcast() -> None:
    """Samples of retired versions stay and decode through their upcasters."""
    names = {path.name for path in SAMPLES.iterdir()}
    for name in sorted(names - {own_name(fact) for fact in ALL_FACTS}):
        sample = stored(name)
        assert name == sample_name(sample["type"], sample["schema_version"])
        FactMapper().decode(
            sample["type"], sample["schema_version"], json.dumps(sample["data"]).encode()
        )


def test_every_version_that_was_ever_written_has_a_sample() -> None:
    """From version 1 on a type has a sample of each version, and a way up to the newest one."""
    newest = dict(sorted(MODELS))
    assert len(newest) == len(MODELS)
    wanted = {(type_, version) for type_ in newest for version in range(1, newest[type_] + 1)}
    assert {path.name for path in SAMPLES.iterdir()} == {sample_name(*one) for one in wanted}
    assert set(UPCASTERS) == wanted - set(MODELS)


def test_an_older_sample_means_what_it_meant() -> None:
    """An upcaster adds nothing that was not said: the fact is written down here by hand."""
    assert set(UPCAST) == set(UPCASTERS)
    for (type_, version), fact in UPCAST.items():
        sample = stored(sample_name(type_, version))
        read = FactMapper().decode(type_, version, json.dumps(sample["data"]).encode())
        assert read == fact
        assert fact_data(read) == fact_data(fact)
