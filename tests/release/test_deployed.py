"""Tests of the stack that `sam deploy` created from an unpacked release."""

import base64
import hashlib
import json
import unittest

from released import SAMPLE, code, stack, taxonomy
from stack import until

TENANT = "released"


class TheDeployedRelease(unittest.TestCase):
    def test_runs_the_code_of_its_zips(self) -> None:
        running = stack()
        for name, path in code().items():
            deployed = running.client("lambda").get_function(FunctionName=running.functions[name])["Configuration"]["CodeSha256"]
            self.assertEqual(deployed, base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode(), name)

    def test_publishes_a_file_and_answers(self) -> None:
        running = stack()
        taxonomy(running.stack_name, "push", SAMPLE, "--tenant", TENANT)
        got = json.loads(taxonomy(running.stack_name, "get", "113", "--tenant", TENANT, "--culture", "fr-FR", "--output", "json"))
        [term] = [term for category in json.loads(SAMPLE.read_text())["categories"] for term in below(category) if term["id"] == 113]
        french = next(name["name"] for name in term["names"] if name["culture"] == "fr-FR")
        self.assertEqual(got["items"][0]["term"]["name"], french)
        answer = running.api.get(f"/v1/tenants/{TENANT}/terms/113", culture="fr-FR")
        self.assertEqual((answer.status, answer.body["name"]), (200, french))

        # The aggregator has stored the aggregates.
        def counted() -> int | None:
            stats = running.api.get(f"/v1/tenants/{TENANT}/stats")
            return stats.body["counts"]["terms"] if stats.status == 200 else None

        terms = sum(len(list(below(category))) for category in json.loads(SAMPLE.read_text())["categories"])
        self.assertEqual(until("the counts", 60, counted), terms)


def below(node):  # type: ignore[no-untyped-def]
    """Returns all terms below a category or a term of a file."""
    for term in [*node.get("terms", []), *node.get("children", [])]:
        yield term
        yield from below(term)


if __name__ == "__main__":
    unittest.main()
