"""Equations: their values are the kernels', their parts fit together, and their pages are safe."""

import html
import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy
from command_line import run
from long import long, one_in
from nearness import ROUND_OFF
from typer.testing import CliRunner

import qddot
from qddot.cli import app
from qddot.equations.deriving import FORMULATIONS, LOOK
from qddot.equations.document import document
from qddot.equations.latex import as_latex
from qddot.equations.polynomial import at_most
from qddot.equations.printing import FORMATS, page
from qddot.errors import BadArgument, NotNumeric, QddotError, TooLarge, UnknownName
from qddot.model import Inertial, Joint, Link, Placement, build
from qddot.model.joint import Mimic

TEXTBOOK = ("two_link", "two_link_point", "two_link_cylinders", "rp", "pendulum")
ROBOTS = (*TEXTBOOK, "double_pendulum", "mass_spring_damper")
ROBOTS = (*ROBOTS, "scara", "stanford", "puma560", "ur5", "panda")
EVERY_FORMULATION = FORMULATIONS
VALUES = dict(m1=50, m2=50, I1=10, I2=10, a1=1, a2=1, aC1=0.5, aC2=0.5, d1=3, d2=4, g=9.81)
HOSTILE = r"<script>alert(1)</script> $\input{x}$ `rm` [a](javascript:b) \write18{c} &amp;"

robots = pytest.mark.parametrize("name", ROBOTS)


@cache
def robot(name):
    """Return a robot without dry friction, which closed forms leave out."""
    loaded = qddot.load(name)
    joints = tuple(
        replace(j, friction=replace(j.friction, coulomb=0, static=None))
        for j in loaded.model.joints
    )
    return qddot.Robot(replace(loaded.model, joints=joints))


@cache
def equations(name):
    return qddot.derive(robot(name), "recursive")


def state(name, count=None):
    n = robot(name).n
    shape = (3, n) if count is None else (3, count, n)
    return np.random.default_rng(3).uniform(-2, 2, shape)


def kernels(arm, q, qd, qdd):
    """Return what the compiled recursions say of every quantity."""
    return {
        "M": arm.mass_matrix(q),
        "C": arm.coriolis_matrix(q, qd),
        "c": arm.velocity_torque(q, qd),
        "g": arm.gravity_torque(q),
        "tau": arm.inverse_dynamics(q, qd, qdd),
        "gamma": arm.christoffel(q),
        "M_rate": arm.mass_matrix_rate(q, qd),
        "K": arm.kinetic_energy(q, qd),
        "P": arm.potential_energy(q),
    }


def assert_near(found, expected, scale=0.0):
    scale = max(np.abs(expected).max(), scale, 1e-3)
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUND_OFF * scale)


# values


@pytest.mark.parametrize("name", one_in(3, ROBOTS))
def test_values_are_those_of_the_kernels(name):
    arm, eqs = robot(name), equations(name)
    q, qd, qdd = state(name)
    expected = kernels(arm, q, qd, qdd)
    large = np.abs(expected["M"]).max() * max(1, np.abs(qd).max() ** 2)
    for quantity, value in expected.items():
        assert_near(eqs.evaluate(quantity, q, qd, qdd), value, large)


@pytest.mark.parametrize("name", ["two_link", "rp", "mass_spring_damper", "scara", *long("ur5")])
def test_compiled_closed_forms_are_the_kernels_too(name):
    arm, eqs = robot(name), equations(name)
    inputs = state(name, count=5)
    for quantity, value in kernels(arm, *inputs).items():
        function = eqs.to_function(quantity)
        assert_near(function(*inputs[: len(function.program.inputs)]), value, 100)


def test_a_compiled_quantity_takes_the_same_arguments_of_every_robot():
    """Of two masses on a line c is zero and M constant, and they are functions all the same."""
    for name in ("mass_spring_damper", "two_link"):
        eqs = equations(name)
        counts = {q: len(eqs.to_program(q).inputs) for q in ("M", "c", "M_rate", "friction", "tau")}
        assert counts == {"M": 1, "c": 2, "M_rate": 2, "friction": 2, "tau": 3}


