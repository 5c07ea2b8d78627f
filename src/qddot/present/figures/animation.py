"""A film of a motion: .gif and .html need nothing else, .mp4 needs ffmpeg."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.present.figures.page import write_html
from qddot.present.figures.scene import instants, scene
from qddot.present.figures.skeleton import skeleton
from qddot.present.figures.view import view_of
from qddot.saving import ending, write_whole

ENDINGS = (".gif", ".html", ".mp4")
FASTEST_GIF = 50  # pictures a second; viewers slow down what claims to be faster


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
        fps: Pictures a second.
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
    shown = scene(
        robot.name, skeleton(robot.tree, traced), view_of(robot.tree), t, position(t), fps=fps
    )
    if kind == ".html":
        write_whole(path, lambda beside: write_html(shown, speed, beside))
        return
    from qddot.present.figures.movie import write_gif, write_mp4

    write = write_gif if kind == ".gif" else write_mp4
    write_whole(path, lambda beside: write(shown, beside, Path(path).name))
