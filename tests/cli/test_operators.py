"""Tests of the operators' commands over the deployed stack: history, rollback, freeze, rebuild, verification, repair."""

import csv
import json
import tempfile
import time
import unittest
from datetime import datetime
from pathlib import Path
from typing import Any

from program import stack, succeed, taxonomy

from history import History  # isort: skip - found by program
from items import expected_items
from oracle import Taxonomy
from stack import SAMPLES, until
from test_releases import same
from versions import canonical, expected_snapshot

FIRST, SECOND = SAMPLES / "job-board-v1.json", SAMPLES / "job-board-v2.json"


def pushed_twice(name: str) -> str:
    """Returns a new tenant with both samples as its versions."""
    tenant = stack().fresh_tenant(name)
    for file in (FIRST, SECOND):
        succeed("push", file, "--tenant", tenant)
    return tenant


class Operators(unittest.TestCase):
    def test_an_older_version_is_read_and_gone_back_to(self) -> None:
        running, history = stack(), History()
        tenant = running.fresh_tenant("operated")
        samples = [Taxonomy.read(file) for file in (FIRST, SECOND)]
        for number, (file, taxonomy_of) in enumerate(zip((FIRST, SECOND), samples), start=1):
            succeed("push", file, "--tenant", tenant)
            head = running.head_item(tenant)
            history.commit(number, expected_items(taxonomy_of, tenant), head["CommittedAt"])

        for number, taxonomy_of in enumerate(samples, start=1):
            shown = succeed("show", tenant, "--version", str(number), "--output", "json").json()
            self.assertEqual(shown["snapshot"], json.loads(canonical(expected_snapshot(taxonomy_of))), f"version {number} read again")

        rolled_back = succeed("rollback", tenant, "1", "--yes", "--reason", "a test", "--output", "json").json()
        self.assertEqual((rolled_back["version"], rolled_back["frozen"]), (3, True))
        head = running.head_item(tenant)
        history.commit(3, expected_items(samples[0], tenant), head["CommittedAt"])
        same("the table after the way back", history.table, running.projection(tenant))
        self.assertEqual(succeed("verify", tenant, "--timeout", "900", "--output", "json").json()["differences"], 0)

        self.assertEqual(succeed("rebuild", tenant, "--yes", "--output", "json").json()["version"], 4)
        self.assertEqual(succeed("verify", tenant, "--timeout", "900", "--output", "json").json()["differences"], 0)
        live = {key for key, item in running.projection(tenant).items() if not item.get("Removed")}
        self.assertEqual(live, set(expected_items(samples[0], tenant)))
        log = succeed("history", tenant, "--output", "json").json()["versions"]
        self.assertEqual([(entry["version"], entry["cause"]) for entry in log], [(4, "rebuild"), (3, "rollback"), (2, "upload"), (1, "upload")])
        self.assertTrue(all(entry["provenance"]["author"].startswith("arn:aws:") for entry in log), log)
        self.assertEqual(log[1]["provenance"]["reason"], "a test")

    def test_versions_are_exported(self) -> None:
        tenant = pushed_twice("exported")
        with tempfile.TemporaryDirectory() as folder:
            for version, file in (("1", FIRST), ("2", SECOND)):
                out = Path(folder) / f"{version}.json"
                succeed("export", "json", version, "--tenant", tenant, "--out", out)
                succeed("diff", out, version, "--tenant", tenant, "--detailed-exitcode")
                self.assertEqual(taxonomy("diff", out, file, "--tenant", tenant, "--detailed-exitcode").code, 0)
                self.assertEqual([path.name for path in Path(folder).glob("*.part")], [])
            newest = succeed("export", "ndjson", "--tenant", tenant).out
            self.assertEqual(newest, succeed("export", "ndjson", "2", "--tenant", tenant).out)
            self.assertNotEqual(newest, succeed("export", "ndjson", "1", "--tenant", tenant).out)
        rows = list(csv.DictReader(succeed("export", "history", "--tenant", tenant).out.splitlines()))
        # The term 113 keeps its own name, and an ancestor was renamed; 123 was removed.
        names = [(row["final_name"], row["valid_from_version"], row["valid_to_version"]) for row in rows if row["id"] == "123" and row["culture"] == "en-GB"]
        self.assertEqual(names, [("Sector:Flash development", "1", "2"), ("Sector:Flash development", "2", "")])
        lineages = [row["lineage_names"] for row in rows if row["id"] == "113" and row["culture"] == "en-GB"]
        self.assertEqual(["Software engineering" in lineage for lineage in lineages], [True, False])
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
        same_content = taxonomy("diff", "2", "4", "--tenant", tenant, "--detailed-exitcode")
        self.assertEqual(same_content.code, 0, "version 4 has the content of version 2")
        self.assertEqual(taxonomy("diff", "1", "4", "--tenant", tenant, "--detailed-exitcode").code, 3)

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
            self.assertEqual({each for each in found if each.startswith("listed")}, expected, option)
        lines = [line.split() for line in succeed("tenant", "list").out.splitlines() if line.startswith("listed")]
        self.assertEqual([line[:3] for line in lines], [[tenant, "version", "2"], [refused, "no", "version"]])

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

    def test_a_second_rollback_says_that_it_commits_nothing(self) -> None:
        running, tenant = stack(), pushed_twice("twice-back")
        back = succeed("rollback", tenant, "1", "--yes", "--output", "json").json()
        self.assertEqual((back["version"], back["committed"]), (3, True))
        again = succeed("rollback", "1", "--tenant", tenant, "--yes")
        self.assertIn("commits nothing", again.err)
        self.assertIn("Version 3 already had the content of version 1", again.out)
        self.assertEqual(int(running.head_item(tenant)["V"]), 3)

    def test_a_damaged_item_is_found_and_mended(self) -> None:
        running, tenant = stack(), pushed_twice("damaged")
        key = min(key for key, item in running.projection(tenant).items() if not item.get("Removed") and key[0].startswith("TERM#"))
        running.client("dynamodb").delete_item(TableName=running.table, Key={"PK": {"S": key[0]}, "SK": {"S": key[1]}})
        found = taxonomy("verify", tenant, "--output", "json")
        self.assertEqual(found.code, 1)
        self.assertIn({"found": "missing", "pk": key[0], "sk": key[1]}, found.json()["listed"])
        mended = succeed("repair", tenant, "--yes", "--output", "json").json()
        self.assertEqual((mended["version"], mended["differences"], mended["mended"]), (2, 1, 1))
        self.assertEqual(mended["listed"], [{"found": "missing", "pk": key[0], "sk": key[1], "mending": "mended"}])
        self.assertEqual(succeed("verify", tenant, "--output", "json").json()["differences"], 0)
        followed = succeed("audit", tenant, "--follow", "--output", "json").json()
        self.assertEqual([(each["tenant"], each["differences"], each["left"]) for each in followed["outcomes"]], [(tenant, 0, 0)])

    def test_dead_letters_are_tried_again(self) -> None:
        running, tenant = stack(), pushed_twice("redriven")
        queues = running.client("sqs")
        letters = queues.get_queue_url(QueueName=f"{running.stack_name}-dead-letters")["QueueUrl"]
        before = int(running.head_item(tenant)["V"])
        queues.send_message(QueueUrl=letters, MessageBody=json.dumps({"tenant": tenant}))
        self.assertIn("1 message moved", succeed("redrive", "uploads").out)
        self.assertIn("0 messages moved", succeed("redrive", "uploads").out)
        self.assertEqual(int(running.head_item(tenant)["V"]), before)
        self.assertIn("1 audit requested", succeed("audit", tenant).out)

    def test_records_that_were_given_up_are_counted_after_all(self) -> None:
        running = stack()
        tenant = running.fresh_tenant("given-up")
        succeed("push", FIRST, "--tenant", tenant)
        until("the aggregates", 600, lambda: running.stats(tenant) or None)
        before = running.stats(tenant)
        table = running.client("dynamodb")
        for pk, sk in before:
            table.delete_item(TableName=running.table, Key={"PK": {"S": pk}, "SK": {"S": sk}})
        key = {"PK": {"S": f"TAXONOMY#{tenant}"}, "SK": {"S": "HEAD"}}
        head = table.get_item(TableName=running.table, Key=key)["Item"]
        record = {"eventName": "MODIFY", "dynamodb": {"SequenceNumber": "1", "Keys": key, "OldImage": {}, "NewImage": head}}
        content = json.dumps({"DDBStreamBatchInfo": {"shardId": "s"}, "payload": json.dumps({"Records": [record]})})
        name = f"aws/lambda/uuid/shard/{tenant}"
        running.client("s3").put_object(Bucket=running.failures_bucket, Key=name, Body=content.encode())
        succeed("redrive", "given-up")
        until("the aggregates again", 600, lambda: running.stats(tenant) == before or None)
        running.client("s3").delete_object(Bucket=running.failures_bucket, Key=name)


if __name__ == "__main__":
    unittest.main()
