"""Measures the memory of `taxonomy`. A small process starts it, because the kernel's figure for a child includes the peak of its parent."""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """A command that has ended: its exit code, output, largest resident memory in bytes, and seconds."""

    code: int
    out: str
    err: str
    bytes: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s, {self.bytes / (1 << 20):.0f} MiB"


def measure(words: list[str], environment: dict[str, str], seconds: int) -> Measured:
    """Runs a command to its end."""
    began = time.monotonic()
    starter = [sys.executable, "-I", "-S", str(Path(__file__).resolve()), *words]
    done = subprocess.run(starter, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=True)
    err, _, last = done.stderr.rstrip("\n").rpartition("\n")
    said = json.loads(last)
    return Measured(said["code"], done.stdout, err, said["kibibytes"] * 1024, time.monotonic() - began)


def _start() -> None:
    """Starts the words, waits for their end, and writes a last line with exit code and memory to standard error."""
    child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
    _, status, usage = os.wait4(child, 0)
    own = int(re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[0])
    assert usage.ru_maxrss > own, f"the figure may be that of the starter, {own} KiB"
    print("\n" + json.dumps({"code": os.waitstatus_to_exitcode(status), "kibibytes": usage.ru_maxrss}), file=sys.stderr)


if __name__ == "__main__":
    _start()
