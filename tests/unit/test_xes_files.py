"""A process log is read case by case; a bad case is named, and no file can harm the reader."""

from __future__ import annotations

import gzip
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conftest import SHARED_DATA
from workindex.domain.errors import InvalidInput
from workindex.service.importers import xes_files
from workindex.service.importers.xes_files import Case, CaseEvent, XesFile, moment
from workindex.service.importers.xes_mapping import XesMapping, phase_of, read_mapping

EVENT = '<event><string key="concept:name" value="{}"/></event>'
TRACE = '<trace><string key="concept:name" value="{}"/>{}</trace>'
# Cases and events of each log, as the page beside the logs says.
GOLD = {
    "helpdesk.xes.gz": (4_580, 21_348),
    "08_receipt.xes.gz": (1_434, 8_577),
    "06_bpic2013_closed.xes.gz": (1_487, 6_660),
    "roadtraffic100traces.xes": (100, 390),
    "running-example.xes": (6, 42),
}


def log(tmp_path: Path, body: str, head: str = "", name: str = "log.xes") -> XesFile:
    """A log whose element <log> holds the body."""
    path = tmp_path / name
    content = f'<?xml version="1.0" encoding="UTF-8"?>{head}<log>{body}</log>'.encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return XesFile(path)


def only(file: XesFile) -> Case:
    """Its one case."""
    (case,) = file
    return case


def test_a_case_with_everything(tmp_path: Path) -> None:
    """Name, attributes and events; statistics, nested attributes and lists are left alone."""
    body = """
      <string key="concept:name" value="Claims"/>
      <global scope="event"><string key="concept:name" value="UNKNOWN"/></global>
      <int key="total" value="1"><string key="concept:name" value="statistics"/></int>
      <trace>
        <string key="concept:name" value=" C 1 "/>
        <int key="amount" value="40"/><float key="share" value="0.5"/>
        <float key="rate" value="NaN"/><boolean key="fast" value="TRUE"/>
        <date key="due" value="2026-03-02"/>
        <list key="notes"><string key="note" value="x"/></list>
        <event>
          <string key="concept:name" value="Send">
            <string key="concept:name" value="nested"/>
          </string>
          <string key="lifecycle:transition" value="start"/>
          <string key="org:resource" value="Zoë"/>
          <date key="time:timestamp" value="2026-03-02T10:00:00.5+01:00"/>
        </event>
        <event><string key="concept:name" value="Send"/><string key="org:resource" value=" "/>
          <date key="time:timestamp" value="2026-03-02T10:00:00"/></event>
      </trace>"""
    file = log(tmp_path, body)
    case = only(file)
    assert (file.log_name, file.cases, file.events) == ("Claims", 1, 2)
    assert (case.name, case.fault) == ("C 1", None)
    assert case.attributes == {
        "amount": 40,
        "share": 0.5,
        "rate": "NaN",
        "fast": True,
        "due": "2026-03-02",
    }
    at = datetime(2026, 3, 2, 9, 0, 0, 500_000, UTC)
    assert case.events == (
        CaseEvent("Send", "start", "Zoë", at),
        CaseEvent("Send", None, None, datetime(2026, 3, 2, 10, 0, tzinfo=UTC)),
    )
    assert [phase_of(event) for event in case.events] == ["Send (start)", "Send"]


@pytest.mark.parametrize(
    ("trace", "told"),
    [
        ("<trace/>", "concept:name: the case has no name"),
        (TRACE.format(" ", ""), "concept:name: the case has no name"),
        (TRACE.format("good", ""), "the case stands twice, first as case 1"),
        (TRACE.format("b", "<event/>"), "event 1: concept:name: the event has no activity"),
        (
            TRACE.format("b", EVENT.format("a") + EVENT.format("")),
            "event 2: concept:name: the event has no activity",
        ),
        (
            TRACE.format(
                "b",
                '<event><string key="concept:name" value="a"/>'
                '<date key="time:timestamp" value="yesterday"/></event>',
            ),
            "event 1: time:timestamp: 'yesterday' is no time",
        ),
        (
            TRACE.format("b", '<int key="cost" value="much"/>'),
            "cost: 'much' is no int",
        ),
        (TRACE.format("b", '<boolean key="ok" value="yes"/>'), "ok: 'yes' is no boolean"),
    ],
)
def test_a_bad_case_is_named_and_the_others_are_read(tmp_path: Path, trace: str, told: str) -> None:
    """The cases before and after it are good; the counts hold all of them."""
    good, last = (TRACE.format(name, EVENT.format("a")) for name in ("good", "last"))
    file = log(tmp_path, good + trace + last)
    cases = list(file)
    assert [case.fault is None for case in cases] == [True, False, True]
    assert told in str(cases[1].fault)
    assert f"{file.path}: case 2" in cases[1].place
    assert file.cases == 3