def test_symbols_get_their_values_by_name():
    eqs = qddot.derive(qddot.load("two_link_symbolic"))
    q, qd, qdd = state("two_link")
    arm = qddot.load("two_link_symbolic").with_values(**VALUES)
    assert_near(eqs.evaluate("tau", q, qd, qdd, **VALUES), arm.inverse_dynamics(q, qd, qdd))
    assert_near(eqs.to_function("tau", **VALUES)(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))


def test_rates_that_are_not_given_are_zero():
    eqs = equations("two_link")
    q = np.array([0.3, 0.7])
    assert_near(eqs.evaluate("tau", q), robot("two_link").gravity_torque(q))


# parts


@pytest.mark.parametrize("name", ["two_link_symbolic", "stanford", *long("rp_symbolic", "ur5")])
def test_centrifugal_and_coriolis_matrices_give_c(name):
    eqs = qddot.derive(qddot.load(name))
    qd = eqs.robot.qd
    products = np.array([qd[i] * qd[j] for i in range(eqs.n) for j in range(i + 1, eqs.n)])
    assert not any(eqs.centrifugal @ (qd * qd) + eqs.coriolis @ products - eqs.c)
    assert eqs.coriolis.shape == (eqs.n, eqs.n * (eqs.n - 1) // 2)


def test_one_joint_has_no_coriolis_matrix():
    eqs = qddot.derive(qddot.load("pendulum_symbolic"))
    assert eqs.coriolis.shape == (1, 0)
    assert not eqs.centrifugal.any()


@pytest.mark.parametrize("name", ["two_link_symbolic", "scara", *long("stanford")])
def test_every_named_coriolis_matrix_gives_c_and_the_right_ones_are_skew(name):
    eqs = qddot.derive(qddot.load(name))
    found = eqs.coriolis_matrices()
    assert len(found) == 7
    for C in found.values():
        assert not any(C @ eqs.robot.qd - eqs.c)
    skew = {name for name, C in found.items() if eqs.is_skew(C)}
    assert skew == {
        *("christoffel", "half_rate_skew", "newton_euler_skew", "newton_euler_christoffel"),
    }
    assert not any((found["christoffel"] - eqs.C).reshape(-1))


def test_the_terms_have_their_names_and_add_up():
    eqs = qddot.derive(qddot.load("double_pendulum_symbolic"))
    terms = {term.symbol: term for term in eqs.breakdown()}
    assert len(terms) == 4 + 8 + 2
    labels = {symbol: term.label for symbol, term in terms.items()}
    assert labels["M11"] == labels["M22"] == "effective inertia"
    assert labels["M12"] == "coupling inertia"
    assert labels["Γ122"] == "centripetal"
    assert labels["Γ112"] == "Coriolis"
    assert labels["G2"] == "gravity"
    qd, qdd = eqs.robot.qd, eqs.robot.qdd
    for i in (1, 2):
        total = terms[f"G{i}"].value
        for j in (1, 2):
            total = total + terms[f"M{i}{j}"].value * qdd[j - 1]
            for k in (1, 2):
                total = total + terms[f"Γ{i}{j}{k}"].value * qd[j - 1] * qd[k - 1]
        assert not total + eqs.friction[i - 1] - eqs.tau[i - 1]


@pytest.mark.parametrize("name", ["two_link", "scara", *long("ur5")])
def test_the_regressor_times_the_parameters_is_the_torque(name):
    arm, eqs = robot(name).without("friction"), equations(name)
    q, qd, qdd = state(name)
    Y = eqs.evaluate("Y", q, qd, qdd)
    assert Y.shape == (arm.n, len(arm.parameters))
    assert_near(Y @ arm.parameters, arm.inverse_dynamics(q, qd, qdd), 10)


def test_equations_are_equal_whichever_way_they_came():
    arm = qddot.load("two_link_symbolic")
    ways = [qddot.derive(arm, way) for way in EVERY_FORMULATION]
    assert all(a == b for a in ways for b in ways)
    assert [eqs.formulation for eqs in ways] == list(EVERY_FORMULATION)
    assert len({hash(eqs) for eqs in ways}) == len(EVERY_FORMULATION)
    assert all(eqs.steps for eqs in ways)


def test_equations_of_different_robots_are_not_equal():
    one, other = (qddot.load(name) for name in ("two_link_symbolic", "two_link_point_symbolic"))
    assert qddot.derive(one) != qddot.derive(other)
    assert qddot.derive(one) != 1
    heavier = qddot.load("two_link").with_payload("tool", mass=1)
    assert qddot.derive(heavier) != equations("two_link")


def test_equations_print_and_become_sympy():
    eqs = qddot.derive(qddot.load("rp_symbolic"))
    assert "rp_symbolic by lagrange" in repr(eqs)
    assert "M &= " in eqs._repr_latex_()
    assert r"\ddot{q}_{1}" in eqs.latex("tau")
    M = eqs.sympy("M")
    assert M.shape == (2, 2)
    assert M[1, 1] == sympy.Symbol("m2")
    assert len(eqs.sympy("gamma")) == 2


def test_springs_and_friction_are_in_the_torque_but_no_stribeck_effect():
    eqs = qddot.derive(qddot.load("mass_spring_damper_symbolic"))
    assert "k (q1 − q2) + c (q̇1 − q̇2)" in eqs.text("tau")
    rough = qddot.load("two_link").with_friction(viscous=2, coulomb=5)
    eqs = qddot.derive(rough)
    assert eqs.text("friction") == "⎡2 q̇1 + 5 sgn(q̇1)⎤\n⎣2 q̇2 + 5 sgn(q̇2)⎦"
    written = page(document(eqs), "text")
    assert "F_v q̇ + F_s sgn(q̇)" in written
    assert "Stribeck" not in written
    sticky = qddot.derive(rough.with_friction(static=6, stribeck_velocity=0.1))
    assert sticky.text("friction") == eqs.text("friction")
    assert "The Stribeck effect" in page(document(sticky), "text")


# errors


def test_missing_symbols_are_named():
    eqs = qddot.derive(qddot.load("rp_symbolic"))
    with pytest.raises(NotNumeric, match="depends on Iyy2, Izz1, g, l1, m2"):
        eqs.evaluate("M", [0.1, 0.2], m1=1)
    with pytest.raises(NotNumeric, match="depends on Iyy2"):
        eqs.to_function("M")


def test_a_symbol_that_is_not_there_is_named_with_the_nearest():
    eqs = qddot.derive(qddot.load("rp_symbolic"))
    with pytest.raises(UnknownName, match=r"no symbol named 'Izz'\. Did you mean 'Izz1'"):
        eqs.evaluate("M", [0.1, 0.2], Izz=1)


def test_an_unknown_quantity_is_answered_with_the_known_ones():
    with pytest.raises(UnknownName, match=r"no quantity named 'mass'\.\s+It has: M, C, c, g, tau"):
        equations("rp").evaluate("mass", [0, 0])


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (([0.1], [0, 0]), "q has 1 entries; it must have 2"),
        (([0.1, 0.2], [0]), "qd has 1 entries; it must have 2"),
        (([0.1, 0.2], [0, 0], [1, 2, 3]), "qdd has 3 entries; it must have 2"),
    ],
)
def test_a_state_of_the_wrong_length_is_told(state, words):
    with pytest.raises(BadArgument, match=words):
        equations("rp").evaluate("tau", *state)


