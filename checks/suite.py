"""The suite over the deployed stack: `tests/stack`, a folder of journeys for each kind of user. Each module belongs to one proof."""

import re
from collections.abc import Mapping, Sequence

from local import stack
from local.command_line import variables
from local.console import step
from local.paths import ROOT
from local.problem import Problem
from local.shell import cargo, locked, run_quietly
from local.stack import Stack
from local.tools import ensure

from . import data, description, load, sarif, unittests
from .outcome import Outcome

FOLDER = unittests.TESTS / "stack"
FOLDERS = [FOLDER, *(FOLDER / users for users in ("upstreams", "consumers", "operators", "readers"))]
#: Over a stack with a second tier.
DEPLOYED = ("test_releases.JobBoard", "test_releases.Iab", "test_releases.Esco", "test_refusals", "test_gateway", "test_caches", "test_crashes", "test_pages")
API = ("test_releases.Google", "test_releases.Icd10cm")
#: They measure a stack that does nothing else.
COLD, EXPAND = ("test_cold",), ("test_expand",)
#: Of the load.
SECONDS = 180
CLI = ("test_push", "test_workflow", "test_formats", "test_formats_many", "test_downloads", "test_operators", "test_policies", "test_files", "test_exits")
RUNBOOK = ("test_runbook", "test_lost_table")
#: Metrics that are expanded, kills of a command by each signal, concepts that are imported.
SIZES = {"PROVE_CLI_METRICS": "1000000", "PROVE_CLI_KILLS": "10", "PROVE_CLI_CONCEPTS": "1200000"}


def deployed(only: Sequence[str] = ()) -> Outcome:
    """Real taxonomies release by release, refused files, the gateway, crashes, both tiers of caches."""
    data.folder()
    with stack.running(second_tier=True):
        return tests(only or DEPLOYED)


def api(only: Sequence[str] = ()) -> Outcome:
    """Every operation over the largest taxonomies, cold processes, a steady load, and the description of the API."""
    data.folder()
    with stack.running() as here:
        if only:
            return tests(only)
        return unittests.side_by_side(API, FOLDERS, SIZES) + tests(COLD) + load.prove(SECONDS) + description.check(here)


def command_line(only: Sequence[str] = ()) -> Outcome:
    """The page of examples, every command, a million metrics, interruptions, formats, and SARIF by its own tools."""
    data.folder()
    ensure("checks")
    with stack.running() as here:
        if only:
            return tests(only)
        return sarif.check(here.commandLine) + first_session(here) + unittests.side_by_side(CLI, FOLDERS, SIZES) + tests(EXPAND)


def runbook(only: Sequence[str] = ()) -> Outcome:
    """Every line of the runbook, on a stack of its own: a test that failed may have left its fault there."""
    if stack.is_up():
        raise Problem("the stack is up: the runbook has one of its own, so `make down` first")
    with stack.running(second_tier=True):
        return tests(only or RUNBOOK)


def first_session(here: Stack) -> Outcome:
    """Executes docs/first-session.md over the stack; its cases are its commands."""
    with step("Executing docs/first-session.md"):
        command = [cargo(), "test", *locked(), "--workspace", "--test", "deployed"]
        said = run_quietly(command, "the commands of docs/first-session.md", variables(here))
    if not re.search(r"^test result: ok\. [1-9]\d* passed", said, re.MULTILINE):
        raise Problem("docs/first-session.md was not executed")
    return Outcome(len(re.findall(r"^\$ taxonomy", (ROOT / "docs" / "first-session.md").read_text(), re.MULTILINE)), 0)


def tests(modules: Sequence[str], sizes: Mapping[str, str] = SIZES) -> Outcome:
    """Runs modules over the stack that is up."""
    return unittests.run(modules, FOLDERS, sizes)
