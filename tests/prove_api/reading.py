"""Compares every operation over all terms of a taxonomy with its file."""

import json
import time
from typing import Any

from oracle import Json, Taxonomy, canonical_tag
from questions import Asking, Check, Tree, references, some
from stack import HEAD_AGE_SECONDS, PROJECTION_SECONDS, Stack, stack, until
from test_releases import data, same

#: The number of single requests, because a list already contains every term.
SINGLES = 1_000


class Reading:
    """The test of one file. A mixin, so that it is not a test case itself."""

    name: str
    file: str
    cultures: list[str]

    def test_every_operation(self) -> None:
        running, path = stack(), data(self.file)
        tenant = running.fresh_tenant(f"api-{self.name}")
        content = json.loads(path.read_bytes())
        publish(running, tenant, 1, content)
        rename(content, " again")
        publish(running, tenant, 2, content)
        taxonomy = Taxonomy(content)
        # The items are written meanwhile, so answers come from the files and from the table.
        asking = Asking(running, tenant)
        compared = check_everything(asking, taxonomy, self.cultures)
        print(f"\n{tenant}: {compared} answers compared, {asking.requests} requests")


def publish(running: Stack, tenant: str, version: int, content: Json) -> None:
    """Uploads a file and waits for the first tagged answer of its version to a term, a list, a search and a difference, one after the other."""
    body, taxonomy = json.dumps(content).encode(), Taxonomy(content)
    term = next(iter(taxonomy.terms.values()))
    questions = {
        "term": (f"/terms/{term.id}", {}),
        "list": (f"/categories/{term.category.id}/terms", {"limit": "100"}),
        "search": ("/suggest", {"q": taxonomy.term_answer(term.id)["name"]}),
        "difference": ("/changes", {"after": str(version - 1), "limit": "100"}),
    }
    pushed = running.push(tenant, body)

    def seconds(path: str, query: dict[str, str]) -> float | None:
        answer = running.api.get(f"/v1/tenants/{tenant}{path}", **query)
        is_new = answer.headers.get("taxonomy-version") == str(version)
        if not is_new:
            assert answer.status in (200, 404), answer
            return None
        assert answer.status == 200 and "etag" in answer.headers and answer.body.get("items") != [], answer
        return time.time() - pushed.at_ms / 1000

    seen = {name: until(f"{name} of {tenant} {version}", PROJECTION_SECONDS, lambda asked=asked: seconds(*asked)) for name, asked in questions.items()}
    print(f"\n{tenant} {version}: seconds from the upload to the first answer: {', '.join(f'{name} {after:.1f}' for name, after in seen.items())}")
    # Another process of the lookup may still serve the version before.
    time.sleep(HEAD_AGE_SECONDS)


def rename(content: Json, suffix: str) -> None:
    """Renames every seventh term and the first category."""
    waiting = [term for category in content["categories"] for term in category["terms"]]
    first = content["categories"][0]
    for entry in [first] + [term for place, term in enumerate(waiting) if place % 7 == 0]:
        if "name" in entry:
            entry["name"] += suffix
        for name in entry.get("names", []):
            name["name"] += suffix


def check_everything(asking: Asking, taxonomy: Taxonomy, cultures: list[str]) -> int:
    """Compares the responses to every operation on one version with its file; returns their number."""
    compared = 0

    def check(what: str, expected: dict[Any, Any], found: dict[Any, Any]) -> None:
        nonlocal compared
        same(f"{what} of {asking.tenant}", expected, found)
        compared += len(expected)

    for culture in cultures:
        tree = Tree(taxonomy, culture)
        _terms(asking, taxonomy, culture, check)
        _trees(asking, tree, culture, check)
        _families(asking, tree, culture, check)
    _references(asking, taxonomy, check)
    return compared


def _served(asking: Asking) -> int:
    """Returns the served version."""
    version: int = asking.get("")["version"]
    return version


def _terms(asking: Asking, taxonomy: Taxonomy, culture: str, check: Check) -> None:
    version = asking.version or _served(asking)
    served = {"tenant": asking.tenant, "version": version, "requestedCulture": canonical_tag(culture)}
    expected = {term_id: taxonomy.term_answer(term_id, culture) | served for term_id in taxonomy.terms}
    check(f"terms in {culture}", expected, dict(asking.batches(sorted(taxonomy.terms), culture=culture)))
    picked = some(sorted(taxonomy.terms), SINGLES, culture)
    singles = {term_id: asking.get(f"/terms/{term_id}", culture=culture) for term_id in picked}
    check(f"single terms in {culture}", {term_id: expected[term_id] for term_id in picked}, singles)
    above = {term_id: asking.get(f"/terms/{term_id}/ancestors", culture=culture) for term_id in picked}
    wanted = {term_id: {"category": expected[term_id]["category"], "items": expected[term_id]["ancestors"]} for term_id in picked}
    check(f"ancestors in {culture}", wanted, above)


def _trees(asking: Asking, tree: Tree, culture: str, check: Check) -> None:
    for category in tree.taxonomy.categories:
        expected = [tree.answer(term, culture) for term in tree.walk("category", category)]
        found = list(asking.pages(f"/categories/{category}/terms", culture=culture, limit="100"))
        check(f"the tree of category {category} in {culture}", dict(enumerate(expected)), dict(enumerate(found)))
    tops = some([term.id for term in tree.taxonomy.terms.values() if term.child_count], SINGLES // 4, culture)
    for top in tops:
        expected = [tree.answer(term, culture) for term in tree.walk("term", top)]
        found = list(asking.pages(f"/terms/{top}/descendants", culture=culture, limit="100"))
        check(f"what lies below {top} in {culture}", dict(enumerate(expected)), dict(enumerate(found)))


def _families(asking: Asking, tree: Tree, culture: str, check: Check) -> None:
    parents = [term.id for term in tree.taxonomy.terms.values() if term.child_count]
    expected, found = {}, {}
    for parent in some(parents, 5 * SINGLES, culture):
        expected[parent] = [tree.taxonomy.child_answer(child, culture) for child in tree.below[("term", parent)]]
        found[parent] = list(asking.pages(f"/terms/{parent}/children", culture=culture, limit="100"))
    check(f"children in {culture}", expected, found)


def _references(asking: Asking, taxonomy: Taxonomy, check: Check) -> None:
    every = list(references(taxonomy))
    # A response names at most a hundred.
    every = [(reference, nodes) for reference, nodes in every if len(nodes) <= 100]
    expected = {str(sorted(reference.items())): nodes for reference, nodes in every}
    found = dict(asking.resolved([reference for reference, _ in every], culture=taxonomy.default_culture))
    check("paths, notations and relations", expected, found)
