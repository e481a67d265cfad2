"""Builds the functions as they are deployed to AWS, by `sam build`: release profile, linked by zig for Amazon Linux's C library."""

from .abi import check_c_library
from .paths import BUILD, FUNCTIONS, VENV, credentials
from .say import step
from .shell import cargo, run_quietly
from .tools import ensure_release_tools


#: The release profile without what takes minutes and changes nothing that a sample event could show.
QUICK = {"CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1"}


def build(*, quick: bool = False) -> None:
    """`.aws-sam/build` holds the functions afterwards, for this machine's architecture, and none needs a newer C library than AWS has."""
    cargo()
    ensure_release_tools()
    environment = credentials() | (QUICK if quick else {})
    with step(f"Building the functions for AWS by sam build (release profile{', not optimised as a whole' if quick else ''})"):
        # All at once, because they share most crates: `sam build` builds one after the other, and finds them built.
        binaries = [word for name in FUNCTIONS for word in ("--bin", name)]
        run_quietly([VENV / "bin" / "cargo-lambda", "lambda", "build", "--release", *binaries], "cargo lambda build", environment)
        run_quietly([VENV / "bin" / "sam", "build", "--config-env", "local"], "sam build", environment)
    check_c_library(sorted(BUILD.glob("*/bootstrap")))