def test_an_unknown_formulation_is_answered_with_the_known_ones():
    with pytest.raises(BadArgument, match=r"no formulation 'lagrang'\. Did you mean 'lagrange'"):
        qddot.derive(qddot.load("rp"), "lagrang")


def twisted_chain(n):
    """Return a chain in which no angle is right and no length zero."""
    rng = np.random.default_rng(n)
    links, joints = [Link("l0")], []
    for i in range(1, n + 1):
        links.append(Link(f"l{i}", Inertial(1, (0.1, 0.2, 0.3), (1, 0.01, 0.02, 1, 0.03, 1))))
        at = Placement(tuple(rng.uniform(0.1, 1, 3).tolist()), tuple(rng.uniform(0.1, 1, 3)))
        joints.append(Joint(f"j{i}", "continuous", f"l{i - 1}", f"l{i}", at, (0, 0, 1)))
    return build("snake", links, joints)


def test_a_closed_form_that_is_too_large_is_refused_at_once():
    # far fewer products of terms than the closed form has terms
    with at_most(LOOK), pytest.raises(TooLarge) as caught:
        qddot.derive(twisted_chain(14))
    words = str(caught.value)
    assert re.search(r"'snake' would have about \de\+\d+ terms", words)
    assert 'robot.program("mass_matrix")' in words
    assert "robot.locked" in words
    with pytest.raises(TooLarge):
        qddot.prove(twisted_chain(14))


