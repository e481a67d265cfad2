"""Runs the long proofs one after the other, keeps their results by commit, and ends with one table."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from local.console import duration, say, step
from local.paths import ROOT
from local.problem import Problem
from local.shell import capture

from . import cargo_tests, conformance, counts, fuzz, mutants, mutation, pages, released, search, skos, suite
from .data import NotRun
from .outcome import Outcome

RESULTS = ROOT / "target" / "prove"
#: After these a proof is ended. The goal of each is 25, alone on two cores.
MINUTES = 60
#: For an interrupted proof to take down its stack.
SECONDS_TO_STOP = 60
#: The exit code of a proof that lacks what it needs.
CANNOT_RUN = 3


@dataclass(frozen=True)
class Proof:
    """A proof, by the name that people use. `parts` says what its arguments name, where it can be run in part; `build` makes in advance what it
    shares with other proofs."""

    name: str
    shows: str
    prove: Callable[..., Outcome]
    parts: str = ""
    build: Callable[[], None] | None = None


PROOFS = (
    Proof("store", "every crash, pairs of faults, preemptions and random orders of the event store", lambda: cargo_tests.simulation("store"), build=cargo_tests.build),
    Proof("losses", "an object lost or altered at every request of the event store is restored, two at once", lambda: cargo_tests.simulation("losses"), build=cargo_tests.build),
    Proof("aggregates", "the aggregates behind a stream that repeats, reorders and loses", lambda: cargo_tests.simulation("aggregates"), build=cargo_tests.build),
    Proof("caches", "no stale response while versions are published; what the tiers of caches save", cargo_tests.caches, build=cargo_tests.build),
    Proof("isolation", "noisy neighbours beside quiet tenants", lambda: cargo_tests.simulation("isolation"), build=cargo_tests.build),
    Proof("journeys", "every case of the journeys over the real functions", cargo_tests.journeys),
    Proof("memory", "peak memory of everything that reads a whole file; the formats over real taxonomies", cargo_tests.memory),
    Proof("search", "names of real taxonomies as people type them: how often the right one is first, or within five", search.prove, "taxonomies"),
    Proof("deployed", "real taxonomies, refused files, crashes and both tiers over the deployed stack", suite.deployed, "tests"),
    Proof("api", "every operation of the API against the files, its load and its description", suite.api, "tests"),
    Proof("cli", "the command line: every exit code, a million metrics, interruptions, formats", suite.command_line, "tests"),
    Proof("skos", "downloads as SKOS, by tools of others", skos.prove),
    Proof("pages", "the explorer and the API page in a real browser", pages.prove, "test files"),
    Proof("runbook", "each line of the runbook mends what its alarm is for", suite.runbook, "tests"),
    Proof("conformance", "the embedded engine and the journeys, against Amazon's DynamoDB Local", conformance.prove),
    Proof("mutants", "known mistakes, each of which a proof detects", mutants.prove, "mutants"),
    Proof("mutation", "a seeded sample of all small mistakes in keys, model, index and versions, each of which a test detects", mutation.prove),
    Proof("fuzz", "random input for everything that reads foreign input", fuzz.prove),
    Proof("counts", "instructions, allocations and sizes against the baseline", counts.prove),
    Proof("release", "a release as AWS gets it, deployed from its archive and run by sam local", released.prove),
)


@dataclass(frozen=True)
class Result:
    """How a proof ended: counted, or with a reason why it was not."""

    cases: int
    violations: int
    seconds: float
    unfinished: str = ""

    @property
    def holds(self) -> bool:
        return not self.violations and not self.unfinished


def run(names: Sequence[str]) -> None:
    """Runs the proofs that are named, or all. A clean checkout keeps their results, so that another call runs what is missing."""
    proofs = [_proof(name) for name in names] if names else list(PROOFS)
    folder = _folder()
    keeping = [_kept(folder, proof) for proof in proofs]
    for build in {proof.build for proof, kept in zip(proofs, keeping, strict=True) if proof.build and not kept}:
        # A proof builds what is missing itself, and says why it cannot.
        with suppress(Problem), step("Building what several proofs run"):
            build()
    results = []
    for number, (proof, kept) in enumerate(zip(proofs, keeping, strict=True), 1):
        say(f"##### {number} of {len(proofs)}: {proof.name}, {proof.shows}{': kept from an earlier call' if kept else ''}")
        results.append(kept or _result(proof, folder))
    _print(proofs, results)
    wrong = [proof.name for proof, result in zip(proofs, results, strict=True) if not result.holds and not _is_allowed(result)]
    if wrong:
        raise Problem(f"not proved: {', '.join(wrong)}")


def prove(name: str, parts: Sequence[str]) -> int:
    """One proof, or named parts of it, in this process. Its last line has its counts; returns its exit code."""
    proof = _proof(name)
    if parts and not proof.parts:
        raise Problem(f"the proof {name} has no parts")
    try:
        outcome = proof.prove(parts) if parts else proof.prove()
    except NotRun as reason:
        print(f"error: {reason}", file=sys.stderr)
        return CANNOT_RUN
    say(f"proof {name}: {outcome.cases:,} cases, {outcome.violations:,} violations")
    return 1 if outcome.violations else 0


def _proof(name: str) -> Proof:
    for proof in PROOFS:
        if proof.name == name:
            return proof
    raise Problem(f"there is no proof {name}; there are {', '.join(proof.name for proof in PROOFS)}")


def _folder() -> Path | None:
    """The folder of this commit's results; none for a checkout with changes, whose results would be of no commit."""
    commit, changes = capture(["git", "rev-parse", "HEAD"]), capture(["git", "status", "--porcelain"])
    if commit.returncode or changes.returncode or changes.stdout.strip():
        return None
    return RESULTS / commit.stdout.strip()


