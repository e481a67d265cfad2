"""A file, built from the statements of a download by the rules of docs/decisions/0020-downloads.md."""

import json
from typing import Any

from rdflib import DCTERMS, OWL, SKOS, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

TAX = Namespace("urn:x-taxonomy:vocabulary#")
SCHEME = URIRef("urn:x-taxonomy:tenants/acme")


def content(graph: Graph) -> dict[str, Any]:
    """Returns the whole taxonomy."""
    categories = [_node(graph, category) for category in graph.objects(SCHEME, SKOS.hasTopConcept)]
    return {"defaultCulture": str(graph.value(SCHEME, TAX.defaultCulture)), "categories": categories}


def _node(graph: Graph, concept: Node) -> dict[str, Any]:
    names = {**_by_language(graph, concept, SKOS.prefLabel), **_by_language(graph, concept, TAX.name)}
    paths = _by_language(graph, concept, TAX.path)
    notes = {SKOS.definition: "definition", SKOS.scopeNote: "scopeNote"}
    by_culture: dict[str, dict[str, str]] = {}
    for predicate, field in notes.items():
        for culture, text in _by_language(graph, concept, predicate).items():
            by_culture.setdefault(culture, {"culture": culture})[field] = text
    alt_labels = sorted((str(label.language), str(label)) for label in graph.objects(concept, SKOS.altLabel) if isinstance(label, Literal))
    replaced_by = sorted(int(str(other).rpartition("/")[2]) for other in graph.objects(concept, DCTERMS.isReplacedBy))
    below = [_node(graph, child) for child in graph.objects(concept, SKOS.narrower) if _parent(graph, child) == concept]
    return {
        "id": int(str(graph.value(concept, DCTERMS.identifier))),
        "names": [{"culture": culture, "name": name, "path": paths.get(culture)} for culture, name in names.items()],
        "altNames": _json(graph, concept, TAX.altNames) or [{"culture": culture, "name": name} for culture, name in alt_labels],
        "notes": _json(graph, concept, TAX.notes) or list(by_culture.values()),
        "notation": _text(graph, concept, SKOS.notation),
        "sortKey": _text(graph, concept, TAX.sortKey),
        "metadata": _json(graph, concept, TAX.metadata),
        "relations": _json(graph, concept, TAX.relations),
        "deprecated": (concept, OWL.deprecated, Literal(True)) in graph,
        "deprecation": {"reason": _text(graph, concept, TAX.deprecationReason), "since": _text(graph, concept, TAX.deprecatedSince)},
        "replacedBy": _json(graph, concept, TAX.replacedBy) or replaced_by,
        "terms" if "/categories/" in str(concept) else "children": below,
    }


def _parent(graph: Graph, concept: Node) -> Node | None:
    return graph.value(concept, TAX.parent) or graph.value(concept, SKOS.broader)


def _text(graph: Graph, concept: Node, predicate: URIRef) -> str | None:
    value = graph.value(concept, predicate)
    return None if value is None else str(value)


def _json(graph: Graph, concept: Node, predicate: URIRef) -> Any:
    text = _text(graph, concept, predicate)
    return None if text is None else json.loads(text)


def _by_language(graph: Graph, concept: Node, predicate: URIRef) -> dict[str, str]:
    return {str(text.language): str(text) for text in graph.objects(concept, predicate) if isinstance(text, Literal)}
