"""Proves the explorer and the API page over the stack on this machine, in a real browser."""

import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from local import stack
from local.command_line import taxonomy, variables
from local.console import say, step
from local.paths import ROOT, STATE, TOOLS
from local.problem import Problem
from local.shell import environment, run_quietly
from local.stack import Stack

from . import npm

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


def prove(names: list[str], pictures: Path | None) -> None:
    """Starts the stack unless it is up, pushes what is not there, and runs the tests; ends with one line of counts. `pictures`: a folder for pictures."""
    was_up = stack.is_up()
    here = stack.load() if was_up else stack.up()
    try:
        npm.install(SOURCE, WORK)
        for source in SOURCE.iterdir():
            shutil.copy(source, WORK)
        _push(here)
        if pictures:
            _take(here, pictures)
        passed, failed = _tests(here, names)
    finally:
        if not was_up:
            stack.down()
    say(f"prove-pages: {passed} passed, {failed} failed")
    if failed:
        raise Problem(f"{failed} tests of the pages failed")


def _push(running: Stack) -> None:
    """The releases that a tenant does not have yet, in their order."""
    made = WORK / "made"
    made.mkdir(exist_ok=True)
    run_quietly(["node", WORK / "taxonomies.mjs", made], "making taxonomies", npm.node())
    for tenant, files in TENANTS.items():
        for file in files[_served(running, tenant) :]:
            taxonomy(running, "push", str(_path(file)), "--tenant", tenant)


def _data() -> Path:
    """The folder of the real taxonomies."""
    return Path(os.environ.get("TAXONOMY_DATA", ROOT.parent / "shared" / "data")).resolve()


def _path(file: str) -> Path:
    folder, _, rest = file.partition("/")
    if folder != "data":
        return WORK / file if folder == "made" else ROOT / file
    path = _data() / rest
    if not path.exists():
        raise Problem(f"{path.name} is not there: TAXONOMY_DATA names the folder of the real taxonomies")
    return path


def _served(running: Stack, tenant: str) -> int:
    """The version that is served of a tenant; 0 where there is none."""
    request = urllib.request.Request(f"{running.apiUrl}/v1/tenants/{tenant}", headers={"Host": running.apiHost})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(json.loads(answer.read()).get("projectedVersion", 0))
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return 0
        raise Problem(f"the stack answered {error.code} when it was asked for {tenant}") from error


def _environment(running: Stack) -> dict[str, str]:
    return environment(npm.node() | variables(running) | {"PAGES": str(ROOT / "pages"), "PROJECT": str(ROOT), "STACK_FILE": str(STATE / "stack.json"), "TAXONOMY_DATA": str(_data())})


def _take(running: Stack, folder: Path) -> None:
    with step("Taking pictures"):
        folder.mkdir(parents=True, exist_ok=True)
        run_quietly(["node", WORK / "pictures.mjs", folder.resolve()], "taking pictures", _environment(running))


def _tests(running: Stack, names: list[str]) -> tuple[int, int]:
    """Runs the test files one after the other; hands back how many tests passed and failed."""
    files = [str(path) for path in _files(names)]
    command = ["node", "--test", "--test-reporter=spec", "--test-concurrency=1", *files]
    process = subprocess.Popen(command, cwd=WORK, env=_environment(running), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    counts: dict[str, int] = {}
    for line in process.stdout or ():
        say(line.rstrip())
        if found := re.fullmatch(r"ℹ (pass|fail|cancelled|skipped|todo) (\d+)", line.strip()):
            counts[found[1]] = int(found[2])
    process.wait()
    failed = sum(count for name, count in counts.items() if name != "pass")
    if process.returncode and not failed or not counts.get("pass", 0) + failed:
        raise Problem("the tests of the pages were not finished")
    return counts.get("pass", 0), failed


def _files(names: list[str]) -> Iterator[Path]:
    for name in names or [path.name.removesuffix(".test.mjs") for path in sorted(SOURCE.glob("*.test.mjs"))]:
        path = WORK / f"{name}.test.mjs"
        if not path.exists():
            raise Problem(f"there is no test {name}")
        yield path
