"""A request in, the working set of its turn out: everything read as of one position.

The stages find, the lanes decide, and the manifest says what became of everything. What could not
be done is named in `degraded`, so that nothing that is missing passes for "there is none".
"""

from __future__ import annotations

import hashlib
import time

from workindex.assembler.envelope import (
    Candidate,
    ContextEnvelope,
    Manifest,
    Omission,
    UserRequest,
)
from workindex.assembler.lanes import Fitted, fit
from workindex.assembler.notices import left_out, notices
from workindex.assembler.offers import Stage, joined
from workindex.assembler.rendering import Segment, data, rendered, request_text
from workindex.assembler.running import run_stages, timed
from workindex.assembler.tools import active_groups
from workindex.assembler.tools.core import core_text
from workindex.assembler.turn import Settings, Turn
from workindex.projections.work_index import Reader


def assemble(
    reader: Reader, user_id: str, request: UserRequest, settings: Settings
) -> ContextEnvelope:
    """The working set of one turn.

    Raises: UnknownRecord, ContextBudgetExceeded, InvalidInput, Unavailable (also where the state
    of the turn cannot be told).
    """
    latency_ms: dict[str, float] = {}
    began = time.perf_counter()
    turn, found = run_stages(reader, user_id, request, settings, latency_ms)
    degraded = (*settings.degraded, *found.degraded)
    found = joined((found, notices(found.conflicts, degraded, turn.now)))
    fixed = _fixed(request, settings)
    fitted = timed(
        latency_ms,
        "fit",
        lambda: fit(
            found.offers,
            fixed,
            settings.policy,
            settings.counter,
            settings.over_limit,
            lambda omissions: left_out((*found.left, *omissions), turn.now),
        ),
    )
    latency_ms["whole"] = (time.perf_counter() - began) * 1e3
    return _envelope(turn, found, fitted, latency_ms)


def _fixed(request: UserRequest, settings: Settings) -> list[Segment]:
    """What is never cut: the policy's core, the schemas of the call, and the request itself."""
    core = settings.policy.core
    schemas = core_text() if settings.tools is not None else ""
    if settings.output_schema is not None:
        schemas += f"<output_schema>\n{data(settings.output_schema)}\n</output_schema>\n"
    fixed = [Segment("policy", core if core.endswith("\n") else f"{core}\n")]
    fixed += [Segment("schema", schemas)] if schemas else []
    return [*fixed, Segment("request", request_text(request))]


def _envelope(
    turn: Turn, found: Stage, fitted: Fitted, latency_ms: dict[str, float]
) -> ContextEnvelope:
    pending = turn.answers.pending
    left = tuple(_left(omission) for omission in found.left)
    active = active_groups(fitted.items["tools"])
    prefix = rendered([one for one in fitted.segments if one.lane in ("policy", "schema")])
    return ContextEnvelope(
        request=turn.request,
        scope=turn.scoped.scope,
        policy_version=turn.settings.policy.full_name,
        prefix=prefix,
        tools=fitted.items["tools"],
        current_state=fitted.items["state"],
        recent_history=fitted.items["history"],
        retrieved_evidence=fitted.items["evidence"],
        active_tool_groups=active,
        budget=fitted.budget,
        omissions=(*found.left, *fitted.omissions),
        conflicts=found.conflicts,
        proof={
            "verdict": pending.verdict,
            "reasons": list(pending.reasons),
            "certificate": pending.certificate,
        },
        manifest=Manifest(
            candidates=(*fitted.candidates, *left),
            retrieval=found.retrieval,
            active_tool_groups=active,
            tokens_by_component=dict(fitted.budget.by_lane),
            latency_ms=latency_ms,
            degraded=(*turn.settings.degraded, *found.degraded),
            over_limit=fitted.over_limit,
            prefix_sha256=hashlib.sha256(prefix.encode()).hexdigest(),
        ),
    )


def _left(omission: Omission) -> Candidate:
    """Something that a stage left out before the lanes saw it."""
    return Candidate(
        source_id=omission.source_id,
        lane=omission.lane,
        state="discoverable",
        load_mode="reference",
        decision="omitted",
        reason=omission.reason,
        tokens=0,
    )
