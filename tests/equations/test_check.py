"""Is mine right? Right answers however they are written, wrong ones with their mistake named."""

import json
import random
import tomllib
from dataclasses import replace

import numpy as np
import pytest
import sympy
from command_line import run
from long import long
from wrong_answers import ARMS, ELBOW_ROWS, absolute, equations, mistaken, steiner, with_body

import qddot
from qddot.equations.answers.reader import BadAnswer
from qddot.errors import BadArgument, QddotError, UnknownName
from qddot.exercises import exercise

ARM = qddot.derive("two_link_symbolic")
POINT = qddot.derive("two_link_point_symbolic")
RP = qddot.derive("rp_symbolic")
QUANTITIES = ("M", "C", "c", "g", "tau", "K", "P", "M_rate", "gamma", "centrifugal", "coriolis")


def derived(name):
    """Return the equations of one of the arms of `wrong_answers`."""
    if name == "elbow":
        return qddot.derive(qddot.from_dh(ELBOW_ROWS, "standard", gravity=[0, 0, "-g"]))
    return qddot.derive(f"{name}_symbolic")


# right answers


@pytest.mark.parametrize("eqs", [ARM, RP], ids=["two_link", "rp"])
@pytest.mark.parametrize("name", QUANTITIES)
def test_what_we_print_ourselves_is_right(eqs, name):
    written = [eqs.text(name, ascii=False), eqs.text(name, ascii=True), eqs.latex(name)]
    written += [eqs.latex(name, full=True), str(eqs.sympy(name)), eqs.sympy(name)]
    if name != "gamma":
        written.append(sympy.latex(eqs.sympy(name)))
    for answer in (*written, eqs.quantity(name)):
        assert eqs.check(name, answer).ok, answer


@pytest.mark.parametrize("name", ["rp", *long("double_pendulum", "two_link", "elbow")])
def test_right_answers_are_right_however_sympy_writes_them(name):
    eqs, mine = derived(name), equations(ARMS[name]())
    for quantity in ("M", "c", "g"):
        for rewrite in (sympy.expand, sympy.factor, sympy.trigsimp, sympy.expand_trig):
            answer = mine[quantity].applyfunc(rewrite)
            assert eqs.check(quantity, answer).ok
            assert eqs.check(quantity, str(answer)).ok
            assert eqs.check(quantity, sympy.latex(answer)).ok


@pytest.mark.parametrize(
    "text",
    [
        "m2 L2² + m2 L1 L2 c2",
        "m2*L2^2 + m2*L1*L2*cos(q2)",
        "m2L2(L2 + L1cosθ2)",
        "m_2 L_2^2 + m_2 L_1 L_2 cos(th2)",
        r"m_{2} L_2^2 + m_2 L_1 L_{2}\cos\theta_2",
        r"$M_{12} = m_2 L_2\left(L_2 + L_1 c_2\right)$",
        r"m_2 L_2^2 + \tfrac12 m_2 L_1 L_2 \cdot 2\cos{\left(\theta_{2}\right)}",
        r"\frac{2 m_2 L_2^2 + 2 m_2 L_1 L_2 \cos(\theta_2)}{2}",
        r"m_2 L_2\left[ L_2 + L_1 \bigl( 1 - 2\sin^2 \frac{0}{2} \bigr) \mathrm{cos}(q_2) \right]",
        "M12 = m2 L2^2 + L1 L2 m2 (cos(q1) cos(q1+q2) + sin(q1) sin(q1+q2))",
        "m2 L2^2 + m2 L1 L2 sin(q2)/tan(q2)",
        "m2 L2 (L2 + L1 cos(-q2 + 2 pi))",
    ],
)
def test_an_entry_is_read_as_people_write_it(text):
    assert POINT.check("M[1, 2]", text).ok
    assert POINT.check("M12", text).ok
    assert POINT.check("M[1, 1]", text).ok is False


