"""Mixed traffic while versions are published: over the deployed stack, and over the deployed programs alone, in a host that adds little."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benches.host import Host, service
from local import stack
from local.build import executables
from local.console import say, step
from local.paths import ROOT, VENV
from local.problem import Problem
from local.shell import cargo, environment, locked, run_quietly
from local.tools import ensure

from .load_bounds import Json, judge
from .load_report import markdown, text
from .outcome import Outcome

RECORD = ROOT / "docs" / "load.md"
#: The profile of `make bench`: optimised like a release, without fat LTO.
PROFILE = "bench"
#: The share of the time that the stack gets; the emulator is too slow to be loaded for long.
STACK_SHARE = 0.25
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
PARTS = ("stack", "function")


def run(seconds: int, part: str | None, record: bool) -> None:
    """Loads both parts, or one, for so many seconds in total, and judges what was measured. `record` writes docs/load.md."""
    if seconds < 1:
        raise Problem("a load takes at least a second")
    parts = [part] if part else list(PARTS)
    loads: dict[str, Callable[[int], Json | None]] = {"stack": _stack, "function": _function}
    measured: dict[str, Json] = {}
    interrupted = False
    for name in parts:
        share = 1.0 if part else STACK_SHARE if name == "stack" else 1 - STACK_SHARE
        try:
            found = loads[name](max(1, round(seconds * share)))
        except KeyboardInterrupt:
            interrupted = True
            break
        if found:
            measured[name] = found
            say(text(name, found))
            # The part was interrupted, and has measured until then.
            interrupted = found["seconds"] < found["wanted_seconds"] - 1
        if interrupted:
            break
    if record and measured:
        before = RECORD.read_text() if RECORD.exists() else ""
        RECORD.write_text(markdown(measured, time.strftime("%Y-%m-%d"), f"programs of the profile `{PROFILE}` (without fat LTO)", before))
        say(f"written: {RECORD.relative_to(ROOT)}")
    exceeded = [f"{name}: {each}" for name, found in measured.items() for each in judge(found)]
    if exceeded:
        raise Problem("; ".join(exceeded))
    if interrupted:
        raise KeyboardInterrupt
    say(f"load: {sum(found['requests'] for found in measured.values())} requests, every bound holds")


def _function(seconds: int) -> Json | None:
    ensure("checks")
    # Two builds, because the features of the host must not reach the functions.
    built: dict[str, Path] = {}
    for names in (("lookup", "projector"), ("taxonomy-host",)):
        with step(f"Building {' and '.join(names)}"):
            build = [cargo(), "build", *locked(), "--profile", PROFILE, *(word for name in names for word in ("-p", name))]
            built |= executables(run_quietly([*build, "--message-format=json-render-diagnostics"], "Building what is loaded"), names)
    # A second projector takes the large release while the first goes on.
    with Host(built["taxonomy-host"], service(built, lookups=PROCESSES, projectors=2)) as host:
        return _traffic("function", seconds, "--host", host.address, "--rate", RATE, "--taxonomy", "google")


def _stack(seconds: int) -> Json | None:
    ensure("checks")
    was_up = stack.is_up()
    if not was_up:
        stack.up(parameters=STACK_CACHES)
    try:
        return _traffic("stack", seconds)
    finally:
        if not was_up:
            stack.down()


def prove(seconds: int) -> Outcome:
    """Loads the stack for so many seconds. A case is a request, a violation a bound that does not hold."""
    measured = _stack(seconds)
    exceeded = judge(measured) if measured else ["nothing was measured"]
    say("\n".join([*([text("stack", measured)] if measured else []), *(f"FAILED {each}" for each in exceeded)]))
    return Outcome(measured["requests"] if measured else len(exceeded), len(exceeded))


def _traffic(part: str, seconds: int, *options: str | int) -> Json | None:
    large = Path(os.environ.get("TAXONOMY_DATA", ROOT.parent / "shared" / "data")) / LARGE
    if seconds >= SECONDS_FOR_LARGE and large.exists():
        options = (*options, "--large", str(large))
    folder = ROOT / "tests" / "stack"
    command = [VENV / "bin" / "python", folder / "load" / "load.py", "--seconds", seconds, "--every", _every(seconds), *options]
    return measure([str(word) for word in command], part, seconds, {"PYTHONPATH": str(folder)})


def _every(seconds: int) -> int:
    """Returns the seconds between publications: 30, or less in a short load, so that it has some."""
    return max(3, min(30, seconds // 8))


def measure(command: Sequence[str], what: str, seconds: int, extra: dict[str, str] | None = None) -> Json | None:
    """Runs a program that ends after `seconds` and prints its measurements. An interruption reaches it too, and then it prints what it has until then."""
    with step(f"Loading the {what} for {seconds} s"):
        process = subprocess.Popen(command, cwd=ROOT, env=environment(extra), stdout=subprocess.PIPE, text=True)
        try:
            output = _wait(process, seconds + GRACE_SECONDS)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode:
        raise Problem(f"the load of the {what} failed with exit code {process.returncode}, see above")
    lines = output.strip().splitlines()
    if not lines:
        return None
    found: Json = json.loads(lines[-1])
    return found


def _wait(process: "subprocess.Popen[str]", seconds: int) -> str:
    """Returns the output of a program. The first interruption is for the program, which then ends by itself; a second one ends it."""
    try:
        return process.communicate(timeout=seconds)[0]
    except KeyboardInterrupt:
        try:
            return process.communicate(timeout=GRACE_SECONDS)[0]
        except subprocess.TimeoutExpired:
            return ""
    except subprocess.TimeoutExpired:
        raise Problem(f"the load did not end after {seconds} s") from None
