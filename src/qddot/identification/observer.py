"""What pushed an arm while a log was recorded: the external torque over time, and contacts in it.

A momentum observer of gain K gives r with ṙ = K (τ_ext − r), so r is what the model needs less what
the actuators gave, through a filter of first order:

    τ_ext = τ̂(q, q̇, q̈) − τ        r = K / (s + K) τ_ext

On a log, which is known whole, the filter runs forwards and then backwards: no delay is left. With
`online` it runs forwards only, and r is what `MomentumObserver` gives while the arm moves.

A contact is where |r| of a joint is above its threshold. No model is exact, so thresholds come from
a motion in which nothing touches the arm: the largest |r| in each of its blocks of time follow
Gumbel's law of extremes, which gives the level that a log as long as this one exceeds with a stated
probability only.

De Luca: A. De Luca, A. Albu-Schäffer, S. Haddadin, G. Hirzinger, *Collision detection and safe
reaction with the DLR-III lightweight manipulator arm*, IROS 2006.
Coles: S. Coles, *An Introduction to Statistical Modeling of Extreme Values*, Springer, 2001,
section 3.3: block maxima and their levels.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import positive
from qddot.errors import BadArgument, printable
from qddot.identification.held_out import usual
from qddot.identification.log import Log, load_log
from qddot.identification.log_checks import as_log
from qddot.identification.result import Fit
from qddot.identification.signals import resampled, smoothed
from qddot.identification.sine_series import Smoother, Way
from qddot.plain_text import fitted
from qddot.results import in_notebook, look
from qddot.robot import robot_of
from qddot.saving import ending, write_whole
from qddot.timeseries import by_joint
from qddot.timeseries.csv_file import write_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAIN = 30.0  # [1/s]: contacts of a tenth of a second are seen
SLOWEST = 4.0  # rows a time constant of the filter, at least
ABOVE = 4.0  # times the filter's own corner: up to where positions are differentiated
RINGING = 2.0  # periods of that filter, at each end of a log
BLOCK = 10.0  # time constants: the largest |r| of two blocks know little of each other
FEWEST = 10  # blocks of free motion
UNFELT = 1e-3  # of the largest torque: no arm feels less, however exact its model
APART = 3.0  # time constants: contacts that are nearer are one
KIND = "external torque"  # of the facts in a .csv file
UNSURE = 0.78  # of β/√N, the deviation of Gumbel's β from N maxima (Coles, section 3.3)
CAUTION = 1.0  # of these deviations


@dataclass(frozen=True)
class Contact:
    """A time in which something pushed the arm."""

    start: float  # [s]
    end: float
    joint: str  # whose torque is farthest above its threshold
    size: float  # that torque where it is largest [N·m or N], with its sign
    torque: np.ndarray  # of all joints then, shape (n,)
    joints: tuple[str, ...]  # all that are above their threshold; it touches at the last or beyond

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        plain = {key: getattr(self, key) for key in ("start", "end", "joint", "size")}
        return plain | {"torque": self.torque.tolist(), "joints": list(self.joints)}


def block_maxima(quiet: np.ndarray, block: int) -> np.ndarray:
    """Return the largest |r| of each joint in each block of so many rows, shape (blocks, n)."""
    count = len(quiet) // max(block, 1)
    return np.abs(quiet[: count * block]).reshape(count, block, quiet.shape[1]).max(axis=1)


def threshold(maxima: np.ndarray, blocks: float, false_alarms: float) -> np.ndarray:
    """Return the level of each joint that a log stays below without contact, shape (n,).

    With N blocks in the log and n joints, any of the N n maxima is above with probability

        1 − G(level)^(N n) = false_alarms        G(x) = exp(−exp(−(x − μ)/β))

    μ and β are fitted to the `block_maxima` of free motion, (k, n); β is taken one of its
    deviations too large.
    """
    from scipy.stats import gumbel_r

    count, n = maxima.shape
    share = 1 - (1 - false_alarms) ** (1 / (max(1.0, blocks) * n))
    levels = []
    for column in maxima.T:
        mu, beta = gumbel_r.fit(column) if np.ptp(column) > 0 else (column[0], 0.0)
        beta *= 1 + CAUTION * UNSURE / np.sqrt(count)
        levels.append(mu - beta * np.log(-np.log1p(-share)))
    return np.array(levels)


def found_contacts(
    joints: Sequence[str], t: np.ndarray, torque: np.ndarray, level: np.ndarray, apart: float
) -> tuple[Contact, ...]:
    """Return the times in which a joint's torque is above its level; near ones are one contact."""
    above = np.abs(torque) > level
    rows = np.flatnonzero(above.any(axis=1))
    if not len(rows):
        return ()
    found = []
    for part in np.split(rows, np.flatnonzero(np.diff(t[rows]) > apart) + 1):
        span = slice(part[0], part[-1] + 1)
        times = np.abs(torque[span]) / level
        row, j = map(int, np.unravel_index(int(times.argmax()), times.shape))
        felt = tuple(joints[int(i)] for i in np.flatnonzero(above[span].any(axis=0)))
        peak = torque[part[0] + row]
        start, end = (float(t[k]) for k in (part[0], part[-1]))
        found.append(Contact(start, end, joints[j], float(peak[j]), peak, felt))
    return tuple(found)


