"""Equations in print: the textbooks' forms, and laws of every form.

Run this file as a program, with PYTHONPATH=tests, to write the golden files anew; then read the
difference.
"""

import html
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy
from formula_reader import value_of_latex, value_of_text
from hypothesis import given
from hypothesis import strategies as st

import qddot
from qddot.dynamics.coriolis import coriolis_matrix, velocity_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.rnea import gravity_torque, inverse_dynamics
from qddot.equations.exact_tree import exact_robot
from qddot.equations.forms import expanded, form
from qddot.equations.latex import LatexWriter, as_latex, escape_latex, escape_markdown, name_latex
from qddot.equations.nodes import Name, expression_node, operations
from qddot.equations.polynomial import Polynomial
from qddot.equations.sympy_forms import as_sympy
from qddot.equations.terms import parallel_groups, polynomial_of, sums_of_angles, terms_of
from qddot.equations.text import TextWriter, as_text, width
from qddot.equations.writer import numeral
from qddot.errors import BadArgument
from qddot.scalars.reader import read_formula

GOLDEN = Path(__file__).parents[1] / "golden"
PRINTED = (
    "two_link_symbolic",
    "two_link_point_symbolic",
    "rp_symbolic",
    "two_link_cylinders_symbolic",
    "double_pendulum_symbolic",
    "mass_spring_damper_symbolic",
    "scara",
)
OF_ALL_TERMS = 1e-9  # of the sum of the sizes of the terms; a few hundred operations
ALL_DIGITS = 60  # so that no decimal is rounded


def robot(name):
    if name == "twisted":  # lengths below a line, and names that are words
        rows = [
            {"a": "L1/L2", "alpha": "pi/2", "mass": "m1", "com": ["1/(L1 + L2)", 0, 0]},
            {"a": "L2", "mass": "pi*m2", "com": ["alpha2", 0, "my_length"]},
        ]
        return exact_robot(qddot.from_dh(rows, "standard").model)
    return exact_robot(qddot.load(name).model)


ROBOTS = {
    name: robot(name)
    for name in ("two_link_symbolic", "double_pendulum_symbolic", "twisted", "rp_symbolic", "ur5")
}


def quantities(arm):
    tree, q, qd, qdd = arm.tree, arm.q, arm.qd, arm.qdd
    return {
        "M": mass_matrix(tree, q),
        "C": coriolis_matrix(tree, q, qd),
        "C q̇": velocity_torque(tree, q, qd),
        "g": gravity_torque(tree, q),
        "τ": inverse_dynamics(tree, q, qd, qdd),
    }


def golden_text(name):
    parts = [f"{label} =\n{as_text(x)}\n" for label, x in quantities(robot(name)).items()]
    return "\n".join(parts)


def golden_latex(name):
    letters = {"C q̇": r"C \dot{q}", "τ": r"\tau"}
    parts = quantities(robot(name)).items()
    return "\n".join(f"{letters.get(label, label)} = {as_latex(x)}\n" for label, x in parts)


@st.composite
def polynomials(draw, most=6):
    ring = ROBOTS[draw(st.sampled_from(sorted(ROBOTS)))].ring
    x = ring.constant(0)
    exponents = st.dictionaries(
        st.integers(0, len(ring.generators) - 1), st.integers(1, 3), max_size=4
    )
    for _ in range(draw(st.integers(0, most))):
        top, bottom = draw(st.integers(-999, 999)), draw(st.sampled_from([1, 2, 3, 8, 10, 1000]))
        term = ring.constant(Fraction(top, bottom))
        for place, exponent in draw(exponents).items():
            name = str(ring.context.gens()[place])
            term = term * ring.element(name[0], int(name[1:]) - 1) ** exponent
        x = x + term
    return x


