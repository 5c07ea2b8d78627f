"""What acts on a robot during a run, in the forms people give it: numbers, tables, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from qddot.checks import frame_name
from qddot.errors import BadArgument, listing, printable, shorten
from qddot.model.arguments import by_frame, sign_on
from qddot.robot import Robot

WRENCH = tuple(f"{part}{axis}" for part in ("moment ", "force ") for axis in "xyz")
SAME = 1e-9  # of its largest value: by so little a function may differ when it is asked again
MOST_KEPT = 64  # calls of a function, to be asked again
LOOKS = 100  # a function of time is looked at so many times in a run, whatever the solver thinks


class Stopped(Exception):
    """Something given by the user failed while the run was under way; says what and when."""

    def __init__(self, t: float, what: str):
        self.t, self.what = t, what
        super().__init__(what)


@dataclass(frozen=True)
class Samples:
    """A table of values over time, between which is interpolated or the last one held.

    Example:
        >>> torque = Samples([0.0, 1.0, 2.0], [[0.0, 0.0], [5.0, 1.0], [5.0, 0.0]], between="hold")
        >>> torque.at(1.5)
        array([5., 1.])
    """

    t: Any  # (k,), rising
    values: Any  # (k, ...)
    between: str = "line"  # or "hold"

    def __post_init__(self) -> None:
        try:
            t, values = np.array(self.t, dtype=float), np.array(self.values, dtype=float)
        except (TypeError, ValueError):
            raise BadArgument("A table of samples is not made of numbers.") from None
        if t.ndim != 1 or not len(t) or values.shape[:1] != t.shape:
            raise BadArgument(
                f"A table of samples has times of shape {t.shape} and values of shape "
                f"{values.shape}; give one row of values a time."
            )
        if not np.isfinite(t).all() or (np.diff(t) <= 0).any():
            raise BadArgument("The times of a table of samples must rise.")
        if self.between not in ("line", "hold"):
            raise BadArgument(f"between is {self.between!r}; it must be 'line' or 'hold'.")
        object.__setattr__(self, "t", t)
        object.__setattr__(self, "values", values)

    @property
    def jumps(self) -> np.ndarray:
        """The times at which a held value changes."""
        changes = (np.diff(self.values, axis=0) != 0).reshape(len(self.t) - 1, -1).any(axis=1)
        return self.t[1:][changes]

    def at(self, t: float) -> np.ndarray:
        """Return the value at a time; the first before the table begins, the last after it."""
        k = int(np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 1))
        if self.between == "hold" or k == len(self.t) - 1 or t <= self.t[0]:
            return self.values[k]
        share = (t - self.t[k]) / (self.t[k + 1] - self.t[k])
        return self.values[k] + share * (self.values[k + 1] - self.values[k])


@dataclass
class Heard:
    """Some of what a function was asked and gave: up to 64 calls, evenly spread."""

    calls: int = 0
    every: int = 1
    kept: list[tuple[float, np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)

    def hear(self, t: float, q: np.ndarray, qd: np.ndarray, value: np.ndarray) -> None:
        self.calls += 1
        if self.calls % self.every:
            return
        self.kept.append((t, q.copy(), qd.copy(), value.copy()))
        if len(self.kept) == MOST_KEPT:  # every other one is enough from now on
            self.kept, self.every = self.kept[1::2], 2 * self.every


@dataclass(frozen=True)
class Signal:
    """A value that acts during a run, as a checked function of t, q and q̇."""

    name: str  # "the torque"
    parts: tuple[str, ...]  # what its entries are, for messages
    function: Callable[[float, np.ndarray, np.ndarray], Any]
    constant: np.ndarray | None = None
    breaks: tuple[float, ...] = ()  # where it jumps
    spacing: float = np.inf  # [s] within which it may change unforeseen
    heard: Heard | None = None  # of a function of the user's

    def at(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the value, or say what is wrong with it.

        It raises Stopped if the function raises, or gives something else than so many finite
        numbers.
        """
        if self.constant is not None:
            return self.constant
        if not np.isfinite(q.sum() + qd.sum()):  # a trial step that the solver will take back
            return np.full(len(self.parts), np.nan)
        try:
            value = np.array(self.function(t, seen(q), seen(qd)), dtype=float)
        except Exception as error:
            why = shorten(printable(f"{type(error).__name__}: {error}"), 200)
            raise Stopped(t, f"the function that gives {self.name} raised {why}") from error
        if value.shape != (len(self.parts),):
            raise Stopped(
                t,
                f"{self.name} has shape {value.shape}; it must have shape ({len(self.parts)},), "
                f"in order: {listing(self.parts)}",
            )
        if not np.isfinite(value).all():
            bad = int(np.flatnonzero(~np.isfinite(value))[0])
            raise Stopped(t, f"{self.name} of {printable(self.parts[bad])!r} is {value[bad]}")
        if self.heard is not None:
            self.heard.hear(t, q, qd, value)
        return value

    def memory(self) -> str:
        """Return in words that a function gives something else when it is asked again, if it does.

        It is asked in another order than in the run, the last first. One that has a memory of its
        own, such as an integral, is no function of (t, q, qd): a method that takes trial steps
        and goes back asks it at instants that never were.
        """
        again = list(self.heard.kept) if self.heard is not None else []
        size = max((np.abs(value).max(initial=0) for *_, value in again), default=0.0)
        for t, q, qd, value in reversed([*again, *again[-1:]]):  # twice the last, for periodic ones
            try:
                off = float(np.abs(self.at(t, q, qd) - value).max(initial=0))
            except Stopped as reason:
                return f"the function that gives {self.name}, asked again, fails: {reason.what}"
            if off > SAME * size:
                return (
                    f"the function that gives {self.name} has a memory: asked again about "
                    f"t = {t:.6g} s and the same state it differs by {off:.3g}. Record a law with "
                    "a state x instead, or sample it: closed_loop(rate=...)"
                )
        return ""


