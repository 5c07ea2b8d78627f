"""Robots and motions in three dimensions in a notebook's cell.

A view is a whole page inside the cell: it needs no widget, no server and no network, works where
the notebook is exported, and reaches nothing of the notebook.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import joint_vector
from qddot.errors import printable
from qddot.present.figures.arm_scene import ArmScene, bare_scene
from qddot.present.figures.film import film_of, instants, page_of
from qddot.present.figures.renderer import triangles_of
from qddot.present.figures.skeleton import skeleton
from qddot.present.figures.view import all_in_view, plain, typical
from qddot.present.pages.moving_arm import frame_of, slider_page, still_page
from qddot.present.pages.page import write_page
from qddot.robot import Robot

if TYPE_CHECKING:
    from qddot.simulation.trajectory import Trajectory

TRIANGLES = 12_000  # of a robot in a cell: notebooks are files that people keep
TALL, TALLER = 380, 520  # [px]
SOME = 60  # positions that tell where a robot gets to
MOST_PICTURES = 240  # of a motion that a cell shows unasked


@dataclass(frozen=True)
class CellView:
    """A page in a cell; `save` writes it as a file of its own."""

    document: str
    label: str
    height: int = TALL  # [px]

    def save(self, path: str | Path) -> None:
        """Write the page to an .html file."""
        write_page(path, self.document)

    def _repr_html_(self) -> str:
        return frame_of(self.document, self.height, self.label)

    def __repr__(self) -> str:
        return f"{self.label}: shown in a notebook; .save('view.html') writes it as a page"


def interact(robot: Robot, q: Any = None) -> CellView:
    """Return a robot with a slider for each joint, which stands at q (n,) first, or at its home.

    Its parameters are numbers, and each of its joints has one number.
    """
    robot.model.need_single_numbers("sliders")
    at = robot.home if q is None else joint_vector(robot, "q", q)
    name = printable(robot.name)
    return CellView(slider_page(name, _scene(robot), at), f"{name} with sliders", TALLER)


def robot_view(robot: Robot) -> str:
    """Return a robot at home as an element of a cell, to turn and to look at."""
    name, scene = printable(robot.name), _scene(robot)
    shown = {**scene.still(), "poses": plain(scene.poses.program(robot.home))}
    # all of it, and no more
    places = triangles_of(scene.surfaces, np.array(shown["poses"])).points
    box = all_in_view(np.array([places.min(axis=0), places.max(axis=0)]))
    return frame_of(still_page(name, shown | {"box": plain(box)}), TALL, f"{name} at home")


def film_view(
    motion: Trajectory,
    *,
    fps: float = 30,
    speed: float = 1.0,
    frames: Sequence[str] | str | None = None,
) -> CellView:
    """Return a motion as a film in a cell; see `Trajectory.animate`."""
    robot: Any = motion.robot
    t = instants(float(motion.t[0]), float(motion.t[-1]), fps, speed)
    film = film_of(robot, t, motion.at(t)[0], frames, TRIANGLES, fps=fps, speed=speed)
    return CellView(page_of(film), f"A motion of {film.title}", TALLER)


def motion_view(motion: Trajectory) -> str:
    """Return a motion as an element of a cell, with as many pictures as a notebook bears."""
    seconds = float(motion.t[-1] - motion.t[0])
    fps = min(30.0, MOST_PICTURES / max(seconds, 1e-9))
    return film_view(motion, fps=fps)._repr_html_()


def _scene(robot: Robot) -> ArmScene:
    def made() -> ArmScene:
        bones = skeleton(robot.tree)
        points = np.array([bones.points(q) for q in typical(robot)[:SOME]])
        return bare_scene(robot, bones, points, TRIANGLES)

    return robot.cached("scene of a cell", TRIANGLES, made)
