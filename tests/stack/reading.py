"""Compares the answers to every operation on a version with its file."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from comparing import same
from oracle import Category, Json, Node, Taxonomy, Term, below, canonical_tag
from stack import Stack

BATCH = 100
#: The largest body of a request, in bytes; less than the 64 KiB that the API accepts.
BODY = 60_000
#: The largest number of pages; more than any list here has.
PAGES = 20_000
#: The number of single requests in each culture: the batches contain every term already.
SINGLES = 300

Check = Callable[[str, dict[Any, Any], dict[Any, Any]], None]


class Asking:
    """Requests about one tenant, in one version or the served one, with their number."""

    def __init__(self, running: Stack, tenant: str, version: int | None = None) -> None:
        self.api = running.api
        self.tenant = tenant
        self.version = version
        self.requests = 0

    def get(self, path: str, **query: str) -> Json:
        """Returns the body of a 200."""
        self.requests += 1
        answer = self.api.get(f"/v1/tenants/{self.tenant}{path}", **self._query(query))
        assert answer.status == 200, f"{path} {query}: {answer}"
        body: Json = answer.body
        return body

    def post(self, path: str, body: Json, **query: str) -> Json:
        """Returns the body of a 200 to a POST."""
        self.requests += 1
        answer = self.api.post(f"/v1/tenants/{self.tenant}{path}", body, **self._query(query))
        assert answer.status == 200, f"{path} {query}: {answer}"
        found: Json = answer.body
        return found

    def pages(self, path: str, **query: str) -> Iterator[Json]:
        """Yields the items of all pages of a list."""
        for _ in range(PAGES):
            page = self.get(path, **query)
            yield from page["items"]
            if "nextCursor" not in page:
                return
            query["cursor"] = page["nextCursor"]
        raise AssertionError(f"{path} does not end")

    def batches(self, ids: list[int], **query: str) -> Iterator[tuple[int, Json]]:
        """Yields terms, requested a hundred at a time."""
        for start in range(0, len(ids), BATCH):
            for item in self.post("/terms:batchGet", {"ids": ids[start : start + BATCH]}, **query)["items"]:
                yield item["id"], item.get("term") or item

    def resolved(self, references: list[Json], **query: str) -> Iterator[tuple[str, set[tuple[str, int]]]]:
        """Yields references, requested as many at a time as allowed, each with the kinds and ids that it names."""
        for asked in _requests(references):
            items = self.post("/terms:resolve", {"references": asked}, **query)["items"]
            for reference, item in zip(asked, items, strict=True):
                found = {(node["kind"], node["id"]) for node in item["resolved"]["items"]}
                yield str(sorted(reference.items())), found

    def _query(self, query: dict[str, str]) -> dict[str, str]:
        return query if self.version is None else query | {"version": str(self.version)}


def _requests(references: list[Json]) -> Iterator[list[Json]]:
    """Groups references into requests of at most a hundred and of a body within the limit, which long paths reach first."""
    group: list[Json] = []
    size = 0
    for reference in references:
        length = len(json.dumps(reference)) + 2
        if len(group) == BATCH or size + length > BODY:
            yield group
            group, size = [], 0
        group.append(reference)
        size += length
    if group:
        yield group


def _tree_answer(taxonomy: Taxonomy, term: Term, culture: str) -> Json:
    """Returns a term as a tree shows it."""
    whole = taxonomy.term_answer(term.id, culture)
    names = ("id", "depth", "name", "culture", "finalName", "path", "notation", "deprecated")
    answer = {name: whole[name] for name in names if name in whole}
    return answer | ({"parent": term.parent.id} if term.parent else {}) | below(term)


def check_everything(asking: Asking, taxonomy: Taxonomy, cultures: list[str]) -> int:
    """Compares the responses to every operation on one version with its file; returns their number."""
    compared = 0

    def check(what: str, expected: dict[Any, Any], found: dict[Any, Any]) -> None:
        nonlocal compared
        same(f"{what} of {asking.tenant}", expected, found)
        compared += len(expected)

    for culture in cultures:
        check_terms(asking, taxonomy, culture, check)
        _lists(asking, taxonomy, culture, check)
    _references(asking, taxonomy, check)
    return compared


def check_terms(asking: Asking, taxonomy: Taxonomy, culture: str, check: Check = same) -> None:
    """Compares every term and category."""
    version = asking.version or asking.get("")["version"]
    served = {"tenant": asking.tenant, "version": version, "requestedCulture": canonical_tag(culture)}
    expected = {term_id: taxonomy.term_answer(term_id, culture) | served for term_id in taxonomy.terms}
    check(f"terms in {culture}", expected, dict(asking.batches(sorted(taxonomy.terms), culture=culture)))
    picked = _some(sorted(taxonomy.terms), SINGLES, culture)
    singles = {term_id: asking.get(f"/terms/{term_id}", culture=culture) for term_id in picked}
    check(f"single terms in {culture}", {term_id: expected[term_id] for term_id in picked}, singles)
    above = {term_id: asking.get(f"/terms/{term_id}/ancestors", culture=culture) for term_id in picked}
    wanted = {term_id: {"category": expected[term_id]["category"], "items": expected[term_id]["ancestors"]} for term_id in picked}
    check(f"ancestors in {culture}", wanted, above)
    categories = {id_: taxonomy.category_answer(id_, culture) | served for id_ in taxonomy.categories}
    check(f"categories in {culture}", categories, {id_: asking.get(f"/categories/{id_}", culture=culture) for id_ in categories})


def _lists(asking: Asking, taxonomy: Taxonomy, culture: str, check: Check) -> None:
    """Compares the terms of each category, and of some terms what lies below them and their children. A list that names a term twice differs."""
    answers = {term.id: _tree_answer(taxonomy, term, culture) for term in taxonomy.terms.values()}

    def compare(path: str, expected: dict[Any, Any]) -> list[int]:
        found = list(asking.pages(path, culture=culture, limit="100"))
        check(f"{path} in {culture}", expected | {"length": len(expected)}, {item["id"]: item for item in found} | {"length": len(found)})
        return [item["id"] for item in found]

    for category in taxonomy.categories:
        compare(f"/categories/{category}/terms", {term.id: answers[term.id] for term in taxonomy.terms.values() if term.category.id == category})
    parents = [term.id for term in taxonomy.terms.values() if term.child_count]
    for top in _some(parents, SINGLES, culture):
        compare(f"/terms/{top}/descendants", {id_: answers[id_] for id_ in taxonomy.below(top)})
    for parent in _some(parents, 10 * SINGLES, culture):
        listed = compare(f"/terms/{parent}/children", {child.id: taxonomy.child_answer(child, culture) for child in taxonomy.children[parent]})
        in_order = taxonomy.plain_order(taxonomy.children[parent], culture)
        if in_order is not None:
            check(f"the order of the children of {parent} in {culture}", dict(enumerate(in_order)), dict(enumerate(listed)))


def _references(asking: Asking, taxonomy: Taxonomy, check: Check) -> None:
    """Compares what every path of the default culture, notation and relation names."""
    named: dict[tuple[tuple[str, Any], ...], set[tuple[str, int]]] = {}

    def add(reference: Json, node: Node) -> None:
        kind = "category" if isinstance(node, Category) else "term"
        named.setdefault(tuple(sorted(reference.items())), set()).add((kind, node.id))

    for node in taxonomy.nodes:
        path = node.labels[taxonomy.default_culture].path
        if path is not None:
            add({"path": path}, node)
        if node.notation is not None:
            add({"notation": node.notation}, node)
        for relation in node.relations:
            scheme = {"scheme": relation["scheme"]} if relation.get("scheme") is not None else {}
            add({"id": str(relation["id"])}, node)
            add(scheme | {"id": str(relation["id"])}, node)
    # A response names at most a hundred.
    every = [(dict(reference), nodes) for reference, nodes in named.items() if len(nodes) <= 100]
    expected = {str(sorted(reference.items())): nodes for reference, nodes in every}
    found = dict(asking.resolved([reference for reference, _ in every], culture=taxonomy.default_culture))
    check("paths, notations and relations", expected, found)


def check_changes(asking: Asking, versions: tuple[int, int], before: Taxonomy | None, after: Taxonomy) -> None:
    """Compares the names before and after of every difference between two versions; no other node has another name."""
    old, new = before.final_names() if before else {}, after.final_names()
    items = list(asking.pages("/diff" if before else "/changes", **_between(versions), limit="97"))
    found = {(item["kind"], item["id"]): item for item in items}
    assert len(found) == len(items), "a node is listed twice"
    names = {node: (_name(item.get("before")), _name(item.get("after"))) for node, item in found.items()}
    expected = {node: (old.get(node), new.get(node)) for node in found.keys() | {node for node in old.keys() | new.keys() if old.get(node) != new.get(node)}}
    same(f"changes of {asking.tenant} {versions}", expected, names)
    for operation, nodes in (("added", new.keys() - old.keys()), ("removed", old.keys() - new.keys())):
        assert {node for node, item in found.items() if operation in item["operations"]} == nodes, operation


def _between(versions: tuple[int, int]) -> dict[str, str]:
    return {"from": str(versions[0]), "to": str(versions[1])} if versions[0] else {"after": "0"}


def _name(state: Json | None) -> str | None:
    """Returns the FinalName of a term's state, or the name of a category's."""
    return None if state is None else state.get("finalName", state["name"])


def _some(values: list[Any], most: int, seed: str) -> list[Any]:
    """Returns at most `most` of the values, the same ones each time, spread over all of them."""

    def place(value: Any) -> bytes:
        return hashlib.sha256(f"{seed} {value}".encode()).digest()

    return sorted(values, key=place)[:most] if len(values) > most else values
