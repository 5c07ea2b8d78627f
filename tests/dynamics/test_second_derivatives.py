"""Second derivatives, against complex steps through the definitions of first order.

Twice a complex step is not possible. So there are two comparisons: with complex steps through the
programs of the first derivatives, to round-off; and with central differences of complex steps
through the definitions, on which no program has a say.
"""

import numpy as np
import pytest
from complex_step import slope
from hypothesis import given
from long import examples
from nearness import CENTRAL_DIFFERENCE, DIVIDED, assert_near
from random_trees import poised

import qddot
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.forward import forward_dynamics
from qddot.dynamics.rnea import inverse_dynamics
from qddot.robot.quantities import Request, program_for

H = 1e-5


def program(tree, quantity):
    return program_for(tree, Request(quantity))


def of_first_order(first, last, x, y, z):
    """Return the four second derivatives, by complex steps through a function of first order."""

    def along(k, arrays):
        return lambda v: np.stack(first(*arrays[:k], v, *arrays[k + 1 :]))

    arrays = (x, y, z)
    by_q, by_qd, by_last = (slope(along(k, arrays), arrays[k]) for k in range(3))
    # of first order [derivative, k, j], by the entry i last; the others are symmetric in i and j
    return by_q[0], by_q[1].swapaxes(1, 2), by_qd[1], by_last[0] if last else None


@examples(8)
@given(poised(3, most=3))
def test_second_slopes_of_the_torque_are_slopes_of_its_slopes(robot):
    """Friction, springs, rotors and followers included."""
    tree, *state = robot
    found = program(tree, "inverse_dynamics_second_derivatives")(*state)
    first = program(tree, "inverse_dynamics_derivatives")
    expected = of_first_order(first, True, *state)
    tau = inverse_dynamics(tree, *state)
    for mine, other in zip(found, expected, strict=True):
        assert_near(mine, other, tau, *map(np.abs, expected))
    masses = slope(lambda q: mass_matrix(tree, q), state[0])
    assert_near(found[3], masses.swapaxes(1, 2), tau)


@examples(6)
@given(poised(3, most=3))
def test_second_slopes_of_the_acceleration_are_slopes_of_its_slopes(robot):
    tree, q, qd, tau = robot
    found = program(tree, "forward_dynamics_second_derivatives")(q, qd, tau)
    first = program(tree, "forward_dynamics_derivatives")
    expected = of_first_order(first, True, q, qd, tau)
    condition = np.linalg.cond(np.asarray(mass_matrix(tree, q), dtype=float))
    terms = [np.abs(x).max(initial=0) for x in expected]
    for mine, other in zip(found, expected, strict=True):
        assert_near(mine, other, *terms, tolerance=DIVIDED * max(1, condition))


@pytest.mark.parametrize("definition", [inverse_dynamics, forward_dynamics])
def test_they_are_differences_of_slopes_of_the_definition(definition):
    whole = qddot.load("stanford")
    tree = whole.locked(dict.fromkeys(whole.joint_names[3:], 0.3)).tree
    state = list(np.random.default_rng(4).uniform(-1, 1, (3, tree.n)))
    name = definition.__name__
    found = program(tree, f"{name}_second_derivatives")(*state)

    def by_q(*arrays):
        return slope(lambda q: definition(tree, q, *arrays[1:]), arrays[0])

    def by_qd(*arrays):
        return slope(lambda qd: definition(tree, arrays[0], qd, arrays[2]), arrays[1])

    def difference(f, k):
        steps = H * np.eye(tree.n)
        changed = [
            f(*state[:k], state[k] + e, *state[k + 1 :])
            - f(*state[:k], state[k] - e, *state[k + 1 :])
            for e in steps
        ]
        return np.stack(changed, axis=-1) / (2 * H)

    expected = [difference(f, k) for f, k in ((by_q, 0), (by_q, 1), (by_qd, 1), (by_q, 2))]
    for mine, other in zip(found, expected, strict=True):
        assert_near(mine, other, tolerance=CENTRAL_DIFFERENCE)


def test_the_second_slope_by_velocity_is_twice_christoffel():
    robot = qddot.load("scara").without("friction")
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 5, robot.n))
    found = robot.program("inverse_dynamics_second_derivatives")(q, qd, qdd)[2]
    assert_near(found, 2 * robot.christoffel(q))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_compiled_ones_are_those_of_the_program(dtype):
    robot = qddot.load("two_link_cylinders").with_options(dtype=dtype)
    states = np.random.default_rng(2).uniform(-1, 1, (3, 19, 2)).astype(dtype)
    for name in ("inverse_dynamics", "forward_dynamics"):
        name = f"{name}_second_derivatives"
        expected = robot.program(name)(*states.astype(float))
        call = getattr(robot, name)
        room = tuple(np.empty((19, 2, 2, 2), dtype) for _ in range(4))
        near = 1e-10 if dtype == "float64" else 1e-3
        for found in (call(*states), call(*states, out=room)):
            for mine, other in zip(found, expected, strict=True):
                assert_near(mine, other, *expected, tolerance=near)
        for mine, other in zip(call(*states[:, 3].copy()), expected, strict=True):
            assert_near(mine, other[3], *expected, tolerance=near)
        assert [x.shape for x in call(*states[:, :0])] == [(0, 2, 2, 2)] * 4
