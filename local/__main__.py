"""`python3 -m local COMMAND`; the Makefile names the commands that people need."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from . import command_line, conformance, demo, description, fuzz, lean, logs, paths, prove_api, prove_cli, prove_pages, prove_release, prove_skos, release, sam_local, stack, tools
from .problem import Problem
from .say import say


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m local", description="Runs the whole stack on this machine.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, what: str, do: Callable[[argparse.Namespace], object]) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=what, description=what)
        command.set_defaults(do=do)
        return command

    add("tools", "install the pinned tools into .tools/", lambda _: tools.install())
    add("valkey", "install the pinned Valkey server into .tools/", lambda _: tools.ensure_valkey())
    command = add("release", "make the archive that deploys the service without Rust, in dist/", lambda options: release.make(quick=options.quick))
    command.add_argument("--quick", action="store_true", help="not optimised as a whole")
    command = add("up", "start the emulator, build, deploy", lambda options: stack.up(options.second_tier))
    command.add_argument("--second-tier", action="store_true", help="with a Valkey behind the lookup's own memory")
    add("down", "stop the emulator and everything in it", lambda _: stack.down())
    add("host", "print the Host header that the running API answers to", lambda _: say(stack.load().apiHost))
    command = add("logs", "show what the functions logged", lambda options: logs.show(stack.load(), options.function))
    command.add_argument("function", nargs="?", choices=paths.FUNCTIONS)
    add("env", "print the environment in which `taxonomy` finds the running stack", lambda _: command_line.show_environment(stack.load()))
    command = add("push", "upload a taxonomy and follow it until it is published or refused", _push)
    command.add_argument("file")
    command.add_argument("tenant")
    add("demo", "show an upload, answers and an update, from start to end", lambda _: demo.demo())
    add("sam-local", "run each function on its sample events under sam local invoke", lambda _: sam_local.run_all())
    command = add("prove-cli", "run the command line over the stack", lambda options: prove_cli.prove(options.quick))
    command.add_argument("--quick", action="store_true", help="with fewer metrics and interruptions")
    command = add("prove-api", "prove the API over the running stack", lambda options: prove_api.prove(options.modules))
    command.add_argument("modules", nargs="*", help="modules of tests/prove_api; all where none is named")
    command = add("prove-pages", "run the explorer and the API page in a browser", lambda options: prove_pages.prove(options.names, options.pictures))
    command.add_argument("names", nargs="*", help="test files of tests/pages, without .test.mjs; all where none is named")
    command.add_argument("--pictures", type=Path, metavar="FOLDER", help="take pictures as well")
    command = add("prove-release", "make a release and deploy it from its archive", lambda options: prove_release.prove(options.quick))
    command.add_argument("--quick", action="store_true", help="not optimised as a whole")
    add("prove-skos", "check downloads as SKOS by tools that share nothing with their writer", lambda _: prove_skos.prove())
    command = add("description", "check the description of the API against the running stack", lambda options: description.check(options.long))
    command.add_argument("--long", action="store_true", help="a quarter of an hour of random requests")
    add("lean", "check what the functions and the pure crates are built from", lambda _: lean.check())
    command = add(
        "conformance",
        "run the tests of the database against a second engine, Amazon's DynamoDB Local",
        lambda options: conformance.conformance(options.endpoint, options.engine),
    )
    command.add_argument("--endpoint", help="the address of an engine that runs already, on this machine")
    command.add_argument("--engine", help="the name under which its differences are listed")
    command = add("fuzz", "run every fuzz target a fixed number of times", lambda options: fuzz.fuzz(options.runs))
    command.add_argument("runs", type=int)
    return parser


def _push(options: argparse.Namespace) -> None:
    command_line.taxonomy(stack.load(), "push", options.file, "--tenant", options.tenant)


def main() -> int:
    """Exit code 0, or 1 with one sentence on standard error."""
    options = _parser().parse_args()
    try:
        options.do(options)
    except Problem as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
