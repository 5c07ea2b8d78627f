"""Regressors in parameters of one's own, and in the fewest that torques can tell."""

import numpy as np
import pytest
import sympy

import qddot
from qddot.errors import BadArgument, BadExpression, UnknownName

ARM = qddot.derive(qddot.load("two_link_symbolic"))
ALPHA = ["m1*aC1", "m1*aC1**2 + I1", "m2", "m2*aC2", "m2*aC2**2 + I2", "d1", "d2"]
q1, q2, w1, w2, a1dd, a2dd, a1, g = sympy.symbols("q1 q2 qd1 qd2 qdd1 qdd2 a1 g")
C1, C2, S2, C12 = sympy.cos(q1), sympy.cos(q2), sympy.sin(q2), sympy.cos(q1 + q2)


def test_the_regressor_is_the_decks_with_its_misprint_put_right():
    """S3's α = (m1 aC1, m1 aC1² + I1, m2, m2 aC2, m2 aC2² + I2): y14 has −a1 S2 θ̇2², not θ̇1²."""
    deck = sympy.Matrix(
        [
            [
                *(g * C1, a1dd, a1**2 * a1dd + a1 * g * C1),
                a1 * C2 * (2 * a1dd + a2dd) - a1 * S2 * w2**2 - 2 * a1 * S2 * w1 * w2 + g * C12,
                *(a1dd + a2dd, w1, 0),
            ],
            [0, 0, 0, a1 * C2 * a1dd + a1 * S2 * w1**2 + g * C12, a1dd + a2dd, 0, w2],
        ]
    )
    assert (ARM.regressor_in(ALPHA) == deck).all()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("two_link_symbolic", ALPHA),
        ("two_link_point_symbolic", ["m1", "m2"]),
        ("rp_symbolic", ["m1", "m2", "Izz1", "Iyy2"]),
        ("pendulum_symbolic", ["m*L", "I", "d"]),
        ("mass_spring_damper_symbolic", ["M1", "M0", "c", "k"]),
    ],
)
def test_the_regressor_times_the_parameters_is_the_torque(name, parameters):
    eqs = qddot.derive(qddot.load(name))
    Y = eqs.sympy("regressor_in", parameters=parameters)
    names = {str(s): s for s in eqs.sympy("tau").free_symbols}
    pi = sympy.Matrix([sympy.sympify(text, locals=names) for text in parameters])
    assert (eqs.tau == (Y * pi).expand()).all()
    assert not Y.free_symbols & pi.free_symbols


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("two_link_symbolic", 7),
        ("two_link_cylinders_symbolic", 5),
        ("rp_symbolic", 3),
        ("double_pendulum_symbolic", 7),
        ("mass_spring_damper_symbolic", 4),
    ],
)
def test_the_lumped_parameters_are_the_fewest(name, count):
    """Their columns are independent, which the ranks of many states say too."""
    eqs = qddot.derive(qddot.load(name))
    assert not any(eqs.regressor_in() @ eqs.lumped_parameters - eqs.tau)
    assert len(eqs.lumped_parameters) == count
    values = {s: 1 + 0.1 * k for k, s in enumerate(eqs.robot.model.symbols)}
    Y = eqs.to_function("regressor_in", **values)
    states = np.random.default_rng(0).uniform(-2, 2, (3, 40, eqs.n))
    assert np.linalg.matrix_rank(Y(*states).reshape(-1, count)) == count


def test_the_lumps_of_the_two_link_arm_are_the_sums_that_the_deck_finds():
    assert ARM.text("lumped_parameters").splitlines()[0] == "⎡m1 aC1² + m2 a1² + I1⎤"
    assert "m1 aC1 + m2 a1 " in ARM.text("lumped_parameters")


