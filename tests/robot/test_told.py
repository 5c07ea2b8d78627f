"""What is doubtful is said where it is made: from_dh, with_payload, with_values; and hints."""

import pytest
import sympy as sp

import qddot
from qddot.model import Inertial
from qddot.scalars.expressions import expression, symbol

L1, TENTH = sp.Symbol("l1"), sp.Float(0.1)
STRANGE = [sp.tan(L1), sp.Symbol("pi"), sp.Symbol("a b"), sp.I, sp.oo, sp.nan]


def test_from_dh_warns_as_load_does():
    rows = [{"d": 0.3, "alpha": 90, "mass": 1, "com": [0.1, 0, 0]}, {"a": 0.4, "mass": 1}]
    with pytest.warns(qddot.RobotWarning, match="It looks like degrees") as told:
        qddot.from_dh(rows, "standard")
    assert told[0].filename == __file__


@pytest.mark.parametrize("inertia", [(1, 2, 5), (0.1, 0.1, 0.1, 0, 0, 0)])
def test_a_payload_that_no_body_is_is_warned_of(inertia):
    with pytest.warns(qddot.RobotWarning, match="payload at 'tool': .* inertia") as told:
        qddot.load("two_link").with_payload("tool", 1.0, inertia=inertia)
    assert told[0].filename == __file__


def test_a_payload_that_is_possible_is_not_warned_of(recwarn):
    qddot.load("two_link").with_payload("tool", 1.0, inertia=(1, 2, 2))
    assert not [w for w in recwarn if issubclass(w.category, qddot.RobotWarning)]


def test_values_that_make_no_body_are_warned_of():
    arm = qddot.from_dh(
        [{"a": 1, "mass": 5, "com": [-0.5, 0, 0], "inertia": [0.1, 0.1, "I"]}], "standard"
    )
    with pytest.warns(qddot.RobotWarning, match="no body has this inertia"):
        arm.with_values(I=0.22)


def test_numbers_and_symbols_of_sympy_stand_in_dh_rows():
    rows = [
        {
            "a": L1,
            "alpha": sp.pi / 2,
            "mass": sp.Rational(1, 3),
            "com": [-L1 / 2, 0, TENTH],
        },
        {"a": sp.sqrt(2) * L1**2, "theta": -sp.sin(L1), "mass": sp.Float(1 / 3), "d": 1 / L1},
    ]
    text = [
        {"a": "l1", "alpha": "pi/2", "mass": "1/3", "com": ["-l1/2", 0, 0.1]},
        {"a": "sqrt(2)*l1**2", "theta": "-sin(l1)", "mass": 1 / 3, "d": "1/l1"},
    ]
    arm = qddot.from_dh(rows, "standard")
    assert arm.model == qddot.from_dh(text, "standard").model
    assert arm.symbols == ("l1",)
    assert expression(arm.model.joints[0].origin.xyz[2]) == 0
    assert arm.model.joints[1].origin.xyz[0] == symbol("l1")


def test_matrices_and_gravity_of_sympy_are_taken():
    row = {"a": L1, "mass": 2, "com": sp.Matrix([-L1 / 2, 0, 0]), "inertia": sp.diag(0, L1, L1)}
    text = {"a": "l1", "mass": 2, "com": ["-l1/2", 0, 0], "inertia": [0, "l1", "l1"]}
    arm = qddot.from_dh([row], "standard", gravity=(0, -L1, 0))
    assert arm.model == qddot.from_dh([text], "standard", gravity=(0, "-l1", 0)).model
    inertia = sp.Matrix([[3, L1, 0], [L1, 3, 0], [0, 0, 3]])
    loaded = arm.with_payload("tool", L1, sp.Matrix([0, 0, L1]), inertia)
    assert loaded.model.payloads[0].inertial == Inertial(
        symbol("l1"), (0, 0, symbol("l1")), (3, symbol("l1"), 0, 3, 0, 3)
    )


def test_symbols_of_sympy_are_given_values():
    arm = qddot.from_dh([{"a": L1, "mass": "m", "com": [-L1 / 2, 0, 0]}], "standard")
    assert arm.with_values({L1: 2, "m": 3}).model == arm.with_values(l1=2, m=3).model
    assert arm.with_values({L1: sp.pi / 3}, m=1).symbols == ()
    with pytest.raises(qddot.QddotError, match="no symbol named 'b'"):
        arm.with_values({sp.Symbol("b"): 1})


@pytest.mark.parametrize("bad", STRANGE)
def test_what_we_cannot_hold_of_sympy_is_refused(bad):
    with pytest.raises(qddot.QddotError, match=r"dh\[0\]: a: .* is not a number or a formula"):
        qddot.from_dh([{"a": bad, "mass": 1}], "standard")


def test_limits_of_a_slider_in_millimetres_are_noticed():
    row = {"type": "prismatic", "mass": 1, "limits": {"lower": 0, "upper": 300}}
    with pytest.warns(qddot.RobotWarning, match="limits reach 300 m. They look like millimetres"):
        qddot.from_dh([row], "standard")
