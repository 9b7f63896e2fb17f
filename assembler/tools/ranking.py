"""Which tools are nearest to a text, by its words? A proposal, never a decision.

Okapi BM25 over one document a tool: its names twice, its description, its argument names. A word
that no tool has counts for the words that begin like it; a word inside a name written without
borders counts for the name. Source: Robertson and Zaragoza, "The Probabilistic Relevance
Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from workindex.assembler.tools.registry import Tool, ToolGroup, ToolRegistry
from workindex.assembler.tools.schemas import argument_names
from workindex.assembler.tools.words import words

SATURATION: Final = 1.2
LENGTH: Final = 0.4
NAMES: Final = 2  # times that the names of a tool count as its text does
ALIKE: Final = 0.5  # what a word that only begins like another one is worth
INSIDE: Final = 0.8  # what a word inside a name without borders is worth
CONTEXT: Final = 0.3  # what words of earlier messages are worth
BEGINNING_CHARS_MIN: Final = 4
DESCRIPTION_WORDS_MAX: Final = 400


class Ranked(NamedTuple):
    """A tool with its score; scores compare within one ranking only."""

    tool: Tool
    score: float


class RankedGroup(NamedTuple):
    """A group with its best tools first; its score is that of its best tool, then of the others."""

    group: ToolGroup
    score: float
    tools: tuple[Ranked, ...]


class Ranker:
    """Ranks the tools of one registry; built once, asked for every turn."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self._tools = list(registry.tools.values())
        documents = [_document(registry.groups[tool.group], tool) for tool in self._tools]
        self._lengths = [len(document) for document in documents]
        self._average = sum(self._lengths) / max(len(documents), 1)
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for place, document in enumerate(documents):
            for word, times in Counter(document).items():
                self._postings.setdefault(word, []).append((place, times))
        self._glued = [
            re.sub(r"[\W_]", "", tool.full_name.lower()) if _is_glued(tool) else ""
            for tool in self._tools
        ]
        self._beginnings: dict[str, list[str]] = {}
        for word in sorted(self._postings):
            start = word[:BEGINNING_CHARS_MIN]
            self._beginnings.setdefault(start, []).append(word)

    def tools(self, text: str, context: Sequence[str] = ()) -> list[Ranked]:
        """The tools that share something with the text, the nearest first.

        `context` are earlier texts of the conversation; their words count less.
        """
        scores: dict[int, float] = {}
        asked = dict.fromkeys(words(text), 1.0)
        for earlier in context:
            for word in words(earlier):
                asked.setdefault(word, CONTEXT)
        for word, weight in asked.items():
            for place, score in self._scored(word).items():
                scores[place] = scores.get(place, 0.0) + weight * score
        found = [Ranked(self._tools[place], round(score, 9)) for place, score in scores.items()]
        return sorted(found, key=lambda one: (-one.score, one.tool.full_name))

    def groups(self, text: str, context: Sequence[str] = ()) -> list[RankedGroup]:
        """The groups of those tools, the nearest first."""
        of_group: dict[str, list[Ranked]] = {}
        for ranked in self.tools(text, context):
            of_group.setdefault(ranked.tool.group, []).append(ranked)
        found = [
            RankedGroup(self._registry.groups[name], _together(tools), tuple(tools))
            for name, tools in of_group.items()
        ]
        return sorted(found, key=lambda one: (-one.score, one.group.namespace))

    def _scored(self, word: str) -> Mapping[int, float]:
        """What one word gives to each tool."""
        if word in self._postings:
            return self._okapi(word, 1.0)
        scores: dict[int, float] = {}
        for other in self._alike(word):
            for place, score in self._okapi(other, ALIKE).items():
                scores[place] = max(scores.get(place, 0.0), score)
        if len(word) >= BEGINNING_CHARS_MIN:
            worth = INSIDE * math.log(1 + len(self._tools))
            for place, glued in enumerate(self._glued):
                if word in glued:
                    scores[place] = max(scores.get(place, 0.0), worth)
        return scores

    def _okapi(self, word: str, worth: float) -> dict[int, float]:
        found = self._postings[word]
        count = len(self._tools)
        rarity = math.log(1 + (count - len(found) + 0.5) / (len(found) + 0.5))
        scores = {}
        for place, times in found:
            length = 1 - LENGTH + LENGTH * self._lengths[place] / self._average
            weight = times * (SATURATION + 1) / (times + SATURATION * length)
            scores[place] = worth * rarity * weight
        return scores

    def _alike(self, word: str) -> Iterable[str]:
        """Words of tools that begin like this one, but for the last two letters of one of them."""
        for other in self._beginnings.get(word[:BEGINNING_CHARS_MIN], ()):
            short, long = sorted((word, other), key=len)
            if len(short) >= BEGINNING_CHARS_MIN and long.startswith(
                short[: max(BEGINNING_CHARS_MIN, len(short) - 2)]
            ):
                yield other


def _document(group: ToolGroup, tool: Tool) -> list[str]:
    names = words(f"{group.namespace} {group.title} {tool.name}")
    told = words(f"{group.description or ''} {tool.description or ''}")[:DESCRIPTION_WORDS_MAX]
    return [*(names * NAMES), *told, *words(" ".join(argument_names(tool.schema)))]


def _is_glued(tool: Tool) -> bool:
    """Whether a name is one long run of small letters, in which words may hide."""
    return bool(re.search(r"[a-z]{9,}", tool.full_name))


def _together(tools: Sequence[Ranked]) -> float:
    """The best tool decides; others of the group break ties, so that size alone does not win."""
    return tools[0].score + 0.1 * sum(one.score for one in tools[1:4])
