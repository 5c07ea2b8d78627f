"""Definitions know a joint by its S alone: a screw, which turns and slides, obeys every law."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from nearness import CENTRAL_DIFFERENCE, assert_near

from qddot import certify, derive, identifiable, load, prove, simulate
from qddot.dynamics.coriolis import coriolis_matrix, mass_matrix_rate, velocity_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.dynamics.kinematics import jacobian, jacobian_rate, pose
from qddot.dynamics.momentum import centrifugal_rate, momentum
from qddot.dynamics.regressor import parameters, regressor
from qddot.dynamics.rnea import gravity_torque, rigid_body_torque
from qddot.errors import BadArgument, BadRobot, RobotWarning
from qddot.formulations import explicit, lagrange, recursive, stacked, trace
from qddot.model.joints import Screw
from qddot.model.tree import Tree

STEP = 1e-6  # of a central difference


@pytest.fixture(scope="module")
def tree() -> Tree:
    """A stanford arm, whose joints turn and slide, with screws for its second and fourth joint."""
    arm = load("stanford").tree
    axis = (0.6, 0.0, 0.8)
    bodies = list(arm.bodies)
    for i, pitch in ((1, 0.3), (3, -0.7)):
        bodies[i] = replace(bodies[i], joint=Screw(axis, pitch))
    return replace(arm, bodies=tuple(bodies), elastics=())


@pytest.fixture(scope="module")
def state(tree):
    return np.random.default_rng(4).uniform(-1, 1, (3, tree.n))


def slope(function, q, along):
    """Return the derivative along a direction, by central differences."""
    up, down = (np.asarray(function(q + s * STEP * along), float) for s in (1, -1))
    return (up - down) / (2 * STEP)


def number(x):
    return np.asarray(x, dtype=float)


def test_inverse_dynamics_is_the_equation_of_lagrange(tree, state):
    q, qd, qdd = state
    units = np.eye(tree.n)
    along = [slope(lambda x: kinetic_energy(tree, x, qd), q, e) for e in units]
    falling = [slope(lambda x: potential_energy(tree, x), q, e) for e in units]
    changing = slope(lambda x: number(mass_matrix(tree, x)) @ qd, q, qd)
    lagrange = number(mass_matrix(tree, q)) @ qdd + changing - along + falling
    assert_near(rigid_body_torque(tree, q, qd, qdd), lagrange, tolerance=CENTRAL_DIFFERENCE)
    assert_near(gravity_torque(tree, q), falling, tolerance=CENTRAL_DIFFERENCE)


def test_the_mass_matrix_is_that_of_the_kinetic_energy(tree, state):
    q, qd, _ = state
    M = number(mass_matrix(tree, q))
    assert_near(kinetic_energy(tree, q, qd), qd @ M @ qd / 2)
    assert_near(momentum(tree, q, qd), M @ qd)


def test_the_coriolis_matrix_is_the_metric_one(tree, state):
    q, qd, _ = state
    C = number(coriolis_matrix(tree, q, qd))
    assert_near(C @ qd, number(velocity_torque(tree, q, qd)))
    assert_near(C.T @ qd, number(centrifugal_rate(tree, q, qd)))
    assert_near(C + C.T, slope(lambda x: mass_matrix(tree, x), q, qd), tolerance=CENTRAL_DIFFERENCE)
    assert_near(C + C.T, number(mass_matrix_rate(tree, q, qd)))


@pytest.mark.parametrize("way", [explicit, lagrange, recursive, stacked, trace])
def test_every_formulation_derives_its_equations(tree, state, way):
    q, qd, _ = state
    found = way.derive(tree, q, qd)
    assert_near(number(found.M), number(mass_matrix(tree, q)))
    assert_near(number(found.c), number(velocity_torque(tree, q, qd)))
    assert_near(number(found.g), number(gravity_torque(tree, q)))


def test_torques_are_linear_in_the_parameters(tree, state):
    phi = number(list(parameters(tree).values()))
    bare = replace(tree, friction=tuple(replace(f, viscous=0) for f in tree.friction))
    Y = number(regressor(bare, *state))
    assert_near(Y @ phi[: Y.shape[1]], number(rigid_body_torque(tree, *state)))


def test_the_jacobian_is_the_slope_of_the_pose(tree, state):
    q, qd, _ = state
    J = number(jacobian(tree, q, "tool"))
    assert_near(
        J[3:] @ qd, slope(lambda x: pose(tree, x, "tool").p, q, qd), tolerance=CENTRAL_DIFFERENCE
    )
    R = number(pose(tree, q, "tool").R)
    W = slope(lambda x: pose(tree, x, "tool").R, q, qd) @ R.T
    assert_near(J[:3] @ qd, [W[2, 1], W[0, 2], W[1, 0]], tolerance=CENTRAL_DIFFERENCE)
    changing = slope(lambda x: jacobian(tree, x, "tool"), q, qd)
    assert_near(jacobian_rate(tree, q, qd, "tool"), changing, tolerance=CENTRAL_DIFFERENCE)


SPINDLE = """
name = "spindle"
gravity = [0, 0, -9.81]

