"""Every request about a version with the response that its file determines, for `tests/prove_api`; it shares no code with the service."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from oracle import Category, Json, Node, Taxonomy, Term, below
from stack import Stack

BATCH = 100
#: The largest body of a request, in bytes; less than the 64 KiB that the API accepts.
BODY = 60_000
#: The largest number of pages; more than any list here has.
PAGES = 20_000


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
        return answer.body

    def post(self, path: str, body: Json, **query: str) -> Json:
        """Returns the body of a 200 to a POST."""
        self.requests += 1
        answer = self.api.post(f"/v1/tenants/{self.tenant}{path}", body, **self._query(query))
        assert answer.status == 200, f"{path} {query}: {answer}"
        return answer.body

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


class Tree:
    """The order of the tree for a culture, by the siblings of each node."""

    def __init__(self, taxonomy: Taxonomy, culture: str) -> None:
        self.taxonomy = taxonomy
        self.below: dict[tuple[str, int], list[Term]] = {}
        for term in taxonomy.terms.values():
            above = ("term", term.parent.id) if term.parent else ("category", term.category.id)
            self.below.setdefault(above, []).append(term)
        self.below = {above: taxonomy.in_order(siblings, culture) for above, siblings in self.below.items()}

    def walk(self, kind: str, id_: int) -> Iterator[Term]:
        """Yields the nodes below a node, each term before the terms below it."""
        waiting = self.below.get((kind, id_), [])[::-1]
        while waiting:
            term = waiting.pop()
            yield term
            waiting.extend(self.below.get(("term", term.id), [])[::-1])

    def answer(self, term: Term, culture: str) -> Json:
        """Returns a term as a tree shows it."""
        whole = self.taxonomy.term_answer(term.id, culture)
        names = ("id", "depth", "name", "culture", "finalName", "path", "notation", "deprecated")
        answer = {name: whole[name] for name in names if name in whole}
        parent = {"parent": term.parent.id} if term.parent else {}
        return answer | parent | below(term)


def references(taxonomy: Taxonomy) -> Iterator[tuple[Json, set[tuple[str, int]]]]:
    """Yields every path of the default culture, notation and relation, each with the nodes that it names."""
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
    for reference, nodes in named.items():
        yield dict(reference), nodes


def some(values: list[Any], most: int, seed: str) -> list[Any]:
    """Returns at most `most` of the values, the same ones each time, spread over all of them."""

    def place(value: Any) -> bytes:
        return hashlib.sha256(f"{seed} {value}".encode()).digest()

    return sorted(values, key=place)[:most] if len(values) > most else values


Check = Callable[[str, dict[Any, Any], dict[Any, Any]], None]
