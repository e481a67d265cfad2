"""Servers on this machine: started, waited for, and ended."""

import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

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


def start(name: str, command: Sequence[str | Path], is_ready: Callable[[], bool], log: TextIO, **options: Any) -> subprocess.Popen[bytes]:
    """Starts a server in a session of its own, with options of `Popen`, and waits until it is ready. One that is not is ended, and its last words are
    in the `Problem`."""
    with step(f"Starting {name}"):
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **options)
        except OSError as error:
            raise Problem(f"{name} cannot be run ({error.strerror})") from error
        try:
            _await(name, process, is_ready, log)
        except BaseException:
            end(process)
            raise
    return process


def _await(name: str, process: "subprocess.Popen[bytes]", is_ready: Callable[[], bool], log: TextIO) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while not is_ready():
        ended, is_late = process.poll(), time.monotonic() > deadline
        if ended is not None or is_late:
            log.seek(0)
            what = f"has not answered for {SECONDS_TO_START} s" if ended is None else f"ended with {ended} at its start"
            raise Problem("\n".join([f"{name} {what}; its last words:", *log.read().splitlines()[-5:]]))
        time.sleep(0.1)


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
        process = start(f"{name} on port {port}", command, lambda: listens(port), log, **options)
        try:
            yield
        finally:
            end(process)
