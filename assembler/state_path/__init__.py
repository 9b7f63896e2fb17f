"""The state path: canonical questions about the user's own state, answered without a model.

Two steps: `recognise(text)` says which question it is, or that it is none of these;
`answer(question, reading)` reads it off the rows with a proof. `NEEDS` says which rows to read.
"""

from __future__ import annotations

from workindex.assembler.state_path.answer import NEEDS, AnswerItem, StateAnswer, answer
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.recognise import recognise
from workindex.assembler.state_path.register import ALL_RENDERERS

__all__ = [
    "ALL_RENDERERS",
    "NEEDS",
    "AnswerItem",
    "StateAnswer",
    "StateQuestion",
    "answer",
    "recognise",
]