def test_parameters_that_have_values_are_numbers_in_the_sums():
    some = qddot.derive(
        qddot.load("two_link_symbolic").with_values(aC1=0.5, I1=10, a1=1, d1=0, d2=2)
    )
    assert not any(some.regressor_in() @ some.lumped_parameters - some.tau)
    m1, m2, I2, aC2 = sympy.symbols("m1 m2 I2 aC2")
    assert (some.lumped_parameters == [m2 * aC2**2 + I2, m1, m2, m2 * aC2, sympy.Integer(1)]).all()
    with pytest.raises(BadArgument, match="also has terms with no symbol, I2, which"):
        some.regressor_in(["m1", "m2"])


def test_parameters_that_are_not_all_are_refused_or_wanted():
    with pytest.raises(BadArgument, match=r"Torque 1 also has terms with I1, I2, d1.*\n.*partial"):
        ARM.regressor_in(["m1", "m2"])
    with pytest.raises(BadArgument, match=r"also has terms with I2, d1, m2, a1\*m2"):
        ARM.regressor_in(["m1*aC1", "m1*aC1**2 + I1", "m2*a1**2"])
    Y = ARM.regressor_in(["m1", "m2"], partial=True)
    rest = ARM.tau - Y @ np.array([ARM.robot.ring.scalar(x) for x in symbols("m1", "m2")])
    assert not {"m1", "m2"} & {
        str(s) for x in rest for s in qddot.equations.as_sympy(x).free_symbols
    }


def symbols(*names):
    from qddot.scalars.expressions import symbol

    return map(symbol, names)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (["m1", "m1"], "depend on each other"),
        (
            ["m1 + I1", "m2", "I2", "d1", "d2"],
            r"terms with I1, m1 have other factors.*\n.*Take sums",
        ),
        (["sin(m1)"], "is no sum of products of symbols"),
        (["m1/aC1"], "is no sum of products of symbols"),
        (["m1", "2"], "holds a number that stands alone"),
        (["m1 + 1"], "holds a number that stands alone"),
        (["q1"], "q1 is a joint variable"),
        (["__import__('os')"], "is not a number or a formula"),
        ([None], "must be a number, or a formula"),
    ],
)
def test_parameters_that_cannot_be_are_refused_in_words(parameters, words):
    with pytest.raises(BadArgument, match=words):
        ARM.regressor_in(parameters)


# S0's arm with its π = (m1, m2, Fs1, Fv1, Fs2, Fv2)
ROUGH = qddot.load("two_link_point_symbolic").with_friction(
    viscous=["Fv1", "Fv2"], coulomb=["Fs1", "Fs2"]
)
PI = dict(m1=2.0, m2=1.5, Fs1=0.5, Fv1=0.3, Fs2=0.4, Fv2=0.2)
LENGTHS = dict(L1=0.8, L2=0.6, g=9.81)


def test_the_regressor_with_friction_is_the_decks():
    """Y of S0, slide "Linearity in the parameters": its columns of Fs are sgn(q̇)."""
    L1, L2 = sympy.symbols("L1 L2")
    deck = sympy.Matrix(
        [
            [
                L1**2 * a1dd + L1 * g * C1,
                L1**2 * a1dd
                + 2 * L1 * L2 * C2 * a1dd
                + L2**2 * (a1dd + a2dd)
                + L1 * L2 * C2 * a2dd
                - L1 * L2 * S2 * (2 * w1 * w2 + w2**2)
                + L1 * g * C1
                + L2 * g * C12,
                *(sympy.sign(w1), w1, 0, 0),
            ],
            [
                0,
                L1 * L2 * C2 * a1dd + L2**2 * (a1dd + a2dd) + L1 * L2 * S2 * w1**2 + L2 * g * C12,
                *(0, 0, sympy.sign(w2), w2),
            ],
        ]
    )
    eqs = qddot.derive(ROUGH)
    assert (eqs.regressor_in(list(PI)) == deck).all()
    assert eqs.text("friction").splitlines()[0] == "⎡Fv1 q̇1 + Fs1 sgn(q̇1)⎤"
    assert r"F_{s1} \operatorname{sgn}\left(\dot{q}_{1}\right)" in eqs.latex("tau")
    assert [str(x) for x in eqs.lumped_parameters[:4]] == ["Fs1", "Fs2", "Fv1", "Fv2"]


