"""The logs of the functions, from the emulator's CloudWatch."""

from . import aws
from .console import say
from .stack import Stack


def show(stack: Stack, function: str | None) -> None:
    """Prints one function's log, or all of them."""
    for name in [function] if function else stack.functions:
        say(f"==> {name}")
        for line in aws.log_messages(log_group(stack, name)):
            say(line)


def log_group(stack: Stack, function: str) -> str:
    """As template.yaml names it."""
    return f"/aws/lambda/{stack.functions[function]}"
