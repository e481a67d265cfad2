"""The state of an alarm as CloudWatch computes it, out of the values that the emulator of the game day measured.

Time is compressed by a factor: a period of 300 s is 5 s at factor 60, an age of 10 s counts as 600 s, and a pace stays what it is. Thresholds, statistics and counts are
those of the deployed alarm."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Metrics whose value is a time of waiting: it runs as fast as the periods do.
AGES = {"ApproximateAgeOfOldestMessage", "IteratorAge", "DeferredAge", "BehindAge"}
#: Metrics whose alarm has a pace as its threshold: a period that is shorter by the factor has fewer of them by the factor.
PACES = {"ReadThrottleEvents", "WriteThrottleEvents", "Throttles"}
#: Queues are measured once a second, so a shorter period could be empty.
LEAST_PERIOD_SECONDS = 2.0
#: Samples in a period from which on CloudWatch evaluates a 99th percentile: ten for each that lies above it.
LEAST_SAMPLES = 1000
COMPARISONS = {"GreaterThanThreshold": lambda value, threshold: value > threshold, "GreaterThanOrEqualToThreshold": lambda value, threshold: value >= threshold}

Series = tuple[str, str, frozenset[tuple[str, str]]]


class Measurements:
    """The values that were measured so far, by metric and dimensions; each with its time."""

    def __init__(self, file: Path) -> None:
        self._file, self._read = file, 0
        self.values: dict[Series, list[tuple[float, float]]] = defaultdict(list)

    def refresh(self) -> None:
        """Reads what was measured since the last time."""
        with self._file.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            at, namespace, name, dimensions, value = json.loads(line)
            self.values[namespace, name, frozenset(dimensions.items())].append((at, value))

    def between(self, series: Series, since: float, until: float) -> list[float]:
        """Returns the values in a period."""
        return [value for at, value in self.values.get(series, ()) if since < at <= until]


@dataclass(frozen=True)
class Alarm:
    """A deployed alarm, in compressed time."""

    name: str
    series: Series
    statistic: str
    period: float
    periods: int
    datapoints: int
    comparison: str
    threshold: float
    missing_breaches: bool
    ignores_few: bool
    factor: float

    @staticmethod
    def read(name: str, deployed: dict[str, Any], ignores_few: bool, factor: float) -> "Alarm":
        """Reads an answer of `DescribeAlarms`."""
        if deployed["TreatMissingData"] not in ("notBreaching", "breaching"):
            raise ValueError(f"{name}: missing data that is {deployed['TreatMissingData']}")
        dimensions = frozenset((each["Name"], each["Value"]) for each in deployed["Dimensions"])
        return Alarm(
            name,
            (deployed["Namespace"], deployed["MetricName"], dimensions),
            deployed.get("ExtendedStatistic") or deployed["Statistic"],
            max(deployed["Period"] / factor, LEAST_PERIOD_SECONDS),
            deployed["EvaluationPeriods"],
            deployed.get("DatapointsToAlarm") or deployed["EvaluationPeriods"],
            deployed["ComparisonOperator"],
            deployed["Threshold"],
            deployed["TreatMissingData"] == "breaching",
            ignores_few,
            factor,
        )

    def is_firing(self, measured: Measurements, now: float, before: bool = False) -> bool:
        """Whether the alarm is in ALARM at a time, `before` being its state so far."""
        ends = [now - number * self.period for number in range(self.periods)]
        data = [measured.between(self.series, end - self.period, end) for end in ends]
        if self.ignores_few and any(0 < len(values) < LEAST_SAMPLES for values in data):
            return before
        breaching = [self._breaches(values) for values in data]
        return sum(breaching) >= self.datapoints

    def _breaches(self, values: list[float]) -> bool:
        if not values:
            return self.missing_breaches
        scale = self.factor if self.series[1] in AGES | PACES else 1.0
        return bool(COMPARISONS[self.comparison](statistic(self.statistic, values) * scale, self.threshold))


def statistic(name: str, values: Iterable[float]) -> float:
    """Returns a statistic of values: Sum, Maximum, Average, or a percentile such as p99."""
    found = sorted(values)
    if name == "Average":
        return math.fsum(found) / len(found)
    if name == "Sum":
        return math.fsum(found)
    if name == "Maximum":
        return found[-1]
    if name.startswith("p"):
        return found[max(0, math.ceil(float(name[1:]) / 100 * len(found)) - 1)]
    raise ValueError(f"no statistic {name}")
