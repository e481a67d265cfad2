"""Reads a taxonomy file for terms worth showing, so that the demo follows the samples wherever they go."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .paths import ROOT

FIRST = ROOT / "samples" / "job-board-v1.json"
SECOND = ROOT / "samples" / "job-board-v2.json"


@dataclass(frozen=True)
class Term:
    """One node: where it hangs, nearest ancestor first, and its names by culture."""

    id: int
    category: int
    ancestors: tuple[int, ...]
    names: dict[str, str]


def read(path: Path) -> dict[int, Term]:
    """All terms of a file, by id."""
    taxonomy = json.loads(path.read_text())
    found = (term for category in taxonomy["categories"] for term in _walk(category["terms"], category["id"], ()))
    return {term.id: term for term in found}


def deepest(terms: dict[int, Term], culture: str) -> Term:
    """The deepest term that has a name in the culture; of several the one with the lowest id."""
    named = [term for term in terms.values() if culture in term.names]
    return max(named, key=lambda term: (len(term.ancestors), -term.id))


@dataclass(frozen=True)
class Changes:
    """How a second file differs from a first one, by id."""

    added: list[Term]
    removed: list[Term]
    renamed: list[tuple[Term, Term]]
    moved: list[tuple[Term, Term]]


def compare(old: dict[int, Term], new: dict[int, Term]) -> Changes:
    """A term counts as moved when its own parent changed, not when its whole branch went along."""
    both = [(old[id], new[id]) for id in sorted(old.keys() & new.keys())]
    return Changes(
        added=[new[id] for id in sorted(new.keys() - old.keys())],
        removed=[old[id] for id in sorted(old.keys() - new.keys())],
        renamed=[(was, now) for was, now in both if was.names != now.names],
        moved=[(was, now) for was, now in both if _parent(was) != _parent(now)],
    )


def _parent(term: Term) -> tuple[int, int | None]:
    return term.category, term.ancestors[0] if term.ancestors else None


def _walk(nodes: list[dict[str, Any]], category: int, above: tuple[int, ...]) -> Iterator[Term]:
    for node in nodes:
        names = {name["culture"]: name["name"] for name in node["names"]}
        yield Term(node["id"], category, above, names)
        yield from _walk(node.get("children", []), category, (node["id"], *above))
