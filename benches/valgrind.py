"""Counts of a program that ends by itself: instructions by callgrind, allocations by memcheck. They repeat to a few in a thousand whatever else runs."""

from collections.abc import Sequence
from pathlib import Path

from local.problem import Problem
from local.shell import capture, require

CALLGRIND = ("--tool=callgrind", "--callgrind-out-file=/dev/null")
MEMCHECK = ("--tool=memcheck", "--leak-check=no", "--undef-value-errors=no")


def instructions(command: Sequence[str | Path]) -> int:
    """The instructions of a program."""
    return number_after("Collected :", _run(CALLGRIND, command))


def allocations(command: Sequence[str | Path]) -> int:
    """The allocations of a program that uses the allocator of the C library."""
    return number_after("total heap usage:", _run(MEMCHECK, command))


def number_after(words: str, report: str) -> int:
    """The number that valgrind reports after these words."""
    _, found, after = report.partition(words)
    if not found:
        raise Problem(f"valgrind says nothing of `{words}`: {report}")
    return int(after.split()[0].replace(",", ""))


def _run(tool: Sequence[str], command: Sequence[str | Path]) -> str:
    done = capture([require("valgrind", "nothing can be counted without it (package valgrind)"), *tool, *command])
    if done.returncode:
        raise Problem(f"{Path(command[0]).name} failed under valgrind: {done.stderr}")
    return done.stderr
