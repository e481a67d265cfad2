"""Tests of the stack that `sam deploy` created from an unpacked release."""

import base64
import hashlib
import json
import unittest

from oracle import Taxonomy
from released import FIRST, code, stack, taxonomy
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
        taxonomy(running.stack_name, "push", FIRST, "--tenant", TENANT)
        got = json.loads(taxonomy(running.stack_name, "get", "113", "--tenant", TENANT, "--culture", "fr-FR", "--output", "json"))
        sample = Taxonomy.read(FIRST)
        french = sample.named(sample.terms[113], "fr-FR")[0]
        self.assertEqual(got["items"][0]["term"]["name"], french)
        answer = running.api.get(f"/v1/tenants/{TENANT}/terms/113", culture="fr-FR")
        self.assertEqual((answer.status, answer.body["name"]), (200, french))

        # The aggregator has stored the aggregates.
        def counted() -> int | None:
            stats = running.api.get(f"/v1/tenants/{TENANT}/stats")
            return stats.body["counts"]["terms"] if stats.status == 200 else None

        self.assertEqual(until("the counts", 60, counted), len(sample.terms))


if __name__ == "__main__":
    unittest.main()
