"""What looks wrong with a log before its fit is believed: against the robot, and against itself.

Each mistake that people make with logs (columns in another order, a sign, degrees for radians,
amperes for N·m, another rate, torques that come late, another robot) is undone in turn, and the
rows are fitted again, roughly. If they then fit much better, that is said, with the remedy; a good
log fits best as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from qddot.errors import Problem, listing
from qddot.identification.log import Log
from qddot.identification.log_units import SLIDING, TURNING
from qddot.identification.regression import Regression
from qddot.identification.rough_fit import RoughFit, built_in, zero_off
from qddot.model.tree import by_rows
from qddot.timeseries import QUANTITIES

BEYOND = 0.05  # [rad] or [m]: encoders are not zeroed better
MUCH = 0.6  # of the error that is left where undoing a mistake helps
LATE = 0.85  # the same for a delay, which costs less
POOR = 0.2  # an error with which the order of the joints is looked at
DELAYS = (0.002, 0.005, 0.01, 0.02, 0.04, 0.08)  # [s]
DRIVES, SURELY = 0.02, 0.2  # of the power of a joint: friction takes it and does not give it
SAME = 1.02  # times the error: no difference
MATTERS = 0.03  # an error from which on it is asked whether another arm explains the torques

RATES = (1 / 1000, 1 / 100, 1 / 50, 1 / 20, 1 / 10, 1 / 5, 5, 10, 20, 50, 100, 1000)
SCALE = 2.0  # torques that are so many times those of the robot's file are not N·m
SHAPE = 0.6  # the correlation with the file's torque from which its size is compared
FASTER = 0.6  # of what is left of the torques, where another rate explains them

Found = tuple[float, Problem]  # what a fit leaves once a mistake is undone, and the mistake


def doubts(regression: Regression, log: Log) -> tuple[Problem, ...]:
    """Return what is probably wrong with a log, with what to do about it."""
    said = list(_limits(regression.robot, log))
    never = tuple(_never(regression.robot, log))
    look = RoughFit(regression, log)
    if not look.error > 0:
        return (*said, *never)
    own = AgainstFile.of(regression.robot, look.log)
    tried = [*_signs(look, own), *_rates(look, own), *_units(look)]
    if said or look.error > POOR:
        tried += _orders(look)
    # the mistake that explains most; of two that explain it alike, the one that is made more often
    least = SAME * min((error for error, _ in tried), default=0.0)
    found = [each for each in tried if each[0] <= least][:1]
    if look.error > MATTERS:
        found = list(_arms(look, found))
    said += [problem for _, problem in found]
    if not found:
        said += [*_delay(look, log), *own.sizes()]
    return (*said, *never)


def _limits(robot: Any, log: Log) -> Iterator[Problem]:
    """Yield the joints that would be beyond their limits."""
    at = robot.tree.positions
    ends = zip(robot.limits.lower[at], robot.limits.upper[at], strict=True)
    for q, joint, (low, high) in zip(log.q.T[at], robot.model.free_joints, ends, strict=True):
        over = max(low - q.min(), q.max() - high)
        if over > BEYOND:
            unit = joint.units.position
            yield Problem(
                "warning",
                f"joint {joint.name!r}",
                f"it is up to {over:.2g} {unit} beyond its limits, {q.min():.4g} … {q.max():.4g} "
                f"{unit} where the robot allows {low:.4g} … {high:.4g}",
                "Check the order of the columns, units, signs and offsets.",
            )


def _never(robot: Any, log: Log) -> Iterator[Problem]:
    """Yield the joints whose torque is zero in every row."""
    for name, tau in zip(robot.joint_names, log.tau.T, strict=True):
        if not tau.any() and log.tau.any():
            yield Problem(
                "note",
                f"joint {name!r}",
                "its torque is zero in every row, which is fitted as if it were measured",
                "Check its column; it is right if the joint has no motor.",
            )


def _signs(look: RoughFit, own: AgainstFile) -> Iterator[Found]:
    """Yield torques, and joints, whose sign is the other.

    A torque: if turning it makes the fit better, and friction would drive the joint or the robot's
    file expects the other sign; if friction would drive it a lot; or if the fit is much better. A
    joint: if the fit is much better.
    """
    n = len(look.names)

    def flipped(joint: tuple[int, bool]) -> Log:
        s = np.where(np.arange(n) == joint[0], -1.0, 1.0)
        names = QUANTITIES if joint[1] else ("tau",)
        return _changed(look.log, lambda x: x * s, names)

    if n < 2:
        return
    errors = look.errors(flipped, product(range(n), (False, True)))

    def likely(i: int, whole: bool) -> bool:
        error = errors[i, whole]
        hint = look.drives(i) > DRIVES or own.alike[i] < -SHAPE
        sure = look.drives(i) > SURELY and error < SAME * look.error
        return error < MUCH * look.error or (not whole and (sure or (hint and error < look.error)))

    found = {key: error for key, error in errors.items() if likely(*key)}
    least = SAME * min(found.values(), default=0.0)
    # of two joints either may be turned: the one whose torque the robot's file expects otherwise
    for i, whole in sorted(found, key=lambda key: (found[key] > least, own.alike[key[0]]))[:1]:
        error = found[i, whole]
        what = "positions and torques have" if whole else "torque has"
        which = "" if whole else '"tau": '
        signs = ", ".join("-1" if k == i else "1" for k in range(n))
        gear = f"gear=[{signs}]" if whole else f"gear={{{which}[{signs}]}}"
        yield (
            error,
            Problem(
                "warning",
                f"joint {look.names[i]!r}",
                f"its {what} the other sign: {look.helps(look.error, error)}",
                f"Turn it: load_log(..., {gear}).",
            ),
        )


def _changed(log: Log, change: Callable[[Any], Any], names: Iterable[str]) -> Log:
    """Return the log with columns of joints turned or exchanged, positions as the joints move."""
    found = {name: change(getattr(log, name)) for name in names if name != "q" or log.tree is None}
    if log.tree is not None and "q" in names:
        neutral = np.broadcast_to(log.tree.neutral, log.q.shape)
        found["q"] = log.tree.from_neutral(change(by_rows(log.tree.difference, neutral, log.q)))
    return replace(log, **found)


def _rates(look: RoughFit, own: AgainstFile) -> Iterator[Found]:
    """Yield that rows came at another rate than was said."""
    log = look.log
    errors = look.errors(lambda r: replace(log, qd=r * log.qd, qdd=r * r * log.qdd), RATES)
    ratio, other = min(errors, key=lambda r: errors[r]), own.rate()
    if other is not None and errors[other] < look.error:
        ratio = other
    else:
        other = None
    error = errors[ratio]
    if other is not None or error < MUCH * look.error:
        yield (
            error,
            Problem(
                "warning",
                "time",
                f"the rows seem to be about {ratio:g} times as fast as was said: "
                f"{look.helps(look.error, error)}",
                f"Check the times: rate= should be about {ratio:g} times what it is, or "
                "units={'t': ...}.",
            ),
        )


def _units(look: RoughFit) -> Iterator[Found]:
    """Yield that positions, with their rates or alone, are in another unit than was said."""
    log, turns = look.log, [joint.turns for joint in look.regression.robot.model.free_joints]
    if log.tree is not None:
        return
    tried: dict[tuple[float, bool], tuple[str, bool]] = {}  # factor and kind of joint: the unit
    for turn, units in ((True, TURNING), (False, SLIDING)):
        for name, factor in units.items():
            if factor != 1 and turn in turns:
                tried.setdefault((factor, turn), (name, False))
                tried.setdefault((1 / factor, turn), (name, True))

    def undone(mistake: tuple[tuple[float, bool], bool]) -> Log:
        (factor, turn), alone = mistake
        f = np.where(np.array(turns) == turn, factor, 1.0)
        return _changed(log, lambda x: x * f, ("q",) if alone else QUANTITIES[:3])

    errors = look.errors(undone, product(tried, (False, True)))
    best = min(errors, key=lambda k: errors[k], default=None)
    if best is None or not errors[best] < MUCH * look.error:
        return
    (factor, _), _ = best
    name, inverse = tried[best[0]]
    what = f"not to be in {name}" if inverse else f"to be in {name}"
    yield (
        errors[best],
        Problem(
            "warning",
            "positions",
            f"they seem {what}, {factor:.4g} times what was read: "
            f"{look.helps(look.error, errors[best])}",
            f"Give their unit: units={{'q': '{'rad' if inverse else name}'}}.",
        ),
    )


def _arms(look: RoughFit, found: list[Found]) -> Iterator[Found]:
    """Yield the mistake found, or that the log is of another arm, whichever explains more."""
    zero = None if found else zero_off(look, MUCH)
    least = min((error for error, _ in found), default=look.error)
    named = built_in(look, MUCH * least)
    yield from [named] if named is not None else found or ([] if zero is None else [zero])


def _orders(look: RoughFit) -> Iterator[Found]:
    """Yield that the columns are in another order: pairs, and neighbouring blocks, exchanged."""
    n = len(look.names)

    def exchanged(order: tuple[int, ...]) -> Log:
        return _changed(look.log, lambda x: x[:, list(order)], QUANTITIES)

    errors = look.errors(exchanged, exchanges(n))
    order = min(errors, key=lambda k: errors[k], default=())
    error = errors.get(order, look.error)
    if error < MUCH * look.error:
        names = [look.names[k] for k in order]
        yield (
            error,
            Problem(
                "warning",
                "joints",
                f"the columns seem to be in another order, {listing(names, 20)}: "
                f"{look.helps(look.error, error)}",
                "Name them: joints={joint of the robot: its name in the log}, or "
                "columns={'q': [...]}.",
            ),
        )


def exchanges(n: int) -> list[tuple[int, ...]]:
    """Return orders of n columns in which two, or two neighbouring blocks, are exchanged.

    Entry i is the column in which joint i was written down.
    """
    found = set()
    for a in range(n):
        for b in range(a + 1, n):
            order = list(range(n))
            order[a], order[b] = b, a
            found.add(tuple(order))
            for c in range(b + 1, n + 1):
                found.add((*range(a), *range(b, c), *range(a, b), *range(c, n)))
    found.add(tuple(reversed(range(n))))
    found.discard(tuple(range(n)))
    return sorted(found)


def _delay(look: RoughFit, log: Log) -> Iterator[Problem]:
    """Yield that torques come later, or earlier, than the motion they belong to."""
    step = float(np.median(np.diff(log.t))) if len(log) > 1 else 0.0
    judged = any(note.place == "delay" for note in log.notes)  # by `prepared`, more closely
    if len(log) < 10 or not step > 0 or judged:
        return
    # whole rows: what lies between two of them would be less noisy, and seem to fit better
    rows = sorted({round(d / step) for d in DELAYS} - {0})
    near = np.searchsorted(log.t, look.log.t)

    def late(k: int) -> Log:
        return replace(look.log, tau=log.tau[np.clip(near + k, 0, len(log) - 1)])

    errors = look.errors(late, [s * k for k in rows for s in (1, -1)])
    best = min(errors, key=lambda k: errors[k], default=0)
    delay, error = best * step, errors.get(best, look.error)
    if error < LATE * look.error:
        word = "later" if delay > 0 else "earlier"
        yield Problem(
            "warning",
            "time",
            f"torques seem to come about {1000 * abs(delay):.2g} ms {word} than the motion: "
            f"{look.helps(look.error, error)}",
            f"Shift them: prepared(log, delay={delay:.2g}).",
        )


@dataclass(frozen=True)
class AgainstFile:
    """How measured torques compare, friction and offset taken off, joint by joint."""

    alike: np.ndarray  # (n,), the correlation with the torque that the file expects
    ratio: np.ndarray  # (n,), measured over expected
    left: dict[float, float]  # by factor of the rate, what is left: the geometric mean over joints

    @staticmethod
    def of(robot: Any, log: Log) -> AgainstFile:
        """Compare some rows where their torques count."""
        gravity = robot.gravity_torque(log.q)
        moving = robot.without("friction").inverse_dynamics(log.q, log.qd, log.qdd) - gravity
        each = [
            _of_joint(*(x[log.used[:, i], i] for x in (gravity, moving, log.qd, log.tau)))
            for i in range(robot.n)
        ]
        left = {r: float(np.exp(np.mean([np.log(e[2][r]) for e in each]))) for r in (1.0, *RATES)}
        return AgainstFile(np.array([e[0] for e in each]), np.array([e[1] for e in each]), left)

    def rate(self) -> float | None:
        """Return the factor by which rows are faster than was said, if that explains torques."""
        best = min(self.left, key=lambda r: self.left[r])
        return best if best != 1 and self.left[best] < FASTER * self.left[1.0] else None

    def sizes(self) -> Iterator[Problem]:
        """Yield torques that are much larger or smaller than those of the robot's own masses."""
        known = np.abs(self.alike) > SHAPE
        if not known.any():
            return
        middle = float(np.median(self.ratio[known]))
        if middle < 0:
            yield Problem(
                "warning",
                "torque",
                "torques have the other sign than those of the robot's own masses",
                "Turn them, gear={'tau': [-1, ...]}, or check gravity in the robot's file.",
            )
        near = np.abs(np.log(np.maximum(self.ratio[known] / middle, 1e-9))) < np.log(2)
        if middle > 0 and not 1 / SCALE < middle < SCALE and 2 * near.sum() >= known.sum():
            each = ", ".join(f"{x:.2g}" for x in self.ratio[known])
            yield Problem(
                "warning",
                "torque",
                f"torques are {middle:.2g} times those of the robot's own masses ({each} by "
                "joint), so parameters will be as far off",
                "If these are amperes: units={'tau': 'A'}, torque_constants=[...]; if they are of "
                "motors: gear={'tau': [...]}; or else the masses in the robot's file are wrong.",
            )


def _of_joint(
    gravity: np.ndarray, moving: np.ndarray, qd: np.ndarray, tau: np.ndarray
) -> tuple[float, float, dict[float, float]]:
    """Return correlation, ratio, and what is left at each rate, of one joint."""
    rest = np.column_stack([qd, np.sign(qd), np.ones(len(qd))])
    Q, _ = np.linalg.qr(rest)

    def own(x: np.ndarray) -> np.ndarray:
        return x - Q @ (Q.T @ x)

    y = own(tau)
    size = float(np.linalg.norm(y))
    found: dict[float, tuple[float, float]] = {}
    for r in (1.0, *RATES):
        x = own(gravity + r * r * moving)
        power = float(x @ x)
        ratio = float(x @ y) / power if power > 0 else 0.0
        alike = float(x @ y) / (np.sqrt(power) * size) if power > 0 and size > 0 else 0.0
        found[r] = alike, ratio
    left = {r: float(np.sqrt(max(1 - alike**2, 1e-6))) for r, (alike, _) in found.items()}
    return *found[1.0], left
