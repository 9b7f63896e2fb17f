"""A small grammar over words: a sentence in, the tags of every reading that covers all of it.

An expression is words in a row; `( a | b )` chooses, `[ a ]` may be left out, `<rule>` stands for
another expression, `{name=value}` tags whoever passes it, and a word such as `%id` stands for
whatever the caller reads as that. Rules never call themselves, so the language is finite.

A reading is the row of expressions still to come. Expressions are kept once each, with what every
word makes of them, so that a sentence read for the first time is mostly put together from parts
that other sentences have used; the states that readings come to are kept too.
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

    `passes` are the tags of each way to read nothing at all, `firsts` the words it may begin with.
    """

    __slots__ = ("_after", "firsts", "passes")

    def __init__(self, passes: tuple[Tags, ...], firsts: frozenset[str]) -> None:
        self.passes = _UNTAGGED if passes == _UNTAGGED else passes
        self.firsts = firsts
        self._after: dict[str, tuple[_Reading, ...]] = {}

    def read(self, word: str) -> tuple[_Reading, ...]:
        """What may still follow a word that is among `firsts`."""
        found = self._after.get(word)
        if found is None:
            found = self._after[word] = tuple(dict.fromkeys(self._read(word)))
        return found

    def _read(self, word: str) -> Iterator[_Reading]:
        raise NotImplementedError


_Row = tuple[_Node, ...]
_Reading = tuple[_Row, Tags]


class _Word(_Node):
    __slots__ = ()

    def __init__(self, symbol: str) -> None:
        super().__init__((), frozenset((symbol,)))
        self._after[symbol] = (((), ()),)


class _Tag(_Node):
    __slots__ = ()

    def __init__(self, tags: Tags) -> None:
        super().__init__((tags,), frozenset())


class _Choice(_Node):
    __slots__ = ("_beginning",)

    def __init__(self, options: tuple[_Row, ...]) -> None:
        self._beginning: dict[str, list[_Row]] = {}
        for row in options:
            for first in _firsts(row):
                self._beginning.setdefault(first, []).append(row)
        passes = dict.fromkeys(tags for row in options for tags in _passes(row))
        super().__init__(tuple(passes), frozenset(self._beginning))

    def _read(self, word: str) -> Iterator[_Reading]:
        for row in self._beginning[word]:
            yield from _read(row, word)


def _read(row: _Row, word: str) -> list[_Reading]:
    """What may still follow a word, and the tags passed on the way."""
    found: list[_Reading] = []
    before = _UNTAGGED
    for place, node in enumerate(row, 1):
        if word in node.firsts:
            rest = row[place:]
            if before is _UNTAGGED:
                found += [(inner + rest, tags) for inner, tags in node.read(word)]
            else:
                found += [
                    (inner + rest, both)
                    for inner, tags in node.read(word)
                    for both in _joined(before, (tags,))
                ]
        passes = node.passes
        if not passes:
            break
        if passes is not _UNTAGGED:
            before = _joined(before, passes)
    return found


def _passes(row: _Row) -> tuple[Tags, ...]:
    """The tags of each way to read nothing in a row; empty where there is none."""
    found = _UNTAGGED
    for node in row:
        if not node.passes:
            return ()
        found = _joined(found, node.passes)
    return found


def _firsts(row: _Row) -> frozenset[str]:
    """The words that a row may begin with."""
    found: frozenset[str] = frozenset()
    for node in row:
        found |= node.firsts
        if not node.passes:
            break
    return found


