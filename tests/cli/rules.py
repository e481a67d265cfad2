"""The rules of docs/decisions/0022-import.md, implemented independently and applied to the statements of a source: the expected file of an import."""

import csv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from foreign import Concept, Source, Text
from oracle import Json, canonical_tag

#: Kind and key of a node.
Key = tuple[str, str]


@dataclass
class IdMap:
    """The parts of an id map on which the next release depends."""

    ids: dict[Key, int] = field(default_factory=dict)
    parents: dict[Key, str] = field(default_factory=dict)
    names: dict[Key, str] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "IdMap":
        """Reads the file of `--ids`."""
        found = cls()
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["kind"] == "choice":
                    found.choices[row["key"]] = row["name"]
                    continue
                key = (row["kind"], row["key"])
                found.ids[key], found.parents[key], found.names[key] = int(row["id"]), row["parent"], row["name"]
        return found


@dataclass
class Import:
    """The expected result of an import: the file, the id of each key, and the count of each code of the report."""

    content: Json
    ids: dict[Key, int]
    codes: Counter[str]
    counts: dict[str, int]


def apply(source: Source, last: IdMap | None = None, replaced: list[tuple[str, str]] = [], one: str | None = None) -> Import:  # noqa: B006 - never changed
    """Imports a release: with the id map of the last one, with pairs of `--replaced`, below one category for all if `one` names it."""
    return _Rules(source, last or IdMap(), replaced, one).apply()


