"""One turn on its way through the stages: what was asked, what the caller decided, what is read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from pydantic import JsonValue

from workindex.assembler.admission import Admission
from workindex.assembler.envelope import OverLimit, UserRequest
from workindex.assembler.policies import Policy
from workindex.assembler.scope import Classifier, Scoped
from workindex.assembler.state_lane import Answers
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools import ToolAccess
from workindex.assembler.tools.sight import Seen, Sight
from workindex.domain.facts import Sensitivity

HISTORY: Final = "history"


class Settings(NamedTuple):
    """What a caller decides for every turn: the budget, who may see what, and the ports.

    `sight` is what the caller may be shown, `degraded` what already failed before the stages,
    `output_schema` the form that the model's answer must have.
    """

    policy: Policy
    counter: TokenCounter
    sight: Sight = Sight()
    classifier: Classifier | None = None
    over_limit: OverLimit | None = None
    degraded: tuple[str, ...] = ()
    tools: ToolAccess | None = None
    output_schema: JsonValue = None

    @property
    def sensitivity_max(self) -> Sensitivity:
        """The most sensitive thing that the caller may be shown."""
        return self.sight.sensitivity_max


class Turn(NamedTuple):
    """One turn on its way through the stages; `failed` are those that are left out."""

    snapshot: Seen
    request: UserRequest
    settings: Settings
    admission: Admission
    answers: Answers
    scoped: Scoped
    failed: frozenset[str] = frozenset()

    @property
    def has_messages(self) -> bool:
        """Whether messages and threads can be read."""
        return HISTORY not in self.failed

    @property
    def now(self) -> datetime:
        return self.answers.now

    def named(self, kind: str, ids: Sequence[str]) -> Sequence[Any]:
        """Rows by kind and exact id, as of the turn's position."""
        return self.snapshot.named(self.answers.base, kind, ids)

    def refs_of(self, kind: str) -> list[str]:
        """The ids in scope of one kind."""
        return [id_ for one, id_ in self.scoped.refs if one == kind]
