"""Proves the command line over the stack on this machine: the first session, every exit code, a million metrics, interruptions."""

import re
import subprocess

from local import stack
from local.command_line import variables
from local.console import say, step
from local.paths import ROOT, VENV
from local.problem import Problem
from local.shell import cargo, environment, run_quietly
from local.tools import ensure_check_tools

from . import sarif

#: Metrics that are expanded, kills of each command by each signal, concepts that are imported, real taxonomies that are exported and imported.
FULL = {
    "PROVE_CLI_METRICS": "1000000",
    "PROVE_CLI_KILLS": "10",
    "PROVE_CLI_CONCEPTS": "1200000",
    "PROVE_CLI_TAXONOMIES": "iab,esco,google,icd10cm",
}
QUICK = {
    "PROVE_CLI_METRICS": "100000",
    "PROVE_CLI_KILLS": "3",
    "PROVE_CLI_CONCEPTS": "50000",
    "PROVE_CLI_TAXONOMIES": "iab,esco",
}


def prove(quick: bool) -> None:
    """Starts the stack unless it is up; ends with one line of counts."""
    ensure_check_tools()
    was_up = stack.is_up()
    here = stack.load() if was_up else stack.up()
    try:
        passed, failed = _commands(variables(here)), 0
        tests, problems, skipped = _tests(QUICK if quick else FULL)
        passed, failed = passed + tests - problems - skipped, failed + problems
        valid, invalid = sarif.check(here.commandLine)
        passed, failed = passed + valid, failed + invalid
    finally:
        if not was_up:
            stack.down()
    say(f"prove-cli: {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    if failed:
        raise Problem(f"{failed} tests of the command line failed")


def _commands(variables: dict[str, str]) -> int:
    """Executes the pages of examples, over files and over the stack; hands back how many commands they have."""
    passed = 0
    pages = {"commands": [*(ROOT / "cli" / "tests" / "commands").glob("*.md")], "deployed": [ROOT / "docs" / "first-session.md"]}
    for test, extra in (("commands", {}), ("deployed", variables)):
        with step(f"Executing the pages of examples: {test}"):
            # With the features of the whole workspace, so that `make up` and `make test` have built it.
            command = [cargo(), "test", "--locked", "--workspace", "--test", test]
            said = run_quietly(command, f"the pages of examples, {test}", extra)
        if not re.search(r"^test result: ok\. [1-9]\d* passed", said, re.MULTILINE):
            raise Problem(f"the pages of examples were not executed: {test}")
        passed += sum(len(re.findall(r"^\$ taxonomy", page.read_text(), re.MULTILINE)) for page in pages[test])
    return passed


def _tests(size: dict[str, str]) -> tuple[int, int, int]:
    """Runs the tests in `tests/cli`; hands back how many ran, failed and were skipped, which CI does not allow."""
    say("==> Tests over the stack")
    command = [str(VENV / "bin" / "python"), "-m", "unittest", "discover", "-v", "-s", "tests/cli"]
    running = subprocess.Popen(command, cwd=ROOT, env=environment(size), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ran = failed = skipped = 0
    for line in running.stdout or ():
        say(line.rstrip())
        if found := re.fullmatch(r"Ran (\d+) tests? in .*", line.strip()):
            ran = int(found[1])
        if re.match(r"(OK|FAILED)\b", line):
            failed = sum(map(int, re.findall(r"(?:failures|errors)=(\d+)", line)))
            skipped = sum(map(int, re.findall(r"skipped=(\d+)", line)))
    if running.wait() and not failed or not ran:
        raise Problem("the tests over the stack were not finished")
    return ran, failed, skipped
