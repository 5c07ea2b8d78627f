"""Quantities by name: one table serves every way to read, evaluate and compile them."""

import numpy as np
import pytest
import sympy
from nearness import DIVIDED, ROUND_OFF, assert_near

import qddot
from qddot.equations import Equations
from qddot.errors import BadArgument, UnknownName

EQS = qddot.derive(qddot.load("two_link_point_symbolic"))
VALUES = {"m1": 2.0, "m2": 1.5, "L1": 0.8, "L2": 0.6, "g": 9.81}
STATE = {
    "q": np.array([0.3, 0.7]),
    "qd": np.array([0.5, -0.2]),
    "qdd": np.array([1.0, 2.0]),
    "tau": np.array([3.0, -1.0]),
    "wrench": np.array([0.1, -0.2, 0.3, 4.0, -5.0, 6.0]),
}
MORE = {"potential": {"zero_at": ["pi/2", 0]}}  # choices besides the frame


def choices(name):
    entry = Equations.quantities[name]
    return MORE.get(name, {}) | ({"frame": "tool"} if "frame" in entry.choices else {})


def substituted(expression):
    """Return the number that a SymPy expression is at the state and the values."""
    names = {"tau": "tau{}", "q": "q{}", "qd": "qd{}", "qdd": "qdd{}"}
    numbers = {text.format(k + 1): STATE[key][k] for key, text in names.items() for k in range(2)}
    numbers |= dict(zip(("nx", "ny", "nz", "fx", "fy", "fz"), STATE["wrench"], strict=True))
    return float(sympy.sympify(expression).subs(numbers | VALUES))


@pytest.mark.parametrize("name", Equations.quantities)
def test_every_quantity_is_read_evaluated_and_compiled(name):
    chosen, entry = choices(name), Equations.quantities[name]
    assert EQS.text(name, ascii=True, **chosen).isascii()
    assert EQS.latex(name, **chosen) in EQS.markdown(name, **chosen)
    found = EQS.evaluate(name, **state_of(entry), **VALUES, **chosen)
    compiled = EQS.to_function(name, **VALUES, **chosen)
    assert [port.name for port in compiled.program.inputs] == list(entry.inputs)
    assert_near(compiled(*(STATE[kind] for kind in entry.inputs)), found)
    written = EQS.sympy(name, **chosen)
    blocks = written if isinstance(written, list) else [written]
    flat = [x for block in blocks for x in (block if hasattr(block, "shape") else [block])]
    assert_near([substituted(x) for x in flat], found.reshape(-1), tolerance=DIVIDED)


def state_of(entry):
    return {kind: STATE[kind] for kind in entry.inputs}


def test_a_derivative_goes_through_quotients():
    """∂M⁻¹/∂q = −M⁻¹ ∂M/∂q M⁻¹."""
    inverse, slopes = (EQS.evaluate(name, STATE["q"], **VALUES) for name in ("M_inv", "M_slopes"))
    found = [substituted(x) for x in EQS.derivative("M_inv", "q2").sympy()]
    assert_near(found, (-inverse @ slopes[1] @ inverse).reshape(-1))


# what the decks define, against their own formulas


def sympy_slopes():
    """Return ∂M_ij/∂q_k as SymPy differentiates M, with k first."""
    M, q = EQS.sympy("M"), sympy.symbols("q1 q2")
    return [[[sympy.diff(M[i, j], q[k]) for j in range(2)] for i in range(2)] for k in range(2)]


def test_the_coordinate_of_a_slope_comes_first():
    assert (EQS.M_slopes == [sympy.Matrix(block) for block in sympy_slopes()]).all()
    stacked = np.concatenate([np.asarray(block) for block in EQS.M_slopes])
    assert (EQS.M_stacked == stacked).all()


def test_h_is_the_unsymmetric_factor_of_the_deck_and_gives_c():
    """h_kji = ∂M_kj/∂q_i − ½ ∂M_ij/∂q_k."""
    D, qd = sympy_slopes(), EQS.robot.qd
    for k, j, i in np.ndindex(2, 2, 2):
        assert EQS.h[k, j, i] == D[i][k][j] - D[k][i][j] / 2
    assert not any(np.einsum("kji,j,i->k", EQS.h, qd, qd) - EQS.c)
    assert (np.asarray(EQS.h + EQS.h.transpose(0, 2, 1)) / 2 == np.asarray(EQS.gamma)).all()


def test_U_and_N_are_those_of_the_two_link_arm():
    """U = [[0, 0], [−(2q̇1 + q̇2) k, −q̇1 k]] and N with k = m2 L1 L2 sin q2."""
    m2, L1, L2, q2, w1, w2 = sympy.symbols("m2 L1 L2 q2 qd1 qd2")
    k = m2 * L1 * L2 * sympy.sin(q2)
    assert (sympy.Matrix([[0, 0], [-(2 * w1 + w2) * k, -w1 * k]]) == EQS.U).all()
    skew = (2 * w1 + w2) * k
    assert (sympy.Matrix([[0, skew], [-skew, 0]]) == EQS.N).all()


@pytest.mark.parametrize("name", ["two_link_symbolic", "rp_symbolic", "scara"])
def test_the_kronecker_forms_give_mdot_and_U_and_S_completes_C(name):
    eqs = qddot.derive(qddot.load(name))
    assert not (eqs.qd_kron_E @ eqs.M_stacked - eqs.M_rate).any()
    assert not (eqs.E_kron_qd @ eqs.M_stacked - eqs.U).any()
    assert not (eqs.M_rate / 2 + eqs.S - eqs.C).any()
    assert not (eqs.S + eqs.S.T).any()
    assert not (eqs.N + eqs.N.T).any()


def test_the_potential_has_its_zero_where_one_wants_it():
    """The pendulum of the deck: P = m g L (1 − cos θ)."""
    pendulum = qddot.derive(qddot.load("pendulum_symbolic"))
    m, g, L, q1 = sympy.symbols("m g L q1")
    assert pendulum.potential([0]) == m * g * L * (1 - sympy.cos(q1))
    assert pendulum.potential(["pi/2"]) == pendulum.P
    assert pendulum.potential([np.pi / 3]) == m * g * L * (sympy.Rational(1, 2) - sympy.cos(q1))
    lifted = pendulum.evaluate("potential", [0.4], zero_at=[0.3], m=2, g=10, L=0.5, I=1, d=0)
    assert_near(lifted, 10 * (np.cos(0.3) - np.cos(0.4)), tolerance=ROUND_OFF)


# mistakes


def test_what_is_to_be_chosen_is_asked_for():
    with pytest.raises(BadArgument, match="'jacobian' is of a frame: say which, frame="):
        EQS.latex("jacobian")
    with pytest.raises(UnknownName, match=r"no frame named 'tol'\. Did you mean 'tool'"):
        EQS.text("pose", frame="tol")
    with pytest.raises(BadArgument, match="'M' has no choice 'frame'; it has none"):
        EQS.sympy("M", frame="tool")
    with pytest.raises(BadArgument, match=r"no choice 'axis'; it has frame, axes.*mean 'axes'"):
        EQS.quantity("jacobian", frame="tool", axis="local")
    with pytest.raises(BadArgument, match="tau has 1 entries; it must have 2: tau1, tau2"):
        EQS.evaluate("qdd", [0, 0], tau=[1], **VALUES)
    with pytest.raises(BadArgument, match="zero_at has 3 entries; give 2 numbers"):
        EQS.potential([0, 0, 0])
