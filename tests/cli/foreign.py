"""Independent readers of external taxonomies: the statements of a file, before any rule of docs/decisions/0022-import.md selects among them.

No code is shared with the service: rdflib reads RDF, the csv module reads tables and the files of ESCO, a few lines read the texts.
"""

import csv
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

#: A text and its language; None if the source names no language.
Text = tuple[str | None, str]


#: A reader: takes files and their default culture.
Reader = Callable[[list[Path], str], "Source"]


@dataclass
class Concept:
    """The statements of a source about a concept, in the order of the source."""

    key: str
    names: list[Text] = field(default_factory=list)
    alternatives: list[Text] = field(default_factory=list)
    definitions: list[Text] = field(default_factory=list)
    notation: str | None = None
    deprecated: bool = False
    parents: list[str] = field(default_factory=list)
    schemes: set[str] = field(default_factory=set)
    related: list[str] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    #: Scheme and id of the same concept in other taxonomies.
    same: list[tuple[str, str]] = field(default_factory=list)
    #: Name, language and value.
    properties: list[tuple[str, str | None, str]] = field(default_factory=list)
    #: The id that the source itself assigns.
    number: int | None = None


@dataclass
class Source:
    """The concepts of all files of a release."""

    culture: str
    #: The scheme under which keys are stored as relations; None if keys are paths.
    scheme: str | None
    concepts: dict[str, Concept] = field(default_factory=dict)
    #: Whether the concepts have no order, as in RDF.
    is_unordered: bool = False
    #: The number of statements that a reader ignores, by the code of the report.
    codes: Counter[str] = field(default_factory=Counter)

    def concept(self, key: str) -> Concept:
        """Returns the concept of a key and marks it as described."""
        return self.concepts.setdefault(key, Concept(key))


def rdf(paths: list[Path], culture: str, form: str) -> Source:
    """Reads SKOS by rdflib: concepts by IRI, under the host of their scheme."""
    from rdflib import DCTERMS, OWL, RDF, SKOS, Dataset, Graph, Literal, URIRef

    graph = Dataset(default_union=True) if form == "nquads" else Graph()
    with warnings.catch_warnings():
        # A warning of rdflib about its own reader of JSON-LD.
        warnings.simplefilter("ignore", DeprecationWarning)
        for path in paths:
            graph.parse(path, format=form)
    scheme = min(str(each) for each in graph.subjects(RDF.type, SKOS.ConceptScheme))
    source = Source(culture, urlsplit(scheme).hostname, is_unordered=True)

    def texts(subject: URIRef, predicate: URIRef) -> list[Text]:
        return [(text.language, str(text)) for text in graph.objects(subject, predicate) if isinstance(text, Literal)]

    for subject in graph.subjects(RDF.type, SKOS.Concept):
        assert isinstance(subject, URIRef), subject
        concept = source.concept(str(subject))
        concept.names, concept.alternatives = texts(subject, SKOS.prefLabel), texts(subject, SKOS.altLabel)
        concept.definitions = texts(subject, SKOS.definition)
        notations = [str(code) for code in graph.objects(subject, SKOS.notation)]
        concept.notation = min(notations, default=None)
        concept.deprecated = any(str(flag).lower() == "true" for flag in graph.objects(subject, OWL.deprecated))
        concept.parents = [str(above) for above in graph.objects(subject, SKOS.broader)]
        concept.schemes = {str(scheme) for scheme in graph.objects(subject, SKOS.inScheme)} | {str(scheme) for scheme in graph.subjects(SKOS.hasTopConcept, subject)}
        concept.related = [str(other) for other in graph.objects(subject, SKOS.related)]
        concept.related += [str(other) for other in graph.subjects(SKOS.related, subject)]
        concept.replaced_by = [str(other) for other in graph.objects(subject, DCTERMS.isReplacedBy)]
        same = sorted(str(other) for other in graph.objects(subject, SKOS.exactMatch))
        concept.same = [(urlsplit(other).hostname or "", other) for other in same]
    return source


def esco(paths: list[Path], culture: str) -> Source:
    """Reads the files of ESCO: labels of concepts, a file a language, and their broader relations."""
    source = Source(culture, "esco")
    for path in paths:
        language = path.stem.rpartition("_")[2]
        for row in _rows(path):
            concept = source.concept(row["conceptUri"])
            if "broaderUri" in row:
                concept.parents.append(row["broaderUri"])
                continue
            if row["preferredLabel"]:
                concept.names.append((language, row["preferredLabel"]))
            labels = (row.get("altLabels") or "").split("\n") + (row.get("hiddenLabels") or "").split("\n")
            concept.alternatives += [(language, label) for label in labels if label]
            concept.definitions += [(language, row[name]) for name in ("definition", "description") if row.get(name)]
            concept.notation = row["code"] or concept.notation
            concept.deprecated |= row["status"] == "obsolete"
            metadata = ("skillType", "reuseLevel", "naceCode", "regulatedProfessionNote")
            concept.properties += [(name, None, row[name]) for name in metadata if row.get(name)]
    return source


