"""From where a robot is looked at, as pages do it: a camera that sees a box, upright."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from qddot.present.figures.view import across, unit

VIEW = 0.5  # [rad], how much is seen: little, so that near links do not swell
FILLED = 0.9  # of the picture that it may take


@dataclass(frozen=True)
class Eye:
    """A camera; directions are unit vectors of base axes."""

    at: np.ndarray  # (3,) [m]
    right: np.ndarray
    over: np.ndarray  # up in the picture
    ahead: np.ndarray
    up: np.ndarray  # up in the world
    focal: float  # [px]
    size: tuple[int, int]  # width and height [px]

    def seen(self, points: np.ndarray) -> np.ndarray:
        """Return pixels to the right, pixels down and the depth [m] of points, (..., 3)."""
        away = points - self.at
        depth = np.maximum(away @ self.ahead, 1e-6)
        x = self.size[0] / 2 + self.focal * (away @ self.right) / depth
        y = self.size[1] / 2 - self.focal * (away @ self.over) / depth
        return np.stack([x, y, depth], axis=-1)

    def scaled(self, times: int) -> Eye:
        """Return the same with more pixels."""
        wide, high = self.size
        parts = (self.at, self.right, self.over, self.ahead, self.up)
        return Eye(*parts, self.focal * times, (wide * times, high * times))

    @property
    def lamp(self) -> np.ndarray:
        """The direction of the lamp that pages have: high above, to one side."""
        first = across(self.up)
        return unit(self.up + 0.16 * first - 0.42 * np.cross(self.up, first))


def eye_on(
    up: np.ndarray, points: np.ndarray, size: tuple[int, int], look: Mapping[str, float]
) -> Eye:
    """Return the camera that just sees all of some points, shape (k, 3) [m], with `up` upwards.

    The size is width and height of the picture [px]; the look has `azimuth` and `elevation` [rad],
    as pages have them.
    """
    first = across(up)
    second = np.cross(up, first)
    a, e = look["azimuth"], look["elevation"]
    out = np.cos(e) * (np.cos(a) * first + np.sin(a) * second) + np.sin(e) * up
    right = unit(np.cross(-out, up))
    over = np.cross(right, -out)
    # in the directions of the picture, about its middle
    own = points @ np.column_stack([right, over, out])
    middle = (own.min(axis=0) + own.max(axis=0)) / 2
    own = own - middle
    tall = FILLED * np.tan(VIEW / 2)
    wide = tall * size[0] / size[1]
    fits = np.maximum(np.abs(own[:, 0]) / wide, np.abs(own[:, 1]) / tall)
    distance = max(float((fits + own[:, 2]).max()), 1e-3)
    at = np.column_stack([right, over, out]) @ middle + distance * out
    return Eye(at, right, over, -out, up, size[1] / 2 / np.tan(VIEW / 2), size)
