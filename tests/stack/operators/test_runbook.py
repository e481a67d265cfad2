"""Tests that what the runbook says mends each alarm's fault does: the deployed stack is broken, its line carried out, and the tenant is right again.

That an alarm fires for its fault is what `tests/integration/alarms.rs` shows. A fault is brought about by means that every stack has.
"""

import json
import re
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager

from faults import Deleted, broken, change, dead_letter, dying_after, given_up_after, misconfigured, send, short_of_time, sweep, switched_off, without_concurrency
from local import valkey as server
from oracle import Json
from processes import kill, processes
from program import is_whole, succeed, taxonomy
from stack import FIRST, ROOT, SAMPLES, SECOND, Stack, stack, until
from valkey import wait_pushed

#: A term that the second sample renames.
TERM, NAMES = 110, ("Sector:Software engineering", "Sector:Software development")
NOWHERE = "nowhere-at-all"
#: One more than the categories that are counted while other records wait.
MANY = 2_001
#: Alarms whose line needs what the emulator does not have, each with the test that shows it.
ELSEWHERE = {
    "HttpLatencyAlarm": "a share of a processor that grows with the memory: benches",
    "TableReadThrottlesAlarm": "throttles of a table: integration faults::a_load_that_is_throttled_goes_on_when_it_may",
    "IndexReadThrottlesAlarm": "the same",
    "TableWriteThrottlesAlarm": "the same",
    "IndexWriteThrottlesAlarm": "the same",
    "CachesParkedAlarm": "a distribution that refuses: integration caches::a_cdn_that_fails_fails_the_record",
}
MENDED: dict[str, str] = {}


def mends(*alarms: str):  # type: ignore[no-untyped-def]
    """Registers the alarms whose lines a test carries out."""
    return lambda test: MENDED.update(dict.fromkeys(alarms, test.__name__)) or test


class Lines(unittest.TestCase):
    """Helpers of all sections."""

    def setUp(self) -> None:
        self.running: Stack = stack()

    def push_second(self, tenant: str) -> None:
        self.running.push(tenant, SECOND.read_bytes())

    def is_served(self, tenant: str, version: int, content: int) -> None:
        """Waits until a version with the content of the first or the second sample is served, and its items are written."""

        def look() -> bool | None:
            head, answer = self.running.head_item(tenant), self.running.api.get(f"/v1/tenants/{tenant}/terms/{TERM}")
            name = answer.body["finalName"] if answer.status == 200 else None
            return (head.get("V"), head.get("Projected"), name) == (version, version, NAMES[content - 1]) or None

        until(f"version {version} of {tenant} to be served", 120, look)

    def behind(self, *options: str) -> str:
        return succeed("tenant", "list", *options).out

    def status(self, path: str, **query: str) -> int:
        return self.running.api.ask("GET", path, {}, **query).status

    def answers(self, path: str, status: int, **query: str) -> None:
        until(f"{path} to answer {status}", 60, lambda: self.status(path, **query) == status or None)


