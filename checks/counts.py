"""What an answer costs in instructions and allocations, and how large the functions are, against benches/baseline.json."""

import re

from local.build import executables
from local.console import say, step
from local.paths import FUNCTIONS
from local.problem import Problem
from local.shell import capture, cargo, locked, require, run_quietly

from .outcome import Outcome

PROGRAM = "taxonomy-benches"


def prove() -> Outcome:
    """No count may be higher than the baseline's."""
    done = _run("guard")
    found = re.search(r"^guard: (\d+) passed, (\d+) failed$", done, re.MULTILINE)
    if found is None:
        raise Problem("the counts were not compared with their baseline")
    passed, failed = map(int, found.groups())
    return Outcome(passed + failed, failed)


def record() -> None:
    """Makes the counts of this checkout the baseline."""
    _run("record")


def _run(action: str) -> str:
    """Counts the programs of the profile `bench`, all of one build: two builds have other features, and compile the SDK twice."""
    require("valgrind", "nothing can be counted without it")
    packages = [word for name in (PROGRAM, *FUNCTIONS) for word in ("-p", name)]
    with step("Building what is counted (profile bench)"):
        command = [cargo(), "build", *locked(), "--profile", "bench", *packages, "--message-format=json-render-diagnostics"]
        programs = executables(run_quietly(command, "building what is counted"), (PROGRAM, *FUNCTIONS))
    program = programs[PROGRAM]
    done = capture([program, action, program.parent])
    say(done.stdout.rstrip())
    if done.returncode and action != "guard":
        raise Problem(f"{PROGRAM} {action} failed: {done.stderr.strip()}")
    return done.stdout
