"""A small grammar over words: a sentence in, the tags of every reading that covers all of it.

An expression is words in a row; `( a | b )` chooses, `[ a ]` may be left out, `<rule>` stands for
another expression, `{name=value}` tags whoever passes it, and a word such as `%id` stands for
whatever the caller reads as that. Rules never call themselves, so every language here is regular:
it is walked as an automaton whose states are worked out on first use and kept, one dictionary
look-up a word afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Tags = tuple[tuple[str, str], ...]
Split = Callable[[str], Sequence[str]]

_PIECE = re.compile(r"<\w+>|\{\w+=[^{}]+\}|[()\[\]|]|[^\s()\[\]|<>{}]+")
_MOVES_MAX = 50_000  # transitions kept: no flood of texts makes the automaton grow without end


class GrammarError(ValueError):
    """A data file holds an expression that cannot be read; a programmer's error."""


@dataclass(frozen=True, eq=False, slots=True)
class _Word:
    symbol: str


@dataclass(frozen=True, eq=False, slots=True)
class _Tag:
    name: str
    value: str


@dataclass(frozen=True, eq=False, slots=True)
class _Rule:
    name: str


@dataclass(frozen=True, eq=False, slots=True)
class _Row:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class _Choice:
    options: tuple[_Node, ...]


_Node = _Word | _Tag | _Rule | _Row | _Choice


@dataclass(frozen=True, eq=False, slots=True)
class _Rest:
    """What is still to be read: a node and then more. One object for one such place."""

    node: _Node
    after: _Rest | None


_Reading = tuple[_Rest | None, Tags]


class _Step:
    """One state of the automaton: the places that readings wait at, and what is complete here."""

    __slots__ = ("meanings", "moves", "waiting")

    def __init__(self, waiting: dict[str, list[_Reading]], meanings: tuple[Tags, ...]) -> None:
        self.waiting = waiting
        self.meanings = meanings
        self.moves: dict[str, _Step | None] = {}


class Grammar:
    """One language: the expression `whole`. `split` cuts a word of an expression into symbols."""

    def __init__(self, whole: str, rules: Mapping[str, str], split: Split) -> None:
        parser = _Parser(split)
        self._rules = {name: parser.parse(text) for name, text in rules.items()}
        start = parser.parse(whole)
        self.words = frozenset(self._words(start, (), set()))
        self._places: dict[tuple[int, int], _Rest] = {}
        self._moves = 0
        self._first = self._step([(self._place(start, None), ())])

    def read(self, words: Iterable[str]) -> tuple[Tags, ...]:
        """Every meaning that covers all words, sorted; empty where there is none."""
        step = self._first
        for word in words:
            try:
                following = step.moves[word]
            except KeyError:
                following = self._follow(step, word)
            if following is None:
                return ()
            step = following
        return step.meanings

    def _follow(self, step: _Step, word: str) -> _Step | None:
        reached = step.waiting.get(word)
        following = None if reached is None else self._step(reached)
        if self._moves < _MOVES_MAX and word in self.words:
            step.moves[word] = following
            self._moves += 1
        return following

    def _step(self, reached: list[_Reading]) -> _Step:
        seen = set(reached)
        queue = list(seen)
        waiting: dict[str, list[_Reading]] = {}
        meanings = set()
        while queue:
            rest, tags = queue.pop()
            if rest is None:
                meanings.add(tags)
            elif isinstance(rest.node, _Word):
                waiting.setdefault(rest.node.symbol, []).append((rest.after, tags))
            else:
                for reading in self._open(rest.node, rest.after, tags):
                    if reading not in seen:
                        seen.add(reading)
                        queue.append(reading)
        return _Step(waiting, tuple(sorted(meanings)))

    def _open(self, node: _Node, after: _Rest | None, tags: Tags) -> Iterator[_Reading]:
        """The readings that a place stands for, one layer further in."""
        if isinstance(node, _Choice):
            for option in node.options:
                yield self._place(option, after), tags
        elif isinstance(node, _Row):
            for part in reversed(node.parts):
                after = self._place(part, after)
            yield after, tags
        elif isinstance(node, _Rule):
            yield self._place(self._rules[node.name], after), tags
        elif isinstance(node, _Tag):
            joined = _join(tags, (node.name, node.value))
            if joined is not None:
                yield after, joined

    def _place(self, node: _Node, after: _Rest | None) -> _Rest:
        key = (id(node), id(after))
        place = self._places.get(key)
        if place is None:
            place = self._places.setdefault(key, _Rest(node, after))
        return place

    def _words(self, node: _Node, inside: tuple[str, ...], walked: set[str]) -> Iterator[str]:
        """Every symbol below the node; rules in `walked` have given theirs already."""
        if isinstance(node, _Word):
            yield node.symbol
        elif isinstance(node, _Rule):
            if node.name in inside or node.name not in self._rules:
                raise GrammarError(f"rule <{node.name}> is unknown or calls itself: {inside}")
            if node.name not in walked:
                yield from self._words(self._rules[node.name], (*inside, node.name), walked)
                walked.add(node.name)
        elif isinstance(node, _Row | _Choice):
            for part in node.parts if isinstance(node, _Row) else node.options:
                yield from self._words(part, inside, walked)


