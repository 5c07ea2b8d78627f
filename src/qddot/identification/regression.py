"""The regression that identification solves: which columns there are, and what they are worth.

Besides the parameters that a model has, a regression may have friction, offset and rotor inertia
at every joint (`terms`), and columns of the user's own (`extra`): coupled wrists, Stribeck. Such a
column is a function of one state that says what its parameter, of size 1, adds to the torques. It
is plain NumPy code, recorded once and compiled as all else is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import joint_index
from qddot.errors import BadArgument, did_you_mean, shorten
from qddot.identification import AUTO
from qddot.identification.grouping import triangle
from qddot.identification.log import Log
from qddot.identification.runs import EMPTY, CarriedLoad, joined, load_names
from qddot.model import Coupling, Model, Motor
from qddot.model.friction import LINEAR
from qddot.program import Program, record
from qddot.scalars import Scalar

TERMS = (*(p.name for p in LINEAR if p.offered), "rotor_inertia")  # what may be asked for
USUAL_TERMS = ("friction", "offset")  # what nearly every arm has and few models say
SHORT = {p.column: p.name for p in LINEAR if p.name in TERMS} | {"Ia": "rotor_inertia"}
FRICTION = tuple(p.name for p in LINEAR if p.usual)
RESISTING = (*(f".{p.column}" for p in LINEAR if p.resists), ".Ia")  # never negative

ColumnFunction = Callable[[Any, Any, Any], Any]  # of (q, qd, qdd) of one state


def with_terms(robot: Any, terms: Sequence[str]) -> Any:
    """Return the robot with a 1 wherever a term is asked for and the model has none."""
    asked = (terms,) if isinstance(terms, str) else terms
    free = robot.model.free_joints
    every = {joint.name for joint in free}
    wanted: dict[str, set[str]] = {}  # by term, at which joints
    for term in (t for one in asked for t in (USUAL_TERMS if one == AUTO else (one,))):
        joint, _, own = term.rpartition(".")
        name = SHORT.get(own, own) if joint in every else SHORT.get(term, term)
        for one in FRICTION if name == "friction" else (name,):
            wanted.setdefault(one, set()).update({joint} if joint in every else every)
        if name not in ("friction", *TERMS):
            known = (AUTO, "friction", *TERMS, *SHORT)
            raise BadArgument(
                f"There is no term {term!r}.{did_you_mean(term, known)}\n"
                f"  There are: {', '.join(known)}; at one joint: 'j1.Ia'."
            )
    given = {
        term: [getattr(j.friction, term) or int(j.name in wanted[term]) for j in free]
        for term in TERMS[:-1]
        if term in wanted
    }
    if given:
        robot = robot.with_friction(**given)
    if "rotor_inertia" in wanted:

        def driven(joint: Any) -> Any:
            has = joint.motor.reflected or joint.name not in wanted["rotor_inertia"]
            return joint if has else replace(joint, motor=Motor(rotor_inertia=1))

        robot = replace(robot, model=robot.model.with_joints(driven))
    return robot


@dataclass(frozen=True)
class Extra:
    """A column by name; called on (q, qd, qdd) of shape (k, n) it gives (k, n)."""

    name: str
    kernel: Any
    place: Callable[[Model, float], Model] | None = None  # puts its value into a model

    def __call__(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return np.asarray(self.kernel(q, qd, qdd))


@dataclass(frozen=True)
class Regression:
    """A robot, the terms added to it, and extra columns: τ = Y φ + what is not linear."""

    robot: Any
    full: Any  # the robot that has every term, so that its regressor has every column
    extra: tuple[Extra, ...] = ()
    loads: tuple[CarriedLoad, ...] = ()  # what was carried in some rows, see `runs`
    carried: tuple[int, ...] = (EMPTY,)  # which of them, or nothing, rows carry

    @staticmethod
    def of(robot: Any, terms: Sequence[str] = (), extra: Any = ()) -> Regression:
        """Return the regression of a robot.

        Terms are "viscous", "coulomb" (both: "friction"), "offset", "rotor_inertia". Extra are
        functions of one state (q, qd, qdd), each of shape (n,), by name: what a parameter of size 1
        adds to the torques, shape (n,).
        """
        if isinstance(robot, Regression):
            return robot
        wanted = (terms,) if isinstance(terms, str) else tuple(terms)
        full = robot.cached("with terms", wanted, lambda: with_terms(robot, wanted))
        return Regression(robot, full, extras_of(robot, extra))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        own = self.full.parameter_names
        bodies = 10 * len(self.robot.tree.bodies)
        found = [*own[:bodies], *load_names(self.loads), *own[bodies:]]
        found += [extra.name for extra in self.extra]
        twice = [name for name in found if found.count(name) > 1]
        if twice:
            raise BadArgument(f"There are two parameters called {twice[0]!r}; rename one.")
        return tuple(found)

    @cached_property
    def prior(self) -> np.ndarray:
        """The parameters as the robot's model has them; nothing for terms it does not have."""
        values = dict(zip(self.robot.parameter_names, self.robot.parameters, strict=True))
        return np.array([values.get(name, 0.0) for name in self.names])

    @property
    def inertial(self) -> int:
        """How many columns are of bodies, then of unknown loads; they come first."""
        return 10 * len(self.robot.tree.bodies) + len(load_names(self.loads))

    def columns(self, log: Log) -> np.ndarray:
        """Return Y at every row, shape (k, n, p)."""
        if log.Y is not None:
            return log.Y
        q, qd, qdd = log.q, log.qd, log.qdd
        Y = self.full.regressor(q, qd, qdd)
        bodies = 10 * len(self.robot.tree.bodies)
        carried = [
            np.where(_carries(log, k), load.columns(Y), 0)
            for k, load in enumerate(self.loads)
            if load.known is None
        ]
        more = [extra(q, qd, qdd)[..., None] for extra in self.extra]
        if not carried and not more:
            return Y
        return np.concatenate([Y[..., :bodies], *carried, Y[..., bodies:], *more], axis=-1)

    def at_loads(self, states: Log) -> Log:
        """Return states once for every load that rows carry, and once for none if some do."""
        if not self.loads:
            return states
        each = [np.full(len(states), k) for k in self.carried]
        return joined([replace(states, load=load) for load in each])

    def check_extra(self, log: Log) -> None:
        """Refuse extra columns that are not finite at some row."""
        for where, part in log.chunks():
            for extra in self.extra:
                values = extra(part.q, part.qd, part.qdd)
                bad = np.argwhere(~np.isfinite(values))
                if len(bad):
                    row, joint = bad[0]
                    state = ", ".join(
                        f"{name} = {np.array2string(x[row], precision=4)}"
                        for name, x in (("q", part.q), ("qd", part.qd), ("qdd", part.qdd))
                    )
                    raise BadArgument(
                        f"The column {extra.name!r} is {values[row, joint]} in row "
                        f"{where.start + row} of joint {self.robot.joint_names[joint]!r}, at "
                        f"{state}.\n  Write it so that it is finite wherever the robot may go."
                    )

    def rest(self, log: Log) -> np.ndarray | float:
        """Return the torque of springs, of the Stribeck effect and of known loads."""
        tree = self.robot.tree
        steady = all(shaft.friction == shaft.friction.steady for shaft in tree.shafts)
        linear_only = not tree.elastics and steady
        known = [(k, load) for k, load in enumerate(self.loads) if load.known is not None]
        if log.Y is not None:
            return 0.0 if log.known is None else log.known
        if linear_only and not known:
            return 0.0
        q, qd, qdd = log.q, log.qd, log.qdd
        Y = self.robot.regressor(q, qd, qdd)
        torque = 0.0 if linear_only else self.robot.inverse_dynamics(q, qd, qdd)
        torque = torque - (0.0 if linear_only else Y @ self.robot.parameters)
        for k, load in known:
            torque = torque + np.where(_carries(log, k)[..., 0], load.columns(Y) @ load.known, 0)
        return torque

    def factor(self, log: Log) -> np.ndarray:
        """Return R of Y where torques count, all columns, shape (at most p, p)."""
        R = np.zeros((0, len(self.names)))
        for _, part in log.chunks():
            Y = self.columns(part)
            R = triangle(np.vstack([R, Y[part.used]]))
        return R

    def torque(self, log: Log, phi: np.ndarray) -> np.ndarray:
        """Return what parameters predict, shape (k, n), springs included."""
        result = np.empty((len(log), self.robot.n))
        for where, part in log.chunks():
            result[where] = self.columns(part) @ phi + self.rest(part)
        return result

    def filtered(self, log: Log, rate: float) -> Log:
        """Return a few rows per second [Hz], columns and torques both through the same low-pass."""
        from qddot.identification.decimation import equations, factor_for, few_rows

        rest, found = self.rest(log), equations(log, self.columns, rate)
        if not isinstance(rest, np.ndarray):
            return found
        return replace(found, known=few_rows(rest, factor_for(log, rate)))

    def values(self, phi: np.ndarray) -> Mapping[str, float]:
        """Return parameters by name."""
        return dict(zip(self.names, phi.tolist(), strict=True))


