"""The real taxonomies, which belong to others and are not in the repository."""

import os
from pathlib import Path

from local.paths import ROOT
from local.problem import Problem


class NotRun(Problem):
    """A proof cannot run here, and says what it needs."""


def folder() -> Path:
    """The folder that TAXONOMY_DATA names, else the usual one beside the checkout."""
    path = Path(os.environ.get("TAXONOMY_DATA", ROOT.parent / "shared" / "data")).resolve()
    if not path.is_dir():
        raise NotRun("the real taxonomies are missing: TAXONOMY_DATA names their folder")
    return path


def file(name: str) -> Path:
    """The path of a real taxonomy."""
    path = folder() / name
    if not path.exists():
        raise NotRun(f"{name} is not in the folder of the real taxonomies, {folder()}")
    return path
