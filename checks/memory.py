"""The peak of memory of everything that reads a whole file, and the formats over real taxonomies: the tests that `make test` leaves out."""

from local.problem import Problem

from . import cargo_tests, data
from .outcome import Outcome


def prove() -> Outcome:
    """Runs every ignored test, one at a time: a program counts the memory of all its tests together."""
    data.folder()
    outcome = cargo_tests.results(cargo_tests.run(["--no-fail-fast", "--lib", "--bins", "--tests", "--", "--ignored", "--test-threads=1"]))
    if not outcome.cases:
        raise Problem("no test of peak memory was found")
    return outcome
