"""What acts on a robot in a run; its controller is part of the motion, or on a computer.

A recorded controller (`Law`) is checked once, then replayed inside whatever is being recorded. One
on a computer (`sampled`) is asked at a fixed rate, on late and noisy measurements, and its torques
are held in between: one loop, for one arm or for many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.dynamics.kinematics import Axes
from qddot.errors import BadArgument, listing
from qddot.model.tree import Tree, by_rows
from qddot.motions.piecewise import cubic_at
from qddot.program.ports import split
from qddot.program.program import Port, Program
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

STATE = ("t", "q", "qd", "x")  # inputs that it always gets


@dataclass(frozen=True)
class Law:
    """A program from t, q, q̇, its own state x and further inputs to τ, and to ẋ if it has x."""

    program: Program
    n: int

    @property
    def digest(self) -> str:
        return self.program.digest

    @property
    def m(self) -> int:
        """How many numbers its own state has."""
        return next((port.size for port in self.program.inputs if port.name == "x"), 0)

    @cached_property
    def more(self) -> tuple[Port, ...]:
        """Its further inputs, which every trajectory is given once."""
        return tuple(port for port in self.program.inputs if port.name not in STATE)

    def __call__(
        self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec, more: list[Scalar]
    ) -> tuple[JointVec, JointVec]:
        """Return τ and ẋ."""
        known, rest = {"t": [t], "q": list(q), "qd": list(qd), "x": list(x)}, iter(more)
        entries: list[Scalar] = []
        for port in self.program.inputs:
            entries += known.get(port.name) or [next(rest) for _ in range(port.size)]
        parts = split(self.program.outputs, self.program.results_at(entries))
        found = {"xd": []} | {port.name: list(part) for port, part in parts}
        return _array(found[self.output]), _array(found["xd"])

    @property
    def output(self) -> str:
        """The name of the output that is the torque."""
        names = [port.name for port in self.program.outputs if port.name != "xd"]
        return names[0] if len(names) == 1 else "tau"


@dataclass(frozen=True)
class Forces:
    """What acts on a robot, and how friction is meant."""

    law: Law | None = None  # part of the motion
    driven: bool = False  # torques are an input, added to the law's
    wrenches: tuple[str, ...] = ()  # the frames that wrenches act at
    axes: Axes = "world"  # those of the wrenches, as in `jacobian`
    disturbed: bool = False
    base_moves: bool = False  # then gravity, in base axes, is part of the state
    effort: tuple[float, ...] | None = None  # torques are cut off at these
    smoothing: float | None = None  # of dry friction [rad/s or m/s]; None: it jumps
    switched: bool = False  # joints may be held, so `direction` and `free` are inputs


def law_of(controller: Any, n: int, nq: int | None = None) -> Law | None:
    """Return the law of a recorded controller, or of what holds one; None of anything else.

    It raises BadArgument if the program cannot be a controller of a robot with n joints, whose
    positions are nq numbers (n, if not given).
    """
    program = (
        controller if isinstance(controller, Program) else getattr(controller, "program", None)
    )
    if not isinstance(program, Program):
        return None
    law = Law(program, n)
    inputs = {port.name: port.shape for port in program.inputs}
    outputs = {port.name: port.shape for port in program.outputs}
    wanted = {"t": (), "q": (n if nq is None else nq,), "qd": (n,)}
    for name, shape in wanted.items():
        if inputs.get(name, shape) != shape:
            raise _misfit(law, f"its input {name!r} has shape {inputs[name]}, not {shape}")
    if law.output not in outputs:
        names = listing(outputs)
        raise _misfit(law, f"it gives {names}, and none of them is named 'tau'")
    if outputs[law.output] != (n,):
        shape = outputs[law.output]
        raise _misfit(law, f"its output {law.output!r} has shape {shape}, not ({n},)")
    if len(inputs.get("x", (0,))) != 1 or inputs.get("x") != outputs.get("xd"):
        raise _misfit(
            law,
            f"its own state x has shape {inputs.get('x', 'none')} and its rate xd "
            f"{outputs.get('xd', 'none')}; both must be there and be vectors of one length",
        )
    return law


def without_motor(robot: Robot, law: Law | None, torques: Any) -> str:
    """Return which joints without a motor are given a torque, in words; "" if none is.

    A law is asked at a few random states.
    """
    idle, tau = np.flatnonzero(~robot.actuated), np.zeros(robot.n)
    if law is not None and len(idle):
        sizes = (1, robot.nq, robot.n, law.m, sum(port.size for port in law.more))
        draws = np.random.default_rng(0).uniform(-1, 1, (3, sum(sizes)))
        for t, q, qd, x, more in (np.split(row, np.cumsum(sizes)[:-1]) for row in draws):
            tau = tau + np.abs(np.asarray(law(t[0], q, qd, x, list(more))[0], float))
    given = [i for i in idle if tau[i] or (torques is not None and torques[..., i].any())]
    names = listing(repr(robot.joint_names[i]) for i in given)
    return f"{names} is given a torque, and has no motor" if given else ""


def _misfit(law: Law, why: str) -> BadArgument:
    return BadArgument(
        f"The controller {law.program.name!r} does not fit a robot with {law.n} joints: {why}.\n"
        "  It takes any of t (), q (n,), qd (n,), x (m,) and inputs of its own,\n"
        "  and gives tau (n,), and xd (m,) if it has a state x."
    )


def _array(entries: list[Scalar]) -> np.ndarray:
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array


class Past:
    """The last states of some arms, kept at equal steps of time.

    Between two of them positions follow the cubic that has their positions and velocities.
    """

    def __init__(
        self, q: np.ndarray, qd: np.ndarray, h: float, delay: np.ndarray, tree: Tree | None = None
    ):
        """Keep where the arms start, (arms, nq) and (arms, n); then a state every h [s].

        Seen are those of `delay` [s] ago, (arms,). With a tree, where q has other numbers than
        dq/dt = q̇, a cubic is of the way from q₀.
        """
        self.h, self.behind = h, delay / h
        self.length = int(np.ceil(self.behind.max(initial=0.0))) + 2
        self.tree = None if tree is None or tree.flat else tree
        self.q, self.qd = (np.empty((self.length, *x.shape)) for x in (q, qd))
        self.q[0], self.qd[0] = q, qd
        self.last = 0

    def keep(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Keep the states a step later."""
        self.last += 1
        self.q[self.last % self.length], self.qd[self.last % self.length] = q, qd

    def continued(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Take states of one arm that were kept before, the newest last, for those so far."""
        self.last = -1
        for place, rate in zip(q, qd, strict=True):
            self.keep(place[None], rate[None])

    @property
    def last_states(self) -> tuple[np.ndarray, np.ndarray]:
        """All states of one arm that are kept, the newest last: q and q̇."""
        kept = [k % self.length for k in range(max(0, self.last + 1 - self.length), self.last + 1)]
        return self.q[kept, 0], self.qd[kept, 0]

    @property
    def now(self) -> tuple[np.ndarray, np.ndarray]:
        """The states kept last: q and q̇."""
        return self.q[self.last % self.length], self.qd[self.last % self.length]

    def moved(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """Return positions, moved by displacements."""
        return q + dv if self.tree is None else by_rows(self.tree.step, q, np.atleast_2d(dv))

    def seen(self) -> tuple[np.ndarray, np.ndarray]:
        """Return q and q̇ of a delay ago; before the start, those of the start."""
        if not self.behind.any():
            return self.now
        where = np.maximum(self.last - self.behind, 0.0)
        before = np.floor(where).astype(int)
        after = np.minimum(before + 1, self.last)
        arms = np.arange(len(where))
        (q0, v0), (q1, v1) = (
            (self.q[k % self.length, arms], self.qd[k % self.length, arms]) for k in (before, after)
        )
        s = (where - before)[:, None]
        way = q1 - q0 if self.tree is None else by_rows(self.tree.difference, q0, q1)
        gone, qd = cubic_at(s, self.h, (0.0, v0), (way, v1))
        return self.moved(q0, gone), qd


def sampled(
    past: Past,
    asked: Callable[..., tuple[Any, Any]],
    moved: Callable[[float, Any, float], bool],
    x: Any,
    *,
    period: float,
    count: int,
    end: float = np.inf,
    noise: Callable[[int], tuple[Any, Any]] | None = None,
) -> Iterator[tuple[float, Any, Any, Any]]:
    """Yield t, τ, x and ẋ at every sample, before the arms move on, and once more at the end.

    The controller's own state is stepped as a computer would: x⁺ = x + ẋ · period.

    `past` has the states so far, and x is where the controller's own state starts. `asked` goes
    from t, measured q and q̇, and x, to τ and ẋ. `moved` moves the arms from t by a time, under
    torques, keeps their states in `past`, and returns whether that went well; the loop ends where
    it did not. There are `count` samples, a period [s] apart, and the last one ends at `end` at
    most. `noise` goes from the number of a sample to the errors of its q and q̇.
    """
    tau = xd = None
    for k in range(count):
        t = k * period
        q, qd = past.seen()
        if noise is not None:
            off, off_rate = noise(k)
            q, qd = past.moved(q, off), qd + off_rate
        tau, xd = asked(t, q, qd, x)
        yield t, tau, x, xd
        length = min(period, end - t)
        if not moved(t, tau, length):
            return
        x = x + length * xd
    yield min(count * period, end), tau, x, xd
