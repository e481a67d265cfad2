"""Runs tests by unittest in the environment of the tools, and counts them."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from local.console import duration, say
from local.paths import ROOT, VENV
from local.problem import Problem
from local.shell import follow

from .outcome import Outcome, total

TESTS = ROOT / "tests"
#: Modules that run at once. Most of them wait for the stack, which answers several.
AT_ONCE = 2


def side_by_side(modules: Sequence[str], folders: Sequence[Path] = (), extra: Mapping[str, str] | None = None) -> Outcome:
    """Runs modules, some at once, each in a process of its own."""
    with ThreadPoolExecutor(AT_ONCE) as workers:
        return total(workers.map(lambda module: run([module], folders, extra, f"{module}: "), modules))


def run(arguments: Sequence[str], folders: Sequence[Path] = (), extra: Mapping[str, str] | None = None, label: str = "") -> Outcome:
    """Shows the tests as they run, each with its time and each line behind `label`. `folders` are those of the modules that the arguments
    name. A test that was skipped counts as one that failed."""
    command = [str(VENV / "bin" / "python"), "-m", "unittest", "-v", *arguments]
    variables = {"PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONUNBUFFERED": "1", **(extra or {})}
    before = time.monotonic()

    def show(line: str) -> None:
        nonlocal before
        if re.search(r"(^|\.\.\. )(ok|FAIL|ERROR)$", line):
            line, before = f"{line} in {duration(time.monotonic() - before)}", time.monotonic()
        say(f"{label}{line}")

    lines, code = follow(command, variables, show=show)
    ran = [int(found[1]) for line in lines if (found := re.fullmatch(r"Ran (\d+) tests? in .*", line))]
    verdicts = [line for line in lines if re.match(r"(OK|FAILED)\b", line)]
    failed = sum(map(int, re.findall(r"(?:failures|errors|skipped|unexpected successes)=(\d+)", verdicts[-1] if verdicts else "")))
    if code and not failed or not ran or not ran[-1]:
        raise Problem("the tests were not finished")
    return Outcome(ran[-1], failed)


def modules(folder: Path) -> list[str]:
    """The modules of a folder that hold tests."""
    return sorted(path.stem for path in folder.glob("test_*.py"))
