"""Answers that are no polynomials in the sines and cosines of the joints' angles."""

import json

import numpy as np
import pytest
import sympy
from command_line import run
from long import long

import qddot
from qddot.equations.answers.checking import check_given
from qddot.errors import QddotError

ARM = qddot.derive("two_link_symbolic")
POINT = qddot.derive("two_link_point_symbolic")
q1, q2 = sympy.symbols("q1 q2")


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        # half angles, and other parts: decided
        ("m2 g aC2 (2 cos^2((q1 + q2)/2) - 1)", True),
        ("m2 g aC2 (1 - 2 sin²((q1 + q2)/2))", True),
        ("m2 g aC2 (1 - tan^2((q1+q2)/2)) / (1 + tan^2((q1+q2)/2))", True),
        (r"m_2 g a_{C2} \left(2\cos^2\frac{\theta_1 + \theta_2}{2} - 1\right)", True),
        ("m2 g aC2 (4 cos^3((q1 + q2)/3) - 3 cos((q1 + q2)/3))", True),
        ("m2 g aC2 (2.00 cos^2((q1 + q2)/2) - 1)", True),
        ("m2 g aC2 (2.01 cos^2((q1 + q2)/2) - 1)", False),
        ("m2 g aC2 (2 cos^2((q1 - q2)/2) - 1)", False),
        ("m2 g aC2 (1 - 2 cos^2((q1 + q2)/2))", False),
        # the rest: what differs is wrong, what agrees is open
        ("m2 g aC2 sqrt(1 - sin^2(q1 + q2))", None),
        ("m2 g aC2 (1 - s12^2)^(1/2)", None),
        ("m2 g aC2 sqrt(1 - sin^2(q1))", False),
        ("-m2 g aC2 sqrt(1 - sin^2(q1 + q2))", False),
        ("m2 g aC2 |cos(q1 + q2)|", None),
        (r"m_2 g a_{C2} \left|\cos(\theta_1 + \theta_2)\right|", None),
        ("m2 g aC2 |sin(q1 + q2)|", False),
        ("m2 g aC2 / sec(q1 + q2)", None),
        ("m2 g aC2 sin(q1 + q2) cot(q1 + q2)", None),
        (r"m_2 g a_{C2} \csc(\theta_1 + \theta_2)", False),
        (r"m_2 g a_{C2} \frac{e^{i(\theta_1+\theta_2)} + e^{-i(\theta_1+\theta_2)}}{2}", None),
        ("m2 g aC2 (exp(i (q1 + q2)) + exp(-i (q1 + q2)))/2", None),
        ("m2 g aC2 e^{i(q1 + q2)}", False),  # its real part is right
        ("m2 g aC2 (e^{iq1} + e^{-iq1})/2", False),
        ("1.00 m2 g aC2 sqrt(1 - s12^2)", None),
        ("1.02 m2 g aC2 sqrt(1 - s12^2)", False),
    ],
)
def test_other_forms_are_read_and_judged(text, ok):
    verdict = ARM.check("g[2]", text)
    assert verdict.ok is ok, verdict
    if ok is False:
        assert verdict.wrong[0].place == (2,)
    if ok is None:
        assert "agrees at 200 states near q = 0: it is not decided" in verdict.reason


@pytest.mark.parametrize("rewrite", ["tan", *long("exp", "half", "root")])
@pytest.mark.parametrize("name", ["two_link_point", *long("rp", "double_pendulum")])
def test_right_answers_are_never_wrong_and_wrong_ones_never_right(name, rewrite):
    eqs = qddot.derive(f"{name}_symbolic")
    change = {
        "tan": lambda x: x.rewrite(sympy.tan),
        "exp": lambda x: x.rewrite(sympy.exp),
        "half": lambda x: x.subs(sympy.sin(q2), 2 * sympy.sin(q2 / 2) * sympy.cos(q2 / 2)),
        "root": lambda x: x.subs(sympy.cos(q1), sympy.sqrt(1 - sympy.sin(q1) ** 2)),
    }[rewrite]
    for quantity in ("M", "c", "g", "P", "C"):
        right = eqs.sympy(quantity)
        wrong = right * sympy.Rational(999_999, 1_000_000)
        both = [
            x.applyfunc(change) if hasattr(x, "applyfunc") else change(x) for x in (right, wrong)
        ]
        for answer in (both[0], str(both[0])):
            assert eqs.check(quantity, answer).ok is not False, (quantity, answer)
        assert eqs.check(quantity, both[1]).ok is False


def test_an_answer_without_a_value_is_refused():
    for text in ("m2 g L2 / (|s1| - |s1|)", "m2 / (s1^2 + c1^2 - 1)"):
        with pytest.raises(QddotError, match=r"no value.*it divides by zero"):
            POINT.check("g[2]", text)


def test_the_letter_i_is_imaginary_only_beside_exponentials():
    with pytest.raises(QddotError, match="'I' is no symbol of this robot"):
        POINT.check("M[2, 2]", "I + m2 L2^2")


def test_what_is_not_decided_is_open_in_a_sheet(tmp_path):
    path = tmp_path / "answers.toml"
    texts = ["m2 g L2 sqrt(1 - s12^2)", "m2 g L2 c12", "m2 g L2 |s12|"]
    answers = [
        f'[[answer]]\nquestion = "{k}"\nquantity = "g[2]"\ntext = "{text}"\npoints = 4\n'
        for k, text in enumerate(texts)
    ]
    path.write_text('robot = "two_link_point_symbolic"\n' + "\n".join(answers))
    sheet = qddot.equations.grade(path)
    assert [a.result for a in sheet.answers] == ["undecided", "right", "wrong"]
    assert [a.earned for a in sheet.answers] == [None, 4, 0]
    assert (sheet.earned, sheet.open, sheet.points, sheet.ok) == (4, 4, 12, False)
    assert [line.split()[-2:] for line in str(sheet).splitlines() if "undecided" in line] == [
        ["4", "open"]
    ]
    assert str(sheet).splitlines()[-1].endswith("4/12, 4 open")
    assert "4 of 12 points, 4 open" in sheet._repr_html_()
    assert json.loads(run("check", str(path), "--json").stdout)["open"] == 4


def test_numbers_that_are_no_polynomials_are_compared_entry_by_entry():
    found = check_given(ARM, "x", "[1.000, 2.718]", "[1.0006, e^1.1]", 1e-3)
    assert [str(entry)[:9] for entry in found.wrong] == ["at q = 0:"]
    assert [entry.place for entry in found.wrong] == [(2,)]


def test_potential_energy_as_a_function_is_right_up_to_a_constant():
    robot = qddot.load("two_link")
    eqs = qddot.derive(robot)
    assert eqs.check("P", lambda q: robot.potential_energy(q) + 5).ok
    assert eqs.check("P", lambda q: robot.potential_energy(q) - 1e4).ok
    assert eqs.check("P", lambda q: robot.potential_energy(q) + 5 * q[0]).ok is False
    assert eqs.check("P", lambda q: 1.001 * robot.potential_energy(q)).ok is False
    turned = eqs.check("P", lambda q: 5 - robot.potential_energy(q))
    assert turned.mistakes[0].kinds == ("gravity_sign",)
    assert eqs.check("K", lambda q, qd: 0.5 * qd @ robot.mass_matrix(q) @ qd + 5).ok is False
    assert np.isclose(turned.wrong[0].yours - 5, -turned.wrong[0].right)
