"""How a proof ended."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """The cases that ran, those that violated the promise included."""

    cases: int
    violations: int

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(self.cases + other.cases, self.violations + other.violations)


def total(outcomes: Iterable[Outcome]) -> Outcome:
    """The sum; of nothing, an outcome without cases."""
    return sum(outcomes, Outcome(0, 0))
