"""Tests of the operators' commands over the deployed stack: history, rollback, configuration, freezes, lists, reports, purge."""

import csv
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
from stack import FIRST, HEAD_AGE_SECONDS, SAMPLES, SECOND, stack, until


class Operators(unittest.TestCase):
    def test_an_older_version_is_gone_back_to_and_written_anew(self) -> None:
        running, tenant = stack(), pushed_twice("operated")
        back = succeed("rollback", tenant, "1", "--yes", "--reason", "a test", "--output", "json").json()
        self.assertEqual((back["version"], back["committed"], back["frozen"]), (3, True, True))
        again = succeed("rollback", "1", "--tenant", tenant, "--yes")
        self.assertIn("commits nothing", again.err)
        self.assertIn("Version 3 already had the content of version 1", again.out)
        is_whole(tenant)
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
        rows = list(csv.DictReader(succeed("export", "history", "--tenant", tenant).out.splitlines()))
        # The term 123 was removed.
        names = [(row["final_name"], row["valid_from_version"], row["valid_to_version"]) for row in rows if row["id"] == "123" and row["culture"] == "en-GB"]
        self.assertEqual(names, [("Sector:Flash development", "1", "2"), ("Sector:Flash development", "2", "")])
        missing = taxonomy("export", "csv", "9", "--tenant", tenant)
        self.assertEqual((missing.code, missing.out), (1, ""))

    def test_the_bad_file_waits_after_a_rollback_however_it_comes(self) -> None:
        running, tenant = stack(), pushed_twice("rolled-back")
        succeed("rollback", tenant, "1", "--yes")
        running.push(tenant, SECOND.read_bytes())
        time.sleep(3)
        self.assertEqual(int(running.head_item(tenant)["V"]), 3, "a plain upload of the same file waits")
        refused = taxonomy("push", SECOND, "--tenant", tenant)
        self.assertEqual(refused.code, 1, refused)
        self.assertIn("frozen", refused.err)
        thawed = succeed("tenant", "thaw", tenant)
        self.assertIn("thawed", thawed.out)
        until("the upload that waited", 300, lambda: int(running.head_item(tenant)["V"]) == 4 or None)

    def test_a_rolled_back_head_is_never_unchanged(self) -> None:
        tenant = pushed_twice("not-unchanged")
        succeed("rollback", tenant, "1", "--yes", "--no-freeze")
        again = succeed("push", SECOND, "--tenant", tenant, "--output", "json").json()["pushes"][0]
        self.assertEqual((again["outcome"], again["version"]), ("published", 4))

    def test_a_configuration_is_changed_and_names_who_did_it(self) -> None:
        running, tenant = stack(), pushed_twice("configured")
        set_so = succeed("tenant", "set", tenant, "--fallback", "fr-FR", "--removal-percent", "1", "--author", "ann", "--output", "json").json()
        self.assertEqual(set_so["configuration"]["removalPercent"], 1)
        self.assertEqual(set_so["configuration"]["provenance"]["author"], "ann")
        until("the version with the fallback", 300, lambda: running.head_item(tenant).get("FallbackChain") == ["fr-FR"] or None)
        log = succeed("history", tenant, "--limit", "1", "--output", "json").json()["versions"]
        self.assertEqual((log[0]["cause"], log[0]["provenance"]["author"]), ("configuration", "ann"))

    def test_a_tenant_is_named_and_described_for_people(self) -> None:
        tenant = pushed_twice("named")
        succeed("tenant", "set", tenant, "--name", " Job board ", "--description", "Sectors and skills", "--author", "ann")
        shown = succeed("tenant", "show", tenant, "--output", "json").json()
        self.assertEqual((shown["configuration"]["displayName"], shown["configuration"]["description"]), ("Job board", "Sectors and skills"))
        self.assertIn("display name      Job board", succeed("tenant", "show", tenant).out)
        rows = {row["tenant"]: row for row in succeed("tenant", "list", "--output", "json").json()["tenants"]}
        self.assertEqual((rows[tenant]["displayName"], rows[tenant]["version"]), ("Job board", 2))
        succeed("tenant", "set", tenant, "--no-name")
        self.assertNotIn("displayName", succeed("tenant", "show", tenant, "--output", "json").json()["configuration"])

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
        lines = {line.split()[0]: line.split()[1:3] for line in succeed("tenant", "list").out.splitlines() if line.startswith("listed")}
        self.assertEqual((lines[tenant], lines[refused]), (["version", "2"], ["no", "version"]))

    def test_a_refused_upload_is_explained(self) -> None:
        running, tenant = stack(), pushed_twice("explained")
        self.assertIn("did not refuse", succeed("report", tenant).out)
        running.wait_refused(running.push(tenant, (SAMPLES / "invalid" / "several-mistakes.json").read_bytes()))
        self.assertIn(f"taxonomy report {tenant}", succeed("tenant", "show", tenant).out)
        told = succeed("report", "--tenant", tenant).out
        for part in ("error[duplicate-term-id]", "  at /categories/0/terms/1/id", "  Term ids are unique"):
            self.assertIn(part, told)
        refused = succeed("report", tenant, "--output", "json").json()["refused"]
        self.assertEqual((refused["report"]["errors"], refused["report"]["accepted"]), (3, False))
        never = running.fresh_tenant("explained-never")
        running.wait_refused(running.push(never, b"{"))
        self.assertIn("invalid-json", succeed("report", never).out)
        self.assertIn("taxonomy report", taxonomy("history", never).err)
        nobody = taxonomy("report", running.fresh_tenant("nobody"))
        self.assertEqual(nobody.code, 1)
        self.assertIn("taxonomy tenant list", nobody.err)

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
        told = succeed("tenant", "show", tenant).out
        for part in ("by ann  because waiting for legal", f"taxonomy tenant thaw {tenant}", "waiting           the newest upload"):
            self.assertIn(part, told)
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
