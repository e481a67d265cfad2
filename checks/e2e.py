"""The deployed stack in a form that fits into the gate: one journey through every function and everything around them.

Each part is a part of a proof of `make prove`, over the samples of the project alone: it needs no real taxonomies."""

from collections.abc import Callable
from pathlib import Path

from local import stack
from local.console import say, step
from local.package import TEMPLATE
from local.paths import FUNCTIONS, PACKAGE, STATE
from local.problem import Problem
from local.stack import Stack
from release import make

from . import pages, released, sam_local, suite
from .outcome import Outcome, total

#: The samples release by release, every route, downloads, the second tier, refused files, a second stack with tokens.
MODULES = ("test_releases.JobBoard", "test_gateway", "test_downloads", "test_caches", "test_refusals", "test_pages")
COMMANDS = ("test_exits", "test_push")
#: The API page, and the explorer over the deployed stack, in a browser.
PAGES = ("docs", "deployed")


def _functions(_: Stack) -> Outcome:
    return suite.tests(MODULES, {})


def _command_line(here: Stack) -> Outcome:
    return suite.first_session(here) + suite.tests(COMMANDS, {})


def _pages(here: Stack) -> Outcome:
    pages.prepare(here, {"jobs": pages.TENANTS["jobs"]})
    return pages.run(here, PAGES)


def _archive(here: Stack) -> Outcome:
    """The layout of a release, of the programs that the stack runs; `make prove NAMES=release` has it with those for AWS."""
    functions = {name: PACKAGE / logical_id / "bootstrap" for name, logical_id in FUNCTIONS.items()}
    made = make.pack(functions, Path(here.commandLine), STATE / "dist")
    return released.deployed(made, ["test_archive.TheArchive", "test_deployed", "test_terraform"])


PARTS: dict[str, Callable[[Stack], Outcome]] = {
    "the functions": _functions,
    "the command line": _command_line,
    "the pages in a browser": _pages,
    "the archive of a release": _archive,
    "sam local invoke": lambda _: sam_local.prove(TEMPLATE, is_released=False),
}


def run() -> None:
    """Runs every part, also after one that failed, and ends with one line of counts."""
    outcomes = []
    with stack.running(second_tier=True) as here:
        for name, part in PARTS.items():
            outcomes.append(_outcome(name, part, here))
    for name, outcome in zip(PARTS, outcomes, strict=True):
        say(f"    {name}: {outcome.cases - outcome.violations} passed, {outcome.violations} failed")
    counted = total(outcomes)
    say(f"e2e: {counted.cases - counted.violations} passed, {counted.violations} failed")
    if counted.violations:
        raise Problem(f"{counted.violations} checks of the deployed stack failed")


def _outcome(name: str, part: Callable[[Stack], Outcome], here: Stack) -> Outcome:
    try:
        with step(f"End to end: {name}"):
            return part(here)
    except Problem as problem:
        say(f"error: {problem}")
        return Outcome(1, 1)
