"""An exciting motion: the curve, how well it excites, what it uses of the limits or breaks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import positive, whole
from qddot.errors import BadArgument, printable
from qddot.identification.excitation_collision import Clearance, clearance
from qddot.identification.excitation_limits import HalfSpace, MotionLimits
from qddot.identification.log import Log
from qddot.motions.fourier import Fourier
from qddot.motions.motion import Reference, Triple, keep
from qddot.motions.quintic import Repeated
from qddot.plain_text import fitted
from qddot.results import Judged, in_notebook, json_ready, look
from qddot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DENSE = 20_000  # instants of a check
ROUNDING = 1e-9  # of a limit
SIGNS = {"position": "|q - middle|", "velocity": "|q̇|", "acceleration": "|q̈|", "effort": "|τ|"}
RATE = 1000.0  # [Hz]


@dataclass(frozen=True)
class Violation:
    """A limit that a motion does not keep."""

    who: str  # a joint, a frame, or two links
    what: str  # "position", "velocity", "acceleration", "effort", "workspace", "clearance"
    t: float  # [s], when it is worst
    value: float
    limit: float
    unit: str

    @fitted
    def __str__(self) -> str:
        """Return it as a sentence."""
        when = f"{printable(self.who)}: at {self.t:.4f} s"
        if self.what == "workspace":
            return f"{when} it is {-self.value:.4g} m outside of its workspace"
        if self.what == "clearance":
            return f"{when} they are {self.value:.4g} m apart, less than {self.limit:g} m"
        if self.what == "position":
            return f"{when} the position is {self.value:.5g}, beyond {self.limit:.5g} {self.unit}"
        return f"{when} the {self.what} is {self.value:.5g}, above {self.limit:.5g} {self.unit}"


@dataclass(frozen=True)
class Use:
    """How much of each limit a motion uses: 1 is all of it, shape (n,)."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    effort: np.ndarray
    workspace: float = np.inf  # [m], the least room that a frame has left
    clearance: float = np.inf  # [m], no links are nearer, at any instant

    def facts(self) -> dict[str, Any]:
        """Return it by name, for a file."""
        numbers = {key: getattr(self, key).tolist() for key in SIGNS}
        return numbers | {key: json_ready(getattr(self, key)) for key in ("workspace", "clearance")}


def used(
    robot: Robot,
    curve: Any,
    limits: MotionLimits,
    spaces: tuple[HalfSpace | Clearance, ...] = (),
    count: int = DENSE,
) -> tuple[Use, tuple[Violation, ...]]:
    """Return how much of each limit a motion uses, and which limits it breaks.

    Positions, velocities and accelerations are bounded between the instants too, in closed form
    (see `nodes` of the curves), distances of links by how fast they change; torques and the
    workspace are looked at instant by instant.
    """
    t, factor = curve.nodes(count)
    q, qd, qdd = curve.values(t)
    tau = robot.inverse_dynamics(q, qd, qdd)
    sizes = {
        "position": (q - limits.middle, limits.half, factor),
        "velocity": (qd, limits.velocity, factor),
        "acceleration": (qdd, limits.acceleration, factor),
        "effort": (tau, limits.effort, 1.0),
    }
    shares: dict[str, np.ndarray] = {}
    broken: list[Violation] = []
    for what, (values, limit, more) in sizes.items():
        worst = np.abs(values).argmax(axis=0)
        shares[what] = more * np.abs(values).max(axis=0) / limit
        for i in np.flatnonzero(~(shares[what] <= 1 + ROUNDING)):
            value, size = more * abs(values[worst[i], i]), limit[i]
            if what == "position":
                sign = np.sign(values[worst[i], i])
                value, size = (limits.middle[i] + sign * x for x in (value, size))
            who, when = limits.joint_names[i], float(t[worst[i]])
            unit = getattr(robot.limits.units[i], what)
            broken.append(Violation(who, what, when, float(value), float(size), unit))
    least = nearest = np.inf
    for space in spaces:
        if isinstance(space, Clearance):
            apart, when = space.proved(curve, shares["velocity"] * limits.velocity)
            nearest = float(apart.min())
            for k in np.flatnonzero(~(apart >= space.least)):
                near = float(when[k]), float(apart[k])
                broken.append(Violation(space.names[k], "clearance", *near, space.least, "m"))
            continue
        room = space.room(robot, q)
        least = min(least, float(room.min()))
        if not room.min() >= 0:
            when = float(t[room.argmin()])
            who = f"{space.frame} ({space})"
            broken.append(Violation(who, "workspace", when, float(room.min()), 0.0, "m"))
    return Use(**shares, workspace=least, clearance=nearest), tuple(broken)


@dataclass(frozen=True, repr=False)
class Excitation(Reference, Judged):
    """A periodic motion from rest to rest, within limits, that shows a robot's parameters.

    It is repeated for ever, so a law can follow it: ComputedTorque(robot, reference=motion, ...).
    """

    robot: Robot | None  # None where it was loaded from a file without one
    robot_name: str
    curve: Fourier | Repeated
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
        return used(robot, self.curve, self.limits, spaces, count)[1]

    def save(self, path: str | Path, rate: float = RATE) -> None:
        """Write it to a .csv file, one row per instant, or to a .json file with the coefficients.

        Args:
            path: The file. Its columns are t, q.<joint>, qd.<joint> and qdd.<joint>.
            rate: Of a .csv file, how many rows per second [Hz].
        """
        from qddot.identification.excitation_files import save

        save(self, path, rate)

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
        lines = [
            f"excitation of {printable(self.robot_name)}: {self.n} joints, {self.period:g} s",
            f"condition number {self.condition:.4g} of {self.parameters} base parameters, "
            f"{self.gain:.1f} times below the best random one ({self.random_condition:.4g})",
            f"uses at most: {shares} of the limits less a margin of {self.limits.margin:.0%}",
            *_apart(self.use.clearance),
            *(f"note: {printable(note)}" for note in self.limits.notes),
            self.status,
        ]
        return "\n  ".join(lines)

    _repr_html_ = in_notebook("identification.excitation_html")


def _apart(clearance: float) -> list[str]:
    """Return how near links come, in words; nothing where none were watched."""
    return [] if np.isinf(clearance) else [f"links stay {clearance:.3g} m apart at every instant"]
