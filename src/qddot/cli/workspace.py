"""The verb that says where a robot gets to: workspace."""

from __future__ import annotations

from typing import Annotated

import typer

from qddot.cli import completion
from qddot.cli.certificates import box_of_words
from qddot.cli.terminal import (
    AsJson,
    OptionWords,
    Plot,
    Settings,
    Source,
    choice,
    number,
    read_robot,
    tell,
)


def workspace(
    source: Source,
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The frame whose places are found. The default is the robot's tip.",
            autocompletion=completion.frames,
        ),
    ] = None,
    box: Annotated[
        OptionWords,
        typer.Option(
            metavar="BOX",
            help="The joint positions that are tried: circle (full turns), or a range per joint, "
            "j2=-1:1 [rad or m]; may be given several times. The default is the joint limits.",
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
    """
    import qddot

    found = qddot.workspace.reachable(
        read_robot(source, settings), frame, box_of_words(box or []), cell=cell, samples=samples
    )
    if plot is not None:
        found.plot(colours, plot)
    tell(as_json, found.to_dict(), [str(found)], [plot])
