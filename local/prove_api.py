"""The proof of the API over the running stack: every operation against the files, searches, cursors, downloads, and a steady load."""

import os
import re
import subprocess

from . import stack
from .paths import ROOT, VENV
from .problem import Problem
from .say import say
from .shell import environment
from .tools import ensure_check_tools


def prove(only: list[str]) -> None:
    """Runs the modules of `tests/prove_api`, or those that are named; ends with one line of counts."""
    stack.load()
    ensure_check_tools()
    folder = ROOT / "tests" / "prove_api"
    modules = only or sorted(path.stem for path in folder.glob("test_*.py"))
    command = [str(VENV / "bin" / "python"), "-m", "unittest", "-v", *modules]
    search = os.pathsep.join(str(path) for path in (folder, ROOT / "tests" / "e2e"))
    extra = {"PYTHONPATH": search, "PYTHONUNBUFFERED": "1"}
    running = subprocess.Popen(command, cwd=ROOT, env=environment(extra), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ran = failed = 0
    for line in running.stdout or ():
        say(line.rstrip())
        if found := re.fullmatch(r"Ran (\d+) tests? in .*", line.strip()):
            ran = int(found[1])
        if re.match(r"(OK|FAILED)\b", line):
            failed = sum(map(int, re.findall(r"(?:failures|errors|skipped)=(\d+)", line)))
    if running.wait() and not failed or not ran:
        raise Problem("the proof of the API was not finished")
    say(f"prove-api: {ran - failed} passed, {failed} failed")
    if failed:
        raise Problem(f"{failed} tests of the API failed")
