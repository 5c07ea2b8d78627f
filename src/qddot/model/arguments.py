"""What people pass to a robot's methods, made into numbers and formulas or refused."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np

from qddot.checks import not_real, one_of, refused
from qddot.errors import BadArgument, BadExpression, WrongValue
from qddot.scalars import Scalar
from qddot.scalars.expressions import (
    PI_EXPRESSION,
    Expression,
    expression,
    free_symbols,
    simplest,
    symbol,
)
from qddot.scalars.reader import CALLS, read_formula


def scalar(name: str, value: Any) -> Scalar:
    """Return a finite number as it is, a formula in text or of SymPy as an exact expression."""
    if isinstance(value, str) or is_sympy(value):
        try:
            return read_formula(value) if isinstance(value, str) else from_sympy(value)
        except BadExpression as error:
            raise BadArgument(f"{name}: {error}") from None
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise WrongValue(name, f"is {value!r}", "it must be a number, or a formula like 'm1/2'")
    if not np.isfinite(value):
        raise WrongValue(name, f"is {value}", "it must be a finite number")
    return value.item() if isinstance(value, np.generic) else value


def plain_number(value: Any) -> float:
    """Return a number, or what a formula such as "pi/2" or "30deg" is; NaN of anything else."""
    try:
        found = read_formula(value) if isinstance(value, str) else value
        return math.nan if free_symbols(found) else float(found)
    except (BadExpression, TypeError, ValueError, OverflowError):
        return math.nan


def scalars(name: str, values: Any, count: int) -> tuple[Scalar, ...]:
    """Return so many numbers or formulas."""
    if hasattr(values, "tolist"):  # of NumPy or SymPy, perhaps a column
        values = np.array(values.tolist(), dtype=object).ravel()
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise refused(name, values, f"{count} numbers")
    entries = tuple(values)
    if len(entries) != count:
        raise WrongValue(name, f"has {len(entries)} entries", f"give {count} numbers")
    return tuple(scalar(name, x) for x in entries)


def moments(inertia: Any) -> tuple[Scalar, ...]:
    """Return Ixx, Ixy, Ixz, Iyy, Iyz, Izz of three moments, six entries or a 3×3 matrix."""
    wanted = "Ixx, Iyy, Izz, or Ixx, Ixy, Ixz, Iyy, Iyz, Izz, or a 3×3 matrix"
    inertia = inertia.tolist() if hasattr(inertia, "tolist") else inertia  # of NumPy or SymPy
    if isinstance(inertia, (str, bytes)) or not hasattr(inertia, "__iter__"):
        raise BadArgument(f"inertia is {inertia!r}; give {wanted}.")
    rows = list(inertia)
    if len(rows) == 3 and all(hasattr(row, "__len__") and not isinstance(row, str) for row in rows):
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (scalars("inertia", row, 3) for row in rows)
        if (xy, xz, yz) != (yx, zx, zy):
            raise BadArgument("inertia is not symmetric; an inertia matrix is.")
        return xx, xy, xz, yy, yz, zz
    if len(rows) == 3:
        xx, yy, zz = scalars("inertia", rows, 3)
        return xx, 0, 0, yy, 0, zz
    if len(rows) != 6:
        raise BadArgument(f"inertia has {len(rows)} numbers; give {wanted}.")
    return scalars("inertia", rows, 6)


def by_frame(wrenches: Any) -> dict[str, Any]:
    """Return wrenches by the frames that they act at."""
    if wrenches is not None and not hasattr(wrenches, "items"):
        raise BadArgument(
            "wrenches must name the frames they act at: wrenches={'tool': [0, 0, 0, 0, 0, -9.81]}."
        )
    return dict(wrenches or {})


def sign_on(wrenches_on: str) -> int:
    """Return the sign that makes wrenches on the robot of wrenches on it or on its environment."""
    return 1 if one_of("wrenches_on", wrenches_on, ("robot", "environment")) == "robot" else -1


def loads(
    wrenches: Any, wrenches_on: str, base_motion: Any
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Return wrenches on the robot by frame, and the two arrays of a base motion or none."""
    on_robot = by_frame(wrenches)
    for frame, wrench in on_robot.items():
        _six(f"the wrench at {frame!r}", wrench)
    if sign_on(wrenches_on) < 0:
        on_robot = {frame: _minus(frame, wrench) for frame, wrench in on_robot.items()}
    if base_motion is None:
        return on_robot, ()
    parts = tuple(base_motion) if hasattr(base_motion, "__iter__") else ()
    if len(parts) != 2:
        raise BadArgument(
            "base_motion must be two arrays of shape (..., 6): the twist of the base and its rate."
        )
    for what, part in zip(("the twist", "the acceleration"), parts, strict=True):
        _six(f"{what} of the base", part)
    return on_robot, parts


def _minus(frame: str, wrench: Any) -> Any:
    try:
        return 0.0 - np.asarray(wrench)
    except TypeError:
        raise not_real(f"the wrench at {frame!r}") from None


def _six(what: str, x: Any) -> None:
    try:
        shape = np.shape(x)
    except ValueError:  # rows of different lengths
        raise not_real(what) from None
    if shape[-1:] != (6,):
        wanted = "it must have shape (..., 6): angular part first"
        raise WrongValue(what, f"has shape {shape}", wanted)


# SymPy's numbers and formulas, taken apart by their structure


def is_sympy(x: Any) -> bool:
    """Return whether something is SymPy's; SymPy itself is not loaded for it."""
    return type(x).__module__.partition(".")[0] == "sympy" and hasattr(x, "is_Symbol")


def from_sympy(x: Any) -> Scalar:
    """Return the number, or the expression in symbols, that a SymPy one is.

    It raises BadExpression if it holds anything else, such as a tangent.
    """
    try:
        return simplest(expression(_taken_apart(x)))
    except BadArgument as error:
        raise BadExpression(str(x), str(error)) from None


def _taken_apart(x: Any) -> Any:
    kind = type(x).__name__
    if x.is_Symbol:
        return _symbol(x.name)
    if x.is_Rational:
        return expression(Fraction(int(x.p), int(x.q)))
    if x.is_Float:
        return expression(float(x))
    if kind == "Pi":
        return PI_EXPRESSION
    if kind in ("Add", "Mul"):
        return reduce(add if kind == "Add" else mul, [_taken_apart(part) for part in x.args])
    if kind in ("sin", "cos"):
        return CALLS[kind](_taken_apart(x.args[0]))
    if kind == "Pow":
        base, exponent = x.args
        whole = 2 * exponent if exponent.is_Rational else None
        if whole is not None and whole.is_Integer:
            base = _taken_apart(base)
            root = CALLS["sqrt"](base) if int(whole) % 2 else base
            return root ** (int(whole) if int(whole) % 2 else int(exponent))
    why = "known are + - * /, whole powers, square roots, sin, cos and pi."
    raise BadExpression(str(x), why)


def _symbol(name: str) -> Expression:
    """Return a symbol, if a robot file could name it too."""
    try:
        if free_symbols(read_formula(name)) == {name}:
            return symbol(name)
    except BadExpression:
        pass
    raise BadExpression(name, "a symbol's name is letters, digits and _, and not pi or deg.")