@st.composite
def positions(draw):
    """Values of everything: parameters by name, q, q̇ and q̈ as the printers call them."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)

    def values(ring):
        found = {"π": math.pi, "pi": math.pi}
        symbols = {s for atom in ring.parameters for s in free_symbols(atom)}
        found |= {name: rng.uniform(0.5, 2) for name in sorted(symbols)}
        for i in range(ring.n):
            rates = rng.normal(size=2)
            found[f"q{i + 1}"] = rng.uniform(-3, 3)
            found[f"q\u0307{i + 1}"], found[f"q\u0308{i + 1}"] = rates
            found[f"qd{i + 1}"], found[f"qdd{i + 1}"] = rates
        return found

    return values


def free_symbols(atom):
    return atom.argument.free_symbols if atom.function else {atom.name} - {"pi"}


def with_angles(ring, values):
    """Add what c12 and its like stand for, under the letters that the ring's parameters leave."""
    letters = ("S", "C") if any(str(a) in ("c1", "c2") for a in ring.parameters) else ("s", "c")
    result = dict(values)
    for i in range(ring.n):
        for j in range(i, ring.n + 1):
            angle = sum(values[f"q{k + 1}"] for k in range(i, j))
            index = "".join(str(k + 1) for k in range(i, j))
            result[letters[0] + index], result[letters[1] + index] = (
                math.sin(angle),
                math.cos(angle),
            )
    for index in ("13", "24"):  # sums that leave out a joint
        if all(f"q{k}" in values for k in index):
            angle = sum(values[f"q{k}"] for k in index)
            result[letters[0] + index], result[letters[1] + index] = (
                math.sin(angle),
                math.cos(angle),
            )
    return result


def value_and_size(x, values):
    """Return a polynomial's value, and the sum of the sizes of its terms, straight from these."""
    total = size = 0.0
    for exponents, coefficient in x.terms():
        term = float(coefficient)
        for generator, e in zip(x.ring.generators, exponents, strict=True):
            if e:
                term *= generator_value(x.ring, generator, values) ** e
        total, size = total + term, size + abs(term)
    return total, size


def generator_value(ring, generator, values):
    if generator.role == "parameter":
        atom = ring.parameters[generator.index]
        return float(ring_atom_value(atom, values))
    letter = {"rate": "qd", "acceleration": "qdd"}.get(generator.role, "q")
    value = values[f"{letter}{generator.index + 1}"]
    return {"sine": math.sin, "cosine": math.cos}.get(generator.role, float)(value)


def ring_atom_value(atom, values):
    if not atom.function:
        return values[atom.name]
    inside = atom.argument.evaluate(values)
    functions = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "1/": lambda v: 1 / v}
    return functions[atom.function](inside)


def agree(found, expected, size):
    return abs(found - expected) <= OF_ALL_TERMS * max(size, 1)


# the textbooks' forms


