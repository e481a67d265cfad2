"""Mixed traffic while versions are published: over the deployed stack, and over the deployed programs alone, in a host that adds little."""

import json
import os
import subprocess
import time
from contextlib import suppress

from benches import programs
from benches.host import Host, service
from local import server, stack
from local.console import say, step
from local.paths import ROOT, VENV
from local.problem import Problem
from local.shell import environment
from local.tools import ensure

from . import data
from .load_bounds import Json, judge
from .load_report import markdown, text
from .outcome import Outcome

RECORD = ROOT / "docs" / "load.md"
#: The profile of `make bench`: optimised like a release, without fat LTO.
PROFILE = "bench"
#: The share of the time that each part gets; the emulator is too slow to be loaded for long.
PARTS = {"stack": 0.25, "function": 0.75}
#: So small that the emulator's few requests fill the caches early, and growth after that is none of theirs.
STACK_CACHES = ("CacheBytes=4194304", "IndexCacheBytes=4194304")
#: A part that does not end by itself so long after its time is ended.
GRACE_SECONDS = 180
#: Processes of the lookup in the host, and requests a second to all of them.
PROCESSES = 3
RATE = 150
#: What another tenant publishes in the middle, of a load that takes so long at least.
LARGE = "icd10cm/taxonomy.json"
SECONDS_FOR_LARGE = 300


def run(seconds: int, part: str | None, record: bool) -> None:
    """Loads both parts, or one, for so many seconds in total, and judges what was measured. `record` writes docs/load.md."""
    if seconds < 1:
        raise Problem("a load takes at least a second")
    measured = {}
    for name in [part] if part else PARTS:
        measured[name] = _measure(name, max(1, round(seconds * (1 if part else PARTS[name]))))
        say(text(name, measured[name]))
    if record:
        built = f"{time.strftime('%Y-%m-%d')}, programs of the profile `{PROFILE}` in the host, a debug build in the stack"
        RECORD.write_text(markdown(RECORD.read_text(), measured, built))
        say(f"written: {RECORD.relative_to(ROOT)}")
    if exceeded := [f"{name}: {each}" for name, found in measured.items() for each in judge(found)]:
        raise Problem("; ".join(exceeded))
    say(f"load: {sum(found['requests'] for found in measured.values())} requests, every bound holds")


def prove(seconds: int) -> Outcome:
    """Loads the stack for so many seconds. A case is a request, a violation a bound that does not hold."""
    measured = _measure("stack", seconds)
    say(text("stack", measured))
    return Outcome(measured["requests"], len(judge(measured)))


def _measure(part: str, seconds: int) -> Json:
    ensure("checks")
    if part == "function":
        built = programs.build(("lookup", "projector", "taxonomy-host"), PROFILE)
        # A second projector takes the large release while the first goes on.
        with Host(built["taxonomy-host"], service(built, lookups=PROCESSES, projectors=2)) as host:
            return _traffic(part, seconds, "--host", host.address, "--rate", RATE, "--taxonomy", "google")
    was_up = stack.is_up()
    if not was_up:
        stack.up(parameters=STACK_CACHES)
    try:
        return _traffic(part, seconds)
    finally:
        if not was_up:
            stack.down()


def _traffic(part: str, seconds: int, *options: str | int) -> Json:
    """Runs the program that sends the traffic, and returns its measurements, which are its last line."""
    if seconds >= SECONDS_FOR_LARGE:
        with suppress(data.NotRun):
            options = (*options, "--large", str(data.file(LARGE)))
    folder = ROOT / "tests" / "stack"
    # Of a short load the publications follow each other faster, so that it has some.
    every = max(3, min(30, seconds // 8))
    command = [VENV / "bin" / "python", folder / "load" / "load.py", "--seconds", seconds, "--every", every, *options]
    variables = environment({"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"})
    with step(f"Loading the {part} for {seconds} s"):
        process = subprocess.Popen([str(word) for word in command], cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True)
        try:
            output, _ = process.communicate(timeout=seconds + GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            raise Problem(f"the load did not end after {seconds} s") from None
        finally:
            if process.poll() is None:
                server.end(process)
    if process.returncode or not output.strip():
        raise Problem(f"the load of the {part} failed with exit code {process.returncode}, see above")
    found: Json = json.loads(output.strip().splitlines()[-1])
    return found
