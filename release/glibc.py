"""Checks that what was built runs where it is deployed to."""

import re
import struct
from pathlib import Path

from local.problem import Problem

#: The C library of Amazon Linux 2023, which provided.al2023 is: 2.34.
NEWEST = 34
#: PT_INTERP, the program header that names a loader.
LOADER = 3


def check_c_library(binaries: list[Path]) -> None:
    """Refuses a binary that needs a newer symbol: it would run here, and would not start on AWS."""
    if not binaries:
        raise Problem("sam build left no binaries")
    for binary in binaries:
        wanted = max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", binary.read_bytes())), default=0)
        if wanted > NEWEST:
            raise Problem(f"{binary.parent.name} needs glibc 2.{wanted}, and provided.al2023 has 2.{NEWEST}")


def check_static(program: Path) -> None:
    """Refuses a program that needs a loader, and so libraries of the machine that it runs on."""
    content = program.read_bytes()
    if content[:5] != b"\x7fELF\x02":
        raise Problem(f"{program.name} is no 64-bit program of Linux")
    (table,) = struct.unpack_from("<Q", content, 0x20)
    size, count = struct.unpack_from("<HH", content, 0x36)
    kinds = {struct.unpack_from("<I", content, table + index * size)[0] for index in range(count)}
    if LOADER in kinds:
        raise Problem(f"{program.name} is linked dynamically")
