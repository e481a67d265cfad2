"""The proof of the API over the running stack: every operation against the files, searches, cursors, downloads, and a steady load."""

import os

from local import stack
from local.paths import ROOT
from local.tools import ensure_check_tools

from . import unittests


def prove(only: list[str]) -> None:
    """Runs the modules of `tests/prove_api`, or those that are named; ends with one line of counts."""
    stack.load()
    ensure_check_tools()
    folder = ROOT / "tests" / "prove_api"
    modules = only or sorted(path.stem for path in folder.glob("test_*.py"))
    search = os.pathsep.join(str(path) for path in (folder, ROOT / "tests" / "e2e"))
    unittests.run(["-v", *modules], "prove-api", {"PYTHONPATH": search, "PYTHONUNBUFFERED": "1"})