@pytest.mark.parametrize("name", PRINTED)
def test_equations_print_as_in_the_golden_files(name):
    assert golden_text(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert golden_latex(name) == (GOLDEN / f"{name}.tex").read_text(encoding="utf-8")


def test_the_two_link_arm_prints_as_its_deck():
    """Euler-Lagrange deck: M, h = −m2 a1 aC2 S2 and g of the 2-dof manipulator, term for term."""
    arm = quantities(ROBOTS["two_link_symbolic"])
    assert as_text(arm["M"][0, 0]) == "m1 aC1² + m2 (a1² + aC2² + 2 a1 aC2 c2) + I1 + I2"
    assert as_text(arm["M"][0, 1]) == "m2 (aC2² + a1 aC2 c2) + I2"
    assert as_text(arm["M"][1, 1]) == "m2 aC2² + I2"
    assert as_text(arm["C"][0, 1], ascii=True) == "-m2 a1 aC2 s2 (qd1 + qd2)"
    assert as_text(arm["C q̇"][0], ascii=True) == "-m2 a1 aC2 s2 (2 qd1 qd2 + qd2^2)"
    assert as_text(arm["g"][0]) == "(m1 aC1 + m2 a1) g c1 + m2 g aC2 c12"
    assert as_latex(arm["g"][1], full=True) == (r"m_{2} g a_{C2} \cos\left(q_{1} + q_{2}\right)")


def test_a_cosine_never_shares_its_name_with_a_parameter():
    """The double pendulum's friction is called c1, so its cosines are C1."""
    tau = quantities(ROBOTS["double_pendulum_symbolic"])["τ"]
    assert "c1 q\u03071" in as_text(tau[0])
    assert "d2 C2" in as_text(tau[0])


# laws


@given(polynomials(), positions())
def test_a_printed_text_has_the_value_of_its_polynomial(x, values):
    values = values(x.ring)
    expected, size = value_and_size(x, values)
    everything = with_angles(x.ring, values)
    for options in ({}, {"ascii": True}, {"full": True}, {"groups": ()}):
        text = as_text(x, digits=ALL_DIGITS, **options)
        assert agree(value_of_text(text, everything), expected, size), text


@given(polynomials(), positions())
def test_printed_latex_has_the_value_of_its_polynomial(x, values):
    values = values(x.ring)
    expected, size = value_and_size(x, values)
    everything = with_angles(x.ring, values)
    for full in (False, True):
        text = as_latex(x, full=full, digits=ALL_DIGITS)
        assert agree(value_of_latex(text, everything), expected, size), text


@given(polynomials(), positions())
def test_a_sympy_expression_has_the_value_of_its_polynomial(x, values):
    values = values(x.ring)
    expected, size = value_and_size(x, values)
    found = as_sympy(x)
    assert not found.atoms(sympy.Float)
    found = found.subs({symbol: values[symbol.name] for symbol in found.free_symbols})
    assert agree(float(found), expected, size)


@given(polynomials())
def test_sums_of_angles_are_the_same_polynomial(x):
    """Products, to sums of angles of any joints, and back: not a digit is lost."""
    turning = [i for i, turns in enumerate(x.ring.turns) if turns]
    for groups in (x.ring.groups, (tuple(turning),)):
        terms = sums_of_angles(terms_of(x), groups)
        assert not polynomial_of(x.ring, terms) - x
        angles = {i for group in groups for i in group}
        for monomial in terms:
            used = [f for f, _ in monomial if isinstance(f, Name) and f.kind in ("sine", "cosine")]
            assert sum(f.joints[0][0] in angles for f in used) <= len(groups)


@given(polynomials(most=12))
def test_no_form_is_longer_than_the_terms_written_out(x):
    written_out = operations(expanded(x))
    assert operations(form(x)) <= operations(form(x, ())) <= written_out


# parts


@pytest.mark.parametrize(
    ("formula", "text", "latex"),
    [
        ("2*sqrt(2)*L1", "2 L1 √2", r"2 L_{1} \sqrt{2}"),
        ("sin(alpha)/L1", "L1⁻¹ sin(alpha)", r"L_{1}^{-1} \sin\left(\alpha\right)"),
        ("cos(a + b)**2", "cos(a + b)²", r"\cos^{2}\left(a + b\right)"),
        ("sqrt(a + b)/(a - b)", "(a − b)⁻¹ √(a + b)", r"\left(a - b\right)^{-1} \sqrt{a + b}"),
        ("pi/3", "1/3 π", r"\frac{1}{3} \pi"),
    ],
)
def test_functions_of_parameters_print(formula, text, latex):
    node = expression_node(read_formula(formula))
    assert TextWriter(0).write(node) == text
    assert LatexWriter(0).write(node) == latex


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("two_link_symbolic", ((0, 1),)),
        ("scara", ((0, 1, 3),)),
        ("ur5", ((1, 2, 3),)),
        ("puma560", ((1, 2),)),
        ("panda", ()),
        ("rp_symbolic", ()),
    ],
)
def test_parallel_joints_are_found(name, groups):
    arm = robot(name)
    assert arm.ring.groups == groups
    assert parallel_groups(arm.tree) == groups


def test_masses_and_inertias_are_told_from_lengths():
    roles = {str(atom): role for atom, role in ROBOTS["two_link_symbolic"].ring.roles.items()}
    masses, linear = dict.fromkeys(("m1", "m2"), "mass"), ("I1", "I2", "d1", "d2")
    assert roles == {**masses, **dict.fromkeys(linear, "linear"), "g": "gravity"}
    # a length enters squared, and a mass that is a product keeps one linear factor
    rows = [{"a": "L1", "mass": 3, "com": ["L1/2", 0, 0]}, {"a": 1, "mass": "rho*A"}]
    ring = exact_robot(qddot.from_dh(rows, "standard").model).ring
    assert {str(atom): role for atom, role in ring.roles.items()} == {"A": "mass"}