# joints that follow, and joints that are held


def following(ratio, kind="continuous"):
    links = [Link("base"), *(Link(f"l{i}", Inertial(1, (0.3, 0, 0))) for i in (1, 2))]
    first = Joint("a", "continuous", "base", "l1", axis=(0, 0, 1))
    at = Placement((0.5, 0, 0))
    second = Joint("b", kind, "l1", "l2", at, (0, 0, 1), mimic=Mimic("a", ratio))
    return qddot.Robot(build("pair", links, [first, second]))


@pytest.mark.parametrize("ratio", [1, -2, 3])
def test_a_joint_may_follow_by_a_whole_ratio(ratio):
    arm = following(ratio).with_gravity((0, -9.81, 0))
    eqs = qddot.derive(arm)
    q, qd, qdd = (np.array([x]) for x in (0.4, -0.7, 1.2))
    assert_near(eqs.evaluate("tau", q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))
    assert qddot.prove(arm).holds


def test_a_turning_joint_that_follows_by_half_is_refused_with_what_to_do():
    words = r"'b' follows 'a' by the ratio 1/2.*\n.*make the ratio whole, or lock"
    with pytest.raises(BadArgument, match=words):
        qddot.derive(following(0.5))


def test_a_slide_may_follow_by_any_ratio():
    arm = following(0.25, "prismatic")
    q, qd, qdd = (np.array([x]) for x in (0.4, -0.7, 1.2))
    assert_near(qddot.derive(arm).evaluate("tau", q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))


def test_the_gripper_of_panda_hand_follows_and_its_45_degrees_stay_exact():
    arm = robot("panda_hand")
    eqs = qddot.derive(arm, "recursive")
    q, _, _ = state("panda_hand")
    assert_near(eqs.evaluate("M", q), arm.mass_matrix(q), 10)
    assert_near(eqs.evaluate("g", q), arm.gravity_torque(q), 10)


def test_roots_inside_roots_have_one_form():
    """A square root, a sine and what is under them are replaced until none is left."""
    rows = [
        {"a": "sqrt(2 + sqrt(3))", "alpha": "pi/5", "mass": "m1", "com": ["sqrt(L1)", 0, 0]},
        {"a": "L1", "mass": "m2", "com": ["sqrt(2)", 0, 0], "theta": "pi/4"},
    ]
    arm = qddot.from_dh(rows, "standard")
    assert qddot.prove(arm).holds
    q, qd, qdd = state("two_link")
    values = dict(L1=0.7, m1=2, m2=1.5)
    tau = qddot.derive(arm).evaluate("tau", q, qd, qdd, **values)
    assert_near(tau, arm.with_values(**values).inverse_dynamics(q, qd, qdd))


