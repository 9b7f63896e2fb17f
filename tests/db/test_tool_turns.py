"""Has an assembled turn the tools that it needs, and is what it lacks told?"""

from __future__ import annotations

import pytest

from engine import Engine
from sessions import COUNT, REGISTRY, Backend, say
from workindex import WorkIndex
from workindex.assembler.tools import (
    Tool,
    ToolAccess,
    ToolCatalogue,
    ToolRegistry,
    ToolsUnavailable,
    tool_group,
)
from workindex.domain.checkpoint_body import CheckpointBody
from workindex.domain.conversations import RecordCheckpoint, RedactMessage
from workindex.eventlog.database import Database
from workindex.service.client import UserScope

THREAD = {"text": "go on", "thread_id": "TH-1"}


@pytest.fixture
def ann(database: Database) -> Engine:
    return Engine(database)


@pytest.fixture
def scope(database: Database) -> UserScope:
    return WorkIndex(database).user("ann")


def keep(engine: Engine, *groups: str) -> None:
    """A thread whose last checkpoint had these groups active."""
    say(engine, "M-1", "hello")
    body = CheckpointBody(active_tool_groups=groups)
    engine.record(RecordCheckpoint(thread_id="TH-1", checkpoint_id="K-1", body=body))


def test_groups_of_the_checkpoint_are_active_again(
    ann: Engine, scope: UserScope, database: Database
) -> None:
    """Case E14: and their tools may be called in the turn, others may not."""
    keep(ann, "mail")
    envelope = scope.assemble(THREAD, tools=ToolAccess(ToolCatalogue(REGISTRY)))
    assert envelope.active_tool_groups == ("mail",)
    backend = Backend(database)
    session = backend.session(loaded=envelope.active_tool_groups)
    session.call_tool("mail.send", {"to": ["bob"], "text": "hello"})
    assert len(backend.calls) == 1


def test_a_registry_that_is_away_degrades_the_turn(ann: Engine, scope: UserScope) -> None:
    """Case A8: the manifest names the missing group, and no group is active."""
    keep(ann, "mail")

    def gone() -> ToolRegistry:
        raise ToolsUnavailable(["calendar"], "connection refused")

    envelope = scope.assemble(THREAD, tools=ToolAccess(ToolCatalogue(gone)))
    assert envelope.active_tool_groups == ()
    assert envelope.manifest.active_tool_groups == ()
    told = "\n".join(envelope.manifest.degraded)
    assert "group calendar is not available" in told
    assert "group mail is not available" in told
    assert envelope.budget.by_lane["tools"] == 0
    assert "tools:index" in [one.source_id for one in envelope.omissions]


def test_a_hidden_group_leaves_no_trace_in_an_envelope(ann: Engine, scope: UserScope) -> None:
    """Text, checkpoint and index: the envelope is the one of a registry without it."""
    keep(ann, "lab")
    request = {"text": "launch a probe with lab.launch", "thread_id": "TH-1"}
    without = ToolRegistry([REGISTRY.groups["mail"]], REGISTRY.observed_at)
    envelopes = [
        scope.assemble(request, tools=access)
        for access in (
            ToolAccess(ToolCatalogue(REGISTRY), lambda name: name != "lab"),
            ToolAccess(ToolCatalogue(without)),
        )
    ]
    tools = [
        [one for one in envelope.manifest.candidates if one.lane == "tools"]
        for envelope in envelopes
    ]
    assert tools[0] == tools[1]
    assert envelopes[0].manifest.degraded == envelopes[1].manifest.degraded
    assert envelopes[0].budget.by_lane["tools"] == envelopes[1].budget.by_lane["tools"]


def test_what_was_said_before_tells_which_tools_are_meant(ann: Engine, scope: UserScope) -> None:
    """A short answer needs the group of the question before it; a redacted message says nothing."""
    say(ann, "M-1", "please send a letter to Bob")
    access = ToolAccess(ToolCatalogue(REGISTRY))
    request = {"text": "with kind regards", "thread_id": "TH-1"}
    assert scope.assemble(request, tools=access).active_tool_groups == ("mail",)
    ann.record(RedactMessage(message_id="M-1", reason="asked"))
    assert scope.assemble(request, tools=access).active_tool_groups == ()


@pytest.mark.parametrize(
    ("policy", "most"), [("assistant", 4_000), ("strict", 150 + 500 + 3 * 120)]
)
def test_two_thousand_tools_stay_within_the_lane(
    ann: Engine, scope: UserScope, policy: str, most: int
) -> None:
    """Case F14: index, schemas and three candidates together; what is left out is named."""
    keep(ann, "server-0001")
    registry = ToolRegistry(
        (
            tool_group(
                "s",
                f"server-{at:04}",
                [Tool("", f"send_{n}", "Sends", {"type": "object"}) for n in range(10)],
            )
            for at in range(200)
        ),
        REGISTRY.observed_at,
    )
    envelope = scope.assemble(
        {"text": "send it with server-0007", "thread_id": "TH-1"},
        policy=policy,
        tools=ToolAccess(ToolCatalogue(registry)),
    )
    assert envelope.budget.counter == COUNT.name
    assert envelope.budget.by_lane["tools"] <= most
    assert "server-0007" in envelope.active_tool_groups
    left = [one for one in envelope.omissions if one.lane == "tools"]
    assert left
    assert all(one.recover_with is not None for one in left)
    seen = [one.source_id for one in envelope.manifest.candidates if one.lane == "tools"]
    assert len(seen) == len(set(seen))
