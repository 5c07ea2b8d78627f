"""Compiled methods against the definitions they were recorded from, and the laws among them.

One state and batches take different code (scalar and vector kernels, with a tail), so both are
compared, on robots with everything: followers, rotors, friction, springs, couplings, payloads.
"""

from dataclasses import replace
from functools import cache

import made
import numpy as np
import pytest
from long import long
from made import QUANTITIES
from nearness import SINGLE, assert_near, of_solution
from random_trees import bare, deep_tree, laden, weight

from qddot.dynamics import forward, kinematics, rnea
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.friction import friction_torque, with_friction_laws
from qddot.dynamics.movement import BaseMotion
from qddot.model import Mimic, Model
from qddot.model.validation import checked
from qddot.readers import read
from qddot.robot import Robot

STATES = 11  # two vectors of lanes and a tail
DEFINED = (0, 1, 2, 3, 10)  # where the definition, which is slow, is asked too
AXES = ("world", "local", "base")

SMALL = ("panda_hand", "stanford", "hand", "following")

DIRECT = [name for name in QUANTITIES if name != "forward_dynamics"]  # which solves


@cache
def robot(name: str) -> Robot:
    if name == "hand":
        return Robot(deep_tree(7, 6))
    if name == "following":
        return Robot(laden(following_model(), np.random.default_rng(8)))
    if name == "thirty joints":
        return Robot(deep_tree(1, 30))
    return Robot(read(name))


def following_model() -> Model:
    """Return a tree in which joints follow others, with ratios and offsets."""
    model = bare(deep_tree(9, 6))
    followers = {"joint4": Mimic("joint2", -0.7, 0.3), "joint6": Mimic("joint4", 1.5, -0.2)}
    return checked(model.with_joints(lambda joint: replace(joint, mimic=followers.get(joint.name))))


@cache
def states(n: int) -> dict[str, np.ndarray]:
    """Return q, qd, qdd: usual ones, zero, tiny ones, ±π, and many turns."""
    q, qd, qdd = made.states(n, STATES).copy()
    q[0], q[1], q[2], q[3] = 0, 1e-9 * q[1], np.pi * np.sign(q[2]), 50 * q[3]
    qd[0], qd[4] = 0, 1e-9 * qd[4]
    return {"q": q, "qd": qd, "qdd": qdd}


def size(name: str, robot: Robot, k: int) -> float:
    """Return how large the terms of a quantity are at a state."""
    q, qd, qdd = (states(robot.n)[key][k] for key in ("q", "qd", "qdd"))
    M = np.abs(mass_matrix(robot.tree, q)).max()
    fast, faster = np.abs(qd).max(), np.abs(qdd).max()
    velocity = M * fast**2
    torque = weight(robot.tree) + velocity + M * faster
    return {
        "mass_matrix": M,
        "christoffel": M,
        "centrifugal_matrix": M,
        "coriolis_pairs": M,
        "coriolis_matrix": M * fast,
        "mass_matrix_rate": M * fast,
        "velocity_torque": velocity,
        "kinetic_energy": velocity,
        "friction_torque": 1.0,
        "center_of_mass": 1.0,
        "regressor": 1.0,
    }.get(name, torque)


@pytest.mark.parametrize("quantity", DIRECT)
@pytest.mark.parametrize("name", [SMALL[3], *long(*SMALL[:3])])
def test_a_compiled_method_is_its_definition(name, quantity):
    check(robot(name), quantity)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", *long("mass_matrix", "gravity_torque")])
def test_a_compiled_method_of_thirty_joints_is_its_definition(quantity):
    check(robot("thirty joints"), quantity)


def check(robot, quantity):
    inputs, definition = QUANTITIES[quantity]
    arrays = [states(robot.n)[key] for key in inputs]
    method = getattr(robot, quantity)
    batch = method(*arrays)
    for k in range(STATES):
        one = [array[k] for array in arrays]
        expected = np.asarray(definition(robot.tree, *one)) if k in DEFINED else method(*one)
        largest = size(quantity, robot, k)
        assert_near(batch[k], expected.astype(float), largest)
        assert_near(method(*one), expected.astype(float), largest)


@pytest.mark.parametrize("name", ["following", *long("thirty joints", *SMALL[:3])])
def test_compiled_forward_dynamics_undoes_compiled_inverse_dynamics(name):
    """Of thirty joints it is recorded from articulated bodies, else from the mass matrix."""
    arm = robot(name)
    q, qd, qdd = states(arm.n).values()
    tau = arm.inverse_dynamics(q, qd, qdd)
    back = arm.forward_dynamics(q, qd, tau)
    for k in range(STATES):
        M = np.asarray(mass_matrix(arm.tree, q[k]), dtype=float)
        pushed = np.abs(np.linalg.inv(M)).max() * size("inverse_dynamics", arm, k)
        tolerance = of_solution(M)
        assert_near(back[k], qdd[k], pushed, tolerance=tolerance)
        assert_near(arm.forward_dynamics(q[k], qd[k], tau[k]), qdd[k], pushed, tolerance=tolerance)


@pytest.mark.parametrize("name", ["stanford", "following"])
def test_compiled_christoffel_symbols_give_the_compiled_velocity_torque(name):
    arm = robot(name)
    q, qd, _ = states(arm.n).values()
    gamma = arm.christoffel(q)
    assert np.array_equal(gamma, gamma.transpose(0, 1, 3, 2))
    c = np.einsum("skij,si,sj->sk", gamma, qd, qd)
    largest = max(size("velocity_torque", arm, k) for k in range(STATES))
    assert_near(arm.velocity_torque(q, qd), c, largest)
    C = np.einsum("skij,si->skj", gamma, qd)
    assert_near(arm.coriolis_matrix(q, qd), C, largest)


