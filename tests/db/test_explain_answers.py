"""An old answer is folded again; what is no answer is refused, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from conftest import Cluster
from driver import actor
from engine import question, task
from workindex import WorkIndex
from workindex.domain.errors import InvalidInput
from workindex.eventlog.database import Database
from workindex.service.explain import fold_again

ANN = actor("user")


@pytest.fixture(scope="module")
def work_index(cluster: Cluster) -> Iterator[WorkIndex]:
    """One database for all these tests: none of them but the first writes."""
    urls = cluster.clone()
    with WorkIndex(Database(urls.app)) as opened:
        yield opened
    cluster.drop(urls)


@pytest.fixture(scope="module")
def told(work_index: WorkIndex) -> dict[str, Any]:
    """What ann was told: one task waits for her."""
    scope = work_index.user("ann")
    scope.record(task("T-1"), actor=ANN)
    scope.record(question("T-1"), actor=ANN)
    found = scope.ask("What needs me?")
    assert found is not None
    return found.to_json()


@pytest.fixture
def answer(told: dict[str, Any]) -> dict[str, Any]:
    """A copy of the answer, to be changed."""
    return deepcopy(told)


def test_an_answer_and_its_certificate(work_index: WorkIndex, answer: dict[str, Any]) -> None:
    """The same log gives the same answer, also after it went on."""
    work_index.user("ann").record(question("T-1", "R-2"), actor=ANN)
    assert fold_again(work_index, answer, None).differences == []
    assert fold_again(work_index, answer["certificate"], None).differences == []
    answer["items"].append({"kind": "task", "id": "T-9"})
    answer["total"] = 2
    assert fold_again(work_index, answer, None).differences == [
        "total was 2, the log gives 1",
        "task/T-9 is only in the answer",
    ]


BAD: dict[str, tuple[Any, ...]] = {
    "items": (5, None, "x", {}, [5], [None], [[]], [{}], [{"kind": [], "id": {}}], [{"id": "T-1"}]),
    "filters": ("abc", 5, [1], [["a", "b"]], {"status": 5}, {"provider": []}, {"date": None}),
    "reasons": (5, None, "lag", [5], [None], {}),
    "certificate": (None, [], 5, "x", {}),
}
BAD_IN_CERTIFICATE: dict[str, tuple[Any, ...]] = {
    "user_id": (None, 5, "", " ann", "bob", [], "x" * 201),
    "position": (None, True, 1.0, "1", -1, 99, 2**70),
    "kind": (None, 5, "x", []),
    "as_of": (None, 5, "x", "2026-01-01", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
}


@pytest.mark.parametrize(("field", "value"), [(f, v) for f, many in BAD.items() for v in many])
def test_what_is_no_answer(
    work_index: WorkIndex, answer: dict[str, Any], field: str, value: Any
) -> None:
    """Every part of another shape is refused by its name, and never compared."""
    with pytest.raises(InvalidInput) as caught:
        fold_again(work_index, {**answer, field: value}, None)
    assert (caught.value.field or "").startswith(field if value != {} else "")


@pytest.mark.parametrize(
    ("field", "value"), [(f, v) for f, many in BAD_IN_CERTIFICATE.items() for v in many]
)
def test_what_is_no_certificate(
    work_index: WorkIndex, answer: dict[str, Any], field: str, value: Any
) -> None:
    """The same of the certificate; one of another user's position lies outside of that log."""
    answer["certificate"][field] = value
    for document in (answer, answer["certificate"]):
        with pytest.raises(InvalidInput):
            fold_again(work_index, document, "Asia/Tokyo")


@pytest.mark.parametrize(
    ("kind", "filters"),
    [
        ("tasks", {"status": "junk"}),
        ("tasks", {"date": "junk"}),
        ("meetings", {"date": "2026-02-30"}),
        ("reminders", {"date": ""}),
        ("credits", {"id": "x"}),
        ("connections", {"id": "x"}),
    ],
)
def test_filters_of_no_question(
    work_index: WorkIndex, answer: dict[str, Any], kind: str, filters: dict[str, str]
) -> None:
    """Filters that no question has are told apart from those that match nothing."""
    answer["certificate"]["kind"] = kind
    with pytest.raises(InvalidInput) as caught:
        fold_again(work_index, {**answer, "filters": filters}, None)
    assert caught.value.field == "filters"
