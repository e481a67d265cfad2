"""The local AWS: one process that this project starts, finds again by its pid, and stops by its pid."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

from .paths import STATE, VENV, credentials, endpoint, port
from .problem import Problem
from .console import say, step
from .shell import command_of

RECORD = STATE / "emulator.json"
LOG = STATE / "emulator.log"
PROCESS = Path(__file__).with_name("ministack_process.py")
SECONDS_TO_START = 60
SECONDS_TO_STOP = 10


def running() -> bool:
    """Whether the emulator of this project runs, on the chosen port, and answers."""
    record = _record()
    return record is not None and record["port"] == port() and _alive(record["pid"]) and _healthy()


def start() -> None:
    """Starts it in the background, or keeps the one that is already ours."""
    if running():
        say(f"Keeping the emulator that runs on port {port()}")
        return
    record = _record()
    if record is not None and _alive(record["pid"]):
        if record["port"] != port():
            raise Problem(f"the emulator already runs on port {record['port']}: use PORT={record['port']}, or `make down` first")
        stop()
    if _taken():
        raise Problem(f"port {port()} is taken by another program: stop it, or choose another with PORT=4577")
    with step(f"Starting the emulator on port {port()}"):
        process = _spawn()
        _wait_until_healthy(process)


def stop() -> bool:
    """Ends the emulator and the functions it runs; False where there was none."""
    record = _record()
    was_running = record is not None and _alive(record["pid"])
    if record is not None and was_running:
        pid = record["pid"]
        _signal(pid, signal.SIGTERM)
        deadline = time.monotonic() + SECONDS_TO_STOP
        while _alive(pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        # It leads a process group of its own, with the functions in it.
        _signal(pid, signal.SIGKILL)
    shutil.rmtree(STATE, ignore_errors=True)
    return was_running


def _spawn() -> subprocess.Popen[bytes]:
    scratch = STATE / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    # Few variables, because the emulator hands all of its own to the functions, and AWS would hand them none of the caller's.
    variables = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "S3_DATA_DIR": str(scratch / "s3"),
        "STATE_DIR": str(scratch / "state"),
        "GATEWAY_PORT": str(port()),
        "BIND_HOST": "127.0.0.1",
        "IOT_MTLS_ENABLED": "0",
        "LAMBDA_EXECUTOR": "local",
        **credentials(),
    }
    with LOG.open("wb") as log:
        process = subprocess.Popen(
            # Isolated, so that it finds none of the modules beside the file.
            [VENV / "bin" / "python", "-I", PROCESS],
            cwd=STATE,
            env=variables,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    RECORD.write_text(json.dumps({"pid": process.pid, "port": port()}))
    return process


def _wait_until_healthy(process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Problem(f"the emulator ended with {process.returncode} while starting: see {LOG}")
        if _healthy():
            return
        time.sleep(0.2)
    stop()
    raise Problem(f"the emulator did not answer within {SECONDS_TO_START} s")


def _record() -> dict[str, int] | None:
    try:
        record: dict[str, int] = json.loads(RECORD.read_text())
        return record
    except (OSError, ValueError):
        return None


def _alive(pid: int) -> bool:
    # By its command, because a pid is given to another program sooner or later.
    return "ministack" in command_of(pid)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, number)


def _healthy() -> bool:
    try:
        with urllib.request.urlopen(f"{endpoint()}/_ministack/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def _taken() -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port())) == 0
