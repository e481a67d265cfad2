"""`python3 -m benches`: measures everything, prints the table, and with `--record` writes it into the documentation."""

import argparse
import sys

from local.commands import run
from local.problem import Problem

from . import measurements, record, tables


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m benches", description="Measures the service beside its peers.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(measurements.PARTS)}; all but the curves where none is named")
    parser.add_argument("--quick", action="store_true", help="a thousand terms, and one real taxonomy")
    parser.add_argument("--record", action="store_true", help="write the figures into the documentation")
    parser.add_argument("--render", action="store_true", help="measure nothing; write the documentation from the recorded figures")
    return parser


def _measure(options: argparse.Namespace) -> None:
    if options.render:
        if not (recorded := record.figures()):
            raise Problem("nothing is recorded: `make bench RECORD=1` does it")
        record.write(recorded)
        return
    parts = options.parts or measurements.USUAL
    if unknown := set(parts) - set(measurements.PARTS):
        raise Problem(f"{', '.join(sorted(unknown))} is no part of the benchmark")
    figures = measurements.take(parts, options.quick)
    if options.record:
        record.keep(record.figures() | figures)
    print(tables.page(figures))


def main() -> int:
    """Returns the exit code: 0, or 1 with one sentence on standard error."""
    options = _parser().parse_args()
    return run(lambda: _measure(options))


if __name__ == "__main__":
    sys.exit(main())