def test_matrices_and_vectors_are_read_as_people_write_them():
    a, b = "m1 L1^2 + m2 (L1^2 + L2^2 + 2 L1 L2 c2)", "m2 (L2^2 + L1 L2 c2)"
    for text in (
        f"[[{a}, {b}], [{b}, m2 L2^2]]",
        f"[{a}, {b}; {b}, m2 L2^2]",
        f"M = Matrix([[{a}, {b}], [{b}, m2*L2**2]])",
        f"M11 = {a}\nM12 = M21 = {b}\nM22 = m2 L2²",
        f"M_{{11}} = {a}, M_{{12}} = {b}, M_{{21}} = M_{{12}}, M_{{22}} = m2 L2^2",
        rf"\begin{{pmatrix}} {a} & {b} \\ {b} & m_2 L_2^2 \\ \end{{pmatrix}}",
        rf"m_2 \begin{{bmatrix}} ({a})/m_2 & {b}/m_2 \\ {b}/m_2 & L_2^2 \end{{bmatrix}}",
    ):
        assert POINT.check("M", text).ok, text
    verdict = POINT.check("M", f"M11 = {a}\nM12 = {b}\nM22 = m2 L2^2")
    assert verdict.ok
    assert verdict.notes == ("[2, 1] was not given; [1, 2] was taken for it.",)
    tau = r"\begin{bmatrix}%s\end{bmatrix}\begin{bmatrix}\ddot q_1\\ \ddot{\theta}_2\end{bmatrix}"
    M = rf"{a} & {b} \\ {b} & m_2 L_2^2"
    assert POINT.check("tau", f"{tau % M} + {POINT.latex('c')} + {POINT.latex('g')}").ok
    c = r"\begin{align} c_1 &= -m_2 L_1 L_2 s_2 (2 \dot\theta_1 \dot\theta_2 + \dot\theta_2^2) \\"
    assert POINT.check(
        "c", rf"{c} c_2 &= m_2 L_1 L_2 \sin\theta_2 {{\dot\theta}}_1^2 \end{{align}}"
    ).ok


def test_letters_that_are_not_ours_are_read_and_reported():
    verdict = RP.check("g", "[(m_1 l_1 + m_2 d_2) g cosθ, m_2 g sin(theta1)]")
    assert verdict.ok
    assert verdict.notes == ("Read: d_2 as q2, cosθ as cos q1, θ1 as q1.",)
    pendulum = qddot.derive("double_pendulum_symbolic")  # c1 is friction here, so cosines are C1
    assert pendulum.check("g[2]", "m2 g d2 S12").ok
    assert pendulum.check("friction", "[c1 qd1, c2 dq2]").ok
    masses = qddot.derive("mass_spring_damper_symbolic")
    assert masses.check("springs[1]", "k (x1 - x0) + c (x1dot - xd0)").ok


def test_quantities_of_a_frame_are_checked_too():
    tip = dict(frame="tool")
    assert POINT.check("jacobian", POINT.sympy("jacobian", **tip), **tip).ok
    assert POINT.check("jacobian[4, 1]", "-L1 s1 - L2 s12", **tip).ok
    verdict = POINT.check("jacobian[4, 1]", "-L1 s1 - L2 c12", **tip)
    assert verdict.mistakes[0].kinds == ("sin_cos",)
    assert "Your answer is exactly" in str(verdict)
    with pytest.raises(BadArgument, match="of a frame: say which"):
        POINT.check("jacobian", "1")


def test_sympy_answers_may_be_functions_of_time():
    t = sympy.Symbol("t")
    th = [sympy.Function(f"theta{i}")(t) for i in (1, 2)]
    m2, L1, L2 = sympy.symbols("m2 L1 L2")
    answer = m2 * L1 * L2 * sympy.sin(th[1]) * sympy.diff(th[0], t) ** 2
    assert POINT.check("c[2]", answer).ok
    assert POINT.check("c[2]", -answer).ok is False


