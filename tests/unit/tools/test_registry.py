"""Are tools the same whatever order they came in, and is everything wrong in a source named?"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workindex.assembler.rendering import item_text
from workindex.assembler.tokens import counter
from workindex.assembler.tools import (
    BadToolSource,
    Tool,
    ToolCatalogue,
    ToolRegistry,
    ToolsUnavailable,
    UnknownTools,
    Wanted,
    groups_of,
    registry_from_files,
    tool_group,
    tool_index,
    tools_stage,
)
from workindex.assembler.tools.loading import load
from workindex.assembler.tools.registry import in_order
from workindex.assembler.tools.schemas import argument_names, canonical
from workindex.assembler.tools.stage import ToolAccess, ToolBudget

AT = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)
COUNT = counter("o200k_base")


def schema(*names: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string", "enum": ["b", "a", "c"]} for name in names},
        "required": list(names),
    }


def shuffled(value: Any, chance: random.Random) -> Any:
    """The same JSON with its objects' keys, and the lists that are sets, in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    if isinstance(value, list):
        some = [shuffled(one, chance) for one in value]
        chance.shuffle(some)
        return some
    if isinstance(value, str) and "\n- " in value:
        head, *bullets = value.split("\n- ")
        chance.shuffle(bullets)
        return "\n- ".join([head, *bullets])
    return value


CATALOG: dict[str, Any] = {
    "format": 1,
    "groups": [
        {
            "namespace": f"group-{number}",
            "title": f"Group {number}",
            "tools": [
                {
                    "name": f"tool_{number}_{place}",
                    "description": "Sends one of:\n- pears\n- apples\n- quinces",
                    "schema": schema("to", "what", f"n{place}"),
                }
                for place in range(6)
            ],
        }
        for number in range(9)
    ],
}


def test_twenty_orders_of_the_same_tools_are_one_registry() -> None:
    """Case F6 and F8: fingerprint, index and loaded schemas are the same bytes."""
    seen = set()
    for seed in range(20):
        document = shuffled(CATALOG, random.Random(seed))
        registry = ToolRegistry(groups_of(document, source="s", namespace="n"), AT)
        index = tool_index(registry, COUNT, 1_000)
        assert index is not None
        wanted = Wanted("use group-3 and the quinces", active=("group-7", "group-1"))
        stage = tools_stage(ToolAccess(ToolCatalogue(registry)), wanted, ToolBudget(), COUNT)
        text = "".join(item_text("tools", offer.item) for offer in stage.offers)
        seen.add((registry.fingerprint, item_text("tools", index.item), text, str(stage)))
    assert len(seen) == 1


def test_the_lists_of_a_schema_that_mean_an_order_keep_it() -> None:
    """Only `required`, `enum` and lists of types are sets; a property may have such a name."""
    given: dict[str, Any] = {
        "type": ["object", "null"],
        "required": ["b", "a"],
        "properties": {
            "enum": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}]},
            "required": {"default": ["z", "y"], "examples": [["q", "p"]]},
        },
    }
    told = canonical(given)
    assert told["required"] == ["a", "b"]
    assert told["type"] == ["null", "object"]
    assert told["properties"]["enum"]["prefixItems"] == [{"type": "string"}, {"type": "null"}]
    assert told["properties"]["required"] == given["properties"]["required"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("Kinds:\n- b\n- a", "Kinds:\n- a\n- b"),
        ("* b\n* a\n\nEnd", "* a\n* b\n\nEnd"),
        ("1. b\n2. a", "1. b\n2. a"),
        ("- b\n- a\n  of two lines", "- b\n- a\n  of two lines"),
        ("- b\n- a\ngoes on", "- b\n- a\ngoes on"),
        ("- b\n* a", "- b\n* a"),
        ("no list", "no list"),
    ],
)
def test_only_a_list_without_an_order_is_sorted(given: str, told: str) -> None:
    """Bullets of one line each have none; numbers and lines that hang on have."""
    assert in_order(given) == told


def test_what_mcp_says_beside_the_schema_goes_back_out() -> None:
    """Case F15: flags, annotations and keys that nobody knows are the same on the wire."""
    tools: list[dict[str, Any]] = [
        {
            "name": "b",
            "title": "B",
            "description": "second",
            "inputSchema": {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"},
            "outputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True, "title": None},
            "_meta": {"defer_loading": True, "vendor/x": [2, 1]},
            "defer_loading": True,
        },
        {"name": "a", "inputSchema": {"type": "object"}, "annotations": None},
    ]
    wire = {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools, "nextCursor": "c"}}
    (group,) = groups_of(wire, source="s", namespace="srv")
    back = json.loads(json.dumps(group.to_mcp()))
    assert back["tools"] == sorted(tools, key=lambda tool: str(tool["name"]))
    assert group.metadata["nextCursor"] == "c"


def mcp(*tools: Any) -> dict[str, Any]:
    return {"tools": list(tools)}


def own(**tool: Any) -> dict[str, Any]:
    given = {"name": "t", "schema": {}} | tool
    return {"format": 1, "groups": [{"namespace": "g", "tools": [given]}]}


