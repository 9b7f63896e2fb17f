"""What of all that was offered fits: protected items whole or not at all, the rest by its turn.

Priorities 0 to 2 are never cut: where they alone exceed the limit there is no working set
(`ContextBudgetExceeded`). Priorities 3 and 4 first have to fit the ceiling of their lane, then all
of them together the target. Every offer is admitted or omitted exactly once, and what is omitted
says how to get it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from workindex.assembler.envelope import (
    LANES,
    Budget,
    Candidate,
    ContextItem,
    Lane,
    Omission,
    OverLimit,
)
from workindex.assembler.held import GOING, Held, counted
from workindex.assembler.offers import Offer
from workindex.assembler.policies import Policy
from workindex.assembler.rendering import Segment, rendered
from workindex.assembler.tokens import TokenCounter
from workindex.domain.errors import WorkindexError

TELLINGS_MAX: Final = 4
OVERHEAD_MAX: Final = 100  # tokens that the whole text may have more than its parts together
Tell = Callable[[Sequence[Omission]], Offer | None]
CEILED: Final[tuple[Lane, ...]] = ("evidence", "history", "tools", "state")


class ContextBudgetExceeded(WorkindexError):
    """What may never be cut is larger than the limit, so nothing was assembled.

    `clarification` is what to say to the person, the same for the same request.
    """

    code = "CONTEXT_BUDGET_EXCEEDED"

    def __init__(self, used: int, limit: int, largest: str, largest_tokens: int) -> None:
        super().__init__(
            f"what may not be cut takes {used} tokens, the limit is {limit}; the largest part is "
            f"{largest} with {largest_tokens}: store a pasted text as an artifact and name it, or "
            "give over_limit, a reason and a bucket",
            field="text" if largest == "request" else None,
        )
        self.used = used
        self.limit = limit
        self.largest = largest
        self.clarification = (
            "This is more than I can take in at once. Store the long part as a file and tell me "
            "what to look for in it."
            if largest == "request"
            else f"What belongs to this does not fit ({largest}). Ask about one thing at a time."
        )


class Fitted(NamedTuple):
    """The working set: items by lane with their token counts, and what became of every offer."""

    items: Mapping[Lane, tuple[ContextItem, ...]]
    segments: tuple[Segment, ...]
    budget: Budget
    omissions: tuple[Omission, ...]
    candidates: tuple[Candidate, ...]
    over_limit: OverLimit | None


def fit(
    offers: Sequence[Offer],
    fixed: Sequence[Segment],
    policy: Policy,
    counter: TokenCounter,
    over_limit: OverLimit | None = None,
    tell: Tell | None = None,
) -> Fitted:
    """Admit what fits. `fixed` are the policy, the output schema and the request, never cut.

    `over_limit` is the caller's reason and bucket for more than the policy's usual limit. `tell`
    gives the offer that tells what is left out, which takes room of its own.

    Raises: ContextBudgetExceeded.
    """
    fitting = _Fitting(offers, fixed, policy, counter, over_limit)
    return fitting.fitted() if tell is None else fitting.telling(tell)


class _Fitting:
    """One fit: every offer starts in `whole` and moves to `small` or `gone` at most once."""

    def __init__(
        self,
        offers: Sequence[Offer],
        fixed: Sequence[Segment],
        policy: Policy,
        counter: TokenCounter,
        over_limit: OverLimit | None,
    ) -> None:
        self.policy = policy
        self.counter = counter
        self.fixed = list(fixed)
        self.over_limit = over_limit
        self.limit = policy.limit if over_limit is None else policy.limit_max
        self.offered = counted(offers, counter)
        self.fixed_tokens = counter.count([segment.text for segment in fixed])

    def telling(self, tell: Tell) -> Fitted:
        """As `fitted`, with the offer that tells what is left out; where its own room leaves out
        more, it is told anew."""
        self._fill()
        told = None
        for _ in range(TELLINGS_MAX):
            offer = tell(self._omissions())
            if offer is None or offer == told:
                break
            told = offer
            self._fill(told)
        return self._result()

    def fitted(self) -> Fitted:
        """What fits, and what became of every offer."""
        self._fill()
        return self._result()

    def _start(self, told: Offer | None) -> None:
        """Everything is in."""
        self.held = [*self.offered]
        if told is not None:
            (one,) = counted([told], self.counter)
            self.held.append(one._replace(place=len(self.offered)))
        self.small: dict[int, str] = {}
        self.gone: dict[int, str] = {}
        self.used = sum(self.fixed_tokens) + sum(held.tokens for held in self.held)
        self.unprotected: dict[Lane, int] = dict.fromkeys(LANES, 0)
        for held in self.held:
            if not held.is_protected:
                self.unprotected[held.offer.lane] += held.tokens

    def _fill(self, told: Offer | None = None) -> None:
        """The whole algorithm, in order."""
        self._start(told)
        self._check_protected()
        # First of all: what has gone itself makes no duplicate of anything.
        self._trim(partial(self._is_full, "history"), "ceiling of lane history", "history")
        self._drop_duplicates()
        self._bound_evidence()
        for lane in CEILED:
            self._trim(partial(self._is_full, lane), f"ceiling of lane {lane}", lane)
        self._trim(lambda: self.used > self.policy.target, "target of the working set")
        self._trim(lambda: self.used > self.limit, "limit of the working set", last_turns=True)
        if self.used > self.limit - OVERHEAD_MAX:
            # The whole text counts a few tokens more than its parts.
            self.used = max(self.used, self._whole_tokens())
            self._trim(lambda: self.used > self.limit, "limit of the working set", last_turns=True)

    def _ceiling(self, lane: Lane) -> int:
        ceilings = self.policy.ceilings
        if lane == "tools":
            return ceilings.tool_index + ceilings.tools_loaded
        return int(getattr(ceilings, lane))

    def _is_full(self, lane: Lane) -> bool:
        return self.unprotected[lane] > self._ceiling(lane)

    def _cost(self, held: Held) -> int:
        if held.place in self.gone:
            return 0
        return held.smaller_tokens if held.place in self.small else held.tokens

    def _drop_duplicates(self) -> None:
        """Of offers that say the same, the most authoritative stays."""
        best: dict[str, Held] = {}
        by_trust = sorted(
            (held for held in self.held if held.place not in self.gone),
            key=lambda h: (h.offer.item.authority_rank, h.offer.item.priority, h.place),
        )
        for held in by_trust:
            names = [f"{held.offer.lane}:{held.offer.item.source_id}"]
            names += [held.offer.same_as] if held.offer.same_as is not None else []
            wholes = [held.offer.part_of] if held.offer.part_of is not None else []
            known = next((best[name] for name in (*names, *wholes) if name in best), None)
            if known is not None and not held.is_protected:
                self._let_go(held, f"duplicate of {known.offer.item.source_id}")
            for name in names:
                best.setdefault(name, held)

    def _check_protected(self) -> None:
        parts: dict[str, int] = {}
        for segment, tokens in zip(self.fixed, self.fixed_tokens, strict=True):
            parts[segment.lane] = parts.get(segment.lane, 0) + tokens
        for held in self.held:
            if held.is_protected:
                name = held.offer.item.source_id
                parts[name] = parts.get(name, 0) + held.tokens
        used = sum(parts.values())
        for lane, most in (
            ("request", self.policy.request_tokens_max),
            ("schema", self.policy.schema_tokens_max),
        ):
            if most is not None and parts.get(lane, 0) > most:
                raise ContextBudgetExceeded(parts[lane], most, lane, parts[lane])
        if used > self.limit:
            raise ContextBudgetExceeded(used, self.limit, *_largest(parts))

    def _bound_evidence(self) -> None:
        """Where the policy bounds single results and their number."""
        each, most = self.policy.evidence_each_max, self.policy.evidence_items_max
        evidence = [
            held
            for held in self.held
            if held.offer.lane == "evidence" and not held.is_protected and self._is_whole(held)
        ]
        kept = 0
        for held in sorted(evidence, key=lambda h: h.going, reverse=True):
            if each is not None and held.tokens > each:
                self._shrink(held, f"longer than {each} tokens")
            elif most is not None and kept >= most:
                self._shrink(held, f"more than {most} results")
            else:
                kept += 1

    def _trim(
        self,
        is_over: Callable[[], bool],
        reason: str,
        lane: Lane | None = None,
        *,
        last_turns: bool = False,
    ) -> None:
        if not is_over():
            return
        of_lane = (held for held in self.held if lane is None or held.offer.lane == lane)
        for held in sorted(of_lane, key=lambda one: one.going):
            if not is_over():
                return
            if GOING[held.offer.kind] >= GOING["last_turn"] and not last_turns:
                continue
            for one in self._together(held):
                self._shrink(one, reason)

    def _together(self, held: Held) -> Iterable[Held]:
        if held.offer.group is None:
            return (held,)
        return [one for one in self.held if one.offer.group == held.offer.group]

    def _is_whole(self, held: Held) -> bool:
        return held.place not in self.gone and held.place not in self.small

    def _shrink(self, held: Held, reason: str) -> None:
        """Put the smaller item in its place; let it go where there is none, or it went before."""
        if held.is_protected or held.place in self.gone:
            return
        if held.offer.smaller is None or held.place in self.small:
            self._let_go(held, reason)
            return
        self._pay(held, held.smaller_tokens - held.tokens)
        self.small[held.place] = reason

    def _let_go(self, held: Held, reason: str) -> None:
        self._pay(held, -self._cost(held))
        self.gone[held.place] = reason

    def _pay(self, held: Held, tokens: int) -> None:
        self.used += tokens
        self.unprotected[held.offer.lane] += tokens

    def _segments(self) -> tuple[Segment, ...]:
        """What is in, as text, in the order of the lanes."""
        of_lane: dict[Lane, list[Segment]] = {lane: [] for lane in LANES}
        for segment in self.fixed:
            of_lane[segment.lane].append(segment)
        for held in self.held:
            if held.place not in self.gone:
                text = held.smaller_text if held.place in self.small else held.text
                segment = Segment(held.offer.lane, text, held.offer.item.source_id)
                of_lane[segment.lane].append(segment)
        return tuple(segment for lane in LANES for segment in of_lane[lane])

    def _whole_tokens(self) -> int:
        return self.counter.count([rendered(self._segments())])[0]

    def _result(self) -> Fitted:
        items: dict[Lane, list[ContextItem]] = {lane: [] for lane in LANES}
        for held in self.held:
            if held.place in self.gone:
                continue
            item = (held.offer.smaller if held.place in self.small else None) or held.offer.item
            told = item.model_copy(update={"token_estimate": self._cost(held)})
            items[held.offer.lane].append(told)
        segments = self._segments()
        budget = self._budget(segments)
        if budget.used > self.limit:
            raise ContextBudgetExceeded(budget.used, self.limit, "overhead", 0)
        return Fitted(
            items={lane: tuple(found) for lane, found in items.items()},
            segments=segments,
            budget=budget,
            omissions=self._omissions(),
            candidates=tuple(self._candidate(held) for held in self.held),
            over_limit=self.over_limit if budget.used > self.policy.limit else None,
        )

    def _budget(self, segments: Sequence[Segment]) -> Budget:
        by_lane: dict[Lane, int] = dict.fromkeys(LANES, 0)
        for segment, tokens in zip(self.fixed, self.fixed_tokens, strict=True):
            by_lane[segment.lane] += tokens
        for held in self.held:
            by_lane[held.offer.lane] += self._cost(held)
        used = self.counter.count([rendered(segments)])[0]
        by_lane["overhead"] = used - sum(by_lane.values())
        reason = self.over_limit.reason if self.over_limit and used > self.policy.limit else None
        return Budget(
            target=self.policy.target,
            limit=self.limit,
            used=used,
            by_lane=by_lane,
            counter=self.counter.name,
            budget_reason=reason,
        )

    def _omissions(self) -> tuple[Omission, ...]:
        return tuple(self._omission(held) for held in self.held if self._reason(held))

    def _reason(self, held: Held) -> str | None:
        return self.gone.get(held.place) or self.small.get(held.place)

    def _omission(self, held: Held) -> Omission:
        return Omission(
            lane=held.offer.lane,
            source_id=held.offer.item.source_id,
            reason=self._reason(held) or "",
            recover_with=held.offer.recover_with,
        )

    def _candidate(self, held: Held) -> Candidate:
        item, is_gone = held.offer.item, held.place in self.gone
        return Candidate(
            source_id=item.source_id,
            lane=held.offer.lane,
            state="selected" if is_gone else "loaded",
            load_mode="reference" if held.place in self.small else held.offer.load_mode,
            decision="omitted" if is_gone else "admitted",
            reason=self._reason(held) or item.admission_reason,
            tokens=0 if is_gone else self._cost(held),
            observed_at=item.observed_at,
            authority=item.authority,
        )


def _largest(parts: Mapping[str, int]) -> tuple[str, int]:
    """What takes most, by its name and with its tokens: one thing, or all of one kind."""
    kinds: dict[str, list[str]] = {}
    for name in parts:
        kinds.setdefault(name.partition(":")[0], []).append(name)
    tokens = {kind: sum(parts[name] for name in names) for kind, names in kinds.items()}
    kind = max(tokens, key=lambda one: (tokens[one], one))
    names = kinds[kind]
    return names[0] if len(names) == 1 else f"{kind} ({len(names)} of them)", tokens[kind]
