"""Products with derivatives, without matrices: against those with the matrices, and their cost."""

import numpy as np
import pytest
from complex_step import rate
from hypothesis import given
from long import examples, long
from nearness import DIVIDED, assert_near, of_solution
from random_trees import poised

import qddot
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.forward import forward_dynamics
from qddot.dynamics.rnea import inverse_dynamics
from qddot.errors import BadArgument, WrongShape
from qddot.robot.quantities import Request, program_for


def program(tree, quantity):
    return program_for(tree, Request(quantity))


@examples(8)
@given(poised(3, most=4))
def test_products_of_inverse_dynamics_are_those_with_its_derivatives(robot):
    tree, *state = robot
    *changes, w = np.random.default_rng(3).normal(size=(4, tree.n))
    pushed = program(tree, "inverse_dynamics_product")(*state, *changes)
    pairs = list(zip(state, changes, strict=True))
    wanted = rate(lambda *x: inverse_dynamics(tree, *x), *pairs)
    tau = inverse_dynamics(tree, *state)
    assert_near(pushed, wanted, tau)
    by_q, by_qd = program(tree, "inverse_dynamics_derivatives")(*state)
    M = np.asarray(mass_matrix(tree, state[0]), dtype=float)
    pulled = program(tree, "inverse_dynamics_transposed_product")(*state, w)
    for mine, other in zip(pulled, (by_q, by_qd, M), strict=True):
        assert_near(mine, w @ other, other, tau)
    bent = program(tree, "inverse_dynamics_hessian_product")(*state, w, *changes)
    pull = program(tree, "inverse_dynamics_transposed_product")
    for k, mine in enumerate(bent):
        wanted = rate(lambda *x, k=k: pull(*x, w)[k], *pairs)
        assert_near(mine, wanted, tau, *pulled)


@examples(6)
@given(poised(3, most=4))
def test_products_of_forward_dynamics_are_those_with_its_derivatives(robot):
    tree, q, qd, tau = robot
    state = q, qd, tau
    *changes, w = np.random.default_rng(4).normal(size=(4, tree.n))
    slopes = program(tree, "forward_dynamics_derivatives")(*state)
    condition = of_solution(mass_matrix(tree, q))
    terms = [np.abs(x).max(initial=0) for x in slopes]
    pushed = program(tree, "forward_dynamics_product")(*state, *changes)
    wanted = sum(A @ x for A, x in zip(slopes, changes, strict=True))
    assert_near(pushed, wanted, *terms, tolerance=condition)
    pairs = list(zip(state, changes, strict=True))
    through = rate(lambda *x: forward_dynamics(tree, *x), *pairs)
    assert_near(pushed, through, *terms, tolerance=condition)
    pull = program(tree, "forward_dynamics_transposed_product")
    pulled = pull(*state, w)
    for mine, A in zip(pulled, slopes, strict=True):
        assert_near(mine, w @ A, *terms, tolerance=condition)
    bent = program(tree, "forward_dynamics_hessian_product")(*state, w, *changes)
    seconds = program(tree, "forward_dynamics_second_derivatives")(*state)
    size = max(np.abs(x).max(initial=0) for x in seconds)
    for k, mine in enumerate(bent):
        wanted = rate(lambda *x, k=k: pull(*x, w)[k], *pairs)
        assert_near(mine, wanted, size, *terms, tolerance=100 * condition)


@pytest.mark.parametrize("name", ["stanford", *long("panda")])
def test_a_product_takes_a_few_times_the_operations_of_the_quantity(name):
    robot = qddot.load(name).without("friction")
    for quantity in ("inverse_dynamics", "forward_dynamics"):
        own = len(robot.program(quantity))
        assert len(robot.program(f"{quantity}_product")) < 3 * own
        assert len(robot.program(f"{quantity}_transposed_product")) < 3 * own
        assert len(robot.program(f"{quantity}_hessian_product")) < 7 * own


@pytest.mark.parametrize("axes", ["world", "local", "base"])
@pytest.mark.parametrize("name", ["stanford", "panda_hand", "so101"])
def test_products_with_a_jacobian_are_those_with_the_matrix(name, axes):
    robot = qddot.load(name)
    rng = np.random.default_rng(7)
    q, qd = rng.uniform(-1, 1, (2, 9, robot.n))
    wrench = rng.normal(size=(9, 6))
    for frame in (robot.frame_names[0], robot.frame_names[2], robot.tip):
        J = robot.jacobian(q, frame, axes)
        u = robot.jacobian_product(q, qd, frame, axes)
        assert_near(u, np.einsum("bij,bj->bi", J, qd), qd)
        tau = robot.jacobian_transposed_product(q, wrench, frame, axes)
        assert_near(tau, np.einsum("bij,bi->bj", J, wrench), wrench)
    whole = len(robot.program("jacobian", frame=robot.tip, axes=axes))
    for product in ("jacobian_product", "jacobian_transposed_product"):
        # J first takes 12 operations a joint more than J
        assert len(robot.program(product, frame=robot.tip, axes=axes)) < whole + 8 * robot.n


def test_compiled_products_are_those_of_the_programs():
    whole = qddot.load("stanford")
    robot = whole.locked(dict.fromkeys(whole.joint_names[3:], 0.3))
    rows = np.random.default_rng(8).uniform(-1, 1, (7, 11, robot.n))
    counts = {"product": 6, "transposed_product": 4, "hessian_product": 7}
    for quantity in ("inverse_dynamics", "forward_dynamics"):
        for kind, count in counts.items():
            name, arrays = f"{quantity}_{kind}", list(rows[:count])
            call, expected = getattr(robot, name), robot.program(f"{quantity}_{kind}")(*arrays)
            several = isinstance(expected, tuple)
            expected = expected if several else (expected,)
            for found, k in ((call(*arrays), slice(None)), (call(*rows[:count, 2].copy()), 2)):
                for mine, other in zip(found if several else (found,), expected, strict=True):
                    assert_near(mine, other[k], *expected, tolerance=DIVIDED)


def test_an_argument_that_is_wrong_is_named():
    robot = qddot.load("two_link")
    q, three = np.zeros(2), np.zeros(3)
    with pytest.raises(WrongShape, match="weights has shape"):
        robot.inverse_dynamics_transposed_product(q, q, q, three)
    with pytest.raises(BadArgument, match=r"wrench has shape \(3,\).*\(\.\.\., 6\)"):
        robot.jacobian_transposed_product(q, three, robot.tip)
    with pytest.raises(BadArgument, match="axes"):
        robot.jacobian_product(q, q, robot.tip, "body")
