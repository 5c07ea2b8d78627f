"""Where a law is to take the arm when somebody presses play: to a target, at once or smoothly."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.control.ready_laws import FRAMES, Wanted, axes_of
from qddot.errors import BadArgument
from qddot.motions import Fourier, Quintic, Setpoint
from qddot.robot import Robot

KINDS = ("move", "step", "wave")
SHARE = 0.6  # of the time for the way; the rest shows how it settles
PEAK = 1.875  # largest rate of a quintic from rest to rest, in parts of the mean one
SPARE = 1.05
FREQUENCY, SWING = 0.4, 0.25  # [Hz], [rad or m] of a wave
ROOM = 0.8  # of what limits leave


def wanted(
    robot: Robot, law: str, kind: str, q: np.ndarray, target: np.ndarray, seconds: float, frame: str
) -> Wanted:
    """Return what a law is made from."""
    if law in FRAMES:
        axes = axes_of(robot, frame)
        reference = _of_frame(robot, kind, q, target, seconds, frame, axes)
    else:
        axes = ""
        reference = _of_joints(robot, kind, q, target, seconds)
    return Wanted(
        name=law,
        arm=robot,
        model=robot,
        lengths=robot,
        reference=reference,
        q=q,
        seconds=seconds,
        frame=frame,
        axes=axes,
    )


def _of_joints(robot: Robot, kind: str, q: np.ndarray, target: np.ndarray, seconds: float) -> Any:
    if kind == "wave":
        return wave(robot, q)
    if kind == "step" or not (target != q).any():
        return Setpoint(target, robot)
    fastest = float((np.abs(target - q) / robot.limits.velocity).max())
    return Quintic([q, target], max(SHARE * seconds, SPARE * PEAK * fastest), robot)


def _of_frame(
    robot: Robot,
    kind: str,
    q: np.ndarray,
    target: np.ndarray,
    seconds: float,
    frame: str,
    axes: str,
) -> Any:
    if kind == "wave":
        raise BadArgument(
            "A wave is of joints, and this law moves a frame. Choose a move or a step."
        )
    rows = ["xyz".index(axis) for axis in axes]
    start, end = (robot.pose(x, frame)[:3, 3][rows] for x in (q, target))
    if kind == "step" or not (start != end).any():
        return end
    return Quintic([start, end], SHARE * seconds)


def wave(robot: Robot, q: np.ndarray) -> Fourier:
    """Return a swing round q in which every joint has its own phase, within the limits."""
    limits = robot.limits
    room = np.minimum(limits.upper - q, q - limits.lower)
    turn = 2 * np.pi * FREQUENCY
    size = np.minimum.reduce([np.full(robot.n, SWING), ROOM * room, ROOM * limits.velocity / turn])
    phase = np.linspace(0, np.pi, robot.n, endpoint=False)
    rate = turn * np.maximum(size, 0.0)
    return Fourier(q, (rate * np.cos(phase))[:, None], (rate * np.sin(phase))[:, None], FREQUENCY)
