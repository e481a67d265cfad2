"""The second cache tier on one machine: one server that this project starts and stops by its pid."""

import json
import os
import signal
import socket
import subprocess
import time
from contextlib import suppress

from .paths import STATE, VALKEY, port
from .problem import Problem
from .console import step
from .shell import command_of
from .tools import ensure_valkey

RECORD = STATE / "valkey.json"
SECONDS_TO_START = 20


def url() -> str:
    """Where it listens: one port behind the emulator's."""
    return f"redis://127.0.0.1:{port() + 1}"


def start() -> None:
    """Starts it in the background, empty; or keeps the one that answers."""
    ensure_valkey()
    if _pid() is not None and _answers():
        return
    stop()
    if _answers():
        raise Problem(f"port {port() + 1} is taken by another server: stop it, or choose another with PORT=4577")
    with step(f"Starting Valkey on port {port() + 1}"):
        arguments = ["--port", str(port() + 1), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        memory = ["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"]
        process = subprocess.Popen(
            [VALKEY, *arguments, *memory],
            cwd=STATE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        RECORD.write_text(json.dumps({"pid": process.pid}))
        deadline = time.monotonic() + SECONDS_TO_START
        while not _answers():
            if process.poll() is not None or time.monotonic() > deadline:
                raise Problem(f"Valkey did not start; is port {port() + 1} taken?")
            time.sleep(0.1)


def stop() -> None:
    """Ends it, if it is there; what it held was only remembered."""
    pid = _pid()
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + SECONDS_TO_START
        while _answers() and time.monotonic() < deadline:
            time.sleep(0.1)
    RECORD.unlink(missing_ok=True)


def _pid() -> int | None:
    """Of the server that this project started, while it runs."""
    try:
        pid: int = json.loads(RECORD.read_text())["pid"]
    except (OSError, ValueError):
        return None
    # By its command, because a pid is given to another program sooner or later.
    return pid if "valkey-server" in command_of(pid) else None


def _answers() -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port() + 1), timeout=2) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False