def _join(tags: Tags, tag: tuple[str, str]) -> Tags | None:
    """The tags with one more, None where it contradicts one that is there."""
    if tag in tags:
        return tags
    if any(name == tag[0] for name, _ in tags):
        return None
    return tuple(sorted((*tags, tag)))


class _Parser:
    """Reads expressions. Equal parts become one object, and choices share their beginnings.

    Sharing is what keeps the automaton's states small: sentences that begin alike are followed
    once and not each by itself.
    """

    def __init__(self, split: Split) -> None:
        self._split = split
        self._one: dict[tuple[object, ...], _Node] = {}

    def parse(self, text: str) -> _Node:
        pieces = _PIECE.findall(text)
        if "".join(pieces) != "".join(text.split()):
            raise GrammarError(f"cannot read the expression {text!r}")
        pieces.reverse()
        node = self._choose(self._options(pieces))
        if pieces:
            raise GrammarError(f"{pieces[-1]!r} closes nothing in {text!r}")
        return node

    def _options(self, pieces: list[str]) -> list[tuple[_Node, ...]]:
        """Reads up to a closing bracket; `pieces` is a stack, its top the next piece."""
        options = []
        row: list[_Node] = []
        while pieces and pieces[-1] not in ")]":
            piece = pieces.pop()
            if piece == "|":
                options.append(tuple(row))
                row = []
            else:
                row += self._part(piece, pieces)
        return [*options, tuple(row)]

    def _part(self, piece: str, pieces: list[str]) -> Iterator[_Node]:
        if piece in "([":
            inner = self._options(pieces)
            if not pieces or pieces.pop() != {"(": ")", "[": "]"}[piece]:
                raise GrammarError(f"{piece!r} is not closed")
            if piece == "(" and len(inner) == 1:
                yield from inner[0]
            else:
                yield self._choose(inner if piece == "(" else [*inner, ()])
        elif piece[0] == "<":
            yield self._node(_Rule, piece[1:-1])
        elif piece[0] == "{":
            yield self._node(_Tag, *piece[1:-1].split("=", 1))
        else:
            for symbol in self._split(piece):
                yield self._node(_Word, symbol)

    def _choose(self, rows: Sequence[tuple[_Node, ...]]) -> _Node:
        beginnings: dict[_Node | None, list[tuple[_Node, ...]]] = {}
        for row in rows:
            beginnings.setdefault(row[0] if row else None, []).append(row[1:])
        options: list[_Node] = []
        for first, rests in beginnings.items():
            if first is None:
                options.append(self._node(_Row, ()))
            elif len(rests) == 1:
                options.append(self._node(_Row, (first, *rests[0])))
            else:
                options.append(self._node(_Row, (first, self._choose(rests))))
        return options[0] if len(options) == 1 else self._node(_Choice, tuple(options))

    def _node(self, kind: Callable[..., _Node], *content: object) -> _Node:
        key = (kind, *content)
        node = self._one.get(key)
        if node is None:
            node = self._one[key] = kind(*content)
        return node
