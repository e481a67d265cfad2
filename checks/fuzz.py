"""Runs every fuzz target a fixed number of times from a fixed seed: long enough to find what a change broke, the same each time."""

import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from local.build import host
from local.console import say, step
from local.paths import ROOT
from local.problem import Problem
from local.shell import capture, cargo, locked, require

from .outcome import Outcome, total

FUZZ = ROOT / "fuzz"
RUNS = 1_000_000
#: The inputs that crashed a target.
ARTIFACTS = FUZZ / "artifacts"
#: Beside its own folder in `fuzz/seeds`, a target begins with what the project shows anyway.
FURTHER_SEEDS = {"source_json": "samples", "upload_event": "events/projector", "stream_record": "events/aggregator"}
FURTHER_SEEDS |= dict.fromkeys(("foreign_turtle", "foreign_json_ld", "foreign_rdf_xml", "foreign_esco"), "samples/import")
#: The largest seed but for whole taxonomies; a run of ten seconds or of a gigabyte is a crash of its own.
LIMITS = ("-max_len=12000", "-timeout=10", "-rss_limit_mb=1024")


def prove() -> Outcome:
    """Builds the targets and runs them, as many at once as there are cores. FUZZ_RUNS is the number of runs of each."""
    runs = int(os.environ.get("FUZZ_RUNS", RUNS))
    compiler = os.environ.get("CXX", "c++").split()[0]
    require(compiler, "libFuzzer is C++; install a compiler (package g++), or name one in CXX")
    cargo()
    targets = sorted(source.stem for source in (FUZZ / "fuzz_targets").glob("*.rs"))
    binaries = _build()
    with step(f"Running each target {runs} times"), ThreadPoolExecutor(os.cpu_count()) as pool:
        return total(pool.map(lambda target: _run(target, binaries / target, runs), targets))


def _build() -> Path:
    """Builds in `fuzz/`, where cargo finds the flags for it, and returns the folder of the programs."""
    target_folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target" / "fuzz")).resolve()
    with step("Building the fuzz targets"):
        environment = os.environ | {"CARGO_TARGET_DIR": str(target_folder)}
        # Flags from outside would replace those that make a fuzz target of a program.
        environment.pop("RUSTFLAGS", None)
        done = subprocess.run(["cargo", "build", "--bins", *locked()], cwd=FUZZ, env=environment, check=False)
    if done.returncode != 0:
        raise Problem("Building the fuzz targets failed, see above")
    return target_folder / host() / "debug"


def _run(target: str, binary: Path, runs: int) -> Outcome:
    ARTIFACTS.mkdir(exist_ok=True)
    seeds = [folder for folder in (FUZZ / "seeds" / target, ROOT / FURTHER_SEEDS.get(target, "nowhere")) if folder.is_dir()]
    if not seeds:
        raise Problem(f"the fuzz target {target} has no seeds in fuzz/seeds")
    with tempfile.TemporaryDirectory() as found:
        command = [binary, f"-runs={runs}", "-seed=1", *LIMITS, f"-artifact_prefix={ARTIFACTS}/{target}-", found, *seeds]
        done = capture(command, {"RUST_BACKTRACE": "0"})
    finished = re.search(r"^Done (\d+) runs in (\d+) second", done.stderr, re.MULTILINE)
    if finished and done.returncode == 0:
        say(f"    {target}: {finished[1]} runs in {finished[2]} s")
        return Outcome(int(finished[1]), 0)
    # Without the closing line the target crashed, or was no fuzz target at all.
    say("\n".join([*done.stderr.splitlines()[-40:], f"    {target} crashed; the input is in {ARTIFACTS.relative_to(ROOT)}/"]))
    return Outcome(1, 1)
