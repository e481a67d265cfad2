"""The programs of the benchmark, and their builds."""

from collections.abc import Collection, Sequence
from pathlib import Path

from local.build import executables
from local.console import step
from local.paths import ROOT
from local.shell import cargo, locked, run_quietly

HERE, PEERS = ROOT / "Cargo.toml", ROOT / "benches" / "peers" / "Cargo.toml"
#: Each group is a build of its own, because the features of its packages must not reach another one: first what is deployed, with the profile of
#: a release; then what measures, optimised like it, without the minutes that its linking takes.
GROUPS: tuple[tuple[Path, str, tuple[str, ...]], ...] = (
    (HERE, "release", ("lookup", "projector")),
    (PEERS, "release", ("hello", "defaults")),
    (HERE, "bench", ("taxonomy-benches", "allocations", "aggregator", "pages")),
    (HERE, "bench", ("taxonomy-host", "taxonomy")),
    (PEERS, "measure", ("stores", "search", "reading")),
)
#: Of the programs that are not called like their package.
PACKAGES = {"allocations": "taxonomy-benches", "taxonomy": "taxonomy-cli"}


def build(names: Collection[str], profile: str | None = None) -> dict[str, Path]:
    """Builds the groups of these programs. Returns the path of each. A profile that is named replaces those of the groups."""
    programs: dict[str, Path] = {}
    for manifest, usual, group in GROUPS:
        if not set(group) & set(names):
            continue
        with step(f"Building {', '.join(group)}"):
            programs |= _cargo(manifest, profile or usual, group)
    return programs


def _cargo(manifest: Path, profile: str, names: Sequence[str]) -> dict[str, Path]:
    packages = [word for name in names for word in ("-p", PACKAGES.get(name, name))]
    command = [cargo(), "build", "--quiet", *locked(), "--manifest-path", manifest, "--profile", profile, *packages]
    return executables(run_quietly([*command, "--message-format=json-render-diagnostics"], "Building the benchmark"), names)
