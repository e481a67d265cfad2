"""Tests of what lies between a consumer and the lookup: every route of the gateway, headers, compression, tags, and how a request is refused."""

import json
import unittest
from typing import ClassVar

from local.api import Answer
from oracle import Json, Taxonomy
from stack import FIRST, SECOND, Stack, stack

#: What two routes need, although none of these parameters is required by itself.
FURTHER = {"gaps": {"culture": "fr-FR"}, "resolve": {"notation": "none"}}


class Gateway(unittest.TestCase):
    running: ClassVar[Stack]
    tenant: ClassVar[str]
    taxonomy: ClassVar[Taxonomy]

    @classmethod
    def setUpClass(cls) -> None:
        cls.running, cls.taxonomy = stack(), Taxonomy.read(SECOND)
        cls.tenant = cls.running.published("gateway", FIRST, SECOND)
        cls.running.wait_counted(cls.tenant, 2)

    def get(self, path: str, headers: dict[str, str] | None = None, method: str = "GET", **query: str) -> Answer:
        return self.running.api.ask(method, f"/v1/tenants/{self.tenant}{path}", headers or {}, **query)

    def post(self, path: str, body: bytes, content_type: str = "application/json") -> Answer:
        return self.running.api.ask("POST", f"/v1/tenants/{self.tenant}{path}", {"Content-Type": content_type}, body)

    def found(self, path: str, **query: str) -> Json:
        answer = self.get(path, **query)
        self.assertEqual((answer.status, answer.content_type), (200, "application/json"), answer)
        body: Json = answer.body
        return body

    def assert_problem(self, answer: Answer, status: int, code: str) -> None:
        self.assertEqual((answer.status, answer.content_type), (status, "application/problem+json"), answer)
        self.assertEqual((answer.body["type"], answer.body["status"]), (f"/problems/{code}", status), answer)
        self.assertTrue(answer.body["title"] and answer.body["detail"], answer)

    def test_every_route_of_the_description_leads_to_its_answer(self) -> None:
        description = self.running.api.get("/v1/openapi.json").body
        given = {"after": "1", "from": "1", "to": "2", "format": "json", "ids": "136", "q": "rust"}
        asked = 0
        for path, operations in description["paths"].items():
            required = [each for each in (_resolved(description, each) for each in operations.get("get", {}).get("parameters", [])) if each.get("required")]
            query = {each["name"]: given[each["name"]] for each in required if each["in"] == "query"} | FURTHER.get(path.rpartition("/")[2], {})
            target = path.format(tenant=self.tenant, id="136" if "/terms/" in path else "1")
            for method in operations.keys() & {"get", "head"}:
                with self.subTest(method=method, path=path):
                    self.assertIn(self.running.api.ask(method.upper(), target, {}, **query).status, (200, 202))
                    asked += 1
        self.assertGreater(asked, 45)
        self.assertEqual(self.running.api.get("/v1/health").body, {"status": "ok"})

    def test_an_answer_is_whole(self) -> None:
        for culture in ("en-GB", "de-DE", "DE", "fr-FR", "it-IT"):
            answer = self.found("/terms/211", culture=culture)
            expected = self.taxonomy.term_answer(211, culture)
            self.assertEqual({name: answer.get(name) for name in expected}, expected)
        gone = self.found("/terms/123")
        self.assertEqual((gone["removed"], gone["replacedBy"], gone["finalName"]), (True, [121], "Sector:Flash development"))
        ids = [113, 999_999, 123, 100]
        for items in (self.found("/terms", ids="113,999999,123,100")["items"], self.post("/terms:batchGet", json.dumps({"ids": ids}).encode()).body["items"]):
            self.assertEqual([(item["id"], item["status"]) for item in items], list(zip(ids, [200, 404, 200, 200])))

    def test_head_is_get_without_a_body(self) -> None:
        for path in ("/terms/136", "/terms/999999"):
            get, head = self.get(path), self.get(path, method="HEAD")
            self.assertEqual((head.status, head.body), (get.status, None))
            for header in ("etag", "content-type", "cache-control", "taxonomy-version"):
                self.assertEqual(head.headers.get(header), get.headers.get(header), header)

    def test_a_long_answer_is_compressed_where_that_is_accepted(self) -> None:
        ids = ",".join(map(str, range(100, 150)))
        plain, gzipped = self.get("/terms", ids=ids), self.get("/terms", {"Accept-Encoding": "gzip"}, ids=ids)
        self.assertNotIn("content-encoding", plain.headers)
        self.assertEqual((gzipped.status, gzipped.headers["content-encoding"], gzipped.body), (200, "gzip", plain.body))

    def test_an_answer_that_the_caller_has_comes_without_a_body(self) -> None:
        tags = {}
        for path in ("", "/terms/100", "/categories/1", "/categories", "/terms/100/children", "/suggest?q=rust", "/versions/1/changes"):
            bare, _, query = path.partition("?q=")
            asked = {"q": query} if query else {}
            answer = self.get(bare, **asked)
            tags[path] = answer.headers["etag"]
            self.assertEqual((answer.status, answer.headers["cache-control"]), (200, "private, no-cache"), answer)
            again = self.get(bare, {"If-None-Match": tags[path]}, **asked)
            self.assertEqual((again.status, again.body, again.headers["etag"]), (304, None, tags[path]))
            self.assertEqual(self.get(bare, {"If-None-Match": '"another"'}, **asked).status, 200)
        self.assertNotIn("etag", self.get("/terms/999999").headers)

    def test_headers_choose_the_language_and_show_request_version_page_and_cost(self) -> None:
        answer = self.get("/terms/211", {"Accept-Language": "it, de;q=0.9, fr;q=0.8"})
        self.assertEqual((answer.status, answer.body["culture"]), (200, "de-DE"))
        self.assertIn("Accept-Language", answer.headers["vary"])
        page = self.get("/categories", {"Taxonomy-Debug": "1"}, limit="2")
        self.assertTrue(page.headers["x-request-id"])
        self.assertEqual(page.headers["taxonomy-version"], "2")
        self.assertEqual(page.headers["link"], f'<?limit=2&cursor={page.body["nextCursor"]}>; rel="next"')
        self.assertRegex(page.headers["taxonomy-debug"], r"^table-requests=\d+, read-units=\d+\.\d, ")

    def test_what_cannot_be_asked_is_refused(self) -> None:
        for answer, status, code in (
            (self.post("/terms:batchGet", b"{"), 400, "invalid-body"),
            (self.post("/terms:batchGet", b'{"ids":[113]}', "text/plain"), 415, "unsupported-media-type"),
            (self.get("/terms/999999"), 404, "term-not-found"),
            (self.get("/terms/1.5"), 400, "invalid-id"),
            (self.get("/suggest", q="x" * 501), 400, "invalid-parameter"),
            (self.running.api.get("/v1/tenants/a!b/terms/113"), 400, "invalid-tenant"),
        ):
            self.assert_problem(answer, status, code)

    def test_names_are_searched_in_each_version(self) -> None:
        [found] = [item for item in self.found("/suggest", q="LARGE lang")["items"] if item["id"] == 136]
        matched = {"name": "Large language models", "culture": "en-GB", "kind": "name", "class": "start", "ranges": [[0, 5], [6, 10]]}
        self.assertEqual((found["finalName"], found["matched"]), ("Sector:Large language models", matched))
        german = self.found("/suggest", q="strassb", culture="de")["items"][0]
        self.assertEqual((german["id"], german["name"]), (211, "Straßburg"))
        found = [self.found("/suggest", q="flash development", version=version)["items"] for version in ("1", "2")]
        self.assertEqual([123 in [item["id"] for item in items] for items in found], [True, False])


def _resolved(description: Json, parameter: Json) -> Json:
    """Returns a parameter, which may be described elsewhere."""
    reference = parameter.get("$ref", "").removeprefix("#/components/parameters/")
    found: Json = description["components"]["parameters"][reference] if reference else parameter
    return found


if __name__ == "__main__":
    unittest.main()
