"""What an answer costs in instructions and allocations, and how large the functions are, against benches/baseline.json."""

from benches import counts
from local.build import executables
from local.console import say, step
from local.paths import FUNCTIONS
from local.shell import cargo, locked, run_quietly

from .outcome import Outcome

PACKAGE = "taxonomy-benches"


def prove() -> Outcome:
    """No count may be higher than the baseline's, and no ratio higher than its bound."""
    figures, recorded = _take(), counts.read()
    broken, better = counts.compare(recorded, figures)
    broken += counts.broken_ratios(figures)
    for line in better:
        say(f"better: {line}; `make record` makes it the baseline")
    for line in broken:
        say(f"NOT KEPT: {line}")
    return Outcome(sum(map(len, recorded.values())) + len(counts.RATIOS), len(broken))


def record() -> None:
    """Makes the counts of this checkout the baseline."""
    counts.write(_take())


def _take() -> counts.Figures:
    """Counts the programs of the profile `bench`, all of one build: two builds have other features, and compile the SDK twice."""
    packages = [word for name in (PACKAGE, *FUNCTIONS) for word in ("-p", name)]
    with step("Building what is counted (profile bench)"):
        command = [cargo(), "build", *locked(), "--profile", "bench", *packages, "--message-format=json-render-diagnostics"]
        programs = executables(run_quietly(command, "building what is counted"), (PACKAGE, "allocations", *FUNCTIONS))
    with step("Counting by valgrind"):
        figures = counts.take(programs)
    for kind, named in figures.items():
        for name, figure in named.items():
            say(f"{kind:<13} {name:<16} {figure:>13,}")
    return figures