class Uploads(Lines):
    @mends("DeadLettersAlarm", "UnfinishedAlarm")
    def test_an_upload_that_failed_on_every_try_is_moved_back(self) -> None:
        tenant = self.running.published("dead-letter")
        with misconfigured(self.running, "projector", CHANGESETS_BUCKET=NOWHERE):
            self.push_second(tenant)
            send(self.running, "RetryQueueUrl", {"tenant": tenant, "tries": 9})
            dead_letter(self.running, "DeadLettersUrl")
        succeed("redrive", "uploads")
        self.is_served(tenant, 2, 2)

    @mends("RetryAgeAlarm", "RetryDepthAlarm")
    def test_the_retry_queue_is_worked_off_once_its_mapping_is_on(self) -> None:
        tenant = self.running.published("retry-age")
        with switched_off(self.running, "ProjectorRetries"):
            for number in range(20):
                send(self.running, "RetryQueueUrl", {"tenant": f"retry-age-{number}"})
            send(self.running, "RetryQueueUrl", {"tenant": tenant})
        self.running.wait_idle()
        self.assertNotIn("retry-age", self.behind("--behind"))
        self.is_served(tenant, 1, 1)

    @mends("BehindAlarm")
    def test_a_load_that_nobody_finishes_is_rebuilt(self) -> None:
        tenant, content = self.running.published("behind"), json.loads(SECOND.read_text())
        content["categories"][0]["terms"] += [{"id": number, "name": f"Filler {number}"} for number in range(10_000, 15_000)]
        with switched_off(self.running, "ProjectorRetries"):
            self.running.push(tenant, json.dumps(content).encode())
            until("the version to be committed", 60, lambda: self.running.head_item(tenant).get("V") == 2 or None)
            kill(processes(self.running, "projector"))
            self.assertIn(tenant, self.behind("--behind"))
        self.running.end_heartbeat(tenant)
        succeed("rebuild", tenant, "--yes")
        sweep(self.running)
        self.is_served(tenant, 3, 2)
        self.assertNotIn(tenant, self.behind("--behind"))

    @mends("ProjectorErrorsAlarm")
    def test_a_message_that_ended_each_process_is_moved_back(self) -> None:
        tenant = self.running.published("projector-errors")
        with broken(self.running, "projector"), dying_after(self.running, "RetryQueueUrl"):
            self.push_second(tenant)
            send(self.running, "RetryQueueUrl", {"tenant": tenant})
            dead_letter(self.running, "DeadLettersUrl")
        succeed("redrive", "uploads")
        self.is_served(tenant, 2, 2)

    @mends("ProjectorThrottlesAlarm", "ProjectorDroppedAlarm")
    def test_a_sweep_finds_the_uploads_whose_events_came_to_nothing(self) -> None:
        tenant = self.running.published("projector-throttles")
        with without_concurrency(self.running, "projector"):
            self.push_second(tenant)
            time.sleep(2)
        sweep(self.running, "sweep-sources")
        self.is_served(tenant, 2, 2)

    @mends("RejectedUploadsAlarm")
    def test_a_refused_file_is_mended_by_its_report(self) -> None:
        tenant, file = self.running.published("rejected-line"), SAMPLES / "invalid" / "several-mistakes.json"
        self.running.wait_refused(self.running.push(tenant, file.read_bytes()))
        self.assertIn(tenant, self.behind("--refused"))
        for part in ("error[duplicate-term-id]", "  at /categories/0/terms/1/id", "  Term ids are unique"):
            self.assertIn(part, succeed("report", tenant).out)
        succeed("push", SECOND, "--tenant", tenant)
        self.is_served(tenant, 2, 2)

    @mends("FrozenUploadsAlarm")
    def test_the_upload_that_waits_is_taken_when_the_tenant_thaws(self) -> None:
        tenant = self.running.published("frozen-line")
        succeed("tenant", "freeze", tenant, "--reason", "a test")
        self.push_second(tenant)
        until("the upload to wait", 60, lambda: tenant in self.behind("--waiting") or None)
        succeed("tenant", "thaw", tenant)
        self.is_served(tenant, 2, 2)

    @mends("DamagedEntryAlarm")
    def test_an_entry_that_is_no_tenants_is_deleted_by_hand(self) -> None:
        key = {"PK": {"S": "STRAY#line"}, "SK": {"S": "STRAY"}}
        table = self.running.client("dynamodb")
        table.put_item(TableName=self.running.table, Item=key | {"GSI1PK": {"S": "TENANTS"}, "GSI1SK": {"S": "a-stray"}})
        self.assertIn("warning", succeed("tenant", "list").err)
        table.delete_item(TableName=self.running.table, Key=key)
        self.assertNotIn("warning", succeed("tenant", "list").err)


class Audits(Lines):
    @mends("AuditDeadLettersAlarm")
    def test_an_audit_that_failed_on_every_try_is_moved_back(self) -> None:
        tenant = self.running.published("audit-dead")
        with misconfigured(self.running, "projector", CHANGESETS_BUCKET=NOWHERE):
            send(self.running, "AuditQueueUrl", {"audit": tenant, "run": 1, "tries": 9})
            dead_letter(self.running, "AuditDeadLettersUrl")
        succeed("redrive", "audits")
        self.running.wait_idle()
        is_whole(tenant)

    @mends("AuditAlarm", "AuditAgeAlarm")
    def test_a_damaged_item_is_found_by_an_audit_and_repaired(self) -> None:
        tenant = self.running.published("audit-line")
        key = f"TERM#{tenant}#{TERM}"
        with switched_off(self.running, "ProjectorAudits"):
            succeed("audit", tenant)
            change(self.running, key, key, "FinalName", {"S": "Wrong"})
        followed = taxonomy("audit", tenant, "--follow", "--output", "json")
        self.assertEqual((followed.code, followed.json()["outcomes"][0]["differences"]), (1, 1))
        mended = succeed("repair", tenant, "--yes", "--output", "json").json()
        self.assertEqual((mended["differences"], mended["mended"]), (1, 1))
        is_whole(tenant)
        self.is_served(tenant, 1, 1)

    @mends("AuditUnfinishedAlarm")
    def test_an_audit_that_did_not_fit_is_made_again(self) -> None:
        tenant, since = self.running.published("audit-unfinished"), time.time_ns() // 1_000_000
        with short_of_time(self.running, 39):
            succeed("audit", tenant)
            said = "an audit does not fit into an invocation"
            until("the audit to end", 60, lambda: self.running.log_lines("projector", said, tenant, since) or None)
        self.assertEqual(succeed("audit", tenant, "--follow", "--output", "json").json()["outcomes"][0]["differences"], 0)

    @mends("RepairedAlarm", "AggregatorGaveUpAlarm", "AggregatorDroppedAlarm")
    def test_counts_that_are_wrong_or_lost_come_back(self) -> None:
        running, tenant = self.running, self.running.published("counts")
        running.wait_counted(tenant, 1)
        right = running.items(f"STATS#{tenant}")
        change(running, f"STATS#{tenant}", "TENANT", "Terms", {"N": "7"})
        succeed("audit", tenant)
        until("the counts to be right", 60, lambda: running.items(f"STATS#{tenant}") == right or None)
        for pk, sk in right:
            running.client("dynamodb").delete_item(TableName=running.table, Key={"PK": {"S": pk}, "SK": {"S": sk}})
        with _given_up(running, tenant):
            succeed("redrive", "given-up")
            until("the counts to be there", 60, lambda: running.items(f"STATS#{tenant}") == right or None)


