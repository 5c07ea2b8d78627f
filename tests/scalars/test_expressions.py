"""Laws of exact expressions: a ring in one normal form, in which equal means equal as objects."""

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st
from long import examples

from qddot.errors import BadArgument, NotNumeric
from qddot.scalars import constant_sincos, sincos, sqrt
from qddot.scalars.expressions import (
    MOST_TERMS,
    PI_EXPRESSION,
    Expression,
    expression,
    free_symbols,
    simplest,
    symbol,
)
from qddot.scalars.monomials import MOST_POWER
from qddot.scalars.reader import read_formula

OF_ALL_TERMS = 1e-9  # relative to the largest term; a few dozen operations on numbers of size 1

a, b, c = (symbol(name) for name in "abc")
pi = PI_EXPRESSION
NAMES = ("a", "b", "c")
OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul}

rationals = st.fractions(-5, 5, max_denominator=12)
values = st.fixed_dictionaries({name: rationals.filter(bool) for name in NAMES})
positive = st.fixed_dictionaries({name: st.floats(0.3, 2.0) for name in NAMES})


@st.composite
def trees(draw, leaves, functions=()):
    """Return a formula as nested tuples, to be computed over any kind of number."""
    parts = draw(st.lists(leaves, min_size=2, max_size=6))
    while len(parts) > 1:
        first, second, *rest = parts
        joined = (draw(st.sampled_from(sorted(OPERATIONS))), first, second)
        shape = draw(st.sampled_from(("as it is", "**", *functions)))
        if shape == "**":
            joined = ("**", joined, draw(st.integers(0, 3)))
        elif shape in functions:
            joined = (shape, joined)
        # at the end, so that trees grow wide as well as deep
        parts = [*rest, joined]
    return parts[0]


def compute(tree, of, functions=None):
    """Return the value of a formula, `of` giving the leaves their kind of number."""
    if not isinstance(tree, tuple):
        return of(tree)
    name, *parts = tree
    if name == "**":
        return compute(parts[0], of, functions) ** parts[1]
    arguments = [compute(part, of, functions) for part in parts]
    if name in OPERATIONS:
        return OPERATIONS[name](*arguments)
    return functions[name](*arguments)


def exactly(tree):
    """Return the formula as an expression; roots are taken of squares plus one, so they exist."""
    return compute(tree, leaf, EXACT)


def leaf(x):
    return symbol(x) if isinstance(x, str) else expression(x)


EXACT = {
    "sin": lambda x: sincos(x)[0],
    "cos": lambda x: sincos(x)[1],
    "sqrt": lambda x: sqrt(x * x + 1),
}
FLOATING = {"sin": math.sin, "cos": math.cos, "sqrt": lambda x: math.sqrt(x * x + 1)}


def small(tree):
    """Return whether a formula stays well within the limits of growth, cubed too."""
    try:
        terms = exactly(tree).terms
    except BadArgument:
        return False
    return len(terms) <= 25 and all(e <= 9 for monomial in terms for _, e in monomial)


polynomials = trees(st.sampled_from(NAMES) | rationals).filter(small)
formulas = trees(st.sampled_from(NAMES) | st.integers(-2, 2), ("sin", "cos", "sqrt")).filter(small)
expressions = formulas.map(exactly)

# what has a reciprocal that is a term again
units = st.sampled_from(
    [
        *(a, 2 * b, a / c, pi, sqrt(b), sqrt(expression(2)), sqrt(2 * c) / 3),
        *(sincos(a)[0], sincos(a)[1], sincos(a)[0] * sincos(a)[1], b / sincos(a)[0]),
        sincos(a + b)[0],
    ]
)


# the ring


@examples(50)
@given(expressions, expressions, expressions)
def test_expressions_form_a_commutative_ring(x, y, z):
    assert x + y == y + x
    assert x * y == y * x
    assert (x + y) + z == x + (y + z)
    assert (x * y) * z == x * (y * z)
    assert x * (y + z) == x * y + x * z
    assert x + 0 == x
    assert x * 1 == x
    assert x - x == 0
    assert x * 0 == 0
    assert x - y == x + (-y) == -(y - x)
    assert +x == x


@examples(50)
@given(expressions, units, units)
def test_dividing_by_a_term_and_multiplying_gives_it_back(x, u, v):
    assert (x / u) * u == x
    assert (x * u) / u == x
    assert (x * u) / v == (x / v) * u
    # where the product is a term again; the reciprocal of a sum is an atom of its own
    if len((u * v).terms) == 1:
        assert x / (u * v) == (x / u) / v


@given(expressions, st.integers(0, 4))
def test_a_power_is_a_repeated_product(x, n):
    product = expression(1)
    for _ in range(n):
        product = product * x
    assert x**n == product