def test_any_factorisation_of_coriolis_is_right_and_named():
    for name, C in ARM.coriolis_matrices().items():
        assert ARM.check("C", C).ok, name
    assert "Ṁ − ½U; Ṁ − 2C is not skew" in ARM.check("C", ARM.coriolis_matrices()["rate"]).reason
    qd = ARM.robot.qd
    own = ARM.C + np.outer(qd[::-1] * [1, -1], [1, 2]) @ np.array([[qd[1], 0], [0, -qd[0] / 2]])
    assert "a factorisation of its own; Ṁ − 2C is not skew" in ARM.check("C", own).reason


def test_a_sign_in_one_entry_of_coriolis_is_named_there_and_not_in_the_product():
    """With this sign C q̇ is by accident what one gets without Coriolis terms; C is not."""
    s = "m2 L1 L2 s2"
    verdict = POINT.check("C", f"[[{s} qd2, -{s} (qd1 + qd2)], [{s} qd1, 0]]")
    assert [entry.place for entry in verdict.wrong] == [(1, 1)]
    assert [(m.kinds, m.places) for m in verdict.mistakes] == [(("term_sign",), ((1, 1),))]
    assert "C q̇ is not c in [1]" in verdict.reason
    assert "Christoffel's; other factorisations are right too" in str(verdict)


def test_a_mistake_of_the_product_is_not_called_one_of_the_matrix():
    """C q̇ lacks the Coriolis terms, of a C that is none of those we know."""
    s = "m2 L1 L2 s2"
    verdict = POINT.check("C", f"[[5 {s} qd2, -{s} (qd2 + 5 qd1)], [{s} qd1, 0]]")
    assert verdict.ok is False
    assert str(verdict.mistakes[0]).startswith("C q̇ is exactly what one gets if the Coriolis")


def test_a_sign_in_every_entry_is_offered_before_an_angle_counted_from_elsewhere():
    M = POINT.text("M", ascii=True).replace("+ 2 L1 L2 c2", "- 2 L1 L2 c2")
    M = M.replace("+ L1 L2 c2", "- L1 L2 c2")
    verdict = POINT.check("M", M)
    assert [m.kinds[0] for m in verdict.mistakes] == ["term_sign", "term_sign", "zero_angle"]
    assert "Entries [1, 2] and [2, 1] are exactly" in str(verdict)


def test_potential_energy_is_right_up_to_a_constant():
    verdict = ARM.check("P", ARM.sympy("P") + sympy.Symbol("m1") * sympy.Symbol("g") * 3)
    assert verdict.ok
    assert "the constant 3 m1 g" in verdict.notes[0]
    assert ARM.check("P", -ARM.sympy("P")).mistakes[0].kinds == ("gravity_sign",)


def test_decimals_are_right_to_the_digits_that_they_have():
    eqs = qddot.derive("scara")
    verdict = eqs.check("M", eqs.text("M"))
    assert verdict.ok
    assert eqs.check("M[2, 2]", "0.12").ok is False


# wrong answers


@pytest.mark.parametrize(("name", "every"), [("rp", 3), *long(*((name, 1) for name in ARMS))])
def test_wrong_answers_are_wrong_and_their_mistake_is_named(name, every):
    eqs, arm = derived(name), ARMS[name]()
    right = equations(arm)
    for quantity in ("M", "c", "g", "tau", "K", "C"):
        assert eqs.check(quantity, right[quantity]).ok
    made = list(mistaken(arm))[::every]
    assert len(made) >= 6
    named = 0
    for kind, quantity, wrong in made:
        verdict = eqs.check(quantity, wrong[quantity])
        assert verdict.ok is False, (kind, quantity)
        assert verdict.wrong or kind == "shape"
        assert all(abs(entry.yours - entry.right) > 1e-9 for entry in verdict.wrong)
        named += any(kind in mistake.kinds for mistake in verdict.mistakes)
    assert named >= 0.8 * len(made)


@pytest.mark.parametrize("name", ["two_link", *long("two_link_point", "double_pendulum")])
def test_absolute_angles_are_recognised(name):
    eqs, wrong = derived(name), absolute(ARMS[name]())
    for quantity in ("M", "g"):
        verdict = eqs.check(quantity, wrong[quantity])
        assert verdict.mistakes[0].kinds == ("absolute_angle",), verdict


