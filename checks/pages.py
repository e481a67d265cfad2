"""Proves the explorer and the API page over the stack on this machine, in a real browser."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from local import stack
from local.api import Api
from local.command_line import taxonomy, variables
from local.console import step
from local.paths import ROOT, STATE, TOOLS
from local.problem import Problem
from local.shell import capture, follow, run_quietly
from local.stack import Stack

from . import data, npm
from .outcome import Outcome

SOURCE = ROOT / "tests" / "pages"
#: A copy of `SOURCE` with the packages of npm.
WORK = TOOLS / "pages"
#: The releases of each tenant: samples, real taxonomies, and those that `taxonomies.mjs` makes.
TENANTS = {
    "jobs": ("samples/job-board-v1.json", "samples/job-board-v2.json"),
    "hostile": ("made/hostile-v1.json", "made/hostile-v2.json"),
    "wide": ("made/wide-v1.json",),
    "occupations": ("data/esco/occupations-v1.json", "data/esco/occupations-v2.json"),
    "advertising": ("data/iab/taxonomy-v1.json", "data/iab/taxonomy-v2.json"),
    "products": ("data/google/taxonomy-v1.json", "data/google/taxonomy-v2.json", "data/google/taxonomy-v3.json"),
}


def prove(names: Sequence[str] = ()) -> Outcome:
    """Pushes what is not there, and runs the tests of `tests/pages`, or those that are named."""
    data.folder()
    with stack.running() as here:
        prepare(here, TENANTS)
        return run(here, names or sorted(path.name.removesuffix(".test.mjs") for path in SOURCE.glob("*.test.mjs")))


def pictures(folder: Path) -> None:
    """Takes the pictures of the documents into a folder."""
    with stack.running() as here:
        prepare(here, TENANTS)
        with step("Taking pictures"):
            folder.mkdir(parents=True, exist_ok=True)
            run_quietly(["node", WORK / "pictures.mjs", folder.resolve()], "taking pictures", _environment(here))


def prepare(running: Stack, tenants: Mapping[str, Sequence[str]]) -> None:
    """Installs the packages of the tests and pushes the releases that a tenant does not have yet, in their order."""
    npm.install(SOURCE, WORK)
    for source in SOURCE.iterdir():
        shutil.copy(source, WORK)
    made = WORK / "made"
    made.mkdir(exist_ok=True)
    run_quietly(["node", WORK / "taxonomies.mjs", made], "making taxonomies", npm.node())
    for tenant, files in tenants.items():
        for file in files[_served(running, tenant) :]:
            # A load that goes on would slow the tests.
            taxonomy(running, "push", str(_path(file)), "--tenant", tenant, "--wait-for-table")


def _path(file: str) -> Path:
    folder, _, rest = file.partition("/")
    if folder != "data":
        return WORK / file if folder == "made" else ROOT / file
    return data.folder() / rest


def _served(running: Stack, tenant: str) -> int:
    """The version that is served of a tenant; 0 where there is none."""
    answer = Api(running.apiUrl, running.apiHost).get(f"/v1/tenants/{tenant}")
    if answer.status not in (200, 404):
        raise Problem(f"the stack answered {answer.status} when it was asked for {tenant}")
    return int(answer.body["version"]) if answer.status == 200 else 0


def _data() -> dict[str, str]:
    try:
        return {"TAXONOMY_DATA": str(data.folder())}
    except data.NotRun:
        return {}


def _browser() -> str:
    """The path of the browser's program, which is complete when this returns."""
    done = capture(["node", WORK / "program.mjs"], npm.node())
    if done.returncode:
        raise Problem(f"there is no browser: {done.stderr.strip()}")
    return done.stdout.strip()


def _environment(running: Stack) -> dict[str, str]:
    own = {"CHROMIUM": _browser(), "PAGES": str(ROOT / "pages"), "PROJECT": str(ROOT), "STACK_FILE": str(STATE / "stack.json")}
    return npm.node() | variables(running) | own | _data()


def run(running: Stack, names: Sequence[str]) -> Outcome:
    """Runs test files one after the other."""
    files = [str(_file(name)) for name in names]
    command = ["node", "--test", "--test-reporter=spec", "--test-concurrency=1", *files]
    lines, code = follow(command, _environment(running), WORK)
    counts = {found[1]: int(found[2]) for line in lines if (found := re.fullmatch(r"ℹ (pass|fail|cancelled|skipped|todo) (\d+)", line.strip()))}
    failed = sum(count for name, count in counts.items() if name != "pass")
    if code and not failed or not counts.get("pass", 0) + failed:
        raise Problem("the tests of the pages were not finished")
    return Outcome(counts.get("pass", 0) + failed, failed)


def _file(name: str) -> Path:
    path = WORK / f"{name}.test.mjs"
    if not path.exists():
        raise Problem(f"there is no test {name}")
    return path
