"""Comparing with SymPy: in either order, exactly, or refused with the way to ask."""

import numpy as np
import pytest
import sympy
from long import long

import qddot
from qddot.errors import BadArgument

EQS = qddot.derive(qddot.load("two_link_point_symbolic"))
q1, q2, m1, m2, L1, L2, qd1, qdd1 = sympy.symbols("q1 q2 m1 m2 L1 L2 qd1 qdd1")
ALL = ("M", "C", "c", "g", "tau", "M_rate", "Y", "centrifugal", "coriolis")


@pytest.mark.parametrize("name", ALL)
def test_a_quantity_equals_its_own_sympy_form_in_either_order(name):
    mine, theirs = getattr(EQS, name), EQS.sympy(name)
    for found in (mine == theirs, theirs == mine, mine == theirs.applyfunc(sympy.expand)):
        assert np.shape(found) == mine.shape
        assert np.all(found)
    assert not np.any(mine != theirs)


@pytest.mark.parametrize("name", ["K", "P"])
def test_one_formula_equals_its_sympy_form_in_either_order(name):
    mine, theirs = getattr(EQS, name), EQS.sympy(name)
    assert mine == theirs
    assert theirs == mine
    assert mine == sympy.simplify(theirs)
    assert mine != theirs + 1


def test_stacks_of_matrices_and_matrices_of_numbers_are_compared_too():
    assert np.all(EQS.gamma == EQS.sympy("gamma"))
    still = qddot.derive(qddot.load("pendulum").without("gravity"))
    assert np.all(still.g == sympy.zeros(1, 1))
    assert np.all(still.g == sympy.Matrix([sympy.sin(q1) ** 2 + sympy.cos(q1) ** 2 - 1]))
    assert np.all(sympy.zeros(1, 1) == still.g)


def test_what_is_written_differently_is_equal_and_what_is_wrong_is_named_by_its_place():
    mine = sympy.Matrix(
        [
            [m1 * L1**2 + m2 * (L1**2 + L2**2 + 2 * L1 * L2 * sympy.cos(q2)), 0],
            [0, m2 * L2**2 * (sympy.sin(q1 + q2) ** 2 + sympy.cos(q1 + q2) ** 2)],
        ]
    )
    mine[0, 1] = mine[1, 0] = m2 * (L2**2 + L1 * L2 * sympy.sin(q2))  # wrong: it is the cosine
    assert (mine == EQS.M).tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("name", ["scara", *long("ur5", "puma560")])
def test_closed_forms_of_real_arms_equal_their_sympy_form(name):
    eqs = qddot.derive(qddot.load(name))
    assert np.all(eqs.g == eqs.sympy("g"))


@pytest.mark.parametrize("alpha", ["pi/5", "pi/4", 0.7, "beta", *long("pi/12")])
def test_roots_and_fixed_angles_are_read(alpha):
    rows = [{"a": "sqrt(2)/2", "alpha": alpha, "mass": 1}, {"a": 1, "alpha": 0.3, "mass": "m2"}]
    eqs = qddot.derive(qddot.from_dh(rows, "standard"))
    assert np.all(eqs.sympy("M") == eqs.M)
    assert np.all(eqs.sympy("tau").applyfunc(sympy.expand) == eqs.tau)


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        (sympy.Symbol("L3"), r"no symbol 'L3'. Did you mean 'L.*\n.*q1, qd1, qdd1 to q2"),
        (sympy.Symbol("q3"), "The equations have 2 joints"),
        (sympy.exp(q1), r"'exp\(q1\)' cannot be compared exactly: known are"),
        (sympy.sin(q1 / 2), r"sympy.simplify\(mine - equations.sympy\(\"M\"\)\)"),
        (1 / (sympy.sin(q1) ** 2 + sympy.cos(q1) ** 2 - 1), "it divides by zero"),
        (sympy.Function("q1")(sympy.Symbol("L1"), m1), r"'q1\(L1, m1\)' cannot be compared"),
    ],
)
def test_what_cannot_be_decided_is_refused_with_the_way_to_ask(theirs, words):
    with pytest.raises(BadArgument, match=words):
        EQS.M[0, 0] == theirs  # noqa: B015
    with pytest.raises(BadArgument, match=words):
        theirs == EQS.M[0, 0]  # noqa: B015
    with pytest.raises(BadArgument, match=r"shape \(3, 3\) is compared with one of \(2, 2\)"):
        sympy.zeros(3, 3) == EQS.M  # noqa: B015


def test_quotients_and_tangents_are_decided_too():
    mine = EQS.M[0, 1]  # m2 (L2² + L1 L2 c2)
    theirs = m2 * L2 * sympy.sin(q2) * (L2 / sympy.sin(q2) + L1 / sympy.tan(q2))
    assert mine == theirs
    assert mine == theirs * (m1 + m2) / (m1 / (m1 + m2) + m2 / (m1 + m2)) / (m1 + m2)
    assert mine != theirs + 1 / sympy.cos(q1)


def test_names_of_parameters_need_no_numbers():
    symbolic, numeric = qddot.load("two_link_point_symbolic"), qddot.load("two_link_point")
    assert symbolic.parameter_names == numeric.parameter_names
    assert len(EQS.parameter_names) == EQS.Y.shape[1]
    assert EQS.parameter_names[:2] == ("j1.m", "j1.mx")
    for name in ("Y", "centrifugal", "coriolis"):
        assert EQS.latex(name).startswith("\\begin{bmatrix}")
        state = np.random.default_rng(0).normal(size=(3, 2))
        values = dict(m1=1.0, m2=2.0, L1=0.5, L2=0.7, g=9.81)
        found = EQS.evaluate(name, *state, **values)
        assert found.shape == getattr(EQS, name).shape


def test_what_is_not_decided_is_refused_and_not_called_different():
    eqs = qddot.derive(qddot.from_dh([{"a": "cos(pi/7)", "mass": 1}], "standard"))
    # cos π/7 = ½ + cos 2π/7 − cos 3π/7, which no rule here knows
    theirs = sympy.Rational(1, 2) + sympy.cos(2 * sympy.pi / 7) - sympy.cos(3 * sympy.pi / 7)
    with pytest.raises(BadArgument, match="could not be decided exactly"):
        eqs.M[0, 0] == theirs**2  # noqa: B015
    assert eqs.M[0, 0] == sympy.cos(sympy.pi / 7) ** 2
