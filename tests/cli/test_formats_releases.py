"""Tests of two releases in every dialect, generated and real: an import with the id map has the names, parents, codes and flags that an independent
reading of its files finds, and the plan between two imports has the renames, moves, additions and removals between two readings."""

import csv
import os
import random
import tempfile
import unittest
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import foreign
from program import succeed, taxonomy

from oracle import Taxonomy, Term  # isort: skip - found by program
from test_releases import data, same  # isort: skip - found by program

#: The real taxonomies: all in `make prove NAMES=cli`, each with its next release.
NAMES = os.environ.get("PROVE_CLI_TAXONOMIES", "iab").split(",")
REAL = {
    "iab": ("en-GB", ["iab/taxonomy-v1.json", "iab/taxonomy-v2.json"]),
    "esco": ("en-GB", ["esco/occupations-v1.json", "esco/occupations-v2.json"]),
    "google": ("en-US", ["google/taxonomy-v2.json", "google/taxonomy-v3.json"]),
}
SEEDS = range(5)
BASE = "http://example.com/concepts/"
GID = "gid://shopify/TaxonomyCategory/"
#: The numbers of real categories follow those of terms, since Google has one range.
BEHIND_TERMS = 100_000_000


@dataclass(frozen=True)
class Made:
    """A concept to be written: its names by culture, and the number of its parent."""

    names: dict[str, str]
    parent: int | None
    notation: str | None = None
    deprecated: bool = False


#: The concepts of a release by number.
Release = dict[int, Made]


@dataclass(frozen=True)
class Seen:
    """What a reading or an import finds of a concept."""

    names: dict[str, str]
    parent: str | None
    notation: str | None
    deprecated: bool


def generated(seed: int) -> list[Release]:
    """Returns two releases: concepts are renamed, moved, added, removed and retired, lose their parent or get one."""
    draw = random.Random(seed)
    first: Release = {}
    for number in range(1, 60):
        names = {"en": f"Name {number}, part \"{draw.randrange(9)}\""} | ({"de": f"Größe {number}"} if draw.random() < 0.5 else {})
        parent = None if number <= 5 else draw.randint(1, number - 1) if number > 10 else number - 5
        first[number] = Made(names, parent, f"0{number}" if draw.random() < 0.5 else None)
    second = dict(first)
    for number in draw.sample(range(6, 60), 24):
        made = second[number]
        others = [other for other in second if _has_place(second, other) and number not in _above(second, other)]
        has_below = any(other.parent == number for other in [*first.values(), *second.values()])
        match draw.randrange(5):
            case 0:
                second[number] = replace(made, names=made.names | {"en": f"Renamed {number}"})
            case 1:
                second[number] = replace(made, parent=draw.choice(others))
            case 2 if not has_below:
                del second[number]
            case 3 if not has_below:
                second[number] = replace(made, parent=None, deprecated=True)
            case 4 if not has_below:
                second[number] = replace(made, parent=None)
    # Somebody puts a top below another one.
    second[5] = replace(second[5], parent=1)
    for number in range(60, 66):
        second[number] = Made({"en": f"New {number}"}, draw.choice([other for other in second if _has_place(second, other)]), f"1E{number}")
    return [first, second]


def _has_place(release: Release, number: int) -> bool:
    return number <= 5 or release[number].parent is not None


def _above(release: Release, number: int | None) -> Iterator[int]:
    while number is not None:
        yield number
        number = release[number].parent if number in release else None


def real(culture: str, paths: list[Path]) -> list[Release]:
    """Returns releases of real files. Siblings get different names, since dialects of paths cannot tell them apart otherwise."""
    releases = []
    for path in paths:
        whole = Taxonomy.read(path)
        numbers = {id(node): node.id for node in whole.terms.values()} | {id(node): node.id + BEHIND_TERMS for node in whole.categories.values()}
        release: Release = {}
        siblings: set[tuple[int | None, str]] = set()
        for node in whole.nodes:
            number = numbers[id(node)]
            above = None if number >= BEHIND_TERMS else whole.terms[node.id].parent or whole.terms[node.id].category
            parent = None if above is None else numbers[id(above)]
            names = {tag: " ".join(label.name.split()) for tag, label in node.labels.items()}
            if (parent, names[culture]) in siblings:
                names = {tag: f"{name} ({number})" for tag, name in names.items()}
            siblings.add((parent, names[culture]))
            release[number] = Made(names, parent, node.notation, node.deprecated)
        releases.append(release)
    return releases


