"""The one error a user sees."""


class Problem(Exception):
    """A failure and its remedy, in one sentence; ends a command with exit code 1 and no traceback."""