@dataclass(frozen=True, repr=False)
class ExternalTorque:
    """The torque that something besides the actuators gave, with the contacts found in it."""

    joint_names: tuple[str, ...]
    units: tuple[str, ...]  # "N·m" or "N"
    t: np.ndarray  # (k,) [s]
    torque: np.ndarray  # r, shape (k, n)
    threshold: np.ndarray  # (n,)
    contacts: tuple[Contact, ...]
    gain: float  # K [1/s]
    false_alarms: float  # probability of any contact found in this log if there is none
    free: str  # where the threshold is from

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows as plain data."""
        joints = self.joint_names
        return {
            "contacts": [contact.to_dict() for contact in self.contacts],
            "threshold": dict(zip(joints, self.threshold.tolist(), strict=True)),
            "gain": self.gain,
            "false_alarms": self.false_alarms,
            "free": self.free,
            "rows": len(self.t),
        }

    def save(self, path: str | Path) -> None:
        """Write t and the torque of each joint to a .csv file; its first line has the contacts."""
        ending(path, "External torques", (".csv",))
        columns = {"t": self.t} | by_joint("external", self.joint_names, self.torque)
        facts, table = json.dumps(self.to_dict()), np.column_stack(list(columns.values()))
        write_whole(path, lambda beside: write_csv(beside, KIND, facts, list(columns), table))

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return a figure: the torque of each joint, its threshold, contacts shaded.

        Args:
            path: Where to save it (.png, .svg, .pdf); nowhere if None.
        """
        return look("figures.logs.external_torque_figure")(self, path)

    @fitted
    def __repr__(self) -> str:
        units = dict(zip(self.joint_names, self.units, strict=True))
        found = [
            f"{c.start:.3f} to {c.end:.3f} s: {printable(c.joint)} {c.size:+.3g} {units[c.joint]}; "
            f"felt by {', '.join(map(printable, c.joints))}"
            for c in self.contacts
        ]
        levels = ", ".join(
            f"{printable(name)} {level:.3g} {unit}"
            for name, level, unit in zip(self.joint_names, self.threshold, self.units, strict=True)
        )
        lines = [
            f"{len(found) or 'no'} contact{'' if len(found) == 1 else 's'} in "
            f"{self.t[-1] - self.t[0]:.4g} s, observed with a gain of {self.gain:.3g} 1/s",
            *found,
            f"thresholds: {levels}",
            f"from {self.free}; without contact, {100 * self.false_alarms:.3g} % of such logs "
            "would show one",
        ]
        return "\n  ".join(lines)

    _repr_html_ = in_notebook("identification.external_torque_html")


