"""Proofs that are tests of cargo and take too long for `make test`: simulations and journeys with every case, and the peaks of memory."""

import re
from collections.abc import Mapping, Sequence

from local.problem import Problem
from local.shell import cargo, follow, locked
from local.tools import ensure_valkey

from . import data
from .outcome import Outcome, total

#: All cases instead of the sample of `make test`.
ALL = {"PROVE": "all"}
#: That of Cargo.toml for runs of many minutes.
PROFILE = "prove"


def build() -> None:
    """Builds the scenarios of the simulation, so that the time of a proof is that of its run."""
    _run(["--test", "simulation", "--no-run"], profile=PROFILE)


def simulation(name: str) -> Outcome:
    """Runs every case of one scenario of `tests/simulation`: the real functions over services that fail. docs/decisions/0025-simulation.md."""
    lines = _run(["--test", "simulation", f"{name}::"], ALL, PROFILE)
    counted = [re.fullmatch(rf"proof: {name}: ([\d,]+) cases, ([\d,]+) violations", line) for line in lines]
    outcome = total(Outcome(*(int(number.replace(",", "")) for number in found.groups())) for found in counted if found)
    if not outcome.cases:
        raise Problem(f"the simulation of {name} was not finished")
    # Its other tests show that the scenario itself can fail.
    tests = results(lines)
    return outcome if outcome.violations else Outcome(outcome.cases + tests.cases, tests.violations)


def caches() -> Outcome:
    """The responses of the lookup while versions are published, and what the tiers save over real taxonomies."""
    data.folder()
    ensure_valkey()
    return simulation("caches")


def journeys() -> Outcome:
    """Runs `tests/integration`, the journeys over the real functions, with every case."""
    ensure_valkey()
    return results(_run(["--test", "integration"], ALL))


def memory() -> Outcome:
    """Runs every ignored test, one at a time: a program counts the memory of all its tests together."""
    data.folder()
    return results(_run(["--no-fail-fast", "--lib", "--bins", "--tests", "--", "--ignored", "--test-threads=1"]))


def _run(arguments: Sequence[str], extra: Mapping[str, str] | None = None, profile: str = "test") -> list[str]:
    """Runs `cargo test` with the features of the whole workspace, so that `make test` has built it where the profile is the usual one. Shows
    the output as it comes and returns its lines. A test that fails is a `Problem`, unless its lines say how it ended."""
    lines, code = follow([cargo(), "test", *locked(), "--workspace", "--profile", profile, *arguments], extra)
    if code and not any(line.startswith("test result: FAILED") for line in lines):
        raise Problem(f"cargo test {' '.join(arguments)} was not finished")
    return lines


def results(lines: Sequence[str]) -> Outcome:
    """The tests that the closing lines of the test programs count; at least one."""
    found = [map(int, line.groups()) for line in map(re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed;").match, lines) if line]
    outcome = total(Outcome(passed + failed, failed) for passed, failed in found)
    if not outcome.cases:
        raise Problem("no test was found")
    return outcome