@given(polynomials, values)
def test_putting_in_numbers_commutes_with_arithmetic(tree, numbers):
    """Exact substitution is a ring homomorphism, so it gives what fractions give."""
    put_in = exactly(tree).substitute(numbers)
    assert expression(put_in) == compute(
        tree, lambda x: numbers.get(x, x) if isinstance(x, str) else x
    )


@examples(40)
@given(polynomials, polynomials)
def test_polynomials_are_equal_exactly_where_sympy_says_so(first, second):
    def of(x):
        return sympy.Symbol(x) if isinstance(x, str) else sympy.Rational(x.numerator, x.denominator)

    same = sympy.expand(compute(first, of) - compute(second, of)) == 0
    assert (exactly(first) == exactly(second)) is bool(same)
    # a rearrangement of the same polynomial is the same object
    expanded = sympy.Poly(sympy.expand(compute(first, of)), *sympy.symbols(NAMES))
    rebuilt = sum(
        (
            expression(Fraction(int(k.p), int(k.q))) * a**i * b**j * c**l
            for (i, j, l), k in expanded.terms()
        ),
        expression(0),
    )
    assert rebuilt == exactly(first)
    assert hash(rebuilt) == hash(exactly(first))
    assert str(rebuilt) == str(exactly(first))


def test_the_order_of_writing_does_not_matter_inside_a_function():
    x, y = a + a**2, a**2 + a
    assert str(x) == str(y) == "a + a**2"
    assert sincos(x) == sincos(y)
    assert sqrt(x) == sqrt(y)
    assert 1 / x == 1 / y


def test_the_reciprocal_of_a_reciprocal_is_the_sum():
    assert 1 / (1 / (a + b)) == a + b


# functions


@given(expressions)
def test_sine_and_cosine_lie_on_the_unit_circle(x):
    s, k = sincos(x)
    assert s * s + k * k == 1
    assert s**4 - k**4 == 1 - 2 * k**2


@given(expressions)
def test_sine_is_odd_and_cosine_is_even(x):
    (s, k), (minus_s, minus_k) = sincos(x), sincos(-x)
    assert minus_s == -s
    assert minus_k == k


def test_sine_and_cosine_below_the_line_have_one_form_too():
    s, k = sincos(a)
    assert k * k / s == 1 / s - s
    assert s * s / k == 1 / k - k
    assert 1 / (s * k) == s / k + k / s
    assert (1 / (s * k)) ** 2 == (1 / s) ** 2 + (1 / k) ** 2
    assert (s * s) / s == s


@pytest.mark.parametrize("k", range(-9, 10))
def test_right_angles_have_exact_sines_and_cosines(k):
    s, cosine = sincos(k * pi / 2)
    assert s == round(math.sin(k * math.pi / 2))
    assert cosine == round(math.cos(k * math.pi / 2))
    assert constant_sincos(k * pi / 2) == (s, cosine)


@pytest.mark.parametrize("k", range(-4, 5))
def test_a_right_angle_typed_as_a_decimal_is_one_where_it_is_built_in(k):
    assert constant_sincos(expression(k * math.pi / 2)) == sincos(k * pi / 2)


def test_an_angle_that_is_only_nearly_right_keeps_its_cosine():
    s, k = constant_sincos(expression(1.5708))
    assert float(k) == pytest.approx(math.cos(1.5708), rel=1e-12)
    assert s * s + k * k == 1
    assert constant_sincos(a) == sincos(a)


@pytest.mark.parametrize("square", [0, 1, 4, Fraction(9, 16), 0.25, 10**40])
def test_the_root_of_a_square_is_a_number(square):
    root = sqrt(expression(square))
    assert root**2 == square
    assert not isinstance(simplest(root), Expression)


@pytest.mark.parametrize("x", [2, 8, Fraction(1, 2), a, a * b, a + b, pi, 1 + sqrt(a)])
def test_a_root_squares_to_what_it_is_the_root_of(x):
    root = sqrt(expression(x))
    assert root * root == x
    assert root**3 == x * root
    assert 1 / root == root / x


@pytest.mark.parametrize("x", [2, 8, Fraction(1, 2), a, 3 * a * b, pi])
def test_the_square_of_a_reciprocal_root_is_the_reciprocal(x):
    root = sqrt(expression(x))
    assert (1 / root) ** 2 == 1 / expression(x)
    assert (1 / root) * root == 1


# numbers


@given(formulas, positive)
def test_evaluation_gives_what_floats_give(tree, numbers):
    x = exactly(tree)
    expected = compute(tree, lambda y: numbers.get(y, y) if isinstance(y, str) else y, FLOATING)
    size = sum(abs(Expression({m: k}).evaluate(numbers)) for m, k in x.terms.items())
    assert abs(x.evaluate(numbers) - expected) <= OF_ALL_TERMS * (1 + size + abs(expected))