def test_a_held_joint_leaves_the_equations():
    arm = qddot.load("ur5").without("friction").locked({"wrist_3_joint": 0.3})
    eqs = qddot.derive(arm)
    assert eqs.n == 5
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 5))
    assert_near(eqs.evaluate("tau", q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))


# pages


@cache
def hostile():
    model = qddot.load("two_link_symbolic").model
    joints = tuple(replace(j, name=f"{HOSTILE} {i}") for i, j in enumerate(model.joints))
    return qddot.derive(replace(model, joints=joints, description=HOSTILE, name=HOSTILE))


def test_hostile_words_are_text_in_html():
    written = page(document(hostile(), with_steps=True), "html")
    body = written[written.index("<main") : written.index("</main>")]
    assert "alert(1)" in body
    assert html.escape(HOSTILE.split(" ")[0]) in body
    assert not re.search(r"<(script|img|a|iframe)\b", body)
    title = re.search(r"<title>(.*?)</title>", written)[1]
    assert "<" not in title


def test_hostile_words_are_text_in_latex():
    written = page(document(hostile(), with_steps=True), "latex")
    assert r"\input" not in written
    assert r"\write" not in written
    words = re.sub(r"(?<!\\)\$[^$\n]*(?<!\\)\$", "", written)  # formulas of ours
    assert not re.search(r"(?<!\\)\$", words)
    assert r"\textbackslash{}input\{x\}" in written
    assert r"\&amp;" in written


def test_hostile_words_are_text_in_markdown():
    written = page(document(hostile(), with_steps=True), "markdown")
    words = re.sub(r"\$\$\n.*?\n\$\$", "", written, flags=re.S)
    words, images = re.subn(r"!\[The arm\]\(data:image/svg\+xml;base64,[\w+/=]+\)", "", words)
    assert images == 1
    # formulas of ours stand between two $; what the file says has its $ escaped
    words = re.sub(r"(?<!\\)\$[^$\n]*(?<!\\)\$", "", words)
    for character in "<>`$[]&":
        assert not re.search(r"(?<!\\)" + re.escape(character), words), character


def test_a_terminal_is_not_steered():
    model = replace(qddot.load("pendulum_symbolic").model, description="a\x1b[2Jb")
    assert "\x1b" not in page(document(qddot.derive(model)), "text")


@pytest.mark.parametrize(
    ("format", "formulation"),
    [
        *((format, "lagrange") for format in FORMATS),
        *one_in(3, [("latex", formulation) for formulation in EVERY_FORMULATION[1:]]),
        *long(*((f, way) for f in FORMATS if f != "latex" for way in EVERY_FORMULATION[1:])),
    ],
)
def test_pages_hold_the_equations_and_the_way_to_them(format, formulation):
    eqs = qddot.derive(qddot.load("two_link_symbolic"), formulation)
    short, long = (page(document(eqs, with_steps), format) for with_steps in (False, True))
    assert len(long) > len(short)
    for heading in ("The robot", "The equations of motion", "Mass matrix", "Gravity torques"):
        assert heading in short
    mass = eqs.text("M").splitlines()[0] if format == "text" else as_latex(eqs.M[0, 0])
    assert (html.escape(mass) if "html" in format else mass) in short
    step = eqs.steps[0].title
    assert (step in long) or format == "markdown"
    starts = {"latex": r"\documentclass", "html": "<!doctype html>", "markdown": "# "}
    starts |= {"slides": starts["latex"]}
    assert short.startswith(starts.get(format, "two_link_symbolic"))


# the command line

runner = CliRunner()


def test_derive_prints_the_equations():
    run = runner.invoke(app, ["derive", "two_link_symbolic", "--formulation", "trace", "--steps"])
    assert run.exit_code == 0
    assert "Pseudo-inertia, in the frame of the link" in run.output
    assert "U21 = ∂ ⁰T2/∂q1 =" in run.output  # the formula beside the value
    assert "m2 (aC2² + a1 aC2 c2) + I2" in run.output


