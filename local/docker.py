"""Docker with the image that `sam local` wants, made out of Debian where no image registry is in reach."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .problem import Problem
from .say import step
from .shell import capture, run_quietly

#: Under these names SAM looks for the runtime of provided.al2023 on this machine's architecture.
IMAGE = "public.ecr.aws/lambda/provided:al2023"
IMAGE_X86_64 = f"{IMAGE}-x86_64"
SECONDS_TO_START = 60
SECONDS_TO_PULL = 60


@contextmanager
def docker() -> Iterator[None]:
    """A docker that answers and has the image; a daemon started here is stopped again."""
    daemon = None if _answers() else _start_daemon()
    try:
        if not _has_image() and not _pull():
            _make_image()
        yield
    finally:
        if daemon is not None:
            daemon.terminate()
            daemon.wait()


def gateway() -> str:
    """The address under which a container sees this machine."""
    shown = capture(["docker", "network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Gateway}}"])
    if shown.returncode != 0 or not shown.stdout.strip():
        raise Problem("docker has no bridge network, which sam local needs")
    return shown.stdout.strip()


def _answers() -> bool:
    return shutil.which("docker") is not None and capture(["docker", "info"]).returncode == 0


def _start_daemon() -> subprocess.Popen[bytes]:
    if shutil.which("dockerd") is None:
        _install("docker.io")
    if os.geteuid() != 0:
        raise Problem("docker is installed but its daemon does not answer: start it, or run this as root")
    with step("Starting dockerd"):
        log = tempfile.TemporaryFile()
        daemon = subprocess.Popen(["dockerd"], stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < deadline and daemon.poll() is None:
            if _answers():
                return daemon
            time.sleep(0.5)
        daemon.kill()
        log.seek(0)
        last = log.read().decode(errors="replace").strip().splitlines()[-1:]
        raise Problem(f"dockerd does not start on this machine: {''.join(last)}")


def _has_image() -> bool:
    return all(capture(["docker", "image", "inspect", name]).returncode == 0 for name in (IMAGE, IMAGE_X86_64))


def _pull() -> bool:
    # AWS's own image where its registry is in reach.
    try:
        pulled = subprocess.run(
            ["docker", "pull", "--quiet", IMAGE_X86_64], capture_output=True, check=False, timeout=SECONDS_TO_PULL
        )
    except subprocess.TimeoutExpired:
        return False
    return pulled.returncode == 0 and capture(["docker", "tag", IMAGE_X86_64, IMAGE]).returncode == 0


def _make_image() -> None:
    if shutil.which("debootstrap") is None:
        _install("debootstrap")
    # Near enough: the functions need nothing but a C library not older than the one they are linked for (abi.py), here 2.36.
    with step("Making the Lambda image out of Debian (no image registry is in reach)"), tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        archive = Path(folder) / "root.tar"
        run_quietly(["debootstrap", "--variant=minbase", "bookworm", root], "debootstrap")
        run_quietly(["tar", "--directory", root, "--create", "--file", archive, "."], "Packing the image")
        run_quietly(["docker", "import", archive, IMAGE_X86_64], "Importing the image")
        run_quietly(["docker", "tag", IMAGE_X86_64, IMAGE], "Naming the image")


def _install(package: str) -> None:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise Problem(f"sam local needs docker, and {package} is not installed: install it, or run this as root on Debian")
    with step(f"Installing {package}"):
        extra = {"DEBIAN_FRONTEND": "noninteractive"}
        run_quietly(["apt-get", "-qq", "update"], "apt-get update", extra)
        run_quietly(["apt-get", "-qq", "install", "--yes", "--no-install-recommends", package], f"Installing {package}", extra)
