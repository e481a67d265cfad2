"""Runs tests of cargo that take too long for `make test`, and counts what they print."""

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence

from local.console import say
from local.paths import ROOT
from local.problem import Problem
from local.shell import cargo, environment, locked

from .outcome import Outcome, total


def run(arguments: Sequence[str], extra: Mapping[str, str] | None = None, profile: str = "test") -> list[str]:
    """Runs `cargo test` with the features of the whole workspace, so that `make test` has built it where the profile is the usual one. Shows
    the output as it comes and returns its lines. A test that fails is a `Problem`, unless its lines say how it ended."""
    command = [cargo(), "test", *locked(), "--workspace", "--profile", profile, *arguments]
    running = subprocess.Popen(command, cwd=ROOT, env=environment(extra), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    for line in running.stdout or ():
        lines.append(line.rstrip())
        say(lines[-1])
    if running.wait() and not any(line.startswith("test result: FAILED") for line in lines):
        raise Problem(f"cargo test {' '.join(arguments)} was not finished")
    return lines


def results(lines: Sequence[str]) -> Outcome:
    """Of the closing lines of each test program."""
    return total(_results(lines))


def _results(lines: Sequence[str]) -> Iterator[Outcome]:
    for line in lines:
        if found := re.match(r"test result: \w+\. (\d+) passed; (\d+) failed;", line):
            passed, failed = map(int, found.groups())
            yield Outcome(passed + failed, failed)
