"""The one error a user sees."""


class Problem(Exception):
    """What went wrong and what to do about it, in one sentence; ends a command with exit code 1 and no traceback."""


class Stopped(Problem):
    """A step was ended, or not begun, because another one failed."""