def _kept(folder: Path | None, proof: Proof) -> Result | None:
    try:
        kept = Result(**json.loads((folder / f"{proof.name}.json").read_text())) if folder else None
    except (OSError, ValueError, TypeError):
        return None
    return kept if kept and kept.holds else None


def _result(proof: Proof, folder: Path | None) -> Result:
    """Runs a proof in a process of its own, which is ended when it takes too long, shows its output and keeps it."""
    place = folder or RESULTS / "changed"
    place.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with (place / f"{proof.name}.log").open("w") as log:
        command = [sys.executable, "-m", "checks", "proof", proof.name]
        running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        output, ended = _follow(running, log)
    result = _judged(proof, output, ended, time.monotonic() - started)
    # The checkout may have changed meanwhile.
    if folder and folder == _folder():
        (folder / f"{proof.name}.json").write_text(json.dumps(asdict(result)) + "\n")
    say(f"##### {proof.name}: {_text(result)} in {duration(result.seconds)}")
    return result


def _follow(running: "subprocess.Popen[str]", log: TextIO) -> tuple[list[str], int | None]:
    """Returns the lines of a process and its exit code; none where it was ended."""
    lines: list[str] = []
    late = threading.Event()

    def end() -> None:
        late.set()
        _end(running)

    timer = threading.Timer(MINUTES * 60, end)
    timer.start()
    try:
        for line in running.stdout or ():
            lines.append(line.rstrip())
            log.write(line)
            say(lines[-1])
        code = running.wait()
    except BaseException:
        _end(running)
        raise
    finally:
        timer.cancel()
    return lines, None if late.is_set() else code


def _end(running: "subprocess.Popen[str]") -> None:
    """Interrupts a proof, so that it takes down the stack that it put up, and kills it where it goes on."""
    for number, seconds in ((signal.SIGINT, SECONDS_TO_STOP), (signal.SIGKILL, 10)):
        with suppress(ProcessLookupError):
            os.killpg(running.pid, number)
        with suppress(subprocess.TimeoutExpired):
            running.wait(seconds)
            return


def _judged(proof: Proof, lines: Sequence[str], code: int | None, seconds: float) -> Result:
    found = [counted for line in lines if (counted := re.fullmatch(rf"proof {proof.name}: ([\d,]+) cases, ([\d,]+) violations", line))]
    if code in (0, 1) and found:
        cases, violations = (int(number.replace(",", "")) for number in found[-1].groups())
        if cases:
            return Result(cases, violations, seconds)
    if code is None:
        return Result(0, 0, seconds, f"ended after {MINUTES} minutes")
    reasons = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    reason = reasons[-1] if reasons else f"ended with {code}"
    return Result(0, 0, seconds, f"not run: {reason}" if code == CANNOT_RUN else f"not finished: {reason}")


def _is_allowed(result: Result) -> bool:
    """Whoever has no real taxonomies says so, and then what needs them is left out and named."""
    return os.environ.get("TAXONOMY_DATA") == "none" and result.unfinished.startswith("not run: ")


def _text(result: Result) -> str:
    return result.unfinished or f"{result.cases:,} cases, {result.violations:,} violations"


def _print(proofs: Sequence[Proof], results: Sequence[Result]) -> None:
    say()
    say(f"{'proof':<12}{'cases':>14}{'violations':>12}{'time':>14}")
    for proof, result in zip(proofs, results, strict=True):
        say(f"{proof.name:<12}{result.cases:>14,}{result.violations:>12,}{duration(result.seconds):>14}{f'  {result.unfinished}' if result.unfinished else ''}")
    say(f"{'all':<12}{sum(r.cases for r in results):>14,}{sum(r.violations for r in results):>12,}{duration(sum(r.seconds for r in results)):>14}")
    left = [proof.name for proof, result in zip(proofs, results, strict=True) if result.unfinished.startswith("not run: ")]
    if left:
        say(f"left out: {', '.join(left)}")
