"""Tests of caching: tags, responses without a body, and the second tier, filled and unavailable."""

import json
import time
import unittest
from typing import Any

from local import valkey as server
from stack import HEAD_AGE_SECONDS, SAMPLES, Stack, stack, until, unavailable
from valkey import Valkey


def taxonomy(name: str) -> bytes:
    """Returns a file with one term."""
    terms = [{"id": 100, "name": name}]
    return json.dumps({"categories": [{"id": 1, "name": "Sector", "terms": terms}]}).encode()


class Tags(unittest.TestCase):
    """Requests through the gateway, with whichever caches the functions have."""

    def test_an_answer_that_the_caller_has_comes_without_a_body(self) -> None:
        running, first, second = stack(), (SAMPLES / "job-board-v1.json"), (SAMPLES / "job-board-v2.json")
        tenant = running.fresh_tenant("tags")
        running.wait_projected(running.push(tenant, first.read_bytes()))
        below = ["", "/terms/100", "/categories/1", "/categories", "/terms/100/children"]
        paths = [f"/v1/tenants/{tenant}{path}" for path in below]
        tags = {}
        for path in paths:
            answer = running.api.get(path)
            self.assertEqual(answer.status, 200, path)
            tags[path] = answer.headers["etag"]
            self.assertEqual(answer.headers["cache-control"], "private, no-cache")
            again = running.api.get(path, if_none_match=answer.headers["etag"])
            self.assertEqual((again.status, again.body, again.headers["etag"]), (304, None, tags[path]))
            self.assertEqual(running.api.get(path, if_none_match='"another"').status, 200)
        missing = running.api.get(f"/v1/tenants/{tenant}/terms/999999")
        self.assertEqual((missing.status, missing.headers.get("etag")), (404, None))

        running.wait_projected(running.push(tenant, second.read_bytes()))
        for path in paths:
            answer = running.api.get(path, if_none_match=tags[path])
            self.assertEqual(answer.status, 200, "there is a newer version")
            self.assertNotEqual(answer.headers["etag"], tags[path])


class SecondTier(unittest.TestCase):
    """A real server beside the stack."""

    def setUp(self) -> None:
        self.running = stack()
        if not self.running.cache_url:
            raise unavailable("the stack has no second tier: `python3 -m local up --second-tier`")
        self.valkey = Valkey(self.running.cache_url)

    def _name(self, tenant: str) -> Any:
        return self.running.api.get(f"/v1/tenants/{tenant}/terms/100").body["name"]

    def test_it_is_told_of_versions_and_keeps_entries(self) -> None:
        running = self.running
        tenant = running.fresh_tenant("second-tier")
        for version, name in enumerate(["IT", "Computing", "Informatics"], start=1):
            running.wait_projected(running.push(tenant, taxonomy(name)))
            key = f"tx3:{{{tenant}}}:version"
            seen = until(f"{tenant} {version} to be pushed", 60, lambda: self._pushed(key, version))
            self.assertEqual(seen, version)
            self.assertEqual(self._name(tenant), name)
            entries = until("entries to be kept", 10, lambda: self._entries(tenant, version))
            for entry in entries:
                self.assertGreater(self.valkey.tell("TTL", entry), 0)

    def _pushed(self, key: str, version: int) -> int | None:
        found = int(self.valkey.tell("GET", key) or 0)
        return found if found >= version else None

    def _entries(self, tenant: str, version: int) -> list[str] | None:
        keys = [key for key in self.valkey.tell("KEYS", f"tx3:{{{tenant}}}:{version}-*") if key]
        return keys or None

    def test_without_it_everything_goes_on(self) -> None:
        self.addCleanup(server.start)
        running = self.running
        tenant = running.fresh_tenant("tier-gone")
        running.wait_projected(running.push(tenant, taxonomy("IT")))
        self.assertEqual(self._name(tenant), "IT")
        self.assertEqual(self.valkey.tell("FLUSHALL"), "OK")
        self.assertEqual(self._name(tenant), "IT")
        self.valkey.shut_down()
        with self.assertRaises(OSError):
            self.valkey.tell("PING")
        running.wait_projected(running.push(tenant, taxonomy("Computing")))
        for _ in range(5):
            self.assertEqual(self._name(tenant), "Computing")
            time.sleep(HEAD_AGE_SECONDS / 2)
        _counted(running, tenant, 2)


def _counted(running: Stack, tenant: str, version: int) -> None:
    """Checks that counts and notifications do not wait for a cache."""

    def look() -> bool | None:
        return running.item(f"STATS#{tenant}", "TENANT").get("V") == version or None

    until(f"the totals of {tenant} {version}", 60, look)
    running.told.wait_for(tenant, version)


if __name__ == "__main__":
    unittest.main()