def test_the_other_dh_convention_is_recognised():
    rows = [
        {"d": "d1", "alpha": "pi/2", "mass": "m1", "com": ["h", 0, 0]},
        {"a": "L2", "mass": "m2", "com": ["b", 0, 0]},
    ]
    standard, modified = (
        qddot.derive(qddot.from_dh(rows, way)) for way in ("standard", "modified")
    )
    for eqs, other in ((standard, modified), (modified, standard)):
        verdict = eqs.check("tau", other.sympy("tau"))
        assert verdict.ok is False
        assert "dh_convention" in verdict.mistakes[0].kinds


def test_rotors_and_gears_are_recognised():
    text = "m L^2 + %s"
    rows = [{"a": "L", "mass": "m", "motor": {"rotor_inertia": "Ir", "gear": "N"}}]
    eqs = qddot.derive(qddot.from_dh(rows, "standard"))
    assert eqs.check("M", text % "N^2 Ir").ok
    for wrong, kind in (
        ("0", "rotor_forgotten"),
        ("N Ir", "gear_not_squared"),
        ("Ir", "gear_forgotten"),
    ):
        assert eqs.check("M", text % wrong).mistakes[0].kinds == (kind,)


def test_degrees_are_recognised():
    verdict = POINT.check("g[2]", "m2 g L2 cos(pi/180 (q1 + q2))")
    assert verdict.ok is False
    assert verdict.mistakes[0].kinds == ("degrees",)
    rows = [{"alpha": "pi/6", "mass": "m"}, {"a": "L", "mass": "m"}]
    eqs = qddot.derive(qddot.from_dh(rows, "standard"))
    right = eqs.sympy("g")[1]  # with sin 30° = 1/2 in it
    assert eqs.check("g[2]", right).ok
    verdict = eqs.check("g[2]", f"2 ({right}) sin(30)")
    assert verdict.ok is False
    assert verdict.mistakes[0].kinds == ("degrees",)


def test_two_mistakes_at_once_are_both_named():
    arm = ARMS["two_link"]()
    body = arm.bodies[1]
    both = with_body(arm, 1, I=body.I - steiner(body.m, body.com))
    both = equations(replace(both, gravity=-arm.gravity))
    verdict = ARM.check("tau", both["tau"])
    assert verdict.ok is False
    assert set(verdict.mistakes[0].kinds) == {"gravity_sign", "steiner_missing"}


