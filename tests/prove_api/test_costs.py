"""Tests of the requests to the table, read units and reads of S3 of each operation, as `Taxonomy-Debug` reports them: by a process with
empty caches, and when repeated."""

import json
import re
import time
import unittest

from api import Answer
from processes import kill, lookups
from stack import ROOT, SAMPLES, stack

#: A version is young for a minute: until then the reads of cached values cost twice.
YOUNG_SECONDS = 65


class Costs(unittest.TestCase):
    def test_each_operation_costs_few_requests(self) -> None:
        running = stack()
        tenant = running.fresh_tenant("api-costs")
        for number in (1, 2):
            running.wait_projected(running.push(tenant, (SAMPLES / f"job-board-v{number}.json").read_bytes()))
        time.sleep(YOUNG_SECONDS)
        examples = json.loads((ROOT / "functions" / "lookup" / "src" / "examples.json").read_text())
        print()
        for operation, example in sorted(examples.items()):
            if "{tenant}" in operation or not example["request"].startswith("/v1/tenants/"):
                continue
            path, _, query = example["request"].replace("/job-board", f"/{tenant}", 1).partition("?")
            kill(lookups(running))
            first, second = (self.ask(path, query, example.get("body")) for _ in range(2))
            self.assertIn(first.status, (200, 202), operation)
            print(f"| `{operation}` | " + " | ".join(f"{cost:g}" for cost in costs(first) + costs(second)) + " |")
            requests = costs(first)[0]
            # The head, the requested item, the chain of a replacement, an entry of the log.
            self.assertLessEqual(requests, 6, operation)

    def ask(self, path: str, query: str, body: object) -> Answer:
        """Sends a request for a response with its costs."""
        parameters = dict(pair.split("=", 1) for pair in query.split("&")) if query else {}
        parameters = {name: value.replace("%20", " ") for name, value in parameters.items()}
        method, sent = ("POST", json.dumps(body).encode()) if body else ("GET", None)
        return stack().api.ask(method, path, {"Taxonomy-Debug": "1"}, sent, **parameters)


def costs(answer: Answer) -> tuple[float, ...]:
    """Returns the requests to the table, the read units, and the reads of S3."""
    told = dict(re.findall(r"([a-z-]+)=([0-9.]+)", answer.headers["taxonomy-debug"]))
    return tuple(float(told[name]) for name in ("table-requests", "read-units", "object-requests"))


if __name__ == "__main__":
    unittest.main()
