"""What holds of every working set, whatever the world, the request and the policy?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import Cluster
from turns import AGENT, ME, NOW, item
from workindex import UserScope, WorkIndex
from workindex.assembler.admission import SURFACES
from workindex.assembler.envelope import ContextEnvelope, ContextItem
from workindex.assembler.lanes import ContextBudgetExceeded
from workindex.assembler.rendering import parsed, working_set_text
from workindex.assembler.tokens import counter
from workindex.assembler.tools import Tool, ToolAccess, ToolCatalogue, ToolRegistry, tool_group
from workindex.domain.facts import Sensitivity
from workindex.eventlog.database import Database
from workindex.projections.planning import Entry
from workindex.service.parsing import parse_command

COUNT = counter("o200k_base")
NUMBERS = st.integers(0, 3)
WORDS = st.sampled_from(("venue", "band", "contract", "cake", "T-1", "M-2", "ME-1"))
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
LONG = st.tuples(TEXTS, st.sampled_from((1, 1, 1, 60, 600))).map(lambda pair: pair[0] * pair[1])
LEVELS = st.sampled_from(("normal", "normal", "private", "restricted"))
BODY = {"sha256": "0" * 64, "size_bytes": 3, "parts": 1, "media_type": "text/plain"}
MAIL = tool_group("s", "mail", [Tool("", "send", "Books a band", {"type": "object"})])
TOOLS = ToolAccess(ToolCatalogue(ToolRegistry([MAIL], NOW)))
FEW = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
Json = dict[str, Any]


def _command(type_: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({"type": st.just(type_), **fields})


def _id(letters: str) -> st.SearchStrategy[str]:
    return NUMBERS.map(lambda number: f"{letters}-{number}")


# Any commands in any order: those that the state forbids are left out.
COMMANDS = st.one_of(
    _command("create_task", task_id=_id("T"), title=TEXTS, description=LONG),
    _command("request_task_input", task_id=_id("T"), request_id=_id("Q"), prompt=TEXTS),
    _command("complete_task", task_id=_id("T"), outcome=TEXTS),
    _command(
        "schedule_meeting",
        meeting_id=_id("ME"),
        title=TEXTS,
        start_at=st.just("2026-03-05T12:00:00Z"),
    ),
    _command(
        "make_commitment",
        meeting_id=_id("ME"),
        commitment_id=_id("CO"),
        text=TEXTS,
    ),
    _command(
        "post_message",
        message_id=st.integers(0, 20).map(lambda number: f"M-{number}"),
        thread_id=st.sampled_from(("main", "main", "other")),
        role=st.sampled_from(("user", "agent")),
        text=LONG,
        sensitivity=LEVELS,
    ),
    _command("redact_message", message_id=_id("M")),
    _command(
        "record_claim",
        claim_id=st.integers(0, 9).map(lambda number: f"C-{number}"),
        subject=st.sampled_from(("task/T-1", "T-1", "band")),
        attribute=st.sampled_from(("status", "title", "city")),
        value=TEXTS,
        sensitivity=LEVELS,
    ),
    _command("withdraw_claim", claim_id=_id("C")),
    _command(
        "store_artifact",
        artifact_id=_id("F"),
        title=TEXTS,
        task_id=_id("T"),
        sensitivity=LEVELS,
        **{name: st.just(value) for name, value in BODY.items()},
    ),
    _command(
        "request_approval",
        approval_id=_id("A"),
        title=TEXTS,
        tool=st.just("pay"),
        arguments=st.fixed_dictionaries({"note": LONG}),
        target=st.just("bank"),
        account=st.just("mine"),
        expires_at=st.just("2026-03-05T12:00:00Z"),
        tool_schema_sha256=st.just("0" * 64),
    ),
    _command(
        "record_summary",
        thread_id=st.just("main"),
        summary_id=_id("S"),
        sentences=st.lists(
            st.fixed_dictionaries({"text": TEXTS, "message_ids": st.just(["M-1"])}),
            min_size=1,
            max_size=3,
        ),
    ),
)
REQUESTS = st.fixed_dictionaries(
    {
        "text": LONG,
        "surface": st.sampled_from(sorted(SURFACES)),
        "thread_id": st.sampled_from(("main", "main", "nowhere")),
        "now": st.just(NOW),
    }
)


class World(NamedTuple):
    """What happened, whether documents followed it, and what is asked."""

    commands: list[Json]
    is_searched: bool
    request: Json


WORLDS = st.builds(
    World, st.lists(COMMANDS, min_size=3, max_size=40), st.sampled_from((True, False)), REQUESTS
)


class House:
    """One database with a new user for each world."""

    def __init__(self, work_index: WorkIndex, folder: Path) -> None:
        self.work_index = work_index
        self.settings = folder / "policies.toml"
        self._numbers = count(1)

    def user(self, world: World) -> UserScope:
        user = self.work_index.user(f"user-{next(self._numbers)}")
        happen(user, world.commands)
        if world.is_searched:
            self.work_index.catch_up()
        return user

    def small(self, limit: int) -> Json:
        """The settings for a policy of a few thousand tokens."""
        self.settings.write_text(f"[policy.small]\nlimit = {limit}\ntarget = {limit}\n")
        return {"policy": "small", "settings_file": self.settings}


def happen(user: UserScope, commands: list[Json]) -> None:
    entries = [Entry(parse_command(one)) for one in commands]
    by_agent = [one for one in entries if "approval" in type(one.command).__name__.lower()]
    user.record_bulk([one for one in entries if one not in by_agent], actor=ME)
    user.record_bulk(by_agent, actor=AGENT)


@pytest.fixture(scope="module")
def house(embedded_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    urls = embedded_cluster.clone()
    database = Database(urls.app, maint_url=urls.maint)
    with closing(WorkIndex(database, clock=lambda: NOW)) as opened:
        yield House(opened, tmp_path_factory.mktemp("policies"))
    embedded_cluster.drop(urls)


def items(envelope: ContextEnvelope) -> list[tuple[str, ContextItem]]:
    return [(lane, one) for lane, held in envelope.lanes.items() for one in held]


def protected(envelope: ContextEnvelope) -> list[Any]:
    """What may never be cut, as far as it does not say at which position it was read."""
    return [(lane, one) for lane, one in items(envelope) if one.priority <= 2]


@FEW
@given(WORLDS, st.sampled_from(("assistant", "strict")))
def test_what_is_sent_fits_and_is_what_was_counted(house: House, world: World, policy: str) -> None:
    """Never above the limit; the text costs exactly what the lanes add up to."""
    user = house.user(world)
    try:
        envelope = user.assemble(world.request, policy=policy, tools=TOOLS)
    except ContextBudgetExceeded:
        return
    budget = envelope.budget
    assert COUNT.count([working_set_text(envelope)]) == [budget.used]
    assert sum(budget.by_lane.values()) == budget.used <= budget.limit
    assert len(parsed(working_set_text(envelope))) == len(items(envelope))


@FEW
@given(WORLDS, st.integers(1_500, 5_000))
def test_what_is_protected_is_whole_or_there_is_no_turn(
    house: House, world: World, limit: int
) -> None:
    """A smaller policy shows the same protected items, byte for byte, or raises."""
    user = house.user(world)
    ample = user.assemble(world.request)
    needed = sum(one.token_estimate for _, one in protected(ample))
    needed += sum(ample.budget.by_lane[lane] for lane in ("policy", "schema", "request"))
    try:
        tight = user.assemble(world.request, **house.small(limit))
    except ContextBudgetExceeded:
        assert needed + ample.budget.by_lane["overhead"] > limit - 20
        return
    assert protected(tight) == protected(ample)
    assert tight.request == ample.request
    assert needed <= limit


@FEW
@given(WORLDS, st.sampled_from(("assistant", "strict")))
def test_everything_is_accounted_for_once(house: House, world: World, policy: str) -> None:
    """A candidate is admitted or omitted; what is admitted is there, what is omitted is named."""
    user = house.user(world)
    try:
        envelope = user.assemble(world.request, policy=policy, tools=TOOLS)
    except ContextBudgetExceeded:
        return
    candidates = envelope.manifest.candidates
    names = Counter((one.lane, one.source_id) for one in candidates)
    assert set(names.values()) <= {1}, names.most_common(3)
    admitted = [(one.lane, one.source_id) for one in candidates if one.decision == "admitted"]
    assert Counter(admitted) == Counter((lane, one.source_id) for lane, one in items(envelope))
    omitted = {(one.lane, one.source_id) for one in candidates if one.decision == "omitted"}
    named = {(one.lane, one.source_id) for one in envelope.omissions}
    shrunk = {
        (one.lane, one.source_id)
        for one in candidates
        if one.decision == "admitted" and one.load_mode == "reference"
    }
    assert omitted <= named <= omitted | shrunk
    assert all(one.reason for one in candidates)
    assert all(one.reason for one in envelope.omissions)
    told = {heads["source"]: content for heads, content in parsed(working_set_text(envelope))}
    left_out = Counter(one.lane for one in envelope.omissions)
    if ("state", "left_out:turn") not in omitted:
        shown = told.get("left_out:turn", {})
        assert {lane: one["count"] for lane, one in shown.items()} == left_out


@FEW
@given(WORLDS)
def test_the_same_input_gives_the_same_bytes(house: House, world: World) -> None:
    """The same question again, and the same world in another user's log."""
    user = house.user(world)
    first, again = (user.assemble(world.request, tools=TOOLS) for _ in range(2))
    assert working_set_text(first) == working_set_text(again)
    assert _plain(first) == _plain(again)