@dataclass(frozen=True)
class Dialect:
    """A dialect: what writes a release of it, and what reads it."""

    form: str
    write: Callable[[Release, str, Path], list[Path]]
    read: foreign.Reader


def _table(path: Path, rows: list[dict[str, Any]], before: str = "", delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        file.write(before)
        table = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)
    return path


def write_rdf(release: Release, culture: str, folder: Path, form: str) -> list[Path]:
    """Writes SKOS by rdflib, with all that lies above each concept, a collection, and flags in capitals."""
    from rdflib import OWL, RDF, SKOS, Graph, Literal, URIRef

    graph = Graph()
    scheme, collection = URIRef(f"{BASE}scheme"), URIRef(f"{BASE}collection")
    graph.add((scheme, RDF.type, SKOS.ConceptScheme))
    graph.add((collection, RDF.type, SKOS.Collection))
    for number, made in release.items():
        concept = URIRef(f"{BASE}{number}")
        graph.add((concept, RDF.type, SKOS.Concept))
        graph.add((concept, SKOS.inScheme, scheme))
        graph.add((collection, SKOS.member, concept))
        for tag, name in made.names.items():
            graph.add((concept, SKOS.prefLabel, Literal(name, lang=tag)))
            graph.add((concept, SKOS.altLabel, Literal(name, lang=tag)))
        for above in list(_above(release, number))[1:]:
            graph.add((concept, SKOS.broaderTransitive, URIRef(f"{BASE}{above}")))
        if made.parent is not None:
            graph.add((concept, SKOS.broader, URIRef(f"{BASE}{made.parent}")))
        if made.notation:
            graph.add((concept, SKOS.notation, Literal(made.notation)))
        if made.deprecated:
            graph.add((concept, OWL.deprecated, Literal("TRUE")))
    path = folder / f"concepts.{form}"
    text = graph.serialize(format="nt" if form == "nquads" else form)
    path.write_text(text.replace(" .\n", f" <{BASE}graph> .\n") if form == "nquads" else text, encoding="utf-8")
    return [path]


def write_esco(release: Release, culture: str, folder: Path) -> list[Path]:
    """Writes a file a language, in which alternative labels repeat the preferred one, and the broader relations."""
    paths = []
    for tag in _cultures(release, culture):
        rows = [
            {
                "conceptType": "Occupation",
                "conceptUri": f"{BASE}{number}",
                "preferredLabel": made.names[tag],
                "altLabels": f"{made.names[tag]}\nAlso {made.names[tag]}",
                "code": made.notation or "",
                "status": "obsolete" if made.deprecated else "released",
            }
            for number, made in release.items()
            if tag in made.names
        ]
        paths.append(_table(folder / f"occupations_{tag}.csv", rows))
    relations = [{"conceptUri": f"{BASE}{number}", "broaderUri": f"{BASE}{made.parent}"} for number, made in release.items() if made.parent is not None]
    return [*paths, _table(folder / f"broaderRelationsOccPillar_{culture}.csv", relations)]


def _cultures(release: Release, first: str) -> list[str]:
    return [first, *sorted({tag for made in release.values() for tag in made.names} - {first})]


def _path(release: Release, number: int, tag: str) -> str:
    return " > ".join(release[above].names[tag] for above in reversed(list(_above(release, number))))


def write_google(release: Release, culture: str, folder: Path) -> list[Path]:
    """Writes a file for each culture in which everything is named, as Windows ends its lines."""
    paths = []
    for tag in _cultures(release, culture):
        if all(tag in made.names for made in release.values()):
            paths.append(folder / f"taxonomy.{tag}.txt")
            rows = [f"{number} - {_path(release, number, tag)}" for number in release]
            text = "\r\n".join(["# Google_Product_Taxonomy_Version: 2031-05-01", *rows, "", "# the end", ""])
            paths[-1].write_text(text, encoding="utf-8-sig", newline="")
    return paths


