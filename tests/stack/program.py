"""Runs and kills the command line `taxonomy` over the running local stack."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processes import memory
from stack import FIRST, ROOT, SECOND, stack

SECONDS = 600


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Returns the document on standard output."""
        return json.loads(self.out)


def program() -> str:
    """Returns the path of `taxonomy`."""
    return stack().command_line


def environment(**changes: str | None) -> dict[str, str]:
    """Returns the environment in which `taxonomy` finds the stack; None removes a variable."""
    running = stack()
    found = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TAXONOMY_"))}
    found |= {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": running.region,
        "AWS_ENDPOINT_URL": running.endpoint,
        "AWS_EC2_METADATA_DISABLED": "true",
        "TAXONOMY_STACK": running.stack_name,
        "XDG_CONFIG_HOME": "/nonexistent",
    }
    for name, value in changes.items():
        found.pop(name, None)
        if value is not None:
            found[name] = value
    return found


def taxonomy(*arguments: object, stdin: str = "", **changes: str | None) -> Done:
    """Runs a command to its end."""
    words = [program(), *map(str, arguments)]
    done = subprocess.run(words, cwd=ROOT, env=environment(**changes), input=stdin, capture_output=True, text=True, timeout=SECONDS, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def succeed(*arguments: object, stdin: str = "") -> Done:
    """Runs a command that must end with 0."""
    done = taxonomy(*arguments, stdin=stdin)
    if done.code:
        raise AssertionError(f"taxonomy {' '.join(map(str, arguments))} ended with {done.code}: {done.out}{done.err}")
    return done


def is_whole(tenant: str) -> None:
    """Compares all that is stored of a tenant with its versions: items, chain, index files, search objects, counts."""
    verified = succeed("verify", tenant, "--timeout", "900", "--output", "json").json()
    assert verified["differences"] == 0, verified


def pushed_twice(name: str) -> str:
    """Returns a new tenant with both samples as its versions."""
    tenant = stack().fresh_tenant(name)
    for file in (FIRST, SECOND):
        succeed("push", file, "--tenant", tenant)
    return tenant


def kill(arguments: list[str | Path], after: float, number: signal.Signals, once: Callable[[], bool] = lambda: True) -> int | None:
    """Starts a command and sends it a signal `after` seconds after `once` holds. Returns its exit code, which is negative if the signal ended
    it, and None if the command had already ended."""
    words = [program(), *map(str, arguments)]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen(words, cwd=ROOT, env=environment(), **quiet)
    while not once() and running.poll() is None:
        time.sleep(0.005)
    time.sleep(after)
    if running.poll() is not None:
        return None
    running.send_signal(number)
    return running.wait(SECONDS)


@dataclass(frozen=True)
class Measured(Done):
    """A command that has ended: its largest resident memory, the pages of its program's file in it, both in MiB, and its seconds."""

    most: float
    program: float
    seconds: float

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s, at most {self.most:.0f} MiB, {self.program:.0f} of them the program's file"


def measured(folder: Path, *arguments: object) -> Measured:
    """Runs a command to its end, and measures its memory: the kernel's figure for a child that has ended includes the process that started it."""
    began, seen = time.monotonic(), {"VmHWM": 0, "RssFile": 0}
    with (folder / "said").open("w+") as out, (folder / "complained").open("w+") as err:
        running = subprocess.Popen([program(), *map(str, arguments)], env=environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        while running.poll() is None:
            found = memory(running.pid)
            seen = {name: max(most, found.get(name, 0)) for name, most in seen.items()}
            time.sleep(0.02)
        for file in (out, err):
            file.seek(0)
        most, pages = (seen[name] / 1024 for name in ("VmHWM", "RssFile"))
        return Measured(running.returncode, out.read(), err.read().strip(), most, pages, time.monotonic() - began)