def _carries(log: Log, load: int) -> np.ndarray:
    """Return which rows carry a load, shape (k, 1, 1)."""
    rows = np.zeros(len(log), bool) if log.load is None else log.load == load
    return rows[:, None, None]


def extras_of(robot: Any, extra: Any) -> tuple[Extra, ...]:
    """Return what a user gave as extra columns, compiled."""
    if isinstance(extra, (tuple, list)) and all(isinstance(x, Extra) for x in extra):
        return tuple(extra)
    parts = extra if isinstance(extra, (tuple, list)) else [extra]
    if not all(isinstance(part, Mapping) for part in parts):
        raise BadArgument(
            f"extra is {shorten(repr(extra))}; give functions by name: "
            "extra={'fvm6': lambda q, qd, qdd: ...}."
        )
    together = {name: function for part in parts for name, function in part.items()}
    return tuple(
        Extra(str(name), _kernel(robot, name, f), getattr(f, "place", None))
        for name, f in together.items()
    )


def _kernel(robot: Any, name: str, function: Any) -> Any:
    if isinstance(function, Kernel):
        return function
    n = robot.n
    if isinstance(function, Program):
        program = function
    else:
        try:
            program = record(function, str(name), q=(n,), qd=(n,), qdd=(n,))
        except (TypeError, ValueError, IndexError) as error:
            raise BadArgument(
                f"The column {name!r} cannot be recorded: {error}\n"
                "  It takes q, qd and qdd of one state, each of shape (n,), and returns (n,)."
            ) from None
    shapes = [port.shape for port in program.outputs]
    if shapes != [(n,)]:
        raise BadArgument(
            f"The column {name!r} returns {shapes[0] if len(shapes) == 1 else shapes}; "
            f"it must return the torques of {n} joints, shape ({n},)."
        )
    return Kernel(program, np.dtype("float64"), 1)


