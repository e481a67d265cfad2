"""`python3 -m release`: makes the archive in `dist/`."""

import argparse
import sys

from local.commands import run

from . import make


def main() -> int:
    """Returns the exit code: 0, or 1 with one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python3 -m release", description="Makes the archive that deploys the service without Rust, in dist/.")
    parser.add_argument("--quick", action="store_true", help="without optimisation")
    options = parser.parse_args()
    return run(lambda: make.make(quick=options.quick))


if __name__ == "__main__":
    sys.exit(main())
