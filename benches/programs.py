"""The programs of the benchmark, and their builds."""

import os
import shutil
from pathlib import Path

from local.console import step
from local.paths import ROOT
from local.shell import cargo, run_quietly

#: Programs of several profiles whose folder cargo shares.
FOLDER = ROOT / "target" / "programs"
PEERS = ROOT / "benches" / "peers" / "Cargo.toml"
#: The packages of `make benches`, so that both builds have the same features and compile each package once.
COUNTED = [word for package in ("taxonomy-benches", "aggregator", "lookup", "pages", "projector") for word in ("-p", package)]


def target() -> Path:
    """Cargo's folder."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def build() -> None:
    """Builds the lookup and its peers as they are deployed, and the programs that measure."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with step("Building the lookup with the profile of a release"):
        _cargo("--release", "-p", "lookup", "--bin", "lookup")
        shutil.copy2(target() / "release" / "lookup", FOLDER)
    with step("Building the peers of a cold start"):
        _cargo("--release", "--manifest-path", PEERS, "-p", "hello", "-p", "defaults")
        for name in ("hello", "defaults"):
            shutil.copy2(_peers_target() / "release" / name, FOLDER)
    with step("Building the programs that measure"):
        _cargo("--profile", "bench", *COUNTED)
        _cargo("--profile", "measure", "--manifest-path", PEERS, "-p", "stores", "-p", "layouts", "-p", "ingest", "-p", "search")


def measuring(name: str) -> Path:
    """The path of a program of the peers' workspace that measures."""
    return _peers_target() / "measure" / name


def counting() -> Path:
    """The path of the program that counts by valgrind."""
    return target() / "release" / "taxonomy-benches"


def _peers_target() -> Path:
    return Path(os.environ.get("CARGO_TARGET_DIR", PEERS.parent / "target"))


def _cargo(*arguments: str | Path) -> None:
    locked = ["--locked"] if os.environ.get("CI") else []
    run_quietly([cargo(), "build", "--quiet", *locked, *arguments], "Building the benchmark")
