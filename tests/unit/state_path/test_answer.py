"""Verdict and words of answers over rows built by hand; NOW is noon UTC on 4 March 2026."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson
import pytest

from asking import ask, asked_for, ids, reading
from index_rows import NOW, approval, at, credit, meeting, proposal, reminder, rows, source, task
from workindex.assembler.state_path import NEEDS, StateQuestion, answer
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import utc
from workindex.projections.bounds import ITEMS_MAX

EMPTY = {"en": "Nothing needs you right now.", "zh": "现在没有需要你处理的事。"}
REASONS = (
    "lag",
    "parked",
    "fold_version",
    "rows_missing",
    "source_stale:calendar",
    "source_suspect:mail",
    "source_partial:mail",
    "provider_stale:openai",
    "recurrence:M-1",
    "replica",
    "no_tenant",
    "unknown_user",
    "erased",
    "unavailable",
)


# -- the negative, and what stands in its way


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_nothing_needs_you_is_said_exactly_on_proof(locale: str) -> None:
    """The one negative sentence of kind pending, word for word."""
    found = ask("What needs me?", task("T-1"), approval("A-1", status="granted"), locale=locale)
    assert (found.verdict, found.reasons, found.items, found.total) == ("proven_empty", (), (), 0)
    assert found.text == EMPTY[locale]


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("kind", NEEDS)
def test_no_negative_without_proof(kind: Any, locale: str, reason: str) -> None:
    """Each reason alone makes every kind unproven, in words and without a negative."""
    question = StateQuestion(kind)
    found = answer(question, reading(rows(), reasons=(reason,)), locale=locale)
    assert (found.verdict, found.reasons, found.total) == ("unproven", (reason,), 0)
    text = found.text.lower()
    assert "nothing" not in text
    assert not text.startswith(("no ", "没有", "现在没有"))
    assert "could not be confirmed" in text if locale == "en" else "无法确认" in text
    assert reason.partition(":")[2] in found.text


@pytest.mark.parametrize(("locale", "start"), [("en", "At least 1 "), ("zh", "至少有 1 ")])
def test_items_of_an_unproven_answer_begin_with_at_least(locale: str, start: str) -> None:
    """What was seen is told as a lower bound, with what could not be confirmed."""
    given = rows(task("T-1", requests=asked_for("input")))
    question = StateQuestion("pending")
    found = answer(question, reading(given, reasons=("lag",)), locale=locale)
    assert found.verdict == "unproven"
    assert ids(found) == ["T-1"]
    assert found.text.startswith(start)
    assert found.text.endswith(
        "Not confirmed beyond this: the index is behind the log."
        if locale == "en"
        else "除此之外无法确认：索引落后于日志。"
    )


def test_a_late_source_turns_the_negative_off() -> None:
    """A source that covers tasks is required for pending; one that covers credits is not."""
    late = source("calendar", covers=["tasks"], observed_through_at=at(hours=-2))
    other = source("bank", covers=["credits"], observed_through_at=at(hours=-2))
    assert ask("What needs me?", late).reasons == ("source_stale:calendar",)
    assert ask("What needs me?", other).verdict == "proven_empty"


def test_a_reading_that_failed_proves_nothing_and_one_without_rows_is_an_error() -> None:
    """An unreachable database is an answer; a kind that nobody fetched is a programmer's error."""
    question = StateQuestion("pending")
    failed = answer(question, reading({}, reasons=("unavailable",)))
    assert (failed.verdict, failed.total) == ("unproven", 0)
    with pytest.raises(KeyError):
        answer(question, reading({"task": [], "source": [], "user": []}))


@pytest.mark.parametrize("text", ["What needs me?", "my tasks", "meetings today", "有审批吗"])
@pytest.mark.parametrize("given", [(), (task("T-1", due_at=at(hours=1)), approval("A-1"))])
def test_an_earlier_position_is_named_and_is_never_now(text: str, given: tuple[Any, ...]) -> None:
    """The past is told as the past."""
    found = ask(text, *given, at_position=12)
    assert found.text.startswith(("At position 12 ", "在位置 12，"))
    assert "right now" not in found.text
    assert "现在" not in found.text


# -- one thing by its id


def test_an_id_is_exact_whatever_the_state_of_its_row() -> None:
    """Ended things are shown to who names them; an expired request is told as expired."""
    given = (
        task("T-12", "Move", status="blocked", blocked_by=["T-3"], blocked_reason="Keys"),
        task("T-13", status="done"),
        approval("A12", expires_at=NOW),
    )
    assert ask("status of task T-12", *given).text == (
        "Task T-12 “Move”: blocked by T-3: “Keys”; since 2026-03-02 12:00 UTC."
    )
    assert ids(ask("Is task T-13 done?", *given)) == ["T-13"]
    expired = ask("Is approval A12 still pending?", *given)
    assert expired.items[0].value == {"status": "expired"}
    assert "expired before anybody decided" in expired.text


