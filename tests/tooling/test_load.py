"""Tests of the load that need no stack: its bounds, each broken once, and its report."""

import copy
import re
import unittest
from typing import Any

from checks.load_bounds import FUNCTION_KIB, GROWTH_KIB, growth_of, judge, tenths
from checks.load_report import markdown, text
from local.paths import ROOT

TEMPLATE = (ROOT / "template.yaml").read_text()
LATENCIES = {"count": 29_000, "p50": 300, "p90": 500, "p99": 900, "p99.9": 2_000, "max": 9_000, "buckets": [[319, 20_000], [1_023, 8_990], [9_215, 10]]}
GOOD: dict[str, Any] = {
    "seconds": 100.0, "wanted_seconds": 100, "rate": 300, "every_seconds": 10, "taxonomy": "generated", "processes": 1, "caches_kib": 98_304, "requests": 29_000,
    "statuses": {"200": 28_000, "304": 900, "404": 100}, "kinds": {"term": LATENCIES}, "all": LATENCIES, "failures": 0, "wrong": 0, "stale": 0,
    "oldest_ms": 1_999, "first_ms": {"2": 1_500}, "examples": [], "versions": 5, "projections_ms": [700, 900, 800, 1_000],
    "memory": [[[second, 40_000 + min(second, 30) * 1_000] for second in range(100)]],
}  # fmt: skip


def broken(**members: Any) -> str:
    """Returns the judgement of good measurements with some members replaced."""
    return "; ".join(judge(copy.deepcopy(GOOD) | members))


def growing(kib_a_second: int, begin: int = 20_000) -> list[list[list[int]]]:
    """Returns the samples of a process that grows steadily."""
    return [[[second, begin + kib_a_second * second] for second in range(100)]]


class Bounds(unittest.TestCase):
    def test_hold_for_good_measurements(self) -> None:
        self.assertEqual(judge(GOOD), [])

    def test_each_fails_when_it_is_exceeded(self) -> None:
        for members, expected in (
            ({"requests": 0}, "0 requests were answered"),
            ({"requests": 2_999}, "too few"),
            ({"failures": 1}, "1 errors"),
            ({"wrong": 2}, "2 responses differ"),
            ({"statuses": {"200": 28_999, "400": 1}}, "statuses 400"),
            ({"stale": 1}, "1 responses older"),
            ({"oldest_ms": 2_001}, "the oldest 2001 ms"),
            ({"versions": 1}, "no version was published"),
            ({"memory": []}, "no memory"),
            ({"memory": [[]]}, "process 1 ended"),
            ({"memory": [GOOD["memory"][0][:50]]}, "process 1 ended"),
            ({"memory": growing(0, FUNCTION_KIB + 1)}, "process 1 took 256 MiB"),
            ({"memory": growing(1_500)}, "process 1 grew"),
        ):
            with self.subTest(expected=expected):
                self.assertIn(expected, broken(**members))

    def test_growth_counts_once_the_caches_can_be_full(self) -> None:
        self.assertEqual(broken(memory=growing(600)), "", "from 20 to 80 MB: the caches fill up")
        long = {"seconds": 3_600.0, "requests": 1_000_000}
        hour = [[36 * second, kib] for second, kib in growing(600)[0]] + [[3_599, 80_000]]
        self.assertIn("process 1 grew", broken(memory=[hour], **long), "in an hour they grow ever more slowly")
        slowing = [[second, 20_000 + int(60_000 * (1 - 0.9 ** (second / 60)))] for second in range(3_600)]
        self.assertEqual(broken(memory=[slowing], **long), "")
        steady = [[second, 150_000] for second in range(50)]
        samples = [[0, 20_000], *steady, *[[50 + second, 150_000 + second * (GROWTH_KIB // 40)] for second in range(50)]]
        self.assertIn("grew", broken(memory=[samples]))
        self.assertIn("grew", broken(memory=growing(600), caches_kib=8_192), "small caches are full soon")

    def test_are_those_of_the_template(self) -> None:
        def default(name: str) -> int:
            (found,) = re.findall(rf"^  {name}:\n    Type: Number\n    Default: (\d+)$", TEMPLATE, re.MULTILINE)
            return int(found)

        self.assertEqual(default("LookupMemory") * 1024, FUNCTION_KIB)


class Samples(unittest.TestCase):
    def test_are_averaged_by_tenths(self) -> None:
        samples = [[second, second] for second in range(100)]
        self.assertEqual(tenths(samples), [4, 14, 24, 34, 44, 54, 64, 74, 84, 94])
        self.assertEqual(growth_of(samples), 40)
        self.assertEqual(tenths([[0, 7]]), [7])


class Report(unittest.TestCase):
    def test_names_what_was_exceeded(self) -> None:
        bad = copy.deepcopy(GOOD) | {"wrong": 3, "examples": ["term /terms/7: name: other"]}
        self.assertIn("3 responses differ", text("function", bad))
        self.assertIn("term /terms/7", text("function", bad))
        self.assertIn("every bound holds", text("function", GOOD))

    def test_has_the_figures(self) -> None:
        page = markdown({"function": GOOD}, "2026-01-01", "profile bench")
        for figure in ("29,000", "1,999 ms", "profile bench", "| `term` |", "| all |"):
            self.assertIn(figure, page)
        self.assertIn("Not in this record: the deployed stack.", page)

    def test_keeps_the_part_that_was_not_measured(self) -> None:
        page = markdown({"function": GOOD}, "2026-01-01", "profile bench")
        both = markdown({"stack": GOOD}, "2026-02-02", "profile bench", page)
        self.assertEqual([line for line in both.splitlines() if line.startswith("## ")], ["## The function alone", "## The deployed stack"])
        self.assertIn("2026-01-01, profile bench", both)
        self.assertIn("2026-02-02, debug build", both)
        self.assertNotIn("Not in this record", both)
        self.assertEqual(markdown({"function": GOOD}, "2026-01-01", "profile bench", both), both)


if __name__ == "__main__":
    unittest.main()
