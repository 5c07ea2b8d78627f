"""What people give, checked where they hand it in: numbers, counts, names, arrays, joint vectors.

A function takes what the value is called and the value, and returns it ready for use: a plain
number, or an array of its own. What cannot be right is a `WrongValue`, which says what the value
is called, what it is and what would be right. A value out of a file or a message is called by its
place there ("kp of 'play'"); a reader that collects problems takes the parts of the error instead.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from qddot.errors import (
    BadArgument,
    UnknownName,
    WrongShape,
    WrongValue,
    did_you_mean,
    listing,
    printable,
    shorten,
)

REAL = "fiub"  # the kinds of NumPy's types that are real numbers


def refused(name: str, value: Any, wanted: str) -> WrongValue:
    """Return the error that says "<name> is <value>; give <wanted>."."""
    return WrongValue(name, f"is {shorten(repr(value))}", f"give {wanted}")


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number; true and false are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether a value is one finite real number; true, false and texts are none."""
    return bool(np.isfinite(_float(value)))


def number(
    name: str,
    value: Any,
    wanted: str = "",
    *,
    least: float = -np.inf,
    most: float = np.inf,
    above: float = -np.inf,
    below: float = np.inf,
) -> float:
    """Return one finite number within bounds; `wanted` says in words what is allowed."""
    found = _float(value)
    if not (above < found < below and least <= found <= most):
        raise refused(name, value, wanted or f"a number{_between(least, most)}")
    return found


def positive(name: str, value: Any, unit: str = "", wanted: str = "a positive number") -> float:
    """Return one finite number above 0; the unit stands behind what is wanted."""
    return number(name, value, f"{wanted} [{unit}]" if unit else wanted, above=0.0)


def not_negative(
    name: str, value: Any, unit: str = "", wanted: str = "a number that is not negative"
) -> float:
    """Return one finite number, 0 or above."""
    return number(name, value, f"{wanted} [{unit}]" if unit else wanted, least=0.0)


def whole(name: str, value: Any, least: int = 0, most: int | None = None, wanted: str = "") -> int:
    """Return a whole number from `least` to `most`."""
    if not is_whole(value) or value < least or (most is not None and value > most):
        span = f", {least} or more" if most is None else f" from {least} to {most}"
        raise refused(name, value, wanted or f"a whole number{span}")
    return int(value)


def one_of(name: str, value: Any, known: Collection[str]) -> str:
    """Return a word that is one of those known; a mapping also says what each of them means."""
    if not isinstance(value, str) or value not in known:
        near = did_you_mean(value, known) if isinstance(value, str) else ""
        text = printable(shorten(repr(value)))
        raise WrongValue(name, f"is {text}", f"it must be {_either(known)}", near)
    return value


def flag(name: str, value: Any) -> bool:
    """Return true or false; no number stands for them."""
    if not isinstance(value, (bool, np.bool_)):
        raise refused(name, value, "true or false")
    return bool(value)


def text(name: str, value: Any, longest: int) -> str:
    """Return a text of at most so many letters."""
    if not isinstance(value, str) or len(value) > longest:
        raise WrongValue(name, f"is {shorten(repr(value))}", "it must be a text")
    return value