def test_angles_are_subtracted_where_axes_are_opposite():
    rows = [{"a": 1, "alpha": "pi", "mass": 1}, {"a": 1, "mass": 1}]
    arm = exact_robot(qddot.from_dh(rows, "standard", gravity=(0, -10, 0)).model)
    assert as_text(gravity_torque(arm.tree, arm.q)[1]) == "−10 cos(q1 − q2)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction("0.4318"), "0.4318"),
        (Fraction(1, 3), "1/3"),
        (Fraction(1, 2), "0.5"),
        (Fraction(45, 2), "22.5"),
        (Fraction("0.4318001234"), "0.4318"),
        (Fraction(1, 1234567), "8.10001e-7"),
        (Fraction(1234567), "1234567"),
        (Fraction("1234567.5"), "1.23457e6"),
        (Fraction(0), "0"),
    ],
)
def test_numbers_print_as_people_write_them(value, text):
    assert numeral(value) == text


def test_a_half_is_a_fraction_among_symbols():
    assert numeral(Fraction(1, 2), fractions=True) == "1/2"
    assert numeral(Fraction("0.4318"), fractions=True) == "0.4318"


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("m1", "m_{1}"),
        ("aC1", "a_{C1}"),
        ("alpha1", r"\alpha_{1}"),
        ("Izz1", "I_{zz1}"),
        ("L1", "L_{1}"),
        ("g", "g"),
        ("d_1", "d_{1}"),
        ("radius", r"\mathrm{radius}"),
        ("link_length", r"\mathrm{link\_length}"),
    ],
)
def test_names_get_their_index_below(name, latex):
    assert name_latex(name) == latex


@given(st.text())
def test_escaped_names_give_no_orders(text):
    """Whatever a file calls its joints, nothing in the name acts on the document around it."""
    latex = escape_latex(text)
    commands = (r"\textbackslash{}", r"\textasciicircum{}", r"\textasciitilde{}")
    for known in (*commands, *(f"\\{c}" for c in "{}$&#_%")):
        latex = latex.replace(known, "")
    assert not set(latex) & set("\\{}$&#_%^~\n")
    markdown = escape_markdown(text)
    assert "\n" not in markdown
    assert html.unescape(markdown) == markdown


def test_long_entries_show_their_beginning_and_their_length():
    x = mass_matrix(ROBOTS["ur5"].tree, ROBOTS["ur5"].q)[0, 0]
    assert isinstance(x, Polynomial)
    text = as_text(x, limit=20)
    assert text.endswith(f"+ … ({len(x)} terms)")
    assert len(text) < 1000


def test_arrays_print_in_every_shape():
    arm = ROBOTS["two_link_symbolic"]
    M = mass_matrix(arm.tree, arm.q)
    stack = np.array([M, M])
    lines = as_text(M).splitlines()
    assert len({width(line) for line in lines}) == 1
    assert as_text(stack).count("⎡") == 2
    assert as_latex(stack).count(r"\begin{bmatrix}") == 2
    assert as_sympy(M).shape == (2, 2)
    assert as_sympy(M[0]).shape == (2, 1)
    assert len(as_sympy(stack)) == 2
    assert (as_text(0), as_latex(0.0), as_sympy(Fraction(1, 2))) == ("0", "0", sympy.Rational(1, 2))


EXPRESSIONS = (
    *(
        "m*a**2/12",
        "m*(b**2 + c**2)/12",
        "-a",
        "pi/2",
        "sqrt(2)",
        "sqrt(k/m)",
        "1/(a + b)",
        "c1*m1",
    ),
    *("m*sin(alpha)*cos(alpha)", "2.5*k - 1/3", "(a - b)/(c*m)", "m_1*m1", "pi*r**2*rho*(r/L)"),
)


