"""Runs the proofs against mutants: known mistakes, each a patch of `tests/mutants/` that a proof must detect.

All patches are applied together to one copy of the project, which is built once. The environment variable `MUTANT` then activates one mutant
in a process. A mutant is *killed* when the tests that its patch names fail, by the effect that the patch names.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.console import say, step
from local.paths import ROOT
from local.problem import Problem
from local.shell import capture, cargo, require

from .outcome import Outcome
from .simulation import PROFILE

PATCHES = ROOT / "tests" / "mutants"
#: The copy of the project with all mutants. Its path is fixed, so that cargo builds only what changed since the last run.
COPY = ROOT / "target" / "mutants"
#: The version of the packages of the copy. Cargo names what it builds by package and version, not by folder: with the version of the project
#: the two would overwrite each other's files in a shared target folder.
VERSION = "0.0.0-mutants"
#: The most seeds that a mutant may survive.
SEEDS = 600
#: The most seconds for one test of one mutant.
SECONDS = 1800
#: Crates whose integration tests kill mutants; the other tests are those of `tests`.
CRATES = ("lookup",)


@dataclass(frozen=True)
class Test:
    """A test: its binary and path, and the neighbour that a test of isolation is limited to."""

    binary: str
    path: str
    neighbour: str | None

    @classmethod
    def parse(cls, text: str) -> "Test":
        binary, path, *neighbour = text.split()
        return cls(binary, path, neighbour[0] if neighbour else None)

    def __str__(self) -> str:
        return " ".join(word for word in (self.path, self.neighbour) if word)


@dataclass(frozen=True)
class Mutant:
    """A mutant and its fate, out of the head of its patch."""

    name: str
    #: A text that the output of each test must contain.
    effect: str
    #: Tests that must fail.
    killers: Sequence[Test]
    #: Tests that must pass all the same: the mutant is harmless there, so it is not the test that is wrong.
    harmless: Sequence[Test]

    @classmethod
    def read(cls, patch: Path) -> "Mutant":
        head = patch.read_text().partition("\ndiff --git")[0]

        def fields(name: str) -> list[str]:
            return re.findall(rf"^{name}: (.+)$", head, re.MULTILINE)

        killers = [Test.parse(text) for text in fields("Killed-by")]
        if not killers:
            raise Problem(f"{patch.name} names no test that kills the mutant")
        return cls(patch.stem, next(iter(fields("Effect")), ""), killers, [Test.parse(text) for text in fields("Harmless-in")])


def prove(names: Sequence[str] = ()) -> Outcome:
    """Builds the copy, shows that it passes without a mutant, and that each mutant, or each that is named, is killed."""
    mutants = _mutants()
    if unknown := sorted(set(names) - {mutant.name for mutant in mutants}):
        raise Problem(f"no such mutant: {', '.join(unknown)}")
    mutants = [mutant for mutant in mutants if not names or mutant.name in names]
    with tempfile.TemporaryDirectory() as folder:
        _patched(Path(folder))
        _mirror(Path(folder), COPY)
    binaries = _build()
    alive = list(_survivors(binaries))
    killed = 0
    for mutant in mutants:
        words = [_fate(mutant, test, binaries) for test in mutant.killers]
        wrong = [word for killed, word in words if not killed]
        wrong += [f"{test}: {mutant.effect}" for test in mutant.harmless if not _run(test, binaries, mutant).passed]
        alive += [f"{mutant.name}: {word}" for word in wrong]
        killed += not wrong
        say(f"    {mutant.name}: {'; '.join(word for _, word in words)}")
    for line in alive:
        say(f"    error: {line}")
    return Outcome(killed + len(alive), len(alive))


def _mutants() -> list[Mutant]:
    return [Mutant.read(patch) for patch in _patches() if patch.stem != "switch"]


def _patches() -> list[Path]:
    """The patches in the order in which they apply: the switch first."""
    patches = sorted(PATCHES.glob("*.patch"), key=lambda patch: (patch.stem != "switch", patch.stem))
    if not patches:
        raise Problem(f"no patches in {PATCHES.relative_to(ROOT)}")
    return patches


def _patched(folder: Path) -> None:
    """Copies the files that git tracks, as they are in the work tree, and applies the patches."""
    require("git", "install git")
    listed = capture(["git", "-C", str(ROOT), "ls-files", "-z"])
    if listed.returncode != 0:
        raise Problem(f"git ls-files failed: {listed.stderr.strip()}")
    for name in filter(None, listed.stdout.split("\0")):
        source, copy = ROOT / name, folder / name
        if source.is_symlink() or source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            _copy(source, copy)
    for patch in _patches():
        # Outside of a repository git applies a patch to the files below the current folder.
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
        done = subprocess.run(["git", "apply", patch], cwd=folder, env=environment, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(f"{patch.relative_to(ROOT)} does not apply: {done.stderr.strip()}")
    manifest = folder / "Cargo.toml"
    manifest.write_text(re.sub(r'(?m)^version = ".*"$', f'version = "{VERSION}"', manifest.read_text(), count=1))


def _copy(source: Path, copy: Path) -> None:
    if source.is_symlink():
        copy.symlink_to(source.readlink())
    else:
        copy.write_bytes(source.read_bytes())
        copy.chmod(source.stat().st_mode)


def _mirror(source: Path, copy: Path) -> None:
    """Makes `copy` equal to `source`, and leaves equal files alone: cargo goes by their times."""
    names = set(_files(source))
    for name in set(_files(copy)) - names:
        (copy / name).unlink()
    # Cargo takes an empty folder for a package without its manifest. The deepest come first.
    for folder in sorted((path for path in copy.rglob("*") if path.is_dir() and not path.is_symlink()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    for name in names:
        of, to = source / name, copy / name
        is_same = to.is_file() and not of.is_symlink() and not to.is_symlink() and of.read_bytes() == to.read_bytes()
        if not is_same:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.unlink(missing_ok=True)
            _copy(of, to)


def _files(folder: Path) -> Iterator[Path]:
    return (path.relative_to(folder) for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def _build() -> dict[str, tuple[Path, Path]]:
    """Builds the tests of the copy. Returns each binary with the folder that it runs in."""
    tests = {test.binary for mutant in _mutants() for test in mutant.killers} - set(CRATES)
    chosen = [word for test in (*sorted(tests), "it") for word in ("--test", test)]
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    # The features and the profile with which the simulations have built the dependencies already.
    command = [cargo(), "test", "--workspace", "--profile", PROFILE, "--no-run", "--message-format=json-render-diagnostics", *chosen]
    with step("Building the mutants", noisy=True):
        done = subprocess.run(command, cwd=COPY, env=os.environ | {"CARGO_TARGET_DIR": target}, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Problem("Building the mutants failed, see above")
    return dict(_binaries(done.stdout.splitlines()))


def _binaries(messages: Iterable[str]) -> Iterator[tuple[str, tuple[Path, Path]]]:
    for line in messages:
        message = json.loads(line)
        if message["reason"] != "compiler-artifact" or not message["executable"] or "test" not in message["target"]["kind"]:
            continue
        folder = Path(message["manifest_path"]).parent
        if folder.name == "tests":
            yield message["target"]["name"], (Path(message["executable"]), folder)
        elif folder.name in CRATES:
            yield folder.name, (Path(message["executable"]), folder)


@dataclass(frozen=True)
class Ended:
    """How a test ended."""

    passed: bool
    output: str


def _run(test: Test, binaries: dict[str, tuple[Path, Path]], mutant: Mutant | None = None) -> Ended:
    environment = dict(os.environ)
    if mutant:
        environment |= {"MUTANT": mutant.name, "PROVE_EFFECT": mutant.effect, "PROVE_SEEDS": str(SEEDS), "RUST_BACKTRACE": "0"}
    if test.neighbour:
        environment["PROVE_NEIGHBOUR"] = test.neighbour
    program, folder = binaries[test.binary]
    command = [str(program), test.path, "--exact"]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, timeout=SECONDS, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except subprocess.TimeoutExpired as error:
        raise Problem(f"{test} did not end within {SECONDS} s") from error
    if "\nrunning 1 test\n" not in f"\n{done.stdout}":
        raise Problem(f"there is no test {test.path} in {test.binary}")
    return Ended(done.returncode == 0, done.stdout)


def _survivors(binaries: dict[str, tuple[Path, Path]]) -> Iterator[str]:
    """The tests that fail in the copy although no mutant is active."""
    tests = {test for mutant in _mutants() for test in (*mutant.killers, *mutant.harmless)}
    for test in sorted(tests, key=str):
        if not _run(test, binaries).passed:
            yield f"{test} fails without a mutant"


def _fate(mutant: Mutant, test: Test, binaries: dict[str, tuple[Path, Path]]) -> tuple[bool, str]:
    outcome = _run(test, binaries, mutant)
    if outcome.passed:
        return False, f"survived {test}"
    if mutant.effect not in outcome.output:
        return False, f"killed by {test}, but not because {mutant.effect}"
    seeds = [int(seed) for seed in re.findall(r"PROVE_SEED=(\d+)", outcome.output)]
    return True, f"killed by {test}" + (f" at seed {min(seeds)}" if seeds else "")
