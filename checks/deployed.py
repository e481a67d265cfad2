"""The proof of the deployed stack: real taxonomies release by release, every route, invalid files, crashes, isolation, both tiers of caches."""

from collections.abc import Sequence

from local import stack

from . import data, unittests
from .outcome import Outcome

FOLDER = unittests.TESTS / "e2e"


def prove(only: Sequence[str] = ()) -> Outcome:
    """Runs the modules of `tests/e2e` over a stack with a second tier, or those that are named."""
    data.folder()
    with stack.running(second_tier=True):
        return unittests.run(only or unittests.modules(FOLDER), [FOLDER])
