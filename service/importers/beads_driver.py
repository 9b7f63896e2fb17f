"""How far does an import get? Steps go into the log one after the other, each once.

After each step the source's cursor names it, in the same append as the step's last facts, so an
import that is run again goes on after the last step that it finished; half a step that a crash
left is finished by the plan of its rest. A source is `partial` while steps are still to come and
`suspect` when a step would remove most of it and nobody accepted that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from workindex.domain.connections import ObserveSource
from workindex.domain.facts import Actor, Command
from workindex.projections.planning import Entry
from workindex.service.client import UserScope
from workindex.service.importers.beads import (
    Held,
    StepPlan,
    Wish,
    held_items,
    plan_step,
    reminded,
)
from workindex.service.importers.beads_files import Step, parse_step, raw_steps
from workindex.service.importers.session import (
    BATCH_COMMANDS_MAX,
    Accepting,
    Item,
    Order,
    Progress,
    Session,
    Suspicion,
    key_of,
)
from workindex.service.parsing import parse_command

COVERS = frozenset({"pending", "tasks"})


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
    accepting: Accepting = lambda _: None,
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

    def __init__(self, scope: UserScope, order: Order, steps: int, accepting: Accepting) -> None:
        self._session = Session(scope, order, COVERS, accepting)
        self._order = order
        self._steps = steps
        self._held: Mapping[str, Held] = {}
        self._applied = 0
        self.already = 0

    def begin(self, step_ids: Sequence[str]) -> None:
        """Looks at what the source holds and where the last run stopped."""
        index = self._session.begin()
        self._held = held_items(index.sections["tasks"], self._order.source)
        row = self._session.row
        cursor = row["cursor"] if row else None
        if cursor in step_ids:
            self.already = step_ids.index(cursor) + 1

    def remember(self, steps: Iterable[Step]) -> None:
        """Learns from the steps that are done what the rows do not hold."""
        self._held = reminded(self._held, steps)

    def take(self, step: Step, *, is_last: bool) -> bool:
        """Applies one step; False where it removes too much and nobody accepted that."""
        plan = plan_step(step, self._held, self._order.source)
        self._check_ids(step, plan)
        removal = Suspicion(step.label, len(plan.removed), len(self._held), len(plan.after))
        actor = self._session.remover(removal)
        if actor is None:
            self._record(step, [], self._session.observed("suspect"))
            return False
        seen = self._session.observed("whole" if is_last else "partial", cursor=step.step_id)
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
        row = self._session.row
        is_suspect = row is not None and row["state"] == "suspect"
        if not self._applied and self._session.stopped is None and not is_suspect:
            self._session.end()

    def outcome(self) -> Outcome:
        """What this run came to."""
        return Outcome(
            steps=self._steps,
            already=self.already,
            applied=self._applied,
            facts=self._session.facts,
            commands=dict(sorted(self._session.commands.items())),
            items=len(self._held),
            accepted=tuple(self._session.accepted),
            stopped=self._session.stopped,
        )

    def _check_ids(self, step: Step, plan: StepPlan) -> None:
        for item in plan.after:
            self._session.check_owner(f"task/{item}", f"{step.label}: issue {item}")

    def _record(
        self,
        step: Step,
        wishes: Sequence[Wish],
        seen: ObserveSource | None,
        actor: Actor | None = None,
    ) -> None:
        """One append; what it holds is stored whole or not at all."""
        items = [
            self._item(step, f"issue {wish.item_id}", parse_command(wish.command), wish.at)
            for wish in wishes
        ]
        if seen is not None:
            # Not the same report as that of an earlier run which stopped at this very position.
            at = self._order.started_at.isoformat()
            items.append(self._item(step, f"source {seen.source} at {at}", seen, None))
        self._session.record(items, actor)

    def _item(self, step: Step, name: str, command: Command, at: datetime | None) -> Item:
        """An item whose key says: this step, from this position on, this issue."""
        key = key_of(self._session.position, step.step_id[:16], command.type, name)
        occurred_at = None if at is None else min(at, self._order.started_at)
        return Item(
            f"{step.label}: {name}", Entry(command=command, key=key, occurred_at=occurred_at)
        )
