"""Tests that invalid files are refused, reported with the place of the fault, and never block later files."""

import gzip
import hashlib
import re
import unittest
from typing import NamedTuple

from oracle import Json
from stack import SAMPLES, Stack, stack, until
from versions import expected_event

FIRST = (SAMPLES / "job-board-v1.json").read_bytes()
SECOND = (SAMPLES / "job-board-v2.json").read_bytes()
INVALID = SAMPLES / "invalid"


class Mistake(NamedTuple):
    """A row of the table of invalid samples."""

    file: str
    code: str
    pointer: str


def mistakes() -> list[Mistake]:
    """Returns the invalid samples with the promises of their README about them."""
    rows = re.findall(r"^\| `(\S+\.json)`.*?\| `(\S+)`.*?\|(.*)\|$", (INVALID / "README.md").read_text(), re.MULTILINE)
    return [Mistake(file, code, _pointer(cell)) for file, code, cell in rows]


def _pointer(cell: str) -> str:
    """Returns a pointer, which may be written as `start` followed by repetitions of `step`."""
    repeated = re.search(r"`(.*)` followed by `(.*)` (\d+) times", cell)
    if repeated:
        return repeated[1] + repeated[2] * int(repeated[3])
    return cell.strip().strip("`")


class Rejected(unittest.TestCase):
    running: Stack

    @classmethod
    def setUpClass(cls) -> None:
        cls.running = stack()

    def published(self, name: str) -> str:
        """Returns a new tenant whose version 1 is the first sample."""
        tenant = self.running.fresh_tenant(name)
        self.running.wait_projected(self.running.push(tenant, FIRST))
        return tenant

    def head(self, tenant: str) -> Json:
        answer = self.running.api.get(f"/v1/tenants/{tenant}")
        self.assertEqual(answer.status, 200, answer)
        head: Json = answer.body
        return head

    def final_name(self, tenant: str, term_id: int) -> str:
        answer = self.running.api.get(f"/v1/tenants/{tenant}/terms/{term_id}")
        self.assertEqual(answer.status, 200, answer)
        name: str = answer.body["finalName"]
        return name

    def assert_nothing_waits(self) -> None:
        """Checks that all queues run empty; an event that was not acknowledged would remain in one, at the latest after its retries."""
        # Longer than the delay of a message that another test's projection left there.
        until("empty queues", 200, lambda: None if any(self.running.waiting_messages().values()) else True)

    def test_the_last_good_version_is_served_until_a_valid_file_comes(self) -> None:
        tenant = self.published("rejected")
        refused = self.running.wait_refused(
            self.running.push(tenant, (INVALID / "duplicate-term-id.json").read_bytes())
        )
        self.assertEqual(refused["Code"], "duplicate-term-id")
        self.assert_nothing_waits()
        self.assert_told(tenant, refused)
        self.assertEqual(self.head(tenant)["version"], 1)
        self.assertEqual(self.final_name(tenant, 600), "Seniority:Entry level")

        self.running.wait_projected(self.running.push(tenant, SECOND))
        self.assertEqual(self.head(tenant)["version"], 2)
        self.assertEqual(self.final_name(tenant, 600), "Experience level:Entry level")

    def assert_told(self, tenant: str, refused: Json) -> None:
        """Checks the notifications: a published version, then the refusal, under an id that depends only on the refused object and settings."""
        published, rejected = self.running.told.wait_for(tenant, 2)
        step = (published["type"], published["data"]["from"], published["data"]["to"])
        self.assertEqual(step, ("taxonomy.published.v1", 0, 1))
        known_by = (tenant, refused["ETag"], refused["VersionId"], str(refused["Validator"]), refused["Defaults"])
        identity = hashlib.sha256("\n".join(known_by).encode()).hexdigest()
        data = {
            "tenant": tenant,
            "version": 1,
            "etag": refused["ETag"],
            "versionId": refused["VersionId"],
            "code": refused["Code"],
            "report": {"bucket": self.running.changesets_bucket, "key": refused["Report"]},
            "at": refused["At"],
        }
        expected = expected_event(self.running.events_source, "rejected", identity, refused["At"], data)
        self.assertEqual(rejected, expected)

    def test_every_mistake_is_reported_where_it_is(self) -> None:
        tenant = self.published("mistakes")
        table = mistakes()
        self.assertEqual(
            {row.file for row in table} | {"several-mistakes.json"}, {f.name for f in INVALID.glob("*.json")}
        )
        for row in table:
            with self.subTest(file=row.file):
                pushed = self.running.push(tenant, (INVALID / row.file).read_bytes())
                self.assertEqual(self.running.wait_refused(pushed)["Code"], row.code)
                self.assertEqual(self.errors(self.running.report(pushed)), [(row.code, row.pointer)])
        self.assertEqual(self.head(tenant)["version"], 1)

    def test_one_report_names_all_mistakes(self) -> None:
        tenant = self.published("several")
        pushed = self.running.push(tenant, (INVALID / "several-mistakes.json").read_bytes())
        self.running.wait_refused(pushed)
        self.assertEqual(
            sorted(self.errors(self.running.report(pushed))),
            [
                ("control-character", "/categories/0/terms/2/names/0/name"),
                ("duplicate-term-id", "/categories/0/terms/1/id"),
                ("invalid-culture", "/categories/0/terms/0/names/1/culture"),
            ],
        )

    def errors(self, report: Json) -> list[tuple[str, str]]:
        return [(i["code"], i.get("pointer") or "") for i in report["issues"] if i["severity"] == "error"]

    def test_a_compressed_file_is_read(self) -> None:
        tenant = self.running.fresh_tenant("gzip")
        self.running.wait_projected(self.running.push(tenant, gzip.compress(FIRST), ContentEncoding="gzip"))
        self.assertEqual(self.final_name(tenant, 113), "Sector:Rust development")
        # The uncompressed file has other bytes but the same content.
        self.assertEqual(self.running.wait_projected(self.running.push(tenant, FIRST))["V"], 1)

    def test_other_keys_are_ignored(self) -> None:
        foreign = self.running.fresh_tenant("foreign")
        for key in (f"taxonomies/deeper/{foreign}.json", f"taxonomies/{foreign}.txt", f"elsewhere/{foreign}.json"):
            self.running.put(key, FIRST)
        # Events are handled in order or concurrently; once a later one is done and the queues are empty, these are done or dead.
        self.published("after-foreign")
        self.assert_nothing_waits()
        self.assertEqual(self.running.head_item(foreign), {})
        self.assertEqual(self.running.api.get(f"/v1/tenants/{foreign}").status, 404)


if __name__ == "__main__":
    unittest.main()
