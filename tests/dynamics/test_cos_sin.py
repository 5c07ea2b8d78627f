"""A configuration is not a velocity: every quantity of a robot whose q has two numbers a joint."""

from dataclasses import replace

import numpy as np
import pytest
from cos_sin import in_cosines, pairs
from long import long
from nearness import assert_near

import qddot
from qddot.dynamics.coriolis import coriolis_matrix
from qddot.dynamics.crba import mass_matrix
from qddot.errors import BadArgument, WrongShape
from qddot.formulations import explicit, lagrange, recursive, stacked, trace
from qddot.model import Limits, Mimic, Spring
from qddot.model.folding import fold
from qddot.robot.quantities import NAMES, state_shapes

SAME = 1e-12
OF_A_FRAME = (
    "manipulability",
    *("pose", "jacobian", "jacobian_rate", "jacobian_product", "jacobian_transposed_product"),
    "point_motion",
)


@pytest.fixture(params=["stanford without its wrist", *long("stanford", "two_link", "ur5")])
def both(request, monkeypatch):
    """A robot, and the same robot in cosines and sines."""
    name, _, short = request.param.partition(" ")
    plain = qddot.load(name).without("springs")
    if short:
        plain = plain.locked(dict.fromkeys(plain.joint_names[3:], 0.4))
    return plain, in_cosines(plain, monkeypatch)


def state(robot, count=4):
    return np.random.default_rng(5).uniform(-1.5, 1.5, (3, count, robot.n))


def test_it_has_more_positions_than_velocities(both):
    plain, other = both
    turning = sum(joint.turns for joint in plain.model.free_joints)
    assert (other.n, other.nq) == (plain.n, plain.n + turning)
    assert len(other.model.position_names) == other.nq
    assert state_shapes(other.tree, "q", "qd") == {"q": (other.nq,), "qd": (other.n,)}
    with pytest.raises(WrongShape, match=rf"shape \({other.nq},\)"):
        other.gravity_torque(np.zeros(other.n))


@pytest.mark.parametrize("name", [n for n in NAMES if n != "inverse_effective_mass"])
def test_every_quantity_is_that_of_the_same_robot(both, name):
    plain, other = both
    q, qd, qdd = state(plain)
    program = plain.program(name, **({"frame": plain.tip} if name in OF_A_FRAME else {}))
    rows = {"q": q, "qd": qd, "qdd": qdd, "tau": qdd, "dq": qd[::-1], "dqd": qdd[::-1]}
    rows |= {"dqdd": q[::-1], "dtau": q[::-1], "weights": q + qd}
    rows["wrench"] = np.random.default_rng(6).normal(size=(len(q), 6))
    arrays = [rows[port.name] for port in program.inputs if port.name in rows]
    there = [pairs(plain, x) if x is q else x for x in arrays]
    frame = (plain.tip,) if name in OF_A_FRAME else ()

    def value(robot, arrays):
        if "second" in name:  # long, and compiled elsewhere
            return robot.program(name)(*arrays)
        return getattr(robot, name)(*arrays, *frame)

    expected, found = value(plain, arrays), value(other, there)
    several = isinstance(expected, tuple)
    for a, b in zip(*(x if several else (x,) for x in (expected, found)), strict=True):
        assert_near(b, a, tolerance=1e-10)


@pytest.mark.parametrize("way", [explicit, lagrange, recursive, stacked, trace])
def test_every_formulation_gives_its_equations(both, way):
    plain, other = both
    q, qd = state(plain, 1)[:2, 0]
    found, expected = way.derive(other.tree, pairs(plain, q), qd), way.derive(plain.tree, q, qd)
    for name in ("M", "c", "g"):
        here, there = (np.asarray(getattr(x, name), float) for x in (found, expected))
        assert_near(here, there, tolerance=1e-10)


def test_the_mass_matrix_changes_along_the_rate_as_c_says(both):
    plain, other = both
    q, qd = pairs(plain, state(plain, 1)[0, 0]), state(plain, 1)[1, 0]
    tree, h = other.tree, 1e-30
    moved = q + 1j * h * np.asarray(tree.rate(q, qd), float)
    rate = np.imag(np.asarray(mass_matrix(tree, moved), complex)) / h
    C = np.asarray(coriolis_matrix(tree, q, qd), float)
    assert_near(C + C.T, rate, tolerance=SAME)


def test_steps_and_differences_are_inverse_and_stay_on_the_circle(both):
    plain, other = both
    tree = other.tree
    a, b = (pairs(plain, x) for x in state(plain, 1)[:2, 0])
    dv = tree.difference(a, b)
    assert_near(tree.step(a, dv), b, tolerance=SAME)
    assert_near(np.asarray(tree.step(a, 0 * dv), float), a, tolerance=SAME)
    assert_near(tree.project(1.01 * np.asarray(tree.step(a, dv))), b, tolerance=0.01)
    h = 1e-7
    slope = (np.asarray(tree.step(a, h * dv), float) - a) / h
    assert_near(np.asarray(tree.rate(a, dv), float), slope, tolerance=1e-6)


@pytest.mark.parametrize("method", ["rk4", "semi_implicit_euler"])
def test_rollouts_are_those_of_the_same_robot_and_stay_on_the_circle(both, method):
    plain, other = both
    q, qd, tau = state(plain)
    more = {"steps": 40, "step": 0.002, "method": method, "torque": tau}
    expected = qddot.rollout(plain, q, qd, **more)
    found = qddot.rollout(other, pairs(plain, q), qd, **more)
    off = 1e-9 if method == "semi_implicit_euler" else 1e-6  # of order 4 in other numbers
    assert_near(found.q, pairs(plain, expected.q), tolerance=off)
    assert_near(found.qd, expected.qd, tolerance=off)
    first = found.q[..., :2]
    assert_near((first * first).sum(-1), np.ones(first.shape[:-1]), tolerance=SAME)


def test_the_midpoint_rule_is_refused_for_it(both):
    plain, other = both
    with pytest.raises(BadArgument, match="joints with one coordinate each"):
        qddot.rollout(other, pairs(plain, np.zeros(plain.n)), steps=2, step=0.01, method="midpoint")


@pytest.mark.parametrize(
    ("of_first", "what"),
    [
        ({"spring": Spring(10.0)}, "a spring"),
        ({"limits": Limits(-1, 1)}, "limits of its position"),
        ({"home": 0.5}, "a home position"),
        ({"locked": 0.5}, "a position that it is locked at"),
    ],
)
def test_what_needs_a_single_number_is_refused_by_name(monkeypatch, of_first, what):
    arm = in_cosines(qddot.load("two_link"), monkeypatch).model
    changed = arm.with_joints(lambda j: replace(j, **of_first) if j.name == "j1" else j)
    with pytest.raises(BadArgument, match=f"whose position is no single number, and has {what}"):
        fold(changed)


def test_a_joint_that_follows_it_is_refused(monkeypatch):
    arm = in_cosines(qddot.load("two_link"), monkeypatch).model
    following = Mimic("j1", 2)
    changed = arm.with_joints(
        lambda j: replace(j, kind="continuous", mimic=following) if j.name == "j2" else j
    )
    with pytest.raises(BadArgument, match="has a joint that follows it"):
        fold(changed)
