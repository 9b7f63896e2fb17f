"""Searching a user's documents: which ones may be shown, the best first.

The function `search_documents` finds; the statement here chooses the generation, and leaves out
what has ended since: documents follow the log, but what is withdrawn, superseded, redacted or
forgotten is gone at once. That is asked of the inline rows while they stand at the head, else of
the log itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, get_args

from psycopg.rows import dict_row

from workindex.domain.artifacts import ArtifactStored
from workindex.domain.canonical import check_json
from workindex.domain.conversation_facts import MessagePosted
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Fact, Sensitivity, check_time, utc
from workindex.domain.meeting_facts import TranscriptAttached
from workindex.domain.memory import ClaimRecorded
from workindex.eventlog.append import json_text
from workindex.eventlog.database import Connection, Database, tenant_transaction
from workindex.projections.evidence import ENDINGS
from workindex.projections.evidence_functions import SEARCH_LIMIT_MAX
from workindex.projections.sets import EVIDENCE, INLINE, ProjectionSet

LIMIT_MAX: Final = 200
QUERY_CHARS_MAX: Final = 2_000
PER_SOURCE: Final = 3  # documents of one source before others come first
KINDS: Final = ("message", "claim", "artifact", "transcript")
SENSITIVITIES: Final = get_args(Sensitivity)
_ENTITIES: Final = ("thread", "meeting", "task", "message", "claim", "artifact", "subject")

# Binds: user, fold versions of both sets, query, filters, types of facts that end a source.
# No lock. One row a document, and one without a document (id NULL) where none was found. OFFSET 0
# keeps the looks at what has ended to one row each: hashed, they would read all that a user has.
SEARCH = """
WITH inline AS (
    SELECT p.generation, p.parked || p.skipped AS doubted FROM projection_progress p
    JOIN projection_generation g ON g.projection_set = 'inline' AND g.generation = p.generation
    JOIN user_log l ON l.user_id = p.user_id
    WHERE p.user_id = %(user)s AND p.projection_set = 'inline'
      AND g.fold_version = %(inline)s AND g.state IN ('live', 'kept') AND p.position = l.head
    ORDER BY (g.state = 'live') DESC, p.generation DESC LIMIT 1
), evidence AS (
    SELECT p.generation, p.position, p.parked FROM projection_progress p
    JOIN projection_generation g ON g.projection_set = 'evidence' AND g.generation = p.generation
    WHERE p.user_id = %(user)s AND p.projection_set = 'evidence'
      AND g.fold_version = %(evidence)s AND g.state IN ('live', 'kept')
    ORDER BY (g.state = 'live') DESC, p.position DESC, p.generation DESC LIMIT 1
)
SELECT l.head, e.position, e.parked, d.*
FROM user_log l
LEFT JOIN evidence e ON true
LEFT JOIN inline i ON true
LEFT JOIN LATERAL (
    SELECT f.*, CASE
        WHEN i.generation IS NULL OR i.doubted ?| ARRAY['conversation', 'memory'] THEN
            NOT EXISTS (
                SELECT FROM event x WHERE x.user_id = %(user)s AND x.type = ANY (%(endings)s)
                  AND x.stream = replace(f.source_kind, 'transcript', 'artifact')
                      || '/' || f.source_id OFFSET 0)
        WHEN f.source_kind = 'message' THEN EXISTS (
            SELECT FROM message m WHERE m.user_id = %(user)s AND m.generation = i.generation
              AND m.message_id = f.source_id AND NOT m.redacted OFFSET 0)
        WHEN f.source_kind = 'claim' THEN EXISTS (
            SELECT FROM claim c WHERE c.user_id = %(user)s AND c.generation = i.generation
              AND c.claim_id = f.source_id AND c.status = 'current' OFFSET 0)
        ELSE EXISTS (
            SELECT FROM artifact a WHERE a.user_id = %(user)s AND a.generation = i.generation
              AND a.artifact_id = f.source_id AND a.status = 'stored' OFFSET 0)
        END AS is_there
    FROM search_documents(%(user)s, %(query)s,
        %(filters)s::jsonb || jsonb_build_object('generation', e.generation)) f
    WHERE e.generation IS NOT NULL
) d ON true
WHERE l.user_id = %(user)s AND l.erased_at IS NULL
"""

WAITING_EVENTS_MAX: Final = 1_000
# The facts that make documents of a kind.
MADE_BY: Final[Mapping[str, tuple[type[Fact], ...]]] = {
    "message": (MessagePosted,),
    "claim": (ClaimRecorded,),
    "artifact": (ArtifactStored,),
    "transcript": (ArtifactStored, TranscriptAttached),
}
# Binds: user, the position after which to look, the last one, types of facts that make documents.
WAITING = """
SELECT CASE type WHEN 'transcript_attached' THEN 'artifact/' || (data ->> 'artifact_id')
       ELSE stream END
