"""The border of the motions: what users give, checked and made into arrays that stay."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.errors import BadArgument, WrongShape, shorten
from qddot.program.recorded_array import RecordedArray
from qddot.robot import Robot


def numbers(what: str, given: Any, form: str) -> np.ndarray:
    """Return finite numbers as an array that nobody can write into.

    Args:
        what: What they are, for messages: "points".
        given: What the user gave.
        form: What it should have been, for messages: "one row per point".
    """
    try:
        array = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise BadArgument(f"{what} is {shorten(repr(given))}; give numbers, {form}.") from None
    if not np.isfinite(array).all():
        raise BadArgument(f"{what} holds {array[~np.isfinite(array)][0]}; give finite numbers.")
    array.flags.writeable = False
    return array


def vector(what: str, given: Any, n: int | None = None) -> np.ndarray:
    """Return finite numbers of shape (n,), n at least 1; inputs of a program pass as they are."""
    if isinstance(given, RecordedArray):
        return given
    array = numbers(what, given, "one for each joint" if n is None else f"{n} of them")
    if array.ndim != 1 or not len(array) or n not in (None, len(array)):
        wanted = "(n,), one number per joint" if n is None else f"({n},)"
        raise BadArgument(f"{what} has shape {array.shape}; it must have shape {wanted}.")
    return array


def most(what: str, given: Any, n: int) -> np.ndarray:
    """Return limits, one for each of n joints: positive, infinite where there is none."""
    try:
        array = np.array(np.broadcast_to(np.array(given, dtype=float), (n,)))
    except (TypeError, ValueError):
        raise BadArgument(
            f"{what} is {shorten(repr(given))}; give a positive number, or {n} of them, "
            "one for each joint."
        ) from None
    if not (array > 0).all():
        bad = float(array[~(array > 0)][0])
        raise BadArgument(f"{what} holds {bad:g}; a limit must be a positive number.")
    array.flags.writeable = False
    return array


def positive(what: str, given: Any, unit: str) -> float:
    """Return one finite positive number."""
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = np.nan
    if not (np.isfinite(number) and number > 0):
        raise BadArgument(f"{what} is {shorten(repr(given))}; give a positive number [{unit}].")
    return number


def instants(given: Any) -> np.ndarray:
    """Return instants of shape (k,)."""
    try:
        t = np.array(given, dtype=float)
    except (TypeError, ValueError):
        t = np.empty((0, 0))
    if t.ndim != 1:
        raise BadArgument(f"t is {shorten(repr(given))}; give instants in an array of shape (k,).")
    return t


def configuration(what: str, given: Any, robot: Robot) -> np.ndarray:
    """Return joint positions of a robot."""
    robot.model.need_single_numbers("A path of a frame")
    q = vector(what, given)
    if len(q) != robot.n:
        raise WrongShape(what, q.shape, robot.name, robot.joint_names)
    return q


def keep(owner: Any, **fields: Any) -> None:
    """Set fields of a frozen object while it is being made."""
    for name, value in fields.items():
        object.__setattr__(owner, name, value)