BOMB = (
    "<!DOCTYPE log ["
    '<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)


@pytest.mark.parametrize(
    "head",
    [
        BOMB,
        '<!DOCTYPE log SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE log [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE log [<!ENTITY % x SYSTEM "http://example.org/x.dtd"> %x;]>',
        "<!DOCTYPE log>",
    ],
    ids=["bomb", "external subset", "external entity", "parameter entity", "plain"],
)
def test_no_entity_is_declared_let_alone_expanded(tmp_path: Path, head: str) -> None:
    """A document type ends the reading at once, before anything grows or is fetched."""
    file = log(tmp_path, TRACE.format("&j;&x;", ""), head)
    tracemalloc.start()
    with pytest.raises(InvalidInput, match="declares a document type"):
        list(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


def test_what_comes_before_a_fault_is_read(tmp_path: Path) -> None:
    """A file that is cut off, packed or not: its whole cases, then the error with its line."""
    whole = log(tmp_path, TRACE.format("good", EVENT.format("a") * 3)).path.read_bytes()
    for name, content in (
        ("cut.xes", whole[:-12]),
        ("cut.xes.gz", gzip.compress(whole)[:-12]),
        ("rest.xes", whole + b"<log/>"),
        ("other.xes", whole.replace(b"</log>", b"\xff</log>")),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        read: list[Case] = []
        with pytest.raises(InvalidInput, match=rf"{name}"):
            read.extend(XesFile(path))
        assert len(read) <= 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no element found"),
        (b"PK\x03\x04", "not well-formed"),
        (b"<html><trace/></html>", "first element is 'html'"),
        (b'<?xml version="1.0" encoding="klingon"?><log/>', "encoding"),
        (b"<log>" + b"<list>" * 200, "nested deeper"),
        (b"\x1f\x8b\x08\x00garbage", "cannot be read"),
    ],
)
def test_what_is_no_log(tmp_path: Path, content: bytes, told: str) -> None:
    """A typed error that names the file."""
    path = tmp_path / "x.xes"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=told) as refused:
        list(XesFile(path))
    assert str(path) in str(refused.value)


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One endless text, too many events."""
    monkeypatch.setattr(xes_files, "TOKEN_BYTES_MAX", 300_000)
    with pytest.raises(InvalidInput, match="longer than 300,000"):
        list(log(tmp_path, TRACE.format("x" * 2_000_000, "")))
    monkeypatch.setattr(xes_files, "CASE_EVENTS_MAX", 3)
    with pytest.raises(InvalidInput, match="at most"):
        list(log(tmp_path, TRACE.format("x", EVENT.format("a") * 4)))


def test_other_encodings_and_prefixes(tmp_path: Path) -> None:
    """A log in UTF-16 or Latin-1, and one whose elements have a prefix."""
    for encoding in ("UTF-16", "ISO-8859-1"):
        path = tmp_path / f"{encoding}.xes"
        text = f'<?xml version="1.0" encoding="{encoding}"?><log>{TRACE.format("née", "")}</log>'
        path.write_bytes(text.encode(encoding))
        assert only(XesFile(path)).name == "née"
    path.write_text(
        '<x:log xmlns:x="http://www.xes-standard.org/"><x:trace><x:string key="concept:name" '
        'value="a"/></x:trace></x:log>'
    )
    assert only(XesFile(path)).name == "a"


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "now", "", "2026-13-01"])
def test_times_outside_the_calendar(text: str) -> None:
    """These are a ValueError, which the reader turns into a named fault."""
    with pytest.raises(ValueError, match=r".*"):
        moment(text)


@pytest.mark.parametrize("name", GOLD)
def test_the_real_logs(name: str) -> None:
    """Every case and event of real logs, none of them bad."""
    path = SHARED_DATA / "eventlogs" / name
    if not path.exists():
        pytest.skip(f"the real data is not here: {path} does not exist")
    file = XesFile(path)
    assert [case for case in file if case.fault is not None] == []
    assert (file.cases, file.events) == GOLD[name]


def test_a_mapping(tmp_path: Path) -> None:
    """TOML and JSON say the same; what no event has is found."""
    toml = tmp_path / "m.toml"
    toml.write_text('done = ["Z"]\n[[approvals]]\nasked = ["A"]\ngranted = ["B"]\n')
    json = tmp_path / "m.json"
    json.write_text('{"done": ["Z"], "approvals": [{"asked": ["A"], "granted": ["B"]}]}')
    mapping = read_mapping(toml)
    assert read_mapping(json) == mapping
    assert mapping.unused({"A", "Z"}) == ["B"]
    assert not mapping.is_done(CaseEvent("Y", None, None, None))
    assert mapping.is_done(CaseEvent("Z", "start", None, None))
    assert XesMapping().is_done(CaseEvent("Y", None, None, None))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("done = 1", "done: "),
        ("done = []", "done: "),
        ("ends = ['A']", "ends: Extra inputs"),
        ("[[approvals]]\ngranted = ['A']", r"approvals\.0\.asked: Field required"),
        ("done = [", "is no mapping"),
        ("\x00", "is no mapping"),
    ],
)
def test_a_bad_mapping_is_named(tmp_path: Path, content: str, told: str) -> None:
    """File and field."""
    path = tmp_path / "m.toml"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=told) as refused:
        read_mapping(path)
    assert str(path) in str(refused.value)
