"""Checks the description of the API against the running stack: two linters, a client that is generated from it, and random requests."""

import re
import shutil
import subprocess
from pathlib import Path

from local.api import Api
from local.command_line import taxonomy
from local.console import say
from local.paths import ROOT, TOOLS, VENV
from local.problem import Problem
from local.shell import environment
from local.stack import Stack

from . import npm
from .outcome import Outcome, total

SOURCE = ROOT / "tests" / "description"
#: A copy of `SOURCE` with the packages of npm, where the tools leave their traces.
WORK = TOOLS / "description"
TENANT = "job-board"
SAMPLES = ("samples/job-board-v1.json", "samples/job-board-v2.json")
#: For random requests.
SECONDS = 240


def check(running: Stack) -> Outcome:
    """Counts linters, expectations of the client, and operations under random requests."""
    _prepare()
    for sample in SAMPLES:
        taxonomy(running, "push", sample, "--tenant", TENANT)
    (WORK / "openapi.json").write_bytes(Api(running.apiUrl, running.apiHost).get("/v1/openapi.json").content)
    results = [_lint("redocly", "lint", "--config", "redocly.yaml", "openapi.json")]
    results.append(_lint("spectral", "lint", "--fail-severity", "warn", "--ruleset", "spectral.yaml", "openapi.json"))
    results.append(_client(running))
    results.append(_random_requests(running, SECONDS))
    return total(results)


def _prepare() -> None:
    npm.install(SOURCE, WORK)
    for source in SOURCE.iterdir():
        shutil.copy(source, WORK)


def _lint(program: str, *arguments: str) -> Outcome:
    ended = _run([_bin(program), *arguments])
    if ended.returncode:
        say(ended.stdout)
    say(f"{'FAILED' if ended.returncode else 'ok    '} {program} lint")
    return Outcome(1, int(ended.returncode != 0))


def _client(running: Stack) -> Outcome:
    """Generates types, compiles the client over them, and runs it."""
    for command in ([_bin("openapi-typescript"), "openapi.json", "-o", "schema.ts"], [_bin("tsc"), "-p", "."]):
        ended = _run(command)
        if ended.returncode:
            say(f"FAILED {Path(command[0]).name}: {ended.stdout}")
            return Outcome(1, 1)
    extra = {
        "API_URL": running.apiUrl.replace("127.0.0.1", running.apiHost.split(":")[0]),
        "TENANT": TENANT,
        "NODE_OPTIONS": "--import ./localhost.mjs",
    }
    ended = _run(["node", "built/client.js"], extra)
    say(ended.stdout.rstrip())
    passed, failed = ended.stdout.count("ok    "), ended.stdout.count("FAILED ")
    failed = failed or int(ended.returncode != 0 or not passed)
    return Outcome(passed + failed, failed)


def _random_requests(running: Stack, seconds: int) -> Outcome:
    """Every phase of schemathesis; counts operations."""
    command = [str(VENV / "bin" / "schemathesis"), "--no-color", "--config-file", "schemathesis.toml", "run", "openapi.json"]
    command += ["--url", running.apiUrl, "--header", f"Host: {running.apiHost}", "--phases", "examples,coverage,fuzzing,stateful"]
    command += ["--max-time", str(seconds), "--seed", "13", "--generation-database", "none"]
    ended = _run(command)
    if ended.returncode:
        say(ended.stdout)
    tested = re.search(r"Tested: (\d+)", ended.stdout)
    cases = re.search(r"(\d+) generated", ended.stdout)
    failures = sum(map(int, re.findall(r"❌ ST\d+ .*: (\d+)$", ended.stdout, re.MULTILINE)))
    if not tested or not cases:
        raise Problem("the random requests were not finished")
    failed = failures or int(ended.returncode != 0)
    say(f"{'FAILED' if failed else 'ok    '} {cases[1]} random requests to {tested[1]} operations in {seconds} s")
    return Outcome(max(int(tested[1]), failed), failed)


def _bin(program: str) -> str:
    return str(WORK / "node_modules" / ".bin" / program)


def _run(command: list[str], extra: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=WORK, env=environment(npm.node() | (extra or {})), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