def _plain(envelope: ContextEnvelope) -> Json:
    """All but the clock's own figures."""
    document = envelope.model_dump(mode="json")
    document["manifest"].pop("latency_ms")
    document["proof"]["certificate"].pop("as_of")
    return document


@FEW
@given(WORLDS)
def test_the_state_lane_is_what_the_state_path_says(house: House, world: World) -> None:
    """The same items for the same reasons with the same verdict, as of the same position."""
    user = house.user(world)
    envelope = user.assemble({**world.request, "surface": "main"})
    asked = user.ask("What needs me?", now=NOW)
    assert asked is not None
    told: Any = item(envelope, "projection:work_index").content
    assert told["position"] == asked.certificate["position"]
    needs = told["needs_you"]
    assert (needs["verdict"], needs["total"]) == (asked.verdict, asked.total)
    listed = [(one["kind"], one["id"], one["why"]) for one in needs["items"]]
    assert listed == [(one.kind, one.id, one.why[:300]) for one in asked.items[: len(listed)]]
    assert len(listed) + len(needs["more_ids"]) == min(asked.total, len(asked.items))
    assert envelope.proof["certificate"] == asked.certificate


@FEW
@given(WORLDS, st.lists(COMMANDS, max_size=5))
def test_the_prefix_is_the_same_in_every_turn(
    house: House, world: World, later: list[Json]
) -> None:
    """Neither a claim, an artifact nor a message changes a byte of what a cache may keep."""
    user = house.user(world)
    first = user.assemble(world.request, tools=TOOLS)
    happen(user, later)
    second = user.assemble({**world.request, "text": "And now?", "surface": "main"}, tools=TOOLS)
    nobody = house.work_index.user("nobody").assemble({"text": "hi", "now": NOW}, tools=TOOLS)
    assert first.prefix == second.prefix == nobody.prefix
    digests = {one.manifest.prefix_sha256 for one in (first, second, nobody)}
    assert len(digests) == 1
    for one in (first, second, nobody):
        assert working_set_text(one).startswith(one.prefix)