def seen(x: np.ndarray) -> np.ndarray:
    """Return an array as users' functions may see it: not to be written into."""
    view = x.view()
    view.flags.writeable = False
    return view


def on_robot(wrenches: Mapping[str, Any] | None, wrenches_on: str) -> dict[str, Any]:
    """Return wrenches as the environment applies them to the robot, each in the form it has."""
    found = by_frame(wrenches)
    if sign_on(wrenches_on) > 0:
        return found
    return {frame: _opposite(wrench) for frame, wrench in found.items()}


def _opposite(value: Any) -> Any:
    if isinstance(value, Samples):
        return replace(value, values=-value.values)
    if callable(value):
        return lambda t, q, qd: np.negative(np.array(value(t, q, qd), dtype=float))
    try:
        return np.negative(np.array(value, dtype=float))
    except (TypeError, ValueError):  # `signal` says what is wrong with it
        return value


def outside(
    robot: Robot, wrenches: Mapping[str, Any] | None, disturbance: Any, duration: float
) -> dict[str, Signal]:
    """Return what acts besides actuators, by the inputs of `System`: wrenches, a disturbance."""
    found = {}
    for k, (frame, wrench) in enumerate((wrenches or {}).items()):
        frame_name(robot, frame)
        what = f"the wrench at {printable(frame)!r}"
        found[f"wrench{k}"] = signal(what, wrench, WRENCH, duration)
    if disturbance is not None:
        names = robot.joint_names
        found["disturbance"] = signal("the disturbance", disturbance, names, duration)
    return found


def signal(name: str, value: Any, parts: Sequence[str], duration: float) -> Signal:
    """Return the signal behind a value: an array, a table with rows over the run, a function.

    It is an array (k,); one of shape (rows, k), spread evenly over the run, with straight lines
    between the rows; `Samples`; or a function of (t, q, qd). Messages use its name and its parts'.
    It raises BadArgument if the value is none of these, or has the wrong shape, or is not finite.
    """
    parts = tuple(parts)
    if callable(value) and not isinstance(value, Samples):
        return Signal(name, parts, value, spacing=duration / LOOKS, heard=Heard())
    if not isinstance(value, Samples):
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError):
            raise BadArgument(
                f"{name} is {shorten(repr(value))}; give an array, a table (qddot.Samples), "
                "a recorded controller, or a function of (t, q, qd)."
            ) from None
        if array.ndim < 2:
            _check(name, array[None] if array.ndim else array, parts)
            return Signal(name, parts, lambda t, q, qd: array, array)
        value = Samples(np.linspace(0, duration, len(array)), array) if len(array) > 1 else None
        if value is None:
            raise BadArgument(f"{name} is a table of one row; give at least two, or an array.")
    _check(name, value.values, parts)
    jumps = value.jumps if value.between == "hold" else ()
    inside = tuple(float(t) for t in jumps if 0 < t < duration)
    spacing = np.inf if value.between == "hold" else float(np.diff(value.t).max(initial=0))
    return Signal(name, parts, lambda t, q, qd: value.at(t), None, inside, spacing or np.inf)


def _check(name: str, rows: np.ndarray, parts: tuple[str, ...]) -> None:
    """Refuse rows that are not so many finite numbers each."""
    if rows.shape[1:] != (len(parts),):
        raise BadArgument(
            f"{name} has shape {rows.shape[1:]}; it must have shape ({len(parts)},), "
            f"in order: {listing(parts)}."
        )
    if not np.isfinite(rows).all():
        row, entry = np.argwhere(~np.isfinite(rows))[0]
        where = f" in row {row}" if len(rows) > 1 else ""
        raise BadArgument(
            f"{name} of {printable(parts[entry])!r} is {rows[row, entry]}{where}; "
            "it must be a finite number."
        )
