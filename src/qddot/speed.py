"""How fast a robot's kernels are on this machine, beside Pinocchio's where it is installed.

Both sides run in turn, a few milliseconds at a time, on one thread, and the median of each is kept,
so what else the machine does happens to both. A peer whose results differ is not timed.
"""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from qddot.checks import need_joints, positive
from qddot.dynamics.aba import applies
from qddot.errors import NotNumeric
from qddot.robot import Robot, robot_of

BATCH = 8192  # states
INPUTS = {"inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1}
AGREEMENT = 1e-8  # relative to the largest entry: round-off, whatever the robot
TICK = 2e-3  # [s] for which one side runs at a time
LEAST_ROUNDS = 7
LOOPED = 64  # states of a batch that a peer without batches is called for, one by one


@dataclass(frozen=True)
class Speed:
    """How long one state takes: one call from Python, or a batch on one thread."""

    name: str  # of the quantity, as the robot's method is called
    batch: int  # states a call
    ns: float  # a state
    peer: str = ""  # what it is compared with
    peer_ns: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times faster than the peer."""
        return None if self.peer_ns is None else self.peer_ns / self.ns

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values."""
        return dict(vars(self)) | {"ratio": self.ratio}


def bench(robot: Robot | str | Path, *, seconds: float = 2.0) -> list[Speed]:
    """Return how fast the robot's dynamics are: one row a quantity, for one state and for many.

    Args:
        robot: The robot, or its built-in name or file; its friction and springs are left out, since
            Pinocchio has none.
        seconds: How long to measure in all; compiling comes on top of it.
    """
    return list(measuring(robot_of(robot), seconds=seconds))


def measuring(robot: Robot, *, seconds: float = 2.0) -> Iterator[Speed]:
    """Yield the rows of `bench` as they are measured."""
    seconds = positive("seconds", seconds, "s")
    need_joints(robot)
    if robot.symbols:
        raise NotNumeric(robot.name, robot.symbols)
    plain = robot.without("friction", "springs").with_options(threads=1, dtype="float64")
    peer = pinocchio(plain)
    for batch in (1, BATCH):
        for name, inputs in INPUTS.items():
            states = _states(plain.n, batch, inputs)
            yield _compared(plain, peer, name, states, seconds / (2 * len(INPUTS)))


def _states(n: int, batch: int, inputs: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    shape = (n,) if batch == 1 else (batch, n)
    return [rng.uniform(-2, 2, shape) for _ in range(inputs)]


def _compared(
    robot: Robot, peer: Pinocchio | None, name: str, states: list[np.ndarray], seconds: float
) -> Speed:
    """Return the times of one quantity; the peer's only if it gives the same."""
    batch = 1 if states[0].ndim == 1 else len(states[0])
    function = getattr(robot, name)
    expected = function(*states)
    more = {} if batch == 1 else {"out": expected.copy()}
    ours = Contender(function, states, batch, more)
    if peer is None or not peer.agrees(name, states, expected):
        (mine,) = _race([ours], seconds)
        return Speed(name, batch, mine)
    mine, theirs = _race([ours, peer.contender(name, states)], seconds)
    return Speed(name, batch, mine, peer.words(name, batch), theirs)


@dataclass(frozen=True)
class Contender:
    """A call to be timed, and how many states it works on."""

    function: Callable[..., Any]
    args: Sequence[Any]
    states: int
    named: dict[str, Any] = field(default_factory=dict)

    def timer(self) -> timeit.Timer:
        """Return a timer whose loop holds the call itself and no wrapper around it."""
        places = [f"a{k}" for k in range(len(self.args))]
        names = [f"{name}={name}" for name in self.named]
        scope = {"f": self.function, **dict(zip(places, self.args, strict=True)), **self.named}
        return timeit.Timer(f"f({', '.join([*places, *names])})", timer=_clock(), globals=scope)


def _clock() -> Callable[[], float]:
    """Return a clock that stands still while others have the processor, where it is fine enough."""
    fine = time.get_clock_info("process_time").resolution <= 1e-5
    return time.process_time if fine else time.perf_counter


def _race(contenders: Sequence[Contender], seconds: float) -> list[float]:
    """Return the median time a state of each contender [ns], all of them called in turn."""
    timers = [each.timer() for each in contenders]
    repeats = [_repeats(timer) for timer in timers]
    times: list[list[float]] = [[] for _ in timers]
    end = time.perf_counter() + seconds
    while len(times[0]) < LEAST_ROUNDS or time.perf_counter() < end:
        for timer, repeat, found in zip(timers, repeats, times, strict=True):
            found.append(timer.timeit(repeat) / repeat)
    return [1e9 * median(t) / each.states for t, each in zip(times, contenders, strict=True)]


def _repeats(timer: timeit.Timer) -> int:
    """Return how many calls take about a tick, also by a clock whose own steps are longer."""
    timer.timeit(1)  # nothing is compiled or allocated for the first time later
    end, repeat = time.perf_counter() + 10 * TICK, 1
    while timer.timeit(repeat) < TICK / 2 and time.perf_counter() < end:
        repeat *= 2
    return repeat


def pinocchio(robot: Robot) -> Pinocchio | None:
    """Return the robot in Pinocchio, if that is installed and knows such robots."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    roles = {body.joint.configuration[0].role for body in robot.tree.bodies}
    known = applies(robot.tree) and roles <= {"angle", "length"}
    if not known or not hasattr(pin, "rneaInParallel"):  # another package has the same name
        return None
    return Pinocchio(pin, robot)


class Pinocchio:
    """A robot in Pinocchio, body by body, with the same coordinates."""

    def __init__(self, pin: Any, robot: Robot):
        self.pin, self.model = pin, pin.Model()
        for body in robot.tree.bodies:
            X_PJ = pin.SE3(*(np.array(part, dtype=float) for part in (body.X_PJ.R, body.X_PJ.p)))
            joint = self.joint(body.turns, body.axis)
            at = self.model.addJoint(body.parent + 1, joint, X_PJ, body.name)
            known = body.inertia
            m, com, I = known.com_form() if known.m else (0.0, np.zeros(3), known.I)
            inertia = pin.Inertia(float(m), np.array(com, dtype=float), np.array(I, dtype=float))
            self.model.appendBodyToJoint(at, inertia, pin.SE3.Identity())
        down = np.array([float(x) for x in robot.tree.gravity])
        self.model.gravity = pin.Motion(down, np.zeros(3))
        self.model.armature = np.array([float(x) for x in robot.tree.rotor_inertia])
        self.data, self.pool = self.model.createData(), pin.ModelPool(self.model, 1)
        self.single = {
            "inverse_dynamics": pin.rnea,
            "forward_dynamics": pin.aba,
            "mass_matrix": pin.crba,
        }
        self.many = {"inverse_dynamics": pin.rneaInParallel, "forward_dynamics": pin.abaInParallel}
        if robot.n == 1:  # a matrix of one row is taken for a column there, and memory overrun
            self.many = {}

    def joint(self, turns: bool, axis: Any) -> Any:
        """Return its quickest kind of joint about an axis."""
        kind, u = "R" if turns else "P", [float(x) for x in axis]
        for name, unit in zip("XYZ", np.eye(3).tolist(), strict=True):
            if u == unit:
                return getattr(self.pin, f"JointModel{kind}{name}")()
        long = "Revolute" if turns else "Prismatic"
        return getattr(self.pin, f"JointModel{long}Unaligned")(np.array(u))

    def words(self, name: str, batch: int) -> str:
        """Return which of its functions is called."""
        function = self.many.get(name, self.single[name]) if batch > 1 else self.single[name]
        return f"Pinocchio {function.__name__}"

    def contender(self, name: str, states: list[np.ndarray]) -> Contender:
        """Return the quickest call it offers for these states."""
        function, model, data = self.single[name], self.model, self.data
        if states[0].ndim == 1:
            return Contender(function, (model, data, *states), 1)
        if name in self.many:
            columns = [np.asfortranarray(x.T) for x in states]
            args = (1, self.pool, *columns, np.empty_like(columns[0]))
            return Contender(self.many[name], args, len(states[0]))
        rows = list(zip(*(x[:LOOPED] for x in states), strict=True))

        def loop() -> None:
            for row in rows:
                function(model, data, *row)

        return Contender(loop, (), len(rows))

    def agrees(self, name: str, states: list[np.ndarray], expected: np.ndarray) -> bool:
        """Return whether its result for the first state is ours."""
        first = [x if x.ndim == 1 else x[0] for x in states]
        mine = expected if states[0].ndim == 1 else expected[0]
        theirs = np.array(self.single[name](self.model, self.data, *first))
        if name == "mass_matrix":
            theirs = (
                np.triu(theirs) + np.triu(theirs, 1).T
            )  # some versions leave the rest as it was
        return bool(np.abs(theirs - mine).max() <= AGREEMENT * np.abs(mine).max())
