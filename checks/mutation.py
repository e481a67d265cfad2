"""Mutates the code of the pure packages and of the versions by cargo-mutants: a seeded sample of its mutants, each of which a test detects."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from local.console import say, step
from local.paths import ROOT, TOOLS, VALKEY
from local.problem import Problem
from local.shell import cargo, environment, run_quietly
from local.tools import ensure_valkey

from . import copy
from .outcome import Outcome

VERSION = "27.1.0"
PROGRAM = TOOLS / "mutants" / "bin" / "cargo-mutants"
FOLDER = ROOT / "target" / "mutation"
#: The copy of the project that is mutated, file by file.
COPY = FOLDER / "project"
PACKAGES = [f"--package=taxonomy-{name}" for name in ("keys", "model", "index", "versioning")]
#: The tests of versions are the journeys over the real functions.
VERSIONS = "shared/taxonomy-versioning/"
#: With the features of `make test`, whose build of everything that is not mutated serves here as well.
JOURNEYS = ("--cargo-arg=--workspace", "--cargo-arg=--test=integration")
#: A sample is one of so many mutants.
ONE_OF = 1000
#: Exit codes: each mutant was detected; some were missed; some tests did not end.
FINISHED = (0, 2, 3)


@dataclass(frozen=True)
class Tested:
    """The mutants that compile: those that a test detected, by failing or by not ending, and those that none did."""

    detected: int
    missed: Sequence[str]


def prove() -> Outcome:
    """Tests the sample MUTATION_SEED (0): by the tests of the mutated package, and what these miss by the journeys. A mutant is a case. Those that
    no test can detect are listed in .cargo/mutants.toml."""
    seed = int(os.environ.get("MUTATION_SEED", "0")) % ONE_OF
    ensure_valkey()
    _install()
    copy.refresh(COPY, "0.0.0-mutation")
    every = run_quietly(_command("--list"), "Listing the mutants").splitlines()
    sample = every[seed::ONE_OF]
    versions = [name for name in sample if name.startswith(VERSIONS)]
    by_own = _test("the tests of their packages", every, sorted({*sample} - {*versions}))
    by_journeys = _test("the journeys", every, [*by_own.missed, *versions], *JOURNEYS)
    for name in by_journeys.missed:
        say(f"    error: no test detects {name}")
    return Outcome(by_own.detected + by_journeys.detected + len(by_journeys.missed), len(by_journeys.missed))


def _test(tests: str, every: Sequence[str], chosen: Sequence[str], *arguments: str) -> Tested:
    """Runs tests over the code itself, and then over each mutant that is chosen out of every one."""
    if not chosen:
        return Tested(0, ())
    results = FOLDER / "mutants.out"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    # Patterns of names choose too many in this version, but what was caught before is left out by its whole name.
    (results / "caught.txt").write_text("".join(f"{name}\n" for name in every if name not in chosen))
    bounds = ["--minimum-test-timeout=60", "--timeout-multiplier=3", "--colors=never"]
    with step(f"Testing {len(chosen)} mutants by {tests}"):
        variables = environment({"CARGO_TARGET_DIR": str(ROOT / "target"), "REDIS_SERVER": os.environ.get("REDIS_SERVER", str(VALKEY))})
        command = _command("--in-place", "--iterate", f"--output={FOLDER}", *bounds, *arguments)
        done = subprocess.run(command, cwd=COPY, env=variables, check=False)
    if done.returncode not in FINISHED:
        raise Problem(f"cargo-mutants ended with exit code {done.returncode}, see above")
    counts = json.loads((results / "outcomes.json").read_text())
    if counts["total_mutants"] != len(chosen):
        raise Problem(f"cargo-mutants tested {counts['total_mutants']} of {len(chosen)} mutants")
    say(f"    {counts['caught']} detected, {counts['timeout']} endless, {counts['missed']} missed; {counts['unviable']} do not compile")
    return Tested(counts["caught"] + counts["timeout"], (results / "missed.txt").read_text().splitlines())


def _command(*arguments: str) -> list[str]:
    return [str(PROGRAM), "mutants", f"--dir={COPY}", *PACKAGES, *arguments]


def _install() -> None:
    """As a program of crates.io: there is no wheel of it."""
    if PROGRAM.exists() and re.search(rf"\b{re.escape(VERSION)}\b", run_quietly([PROGRAM, "mutants", "--version"], "Asking cargo-mutants for its version")):
        return
    with step(f"Installing cargo-mutants {VERSION} into .tools/"):
        command = [cargo(), "install", "cargo-mutants", "--version", VERSION, "--locked", "--force", "--root", PROGRAM.parents[1]]
        run_quietly(command, "Installing cargo-mutants")
