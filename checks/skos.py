"""Downloads as SKOS, by tools that share nothing with their writer: rdflib reads them, pySHACL and skosify check them."""

from local.console import step
from local.shell import cargo, locked, run_quietly
from local.tools import ensure

from . import data, unittests
from .outcome import Outcome

#: The example that prints a download of a file, with the features of the whole workspace, so that `make test` has built it.
EXAMPLE = ("--workspace", "--example", "write")


def prove() -> Outcome:
    """Builds the example and runs the tests in `tests/skos`."""
    data.folder()
    ensure("checks")
    with step("Building the writer of downloads"):
        run_quietly([cargo(), "build", *locked(), *EXAMPLE], "building the writer of downloads")
    folder = unittests.TESTS / "skos"
    return unittests.run(unittests.modules(folder), [folder])
