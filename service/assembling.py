"""Assembling the working set of a turn from what a caller gives: names, JSON and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict, Unpack

from pydantic import JsonValue, ValidationError

from workindex.assembler.admission import SURFACES
from workindex.assembler.assemble import assemble
from workindex.assembler.envelope import ContextEnvelope, OverLimit, UserRequest
from workindex.assembler.policies import policy_named
from workindex.assembler.scope import Classifier
from workindex.assembler.tokens import counter as counter_named
from workindex.assembler.tools import ToolAccess
from workindex.assembler.tools.sight import MaySee, everything, sight_of
from workindex.assembler.turn import Settings
from workindex.domain.canonical import check_json
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Sensitivity, check_time
from workindex.projections.recording import Clock
from workindex.projections.work_index import Reader
from workindex.service.parsing import NOT_A_TIME, is_time_text, shortened
from workindex.service.refreshing import (
    REFRESH_SECONDS,
    Records,
    StateProvider,
    refresh,
    stale_state,
)

# What a setting that is an object has to be, and an example of it.
TAKES: tuple[tuple[str, type, str], ...] = (
    ("over_limit", OverLimit, 'OverLimit(reason="…", bucket="…")'),
    ("tools", ToolAccess, 'ToolAccess(ToolCatalogue(registry_from_files("tools.json")))'),
    ("settings_file", Path, 'Path("policies.toml")'),
)
REQUEST_CHARS_MAX = 2_000_000
PROBLEMS_TOLD_MAX = 5
REFRESH_SECONDS_MAX = 60.0


def request_of(given: UserRequest | Mapping[str, Any]) -> UserRequest:
    """A request as the assembler takes it.

    Raises: InvalidInput naming what is wrong, the first field as its `field`.
    """
    if isinstance(given, UserRequest):
        return given
    if not isinstance(given, Mapping):
        raise InvalidInput('a request is an object such as {"text": "…"}', field="request")
    if not is_time_text(given.get("now")):
        check_json(given["now"], "now")
        raise InvalidInput(f"now: {NOT_A_TIME} (got {shortened(given['now'])})", field="now")
    try:
        return UserRequest.model_validate(dict(given))
    except ValidationError as error:
        problems = error.errors(include_url=False)
        field = ".".join(map(str, problems[0]["loc"]))
        told = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}"[:300]
            for one in problems[:PROBLEMS_TOLD_MAX]
        )
        told += " (workindex schema request shows the fields)"
        raise InvalidInput(told, field=field) from error


class AssembleSettings(TypedDict, total=False):
    """What a caller may decide: `policy` (assistant) or one of `settings_file`, `counter`
    (o200k_base), `sensitivity_max` (private) and `may_see`, which is asked with kind and row and
    hides what it does not say True to; a reason for more than the usual limit, and the `provider`
    that looks again at live state past its time, within `refresh_seconds`; the `tools` that there
    are for this principal; and the `output_schema` of the model's answer."""

    policy: str
    settings_file: Path | None
    counter: str
    sensitivity_max: Sensitivity
    may_see: MaySee
    classifier: Classifier | None
    over_limit: OverLimit | None
    provider: StateProvider | None
    refresh_seconds: float
    tools: ToolAccess | None
    output_schema: JsonValue


def assembled(
    records: Records,
    reader: Reader,
    user_id: str,
    given: UserRequest | Mapping[str, Any],
    clock: Clock | None = None,
    **chosen: Unpack[AssembleSettings],
) -> ContextEnvelope:
    """The working set of one turn; what a provider says on the way goes to `records`.

    Raises: InvalidInput for a request, a policy or a counter that is none; UnknownRecord;
    ContextBudgetExceeded; Unavailable.
    """
    _check_settings(chosen)
    sight = sight_of(chosen.get("sensitivity_max", "private"), chosen.get("may_see", everything))
    request = request_of(given)
    if len(request.text) > REQUEST_CHARS_MAX:
        raise InvalidInput(
            f"text has {len(request.text)} characters, more than {REQUEST_CHARS_MAX}: store it as "
            "an artifact and name that",
            field="text",
        )
    try:
        request.text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("text holds half a surrogate pair", field="text") from error
    if request.now is not None:
        check_time(request.now, "now")
    elif clock is not None:
        request = request.model_copy(update={"now": clock()})
    provider = chosen.get("provider")
    failures: list[str] = []
    if provider is not None and SURFACES[request.surface].has("live_state"):
        stale, failures = stale_state(reader, user_id, request.now)
        seconds = chosen.get("refresh_seconds", REFRESH_SECONDS)
        failures += refresh(records, provider, stale, within_seconds=seconds)
    settings = Settings(
        policy_named(chosen.get("policy", "assistant"), chosen.get("settings_file")),
        counter_named(chosen.get("counter", "o200k_base")),
        sight,
        chosen.get("classifier"),
        chosen.get("over_limit"),
        tuple(f"not refreshed: {failure}" for failure in failures),
        chosen.get("tools"),
        chosen.get("output_schema"),
    )
    return assemble(reader, user_id, request, settings)


def _check_settings(chosen: Mapping[str, Any]) -> None:
    """A misspelt setting would show, or spend, more than was asked for.

    Raises: InvalidInput.
    """
    names = AssembleSettings.__annotations__
    if unknown := sorted(set(chosen) - set(names)):
        raise InvalidInput(
            f"{unknown[0]!r} is no setting; there are {', '.join(names)}", field=unknown[0]
        )
    for name, kind, example in TAKES:
        if not isinstance(given := chosen.get(name), kind | None):
            told = f"{name} takes {kind.__name__}, not {type(given).__name__}: give {example}"
            raise InvalidInput(told, field=name)
    provider = chosen.get("provider")
    if provider is not None and not callable(getattr(provider, "observe", None)):
        raise InvalidInput("provider takes an object with observe", field="provider")
    seconds = chosen.get("refresh_seconds", REFRESH_SECONDS)
    if not isinstance(seconds, int | float) or not 0 <= seconds <= REFRESH_SECONDS_MAX:
        raise InvalidInput(
            f"refresh_seconds {str(seconds)[:40]} is not 0 to {REFRESH_SECONDS_MAX:g}",
            field="refresh_seconds",
        )
    check_json(chosen.get("output_schema"), "output_schema")
