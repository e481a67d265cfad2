"""Builds the functions by `sam build`, for this machine, quickly."""

from .abi import check_c_library
from .paths import BUILD, VENV, credentials
from .say import step
from .shell import require, run
from .tools import ensure_python_tools

# A tenth of the release profile's time: a stack that lives for minutes does not win back what optimising costs.
# The environment overrides [profile.release] of Cargo.toml, so the very same `sam build` serves both.
QUICK_PROFILE = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
}


def build() -> None:
    """`.aws-sam/build` holds the three functions afterwards."""
    require("cargo", "install Rust from https://rustup.rs, the version is in rust-toolchain.toml")
    ensure_python_tools()
    with step("Building the functions (minutes the first time, seconds when nothing changed)"):
        # One after the other: they share the target folder, the first compiles the SDK for all.
        run([VENV / "bin" / "sam", "build", "--config-env", "local"], "sam build", credentials() | QUICK_PROFILE)
    check_c_library(sorted(BUILD.glob("*/bootstrap")))
