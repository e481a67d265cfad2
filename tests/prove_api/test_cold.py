"""Tests of a request for a term of an old version of a large taxonomy to a process with empty caches: reads of S3, and the process's memory."""

import json
import os
import re
import unittest
from pathlib import Path

from processes import kill, lookups
from stack import Stack, stack
from test_releases import data

#: The end of the index file with its footer, the bucket of the id, the block. A smaller taxonomy has its buckets in the first.
MOST_READS = 3
#: Of all reads together.
MOST_BYTES = 256 * 1024
MOST_MEBIBYTES = 32


class Cold(unittest.TestCase):
    def test_a_term_of_an_old_version_takes_three_reads(self) -> None:
        running = stack()
        tenant = running.fresh_tenant("api-cold")
        content = data("icd10cm/taxonomy.json").read_bytes()
        running.wait_served(running.push(tenant, content))
        newer = json.loads(content)
        newer["categories"][0]["sortKey"] = "0"
        running.wait_served(running.push(tenant, json.dumps(newer).encode()))
        terms = [term for category in newer["categories"] for term in category["terms"]]
        for term in (terms[0]["id"], terms[-1]["id"]):
            begin_anew(running)
            answer = running.api.ask("GET", f"/v1/tenants/{tenant}/terms/{term}", {"Taxonomy-Debug": "1"}, version="1")
            self.assertEqual((answer.status, answer.body["version"]), (200, 1))
            told = dict(re.findall(r"([a-z-]+)=([0-9.]+)", answer.headers["taxonomy-debug"]))
            [process] = lookups(running)
            mebibytes, program = memory(process)
            print(
                f"\n{tenant}: term {term} of version 1, cold: {answer.headers['taxonomy-debug']}; "
                f"at most {mebibytes:.1f} MiB of memory, beside {program:.1f} MiB of the program's file"
            )
            self.assertLessEqual(int(told["object-requests"]), MOST_READS)
            self.assertGreater(int(told["object-bytes"]), 0)
            self.assertLessEqual(int(told["object-bytes"]), MOST_BYTES)
            # The debug build's file is four times as large, and its pages would not exist on AWS.
            deployed = "RELEASE" in os.environ
            self.assertLessEqual(mebibytes + (program if deployed else 0), MOST_MEBIBYTES)


def begin_anew(running: Stack) -> None:
    """Ends the processes of the lookup, and waits for a new one with empty caches. The emulator detects the end by a request that fails."""
    kill(lookups(running))
    statuses = []
    for _ in range(5):
        statuses.append(running.api.ask("GET", "/v1/health", {}).status)
        if statuses[-1] == 200:
            return
    raise AssertionError(f"the lookup does not come back: {statuses}")


def memory(process: int) -> tuple[float, float]:
    """Returns the largest resident memory of a process without pages of its program's file, and those pages, in MiB."""
    status = Path(f"/proc/{process}/status").read_text()
    found = {name: int(kibibytes) / 1024 for name, kibibytes in re.findall(r"(VmHWM|RssFile):\s+(\d+) kB", status)}
    # In so young a process, pages of the file are only added.
    return found["VmHWM"] - found["RssFile"], found["RssFile"]


if __name__ == "__main__":
    unittest.main()
