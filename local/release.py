"""Builds the functions as they are deployed to AWS, by `sam build`: release profile, linked by zig for Amazon Linux's C library."""

from .abi import check_c_library
from .paths import BUILD, FUNCTIONS, VENV, credentials
from .say import step
from .shell import cargo, run_quietly
from .tools import ensure_release_tools


def build() -> None:
    """`.aws-sam/build` holds the functions afterwards, for this machine's architecture, and none needs a newer C library than AWS has."""
    cargo()
    ensure_release_tools()
    with step("Building the functions for AWS by sam build (release profile)"):
        # All at once, because they share most crates: `sam build` builds one after the other, and finds them built.
        binaries = [word for name in FUNCTIONS for word in ("--bin", name)]
        run_quietly([VENV / "bin" / "cargo-lambda", "lambda", "build", "--release", *binaries], "cargo lambda build", credentials())
        run_quietly([VENV / "bin" / "sam", "build", "--config-env", "local"], "sam build", credentials())
    check_c_library(sorted(BUILD.glob("*/bootstrap")))
