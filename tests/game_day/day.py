"""A day: the deployed stack, its alarms, the operator's commands; and scenarios, each of which makes an alarm fire and mends it."""

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "tests" / "e2e")]

from program import succeed  # noqa: E402 - found by the line above
from stack import SAMPLES, Stack, stack, until  # noqa: E402 - found by the line above

from .alarms import Alarm, Measurements  # noqa: E402 - as above

FIRST, SECOND = SAMPLES / "job-board-v1.json", SAMPLES / "job-board-v2.json"
#: A term that the second sample renames.
TERM, NAMES = 110, ("Sector:Software engineering", "Sector:Software development")
SECONDS_TO_ALARM = 150
SECONDS_TO_OK = 150

#: Breaks something, yields until the alarm fires, mends it, yields until the alarm ends, and looks whether all is right again.
Play = Callable[["Day"], Iterator[None]]


@dataclass(frozen=True)
class Scenario:
    """How one alarm is made to fire: in words for the record, and the play itself."""

    alarm: str
    fault: str
    play: Play
    #: The seconds that a second of the day stands for.
    factor: float


@dataclass(frozen=True)
class Played:
    """The outcome of a scenario: the seconds until each change of the alarm, and the commands of the mend."""

    scenario: Scenario
    seconds_to_alarm: float
    mend: tuple[str, ...]
    seconds_to_ok: float


SCENARIOS: list[Scenario] = []


def scenario(alarm: str, fault: str, factor: float = 60) -> Callable[[Play], Play]:
    """Registers the play of an alarm."""

    def register(play: Play) -> Play:
        SCENARIOS.append(Scenario(alarm, fault, play, factor))
        return play

    return register


@dataclass
class Day:
    """The stack of the day."""

    running: Stack = field(default_factory=stack)
    measured: Measurements = field(default_factory=lambda: Measurements(ROOT / ".local" / "measurements.jsonl"))
    #: The commands of the mend, for the record.
    commands: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        formation = self.running.client("cloudformation")
        found = formation.describe_stack_resources(StackName=self.running.stack_name)["StackResources"]
        self.resources: dict[str, str] = {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in found}
        outputs = formation.describe_stacks(StackName=self.running.stack_name)["Stacks"][0]["Outputs"]
        self.outputs: dict[str, str] = {each["OutputKey"]: each["OutputValue"] for each in outputs}
        deployed = self.running.client("cloudwatch").get_paginator("describe_alarms").paginate()
        self._alarms = {alarm["AlarmName"]: alarm for page in deployed for alarm in page["MetricAlarms"]}

    def alarm(self, logical_id: str, factor: float) -> Alarm:
        """Returns an alarm as it is deployed."""
        # The emulator forgets this member of an alarm.
        declared = re.search(rf"^  {logical_id}:\n((?:    .*\n|\n)*)", (ROOT / "template.yaml").read_text(), re.MULTILINE)
        ignores_few = declared is not None and "EvaluateLowSampleCountPercentile: ignore" in declared[1]
        return Alarm.read(logical_id, self._alarms[self.resources[logical_id]], ignores_few, factor)

    def taxonomy(self, *words: str | Path) -> Any:
        """Runs a command of `taxonomy`, which must succeed."""
        shown = [str(word.relative_to(ROOT)) if isinstance(word, Path) and word.is_relative_to(ROOT) else str(word) for word in words]
        self.commands.append(f"taxonomy {' '.join(shown)}")
        return succeed(*words)

    def aws(self, service: str, operation: str, **request: Any) -> Any:
        """Sends a request to AWS."""
        shown = "s3api" if service == "s3" else service
        self.commands.append(f"aws {shown} {operation.replace('_', '-')}")
        return getattr(self.running.client(service), operation)(**request)

    def tenant(self, name: str, file: Path = FIRST) -> str:
        """Returns a new tenant whose first version is published."""
        tenant = self.running.fresh_tenant(name)
        self.running.wait_projected(self.running.push(tenant, file.read_bytes()))
        return tenant

    def is_served(self, tenant: str, version: int, content: int) -> None:
        """Waits until a tenant is served with a version that has the content of the first or the second sample, and its items are written."""
        expected = NAMES[content - 1]

        def look() -> bool | None:
            head, answer = self.running.head_item(tenant), self.running.api.get(f"/v1/tenants/{tenant}/terms/{TERM}")
            name = answer.body["finalName"] if answer.status == 200 else None
            return (head.get("V"), head.get("Projected"), name) == (version, version, expected) or None

        until(f"version {version} of {tenant} to be served", 60, look)

    def is_whole(self, tenant: str) -> None:
        """Compares all that is stored of a tenant with its versions: items, chain, index files, search objects, counts."""
        verified = succeed("verify", tenant, "--output", "json").json()
        assert verified["differences"] == 0, verified

    def is_counted(self, tenant: str, version: int) -> None:
        """Waits until the counts of a tenant are of a version."""
        until(f"the counts of {tenant} {version}", 60, lambda: self.running.item(f"STATS#{tenant}", "TENANT").get("V") == version or None)

    def play(self, scenario: Scenario) -> Played:
        """Plays a scenario. Raises `AssertionError` where the alarm does not fire, or fires before its fault, or does not end."""
        alarm, self.commands = self.alarm(scenario.alarm, scenario.factor), []
        if self._waits(alarm, False, SECONDS_TO_OK) is None:
            raise AssertionError("it fires before its fault")
        # Those that a scenario before left because it failed are not this one's.
        before = self._dead_letters()
        begun, steps = time.monotonic(), scenario.play(self)
        try:
            next(steps)
            if self._waits(alarm, True, SECONDS_TO_ALARM) is None:
                raise AssertionError(f"it did not fire within {SECONDS_TO_ALARM} s")
            fired, self.commands = time.monotonic(), []
            next(steps)
            mend = tuple(self.commands)
            if self._waits(alarm, False, SECONDS_TO_OK) is None:
                raise AssertionError(f"it did not end within {SECONDS_TO_OK} s of its mend")
            ended = time.monotonic()
            next(steps, None)
            until("the mend to leave no dead letter behind", 30, lambda: self._dead_letters() <= before or None)
        finally:
            steps.close()
        return Played(scenario, fired - begun, mend, ended - fired)

    def _dead_letters(self) -> int:
        return sum(count for name, count in self.running.waiting_messages().items() if "dead-letters" in name)

    def _waits(self, alarm: Alarm, firing: bool, seconds: float) -> bool | None:
        deadline, state = time.monotonic() + seconds, not firing
        while time.monotonic() < deadline:
            self.measured.refresh()
            # A second ago: the values of the last one may not be written yet.
            state = alarm.is_firing(self.measured, time.time() - 1, state)
            if state is firing:
                return True
            time.sleep(0.25)
        return None


@contextmanager
def repeating(seconds: float, act: Callable[[], object], threads: int = 1) -> Iterator[None]:
    """Repeats an act for as long as the block runs."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(seconds):
            act()

    running = [threading.Thread(target=run, daemon=True) for _ in range(threads)]
    for thread in running:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in running:
            thread.join()
