"""Checks that what was built runs where it is deployed to."""

import re
from pathlib import Path

from .problem import Problem

#: The C library of Amazon Linux 2023, which provided.al2023 is: 2.34.
NEWEST = 34


def check_c_library(binaries: list[Path]) -> None:
    """No binary may ask for a newer symbol: here it would run, and on AWS it would not start."""
    if not binaries:
        raise Problem("sam build left no binaries")
    for binary in binaries:
        wanted = max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", binary.read_bytes())), default=0)
        if wanted > NEWEST:
            raise Problem(f"{binary.parent.name} needs glibc 2.{wanted}, and provided.al2023 has 2.{NEWEST}")
