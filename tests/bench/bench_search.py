"""How long does a search take among 100,000 documents of one user, and others' beside them?

The words are drawn as languages draw them (the n-th most common with weight 1/n), after the
commonest ones: those are stop words, which are not kept. A query is one to three words that one
document holds, common and rare ones as they come.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import partial
from itertools import accumulate

import psycopg
from psycopg import sql

from bench.conftest import Bench
from bench.harness import Row, p50_of, report
from workindex import WorkIndex
from workindex.eventlog.database import Database
from workindex.projections.evidence_functions import words_of
from workindex.projections.search import Hits

DOCUMENTS = int(os.environ.get("WORKINDEX_BENCH_DOCUMENTS", "100000"))
ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "3"))
WORDS = 40  # a document
VOCABULARY = 30_000
STOP_WORDS = 120
QUERIES = 60

# Binds: user, places, texts.
INSERT = f"""
INSERT INTO document (user_id, generation, id, text, source_kind, source_id, segment, thread_id,
                      sensitivity, occurred_at, created_position, source_position, words)
SELECT d.user_id, g.generation, 'message/M-' || d.place, d.text, 'message', 'M-' || d.place, 0,
       'TH-' || d.place %% 100, 'normal', now(), d.place, d.place,
       {words_of("d.text", "d.user_id")}
FROM unnest(%s::text[], %s::bigint[], %s::text[]) AS d(user_id, place, text),
     (SELECT 1 AS generation) g
"""
# Binds: user, places.
MESSAGES = """
INSERT INTO message (user_id, generation, message_id, thread_id, role, text, posted_at,
                     shown_approvals, attachments, sensitivity, redacted, created_position,
                     source_position)
SELECT %s, 1, 'M-' || place, 'TH-' || place %% 100, 'user', '', now(), '[]', '[]', 'normal', false,
       place, place
FROM unnest(%s::bigint[]) AS place
"""


def test_search(bench: Bench) -> None:
    """p50 of the public call: choose the generation, search, leave out what ended, decode."""
    drawn = random.Random(7)
    words = [_word(drawn) for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / (n + 1 + STOP_WORDS) for n in range(VOCABULARY)))
    texts = [" ".join(drawn.choices(words, cum_weights=weights, k=WORDS)) for _ in range(DOCUMENTS)]
    _load(bench, texts)
    queries = [
        " ".join(drawn.sample(drawn.choice(texts).split(), drawn.randint(1, 3)))
        for _ in range(QUERIES)
    ]
    database = Database(bench.app, maint_url=bench.maint)
    scope = WorkIndex(database).user("many")
    found = [scope.search(query) for query in queries]
    assert all(found), "a query of words that one document holds finds nothing"
    rounds = [_round(scope.search, queries) for _ in range(ROUNDS)]
    database.close()
    report(
        "search",
        [
            Row(
                f"full-text search, {DOCUMENTS:,} documents, p50",
                tuple(one * 1e3 for one in rounds),
                unit="ms",
                at_most=3,
            )
        ],
    )


def _round(search: Callable[[str], Hits], queries: list[str]) -> float:
    """The median over the queries of each one's median."""
    spans = p50_of({query: partial(search, query) for query in queries}, 10)
    return sorted(spans.values())[len(spans) // 2]


def _word(drawn: random.Random) -> str:
    return "".join(drawn.choices("abcdefghijklmnoprstuvwz", k=drawn.randint(3, 10)))


def _load(bench: Bench, texts: list[str]) -> None:
    """The documents and their messages, of one user, and a tenth of them of another."""
    with psycopg.connect(bench.owner, autocommit=True) as conn:
        for user, count in (("many", len(texts)), ("other", len(texts) // 10)):
            with conn.transaction():
                name = sql.Literal(user)
                conn.execute(sql.SQL("SET LOCAL workindex.user_id = {}").format(name))
                conn.execute("INSERT INTO user_log VALUES (%s, %s, 0)", (user, count))
                conn.execute(
                    "INSERT INTO projection_progress (user_id, projection_set, generation, "
                    "position, parked, skipped, open_count) SELECT %s, s, 1, %s, '{}', '{}', 0 "
                    "FROM unnest(ARRAY['inline', 'evidence']) AS s",
                    (user, count),
                )
                for first in range(0, count, 5_000):
                    some = texts[first : min(first + 5_000, count)]
                    places = list(range(first + 1, first + 1 + len(some)))
                    conn.execute(INSERT.encode(), ([user] * len(some), places, some))
                    conn.execute(MESSAGES.encode(), (user, places))
        conn.execute("VACUUM ANALYZE")
