"""Bodies of artifacts: exact, idempotent, by part and by turn, and of one user only."""

from __future__ import annotations

from hashlib import sha256

import pytest

from conftest import Urls
from engine import do_as_owner
from workindex import Actor, CommandRefused, InvalidInput, WorkIndex
from workindex.domain.errors import NotReady
from workindex.eventlog import content
from workindex.eventlog.content import PART_BYTES_MAX, Body, body_of
from workindex.eventlog.database import Database
from workindex.eventlog.transcripts import Turn, media_type, read_turns, to_parts
from workindex.projections.sets import INLINE

OCTETS = "application/octet-stream"
PARTS = [b"one", b"\n", b"\x00\xff", b"four"]


def turns(count: int) -> list[Turn]:
    """A conversation with texts that a line format could break on."""
    said = ["Hello", "", "two\nlines\r\n", "née 北京 🚆", "\u2028 \x85 \x1c", '"quoted" \\']
    return [Turn(n, f"Speaker {n % 3}", said[n % len(said)]) for n in range(count)]


def test_a_body_is_read_back_by_part(database: Database) -> None:
    """Whole, a range, beyond its end; storing it again changes nothing."""
    with database.connection() as conn:
        body = content.store(conn, "ann", PARTS, OCTETS)
        assert body == Body(sha256(b"".join(PARTS)).hexdigest(), 10, 4)
        assert content.store(conn, "ann", PARTS, OCTETS) == body
        assert content.read(conn, "ann", body.sha256) == PARTS
        assert content.read(conn, "ann", body.sha256, 1, 2) == PARTS[1:3]
        assert content.read(conn, "ann", body.sha256, 3, 99) == PARTS[3:]
        assert content.read(conn, "ann", body.sha256, 4, 9) == []
        assert content.read(conn, "ann", "0" * 64) == []
        empty = content.store(conn, "ann", [b""], OCTETS)
        assert content.read(conn, "ann", empty.sha256) == [b""]


def test_a_body_belongs_to_one_user(database: Database) -> None:
    """Another user with the same bytes has a copy of their own, and sees nothing before."""
    with database.connection() as conn:
        body = content.store(conn, "ann", PARTS, OCTETS)
        assert content.read(conn, "bob", body.sha256) == []
        assert content.store(conn, "bob", PARTS, OCTETS) == body
        assert content.read(conn, "bob", body.sha256) == PARTS


def test_parts_of_two_cuts_never_mix(database: Database) -> None:
    """The same bytes cut in another way are refused, and the first cut stays."""
    with database.connection() as conn:
        body = content.store(conn, "ann", [b"onetwo", b"three"], OCTETS)
        for other in ([b"one", b"twothree"], [b"onetwothree"], [b"onetwo", b"th", b"ree"]):
            with pytest.raises(InvalidInput, match="cut into other parts"):
                content.store(conn, "ann", other, OCTETS)
        assert content.read(conn, "ann", body.sha256) == [b"onetwo", b"three"]


def test_a_large_body_goes_in_several_statements(database: Database) -> None:
    """More than one statement's worth of parts, stored in one transaction."""
    parts = [bytes([n]) * PART_BYTES_MAX for n in range(9)]
    with database.connection() as conn:
        body = content.store(conn, "ann", parts, OCTETS)
        assert content.read(conn, "ann", body.sha256) == parts


@pytest.mark.parametrize("parts", [[], [b"x" * (PART_BYTES_MAX + 1)], [b"a", b""]], ids=len)
def test_limits(parts: list[bytes]) -> None:
    """A body has parts, and each has some bytes and not too many; an empty body has one."""
    with pytest.raises(InvalidInput, match="part"):
        body_of(parts)


@pytest.mark.parametrize("count", [0, 1, 4, 5, 6, 23])
def test_turns_are_read_back_by_range(database: Database, count: int) -> None:
    """Every range equals the slice of what was said, whatever the cut."""
    said = turns(count)
    media = media_type(5)
    with database.connection() as conn:
        body = content.store(conn, "ann", to_parts(said, 5), media)
        for first in range(count + 2):
            for last in range(count + 2):
                found = read_turns(conn, "ann", body.sha256, media, first, last)
                assert found == said[first : last + 1], (first, last)
        assert read_turns(conn, "ann", body.sha256, media, -1, 3) == []


@pytest.mark.parametrize("doubt", ["parked", "lag"])
def test_rows_in_doubt_give_no_body_and_deny_none(
    urls: Urls, work_index: WorkIndex, doubt: str
) -> None:
    """Where the rows may lack what the log says, a body is neither given out nor said not to be."""
    ann = work_index.user("ann")
    me = Actor(kind="user", id="ann")
    body = ann.bodies.store([b"text"], "text/plain")
    stored = {"type": "store_artifact", "title": "T", "media_type": "text/plain", **body._asdict()}
    ann.record({**stored, "artifact_id": "t"}, actor=me)
    change = {
        "parked": """parked = '{"memory": {"position": 1, "failed_position": 1}}'""",
        "lag": "position = 99",  # rows of a future that the log does not hold
    }
    do_as_owner(urls, f"UPDATE projection_progress SET {change[doubt]}")
    for artifact_id in ("t", "unknown"):
        with pytest.raises(NotReady, match=doubt):
            ann.bodies.read(artifact_id)


def test_a_body_whose_row_is_behind(urls: Urls, work_index: WorkIndex) -> None:
    """Events that the rows do not hold yet count: stored is stored, forgotten is forgotten."""
    ann = work_index.user("ann")
    me = Actor(kind="user", id="ann")
    body = ann.bodies.store([b"text"], "text/plain")
    stored = {"type": "store_artifact", "title": "T", "media_type": "text/plain", **body._asdict()}
    ann.record({**stored, "artifact_id": "old"}, actor=me)
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 99")
    ann.record({**stored, "artifact_id": "new"}, actor=me)
    ann.record({"type": "forget_artifact", "artifact_id": "old"}, actor=me)
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = %s", INLINE.fold_version)
    assert ann.bodies.read("new") == [b"text"]
    with pytest.raises(CommandRefused, match="forgotten"):
        ann.bodies.read("old")


def test_a_body_by_its_artifact(work_index: WorkIndex) -> None:
    """The public API: stored, named, read; a forgotten one is not given out."""
    ann = work_index.user("ann")
    me = Actor(kind="user", id="ann")
    body = ann.bodies.store(to_parts(turns(120)), media_type())
    assert body.parts == 3
    named = {"type": "store_artifact", "artifact_id": "t", "title": "T", "media_type": media_type()}
    ann.record({**named, **body._asdict()}, actor=me)
    assert ann.bodies.turns("t", 49, 101) == turns(120)[49:102]
    assert body_of(ann.bodies.read("t")) == body
    other = ann.bodies.store([b"text"], "text/plain")
    ann.record(
        {**named, **other._asdict(), "artifact_id": "o", "media_type": "text/plain"}, actor=me
    )
    with pytest.raises(InvalidInput, match="not a transcript"):
        ann.bodies.turns("o", 0, 1)
    ann.record({"type": "forget_artifact", "artifact_id": "t"}, actor=me)
    for artifact_id in ("t", "unknown"):
        with pytest.raises(CommandRefused, match=r"forgotten|no artifact"):
            ann.bodies.turns(artifact_id, 0, 1)
