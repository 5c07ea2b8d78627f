"""Verbs about where a robot gets to: ik, for a pose, and workspace, all places of a frame."""

from __future__ import annotations

from shlex import quote
from typing import Annotated, Any

import typer

import qddot
from qddot.cli import words
from qddot.cli.certificates import box_of_words
from qddot.cli.terminal import (
    AsJson,
    Degrees,
    OptionWords,
    Plot,
    Settings,
    Source,
    choice,
    doubt_angle,
    doubt_positions,
    entry,
    frame_name,
    number,
    read_robot,
    read_shape,
    tell,
    vector,
)
from qddot.errors import BadArgument, NotInClosedForm, printable

MATCHES = ("pose", "position", "rotation", "x", "y", "z")


def ik(
    source: Source,
    pose: Annotated[
        str | None,
        vector("The pose of the frame in the base: x,y,z [m], roll,pitch,yaw [rad], 180deg."),
    ] = None,
    position: Annotated[
        str | None, vector("Its position alone, x,y,z [m]; the orientation is free.")
    ] = None,
    near: Annotated[
        str | None,
        vector(
            "Joint positions that the solution is to be near [rad or m]: 0,90deg. Home if not "
            "given."
        ),
    ] = None,
    frame: Annotated[str, frame_name("The frame. The tool if not given.")] = "",
    match: Annotated[
        str,
        choice(
            "--match", MATCHES, "What of --pose counts; an axis: the position and its direction"
        ),
    ] = "pose",
    tolerance: Annotated[float, number("What may be missing, in rad and m.")] = 1e-9,
    starts: Annotated[int, entry("From how many places to search at least.", "COUNT")] = 64,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="Print every solution within the limits instead of the nearest one."
        ),
    ] = False,
    free: Annotated[
        OptionWords,
        entry(
            "With --all: where a joint of an arm with more than six is held, j7=30deg [rad or "
            "m]; may be given several times.",
            "JOINT=POSITION",
            "--free",
            "--box",
        ),
    ] = None,
    settings: Settings = None,
    degrees: Degrees = False,
    as_json: AsJson = False,
) -> None:
    """Print joint positions that bring a frame to a pose.

    They are the nearest ones found within the joints' limits. The exit status is 1 if there are
    none: then it prints how close the frame comes, and where it is then.

    Examples:
      qddot ik panda --position 0.4,0.2,0.5
      qddot ik ur5 --pose 0.3,0.2,0.4,pi,0,0 --near 0,-1,1,0,1,0
      qddot ik panda --pose 0.5,0,0.4,pi,0,0 --match z --json
      qddot ik ur5 --pose 0.3,0.2,0.4,180deg,0,0 --all --degrees
      qddot ik panda --pose 0.5,0,0.4,pi,0,0 --all --free panda_joint7=0.5
    """
    from qddot.motions.description import POSE_PARTS

    robot = read_shape(source, settings)
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
        six = _numbers("--pose", pose or "", 6, ",".join(POSE_PARTS))
        for name, angle in zip(POSE_PARTS[3:], six[3:], strict=True):
            doubt_angle("--pose", name, angle)
        target = _matrix(six)
    start = None
    if near is not None:
        start = _numbers("--near", near, robot.n, "one per joint")
        doubt_positions("--near", start, robot)
    how: dict[str, Any] = {"near": start, "match": match, "tolerance": tolerance, "starts": starts}
    if free and not every:
        raise BadArgument("--free says where --all holds a joint: add --all, or leave out --free.")
    if every and position is not None:
        raise BadArgument(
            "--all is of whole poses, and --position leaves a family of them.\n"
            "  Give --pose x,y,z,roll,pitch,yaw, or leave out --all."
        )
    if every and match != "pose":
        raise BadArgument(f"--all is of a whole pose, not of --match {match}.")
    if every:
        facts, lines, found = _all(robot, target, where, free or [], degrees)
    else:
        solution = robot.inverse_kinematics(target, where, **how)
        facts, lines, found = (
            solution.to_dict(),
            solution.text(degrees).splitlines(),
            bool(solution.found),
        )
    tell(as_json, facts, lines)
    if not found:
        raise typer.Exit(1)


