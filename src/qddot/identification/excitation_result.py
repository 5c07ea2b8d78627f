"""An exciting motion: the curve, how well it excites, and what is said and saved of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import positive, whole
from qddot.errors import BadArgument, printable
from qddot.identification.excitation_collision import clearance
from qddot.identification.excitation_limits import HalfSpace, MotionLimits
from qddot.identification.excitation_use import DENSE, SIGNS, Use, Violation, loaded, used
from qddot.identification.log import Log
from qddot.motions.fourier import Fourier
from qddot.motions.motion import Reference, Triple, keep
from qddot.plain_text import fitted
from qddot.results import Judged, in_notebook, look
from qddot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATE = 1000.0  # [Hz]
NEW = 1e3  # times better known: before, it was not


@dataclass(frozen=True, repr=False)
class Excitation(Reference, Judged):
    """A periodic motion from rest to rest, within limits, that shows a robot's parameters.

    It is repeated for ever, so a law can follow it: ComputedTorque(robot, reference=motion, ...).
    """

    robot: Robot | None  # None where it was loaded from a file without one
    robot_name: str
    curve: Fourier
    criterion: str  # "condition" or "determinant"
    parameters: int  # how many base parameters it is to show
    condition: float  # of the scaled base regressor
    random_condition: float  # the best of random motions, shrunk into the limits as they are
    start_condition: float  # the best of random motions, each joint stretched to its limits
    history: np.ndarray  # (k, 2): evaluations, criterion of the best motion by then
    limits: MotionLimits  # with the margin taken off
    use: Use  # how much of them it uses
    spaces: tuple[HalfSpace, ...] = ()
    collision: dict[str, Any] = field(default_factory=dict)  # what `clearance` was asked for
    payloads: tuple[dict[str, Any], ...] = ()  # that it is made with, besides once without
    after: dict[str, Any] = field(default_factory=dict)  # what a log told before, and what it adds
    finished: bool = True  # False where time ran out or somebody stopped the search
    status: str = ""  # how the search ended, in words
    how: dict[str, Any] = field(default_factory=dict)  # seed, starts, evaluations, seconds

    @property
    def problems(self) -> tuple[str, ...]:
        """That the search did not end by itself, where it did not; the motion keeps its limits."""
        return () if self.finished else (self.status,)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names behind the entries of q, in order."""
        return self.limits.joint_names

    @property
    def units(self) -> tuple[str, ...]:
        """The units of the entries of q: "rad" or "m"."""
        return self.limits.units

    def __post_init__(self) -> None:
        keep(self, n=self.curve.n, duration=np.inf)

    @property
    def period(self) -> float:
        """How long it takes, after which it begins again [s]."""
        return self.curve.period

    @property
    def breaks(self) -> np.ndarray:
        """The instants of the first period at which a derivative may jump [s]."""
        return self.curve.breaks

    @property
    def gain(self) -> float:
        """How many times lower the condition number is than the best random one."""
        return self.random_condition / self.condition

    def at(self, t: Any) -> Triple:
        """Return q, q̇ and q̈ at an instant [s], a scalar of any kind; or at many of them.

        Returns:
            Three arrays of shape (*t.shape, n).
        """
        many = isinstance(t, (list, tuple)) or np.ndim(t) > 0
        return self.curve.values(np.asarray(t, dtype=float)) if many else self.curve.at(t)

    def times(self, rate: float = RATE, periods: int = 1) -> np.ndarray:
        """Return the instants of a controller [s], from rest to rest.

        Args:
            rate: How many a second [Hz].
            periods: How often the motion is repeated.
        """
        whole("periods", periods, 1)
        positive("rate", rate, wanted="instants a second, such as 1000")
        count = self.period * rate
        if round(count) < 2 or abs(count - round(count)) > 1e-6 * count:
            near = max(2, round(count)) / self.period
            raise BadArgument(
                f"A period of {self.period:g} s is {count:g} steps at {rate:g} Hz; it must be a "
                f"whole number of at least 2, to end at rest.\n  Take {near:.6g} Hz."
            )
        return np.arange(round(count) * int(periods) + 1) / float(rate)

    def to_log(self, rate: float = RATE, periods: int = 1) -> Log:
        """Return the motion as a log; with the robot, the torques that it expects are in it."""
        t = self.times(rate, periods)
        q, qd, qdd = self.at(t)
        tau = None if self.robot is None else self.robot.inverse_dynamics(q, qd, qdd)
        return Log(self.joint_names, t, q, qd, qdd, tau, source="excitation")

    def violations(self, robot: Robot | None = None, count: int = DENSE) -> tuple[Violation, ...]:
        """Return which limits the motion breaks, looked at this many instants; none, it is hoped.

        Args:
            robot: Another robot to check with: with a payload, say.
            count: How many instants.
        """
        robot = robot or self.robot
        if robot is None:
            raise BadArgument(
                "To check torques the robot is needed, and files hold its name only.\n"
                "  Load the motion with it: Excitation.load(path, robot=qddot.load(...))."
            )
        apart, _ = clearance(robot, self.limits, **self.collision)
        spaces = self.spaces if apart is None else (*self.spaces, apart)
        return used(loaded(robot, self.payloads), self.curve, self.limits, spaces, count)[1]

    def save(self, path: str | Path, rate: float | None = None, periods: int = 1) -> None:
        """Write it to a file, by its ending.

        .json has the coefficients; .csv one row per instant, with columns t, q.<joint>, qd.<joint>
        and qdd.<joint>.

        Args:
            path: The file.
            rate: How many rows of .csv per second [Hz]; 1000 if None.
            periods: How often the motion is repeated; in .json it is for ever.
        """
        from qddot.identification.excitation_files import save

        save(self, path, rate, periods)

    @staticmethod
    def load(path: str | Path, robot: Robot | None = None) -> Excitation:
        """Return the motion that `save` wrote; files hold the name of the robot only."""
        from qddot.identification.excitation_files import load

        return load(path, robot)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return a figure: q, q̇, q̈, τ over time, and the criterion over the search.

        Args:
            path: Where to save it (.png, .svg, .pdf); nowhere if None.
        """
        return look("figures.fits.excitation_figure")(self, path)

    @fitted
    def __repr__(self) -> str:
        """Return the facts, a line each."""
        shares = ", ".join(
            f"{name} {100 * float(getattr(self.use, name).max()):.0f} %"
            for name in SIGNS
            if name != "effort" or np.isfinite(self.limits.effort).any()
        )
        better = f", {self.gain:.1f} times below the best random one ({self.random_condition:.4g})"
        lines = [
            f"excitation of {printable(self.robot_name)}: {self.n} joints, {self.period:g} s",
            f"condition number {self.condition:.4g} of {self.parameters} base parameters"
            + (better if np.isfinite(self.gain) else ""),
            *_told_before(self.after),
            *(
                "made once without a load and once with each of: "
                + ", ".join(f"{load['mass']:g} kg at {load['frame']}" for load in self.payloads)
                for _ in self.payloads[:1]
            ),
            f"uses at most: {shares} of the limits less a margin of {self.limits.margin:.0%}",
            *_apart(self.use.clearance),
            *(f"note: {printable(note)}" for note in self.limits.notes),
            self.status,
        ]
        return "\n  ".join(lines)

    _repr_html_ = in_notebook("identification.excitation_html")


def _told_before(after: dict[str, Any]) -> list[str]:
    """Return what a log told and what the motion adds, in words; nothing where there was none."""
    if not after:
        return []
    alone = after["condition"]
    had = "which does not show them all" if alone is None else f"which alone has {alone:.4g}"
    said = ", ".join(f"{name} {_times(factor)}" for name, factor in after["better"][:3])
    return [
        f"that is together with a log of {after['duration']:.4g} s, {had}",
        f"it adds most to: {said}",
    ]


def _times(factor: float) -> str:
    return "(new)" if factor > NEW else f"({factor:.3g} times better known)"


def _apart(clearance: float) -> list[str]:
    """Return how near links come, in words; nothing where none were watched."""
    return [] if np.isinf(clearance) else [f"links stay {clearance:.3g} m apart at every instant"]
