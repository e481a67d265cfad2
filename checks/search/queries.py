"""Queries as people type them, made of the names of a taxonomy by a seed, each with the nodes that count as right.

A node is in one of three thirds, by its key alone. Two are for building the search; its rates are those of the last one, whose queries nobody
has looked at. Right is the node, or another of exactly the same name in the culture. Five places cannot hold everything, so a query is left out
where it is the whole name of five other nodes, or, where it may be the start of a name, where the names of five other nodes begin with it.
"""

import bisect
import hashlib
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from . import language as rules
from .names import Node

T = TypeVar("T")
THIRDS = (1, 2, 3)
#: The least number of nodes with which a query is ambiguous.
PLACES = 5
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{5,}(?![^\W_])")
_SIGNS = re.compile("[\u3041-\u30ff\u3400-\u9fff]{3,}")


@dataclass(frozen=True)
class Query:
    """A text in a culture, with its kind and the keys of the nodes that are right."""

    culture: str
    kind: str
    text: str
    right: frozenset[str]


class Names:
    """The names of one culture."""

    def __init__(self, culture: str, nodes: Sequence[Node]) -> None:
        self.culture, self.tongue = culture, rules.language(culture)
        self.nodes = [node for node in nodes if culture in node.names]
        self.keys: dict[str, set[str]] = {}
        for node in self.nodes:
            self.keys.setdefault(node.names[culture], set()).add(node.key)
        self.plain = sorted((plain(name), key) for name, keys in self.keys.items() for key in keys)
        spelled = {word.lower() for name in self.keys for word in rules.words(name)}
        self.vocabulary = spelled | {rules.unaccented(word, self.tongue) for word in spelled}
        self.letters = "".join(letter for name in self.keys for letter in name.lower() if letter.isalpha())

    def others(self, text: str, right: Iterable[str], whole: bool) -> int:
        """The number of other nodes whose name is the text, or begins with it; counted up to the number of places."""
        sought, known, count = plain(text), set(right), 0
        for at in range(bisect.bisect_left(self.plain, (sought, "")), len(self.plain)):
            name, key = self.plain[at]
            if not name.startswith(sought) or whole and name != sought or count >= PLACES:
                break
            count += key not in known
        return count


def plain(text: str) -> str:
    """For comparing: in lower case, without marks, words and the symbols of `C++` and `C#`, a space between."""
    return rules.plain(text.replace("+", "plus").replace("#", "sharp"))


def third(node: Node, taxonomy: str) -> int:
    """The third of a node: the same for all of its names."""
    return int(hashlib.sha256(f"{taxonomy} {node.key}".encode()).hexdigest(), 16) % 3 + 1


Make = Callable[[str, Names, random.Random], Iterable[str]]


def _prefix(name: str, names: Names, rng: random.Random) -> list[str]:
    """Cuts of the last word: three letters of it or more, one sign or more in a script of signs."""
    last = re.search(r"[^\W_]+$", name)
    if last is None:
        return []
    least = 1 if names.tongue in {"ja", "zh", "ko"} else 3
    return [name[:end] for end in range(last.start() + least, len(name)) if not names.others(name[:end], names.keys[name], whole=False) >= PLACES]


def _typos(pattern: re.Pattern[str], first: bool) -> Make:
    def make(name: str, names: Names, rng: random.Random) -> list[str]:
        found = list(pattern.finditer(name))
        if not found:
            return []
        word = _pick(found, rng)
        tried = (_typo(word.group(), names.letters, first, rng) for _ in range(20))
        wrong = [other for other in tried if rules.unaccented(other.lower(), names.tongue) not in names.vocabulary and plain(other) != plain(word.group())]
        return [name[: word.start()] + wrong[0] + name[word.end() :]] if wrong else []

    return make


