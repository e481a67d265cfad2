"""The proof of the API over the stack: every operation against the files, searches, cursors, downloads, a steady load, and the description."""

from collections.abc import Sequence

from local import stack
from local.tools import ensure_check_tools

from . import data, description, unittests
from .outcome import Outcome


def prove(only: Sequence[str] = ()) -> Outcome:
    """Runs the modules of `tests/prove_api` and the checks of the description, or the modules that are named."""
    data.folder()
    ensure_check_tools()
    folder = unittests.TESTS / "prove_api"
    with stack.running() as here:
        outcome = unittests.run(only or unittests.modules(folder), [folder, unittests.TESTS / "e2e"])
        return outcome if only else outcome + description.check(here)
