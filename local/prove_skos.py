"""Proves the downloads as SKOS by tools that share nothing with their writer: rdflib reads them, pySHACL and skosify check them."""

import re
import subprocess

from .paths import ROOT, VENV
from .problem import Problem
from .say import say, step
from .shell import cargo, environment, run_quietly
from .tools import ensure_check_tools

#: The example that prints a download of a file, with the features of the whole workspace, so that `make test` has built it.
EXAMPLE = ("--locked", "--workspace", "--example", "write")


def prove() -> None:
    """Builds the example, runs the tests in `tests/skos`, and ends with one line of counts."""
    ensure_check_tools()
    with step("Building the writer of downloads"):
        run_quietly([cargo(), "build", *EXAMPLE], "building the writer of downloads")
    ran, failed = _tests()
    say(f"prove-skos: {ran - failed} passed, {failed} failed")
    if failed:
        raise Problem(f"{failed} tests of the downloads as SKOS failed")


def _tests() -> tuple[int, int]:
    """Runs the tests in `tests/skos`; returns how many ran and how many of them failed or were skipped."""
    command = [str(VENV / "bin" / "python"), "-m", "unittest", "discover", "-v", "-s", "tests/skos"]
    running = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ran = failed = 0
    for line in running.stdout or ():
        say(line.rstrip())
        if found := re.fullmatch(r"Ran (\d+) tests? in .*", line.strip()):
            ran = int(found[1])
        if re.match(r"(OK|FAILED)\b", line):
            failed = sum(map(int, re.findall(r"(?:failures|errors|skipped)=(\d+)", line)))
    if running.wait() and not failed or not ran:
        raise Problem("the tests of the downloads as SKOS were not finished")
    return ran, failed
