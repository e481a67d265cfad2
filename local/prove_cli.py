"""Proves the command line over the stack on this machine: the first session, every exit code, a million metrics, interruptions."""

import re
import subprocess

from . import stack
from .command_line import variables
from .paths import ROOT, VENV
from .problem import Problem
from .say import say, step
from .shell import cargo, environment, run_quietly

#: Metrics that are expanded, and kills of each command by each signal.
FULL = {"PROVE_CLI_METRICS": "1000000", "PROVE_CLI_KILLS": "10"}
QUICK = {"PROVE_CLI_METRICS": "100000", "PROVE_CLI_KILLS": "3"}


def prove(quick: bool) -> None:
    """Starts the stack unless it is up; ends with one line of counts."""
    was_up = stack.is_up()
    here = stack.load() if was_up else stack.up()
    try:
        passed, failed = _commands(variables(here)), 0
        tests, problems = _tests(QUICK if quick else FULL)
        passed, failed = passed + tests - problems, failed + problems
    finally:
        if not was_up:
            stack.down()
    say(f"prove-cli: {passed} passed, {failed} failed")
    if failed:
        raise Problem(f"{failed} tests of the command line failed")


def _commands(variables: dict[str, str]) -> int:
    """Executes the pages of examples: over files, and over the stack."""
    with step("Executing the pages of examples"):
        command = [cargo(), "test", "--locked", "--package", "taxonomy-cli", "--test", "commands", "--test", "deployed"]
        said = run_quietly(command, "the pages of examples", variables)
    pages = re.findall(r"^Testing .* ok ", said, re.MULTILINE)
    if not re.search(r"session\.md", said) or not pages:
        raise Problem("the pages of examples were not executed")
    return len(pages)


def _tests(size: dict[str, str]) -> tuple[int, int]:
    """Runs the tests in `tests/cli`; hands back how many ran and failed."""
    say("==> Tests over the stack")
    command = [str(VENV / "bin" / "python"), "-m", "unittest", "discover", "-v", "-s", "tests/cli"]
    running = subprocess.Popen(command, cwd=ROOT, env=environment(size), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ran = failed = 0
    for line in running.stdout or ():
        say(line.rstrip())
        if found := re.fullmatch(r"Ran (\d+) tests? in .*", line.strip()):
            ran = int(found[1])
        if line.startswith("FAILED"):
            failed = sum(map(int, re.findall(r"(?:failures|errors)=(\d+)", line)))
    if running.wait() and not failed or not ran:
        raise Problem("the tests over the stack were not finished")
    return ran, failed
