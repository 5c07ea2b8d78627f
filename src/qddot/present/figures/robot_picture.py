"""A robot at a pose as a picture for papers: .png, .svg and .pdf, with the surfaces of the pages.

A .png is drawn pixel by pixel, with smooth edges; .svg and .pdf hold some thousand shaded
triangles, from back to front, so that they can be enlarged.
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
from qddot.present.figures.raster import NOTHING, Triangles, lit, nearest
from qddot.present.figures.robot_stage import GHOST, RobotStage
from qddot.present.figures.surfaces import surfaces_of
from qddot.progress import inform
from qddot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW = 16_000  # triangles of a picture that is not of dots
DOTS = 150  # [1/inch], at which figures are written
LARGEST = 8000  # [px], width and height
SHADE = "#dfe3e8"
LOOKS = {  # azimuth and elevation [rad], from x towards y and up
    "corner": (-0.9, 0.32),
    "front": (0.0, 0.1),
    "side": (-np.pi / 2, 0.1),
    "back": (np.pi, 0.1),
    "top": (-np.pi / 2, 1.5),
}


@style.savable
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
    robot = robot._shape_alone
    vector = path is not None and Path(path).suffix.lower() != ".png"
    scene = arm_scene(robot)
    poses = {
        name: scene.poses(joint_vector(robot, name, robot.home if at is None else at))
        for name, at in (("q", q), ("ghost", ghost))
        if name == "q" or at is not None
    }
    q = joint_vector(robot, "q", robot.home if q is None else q)
    named = [frames] if isinstance(frames, str) else list(frames)
    axes = {name: robot.pose(q, name) for name in named}
    surfaces = surfaces_of(robot, FEW) if vector else scene.surfaces
    if surfaces.missing:
        inform(f"note: {surfaces.missing}")
    stage = RobotStage(surfaces, scene.stage, scene.size)
    shown = {name: stage.triangles(at, [*axes.values()]) for name, at in poses.items()}
    points = np.concatenate([triangles.points for triangles in shown.values()])
    up = np.array(scene.stage["up"], dtype=float)
    eye = eye_on(up, points, _size(size), _look(look, scene.stage["look"]))
    figure, canvas = _canvas(eye)
    if vector:
        _polygons(canvas, eye, stage, shown)
    else:
        picture = stage.raster(eye, shown["q"], shown.get("ghost"))
        canvas.imshow(picture, extent=(0, eye.size[0], eye.size[1], 0), interpolation="none")
    for name, X in axes.items():
        x, y, _ = eye.seen(X[:3, 3])
        words = canvas.text(x + 8, y + 14, "", fontsize=style.NORMAL)
        style.write(words, style.label(name))
    return figure


def _canvas(eye: Eye) -> tuple[Figure, Axes]:
    wide, high = eye.size
    figure = style.figure(wide / DOTS, high / DOTS)
    figure.set_layout_engine("none")
    canvas = figure.add_axes((0, 0, 1, 1))
    canvas.set(xlim=(0, wide), ylim=(high, 0))
    canvas.axis("off")
    return figure, canvas


def _polygons(canvas: Axes, eye: Eye, stage: RobotStage, shown: dict[str, Triangles]) -> None:
    """Draw the shadow, then all triangles that are seen, from back to front."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Path2D

    flat = stage.shadow(eye, shown["q"])
    if flat is not None:
        # one outline of many triangles: where they overlap it is no darker
        closed = Path2D.make_compound_path(*(Path2D(face, closed=True) for face in flat))
        canvas.add_patch(PathPatch(closed, color=SHADE, linewidth=0.3, clip_on=False))
    corners, colours, depths = [], [], []
    for name, triangles in shown.items():
        seen = eye.seen(triangles.points)[triangles.corners]
        # what no pixel sees would only be in the way of what is seen
        of, _ = nearest(eye.scaled(2).seen(triangles.points), triangles.corners, eye.scaled(2).size)
        facing = np.unique(of[of != NOTHING])
        at = triangles.points[triangles.corners[facing]].mean(axis=1)
        normals = triangles.normals[triangles.corners[facing]].mean(axis=1)
        rgb = lit(eye, at, normals, triangles.colours[facing], 1.0)
        dense = GHOST if name == "ghost" else 1.0
        corners.append(seen[facing, :, :2])
        colours.append(np.column_stack([rgb, np.full(len(rgb), dense)]))
        depths.append(seen[facing, :, 2].mean(axis=1))
    order = np.argsort(-np.concatenate(depths))
    faces, rgba = np.concatenate(corners)[order], np.concatenate(colours)[order]
    # a thin edge of the same colour closes the seams; a ghost would show it
    edges = np.where(rgba[:, 3:] < 1, 0, rgba)
    canvas.add_collection(
        PolyCollection(
            list(np.round(faces, 1)),
            facecolors=rgba,
            edgecolors=edges,
            linewidths=0.25,
            clip_on=False,
        )
    )


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
