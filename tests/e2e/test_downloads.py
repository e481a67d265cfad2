"""Tests of downloads of versions: requested, made by the projector through its queue, and read by the URL of the response alone."""

import csv
import io
import json
import time
import unittest
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from api import Answer
from oracle import Json
from stack import SAMPLES, Stack, stack, until

# Queue, invocation and upload take a second or two; the rest is slack.
DOWNLOAD_SECONDS = 120


class Downloads(unittest.TestCase):
    running: Stack
    tenant: str

    @classmethod
    def setUpClass(cls) -> None:
        cls.running = stack()
        cls.tenant = cls.running.fresh_tenant("downloads")
        for version in (1, 2):
            body = (SAMPLES / f"job-board-v{version}.json").read_bytes()
            cls.running.wait_projected(cls.running.push(cls.tenant, body))

    def ask(self, version: int, **query: str) -> Answer:
        return self.running.api.get(f"/v1/tenants/{self.tenant}/versions/{version}/download", **query)

    def ready(self, version: int, **query: str) -> Json:
        """Returns the response once the download is made; every response before it is a 202 with the time of the next try."""

        def look() -> Json | None:
            answer = self.ask(version, **query)
            if answer.status == 202:
                self.assertEqual(answer.body["status"], "pending", answer)
                time.sleep(min(int(answer.headers["retry-after"]), 5))
                return None
            self.assertEqual((answer.status, answer.headers["cache-control"]), (200, "no-store"), answer)
            found: Json = answer.body
            return found

        return until(f"the download {query} of {self.tenant}", DOWNLOAD_SECONDS, look)

    def fetched(self, ready: Json) -> tuple[bytes, Any]:
        """Returns the file, by a plain request without any authentication, and its headers."""
        self.assertEqual(urlsplit(ready["url"]).netloc, urlsplit(self.running.endpoint).netloc)
        with urllib.request.urlopen(ready["url"], timeout=30) as response:
            return response.read(), response.headers

    def terms(self, version: int) -> dict[int, Json]:
        """Returns every term of a sample by its id."""
        found: dict[int, Json] = {}
        waiting = list(json.loads((SAMPLES / f"job-board-v{version}.json").read_bytes())["categories"])
        while waiting:
            node = waiting.pop()
            below = node.get("terms", node.get("children", []))
            found |= {term["id"]: term for term in below}
            waiting += below
        return found

    def test_json_is_the_version_again(self) -> None:
        for version in (1, 2):
            ready = self.ready(version, format="json")
            body, headers = self.fetched(ready)
            self.assertEqual(len(body), ready["bytes"])
            self.assertEqual(headers["Content-Type"], "application/json")
            name = f"{self.tenant}-{version}.json"
            self.assertEqual((ready["fileName"], headers["Content-Disposition"]), (name, f'attachment; filename="{name}"'))
            taxonomy = json.loads(body)
            # Uploaded as another tenant's file, it has the state hash of this version.
            copy = self.running.fresh_tenant(f"{self.tenant}-copy-{version}")
            head = self.running.wait_projected(self.running.push(copy, body))
            log = self.running.item(f"TAXONOMY#{self.tenant}", f"CHANGESET#{version:012}")
            self.assertEqual(head["StateHash"], log["StateHash"])
            self.assertEqual(taxonomy["defaultCulture"], "en-GB")

    def test_lines_and_rows_hold_every_term(self) -> None:
        terms = self.terms(2)
        lines = [json.loads(line) for line in self.fetched(self.ready(2, format="ndjson"))[0].splitlines()]
        self.assertEqual({line["id"] for line in lines if line["type"] == "term"}, set(terms))
        text = self.fetched(self.ready(2, format="csv"))[0].decode()
        self.assertEqual({int(row["id"]) for row in csv.DictReader(io.StringIO(text))}, set(terms))
        sheet = self.fetched(self.ready(2, format="csv", dialect="spreadsheet"))[0]
        self.assertTrue(sheet.startswith(b"\xef\xbb\xbfid,culture,"), sheet[:40])

    def test_skos_is_turtle(self) -> None:
        body, headers = self.fetched(self.ready(1, format="skos"))
        self.assertEqual(headers.get_content_type(), "text/turtle")
        self.assertIn(f"urn:x-taxonomy:tenants/{self.tenant}", body.decode())

    def test_history_has_both_versions(self) -> None:
        text = self.fetched(self.ready(2, format="history"))[0].decode()
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual({row["valid_from_version"] for row in rows}, {"1", "2"})
        gone = set(self.terms(1)) - set(self.terms(2))
        self.assertEqual({int(row["id"]) for row in rows if row["removed"] == "true" and not row["valid_to"]}, gone)

    def test_what_is_no_download_is_refused(self) -> None:
        for version, query, status, code in (
            (1, {}, 400, "invalid-parameter"),
            (1, {"format": "xml"}, 400, "invalid-parameter"),
            (1, {"format": "json", "dialect": "spreadsheet"}, 400, "invalid-parameter"),
            (3, {"format": "json"}, 404, "version-not-found"),
        ):
            answer = self.ask(version, **query)
            self.assertEqual((answer.status, answer.body["type"]), (status, f"/problems/{code}"), answer)


if __name__ == "__main__":
    unittest.main()
