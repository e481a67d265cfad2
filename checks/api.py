"""The proof of the API over the stack: every operation against the files, searches, cursors, downloads, a steady load, and the description."""

from collections.abc import Sequence

from local import stack
from local.tools import ensure_check_tools

from . import data, description, unittests
from .outcome import Outcome

FOLDER = unittests.TESTS / "prove_api"
FOLDERS = (FOLDER, unittests.TESTS / "e2e")
#: They measure the memory and the answers of a stack that does nothing else.
ALONE = ("test_cold", "test_load")


def prove(only: Sequence[str] = ()) -> Outcome:
    """Runs the modules of `tests/prove_api` and the checks of the description, or the modules that are named."""
    data.folder()
    ensure_check_tools()
    with stack.running() as here:
        if only:
            return unittests.run(only, FOLDERS)
        others = [[module] for module in unittests.modules(FOLDER) if module not in ALONE]
        return unittests.side_by_side(others, FOLDERS) + unittests.run(ALONE, FOLDERS) + description.check(here)
