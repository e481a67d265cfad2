"""Servers on this machine: started, waited for, and ended."""

import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .console import step
from .problem import Problem

SECONDS_TO_START, SECONDS_TO_STOP = 60, 30


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Whether a server takes connections at a port of the loopback interface."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def start(name: str, command: Sequence[str | Path], is_ready: Callable[[], bool], **options: Any) -> subprocess.Popen[bytes]:
    """Starts a server in a session of its own, with options of `Popen`, and waits until it is ready. One that is not is ended."""
    with step(f"Starting {name}"):
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
        except OSError as error:
            raise Problem(f"{name} cannot be run ({error.strerror})") from error
        try:
            deadline = time.monotonic() + SECONDS_TO_START
            while not is_ready():
                if process.poll() is not None:
                    raise Problem(f"{name} ended with {process.returncode} at its start")
                if time.monotonic() > deadline:
                    raise Problem(f"{name} has not answered for {SECONDS_TO_START} s")
                time.sleep(0.1)
        except BaseException:
            end(process)
            raise
    return process


def end(process: "subprocess.Popen[Any]") -> None:
    """Asks a process to end, and kills it where it does not."""
    process.terminate()
    try:
        process.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def running(name: str, command: Sequence[str | Path], port: int, **options: Any) -> Iterator[None]:
    """A server that listens at a port for as long as the block runs."""
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        try:
            process = start(f"{name} on port {port}", command, lambda: listens(port), stdout=log, stderr=log, **options)
        except Problem as problem:
            log.seek(0)
            raise Problem("\n".join([f"{problem}; its last words:", *log.read().splitlines()[-5:]])) from problem
        try:
            yield
        finally:
            end(process)
