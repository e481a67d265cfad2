"""Tests of the game day that need no stack: its scenarios, how it evaluates alarms, its record and its picture."""

import json
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any

from local.paths import ROOT
from tests.game_day.alarms import Alarm, Measurements, statistic
from tests.game_day.day import SCENARIOS
from tests.game_day.groups import CANNOT, load

TEMPLATE = (ROOT / "template.yaml").read_text()
ALARMS = re.findall(r"^  (\w+):\n    Type: AWS::CloudWatch::Alarm$", TEMPLATE, re.MULTILINE)


def widgets() -> list[dict[str, Any]]:
    """Returns the widgets of the template's dashboard."""
    (text,) = re.findall(r"      DashboardBody: !Sub\n        - \|\n((?:          .*\n)+)", TEMPLATE)
    found: list[dict[str, Any]] = json.loads(re.sub(r"\$\{OfHas\w+\}", "", text))["widgets"]
    return found


class Scenarios(unittest.TestCase):
    def test_are_one_for_each_alarm_or_a_reason_why_it_cannot_fire(self) -> None:
        load()
        played = [each.alarm for each in SCENARIOS]
        self.assertEqual(sorted([*played, *CANNOT]), sorted(ALARMS))
        self.assertGreater(len(ALARMS), 30)


class Record(unittest.TestCase):
    def test_has_a_row_for_each_alarm_that_fired(self) -> None:
        load()
        rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "game-day.md").read_text(), re.MULTILINE)
        self.assertEqual(rows, [each.alarm for each in SCENARIOS])


class Picture(unittest.TestCase):
    def test_has_each_widget_of_the_template_with_its_lines(self) -> None:
        picture = (ROOT / "docs" / "dashboard.svg").read_text()
        drawn = [re.sub("<[^>]+>", " ", each) for each in picture.split('<g transform="')[1:]]
        self.assertEqual(len(drawn), len(widgets()))
        for widget, group in zip(widgets(), drawn):
            properties = widget["properties"]
            words = [properties.get("title") or properties["markdown"].lstrip("# ")]
            words += [f"{metric[0]} {metric[1]}" for metric in properties.get("metrics", [])]
            words += [re.sub(r"\W|Arn", "", alarm) for alarm in properties.get("alarms", [])]
            for word in words:
                self.assertIn(word, group)


class Evaluation(unittest.TestCase):
    """An alarm of periods of 60 s at factor 10, so each is 6 s."""

    def firing(self, values: list[tuple[float, float]], now: float, name: str = "Errors", **changes: Any) -> bool:
        deployed: dict[str, Any] = {
            "Namespace": "N",
            "MetricName": name,
            "Dimensions": [{"Name": "D", "Value": "d"}],
            "Statistic": "Sum",
            "Period": 60,
            "EvaluationPeriods": 3,
            "DatapointsToAlarm": 2,
            "ComparisonOperator": "GreaterThanThreshold",
            "Threshold": 1.0,
            "TreatMissingData": "notBreaching",
        }
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "measurements.jsonl"
            other = [[at, "N", name, {"D": "other"}, 1000] for at, _ in values]
            file.write_text("".join(json.dumps(line) + "\n" for line in [*other, *([at, "N", name, {"D": "d"}, value] for at, value in values)]))
            measured = Measurements(file)
            measured.refresh()
        return Alarm.read("A", deployed | changes, changes.get("ignores_few", False), 10).is_firing(measured, now, changes.get("before", False))

    def test_counts_the_periods_that_breach(self) -> None:
        self.assertTrue(self.firing([(101, 2), (107, 2)], 112))
        self.assertFalse(self.firing([(101, 2), (107, 1)], 112), "the threshold itself is no breach")
        self.assertFalse(self.firing([(101, 2)], 112), "one of three is not two")
        self.assertFalse(self.firing([(101, 2), (107, 2)], 119), "the first one is too old")
        self.assertTrue(self.firing([(107, 1), (108, 1)], 112, DatapointsToAlarm=1), "a sum")

    def test_leaves_missing_data_as_the_alarm_says(self) -> None:
        self.assertFalse(self.firing([], 112))
        self.assertTrue(self.firing([], 112, TreatMissingData="breaching"))
        with self.assertRaises(ValueError):
            self.firing([], 112, TreatMissingData="missing")

    def test_compresses_ages_and_no_other_value(self) -> None:
        old = {"Statistic": "Maximum", "Threshold": 50.0, "EvaluationPeriods": 1, "DatapointsToAlarm": 1}
        self.assertTrue(self.firing([(107, 6)], 112, "IteratorAge", **old))
        self.assertFalse(self.firing([(107, 6)], 112, "Latency", **old))

    def test_keeps_its_state_where_samples_are_too_few_for_a_percentile(self) -> None:
        slow = {"ExtendedStatistic": "p99", "ignores_few": True, "EvaluationPeriods": 1, "DatapointsToAlarm": 1}
        self.assertFalse(self.firing([(107, 9)] * 999, 112, **slow))
        self.assertTrue(self.firing([(107, 9)] * 999, 112, before=True, **slow))
        self.assertTrue(self.firing([(107, 9)] * 1000, 112, **slow))
        self.assertFalse(self.firing([(107, 9)] * 10 + [(107, 0)] * 990, 112, **slow), "ten of a thousand are one in a hundred, and no more")

    def test_computes_each_statistic(self) -> None:
        values = [4.0, 1.0, 3.0, 2.0]
        found = [statistic(name, values) for name in ("Sum", "Maximum", "Average", "p50", "p99")]
        self.assertEqual(found, [10.0, 4.0, 2.5, 2.0, 4.0])


if __name__ == "__main__":
    unittest.main()
