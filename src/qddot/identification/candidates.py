"""What a joint may do besides what its model says: columns that a fit may take, each by name.

`choices` finds out which of them predict torques that were not fitted. A candidate acts on one
joint, or on two neighbours that a motor turns together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.identification.log import Log
from qddot.identification.regression import Extra, Regression, shared_motor
from qddot.model import Joint, Model

SPEEDS = (0.04, 0.08, 0.15, 0.3, 0.5, 0.8)  # of a joint's top speed: where friction may change
HARMONICS = (1, 2)  # of a joint's angle: what springs and weights behind levers have
MOTOR = ("Ia", "fv", "fs"), ("Ia", "fs"), ("fv", "fs"), ("Ia", "fv")  # of one that turns two joints

OfJoint = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of q and q̇ of a joint, (k,) each


@dataclass(frozen=True)
class Candidate:
    """Columns that come together or not at all."""

    what: str
    joints: tuple[str, ...]
    terms: tuple[str, ...] = ()  # columns that a model has a place for: "j1.Ia"
    extra: tuple[Extra, ...] = ()  # others
    # combinations of parameters, by name, that are not negative: else it would create energy
    positive: tuple[Mapping[str, float], ...] = ()

    order: int = 0  # of a harmonic

    @property
    def key(self) -> tuple[str, tuple[str, ...], int]:
        """Of candidates with the same key at most one is taken."""
        return self.what, self.joints, self.order

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        return self.terms + tuple(extra.name for extra in self.extra)


def candidates(start: Regression, log: Log) -> Iterator[Candidate]:
    """Yield what may be added to viscous and Coulomb friction and an offset at every joint.

    The log tells the speeds of the joints.
    """
    robot = start.robot
    fast = np.abs(log.qd).max(axis=0, initial=0)
    for i, joint in enumerate(robot.joint_names):
        if not start.full.tree.rotor_inertia[i]:
            yield Candidate("rotor inertia", (joint,), (f"{joint}.Ia",), (), ({f"{joint}.Ia": 1},))
        if robot.tree.friction[i].static is None:
            for share in SPEEDS:
                if speed := float(f"{share * fast[i]:.2g}"):
                    yield _stribeck(robot, i, speed)
        if robot.tree.flat:
            yield from _conservative(robot, i)
    if robot.tree.flat:
        for i, j in _neighbours(robot):
            for sign in (1, -1):
                yield from _together(robot, i, j, sign)


def _stribeck(robot: Any, i: int, speed: float) -> Candidate:
    """Return dry friction that is different at low speed: static friction, above or below."""
    joint = robot.joint_names[i]
    name = f"{joint}.fst({speed:g})"

    def changed(old: Joint, value: float) -> Joint:
        friction = old.friction
        static = max(friction.coulomb + value, 0)
        return replace(old, friction=replace(friction, static=static, stribeck_velocity=speed))

    column = _at(i, lambda q, qd: np.exp(-((qd / speed) ** 2)) * np.sign(qd))
    extra = Extra(name, column, _placed(joint, changed))
    dry = {f"{joint}.fs": 1}
    return Candidate("Stribeck friction", (joint,), (), (extra,), (dry, {**dry, name: 1}))


def _conservative(robot: Any, i: int) -> Iterator[Candidate]:
    """Yield torques of the joint's position alone: a spring, and a spring or weight on a lever."""
    joint = robot.joint_names[i]
    spring = Extra(f"{joint}.k", _at(i, lambda q, qd: q), _placed(joint, _sprung))
    yield Candidate("spring", (joint,), (), (spring,))
    if robot.tree.configuration[robot.tree.positions[i]].role != "angle":
        return
    for k in HARMONICS:
        yield _harmonic(robot, i, k)


def _sprung(old: Joint, value: float) -> Joint:
    """Return a joint with k q more: k₀ (q − r₀) + k q = (k₀ + k) (q − k₀ r₀ / (k₀ + k))."""
    own = old.spring
    stiffness = own.stiffness + value
    rest = own.stiffness * own.rest / stiffness if stiffness else 0
    return replace(old, spring=replace(own, stiffness=stiffness, rest=rest))


def _harmonic(robot: Any, i: int, k: int) -> Candidate:
    """Return a cos kq + b sin kq at a joint."""
    joint = robot.joint_names[i]
    cos = Extra(
        f"{joint}.cos {k}q",
        _at(i, lambda q, qd: np.cos(k * q)),
        _placed(joint, lambda old, value: _on_lever(old, (k, value, 0))),
    )
    sin = Extra(
        f"{joint}.sin {k}q",
        _at(i, lambda q, qd: np.sin(k * q)),
        _placed(joint, lambda old, value: _on_lever(old, (k, 0, value))),
    )
    return Candidate("counterbalance", (joint,), (), (cos, sin), order=k)


def _on_lever(old: Joint, more: tuple[int, float, float]) -> Joint:
    """Return a joint with a harmonic more, added to one of the same number."""
    waves = {m: (a, b) for m, a, b in old.spring.harmonics}
    m, a, b = more
    before = waves.get(m, (0, 0))
    waves[m] = before[0] + a, before[1] + b
    harmonics = tuple((number, *waves[number]) for number in sorted(waves))
    return replace(old, spring=replace(old.spring, harmonics=harmonics))


def _neighbours(robot: Any) -> list[tuple[int, int]]:
    """Return the pairs of coordinates of which one carries the other, both of the same kind."""
    tree = robot.tree
    pairs = {
        (tree.drives[body.parent].v.start, drive.v.start)
        for body, drive in zip(tree.bodies, tree.drives, strict=True)
        if body.parent >= 0
    }
    roles = [tree.configuration[at].role for at in tree.positions]
    return sorted((i, j) for i, j in pairs if i != j and roles[i] == roles[j])


def _together(robot: Any, i: int, j: int, sign: int) -> Iterator[Candidate]:
    """Yield the columns of a motor that turns with the sum or difference of two joints."""
    joints = robot.joint_names[i], robot.joint_names[j]
    direction = np.zeros(robot.n)
    direction[[i, j]] = 1, sign
    label = ("+" if sign > 0 else "-").join(joints)

    def along(function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Any:
        return lambda q, qd, qdd: np.multiply.outer(
            function(qd @ direction, qdd @ direction), direction
        )

    places = shared_motor(joints, (1, sign))
    columns = {
        "Ia": Extra(f"{label}.Ia", along(lambda v, a: a), places["Ia"]),
        "fv": Extra(f"{label}.fv", along(lambda v, a: v), places["fv"]),
        "fs": Extra(f"{label}.fs", along(lambda v, a: np.sign(v)), places["fs"]),
    }
    for names in MOTOR:
        extra = tuple(columns[name] for name in names)
        rules = tuple({f"{label}.{name}": 1} for name in names)
        yield Candidate("motor of two joints", joints, (), extra, rules)


def _at(i: int, function: OfJoint) -> Any:
    """Return a column that acts on one joint."""

    def column(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        found = np.zeros_like(qd)
        found[:, i] = function(q[:, i] if q.shape == qd.shape else qd[:, i], qd[:, i])
        return found

    return column


def _placed(joint: str, change: Callable[[Joint, float], Joint]) -> Callable[[Model, float], Model]:
    """Return what puts a value into the model, at one joint."""
    return lambda model, value: model.with_joints(
        lambda old: change(old, value) if old.name == joint else old
    )