@pytest.mark.parametrize(
    ("document", "tool", "field"),
    [
        (own(schemas={}), "t", "schemas"),
        (own(schema={"type": "string"}), "t", "schema.type"),
        (own(schema={"properties": {"a": {"type": "wat"}}}), "t", "schema.properties.a.type"),
        (own(schema={"properties": {"a": {"pattern": "("}}}), "t", "schema.properties.a.pattern"),
        (own(schema=[]), "t", "schema"),
        (own(schema={"$ref": "http://127.0.0.1:9/never"}), "t", "schema"),
        (own(schema={"properties": {"a": {"$ref": "file:///etc/passwd"}}}), "t", "schema"),
        (own(schema={"maximum": 2**70}), "t", "schema"),
        (own(schema={"default": AT}), "t", "schema"),
        (own(schema={"properties": {1: {}}}), "t", "schema"),
        (own(description=7), "t", "description"),
        (own(description="\ud800"), "t", "description"),
        (own(name=""), "", "name"),
        (own(name="a\x00b"), "a\x00b", "name"),
        (own(name=3), None, "name"),
        (own(metadata=3), "t", "metadata"),
        ({"format": 2, "groups": []}, None, "format"),
        ({"format": 1, "groups": {}}, None, "groups"),
        ({"format": 1, "groups": [], "extra": 1}, None, "extra"),
        ({"format": 1, "groups": [{"namespace": "g", "tools": [], "x": 1}]}, None, "x"),
        ({"format": 1, "groups": [{"tools": []}]}, None, "namespace"),
        ({"format": 1, "groups": [{"namespace": "g"}]}, None, "tools"),
        (mcp({"name": "t"}), "t", "inputSchema"),
        (mcp("t"), None, "tools"),
        (mcp({"name": "t", "inputSchema": {}}, {"name": "t", "inputSchema": {}}), "t", "name"),
        ([{"name": "t"}], "t", "parameters"),
        ([], None, "file"),
        (7, None, "file"),
    ],
)
def test_what_is_wrong_in_a_source_is_named(document: Any, tool: str | None, field: str) -> None:
    """File, tool and field; nothing is repaired and nothing left out in silence."""
    with pytest.raises(BadToolSource) as raised:
        groups_of(document, source="here.json", namespace="n")
    assert raised.value.source == "here.json"
    assert raised.value.tool == tool
    assert raised.value.field == field
    assert str(raised.value).startswith("here.json: ")


def test_files_of_every_form_make_one_registry(tmp_path: Path) -> None:
    """JSON and TOML of the own form, MCP by the file's name, functions one a line."""
    (tmp_path / "own.json").write_text(json.dumps(CATALOG))
    (tmp_path / "own.toml").write_text(
        'format = 1\n[[groups]]\nnamespace = "toml"\n[[groups.tools]]\nname = "t"\n'
        '[groups.tools.schema]\ntype = "object"\n'
    )
    (tmp_path / "srv.json").write_text(json.dumps(mcp({"name": "t", "inputSchema": {}})))
    (tmp_path / "functions.json").write_text(
        '{"name": "f", "parameters": {"type": "dict", "properties": {"x": {"type": "float"}}}}\n'
        '{"name": "g", "parameters": {"type": "dict", "properties": {"y": {"type": "any"}}}}\n'
    )
    registry = registry_from_files(tmp_path.iterdir(), observed_at=AT)
    assert set(registry.groups) >= {"toml", "srv", "functions", "group-0"}
    assert registry.tool("functions.f").schema["properties"]["x"] == {"type": "number"}
    assert registry.tool("functions.g").schema["properties"]["y"] == {}
    assert registry.observed_at == AT.replace(microsecond=0)


