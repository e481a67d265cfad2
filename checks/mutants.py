"""Runs the proofs against mutants: known mistakes, each a patch of `tests/mutants/` that a proof must detect.

All patches are applied together to one copy of the project, which is built once. The environment variable `MUTANT` then activates one mutant
in a process. A mutant is *killed* when the tests that its patch names fail, by the effect that the patch names.
"""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from local.build import executables
from local.console import say, step
from local.paths import ROOT
from local.problem import Problem
from local.shell import cargo

from . import copy
from .cargo_tests import PROFILE
from .outcome import Outcome

PATCHES = ROOT / "tests" / "mutants"
#: The copy of the project with all mutants.
COPY = ROOT / "target" / "mutants"
#: The most seeds that a mutant may survive.
SEEDS = 600
#: The most seconds for one test of one mutant.
SECONDS = 1800


@dataclass(frozen=True)
class Mutant:
    """A mutant and its fate, out of the head of its patch. A test is the path of one of the simulation, and the neighbour that one of isolation is
    limited to."""

    name: str
    #: A text that the output of each test must contain.
    effect: str
    #: Tests that must fail.
    killers: Sequence[str]
    #: Tests that must pass all the same: the mutant is harmless there, so it is not the test that is wrong.
    harmless: Sequence[str]

    @classmethod
    def read(cls, patch: Path) -> "Mutant":
        head = patch.read_text().partition("\ndiff --git")[0]
        killers, harmless = (re.findall(rf"^{name}: simulation (.+)$", head, re.MULTILINE) for name in ("Killed-by", "Harmless-in"))
        if not killers:
            raise Problem(f"{patch.name} names no test of the simulation that kills the mutant")
        return cls(patch.stem, next(iter(re.findall("^Effect: (.+)$", head, re.MULTILINE)), ""), killers, harmless)


def prove(names: Sequence[str] = ()) -> Outcome:
    """Builds the copy, shows that it passes without a mutant, and that each mutant, or each that is named, is killed."""
    mutants = [Mutant.read(patch) for patch in _patches() if patch.stem != "switch"]
    if unknown := sorted(set(names) - {mutant.name for mutant in mutants}):
        raise Problem(f"no such mutant: {', '.join(unknown)}")
    copy.refresh(COPY, "0.0.0-mutants", _apply)
    program = _build()
    tests = sorted({test for mutant in mutants for test in (*mutant.killers, *mutant.harmless)})
    alive = [f"{test} fails without a mutant" for test in tests if _run(program, test).returncode]
    killed = 0
    for mutant in [mutant for mutant in mutants if not names or mutant.name in names]:
        fates = [_fate(program, mutant, test) for test in mutant.killers]
        wrong = [words for is_killed, words in fates if not is_killed]
        wrong += [f"{test}: {mutant.effect}" for test in mutant.harmless if _run(program, test, mutant).returncode]
        alive += [f"{mutant.name}: {words}" for words in wrong]
        killed += not wrong
        say(f"    {mutant.name}: {'; '.join(words for _, words in fates)}")
    for line in alive:
        say(f"    error: {line}")
    return Outcome(killed + len(alive), len(alive))


def _patches() -> list[Path]:
    """The patches in the order in which they apply: the switch first."""
    patches = sorted(PATCHES.glob("*.patch"), key=lambda patch: (patch.stem != "switch", patch.stem))
    if not patches:
        raise Problem(f"no patches in {PATCHES.relative_to(ROOT)}")
    return patches


def _apply(folder: Path) -> None:
    """Applies the patches to the files of a folder."""
    for patch in _patches():
        # Outside of a repository git applies a patch to the files below the current folder.
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
        done = subprocess.run(["git", "apply", patch], cwd=folder, env=environment, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(f"{patch.relative_to(ROOT)} does not apply: {done.stderr.strip()}")


def _build() -> Path:
    """Builds the simulation of the copy, with the features and the profile with which that of the project has built the dependencies already."""
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    command = [cargo(), "test", "--workspace", "--profile", PROFILE, "--no-run", "--message-format=json-render-diagnostics", "--test", "simulation"]
    with step("Building the mutants"):
        done = subprocess.run(command, cwd=COPY, env=os.environ | {"CARGO_TARGET_DIR": target}, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise Problem("Building the mutants failed, see above")
    return executables(done.stdout, ("simulation",))["simulation"]


def _run(program: Path, test: str, mutant: Mutant | None = None) -> "subprocess.CompletedProcess[str]":
    path, *neighbour = test.split()
    variables = {"MUTANT": mutant.name, "PROVE_EFFECT": mutant.effect, "PROVE_SEEDS": str(SEEDS), "RUST_BACKTRACE": "0"} if mutant else {}
    variables |= {"PROVE_NEIGHBOUR": neighbour[0]} if neighbour else {}
    try:
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        done = subprocess.run([program, path, "--exact"], cwd=COPY / "tests", env=os.environ | variables, timeout=SECONDS, check=False, **output)
    except subprocess.TimeoutExpired as error:
        raise Problem(f"{test} did not end within {SECONDS} s") from error
    if "\nrunning 1 test\n" not in f"\n{done.stdout}":
        raise Problem(f"there is no test {path} in the simulation")
    return done


def _fate(program: Path, mutant: Mutant, test: str) -> tuple[bool, str]:
    done = _run(program, test, mutant)
    if not done.returncode:
        return False, f"survived {test}"
    if mutant.effect not in done.stdout:
        return False, f"killed by {test}, but not because {mutant.effect}"
    seeds = [int(seed) for seed in re.findall(r"PROVE_SEED=(\d+)", done.stdout)]
    return True, f"killed by {test}" + (f" at seed {min(seeds)}" if seeds else "")