class DownloadsAndLookups(Lines):
    def download(self, tenant: str) -> str:
        return f"/v1/tenants/{tenant}/versions/1/download"

    @mends("DownloadDeadLettersAlarm")
    def test_a_download_that_failed_is_made_after_the_repair(self) -> None:
        tenant = self.running.published("download-dead")
        version = self.running.item(f"TAXONOMY#{tenant}", "CHANGESET#000000000001")
        deleted = [Deleted(self.running, version[name]) for name in ("SnapshotKey", "ChangesetKey", "IndexKey")]
        self.assertEqual(self.status(self.download(tenant), format="ndjson"), 202)
        dead_letter(self.running, "DownloadDeadLettersUrl")
        self.answers(self.download(tenant), 503, format="ndjson")
        for each in deleted:
            each.undo()
        succeed("repair", tenant, "--yes")
        succeed("redrive", "downloads")
        self.answers(self.download(tenant), 200, format="ndjson")

    @mends("DownloadAgeAlarm")
    def test_a_download_that_waits_is_made_when_the_projector_may_run(self) -> None:
        tenant = self.running.published("download-age")
        with without_concurrency(self.running, "projector"):
            self.assertEqual(self.status(self.download(tenant), format="ndjson"), 202)
        self.answers(self.download(tenant), 200, format="ndjson")

    @mends("HttpServerErrorsAlarm")
    def test_a_lost_file_of_a_version_is_stored_again(self) -> None:
        tenant = self.running.published("http-errors")
        Deleted(self.running, self.running.head_item(tenant)["IndexKey"])
        path = f"/v1/tenants/{tenant}/terms/{TERM}/children"
        self.assertEqual(self.status(path), 503)
        succeed("repair", tenant, "--yes")
        self.answers(path, 200)
        is_whole(tenant)

    @mends("LookupThrottlesAlarm")
    def test_lookups_that_are_throttled_are_503_until_they_may_run(self) -> None:
        tenant = self.running.published("lookup-throttles")
        with without_concurrency(self.running, "lookup"):
            self.assertIn(self.status(f"/v1/tenants/{tenant}/terms/{TERM}"), (429, 503))
        succeed("get", str(TERM), "--tenant", tenant)

    @mends("PagesErrorsAlarm")
    def test_the_pages_are_back_with_their_settings(self) -> None:
        with misconfigured(self.running, "pages", AUTH_MODE="iam"):
            self.assertGreaterEqual(self.status("/explore/config.json"), 500)
        self.answers("/explore/config.json", 200)


