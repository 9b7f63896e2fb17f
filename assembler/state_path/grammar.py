"""A small grammar over words: a sentence in, the tags of every reading that covers all of it.

An expression is words in a row; `( a | b )` chooses, `[ a ]` may be left out, `<rule>` stands for
another expression, `{name=value}` tags whoever passes it, and a word such as `%id` stands for
whatever the caller reads as that. Rules never call themselves, so the language is finite.

Reading a word turns an expression into what may still follow it (its derivative). Expressions are
kept once each, with what every word made of them, so that a sentence read for the first time is
mostly put together from parts that other sentences have used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

Tags = tuple[tuple[str, str], ...]
Split = Callable[[str], Sequence[str]]

_PIECE = re.compile(r"<\w+>|\{\w+=[^{}]+\}|[()\[\]|]|[^\s()\[\]|<>{}]+")
_MOVES_MAX = 50_000  # transitions kept: no flood of texts makes the automaton grow without end
_UNTAGGED: tuple[Tags, ...] = ((),)


class GrammarError(ValueError):
    """A data file holds an expression that cannot be read; a programmer's error."""


class _Node:
    """An expression. Equal ones are one object.

    `passes` are the tags of each way to read nothing at all, `firsts` the words it may begin with,
    `after` what follows a word, for the words that were asked for so far.
    """

    __slots__ = ("after", "firsts", "passes")

    def __init__(self, passes: tuple[Tags, ...], firsts: frozenset[str]) -> None:
        self.passes = passes
        self.firsts = firsts
        self.after: dict[str, tuple[_Reading, ...]] = {}

    def read(self, word: str, nodes: _Nodes) -> tuple[_Reading, ...]:
        """What may still follow, once the word was read, and the tags passed on the way."""
        found = self.after.get(word)
        if found is None:
            found = tuple(dict.fromkeys(self._read(word, nodes)))
            self.after[word] = found
        return found

    def _read(self, word: str, nodes: _Nodes) -> Iterator[_Reading]:
        """The readings of a word that is among `firsts`."""
        raise NotImplementedError


_Reading = tuple[_Node, Tags]
_EMPTY = _Node(_UNTAGGED, frozenset())


class _Word(_Node):
    __slots__ = ()

    def __init__(self, symbol: str) -> None:
        super().__init__((), frozenset((symbol,)))
        self.after[symbol] = ((_EMPTY, ()),)


class _Tag(_Node):
    __slots__ = ()

    def __init__(self, name: str, value: str) -> None:
        super().__init__((((name, value),),), frozenset())


class _Pair(_Node):
    """One expression and then another; `head` is never a pair itself."""

    __slots__ = ("head", "tail")

    def __init__(self, head: _Node, tail: _Node) -> None:
        passes = _joined(head.passes, tail.passes)
        super().__init__(passes, head.firsts | tail.firsts if head.passes else head.firsts)
        self.head = head
        self.tail = tail

    def _read(self, word: str, nodes: _Nodes) -> Iterator[_Reading]:
        if word in self.head.firsts:
            for rest, tags in self.head.read(word, nodes):
                yield nodes.pair(rest, self.tail), tags
        if self.head.passes and word in self.tail.firsts:
            for rest, tags in self.tail.read(word, nodes):
                for both in _joined(self.head.passes, (tags,)):
                    yield rest, both


class _Choice(_Node):
    __slots__ = ("_beginning", "options")

    def __init__(self, options: tuple[_Node, ...]) -> None:
        passes = tuple(dict.fromkeys(tags for option in options for tags in option.passes))
        super().__init__(passes, frozenset().union(*(option.firsts for option in options)))
        self.options = options
        self._beginning: dict[str, list[_Node]] | None = None

    def _read(self, word: str, nodes: _Nodes) -> Iterator[_Reading]:
        if self._beginning is None:
            self._beginning = {}
            for option in self.options:
                for first in option.firsts:
                    self._beginning.setdefault(first, []).append(option)
        for option in self._beginning[word]:
            yield from option.read(word, nodes)


class _Nodes:
    """Every expression there is, each once."""

    def __init__(self) -> None:
        self._one: dict[tuple[object, ...], _Node] = {}

    def word(self, symbol: str) -> _Node:
        return self._of(_Word, symbol)

    def tag(self, name: str, value: str) -> _Node:
        return self._of(_Tag, name, value)

    def pair(self, head: _Node, tail: _Node) -> _Node:
        if head is _EMPTY:
            return tail
        if tail is _EMPTY:
            return head
        if isinstance(head, _Pair):
            return self.pair(head.head, self.pair(head.tail, tail))
        return self._of(_Pair, head, tail)

    def row(self, parts: Sequence[_Node]) -> _Node:
        node = _EMPTY
        for part in reversed(parts):
            node = self.pair(part, node)
        return node

    def choice(self, rows: Iterable[Sequence[_Node]]) -> _Node:
        """One of the rows. Those that begin alike share the beginning, which keeps states small."""
        beginnings: dict[_Node | None, list[Sequence[_Node]]] = {}
        for row in rows:
            beginnings.setdefault(row[0] if row else None, []).append(row[1:])
        options = []
        for first, rests in beginnings.items():
            if first is None:
                options.append(_EMPTY)
            else:
                rest = self.row(rests[0]) if len(rests) == 1 else self.choice(rests)
                options.append(self.pair(first, rest))
        return options[0] if len(options) == 1 else self._of(_Choice, tuple(options))

    def _of(self, kind: Callable[..., _Node], *content: object) -> _Node:
        key = (kind, *content)
        node = self._one.get(key)
        if node is None:
            node = self._one[key] = kind(*content)
        return node


