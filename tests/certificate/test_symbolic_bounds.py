"""Bounds as formulas: those of the decks, and never beaten by an arm with numbers."""

import json
from math import pi

import numpy as np
import pytest
import sympy as sp
from command_line import run
from long import long
from nearness import ROUND_OFF, assert_near

import qddot
from qddot.certificate import symbolic_bounds
from qddot.certificate.bound import box_of
from qddot.certificate.bounds import bounds

m1, m2, L1, L2, g = sp.symbols("m1 m2 L1 L2 g")
POINT, ARM = qddot.load("two_link_point_symbolic"), qddot.load("two_link_symbolic")
QUARTER = {"j2": (-pi / 2, pi / 2)}
DECK = dict(m1=50, m2=50, I1=10, I2=10, a1=1, a2=1, aC1=0.5, aC2=0.5, d1=30, d2=80, g=9.81)
TOLERANCE = 1 + 1e-9  # what rounding of eigenvalues may add


def equal(bound, formula):
    return sp.expand(bound.sympy() - formula) == 0


def test_the_newton_euler_decks_bounds_come_out():
    """For θ₂ within ±π/2; c in the 1-norm and, by n² max|Γ|, in the 2-norm."""
    found = symbolic_bounds(POINT, box=QUARTER)
    least = (m1 + m2) * L1**2 + 2 * m2 * L2**2
    assert equal(found["M.norm1.min"], least)
    assert equal(found["M.norm1.max"], least + 3 * m2 * L1 * L2)
    assert equal(found["c.norm1"], m2 * L1 * L2)
    assert equal(found["c.crude"], 4 * m2 * L1 * L2)
    assert equal(found["g.norm1"], (m1 + m2) * g * L1 + 2 * m2 * g * L2)
    # by the Frobenius norm of Γ, half of the crude one
    assert sp.simplify(found["c.norm2"].sympy() ** 2 - (2 * m2 * L1 * L2) ** 2) == 0


def test_the_euler_lagrange_decks_numbers_come_out():
    found = symbolic_bounds(ARM, box=QUARTER)
    expected = {"M.norm1.min": 117.5, "M.norm1.max": 192.5, "c.norm1": 25, "C.norm1": 25}
    expected |= {"g.norm1": 1226.25, "c.crude": 100, "D.norm2": 80, "M.eigenvalue.max": 167.5}
    expected |= {"M.eigenvalue.min": 1006.25 / 167.5, "Minv.eigenvalue.max": 167.5 / 1006.25}
    for name, value in expected.items():
        assert_near(found[name].evaluate(**DECK), value)


@pytest.mark.parametrize("name", ["two_link_cylinders", *long("double_pendulum")])
def test_no_certified_bound_of_numbers_is_beyond_the_formula(name):
    """What is attained somewhere, with numbers for the symbols, is within what the formula says."""
    symbolic = qddot.load(f"{name}_symbolic")
    rng = np.random.default_rng(len(name))
    values = {symbol: float(rng.uniform(0.2, 2.0)) for symbol in symbolic.symbols}
    found = symbolic_bounds(symbolic)
    certified = bounds(symbolic.with_values(**values), list(found), gap=0.01)
    assert set(certified) == set(found)
    for key, bound in found.items():
        number, attained = bound.evaluate(**values), certified[key]
        assert attained.end == bound.end
        if bound.end == "sup":
            assert attained.lower <= number * TOLERANCE
        else:
            assert number <= attained.upper * TOLERANCE


