"""Verbs about robots as they are described: show, doctor."""

from __future__ import annotations

from typing import Annotated

import typer

from qddot.cli import completion
from qddot.cli.terminal import (
    ROBOT,
    AsJson,
    Settings,
    Source,
    echo_json,
    read_model,
)
from qddot.errors import BadArgument


def show(
    source: Annotated[
        str | None, typer.Argument(metavar="[ROBOT]", help=ROBOT, autocompletion=completion.robots)
    ] = None,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Print a robot as a table and a tree, or the built-in robots.

    Examples:
      qddot show
      qddot show panda
      qddot show two_link_symbolic --set m1=50 --json
    """
    from qddot.robot.showing import show as print_robot

    if source is None:
        if settings:
            raise BadArgument(
                "--set changes a robot, and none is named: qddot show panda --set ..."
            )
        if as_json:
            from qddot.readers.read import library, read

            models = [read(name) for name in library()]
            echo_json([{"name": m.name, "n": m.n, "description": m.description} for m in models])
        else:
            print_robot()
        return
    model = read_model(source, settings)
    if as_json:
        echo_json(model.to_dict())
    else:
        print_robot(model)


def doctor(source: Source, as_json: AsJson = False) -> None:
    """Find the problems of a robot; compare it with other engines.

    Every problem is shown with its place and a remedy. M and g are compared with those of
    Pinocchio, MuJoCo and Drake, if installed. The exit status is 2 if the robot cannot be used.

    Examples:
      qddot doctor puma560
      qddot export ur5 -o arm.urdf
      qddot doctor arm.urdf --json
    """
    from qddot.doctor import examine, print_examination
    from qddot.progress import message_if_slow

    with message_if_slow("asking the other engines"):
        examination = examine(source)
    if as_json:
        echo_json(examination.to_dict())
    else:
        print_examination(examination)
    if examination.model is None:
        raise typer.Exit(2)