class _Nodes:
    """Every expression there is, each once."""

    def __init__(self) -> None:
        self._one: dict[tuple[object, ...], _Node] = {}

    def word(self, symbol: str) -> _Node:
        return self._of(_Word, symbol)

    def tags(self, tags: Tags) -> _Node:
        return self._of(_Tag, tags)

    def choice(self, rows: Iterable[Sequence[_Node]]) -> _Row:
        """One of the rows. Those that begin alike share the beginning, which keeps states small."""
        beginnings: dict[_Node | None, list[Sequence[_Node]]] = {}
        for row in rows:
            beginnings.setdefault(row[0] if row else None, []).append(row[1:])
        options: list[_Row] = []
        for first, rests in beginnings.items():
            if first is None:
                options.append(())
            else:
                options.append((first, *(rests[0] if len(rests) == 1 else self.choice(rests))))
        return options[0] if len(options) == 1 else (self._of(_Choice, tuple(options)),)

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
        parser = _Parser(rules, split)
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
            found = (_joined((tags,), _passes(row)) for row, tags in step.readings)
            step.meanings = tuple(sorted({one for every in found for one in every}))
        return step.meanings

    def _follow(self, step: _Step, word: str) -> _Step | None:
        following = self._step(step.readings, word)
        if self._moves < _MOVES_MAX and word in self.words:
            self._moves += 1
            step.moves[word] = following
        return following

    def _step(self, readings: tuple[_Reading, ...], word: str) -> _Step | None:
        """The state that a word leads to; one with the same readings is the same state."""
        row, tags = readings[0]
        if len(readings) == 1 and row and isinstance(row[0], _Word):
            return _Step(((row[1:], tags),)) if word in row[0].firsts else None
        found: list[_Reading] = []
        for row, tags in readings:
            after = _read(row, word)
            if tags and after:
                joined = ((rest, _join(tags, passed)) for rest, passed in after)
                after = [(rest, both) for rest, both in joined if both is not None]
            found += after
        if not found:
            return None
        reached = frozenset(found)
        step = self._steps.get(reached)
        if step is None:
            step = _Step(tuple(reached))
            if self._moves < _MOVES_MAX:
                self._steps[reached] = step
        return step


def _joined(some: tuple[Tags, ...], others: tuple[Tags, ...]) -> tuple[Tags, ...]:
    """Each of some with each of others; contradictions fall away."""
    if others is _UNTAGGED:
        return some
    if some is _UNTAGGED:
        return others
    found = (_join(one, other) for one in some for other in others)
    return tuple(dict.fromkeys(both for both in found if both is not None))


def _join(one: Tags, other: Tags) -> Tags | None:
    """The tags of both in order of their names, None where they contradict each other."""
    if not other or one == other:
        return one
    if not one:
        return other
    pairs = {*one, *other}
    return tuple(sorted(pairs)) if len(pairs) == len(dict(pairs)) else None


class _Parser:
    """Reads expressions; rules are read when they are first named."""

    def __init__(self, rules: Mapping[str, str], split: Split) -> None:
        self.words: set[str] = set()
        self._nodes = _Nodes()
        self._texts = rules
        self._rules: dict[str, _Row | None] = {}
        self._split = split

    def parse(self, text: str) -> _Row:
        """The expression of a text."""
        pieces = _PIECE.findall(text)
        if sum(map(len, pieces)) != len("".join(text.split())):
            raise GrammarError(f"cannot read the expression {text!r}")
        pieces.reverse()
        row = self._nodes.choice(self._options(pieces))
        if pieces:
            raise GrammarError(f"{pieces[-1]!r} closes nothing in {text!r}")
        return row

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
                for part in self._part(piece, pieces):
                    self._append(row, part)
        return [*options, row]

    def _append(self, row: list[_Node], part: _Node) -> None:
        """Tags in a row become one part."""
        if isinstance(part, _Tag) and row and isinstance(row[-1], _Tag):
            tags = _join(row[-1].passes[0], part.passes[0])
            if tags is None:
                raise GrammarError(f"{part.passes} contradicts {row[-1].passes}")
            row[-1] = self._nodes.tags(tags)
        else:
            row.append(part)

    def _part(self, piece: str, pieces: list[str]) -> Sequence[_Node]:
        if piece in "([":
            inner = self._options(pieces)
            if not pieces or pieces.pop() != {"(": ")", "[": "]"}[piece]:
                raise GrammarError(f"{piece!r} is not closed")
            if piece == "(" and len(inner) == 1:
                return inner[0]
            return self._nodes.choice(inner if piece == "(" else [*inner, []])
        if piece[0] == "<":
            return self._rule(piece[1:-1])
        if piece[0] == "{":
            name, value = piece[1:-1].split("=", 1)
            return [self._nodes.tags(((name, value),))]
        symbols = self._split(piece)
        self.words.update(symbols)
        return [self._nodes.word(symbol) for symbol in symbols]

    def _rule(self, name: str) -> _Row:
        if name not in self._rules:
            if name not in self._texts:
                raise GrammarError(f"rule <{name}> is unknown")
            self._rules[name] = None
            self._rules[name] = self.parse(self._texts[name])
        row = self._rules[name]
        if row is None:
            raise GrammarError(f"rule <{name}> calls itself")
        return row