def spatial(seed):
    """Return an arm with symbols everywhere, a joint that slides and a twist that is a symbol."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(1, 4):
        twist = str(rng.choice(["pi/2", "-pi/2", "0", f"t{k}"]))
        row = {"mass": f"m{k}", "com": [f"x{k}", 0, f"z{k}"], "inertia": [f"I{k}"] * 3}
        row |= {"a": f"a{k}", "alpha": twist, "type": "prismatic" if k == seed else "revolute"}
        rows.append(row)
    return qddot.from_dh(rows, "modified", name="spatial", gravity=(0, "-g", 0))


@pytest.mark.filterwarnings("ignore::qddot.RobotWarning")
@pytest.mark.parametrize("seed", [2, *long(1, 4)])
def test_no_state_of_a_random_arm_is_beyond_the_formula(seed):
    symbolic = spatial(seed)
    rng = np.random.default_rng(seed)
    values = {name: float(rng.uniform(0.1, 2.0)) for name in symbolic.symbols}
    arm, found = symbolic.with_values(**values), symbolic_bounds(symbolic)
    q = rng.uniform(-3, 3, (12, 3))
    qd = rng.normal(size=q.shape)
    M, C, gamma = arm.mass_matrix(q), arm.coriolis_matrix(q, qd), arm.christoffel(q)
    c, torque = arm.velocity_torque(q, qd), arm.gravity_torque(q)
    slope, _ = arm.inverse_dynamics_derivatives(q, 0 * q, 0 * q)
    truth = {
        "M.eigenvalue.max": np.linalg.eigvalsh(M)[:, -1],
        "M.norm1.max": np.linalg.norm(M, 1, axis=(1, 2)),
        "M.norm1.min": np.linalg.norm(M, 1, axis=(1, 2)),
        "M.normF.max": np.linalg.norm(M, axis=(1, 2)),
        "c.crude": 9 * np.abs(gamma).max(axis=(1, 2, 3)),
        "dg.norm2": np.linalg.norm(slope, 2, axis=(1, 2)),
    }
    for name, p in (("norm1", 1), ("norm2", 2), ("norminf", np.inf)):
        speed = np.linalg.norm(qd, p, axis=1)
        truth[f"c.{name}"] = np.linalg.norm(c, p, axis=1) / speed**2
        truth[f"C.{name}"] = np.linalg.norm(C, p, axis=(1, 2)) / speed
        truth[f"g.{name}"] = np.linalg.norm(torque, p, axis=1)
    for name, seen in truth.items():
        bound = found[name]
        for k in range(len(q)):  # where a joint slides, the formula has how far it is out
            number = bound.evaluate(q=q[k], **values)
            if bound.end == "sup":
                assert seen[k] <= number * TOLERANCE + ROUND_OFF
            else:
                assert number <= seen[k] * TOLERANCE


def test_a_joint_that_slides_is_in_the_formula_unless_the_box_has_it():
    rp = qddot.load("rp_symbolic")
    free, held = symbolic_bounds(rp), symbolic_bounds(rp, box={"j2": (-0.5, 2)})
    assert str(free["c.norm1"]) == "‖c‖₁ ≤ m2 q2 ‖q̇‖₁²"
    assert "q2 stands for |q2|" in free.assumptions
    assert str(held["c.norm1"]) == "‖c‖₁ ≤ 2 m2 ‖q̇‖₁²"
    assert str(held["M.norm1.min"]) == "‖M‖₁ ≥ m1 l1² + Izz1 + Iyy2"
    assert str(free["c.norm2"]) == "‖c‖₂ ≤ √3 m2 q2 ‖q̇‖₂²"


def test_a_bound_is_text_latex_sympy_and_a_number():
    found = symbolic_bounds(ARM)
    assert str(found["c.norm1"]) == "‖c‖₁ ≤ m2 a1 aC2 ‖q̇‖₁²"
    latex = found["c.norm1"].latex()
    assert latex == r"\lVert c\rVert_1 \le m_{2} a_{1} a_{C2}\,\lVert\dot q\rVert_1^2"
    assert str(found["D.norm2"]) == "‖D‖₂ ≤ max(d1, d2)"
    assert r"\frac{" in found["M.eigenvalue.min"].latex()
    for bound in found.values():
        names = {str(s): DECK[str(s)] for s in bound.sympy().free_symbols}
        assert_near(float(bound.sympy().subs(names)), bound.evaluate(**DECK))
    assert "λ_max(M) ≤" in str(found)
    assert r"\begin{aligned}" in found._repr_latex_()


def test_a_box_may_be_written_as_people_write_angles():
    text = symbolic_bounds(ARM, box={"j2": ("-pi/2", "90deg")})
    assert str(text) == str(symbolic_bounds(ARM, box=QUARTER))
    arm = qddot.load("two_link")
    assert box_of(arm, {"j2": ("-30deg", "pi/6")}) == box_of(arm, {"j2": (-pi / 6, pi / 6)})
    assert box_of(arm, {"j2": "45°"}) == box_of(arm, {"j2": pi / 4})


def test_certify_prints_formulas_of_a_robot_with_symbols(tmp_path):
    done = run("certify", "two_link_symbolic", "--norm", "1", "--box", "j2=-pi/2:pi/2")
    assert done.returncode == 0, done.stderr
    assert "‖M‖₁ ≥ m1 aC1² + m2 (a1² + 2 aC2²) + I1 + 2 I2" in done.stdout
    assert "norm2" not in done.stdout
    some = run("certify", "two_link_symbolic", "--set", "m1=50", "--set", "m2=50", "--json")
    assert json.loads(some.stdout)["bounds"]["c.norm1"]["formula"] == "50 a1 aC2"
    saved = run("certify", "two_link_symbolic", "-o", tmp_path / "a.json")
    assert saved.returncode == 2
    assert "--set" in saved.stderr


def test_a_screw_is_turned_anywhere_and_as_far_out_as_the_formula_says(tmp_path):
    """Its angle is bounded by ±1, how far it is out stays in the formula."""
    file = tmp_path / "screw.toml"
    file.write_text(
        'name = "screw"\ngravity = [0, "-g", 0]\n'
        '[[joint]]\nname = "j1"\ntype = "continuous"\nparent = "base"\nchild = "l1"\n'
        'axis = [1, 0, 0]\n[[link]]\nname = "l1"\nmass = "m1"\n'
        'com = [0, "c1", 0]\ninertia = ["I1", "I1", "I1"]\n'
        '[[joint]]\nname = "j2"\ntype = "screw"\npitch = "p"\nparent = "l1"\nchild = "l2"\n'
        "axis = [0, 0, 1]\nlimits = { lower = -9, upper = 9 }\n"
        '[[link]]\nname = "l2"\nmass = "m2"\ncom = ["c2", 0, 0]\ninertia = ["I2", "I2", "I2"]\n'
    )
    symbolic = qddot.load(file)
    found = symbolic_bounds(symbolic)
    assert "q2 stands for |q2|" in found.assumptions
    values = dict(m1=1.0, m2=2.0, c1=0.3, c2=0.4, I1=0.1, I2=0.2, p=0.3, g=9.81)
    arm = symbolic.with_values(**values)
    for q in np.random.default_rng(0).uniform(-3, 3, (20, 2)):
        M, torque = arm.mass_matrix(q), arm.gravity_torque(q)
        assert np.linalg.norm(M, 1) <= found["M.norm1.max"].evaluate(q=q, **values) * TOLERANCE
        assert np.abs(torque).sum() <= found["g.norm1"].evaluate(q=q, **values) * TOLERANCE
