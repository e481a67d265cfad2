"""Tests of what lists, names in every culture, gaps, totals and lifetimes say of the samples, against the files: version 2 is served."""

import json
import unittest
from collections import Counter
from typing import Any

from oracle import Category, Json, Node, Taxonomy, Term, below
from stack import SAMPLES, Stack, stack


class Lists(unittest.TestCase):
    running: Stack
    tenant: str
    files: list[Taxonomy]

    @classmethod
    def setUpClass(cls) -> None:
        cls.running = stack()
        cls.tenant = cls.running.fresh_tenant("lists")
        bodies = [(SAMPLES / f"job-board-v{version}.json").read_bytes() for version in (1, 2)]
        cls.files = [Taxonomy(json.loads(body)) for body in bodies]
        for body in bodies:
            cls.running.wait_projected(cls.running.push(cls.tenant, body))

    def get(self, path: str, status: int = 200, **query: str) -> Json:
        answer = self.running.api.get(f"/v1/tenants/{self.tenant}{path}", **query)
        self.assertEqual(answer.status, status, answer)
        body: Json = answer.body
        return body

    def pages(self, path: str, **query: str) -> list[Json]:
        items: list[Json] = []
        while True:
            page = self.get(path, **query)
            self.assertTrue(page["items"] or "cursor" not in query, f"{path} leads to an empty page")
            items += page["items"]
            if "nextCursor" not in page:
                return items
            query["cursor"] = page["nextCursor"]

    def test_counts_are_those_of_the_file(self) -> None:
        file = self.files[1]
        for category in file.categories.values():
            listed = next(item for item in self.pages("/categories", limit="2") if item["id"] == category.id)
            self.assertEqual(listed, listed | below(category))
            for item in self.pages(f"/categories/{category.id}/terms", limit="7"):
                self.assertEqual(item, item | below(file.terms[item["id"]]))

    def test_all_names_are_those_of_the_file(self) -> None:
        file = self.files[1]
        ids = sorted(file.terms)[:100]
        items = self.get("/terms", ids=",".join(map(str, ids)), names="all")["items"]
        for item in items:
            self.assertEqual(item["term"]["names"], names(file.terms[item["id"]]))
        for item in self.pages("/categories", names="all"):
            self.assertEqual(item["names"], names(file.categories[item["id"]]))

    def test_gaps_are_those_of_the_file(self) -> None:
        file = self.files[1]
        for culture in ("en-GB", "fr-FR", "de-DE", "it-IT"):
            missing = {(kind(node), node.id) for node in file.nodes if culture not in node.labels}
            items = self.pages("/gaps", culture=culture, limit="11")
            self.assertEqual(len(items), len(missing))
            self.assertEqual({(item["kind"], item["id"]) for item in items}, missing)
            self.assertEqual(self.get("/gaps", culture=culture, limit="1")["total"], len(missing))

    def test_the_totals_of_a_difference_are_those_of_its_items(self) -> None:
        for path, query in (("/diff", {"from": "1", "to": "2"}), ("/diff", {"from": "2", "to": "1"}), ("/changes", {"after": "0"})):
            items = self.pages(path, **query, limit="7")
            operations = Counter(operation for item in items for operation in item["operations"])
            kinds = Counter(item["kind"] for item in items)
            expected = {"categories": kinds["category"], "terms": kinds["term"], "operations": dict(operations)}
            self.assertEqual(self.get(path, **query, limit="1")["totals"], expected)

    def test_a_404_says_since_when_the_id_exists(self) -> None:
        before, after = self.files
        committed = {item["version"]: item["committedAt"] for item in self.get("/versions")["items"]}
        added = sorted(after.terms.keys() - before.terms.keys())
        self.assertTrue(added)
        for term in added:
            problem = self.get(f"/terms/{term}", status=404, version="1")
            self.assertEqual(problem["existed"], {"from": {"version": 2, "committedAt": committed[2]}})
        self.assertNotIn("existed", self.get("/terms/999999", status=404, version="1"))


def kind(node: Node) -> str:
    return "category" if isinstance(node, Category) else "term"


def names(node: Category | Term) -> list[Json]:
    """Returns the member `names` of an answer with `names=all`."""
    found = []
    for tag, label in sorted(node.labels.items()):
        optional: dict[str, Any] = {"path": label.path, "altNames": node.alt_names.get(tag), "notes": node.notes.get(tag)}
        found.append({"culture": tag, "name": label.name} | {name: value for name, value in optional.items() if value})
    return found


if __name__ == "__main__":
    unittest.main()
