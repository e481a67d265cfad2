"""Docker with the image that `sam local` wants, made out of Debian where no image registry is in reach."""

import fcntl
import ipaddress
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from local import server
from local.console import step
from local.problem import Problem
from local.shell import capture, run_quietly

#: Under these names SAM looks for the runtime of provided.al2023 on this machine's architecture.
IMAGE = "public.ecr.aws/lambda/provided:al2023"
IMAGE_X86_64 = f"{IMAGE}-x86_64"
SECONDS_TO_PULL = 60
#: Linux's request for the address of a network interface.
SIOCGIFADDR = 0x8915


@contextmanager
def docker() -> Iterator[None]:
    """A docker that answers; a daemon started here is stopped again."""
    daemon = None if _answers() else _start_daemon()
    try:
        yield
    finally:
        if daemon is not None:
            server.end(daemon)


def ensure_runtime() -> None:
    """The image of AWS's runtime: pulled, or else made out of Debian."""
    if not _has_image() and not _pull():
        _make_image()


def make_image(name: str, programs: Sequence[Path]) -> None:
    """An image of this machine's C library, in which programs that are built here run. SAM puts AWS's runtime emulator in by its shell."""
    tools = [Path(shutil.which(tool) or f"/bin/{tool}") for tool in ("sh", "chmod", "mv")]
    files = {Path(library) for program in (*programs, *tools) for library in _libraries(program)}
    with step("Making an image of this machine's C library"), tempfile.TemporaryDirectory() as folder:
        root, archive = Path(folder) / "root", Path(folder) / "root.tar"
        # Each under the very name that a program asks for, whatever links lead there.
        for source, place in [*((file, root / file.relative_to("/")) for file in sorted(files)), *((tool, root / "bin" / tool.name) for tool in tools)]:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)
        (root / "tmp").mkdir()
        run_quietly(["tar", "--directory", root, "--create", "--file", archive, "."], "Packing the image")
        run_quietly(["docker", "import", archive, name], "Importing the image")


def _libraries(program: Path) -> list[str]:
    return re.findall(r"(/\S+) \(0x", capture(["ldd", program]).stdout)


@dataclass(frozen=True)
class Bridge:
    """Docker's default network: the interface that it has on this machine, and the address of that, where docker reports one."""

    interface: str
    gateway: str | None


def gateway() -> str:
    """The address under which a container sees this machine."""
    shown = capture(["docker", "network", "inspect", "bridge"])
    if shown.returncode != 0:
        raise Problem(f"docker has no bridge network, which sam local needs: {shown.stderr.strip()}")
    bridge = read_bridge(shown.stdout)
    # dockerd 20.10 reports no gateway until its second start; the interface has its address from the first one on.
    address = bridge.gateway or address_of(bridge.interface)
    if address is None:
        raise Problem(f"docker's network interface {bridge.interface} has no IPv4 address on this machine, which sam local needs")
    return address


def read_bridge(description: str) -> Bridge:
    """From the output of `docker network inspect bridge`."""
    try:
        network = json.loads(description)[0]
        options, ranges = network.get("Options") or {}, network["IPAM"].get("Config") or []
        reported = [each.get("Gateway", "") for each in ranges]
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        raise Problem(f"docker describes its bridge network in an unknown form: {description[:200]}") from error
    addresses = [address for each in reported if (address := _ipv4(each))]
    return Bridge(options.get("com.docker.network.bridge.name") or "docker0", addresses[0] if addresses else None)


def address_of(interface: str) -> str | None:
    """The IPv4 address of a network interface of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            answer = fcntl.ioctl(any_socket, SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
        except OSError:
            return None
    return socket.inet_ntoa(answer[20:24])


def _ipv4(text: str) -> str | None:
    # Some versions report the length of the network's prefix as well.
    try:
        return str(ipaddress.IPv4Address(text.split("/")[0]))
    except ValueError:
        return None


def _answers() -> bool:
    return shutil.which("docker") is not None and capture(["docker", "info"]).returncode == 0


def _start_daemon() -> subprocess.Popen[bytes]:
    if shutil.which("dockerd") is None:
        _install("docker.io")
    if os.geteuid() != 0:
        raise Problem("docker is installed but its daemon does not answer: start it, or run this as root")
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        return server.start("dockerd", ["dockerd"], _answers, log)


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
    # Near enough: the functions need nothing but a C library not older than the one they are linked for (release/glibc.py), here 2.36.
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
