"""Derivatives of inverse and forward dynamics against complex steps through the definitions.

They come from mechanics (`dynamics.derivatives`), or from differentiating a program where a joint
has several velocities, of the regrouped tree; what they are compared with is the definition on the
tree as it was read.
"""

import numpy as np
import pytest
from complex_step import slope
from hypothesis import given
from long import examples, long, one_in
from nearness import assert_near, of_solution
from random_trees import deep_tree, poised
from wider_joints import on_a_plane

from qddot.dynamics import aba, derivatives, forward
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.rnea import inverse_dynamics
from qddot.model.folding import fold
from qddot.program.differentiate import jacobian
from qddot.readers import read
from qddot.robot import Robot
from qddot.robot.functions import to_cuda
from qddot.robot.quantities import Request, program_for

EXAMPLES = examples(12)

# with a follower, a slide, dry friction, dampers
LIBRARY = ("stanford", "panda_hand", "puma560", "mass_spring_damper")


def inverse_slopes(tree, q, qd, qdd):
    return (
        slope(lambda q: inverse_dynamics(tree, q, qd, qdd), q),
        slope(lambda qd: inverse_dynamics(tree, q, qd, qdd), qd),
    )


def forward_slopes(tree, q, qd, tau, definition=forward.forward_dynamics):
    return (
        slope(lambda q: definition(tree, q, qd, tau), q),
        slope(lambda qd: definition(tree, q, qd, tau), qd),
        slope(lambda tau: definition(tree, q, qd, tau), tau),
    )


def program(tree, quantity):
    return program_for(tree, Request(quantity))


@EXAMPLES
@given(poised(3, most=5))
def test_the_slopes_of_the_torque_are_those_of_the_definition(robot):
    """Friction, springs, rotors and followers included; at a standstill a sign has no slope."""
    tree, *state = robot
    mine = program(tree, "inverse_dynamics_derivatives")(*state)
    tau = inverse_dynamics(tree, *state)
    for one, other in zip(mine, inverse_slopes(tree, *state), strict=True):
        assert_near(one, other, tau)


@EXAMPLES
@given(poised(3, most=5))
def test_the_slope_of_the_torque_by_acceleration_is_the_mass_matrix(robot):
    tree, q, qd, qdd = robot
    by_acceleration = slope(lambda qdd: inverse_dynamics(tree, q, qd, qdd), qdd)
    assert_near(by_acceleration, mass_matrix(tree, q))


@EXAMPLES
@given(poised(3, most=4))
def test_the_slopes_of_the_acceleration_are_those_of_the_definition(robot):
    tree, *state = robot
    check_forward(tree, *state)


def check_forward(tree, q, qd, tau):
    mine = program(tree, "forward_dynamics_derivatives")(q, qd, tau)
    M = mass_matrix(tree, q)
    qdd = np.asarray(forward.forward_dynamics(tree, q, qd, tau), dtype=float)
    inner = inverse_slopes(tree, q, qd, qdd)
    largest = np.abs(np.linalg.inv(M)).max() * max(np.abs(x).max() for x in inner)
    tolerance = of_solution(M)
    for one, other in zip(mine, forward_slopes(tree, q, qd, tau), strict=True):
        assert_near(one, other, largest, tolerance=tolerance)


@EXAMPLES
@given(poised(3, most=4, mimic=False))
def test_articulated_bodies_have_the_same_slopes(robot):
    tree, q, qd, tau = robot
    mine = program(tree, "forward_dynamics_derivatives")(q, qd, tau)
    theirs = forward_slopes(tree, q, qd, tau, aba.forward_dynamics)
    tolerance = of_solution(mass_matrix(tree, q))
    for one, other in zip(mine, theirs, strict=True):
        assert_near(one, other, *map(np.abs, mine), tolerance=tolerance)


@EXAMPLES
@given(poised(3, most=4))
def test_differentiating_the_program_of_forward_dynamics_gives_the_same_slopes(robot):
    """Straight through the factorisation, where `forward_dynamics_derivatives` goes around it."""
    tree, q, qd, tau = robot
    around = program(tree, "forward_dynamics_derivatives")(q, qd, tau)
    through = jacobian(program(tree, "forward_dynamics"), ["q", "qd", "tau"])(q, qd, tau)
    tolerance = of_solution(mass_matrix(tree, q))
    for one, other in zip(through, around, strict=True):
        assert_near(one, other, *map(np.abs, around), tolerance=tolerance)


def test_mechanics_takes_fewer_operations_than_differentiating_the_program():
    tree = fold(read("panda"))
    torque = program(tree, "inverse_dynamics")
    slopes = program(tree, "inverse_dynamics_derivatives")
    assert len(slopes) < 5 * len(torque)
    assert len(slopes) < 0.6 * len(jacobian(torque, ["q", "qd"]))
    assert len(program(tree, "forward_dynamics_derivatives")) < 1.75 * len(slopes)