def _gid(release: Release, number: int) -> str:
    return GID + "-".join(str(above) for above in reversed(list(_above(release, number))))


def write_shopify(release: Release, culture: str, folder: Path) -> list[Path]:
    """Writes a file in a folder of its culture. A GID names the place, so what moves has another one."""
    path = folder / culture / "categories.txt"
    path.parent.mkdir()
    rows = [f"{_gid(release, number)} : {_path(release, number, culture)}\n" for number in release]
    path.write_text("".join(["# Shopify Product Taxonomy - Categories: 2031-05\n", *rows]), encoding="utf-8")
    return [path]


def write_open_food_facts(release: Release, culture: str, folder: Path) -> list[Path]:
    """Writes blocks whose first line is the key, with lines that are nothing, words, and second blocks."""
    lines = ["stopwords:en: the", ""]
    for number, made in release.items():
        lines += [f"< zzz: k{made.parent}"] if made.parent is not None else []
        lines += [f"zzz: k{number}", "https://example.org/odd"]
        lines += [f"{tag}: " + name.replace(",", "\\,") for tag, name in made.names.items()]
        lines += ["ean:en: 1", "", f"zzz: k{number}", ""] if number % 7 == 0 else ["", ""]
    path = folder / "categories.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return [path]


def write_csv(release: Release, culture: str, folder: Path) -> list[Path]:
    """Writes a table as spreadsheets and databases do: the delimiter stated, words for no parent, columns without a name."""
    tags = _cultures(release, culture)
    rows = [
        {"id": f"k{number}", "parent": f"k{made.parent}" if made.parent is not None else ("NULL", "-", "0", "")[number % 4], "": ""}
        | {f"name.{tag}": made.names.get(tag, "") for tag in tags}
        | {"notation": made.notation or "", "deprecated": "yes" if made.deprecated else ""}
        for number, made in release.items()
    ]
    return [_table(folder / "table.csv", rows, "sep=;\r\n", ";")]


def read_csv(paths: list[Path], culture: str) -> foreign.Source:
    """Reads such a table by the csv module."""
    source = foreign.Source(culture, "source")
    with paths[0].open(newline="", encoding="utf-8-sig") as file:
        next(file)
        for row in csv.DictReader(file, delimiter=";"):
            concept = source.concept(row["id"])
            concept.names = [(column.partition(".")[2], cell) for column, cell in row.items() if column.startswith("name.") and cell]
            concept.parents = [row["parent"]]
            concept.notation, concept.deprecated = row["notation"] or None, row["deprecated"] == "yes"
    return source


RDF = {"turtle": "turtle", "nquads": "nquads", "jsonld": "json-ld", "rdfxml": "xml"}
DIALECTS = [
    *(Dialect(form, partial(write_rdf, form=name), partial(foreign.rdf, form=name)) for form, name in RDF.items()),
    Dialect("esco", write_esco, foreign.esco),
    Dialect("google", write_google, foreign.google),
    Dialect("shopify", write_shopify, foreign.shopify),
    Dialect("open-food-facts", write_open_food_facts, foreign.open_food_facts),
    Dialect("csv", write_csv, read_csv),
]


def expected(source: foreign.Source, last: dict[str, Seen]) -> dict[str, Seen]:
    """Returns what an import must have: a category has no parent, and a term without one stays below its last one."""
    found = {}
    for key, concept in source.concepts.items():
        parent = next((parent for parent in concept.parents if parent in source.concepts), None)
        if key in last:
            parent = None if last[key].parent is None else parent or last[key].parent
        found[key] = Seen({str(tag): name for tag, name in concept.names}, parent, concept.notation, concept.deprecated)
    return found


def keys_of(ids: Path) -> dict[tuple[str, int], str]:
    """Returns the key of each node of an id map."""
    with ids.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] != "choice" and not row["replaced_by"]]
    return {(row["kind"], int(row["id"])): row["key"] for row in rows}


