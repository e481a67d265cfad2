"""Tests of `taxonomy tenant purge`, over the deployed stack, under the role that the template deploys."""

import subprocess
import unittest

from program import environment, program, stack, succeed, taxonomy

from stack import SAMPLES, until  # isort: skip - found by program


class Purge(unittest.TestCase):
    def test_a_tenant_that_leaves_leaves_nothing(self) -> None:
        running, tenant = stack(), stack().fresh_tenant("leaving")
        neighbour = f"{tenant}2"
        for each in (tenant, neighbour):
            for number in (1, 2):
                succeed("push", SAMPLES / f"job-board-v{number}.json", "--tenant", each)
        before = running.projection(neighbour)
        self.assertEqual(taxonomy("tenant", "purge", tenant, "--quiet", "1").code, 1, "nothing is deleted unasked")
        purging = subprocess.Popen([program(), "tenant", "purge", tenant, "--quiet", "60", "--yes"], env=environment(), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("the purge to begin", 60, lambda: "purging           since" in succeed("tenant", "show", tenant).out or None)
        for command in (["tenant", "thaw", tenant], ["push", SAMPLES / "job-board-v2.json", "--tenant", tenant], ["rollback", tenant, "1", "--yes"]):
            done = taxonomy(*command)
            self.assertEqual(done.code, 1, done)
            self.assertIn("`taxonomy tenant purge TENANT` completes it", done.err)
        purging.kill()
        purging.wait()
        purged = succeed("tenant", "purge", tenant, "--quiet", "1", "--yes", "--output", "json").json()
        self.assertGreater(purged["items"], 400)
        self.assertEqual(purged["sourceVersions"], 2)
        self.assertEqual(running.projection(tenant), {})
        self.assertEqual(running.head_item(tenant), {})
        self.assertEqual(running.stats(tenant), {})
        for bucket, prefix in ((running.source_bucket, f"taxonomies/{tenant}.json"), *((running.changesets_bucket, f"{kind}/{tenant}/") for kind in ("snapshots", "changesets", "reports", "indexes"))):
            listed = running.client("s3").list_object_versions(Bucket=bucket, Prefix=prefix)
            self.assertEqual(listed.get("Versions", []) + listed.get("DeleteMarkers", []), [], prefix)
        self.assertEqual(running.projection(neighbour), before)
        again = succeed("push", SAMPLES / "job-board-v1.json", "--tenant", tenant, "--output", "json").json()["pushes"][0]
        self.assertEqual((again["outcome"], again["version"]), ("published", 1), "the tenant may come back")


if __name__ == "__main__":
    unittest.main()
