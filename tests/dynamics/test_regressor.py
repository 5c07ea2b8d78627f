"""The torque is linear in the parameters: Y φ = τ, whatever φ is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from long import examples
from nearness import assert_near
from random_trees import poised
from strategies import seeds

from qddot.dynamics.friction import friction_torque, with_friction_laws
from qddot.dynamics.regressor import parameters, regressor
from qddot.dynamics.rnea import elastic_torque, inverse_dynamics
from qddot.model.folding import fold
from qddot.readers import read
from qddot.spatial.inertia import NAMES, Inertia

EXAMPLES = examples(15)


@EXAMPLES
@given(poised(3, most=4))
def test_the_regressor_times_the_parameters_is_the_torque(robot):
    """Y φ = τ, less springs, dampers and the Stribeck effect, which are not linear."""
    tree, q, qd, qdd = robot
    Y, phi = regressor(tree, q, qd, qdd), np.array(list(parameters(tree).values()), dtype=float)
    slipping = with_friction_laws(tree, lambda law: law.steady)
    stribeck = friction_torque(tree, qd) - friction_torque(slipping, qd)
    tau = inverse_dynamics(tree, q, qd, qdd) - elastic_torque(tree, q, qd) - stribeck
    assert_near(Y @ phi, tau, np.abs(np.asarray(Y, float)) @ np.abs(phi))


@EXAMPLES
@given(poised(3, most=3), seeds)
def test_the_regressor_does_not_know_the_parameters(robot, seed):
    """With any other φ, even one that no body has, Y φ is the torque of that robot."""
    tree, q, qd, qdd = robot
    Y = np.asarray(regressor(tree, q, qd, qdd), dtype=float)
    phi = np.random.default_rng(seed).normal(size=Y.shape[1])
    names = list(parameters(tree))
    bodies = [
        replace(body, inertia=Inertia.from_parameters(list(phi[10 * i : 10 * i + 10])))
        for i, body in enumerate(tree.bodies)
    ]
    given_ = dict(zip(names, phi, strict=True))
    rotors = tuple(given_.get(f"{name}.Ia", 0) for name in tree.joint_names)

    def law(name, old):
        return replace(
            old,
            viscous=given_.get(f"{name}.fv", 0),
            coulomb=given_.get(f"{name}.fs", 0),
            static=None,
            offset=given_.get(f"{name}.f0", 0),
            asymmetry=given_.get(f"{name}.fa", 0),
        )

    friction = tuple(map(law, tree.joint_names, tree.friction))
    shared = tuple(
        replace(s, rotor_inertia=given_.get(f"{s.name}.Ia", 0), friction=law(s.name, s.friction))
        for s in tree.shared
    )
    parts = {"rotor_inertia": rotors, "friction": friction, "shared": shared}
    other = replace(tree, bodies=tuple(bodies), elastics=(), **parts)
    assert_near(Y @ phi, inverse_dynamics(other, q, qd, qdd), np.abs(Y) @ np.abs(phi))


@EXAMPLES
@given(poised(0))
def test_parameters_are_named_by_joint_in_the_order_of_the_columns(robot):
    (tree,) = robot
    names = list(parameters(tree))
    bodies = len(tree.bodies)
    assert names[: 10 * bodies] == [f"{b.name}.{name}" for b in tree.bodies for name in NAMES]
    rest = [name.rsplit(".", 1) for name in names[10 * bodies :]]
    turning = [*tree.joint_names, *(shaft.name for shaft in tree.shared)]
    order = {name: i for i, name in enumerate(turning)}
    places = [(order[joint], ["Ia", "fv", "fs", "f0", "fa"].index(kind)) for joint, kind in rest]
    assert places == sorted(places)
    assert {joint for joint, kind in rest if kind == "Ia"} >= set(tree.joint_names)


@pytest.mark.parametrize(("name", "known"), [("panda", 43), ("puma560", 36), ("two_link", 6)])
def test_a_robot_has_as_many_base_parameters_as_are_known(name, known):
    """The rank of the regressor over many states: how many combinations a torque can tell apart."""
    tree = fold(read(name))
    rng = np.random.default_rng(0)
    rows = [regressor(tree, *rng.uniform(-2, 2, (3, tree.n))) for _ in range(10)]
    Y = np.vstack(rows).astype(float)[:, : 10 * len(tree.bodies)]
    assert np.linalg.matrix_rank(Y, tol=1e-9 * np.linalg.norm(Y, 2)) == known