def coupled(robot: Any, first: str, second: str, name: str = "") -> dict[str, ColumnFunction]:
    """Return the columns of a motor that turns with the sum of two joints, as in many wrists.

    Its rotor, viscous and Coulomb friction act on both joints alike:

        τ₁, τ₂ += Iₐ (q̈₁ + q̈₂) + fᵥ (q̇₁ + q̇₂) + fₛ sgn(q̇₁ + q̇₂)
    """
    i, j = joint_index(robot, first), joint_index(robot, second)
    both = np.zeros(robot.n, dtype=int)
    both[[i, j]] = 1
    label = name or f"{first}+{second}"
    functions: dict[str, ColumnFunction] = {
        "Ia": lambda q, qd, qdd: both * (qdd[i] + qdd[j]),
        "fv": lambda q, qd, qdd: both * (qd[i] + qd[j]),
        "fs": lambda q, qd, qdd: both * np.sign(qd[i] + qd[j]),
    }
    places = shared_motor((first, second), (1, 1))
    return {f"{label}.{key}": _Placed(f, places[key]) for key, f in functions.items()}


@dataclass(frozen=True)
class _Placed:
    """A column whose value has a place in a model."""

    function: ColumnFunction
    place: Callable[[Model, float], Model]

    def __call__(self, q: Any, qd: Any, qdd: Any) -> Any:
        return self.function(q, qd, qdd)


def shared_motor(
    joints: tuple[str, ...], ratios: tuple[Scalar, ...]
) -> dict[str, Callable[[Model, float], Model]]:
    """Return, for "Ia", "fv" and so on, what adds it to the motor that these joints share."""

    def rotor(old: Coupling, value: float) -> Coupling:
        gear = old.motor.gear
        return replace(old, motor=Motor(old.motor.rotor_inertia + value / (gear * gear), gear))

    def rubbing(field: str) -> Callable[[Coupling, float], Coupling]:
        return lambda old, value: replace(
            old, friction=old.friction.refitted({field: getattr(old.friction, field) + value})
        )

    def placed(change: Callable[[Coupling, float], Coupling]) -> Callable[[Model, float], Model]:
        def place(model: Model, value: float) -> Model:
            same = [c for c in model.couplings if (c.joints, c.ratios) == (joints, ratios)]
            old = same[0] if same else Coupling(joints, ratios=ratios)
            new, others = change(old, value), [c for c in model.couplings if c is not old]
            return replace(model, couplings=(*others, new))

        return place

    return {"Ia": placed(rotor)} | {p.column: placed(rubbing(p.name)) for p in LINEAR}


def stribeck(robot: Any, velocity: float) -> dict[str, ColumnFunction]:
    """Return, for every joint, the column of friction that fades with speed.

    With v_s the given velocity [rad/s]:

        τ += f exp(−(q̇/v_s)²) sgn(q̇)
    """

    def fading(i: int, e: np.ndarray) -> ColumnFunction:
        return lambda q, qd, qdd: e * (np.exp(-((qd[i] / velocity) ** 2)) * np.sign(qd[i]))

    unit = np.eye(robot.n, dtype=int)
    return {f"{name}.fst": fading(i, unit[i]) for i, name in enumerate(robot.joint_names)}
