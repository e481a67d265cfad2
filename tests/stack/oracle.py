"""The meaning of a taxonomy file, computed a second time: the one reader of files of this suite.

It shares no code with the service, so a mistake in the service's reading of a file cannot hide in both. It expects valid files and does not
validate. The order of siblings is not here: `taxonomy-collation` is compared with ICU, `functions/lookup/tests/it/sibling_order.rs` has the lists.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_BREAKS = re.compile(r"[\t\r\n]+")
_TYPES = ("exact", "close", "broad", "narrow", "related")
_NOTES = ("definition", "scopeNote")


@dataclass(frozen=True)
class Label:
    """A node's name and path in one culture."""

    name: str
    path: str | None


@dataclass
class Node:
    """The fields that categories and terms have in common."""

    id: int
    labels: dict[str, Label]
    notation: str | None
    alt_names: dict[str, list[str]]
    sort_key: str | None
    metadata: Json
    deprecated: bool
    deprecation: Json
    replaced_by: list[int]
    relations: list[Json]
    notes: dict[str, Json]


@dataclass
class Category(Node):
    """A category. Its top terms refer to it, not the reverse: the order of siblings in a file has no meaning."""

    child_count: int
    descendant_count: int


@dataclass
class Term(Node):
    """A term with references to its parent and category."""

    category: Category = field(repr=False)
    parent: "Term | None" = field(repr=False)
    child_count: int
    descendant_count: int

    @property
    def ancestors(self) -> list["Term"]:
        """Returns the lineage, nearest first."""
        found: list[Term] = []
        above = self.parent
        while above:
            found.append(above)
            above = above.parent
        return found

    @property
    def depth(self) -> int:
        """Returns the depth, 1 for a top term: the category is not a level."""
        return len(self.ancestors) + 1


def fold(text: str) -> str:
    """Replaces each run of TABs and line breaks by one space; every other character is unchanged."""
    return _BREAKS.sub(" ", text)


def canonical_tag(tag: str) -> str:
    """Returns BCP 47's usual case: `fr-FR`, `zh-Hant-TW`. After a single-letter subtag everything is lower case."""
    done: list[str] = []
    extension = False
    for place, part in enumerate(tag.lower().split("-")):
        if place and not extension and len(part) == 2:
            done.append(part.upper())
        elif place and not extension and len(part) == 4 and part.isalpha():
            done.append(part.title())
        else:
            done.append(part)
        extension = extension or len(part) == 1
    return "-".join(done)


