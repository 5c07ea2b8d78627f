"""Where frames may be: half-spaces in base axes, such as "z > 0.1"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument, UnknownName
from qddot.robot import Robot

AXES = "xyz"
WORDS = re.compile(r"\s*([xyz])\s*(>=?|<=?)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")


@dataclass(frozen=True)
class HalfSpace:
    """What the origin p of a frame keeps to: normal · p ≥ least, in base axes [m]."""

    frame: str
    normal: tuple[float, float, float]
    least: float

    def __str__(self) -> str:
        """Return it as a condition: z ≥ 0.1."""
        for axis, unit in zip(AXES, np.eye(3), strict=True):
            if tuple(unit) == self.normal:
                return f"{axis} ≥ {self.least:g}"
            if tuple(-unit) == self.normal:
                return f"{axis} ≤ {-self.least:g}"
        return f"{self.normal} · p ≥ {self.least:g}"

    def room(self, robot: Robot, q: np.ndarray) -> np.ndarray:
        """Return how far inside a frame is [m], shape (...); negative outside."""
        return robot.pose(q, self.frame)[..., :3, 3] @ np.array(self.normal) - self.least

    def pulled(self, robot: Robot, q: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient of Σ weights · room by q, shape (..., n)."""
        J = robot.jacobian(q, self.frame)[..., 3:, :]
        return weights[..., None] * np.einsum("i,...ij->...j", np.array(self.normal), J)


def half_spaces(robot: Robot, workspace: Any) -> tuple[HalfSpace, ...]:
    """Return a workspace as half-spaces.

    Args:
        robot: Whose frames they are.
        workspace: By frame: "z > 0.1" or several such words; {"x": (-1, 1), "z": (0.1, None)}; or
            half-spaces (normal, least) with normal · p ≥ least.
    """
    if workspace is None:
        return ()
    if not isinstance(workspace, Mapping):
        raise BadArgument(f'workspace is {workspace!r}; give it by frame: {{"tool": "z > 0.1"}}.')
    found: list[HalfSpace] = []
    for frame, said in workspace.items():
        if frame not in robot.frame_names:
            raise UnknownName("frame", str(frame), robot.name, robot.frame_names)
        try:
            found += _read(frame, said)
        except (TypeError, ValueError, KeyError):
            raise BadArgument(
                f'The workspace of frame {frame!r} is {said!r}; write it as "z > 0.1", as '
                '{"x": (-1, 1), "z": (0.1, None)} or as [(normal, least)] with normal · p ≥ least.'
            ) from None
    return tuple(found)


def _read(frame: str, said: Any) -> list[HalfSpace]:
    if isinstance(said, str):
        words = WORDS.fullmatch(said)
        if not words:
            raise ValueError
        axis, relation, number = words.groups()
        return [_plane(frame, axis, float(number), 1 if relation.startswith(">") else -1)]
    if isinstance(said, Mapping):
        bounds = [(axis, *pair) for axis, pair in said.items()]
        return [
            _plane(frame, axis, float(x), sign)
            for axis, low, high in bounds
            for x, sign in ((low, 1), (high, -1))
            if x is not None
        ]
    if not isinstance(said, Sequence):
        raise TypeError
    found: list[HalfSpace] = []
    for each in said:
        if isinstance(each, str):
            found += _read(frame, each)
            continue
        normal, least = each
        x, y, z = (float(component) for component in normal)
        length = float(np.hypot(np.hypot(x, y), z))
        if not 0 < length < np.inf or not np.isfinite(float(least)):
            raise ValueError
        found.append(HalfSpace(frame, (x / length, y / length, z / length), float(least) / length))
    return found


def _plane(frame: str, axis: str, bound: float, sign: int) -> HalfSpace:
    if not np.isfinite(bound):
        raise ValueError
    x, y, z = (sign * (1.0 if AXES.index(axis) == k else 0.0) for k in range(3))
    # adding zero turns −0 into 0
    return HalfSpace(frame, (x + 0.0, y + 0.0, z + 0.0), sign * bound)
