"""The small grammar of formulas: what is read, what is refused, in which words and how soon."""

import math
import sys
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qddot.errors import BadExpression, QddotError
from qddot.scalars import sincos, sqrt
from qddot.scalars.expressions import PI_EXPRESSION, Expression, expression, symbol
from qddot.scalars.reader import LONGEST, read_formula, read_number

a, b, c = (symbol(name) for name in "abc")
pi = PI_EXPRESSION


# numbers


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_reads_back_as_itself(x):
    assert read_number(repr(x)) == x
    assert read_formula(repr(x)) == x
    assert read_number(f" {x!r}\n") == x


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("-2", -2.0),
        ("+.5", 0.5),
        ("3.", 3.0),
        ("1e3", 1000.0),
        ("2.5E-3", 0.0025),
        ("\t0.25\r\n", 0.25),
        ("1e-320", 1e-320),
    ],
)
def test_plain_numbers_are_floats(text, value):
    assert read_number(text) == value
    assert type(read_formula(text)) is float
    assert read_formula(text) == value


NOT_NUMBERS = [
    ("", "it is empty."),
    ("  ", "it is empty."),
    ("1,5", "decimal comma; write 1.5."),
    ("-0,25", "decimal comma; write -0.25."),
    ("1_000", "digit separators are not allowed; write 1000."),
    ("-1_0.5_0", "digit separators are not allowed; write -10.50."),
    ("0x10", "hexadecimal is not allowed; write it in decimal."),
    ("-0XFF", "hexadecimal is not allowed; write it in decimal."),
    ("nan", "it is not a finite number."),
    ("inf", "it is not a finite number."),
    ("-Infinity", "it is not a finite number."),
    ("1e999", "it is too large for a floating-point number."),
    ("-1e400", "it is too large for a floating-point number."),
    ("1e999999999", "its exponent has more than three digits."),
]


@pytest.mark.parametrize(("text", "why"), NOT_NUMBERS)
@pytest.mark.parametrize("reader", [read_number, read_formula])
def test_numbers_gone_wrong_are_named(reader, text, why):
    with pytest.raises(BadExpression) as error:
        reader(text)
    assert str(error.value) == f"{text!r} is not a number or a formula: {why}"


@pytest.mark.parametrize("text", ["abc", "1 2", "2*3", "pi", "0.5m", "٣", "１２", "1e", "--1"])
def test_where_only_a_number_will_do_nothing_else_is_read(text):
    with pytest.raises(
        BadExpression, match=r"write it in decimal with a point, like -0\.25 or 1e-3"
    ):
        read_number(text)


# the grammar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + b - c", a + b - c),
        ("a - b - c", a - (b + c)),
        ("a/b/c", a / (b * c)),
        ("a*b + c", a * b + c),
        ("a*(b + c)", a * b + a * c),
        ("-a**2", -(a * a)),
        ("(-a)**2", a * a),
        ("--a", a),
        ("+-+a", -a),
        ("a*-b", -a * b),
        ("2^3*a", 8 * a),
        ("a**-2", 1 / (a * a)),
        ("2**-3", Fraction(1, 8)),
        ("a**0", 1),
        ("1/3", Fraction(1, 3)),
        ("0.1*a", a / 10),
        ("1e-3*a", a / 1000),
        ("pi/2", pi / 2),
        ("90*deg", pi / 2),
        ("30deg", pi / 6),
        ("-45°", -pi / 4),
        ("2*1.5e1 deg", pi / 6),
        ("30°*a + 180deg/2", pi / 6 * a + pi / 2),
        ("30deg**2", (pi / 6) * (pi / 6)),
        ("cos(30°)", sqrt(expression(3)) / 2),
        ("sin(pi/6 + pi/3)", 1),
        ("cos(45*deg + pi/4)", 0),
        ("sin(a)", sincos(a)[0]),
        ("cos( a+b )", sincos(a + b)[1]),
        ("sqrt(2)*sqrt(2)", 2),
        ("sqrt(a**2)", sqrt(a * a)),
        ("m_1*L1", symbol("m_1") * symbol("L1")),
        (" a\t+\n1 ", a + 1),
        ("((((a))))", a),
        ("q", symbol("q")),
        ("tau", symbol("tau")),
        ("nan1", symbol("nan1")),
    ],
)
def test_formulas_mean_what_they_say(text, value):
    result = read_formula(text)
    assert result == value
    assert isinstance(result, Expression)