@pytest.mark.parametrize(
    ("entry", "text", "kind", "words"),
    [
        ("M[1, 1]", "m1 L1^2 + m2 (L1^2 + L2^2 + L1 L2 c2)", "term_factor", "L1 L2 c2 is halved"),
        ("M[1, 1]", "m1 L1^2 + m2 (L1^2 + L2^2 - 2 L1 L2 c2)", "term_sign", "other sign"),
        ("M[1, 1]", "m1 L1^2 + m2 (L1^2 + 2 L1 L2 c2)", "steiner_missing", "link2"),
        ("M[2, 2]", "m2 L2^2 + m1 L1^2", "term_extra", "m1 L1² is added"),
        ("M[2, 2]", "m1 L2^2", "wrong_symbol", "m1 is written in place of m2"),
        ("M[1, 2]", "m2 L2^2 + m2 L1 L2 s2", "sin_cos", "exchanged"),
        ("c[1]", "-m2 L1 L2 s2 (qd1 qd2 + qd2^2)", "coriolis_factor", "factor 2"),
        ("K", "(m1 L1^2 + m2 (L1^2 + L2^2 + 2 L1 L2 c2)) qd1^2 / 2 + m2 L2^2 qd2^2 / 2", "", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_in_one_entry_is_said(entry, text, kind, words):
    verdict = POINT.check(entry, text)
    assert verdict.ok is False
    assert verdict.wrong[0].difference
    if kind:
        assert verdict.mistakes[0].kinds == (kind,), verdict
        assert words in str(verdict)


def test_the_state_that_shows_a_mistake_is_simple_and_does():
    verdict = POINT.check("c[2]", "2 m2 L1 L2 s2 qd1^2")
    entry = verdict.wrong[0]
    assert entry.state == "at q2 = π/2, q̇1 = 1, every parameter 1"
    assert (entry.yours, entry.right) == (2.0, 1.0)
    assert entry.difference == "m2 L1 L2 s2 q̇1²"
    swapped = POINT.check("M[2, 2]", "m1 L2^2").wrong[0]  # which parameters of 1 do not show
    assert "m1 = 2, m2 = 3" in swapped.state
    assert swapped.yours != swapped.right


def test_random_changes_are_never_called_right_nor_explained_falsely():
    rng = random.Random(1)
    q, _, m2, a1 = sympy.symbols("q2 qd1 m2 a1")
    right = ARM.sympy("M")
    for _ in range(4):
        change = sympy.Rational(rng.randint(1, 40), 41) * m2 * a1 ** rng.randint(1, 3)
        i, j = rng.randrange(2), rng.randrange(2)
        wrong = right.copy()
        wrong[i, j] += change * sympy.sin(3 * q) if rng.random() < 0.5 else change
        verdict = ARM.check("M", wrong)
        assert verdict.ok is False
        assert [entry.place for entry in verdict.wrong] == [(i + 1, j + 1)]
        assert all(m.kinds[0].startswith("term") for m in verdict.mistakes) or not verdict.mistakes


# functions


def test_a_function_is_compared_at_states_which_is_no_proof():
    arm = qddot.load("two_link")
    eqs = qddot.derive(arm)
    verdict = eqs.check("M", arm.mass_matrix)
    assert verdict.ok
    assert verdict.reason == "M agrees at 200 random states to 1e-09: not a proof."
    assert eqs.check("tau", lambda q, qd, qdd: arm.inverse_dynamics(q, qd, qdd)).ok
    assert eqs.check("C", arm.coriolis_matrix).ok
    wrong = eqs.check("g", lambda q: -arm.gravity_torque(q))
    assert wrong.ok is False
    assert wrong.mistakes[0].kinds == ("gravity_sign",)
    assert not wrong.mistakes[0].proved
    degrees = eqs.check("g", lambda q: arm.gravity_torque(np.deg2rad(q)))
    assert degrees.mistakes[0].kinds == ("degrees",)
    with pytest.raises(BadArgument, match=r"gives shape \(2,\); M has shape \(2, 2\)"):
        eqs.check("M", lambda q: q)
    with pytest.raises(BadArgument, match=r"failed at q = .*ZeroDivisionError"):
        eqs.check("M", lambda q: 1 / 0)


def test_a_function_of_a_robot_with_symbols_needs_their_values():
    with pytest.raises(QddotError, match="it depends on"):
        RP.check("P", lambda q: 0.0)
    values = dict(m1=3.0, m2=2.0, l1=0.5, Izz1=0.12, Iyy2=0.05, g=9.81)
    assert RP.check("g[2]", lambda q: 2.0 * 9.81 * np.sin(q[0]), **values).ok
    with pytest.raises(BadArgument, match="for functions"):
        RP.check("g[2]", "m2 g s1", m1=1.0)


def test_long_arms_are_checked_within_a_limit_of_work():
    eqs = qddot.derive("stanford")
    assert eqs.check("M", eqs.M).ok
    assert eqs.check("g", -eqs.g).mistakes[0].kinds == ("gravity_sign",)
    turned = eqs.check("M[1, 1]", -eqs.M[0, 0])
    assert str(turned.mistakes[0]).endswith("what one gets if all of it has the other sign.")
    assert eqs.check("M[6, 6]", "0.5").notes == ("No usual mistake gives this answer.",)


# what cannot be read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty"),
        ("m2 L2^", "it ends too early"),
        ("(m2", "a closing parenthesis is missing"),
        ("[m2][m2, L2]", "shapes do not fit"),
        ("[m2, L2", "a closing bracket is missing"),
        ("9^9^9", "needs parentheses"),
        ("9^(9^9)", "a whole number of at most 100"),
        ("m2 L3", "'L3' is no symbol of this robot. Did you mean 'L"),
        ("__import__('os').system('id')", "it is not part of a formula"),
        (r"\write18{id}", r"\\write is not known here"),
        (r"\input{/etc/passwd}", r"\\input is not known here"),
        ("(" * 50 + "m2" + ")" * 50, "nested deeper than 40"),
        ("m2 " * 600, "more than 500 factors"),
        ("m2 ∮ L2", "'∮': it is not part of a formula"),
        ("x" * 200_000, "longer than 100000"),
        (r"\frac{m_2", "a closing brace } is missing"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text, words):
    with pytest.raises(BadAnswer, match=words):
        POINT.check("M[2, 2]", text)


def test_a_letter_g_of_a_robot_with_a_number_for_gravity_is_explained():
    with pytest.raises(BadAnswer, match=r"number 9.81; .* robot.with_gravity\(\[0, \"-g\", 0\]\)"):
        qddot.derive("two_link").check("g[2]", "25 g c12")
    lettered = qddot.load("two_link").with_gravity([0, "-g", 0])
    assert qddot.derive(lettered).check("g[2]", "25 g c12").ok
    with pytest.raises(BadAnswer, match=r"\.\.\.$"):
        qddot.derive("two_link").check("g[2]", "25 h c12")


def test_entries_that_are_missing_are_counted_where_they_are_many():
    with pytest.raises(BadAnswer, match=r"no entry \[1, 1, 2\], .* and 3 more\.$"):
        POINT.check("gamma", "gamma111 = 0")


def test_what_is_too_long_to_multiply_out_ends_in_time():
    assert POINT.check("M[2, 2]", "(m1 + m2 + L1 + L2 + c1)^99").ok is None
    with pytest.raises(QddotError, match="a power of over 100"):
        POINT.check("M[2, 2]", "((((2^99)^99)^99)^99)^99 m2")


@pytest.mark.parametrize(
    ("quantity", "words"),
    [
        ("Q", "no quantity named 'Q'"),
        ("M[3, 1]", r"M has shape \(2, 2\)"),
        ("M[1]", "its entries count from 1"),
        (3, "no quantity"),
    ],
)
def test_what_is_no_quantity_is_refused(quantity, words):
    with pytest.raises(QddotError, match=words):
        POINT.check(quantity, "m2")


# sheets and the command line

SHEET = """
robot = "two_link_point_symbolic"
title = "Sheet 3"

[[answer]]
question = "1a"
quantity = "g"
text = '\\begin{bmatrix} (m_1+m_2) g L_1 c_1 + m_2 g L_2 c_{12}\\\\ m_2 g L_2 c_{12}\\end{bmatrix}'
points = 4

[[answer]]
question = "1b"
quantity = "M"
text = "[[m1 L1^2 + m2 (L1^2 + L2^2 + 2 L1 L2 c2), m2 (L2^2 + L1 L2 c2)], [0, m2 L2^2]]"
points = 4
partial = true

[[answer]]
question = "2"
robot = "rp_symbolic"
quantity = "K"
text = "m1 ?"

[[answer]]
question = "3"
quantity = "P"
text = ""
"""


def test_a_sheet_is_graded(tmp_path):
    path = tmp_path / "answers.toml"
    path.write_text(SHEET, encoding="utf-8")
    sheet = qddot.equations.grade(path)
    assert [a.result for a in sheet.answers] == ["right", "wrong", "unreadable", "no answer"]
    assert [a.earned for a in sheet.answers] == [4, 3, 0, 0]
    assert (sheet.earned, sheet.points, sheet.ok) == (7, 10, False)
    assert len(sheet.problems) == 3
    done = run("check", str(path))
    assert done.returncode == 1
    assert done.stdout.strip() == str(sheet)
    assert done.stdout.strip().splitlines()[-1].split() == ["total", "7/10"]
    facts = json.loads(run("check", str(path), "--json").stdout)
    assert facts["earned"] == 7
    assert facts["answers"][1]["verdict"]["wrong"][0]["place"] == [2, 1]


def test_a_key_decides_what_is_asked(tmp_path):
    key, answers = tmp_path / "key.toml", tmp_path / "answers.toml"
    key.write_text(
        'robot = "rp_symbolic"\n[[answer]]\nquestion = "a"\nquantity = "g[2]"\npoints = 3\n'
    )
    answers.write_text(
        '[[answer]]\nquestion = "a"\nquantity = "K"\npoints = 99\ntext = "m2 g s1"\n'
    )
    sheet = qddot.equations.grade(answers, key)
    assert (sheet.earned, sheet.points) == (3, 3)
    answers.write_text('[[answer]]\nquestion = "b"\ntext = "m2 g s1"\n')
    with pytest.raises(QddotError, match="the key has no question 'b'"):
        qddot.equations.grade(answers, key)


def test_the_key_of_an_exercise_gives_all_points_to_its_solution(tmp_path):
    task = exercise(7, 2)
    task.write(tmp_path, "text")
    asked = tomllib.loads((tmp_path / "key.toml").read_text(encoding="utf-8"))["answer"]
    lines = []
    for question in asked:
        text = question.get("right")
        if text is None:
            name, _, index = question["quantity"].partition("[")
            value = task.equations.quantity(name)
            place = tuple(int(k) - 1 for k in index.rstrip("]").split(",")) if index else ()
            text = str(qddot.equations.as_sympy(np.asarray(value, dtype=object)[place]))
        lines += ["[[answer]]", f"question = {json.dumps(question['question'])}"]
        lines += [f"text = {json.dumps(text)}"]
    (tmp_path / "answers.toml").write_text("\n".join(lines), encoding="utf-8")
    sheet = qddot.equations.grade(tmp_path / "answers.toml", tmp_path / "key.toml")
    assert sheet.earned == sheet.points == task.points, str(sheet)


@pytest.mark.parametrize(
    ("right", "text", "result"),
    [
        ("L1 c1 + L2 c12", r"L_1\\cos\\theta_1 + L_2\\cos(\\theta_1 + \\theta_2)", "right"),
        ("L1 c1 + L2 c12", "L1 c1 + L2 c2", "wrong"),
        ("[-L1 s1 - L2 s12, -L2 s12]", "[-L1 s1 - L2 s12, L2 s12]", "wrong"),
        ("[133.2421, 41.6211]", "[133.2, 41.6]", "right"),
        ("[133.2421, 41.6211]", "[133.2, 42.6]", "wrong"),
        ("sqrt(2)/2", "0.7071", "right"),
        ("sqrt(2)/2", "0.7", "wrong"),
        ("0", "0.001", "wrong"),
        ("2", "2 m1", "wrong"),
        ("[1, 2]", "3", "wrong"),
    ],
)
def test_a_sheet_may_say_itself_what_is_right(tmp_path, right, text, result):
    path = tmp_path / "answers.toml"
    path.write_text(
        f'robot = "two_link_point_symbolic"\n[[answer]]\nright = "{right}"\ntext = "{text}"\n'
    )
    assert qddot.equations.grade(path).answers[0].result == result


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty"),
        ("robot = ", "it is not TOML"),
        ('robot = "rp"', "answer: there is none"),
        ('[[answer]]\ntext = "1"', "none is given"),
        ('robot = "rp"\n[[answer]]\nquantity = "M"\npoints = -1', "points"),
        ('robot = "rp"\n[[answer]]\nquantity = "M"\ntxt = "1"', "Did you mean 'text'"),
        ('robot = "rp"\n[[answer]]\nquantity = "Q"', "no quantity named 'Q'"),
        ('robot = "nobody"\n[[answer]]\nquantity = "M"', "no built-in robot"),
        ('robot = "rp"' + '\n[[answer]]\nquantity = "M"\nquestion = "1"' * 2, "two of this name"),
        ('robot = "rp"\na = ' + "[" * 5000, "nested too deeply|not TOML"),
    ],
)  # fmt: skip
def test_a_sheet_that_cannot_be_graded_says_where(tmp_path, text, words):
    path = tmp_path / "answers.toml"
    path.write_text(text)
    with pytest.raises(QddotError, match=words):
        qddot.equations.grade(path)


def test_the_command_line_checks_one_answer(tmp_path):
    done = run("check", "two_link_point_symbolic", "--quantity", "M[2,2]", "m2 L2^2")
    assert (done.returncode, done.stdout.strip()) == (
        0,
        "M[2,2] is right: exactly equal to what was derived.",
    )
    (tmp_path / "answer.tex").write_text(POINT.latex("M"))
    done = run("check", "two_link_point_symbolic", "--file", str(tmp_path / "answer.tex"))
    assert done.returncode == 0
    done = run("check", "two_link_point_symbolic", "--quantity", "g[2]", " -m2 g L2 c12")
    assert done.returncode == 1
    assert "gravity has the other sign" in done.stdout
    done = run("check", "two_link_point_symbolic", "--quantity", "M", "m2 +")
    assert done.returncode == 2
    assert "cannot be read: it ends too early" in done.stderr
    done = run("check", "two_link_point_symbolic", "--quantity", "g", "m2 g, m1 g")
    assert "',' was not expected there. Write a vector as [a, b]." in done.stderr
    done = run("check", "two_link_point_symbolic", "--quantity", "g", "m2 g")
    assert "g is wrong: it is a vector of 2, and the answer is one formula." in done.stdout


def test_a_verdict_shows_itself_in_a_notebook_and_as_plain_data(tmp_path):
    verdict = POINT.check("g", -POINT.sympy("g"))
    assert "gravity has the other sign" in verdict._repr_html_()
    assert json.loads(json.dumps(verdict.to_dict()))["ok"] is False
    assert verdict.right is False
    assert verdict.reason == "g is wrong in [1] and [2]."
    assert len(verdict.problems) == 4
    path = tmp_path / "answers.toml"
    path.write_text(SHEET, encoding="utf-8")
    assert "7 of 10 points" in qddot.equations.grade(path)._repr_html_()


# quotients, and letters of a book


@pytest.mark.parametrize(
    ("name", "choices"),
    [("M_inv", {}), ("qdd", {}), ("effective_mass", {"frame": "tool"})],
)
def test_quotients_are_checked_in_any_form(name, choices):
    """Also as we print them, with one denominator below the whole matrix."""
    eqs = qddot.derive("two_link_point_symbolic")
    right = eqs.sympy(name, **choices)
    for answer in (right, eqs.text(name, **choices), eqs.latex(name, **choices), str(right)):
        assert eqs.check(name, answer, **choices).right
    wrong = right.copy()
    wrong[1] = wrong[1] / 2
    verdict = eqs.check(name, wrong, **choices)
    assert verdict.right is False
    (entry,) = verdict.wrong
    assert entry.yours == pytest.approx(entry.right / 2)


def test_a_wrong_quotient_is_shown_where_it_has_a_value():
    """Λ of two links has sin² q2 below, so that the first states of all show nothing."""
    eqs = qddot.derive("two_link_point_symbolic", notation="craig")
    verdict = eqs.check("Λ[1, 1]", "m2", frame="tool")
    assert verdict.right is False
    assert "at q2 = 1" in str(verdict)
    assert eqs.check("Λ[1, 2]", "-m1*sin(2 q1)/2 / sin(q2)^2 + 0", frame="tool").right is False


@pytest.mark.parametrize(
    ("letters", "quantity", "name"),
    [("craig", "V", "c"), ("craig", "k", "K"), ("spong", "D[1, 2]", "M"), ("siciliano", "B", "M")],
)
def test_quantities_may_be_asked_for_by_the_letters_of_a_book(letters, quantity, name):
    eqs = qddot.derive("two_link_point_symbolic", notation=letters)
    entry = eqs.sympy(name)
    answer = entry[0, 1] if "[" in quantity else entry
    assert eqs.check(quantity, answer).right
    with pytest.raises(UnknownName, match="no quantity named"):
        qddot.derive("two_link_point_symbolic").check("V", "0")
