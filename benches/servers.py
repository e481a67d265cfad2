"""The servers of the peers: PostgreSQL and Valkey, each on a free port of this machine, in a folder that ends with it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local import server
from local.paths import VALKEY
from local.problem import Problem
from local.tools import ensure_valkey
from local.valkey import OPTIONS

#: As much memory as the other stores have: everything stays in it.
SETTINGS = ("shared_buffers=2GB", "work_mem=64MB", "maintenance_work_mem=1GB", "max_wal_size=8GB", "fsync=off", "jit=off")


@contextmanager
def postgres() -> Iterator[str]:
    """The connection string of an empty PostgreSQL."""
    programs = _postgres_programs()
    port, user = server.free_port(), _unprivileged()
    with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        if user is not None:
            shutil.chown(folder, user)
        data = folder / "data"
        _check([programs / "initdb", "--auth=trust", "--username=bench", "--no-sync", "--encoding=UTF8", "--locale=C", "-D", data], user)
        options = [f"-c{setting}" for setting in SETTINGS]
        command = [programs / "postgres", "-D", data, "-p", str(port), "-k", folder, "-clisten_addresses=127.0.0.1", *options]
        with server.running("PostgreSQL", command, port, user=user):
            yield f"host=127.0.0.1 port={port} user=bench dbname=postgres"


@contextmanager
def valkey() -> Iterator[str]:
    """The URL of an empty Valkey without a bound on its memory."""
    ensure_valkey()
    port = server.free_port()
    with server.running("Valkey", [VALKEY, "--port", str(port), *OPTIONS], port):
        yield f"redis://127.0.0.1:{port}"


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
