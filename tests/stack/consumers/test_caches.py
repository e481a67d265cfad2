"""Tests of the second tier of caches, a real server beside the stack: filled, flushed and dead."""

import json
import time
import unittest

from local import valkey as server
from stack import HEAD_AGE_SECONDS, stack, unavailable, until
from valkey import Valkey, wait_pushed


def taxonomy(name: str) -> bytes:
    """Returns a file with one term."""
    terms = [{"id": 100, "name": name}]
    return json.dumps({"categories": [{"id": 1, "name": "Sector", "terms": terms}]}).encode()


class SecondTier(unittest.TestCase):
    def setUp(self) -> None:
        self.running = stack()
        if not self.running.cache_url:
            raise unavailable("the stack has no second tier: `python3 -m local up --second-tier`")
        self.valkey = Valkey(self.running.cache_url)

    def assert_served(self, tenant: str, name: str) -> None:
        self.assertEqual(self.running.api.get(f"/v1/tenants/{tenant}/terms/100").body["name"], name)

    def test_it_is_told_of_versions_and_keeps_entries(self) -> None:
        running, tenant = self.running, self.running.fresh_tenant("second-tier")
        for version, name in enumerate(["IT", "Computing", "Informatics"], start=1):
            running.wait_projected(running.push(tenant, taxonomy(name)))
            wait_pushed(running, tenant, version)
            self.assert_served(tenant, name)
            entries = until("entries to be kept", 10, lambda of=f"tx3:{{{tenant}}}:{version}-*": self.valkey.tell("KEYS", of) or None)
            for entry in entries:
                self.assertGreater(self.valkey.tell("TTL", entry), 0)

    def test_without_it_everything_goes_on(self) -> None:
        self.addCleanup(server.start)
        running, tenant = self.running, self.running.fresh_tenant("tier-gone")
        running.wait_projected(running.push(tenant, taxonomy("IT")))
        self.assert_served(tenant, "IT")
        self.assertEqual(self.valkey.tell("FLUSHALL"), "OK")
        self.assert_served(tenant, "IT")
        server.stop()
        with self.assertRaises(OSError):
            self.valkey.tell("PING")
        running.wait_projected(running.push(tenant, taxonomy("Computing")))
        for _ in range(5):
            self.assert_served(tenant, "Computing")
            time.sleep(HEAD_AGE_SECONDS / 2)
        # Counts and notifications do not wait for a cache.
        running.wait_counted(tenant, 2)
        running.told.wait_for(tenant, 2)


if __name__ == "__main__":
    unittest.main()