def test_derive_writes_every_format(tmp_path):
    for format, ending in [*((f, f) for f in FORMATS[:4]), ("slides", "tex")]:
        path = tmp_path / f"page.{ending}"
        run = runner.invoke(app, ["derive", "rp_symbolic", "--format", format, "-o", str(path)])
        assert run.exit_code == 0
        assert "l1" in path.read_text(encoding="utf-8") or "l_{1}" in path.read_text("utf-8")


def test_derive_for_machines():
    run = runner.invoke(app, ["derive", "rp_symbolic", "--json"])
    data = json.loads(run.output)
    assert data["robot"] == "rp_symbolic"
    assert set(data["latex"]) == {"M", "C", "c", "g", "tau"}


def test_derive_has_a_structured_form():
    run = runner.invoke(app, ["derive", "panda", "--structured"])
    assert run.exit_code == 0
    assert len(run.output.splitlines()) > 100


@pytest.mark.parametrize(
    "words",
    [["rp", "--formulation", "magic"], ["rp", "--format", "pdf"], ["no_such_robot"]],
)
def test_what_cannot_be_derived_is_said(words):
    run = runner.invoke(app, ["derive", *words])
    assert run.exit_code != 0
    assert isinstance(run.exception, QddotError)  # which `main` turns into status 2


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["derive", "rp", "--formulation", "magic"], 2),
        (["derive", "rp", "-o", "/no/such/folder/page.txt"], 2),
        (["prove", "no_such_robot"], 2),
        (["prove", "rp_symbolic"], 0),
    ],
)
def test_the_status_tells_what_happened(words, status):
    done = run(*words)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr


def test_prove_for_machines():
    run = runner.invoke(app, ["prove", "two_link_symbolic", "--json"])
    assert run.exit_code == 0
    data = json.loads(run.output)
    assert data["robot"] == "two_link_symbolic"
    assert {"statement", "holds", "expected", "terms", "seconds", "witness"} == set(
        data["claims"][0]
    )
    assert all(claim["holds"] for claim in data["claims"] if claim["expected"])


def test_the_derivative_of_the_energy_by_a_rate_is_the_momentum():
    eqs = qddot.derive(qddot.load("two_link_symbolic"))
    momentum = eqs.M @ eqs.robot.qd
    assert [eqs.derivative("K", f"qd{k + 1}") for k in range(2)] == list(momentum)
    assert [eqs.derivative("P", f"q{k + 1}") for k in range(2)] == list(eqs.g)
    assert np.array_equal(eqs.derivative("tau", "qdd2"), eqs.M[:, 1])


@pytest.mark.parametrize("by", ["q3", "x1", "q0", "qddd1"])
def test_a_derivative_by_what_is_not_there_is_refused(by):
    eqs = qddot.derive(qddot.load("two_link_symbolic"))
    with pytest.raises(BadArgument, match="There is no"):
        eqs.derivative("M", by)


def test_equations_with_values_are_those_of_the_robot_with_values():
    robot = qddot.load("double_pendulum_symbolic")
    values = {"m1": 1.5, "d2": 0.3}
    some = qddot.derive(robot, "trace").with_values(**values)
    assert some.formulation == "trace"
    assert some == qddot.derive(robot.with_values(**values), "trace")
    assert "m2" in some.text("M")


def test_markdown_holds_the_same_formula_as_latex():
    eqs = qddot.derive(qddot.load("pendulum_symbolic"))
    assert eqs.markdown("g") == f"$$\n{eqs.latex('g')}\n$$"


def test_a_cart_of_whole_kilograms_has_whole_equations():
    """Its kinetic energy is a plain number times q̇², which NumPy makes a float of its own kind."""
    cart, load = {"type": "prismatic", "mass": 2}, {"a": 1, "mass": 1}
    robot = qddot.from_dh([cart, load], "standard", gravity=(0, "-9.81", 0))
    assert qddot.prove(robot).holds
    assert qddot.derive(robot).M[0, 0] == 3
