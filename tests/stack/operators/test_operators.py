"""Tests of the operators' commands over the deployed stack: history, rollback, configuration, freezes, lists, purge."""

import subprocess
import tempfile
import time
import unittest
from datetime import datetime
from pathlib import Path
from typing import Any

from oracle import Taxonomy
from program import environment, is_whole, program, pushed_twice, succeed, taxonomy
from reading import Asking, check_terms
from stack import FIRST, HEAD_AGE_SECONDS, SECOND, stack, until


class Operators(unittest.TestCase):
    def test_an_older_version_is_gone_back_to_and_written_anew(self) -> None:
        running, tenant = stack(), pushed_twice("operated")
        back = succeed("rollback", tenant, "1", "--yes", "--reason", "a test", "--output", "json").json()
        self.assertEqual((back["version"], back["committed"], back["frozen"]), (3, True, True))
        self.assertIn("commits nothing", succeed("rollback", "1", "--tenant", tenant, "--yes").err)
        self.assertEqual(succeed("rebuild", tenant, "--yes", "--output", "json").json()["version"], 4)
        is_whole(tenant)
        time.sleep(HEAD_AGE_SECONDS)
        check_terms(Asking(running, tenant), Taxonomy.read(FIRST), "en-GB")
        log = succeed("history", tenant, "--output", "json").json()["versions"]
        self.assertEqual([(entry["version"], entry["cause"]) for entry in log], [(4, "rebuild"), (3, "rollback"), (2, "upload"), (1, "upload")])
        self.assertTrue(all(entry["provenance"]["author"].startswith("arn:aws:") for entry in log), log)
        self.assertEqual(log[1]["provenance"]["reason"], "a test")

    def test_versions_are_shown_and_exported(self) -> None:
        tenant = pushed_twice("exported")
        with tempfile.TemporaryDirectory() as folder:
            for version, file in (("1", FIRST), ("2", SECOND)):
                out = Path(folder) / f"{version}.json"
                succeed("export", "json", version, "--tenant", tenant, "--out", out)
                self.assertEqual(Taxonomy.read(out).fields(), Taxonomy.read(file).fields())
                self.assertEqual(taxonomy("diff", out, version, "--tenant", tenant, "--detailed-exitcode").code, 0)
                shown = succeed("show", tenant, "--version", version, "--output", "json").json()["snapshot"]
                self.assertEqual({term["id"] for term in shown["terms"]}, set(Taxonomy.read(file).terms))
        self.assertEqual(taxonomy("diff", "1", "2", "--tenant", tenant, "--detailed-exitcode").code, 3)
        missing = taxonomy("export", "csv", "9", "--tenant", tenant)
        self.assertEqual((missing.code, missing.out), (1, ""))

    def test_a_rolled_back_head_is_never_unchanged(self) -> None:
        tenant = pushed_twice("not-unchanged")
        succeed("rollback", tenant, "1", "--yes", "--no-freeze")
        again = succeed("push", SECOND, "--tenant", tenant, "--output", "json").json()["pushes"][0]
        self.assertEqual((again["outcome"], again["version"]), ("published", 4))

    def test_a_tenant_is_configured_and_named_by_somebody(self) -> None:
        running, tenant = stack(), pushed_twice("configured")
        options = ["--fallback", "fr-FR", "--removal-percent", "1", "--name", " Job board ", "--author", "ann"]
        changed = succeed("tenant", "set", tenant, *options, "--output", "json").json()["configuration"]
        self.assertEqual((changed["removalPercent"], changed["displayName"], changed["provenance"]["author"]), (1, "Job board", "ann"))
        until("the version with the fallback", 300, lambda: running.head_item(tenant).get("FallbackChain") == ["fr-FR"] or None)
        log = succeed("history", tenant, "--limit", "1", "--output", "json").json()["versions"]
        self.assertEqual((log[0]["cause"], log[0]["provenance"]["author"]), ("configuration", "ann"))
        rows = {row["tenant"]: row for row in succeed("tenant", "list", "--output", "json").json()["tenants"]}
        self.assertEqual(rows[tenant]["displayName"], "Job board")

    def test_a_list_shows_each_tenant_with_its_state(self) -> None:
        running, tenant = stack(), pushed_twice("listed")
        refused = running.fresh_tenant("listed-refused")
        running.wait_refused(running.push(refused, b"{"))
        running.wait_refused(running.push(tenant, b"{"))
        succeed("tenant", "freeze", tenant)
        head = running.head_item(tenant)
        rows = {row["tenant"]: row for row in succeed("tenant", "list", "--output", "json").json()["tenants"]}
        self.assertEqual(list(rows), sorted(rows))
        self.assertEqual(rows[refused], {"tenant": refused, "state": ["refused"]})
        shown = rows[tenant]
        self.assertEqual((shown["version"], shown["terms"], shown["state"]), (2, head["Terms"], ["refused", "frozen"]))
        self.assertEqual(datetime.fromisoformat(shown["committedAt"]).timestamp(), head["CommittedAt"] / 1000)
        for option, expected in (("--refused", {tenant, refused}), ("--frozen", {tenant})):
            found = {row["tenant"] for row in succeed("tenant", "list", option, "--output", "json").json()["tenants"]}
            self.assertEqual(found & {tenant, refused}, expected, option)

    def test_a_freeze_says_since_when_why_and_whether_an_upload_waits(self) -> None:
        running, tenant = stack(), pushed_twice("freeze")
        began = time.time()
        succeed("tenant", "freeze", tenant, "--reason", "waiting for legal", "--author", "ann")
        # Neither another freeze nor another change is the reason for the first.
        self.assertIn("because waiting for legal", succeed("tenant", "freeze", tenant, "--reason", "again").out)
        succeed("tenant", "set", tenant, "--removal-terms", "21", "--author", "bob")

        def shown() -> Any:
            return succeed("tenant", "show", tenant, "--output", "json").json()

        self.assertFalse(shown()["waiting"])
        freeze = shown()["configuration"]["freeze"]
        self.assertEqual(freeze["provenance"], {"author": "ann", "reason": "waiting for legal"})
        self.assertAlmostEqual(datetime.fromisoformat(freeze["at"]).timestamp(), began, delta=60)
        running.push(tenant, FIRST.read_bytes())
        until("the upload that waits", 60, lambda: shown()["waiting"] or None)
        succeed("tenant", "thaw", tenant)
        until("the upload that waited", 300, lambda: not shown()["waiting"] or None)
        self.assertNotIn("freeze", shown()["configuration"])

    def test_a_tenant_that_leaves_leaves_nothing(self) -> None:
        running, tenant, neighbour = stack(), pushed_twice("leaving"), pushed_twice("leaving-not")
        self.assertEqual(taxonomy("tenant", "purge", tenant, "--quiet", "1").code, 1, "nothing is deleted unasked")
        words = [program(), "tenant", "purge", tenant, "--quiet", "60", "--yes"]
        purging = subprocess.Popen(words, env=environment(), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("the purge to begin", 60, lambda: "purging           since" in succeed("tenant", "show", tenant).out or None)
        for command in (["tenant", "thaw", tenant], ["push", SECOND, "--tenant", tenant], ["rollback", tenant, "1", "--yes"]):
            done = taxonomy(*command)
            self.assertEqual(done.code, 1, done)
            self.assertIn("`taxonomy tenant purge TENANT` completes it", done.err)
        purging.kill()
        purging.wait()
        purged = succeed("tenant", "purge", tenant, "--quiet", "1", "--yes", "--output", "json").json()
        self.assertGreater(purged["items"], 400)
        self.assertEqual(purged["sourceVersions"], 2)
        for partition in (f"TAXONOMY#{tenant}", f"STATS#{tenant}", f"TERM#{tenant}#100", f"CATEGORY#{tenant}#1"):
            self.assertEqual(running.items(partition), {})
        is_whole(neighbour)
        again = succeed("push", FIRST, "--tenant", tenant, "--output", "json").json()["pushes"][0]
        self.assertEqual((again["outcome"], again["version"]), ("published", 1), "the tenant may come back")


if __name__ == "__main__":
    unittest.main()
