"""Is what was said found? Ours beside plain BM25, in one run, on questions that none of us wrote.

A question counts as answered at k where one of the first k results lies in what people marked as
its answer. Plain BM25 takes words as they are, without stems. Results of ours that are passages
count by their turns' own range, so the measure is the same for both.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench.conftest import Bench
from driver import actor
from workindex.assembler.ranking import Corpus
from workindex.eventlog.database import Database
from workindex.service.client import UserScope, WorkIndex

DATA = Path(__file__).parents[3] / "shared" / "data"
AT = (1, 5, 10)
WORD = re.compile(r"\w+")


class Asked(NamedTuple):
    """One question about one meeting, and the turns that answer it."""

    meeting: int
    text: str
    gold: frozenset[int]


Rank = Callable[[Asked], Sequence[tuple[int, int]]]


def test_meetings() -> None:
    """Inside the named meeting, and pooled over all meetings without and with its id."""
    if not DATA.is_dir():
        pytest.skip("../shared/data is absent: there are no meetings to search")
    meetings, asked = _meetings()
    plain = [_Plain([turn for _, turn in turns]) for turns in meetings]
    ours = [_ours(turns) for turns in meetings]
    pooled = [(m, place) for m, turns in enumerate(meetings) for place in range(len(turns))]
    plain_pool = _Plain([turn for turns in meetings for _, turn in turns])
    our_pool = _ours([turn for turns in meetings for turn in turns])

    def inside(one: Asked) -> list[tuple[int, int]]:
        best = ours[one.meeting].best_turns(one.text, max(AT))
        return [(one.meeting, place) for place in best]

    print(f"\n{len(asked)} questions about {len(meetings)} meetings, hit@{'/'.join(map(str, AT))}")
    _print("plain BM25, inside the meeting", asked, lambda one: [
        (one.meeting, place) for place in plain[one.meeting].best(one.text, max(AT))
    ])  # fmt: skip
    _print("ours, inside the meeting (by its exact id)", asked, inside)
    _print("plain BM25, pooled", asked, lambda one: [
        pooled[at] for at in plain_pool.best(one.text, max(AT))
    ])  # fmt: skip
    _print("ours, pooled without an id", asked, lambda one: [
        pooled[at] for at in our_pool.best_turns(one.text, max(AT))
    ])  # fmt: skip


def test_conversations(bench: Bench) -> None:
    """Two long conversations, searched as the product does: documents, then the ranking."""
    if not DATA.is_dir():
        pytest.skip("../shared/data is absent: there are no conversations to search")
    print()
    with WorkIndex(Database(bench.app, maint_url=bench.maint)) as work_index:
        for name in ("student", "notetaker"):
            messages = _messages(name)
            scope = work_index.user(name)
            _post(scope, messages)
            work_index.catch_up()
            asked = _questions(name, messages)
            plain = _Plain(messages)
            print(f"{name}: {len(asked)} questions, {len(messages)} messages")
            _print("plain BM25", asked, lambda one, plain=plain: [
                (0, place) for place in plain.best(one.text, max(AT))
            ])  # fmt: skip
            _print("ours, as evidence of a turn", asked, lambda one, scope=scope: [
                (0, place) for place in _evidence(scope, one.text)
            ])  # fmt: skip


def _ours(turns: Sequence[tuple[str, str]]) -> Corpus:
    return Corpus([f"{who} {text}" for who, text in turns], [who for who, _ in turns])


def _print(name: str, asked: Sequence[Asked], rank: Any) -> None:
    hits = Counter[int]()
    for one in asked:
        found = rank(one)
        for k in AT:
            hits[k] += any(m == one.meeting and place in one.gold for m, place in found[:k])
    told = " / ".join(f"{100 * hits[k] / len(asked):.1f}" for k in AT)
    print(f"  {name:48} {told} %")


class _Plain:
    """BM25 as textbooks have it (k1 1.5, b 0.75), words as they are."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._bags = [Counter(WORD.findall(text.lower())) for text in texts]
        self._lengths = [sum(bag.values()) for bag in self._bags]
        self._mean = sum(self._lengths) / len(self._lengths)
        self._having: dict[str, list[int]] = {}
        for place, bag in enumerate(self._bags):
            for word in bag:
                self._having.setdefault(word, []).append(place)

    def best(self, query: str, limit: int) -> list[int]:
        found: dict[int, float] = {}
        for word in WORD.findall(query.lower()):
            having = self._having.get(word, ())
            rarity = math.log(1 + (len(self._bags) - len(having) + 0.5) / (len(having) + 0.5))
            for place in having:
                often = self._bags[place][word]
                length = 0.25 + 0.75 * self._lengths[place] / self._mean
                found[place] = found.get(place, 0.0) + rarity * often * 2.5 / (often + 1.5 * length)
        return sorted(found, key=lambda place: (-found[place], place))[:limit]


def _meetings() -> tuple[list[list[tuple[str, str]]], list[Asked]]:
    meetings: list[list[tuple[str, str]]] = []
    asked: list[Asked] = []
    for number, path in enumerate(sorted((DATA / "qmsum" / "val").glob("*.json"))):
        document = json.loads(path.read_text(encoding="utf-8"))
        turns = [(turn["speaker"], turn["content"]) for turn in document["meeting_transcripts"]]
        meetings.append(turns)
        for query in document["specific_query_list"]:
            spans = [(int(a), int(b)) for a, b in query["relevant_text_span"]]
            gold = frozenset(turn for a, b in spans for turn in range(a, b + 1))
            asked.append(Asked(number, query["query"], gold))
    return meetings, asked


def _messages(name: str) -> list[str]:
    path = DATA / "bfcl" / "memory" / f"memory_{name}.json"
    lines = path.read_text(encoding="utf-8").splitlines()
    return [
        message["content"]
        for line in lines
        for turn in json.loads(line)["question"]
        for message in turn
        if message["role"] == "user"
    ]


def _questions(name: str, messages: Sequence[str]) -> list[Asked]:
    """Those whose source sentence stands in a message word for word, as far as it was quoted."""
    folder = DATA / "bfcl" / "memory"
    answers = {
        one["id"]: one
        for one in map(json.loads, (folder / "answers.json").read_text("utf-8").splitlines())
    }
    asked = []
    for line in (folder / "questions.json").read_text("utf-8").splitlines():
        one = json.loads(line)
        source = answers.get(one["id"], {}).get("source", "")
        if one.get("scenario") != name or not source:
            continue
        first = _squeezed(source.split("...")[0])[:60]
        gold = frozenset(n for n, text in enumerate(messages) if first and first in _squeezed(text))
        if gold:
            asked.append(Asked(0, one["question"][0][0]["content"], gold))
    return asked


def _squeezed(text: str) -> str:
    return " ".join(WORD.findall(text.lower()))


def _post(scope: UserScope, messages: Sequence[str]) -> None:
    scope.record_all(
        [
            {
                "type": "post_message",
                "thread_id": "long",
                "message_id": f"m{n}",
                "role": "user",
                "text": text,
            }
            for n, text in enumerate(messages)
        ],
        actor=actor("user"),
    )


def _evidence(scope: UserScope, text: str) -> list[int]:
    """The messages that a turn of another thread is given as evidence, in their order."""
    envelope = scope.assemble({"text": text, "thread_id": "other"})
    ids = (item.source_id for item in envelope.retrieved_evidence)
    return [int(id_.removeprefix("message:m")) for id_ in ids if id_.startswith("message:m")]
