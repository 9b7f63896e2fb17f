"""Is the right group of tools there when it is needed, and found when it is not?

The questions and their right tools are other people's: metatool (each plugin a group), bfcl
multiple (functions by their prefix, all questions' functions in one pool), bfcl multi-turn (twelve
groups, each turn a question) and api_bank (the calls of its dialogues, of which only names and
arguments are known). Plain BM25, words as they stand, goes through the same stage in the same run.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from workindex.assembler.rendering import item_text
from workindex.assembler.tokens import counter
from workindex.assembler.tools.catalogue import ToolCatalogue, View
from workindex.assembler.tools.loading import active_groups
from workindex.assembler.tools.pages import search_page
from workindex.assembler.tools.ranking import Ranked, RankedGroup, Ranker
from workindex.assembler.tools.registry import Tool, ToolRegistry, tool_group
from workindex.assembler.tools.selection import Wanted
from workindex.assembler.tools.sources import json_types, registry_from_files
from workindex.assembler.tools.stage import ToolAccess, ToolBudget, tools_stage

AT = datetime(2026, 1, 1, tzinfo=UTC)
BUDGET = ToolBudget()
PAGE_TOKENS = 3_000
CLASSES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
_VERB = re.compile(
    r"^(Add|Appointment|Book|Cancel|Delete|Forgot|Get|Modify|Open|Query|Record|Register|Send)"
)


class Question(NamedTuple):
    """What was asked, what was said before, and the group that is needed."""

    text: str
    right: str
    context: tuple[str, ...] = ()


class Plain(Ranker):
    """BM25 as it stands in textbooks: words as they are, names and descriptions alike."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._all = registry
        bags = [
            (tool, Counter(re.findall(r"\w+", f"{tool.name} {tool.description or ''}".lower())))
            for tool in registry.tools.values()
        ]
        self._bags = bags
        having = Counter(word for _, bag in bags for word in bag)
        self._rarity = {
            word: math.log(1 + (len(bags) - n + 0.5) / (n + 0.5)) for word, n in having.items()
        }
        self._mean = sum(bag.total() for _, bag in bags) / len(bags)

    def tools(self, text: str, context: Sequence[str] = ()) -> list[Ranked]:
        asked = re.findall(r"\w+", " ".join((*context, text)).lower())
        found = [Ranked(tool, self._score(bag, asked)) for tool, bag in self._bags]
        return sorted(found, key=lambda one: (-one.score, one.tool.full_name))

    def groups(self, text: str, context: Sequence[str] = ()) -> list[RankedGroup]:
        of_group: dict[str, list[Ranked]] = {}
        for one in self.tools(text, context):
            of_group.setdefault(one.tool.group, []).append(one)
        return [
            RankedGroup(self._all.groups[name], tools[0].score, tuple(tools))
            for name, tools in of_group.items()
        ]

    def _score(self, bag: Counter[str], asked: Sequence[str]) -> float:
        length = 0.25 + 0.75 * bag.total() / self._mean
        return sum(
            self._rarity[word] * bag[word] * 2.5 / (bag[word] + 1.5 * length)
            for word in asked
            if word in bag
        )


class Result(NamedTuple):
    """Shares of the questions, and the mean tokens of the lane."""

    first: float
    fifth: float
    missed: float
    reached: float
    named: float
    tokens: float


def test_metatool(shared_data: Path) -> None:
    """199 groups of one tool each, 2,062 questions."""
    folder = shared_data / "metatool"
    told = json.loads((folder / "plugin_des.json").read_text())
    with (folder / "queries_every_10th.csv").open(newline="") as file:
        questions = [Question(row["Query"], row["Tool"]) for row in csv.DictReader(file)]
    tools = [Tool(name, name, text, {"type": "object"}) for name, text in told.items()]
    _report("metatool", _registry(tools), questions)


def test_bfcl_multiple(shared_data: Path) -> None:
    """The functions of all 200 questions in one pool."""
    folder = shared_data / "bfcl"
    answers = {
        one["id"]: next(iter(one["ground_truth"][0]))
        for one in _lines(folder / "possible_answer" / "BFCL_v4_multiple.json")
    }
    tools: dict[str, Tool] = {}
    questions = []
    for one in _lines(folder / "BFCL_v4_multiple.json"):
        for given in one["function"]:
            group, _, name = given["name"].partition(".")
            schema = json_types(given["parameters"])
            tool = Tool(group, name or group, given["description"], schema)
            tools.setdefault(tool.full_name, tool)
        right = answers[one["id"]]
        questions.append(Question(one["question"][0][-1]["content"], right.partition(".")[0]))
    _report("bfcl multiple", _registry(tools.values()), questions)


