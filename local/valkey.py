"""The second cache tier on one machine: one server that this project starts and stops by its pid."""

import os
import signal
import time
from contextlib import suppress

from . import server
from .paths import STATE, VALKEY, port
from .problem import Problem
from .shell import command_of
from .tools import ensure_valkey

RECORD = STATE / "valkey.pid"
LOG = STATE / "valkey.log"
#: It keeps nothing on the disk.
OPTIONS = ("--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
SECONDS_TO_STOP = 20


def url() -> str:
    """Where it listens: one port behind the emulator's."""
    return f"redis://127.0.0.1:{port() + 1}"


def start() -> None:
    """Starts it in the background, empty; or keeps the one that runs."""
    ensure_valkey()
    if _pid():
        return
    if server.listens(port() + 1):
        raise Problem(f"port {port() + 1} is taken by another server: stop it, or choose another with PORT=4577")
    command = [VALKEY, "--port", str(port() + 1), *OPTIONS, "--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"]
    with LOG.open("w+", errors="replace") as log:
        process = server.start(f"Valkey on port {port() + 1}", command, lambda: server.listens(port() + 1), log, cwd=STATE)
    RECORD.write_text(str(process.pid))


def stop() -> None:
    """Ends it, if it is there; what it held was only remembered."""
    if pid := _pid():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + SECONDS_TO_STOP
        while _pid() and time.monotonic() < deadline:
            time.sleep(0.1)
    RECORD.unlink(missing_ok=True)


def _pid() -> int:
    """Of the server that this project started, while it runs; else 0."""
    try:
        pid = int(RECORD.read_text())
    except (OSError, ValueError):
        return 0
    # By its command, because a pid is given to another program sooner or later.
    return pid if "valkey-server" in command_of(pid) else 0
