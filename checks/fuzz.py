"""Runs every fuzz target a fixed number of times from a fixed seed: long enough to find what a change broke, the same each time."""

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from local.build import host
from local.console import say, step
from local.paths import ROOT
from local.problem import Problem
from local.shell import capture, cargo, locked, require

from .outcome import Outcome

FUZZ = ROOT / "fuzz"
RUNS = 1_000_000
#: The inputs that crashed a target.
ARTIFACTS = FUZZ / "artifacts"
#: Where the inputs of each target begin: what the project shows anyway, and small seeds where it shows nothing.
SEEDS: dict[str, Sequence[str]] = {
    "source_json": ("samples", "fuzz/seeds/source_json"),
    "snapshot": ("fuzz/seeds/snapshot",),
    "key_codec": ("fuzz/seeds/key_codec",),
    "upload_event": ("events/projector",),
    "stream_record": ("events/aggregator",),
    "changeset_header": ("fuzz/seeds/changeset_header",),
    "second_tier": ("fuzz/seeds/second_tier",),
    "if_none_match": ("fuzz/seeds/if_none_match",),
    "index_file": ("fuzz/seeds/index_file",),
    "foreign_text": ("fuzz/seeds/foreign_text",),
    "foreign_turtle": ("samples/import", "fuzz/seeds/foreign_turtle"),
    "foreign_json_ld": ("samples/import", "fuzz/seeds/foreign_json_ld"),
    "foreign_rdf_xml": ("samples/import", "fuzz/seeds/foreign_rdf_xml"),
    "foreign_esco": ("samples/import", "fuzz/seeds/foreign_esco"),
}
#: The largest seed but for whole taxonomies; a run of ten seconds or of a gigabyte is a crash of its own.
LIMITS = ("-max_len=12000", "-timeout=10", "-rss_limit_mb=1024")


@dataclass(frozen=True)
class Runs:
    """How the runs of one target ended."""

    target: str
    runs: int
    seconds: int
    crashed: bool
    output: str


def prove() -> Outcome:
    """Builds the targets and runs them, as many at once as there are cores. FUZZ_RUNS is the number of runs of each."""
    runs = int(os.environ.get("FUZZ_RUNS", RUNS))
    compiler = os.environ.get("CXX", "c++").split()[0]
    require(compiler, "libFuzzer is C++; install a compiler (package g++), or name one in CXX")
    cargo()
    targets = {source.stem for source in (FUZZ / "fuzz_targets").glob("*.rs")}
    if targets != set(SEEDS):
        raise Problem(f"fuzz targets without seeds, or seeds without a target: {', '.join(sorted(targets ^ set(SEEDS)))}")
    binaries = _build()
    with step(f"Running each target {runs} times", noisy=True), ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda target: _run(target, binaries / target, runs), SEEDS))
    crashes = [outcome for outcome in outcomes if outcome.crashed]
    for outcome in crashes:
        say(outcome.output)
        say(f"    {outcome.target} crashed; the input is in {ARTIFACTS.relative_to(ROOT)}/")
    return Outcome(sum(outcome.runs for outcome in outcomes), len(crashes))


def _build() -> Path:
    """Builds in `fuzz/`, where cargo finds the flags for it, and returns the folder of the programs."""
    target_folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target" / "fuzz")).resolve()
    with step("Building the fuzz targets", noisy=True):
        environment = os.environ | {"CARGO_TARGET_DIR": str(target_folder)}
        # Flags from outside would replace those that make a fuzz target of a program.
        environment.pop("RUSTFLAGS", None)
        done = subprocess.run(["cargo", "build", "--bins", *locked()], cwd=FUZZ, env=environment, check=False)
    if done.returncode != 0:
        raise Problem("Building the fuzz targets failed, see above")
    return target_folder / host() / "debug"


def _run(target: str, binary: Path, runs: int) -> Runs:
    ARTIFACTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as found:
        seeds = [ROOT / folder for folder in SEEDS[target]]
        prefix = f"-artifact_prefix={ARTIFACTS}/{target}-"
        command = [binary, f"-runs={runs}", "-seed=1", *LIMITS, prefix, found, *seeds]
        done = capture([str(word) for word in command], {"RUST_BACKTRACE": "0"})
    finished = re.search(r"^Done (\d+) runs in (\d+) second", done.stderr, re.MULTILINE)
    last = re.findall(r"^#(\d+)\t", done.stderr, re.MULTILINE)
    if finished:
        outcome = Runs(target, int(finished[1]), int(finished[2]), done.returncode != 0, "")
        say(f"    {target}: {outcome.runs} runs in {outcome.seconds} s")
        return outcome
    # Without the closing line the target crashed, or was no fuzz target at all.
    return Runs(target, int(last[-1]) if last else 0, 0, True, "\n".join(done.stderr.splitlines()[-40:]))
