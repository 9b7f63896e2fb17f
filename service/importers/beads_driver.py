"""How far does an import get? Steps go into the log one after the other, each once.

After each step the source's cursor names it, in the same append as the step's last facts, so an
import that is run again goes on after the last step that it finished; half a step that a crash
left is finished by the plan of its rest. A source is `partial` while steps are still to come and
`suspect` when a step would remove most of it and nobody accepted that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from workindex.domain.connections import ObserveSource
from workindex.domain.errors import BatchRefused, CommandRefused, NotReady
from workindex.domain.facts import Actor, Command
from workindex.projections.planning import Entry
from workindex.service.client import UserScope, parse_command
from workindex.service.importers.beads import (
    Held,
    StepPlan,
    Wish,
    held_items,
    plan_step,
    reminded,
    removes_too_much,
)
from workindex.service.importers.beads_files import Step, parse_step, raw_steps

BATCH_COMMANDS_MAX = 500
COVERS = frozenset({"pending", "tasks"})
# Reasons for which the rows may not be what the log says; a stale source is not one of them.
_ROWS_UNSURE = frozenset({"lag", "parked", "fold_version", "rows_missing", "replica", "erased"})
_KEY_LENGTH_MAX = 180


class Order(NamedTuple):
    """What is imported: whose, from where, seen when, and who accepts removals (if anybody)."""

    paths: Sequence[Path]
    source: str
    fresh_seconds: int
    started_at: datetime
    accepted_by: Actor | None = None


class Progress(NamedTuple):
    """One step is done; `number` counts from 1."""

    number: int
    steps: int
    label: str


class Suspicion(NamedTuple):
    """A step that removes too much; unless somebody accepts it, the import ends there."""

    label: str
    removes: int
    held: int
    after: int


class Outcome(NamedTuple):
    """What an import came to; `commands` counts those that changed something, by type."""

    steps: int
    already: int
    applied: int
    facts: int
    commands: Mapping[str, int]
    items: int
    accepted: tuple[str, ...]
    stopped: Suspicion | None


def import_beads(
    scope: UserScope,
    order: Order,
    told: Callable[[Progress], None] = lambda _: None,
    accepting: Callable[[Suspicion], None] = lambda _: None,
) -> Outcome:
    """Brings the user's tasks of this source to what the files say.

    `told` hears of each step that is done, `accepting` of each suspicious one before it is
    applied in the name of `accepted_by`.

    Raises: InvalidInput, CommandRefused at the first step that cannot be applied (the steps
    before it are); NotReady where the user's rows cannot be trusted.
    """
    step_ids = [raw.step_id for raw in raw_steps(order.paths)]
    run = _Run(scope, order, len(step_ids), accepting)
    run.begin(step_ids)
    if 0 < run.already < len(step_ids):
        run.remember(map(parse_step, islice(raw_steps(order.paths), run.already)))
    for number, raw in enumerate(raw_steps(order.paths), start=1):
        if number <= run.already:
            continue
        step = parse_step(raw)
        if not run.take(step, is_last=number == len(step_ids)):
            break
        told(Progress(number, len(step_ids), step.label))
    run.end()
    return run.outcome()


class _Run:
    """One run of an import."""

    def __init__(
        self, scope: UserScope, order: Order, steps: int, accepting: Callable[[Suspicion], None]
    ) -> None:
        self._scope = scope
        self._order = order
        self._steps = steps
        self._accepting = accepting
        self._held: Mapping[str, Held] = {}
        self._elsewhere: Mapping[str, str | None] = {}
        self._row: Mapping[str, Any] | None = None
        self._position = 0
        self._facts = 0
        self._applied = 0
        self._commands: Counter[str] = Counter()
        self._accepted: list[str] = []
        self._stopped: Suspicion | None = None
        self.already = 0

    def begin(self, step_ids: Sequence[str]) -> None:
        """Looks at what the source holds and where the last run stopped."""
        index = self._scope.index()
        unsure = sorted(_ROWS_UNSURE & set(index.proof.reasons))
        if unsure:
            raise NotReady(
                f"the Work Index of {self._scope.user_id} is not certain ({', '.join(unsure)}): "
                f"run workindex projections verify, then import again"
            )
        source = self._order.source
        tasks, sources = index.sections["tasks"], index.sections["sources"]
        self._held = held_items(tasks, source)
        self._elsewhere = {t["task_id"]: t["source"] for t in tasks if t["source"] != source}
        self._row = next((row for row in sources if row["source"] == source), None)
        self._position = index.position
        cursor = self._row["cursor"] if self._row else None
        if cursor in step_ids:
            self.already = step_ids.index(cursor) + 1

    def remember(self, steps: Iterable[Step]) -> None:
        """Learns from the steps that are done what the rows do not hold."""
        self._held = reminded(self._held, steps)

    def take(self, step: Step, *, is_last: bool) -> bool:
        """Applies one step; False where it removes too much and nobody accepted that."""
        plan = plan_step(step, self._held, self._order.source)
        self._check_ids(step, plan)
        actor = self._importer
        if removes_too_much(plan, self._held):
            found = Suspicion(step.label, len(plan.removed), len(self._held), len(plan.after))
            if self._order.accepted_by is None:
                self._stopped = found
                self._record(step, [], self._observed("suspect"), actor)
                return False
            actor = self._order.accepted_by
            self._accepting(found)
            self._accepted.append(step.label)
        seen = self._observed("whole" if is_last else "partial", cursor=step.step_id)
        wishes = plan.wishes
        while len(wishes) > BATCH_COMMANDS_MAX:
            self._record(step, wishes[:BATCH_COMMANDS_MAX], None, actor)
            wishes = wishes[BATCH_COMMANDS_MAX:]
        self._record(step, wishes, seen, actor)
        self._held = plan.after
        self._applied += 1
        return True

    def end(self) -> None:
        """Nothing was new: the source has been seen all the same."""
        is_suspect = self._row is not None and self._row["state"] == "suspect"
        if not self._applied and self._stopped is None and not is_suspect:
            receipt = self._scope.record(
                self._observed("whole"), actor=self._importer, source=self._order.source
            )
            self._facts += len(receipt.positions)

    def outcome(self) -> Outcome:
        """What this run came to."""
        return Outcome(
            steps=self._steps,
            already=self.already,
            applied=self._applied,
            facts=self._facts,
            commands=dict(sorted(self._commands.items())),
            items=len(self._held),
            accepted=tuple(self._accepted),
            stopped=self._stopped,
        )

    @property
    def _importer(self) -> Actor:
        return Actor(kind="import", id=self._order.source)

    def _check_ids(self, step: Step, plan: StepPlan) -> None:
        for item in plan.after:
            if item in self._elsewhere:
                other = self._elsewhere[item]
                owner = f"belongs to source {other}" if other else "was not imported"
                raise CommandRefused(
                    "item_of_other_source",
                    f"{step.label}: issue {item}: there is a task {item} already, which {owner}: "
                    f"rename one of them or import with --source {other or 'NAME'}",
                    field="id",
                )

    def _observed(self, state: str, *, cursor: str | None = None) -> ObserveSource:
        covers = COVERS | set(self._row["covers"] if self._row else ())
        return ObserveSource.model_validate(
            {
                "source": self._order.source,
                "observed_through": self._order.started_at,
                "covers": sorted(covers),
                "fresh_seconds": self._order.fresh_seconds,
                "state": state,
                "cursor": cursor,
            }
        )

    def _record(
        self, step: Step, wishes: Sequence[Wish], seen: ObserveSource | None, actor: Actor
    ) -> None:
        """One append; what it holds is stored whole or not at all."""
        entries = [
            self._entry(step, wish.item_id, parse_command(wish.command), wish.at) for wish in wishes
        ]
        if seen is not None:
            entries.append(self._entry(step, f"source-{seen.state}", seen, None))
        try:
            receipts = self._scope.record_all(entries, actor=actor, source=self._order.source)
        except (BatchRefused, CommandRefused) as error:
            place, cause = (
                (error.index, error.__cause__) if isinstance(error, BatchRefused) else (0, error)
            )
            culprit = entries[place].command.stream.replace("task/", "issue ")
            raise CommandRefused(
                error.code,
                f"{step.label}: {culprit}: {cause}",
                field=error.field,
            ) from error
        for entry, receipt in zip(entries, receipts, strict=True):
            if receipt.positions:
                self._facts += len(receipt.positions)
                self._position = max(self._position, *receipt.positions)
                self._commands[entry.command.type] += 1

    def _entry(self, step: Step, item: str, command: Command, at: datetime | None) -> Entry:
        """An entry whose key says: this step, from this position on, this item."""
        key = f"{self._position}:{step.step_id[:16]}:{command.type}:{item}"
        if len(key) > _KEY_LENGTH_MAX:
            key = sha256(key.encode()).hexdigest()
        occurred_at = None if at is None else min(at, self._order.started_at)
        return Entry(command=command, key=key, occurred_at=occurred_at)