FROM event WHERE user_id = %s AND position > %s AND position <= %s AND type = ANY (%s)
"""


class Hit(NamedTuple):
    """One document that was found.

    `is_exact` says that the query names its id, thread, meeting or task; such hits come first.
    `rank` compares hits of one search only. `position` is the event that the document is from.
    """

    id: str
    text: str
    source_kind: str
    source_id: str
    segment: int
    first_turn: int | None
    last_turn: int | None
    thread_id: str | None
    meeting_id: str | None
    task_id: str | None
    subject: str | None
    role: str | None
    source: str | None
    sensitivity: str
    occurred_at: datetime
    expires_at: datetime | None
    position: int
    rank: float
    is_exact: bool


class Hits(list[Hit]):
    """Hits, the best first, and what was searched.

    `is_retry`: no document held every word, these hold some. `copies` have the text of a hit that
    is better, and are none themselves. `position` is how far the documents
    follow the log (None: nobody has begun), `head` how far the log is; `is_parked` that they stand
    still. `waiting` are the sources whose documents are still to be made, as references (None: too
    many to look at). Nothing found means nothing up to `position`, with these filters.
    """

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        *,
        is_retry: bool = False,
        position: int | None = None,
        head: int = 0,
        is_parked: bool = False,
        copies: Iterable[Hit] = (),
        waiting: Iterable[str] | None = None,
    ) -> None:
        super().__init__(hits)
        self.waiting = None if waiting is None else frozenset(waiting)
        self.copies = tuple(copies)
        self.is_retry = is_retry
        self.position = position
        self.head = head
        self.is_parked = is_parked

    def only(self, is_shown: Callable[[Hit], bool]) -> Hits:
        """Those that are shown; a copy of one that is not stands in for it."""
        texts: set[str] = set()
        hits: list[Hit] = []
        copies: list[Hit] = []
        for hit in filter(is_shown, (*self, *self.copies)):
            (copies if hit.text in texts else hits).append(hit)
            texts.add(hit.text)
        return self._with(hits, copies, self.waiting)

    def apart_from(self, sources: Collection[str]) -> Hits:
        """The same hits for somebody who knows these sources already, by their references."""
        waiting = None if self.waiting is None else self.waiting.difference(sources)
        return self._with(self, self.copies, waiting)

    def _with(
        self, hits: Sequence[Hit], copies: Iterable[Hit], waiting: Iterable[str] | None
    ) -> Hits:
        return Hits(
            hits,
            copies=copies,
            is_retry=self.is_retry and bool(hits),
            position=self.position,
            head=self.head,
            is_parked=self.is_parked,
            waiting=waiting,
        )

    @property
    def unsearched(self) -> str | None:
        """Why what is not found may be there all the same; None where nothing is waiting."""
        if self.is_parked:
            return f"the documents stand still at position {self.position}"
        count = self.head - (self.position or 0)
        if self.waiting is not None:
            count = min(count, len(self.waiting))
        if count <= 0:
            return None
        told = "1 event is" if count == 1 else f"{count} events are"
        return f"{told} not searched yet"

    def to_json(self) -> dict[str, Any]:
        """The document of `workindex search --json`."""
        return {
            "hits": [hit._asdict() for hit in self],
            "is_retry": self.is_retry,
            "position": self.position,
            "head": self.head,
            "is_parked": self.is_parked,
        }


class Filters(NamedTuple):
    """What to look among; empty means everything.

    `entities` are references such as `meeting/M-1`, `thread/TH-1`, `task/T-1`, `subject/home` or a
    source itself (`artifact/F-1`); one of them is enough. `sources` are names of imports.
    `sensitivity` lists what the caller may see. `since` is included, `until` is not.
    """

    kinds: Sequence[str] = ()
    entities: Sequence[str] = ()
    sources: Sequence[str] = ()
    sensitivity: Sequence[Sensitivity] = ("normal", "private", "restricted")
    since: datetime | None = None
    until: datetime | None = None


def search(
    database: Database,
    user_id: str,
    query: str,
    filters: Filters,
    *,
    limit: int,
    now: datetime | None = None,
    inline: ProjectionSet = INLINE,
) -> Hits:
    """Find documents of one user.

    Raises: InvalidInput for a query or a filter that is none; Unavailable.
    """
    with database.connection() as conn:
        return search_in(conn, user_id, query, filters, limit=limit, now=now, inline=inline)


def search_in(
    conn: Connection,
    user_id: str,
    query: str,
    filters: Filters,
    *,
    limit: int,
    now: datetime | None = None,
    inline: ProjectionSet = INLINE,
) -> Hits:
    """As `search`, in a transaction of this user where the connection has one."""
    told = _told(query, filters, limit, now)
    with tenant_transaction(conn, user_id):
        wanted = min(2 * limit + 20, SEARCH_LIMIT_MAX)
        while True:
            rows = _rows(conn, user_id, query, told | {"limit": wanted}, inline)
            chosen, copies = _diverse([row for row in rows if row["is_there"]], limit)
            # What ended since, or says the same, takes places: ask for more, once for all.
            if len(chosen) >= limit or len(rows) < wanted or wanted >= SEARCH_LIMIT_MAX:
                break
            wanted = SEARCH_LIMIT_MAX
        if not rows:
            return Hits()
        waiting = _waiting(conn, user_id, rows[0]["position"] or 0, rows[0]["head"], filters.kinds)
    return Hits(
        map(_hit, chosen),
        copies=map(_hit, copies),
        is_retry=any(row["is_retry"] for row in chosen),
        position=rows[0]["position"],
        head=rows[0]["head"],
        is_parked=bool(rows[0]["parked"]),
        waiting=waiting,
    )


def _waiting(
    conn: Connection, user_id: str, position: int, head: int, kinds: Sequence[str]
) -> list[str] | None:
    """The sources of documents after a position, None where that is too far back."""
    if head <= position:
        return []
    if head - position > WAITING_EVENTS_MAX:
        return None
    facts = {fact for kind in kinds or KINDS for fact in MADE_BY[kind]}
    types = [fact.model_fields["type"].default for fact in facts]
    found = conn.execute(WAITING, (user_id, position, head, types)).fetchall()
    return [source for (source,) in found]


def _rows(
    conn: Connection, user_id: str, query: str, told: dict[str, Any], inline: ProjectionSet
) -> list[dict[str, Any]]:
    binds = {
        "user": user_id,
        "query": query,
        "filters": json_text(told),
        "inline": inline.fold_version,
        "evidence": EVIDENCE.fold_version,
        "endings": [fact.model_fields["type"].default for fact in ENDINGS],
    }
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(SEARCH, binds).fetchall()


def _diverse(
    rows: Sequence[dict[str, Any]], limit: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The best rows, of each source a few before the others of it; and rows with their texts."""
    texts: set[str] = set()
    copies: list[dict[str, Any]] = []
    of_source: dict[tuple[str, str], int] = {}
    first: list[dict[str, Any]] = []
    later: list[dict[str, Any]] = []
    for row in rows:
        if row["text"] in texts:
            copies.append(row)
            continue
        texts.add(row["text"])
        source = (row["source_kind"], row["source_id"])
        of_source[source] = of_source.get(source, 0) + 1
        (first if of_source[source] <= PER_SOURCE or row["is_exact"] else later).append(row)
    chosen = [*first, *later][:limit]
    told = {row["text"] for row in chosen}
    return chosen, [row for row in copies if row["text"] in told][:limit]


