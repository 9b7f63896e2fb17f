"""What are the requests to a model made of? Read, cut, measured, compared; with no database.

`audit_files` answers for files, `observe` for a running backend.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from workindex.assembler.audit.measured import Measured, MeasuredSegment, measure
from workindex.assembler.audit.reading import read_file
from workindex.assembler.audit.repeats import BLOCK_TOKENS_MIN
from workindex.assembler.audit.report import Audit
from workindex.assembler.audit.shapes import Request, UnknownRequest
from workindex.assembler.tokens import TokenCounter

Known = dict[MeasuredSegment, MeasuredSegment]


def audit_files(
    paths: Iterable[Path],
    counter: TokenCounter | None = None,
    block_tokens_min: int = BLOCK_TOKENS_MIN,
) -> Audit:
    """The audit of every request in the files, in their order.

    Without a counter each request is counted by that of its model. What is no request is in
    `refused`, and the rest is measured. Records of `observe` keep the counts that they have.
    """
    requests: list[Measured] = []
    refused: list[UnknownRequest] = []
    known: Known = {}
    for path in paths:
        try:
            for found in read_file(path):
                if isinstance(found, Request):
                    requests.append(_shared(measure(found, counter), known))
                elif isinstance(found, Measured):
                    requests.append(found)
                else:
                    refused.append(found)
        except UnknownRequest as error:
            refused.append(error)
    return Audit(tuple(requests), tuple(refused), block_tokens_min)


def _shared(measured: Measured, known: Known) -> Measured:
    """The same, its segments one object with equal ones of earlier requests, which saves memory."""
    return replace(
        measured, segments=tuple(known.setdefault(one, one) for one in measured.segments)
    )
