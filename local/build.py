"""Builds the functions by `sam build`, for this machine, quickly."""

from .abi import check_c_library
from .paths import BUILD, FUNCTIONS, VENV, credentials
from .say import step
from .shell import require, run, run_quietly
from .tools import ensure_python_tools

# Less than half of the release profile's time, and seconds instead of minutes after an edit: a stack that lives for
# minutes does not win back what optimising costs.
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
    environment = credentials() | QUICK_PROFILE
    with step("Building the functions (minutes the first time, seconds when nothing changed)"):
        # All at once, because they share most crates, and before `sam build`, because that shows nothing while it compiles.
        binaries = [word for name in FUNCTIONS for word in ("--bin", name)]
        run([VENV / "bin" / "cargo-lambda", "lambda", "build", "--release", *binaries], "cargo lambda build", environment)
        run_quietly([VENV / "bin" / "sam", "build", "--config-env", "local"], "sam build", environment)
    check_c_library(sorted(BUILD.glob("*/bootstrap")))
