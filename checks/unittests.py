"""Runs tests by unittest in the environment of the tools, and counts them."""

import os
import re
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from local.console import duration, say
from local.paths import ROOT, VENV
from local.problem import Problem
from local.shell import environment

from .outcome import Outcome, total

TESTS = ROOT / "tests"
#: Modules that run at once. Most of them wait for the stack, which answers several.
AT_ONCE = 2


def side_by_side(groups: Iterable[Sequence[str]], folders: Sequence[Path] = (), extra: Mapping[str, str] | None = None) -> Outcome:
    """Runs groups of modules, some at once, each in a process of its own. The modules of a group run one after the other."""
    with ThreadPoolExecutor(AT_ONCE) as workers:
        return total(workers.map(lambda group: run(group, folders, extra, f"{group[0]}: "), groups))


def run(arguments: Sequence[str], folders: Sequence[Path] = (), extra: Mapping[str, str] | None = None, label: str = "") -> Outcome:
    """Shows the tests as they run, each with its time and each line behind `label`. `folders` are those of the modules that the arguments
    name. A test that was skipped counts as one that failed."""
    command = [str(VENV / "bin" / "python"), "-m", "unittest", "-v", *arguments]
    variables = {"PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONUNBUFFERED": "1", **(extra or {})}
    running = subprocess.Popen(command, cwd=ROOT, env=environment(variables), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ran = failed = 0
    before = time.monotonic()
    for line in running.stdout or ():
        text = line.rstrip()
        if re.search(r"(^|\.\.\. )(ok|FAIL|ERROR)$", text):
            text, before = f"{text} in {duration(time.monotonic() - before)}", time.monotonic()
        say(f"{label}{text}")
        if found := re.fullmatch(r"Ran (\d+) tests? in .*", line.strip()):
            ran = int(found[1])
        if re.match(r"(OK|FAILED)\b", line):
            failed = sum(map(int, re.findall(r"(?:failures|errors|skipped|unexpected successes)=(\d+)", line)))
    if running.wait() and not failed or not ran:
        raise Problem("the tests were not finished")
    return Outcome(ran, failed)


def modules(folder: Path) -> list[str]:
    """The modules of a folder that hold tests."""
    return sorted(path.stem for path in folder.glob("test_*.py"))
