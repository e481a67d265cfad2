"""Tests of suggestions over the deployed stack: the search objects are stored beside the index file, and the lookup reads them."""

import unittest

from api import Answer
from oracle import Json
from stack import SAMPLES, Stack, stack

CULTURES = ["de-DE", "en-GB", "fr-FR"]


class Suggest(unittest.TestCase):
    running: Stack
    tenant: str

    @classmethod
    def setUpClass(cls) -> None:
        cls.running = stack()
        cls.tenant = cls.running.fresh_tenant("suggest")
        for version in (1, 2):
            body = (SAMPLES / f"job-board-v{version}.json").read_bytes()
            cls.running.wait_projected(cls.running.push(cls.tenant, body))

    def get(self, **query: str) -> Answer:
        return self.running.api.get(f"/v1/tenants/{self.tenant}/suggest", **query)

    def found(self, **query: str) -> list[Json]:
        answer = self.get(**query)
        self.assertEqual((answer.status, answer.content_type), (200, "application/json"), answer)
        self.assertIs(answer.body["truncated"], False)
        items: list[Json] = answer.body["items"]
        return items

    def test_each_version_has_a_search_object_for_each_culture(self) -> None:
        s3 = self.running.client("s3")
        listed = s3.list_objects_v2(Bucket=self.running.changesets_bucket, Prefix=f"indexes/{self.tenant}/1/")
        keys = [entry["Key"].rsplit("/", 1)[1] for entry in listed["Contents"]]
        objects = [(key[:12], key.rsplit(".search-", 1)[1]) for key in keys if ".search-" in key]
        self.assertEqual(sorted(objects), [(f"{number:012}", culture) for number in (1, 2) for culture in CULTURES])
        self.assertEqual(len([key for key in keys if key.endswith(".index")]), 2)

    def test_a_name_is_found_by_its_beginning_and_says_where(self) -> None:
        [language_models] = [item for item in self.found(q="LARGE lang") if item["id"] == 136]
        self.assertEqual(
            (language_models["name"], language_models["finalName"], language_models["category"]),
            ("Large language models", "Sector:Large language models", 1),
        )
        self.assertEqual(
            language_models["matched"],
            {
                "name": "Large language models",
                "culture": "en-GB",
                "kind": "name",
                "class": "start",
                "ranges": [[0, 5], [6, 10]],
            },
        )

    def test_words_come_in_any_order_and_with_typos(self) -> None:
        for query, kind in (("models large", "word"), ("langauge models", "typo")):
            with self.subTest(query=query):
                classes = {item["id"]: item["matched"]["class"] for item in self.found(q=query)}
                self.assertEqual(classes.get(136), kind)

    def test_an_alternative_name_leads_to_the_term(self) -> None:
        first = self.found(q="llm")[0]
        self.assertEqual((first["id"], first["name"]), (136, "Large language models"))
        self.assertEqual((first["matched"]["name"], first["matched"]["kind"]), ("LLM", "altName"))

    def test_a_culture_is_searched_without_accents_and_falls_back(self) -> None:
        german = self.found(q="strassb", culture="de")[0]
        self.assertEqual((german["id"], german["name"], german["matched"]["culture"]), (211, "Straßburg", "de-DE"))
        english = self.found(q="llm", culture="fr-FR")[0]
        self.assertEqual((english["id"], english["matched"]["culture"]), (136, "en-GB"))

    def test_a_category_and_a_subtree_narrow_the_answer(self) -> None:
        self.assertIn(136, [item["id"] for item in self.found(q="large lang", category="1")])
        self.assertEqual(self.found(q="large lang", category="2"), [])
        self.assertIn(136, [item["id"] for item in self.found(q="large lang", below="133")])
        self.assertEqual(self.found(q="large lang", below="136"), [])

    def test_a_removed_term_is_suggested_by_the_version_that_had_it(self) -> None:
        self.assertNotIn(123, [item["id"] for item in self.found(q="flash development")])
        self.assertIn(123, [item["id"] for item in self.found(q="flash development", version="1")])

    def test_a_search_without_hits_says_what_was_removed(self) -> None:
        body = self.get(q="flash development", kind="category").body
        self.assertEqual((body["items"], body["total"]), ([], 0))
        removed = {"kind": "term", "id": 123, "name": "Flash development", "removedIn": 2}
        self.assertEqual(body["nothingFound"]["removed"], [removed])

    def test_what_cannot_be_asked_is_refused(self) -> None:
        refused: list[tuple[dict[str, str], str]] = [
            ({}, "/query/q"),
            ({"q": "x" * 501}, "/query/q"),
            ({"q": "a", "limit": "51"}, "/query/limit"),
        ]
        for query, pointer in refused:
            with self.subTest(query=query):
                answer = self.get(**query)
                self.assertEqual((answer.status, answer.body["type"]), (400, "/problems/invalid-parameter"), answer)
                self.assertEqual(answer.body["pointer"], pointer)
        for name, code in (("category", "category-not-found"), ("below", "term-not-found")):
            answer = self.get(**{"q": "a", name: "999999"})
            self.assertEqual((answer.status, answer.body["type"]), (404, f"/problems/{code}"), answer)

    def test_a_tag_answers_the_same_question_again(self) -> None:
        answer = self.get(q="rust")
        self.assertEqual(answer.headers["taxonomy-version"], "2")
        path = f"/v1/tenants/{self.tenant}/suggest"
        again = self.running.api.get(path, if_none_match=answer.headers["etag"], q="rust")
        self.assertEqual((again.status, again.body), (304, None))


if __name__ == "__main__":
    unittest.main()
