"""How much of what a working set may hold: the two policies that are shipped, and custom ones.

A policy's core text is part of every prompt and is never cut; it is checked when it is loaded.
Numbers are tokens. Source: the lanes of docs/decisions/0018.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import Field, ValidationError, model_validator

from workindex.assembler.tokens import counter
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Frozen

Tokens = Annotated[int, Field(ge=0, le=1_000_000)]

CORE: Final = "policy_core.txt"
CORE_TOKENS_MAX: Final = 2_000


class Ceilings(Frozen):
    """What the unprotected items of each lane may take together."""

    tool_index: Tokens
    tools_loaded: Tokens
    state: Tokens
    history: Tokens
    evidence: Tokens


class Policy(Frozen):
    """One budget: `target` is what trimming aims at, above `limit` nothing is sent.

    `limit_max` is the limit where the caller gives a reason and a bucket for a larger one.
    `core_tokens_max` and `request_tokens_max` bound what is never cut. `turns_min` is how many
    whole turns of history stay, whatever they cost, `turns_max` how many there are at most.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,40}$")]
    version: Annotated[int, Field(ge=1)]
    core: str
    core_tokens_max: Tokens
    schema_tokens_max: Tokens
    request_tokens_max: Tokens | None
    target: Tokens
    limit: Tokens
    limit_max: Tokens
    ceilings: Ceilings
    evidence_each_max: Tokens | None = None
    evidence_items_max: Annotated[int, Field(ge=0, le=1_000)] | None = None
    candidates_max: Annotated[int, Field(ge=0, le=1_000)] | None = None
    turns_min: Annotated[int, Field(ge=0, le=100)] = 2
    turns_max: Annotated[int, Field(ge=1, le=1_000)] | None = None

    @property
    def full_name(self) -> str:
        """Name and version, as envelopes carry it."""
        return f"{self.name}/{self.version}"

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if not self.target <= self.limit <= self.limit_max:
            raise ValueError("target, limit and limit_max must rise")
        if self.turns_max is not None and self.turns_min > self.turns_max:
            raise ValueError("turns_min is above turns_max")
        used = counter("o200k_base").count([self.core])[0]
        if used > min(self.core_tokens_max, CORE_TOKENS_MAX):
            raise ValueError(f"the core has {used} tokens, more than {self.core_tokens_max}")
        return self


@cache
def shipped() -> Mapping[str, Policy]:
    """The policies `assistant` and `strict`."""
    core = (files("workindex.assembler") / CORE).read_text(encoding="utf-8")
    assistant = Policy(
        name="assistant",
        version=1,
        core=core,
        core_tokens_max=2_000,
        schema_tokens_max=2_000,
        request_tokens_max=None,
        target=16_000,
        limit=24_000,
        limit_max=40_000,
        ceilings=Ceilings(
            tool_index=1_000, tools_loaded=3_000, state=2_000, history=6_000, evidence=8_000
        ),
    )
    strict = Policy(
        name="strict",
        version=1,
        core=core,
        core_tokens_max=700,
        schema_tokens_max=500,
        request_tokens_max=650,
        target=3_000,
        limit=3_000,
        limit_max=3_000,
        ceilings=Ceilings(tool_index=150, tools_loaded=500, state=500, history=500, evidence=900),
        evidence_each_max=300,
        evidence_items_max=3,
        candidates_max=3,
        turns_max=4,
    )
    return {policy.name: policy for policy in (assistant, strict)}


def policy_named(name: str, settings: Path | None = None) -> Policy:
    """A shipped policy, or one of a settings file (TOML, a table `policy.<name>` each).

    A custom policy names what it changes; the rest is that of `based_on` (default `assistant`).

    Raises: InvalidInput naming the file, the policy and the field.
    """
    known = dict(shipped())
    if settings is not None:
        known |= _custom(settings, known)
    if not isinstance(name, str) or name not in known:
        raise InvalidInput(
            f"policy {str(name)[:100]!r} is not one of {', '.join(sorted(known))}: "
            "choose one, or give a settings file that has it",
            field="policy",
        )
    return known[name]


def _custom(settings: Path, known: Mapping[str, Policy]) -> dict[str, Policy]:
    try:
        document = tomllib.loads(settings.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # ValueError: no path, text or TOML
        raise InvalidInput(
            f"settings {settings} cannot be read: {error}: give a TOML file with a table "
            "[policy.NAME] (docs/turns.md)",
            field="settings",
        ) from error
    custom: dict[str, Policy] = {}
    for name, given in _table(settings, document, "policy", "policy").items():
        own = dict(_table(settings, {name: given}, name, f"policy.{name}"))
        base = own.pop("based_on", "assistant")
        if not isinstance(base, str) or base not in known:
            raise InvalidInput(
                f"{settings}: policy.{name} is based on unknown {base!r}: "
                f"choose one of {', '.join(sorted(known))}",
                field=f"policy.{name}.based_on",
            )
        ceilings = _table(settings, own, "ceilings", f"policy.{name}.ceilings")
        whole = known[base].model_dump() | {"name": name} | own
        whole["ceilings"] = known[base].ceilings.model_dump() | dict(ceilings)
        try:
            custom[name] = Policy.model_validate(whole)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            path = ".".join(map(str, ("policy", name, *problem["loc"])))
            raise InvalidInput(f"{settings}: {path}: {problem['msg']}", field=path) from error
    return custom


def _table(settings: Path, held: Mapping[str, Any], name: str, path: str) -> Mapping[str, Any]:
    found = held.get(name, {})
    if not isinstance(found, dict):
        raise InvalidInput(f"{settings}: {path} is not a table", field=path)
    return found