@given(expressions, positive)
def test_substitution_and_evaluation_agree(x, numbers):
    size = sum(abs(Expression({m: k}).evaluate(numbers)) for m, k in x.terms.items())
    assert abs(float(x.substitute(numbers)) - x.evaluate(numbers)) <= OF_ALL_TERMS * (1 + size)
    some = x.substitute({"a": numbers["a"]})
    assert free_symbols(some) <= free_symbols(x) - {"a"}
    rest = expression(some).evaluate(numbers)
    assert abs(rest - x.evaluate(numbers)) <= OF_ALL_TERMS * (1 + size)


def test_substitution_is_exact():
    assert (a / 3).substitute({"a": 1}) == Fraction(1, 3)
    assert isinstance((a / 3).substitute({"a": 1}), Expression)
    assert (b * sincos(a * pi / 2)[0]).substitute({"a": 1}) == b
    assert (b * sincos(a + c)[1]).substitute({"a": 0.1, "c": 0.2}) == b * sincos(expression(0.3))[1]
    assert a.substitute({"a": b + 1}) == b + 1
    for number, kind in ((2, int), (0.1, float), (Fraction(1, 4), float)):
        assert a.substitute({"a": number}) == number
        assert type(a.substitute({"a": number})) is kind


def test_evaluation_takes_other_kinds_of_number():
    x = a**2 / 4 + sincos(b)[0] + sqrt(a) - 1 / (a + b)
    step = 1e-30
    derivative = x.evaluate({"a": 2 + 1j * step, "b": 0.5}).imag / step
    assert derivative == pytest.approx(1 + 0.5 / math.sqrt(2) + 1 / 2.5**2, rel=1e-12)
    many = x.evaluate({"a": np.array([1.0, 2.0]), "b": np.array([0.5, 0.5])})
    assert many[1] == pytest.approx(x.evaluate({"a": 2.0, "b": 0.5}), rel=1e-12)


@given(st.floats(-1e9, 1e9))
def test_a_float_stands_for_its_shortest_decimal(x):
    assert expression(x) == Fraction(repr(x))
    assert float(expression(x)) == x
    assert expression(x) == x
    assert type(simplest(expression(x))) is (int if x == int(x) else float)


def test_decimals_add_up_as_decimals():
    assert expression(0.1) + 0.2 == Fraction(3, 10)
    assert 0.1 * a + a * 0.2 - 0.3 * a == 0


@given(st.integers(-(10**6), 10**6), rationals)
def test_a_constant_equals_and_hashes_like_its_number(n, x):
    assert expression(n) == n
    assert hash(expression(n)) == hash(n)
    assert expression(x) == x
    assert hash(expression(x)) == hash(x)
    assert len({expression(n), n}) == 1
    assert expression(n) != a


@given(rationals, rationals)
def test_constants_are_ordered_like_their_numbers(x, y):
    p, q = expression(x), expression(y)
    assert (p < q, p <= q, p > q, p >= q) == (x < y, x <= y, x > y, x >= y)
    assert (p < y, y < p, x <= q) == (x < y, y < x, x <= y)
    assert abs(p) == abs(x)


def test_the_size_of_a_symbol_is_the_root_of_its_square():
    assert abs(a) ** 2 == a**2
    assert abs(a).evaluate({"a": -3}) == 3
    assert abs(-pi) == pi


def test_a_constant_takes_the_formats_of_a_float():
    assert f"{pi / 2:.4f}" == "1.5708"
    assert f"{expression(0.25):g}" == "0.25"
    assert f"{a + 1}" == "1 + a"


def test_zero_is_false_and_everything_else_is_true():
    assert not a - a
    assert a
    assert not expression(0)


# arrays


SCALARS = [2, 0.5, Fraction(1, 3), np.float64(0.5), np.int64(3), np.int32(-2), True]


@pytest.mark.parametrize("x", SCALARS, ids=[type(x).__name__ for x in SCALARS])
@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_numbers_of_every_kind_mix_on_either_side(x, operation):
    number = expression(Fraction(x.item()) if isinstance(x, np.generic) else Fraction(x))
    for result, expected in (
        (operation(a, x), operation(a, number)),
        (operation(x, a), operation(number, a)),
    ):
        assert type(result) is Expression
        assert result == expected


def test_arrays_of_expressions_multiply_like_matrices():
    M = np.array([[a, 1], [0, b]])
    assert M.dtype == object
    assert (M @ M).tolist() == [[a * a, a + b], [0, b * b]]
    assert ((a * np.array([1.5, 2])) == np.array([3 * a / 2, 2 * a])).all()
    assert ((np.array([1.5, 2]) * a) == np.array([3 * a / 2, 2 * a])).all()
    assert ((np.eye(2, dtype=int) - a) == np.array([[1 - a, -a], [-a, 1 - a]])).all()
    assert np.array([a, b]) @ np.array([2, np.float64(0.5)]) == 2 * a + b / 2