def test_an_unknown_id_is_denied_only_with_proof() -> None:
    """The log is searched whole; without a proof it cannot say no."""
    known = ask("status of task T-9", task("T-1"))
    assert (known.verdict, known.text) == ("proven_empty", "There is no task T-9 in this log.")
    doubted = ask("status of task T-9", reasons=("lag",))
    assert doubted.text == (
        "Whether there is a task T-9 could not be confirmed: the index is behind the log."
    )


# -- form and limits


def test_a_long_list_becomes_counts_and_keeps_its_ids() -> None:
    """More than ten lines help nobody; the structured answer holds every id."""
    given = [task(f"T-{n:02}", requests=asked_for("input")) for n in range(8)]
    given += [approval(f"A-{n}") for n in range(3)]  # type: ignore[misc]
    found = ask("What needs me?", *given)
    assert found.text == "11 things need you: 8 tasks and 3 approvals."
    assert (len(found.items), found.total, found.truncated) == (11, 11, False)


def test_the_total_is_exact_where_the_items_are_cut() -> None:
    """Items are bounded; the count is not."""
    given = [task(f"T-{n:05}", requests=asked_for("input")) for n in range(ITEMS_MAX + 1)]
    found = ask("What needs me?", *given)
    assert (len(found.items), found.total, found.truncated) == (ITEMS_MAX, ITEMS_MAX + 1, True)


def test_a_number_asked_for_is_given_as_a_number() -> None:
    """How many: the headline alone."""
    assert ask("How many approvals are waiting?", approval("A-1")).text == "1 approval is waiting."


def test_titles_cannot_break_out_of_their_line() -> None:
    """Titles are data: one line, invisible signs written out, marks that do not close, bounded."""
    evil = "Pay”: ok\n- Task T-2 “\u202egnihtoN\x07" + "x" * 500
    found = ask("What needs me?", approval("A-1", evil))
    (line,) = found.text.splitlines()[1:]
    assert line.startswith("- Approval A-1 “Pay’: ok - Task T-2 \u2018\\u202egnihtoN\\u0007xxx")
    assert line.count("“") == line.count("”") == 1
    assert len(line) < 300
    assert found.items[0].title == evil


def test_the_document_has_the_shape_of_the_contract() -> None:
    """Field names in their order, JSON values only, zero tokens."""
    found = ask("What needs me?", approval("A-1", "Pay rent"))
    document = found.to_json()
    assert list(document) == [
        "kind",
        "filters",
        "verdict",
        "reasons",
        "text",
        "items",
        "total",
        "truncated",
        "certificate",
        "tokens",
    ]
    assert document["items"] == [
        {
            "kind": "approval",
            "id": "A-1",
            "title": "Pay rent",
            "why": "waits for your approval",
            "since_at": "2026-03-04T11:00:00+00:00",
            "due_at": "2026-03-04T13:00:00+00:00",
            "value": {"status": "requested"},
        }
    ]
    assert document["tokens"] == 0
    assert document["certificate"]["valid_until"] == "2026-03-04T13:00:00+00:00"
    assert orjson.loads(orjson.dumps(document)) == document


VALID_UNTIL = {
    "What needs me?": at(minutes=30),
    "Which tasks are overdue?": at(hours=3),
    "What tasks are due today?": at(hours=12),
    "any approvals?": at(minutes=40),
    "my reminders": at(minutes=30),
    "my meetings": at(hours=2),
    "meetings today": at(hours=2),
    "credits left?": at(minutes=50, microseconds=1),
    "any suggestions for me?": at(minutes=50),
}


@pytest.mark.parametrize(("text", "until"), VALID_UNTIL.items())
def test_the_certificate_ends_when_time_alone_may_change_the_answer(
    text: str, until: datetime
) -> None:
    """Expiry, reminder, start, midnight or age, whichever comes first for the kind."""
    found = ask(
        text,
        task("T-1", due_at=at(hours=3)),
        approval("A-1", expires_at=at(minutes=40)),
        reminder("R-1", remind_at=at(minutes=30)),
        meeting("M-1"),
        credit("main", "1"),
        proposal("P-1", expires_at=at(minutes=50)),
    )
    assert found.certificate["valid_until"] == utc(until)


def test_an_unknown_zone_or_locale_is_refused() -> None:
    """A wrong option is an error and never another day or language."""
    with pytest.raises(InvalidInput, match="Mars/Base"):
        ask("meetings today", tz="Mars/Base")
    with pytest.raises(InvalidInput, match="'fr'"):
        answer(StateQuestion("pending"), reading(rows()), locale="fr")