def test_dry_friction_in_closed_form_is_that_of_the_robot_at_rest_too():
    eqs, robot = qddot.derive(ROUGH, "explicit"), ROUGH.with_values(**PI, **LENGTHS)
    Y = eqs.to_function("regressor_in", parameters=list(PI), **PI, **LENGTHS)
    tau = sympy.lambdify(
        sympy.symbols("q1 q2 qd1 qd2 qdd1 qdd2"), eqs.sympy("tau").subs({**PI, **LENGTHS}), "numpy"
    )
    states = np.random.default_rng(3).normal(size=(3, 9, 2))
    states[1, :3] = [[0, -1], [0.3, 0], [0, 0]]
    for state in states.transpose(1, 0, 2):
        wanted = robot.inverse_dynamics(*state)
        assert np.allclose(Y(*state) @ list(PI.values()), wanted, rtol=1e-13, atol=1e-13)
        assert np.allclose(tau(*state.ravel()).ravel(), wanted, rtol=1e-13, atol=1e-13)
        assert np.allclose(eqs.evaluate("tau", *state, **PI, **LENGTHS), wanted, rtol=1e-13)


def test_static_friction_has_no_column_of_zeros():
    """The Stribeck effect is no polynomial; what Coulomb's friction has of it stays."""
    sticky = qddot.load("two_link_point_symbolic").with_friction(
        coulomb="Fs", static="Fst", stribeck_velocity=0.1
    )
    eqs = qddot.derive(sticky)
    with pytest.raises(BadArgument, match=r"^Fst: symbols of static friction, whose Stribeck"):
        eqs.regressor_in(["m1", "m2", "Fs", "Fst"])
    Y = eqs.regressor_in(["m1", "m2", "Fs"])
    assert list(Y[:, 2]) == [sympy.sign(w1), sympy.sign(w2)]


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("Fv1*qd1 + Fs1*sign(qd1)", True),
        (r"F_{v1}\dot{q}_1 + F_{s1}\,\mathrm{sgn}(\dot{q}_1)", True),
        ("Fv1 θ̇1 − Fs1 sgn(−2 θ̇1)", True),
        ("Fv1*qd1 + Fs1*sgn(qd1)^3", True),
        ("Fv1*qd1 + Fs1*sgn(qd1)^2", False),
        ("Fv1*qd1 + Fs1", False),
        ("Fv1*qd1 + Fs1*sgn(qd2)", False),
    ],
)
def test_answers_may_hold_the_sign_of_a_velocity(answer, right):
    assert qddot.derive(ROUGH).check("friction[1]", answer).right is right


def test_signs_stand_only_where_they_mean_something():
    smooth = qddot.derive(qddot.load("two_link_point_symbolic"))
    assert not smooth.robot.ring.signs
    assert smooth.check("g[2]", "m2*g*L2*cos(q1+q2) + 0.1*sgn(qd2)").right is False
    with pytest.raises(BadExpression, match="sgn is known of a velocity alone"):
        smooth.check("g[2]", "sgn(q1)")
    with pytest.raises(BadArgument, match="qd holds 'w': dry friction has its sign"):
        qddot.derive(ROUGH).linearised([0, 0], qd=["w", 0])
    held = qddot.derive(ROUGH).linearised([0, 0], qd=[-1, 0])
    assert "− Fs1 − Fv1" in held.text("tau")
    assert "Fs2" not in held.text("tau")


def test_symbols_that_are_not_there_are_named():
    with pytest.raises(UnknownName, match=r"no symbol named 'm3'\. Did you mean 'm"):
        ARM.regressor_in(["m3"])
    with pytest.raises(BadArgument, match="The torques hold no symbols"):
        qddot.derive(qddot.load("two_link")).regressor_in()
