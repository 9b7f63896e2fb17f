"""What does a turn cost? 200 requests over real data: tokens by lane, shares, latency.

50 questions each about meetings (qmsum), issues (beads), an office (workbench) and a long
conversation (bfcl), drawn by a fixed seed, with the 70 groups and 527 tools of livemcpbench at
hand. The naive request is what a backend without state would send, as `workindex audit` measures
it: the same policy, 42 tools, every row, every message and every transcript of that user.
"""

from __future__ import annotations

import csv
import json
import os
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest

from bench.conftest import Bench
from driver import actor
from workindex.assembler.audit.measured import measure
from workindex.assembler.audit.shapes import recognised
from workindex.assembler.envelope import LANES, ContextEnvelope
from workindex.assembler.policies import policy_named
from workindex.assembler.tokens import counter
from workindex.assembler.tools import ToolAccess, ToolCatalogue, ToolRegistry, registry_from_files
from workindex.eventlog.database import Database
from workindex.service.client import UserScope, WorkIndex
from workindex.service.importers.beads_driver import import_beads
from workindex.service.importers.qmsum import import_qmsum
from workindex.service.importers.session import Order
from workindex.service.importers.workbench_driver import import_workbench

DATA = Path(__file__).parents[3] / "shared" / "data"
EACH = 50
ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "5"))
COUNTER = counter("o200k_base")
NAIVE_TOOLS = 42
USER = actor("user")
SEED = 20_260_304


class Source(NamedTuple):
    """One user of one data set: the requests about it, and the naive request's tokens by kind."""

    name: str
    scope: UserScope
    requests: Sequence[dict[str, Any]]
    naive: Mapping[str, int]

    @property
    def naive_tokens(self) -> int:
        return sum(self.naive.values())


def test_envelopes(bench: Bench) -> None:
    """Printed beside the naive whole; no limit is ever exceeded."""
    if not DATA.is_dir():
        pytest.skip("../shared/data is absent: there is nothing to draw requests from")
    registry = registry_from_files([DATA / "livemcpbench" / "tools.json"])
    tools = ToolAccess(ToolCatalogue(registry))
    with WorkIndex(Database(bench.app, maint_url=bench.maint)) as work_index:
        sources = [
            drawn(work_index.user(name), registry)
            for name, drawn in (
                ("meetings", _meetings),
                ("issues", _issues),
                ("office", _office),
                ("talk", _talk),
            )
        ]
        work_index.catch_up()
        for policy in ("assistant", "strict"):
            _print(policy, [_measured(source, policy, tools) for source in sources], sources)


def _measured(
    source: Source, policy: str, tools: ToolAccess
) -> list[tuple[ContextEnvelope, float]]:
    source.scope.assemble(source.requests[0], policy=policy, tools=tools)
    found = []
    for request in source.requests:
        began = time.perf_counter()
        envelope = source.scope.assemble(request, policy=policy, tools=tools)
        found.append((envelope, (time.perf_counter() - began) * 1e3))
        assert envelope.budget.used <= envelope.budget.limit
    return found


def _print(
    policy: str,
    measured: Sequence[Sequence[tuple[ContextEnvelope, float]]],
    sources: Sequence[Source],
) -> None:
    whole = [one for some in measured for one in some]
    load = os.getloadavg()[0]
    print(f"\npolicy {policy}: {len(whole)} requests, load {load:.1f}, tokens p50 / p95")
    for lane in LANES:
        told = _p50_p95([envelope.budget.by_lane[lane] for envelope, _ in whole])
        print(f"  {lane:10} {told}")
    used = [envelope.budget.used for envelope, _ in whole]
    print(f"  {'whole':10} {_p50_p95(used)}")
    target = sum(envelope.budget.used > envelope.budget.target for envelope, _ in whole)
    limit = sum(envelope.budget.used > envelope.budget.limit for envelope, _ in whole)
    share = f"{100 * target / len(whole):.1f} % over target, {100 * limit / len(whole):.1f} % over"
    print(f"  {share} limit")
    print(f"  latency ms {_p50_p95([ms for _, ms in whole], '.1f')}")
    for source, some in zip(sources, measured, strict=True):
        tokens = statistics.median(envelope.budget.used for envelope, _ in some)
        ms = statistics.median(took for _, took in some)
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in source.naive.items())
        print(
            f"  {source.name:10} p50 {tokens:.0f} tokens of {source.naive_tokens:,} naive "
            f"({100 * tokens / source.naive_tokens:.1f} %: {kinds}), {ms:.1f} ms"
        )


