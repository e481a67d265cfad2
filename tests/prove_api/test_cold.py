"""A term of an old version of a large taxonomy, asked of a process that has read nothing: reads of S3, and the memory of the process."""

import json
import re
import unittest
from pathlib import Path

from processes import kill, lookups
from stack import stack
from test_walk import data

MOST_READS = 2
MOST_MEBIBYTES = 32


class Cold(unittest.TestCase):
    def test_a_term_of_an_old_version_takes_two_reads(self) -> None:
        running = stack()
        tenant = running.fresh_tenant("api-cold")
        content = data("icd10cm/taxonomy.json").read_bytes()
        running.wait_projected(running.push(tenant, content))
        newer = json.loads(content)
        newer["categories"][0]["sortKey"] = "0"
        running.wait_projected(running.push(tenant, json.dumps(newer).encode()))
        terms = [term for category in newer["categories"] for term in category["terms"]]
        for term in (terms[0]["id"], terms[-1]["id"]):
            self.assertGreater(kill(lookups(running)), 0)
            answer = running.api.ask("GET", f"/v1/tenants/{tenant}/terms/{term}", {"Taxonomy-Debug": "1"}, version="1")
            self.assertEqual((answer.status, answer.body["version"]), (200, 1))
            told = dict(re.findall(r"([a-z-]+)=([0-9.]+)", answer.headers["taxonomy-debug"]))
            [process] = lookups(running)
            mebibytes = peak(process)
            print(f"\n{tenant}: term {term} of version 1, cold: {answer.headers['taxonomy-debug']}; at most {mebibytes:.1f} MiB")
            self.assertLessEqual(int(told["object-requests"]), MOST_READS)
            self.assertGreater(int(told["object-bytes"]), 0)
            self.assertLessEqual(mebibytes, MOST_MEBIBYTES)


def peak(process: int) -> float:
    """The most memory that a process had resident, in MiB."""
    status = Path(f"/proc/{process}/status").read_text()
    [kibibytes] = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(kibibytes) / 1024


if __name__ == "__main__":
    unittest.main()
