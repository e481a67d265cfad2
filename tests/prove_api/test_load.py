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

from api import Answer
from oracle import Json
from stack import Stack, stack
from traffic import Question, drive

SECONDS = int(os.environ.get("LOAD_SECONDS", "300"))
RATE = int(os.environ.get("LOAD_RATE", "200"))
EVERY = int(os.environ.get("LOAD_EVERY", "15"))
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

    def add(self, question: Question, answer: Answer, _began: float, seconds: float) -> None:
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
                self.wrong.append(f"{question}: {answer.status}, version {version}, names of {sorted(named)}")


class Load(unittest.TestCase):
    def test_answers_are_whole_and_there_are_no_failures(self) -> None:
        running, seen = stack(), Seen()
        tenant = running.fresh_tenant("api-load")
        running.wait_projected(running.push(tenant, json.dumps(content(1)).encode()))
        ends, stop = time.monotonic() + SECONDS, threading.Event()
        threads = drive(running, tenant, RATE, _question, seen.add, stop)
        published = _publish(running, tenant, ends)
        time.sleep(max(0.0, ends - time.monotonic()))
        # A thread that has ended was ended by an exception.
        lost = [thread.name for thread in threads if not thread.is_alive()]
        stop.set()
        for thread in threads:
            thread.join()
        asked = sum(seen.statuses.values())
        print(
            f"\n{tenant}: {asked} requests in {SECONDS} s ({asked / SECONDS:.0f} a second of {RATE} wanted), {published} versions published, "
            f"{len(seen.versions)} seen, statuses {dict(seen.statuses)}, slowest {seen.slowest:.2f} s"
        )
        self.assertEqual(lost, [])
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


def _question(dice: random.Random) -> Question:
    """Returns a request: mostly terms and batches, as consumers send; now and then every other read."""
    top, child = dice.randrange(1, TERMS), dice.randrange(1, TERMS) * 100 + dice.randrange(10)
    kind = dice.randrange(20)
    if kind < 9:
        return Question("term", f"terms/{child}", {})
    if kind < 14:
        return Question("batch", "terms:batchGet", {}, {"ids": [*dice.sample(range(1, TERMS), 20), child]})
    others = [
        Question("children", f"terms/{top}/children", {}),
        Question("descendants", f"terms/{top}/descendants", {}),
        Question("terms", "categories/1/terms", {"limit": "50"}),
        Question("categories", "categories", {}),
        Question("suggest", "suggest", {"q": f"top {top}"}),
        Question("ancestors", f"terms/{child}/ancestors", {}),
    ]
    return others[kind - 14]


if __name__ == "__main__":
    unittest.main()
