"""The proofs of `tests/simulation`: the real functions over services that fail, in every order. docs/decisions/0025-simulation.md."""

import re

from local.problem import Problem
from local.tools import ensure_valkey

from . import cargo_tests, data
from .outcome import Outcome, total

#: All cases instead of the sample of `make test`.
ALL = {"PROVE": "all"}
#: That of Cargo.toml for runs of many minutes.
PROFILE = "prove"


def build() -> None:
    """Builds the scenarios, so that the time of a proof is that of its run."""
    cargo_tests.run(["--test", "simulation", "--no-run"], profile=PROFILE)


def prove(name: str) -> Outcome:
    """Runs every case of one scenario of the simulation."""
    lines = cargo_tests.run(["--test", "simulation", f"{name}::"], ALL, PROFILE)
    counted = [re.fullmatch(rf"proof: {name}: ([\d,]+) cases, ([\d,]+) violations", line) for line in lines]
    outcome = total(Outcome(*(int(number.replace(",", "")) for number in found.groups())) for found in counted if found)
    if not outcome.cases:
        raise Problem(f"the simulation of {name} was not finished")
    # Its other tests show that the scenario itself can fail.
    tests = cargo_tests.results(lines)
    return outcome if outcome.violations else Outcome(outcome.cases + tests.cases, tests.violations)


def caches() -> Outcome:
    """The responses of the lookup while versions are published, and what the tiers save over real taxonomies."""
    data.folder()
    ensure_valkey()
    return prove("caches")
