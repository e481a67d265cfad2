"""Mutates the code of the pure packages and of the versions by cargo-mutants: a seeded sample of its mutants, each of which a test detects."""

import json
import os
import re
import subprocess
from dataclasses import dataclass

from local.console import say, step
from local.paths import ROOT, TOOLS
from local.problem import Problem
from local.shell import cargo, environment, run_quietly

from . import copy
from .outcome import Outcome, total

VERSION = "27.1.0"
PROGRAM = TOOLS / "mutants" / "bin" / "cargo-mutants"
FOLDER = ROOT / "target" / "mutation"
#: The copy of the project that is mutated, file by file.
COPY = FOLDER / "project"
#: Exit codes: each mutant was detected; some were missed; some tests did not end.
FINISHED = (0, 2, 3)


@dataclass(frozen=True)
class Group:
    """Packages whose mutants the same tests detect: their own, and some of further packages. A sample is one of so many mutants."""

    packages: tuple[str, ...]
    one_of: int
    tests: tuple[str, ...] = ()


GROUPS = (
    Group(("taxonomy-keys", "taxonomy-model", "taxonomy-index"), 200),
    Group(("taxonomy-versioning",), 400, ("--test-package=taxonomy-tests", "--cargo-test-arg=--test=integration")),
)


def prove() -> Outcome:
    """Tests the sample MUTATION_SEED (0). A mutant that compiles is a case; one that no test detects a violation. An endless test detects one."""
    seed = int(os.environ.get("MUTATION_SEED", "0"))
    _install()
    copy.refresh(COPY, "0.0.0-mutation")
    return total(_sample(group, seed % group.one_of) for group in GROUPS)


def _sample(group: Group, seed: int) -> Outcome:
    packages = [f"--package={package}" for package in group.packages]
    bounds = ["--minimum-test-timeout=60", "--timeout-multiplier=3", "--colors=never"]
    sample = [f"--shard={seed}/{group.one_of}", "--sharding=round-robin"]
    command = [PROGRAM, "mutants", "--in-place", f"--dir={COPY}", f"--output={FOLDER}", *packages, *sample, *group.tests, *bounds]
    with step(f"Testing one of {group.one_of} mutants of {', '.join(group.packages)}, from the {seed + 1}. on"):
        done = subprocess.run([str(word) for word in command], cwd=COPY, env=environment({"CARGO_TARGET_DIR": str(FOLDER / "target")}), check=False)
    if done.returncode not in FINISHED:
        raise Problem(f"cargo-mutants ended with exit code {done.returncode}, see above")
    counts = json.loads((FOLDER / "mutants.out" / "outcomes.json").read_text())
    say(f"    {counts['caught']} detected, {counts['timeout']} endless, {counts['missed']} missed; {counts['unviable']} do not compile")
    return Outcome(counts["caught"] + counts["timeout"] + counts["missed"], counts["missed"])


def _install() -> None:
    """As a program of crates.io: there is no wheel of it."""
    if PROGRAM.exists() and re.search(rf"\b{re.escape(VERSION)}\b", run_quietly([PROGRAM, "mutants", "--version"], "Asking cargo-mutants for its version")):
        return
    with step(f"Installing cargo-mutants {VERSION} into .tools/"):
        command = [cargo(), "install", "cargo-mutants", "--version", VERSION, "--locked", "--force", "--root", PROGRAM.parents[1]]
        run_quietly(command, "Installing cargo-mutants")
