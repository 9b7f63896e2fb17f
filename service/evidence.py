"""What one user's scope offers of projections that follow the log: search, waiting, catch-up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Sensitivity
from workindex.projections.awaiting import Caught, catch_up_user, wait_for
from workindex.projections.bounds import Bounds
from workindex.projections.search import Filters, Hits, search
from workindex.projections.snapshot import snapshot

if TYPE_CHECKING:  # what assembles a turn loads with the first one
    from workindex.assembler.tools.sight import MaySee
    from workindex.service.client import WorkIndex

WAIT_SECONDS = 5.0
CATCH_UP_SECONDS = 60.0
EVERY_SENSITIVITY: tuple[Sensitivity, ...] = ("normal", "private", "restricted")


class Evidence:
    """The part of a user's scope that looks at what follows the log."""

    user_id: str
    _work_index: WorkIndex

    def search(
        self,
        text: str,
        *,
        limit: int = 20,
        kinds: Sequence[str] = (),
        entities: Sequence[str] = (),
        sources: Sequence[str] = (),
        sensitivity: Sequence[Sensitivity] = EVERY_SENSITIVITY,
        since: datetime | None = None,
        until: datetime | None = None,
        now: datetime | None = None,
        may_see: MaySee | None = None,
    ) -> Hits:
        """Documents that hold the words, the best first: messages, claims, artifacts, transcripts.

        A document holds every word, or, where none does, some of them (`is_retry`). An id in the
        text puts the documents of that entity first. `kinds` are message, claim, artifact and
        transcript, `entities` references such as `meeting/M-1`, `sources` names of imports,
        `sensitivity` what the caller may see, and `may_see` is asked with kind and row as in
        `assemble`; a claim that rests on what either hides is hidden too. `since` is included,
        `until` is not. What is withdrawn, superseded, redacted, forgotten or expired is never
        among them; what was just recorded may be missing: see `position` and `head` of the
        result, or `wait_for`.

        Raises: InvalidInput, also where `may_see` fails; Unavailable.
        """
        work_index = self._work_index
        if now is None and work_index.clock is not None:
            now = work_index.clock()
        filters = Filters(kinds, entities, sources, sensitivity, since, until)
        if may_see is not None or set(sensitivity) != set(EVERY_SENSITIVITY):
            return self._shown(may_see, text, filters, limit, now)
        return search(
            work_index.database,
            self.user_id,
            text,
            filters,
            limit=limit,
            now=now,
            inline=work_index.projection_set,
        )

    def _shown(
        self,
        may_see: MaySee | None,
        text: str,
        filters: Filters,
        limit: int,
        now: datetime | None,
    ) -> Hits:
        """The hits that the caller may see, read as of one position.

        A claim that rests on what may not be seen would tell it in other words.
        """
        from workindex.assembler.tools.finding import told_claims
        from workindex.assembler.tools.sight import Seen, everything, sight_of

        levels = [one for one in EVERY_SENSITIVITY if one in filters.sensitivity]
        sight = sight_of(
            levels[-1] if levels else "normal", everything if may_see is None else may_see
        )
        at = now or datetime.now(UTC)
        with snapshot(self._work_index.reader, self.user_id) as whole:
            seen = Seen(whole, sight.may_see)
            hits = seen.search(text, filters, limit=limit, now=at)
            base = whole.read({"claim": "named"}, now=at, bounds=Bounds(id=""))
            found = [hit.source_id for hit in (*hits, *hits.copies) if hit.source_kind == "claim"]
            claims = told_claims(seen, base, seen.named(base, "claim", found), sight)
        for failure in seen.stage().degraded:
            raise InvalidInput(failure, field="may_see")
        told = {claim.claim_id for claim in claims}
        return hits.only(lambda hit: hit.source_kind != "claim" or hit.source_id in told)

    def wait_for(
        self, position: int, projection: str = "evidence", timeout: float = WAIT_SECONDS
    ) -> None:
        """Return once the projection holds the log up to the position (of a receipt, say).

        `projection` is a set (inline, evidence) or a member (work_index, conversation, memory).
        `timeout` is in seconds. Somebody has to move it: `workindex worker`, or `catch_up`.

        Raises: StillBehind after the time, or at once where it is parked; Unavailable.
        """
        wait_for(
            self._work_index.database,
            self.user_id,
            position,
            sets=self._work_index.follower.sets,
            projection=projection,
            timeout_s=timeout,
        )

    def catch_up(self, timeout: float = CATCH_UP_SECONDS) -> list[Caught]:
        """Bring every projection of this user to the head of the log, in this process.

        `timeout`, in seconds, bounds the wait for others who hold the user. Returns one line for
        each generation that this program keeps. Raises: Unavailable.
        """
        work_index = self._work_index
        return catch_up_user(
            work_index.follower, work_index.database, self.user_id, timeout_s=timeout
        )