def _all(
    robot: Any, X: Any, frame: str, held: list[str], degrees: bool
) -> tuple[dict[str, Any], list[str], bool]:
    """Return the facts about all solutions of a pose, the lines to print, and whether any is."""
    given = box_of_words(held, "--free")
    if held and not isinstance(given, dict):
        raise BadArgument(f"--free gives one position, joint=0.5; not {printable(held[0])!r}.")
    wide = [joint for joint, (low, high) in (given or {}).items() if low != high]
    if wide:
        raise BadArgument(f"--free gives one position: --free {printable(wide[0])}=0.5.")
    free = {joint: low for joint, (low, _) in (given or {}).items()}
    try:
        found = robot.inverse_kinematics_all(X, frame, limits=True, free=free)
    except NotInClosedForm as error:
        raise BadArgument(error.told(options_of, "leave out --all")) from None
    rows = found.q[found.found].tolist()
    facts = {
        "robot": robot.name,
        "frame": frame,
        "joints": list(robot.model.position_names),
        "found": bool(rows),
        "q": rows,
        "singular": found.singular[found.found].tolist(),
    }
    lines = found.text(robot.model.position_units, degrees).splitlines()
    if not rows:
        nearest = (robot.locked(free) if free else robot).inverse_kinematics(X, frame)
        lines += nearest.missed().splitlines()
        facts |= {"nearest": nearest.to_dict()}
    return facts, lines, bool(rows)


def options_of(free: dict[str, float]) -> str:
    """Return how joints are given to `qddot ik`."""
    return " ".join(f"--free {quote(f'{joint}={x:g}')}" for joint, x in free.items())


def workspace(
    source: Source,
    frame: Annotated[
        str | None, frame_name("The frame whose places are found. The robot's tip if not given.")
    ] = None,
    box: Annotated[
        OptionWords,
        entry(
            "The joint positions that are tried: circle (full turns), or a range per joint, "
            "j2=-60deg:1 [rad or m]; may be given several times. The default is the joint limits.",
            "BOX",
        ),
    ] = None,
    cell: Annotated[
        float | None,
        number("The side of a cell [m]. The default is a 60th of all, in a plane a 200th.", "M"),
    ] = None,
    samples: Annotated[
        int, entry("How many joint positions are tried all over the box.", "COUNT")
    ] = 1_000_000,
    at: Annotated[
        str | None,
        vector("Ask about this place alone, x,y,z [m]: which orientations the frame can have."),
    ] = None,
    colours: Annotated[
        str, choice("--colours", ("manipulability", "dexterity"), "What the colours of --plot mean")
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
    if at is not None:
        if plot is not None or box:
            raise BadArgument("--at says which orientations there are: no --plot, no --box.")
        robot = read_robot(source, settings)
        place = qddot.workspace.dexterity_at(robot, words.numbers("--at", at), frame)
        tell(as_json, place.to_dict(), [str(place)])
        return
    found = qddot.workspace.reachable(
        read_robot(source, settings), frame, box_of_words(box or []), cell=cell, samples=samples
    )
    if plot is not None:
        found.plot(colours, plot)
    tell(as_json, found.to_dict(), [str(found)], [plot])


def _numbers(option: str, text: str, count: int, what: str) -> list[float]:
    found = words.numbers(option, text)
    if len(found) != count:
        raise BadArgument(f"{option} holds {words.how_many(len(found))}; give {count}: {what}.")
    return found


def _matrix(six: list[float]) -> Any:
    import numpy as np

    from qddot.spatial.rotation import from_rpy

    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.array(from_rpy(tuple(six[3:])), dtype=float), six[:3]
    return X
