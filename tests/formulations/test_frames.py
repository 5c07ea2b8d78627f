"""Derivations are written in the frames that users defined, or in others of their choice."""

import numpy as np
import pytest
import sympy
from blackboard import DERIVE
from nearness import assert_near

import qddot
from qddot.equations import as_sympy
from qddot.errors import QddotError
from qddot.formulations.frames import seen_from, users_frames
from qddot.model.folding import fold

ROWS = [
    {"a": 0.3, "d": 0.2, "alpha": "pi/2", "mass": 2.0, "com": [-0.1, 0.05, 0.02]},
    {"type": "prismatic", "theta": "pi/2", "a": 0.1, "alpha": "-pi/2", "mass": 1.5},
    {"a": 0.4, "theta": 0.3, "mass": 1.0, "com": [-0.2, 0.0, 0.1]},
]
Q = np.array([0.4, 0.25, -0.9])
both_conventions = pytest.mark.parametrize("convention", ["standard", "modified"])


@both_conventions
def test_printed_transforms_are_the_poses_of_the_dh_frames(convention):
    robot = qddot.from_dh(ROWS, convention)
    steps = {step.symbol: step.value for step in qddot.derive(robot, "trace").steps}
    at = {sympy.Symbol(f"q{i + 1}"): x for i, x in enumerate(Q)}
    for k, link in enumerate(("link1", "link2", "link3"), 1):
        found = np.array(as_sympy(steps[f"{{}}^{{0}}T_{{{k}}}"]).subs(at).evalf(), dtype=float)
        assert_near(found, robot.pose(Q, link), tolerance=1e-14)


@both_conventions
def test_printed_jacobians_and_centres_are_those_of_the_dh_links(convention):
    robot = qddot.from_dh(ROWS, convention)
    tree = fold(robot.model)
    seen = seen_from(tree, users_frames(robot.model, tree))
    steps = {s.symbol: s.value for s in DERIVE["explicit"](seen, Q, 0 * Q).steps}
    pose = robot.pose(Q, "link3")
    J = robot.jacobian(Q, "link3")  # [ω; v] in world axes
    assert_near(steps[r"{}^{3}J_{\omega_{3}}"], pose[:3, :3].T @ J[:3], tolerance=1e-14)
    centre = pose @ [-0.2, 0, 0.1, 1]
    assert_near(steps["P_{C_{3}}"], centre[:3], tolerance=1e-14)


@pytest.mark.parametrize("formulation", DERIVE)
def test_the_equations_are_the_same_in_any_frames(formulation):
    robot = qddot.from_dh(ROWS, "standard")
    tree = fold(robot.model)
    qd = np.array([0.5, -0.3, 1.1])
    found = [
        DERIVE[formulation](seen_from(tree, names), Q, qd)
        for names in (
            users_frames(robot.model, tree),
            ["link1_start", "link2_start", "link3_start"],
        )
    ]
    for term in ("M", "c", "g"):
        assert_near(*(getattr(each, term) for each in found), tolerance=1e-12)


def test_other_frames_are_chosen_by_name():
    arm = qddot.load("two_link_cylinders_symbolic")
    found = [
        qddot.derive(arm, "trace", frames=frames)
        for frames in (None, ["link1", "link2"], ["link1_start", "link2_start"])
    ]
    corners = [next(s.value for s in e.steps if s.symbol == "J_{1}")[0, 3] for e in found]
    assert corners[0] == corners[1] == -corners[2] != 0
    assert found[0].frames == ("link1", "link2")
    assert found[0] == found[2]


@pytest.mark.parametrize(
    ("frames", "says"),
    [
        (["link1"], "one frame on each link that moves"),
        (["link2", "link1"], "one frame on each link that moves"),
        (["link1", "base"], "the base"),
        (["link1", "lnk2"], "lnk2"),
    ],
)
def test_wrong_frames_are_refused(frames, says):
    with pytest.raises(QddotError, match=says):
        qddot.derive("two_link_cylinders_symbolic", frames=frames)
