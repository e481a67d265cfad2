"""Tests of requests at a steady rate while versions are published: no 5xx, and no response that mixes versions.

`LOAD_SECONDS` is the duration, `LOAD_RATE` the number of requests a second, `LOAD_EVERY` the seconds between two publications.
"""

import json
import os
import random
import threading
import time
import unittest
from collections import Counter
from dataclasses import dataclass, field

from api import Answer, Api
from oracle import Json
from stack import ROOT, Stack, stack

SECONDS = int(os.environ.get("LOAD_SECONDS", "600"))
RATE = int(os.environ.get("LOAD_RATE", "200"))
EVERY = int(os.environ.get("LOAD_EVERY", "30"))
CONNECTIONS = 8
TERMS = 60


def content(version: int) -> Json:
    """Returns a file in which every name ends with its version, so that a response with names of two versions is detected."""
    end = f" of version {version}"
    tops = [
        {"id": top, "name": f"Top {top}{end}", "children": [{"id": top * 100 + place, "name": f"Child {place}{end}"} for place in range(10)]}
        for top in range(1, TERMS)
    ]
    return {"categories": [{"id": 1, "name": f"Category{end}", "terms": tops}]}


@dataclass
class Seen:
    """The results of all connections."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    statuses: Counter[int] = field(default_factory=Counter)
    versions: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest: float = 0.0
    late: int = 0

    def add(self, path: str, answer: Answer, seconds: float) -> None:
        """Checks a response."""
        version = answer.headers.get("taxonomy-version", "")
        text = json.dumps(answer.body)
        named = {part.split('"')[0].split(":")[0] for part in text.split(" of version ")[1:]}
        mixed = answer.status == 200 and named != {version}
        with self.lock:
            self.statuses[answer.status] += 1
            self.versions[version] += 1
            self.slowest = max(self.slowest, seconds)
            if mixed or answer.status >= 500:
                self.wrong.append(f"{path}: {answer.status}, version {version}, names of {sorted(named)}")


class Load(unittest.TestCase):
    def test_answers_are_whole_and_there_are_no_failures(self) -> None:
        running, seen = stack(), Seen()
        tenant = running.fresh_tenant("api-load")
        running.wait_projected(running.push(tenant, json.dumps(content(1)).encode()))
        ends = time.monotonic() + SECONDS
        threads = [threading.Thread(target=_ask, args=(tenant, number, ends, seen)) for number in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        published = _publish(running, tenant, ends)
        for thread in threads:
            thread.join()
        asked = sum(seen.statuses.values())
        print(
            f"\n{tenant}: {asked} requests in {SECONDS} s ({asked / SECONDS:.0f} a second of {RATE} wanted), {published} versions published, "
            f"{len(seen.versions)} seen, statuses {dict(seen.statuses)}, slowest {seen.slowest:.2f} s"
        )
        self.assertEqual(seen.wrong[:10], [])
        self.assertEqual(set(seen.statuses), {200})
        self.assertGreater(len(seen.versions), published // 2)


def _publish(running: Stack, tenant: str, ends: float) -> int:
    version = 1
    while time.monotonic() + EVERY < ends:
        time.sleep(EVERY)
        version += 1
        running.push(tenant, json.dumps(content(version)).encode())
    return version


def _ask(tenant: str, number: int, ends: float, seen: Seen) -> None:
    description = json.loads((ROOT / ".local" / "stack.json").read_text())
    api, dice = Api(description["apiUrl"], description["apiHost"]), random.Random(number)
    pause, due = CONNECTIONS / RATE, time.monotonic()
    while time.monotonic() < ends:
        due = max(due + pause, time.monotonic() - 1)
        time.sleep(max(0.0, due - time.monotonic()))
        path, query, body = _question(dice)
        began = time.monotonic()
        target = f"/v1/tenants/{tenant}/{path}"
        answer = api.post(target, body, **query) if body else api.get(target, **query)
        seen.add(path, answer, time.monotonic() - began)


def _question(dice: random.Random) -> tuple[str, dict[str, str], Json | None]:
    """Returns a request: mostly terms and batches, as consumers send; now and then every other read."""
    top, child = dice.randrange(1, TERMS), dice.randrange(1, TERMS) * 100 + dice.randrange(10)
    kind = dice.randrange(20)
    if kind < 9:
        return f"terms/{child}", {}, None
    if kind < 14:
        return "terms:batchGet", {}, {"ids": dice.sample(range(1, TERMS), 20) + [child]}
    others: list[tuple[str, dict[str, str]]] = [
        (f"terms/{top}/children", {}),
        (f"terms/{top}/descendants", {}),
        ("categories/1/terms", {"limit": "50"}),
        ("categories", {}),
        ("suggest", {"q": f"top {top}"}),
        (f"terms/{child}/ancestors", {}),
    ]
    path, query = others[kind - 14]
    return path, query, None


if __name__ == "__main__":
    unittest.main()