def _hit(row: dict[str, Any]) -> Hit:
    values = {name: row[name] for name in Hit._fields if name != "position"}
    return Hit(**values, position=row["source_position"])


def _told(query: str, filters: Filters, limit: int, now: datetime | None) -> dict[str, Any]:
    """The filters as the function takes them."""
    if not isinstance(query, str) or not query.strip() or len(query) > QUERY_CHARS_MAX:
        raise InvalidInput(f"a query has 1 to {QUERY_CHARS_MAX:,} characters", field="query")
    check_json(query, "query")
    check_json(list(filters.entities), "entities")
    check_json(list(filters.sources), "sources")
    if type(limit) is not int or not 1 <= limit <= LIMIT_MAX:
        raise InvalidInput(f"limit {limit!r} is not 1 to {LIMIT_MAX}", field="limit")
    for field, given, known in (
        ("kinds", filters.kinds, KINDS),
        ("sensitivity", filters.sensitivity, SENSITIVITIES),
        ("entities", [ref.partition("/")[0] for ref in filters.entities], _ENTITIES),
    ):
        if wrong := sorted(set(given) - set(known)):
            how = " (a reference is such as meeting/M-1)" if field == "entities" else ""
            problem = f"{field}: {wrong[0]!r} is none of {', '.join(known)}{how}"
            raise InvalidInput(problem, field=field)
    told: dict[str, Any] = {"sensitivity": list(filters.sensitivity)}
    for field in ("kinds", "entities", "sources"):
        if given := list(getattr(filters, field)):
            told[field] = given
    for field, at in (("since", filters.since), ("until", filters.until), ("now", now)):
        if at is not None:
            check_time(at, field)
            told[field] = utc(at)
    return told