def external_torque(
    model: Any,
    log: Any,
    *,
    free: Any = None,
    gain: float | None = None,
    cutoff: float | None = None,
    false_alarms: float = 0.01,
    online: bool = False,
) -> ExternalTorque:
    """Return what pushed an arm while a log was recorded, and when.

    Args:
        model: A fit, or a robot, its built-in name or file.
        log: The log or its file, with positions and torques; as recorded, so that short contacts
            are not filtered away.
        free: A log in which nothing touches the arm, recorded and filtered alike; or (from, to) [s]
            of this one. By default the log of the fit.
        gain: K of the observer [1/s]; by default 30, or what the rate of the log allows.
        cutoff: Of the filter before velocities and accelerations are taken [Hz]; by default four
            times the corner of the observer, and that of the fit's log where that is `free`.
        false_alarms: The probability that contacts are found in this log though there are none.
        online: Whether the observer sees the past only, as while the arm moves.

    Raises:
        BadArgument: If there is no free motion to compare with, or too little of it.
    """
    fit = model if isinstance(model, Fit) else None
    robot = fit.problem.regression.robot if fit else robot_of(model)
    if not 0 < positive("false_alarms", false_alarms, wanted="a probability") < 1:
        raise BadArgument(f"false_alarms is {false_alarms!r}; give a probability, such as 0.01.")
    if free is None and fit is None:
        raise BadArgument(
            "Nothing says how large torques are without contact.\n"
            "  Give free=log, a log in which nothing touches the arm, or free=(from, to) [s]."
        )
    if free is None and fit is not None:
        cutoff = cutoff or fit.log.bandwidth
    recorded = _read(robot, log)
    if recorded.run is not None:
        raise BadArgument("Give one log at a time; this one has several runs.")
    gain = positive("gain", min(GAIN, recorded.rate / SLOWEST) if gain is None else gain, "1/s")
    if gain > recorded.rate:
        raise BadArgument(f"gain is {gain:g}; at {recorded.rate:.4g} rows per second give less.")
    rows = _ready(robot, recorded, gain, cutoff)
    residual = observed(fit or robot, rows, gain, online)[0]
    if isinstance(free, tuple) and len(free) == 2 and np.isscalar(free[0]):
        start, end = (float(x) for x in free)
        inside = (rows.t >= start) & (rows.t <= end)
        quiet, steps, words = [residual[inside]], [rows.step], f"{start:g} to {end:g} s of the log"
    else:
        other = fit.log if free is None and fit else _ready(robot, _read(robot, free), gain, cutoff)
        quiet, steps = observed(fit or robot, other, gain, online), [p.step for p in other.parts()]
        words = "the log of the fit" if free is None else f"{other.duration:.4g} s of free motion"
    pairs = zip(quiet, steps, strict=True)
    maxima = np.concatenate([block_maxima(r, round(BLOCK / gain / step)) for r, step in pairs])
    if len(maxima) < FEWEST:
        raise BadArgument(
            f"There are less than {FEWEST * BLOCK / gain:.3g} s of free motion, too few to tell "
            "how large torques are without contact.\n  Give more of it, or a higher gain."
        )
    level = threshold(maxima, rows.duration * gain / BLOCK, false_alarms)
    level = np.maximum(level, UNFELT * np.abs(rows.tau).max(axis=0))
    return ExternalTorque(
        tuple(robot.joint_names),
        tuple(joint.units.effort for joint in robot.model.free_joints),
        rows.t,
        residual,
        level,
        found_contacts(robot.joint_names, rows.t, residual, level, APART / gain),
        gain,
        float(false_alarms),
        words,
    )


def _read(robot: Any, log: Any) -> Log:
    found = load_log(log, robot) if isinstance(log, (str, Path)) else log
    if not isinstance(found, Log):
        found = as_log(robot, found)
    if tuple(found.joint_names) != tuple(robot.joint_names):
        raise BadArgument(
            "The log has other joints than the robot, or another order.\n"
            "  Read it for this robot: qddot.load_log(path, robot)."
        )
    if found.tau is None:
        raise BadArgument("The log has no torques, so nothing says what the actuators gave.")
    return found


def _ready(robot: Any, log: Log, gain: float, cutoff: float | None) -> Log:
    """Return the log with velocities and accelerations, less its ends where the filter rings."""
    if log.qdd is not None:
        return log
    log = log if log.even else resampled(log)
    corner = min(ABOVE * gain / (2 * np.pi) if cutoff is None else cutoff, 0.4 * log.rate)
    ready = smoothed(Smoother(log), Way(corner, usual(log)), corner)
    inside = (log.t - log.t[0] >= RINGING / corner) & (log.t[-1] - log.t >= RINGING / corner)
    return ready[inside]


def observed(model: Any, log: Log, gain: float, online: bool = False) -> list[np.ndarray]:
    """Return r at every row of a log that has accelerations, shape (k, n), for each of its runs.

    Online, the filter runs forwards only; the gain is K [1/s].
    """
    from scipy.signal import lfilter, lfiltic

    if isinstance(model, Fit):
        needed = model.predict(log)
    else:
        needed = model.inverse_dynamics(log.q, log.qd, log.qdd)
    runs = np.zeros(len(log), int) if log.run is None else log.run
    pushes = [(needed - log.tau)[runs == r] for r in np.unique(runs)]

    def through(raw: np.ndarray, step: float) -> np.ndarray:
        # exact where the torque between two rows is their mean
        a = float(np.exp(-gain * step))
        b = np.array([1 - a, 1 - a]) / 2

        def passed(x: np.ndarray, before: np.ndarray) -> np.ndarray:
            state = np.array([lfiltic(b, [1, -a], [y], [y]) for y in before]).T
            return lfilter(b, [1, -a], x, axis=0, zi=state)[0]

        # as an observer starts: knowing of no push; on a log, with what is there
        r = passed(raw, 0 * raw[0] if online else raw[: max(1, len(raw) // 100)].mean(axis=0))
        return r if online else passed(r[::-1], r[-1])[::-1]

    return [through(raw, part.step) for raw, part in zip(pushes, log.parts(), strict=True)]
