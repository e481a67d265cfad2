"""The local AWS: one process that this project starts, finds again by its pid, and stops by its pid."""

import json
import os
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path

from . import server
from .api import Api
from .console import say
from .paths import STATE, VENV, credentials, endpoint, port
from .problem import Problem
from .shell import command_of

RECORD = STATE / "emulator.json"
LOG = STATE / "emulator.log"
PROCESS = Path(__file__).with_name("ministack_process.py")
SECONDS_TO_STOP = 10


def running() -> bool:
    """Whether the emulator of this project runs, on the chosen port, and answers."""
    record = _record()
    return bool(record) and record["port"] == port() and _healthy()


def is_kept() -> bool:
    """Whether the one that is already ours is kept; where none can start, a `Problem`."""
    if running():
        say(f"Keeping the emulator that runs on port {port()}")
        return True
    if record := _record():
        if record["port"] != port():
            raise Problem(f"the emulator already runs on port {record['port']}: use PORT={record['port']}, or `make down` first")
        stop()
    if server.listens(port()):
        raise Problem(f"port {port()} is taken by another program: stop it, or choose another with PORT=4577")
    return False


def start() -> None:
    """Starts it in the background."""
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
        # An idle process stays: under a load an end means a crash.
        "LAMBDA_WARM_TTL_SECONDS": str(24 * 3600),
        **credentials(),
    }
    # Isolated, so that it finds none of the modules beside the file.
    command = [VENV / "bin" / "python", "-I", PROCESS]
    with LOG.open("w+", errors="replace") as log:
        process = server.start(f"the emulator on port {port()}", command, _healthy, log, cwd=STATE, env=variables)
    RECORD.write_text(json.dumps({"pid": process.pid, "port": port()}))


def stop() -> bool:
    """Ends the emulator and the functions it runs; False where there was none."""
    record = _record()
    if record:
        _signal(record["pid"], signal.SIGTERM)
        deadline = time.monotonic() + SECONDS_TO_STOP
        while _record() and time.monotonic() < deadline:
            time.sleep(0.1)
        # It leads a process group of its own, with the functions in it.
        _signal(record["pid"], signal.SIGKILL)
    shutil.rmtree(STATE, ignore_errors=True)
    return bool(record)


def _record() -> dict[str, int]:
    """The pid and the port of the one that this project started; empty where it has ended."""
    try:
        record: dict[str, int] = json.loads(RECORD.read_text())
    except (OSError, ValueError):
        return {}
    # By its command, because a pid is given to another program sooner or later.
    return record if "ministack" in command_of(record["pid"]) else {}


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, number)


def _healthy() -> bool:
    try:
        return Api(endpoint(), seconds=2).get("/_ministack/health").status == 200
    except OSError:
        return False
