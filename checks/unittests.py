"""Runs tests by unittest in the environment of the tools, and counts them."""

import re
import subprocess
from collections.abc import Mapping, Sequence

from local.console import say
from local.paths import ROOT, VENV
from local.problem import Problem
from local.shell import environment


def run(arguments: Sequence[str], what: str, extra: Mapping[str, str] | None = None) -> None:
    """Shows the tests as they run and ends with one line of counts, which begins with `what`. Fails where a test failed or was skipped."""
    command = [str(VENV / "bin" / "python"), "-m", "unittest", *arguments]
    running = subprocess.Popen(command, cwd=ROOT, env=environment(extra), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ran = failed = 0
    for line in running.stdout or ():
        say(line.rstrip())
        if found := re.fullmatch(r"Ran (\d+) tests? in .*", line.strip()):
            ran = int(found[1])
        if re.match(r"(OK|FAILED)\b", line):
            failed = sum(map(int, re.findall(r"(?:failures|errors|skipped)=(\d+)", line)))
    if running.wait() and not failed or not ran:
        raise Problem(f"{what} was not finished")
    say(f"{what}: {ran - failed} passed, {failed} failed")
    if failed:
        raise Problem(f"{failed} tests of {what} failed")
