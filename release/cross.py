"""Builds the programs of a release for the architecture that this machine is not of: zig compiles and links for it."""

import shutil
from pathlib import Path

from local.console import step
from local.paths import COMMAND_LINE, FUNCTIONS, ROOT, VENV, credentials
from local.shell import capture, cargo, run_quietly

from .glibc import check_c_library, check_static

#: What Rust calls an architecture of Lambda.
MACHINES = {"x86_64": "x86_64", "arm64": "aarch64"}


def targets(architecture: str) -> tuple[str, str]:
    """The targets of the functions, which find the C library of Amazon Linux, and of the command line, which brings musl with it: zig links
    no glibc statically."""
    machine = MACHINES[architecture]
    return f"{machine}-unknown-linux-gnu", f"{machine}-unknown-linux-musl"


def missing_targets(architecture: str) -> list[str]:
    """The targets whose standard library Rust does not have here."""
    if shutil.which("rustup") is None:
        return list(targets(architecture))
    listed = capture(["rustup", "target", "list", "--installed"], credentials())
    installed = listed.stdout.split() if listed.returncode == 0 else []
    return [target for target in targets(architecture) if target not in installed]


def build(architecture: str) -> tuple[dict[str, Path], Path]:
    """The program of each function and the command line. Neither can be run here; the machine and the libraries that they need are checked."""
    cargo()
    of_functions, of_command_line = targets(architecture)
    folder = ROOT / "target" / f"release-{architecture}"
    with step(f"Building for {architecture} by cargo-lambda and zig (release profile)"):
        words = [VENV / "bin" / "cargo-lambda", "lambda", "build", "--release", "--lambda-dir", folder]
        binaries = [word for name in FUNCTIONS for word in ("--bin", name)]
        run_quietly([*words, "--target", of_functions, *binaries], f"cargo lambda build for {of_functions}", credentials())
        run_quietly([*words, "--target", of_command_line, "--package", "taxonomy-cli", "--bin", COMMAND_LINE], f"cargo lambda build for {of_command_line}", credentials())
    functions = {name: folder / name / "bootstrap" for name in FUNCTIONS}
    command_line = folder / COMMAND_LINE / "bootstrap"
    check_c_library(list(functions.values()))
    check_static(command_line)
    return functions, command_line
