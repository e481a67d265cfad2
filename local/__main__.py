"""`python3 -m local COMMAND`: the stack on this machine. The Makefile names the commands that people need."""

import argparse
import sys

from . import aws, command_line, demo, paths, stack, tools
from .commands import Commands
from .console import say


def _up(options: argparse.Namespace) -> None:
    here = stack.up(options.second_tier)
    say('The stack is up. Try: eval "$(make -s env)"; taxonomy push samples/job-board-v1.json --tenant job-board')
    say(f"Then look at it: {stack.explorer_of(here, 'job-board', '113')}")


def _logs(options: argparse.Namespace) -> None:
    here = stack.load()
    for name in [options.function] if options.function else here.functions:
        say(f"==> {name}")
        say("\n".join(aws.log_messages(here.functions[name])))


def _push(options: argparse.Namespace) -> None:
    command_line.taxonomy(stack.load(), "push", options.file, "--tenant", options.tenant)


COMMANDS = Commands("python3 -m local", "Runs the whole stack on this machine.")
add = COMMANDS.add
command = add("tools", "install the pinned tools into .tools/", lambda options: tools.install(options.aws))
command.add_argument("--aws", action="store_true", help="those of `sam build` and `sam deploy`: SAM, cargo-lambda and zig")
add("valkey", "install the pinned Valkey server into .tools/", lambda _: tools.ensure_valkey())
command = add("up", "start the emulator, build, deploy", _up)
command.add_argument("--second-tier", action="store_true", help="with a Valkey behind the lookup's own memory")
add("down", "stop the emulator and everything in it", lambda _: stack.down())
add("host", "print the Host header of the running API", lambda _: say(stack.load().apiHost))
command = add("logs", "show the logs of the functions", _logs)
command.add_argument("function", nargs="?", choices=paths.FUNCTIONS)
add("env", "print the environment in which `taxonomy` finds the running stack", lambda _: command_line.show_environment(stack.load()))
command = add("push", "upload a taxonomy and follow it until it is published or refused", _push)
command.add_argument("file")
command.add_argument("tenant")
add("demo", "show an upload, answers and an update, from start to end", lambda _: demo.demo())

if __name__ == "__main__":
    sys.exit(COMMANDS.main())