SECRET = "ixtlan"
SHOWN_IN = {
    "post_message": ("message_id", "text"),
    "record_claim": ("claim_id", "value"),
    "store_artifact": ("artifact_id", "title"),
}
ENDS = {"redact_message": "message_id", "withdraw_claim": "claim_id"}


def with_secrets(commands: list[Json]) -> list[Json]:
    """The commands with a secret in the text of all that is too sensitive or ends later."""
    first: dict[str, Json] = {}
    hidden: set[str] = set()
    for one in commands:
        if one["type"] in SHOWN_IN:
            id_ = one[SHOWN_IN[one["type"]][0]]
            if id_ not in first and one["sensitivity"] == "restricted":
                hidden.add(id_)
            first.setdefault(id_, one)
        elif one["type"] in ENDS and one[ENDS[one["type"]]] in first:
            hidden.add(one[ENDS[one["type"]]])
    return [_secret(one, hidden) for one in commands]


def _secret(command: Json, hidden: set[str]) -> Json:
    id_name, text = SHOWN_IN.get(command["type"], ("", ""))
    if command.get(id_name) not in hidden:
        return command
    return {**command, text: f"{SECRET} {command[text]}"}


@FEW
@given(WORLDS)
def test_nothing_hidden_is_told(house: House, world: World) -> None:
    """What was redacted or withdrawn, and what the caller may not see, is in no lane, whether
    documents have followed or not."""
    commands = with_secrets(world.commands)
    user = house.user(World(commands, world.is_searched, world.request))
    request = {**world.request, "text": f"{SECRET[:3]} {world.request['text']}"}
    levels: tuple[Sensitivity, ...] = ("normal", "private")
    for seen in levels:
        envelope = user.assemble(request, tools=TOOLS, sensitivity_max=seen)
        assert SECRET not in envelope.model_dump_json()
        assert SECRET not in working_set_text(envelope)
