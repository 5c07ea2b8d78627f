"""The steps of a closed form, to be read: text, LaTeX, and from the command line."""

from __future__ import annotations

import json
import re
from typing import Any

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
    told = " ".join(str(steps).split())
    assert "Joints 2, 3 and 4 leave heights along n = (0, 1, 0)" in told
    assert "Joints 5 and 6 leave the point s" in told
    assert "h5 = (0, 0, −1)" in told
    M = UR5.pose(np.zeros(6), "tool")
    np.testing.assert_allclose(steps.home.astype(float), M, rtol=0, atol=1e-12)
    assert steps.latex().count(r"\section{") == 9
    assert steps._repr_markdown_().count("\n## ") == 9


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


def evaluated(text: str, vectors: dict, maps: dict) -> Any:
    """Return the value of a formula of a step: sums of products, behind n · if so written."""
    if r" \cdot " in text:
        left, _, right = text.partition(r" \cdot ")
        inner = right[1:-1] if right.startswith("(") else right
        return vectors[left][:3] @ evaluated(inner, vectors, maps)
    if text.startswith("|"):
        return np.linalg.norm(evaluated(text.strip("|"), vectors, maps))
    parts = []
    for part in text.removeprefix("-").split(" - "):
        *through, last = part.split()
        value = vectors[last]
        for name in reversed(through):
            value = maps[name] @ value
        parts.append(value)
    first = -parts[0] if text.startswith("-") else parts[0]
    return (first - sum(parts[1:]))[:3]


@pytest.mark.parametrize("name", ["ur5", "puma560", "stanford", "scara", "kinova_jaco", "rp"])
def test_the_printed_equations_hold_where_the_arm_is(name):
    robot = qddot.load(name)
    q = np.random.default_rng(1).uniform(-1, 1, robot.n)
    steps = robot.inverse_kinematics_steps(robot.tip)
    tip = robot.pose(q, robot.tip)
    vectors: dict[str, np.ndarray] = {}
    maps: dict[str, Any] = {"T": tip @ np.linalg.inv(robot.pose(np.zeros(robot.n), robot.tip))}

    def numbers(text: str) -> list[float]:
        return [float(x) for x in text.partition("(")[2].partition(")")[0].split(",")]

    for i, (number, _, motion, h, p) in enumerate(steps.lines):
        axis, point, E = np.array(numbers(h)), np.array(numbers(p)), np.eye(4)
        if motion == "turns about":
            E[:3, :3] = rotation(list(axis), q[i])
            E[:3, 3] = point - E[:3, :3] @ point
        else:
            E[:3, 3] = q[i] * axis
        maps |= {f"E_{{{number}}}": E, f"E_{{{number}}}^{{-1}}": np.linalg.inv(E)}
        vectors[f"h_{{{number}}}"] = np.array([*axis, 0])
        vectors[f"p_{{{number}}}"] = np.array([*point, 1])
    maps["T^{-1}"] = np.linalg.inv(maps["T"])
    for step in steps.steps:
        for letter, kind in (("s", "point s"), ("n", ""), ("o", "point o")):
            found = re.search(rf"\${letter} = (\([^)]*\))", step.words)
            at = numbers(found[1]) if found else [0.6, 0.3, -0.2]
            there = kind in step.words.replace("$", "") if kind else False
            vectors[letter] = np.array([*at, float(there)])
        name = f"T_{{{step.joint}}}"
        if step.formulas[0].startswith("T"):
            of = step.formulas[0].split(" = ")
            maps[name] = np.linalg.multi_dot([np.eye(4), *(maps[x] for x in of[1].split())])
            inner = np.linalg.multi_dot([np.eye(4), np.eye(4), *(maps[x] for x in of[2].split())])
            np.testing.assert_allclose(maps[name], inner, rtol=0, atol=1e-5)
            maps[f"T_{{{step.joint}}}^{{-1}}"] = np.linalg.inv(maps[name])
        value = {}
        for meaning in step.meanings:
            left, _, right = meaning.partition(" = ")
            value[left] = evaluated(right, vectors, maps)
        form, turns = step.form
        u, v, h = value["u"], value["v"], value["h"]
        Ev = rotation(list(h), q[step.joint - 1]) @ v if turns else v + q[step.joint - 1] * h
        if form.startswith("E"):
            assert np.allclose(Ev, u, rtol=0, atol=2e-5)
        elif form.startswith("|"):
            assert np.isclose(np.linalg.norm(Ev - u), value[r"\rho"], rtol=0, atol=2e-5)
        else:
            assert np.isclose(u @ Ev, value["C_0"], rtol=0, atol=2e-5)


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "so101", "kinova_jaco", "rp"])
def test_every_formula_can_be_read(name):
    robot = qddot.load(name)
    for line in robot.inverse_kinematics_steps(robot.tip).steps:
        assert all(plain(formula) for formula in (*line.formulas, *line.meanings))


def test_arms_with_seven_joints_say_what_to_give():
    panda = qddot.load("panda")
    steps = panda.inverse_kinematics_steps("tool", free=["panda_joint7"])
    assert steps.branches == 8
    assert "q7 is given." in str(steps)
    with pytest.raises(BadArgument, match="panda_joint7"):
        panda.inverse_kinematics_steps("tool")


def test_the_command_line():
    assert "Joints 2, 3 and 4" in run("derive", "ur5", "--ik").stdout
    assert r"\end{document}" in run("derive", "ur5", "--ik", "--format", "latex").stdout
    facts = json.loads(run("derive", "scara", "--ik", "--json").stdout)
    assert facts["branches"] == 2
    assert "</html>" in run("derive", "scara", "--ik", "--format", "html").stdout