def test_where_a_joint_has_several_velocities_slopes_are_along_these():
    tree, _ = on_a_plane(fold(read("two_link")))
    assert not derivatives.applies(tree)
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, tree.n))
    by_q, by_qd = program(tree, "inverse_dynamics_derivatives")(q, qd, qdd)
    rates = np.asarray(tree.rates(q), dtype=float)
    wanted = inverse_slopes(tree, q, qd, qdd)
    assert_near(by_q, wanted[0] @ rates, by_qd)
    assert_near(by_qd, wanted[1], by_q)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_the_inverse_of_a_mass_matrix_is_that_of_numpy(n):
    A = np.random.default_rng(n).normal(size=(n, n))
    M = A @ A.T + np.eye(n)
    assert_near(np.asarray(forward.inverse(M), dtype=float), np.linalg.inv(M))


@pytest.mark.long
def test_slopes_of_a_hand_on_an_arm_are_those_of_the_definition():
    tree = fold(deep_tree(6, 12))
    state = np.random.default_rng(0).uniform(-2, 2, (3, 12))
    mine = program(tree, "inverse_dynamics_derivatives")(*state)
    tau = inverse_dynamics(tree, *state)
    for one, other in zip(mine, inverse_slopes(tree, *state), strict=True):
        assert_near(one, other, tau)
    check_forward(tree, *state)


@pytest.mark.parametrize("name", one_in(4, LIBRARY))
def test_compiled_slopes_are_those_of_the_definition(name):
    robot = Robot(read(name))
    tree, rng = robot.tree, np.random.default_rng(1)
    states = rng.uniform(-2, 2, (3, 5, robot.n))  # more than a vector of lanes, and a tail
    tau = robot.inverse_dynamics(*states)
    by_q, by_qd = robot.inverse_dynamics_derivatives(*states)
    forwards = robot.forward_dynamics_derivatives(*states[:2], tau)
    for k in range(5):
        q, qd, qdd = states[:, k]
        for one, other in zip((by_q[k], by_qd[k]), inverse_slopes(tree, q, qd, qdd), strict=True):
            assert_near(one, other, tau[k])
        M = mass_matrix(tree, q)
        largest = np.abs(np.linalg.inv(M)).max() * max(np.abs(x[k]).max() for x in (by_q, by_qd))
        expected = forward_slopes(tree, q, qd, tau[k])
        for one, other in zip(forwards, expected, strict=True):
            assert_near(one[k], other, largest, tolerance=of_solution(M))
    assert_near(robot.inverse_dynamics_derivatives(*states[:, 0])[0], by_q[0], tau[0])


def test_a_spring_and_a_damper_are_read_off_the_slopes():
    robot = Robot(read("mass_spring_damper"))
    zero = np.zeros(2)
    K, D = robot.inverse_dynamics_derivatives(zero, zero, zero)
    assert_near(K, [[80, -80], [-80, 80]])
    assert_near(D, [[3, -3], [-3, 3]])


def test_a_compiled_slope_of_dry_friction_at_a_standstill_is_zero():
    robot = Robot(read("two_link_point")).with_friction(viscous=[0.3, 0.2], coulomb=[0.5, 0.4])
    zero = np.zeros(2)
    _, by_qd = robot.inverse_dynamics_derivatives(zero, zero, zero)
    assert_near(by_qd, np.diag([0.3, 0.2]))


@pytest.mark.parametrize("name", ["stanford", "mass_spring_damper", *long("panda_hand", "puma560")])
def test_with_few_values_at_once_they_are_the_same(name):
    robot = Robot(read(name))
    rng = np.random.default_rng(3)
    for quantity in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        few = robot.program(quantity, few_at_once=True)
        state = rng.normal(size=(3, robot.n))
        for found, wanted in zip(few(*state), robot.program(quantity)(*state), strict=True):
            assert_near(found, wanted, 1e-10)


@pytest.mark.parametrize(("dtype", "few"), [("float64", True), ("float32", False)])
def test_a_gpu_gets_them_with_few_values_at_once_in_float64(monkeypatch, dtype, few):
    robot, what = Robot(read("ur5"), dtype=dtype), "inverse_dynamics_derivatives"
    monkeypatch.setattr("qddot.backends.cuda.CudaKernel", lambda program, dtype: program)
    lowered = to_cuda(robot).lowered(what)
    assert lowered.digest == robot.program(what, few_at_once=few).digest
    assert lowered.digest != robot.program(what, few_at_once=not few).digest
