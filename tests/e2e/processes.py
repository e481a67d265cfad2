"""The processes that run the functions: the emulator runs each environment of a function as one on this machine."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from stack import Stack, unavailable


def projectors(running: Stack) -> list[int]:
    """Returns the pids of this stack's projector."""
    return _of(running, running.projector)


def lookups(running: Stack) -> list[int]:
    """Returns the pids of this stack's lookup."""
    return _of(running, running.lookup)


def _of(running: Stack, function: str) -> list[int]:
    """Returns the pids of a function of this stack and of no other, by the environment that Lambda gives to a function."""
    if not Path("/proc/self/environ").exists():
        raise unavailable("processes are found by /proc, which this machine does not have")
    name = function.rsplit(":", 1)[-1]
    wanted = {f"AWS_LAMBDA_FUNCTION_NAME={name}", f"AWS_ENDPOINT_URL={running.endpoint}"}
    return [pid for pid in _pids() if wanted <= _environment(pid)]


def kill(pids: list[int]) -> int:
    """Kills the processes without warning, and returns their number."""
    killed = 0
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            killed += 1
    return killed


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _environment(pid: int) -> set[str]:
    # Empty for a process that has ended but was not waited for yet.
    try:
        return set(Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0"))
    except OSError:
        return set()
