"""Equations to look at: arrays and entries that a notebook typesets, short enough for a screen."""

import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from formula_reader import value_of_latex
from long import long

import qddot
from qddot.equations.deriving import FORMULATIONS
from qddot.equations.document import document
from qddot.equations.formulas import Formulas
from qddot.equations.layout import PAGE, broken, width
from qddot.equations.printing import page, words_latex
from qddot.equations.readable import MOST_LETTERS, readable_latex, readable_text

ARM = "two_link_symbolic"
NAMES = ("M", "C", "c", "g", "tau", "gamma", "M_rate")
BROKEN = re.compile(r" \\\\\n& \\quad \{\}")


@cache
def equations(name=ARM, formulation="lagrange"):
    return qddot.derive(qddot.load(name), formulation)


def inside(latex):
    """Return the formula of a display, its lines joined."""
    body = latex.removeprefix(r"$\displaystyle ").removesuffix("$")
    body = re.sub(r"^\\begin\{aligned\}\n& |\n\\end\{aligned\}$", "", body)
    return BROKEN.sub("", body)


@pytest.mark.parametrize("name", NAMES)
def test_a_quantity_is_an_array_of_formulas_with_its_name(name):
    value = equations().quantity(name)
    assert isinstance(value, Formulas)
    assert isinstance(value, np.ndarray)
    latex = value._repr_latex_()
    assert latex.startswith(r"$\displaystyle ")
    assert value.symbol in latex


def test_a_part_is_an_array_of_formulas_again_and_an_entry_is_one_formula():
    eqs = equations()
    row = eqs.M[0]
    assert isinstance(row, Formulas)
    assert row.symbol == ""
    assert r"\begin{bmatrix}" in row._repr_latex_()
    assert eqs.M[1, 1]._repr_latex_() == r"$\displaystyle m_{2} a_{C2}^{2} + I_{2}$"
    assert repr(eqs.M[1, 1]) == "m2 aC2² + I2"


def test_what_is_computed_of_formulas_is_formulas_or_one_of_them():
    eqs = equations()
    qd = eqs.robot.qd
    assert isinstance(eqs.M @ qd, Formulas)
    assert not isinstance(eqs.c @ qd, np.ndarray)
    assert not isinstance(eqs.M.sum(), np.ndarray)
    assert not isinstance(eqs.K, np.ndarray)
    assert eqs.c @ qd == (eqs.C @ qd) @ qd
    assert type(np.asarray(eqs.M)) is np.ndarray
    assert isinstance(eqs.derivative("M", "q2"), Formulas)


def test_an_array_that_is_no_formula_prints_as_numpy_has_it():
    eqs = equations()
    same = eqs.M == eqs.M
    assert repr(same) == repr(np.asarray(same))
    assert same._repr_latex_() is None
    numbers = (0 * eqs.M).astype(float)
    assert str(numbers) == str(np.zeros((2, 2)))


def test_an_array_reads_well_in_a_terminal():
    assert repr(equations().M[:, 1]) == "⎡m2 (aC2² + a1 aC2 c2) + I2⎤\n⎣m2 aC2² + I2              ⎦"


@pytest.mark.parametrize("place", [(0, 0), (1, 2), (3, 3), (4, 4)])
def test_a_sum_broken_into_lines_has_its_value(place):
    eqs = equations("ur5")
    q = np.linspace(0.3, 1.3, 6)
    letters = {f"q{i + 1}": x for i, x in enumerate(q)}
    for i in range(6):
        for j in range(i, 6):
            name = "".join(str(k + 1) for k in range(i, j + 1))
            letters |= {f"c{name}": np.cos(q[i : j + 1].sum())}
            letters |= {f"s{name}": np.sin(q[i : j + 1].sum())}
    found = value_of_latex(inside(eqs.M[place]._repr_latex_()), letters)
    six_digits = 1e-5
    assert abs(found - eqs.evaluate("M", q)[place]) < six_digits


