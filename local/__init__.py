"""Runs the whole stack on one machine: the real template, deployed by `sam deploy` to a local AWS emulator."""

import sys

# Here, because on an older Python the modules themselves cannot be read.
if sys.version_info < (3, 10):
    sys.exit("error: Python 3.10 or newer is needed")