@pytest.mark.parametrize("formula", EXPRESSIONS)
def test_an_expression_of_a_model_is_printed_as_what_it_is(formula):
    """To SymPy, as text and in LaTeX, alone and in arrays: not as its constant term, 0."""
    x = read_formula(formula)
    numbers = {name: 0.3 + k / 7 for k, name in enumerate(sorted(x.free_symbols))}
    value = float(x.evaluate(numbers))
    whole = as_sympy(x)
    assert (
        sympy.simplify(whole - sympy.sympify(formula, rational=True, locals=LETTERS_OF_SYMPY)) == 0
    )
    known = numbers | {"pi": math.pi, "π": math.pi}
    assert value_of_text(as_text(x), known) == pytest.approx(value)
    assert value_of_text(as_text(x, ascii=True), known) == pytest.approx(value)
    assert as_sympy(np.array([[x, 0]])) == sympy.Matrix([[whole, 0]])
    assert (
        as_latex(np.array([x, 1])) == f"\\begin{{bmatrix}}\n{as_latex(x)} \\\\\n1\n\\end{{bmatrix}}"
    )


LETTERS_OF_SYMPY = {name: sympy.Symbol(name) for name in ("c1", "k", "m", "rho", "L")}


def test_a_moment_of_inertia_reads_as_in_a_textbook():
    x = read_formula("m*(3*(a**2 + b**2) + h**2)/12")
    assert as_text(x) == "1/12 m (3 a² + 3 b² + h²)"
    assert as_latex(x) == r"\frac{1}{12} m \left(3 a^{2} + 3 b^{2} + h^{2}\right)"


@pytest.mark.parametrize("thing", ["text", None, object, 1j, [1, 2], {}, np.array(["m"])], ids=repr)
@pytest.mark.parametrize("printer", [as_text, as_latex, as_sympy])
def test_what_is_no_formula_is_refused(printer, thing):
    with pytest.raises(BadArgument, match="is no formula; give a number, an expression in symbols"):
        printer(thing)


if __name__ == "__main__":
    for printed in PRINTED:
        (GOLDEN / f"{printed}.txt").write_text(golden_text(printed), encoding="utf-8")
        (GOLDEN / f"{printed}.tex").write_text(golden_latex(printed), encoding="utf-8")


# names that LaTeX would write alike


def letters(*rows):
    """Return the LaTeX of every term of τ of an arm in a plane."""
    eqs = qddot.derive(qddot.from_dh(list(rows), "standard", gravity=(0, "-g0", 0)))
    return eqs, eqs.latex("tau")


def test_a_parameter_c_1_is_not_the_cosine_of_q1():
    eqs, latex = letters({"a": "L", "mass": "m", "friction": {"viscous": "c_1"}})
    assert r"L C_{1} + c_{1} \dot{q}_{1}" in latex
    assert "C1" in eqs.text("g")
    from qddot.equations.document import document
    from qddot.equations.printing import page

    assert "S1, C1  sin q1, cos q1" in page(document(eqs), "text")


def test_where_both_letters_are_taken_cosines_are_spelt_out():
    viscous = {"friction": {"viscous": "c_1", "offset": "C1"}}
    eqs, latex = letters({"a": "L", "mass": "m"} | viscous)
    assert r"\cos\left(q_{1}\right)" in latex
    from qddot.equations.document import document
    from qddot.equations.printing import page

    assert "sin q1, cos q1" not in page(document(eqs), "text")


@pytest.mark.parametrize(
    ("one", "other"), [("m1", "m_1"), ("alpha1", "alpha_1"), ("aC1", "a_C1"), ("q_1", "q_2")]
)
def test_no_two_names_are_written_alike(one, other):
    from qddot.equations.latex import names_latex

    found = names_latex(frozenset([one, other]), ("q_{1}", "q_{2}"))
    drawn = {*found.values(), "q_{1}", "q_{2}"}
    assert len(drawn) == 4
    _, latex = letters({"a": "L", "mass": one}, {"a": "L", "mass": other})
    assert found[one] in latex
    assert found[other] in latex
