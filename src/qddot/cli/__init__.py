"""The command line: the same verbs as in Python, for people and, with --json, for machines."""

import sys
from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.cli.command_line import TOUR, app

__all__ = ["TOUR", "app", "main"]


def main() -> None:
    """Run the command line of this process.

    What takes long to import is imported inside, so that Ctrl-C is answered in words from the
    start.
    """
    try:
        from qddot.cli import memory

        memory.prepare()
        from qddot.cli import command_line, running

        status = running.run(command_line.app, sys.argv[1:])
    except BaseException as error:  # while it was starting; later ones are told by `run`
        from qddot.cli.memory import is_lack, words

        lack = is_lack(error)
        if not lack and not is_interrupt(error):
            raise
        sys.stderr.write(f"qddot: {words() if lack else 'interrupted'}\n")
        status = 1 if lack else 130
    # Python remembers a Ctrl-C that passed through `exec` of a text, as dataclasses use it, and
    # would end as if nobody had heard it; another `exec` makes it forget
    exec("")
    sys.exit(status)


def is_interrupt(error: BaseException | None) -> bool:
    """Return whether Ctrl-C is behind an error: a class that is half made raises another."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


__getattr__, __dir__ = on_demand(__name__, {"qddot.cli.command_line": "TOUR app"}, "terminal")
