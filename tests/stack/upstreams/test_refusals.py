"""Tests that invalid files are refused, reported with the place of the fault, and never block later files."""

import gzip
import json
import re
import unittest
from typing import NamedTuple

from oracle import Json
from stack import FIRST, SAMPLES, SECOND, Pushed, stack

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


class Refusals(unittest.TestCase):
    def version(self, tenant: str) -> int:
        answer = stack().api.get(f"/v1/tenants/{tenant}")
        self.assertEqual(answer.status, 200, answer)
        return int(answer.body["version"])

    def test_the_last_good_version_is_served_until_a_valid_file_comes(self) -> None:
        running, tenant = stack(), stack().published("rejected")
        refused = running.wait_refused(running.push(tenant, (INVALID / "duplicate-term-id.json").read_bytes()))
        self.assertEqual(refused["Code"], "duplicate-term-id")
        running.wait_idle()
        published, rejected = running.told.wait_for(tenant, 2)
        self.assertEqual((published["type"], rejected["type"]), ("taxonomy.published.v1", "taxonomy.rejected.v1"))
        said = {name: rejected["data"][name] for name in ("tenant", "version", "etag", "code", "report")}
        report = {"bucket": running.changesets_bucket, "key": refused["Report"]}
        self.assertEqual(said, {"tenant": tenant, "version": 1, "etag": refused["ETag"], "code": refused["Code"], "report": report})
        self.assertEqual(self.version(tenant), 1)
        running.wait_projected(running.push(tenant, SECOND.read_bytes()))
        self.assertEqual(self.version(tenant), 2)

    def test_every_mistake_is_reported_where_it_is(self) -> None:
        running, tenant = stack(), stack().published("mistakes")
        expected = {row.file: [(row.code, row.pointer)] for row in mistakes()}
        expected["several-mistakes.json"] = [
            ("control-character", "/categories/0/terms/2/names/0/name"),
            ("duplicate-term-id", "/categories/0/terms/1/id"),
            ("invalid-culture", "/categories/0/terms/0/names/1/culture"),
        ]
        self.assertEqual(set(expected), {file.name for file in INVALID.glob("*.json")})
        for file, errors in expected.items():
            with self.subTest(file=file):
                pushed = running.push(tenant, (INVALID / file).read_bytes())
                running.wait_refused(pushed)
                self.assertEqual(sorted(_errors(pushed)), errors)
        self.assertEqual(self.version(tenant), 1)

    def test_a_compressed_file_is_read(self) -> None:
        running, tenant = stack(), stack().fresh_tenant("gzip")
        running.wait_projected(running.push(tenant, gzip.compress(FIRST.read_bytes()), ContentEncoding="gzip"))
        self.assertEqual(running.api.get(f"/v1/tenants/{tenant}/terms/113").body["finalName"], "Sector:Rust development")
        # The uncompressed file has other bytes but the same content.
        self.assertEqual(running.wait_projected(running.push(tenant, FIRST.read_bytes()))["V"], 1)

    def test_other_keys_are_ignored(self) -> None:
        running, foreign = stack(), stack().fresh_tenant("foreign")
        for key in (f"taxonomies/deeper/{foreign}.json", f"taxonomies/{foreign}.txt", f"elsewhere/{foreign}.json"):
            running.put(key, FIRST.read_bytes())
        # Events are handled in order or concurrently; once a later one is done and the queues are empty, these are done or dead.
        running.published("after-foreign")
        running.wait_idle()
        self.assertEqual(running.head_item(foreign), {})


def _errors(pushed: Pushed) -> list[tuple[str, str]]:
    """Returns code and place of each error in the report of an upload."""
    running, key = stack(), f"reports/{pushed.tenant}/{pushed.etag}.json"
    report: Json = json.loads(running.client("s3").get_object(Bucket=running.changesets_bucket, Key=key)["Body"].read())
    return [(issue["code"], issue.get("pointer") or "") for issue in report["issues"] if issue["severity"] == "error"]


if __name__ == "__main__":
    unittest.main()
