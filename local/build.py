"""Builds the functions and the command line for the stack on this machine, with the profile, the features and the target folder of `make test`,
which then finds every dependency built: docs/decisions/0012-local-build.md."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from .paths import COMMAND_LINE, FUNCTIONS
from .problem import Problem
from .console import step
from .shell import capture, cargo, locked, run_quietly

PROGRAMS = (*FUNCTIONS, COMMAND_LINE)
#: The whole workspace for its features, and a small test, with which cargo counts the dependencies of tests among them.
SELECTION = ["--workspace", *(word for name in PROGRAMS for word in ("--bin", name)), "--test", "aws"]


def build() -> dict[str, Path]:
    """The program of each function and the command line, for this machine alone: AWS gets those of `sam build`."""
    program = cargo()
    with step("Downloading the crates of Cargo.lock"):
        run_quietly([program, "fetch", *locked(), "--target", host()], "Downloading the crates of Cargo.lock")
    with step("Building the functions and the command line"):
        command = [program, "build", *locked(), *SELECTION, "--message-format=json-render-diagnostics"]
        return executables(run_quietly(command, "Building the functions and the command line"))


def executables(messages: str, names: Sequence[str] = PROGRAMS) -> dict[str, Path]:
    """The path of each program, out of what cargo says of a build."""
    built = [json.loads(line) for line in messages.splitlines() if line.startswith("{")]
    programs = {each["target"]["name"]: Path(each["executable"]) for each in built if each.get("executable")}
    missing = [name for name in names if name not in programs]
    if missing:
        raise Problem(f"cargo built no program of {', '.join(missing)}")
    return {name: programs[name] for name in names}


def host() -> str:
    """Returns the target of this machine's compiler."""
    said = re.search(r"^host: (.*)$", capture(["rustc", "-vV"]).stdout, re.MULTILINE)
    if said is None:
        raise Problem("rustc does not say what it builds for")
    return said[1]
