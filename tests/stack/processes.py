"""The processes that run the functions: the emulator runs each environment of a function as one on this machine."""

import os
import re
import signal
from contextlib import suppress
from pathlib import Path

from stack import Stack, unavailable


def processes(running: Stack, function: str) -> list[int]:
    """Returns the pids of a function of this stack and of no other, by the environment that Lambda gives to a function."""
    if not Path("/proc/self/environ").exists():
        raise unavailable("processes are found by /proc, which this machine does not have")
    name = running.functions[function].rsplit(":", 1)[-1]
    wanted = {f"AWS_LAMBDA_FUNCTION_NAME={name}", f"AWS_ENDPOINT_URL={running.endpoint}"}
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if wanted <= _environment(pid)]


def kill(pids: list[int]) -> int:
    """Kills the processes without warning, and returns their number."""
    killed = 0
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            killed += 1
    return killed


def memory(pid: int) -> dict[str, int]:
    """Returns the resident memory of a process, the largest that it had, and the pages of its program's file in it, in KiB; nothing after its end."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return {}
    return {name: int(kibibytes) for name, kibibytes in re.findall(r"(VmRSS|VmHWM|RssFile):\s+(\d+) kB", status)}


def _environment(pid: int) -> set[str]:
    # Empty for a process that has ended but was not waited for yet.
    try:
        return set(Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0"))
    except OSError:
        return set()
