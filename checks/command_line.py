"""The proof of the command line over the stack: the first session, every exit code, a million metrics, interruptions."""

import re
from collections.abc import Sequence

from local import stack
from local.command_line import variables
from local.console import step
from local.paths import ROOT
from local.problem import Problem
from local.shell import cargo, locked, run_quietly
from local.stack import Stack
from local.tools import ensure_check_tools

from . import data, sarif, unittests
from .outcome import Outcome

#: Metrics that are expanded, kills of each command by each signal, concepts that are imported, real taxonomies that are exported and imported.
SIZES = {
    "PROVE_CLI_METRICS": "1000000",
    "PROVE_CLI_KILLS": "10",
    "PROVE_CLI_CONCEPTS": "1200000",
    "PROVE_CLI_TAXONOMIES": "iab,esco,google,icd10cm",
}
FOLDER = unittests.TESTS / "cli"
#: Its throughput is that of a stack that does nothing else.
ALONE = "test_expand"
#: Both send messages to the queues of the stack, and count those that are moved.
QUEUES = ("test_operators", "test_policies")


def prove(only: Sequence[str] = ()) -> Outcome:
    """Executes the pages of examples, the tests of `tests/cli` and the checks of SARIF, or the modules of tests that are named."""
    data.folder()
    ensure_check_tools()
    with stack.running() as here:
        if only:
            return tests(only)
        valid, invalid = sarif.check(here.commandLine)
        others = [[module] for module in unittests.modules(FOLDER) if module not in (ALONE, *QUEUES)]
        side_by_side = unittests.side_by_side([QUEUES, *others], [FOLDER], SIZES)
        return first_session(here) + side_by_side + tests([ALONE]) + Outcome(valid + invalid, invalid)


def first_session(here: Stack) -> Outcome:
    """Executes docs/first-session.md over the stack; its cases are its commands."""
    with step("Executing docs/first-session.md"):
        command = [cargo(), "test", *locked(), "--workspace", "--test", "deployed"]
        said = run_quietly(command, "the commands of docs/first-session.md", variables(here))
    if not re.search(r"^test result: ok\. [1-9]\d* passed", said, re.MULTILINE):
        raise Problem("docs/first-session.md was not executed")
    return Outcome(len(re.findall(r"^\$ taxonomy", (ROOT / "docs" / "first-session.md").read_text(), re.MULTILINE)), 0)


def tests(modules: Sequence[str]) -> Outcome:
    """Runs modules of `tests/cli` over the stack that is up."""
    return unittests.run(modules, [FOLDER], SIZES)