def imported(file: Path, keys: dict[tuple[str, int], str]) -> dict[str, Seen]:
    """Returns what a written file has, by key."""
    whole = Taxonomy.read(file)
    found = {}
    for node in whole.nodes:
        if isinstance(node, Term):
            key = keys["term", node.id]
            parent = keys["term", node.parent.id] if node.parent else keys["category", node.category.id]
        else:
            key, parent = keys["category", node.id], None
        found[key] = Seen({tag: label.name for tag, label in node.labels.items()}, parent, node.notation, node.deprecated)
    return found


def differences(before: dict[str, Seen], after: dict[str, Seen]) -> Counter[tuple[str, str]]:
    """Returns the operations between two readings: of what is added or removed with all above it the highest alone."""
    found = [("add", key) for key, seen in after.items() if key not in before and (seen.parent is None or seen.parent in before)]
    found += [("remove", key) for key, seen in before.items() if key not in after and (seen.parent is None or seen.parent in after)]
    for key in before.keys() & after.keys():
        old, new = before[key], after[key]
        found += [("rename", key) for tag in old.names.keys() | new.names.keys() if old.names.get(tag) != new.names.get(tag)]
        found += [("move", key)] if old.parent != new.parent else []
        found += [("deprecate" if new.deprecated else "reinstate", key)] if old.deprecated != new.deprecated else []
    return Counter(found)


class Releases(unittest.TestCase):
    def check(self, releases: list[Release], culture: str, what: str) -> None:
        for dialect in DIALECTS:
            with self.subTest(f"{what} as {dialect.form}"), tempfile.TemporaryDirectory() as folder:
                self.check_dialect(dialect, releases, culture, Path(folder), what)

    def check_dialect(self, dialect: Dialect, releases: list[Release], culture: str, folder: Path, what: str) -> None:
        ids, last, told = folder / "ids.csv", dict[str, Seen](), []
        for number, release in enumerate(releases):
            out, sources = folder / f"{number}.json", folder / str(number)
            sources.mkdir()
            files = dialect.write(release, culture, sources)
            words = [f"{culture}={file}" if dialect.form == "csv" else file for file in files]
            options = ["--default-culture", culture, "--ids", ids, "--out", out]
            if dialect.form == "shopify" and number:
                moved = {_gid(releases[number - 1], each): _gid(release, each) for each in release.keys() & releases[number - 1].keys()}
                moved = {old: new for old, new in moved.items() if old != new}
                options += ["--replaced", _replaced(sources / "moved.csv", moved)]
                last = {moved.get(key, key): replace(seen, parent=moved.get(seen.parent or "", seen.parent)) for key, seen in last.items()}
            succeed("import", dialect.form, *words, *options)
            keys = keys_of(ids)
            now = expected(dialect.read(files, culture), last)
            same(f"release {number}", now, imported(out, keys))
            names = sum(len(seen.names) for seen in now.values())
            counts = {field: sum(bool(getattr(seen, field)) for seen in now.values()) for field in ("parent", "notation", "deprecated")}
            told.append(f"{len(now)} concepts, {names} names, {counts}")
            if number:
                plan = taxonomy("plan", out, "--against", folder / f"{number - 1}.json", "--output", "json").json()
                operations = [(each["action"], keys[next(iter(each["node"].items()))]) for each in plan["operations"] if each["action"] != "change"]
                same(f"operations of release {number}", differences(last, now), Counter(operations))
                told[-1] += f" ({dict(Counter(action for action, _ in operations))})"
            last = now
        print(f"\n{what} as {dialect.form}: {'; '.join(told)}", flush=True)

    def test_generated(self) -> None:
        for seed in SEEDS:
            self.check(generated(seed), "en", f"seed {seed}")


def _replaced(path: Path, pairs: dict[str, str]) -> Path:
    path.write_text("".join(f"{old},{new}\n" for old, new in [("old", "new"), *pairs.items()]), encoding="utf-8")
    return path


def _test(name: str) -> Callable[[Releases], None]:
    culture, files = REAL[name]
    return lambda test: test.check(real(culture, [data(file) for file in files]), culture, name)


for each in NAMES:
    if each in REAL:
        setattr(Releases, f"test_{each}", _test(each))


if __name__ == "__main__":
    unittest.main()
