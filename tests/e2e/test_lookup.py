"""Tests of every route of the API over the samples: version 2 is served, version 1 is the one before it."""

import json
import unittest

from api import Answer
from oracle import Json
from stack import SAMPLES, Stack, stack

ROUTES = {
    "/v1/tenants/{tenant}",
    "/v1/tenants/{tenant}/terms/{id}",
    "/v1/tenants/{tenant}/terms/{id}/children",
    "/v1/tenants/{tenant}/terms",
    "/v1/tenants/{tenant}/terms:batchGet",
    "/v1/tenants/{tenant}/categories",
    "/v1/tenants/{tenant}/categories/{id}",
    "/v1/openapi.json",
    "/v1/health",
}


class Lookup(unittest.TestCase):
    running: Stack
    tenant: str

    @classmethod
    def setUpClass(cls) -> None:
        cls.running = stack()
        cls.tenant = cls.running.fresh_tenant("lookup")
        for version in (1, 2):
            body = (SAMPLES / f"job-board-v{version}.json").read_bytes()
            cls.running.wait_projected(cls.running.push(cls.tenant, body))

    def get(self, path: str = "", **query: str) -> Answer:
        return self.running.api.get(f"/v1/tenants/{self.tenant}{path}", **query)

    def found(self, path: str = "", **query: str) -> Json:
        answer = self.get(path, **query)
        self.assertEqual((answer.status, answer.content_type), (200, "application/json"), answer)
        body: Json = answer.body
        return body

    def assert_problem(self, answer: Answer, status: int, code: str) -> Json:
        self.assertEqual((answer.status, answer.content_type), (status, "application/problem+json"), answer)
        problem: Json = answer.body
        self.assertEqual((problem["type"], problem["status"]), (f"/problems/{code}", status), answer)
        self.assertTrue(problem["title"] and problem["detail"], answer)
        return problem

    def assert_blames_a_parameter(self, answer: Answer, code: str) -> None:
        self.assertTrue(self.assert_problem(answer, 400, code).get("pointer"), answer)

    def test_the_head_says_what_is_served(self) -> None:
        head = self.found()
        self.assertEqual(
            {name: head[name] for name in ("tenant", "version", "defaultCulture", "fallbackChain")},
            {
                "tenant": self.tenant,
                "version": 2,
                "defaultCulture": "en-GB",
                "fallbackChain": [],
            },
        )
        self.assertEqual(sorted(head["cultures"]), ["de-DE", "en-GB", "fr-FR"])
        self.assertEqual((head["totals"]["categories"], head["totals"]["terms"]), (5, 145))
        self.assertIn("committedAt", head)

    def test_a_term_comes_with_its_category_and_its_ancestors_nearest_first(self) -> None:
        top = "information-technology"
        self.assertEqual(
            self.found("/terms/136"),
            {
                "tenant": self.tenant,
                "version": 2,
                "id": 136,
                "name": "Large language models",
                "culture": "en-GB",
                "finalName": "Sector:Large language models",
                "path": f"{top}/data-and-analytics/machine-learning/large-language-models",
                "category": {"id": 1, "name": "Sector", "culture": "en-GB", "path": "sector"},
                "depth": 4,
                "ancestors": [
                    {
                        "id": 133,
                        "name": "Machine learning",
                        "finalName": "Sector:Machine learning",
                        "culture": "en-GB",
                        "path": f"{top}/data-and-analytics/machine-learning",
                    },
                    {
                        "id": 130,
                        "name": "Data and analytics",
                        "finalName": "Sector:Data and analytics",
                        "culture": "en-GB",
                        "path": f"{top}/data-and-analytics",
                    },
                    {
                        "id": 100,
                        "name": "Information technology",
                        "finalName": "Sector:Information technology",
                        "culture": "en-GB",
                        "path": top,
                    },
                ],
                "altNames": ["LLM"],
                "metadata": {},
                "deprecated": False,
                "replacedBy": [],
                "relations": [],
                "removed": False,
            },
        )

    def test_what_the_file_leaves_out_is_left_out(self) -> None:
        remote = self.found("/terms/10")
        self.assertNotIn("path", remote)
        self.assertNotIn("notation", remote)
        self.assertEqual((remote["sortKey"], remote["finalName"]), ("zzz", "Location:Fully remote"))
        self.assertEqual(self.found("/terms/113")["metadata"], {"trending": False, "since": 2015})

    def test_a_culture_falls_back_and_says_so(self) -> None:
        for term, asked, served, final_name in [
            (211, "de-DE", "de-DE", "Arbeitsort:Straßburg"),
            (211, "DE-de", "de-DE", "Arbeitsort:Straßburg"),
            (211, "de", "de-DE", "Arbeitsort:Straßburg"),
            (184, "fr-FR", "fr-FR", "Secteur d’activité:Accueil et réception"),
            (191, "fr-FR", "en-GB", "Secteur d’activité:Local government"),
            (211, "it-IT", "en-GB", "Location:Strasbourg"),
        ]:
            with self.subTest(term=term, asked=asked):
                answer = self.found(f"/terms/{term}", culture=asked)
                self.assertEqual((answer["culture"], answer["finalName"]), (served, final_name))
                self.assertEqual(answer["requestedCulture"].lower(), asked.lower())

    def test_each_part_names_the_culture_it_is_in(self) -> None:
        answer = self.found("/terms/211", culture="de-DE")
        self.assertEqual(answer["category"], {"id": 2, "name": "Arbeitsort", "culture": "de-DE", "path": "arbeitsort"})
        self.assertEqual(
            [(above["name"], above["culture"]) for above in answer["ancestors"]],
            [("Grand Est", "en-GB"), ("Frankreich", "de-DE"), ("Europa", "de-DE")],
        )

    def test_a_malformed_culture_is_refused(self) -> None:
        self.assert_blames_a_parameter(self.get("/terms/211", culture="en_GB"), "invalid-culture")

    def test_a_removed_term_keeps_its_last_name(self) -> None:
        gone = self.found("/terms/123")
        self.assertEqual((gone["removed"], gone["deprecated"], gone["replacedBy"]), (True, True, [121]))
        self.assertEqual(gone["finalName"], "Sector:Flash development")
        self.assertEqual([above["id"] for above in gone["ancestors"]], [120, 110, 100])

    def test_a_batch_answers_each_id_in_the_order_asked(self) -> None:
        ids = [113, 999_999, 123, 100]
        by_url = self.found("/terms", ids=",".join(map(str, ids)))
        by_body = self.running.api.post(f"/v1/tenants/{self.tenant}/terms:batchGet", {"ids": ids})
        self.assertEqual(by_body.status, 200)
        for items in (by_url["items"], by_body.body["items"]):
            self.assertEqual([(item["id"], item["status"]) for item in items], list(zip(ids, [200, 404, 200, 200])))
            self.assertEqual(items[0]["term"]["finalName"], "Sector:Rust development")
            self.assertEqual(items[1]["problem"]["type"], "/problems/term-not-found")
            self.assertTrue(items[2]["term"]["removed"])

    def test_a_batch_speaks_one_culture(self) -> None:
        items = self.found("/terms", ids="113,191", culture="fr-FR")["items"]
        self.assertEqual([item["term"]["culture"] for item in items], ["fr-FR", "en-GB"])

    def test_more_than_a_hundred_ids_are_too_many(self) -> None:
        ids = list(range(101))
        self.assert_blames_a_parameter(self.get("/terms", ids=",".join(map(str, ids))), "too-many-ids")
        answer = self.running.api.post(f"/v1/tenants/{self.tenant}/terms:batchGet", {"ids": ids})
        self.assert_blames_a_parameter(answer, "too-many-ids")

    def test_a_body_that_is_no_batch_is_refused(self) -> None:
        for body in (b"{", json.dumps({"ids": "113"}).encode(), b"[]"):
            with self.subTest(body=body):
                answer = self.running.api.post(f"/v1/tenants/{self.tenant}/terms:batchGet", body)
                self.assert_problem(answer, 400, "invalid-body")

    def test_unknown_ids_are_not_found(self) -> None:
        self.assert_problem(self.get("/terms/999999"), 404, "term-not-found")
        self.assert_problem(self.get("/categories/999999"), 404, "category-not-found")

    def test_ids_that_cannot_be_are_refused(self) -> None:
        for path in ("/terms/rust", "/terms/-1", "/terms/9007199254740992", "/terms/1.5", "/categories/rust"):
            with self.subTest(path=path):
                self.assert_blames_a_parameter(self.get(path), "invalid-id")

    def test_another_tenant_is_not_found(self) -> None:
        for path in ("", "/terms/113", "/categories", "/categories/1"):
            with self.subTest(path=path):
                answer = self.running.api.get(f"/v1/tenants/nobody{path}")
                self.assert_problem(answer, 404, "tenant-not-found")

    def test_a_tenant_that_cannot_be_is_refused(self) -> None:
        self.assert_problem(self.running.api.get("/v1/tenants/a!b/terms/113"), 400, "invalid-tenant")

    def test_categories_are_listed_in_their_order(self) -> None:
        items = self.found("/categories")["items"]
        self.assertEqual(
            [(item["id"], item["name"]) for item in items],
            [(1, "Sector"), (2, "Location"), (3, "Contract type"), (4, "Experience level"), (5, "Skill")],
        )

    def test_a_listing_goes_on_where_its_page_ended(self) -> None:
        seen: list[int] = []
        page = self.found("/categories", limit="2")
        while True:
            self.assertLessEqual(len(page["items"]), 2)
            seen += [item["id"] for item in page["items"]]
            cursor = page.get("nextCursor")
            if not cursor:
                break
            page = self.found("/categories", limit="2", cursor=cursor)
        self.assertEqual(seen, [1, 2, 3, 4, 5])

    def test_a_listing_refuses_what_it_cannot_read(self) -> None:
        self.assert_blames_a_parameter(self.get("/categories", limit="many"), "invalid-parameter")
        self.assert_blames_a_parameter(self.get("/categories", cursor="nonsense"), "invalid-parameter")

    def test_a_category_in_a_culture(self) -> None:
        category = self.found("/categories/4", culture="fr-FR")
        self.assertEqual((category["id"], category["name"], category["culture"]), (4, "Niveau d’expérience", "fr-FR"))
        self.assertEqual(self.found("/categories/4")["name"], "Experience level")

    def ask(self, method: str, path: str, headers: dict[str, str], **query: str) -> Answer:
        return self.running.api.ask(method, f"/v1/tenants/{self.tenant}{path}", headers, **query)

    def test_head_is_get_without_a_body(self) -> None:
        for path in ("/terms/136", "/terms/999999"):
            with self.subTest(path=path):
                get, head = self.get(path), self.ask("HEAD", path, {})
                self.assertEqual((head.status, head.body), (get.status, None))
                for header in ("etag", "content-type", "cache-control", "taxonomy-version"):
                    self.assertEqual(head.headers.get(header), get.headers.get(header), header)

    def test_a_long_answer_is_compressed_where_that_is_accepted(self) -> None:
        ids = ",".join(map(str, range(100, 150)))
        plain = self.get("/terms", ids=ids)
        self.assertNotIn("content-encoding", plain.headers)
        gzipped = self.ask("GET", "/terms", {"Accept-Encoding": "gzip"}, ids=ids)
        self.assertEqual((gzipped.status, gzipped.headers["content-encoding"]), (200, "gzip"))
        self.assertEqual(gzipped.body, plain.body)
        if "etag" in gzipped.headers:
            self.assertTrue(gzipped.headers["etag"].endswith('-gzip"'), gzipped.headers["etag"])

    def test_the_language_of_the_caller_decides_where_no_culture_is_named(self) -> None:
        answer = self.ask("GET", "/terms/211", {"Accept-Language": "it, de;q=0.9, fr;q=0.8"})
        self.assertEqual((answer.status, answer.body["culture"]), (200, "de-DE"))
        self.assertIn("Accept-Language", answer.headers["vary"])

    def test_an_answer_has_the_fields_that_are_asked_for(self) -> None:
        self.assertEqual(self.found("/terms/136", fields="name"), {"id": 136, "name": "Large language models"})
        self.assert_blames_a_parameter(self.get("/terms/136", fields="colour"), "invalid-parameter")

    def test_answers_name_their_request_their_version_and_the_next_page(self) -> None:
        answer = self.get("/categories", limit="2")
        self.assertTrue(answer.headers["x-request-id"])
        self.assertEqual(answer.headers["taxonomy-version"], "2")
        cursor = answer.body["nextCursor"]
        self.assertEqual(answer.headers["link"], f'<?limit=2&cursor={cursor}>; rel="next"')

    def test_an_answer_says_what_it_consumed(self) -> None:
        answer = self.ask("GET", "/terms/136", {"Taxonomy-Debug": "1"})
        self.assertRegex(answer.headers["taxonomy-debug"], r"^table-requests=\d+, read-units=\d+\.\d, ")
        self.assertNotIn("taxonomy-debug", self.get("/terms/136").headers)

    def test_a_body_that_is_no_json_by_its_type_is_refused(self) -> None:
        path, body = f"/v1/tenants/{self.tenant}/terms:batchGet", b'{"ids":[113]}'
        answer = self.running.api.ask("POST", path, {"Content-Type": "text/plain"}, body)
        self.assert_problem(answer, 415, "unsupported-media-type")

    def test_the_description_names_every_route(self) -> None:
        answer = self.running.api.get("/v1/openapi.json")
        self.assertEqual(answer.status, 200)
        self.assertRegex(answer.body["openapi"], r"^3\.1\.")
        self.assertEqual(ROUTES - answer.body["paths"].keys(), set())

    def test_health(self) -> None:
        answer = self.running.api.get("/v1/health")
        self.assertEqual((answer.status, answer.body), (200, {"status": "ok"}))


if __name__ == "__main__":
    unittest.main()