@pytest.mark.parametrize("name", ["ur5", *long("panda")])
def test_long_equations_are_told_in_few_letters(name):
    eqs = equations(name)
    for quantity in ("M", "c", "g"):
        value = eqs.quantity(quantity)
        assert len(value._repr_latex_()) < MOST_LETTERS + 100
        assert len(repr(value)) < MOST_LETTERS + 100
        longest = max(value.reshape(-1), key=lambda x: len(x) if hasattr(x, "ring") else 0)
        assert len(longest._repr_latex_()) < MOST_LETTERS
    assert len(eqs._repr_latex_()) < 30_000


@pytest.mark.long
def test_of_entries_that_nobody_would_read_the_length_is_told():
    M = equations("panda").M
    assert r"\text{(805 terms)}" in M._repr_latex_()
    assert "(805 terms)" in repr(M)
    assert M._repr_latex_().startswith(r"$\displaystyle M = \begin{bmatrix}")
    alone = M[0, 0]._repr_latex_()
    assert r"+ \cdots \quad \text{(805 terms)}" in alone
    assert "1.68863" in alone


def test_a_wide_matrix_is_listed_above_its_diagonal():
    latex = equations("ur5").M._repr_latex_()
    assert "M_{12} &= " in latex
    assert "M_{21}" not in latex
    assert "M_{ji} &= M_{ij}" in latex
    assert "M_{21} &= " in readable_latex(equations("ur5").M * np.arange(1, 7), "M")


def test_equations_show_the_whole_equation_and_its_letters():
    latex = equations()._repr_latex_()
    assert r"F_v\,\dot{q}" in latex
    assert r"c_{12} = \cos\left(q_{1} + q_{2}\right)" in latex
    assert "cos" not in equations("mass_spring_damper_symbolic")._repr_latex_()


def test_the_steps_of_a_derivation_are_shown_one_below_the_other():
    steps = equations(ARM, "trace").steps
    page = steps._repr_markdown_()
    assert page.startswith("Transform from the link before:\n\n$\\displaystyle {}^{0}T_{1} = ")
    assert page.count("$\\displaystyle") == len(steps)
    assert steps[0]._repr_latex_() in page
    assert repr(steps[0]).startswith("Transform from the link before:\n⎡c1")
    assert isinstance(steps, tuple)


@pytest.mark.long
def test_the_steps_of_a_large_robot_are_cut():
    long = equations("panda").steps
    assert len(long._repr_markdown_()) < 60_000
    assert len(repr(long)) < 60_000
    assert "more" in repr(long)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_step_of_every_formulation_can_be_shown(formulation):
    for step in equations(ARM, formulation).steps:
        assert step._repr_latex_().startswith(r"$\displaystyle ")
        assert step.symbol in step._repr_latex_()
        assert repr(step)
        assert "np." not in str(step.value)


def test_a_breakdown_is_shown_term_by_term():
    page = equations().breakdown()._repr_markdown_()
    assert r"coupling inertia: $\displaystyle M_{12} = " in page
    assert page.count("gravity") == 2


def test_numbers_and_empty_arrays_are_formulas_too():
    assert readable_latex(Fraction(1, 2), "x") == r"$\displaystyle x = 0.5$"
    assert "bmatrix" in readable_latex(np.zeros((0, 3), dtype=object), "M")
    assert readable_text(np.array([1, 2], dtype=object)) == "⎡1⎤\n⎣2⎦"


def test_a_product_that_is_wider_than_a_page_breaks_between_its_factors():
    names = [rf"\mathrm{{very\_long\_parameter\_name\_{k}}}" for k in range(9)]
    lines = broken("a + " + " ".join(names), PAGE)
    assert len(lines) > 3
    assert all(width(line) <= PAGE for line in lines)
    assert " ".join(lines).replace(r"\cdot ", "") == "a + " + " ".join(names)


def test_rows_of_a_matrix_that_is_too_wide_are_broken_in_a_terminal_too():
    text = page(document(qddot.derive("puma560")), "text")
    assert max(len(line) for line in text.splitlines() if line.startswith("    ")) < 140


def test_a_name_without_spaces_may_break_in_latex_where_it_is_long():
    short = "a_name_of_usual_length"
    assert "allowbreak" not in words_latex(f"{short} {short}")
    assert words_latex("x" * 45).count(r"\allowbreak{}") == 5
