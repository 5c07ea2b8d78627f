"""A film of a motion: .gif and .html need nothing else, .mp4 needs ffmpeg.

A page holds the skeleton as numbers, and a script that draws it; other films are pictures.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.present.figures import style
from qddot.present.figures.arm import box_around
from qddot.present.figures.skeleton import Skeleton, skeleton
from qddot.present.figures.view import View, view_of
from qddot.present.pages.page import data
from qddot.saving import ending, write_whole

ENDINGS = (".gif", ".html", ".mp4")
FASTEST_GIF = 50  # pictures per second; viewers slow down what claims to be faster
MOST_PICTURES = 20_000
TEMPLATE = Path(__file__).with_name("film.html")
STEPS = 8000  # what the largest extent is divided into on a page: finer than a screen


@dataclass(frozen=True)
class Film:
    """A moving skeleton, seen: one entry per picture, and the paths of its tips."""

    title: str
    t: np.ndarray  # (f,) [s], of the motion
    points: np.ndarray  # (f, p, 2 or 3) [m], in the directions of the view
    skeleton: Skeleton
    axes: tuple[str, ...]  # what the directions are called
    fps: float  # pictures per second

    @property
    def box(self) -> np.ndarray:
        """The lower and upper corner of what is ever reached, with a margin, shape (2, d)."""
        return box_around(self.points)

    @property
    def traces(self) -> list[tuple[int, str]]:
        """The points that leave a trace, with its colour."""
        points = self.skeleton.traced.values() or self.skeleton.tips
        return [(point, style.colour(k + 4)) for k, point in enumerate(points)]


def animate(
    robot: Any,
    span: tuple[float, float],
    position: Callable[[np.ndarray], np.ndarray],
    path: str | Path,
    *,
    fps: float = 30,
    speed: float = 1.0,
    frames: Sequence[str] | str | None = None,
) -> None:
    """Write a film of a motion.

    Args:
        robot: The robot that moves.
        span: First and last instant [s].
        position: Gives q, shape (f, n), at instants, shape (f,).
        path: Where to, ending in .gif, .html or .mp4.
        fps: Pictures per second.
        speed: Seconds of the motion in a second of the film.
        frames: Names of frames that leave a trace; by default the tips of the arm.
    """
    kind = ending(path, "A film", ENDINGS)
    t = instants(*span, fps, speed)
    if kind == ".gif" and fps > FASTEST_GIF:
        raise BadArgument(
            f"fps is {fps:g}; a .gif shows at most {FASTEST_GIF} pictures a second. "
            "Use .html or .mp4 for more."
        )
    traced = [frames] if isinstance(frames, str) else list(frames or ())
    film = film_of(
        robot.name, skeleton(robot.tree, traced), view_of(robot.tree), t, position(t), fps=fps
    )
    if kind == ".html":
        write_whole(path, page_of(film, speed))
        return
    from qddot.present.figures.movie import write_gif, write_mp4

    write = write_gif if kind == ".gif" else write_mp4
    write_whole(path, lambda beside: write(film, beside, Path(path).name))


def instants(start: float, end: float, fps: float, speed: float) -> np.ndarray:
    """Return the instants [s] of a motion that a film shows, the first and the last included."""
    for name, value in (("fps", fps), ("speed", speed)):
        if not (isinstance(value, (int, float, np.number)) and np.isfinite(value) and value > 0):
            raise BadArgument(f"{name} is {value!r}; it must be a number above zero.")
    pictures = (end - start) * fps / speed
    if pictures > MOST_PICTURES:
        raise BadArgument(
            f"The film would have {pictures:.0f} pictures; at most {MOST_PICTURES} are drawn.\n"
            f"  Play it faster (speed={np.ceil(speed * pictures / MOST_PICTURES):g}) or give a "
            "lower fps."
        )
    count = int(np.ceil(pictures - 1e-9)) + 1
    return np.minimum(start + np.arange(count) * (speed / fps), end)


def film_of(
    title: str, bones: Skeleton, view: View, t: np.ndarray, q: np.ndarray, *, fps: float
) -> Film:
    """Return the film of a motion: t of shape (f,), q of shape (f, n)."""
    if not bones.joints:
        raise BadArgument("There is nothing to show: the robot has no joint that moves.")
    points = view.seen(bones.points(q))
    whole = np.isfinite(points).all(axis=(1, 2))
    # a motion that ran away is shown until it did
    count = len(t) if whole.all() else int(whole.argmin())
    if not count:
        raise BadArgument("There is nothing to show: the positions are not finite from the start.")
    return Film(title, t[:count], points[:count], bones, view.names, float(fps))


def page_of(film: Film, speed: float) -> str:
    """Return the film as one page that asks for nothing."""
    low, high = film.box
    size = float((high - low).max())
    whole = np.round((film.points - low) / size * STEPS).astype(int).reshape(len(film.t), -1)
    scene = {
        "low": [float(f"{x:.6g}") for x in low],
        "high": [float(f"{x:.6g}") for x in high],
        "step": size / STEPS,
        "start": float(film.t[0]),
        "end": float(film.t[-1]),
        "fps": film.fps,
        "speed": float(speed),
        "axes": film.axes,
        "lines": film.skeleton.lines,
        "joints": [
            [joint.point, style.colour(joint.index), int(joint.turns), style.label(joint.name)]
            for joint in film.skeleton.joints
        ],
        "traces": film.traces,
        "first": whole[0].tolist(),
        # differences from picture to picture are short numbers
        "moves": np.diff(whole, axis=0).tolist(),
    }
    parts = {"title": html.escape(style.label(film.title, 60)), "scene": data("scene", scene)}
    # in one pass, since a name may hold such a mark too
    return re.sub(r"\{(title|scene)\}", lambda m: parts[m[1]], TEMPLATE.read_text(encoding="utf-8"))