class Aggregates(Lines):
    @mends("AggregatorAgeAlarm")
    def test_the_stream_goes_on_once_the_aggregator_can(self) -> None:
        tenant = self.running.published("aggregator-age")
        self.running.wait_counted(tenant, 1)
        with broken(self.running, "aggregator"):
            self.running.wait_projected(self.running.push(tenant, SECOND.read_bytes()))
            self.assertEqual(self.running.item(f"STATS#{tenant}", "TENANT")["V"], 1)
        self.running.wait_counted(tenant, 2)

    @mends("ParkedAlarm")
    def test_a_parked_record_is_counted_after_the_repair(self) -> None:
        tenant, others = self.running.published("parked"), self.running.fresh_tenant("beside-parked")
        self.running.wait_counted(tenant, 1)
        with switched_off(self.running, "AggregatorStream"):
            self.running.wait_projected(self.running.push(tenant, SECOND.read_bytes()))
            Deleted(self.running, self.running.item(f"TAXONOMY#{tenant}", "CHANGESET#000000000002")["ChangesetKey"])
            self.running.push(others, FIRST.read_bytes())
        self.running.wait_counted(others, 1)
        objects = {"Bucket": self.running.failures_bucket, "Prefix": f"parked/{tenant}/"}
        until("the parked record", 60, lambda: self.running.client("s3").list_objects_v2(**objects).get("Contents"))
        succeed("repair", tenant, "--yes")
        succeed("redrive", "parked", "--tenant", tenant)
        self.running.wait_counted(tenant, 2)

    @mends("DeferredAgeAlarm")
    def test_a_deferred_record_is_tried_again_by_itself(self) -> None:
        tenant, since = self.running.published("deferred-age"), time.time_ns() // 1_000_000
        self.running.wait_counted(tenant, 1)
        with misconfigured(self.running, "aggregator", CHANGESETS_BUCKET=NOWHERE):
            self.push_second(tenant)
            until("the record to be deferred", 60, lambda: self.running.log_lines("aggregator", "deferred", tenant, since) or None)
        self.running.wait_counted(tenant, 2)

    @mends("DeferredDeadLettersAlarm", "AggregatorErrorsAlarm")
    def test_a_deferred_record_that_ended_each_process_is_moved_back(self) -> None:
        running, tenant = self.running, self.running.fresh_tenant("deferred-dead")
        name = running.outputs["DeferredQueueUrl"].rsplit("/", 1)[-1]
        with switched_off(running, "AggregatorDeferred"):
            running.wait_projected(running.push(tenant, _many_categories()))
            until("the record to be deferred", 60, lambda: running.waiting_messages()[name] or None)
            with broken(running, "aggregator"), dying_after(running, "DeferredQueueUrl"):
                running.client("lambda").update_event_source_mapping(UUID=running.resources["AggregatorDeferred"], Enabled=True)
                dead_letter(running, "DeferredDeadLettersUrl")
        running.client("lambda").update_function_configuration(FunctionName=running.functions["aggregator"], MemorySize=2048)
        succeed("redrive", "deferred")
        totals = running.wait_counted(tenant, 1)
        self.assertEqual((totals["Categories"], totals["Terms"]), (MANY, MANY))


class Caches(Lines):
    @mends("CachesAgeAlarm")
    def test_the_second_tier_is_told_of_versions_once_it_is_back(self) -> None:
        tenant = self.running.published("caches-age")
        server.stop()
        try:
            self.running.wait_projected(self.running.push(tenant, SECOND.read_bytes()))
        finally:
            server.start()
        wait_pushed(self.running, tenant, 2)
        self.is_served(tenant, 2, 2)

    @mends("CachesGaveUpAlarm", "CachesDroppedAlarm")
    def test_a_rebuild_is_sent_to_a_tier_that_missed_a_version(self) -> None:
        tenant = self.running.published("caches-gave-up")
        with given_up_after(self.running, "CachesStream", 5):
            server.stop()
            try:
                self.running.wait_projected(self.running.push(tenant, SECOND.read_bytes()))
                time.sleep(10)
            finally:
                server.start()
            succeed("rebuild", tenant, "--yes")
            wait_pushed(self.running, tenant, 3)
        self.is_served(tenant, 3, 2)


class Runbook(unittest.TestCase):
    def test_each_alarm_has_its_line_and_each_line_its_test(self) -> None:
        page = (ROOT / "docs" / "runbook.md").read_text()
        self.assertEqual(set(re.findall(r"^### (\w+Alarm)$", page, re.MULTILINE)), MENDED.keys() | ELSEWHERE.keys())
        self.assertEqual(MENDED.keys() & ELSEWHERE.keys(), set())


@contextmanager
def _given_up(running: Stack, tenant: str) -> Iterator[None]:
    """The object of a record that Lambda gave up: the head of the tenant was written."""
    key = {"PK": {"S": f"TAXONOMY#{tenant}"}, "SK": {"S": "HEAD"}}
    head: Json = running.client("dynamodb").get_item(TableName=running.table, Key=key)["Item"]
    record = {"eventName": "MODIFY", "dynamodb": {"SequenceNumber": "1", "Keys": key, "OldImage": {}, "NewImage": head}}
    content = json.dumps({"DDBStreamBatchInfo": {"shardId": "s"}, "payload": json.dumps({"Records": [record]})})
    place = {"Bucket": running.failures_bucket, "Key": f"aws/lambda/uuid/shard/{tenant}"}
    running.client("s3").put_object(**place, Body=content.encode())
    yield
    running.client("s3").delete_object(**place)


def _many_categories() -> bytes:
    """Returns a file whose counts are deferred."""
    categories = [{"id": number, "name": f"Category {number}", "terms": [{"id": number, "name": f"Term {number}"}]} for number in range(1, MANY + 1)]
    return json.dumps({"defaultCulture": "en-GB", "categories": categories}).encode()


if __name__ == "__main__":
    unittest.main()