@given(st.recursive(st.sampled_from(["2", "a", "0.5", "b"]), lambda x: st.tuples(x, x)))
def test_parentheses_group(tree):
    """The grammar agrees with Python's own on everything that both can read."""

    def written(part, sign):
        other = {"+": "*", "*": "-", "-": "+"}[sign]
        if isinstance(part, str):
            return part
        return f"({written(part[0], other)} {sign} {written(part[1], other)})"

    text = written(tree, "*")
    assert read_formula(text) == eval(text, {"a": a, "b": b})


REFUSED = [
    ("a b", "'b' was not expected there."),
    ("5 (3)", "'(' was not expected there."),
    ("a)", "')' was not expected there."),
    ("()", "')' was not expected there."),
    ("*a", "'*' was not expected there."),
    ("9**9**9", "'**' was not expected there."),
    ("a +", "it ends too early."),
    ("+", "it ends too early."),
    ("a**", "it ends too early."),
    ("(a", "a closing parenthesis is missing."),
    ("sin(a", "a closing parenthesis is missing."),
    ("sin", "sin needs parentheses: sin(x)."),
    ("sqrt 2", "sqrt needs parentheses: sqrt(x)."),
    ("tan(a)", "tan is not a function; there are sin, cos and sqrt."),
    ("pi(2)", "pi is not a function; there are sin, cos and sqrt."),
    ("2m", "a product needs its sign: 2*m."),
    ("2degs", "a product needs its sign: 2*degs."),
    ("30°°", "'°' was not expected there."),
    ("a°", "'°' was not expected there."),
    ("a + 2L1", "a product needs its sign: 2*L1."),
    ("a**1.5", "a power must be a whole number of at most 100."),
    ("a**b", "a power must be a whole number of at most 100."),
    ("a**(2)", "a power must be a whole number of at most 100."),
    ("a**101", "a power must be a whole number of at most 100."),
    ("(a + b)**13", "a power must be a whole number of at most 12."),
    ("a; b", "';' is not part of a formula."),
    ("a = 1", "'=' is not part of a formula."),
    ("a, b", "',' is not part of a formula."),
    ("θ", "'θ' is not part of a formula."),
    ("\xa0a", "'\\xa0' is not part of a formula."),
    ("1.2.3*a", "'1' is not part of a formula."),
    ("nan*a", "it is not a finite number."),
    ("a + inf", "it is not a finite number."),
    ("q1", "q1 is a joint variable, so it cannot be a parameter."),
    ("2*qd12", "qd12 is a joint variable, so it cannot be a parameter."),
    ("qdd3 + a", "qdd3 is a joint variable, so it cannot be a parameter."),
    ("sin(tau2)", "tau2 is a joint variable, so it cannot be a parameter."),
    ("1/0", "An expression is divided by zero."),
    ("a/(b - b)", "An expression is divided by zero."),
    ("sqrt(-4)", "The square root of -4 is not a real number."),
    ("sqrt(3 - pi)", "The expression sqrt(3 - pi) has no finite value."),
    ("1e400*10", "The expression 1000000"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_no_formula_is_refused_in_words(text, why):
    with pytest.raises(BadExpression) as error:
        read_formula(text)
    assert str(error.value).startswith(f"{text!r} is not a number or a formula: {why}")


def test_a_symbol_has_a_name_of_bounded_length():
    assert read_formula("x" * 32) == symbol("x" * 32)
    with pytest.raises(BadExpression, match="a symbol's name has at most 32 characters"):
        read_formula("x" * 33)


# what must never happen


WATCHED = ("compile", "exec", "import", "open", "os.system", "subprocess.Popen")
seen: list[str] = []  # what the interpreter was asked to do, of what is watched


def watch(event: str, _: tuple) -> None:
    if event in WATCHED:
        seen.append(event)


@pytest.fixture(scope="module")
def watched() -> list[str]:
    """What the interpreter compiles, runs, imports and opens from here on."""
    sys.addaudithook(watch)  # for good: a hook cannot be taken away again
    return seen


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "__import__",
        "a.__class__",
        "().__class__.__bases__",
        "lambda: 0",
        "[x for x in a]",
        "{a}",
        "'a'",
        '"a"',
        "a if b else c",
        "open('trap')",
        "exec(a)",
        "eval(a)",
        "a[0]",
        "a := 1",
        "a@b",
        "a // b",
        "a % b",
        "~a",
        "f'{a}'",
        "print(a)",
        "\\u0061",
        "a\0",
        "import os",
    ],
)
def test_code_is_never_run(text, watched):
    before = len(watched)
    with pytest.raises(QddotError):
        read_formula(text)
    assert watched[before:] == []