def test_comparing_with_an_array_compares_each_entry():
    entries = np.array([a, b, 2 * a])
    assert (a == entries).tolist() == [True, False, False]
    assert (entries == a).tolist() == [True, False, False]
    assert (entries != a).tolist() == [False, True, True]
    assert a ** np.int64(2) == a * a


@pytest.mark.parametrize("other", ["text", None, [], 1j])
def test_what_is_no_number_is_not_equal_and_does_not_mix(other):
    assert a != other
    for operation in (operator.add, operator.mul, operator.sub, operator.truediv):
        with pytest.raises(TypeError):
            operation(a, other)


# text


@given(expressions, units)
def test_what_is_printed_reads_as_the_same_expression(x, u):
    for e in (x, x / u, u / (x * x + 5), -x):
        assume(len(str(e)) <= 1000)
        assert read_formula(str(e)) == e


@given(rationals)
def test_a_printed_number_reads_as_the_same_number(x):
    assert read_formula(str(expression(x))) == x


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (a - a, "0"),
        (-a, "-a"),
        (b - a, "-a + b"),
        (1 - a / 2, "1 - a/2"),
        (3 * a**2 / (4 * b), "3*a**2/(4*b)"),
        (1 / a, "1/a"),
        (a * sincos(b)[1] + 2, "2 + a*cos(b)"),
        (a / (a + b), "(1/(a + b))*a"),
        (1 / sqrt(expression(2)), "sqrt(2)/2"),
        (pi / 2, "pi/2"),
        (a**30, "a**30"),
    ],
)
def test_expressions_print_like_formulas(e, text):
    assert str(e) == text
    assert repr(e) == f"Expression({text!r})"
    assert read_formula(text) == e


def test_free_symbols_are_found_inside_functions():
    x = sqrt(a + sincos(b)[0]) + 1 / (c + pi)
    assert x.free_symbols == {"a", "b", "c"}
    assert free_symbols(2.5) == frozenset()
    assert not pi.free_symbols


# refusals


def test_an_expression_does_not_grow_without_bound():
    x = sum((symbol(f"s{i}") for i in range(60)), expression(0))
    assert len((x * x).terms) < MOST_TERMS
    monomials = (next(iter(symbol(f"s{i}").terms)) for i in range(MOST_TERMS + 1))
    with pytest.raises(BadArgument, match="grown to 2001 terms"):
        Expression(dict.fromkeys(monomials, Fraction(1)))
    with pytest.raises(BadArgument, match="too large to multiply out"):
        x * x * x
    with pytest.raises(BadArgument, match="over 400 digits"):
        (expression(10) ** 100) ** 5
    with pytest.raises(BadArgument, match="over 400 digits"):
        (expression(0.1) ** 100) ** 5
    with pytest.raises(BadArgument, match="power of over 100"):
        a ** (MOST_POWER + 1)
    with pytest.raises(BadArgument, match="power of over 100"):
        a**MOST_POWER * a
    with pytest.raises(BadArgument, match="power of over 100"):
        expression(1) ** 10**9


def test_an_expression_is_not_divided_by_zero():
    with pytest.raises(BadArgument, match="divided by zero"):
        a / (b - b)
    with pytest.raises(BadArgument, match="divided by zero"):
        (1 / a).substitute({"a": 0})
    with pytest.raises(BadArgument, match="divided by zero"):
        (1 / (a - b)).substitute({"a": b})


def test_a_negative_number_has_no_root():
    with pytest.raises(BadArgument, match="square root of -2 is not a real number"):
        sqrt(expression(-2))
    with pytest.raises(BadArgument, match="no finite value"):
        float(sqrt(3 - pi))


def test_infinity_is_no_exact_number():
    for x in (math.inf, -math.inf, math.nan, np.float64("nan")):
        with pytest.raises(BadArgument, match="is not a number that an exact expression can hold"):
            a + x


def test_a_float_that_would_overflow_is_refused_in_words():
    with pytest.raises(BadArgument, match="no finite value"):
        float(expression(10) ** 100 * expression(10) ** 100 * expression(10) ** 100 * 10**100 / 7)


def test_an_expression_with_symbols_has_no_value_yet():
    with pytest.raises(NotNumeric) as error:
        float(a + b)
    assert str(error.value) == (
        "The expression a + b has no numeric value: it depends on a, b.\n"
        "  Give the symbols values: robot.with_values(a=1.0, b=1.0)."
    )
    with pytest.raises(NotNumeric):
        _ = a < 1
