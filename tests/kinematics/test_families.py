"""Solutions that stand for a family, as where slides are parallel, and those that slides hide."""

import numpy as np
import pytest

import qddot
from qddot.errors import BadArgument

BODY = {"mass": 1.0, "inertia": [0.02, 0, 0, 0.02, 0, 0.01]}
SLIDE = BODY | {"type": "prismatic"}
# R R R P R P: at q5 = 0 the two slides are parallel
TWO_SLIDES = [
    {"alpha": "pi", "a": 0.014, "d": 0},
    {"alpha": "-pi/2", "d": -0.35},
    {"alpha": "pi", "a": -0.102, "d": -0.965},
    {"alpha": "-pi/2", "type": "prismatic"},
    {"alpha": "pi/2", "a": -0.791, "d": -0.711},
    {"alpha": "pi/2", "a": -0.532, "type": "prismatic", "theta": 2.2},
]


def arm_of(rows, limit=3.2) -> qddot.Robot:
    limits = {"limits": {"lower": -limit, "upper": limit}}
    return qddot.from_dh([row | BODY | limits for row in rows], "standard")


def parallel(count, seed=0):
    q = np.random.default_rng(seed).uniform(-3.2, 3.2, (count, 6))
    q[:, 4] = 0
    return q


@pytest.mark.parametrize("limits", [False, True])
def test_parallel_slides_have_one_sane_member_that_says_so(limits):
    arm, q = arm_of(TWO_SLIDES), parallel(40)
    X = arm.pose(q, "tool")
    s = arm.inverse_kinematics_all(X, "tool", limits=limits)
    assert s.found.any(axis=1).all()
    back = arm.pose(s.q[s.found], "tool") - np.repeat(X, s.counts, axis=0)
    assert np.abs(back).max() < 2e-12
    assert s.singular[s.found].all()
    assert np.abs(s.q[s.found]).max() < (3.2 + 1e-9 if limits else 20)


def test_nearly_parallel_slides_never_close_far_away():
    arm, q = arm_of(TWO_SLIDES), parallel(60, seed=1)
    q[:, 4] = 10.0 ** np.random.default_rng(2).uniform(-17, -6, 60)
    X = arm.pose(q, "tool")
    s = arm.inverse_kinematics_all(X, "tool")
    assert s.found.any(axis=1).all()
    back = arm.pose(s.q[s.found], "tool") - np.repeat(X, s.counts, axis=0)
    assert np.abs(back).max() < 1e-11


def test_the_nearest_of_a_family_is_the_nearest():
    arm, q = arm_of(TWO_SLIDES), parallel(40)
    near = q + 0.01
    s = arm.inverse_kinematics(arm.pose(q, "tool"), "tool", near=near)
    assert s.found.all()
    assert (np.linalg.norm(s.q - near, axis=1) <= np.linalg.norm(q - near, axis=1) * 1.05).all()


@pytest.mark.parametrize("swivel", [0.0, 1e-15, 1e-13, 1e-9, np.pi, 0.4])
def test_a_rail_a_swivel_and_a_telescope_have_a_solution(swivel):
    rows = [SLIDE | {"alpha": "pi/2"}, {"alpha": "-pi/2", "a": 0.3}, SLIDE | {"a": 0.2}]
    arm = arm_of(rows)
    X = arm.pose(np.array([0.1, swivel, 0.25]), "tool")
    s = arm.inverse_kinematics_all(X, "tool")
    assert s.counts == 1
    assert bool(s.singular[0]) == (min(swivel, np.pi - swivel) < 1e-6)
    assert np.abs(arm.pose(s.q[0], "tool") - X).max() < 1e-12


@pytest.mark.parametrize("alpha", [0, "pi"])
@pytest.mark.parametrize("place", range(5))
def test_six_turns_with_two_axes_on_one_line_are_refused(alpha, place):
    rng = np.random.default_rng(place)
    bends = rng.uniform(0.5, 2, 6).tolist()
    rows = [{"alpha": bend, "a": bend - 1.2, "d": 1.5 - bend} for bend in bends]
    rows[place] |= {"alpha": alpha, "a": 0}
    with pytest.raises(BadArgument, match="singular at every position"):
        arm_of(rows).inverse_kinematics_all(np.eye(4), "tool")


def test_a_solution_that_its_equation_leaves_out_is_found():
    """At this pose the equation of joint 1 says nothing, and the others say where it is."""
    turns = [("pi/2", 0, 0), (0, -0.77, 0.716), ("pi/2", 0, 0), ("-pi/2", 0, 0)]
    rows = [{"alpha": alpha, "a": a, "d": d} for alpha, a, d in turns]
    arm = arm_of([*rows, SLIDE | {"theta": 2.2}])
    q = np.array([-1.6667166, np.pi, 0.0, -0.14401724, 0.721867203])
    s = arm.inverse_kinematics_all(arm.pose(q, "tool"), "tool")
    assert s.counts == 2
    assert np.abs(s.q - q)[:, [0, 3, 4]].max(axis=1).min() < 1e-6


@pytest.mark.parametrize("unit", [1e3, 1e-3, 1e-6])
def test_a_slide_is_found_in_any_unit_of_length(unit):
    rows = [{"a": 0.3 * unit}, {"alpha": "pi/2", "d": 0.2 * unit}, SLIDE, {"a": 0.1 * unit}]
    arm = arm_of(rows)
    q = np.random.default_rng(0).uniform(-1, 1, (50, 4)) * [1, 1, unit, 1]
    q[:10, 0] = 0
    X = arm.pose(q, "tool")
    s = arm.inverse_kinematics_all(X, "tool")
    turns = [0, 1, 3]
    off = np.abs((s.q - q[:, None])[..., turns]).max(axis=-1)
    assert (off < 1e-6).any(axis=1).all()
    back = arm.pose(s.q[s.found], "tool") - np.repeat(X, s.counts, axis=0)
    assert np.abs(back[:, :3, 3]).max() < 5e-12 * unit
    assert not s.singular.any()


@pytest.mark.parametrize("name", ["scara", "kinova_jaco"])
def test_solutions_that_meet_at_a_limit_are_within_it(name):
    arm = qddot.load(name)
    low, high = arm.limits.span()
    q = np.tile(np.clip(np.linspace(-0.4, 0.9, arm.n), low, high), (20, 1))
    k = 1 if name == "scara" else 2
    q[:, k] = 0.0 if name == "scara" else np.pi
    q[:, 0], q[:, 1 + (name == "scara")] = high[0], low[1 + (name == "scara")]
    q[:, k] += np.logspace(-9, -7, 20) if name == "scara" else 0
    s = arm.inverse_kinematics_all(arm.pose(q, arm.tip), arm.tip, limits=True)
    assert s.found.any(axis=1).all()
    assert (s.q[s.found] <= high + 1e-9).all()
    assert (s.q[s.found] >= low - 1e-9).all()