@pytest.mark.parametrize("name", [*SMALL[1:], *long(SMALL[0])])
def test_the_laws_hold_among_the_compiled_methods(name):
    """M symmetric positive definite; τ = M q̈ + C q̇ + g + …; Ṁ = C + Cᵀ; Y φ = τ; K = ½ q̇ᵀM q̇."""
    arm = robot(name)
    q, qd, qdd = states(arm.n).values()
    M, C = arm.mass_matrix(q), arm.coriolis_matrix(q, qd)
    tau, bias = arm.inverse_dynamics(q, qd, qdd), arm.bias_torque(q, qd)
    springs = np.array([rnea.elastic_torque(arm.tree, *pair) for pair in zip(q, qd, strict=True)])
    largest = max(size("inverse_dynamics", arm, k) for k in range(STATES))
    assert np.array_equal(M, M.transpose(0, 2, 1))
    assert np.linalg.eigvalsh(M).min() > 0
    assert_near(tau, np.einsum("sij,sj->si", M, qdd) + bias, largest)
    c = arm.velocity_torque(q, qd)
    assert_near(bias, c + arm.gravity_torque(q) + arm.friction_torque(qd) + springs, largest)
    assert_near(np.einsum("sij,sj->si", C, qd), c, largest)
    assert_near(arm.mass_matrix_rate(q, qd), C + C.transpose(0, 2, 1), largest)
    assert_near(arm.kinetic_energy(q, qd), np.einsum("si,sij,sj->s", qd, M, qd) / 2, largest)
    steady = with_friction_laws(arm.tree, lambda law: law.steady)
    stribeck = arm.friction_torque(qd) - [friction_torque(steady, row) for row in qd]
    Y, phi = arm.regressor(q, qd, qdd), arm.parameters
    assert_near(Y @ phi, tau - springs - stribeck, largest, np.abs(Y) @ np.abs(phi))


@pytest.mark.parametrize("name", ["panda_hand", "following"])
def test_compiled_poses_and_jacobians_are_their_definitions(name):
    arm = robot(name)
    q, qd, _ = states(arm.n).values()
    poses = arm.pose(q, "tool")
    jacobians = {axes: arm.jacobian(q, "tool", axes) for axes in AXES}
    rates = {axes: arm.jacobian_rate(q, qd, "tool", axes) for axes in AXES}
    for k in range(STATES):
        X = kinematics.pose(arm.tree, q[k], "tool")
        reach = max(1.0, float(np.linalg.norm(np.asarray(X.p, float))), np.abs(q[k]).max())
        assert_near(poses[k], X.matrix(), reach)
        assert_near(arm.pose(q[k], "tool"), X.matrix(), reach)
        for axes in AXES:
            J, Jdot = kinematics.jacobian_and_rate(arm.tree, q[k], qd[k], "tool", axes)
            assert_near(jacobians[axes][k], J, reach)
            assert_near(rates[axes][k], Jdot, reach * np.abs(qd[k]).max())


@pytest.mark.parametrize(("name", "axes"), [("panda_hand", "local"), ("following", "base")])
def test_compiled_methods_take_loads_and_a_moving_base_as_the_definition_does(name, axes):
    arm = robot(name)
    rng = np.random.default_rng(0)
    q, qd, qdd = states(arm.n).values()
    tool, link, velocity, acceleration = rng.normal(size=(4, STATES, 6))
    frame = arm.frame_names[2]
    taken = rng.normal(size=(STATES, arm.n))
    loads = dict(wrenches={"tool": tool, frame: link}, base_motion=(velocity, acceleration))
    loads |= dict(axes=axes, disturbance=taken)
    tau = arm.inverse_dynamics(q, qd, qdd, **loads)
    bias = arm.bias_torque(q, qd, **loads)
    back = arm.forward_dynamics(q, qd, tau, **loads)
    for k in range(STATES):
        largest = 10 * size("inverse_dynamics", arm, k)  # the base moves as fast as the joints
        wrenches = {"tool": tool[k], frame: link[k]}
        motion = BaseMotion(velocity[k], acceleration[k])
        more = dict(wrenches=wrenches, axes=axes, disturbance=taken[k], base_motion=motion)
        state = q[k], qd[k], qdd[k]
        assert_near(tau[k], rnea.inverse_dynamics(arm.tree, *state, **more), largest)
        assert_near(bias[k], rnea.bias_torque(arm.tree, *state[:2], **more), largest)
        M = np.asarray(mass_matrix(arm.tree, q[k]), dtype=float)
        pushed = np.abs(np.linalg.inv(M)).max() * largest
        expected = forward.forward_dynamics(arm.tree, *state[:2], tau[k], **more)
        assert_near(back[k], expected, pushed, tolerance=of_solution(M))


def test_single_precision_is_the_same_robot_with_fewer_digits():
    arm = robot("hand")
    short = arm.with_options(dtype="float32")
    q, qd, qdd = states(arm.n).values()
    usual = slice(5, None)
    expected = arm.inverse_dynamics(q[usual], qd[usual], qdd[usual])
    tau = short.inverse_dynamics(q[usual], qd[usual], qdd[usual])
    assert tau.dtype == np.float32
    assert_near(tau, expected, size("inverse_dynamics", arm, 5), tolerance=SINGLE)
