"""Tests of a request for a term of an old version of a large taxonomy to a process with empty caches: reads of S3, and the process's memory."""

import json
import os
import re
import unittest

from checks.data import file
from processes import kill, memory, processes
from stack import Stack, stack

#: The end of the index file with its footer, the bucket of the id, the block. A smaller taxonomy has its buckets in the first.
MOST_READS = 3
#: Of all reads together.
MOST_BYTES = 256 * 1024
MOST_MEBIBYTES = 32


class Cold(unittest.TestCase):
    def test_a_term_of_an_old_version_takes_three_reads(self) -> None:
        running = stack()
        tenant = running.fresh_tenant("cold")
        content = file("icd10cm/taxonomy.json").read_bytes()
        running.wait_served(running.push(tenant, content))
        newer = json.loads(content)
        newer["categories"][0]["sortKey"] = "0"
        running.wait_served(running.push(tenant, json.dumps(newer).encode()))
        terms = [term for category in newer["categories"] for term in category["terms"]]
        for term in (terms[0]["id"], terms[-1]["id"]):
            _begin_anew(running)
            answer = running.api.ask("GET", f"/v1/tenants/{tenant}/terms/{term}", {"Taxonomy-Debug": "1"}, version="1")
            self.assertEqual((answer.status, answer.body["version"]), (200, 1))
            told = dict(re.findall(r"([a-z-]+)=([0-9.]+)", answer.headers["taxonomy-debug"]))
            [process] = processes(running, "lookup")
            most, program = (memory(process)[name] / 1024 for name in ("VmHWM", "RssFile"))
            print(f"\n{tenant}: term {term} of version 1, cold: {answer.headers['taxonomy-debug']}; {most:.1f} MiB, {program:.1f} of them the program's file")
            self.assertLessEqual(int(told["object-requests"]), MOST_READS)
            self.assertGreater(int(told["object-bytes"]), 0)
            self.assertLessEqual(int(told["object-bytes"]), MOST_BYTES)
            # The debug build's file is four times as large, and its pages would not exist on AWS.
            self.assertLessEqual(most - (0 if "RELEASE" in os.environ else program), MOST_MEBIBYTES)


def _begin_anew(running: Stack) -> None:
    """Ends the processes of the lookup, and waits for a new one with empty caches. The emulator detects the end by a request that fails."""
    kill(processes(running, "lookup"))
    statuses = []
    for _ in range(5):
        statuses.append(running.api.ask("GET", "/v1/health", {}).status)
        if statuses[-1] == 200:
            return
    raise AssertionError(f"the lookup does not come back: {statuses}")


if __name__ == "__main__":
    unittest.main()
