"""The steps of a closed form, to be read: text, LaTeX, and from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import run
from made import UR5

import qddot
from qddot.errors import BadArgument
from qddot.formulations.plain_formula import plain


def test_the_steps_of_a_ur5():
    steps = UR5.inverse_kinematics_steps("tool")
    assert [line.joint for line in steps.steps] == [1, 6, 5, 3, 2, 4]
    assert [line.roots for line in steps.steps] == [2, 2, 1, 2, 1, 1]
    assert steps.branches == 8
    assert "Joints 2, 3 and 4 leave heights along n = (0, 1, 0)" in str(steps)
    assert "Joints 5 and 6 leave the point s" in str(steps)
    assert steps.latex().count(r"\item") == 6


def rotation(h: list[float], angle: float) -> np.ndarray:
    x, y, z = h
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def test_what_is_said_of_a_ur5_is_true():
    """Steps 1, 3 and the formula of A, B and C, with the numbers that the text has."""
    q = np.random.default_rng(0).uniform(-3, 3, 6)
    T = UR5.pose(q, "tool") @ np.linalg.inv(UR5.pose(np.zeros(6), "tool"))
    meet, n, h = np.array([0.81725, 0.10915, -0.005491]), np.array([0, 1, 0]), np.array([0, 0, 1])
    image = T[:3, :3] @ meet + T[:3, 3]
    assert np.isclose(n @ rotation([0, 0, 1], -q[0]) @ image, n @ meet, atol=1e-12)
    # u · E v = C₀ with the opposite of h, as the equation has E₁⁻¹
    A, B = n @ image - (n @ -h) * (-h @ image), n @ np.cross(-h, image)
    C = n @ meet - (n @ -h) * (-h @ image)
    w = np.sqrt(A * A + B * B - C * C)
    roots = [np.arctan2(B, A) + side * np.arctan2(w, C) for side in (1, -1)]
    assert np.abs(np.exp(1j * np.array(roots)) - np.exp(1j * q[0])).min() < 1e-9
    # q₅ by its tangent, of what is left when joints 1 and 6 are taken away, read backwards
    left = rotation([0, 0, 1], -q[0]) @ T[:3, :3] @ rotation([0, 1, 0], -q[5])
    mu, nu, h5 = n, left.T @ n, np.array([0, 0, -1])
    q5 = np.arctan2(-h5 @ np.cross(mu, nu), mu @ nu - (h5 @ mu) * (h5 @ nu))
    assert np.isclose(q5, q[4], atol=1e-9)


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "so101", "kinova_jaco", "rp"])
def test_every_formula_can_be_read(name):
    robot = qddot.load(name)
    for line in robot.inverse_kinematics_steps(robot.tip).steps:
        assert all(plain(formula) for formula in line.formulas)


def test_arms_with_seven_joints_say_what_to_give():
    panda = qddot.load("panda")
    assert panda.inverse_kinematics_steps("tool", free=["panda_joint7"]).branches == 8
    with pytest.raises(BadArgument, match="panda_joint7"):
        panda.inverse_kinematics_steps("tool")


def test_the_command_line():
    assert "Joints 2, 3 and 4" in run("derive", "ur5", "--ik").stdout
    assert r"\begin{enumerate}" in run("derive", "ur5", "--ik", "--format", "latex").stdout
    facts = json.loads(run("derive", "scara", "--ik", "--json").stdout)
    assert facts["branches"] == 2
    assert run("derive", "ur5", "--ik", "--format", "html").returncode == 2
