"""Runs and kills the command line `taxonomy` over the running local stack."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from stack import ROOT, Stack, stack  # noqa: E402 - found by the line above

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


@cache
def description() -> dict[str, Any]:
    """Returns the file that `make up` writes."""
    described: dict[str, Any] = json.loads((ROOT / ".local" / "stack.json").read_text())
    return described


def program() -> str:
    """Returns the path of `taxonomy`."""
    return str(description()["commandLine"])


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


def taxonomy(*arguments: str | Path, stdin: str = "", **changes: str | None) -> Done:
    """Runs a command to its end."""
    words = [program(), *map(str, arguments)]
    done = subprocess.run(words, cwd=ROOT, env=environment(**changes), input=stdin, capture_output=True, text=True, timeout=SECONDS)
    return Done(done.returncode, done.stdout, done.stderr)


def succeed(*arguments: str | Path, stdin: str = "") -> Done:
    """Runs a command that must end with 0."""
    done = taxonomy(*arguments, stdin=stdin)
    if done.code:
        raise AssertionError(f"taxonomy {' '.join(map(str, arguments))} ended with {done.code}: {done.out}{done.err}")
    return done


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


__all__ = ["Done", "ROOT", "Stack", "description", "environment", "kill", "program", "stack", "succeed", "taxonomy"]
