"""parked, retry, skip, record --park and verify at the command line, as an operator meets them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from commands import Command
from conftest import Urls
from engine import do_as_owner


@pytest.fixture
def ann(urls: Urls, workindex: Command) -> Command:
    """A database in which the table of tasks refuses one title; two of ann's facts met that."""
    do_as_owner(urls, "ALTER TABLE work_task ADD CONSTRAINT no CHECK (title NOT LIKE 'poison%')")
    lines = [
        {"type": "create_task", "task_id": f"T-{number}", "title": title}
        for number, title in enumerate(("one", "poison 1", "two", "poison 2", "three"), start=1)
    ]
    workindex("record", "ann", input="\n".join(map(json.dumps, lines)))
    return workindex


def verdict(command: Command) -> tuple[str, list[str]]:
    found = command("ask", "ann", "what needs me?", "--json").document
    return found["verdict"], found["reasons"]


def parked(command: Command) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = command("projections", "parked", "--json").document["parked"]
    return found


def test_until_it_goes_on(urls: Urls, ann: Command) -> None:
    """Listed with everything that an operator asks, tried again, mended, whole."""
    assert verdict(ann) == ("unproven", ["parked"])
    (one,) = parked(ann)
    since = one.pop("since_at")
    assert since.startswith("20")
    assert "violates check constraint" in one.pop("reason")
    assert one == {
        "user_id": "ann",
        "projection_set": "inline",
        "generation": 1,
        "member": "work_index",
        "position": 2,
        "failed_position": 2,
        "event_type": "task_created",
        "attempts": 1,
    }
    shown = ann("projections", "parked").out
    assert "work_index" in shown
    assert "task_created" in shown
    failed = ann("projections", "retry", "ann", code=1)
    assert "inline 1, work_index: stands still at 2" in failed.out
    assert parked(ann)[0]["attempts"] == 2
    report = ann("projections", "verify", "--json", code=1).document
    assert [entry["user_id"] for entry in report["parked"]] == ["ann"]
    do_as_owner(urls, "ALTER TABLE work_task DROP CONSTRAINT no")
    done = ann("projections", "retry", "ann", "--json").document["done"]
    assert [(d["member"], d["events"], d["rows"], d["mark"]) for d in done] == [
        ("work_index", 4, 4, None)
    ]
    assert parked(ann) == []
    assert "nothing stands still" in ann("projections", "parked").out
    assert verdict(ann) == ("proven_empty", [])
    ann("projections", "verify")
    refused = ann("projections", "retry", "ann", "--json", code=3).document["error"]
    assert refused["code"] == "not_parked"


def test_left_out_for_good(ann: Command) -> None:
    """Two events are skipped one after the other: seen in every list, proofs off until taken."""
    skip = ("projections", "skip", "ann", "--member", "work_index")
    told = ann(*skip, "--reason", "a duplicate", code=1)
    assert "event 2 is left out" in told.out
    assert "stands still at 4" in told.out
    done = ann(*skip, "--reason", "another", "--accept-proof", "--json").document["done"]
    assert [(one["skipped"], one["mark"]) for one in done] == [(4, None)]
    assert verdict(ann) == ("unproven", ["skipped"])
    assert "left out of the index by hand" in ann("ask", "ann", "what needs me?").out
    listed = ann("projections", "parked", "--json").document
    assert listed["parked"] == []
    assert [(one["position"], one["accepted"], one["reason"]) for one in listed["skipped"]] == [
        (2, False, "a duplicate"),
        (4, True, "another"),
    ]
    assert "a duplicate" in ann("projections", "parked").out
    report = ann("projections", "verify", "--json", code=1).document
    assert report["differences"] == []
    assert [one["position"] for one in report["skipped"]] == [2, 4]
    assert "left out by hand" in ann("projections", "verify", code=1).out
    noted = ann("audit-log", "--json").out
    assert noted.count("projections skip") == 2
    assert "a duplicate" in noted


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("retry", "zoe"), 3, "invalid_input"),
        (("retry", "ann", "--member", "x"), 3, "invalid_input"),
        (("retry", "ann", "--member", "memory"), 3, "not_parked"),
        (("skip", "ann", "--member", "work_index", "--reason", " "), 3, "invalid_input"),
        (("skip", "ann", "--member", "work_index"), 2, "usage"),
        (("verify", "--sample", "0"), 2, "usage"),
        (("verify", "--seed", "3"), 2, "usage"),
        (("verify", "--sample", "2", "--user", "ann"), 2, "usage"),
        (("verify", "--repair", "zoe"), 3, "invalid_input"),
    ],
)
def test_wrong_calls(ann: Command, words: tuple[str, ...], code: int, told: str) -> None:
    """Each is refused by name, and nothing changes."""
    before = parked(ann)
    error = ann("projections", *words, "--json", code=code).document["error"]
    assert error["code"] == told
    assert parked(ann) == before


def test_repair_and_sample(urls: Urls, workindex: Command) -> None:
    """A damaged row is found, made anew and found no more; a sample tells its seed."""
    for user in ("ann", "bob"):
        workindex("record", user, input='{"type": "create_task", "task_id": "T-1", "title": "x"}')
    do_as_owner(urls, "UPDATE work_task SET title = 'y' WHERE user_id = 'bob'")
    report = workindex("projections", "verify", "--sample", "9", "--json", code=1).document
    assert [one["user_id"] for one in report["differences"]] == ["bob"]
    seed = str(report["seed"])
    again = workindex("projections", "verify", "--sample", "9", "--seed", seed, code=1)
    assert f"chosen by seed {seed}" in again.out
    mended = workindex("projections", "verify", "--repair", "bob")
    assert "rows made anew from 1 event" in mended.err
    assert "1 user, 1 event folded again: 0 differences" in mended.out
    workindex("projections", "verify")


def test_recorded_with_a_member_parked(urls: Urls, workindex: Command) -> None:
    """The facts are stored without that projection, and folded when it is told to go on."""
    line = {"type": "create_task", "task_id": "T-1", "title": "x"}
    sent = json.dumps(line)
    for words in ((), ("--bulk",)):
        workindex("record", "ann", "--park", "work_index", *words, input=sent)
        line["task_id"] = "T-2"
        sent = json.dumps(line)
    (one,) = parked(workindex)
    assert (one["position"], one["attempts"]) == (1, 0)
    assert one["reason"] == "parked by hand, so that the facts could be stored"
    assert do_as_owner(urls, "SELECT count(*) FROM work_task") == [(0,)]
    workindex("projections", "retry", "ann")
    assert do_as_owner(urls, "SELECT count(*) FROM work_task") == [(2,)]
    refused = workindex("record", "ann", "--park", "x", "--json", input=sent, code=3)
    assert json.loads(refused.out)["error"]["code"] == "invalid_input"