def by_name(name: str, value: Any, example: str) -> dict[str, Any]:
    """Return what is given by name, nothing for None; the example says how that looks."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise refused(name, value, f"it by name, like {name}={example}")
    return dict(value)


def refuse_masked(name: str, value: Any) -> None:
    """Refuse an array with masked entries, whose values nobody should compute with."""
    masked = sys.modules.get("numpy.ma")  # without which there are none
    if masked is not None and isinstance(value, masked.MaskedArray) and masked.is_masked(value):
        raise BadArgument(
            f"{name} has masked entries, and a mask is not carried through.\n"
            "  Choose the rows that count, x[~x.mask.any(axis=-1)], or fill the others: "
            "x.filled(np.nan)."
        )


def real_array(name: str, value: Any, dtype: Any = float) -> np.ndarray:
    """Return an array of real numbers, the very one given where it is of this type."""
    if type(value) is not np.ndarray:  # which has no mask
        refuse_masked(name, value)
    try:
        array = np.asarray(value)
        if array.dtype.kind not in REAL:
            raise TypeError
        return array if array.dtype == dtype else array.astype(dtype)
    except (TypeError, ValueError):
        raise not_real(name) from None


def not_real(name: str) -> WrongValue:
    """Return the error for what is no array of real numbers."""
    return WrongValue(name, "is not an array of real numbers")


def numbers(name: str, value: Any, wanted: str = "", *, finite: bool = True) -> np.ndarray:
    """Return an array of numbers of its own; fractions and constant formulas become floats."""
    refuse_masked(name, value)
    try:
        array = np.array(value)
        if array.dtype.kind not in REAL + "O":
            raise TypeError
        array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise (refused(name, value, wanted) if wanted else not_real(name)) from None
    if finite:
        check_finite(name, array)
    return array


def vector(name: str, value: Any, parts: Sequence[str] | int, wanted: str = "") -> np.ndarray:
    """Return finite numbers of shape (k,), one for each of k parts, known by name or by count."""
    array = numbers(name, value, wanted, finite=False)
    k, order = _parts(parts)
    if array.shape != (k,):
        raise WrongValue(name, f"has shape {array.shape}", f"it must have shape ({k},){order}")
    check_finite(name, array, () if isinstance(parts, int) else parts)
    return array


def spread(
    name: str,
    value: Any,
    parts: Sequence[str] | int,
    wanted: str = "a number",
    *,
    least: float = -np.inf,
    above: float = -np.inf,
    finite: bool = True,
    one_for_all: bool = True,
) -> np.ndarray:
    """Return k numbers within bounds, one per joint or other part; one stands for all.

    `wanted` says for messages what each of them is: "a standard deviation". `least` itself is
    allowed, `above` is not. `finite` refuses infinity; without `one_for_all` a single number is
    refused.
    """
    k, order = _parts(parts)
    try:
        array = numbers(name, value, finite=False)
    except WrongValue:
        array = np.array(np.nan)
    inside = (array >= least) & (array > above) & ((array < np.inf) | (not finite))
    if array.shape != (k,) and (array.ndim or not (one_for_all or k == 1)):
        count = "1 number" if array.size == 1 else f"{array.size} numbers"
        found = f"has {count}" if array.ndim < 2 else f"has shape {array.shape}"
        either = "; or one for all" if one_for_all and k > 1 else ""
        raise WrongValue(name, found, f"give {k}{order}{either}")
    if not inside.all():
        raise refused(name, value, f"{wanted}, or {k} of them, one per joint{order}")
    return np.broadcast_to(array, (k,)).copy()


def joint_vector(robot: Any, name: str, value: Any, names: Sequence[str] = ()) -> np.ndarray:
    """Return one finite number per joint of a robot, shape (n,).

    `names` are those of the entries, where they are not `robot.joint_names`.
    """
    return joint_rows(robot, name, value, names, most_axes=1)


def joint_rows(
    robot: Any, name: str, value: Any, names: Sequence[str] = (), most_axes: int = 2
) -> np.ndarray:
    """Return one row of finite numbers per joint or many, shape (n,) or (k, n)."""
    names = names or robot.joint_names
    array = numbers(name, value, finite=False)
    if not 1 <= array.ndim <= most_axes or array.shape[-1] != len(names) or 0 in array.shape[:-1]:
        raise WrongShape(name, array.shape, robot.name, names)
    check_finite(name, array, names, "joint ")
    return array


def joint_index(robot: Any, name: Any) -> int:
    """Return which entry of a vector of the joints belongs to a joint."""
    if not isinstance(name, str) or name not in robot.joint_names:
        raise UnknownName("joint", str(name), robot.name, robot.joint_names)
    return robot.joint_names.index(name)


def frame_name(robot: Any, name: Any) -> str:
    """Return the name of a frame that the robot has."""
    if not isinstance(name, str) or name not in robot.frame_names:
        raise UnknownName("frame", str(name), robot.name, robot.frame_names)
    return name


def check_finite(name: str, array: Any, parts: Sequence[str] = (), kind: str = "") -> None:
    """Refuse an array with NaN or infinities, naming the first.

    The array is of NumPy or CuPy, `parts` are the names of the entries of its last axis, and `kind`
    says what they are: "joint ".
    """
    # a sum takes no memory, and is finite unless something in it is not, or nearly not
    with np.errstate(all="ignore"):
        if np.isfinite(float(array.sum(dtype=float))):
            return
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        where = [int(i) for i in wrong[0]]
        value = float(array[tuple(where)])
        if parts:
            name = f"{name} of {kind}{printable(str(parts[where.pop()]))!r}"
        place = f" at index {tuple(where)}" if where else ""
        raise WrongValue(name, f"is {value}{place}", "it must be finite")


def _float(value: Any) -> float:
    """Return a value as a float, NaN where it is no number."""
    if isinstance(value, (str, bytes, bool, np.bool_)):
        return np.nan
    try:
        return np.nan if np.ndim(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _between(least: float, most: float) -> str:
    if np.isfinite(least) and np.isfinite(most):
        return f" from {least:g} to {most:g}"
    if np.isfinite(least):
        return f" of at least {least:g}"
    return f" of at most {most:g}" if np.isfinite(most) else " that is finite"


def _either(known: Collection[str]) -> str:
    if isinstance(known, Mapping) and all(isinstance(means, str) for means in known.values()):
        return " or ".join(f"{word!r} ({means})" for word, means in known.items())
    if len(known) < 3:
        return " or ".join(map(repr, known))
    return f"one of {', '.join(known)}"


def _parts(parts: Sequence[str] | int) -> tuple[int, str]:
    if isinstance(parts, int):
        return parts, ""
    return len(parts), f", in order: {listing(parts)}"


def need_joints(robot: Any, so: str = "") -> None:
    """Raise BadArgument unless a joint of a robot or a model moves; `so` follows from that."""
    if not robot.n:
        name = printable(robot.name)
        raise BadArgument(f"Robot {name!r} has no joint that moves{so and ': '}{so}.")
