"""Checks which packages a function is built from, and with which features, against the list that a commit changes on purpose."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from local.console import say
from local.paths import FUNCTIONS, ROOT
from local.problem import Problem
from local.shell import capture, cargo

LISTS = ROOT / "checks" / "features"
#: The deployed functions run on Linux alone; the list is that of one architecture.
TARGET = "x86_64-unknown-linux-gnu"
#: Implementations of TLS, and of the cryptography below it. A function has one of each, or none.
TLS = (("rustls", "openssl", "native-tls", "s2n-tls", "boring"), ("ring", "aws-lc-rs", "rustls-graviola", "openssl-sys"))


def check() -> None:
    """Compares the list of each function with what cargo would build."""
    cargo()
    found = []
    for function in FUNCTIONS:
        built = packages(function)
        recorded = _list(function).read_text().splitlines() if _list(function).exists() else []
        found += [f"{function}: {line}" for line in (*differences(recorded, built), *second_stacks(built))]
    for line in found:
        say(f"    {line}")
    if found:
        raise Problem(f"{len(found)} packages or features are not as recorded in checks/features; `make record-features` records them")
    say(f"    {', '.join(FUNCTIONS)}: packages and features are those of checks/features, with one TLS stack at most")


def record() -> None:
    """Writes the list of each function."""
    cargo()
    LISTS.mkdir(exist_ok=True)
    for function in FUNCTIONS:
        _list(function).write_text("".join(f"{line}\n" for line in packages(function)))


def packages(function: str) -> list[str]:
    """Every package of others that a function is built from, as `name version features`, in order. The version is cut to the part
    that decides compatibility, so that an update within it changes no list."""
    tree = capture(["cargo", "tree", "--package", function, "--edges", "normal", "--target", TARGET, "--prefix", "none", "--format", "{p}|{f}"])
    if tree.returncode != 0:
        raise Problem(f"cargo tree failed for {function}: {tree.stderr.strip().splitlines()[-1]}")
    lines = {line.removesuffix(" (*)") for line in tree.stdout.splitlines() if line.strip()}
    # The project's own crates carry a path.
    return sorted(_line(line) for line in lines if "(/" not in line)


def differences(recorded: Sequence[str], built: Sequence[str]) -> Iterable[str]:
    """One line for each package that is new, is gone, or has other features."""
    yield from (f"not recorded: {line}" for line in built if line not in recorded)
    yield from (f"recorded, and not there: {line}" for line in recorded if line not in built)


def second_stacks(built: Sequence[str]) -> Iterable[str]:
    """One line for each kind of TLS package of which there is more than one."""
    for kind in TLS:
        there = [" ".join(line.split()[:2]) for line in built if line.split()[0] in kind]
        if len(there) > 1:
            yield f"more than one of a kind: {', '.join(there)}"


def _line(package: str) -> str:
    described, _, features = package.partition("|")
    name, version = described.split()[:2]
    return " ".join((name, _compatible(version.removeprefix("v")), *sorted(filter(None, features.split(",")))))


def _compatible(version: str) -> str:
    major, minor, *_ = version.split(".")
    return major if major != "0" else f"0.{minor}"


def _list(function: str) -> Path:
    return LISTS / f"{function}.txt"
