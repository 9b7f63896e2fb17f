"""A fold that gives other rows for the same events must raise the set's fold version."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from workindex.domain import ALL_FACTS
from workindex.domain.facts import Actor, Event, Fact
from workindex.eventlog.mapper import FactMapper
from workindex.projections.folding import Folding, split_ref
from workindex.projections.sets import INLINE, TABLE_OF_KIND

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
DIGESTS = GOLDEN / "folds" / "inline.json"
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ANN = Actor(kind="user", id="ann")

# A small world in which every sample can happen: (type, what differs from its sample).
WORLD: tuple[tuple[str, dict[str, Any]], ...] = (
    ("task_created", {"task_id": "T-1", "parent_id": None}),
    ("task_created", {"task_id": "T-2", "parent_id": None}),
    ("task_created", {"task_id": "T-3", "parent_id": None}),
    ("meeting_scheduled", {}),
    ("commitment_made", {}),
    ("approval_requested", {"approval_id": "A-0", "reopened": False}),
    ("approval_denied", {"approval_id": "A-0"}),
    ("approval_requested", {}),
    ("routine_defined", {}),
    ("trigger_observed", {}),
    ("proposal_made", {}),
    ("notification_sent", {}),
    ("reminder_set", {}),
    ("message_posted", {}),
    ("claim_recorded", {"claim_id": "CL-1", "supersedes": None}),
    ("artifact_stored", {}),
    ("connection_observed", {}),
    ("credits_observed", {}),
    ("source_observed", {}),
)


# What has to happen first so that a fact leaves a trace.
BEFORE: dict[str, tuple[str, ...]] = {
    "task_input_given": ("task_input_requested",),
    "task_input_withdrawn": ("task_input_requested",),
    "task_unblocked": ("task_blocked",),
    "task_reopened": ("task_completed",),
    "claim_withdrawn": ("claim_recorded",),
}


def sample(type_: str, **changed: Any) -> Fact:
    """The newest stored sample of a type, with some of its fields changed."""
    path = sorted((GOLDEN / "events").glob(f"{type_}.v*.json"))[-1]
    stored = json.loads(path.read_text(encoding="utf-8"))
    data = {**stored["data"], **changed}
    return FactMapper().decode(type_, stored["schema_version"], data)


def event(fact: Fact) -> Event:
    """The fact as the first event of its stream."""
    return Event(fact, 1, NOW, NOW, ANN)


def world_before(type_: str) -> Folding:
    """The small world up to the place where the fact of that type belongs."""
    folding = Folding()
    types = [begin for begin, _ in WORLD]
    ids_of_its_own = type_ in types and type_ != "approval_denied"
    end = len(types) - 1 - types[::-1].index(type_) if ids_of_its_own else len(types)
    facts = [sample(begin, **changed) for begin, changed in WORLD[:end]]
    facts += [sample(before) for before in BEFORE.get(type_, ())]
    for position, fact in enumerate(facts, start=1):
        folding.apply(event(fact), position)
    return folding


def rows_of(type_: str) -> list[dict[str, Any]]:
    """The rows that a sample makes of the entities that it touches."""
    folding = world_before(type_)
    fact = (
        sample(type_, task_id="T-4", parent_id=None) if type_ == "task_created" else sample(type_)
    )
    folding.apply(event(fact), 100)
    rows = []
    for ref in fact.touches:
        kept = folding.after[ref]
        rows.append({"ref": ref, "row": None if kept is None else _document(ref, kept.row)})
    return rows


def _document(ref: str, row: Any) -> dict[str, Any]:
    table = TABLE_OF_KIND[split_ref(ref)[0]]
    document = table.dump(row)
    if table.due_at is not None:
        document["wake_at"] = table.due_at(row)
    return document


TYPES = [fact.model_fields["type"].default for fact in ALL_FACTS]


def digests() -> dict[str, str]:
    """sha256 over the rows of every sample, by its type in the order of the register.

    A new fact adds a digest and changes none, so that the rows of older logs are seen to stay.
    """
    return {
        type_: hashlib.sha256(orjson.dumps(rows_of(type_), option=orjson.OPT_SORT_KEYS)).hexdigest()
        for type_ in TYPES
    }


# user_erased has no effect on rows: erasing removes them, and its command is refused until then.
@pytest.mark.parametrize("type_", [type_ for type_ in TYPES if type_ != "user_erased"])
def test_every_fact_folds_into_some_row(type_: str) -> None:
    """A registered fact whose sample leaves no trace in any row is folded by nobody."""
    fact = sample(type_)
    before = world_before(type_)
    after = {row["ref"]: row["row"] for row in rows_of(type_)}
    was = {
        ref: None if kept is None else _document(ref, kept.row)
        for ref in after
        for kept in [before.after.get(ref)]
    }
    assert after != was, fact


def test_a_changed_fold_has_a_higher_version() -> None:
    """The digests of the golden rows stand beside the fold version that they belong to.

    What a version folds once it folds for ever; a fact that it did not know yet is added to it.
    """
    stored = json.loads(DIGESTS.read_text(encoding="utf-8"))
    assert stored[-1]["fold_version"] == INLINE.fold_version
    known, current = stored[-1]["sha256"], digests()
    changed = {type_ for type_, sha256 in known.items() if current.get(type_) != sha256}
    assert changed == set(), (
        "the folds give other rows than the stored digests say: raise the fold version of the "
        f"set, and append its digests to {DIGESTS.name}: {json.dumps(current)}"
    )
    new = {type_: sha256 for type_, sha256 in current.items() if type_ not in known}
    assert new == {}, f"new facts: add to {DIGESTS.name} {json.dumps(new)}"
    versions = [entry["fold_version"] for entry in stored]
    assert versions == sorted(set(versions))
