"""Tests that one tenant's failure affects no other, on the deployed stream, queue and bucket."""

import json
import time
import unittest

from oracle import Json
from stack import SAMPLES, Stack, stack, until

FILE = (SAMPLES / "job-board-v1.json").read_bytes()
#: One more than the number of categories that the aggregator counts while other records wait (docs/decisions/0011-isolation.md).
MANY = 2_001


def many_categories() -> bytes:
    """Returns a file of many categories, each with one term."""
    categories = [
        {"id": number, "name": f"Category {number}", "terms": [{"id": number, "name": f"Term {number}"}]}
        for number in range(1, MANY + 1)
    ]
    return json.dumps({"defaultCulture": "en-GB", "categories": categories}).encode()


class Isolation(unittest.TestCase):
    running: Stack

    @classmethod
    def setUpClass(cls) -> None:
        cls.running = stack()

    def parked(self, tenant: str) -> list[Json]:
        """Returns the tenant's parked records."""
        s3 = self.running.client("s3")
        listed = s3.list_objects_v2(Bucket=self.running.failures_bucket, Prefix=f"parked/{tenant}/")
        keys = [entry["Key"] for entry in listed.get("Contents", [])]
        bodies = (s3.get_object(Bucket=self.running.failures_bucket, Key=key)["Body"].read() for key in keys)
        return [json.loads(body) for body in bodies]

    def test_a_head_without_a_log_is_parked_and_others_go_on(self) -> None:
        noisy = f"no-log-{time.time_ns()}"
        head = {"PK": {"S": f"TAXONOMY#{noisy}"}, "SK": {"S": "HEAD"}, "EntityType": {"S": "Head"}}
        versions = {"V": {"N": "1"}, "CommittedAt": {"N": str(time.time_ns() // 1_000_000)}}
        self.running.client("dynamodb").put_item(TableName=self.running.table, Item=head | versions)
        other = self.running.fresh_tenant("beside-no-log")
        self.running.wait_projected(self.running.push(other, FILE))
        until(f"the totals of {other}", 60, lambda: self.running.item(f"STATS#{other}", "TENANT") or None)
        parked = until(f"the parked record of {noisy}", 60, lambda: self.parked(noisy) or None)
        self.assertEqual(len(parked), 1, parked)
        self.assertEqual((parked[0]["tenant"], parked[0]["committed"]["version"]), (noisy, 1))
        self.assertIn("is damaged", parked[0]["error"])

    def test_many_categories_are_counted_from_the_queue(self) -> None:
        tenant, since_ms = self.running.fresh_tenant("many-categories"), time.time_ns() // 1_000_000
        self.running.wait_projected(self.running.push(tenant, many_categories()))
        totals = until(f"the totals of {tenant}", 180, lambda: self.running.item(f"STATS#{tenant}", "TENANT") or None)
        self.assertEqual((totals["Categories"], totals["Terms"], totals["V"]), (MANY, MANY, 1))
        lines = [line for line in self.running.aggregator_lines(since_ms) if line.get("tenant") == tenant]
        messages = [line["message"] for line in lines]
        self.assertIn("deferred", messages)
        self.assertIn("a deferred record is done", messages)


if __name__ == "__main__":
    unittest.main()
