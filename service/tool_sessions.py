"""The calls of a turn: a session made from the working set that the model was given."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Sensitivity

if TYPE_CHECKING:  # the tokenizers and schemas behind it load with the first session
    from workindex.assembler.envelope import ContextEnvelope
    from workindex.assembler.tools import ToolAccess
    from workindex.assembler.tools.calls import Executor, ToolSession
    from workindex.assembler.tools.references import References
    from workindex.assembler.tools.sight import MaySee, Sight
    from workindex.projections.work_index import Reader
    from workindex.service.client import WorkIndex

SECRET = "WORKINDEX_SECRET"


class ToolSessions:
    """The part of a user's scope through which a model's calls come."""

    user_id: str
    _work_index: WorkIndex

    def tools(
        self,
        envelope: ContextEnvelope,
        access: ToolAccess | None = None,
        *,
        turn_id: str | None = None,
        references: References | None = None,
        executor: Executor | None = None,
        sensitivity_max: Sensitivity = "private",
        may_see: MaySee | None = None,
    ) -> ToolSession:
        """What the model may call in the turn of this working set.

        The groups whose schemas are in it are loaded, the references in it issued; tell the model
        `session.beside` too. Give the `access`, `sensitivity_max` and `may_see` with which it was
        assembled. `turn_id` is by default the message's. `references` keeps what the turns of
        several sessions were given; by default it is this session's own, or, where
        WORKINDEX_SECRET is set, tokens that every process with that secret resolves.

        Raises: InvalidInput for another user's working set, or no level or policy; WeakSecret.
        """
        from workindex.assembler.tools.sight import everything, sight_of

        if envelope.scope.user_id != self.user_id:
            raise InvalidInput(
                f"the working set is user {envelope.scope.user_id!r}'s, not {self.user_id!r}'s",
                field="envelope",
            )
        return session_of(
            envelope,
            self._work_index.reader,
            access,
            references or references_of_environment(),
            turn_id=turn_id or envelope.request.message_id or uuid4().hex,
            now=envelope.request.now or self._now(),
            executor=executor,
            sight=sight_of(sensitivity_max, everything if may_see is None else may_see),
        )

    def _now(self) -> datetime:
        clock = self._work_index.clock
        return datetime.now(UTC) if clock is None else clock()


def session_of(
    envelope: ContextEnvelope,
    reader: Reader,
    access: ToolAccess | None,
    references: References,
    *,
    turn_id: str,
    now: datetime,
    executor: Executor | None,
    sight: Sight,
) -> ToolSession:
    """The session of a working set: its groups loaded, its references issued."""
    from workindex.assembler.tokens import counter
    from workindex.assembler.tools import ToolAccess, ToolCatalogue, ToolRegistry
    from workindex.assembler.tools.calls import ToolSession, Turn

    known = access or ToolAccess(ToolCatalogue(ToolRegistry((), now)))
    session = ToolSession(
        Turn(envelope.scope.user_id, turn_id, now),
        reader,
        known.catalogue,
        references,
        counter(envelope.budget.counter),
        is_permitted=known.is_permitted,
        sight=sight,
        executor=executor,
        loaded=envelope.active_tool_groups,
    )
    items = (item for lane in envelope.lanes.values() for item in lane)
    session.show(items, envelope.omissions)
    return session


def references_of_environment() -> References:
    """Tokens signed with WORKINDEX_SECRET (newest first, comma between them), where it is set;
    else references that this process remembers.

    Raises: WeakSecret.
    """
    from workindex.assembler.tools.references import Issued
    from workindex.assembler.tools.signed import SignedReferences

    secrets = os.environ.get(SECRET)
    if not secrets:
        return Issued()
    return SignedReferences([secret.strip() for secret in secrets.split(",")])
