"""The expected output of `taxonomy export`, by docs/decisions/0020-downloads.md and independent code; and the checks of SKOS by other tools."""

import csv
import io
import json
import logging
import re
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from program import ROOT, Done

from oracle import Category, Json, Node, Taxonomy, Term  # isort: skip - found by program

sys.path.insert(0, str(ROOT / "tests" / "skos"))
#: The kinds of content that `taxonomy export` counts as lost: the name of one, and of several.
LOSSES = {
    "category without terms": "categories without terms",
    "field of a category": "fields of categories",
    "alternative name": "alternative names",
    "path or notation": "paths and notations",
    "note": "notes",
    "sort key": "sort keys",
    "metadata object": "metadata objects",
    "reason or date of a deprecation": "reasons and dates of deprecations",
    "replacement": "replacements",
    "relation": "relations",
}
#: A warning about a concept whose further parent lies below its parent: the author wrote it, and it is valid SKOS.
ALLOWED = "Redundant hierarchical relationship"


def flat(taxonomy: Taxonomy) -> dict[tuple[str, int], Json]:
    """Returns every field of every node, by kind and id."""
    found: dict[tuple[str, int], Json] = {}
    for node in taxonomy.nodes:
        own = {name: value for name, value in vars(node).items() if name not in ("category", "parent", "child_count", "descendant_count")}
        if isinstance(node, Term):
            own |= {"category": node.category.id, "parent": node.parent.id if node.parent else None}
        found["term" if isinstance(node, Term) else "category", node.id] = own
    return found


def rows(taxonomy: Taxonomy) -> dict[tuple[str, str], Json]:
    """Returns the rows of `csv`, by id and culture."""
    found: dict[tuple[str, str], Json] = {}
    for term in taxonomy.terms.values():
        for culture, label in term.labels.items():
            found[str(term.id), culture] = {
                "id": str(term.id),
                "culture": culture,
                "name": label.name,
                "final_name": taxonomy.final_name(term, culture),
                "path": label.path or "",
                "category_id": str(term.category.id),
                "category_name": taxonomy.named(term.category, culture)[0],
                "parent_id": str(term.parent.id) if term.parent else "",
                "depth": str(term.depth),
                "lineage_ids": [above.id for above in term.ancestors],
                "notation": term.notation or "",
                "deprecated": "true" if term.deprecated else "false",
                "replaced_by": term.replaced_by,
                "alt_names": term.alt_names.get(culture, []),
            }
    return found


def read_rows(text: str, lists: tuple[str, ...] = ("lineage_ids", "replaced_by", "alt_names")) -> dict[tuple[str, str], Json]:
    """Returns the rows of a file, by id and culture, as the csv module reads them; checks that each row is a line."""
    found: dict[tuple[str, str], Json] = {}
    for row in csv.DictReader(io.StringIO(text)):
        assert (row["id"], row["culture"]) not in found, row
        found[row["id"], row["culture"]] = {name: json.loads(value) if name in lists else value for name, value in row.items()}
    assert text.count("\n") == len(found) + 1, "a row is a line"
    return found


def history(taxonomy: Taxonomy) -> dict[tuple[str, str], Json]:
    """Returns the rows of `history` that are still valid, by id and culture, without versions and times."""
    found: dict[tuple[str, str], Json] = {}
    for term in taxonomy.terms.values():
        for culture in term.labels:
            found[str(term.id), culture] = {
                "id": str(term.id),
                "culture": culture,
                "final_name": taxonomy.final_name(term, culture),
                "category_id": str(term.category.id),
                "lineage_ids": [above.id for above in term.ancestors],
                "lineage_names": [taxonomy.named(above, culture)[0] for above in term.ancestors],
                "deprecated": "true" if term.deprecated else "false",
                "removed": "false",
            }
    return found


