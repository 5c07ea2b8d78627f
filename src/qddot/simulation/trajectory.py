"""A motion: what was simulated, at which instants, with its energy balance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, listing, printable, shorten
from qddot.model.tree import by_rows
from qddot.motions.spline import Spline, interpolated
from qddot.plain_text import fitted
from qddot.results import Judged, in_notebook, look
from qddot.robot import Robot
from qddot.simulation.energy import LIMIT, Audit, Energy, audit

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

NO_MOTOR = "is given a torque, and has no motor"
STOPPED = {  # events in which stops act, and which stops
    f"{verb} its {side} stop": side for verb in ("hits", "rests on") for side in ("lower", "upper")
}
INSTANTS = 2000  # of a motion at which its smooth form is compared with it, at least


@dataclass(frozen=True)
class Event:
    """Something that happened: when, what, and to which joint."""

    t: float  # [s]
    name: str  # "sticks", "slips", "hits a stop", a user's own, ...
    joint: str = ""
    detail: str = ""

    @fitted
    def __str__(self) -> str:
        who = f"{self.joint} " if self.joint else ""
        more = f" ({self.detail})" if self.detail else ""
        return f"{self.t:.6f} s: {who}{self.name}{more}"


@dataclass(frozen=True, repr=False)
class Trajectory(Judged):
    """A simulated motion, one row per instant.

    Where the motion jumps (an impact, a joint that sticks), two rows share one instant: before,
    after.
    """

    robot: Robot | None  # None where it was loaded from a file without one
    joint_names: tuple[str, ...]
    units: tuple[str, ...]  # "rad" or "m", one per joint
    t: np.ndarray  # (k,) [s]
    q: np.ndarray  # (k, nq), as many as there are joints where each position is one number
    qd: np.ndarray  # (k, n)
    qdd: np.ndarray  # (k, n)
    tau: np.ndarray  # (k, n), what the actuators gave
    energy: Energy
    # by frame, (k, 6), at its origin in world axes, whatever axes they were given in
    wrenches: Mapping[str, np.ndarray] = field(default_factory=dict)
    state: np.ndarray | None = None  # (k, m), of a controller that has one
    events: tuple[Event, ...] = ()
    finished: bool = True
    status: str = ""  # how it ended, in words
    how: Mapping[str, Any] = field(default_factory=dict)  # method, tolerance, steps, ...
    positions: tuple[str, ...] = ()  # the names behind the columns of q; none: those of the joints

    @property
    def audit(self) -> Audit:
        """The error of its energy balance."""
        how = self.how
        limit, least = how.get("audit_limit", LIMIT), how.get("least_energy", 0.0)
        return audit(self.energy, limit, least, how.get("balance"))

    @property
    def good(self) -> bool:
        """Whether it finished, its inputs can be, and its energy balance holds."""
        return self.finished and self.audit.good and not impossible_inputs(self)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the run, if it is not `good`."""
        return () if self.good else (self.status,)

    def __len__(self) -> int:
        """How many rows."""
        return len(self.t)

    @property
    def n(self) -> int:
        """How many degrees of freedom."""
        return len(self.joint_names)

    @property
    def joint_positions(self) -> np.ndarray:
        """Where each joint is, (k, n): q, or how far from neutral where that is several numbers."""
        if self.q.shape == self.qd.shape:
            return self.q
        tree = self._robot("where its joints are").tree
        return by_rows(tree.difference, np.broadcast_to(tree.neutral, self.q.shape), self.q)

    @property
    def duration(self) -> float:
        """How long it lasts [s]."""
        return float(self.t[-1] - self.t[0]) if len(self.t) else 0.0

    @property
    def robot_name(self) -> str:
        """The name of the robot that moved, known from the file where the robot is not there."""
        return self.robot.name if self.robot is not None else str(self.how.get("robot", ""))

    # where it is

    def at(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, q̇ and q̈ at an instant or at many, between the rows by quintic polynomials.

        Where the motion jumps, the side after the jump.

        Args:
            t: Instants within the motion [s], of any shape.

        Returns:
            Three arrays of shape (*t.shape, n).
        """
        several = self.q.shape[1:] != self.qd.shape[1:]
        tree = self._robot("what is between the rows").tree if several else None
        return interpolated(self.t, self.q, self.qd, self.qdd, t, tree)

    def as_motion(self, tolerance: float = 1e-5) -> Spline:
        """Return a smooth motion that a law can follow, as near to this one as a tolerance says.

        Args:
            tolerance: How far it may be off [rad or m].
        """
        if not len(self.t):
            raise BadArgument("The motion has no rows, so there is nothing to follow.")
        if self.q.shape[1] != self.n and self.robot is not None:
            self.robot.model.need_single_numbers("A smooth motion through rows")
        # between sparse rows too
        t = np.linspace(self.t[0], self.t[-1], max(len(self.t), INSTANTS))
        return Spline(t, self.at(t)[0], tolerance)

    def tip_path(self, frame: str) -> np.ndarray:
        """Return where a frame is at every row, in base axes [m], shape (k, 3)."""
        return self._robot("the path of a frame").pose(self.q, frame)[..., :3, 3].copy()

    def tip_velocity(self, frame: str) -> np.ndarray:
        """Return how fast a frame's origin moves at every row, in base axes [m/s], shape (k, 3)."""
        robot = self._robot("the velocity of a frame")
        return robot.point_motion(self.q, self.qd, self.qdd, frame)[1]

    # as a table, as a file

    def to_pandas(self) -> pandas.DataFrame:
        """Return a table: t, q.<joint>, ..., energy.<which>, wrench.<frame>.<component>, x.<k>."""
        from qddot.simulation.table import to_pandas

        return to_pandas(self)

    def save(self, path: str | Path) -> None:
        """Write it to a .parquet, .csv or .npz file, from which `load` brings back the same."""
        from qddot.simulation.files import save

        save(self, path)

    @staticmethod
    def load(path: str | Path, robot: Robot | None = None) -> Trajectory:
        """Return the motion in a .parquet, .csv or .npz file.

        Args:
            path: The file.
            robot: The robot that moved; files hold its name only.
        """
        from qddot.simulation.files import load

        return load(path, robot)

    # as a picture, as a film

    def plot(
        self,
        what: str | Path | Sequence[str] | None = None,
        path: str | Path | None = None,
        *,
        degrees: bool = False,
    ) -> Figure:
        """Return a figure of the motion over time.

        Args:
            what: "q", "qd", "qdd", "tau", "energy", or several of them; all by default. A file
                name alone, `run.plot("fall.png")`, is taken for the path.
            path: Where to save it (.png, .svg, .pdf); nowhere if None.
            degrees: Draw angles in degrees instead of radians.
        """
        if path is None and isinstance(what, (str, Path)) and Path(what).suffix:
            what, path = None, what
        chosen = [str(what)] if isinstance(what, (str, Path)) else what
        return look("figures.trajectory.figure")(self, chosen, path, degrees)

    def animate(
        self,
        path: str | Path | None = None,
        *,
        fps: float = 30,
        speed: float = 1.0,
        frames: Sequence[str] | str | None = None,
    ) -> Any:
        """Write a film of the moving arm: .gif, .html (one page, to turn and to pause) or .mp4.

        Without a path it is shown in a notebook: what is returned is the cell's view of it.

        Args:
            path: Where to; an .mp4 needs ffmpeg.
            fps: Pictures per second.
            speed: Seconds of the motion per second of the film.
            frames: Names of frames that leave a trace; by default the tips of the arm.
        """
        robot = self._robot("a film")
        if not len(self.t):
            raise BadArgument("The motion has no rows, so there is nothing to show.")
        if path is None:
            return look("notebook.viewer.film_view")(self, fps=fps, speed=speed, frames=frames)
        span = float(self.t[0]), float(self.t[-1])
        animate = look("figures.film.animate")
        animate(robot, span, lambda t: self.at(t)[0], path, fps=fps, speed=speed, frames=frames)
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return how it ended and where its energy went, as plain values; `table` has its rows."""
        energy, audit = self.energy, self.audit
        return {
            "robot": self.robot_name,
            "joints": list(self.joint_names),
            "units": list(self.units),
            "duration": float(self.t[-1]),
            "finished": self.finished,
            "good": bool(self.good),
            "status": self.status,
            "how": dict(self.how),
            "q": self.q[-1].tolist(),
            "qd": self.qd[-1].tolist(),
            "energy": {
                "start": float(energy.total[0]),
                "end": float(energy.total[-1]),
                "given": float(energy.given[-1]),
                "lost": float(energy.lost[-1]),
                "friction": energy.friction[-1].tolist(),
                "actuators": energy.actuators[-1].tolist(),
                "unaccounted": float(energy.residual[-1]),
            },
            "audit": {"number": audit.number, "limit": audit.limit, "exchanged": audit.exchanged},
            "stops": stops_acted(self),
            "events": [asdict(event) for event in self.events],
        }

    @fitted
    def __repr__(self) -> str:
        return "\n".join(printable(line) for line in lines(self))

    _repr_html_ = in_notebook("simulation.trajectory_html")

    def _robot(self, what: str) -> Robot:
        if self.robot is None:
            raise BadArgument(
                f"For {what} the robot is needed, and files hold its name only.\n"
                "  Load the motion with it: Trajectory.load(path, robot=qddot.load(...))."
            )
        return self.robot


def impossible_inputs(motion: Trajectory) -> list[str]:
    """Return what cannot act: a function with a memory, a torque where there is no motor."""
    idle = [f"{event.joint} {NO_MOTOR}" for event in motion.events if event.name == NO_MOTOR]
    return [each for each in (motion.how.get("memory"), listing(idle)) if each]


def lines(motion: Trajectory) -> list[str]:
    """Return what there is to say of a motion, in a few lines."""
    name = f" of {one_line(motion.robot_name)!r}" if motion.robot_name else ""
    rows = "1 row" if len(motion) == 1 else f"{len(motion)} rows"
    joints = "1 joint" if motion.n == 1 else f"{motion.n} joints"
    names = f" ({one_line(listing(motion.joint_names, 8))})" if motion.n else ""
    result = [f"Motion{name}: {motion.duration:g} s, {rows}, {joints}{names}"]
    how = ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {one_line(str(value))}"
        for key, value in motion.how.items()
        if key != "robot" and isinstance(value, (str, int, float, np.number))
    )
    if how:
        result.append(f"  {shorten(how, 110)}")
    ended = "finished" if motion.finished else "not finished"
    said = one_line(motion.status, 300)
    result.append(f"  {said}" if said.startswith("finished") else f"  {ended}: {said}".rstrip(": "))
    with np.errstate(all="ignore"):  # energies that are not finite are printed as such
        energy = str(motion.audit) if len(motion) else ""
    if energy not in motion.status:
        result.append(f"  {energy}")
    if motion.events:
        kinds = Counter(one_line(event.name) for event in motion.events)
        counts = ", ".join(f"{kind} ({count})" for kind, count in kinds.most_common(6))
        result.append(f"  {len(motion.events)} events: {counts}")
    return [*result, *(f"  {line}" for line in stop_words(motion))]


def stops_acted(motion: Trajectory) -> dict[str, list[str]]:
    """Return which stops held or hit which joints: "upper", "lower", by joint."""
    found: dict[str, dict[str, None]] = {}
    for event in motion.events:
        if event.name in STOPPED:
            found.setdefault(event.joint, {})[STOPPED[event.name]] = None
    return {joint: list(sides) for joint, sides in found.items()}


def stop_words(motion: Trajectory) -> list[str]:
    """Return a line that names the stops that acted; none where none did."""
    each = [f"{joint} ({', '.join(sides)})" for joint, sides in stops_acted(motion).items()]
    return [f"stops that acted: {one_line(', '.join(each), 300)}"] if each else []


def one_line(text: str, most: int = 80) -> str:
    return shorten(printable(text).replace("\n", "\\n"), most)