class _Step:
    """One state of the automaton: every reading of the words so far, and where words lead."""

    __slots__ = ("meanings", "moves", "readings")

    def __init__(self, readings: tuple[_Reading, ...]) -> None:
        self.readings = readings
        self.meanings: tuple[Tags, ...] | None = None
        self.moves: dict[str, _Step | None] = {}


class Grammar:
    """One language: the expression `whole`. `split` cuts a word of an expression into symbols."""

    def __init__(self, whole: str, rules: Mapping[str, str], split: Split) -> None:
        self._nodes = _Nodes()
        parser = _Parser(self._nodes, rules, split)
        start = parser.parse(whole)
        self.words = frozenset(parser.words)
        self._steps: dict[frozenset[_Reading], _Step] = {}
        self._moves = 0
        self._first = _Step(((start, ()),))

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
        if step.meanings is None:
            found = (_joined((tags,), node.passes) for node, tags in step.readings)
            step.meanings = tuple(sorted({one for every in found for one in every}))
        return step.meanings

    def _follow(self, step: _Step, word: str) -> _Step | None:
        reached: dict[_Reading, None] = {}
        for node, tags in step.readings:
            if word in node.firsts:
                for rest, passed in node.read(word, self._nodes):
                    for both in _joined((tags,), (passed,)):
                        reached[rest, both] = None
        following = self._step(reached)
        if self._moves < _MOVES_MAX and word in self.words:
            step.moves[word] = following
            self._moves += 1
        return following

    def _step(self, reached: Mapping[_Reading, None]) -> _Step | None:
        if not reached:
            return None
        key = frozenset(reached)
        step = self._steps.get(key)
        if step is None:
            step = _Step(tuple(reached))
            if self._moves < _MOVES_MAX:
                self._steps[key] = step
        return step


def _joined(some: tuple[Tags, ...], others: tuple[Tags, ...]) -> tuple[Tags, ...]:
    """Each of some with each of others, in order of names; contradictions fall away."""
    if others == _UNTAGGED:
        return some
    if some == _UNTAGGED:
        return others
    found = []
    for one in some:
        for other in others:
            pairs = {**dict(one), **dict(other)}
            if len(pairs) == len({*one, *other}):
                found.append(tuple(sorted(pairs.items())))
    return tuple(dict.fromkeys(found))


class _Parser:
    """Reads expressions; rules are read when they are first named."""

    def __init__(self, nodes: _Nodes, rules: Mapping[str, str], split: Split) -> None:
        self.words: set[str] = set()
        self._nodes = nodes
        self._texts = rules
        self._rules: dict[str, _Node | None] = {}
        self._split = split

    def parse(self, text: str) -> _Node:
        """The expression of a text."""
        pieces = _PIECE.findall(text)
        if sum(map(len, pieces)) != len("".join(text.split())):
            raise GrammarError(f"cannot read the expression {text!r}")
        pieces.reverse()
        node = self._nodes.choice(self._options(pieces))
        if pieces:
            raise GrammarError(f"{pieces[-1]!r} closes nothing in {text!r}")
        return node

    def _options(self, pieces: list[str]) -> list[list[_Node]]:
        """Reads up to a closing bracket; `pieces` is a stack, its top the next piece."""
        options = []
        row: list[_Node] = []
        while pieces and pieces[-1] not in ")]":
            piece = pieces.pop()
            if piece == "|":
                options.append(row)
                row = []
            else:
                row += self._part(piece, pieces)
        return [*options, row]

    def _part(self, piece: str, pieces: list[str]) -> list[_Node]:
        if piece in "([":
            inner = self._options(pieces)
            if not pieces or pieces.pop() != {"(": ")", "[": "]"}[piece]:
                raise GrammarError(f"{piece!r} is not closed")
            if piece == "(" and len(inner) == 1:
                return inner[0]
            return [self._nodes.choice(inner if piece == "(" else [*inner, []])]
        if piece[0] == "<":
            return [self._rule(piece[1:-1])]
        if piece[0] == "{":
            return [self._nodes.tag(*piece[1:-1].split("=", 1))]
        symbols = self._split(piece)
        self.words.update(symbols)
        return [self._nodes.word(symbol) for symbol in symbols]

    def _rule(self, name: str) -> _Node:
        if name not in self._rules:
            if name not in self._texts:
                raise GrammarError(f"rule <{name}> is unknown")
            self._rules[name] = None
            self._rules[name] = self.parse(self._texts[name])
        node = self._rules[name]
        if node is None:
            raise GrammarError(f"rule <{name}> calls itself")
        return node