class _Rules:
    def __init__(self, source: Source, last: IdMap, replaced: list[tuple[str, str]], one: str | None) -> None:
        self.source, self.last, self.replaced, self.one = source, last, replaced, one
        self.concepts = dict(source.concepts)
        self.codes: Counter[str] = Counter(source.codes)
        self.chosen: dict[str, str | None] = {}
        self.kinds: dict[str, str] = {}
        self.ids: dict[Key, int] = {}
        self.described = len(self.concepts)

    def apply(self) -> Import:
        self._choose_parents()
        self._cut_cycles()
        self._choose_categories()
        for key in self.concepts:
            self.kinds[key] = "term" if self.one or self.chosen[key] else "category"
        renumbered = self._replace()
        self._assign(renumbered)
        nodes = {key: self._node(concept) for key, concept in self.concepts.items()}
        top: Json = {"defaultCulture": self.source.culture, "categories": []}
        if self.one:
            category = {"id": self.ids["category", ""], "names": [{"culture": self.source.culture, "name": self.one}]}
            top["categories"].append(category)
        for key, node in nodes.items():
            above = self.chosen[key]
            if above:
                nodes[above].setdefault("terms" if self.kinds[above] == "category" else "children", []).append(node)
            else:
                (top["categories"][0].setdefault("terms", []) if self.one else top["categories"]).append(node)
        categories = len(top["categories"])
        names = sum(len(node["names"]) for node in nodes.values()) + (1 if self.one else 0)
        terms = len(nodes) if self.one else len(nodes) - categories
        counts = {"concepts": self.described, "categories": categories, "terms": terms, "names": names}
        return Import(top, self.ids, +self.codes, counts)

    def _choose_categories(self) -> None:
        """Chooses one category for all unless the concepts without a parent are few and most of them have concepts below. The samples have no
        second scheme and no concept that is retired."""
        assert all(len(concept.schemes) <= 1 for concept in self.concepts.values())
        choice = self.last.choices.get("categories")
        tops = [key for key in self.concepts if not self.chosen[key]]
        above = {self.chosen[key] for key in self.concepts}
        is_few = len(tops) <= 100 and 2 * sum(key in above for key in tops) >= len(tops)
        if not self.one and (choice == "one" or choice is None and not is_few):
            self.one = self.source.scheme

    def _ordered(self, keys: list[str]) -> list[str]:
        """Returns the order in which choices are made: that of the source, or that of keys if the source has none."""
        return sorted(set(keys)) if self.source.is_unordered else list(dict.fromkeys(keys))

    def _known(self, concept: Concept) -> list[str]:
        parents = self._ordered(concept.parents)
        return [key for key in parents if key in self.concepts and key != concept.key]

    def _choose_parents(self) -> None:
        """Chooses the parent of the last release, else the first one; the others become relations."""
        for concept in self.concepts.values():
            known = self._known(concept)
            self.codes["self-parent"] += concept.key in concept.parents
            self.codes["unknown-parent"] += sum(key not in self.concepts for key in set(concept.parents))
            if ("category", concept.key) in self.last.ids:
                # It stays a category.
                self.codes["category-below"] += bool(known)
                self.chosen[concept.key] = None
                continue
            self.codes["further-parent"] += len(known) > 1
            before = self.last.parents.get(("term", concept.key))
            self.chosen[concept.key] = before if before in known else next(iter(known), None)

    def _cut_cycles(self) -> None:
        """Cuts cycles: the first concept of a cycle that has another parent gets that one; without any, the first one moves to the top."""
        for key in self._ordered(list(self.concepts)):
            around, at = [key], self.chosen[key]
            while at and at not in around:
                around.append(at)
                at = self.chosen[at]
            if at != key:
                continue
            order = [each for each in self._ordered(list(self.concepts)) if each in around]
            ways = ((each, parent) for each in order for parent in self._known(self.concepts[each]) if not self._leads_to(parent, around))
            cut, out = next(ways, (order[0], None))
            self.chosen[cut] = out
            self.codes["cycle"] += 1

    def _leads_to(self, key: str, around: list[str]) -> bool:
        seen: set[str] = set()
        at: str | None = key
        while at and at not in seen:
            if at in around:
                return True
            seen.add(at)
            at = self.chosen[at]
        return False

    def _replace(self) -> dict[str, int]:
        """Transfers the id of a removed key to the new key that replaced it, or keeps the concept as deprecated if the new key already has an id."""
        renumbered: dict[str, int] = {}
        for old, new in self.replaced:
            if old in self.concepts:
                self.concepts[old].replaced_by.append(new)
            elif ("term", new) not in self.last.ids:
                renumbered[new] = self.last.ids["term", old]
                self.codes["renumbered"] += 1
            else:
                self.codes["merged"] += 1
                name = (self.source.culture, self.last.names["term", old])
                self.concepts[old] = Concept(old, names=[name], deprecated=True, replaced_by=[new])
                above = self.last.parents["term", old]
                self.chosen[old], self.kinds[old] = above if above in self.kinds else self.chosen[new], "term"
        return renumbered

    def _assign(self, renumbered: dict[str, int]) -> None:
        """Assigns the id of the map, else the source's number, else the next one, in the order of keys. Categories and terms have ids of their own."""
        for kind in ("category", "term"):
            keys = sorted((key for key in self.kinds if self.kinds[key] == kind), key=str.encode)
            keys += [""] if kind == "category" and self.one else []
            numbers = [self.concepts[key].number for key in keys if key]
            taken = [id_ for (of, _), id_ in self.last.ids.items() if of == kind]
            highest = max([*taken, *(number for number in numbers if number is not None)], default=0)
            for key in keys:
                own = self.concepts[key].number if key else None
                found = self.last.ids.get((kind, key), renumbered.get(key, own))
                if found is None:
                    highest += 1
                    found = highest
                self.ids[kind, key] = found

    def _node(self, concept: Concept) -> Json:
        key = concept.key
        preferred, alternatives = self._names(concept)
        node: Json = {
            "id": self.ids[self.kinds[key], key],
            "names": [{"culture": culture, "name": name} for culture, name in sorted(preferred.items())],
            "altNames": [{"culture": culture, "name": name} for culture, name in alternatives],
            "notes": [{"culture": culture, "definition": text} for culture, text in self._definitions(concept).items()],
            "relations": self._relations(concept),
            "metadata": self._metadata(concept),
            "replacedBy": self._replaced_by(concept),
        }
        node |= {} if concept.notation is None else {"notation": concept.notation}
        node |= {"deprecated": True} if concept.deprecated else {}
        return {name: value for name, value in node.items() if value not in ([], {})}

    def _culture(self, text: Text) -> str:
        return self.source.culture if text[0] is None else canonical_tag(text[0].replace("_", "-"))

    def _sorted(self, texts: list[Text]) -> list[Text]:
        return sorted(texts, key=lambda text: text[1]) if self.source.is_unordered else texts

    def _names(self, concept: Concept) -> tuple[dict[str, str], list[Text]]:
        """Returns one name a culture; the remaining names become alternative names, or are left out if they are repeated."""
        default, preferred, further = self.source.culture, {}, []
        for text in self._sorted([text for text in concept.names if text[0] is not None]):
            culture = self._culture(text)
            if preferred.setdefault(culture, text[1]) != text[1]:
                self.codes["several-names"] += 1
                further.append((culture, text[1]))
        for _, name in (text for text in concept.names if text[0] is None):
            self.codes["no-language"] += 1
            if any(_language(culture) == _language(default) for culture in preferred):
                further.append((default, name))
            else:
                preferred[default] = name
        if default not in preferred:
            self.codes["no-default-name"] += 1
            alike = sorted(culture for culture in preferred if _language(culture) == _language(default))
            preferred[default] = preferred[(alike or sorted(preferred))[0]]
        stated = [(self._culture(text), text[1]) for text in self._sorted(concept.alternatives)] + further
        kept: list[Text] = []
        for culture, name in stated:
            if preferred.get(culture) == name:
                # One note for all.
                self.codes["repeated-name"] = 1
            elif (culture, name) in kept:
                self.codes["duplicate-label"] += 1
            else:
                kept.append((culture, name))
        return preferred, kept

    def _definitions(self, concept: Concept) -> dict[str, str]:
        found: dict[str, list[str]] = {}
        for text in self._sorted(concept.definitions):
            found.setdefault(self._culture(text), []).append(text[1])
        return {culture: "\n".join(dict.fromkeys(texts)) for culture, texts in found.items()}

    def _metadata(self, concept: Concept) -> Json:
        found: Json = {}
        for name, language, value in concept.properties:
            values = found.setdefault(name, {}).setdefault(self._culture((language, "")), [])
            values += [value] if value not in values else []
        return found

    def _relations(self, concept: Concept) -> list[Json]:
        """Returns the relations: the key, parents that were not chosen, the same concepts in other taxonomies, related concepts."""
        scheme = self.source.scheme
        found = [] if scheme is None else [{"type": "exact", "scheme": scheme, "id": concept.key}]
        above = self._ordered(concept.parents)
        found += [self._relation("broad", key) for key in above if key not in (concept.key, self.chosen[concept.key])]
        found += [{"type": "exact", "scheme": of, "id": id_} for of, id_ in concept.same]
        found += [self._relation("related", key) for key in self._ordered(concept.related)]
        return found

    def _relation(self, kind: str, key: str) -> Json:
        """Returns a relation: to a term by its id; to a category or to a missing concept by its key."""
        if self.kinds.get(key) == "term":
            return {"type": kind, "id": self.ids["term", key]}
        return {"type": kind, "scheme": self.source.scheme, "id": key}

    def _replaced_by(self, concept: Concept) -> list[int]:
        kind = self.kinds[concept.key]
        return sorted(self.ids[kind, key] for key in concept.replaced_by)


def _language(culture: str) -> str:
    return culture.split("-")[0]