def test_a_group_in_two_files_and_a_file_that_is_not_there_are_told_apart(tmp_path: Path) -> None:
    """The first is wrong, the second may be there the next time."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text(json.dumps(own()))
    with pytest.raises(BadToolSource) as raised:
        registry_from_files(tmp_path.iterdir())
    assert raised.value.field == "namespace"
    gone = tmp_path / "calendar.json"
    with pytest.raises(ToolsUnavailable) as absent:
        registry_from_files([gone])
    assert absent.value.missing == ("calendar",)
    registry = registry_from_files([tmp_path / "one.json", gone], keep_going=True)
    assert list(registry.groups) == ["g"]
    assert list(registry.missing) == ["calendar"]


def test_a_name_means_one_tool_or_none() -> None:
    """A bare name that two groups have is none; the full name always is."""
    registry = ToolRegistry(
        [
            tool_group("s", "one", [Tool("", "t", None, {}), Tool("", "u", None, {})]),
            tool_group("s", "two", [Tool("", "t", None, {})]),
        ],
        AT,
    )
    assert registry.tool("one.t").group == "one"
    assert registry.tool("u").group == "one"
    with pytest.raises(UnknownTools):
        registry.tool("t")


def test_two_tools_never_share_a_full_name() -> None:
    """Dots are allowed in both parts, so the whole is compared."""
    groups = [
        tool_group("s", "a.b", [Tool("", "c", None, {})]),
        tool_group("s", "a", [Tool("", "b.c", None, {})]),
    ]
    with pytest.raises(BadToolSource) as raised:
        ToolRegistry(groups, AT)
    assert (raised.value.tool, raised.value.field) == ("c", "name")


def test_names_of_nested_arguments_are_found() -> None:
    """Wherever a schema may hold properties, and never in a default."""
    given = {
        "properties": {
            "a": {"items": {"properties": {"b": {}}}, "default": {"properties": {"no": {}}}},
        },
        "anyOf": [{"properties": {"c": {}}}],
    }
    assert argument_names(given) == ["a", "b", "c"]


def test_the_real_catalogues_load_whole(shared_data: Path) -> None:
    """70 servers with 527 tools, and twelve function documents; every tool goes back out as it
    came."""
    path = shared_data / "livemcpbench" / "tools.json"
    registry = registry_from_files([path])
    assert (len(registry), len(registry.tools)) == (70, 527)
    for server in json.loads(path.read_text()):
        for namespace, listed in server["tools"].items():
            came = sorted(listed["tools"], key=lambda tool: str(tool["name"]))
            assert registry.groups[namespace].to_mcp()["tools"] == came
    functions = registry_from_files((shared_data / "bfcl" / "multi_turn_func_doc").glob("*.json"))
    assert len(functions) == 12


def test_a_page_counts_no_more_than_could_be_on_it() -> None:
    """However many tools a group has: a page of ten thousand costs what a page of fifty does."""
    counted: list[str] = []

    class Counting:
        name = COUNT.name
        is_exact = True

        def count(self, texts: Sequence[str]) -> list[int]:
            counted.extend(texts)
            return COUNT.count(texts)

    tools = [Tool("", f"pay{number}", "pays", {"type": "object"}) for number in range(2_000)]
    group = tool_group("s", "money", tools)
    found = load(group, group.tools, Counting(), 1_000, observed_at=AT)
    assert found is not None
    assert found.tokens <= 1_000
    assert isinstance(found.item.content, dict)
    assert found.item.content["more"] == len(found.rest) > 1_900
    assert len(counted) < 200


def doubling(levels: int, reference: str, *, has_anchors: bool = False) -> dict[str, Any]:
    """Definitions that each name the next one twice."""
    names: dict[str, Any] = {f"d{levels}": {"type": "string"}}
    for number in range(levels):
        refs = [{"$ref": reference.format(number + 1)}, {"$ref": reference.format(number + 1)}]
        names[f"d{number}"] = {"anyOf": refs}
    if has_anchors:
        names = {name: {**held, "$anchor": name} for name, held in names.items()}
    first = {"$ref": reference.format(0)}
    return {"type": "object", "$defs": names, "properties": {"a": first}}


@pytest.mark.parametrize("levels", [12, 40, 3_000])
@pytest.mark.parametrize(
    ("reference", "has_anchors"),
    [("#/$defs/d{}", False), ("#/%24defs/d{}", False), ("#d{}", True)],
)
def test_a_schema_that_grows_without_bound_is_refused(
    levels: int, reference: str, has_anchors: bool
) -> None:
    """A small file would keep a call of its tool busy for hours: it is refused when it is read."""
    schema = doubling(levels, reference, has_anchors=has_anchors)
    with pytest.raises(BadToolSource, match=r"references"):
        tool_group("s", "g", [Tool("", "spin", None, schema)])


@pytest.mark.parametrize(
    "schema",
    [
        doubling(8, "#/$defs/d{}"),
        {"type": "object", "$ref": "#"},
        {"type": "object", "allOf": [{"$ref": "#"}]},
        {"type": "object", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"type": "object", "properties": {f"p{n}": {"$ref": "#"} for n in range(3_000)}},
        {"type": "object", "properties": {"$ref": {"type": "string"}, "allOf": {"type": "null"}}},
        {"type": "object", "anyOf": [{"required": [f"p{n}"]} for n in range(500)]},
    ],
)
def test_a_schema_that_names_itself_is_read(schema: dict[str, Any]) -> None:
    """Circles, many names and many alternatives are no growth."""
    assert len(tool_group("s", "g", [Tool("", "spin", None, schema)]).tools) == 1


def _deep(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("depth", [300, 1_000, 50_000])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.json", "DEEP"),
        ("t.json", '[{"name": "a", "parameters": DEEP}]'),
        ("t.json", '{"tools": [{"name": "a", "inputSchema": DEEP}]}'),
        ("t.json", '{"tools": [{"name": "a", "inputSchema": {}, "x": DEEP}]}'),
        ("t.toml", "a = ARRAYS"),
    ],
)
def test_a_source_that_is_nested_too_deep_is_refused(
    tmp_path: Path, depth: int, name: str, text: str
) -> None:
    """Wherever it is, and by its name."""
    source = tmp_path / name
    arrays = "[" * depth + "]" * depth
    source.write_text(text.replace("DEEP", _deep(depth)).replace("ARRAYS", arrays))
    with pytest.raises(BadToolSource, match=name):
        registry_from_files([source])