def _rows(path: Path, delimiter: str = ",") -> Iterator[dict[str, str]]:
    """Returns the rows of a table by their header."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        yield from csv.DictReader(file, delimiter=delimiter)


def google(paths: list[Path], culture: str) -> Source:
    """Reads `ID - A > B`, a file a culture."""
    source = Source(culture, "google-product-taxonomy")
    for path, names in _paths(paths, re.compile(r"(?P<key>\d+) - (?P<path>.+)"), source):
        for key, (parent, name) in names.items():
            concept = source.concept(key)
            concept.number = int(key)
            concept.names.append((path.stem.rpartition(".")[2], name))
            if parent and parent not in concept.parents:
                concept.parents.append(parent)
    return source


def shopify(paths: list[Path], culture: str) -> Source:
    """Reads `GID : A > B`, all in the same culture."""
    source = Source(culture, "shopify-product-taxonomy")
    for _, names in _paths(paths, re.compile(r"(?P<key>gid://\S+)\s+: (?P<path>.+)"), source):
        for key, (parent, name) in names.items():
            concept = source.concept(key)
            concept.names.append((culture, name))
            concept.parents += [parent] if parent else []
    return source


def _paths(paths: list[Path], form: re.Pattern[str], source: Source) -> Iterator[tuple[Path, dict[str, tuple[str | None, str]]]]:
    """Returns for each file the parent and the name of each key."""
    for path in paths:
        keys: dict[str, str] = {}
        for line in path.read_text(encoding="utf-8-sig").splitlines():
            if row := form.fullmatch(line):
                keys[row["path"]] = row["key"]
            elif line and not line.startswith("#"):
                source.codes["malformed"] += 1
        ways = {key: path.rpartition(" > ") for path, key in keys.items()}
        yield path, {key: (keys[above] if above else None, name) for key, (above, _, name) in ways.items()}


def open_food_facts(paths: list[Path], culture: str) -> Source:
    """Reads blocks of lines. Any name of a concept may identify it as a parent, so parents are resolved after all blocks are read."""
    source = Source(culture, "open-food-facts")
    tags: dict[str, str] = {}
    waiting: list[tuple[Concept, str]] = []
    for lines in _blocks("\n".join(path.read_text(encoding="utf-8") for path in paths)):
        above = [_tag(*line[1:].strip().split(":", 1)) for line in lines if line.startswith("<")]
        concept: Concept | None = None
        for line in lines:
            first, _, rest = line.partition(":")
            if line.startswith("<"):
                continue
            if first in ("stopwords", "synonyms"):
                source.codes["ignored"] += 1
            elif not rest:
                source.codes["unknown-line"] += 1
            elif re.fullmatch(r"[a-z]{2,3}([-_]\w+)?", first) and not (len(first) == 3 and re.match(r"\s*[a-z]{2,3}:", rest)):
                names = [name.strip().replace("\\,", ",") for name in re.split(r"(?<!\\)(?<!\d),|(?<=\d),(?!\d)", rest) if name.strip()]
                concept = concept or source.concept(_tag(first, names[0]))
                language = None if first == "xx" else first
                source.codes["tag-changed"] += "_" in first
                concept.names.append((language, names[0]))
                concept.alternatives += [(language, name) for name in names[1:]]
                for name in names:
                    tags.setdefault(_tag(first, name), concept.key)
            elif concept:
                language, _, value = rest.partition(":")
                if first == "wikidata":
                    concept.same.append(("wikidata", value.strip()))
                else:
                    concept.properties.append((first, language.strip(), value.strip()))
        if concept:
            waiting += [(concept, tag) for tag in above]
    for concept, tag in waiting:
        concept.parents.append(tags.get(tag, tag))
    return source


def _blocks(text: str) -> Iterator[list[str]]:
    """Returns the lines of each block. A block ends at a blank line, and at a parent after names."""
    block: list[str] = []
    for line in (line.strip() for line in text.splitlines() if not line.startswith("#")):
        if block and (not line or line.startswith("<") and not block[-1].startswith("<")):
            yield block
            block = []
        block += [line] if line else []
    if block:
        yield block


def _tag(language: str, name: str) -> str:
    """Returns a canonical tag: accents are ignored in the languages of the sample."""
    lower = unicodedata.normalize("NFD", name.strip().lower())
    plain = "".join(c for c in lower if not unicodedata.combining(c))
    return f"{language}:{re.sub(r'[^a-z0-9]+', '-', plain).strip('-')}"


def table_with_parents(paths: list[Path], culture: str) -> Source:
    """Reads a table with a row per concept and its parents in a column."""
    source = Source(culture, "shop")
    for row in (row for path in paths for row in _rows(path, ";")):
        concept = source.concept(row["id"])
        concept.names = [(tag, row[column]) for tag, column in ((culture, "name"), ("fr-FR", "name.fr-FR")) if row[column]]
        concept.alternatives = [(culture, name) for name in row["altName"].split("|") if name]
        concept.parents = [key for key in row["parent"].split("|") if key]
        concept.replaced_by = [key for key in row["replacedBy"].split("|") if key]
        concept.deprecated = row["deprecated"] == "yes"
        source.codes["invalid-value"] += row["deprecated"] not in ("", "yes")
        concept.properties = [("supplier", None, row["Supplier"])] if row["Supplier"] else []
    return source


def table_with_levels(paths: list[Path], culture: str) -> Source:
    """Reads a table whose rows are paths from the top; blank cells before the first name repeat those of the row before. Keys are paths."""
    source = Source(culture, None)
    source.codes["keys-are-paths"] = 1
    for path in paths:
        before: list[str] = []
        for row in _rows(path):
            cells = [row[f"level{number}"] for number in (1, 2, 3)]
            blank = next(place for place, cell in enumerate(cells) if cell)
            before = before[:blank] + [cell for cell in cells if cell]
            for depth, name in enumerate(before, 1):
                concept = source.concept(" > ".join(before[:depth]))
                concept.names = [(culture, name)]
                concept.parents = [" > ".join(before[: depth - 1])] if depth > 1 else []
            source.concepts[" > ".join(before)].notation = row["notation"] or None
    return source

