"""A robot whose parameters are given later: its tree, over whatever kind of number they are.

A parameter is one of the regressor, "<joint>.m" and so on, whether the model has it or not, or a
component of gravity; or one of the symbols of a robot that has symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from qddot.dynamics.regressor import EXTRAS
from qddot.dynamics.regroup import aligned, regrouped
from qddot.errors import NotNumeric, UnknownName
from qddot.model.folding import fold
from qddot.model.friction import LINEAR, Friction
from qddot.model.model import Model
from qddot.model.tree import Body, Tree
from qddot.robot import Robot
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression
from qddot.spatial.inertia import NAMES, Inertia

GRAVITY = ("gravity.x", "gravity.y", "gravity.z")  # in base axes [m/s²]


def parameter_names(robot: Robot) -> tuple[str, ...]:
    """Return what can be varied: the symbols of a robot that has some, else its parameters."""
    if robot.symbols:
        return robot.symbols
    tree = robot.tree
    inertial = [f"{body.name}.{p}" for body in tree.bodies for p in NAMES]
    extra = [f"{shaft.name}.{p}" for shaft in tree.shafts for p in EXTRAS]
    return (*inertial, *extra, *GRAVITY)


def check_names(robot: Robot, names: tuple[str, ...]) -> None:
    """Raise unless these are parameters of the robot, and no symbol is left without a value."""
    if names:
        known = parameter_names(robot)
        for name in names:
            if name not in known:
                kind = "symbol" if robot.symbols else "parameter"
                raise UnknownName(kind, str(name), robot.name, known)
    if left := set(robot.symbols) - set(names):
        raise NotNumeric(f"Robot {robot.name!r}", left)


def varied_tree(model: Model, values: Mapping[str, Scalar]) -> Tree:
    """Return the tree with these parameters, in as few numbers as its torques allow.

    Inertias that are not known cannot be regrouped, only turned along the joints.
    """
    if model.symbols:
        return aligned(evaluated(fold(model, lambda x: x), values))
    tree = fold(model)
    with_extras = replace(
        tree,
        gravity=tuple(values.get(name, g) for name, g in zip(GRAVITY, tree.gravity, strict=True)),
        rotor_inertia=tuple(
            values.get(f"{joint}.Ia", Ia)
            for joint, Ia in zip(tree.joint_names, tree.rotor_inertia, strict=True)
        ),
        friction=tuple(
            varied_friction(joint, friction, values)
            for joint, friction in zip(tree.joint_names, tree.friction, strict=True)
        ),
        shared=tuple(
            replace(
                shaft,
                rotor_inertia=values.get(f"{shaft.name}.Ia", shaft.rotor_inertia),
                friction=varied_friction(shaft.name, shaft.friction, values),
            )
            for shaft in tree.shared
        ),
    )
    inertial = {f"{body.name}.{p}" for body in tree.bodies for p in NAMES}
    if not inertial & values.keys():
        return regrouped(with_extras)
    bodies = tuple(replace(body, inertia=_inertia(body, values)) for body in tree.bodies)
    return aligned(replace(with_extras, bodies=bodies))


def varied_friction(joint: str, friction: Friction, values: Mapping[str, Scalar]) -> Friction:
    """Return the friction of a joint with those of its parameters that have a value here."""
    given = {p.name: f"{joint}.{p.column}" for p in LINEAR}
    return replace(friction, **{p: values[name] for p, name in given.items() if name in values})


def _inertia(body: Body, values: Mapping[str, Scalar]) -> Inertia:
    known = zip(NAMES, body.inertia.parameters, strict=True)
    return Inertia.from_parameters([values.get(f"{body.name}.{p}", x) for p, x in known])


def evaluated(tree: Tree, values: Mapping[str, Scalar]) -> Tree:
    """Return a tree with a value for every symbol in it."""

    def number(x: Scalar) -> Scalar:
        return x.evaluate(values) if isinstance(x, Expression) else x

    return replace(tree, frames={}).map(number)
