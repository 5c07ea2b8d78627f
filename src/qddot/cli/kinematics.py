"""The verb that asks for joint positions: ik."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from qddot.cli import completion, words
from qddot.cli.terminal import AsJson, Settings, Source, choice, number, read_numeric, tell, vector
from qddot.errors import BadArgument

MATCHES = ("pose", "position", "rotation", "x", "y", "z")


def ik(
    source: Source,
    pose: Annotated[
        str | None,
        vector("The pose of the frame in the base: x,y,z [m], roll,pitch,yaw [rad]."),
    ] = None,
    position: Annotated[
        str | None, vector("Its position alone, x,y,z [m]; the orientation is free.")
    ] = None,
    near: Annotated[
        str | None,
        vector("Joint positions that the solution is to be near. Home if not given."),
    ] = None,
    frame: Annotated[
        str,
        typer.Option(
            metavar="FRAME",
            help="The frame. The tool if not given.",
            autocompletion=completion.frames,
            show_default=False,
        ),
    ] = "",
    match: Annotated[
        str,
        choice(
            "--match", MATCHES, "What of --pose counts; an axis: the position and its direction"
        ),
    ] = "pose",
    tolerance: Annotated[float, number("What may be missing, in rad and m.")] = 1e-9,
    starts: Annotated[
        int, typer.Option(metavar="COUNT", help="From how many places to search at least.")
    ] = 64,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Print joint positions that bring a frame to a pose.

    They are the nearest ones found within the joints' limits. The exit status is 1 if there are
    none: then it prints how close the frame comes, and where it is then.

    Examples:
      qddot ik panda --position 0.4,0.2,0.5
      qddot ik ur5 --pose 0.3,0.2,0.4,pi,0,0 --near 0,-1,1,0,1,0
      qddot ik panda --pose 0.5,0,0.4,pi,0,0 --match z --json
    """
    robot = read_numeric(source, settings)
    where = frame or robot.tip
    if (pose is None) == (position is None):
        raise BadArgument(
            "Where is the frame to be? Give --pose x,y,z,roll,pitch,yaw or --position x,y,z, one "
            "of them."
        )
    if position is not None:
        target: Any = _numbers("--position", position, 3, "x,y,z")
        match = "position"
    else:
        target = _matrix(_numbers("--pose", pose or "", 6, "x,y,z,roll,pitch,yaw"))
    start = None if near is None else _numbers("--near", near, robot.n, "one per joint")
    how: dict[str, Any] = {"near": start, "match": match, "tolerance": tolerance, "starts": starts}
    solution = robot.inverse_kinematics(target, where, **how)
    tell(as_json, solution.to_dict(), str(solution).splitlines())
    if not solution.found:
        raise typer.Exit(1)


def _numbers(option: str, text: str, count: int, what: str) -> list[float]:
    found = words.numbers(option, text)
    if len(found) != count:
        raise BadArgument(f"{option} holds {len(found)} numbers; give {count}: {what}.")
    return found


def _matrix(six: list[float]) -> Any:
    import numpy as np

    from qddot.spatial.rotation import from_rpy

    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.array(from_rpy(tuple(six[3:])), dtype=float), six[:3]
    return X
