"""The servers of the peers: PostgreSQL and Valkey, each on a free port of this machine, in a folder that ends with it."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.console import step
from local.paths import VALKEY
from local.problem import Problem
from local.tools import ensure_valkey

SECONDS_TO_START = 30
SECONDS_TO_STOP = 30
#: As much memory as the other stores have: everything stays in it.
SETTINGS = ("shared_buffers=2GB", "work_mem=64MB", "maintenance_work_mem=1GB", "max_wal_size=8GB", "fsync=off", "jit=off")


@contextmanager
def postgres() -> Iterator[str]:
    """The connection string of an empty PostgreSQL."""
    programs = _postgres_programs()
    port, user = _free_port(), _unprivileged()
    with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        if user is not None:
            shutil.chown(folder, user)
        data = folder / "data"
        _check([programs / "initdb", "--auth=trust", "--username=bench", "--no-sync", "--encoding=UTF8", "--locale=C", "-D", data], user)
        options = [f"-c{setting}" for setting in SETTINGS]
        command = [programs / "postgres", "-D", data, "-p", str(port), "-k", folder, "-clisten_addresses=127.0.0.1", *options]
        with _server(command, port, "PostgreSQL", user):
            yield f"host=127.0.0.1 port={port} user=bench dbname=postgres"


@contextmanager
def valkey() -> Iterator[str]:
    """The URL of an empty Valkey without a bound on its memory."""
    ensure_valkey()
    port = _free_port()
    command = [VALKEY, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with _server(command, port, "Valkey", None):
        yield f"redis://127.0.0.1:{port}"


@contextmanager
def _server(command: list[str | Path], port: int, name: str, user: str | None) -> Iterator[None]:
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, user=user)
        try:
            with step(f"Starting {name} on port {port}"):
                _await_port(process, port, name)
            yield
        finally:
            process.terminate()
            try:
                process.wait(SECONDS_TO_STOP)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_port(process: subprocess.Popen[bytes], port: int, name: str) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Problem(f"{name} ended with {process.returncode} at its start")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise Problem(f"{name} has not answered for {SECONDS_TO_START} s")


def _postgres_programs() -> Path:
    """The folder of PostgreSQL's programs, of which Debian puts only some on the path."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).parent] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise Problem("PostgreSQL is not installed: it is a peer of the benchmark (package postgresql)")


def _unprivileged() -> str | None:
    """A user for PostgreSQL, which refuses root; None where this user is not root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _check(command: list[str | Path], user: str | None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, user=user)
    if done.returncode:
        raise Problem(f"{Path(command[0]).name} failed: {done.stderr.strip()}")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
