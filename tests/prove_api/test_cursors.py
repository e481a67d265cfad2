"""Tests of lists that are read page by page while versions are published: each list is wholly of one version."""

import json
import threading
import unittest

from api import Api
from oracle import Json
from stack import ROOT, stack

VERSIONS = 8
TERMS = 300


def content(version: int) -> Json:
    """Returns terms in another order and with other names in each version."""
    terms = [
        {"id": number, "name": f"{number * 7919 * version % TERMS:04} of version {version}", "children": [{"id": TERMS + number, "name": f"below, version {version}"}]}
        for number in range(1, TERMS)
    ]
    top = {"id": 9000, "name": f"Top, version {version}", "children": terms}
    return {"categories": [{"id": 1, "name": f"Category, version {version}", "terms": [top]}]}


class Cursors(unittest.TestCase):
    def test_a_list_is_of_the_version_of_its_first_page(self) -> None:
        running = stack()
        tenant = running.fresh_tenant("api-cursors")
        running.wait_projected(running.push(tenant, json.dumps(content(1)).encode()))
        published = threading.Event()

        def publish() -> None:
            try:
                for version in range(2, VERSIONS + 1):
                    running.wait_projected(running.push(tenant, json.dumps(content(version)).encode()))
            finally:
                published.set()

        thread = threading.Thread(target=publish)
        thread.start()
        # A connection of its own, because the other thread uses that of the stack.
        description = json.loads((ROOT / ".local" / "stack.json").read_text())
        api, lists, seen = Api(description["apiUrl"], description["apiHost"]), 0, set()
        paths = ["terms/9000/children", "terms/9000/descendants", "categories/1/terms"]
        while not published.is_set() or lists < len(paths):
            for path in paths:
                versions, names, count = set(), set(), 0
                query = {"limit": "37"}
                for _ in range(100):
                    answer = api.get(f"/v1/tenants/{tenant}/{path}", **query)
                    self.assertEqual(answer.status, 200, answer)
                    versions.add(answer.headers["taxonomy-version"])
                    names |= {item["name"].rsplit("version ", 1)[1] for item in answer.body["items"]}
                    names |= {item["finalName"].split("version ")[1].split(":")[0] for item in answer.body["items"]}
                    count += len(answer.body["items"])
                    if "nextCursor" not in answer.body:
                        break
                    query["cursor"] = answer.body["nextCursor"]
                self.assertEqual(len(versions), 1, (path, versions))
                self.assertEqual(names, versions, path)
                self.assertIn(count, (TERMS - 1, 2 * (TERMS - 1), 2 * (TERMS - 1) + 1))
                seen |= versions
                lists += 1
        thread.join()
        print(f"\n{tenant}: {lists} lists of {len(seen)} versions while {VERSIONS} were published")
        self.assertGreater(len(seen), 2)


if __name__ == "__main__":
    unittest.main()
