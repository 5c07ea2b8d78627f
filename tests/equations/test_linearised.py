"""Small motions in closed form: matrices, poles and frequencies as textbooks print them."""

import numpy as np
import pytest
import sympy
from nearness import assert_near

import qddot
from qddot.equations.linearised import LinearEquations
from qddot.errors import BadArgument

M0, M1, m, g, L, d, k, c, inertia = sympy.symbols("M0 M1 m g L d k c I")
MASSES = qddot.derive(qddot.load("mass_spring_damper_symbolic"))


def test_the_pendulum_has_the_frequency_of_every_book():
    """ω = √(m g L/I), ζ = d/(2 √(I m g L)), hanging; it grows if it stands."""
    pendulum = qddot.derive(qddot.load("pendulum_symbolic"))
    (mode,) = pendulum.linearised([0]).modes
    assert sympy.simplify(mode.frequency**2 - m * g * L / inertia) == 0
    assert sympy.simplify(mode.damping**2 - d**2 / (4 * inertia * m * g * L)) == 0
    (standing,) = pendulum.linearised(["pi"]).modes
    assert sympy.simplify(standing.frequency**2 + m * g * L / inertia) == 0
    assert r"\omega" in mode._repr_latex_()


def test_the_mass_spring_damper_has_the_matrices_of_the_deck():
    found = MASSES.linearised([0, 0])
    assert (sympy.diag(M1, M0) == found.M).all()
    assert (sympy.Matrix([[c, -c], [-c, c]]) == found.D).all()
    assert (sympy.Matrix([[k, -k], [-k, k]]) == found.K).all()
    assert (found.tau == sympy.Matrix([-M1 * g, -M0 * g])).all()
    *drift, swing = found.modes
    assert [mode.poles for mode in drift] == [(0,), (0,)]
    assert sympy.simplify(swing.frequency**2 - k * (M0 + M1) / (M0 * M1)) == 0
    numbers = dict(M1=2, M0=5, c=3, k=80)
    assert_near(float(swing.frequency.subs(numbers)), 56**0.5)
    assert abs(float(swing.damping.subs(numbers)) - 0.14031215) < 5e-9
    poles = np.roots([2 * 5, 3 * 7, 80 * 7])
    mine = [complex(pole.subs(numbers)) for pole in swing.poles]
    assert_near(np.sort(np.imag(mine)), np.sort(poles.imag))
    assert_near(np.real(mine), poles.real)


def test_the_double_pendulum_has_two_frequencies_if_nothing_damps_it():
    """Of equal masses and lengths, ω² = (2 ∓ √2) g/L."""
    arm = qddot.derive(qddot.load("two_link_point_symbolic"))
    modes = arm.linearised(["-pi/2", 0]).modes
    equal = dict(m1=1, m2=1, L1=2, L2=2, g=10)
    squares = sorted(float((mode.frequency**2).subs(equal)) for mode in modes)
    assert_near(squares, [(2 - 2**0.5) * 5, (2 + 2**0.5) * 5])
    assert {mode.damping for mode in modes} == {0}
    assert_near(float(modes[0].poles[0].subs(equal) ** 2), -squares[1])


@pytest.mark.parametrize("name", ["two_link", "double_pendulum", "rp"])
def test_matrices_are_those_of_the_robot(name):
    arm = qddot.load(name).with_friction(viscous=0.5)
    q, qd, qdd = np.random.default_rng(6).uniform(-1, 1, (3, arm.n))
    eqs = qddot.derive(arm)
    exact, numbers = eqs.linearised(q, qd, qdd), arm.linearised(q, qd, qdd)
    for quantity in ("M", "D", "K", "tau", "A", "B"):
        assert_near(exact.evaluate(quantity), getattr(numbers, quantity), numbers.M)
    coefficients = exact.evaluate("characteristic")
    assert_near(coefficients / coefficients[0], np.poly(numbers.A), tolerance=1e-10)
    open_at = eqs.linearised()  # a function of q, at rest
    at_rest = arm.linearised(q)
    assert_near(open_at.to_function("A")(q), at_rest.A)


@pytest.mark.parametrize("name", LinearEquations.quantities)
def test_every_matrix_is_printed_and_becomes_sympy(name):
    found = MASSES.linearised([0, 0])
    values = dict(M1=2, M0=5, c=3, k=80, g=9.81)
    assert found.text(name, ascii=True).isascii()
    assert found.latex(name)
    mine = np.array(found.sympy(name).subs(values), dtype=float)
    assert_near(mine.reshape(-1), found.evaluate(name, **values).reshape(-1))


def test_it_says_where_there_is_no_formula():
    damped = qddot.derive(qddot.load("double_pendulum_symbolic"))
    with pytest.raises(BadArgument, match=r"factor of degree 4.*\n.*robot\.linearised\(q\)\.modes"):
        _ = damped.linearised([0, 0]).modes
    with pytest.raises(BadArgument, match="Where the position is a symbol"):
        _ = damped.linearised().modes
    with pytest.raises(BadArgument, match="q has 1 entries; give 2 numbers"):
        damped.linearised([0])
    assert "K =\n" in repr(damped.linearised([0, 0]))
    assert r"\tau_0 &=" in damped.linearised([0, 0])._repr_latex_()
