"""The state path: canonical questions about the user's own state, answered without a model.

Three steps: `recognise(text)` says which question it is, or that it is none of these;
`read_for(question, read)` reads the rows that it needs (`NEEDS` names the kinds);
`answer(question, reading)` reads it off them with a proof.
"""

from __future__ import annotations

from workindex.assembler.state_path.answer import NEEDS, AnswerItem, StateAnswer, answer
from workindex.assembler.state_path.question import StateQuestion
from workindex.assembler.state_path.reading import read_for
from workindex.assembler.state_path.recognise import recognise
from workindex.assembler.state_path.register import ALL_RENDERERS

__all__ = [
    "ALL_RENDERERS",
    "NEEDS",
    "AnswerItem",
    "StateAnswer",
    "StateQuestion",
    "answer",
    "read_for",
    "recognise",
]
