"""The command line: the same verbs as in Python, for people and, with --json, for machines."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import qddot
from qddot.cli import certificates, control, equations, excitation, identification, motion, robots
from qddot.errors import QddotError

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

VERBS = (
    *(robots.show, robots.doctor, robots.export),
    *(equations.derive, equations.prove),
    *(motion.simulate, control.control),
    certificates.certify,
    *(identification.identifiable, excitation.excite, identification.identify),
)
for verb in VERBS:
    app.command()(verb)


def main() -> None:
    """Run the command line: status 0 done, 2 the input is wrong, 1 the work itself failed."""
    try:
        app()  # which also ends quietly on Ctrl-C, with 130, and when nobody reads on
    except QddotError as error:
        sys.stderr.write(f"qddot: {error}\n")
        sys.exit(2)


@app.callback(invoke_without_command=True)
def about(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """The equations of motion of any robot arm.

    \b
    Try:  qddot show                       the built-in robots
          qddot show panda                 one of them
          qddot derive two_link_symbolic   its equations of motion
          qddot prove two_link_symbolic    that they are right
          qddot simulate two_link          how it falls, with an account of its energy
          qddot control panda              how it follows a motion under a control law
          qddot identifiable ur5           what torques tell of its parameters
          qddot identify ur5 log.csv       its parameters, from a log
          qddot doctor arm.urdf            what is wrong with your own
    """
    if version:
        typer.echo(f"qddot {qddot.__version__}")
        raise typer.Exit
