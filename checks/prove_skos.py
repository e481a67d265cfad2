"""Proves the downloads as SKOS by tools that share nothing with their writer: rdflib reads them, pySHACL and skosify check them."""

from local.console import step
from local.shell import cargo, run_quietly
from local.tools import ensure_check_tools

from . import unittests

#: The example that prints a download of a file, with the features of the whole workspace, so that `make test` has built it.
EXAMPLE = ("--locked", "--workspace", "--example", "write")


def prove() -> None:
    """Builds the example, runs the tests in `tests/skos`, and ends with one line of counts."""
    ensure_check_tools()
    with step("Building the writer of downloads"):
        run_quietly([cargo(), "build", *EXAMPLE], "building the writer of downloads")
    unittests.run(["discover", "-v", "-s", "tests/skos"], "prove-skos")
