"""The command line: the same verbs as in Python, for people and, with --json, for machines."""

import sys

from qddot.on_demand import on_demand

__all__ = ["TOUR", "app", "main"]  # the first two come when they are asked for


def main() -> None:
    """Run the command line of this process.

    What takes long to import is imported inside, so that Ctrl-C is answered in words from the
    start.
    """
    try:
        from qddot.cli.command_line import app
        from qddot.cli.running import run

        sys.exit(run(app, sys.argv[1:]))
    except KeyboardInterrupt:  # while it was starting; later ones are told by `run`
        sys.stderr.write("qddot: interrupted\n")
        sys.exit(130)


__getattr__, __dir__ = on_demand(
    __name__, {"TOUR": "qddot.cli.command_line", "app": "qddot.cli.command_line"}
)