def test_what_runs_code_is_seen_by_the_watch(watched):
    before = len(watched)
    eval("1 + 1")
    assert watched[before:] == ["compile", "exec"]


BOMBS = {
    "tower": "9**9**9",
    "nested powers of a sum": "(((a + b)**12)**12)**12",
    "nested powers of a number": "(((((((9**12)**12)**12)**12)**12)**12)**12)**12",
    "nested powers of a fraction": "(((((((0.1**12)**12)**12)**12)**12)**12)**12)**12",
    "nested powers of a symbol": "(((((((a**12)**12)**12)**12)**12)**12)**12)**12",
    "many symbols": "(a + b + c + d + e + f + g + h)**12",
    "sines": "(sin(a) + sin(b) + sin(c) + sin(d) + sin(e))**12",
    "many products": " + ".join(["(a + b + c)**9*(a + b + c)**9"] * 30),
    "parentheses": "(" * 10**6,
    "balanced parentheses": "(" * 480 + "a" + ")" * 480,
    "nested functions": "sin(" * 200 + "a" + ")" * 200,
    "signs": "-" * 10**6 + "a",
    "huge exponent": "1e999999999",
    "large exponents": "*".join(["1e999"] * 100),
    "tiny exponents": "*".join(["1e-999"] * 100) + "*a",
    "digits": "9" * 10**6,
    "digits after the point": "0." + "1" * 10**6,
    "a long name": "a" * 10**6,
    "a long sum": "+".join(["a"] * 10**5),
    "blanks": " " * 10**6 + "a +",
    "a number with a tail": "0." + "1" * (LONGEST - 2) + "tail",
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_bombs_are_refused_at_once(text):
    with pytest.raises(BadExpression) as error:
        read_formula(text)
    assert len(str(error.value)) < 400


def test_nesting_within_reason_is_read():
    assert read_formula("(" * 40 + "a" + ")" * 40) == a
    with pytest.raises(BadExpression, match="parentheses are nested deeper than 40"):
        read_formula("(" * 41 + "a" + ")" * 41)
    assert read_formula("-" * 501 + "a") == -a


def test_a_formula_of_bounded_length_is_read():
    text = "+".join(["a"] * (LONGEST // 2))
    assert read_formula(text) == LONGEST // 2 * a
    with pytest.raises(BadExpression, match="it is longer than 1000 characters"):
        read_formula(text + "+a")


@given(st.text(max_size=30) | st.text("0123456789.+-*/^()eabqsincorpt ,_x", max_size=20))
def test_any_text_is_read_or_refused_but_never_breaks(text):
    for reader in (read_number, read_formula):
        with suppress(BadExpression):
            value = reader(text)
            assert isinstance(value, Expression) or math.isfinite(value)
