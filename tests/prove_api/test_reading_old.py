"""Tests of every operation on a version after ten more, against its file."""

import json
import unittest

from oracle import Taxonomy
from questions import Asking
from reading import check_everything, rename
from stack import stack
from test_releases import data


class OldVersions(unittest.TestCase):
    """Version 1 after ten more."""

    def test_a_version_after_ten_more_is_its_file(self) -> None:
        running, path = stack(), data("iab/taxonomy-v1.json")
        tenant, taxonomy = running.fresh_tenant("api-old"), Taxonomy.read(path)
        running.wait_served(running.push(tenant, path.read_bytes()))
        content = json.loads(path.read_bytes())
        for number in range(10):
            rename(content, f" {number}")
            pushed = running.push(tenant, json.dumps(content).encode())
            running.wait_served(pushed)
        running.wait_projected(pushed)
        self.assertEqual(running.head_item(tenant)["V"], 11)
        asking = Asking(running, tenant, version=1)
        compared = check_everything(asking, taxonomy, [taxonomy.default_culture])
        newest = Asking(running, tenant, version=11)
        compared += check_everything(newest, Taxonomy(content), [taxonomy.default_culture])
        print(f"\n{tenant}: {compared} answers compared, {asking.requests + newest.requests} requests")


if __name__ == "__main__":
    unittest.main()