def read_history(text: str) -> dict[tuple[str, str], Json]:
    """Returns the same rows of a file."""
    still = [row for row in csv.DictReader(io.StringIO(text)) if not row["valid_to_version"]]
    out = io.StringIO()
    writer = csv.DictWriter(out, [name for name in still[0] if not name.startswith("valid_")], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(still)
    return read_rows(out.getvalue(), ("lineage_ids", "lineage_names"))


def lines(taxonomy: Taxonomy) -> dict[tuple[str, int], Json]:
    """Returns the objects of `ndjson`, by type and id."""
    found: dict[tuple[str, int], Json] = {}
    for node in taxonomy.nodes:
        names = {culture: {"name": label.name} | ({"path": label.path} if label.path is not None else {}) for culture, label in node.labels.items()}
        line: Json = {"names": names, "altNames": {culture: alike for culture, alike in node.alt_names.items() if alike}, "notes": node.notes}
        line |= {"notation": node.notation, "sortKey": node.sort_key, "metadata": node.metadata, "deprecated": node.deprecated}
        line |= {"deprecation": node.deprecation, "replacedBy": node.replaced_by, "relations": node.relations}
        if isinstance(node, Term):
            for culture, name in names.items():
                name["finalName"] = taxonomy.final_name(node, culture)
            line |= {"category": node.category.id, "parent": node.parent.id if node.parent else None, "depth": node.depth}
            line["lineage"] = [above.id for above in node.ancestors]
        found["term" if isinstance(node, Term) else "category", node.id] = line
    return found


def read_lines(text: str) -> dict[tuple[str, int], Json]:
    """Returns the same objects of a file."""
    found: dict[tuple[str, int], Json] = {}
    assert text.endswith("\n"), "the last line ends as well"
    for line in text.splitlines():
        raw = json.loads(line)
        node: Json = {name: raw.get(name, empty) for name, empty in (("notation", None), ("sortKey", None), ("metadata", {}), ("deprecation", {}))}
        node |= {name: raw.get(name, empty) for name, empty in (("replacedBy", []), ("relations", []), ("deprecated", False))}
        node["names"] = {entry.pop("culture"): entry for entry in raw["names"]}
        node["notes"] = {entry.pop("culture"): entry for entry in raw.get("notes", [])}
        node["altNames"] = {}
        for entry in raw.get("altNames", []):
            node["altNames"].setdefault(entry["culture"], []).append(entry["name"])
        node |= {name: raw[name] for name in ("category", "parent", "depth", "lineage") if name in raw}
        assert (raw["type"], raw["id"]) not in found, raw
        found[raw["type"], raw["id"]] = node
    return found


def losses(taxonomy: Taxonomy, form: str) -> dict[str, int]:
    """Returns the content that `csv` or `history` cannot represent, counted by kind."""
    counts: Counter[str] = Counter()
    cultures: dict[int, set[str]] = {}
    for term in taxonomy.terms.values():
        cultures.setdefault(term.category.id, set()).update(term.labels)
    for node in taxonomy.nodes:
        counts["note"] += len(node.notes)
        counts["sort key"] += node.sort_key is not None
        counts["metadata object"] += bool(node.metadata)
        counts["reason or date of a deprecation"] += bool(node.deprecation)
        counts["relation"] += len(node.relations)
        fields = sum(label.path is not None for label in node.labels.values()) + (node.notation is not None)
        if isinstance(node, Category):
            counts["category without terms"] += node.id not in cultures
            counts["field of a category"] += len(node.labels.keys() - cultures.get(node.id, node.labels.keys()))
            counts["field of a category"] += fields + sum(map(len, node.alt_names.values())) + node.deprecated + len(node.replaced_by)
        elif form == "csv":
            counts["alternative name"] += sum(len(names) for culture, names in node.alt_names.items() if culture not in node.labels)
        else:
            counts["path or notation"] += fields
            counts["alternative name"] += sum(map(len, node.alt_names.values()))
            counts["replacement"] += len(node.replaced_by)
    return dict(+counts)


def read_losses(done: Done) -> dict[str, int]:
    """Returns the losses that the command reports."""
    said = re.search(r" has no place for (.+)", done.err)
    one = {several: name for name, several in LOSSES.items()} | {name: name for name in LOSSES}
    found = (each.split(" ", 1) for each in said[1].split(", ")) if said else []
    return {one[name]: int(count) for count, name in found}


def shapes(turtle: str) -> tuple[int, int, str]:
    """Returns the numbers of concepts and statements of a file, and its violations of docs/skos-shapes.ttl."""
    from pyshacl import validate
    from rdflib import RDF, SKOS, Graph

    graph = Graph().parse(data=turtle, format="turtle")
    conforms, _, text = validate(graph, shacl_graph=Graph().parse(ROOT / "docs" / "skos-shapes.ttl"))
    return len(set(graph.subjects(RDF.type, SKOS.Concept))), len(graph), "" if conforms else str(text)


def skosify(turtle: str) -> list[str]:
    """Returns the warnings of skosify with its default settings."""
    import skosify as tool

    said: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            # skosify does not close its input.
            warnings.simplefilter("ignore", ResourceWarning)
            file = Path(folder) / "taxonomy.ttl"
            file.write_text(turtle, encoding="utf-8")
            tool.skosify(str(file), from_format="turtle")
    finally:
        logging.getLogger().removeHandler(handler)
    return [warning for warning in said if not warning.startswith(ALLOWED)]


def rebuilt(turtle: str) -> Taxonomy:
    """Returns the taxonomy that tests/skos builds from the statements that rdflib reads; the tenant in the IRIs is acme."""
    from rdflib import Graph
    from rebuilt import content

    def present(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: present(each) for name, each in value.items() if each is not None and each != {}}
        return [present(each) for each in value] if isinstance(value, list) else value

    found = content(Graph().parse(data=turtle, format="turtle"))
    return Taxonomy(present(found))


def category_answer(taxonomy: Taxonomy, node: Node, requested: str) -> Json:
    """Returns the service's response about a category in a culture of the taxonomy: its own name in that culture or a shorter one, else the default."""
    way = requested.split("-")
    shorter = ("-".join(way[:length]) for length in range(len(way), 0, -1))
    culture = next((tag for tag in shorter if tag in node.labels), taxonomy.default_culture)
    answer: Json = {"id": node.id, "name": node.labels[culture].name, "culture": culture, "altNames": node.alt_names.get(culture, [])}
    answer |= {"metadata": node.metadata, "deprecated": node.deprecated, "replacedBy": node.replaced_by, "relations": node.relations}
    optional = {"notation": node.notation, "notes": node.notes.get(culture), "path": node.labels[culture].path}
    return answer | {"removed": False} | {name: value for name, value in optional.items() if value is not None}
