"""Tests of the comparison of packages and features with their lists."""

import subprocess
import unittest
from unittest.mock import patch

from checks import features

TREE = """lookup v0.1.0 (/somewhere/functions/lookup)|
ring v0.17.14|default,alloc
serde v1.0.228|std,derive (*)
rustls v0.23.35|
serde v1.0.228|std,derive
"""


class Lists(unittest.TestCase):
    def test_a_line_is_name_version_and_features_in_order(self) -> None:
        with patch.object(features, "capture", return_value=subprocess.CompletedProcess([], 0, TREE, "")):
            self.assertEqual(features.packages("lookup"), ["ring 0.17 alloc default", "rustls 0.23", "serde 1 derive std"])

    def test_a_new_package_a_lost_one_and_another_feature_differ(self) -> None:
        recorded, built = ["ring 0.17", "serde 1 std", "time 0.3"], ["ring 0.17", "serde 1 derive std"]
        self.assertEqual(
            list(features.differences(recorded, built)),
            ["not recorded: serde 1 derive std", "recorded, and not there: serde 1 std", "recorded, and not there: time 0.3"],
        )
        self.assertEqual(list(features.differences(built, built)), [])

    def test_a_second_tls_stack_is_found(self) -> None:
        self.assertEqual(list(features.second_stacks(["ring 0.17", "rustls 0.23", "serde 1"])), [])
        for second in ("rustls 0.21", "openssl 0.10", "aws-lc-rs 1"):
            self.assertEqual(len(list(features.second_stacks(["ring 0.17", "rustls 0.23", second]))), 1, second)


if __name__ == "__main__":
    unittest.main()
