"""Tests that an invalid file is refused, reported with the place of the fault, and blocks no later file. `taxonomy-model` has every kind of mistake."""

import gzip
import json
import unittest

from stack import FIRST, SAMPLES, SECOND, stack

INVALID = SAMPLES / "invalid"
#: Of the mistake in `duplicate-term-id.json`.
POINTER = "/categories/0/terms/1/id"


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
        stored = json.loads(running.client("s3").get_object(Bucket=running.changesets_bucket, Key=refused["Report"])["Body"].read())
        self.assertEqual([(issue["code"], issue["pointer"]) for issue in stored["issues"] if issue["severity"] == "error"], [(refused["Code"], POINTER)])
        self.assertEqual(self.version(tenant), 1)
        running.wait_projected(running.push(tenant, SECOND.read_bytes()))
        self.assertEqual(self.version(tenant), 2)

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


if __name__ == "__main__":
    unittest.main()
