"""The programs of the benchmark, and their builds."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from local.build import executables
from local.console import step
from local.paths import ROOT
from local.shell import cargo, locked, run_quietly

#: Programs of several profiles whose folder cargo shares.
FOLDER = ROOT / "target" / "programs"
PEERS = ROOT / "benches" / "peers" / "Cargo.toml"
#: As they are deployed, of each workspace; the rest is optimised like a release, without the minutes that its linking takes.
DEPLOYED = (("lookup", "projector"), ("hello", "defaults"))
MEASURING = (("taxonomy-host", "taxonomy-benches", "allocations", "aggregator", "pages", "taxonomy"), ("stores", "search", "reading"))
#: Of the programs that are not called like their package.
PACKAGES = {"allocations": "taxonomy-benches", "taxonomy": "taxonomy-cli"}


def build(profile: str | None = None) -> dict[str, Path]:
    """Builds everything. Returns the path of each program. `profile` replaces both profiles, to see that everything works without the minutes of a release."""
    programs: dict[str, Path] = {}
    for manifest, of_deployed, of_measuring in ((ROOT / "Cargo.toml", "release", "bench"), (PEERS, "release", "measure")):
        place = 0 if manifest != PEERS else 1
        with step(f"Building {', '.join((*DEPLOYED[place], *MEASURING[place]))}"):
            programs |= _kept(_cargo(manifest, profile or of_deployed, DEPLOYED[place]))
            programs |= _cargo(manifest, profile or of_measuring, MEASURING[place])
    return programs


def _kept(built: dict[str, Path]) -> dict[str, Path]:
    """Copies, which another build of another profile does not replace."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    return {name: Path(shutil.copy2(path, FOLDER)) for name, path in built.items()}


def _cargo(manifest: Path, profile: str, names: Sequence[str]) -> dict[str, Path]:
    # A build of its own for what is deployed: features of other packages must not reach it.
    packages = [word for name in names for word in ("-p", PACKAGES.get(name, name))]
    command = [cargo(), "build", "--quiet", *locked(), "--manifest-path", manifest, "--profile", profile, *packages]
    return executables(run_quietly([*command, "--message-format=json-render-diagnostics"], "Building the benchmark"), names)