def test_bfcl_multi_turn(shared_data: Path) -> None:
    """Twelve groups; a turn is a question for each group that its calls are of."""
    folder = shared_data / "bfcl"
    registry = registry_from_files((folder / "multi_turn_func_doc").glob("*.json"), observed_at=AT)
    answers = {
        one["id"]: one["ground_truth"]
        for one in _lines(folder / "possible_answer" / "BFCL_v4_multi_turn_base.json")
    }
    questions = []
    for one in _lines(folder / "BFCL_v4_multi_turn_base.json"):
        own = [registry.groups[CLASSES[name]] for name in one["involved_classes"]]
        before: list[str] = []
        for turn, calls in zip(one["question"], answers[one["id"]], strict=True):
            text = " ".join(said["content"] for said in turn)
            names = {call.partition("(")[0] for call in calls}
            needed = sorted(g.namespace for g in own if any(g.tool(name) for name in names))
            questions += [Question(text, group, tuple(before)) for group in needed]
            before.append(text)
    _report("bfcl multi-turn", registry, questions)


def test_api_bank(shared_data: Path) -> None:
    """The calls of all dialogues; a group is what an API's name is about."""
    tools: dict[str, dict[str, Any]] = {}
    questions = []
    for path in sorted((shared_data / "api_bank" / "level-1").glob("*.jsonl")):
        said: list[str] = []
        for line in _lines(path):
            if line["role"] == "User":
                said.append(line["text"])
            elif line["role"] == "API" and said:
                name = line["api_name"]
                tools.setdefault(name, {}).update({key: {} for key in line["param_dict"]})
                questions.append(Question(said[-1], _about(name), tuple(said[:-1])))
    made = [
        Tool(_about(name), name, None, {"type": "object", "properties": arguments})
        for name, arguments in tools.items()
    ]
    _report("api_bank", _registry(made), questions)


def _about(name: str) -> str:
    return _VERB.sub("", name) or name


def _lines(path: Path) -> Iterator[Any]:
    with path.open() as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def _registry(tools: Any) -> ToolRegistry:
    of_group: dict[str, list[Tool]] = {}
    for tool in tools:
        of_group.setdefault(tool.group, []).append(tool)
    return ToolRegistry((tool_group("bench", name, some) for name, some in of_group.items()), AT)


def _report(name: str, registry: ToolRegistry, questions: Sequence[Question]) -> None:
    catalogue = ToolCatalogue(registry)
    view = catalogue.view()
    ours = _measured(catalogue, view, questions)
    view.ranker = Plain(registry)
    plain = _measured(catalogue, view, questions)
    assert ours.first > plain.first, (ours, plain)
    print(
        f"\n{name}: {len(registry)} groups, {len(registry.tools)} tools, "
        f"{len(questions):,} questions"
    )
    print("               recall@1  recall@5  group miss  reached after a miss  tokens of the lane")
    for who, one in (("ours", ours), ("plain BM25", plain)):
        print(
            f"  {who:<11}  {one.first:8.1%}  {one.fifth:8.1%}  {one.missed:10.1%}  "
            f"{one.reached:6.1%}, named {one.named:6.1%}  {one.tokens:18,.0f}"
        )


def _measured(catalogue: ToolCatalogue, view: View, questions: Sequence[Question]) -> Result:
    count = counter("o200k_base")
    first = fifth = tokens = 0
    missed: list[Question] = []
    for one in questions:
        ranked = [found.group.namespace for found in view.ranker.groups(one.text, one.context)]
        first += one.right in ranked[:1]
        fifth += one.right in ranked[:5]
        wanted = Wanted(one.text, context=one.context)
        found = tools_stage(ToolAccess(catalogue), wanted, BUDGET, count)
        tokens += sum(count.count([item_text("tools", offer.item) for offer in found.offers]))
        if one.right not in active_groups(offer.item for offer in found.offers):
            missed.append(one)
    reached, named = _recovered(view, missed)
    total = len(questions)
    return Result(
        first / total,
        fifth / total,
        len(missed) / total,
        reached / max(len(missed), 1),
        named / max(len(missed), 1),
        tokens / total,
    )


def _recovered(view: View, missed: Sequence[Question]) -> tuple[int, int]:
    """How many of the groups one page of a search shows, and how many it shows or names."""
    count = counter("o200k_base")
    reached = named = 0
    for one in missed:
        page = search_page(view, one.text, 1, count, PAGE_TOKENS)
        is_shown = one.right in active_groups(page.items)
        reached += is_shown
        also = [item.content for item in page.items if item.source_id == "tools:also"]
        names = {name for told in also for part in told.values() for name in part}  # type: ignore[union-attr]
        named += is_shown or one.right in names
    return reached, named
