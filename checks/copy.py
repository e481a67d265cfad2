"""A copy of the project at a fixed path, in which a proof changes the code: cargo builds only what changed since the last run."""

import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from local.paths import ROOT
from local.problem import Problem
from local.shell import capture, require


def refresh(copy: Path, version: str, change: Callable[[Path], None] = lambda _: None) -> None:
    """Makes `copy` equal to the files that git tracks, as they are in the work tree, after a change. Its packages have a version of their own: cargo
    names what it builds by package and version, not by folder, and would overwrite what it built of the project."""
    require("git", "install git")
    listed = capture(["git", "-C", str(ROOT), "ls-files", "-z"])
    if listed.returncode != 0:
        raise Problem(f"git ls-files failed: {listed.stderr.strip()}")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        change(folder)
        manifest = folder / "Cargo.toml"
        manifest.write_text(re.sub(r'(?m)^version = ".*"$', f'version = "{version}"', manifest.read_text(), count=1))
        _mirror(folder, copy)


def _mirror(source: Path, copy: Path) -> None:
    """Makes `copy` equal to `source`, and leaves equal files alone: cargo goes by their times."""
    names, before = ({path.relative_to(folder) for path in folder.rglob("*") if path.is_file()} for folder in (source, copy))
    for name in before - names:
        (copy / name).unlink()
    # Cargo takes an empty folder for a package without its manifest. The deepest come first.
    for folder in sorted((path for path in copy.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    for name in names:
        if name not in before or (source / name).read_bytes() != (copy / name).read_bytes():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, copy / name)
