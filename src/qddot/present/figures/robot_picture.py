"""A robot at a pose as a picture for papers: .png, .svg and .pdf, with the surfaces of the pages.

It is drawn pixel by pixel, with smooth edges. A .svg or .pdf holds these pixels without loss,
at 300 an inch; names and axes of frames are letters and lines in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import joint_vector, one_of, whole
from qddot.errors import BadArgument
from qddot.present.figures import style
from qddot.present.figures.arm_scene import arm_scene
from qddot.present.figures.eye import Eye, eye_on
from qddot.present.figures.renderer import render, triangles_of
from qddot.progress import inform
from qddot.robot import Robot
from qddot.saving import check_place, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS = 150  # [1/inch], at which figures are written
FINER = 2  # times as many has a picture in .svg and .pdf
FINEST = 4000  # [px], width and height of one that is made finer: memory grows with its square
LARGEST = 8000  # [px], width and height
AXES = ("#d62f2f", "#2c9f45", "#2b6fd6")  # x, y, z of a frame
AXIS = 0.17  # how long they are, in parts of the robot's size
LOOKS = {  # azimuth and elevation [rad], from x towards y and up
    "corner": (-0.9, 0.32),
    "front": (0.0, 0.1),
    "side": (-np.pi / 2, 0.1),
    "back": (np.pi, 0.1),
    "top": (-np.pi / 2, 1.5),
}


def plot_robot(
    robot: Robot,
    q: Any = None,
    *,
    look: str | tuple[float, float] | None = None,
    size: tuple[int, int] = (900, 700),
    ghost: Any = None,
    frames: Sequence[str] | str = (),
    path: str | Path | None = None,
) -> Figure:
    """Draw a robot.

    Args:
        robot: Any robot whose sizes are numbers; its masses need not be.
        q: Joint positions [rad or m], shape (n,); its home by default.
        look: From where: "corner", "front", "side", "back", "top", or azimuth and elevation [rad].
        size: Width and height of the picture [px].
        ghost: Other joint positions, at which the robot is drawn translucent.
        frames: Names of frames whose axes are drawn, x red, y green, z blue.
        path: Where to write it: .png, .svg or .pdf; nowhere if None.
    """
    if path is not None:
        check_place(path, "A figure", style.FIGURES)
    robot = robot._shape_alone
    scene = arm_scene(robot)
    q = joint_vector(robot, "q", robot.home if q is None else q)
    shown = [triangles_of(scene.surfaces, scene.poses(q))]
    if ghost is not None:
        elsewhere = joint_vector(robot, "ghost", ghost)
        shown.append(triangles_of(scene.surfaces, scene.poses(elsewhere)))
    named = [frames] if isinstance(frames, str) else list(frames)
    axes = {name: robot.pose(q, name) for name in named}
    if scene.surfaces.missing:
        inform(f"note: {scene.surfaces.missing}")
    long = AXIS * scene.size
    ends = [X[:3, 3] + long * np.column_stack([np.zeros(3), X[:3, :3]]).T for X in axes.values()]
    points = np.concatenate([*(triangles.points for triangles in shown), *ends])
    up = np.array(scene.stage["up"], dtype=float)
    eye = eye_on(up, points, _size(size), _look(look, scene.stage["look"]))
    figure, canvas = _canvas(eye)
    kind = "png" if path is None else Path(path).suffix.lower()[1:]
    times = FINER if kind != "png" and FINER * max(eye.size) <= FINEST else 1
    picture = render(eye.scaled(times), *shown)
    # at its own dots each stays as it is; with "none", viewers would not smooth an SVG
    canvas.imshow(picture, extent=(0, eye.size[0], eye.size[1], 0), interpolation="nearest")
    for name, places in zip(axes, ends, strict=True):
        _frame(canvas, eye.seen(places), style.label(name))
    if path is not None:
        dots = DOTS * times
        write_whole(path, lambda beside: figure.savefig(beside, format=kind, dpi=dots))
    return figure


def _frame(canvas: Axes, seen: np.ndarray, name: str) -> None:
    """Draw the axes of a frame, the farthest first: its origin and their ends, and its name."""
    origin, *ends = [(float(x), float(y)) for x, y, _ in seen]
    for k in np.argsort(-seen[1:, 2]):
        how = {"arrowstyle": "-|>,head_length=0.5,head_width=0.2", "color": AXES[k]}
        how |= {"linewidth": 2.2, "shrinkA": 0, "shrinkB": 0, "joinstyle": "miter"}
        canvas.annotate("", ends[k], origin, arrowprops=how)
    words = canvas.text(origin[0] + 8, origin[1] + 14, "", fontsize=style.NORMAL)
    style.write(words, name)


def _canvas(eye: Eye) -> tuple[Figure, Axes]:
    wide, high = eye.size
    figure = style.figure(wide / DOTS, high / DOTS)
    figure.set_layout_engine("none")
    canvas = figure.add_axes((0, 0, 1, 1))
    canvas.set(xlim=(0, wide), ylim=(high, 0))
    canvas.axis("off")
    return figure, canvas


def _size(size: Any) -> tuple[int, int]:
    try:
        wide, high = size
    except (TypeError, ValueError):
        raise BadArgument(f"size is {size!r}; give width and height in pixels.") from None
    wide, high = (whole("size", x, least=16, most=LARGEST) for x in (wide, high))
    return wide, high


def _look(look: Any, usual: Mapping[str, float]) -> Mapping[str, float]:
    if look is None:
        return usual
    if isinstance(look, str):
        azimuth, elevation = LOOKS[one_of("look", look, LOOKS)]
    else:
        try:
            azimuth, elevation = (float(x) for x in look)
        except (TypeError, ValueError):
            raise BadArgument(
                f"look is {look!r}; give one of {', '.join(LOOKS)}, or azimuth and elevation [rad]."
            ) from None
    return {"azimuth": azimuth, "elevation": float(np.clip(elevation, -1.5, 1.5))}