[[link]]
name = "base"

[[link]]
name = "table"
mass = 2.0
com = [0.1, 0.0, 0.05]
inertia = [0.01, 0.02, 0.03]

[[link]]
name = "arm"
mass = 1.0
com = [0.2, 0.0, 0.0]
inertia = [0.001, 0.01, 0.01]

[[joint]]
name = "lift"
type = "screw"
parent = "base"
child = "table"
axis = [0, 0, 1]
pitch = 0.05
limits = { lower = -6.0, upper = 6.0, velocity = 4.0, effort = 50.0 }
friction = { viscous = 0.1 }

[[joint]]
name = "swing"
type = "revolute"
parent = "table"
child = "arm"
xyz = [0.3, 0.0, 0.0]
axis = [0, 1, 0]
limits = { lower = -2.0, upper = 2.0, velocity = 4.0, effort = 20.0 }
"""


@pytest.fixture
def spindle(tmp_path):
    path = tmp_path / "spindle.toml"
    path.write_text(SPINDLE)
    return load(path)


def test_a_screw_is_read_written_and_read_again(spindle, tmp_path):
    assert spindle.model.joint("lift").pitch == 0.05
    assert spindle.limits.units[0].position == "rad"
    spindle.save(tmp_path / "again.toml")
    assert load(tmp_path / "again.toml").model.joints == spindle.model.joints
    assert "⥁ screw" in repr(spindle)


def test_urdf_has_a_turn_and_a_slide_that_follows_for_it(spindle, tmp_path):
    with pytest.warns(RobotWarning, match="a slide that follows the turn, for the screw 'lift'"):
        spindle.save(tmp_path / "spindle.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        other = load(tmp_path / "spindle.urdf")
    assert other.joint_names == spindle.joint_names
    state = np.random.default_rng(1).uniform(-1, 1, (3, 20, 2))
    assert_near(other.inverse_dynamics(*state), spindle.inverse_dynamics(*state))
    assert_near(other.pose(state[0], "arm"), spindle.pose(state[0], "arm"))


def test_everything_is_proved_of_a_screw_too(spindle):
    assert prove(spindle).holds
    eqs = derive(spindle)
    q, qd = np.random.default_rng(2).uniform(-1, 1, (2, 2))
    assert_near(eqs.to_function("M")(q), spindle.mass_matrix(q))
    assert_near(eqs.to_function("C")(q, qd), spindle.coriolis_matrix(q, qd))


def test_it_is_simulated_with_every_joule_accounted_for(spindle):
    run = simulate(spindle, [0.1, 0.3], [0.0, 0.0], duration=2.0)
    assert run.good


def test_its_derivatives_and_its_base_parameters_are_right(spindle):
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 2))
    by_q, _ = spindle.inverse_dynamics_derivatives(q, qd, qdd)
    for k, e in enumerate(np.eye(2)):
        expected = slope(lambda x: spindle.inverse_dynamics(x, qd, qdd), q, e)
        assert_near(by_q[:, k], expected, tolerance=CENTRAL_DIFFERENCE)
    state = np.random.default_rng(4).uniform(-2, 2, (3, 200, 2))
    Y = spindle.regressor(*state).reshape(400, -1)
    assert identifiable(spindle).rank == np.linalg.matrix_rank(Y, tol=1e-9)


def test_bounds_of_a_screw_are_refused_with_the_remedy(spindle):
    with pytest.raises(BadArgument, match=r"'lift' .* neither an angle nor a length.*\n.*locked"):
        certify(spindle)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("pitch = 0.05", "", "a screw without a pitch. Give its pitch in metres per radian"),
        ('type = "screw"', 'type = "revolute"', "which only a screw has"),
    ],
)
def test_a_pitch_that_cannot_be_right_is_refused(tmp_path, old, new, words):
    path = tmp_path / "bad.toml"
    path.write_text(SPINDLE.replace(old, new, 1))
    with pytest.raises(BadRobot, match=words):
        load(path)


def test_a_pitch_may_be_a_symbol(tmp_path):
    path = tmp_path / "spindle.toml"
    path.write_text(SPINDLE.replace("pitch = 0.05", 'pitch = "h"'))
    assert load(path).symbols == ("h",)
    assert "h" in str(derive(load(path)).g)
