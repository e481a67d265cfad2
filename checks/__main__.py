"""`python3 -m checks COMMAND`: the checks beyond the tests of cargo. The Makefile names the commands that people need."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from local.commands import run

from . import conformance, description, features, fuzz, game_day, lean, load, mutants, prove_api, prove_cli, prove_pages, prove_release, prove_skos, sam_local


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m checks", description="Checks the project.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, text: str, do: Callable[[argparse.Namespace], object]) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(do=do)
        return command

    add("lean", "check the dependencies of the functions and of the pure crates", lambda _: lean.check())
    add("features", "check packages and features of the functions against their lists", lambda _: features.check())
    add("record-features", "write the lists of packages and features", lambda _: features.record())
    command = add("fuzz", "run every fuzz target a fixed number of times", lambda options: fuzz.fuzz(options.runs))
    command.add_argument("runs", type=int)
    add("mutants-apply", "apply the mutants to a copy of the project", lambda _: mutants.apply())
    command = add("mutants", "build the mutants once and run the tests that kill them", lambda options: mutants.run(options.names, quick=options.quick))
    command.add_argument("names", nargs="*", metavar="MUTANT", help="mutants to run; all where none is named")
    command.add_argument("--quick", action="store_true", help="one mutant of each proof")
    command = add(
        "conformance",
        "run the tests of the database against a second engine, Amazon's DynamoDB Local",
        lambda options: conformance.conformance(options.endpoint, options.engine, quick=options.quick),
    )
    command.add_argument("--endpoint", help="the address of an engine that runs already, on this machine")
    command.add_argument("--engine", help="the name under which its differences are listed")
    command.add_argument("--quick", action="store_true", help="a part of the journeys, with every kind of request")
    add("sam-local", "run each function on its sample events under sam local invoke", lambda _: sam_local.run_all())
    command = add("description", "check the description of the API against the running stack", lambda options: description.check(options.long))
    command.add_argument("--long", action="store_true", help="a quarter of an hour of random requests")
    command = add("prove-cli", "run the command line over the stack", lambda options: prove_cli.prove(options.quick))
    command.add_argument("--quick", action="store_true", help="with fewer metrics and interruptions")
    command = add("prove-api", "prove the API over the running stack", lambda options: prove_api.prove(options.modules))
    command.add_argument("modules", nargs="*", help="modules of tests/prove_api; all where none is named")
    command = add("prove-pages", "run the explorer and the API page in a browser", lambda options: prove_pages.prove(options.names, options.pictures))
    command.add_argument("names", nargs="*", help="test files of tests/pages, without .test.mjs; all where none is named")
    command.add_argument("--pictures", type=Path, metavar="FOLDER", help="take pictures as well")
    command = add("prove-release", "make a release and deploy it from its archive", lambda options: prove_release.prove(options.quick))
    command.add_argument("--quick", action="store_true", help="without optimisation")
    command = add("game-day", "make each alarm fire on a stack of its own, and mend it", lambda options: game_day.play(options.names))
    command.add_argument("names", nargs="*", metavar="ALARM", help="alarms, or lost-table; all where none is named")
    command = add("load", "load the stack and the function while versions are published", lambda options: load.run(options.seconds or options.minutes * 60, options.part, options.record))
    command.add_argument("--seconds", type=int, default=0, help="the time in total")
    command.add_argument("--minutes", type=int, default=60, help="the same in minutes; an hour by default")
    command.add_argument("--part", choices=load.PARTS, help="only this part, for the whole time")
    command.add_argument("--record", action="store_true", help="write docs/load.md")
    add("prove-skos", "check downloads as SKOS by independent tools", lambda _: prove_skos.prove())
    return parser


def main() -> int:
    """Returns the exit code: 0, or 1 with one sentence on standard error."""
    options = _parser().parse_args()
    return run(lambda: options.do(options))


if __name__ == "__main__":
    sys.exit(main())