class Taxonomy:
    """One file: its categories and terms by id, and the responses that the service must give about them."""

    def __init__(self, content: Json) -> None:
        self.default_culture = canonical_tag(content["defaultCulture"])
        self._orders: dict[str, list[str]] = {}
        self.categories: dict[int, Category] = {}
        self.terms: dict[int, Term] = {}
        for raw in content["categories"]:
            tops = raw.get("terms", [])
            category = Category(**self._node(raw), child_count=len(tops), descendant_count=0)
            self.categories[category.id] = category
            category.descendant_count = sum(self._add(top, category, None) for top in tops)

    @classmethod
    def read(cls, path: Path) -> "Taxonomy":
        """Reads a valid file."""
        return cls(json.loads(path.read_bytes()))

    def _add(self, raw: Json, category: Category, parent: Term | None) -> int:
        """Adds a term and the terms below it; returns their number."""
        children = raw.get("children", [])
        term = Term(**self._node(raw), category=category, parent=parent, child_count=len(children), descendant_count=0)
        self.terms[term.id] = term
        term.descendant_count = sum(self._add(child, category, term) for child in children)
        return 1 + term.descendant_count

    def _node(self, raw: Json) -> Json:
        labels = {canonical_tag(entry["culture"]): Label(fold(entry["name"]), entry.get("path")) for entry in raw.get("names", [])}
        if "name" in raw:
            labels.setdefault(self.default_culture, Label(fold(raw["name"]), None))
        alt_names: dict[str, list[str]] = {}
        for entry in raw.get("altNames", []):
            alt_names.setdefault(canonical_tag(entry["culture"]), []).append(fold(entry["name"]))
        return {
            "id": raw["id"],
            "labels": labels,
            "notation": raw.get("notation"),
            "alt_names": alt_names,
            "sort_key": raw.get("sortKey"),
            "metadata": raw.get("metadata", {}),
            "deprecated": raw.get("deprecated", False) or bool(raw.get("deprecation")),
            "deprecation": raw.get("deprecation", {}),
            "replaced_by": raw.get("replacedBy", []),
            "relations": sorted(raw.get("relations", []), key=_relation_order),
            "notes": {canonical_tag(entry["culture"]): {name: entry[name] for name in _NOTES if name in entry} for entry in raw.get("notes", [])},
        }

    @property
    def nodes(self) -> Iterator[Node]:
        """Returns categories, then terms."""
        yield from self.categories.values()
        yield from self.terms.values()

    @cached_property
    def cultures(self) -> list[str]:
        """Returns every culture in which any node has a name."""
        return sorted({tag for node in self.nodes for tag in node.labels})

    def label(self, node: Node, culture: str) -> tuple[Label, str]:
        """Returns a node's name and path for a culture, and the culture in which they are."""
        served = next(tag for tag in self.order(culture) if tag in node.labels)
        return node.labels[served], served

    def order(self, culture: str) -> list[str]:
        """Returns the cultures in which a reader of a culture takes a name: that one, the only other of its language, the default. The rule for
        several of a language has a second reading in `taxonomy-keys`, tests/fallback.rs."""
        if culture not in self._orders:
            wanted = canonical_tag(culture)
            alike = [tag for tag in self.cultures if tag != wanted and tag.split("-")[0] == wanted.split("-")[0]]
            if len(alike) > 1 and wanted != self.default_culture:
                raise ValueError(f"the oracle does not know which of {alike} is the nearest to {culture}")
            order = [*(tag for tag in (wanted, *alike) if tag in self.cultures), self.default_culture]
            self._orders[culture] = order[: order.index(self.default_culture) + 1]
        return self._orders[culture]

    def named(self, node: Node, culture: str) -> tuple[str, str]:
        """Returns a node's name for a culture, and the culture in which it is."""
        label, served = self.label(node, culture)
        return label.name, served

    def final_name(self, term: Term, culture: str) -> str:
        """Returns `{category name}:{term name}`, each part falling back independently."""
        return f"{self.named(term.category, culture)[0]}:{self.named(term, culture)[0]}"

    def term_answer(self, term_id: int, requested: str | None = None) -> Json:
        """Returns the lookup's response about a term, as far as the file determines it.

        Each node is named by its own names alone, whichever term it is above.
        """
        term = self.terms[term_id]
        asked = requested or self.default_culture
        label, culture = self.label(term, asked)
        category, category_culture = self.label(term.category, asked)
        answer = {
            "id": term.id,
            "name": label.name,
            "culture": culture,
            "finalName": self.final_name(term, asked),
            "category": {"id": term.category.id, "name": category.name, "culture": category_culture} | _path(category.path),
            "depth": term.depth,
            "ancestors": [self._ancestor(above, asked) for above in term.ancestors],
            "altNames": term.alt_names.get(culture, []),
            "metadata": term.metadata,
            "deprecated": term.deprecated,
            "replacedBy": term.replaced_by,
            "relations": term.relations,
            "removed": False,
        }
        return answer | _path(label.path) | _optional_fields(term, culture)

    @cached_property
    def children(self) -> dict[int, list[Term]]:
        """Returns the children of each term, in no order."""
        found: dict[int, list[Term]] = {id_: [] for id_ in self.terms}
        for term in self.terms.values():
            if term.parent:
                found[term.parent.id].append(term)
        return found

    def plain_order(self, siblings: list[Term], culture: str) -> list[int] | None:
        """Returns the ids in the order of siblings where it needs no collation: words of ASCII letters, in English. Else None."""
        is_keyed = all(node.sort_key is not None for node in siblings)
        if not is_keyed and self.order(culture)[0].partition("-")[0] != "en":
            return None
        texts = {(node.sort_key or self.named(node, self.order(culture)[0])[0]).lower(): node.id for node in siblings}
        if len(texts) < len(siblings) or not all(text.isascii() and text.isalpha() for text in texts):
            return None
        return [texts[text] for text in sorted(texts)]

    def below(self, term_id: int) -> Iterator[int]:
        """Yields the ids of all terms below a term."""
        for child in self.children[term_id]:
            yield child.id
            yield from self.below(child.id)

    def child_answer(self, term: Term, requested: str) -> Json:
        """Returns a term as a listing shows it."""
        label, culture = self.label(term, requested)
        answer = {
            "id": term.id,
            "name": label.name,
            "culture": culture,
            "finalName": self.final_name(term, requested),
            "deprecated": term.deprecated,
        } | below(term)
        notation = {} if term.notation is None else {"notation": term.notation}
        return answer | notation | _path(label.path)

    def category_answer(self, category_id: int, requested: str | None = None) -> Json:
        """Returns the lookup's response about a category, as far as the file determines it."""
        category = self.categories[category_id]
        label, culture = self.label(category, requested or self.default_culture)
        answer = {
            "id": category.id,
            "name": label.name,
            "culture": culture,
            "altNames": category.alt_names.get(culture, []),
            "metadata": category.metadata,
            "deprecated": category.deprecated,
            "replacedBy": category.replaced_by,
            "relations": category.relations,
            "removed": False,
        }
        return answer | _path(label.path) | _optional_fields(category, culture)

    def final_names(self) -> dict[tuple[str, int], str]:
        """Returns the name of each category and the FinalName of each term, in the default culture."""
        found = {("category", node.id): self.named(node, self.default_culture)[0] for node in self.categories.values()}
        return found | {("term", term.id): self.final_name(term, self.default_culture) for term in self.terms.values()}

    def fields(self) -> dict[tuple[str, int], Json]:
        """Returns every field of every node, by kind and id."""
        found: dict[tuple[str, int], Json] = {}
        for node in self.nodes:
            own = {name: value for name, value in vars(node).items() if name not in ("category", "parent", "child_count", "descendant_count")}
            if isinstance(node, Term):
                own |= {"category": node.category.id, "parent": node.parent.id if node.parent else None}
            found["term" if isinstance(node, Term) else "category", node.id] = own
        return found

    def _ancestor(self, term: Term, culture: str) -> Json:
        label, served = self.label(term, culture)
        answer = {"id": term.id, "name": label.name, "finalName": self.final_name(term, culture), "culture": served}
        return answer | _path(label.path)


def _relation_order(relation: Json) -> tuple[int, bool, str, Any]:
    """Returns the sort key of relations, which have no order of their own and are stored by type, scheme and id."""
    scheme = relation.get("scheme")
    return _TYPES.index(relation["type"]), scheme is not None, scheme or "", relation["id"]


def below(node: Category | Term) -> Json:
    """Returns the numbers that a listing shows of what is below a node."""
    return {"childCount": node.child_count, "descendantCount": node.descendant_count}


def _optional_fields(node: Node, culture: str) -> Json:
    """Returns the fields of a response that are absent if the file does not have them."""
    optional = {
        "notation": node.notation,
        "notes": node.notes.get(culture),
        "sortKey": node.sort_key,
        "deprecation": node.deprecation or None,
    }
    return {name: value for name, value in optional.items() if value is not None}


def _path(path: str | None) -> Json:
    return {} if path is None else {"path": path}
