"""The verb that says where a robot gets to: workspace."""

from __future__ import annotations

from typing import Annotated

import typer

from qddot.cli.certificates import box_of_words
from qddot.cli.terminal import (
    AsJson,
    OptionWords,
    Plot,
    Settings,
    Source,
    choice,
    frame_name,
    number,
    read_robot,
    tell,
    vector,
)
from qddot.cli.words import numbers
from qddot.errors import BadArgument


def workspace(
    source: Source,
    frame: Annotated[
        str | None, frame_name("The frame whose places are found. The robot's tip if not given.")
    ] = None,
    box: Annotated[
        OptionWords,
        typer.Option(
            metavar="BOX",
            help="The joint positions that are tried: circle (full turns), or a range per joint, "
            "j2=-60deg:1 [rad or m]; may be given several times. The default is the joint limits.",
        ),
    ] = None,
    cell: Annotated[
        float | None,
        number("The side of a cell [m]. The default is a 60th of all, in a plane a 200th.", "M"),
    ] = None,
    samples: Annotated[
        int,
        typer.Option(metavar="COUNT", help="How many joint positions are tried all over the box."),
    ] = 1_000_000,
    at: Annotated[
        str | None,
        vector("Ask about this place alone, x,y,z [m]: which orientations the frame can have."),
    ] = None,
    colours: Annotated[
        str,
        choice("--colours", ("manipulability", "dexterity"), "What the colours of --plot mean"),
    ] = "manipulability",
    settings: Settings = None,
    plot: Plot = None,
    as_json: AsJson = False,
) -> None:
    """Find the places that a frame reaches.

    They are cells of space, reached within the joints' limits: how many, their volume, the largest
    manipulability and the share of directions found. It is sampled, not certified: a cell that is
    missing may be reachable.

    Examples:
      qddot workspace two_link --samples 100000 --plot places.svg
      qddot workspace panda --frame tool --cell 0.1 --samples 100000
      qddot workspace ur5 --at 0.4,0.2,0.3
    """
    import qddot

    if at is not None:
        if plot is not None or box:
            raise BadArgument("--at says which orientations there are: no --plot, no --box.")
        robot = read_robot(source, settings)
        place = qddot.workspace.dexterity_at(robot, numbers("--at", at), frame)
        tell(as_json, place.to_dict(), [str(place)])
        return
    found = qddot.workspace.reachable(
        read_robot(source, settings), frame, box_of_words(box or []), cell=cell, samples=samples
    )
    if plot is not None:
        found.plot(colours, plot)
    tell(as_json, found.to_dict(), [str(found)], [plot])
