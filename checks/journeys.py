"""The journeys over the real functions with every case, of which `make test` runs a sample."""

from local.problem import Problem
from local.tools import ensure_valkey

from . import cargo_tests
from .outcome import Outcome


def prove() -> Outcome:
    """Runs `tests/integration`."""
    ensure_valkey()
    outcome = cargo_tests.results(cargo_tests.run(["--test", "integration"], {"PROVE": "all"}))
    if not outcome.cases:
        raise Problem("no journey was found")
    return outcome
