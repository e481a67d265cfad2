"""Tests of changes between versions and of the history of terms over HTTP, against an independent reading of the samples."""

import json
import unittest
from collections.abc import Iterator

from api import Answer
from oracle import Json
from stack import SAMPLES, Stack, stack

Id = tuple[str, int]


def default_name(node: Json, default: str) -> str:
    """Returns the name in the default culture."""
    if "name" in node:
        return str(node["name"])
    return next(str(name["name"]) for name in node["names"] if name["culture"] == default)


def named(file: Json) -> dict[Id, str]:
    """Returns the name of each category and the FinalName of each term."""
    default = file.get("defaultCulture", "en-GB")

    def terms(nodes: list[Json], category: str) -> Iterator[tuple[Id, str]]:
        for node in nodes:
            yield ("term", node["id"]), f"{category}:{default_name(node, default)}"
            yield from terms(node.get("children", []), category)

    found: dict[Id, str] = {}
    for category in file["categories"]:
        name = default_name(category, default)
        found["category", category["id"]] = name
        found.update(terms(category.get("terms", []), name))
    return found


def state_name(state: Json | None) -> str | None:
    """Returns the FinalName of a term's state, or the name of a category's."""
    return None if state is None else state.get("finalName", state["name"])


class Changes(unittest.TestCase):
    running: Stack
    tenant: str
    files: list[dict[Id, str]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.running = stack()
        cls.tenant = cls.running.fresh_tenant("changes")
        cls.files = [{}]
        for version in (1, 2):
            body = (SAMPLES / f"job-board-v{version}.json").read_bytes()
            cls.running.wait_projected(cls.running.push(cls.tenant, body))
            cls.files.append(named(json.loads(body)))

    def get(self, path: str, **query: str) -> Answer:
        return self.running.api.get(f"/v1/tenants/{self.tenant}{path}", **query)

    def pages(self, path: str, **query: str) -> list[Json]:
        """Returns the items of all pages."""
        items: list[Json] = []
        for _ in range(1000):
            answer = self.get(path, **query)
            self.assertEqual(answer.status, 200, answer)
            items += answer.body["items"]
            if "nextCursor" not in answer.body:
                return items
            query["cursor"] = answer.body["nextCursor"]
        raise AssertionError(f"{path} does not end")

    def assert_leads(self, items: list[Json], old: dict[Id, str], new: dict[Id, str]) -> None:
        """Checks that the items list all added and removed nodes, and the names before and after; no other node has another name."""
        found = {(item["kind"], item["id"]): item for item in items}
        self.assertEqual(len(found), len(items))
        for node, item in found.items():
            names = (state_name(item.get("before")), state_name(item.get("after")))
            self.assertEqual(names, (old.get(node), new.get(node)), item)
            self.assertEqual(item["operations"] == ["added"], node not in old, item)
            self.assertEqual(item["operations"] == ["removed"], node not in new, item)
        for node in old.keys() | new.keys():
            if old.get(node) != new.get(node):
                self.assertIn(node, found)

    def test_every_pair_of_versions_is_that_of_the_files(self) -> None:
        for after in (0, 1):
            items = self.pages("/changes", after=str(after), limit="7")
            self.assert_leads(items, self.files[after], self.files[2])
        self.assert_leads(self.pages("/diff", **{"from": "2", "to": "1"}), self.files[2], self.files[1])
        forwards = self.pages("/diff", **{"from": "1", "to": "2"})
        self.assertTrue(forwards)
        self.assertEqual(forwards, self.pages("/versions/2/changes"))
        self.assertEqual(forwards, self.pages("/changes", after="1"))
        self.assertEqual(self.pages("/changes", after="2"), [])

    def test_the_history_of_a_term_has_the_changes_of_each_version(self) -> None:
        changed = [item for item in self.pages("/changes", after="1", limit="100") if item["kind"] == "term"]
        self.assertTrue(changed)
        for item in changed[:10]:
            history = self.pages(f"/terms/{item['id']}/history", limit="1")
            self.assertEqual(history[0]["version"], 2)
            self.assertEqual(history[0]["operations"], item["operations"])
            self.assertEqual(history[0].get("before"), item.get("before"))
            self.assertEqual(history[0]["after"].get("removed", False), "after" not in item)
            versions = [1] if "before" in item else []
            self.assertEqual([entry["version"] for entry in history[1:]], versions)

    def test_a_difference_has_a_tag_of_its_own(self) -> None:
        first = self.get("/versions/1/changes")
        self.assertEqual(first.headers["taxonomy-version"], "1")
        known = self.running.api.get(f"/v1/tenants/{self.tenant}/versions/1/changes", first.headers["etag"])
        self.assertEqual((known.status, known.body), (304, None))

    def test_versions_that_are_not_there_are_problems(self) -> None:
        for path, query, status, code in [
            ("/changes", {}, 400, "invalid-parameter"),
            ("/changes", {"after": "3"}, 404, "version-not-found"),
            ("/diff", {"from": "1", "to": "3"}, 404, "version-not-found"),
            ("/diff", {"from": "1"}, 400, "invalid-parameter"),
            ("/versions/3/changes", {}, 404, "version-not-found"),
            ("/terms/9007199254740991/history", {}, 404, "term-not-found"),
        ]:
            answer = self.get(path, **query)
            self.assertEqual((answer.status, answer.body["type"]), (status, f"/problems/{code}"), answer)


if __name__ == "__main__":
    unittest.main()
