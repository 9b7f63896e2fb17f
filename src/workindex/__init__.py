"""The state a personal agent may trust: an event log, the Work Index, answers with a proof.

    from workindex import Actor, WorkIndex

    with WorkIndex.open() as work_index:
        ann = work_index.user("ann")
        ann.record({"type": "create_task", "title": "Send the offer"},
                   actor=Actor(kind="user", id="ann"))
        print(ann.ask("what needs me?").text)

Names load on first use, so that `workindex --help` and the pure parts need no database driver.
"""

from __future__ import annotations

from importlib import import_module

import workindex._links  # noqa: F401 - refuses a checkout without links

# Not typing's own: this module is loaded before the program can hear an interrupt (cli/entry.py),
# and typing would double the time until it does.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from workindex.assembler.audit.observing import observe as observe
    from workindex.assembler.checkpoints.body import CheckpointIncomplete as CheckpointIncomplete
    from workindex.assembler.lanes import ContextBudgetExceeded as ContextBudgetExceeded
    from workindex.assembler.scope import UnknownRecord as UnknownRecord
    from workindex.assembler.state_path import StateAnswer as StateAnswer
    from workindex.domain.errors import ActionNotCanonical as ActionNotCanonical
    from workindex.domain.errors import BatchRefused as BatchRefused
    from workindex.domain.errors import CommandRefused as CommandRefused
    from workindex.domain.errors import DuplicateKeyConflict as DuplicateKeyConflict
    from workindex.domain.errors import InvalidInput as InvalidInput
    from workindex.domain.errors import NotBuilt as NotBuilt
    from workindex.domain.errors import NotPermitted as NotPermitted
    from workindex.domain.errors import NotReady as NotReady
    from workindex.domain.errors import StillBehind as StillBehind
    from workindex.domain.errors import Unavailable as Unavailable
    from workindex.domain.errors import VersionConflict as VersionConflict
    from workindex.domain.errors import WorkindexError as WorkindexError
    from workindex.domain.facts import Actor as Actor
    from workindex.domain.facts import Event as Event
    from workindex.projections.index import Index as Index
    from workindex.projections.planning import Entry as Entry
    from workindex.projections.proof import Proof as Proof
    from workindex.projections.recording import Receipt as Receipt
    from workindex.service.client import UserScope as UserScope
    from workindex.service.client import WorkIndex as WorkIndex
    from workindex.service.retrying import retrying as retrying

# Where each public name lives; the test of the public API compares this with the imports above.
PUBLIC = {
    "ActionNotCanonical": "domain.errors",
    "Actor": "domain.facts",
    "BatchRefused": "domain.errors",
    "CheckpointIncomplete": "assembler.checkpoints.body",
    "CommandRefused": "domain.errors",
    "ContextBudgetExceeded": "assembler.lanes",
    "DuplicateKeyConflict": "domain.errors",
    "Entry": "projections.planning",
    "Event": "domain.facts",
    "Index": "projections.index",
    "InvalidInput": "domain.errors",
    "NotBuilt": "domain.errors",
    "NotPermitted": "domain.errors",
    "NotReady": "domain.errors",
    "Proof": "projections.proof",
    "Receipt": "projections.recording",
    "StateAnswer": "assembler.state_path",
    "StillBehind": "domain.errors",
    "Unavailable": "domain.errors",
    "UnknownRecord": "assembler.scope",
    "UserScope": "service.client",
    "VersionConflict": "domain.errors",
    "WorkIndex": "service.client",
    "WorkindexError": "domain.errors",
    "observe": "assembler.audit.observing",
    "retrying": "service.retrying",
}
__all__ = list(PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{PUBLIC[name]}"), name)
    globals()[name] = value
    return value
