"""`python3 -m release`: makes the archive that deploys the service without Rust, in `dist/`."""

import sys

from local.commands import run

from . import make

if __name__ == "__main__":
    sys.exit(run(make.make))