def _typo(word: str, letters: str, first: bool, rng: random.Random) -> str:
    """One letter inserted, left out, replaced, or swapped with the next: the first letter, or any other."""
    at = 0 if first else 1 + _below(len(word) - 1, rng)
    head, letter, rest = word[:at], word[at], word[at + 1 :]
    if not rest:
        return _pick([head + letter + _pick(letters, rng), head, head + _pick(letters, rng)], rng)
    return _pick([head + _pick(letters, rng) + letter + rest, head + rest, head + _pick(letters, rng) + rest, head + rest[0] + letter + rest[1:]], rng)


def _long(name: str, names: Names, rng: random.Random) -> list[str]:
    words = re.findall(r"[^\W_]+", name.lower())
    return [" ".join(words)] if len(words) > 8 else []


#: How each kind is made of a name. An empty answer, and the name itself, is no query.
KINDS: dict[str, Make] = {
    "lower": lambda name, names, _: [rules.lower(name, names.tongue)],
    "unaccented": lambda name, names, _: [rules.unaccented(name, names.tongue)],
    "prefix": _prefix,
    "joined": lambda name, names, _: rules.joined(name, names.tongue),
    "split": lambda name, names, _: rules.split(name, names.tongue, names.vocabulary),
    "plural": lambda name, names, _: rules.other_number(name, names.tongue, names.vocabulary),
    "and": lambda name, names, _: rules.other_and(name, names.tongue),
    "long": _long,
    "typo": _typos(_WORD, first=False),
    "typo-first": _typos(_WORD, first=True),
    "typo-signs": _typos(_SIGNS, first=False),
}
#: Of these a query is a whole name in other letters; of the others it may be the start of longer names.
_WHOLE = {"lower", "unaccented", "long", "and"}


def queries(taxonomy: str, nodes: Sequence[Node], number: int, most: int) -> Iterator[Query]:
    """The queries of one third, at most so many of each kind in each culture."""
    chosen = [node for node in nodes if third(node, taxonomy) == number]
    for culture in sorted({culture for node in nodes for culture in node.names}):
        names = Names(culture, nodes)
        for kind in ("exact", *KINDS):
            rng = random.Random(f"{number} {taxonomy} {culture} {kind}")
            order = sorted((node for node in chosen if culture in node.names), key=lambda _: rng.random())
            yield from islice((query for node in order for query in _of_name(kind, node, names, rng)), most)
    yield from _of_keys(nodes, chosen, most, random.Random(f"{number} {taxonomy}"))


def _of_name(kind: str, node: Node, names: Names, rng: random.Random) -> Iterator[Query]:
    name = node.names[names.culture]
    right = frozenset(names.keys[name])
    if kind == "exact":
        yield Query(names.culture, kind, name, right)
        return
    if kind.startswith("typo-signs") != (names.tongue in {"ja", "zh"}) and kind.startswith("typo"):
        return
    made = sorted(set(KINDS[kind](name, names, rng)) - {name})
    if made:
        text = _pick(made, rng)
        if names.others(text, right, whole=kind in _WHOLE) < PLACES:
            yield Query(names.culture, kind, text, right)


def _of_keys(nodes: Sequence[Node], chosen: Sequence[Node], most: int, rng: random.Random) -> Iterator[Query]:
    """Codes as they are, in lower case and without what separates their parts; ids in decimal."""
    texts = {node.key[1:]: set[str]() for node in nodes}
    taken = {plain(text) for node in nodes for text in (*node.names.values(), node.code)}
    for node in nodes:
        texts[node.key[1:]].add(node.key)
    for node in sorted(chosen, key=lambda _: rng.random())[:most]:
        culture = next(iter(node.names))
        if node.code:
            right = frozenset(other.key for other in nodes if other.code == node.code)
            yield Query(culture, "code", _pick([node.code, node.code.lower(), re.sub(r"[\W_]", "", node.code)], rng), right)
        if node.key[1:] not in taken:
            yield Query(culture, "id", node.key[1:], frozenset(texts[node.key[1:]]))


def _below(limit: int, rng: random.Random) -> int:
    """A number below the limit. Of the generator only `random` gives the same numbers in every version of Python."""
    return int(rng.random() * limit)


def _pick(choices: Sequence[T], rng: random.Random) -> T:
    return choices[_below(len(choices), rng)]
