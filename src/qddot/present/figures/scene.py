"""What a film shows: the skeleton at the instants of its pictures, and the paths of its tips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.errors import BadArgument
from qddot.present.figures.skeleton import Skeleton
from qddot.present.figures.view import View

MOST_PICTURES = 20_000
MARGIN = 0.08  # of the size
FLATTEST = 0.25  # of the largest extent


@dataclass(frozen=True)
class Scene:
    """A moving skeleton, seen: one entry a picture."""

    title: str
    t: np.ndarray  # (f,) [s], of the motion
    points: np.ndarray  # (f, p, 2 or 3) [m], in the directions of the view
    skeleton: Skeleton
    traces: dict[str, int]  # name and point of what leaves a trace
    axes: tuple[str, ...]  # what the directions are called
    fps: float  # pictures a second of the film

    @property
    def flat(self) -> bool:
        return self.points.shape[-1] == 2

    @property
    def box(self) -> np.ndarray:
        """The lower and upper corner of what is ever reached, with a margin, shape (2, d)."""
        seen = self.points.reshape(-1, self.points.shape[-1])
        low, high = seen.min(axis=0), seen.max(axis=0)
        size = max(float((high - low).max()), 1e-3)
        middle = (low + high) / 2
        half = np.maximum((high - low) / 2, FLATTEST * size / 2) + MARGIN * size
        return np.array([middle - half, middle + half])


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


def scene(
    title: str,
    skeleton: Skeleton,
    view: View,
    t: np.ndarray,
    q: np.ndarray,
    *,
    fps: float,
) -> Scene:
    """Return the scene of a motion: t of shape (f,), q of shape (f, n)."""
    if not skeleton.joints:
        raise BadArgument("There is nothing to show: the robot has no joint that moves.")
    points = view.seen(skeleton.points(q))
    whole = np.isfinite(points).all(axis=(1, 2))
    # a motion that ran away is shown until it did
    count = len(t) if whole.all() else int(whole.argmin())
    if not count:
        raise BadArgument("There is nothing to show: the positions are not finite from the start.")
    tips = {f"tip {k + 1}": point for k, point in enumerate(skeleton.tips)}
    traces = skeleton.traced or tips
    return Scene(title, t[:count], points[:count], skeleton, traces, view.names, float(fps))
