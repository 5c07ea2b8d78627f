"""What is computed a stretch or a tile at a time is what the whole tree or matrix gives."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from made import states
from nearness import ACCURATE, ROUND_OFF, SINGLE, assert_near, error, of_solution
from random_trees import deep_tree, poised

import qddot
from qddot import Kernel
from qddot.dynamics import derivatives, stretch_slopes, stretches, tiles
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.regroup import regrouped
from qddot.dynamics.rnea import rigid_body_torque
from qddot.model import Inertial, Joint, Link, Placement, build
from qddot.program import Program, gradient, jacobian
from qddot.robot import long_chains
from qddot.robot.quantities import Request, program_for

DERIVATIVES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
LINK = Inertial(1.0, (0.05, 0.01, 0.02), (0.01, 0.001, 0.002, 0.02, 0.003, 0.03))


def directly(function, form, **arrays):
    return function(form, **arrays)


def tuple_of(results):
    return results if isinstance(results, (tuple, list)) else (results,)


def snake(n: int) -> qddot.Robot:
    """Return a chain of equal links whose joints turn about y and z in turn."""
    links = [Link("link0"), *(Link(f"link{i}", LINK) for i in range(1, n + 1))]
    joints = [
        Joint(
            *(f"joint{i}", "continuous", f"link{i - 1}", f"link{i}"),
            Placement((0.1, 0.0, 0.0), (0.0, 0.0, 0.0)),
            (0, i % 2, 1 - i % 2),
        )
        for i in range(1, n + 1)
    ]
    return qddot.Robot(build("snake", links, joints))


QUANTITIES = (*DERIVATIVES, "inverse_dynamics", "mass_matrix", "coriolis_matrix")


@cache
def both(quantity: str) -> tuple[Program, Program]:
    """Return a quantity of an arm with a hand, in blocks and as a straight line."""
    tree = qddot.Robot(deep_tree(3, 9)).tree
    found = []
    for least in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(long_chains, "LONG", dict.fromkeys(long_chains.LONG, least))
            found.append(program_for(tree, Request(quantity)))
    return found[0], found[1]


@examples(20)
@given(poised(3, most=9), st.integers(1, 4))
def test_stretches_give_what_the_whole_tree_gives(tree_and_state, size):
    tree, *state = tree_and_state
    tree = regrouped(tree)
    if not derivatives.applies(tree):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretches, "SIZE", size)
        M = stretches.mass_matrix(tree, state[0], directly)
        slopes = stretch_slopes.rigid_body_slopes(tree, *state, directly)
    tau = stretches.rigid_body_torque(tree, *state, directly)
    assert_near(tau, rigid_body_torque(tree, *state), tolerance=ACCURATE)
    assert_near(M, mass_matrix(tree, state[0]), tolerance=ACCURATE)
    for mine, other in zip(slopes, derivatives.rigid_body_slopes(tree, *state), strict=True):
        assert_near(mine, other, 1, tolerance=ACCURATE)


@pytest.mark.parametrize("n", [1, 5, 8, 17, 23])
def test_tiles_invert_and_multiply_as_numpy_does(n):
    rng = np.random.default_rng(n)
    A, B, x = rng.normal(size=(n, n)), rng.normal(size=(n, n)), rng.normal(size=n)
    M = A @ A.T + n * np.eye(n)
    lower = tiles.in_tiles(M, directly, lower=True, diagonal=1)
    inverse = tiles.inverse_by_tiles(lower, directly)
    wanted = np.linalg.inv(M)
    assert_near(inverse.whole(symmetric=True), wanted, tolerance=ACCURATE)
    product = tiles.minus_symmetric_product(inverse, tiles.in_tiles(B, directly), directly)
    assert_near(product.whole(), -wanted @ B, tolerance=ACCURATE)
    assert_near(
        tiles.minus_product_with_vector(inverse, x, directly), -wanted @ x, tolerance=ACCURATE
    )


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_blocks_of_a_robot_compile_to_what_its_straight_line_does(quantity):
    blocks, straight = both(quantity)
    assert blocks.blocks
    assert not straight.blocks
    given = list(states(9, 11))[: len(blocks.inputs)]
    M = qddot.Robot(deep_tree(3, 9)).mass_matrix(given[0])
    near = of_solution(M, ACCURATE)
    kernel = Kernel(blocks)
    ways = (
        kernel.general(*given),
        [x[None] for x in tuple_of(kernel(*(x[0] for x in given)))],
        Kernel(blocks, np.dtype(np.float32)).general(*(x.astype("f4") for x in given)),
    )
    for way, tolerance in zip(ways, (near, near, near * SINGLE / ACCURATE), strict=True):
        for mine, other in zip(
            tuple_of(way), tuple_of(Kernel(straight).general(*given)), strict=True
        ):
            assert_near(mine, other[: len(mine)], tolerance=tolerance)


def test_derivatives_go_through_the_blocks():
    blocks, straight = both(DERIVATIVES[0])
    state = [x[0] for x in states(9)]
    for how in (jacobian, gradient):
        mine, other = (how(program, ["q"]) for program in (blocks, straight))
        more = [np.ones(port.shape) for port in other.inputs[3:]]
        found, wanted = (program(*state, *more) for program in (mine, other))
        for a, b in zip(tuple_of(found), tuple_of(wanted), strict=True):
            assert error(a, b) < ROUND_OFF


def test_long_chains_are_made_of_a_few_blocks():
    robot = snake(40)
    program = robot.program("inverse_dynamics_derivatives")
    assert [block.name for block in program.blocks] == ["outward", "own_slopes", "slopes_across"]
    assert len(program.steps) < len(program) / 15
    straight = derivatives.rigid_body_slopes
    state = [x[0] for x in states(40)]
    for mine, other in zip(program(*state), straight(robot.tree, *state), strict=True):
        assert_near(mine, other)


def test_short_arms_are_straight_lines():
    for name in ("panda", "ur5", "baxter"):
        assert not qddot.load(name).program(DERIVATIVES[0]).blocks
