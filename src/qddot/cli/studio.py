"""The verb that opens the studio."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from qddot.cli import completion
from qddot.cli.terminal import ROBOT, AsJson, Settings, echo_json, read_numeric
from qddot.errors import BadArgument

INTERRUPTED = 130


def studio(
    source: Annotated[
        str | None,
        typer.Argument(metavar="ROBOT", help=ROBOT, autocompletion=completion.robots),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            help="Port of the page: 9000. If not given, 8737 or the next free one.",
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Open a robot in the browser: move it, and watch its numbers.

    The page simulates the robot, controls it and replays logs; gravity, payload and friction can
    be changed. Robot files and logs can be dropped on the page.

    Prints the address of the page, and serves it until Ctrl-C. Only this machine can open it, and
    it needs no network.

    Examples:
      qddot studio
      qddot studio panda --no-browser
      qddot studio two_link_symbolic --port 9000
    """
    from qddot.readers.read import built_in_names
    from qddot.studio.server import Studio, heeding_signals, open_page

    if settings and source is None:
        raise BadArgument("--set changes a robot, and none is named: qddot studio panda --set ...")
    named = source is None or (source in built_in_names() and not settings)
    robot = source if named or source is None else read_numeric(source, settings)
    with Studio(robot, port) as running, heeding_signals(running):
        if as_json:
            facts = {"address": running.address, "port": running.port, "host": "127.0.0.1"}
            echo_json(facts | {"robot": running.library.label})
        else:
            typer.echo(running.words)
        sys.stdout.flush()
        if browser:
            open_page(running.address)
        interrupted = running.wait()
        if not as_json:
            typer.echo("\nqddot studio: goodbye.", err=True)
    # a thread may be compiling still, and would be waited for
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED if interrupted else 0)