def _p50_p95(values: Sequence[float], form: str = ".0f") -> str:
    ordered = sorted(values)
    at = [ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95)]
    return " / ".join(format(value, form) for value in at)


def _drawn(requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return Random(SEED).sample(list(requests), min(EACH, len(requests)))


def _naive(
    scope: UserScope, registry: ToolRegistry, messages: Sequence[str] = ()
) -> dict[str, int]:
    """The audited tokens of everything at once: policy, tools, all rows, all texts."""
    tools = list(registry.tools.values())[:NAIVE_TOOLS]
    rows = json.dumps(scope.index().to_json(), ensure_ascii=False)
    core = policy_named("assistant").core
    said = [{"role": "user", "content": text} for text in messages]
    request = {
        "model": "gpt-4o",
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.schema),
                },
            }
            for tool in tools
        ],
        "messages": [
            {"role": "system", "content": f"{core}\n{rows}"},
            *said,
            {"role": "user", "content": "What needs me?"},
        ],
    }
    measured = measure(recognised(request), COUNTER)
    kinds = [segment.kind for segment in measured.read]
    return {
        kind: sum(one.tokens for one in measured.read if one.kind == kind)
        for kind in dict.fromkeys(kinds)
    }


def _order(paths: Sequence[Path], source: str) -> Order:
    return Order(paths, source, 86_400, datetime.now(UTC))


def _meetings(scope: UserScope, registry: ToolRegistry) -> Source:
    paths = sorted((DATA / "qmsum" / "val").glob("*.json"))
    import_qmsum(scope, _order(paths, "qmsum"))
    requests = []
    texts = []
    for path in paths:
        document = json.loads(path.read_text(encoding="utf-8"))
        turns = document["meeting_transcripts"]
        texts += [f"{turn['speaker']}: {turn['content']}\n" for turn in turns]
        requests += [
            {"text": query["query"], "surface": "meeting", "meeting_id": path.stem}
            for query in document["specific_query_list"]
        ]
    return Source("meetings", scope, _drawn(requests), _naive(scope, registry, texts))


def _issues(scope: UserScope, registry: ToolRegistry) -> Source:
    path = sorted((DATA / "beads_tasks" / "snapshots").glob("0330_*"))
    import_beads(scope, _order(path, "beads"))
    tasks = scope.index().sections["tasks"]
    asked = ("What about {}?", "Why is {} not done yet?", "Please summarise {} for me")
    requests = [
        {"text": asked[n % 3].format(task["task_id"]), "thread_id": "main"}
        for n, task in enumerate(tasks)
    ]
    return Source("issues", scope, _drawn(requests), _naive(scope, registry))


def _office(scope: UserScope, registry: ToolRegistry) -> Source:
    folder = DATA / "workbench"
    names = ("calendar_events", "emails", "project_tasks")
    paths = [folder / f"{name}.csv" for name in names]
    import_workbench(scope, _order(paths, "workbench"), ZoneInfo("UTC"))
    requests = [{"text": text, "thread_id": "main"} for text in _queries(folder / "queries")]
    mails = [(folder / "emails.csv").read_text(encoding="utf-8")]
    return Source("office", scope, _drawn(requests), _naive(scope, registry, mails))


def _queries(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            yield from (row["query"] for row in csv.DictReader(file))


def _talk(scope: UserScope, registry: ToolRegistry) -> Source:
    folder = DATA / "bfcl" / "memory"
    lines = (folder / "memory_student.json").read_text("utf-8").splitlines()
    said = [turn[0]["content"] for line in lines for turn in json.loads(line)["question"]]
    message = {"type": "post_message", "thread_id": "long", "role": "user"}
    told = [{**message, "message_id": f"m{n}", "text": text} for n, text in enumerate(said)]
    scope.record_all(told, actor=USER)
    asked = map(json.loads, (folder / "questions.json").read_text("utf-8").splitlines())
    requests = [
        {"text": one["question"][0][0]["content"], "thread_id": "long"}
        for one in asked
        if one["scenario"] == "student"
    ]
    return Source("talk", scope, _drawn(requests), _naive(scope, registry, said))
