"""What people give is returned ready for use, or refused by its name, with what would be right."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

import qddot
from qddot import checks
from qddot.errors import BadArgument, WrongShape, WrongValue

NOT_NUMBERS = ["1", b"1", True, np.True_, None, [1.0], [[1], [1, 2]], {}, 1j, np.nan, np.inf]


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
def test_what_is_no_finite_number_is_refused(value):
    assert not checks.is_number(value)
    for check in (checks.number, checks.positive, checks.not_negative, checks.whole):
        with pytest.raises(BadArgument, match=r"^step is .*; give a "):
            check("step", value)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int64(2), np.array(2.0), Fraction(2)])
def test_a_number_of_any_type_becomes_a_float(value):
    found = checks.positive("step", value)
    assert type(found) is float
    assert found == 2.0


def test_bounds_are_named_in_words():
    cases = [
        (lambda: checks.number("x", 3, least=0, most=1), "x is 3; give a number from 0 to 1."),
        (lambda: checks.number("x", -1, least=0), "x is -1; give a number of at least 0."),
        (lambda: checks.number("x", np.nan), "x is nan; give a number that is finite."),
        (lambda: checks.positive("x", 0, "s"), "x is 0; give a positive number [s]."),
        (lambda: checks.not_negative("x", -1), "x is -1; give a number that is not negative."),
        (lambda: checks.whole("x", 1.5, 1), "x is 1.5; give a whole number, 1 or more."),
        (lambda: checks.whole("x", 9, 0, 8), "x is 9; give a whole number from 0 to 8."),
        (lambda: checks.one_of("x", "c", "ab"), "x is 'c'; it must be 'a' or 'b'."),
        (
            lambda: checks.one_of("x", "rk5", ("rk4", "euler", "midpoint")),
            "x is 'rk5'; it must be one of rk4, euler, midpoint. Did you mean 'rk4'?",
        ),
        (lambda: checks.by_name("x", 3, "{'a': 1}"), "x is 3; give it by name, like x={'a': 1}."),
    ]
    for check, words in cases:
        with pytest.raises(BadArgument) as caught:
            check()
        assert str(caught.value) == words


def test_arrays_are_their_own_and_finite():
    given = np.arange(3)
    found = checks.numbers("x", given)
    found[0] = 5.0
    assert given[0] == 0
    assert checks.numbers("x", [Fraction(1, 2), 1]).tolist() == [0.5, 1.0]
    for wrong in ("abc", ["1", "2"], [1j], [[1, 2], [3]], np.zeros(2, "M8[s]"), {"a": 1}):
        with pytest.raises(BadArgument, match=r"^x is not an array of real numbers\.$"):
            checks.numbers("x", wrong)
    with pytest.raises(BadArgument, match=r"^x is nan at index \(1, 0\); it must be finite\.$"):
        checks.numbers("x", [[1.0], [np.nan]])
    with pytest.raises(BadArgument, match=r"^x is inf; it must be finite\.$"):
        checks.numbers("x", np.inf)


def test_an_array_whose_sum_overflows_is_finite():
    checks.check_finite("x", np.full(4, 1e308))


def test_masked_entries_are_refused():
    with pytest.raises(BadArgument, match="masked entries"):
        checks.numbers("x", np.ma.masked_greater([1.0, 2.0], 1.5))


def test_one_number_stands_for_all_parts():
    assert checks.spread("gear", 2, 3).tolist() == [2, 2, 2]
    assert checks.spread("most", np.inf, 2, finite=False).tolist() == [np.inf, np.inf]
    for wrong in (np.nan, np.inf, -1, "x", [1, 2, -3]):
        with pytest.raises(BadArgument, match="give a number, or 3 of them, one per joint"):
            checks.spread("gear", wrong, 3, least=0)
    with pytest.raises(BadArgument, match=r"^gear has shape \(1, 3\); give 3; or one for all\.$"):
        checks.spread("gear", [[1, 2, 3]], 3)
    with pytest.raises(BadArgument, match="has 3 numbers; give 2, in order: x, y; or one for all"):
        checks.spread("gain", [1, 2, 3], ("x", "y"))
    with pytest.raises(BadArgument, match=r"has 1 number; give 2, in order: x, y\.$"):
        checks.spread("place", 1, ("x", "y"), one_for_all=False)


def test_texts_and_truths_are_what_they_are():
    assert checks.text("name", "arm", 3) == "arm"
    assert checks.flag("stops", True) is True
    for wrong in (7, None, "long"):
        with pytest.raises(BadArgument, match="it must be a text"):
            checks.text("name", wrong, 3)
    for wrong in (1, None, "true"):
        with pytest.raises(BadArgument, match=r"stops is .*; give true or false"):
            checks.flag("stops", wrong)


def test_joint_vectors_name_the_joint():
    robot = qddot.load("two_link")
    first, second = robot.joint_names
    assert checks.joint_vector(robot, "q0", (1, 2)).tolist() == [1.0, 2.0]
    assert checks.joint_rows(robot, "q", [[1, 2]]).shape == (1, 2)
    for wrong in (1.0, [1.0], [[1.0, 2.0]]):
        with pytest.raises(WrongShape, match=f"q0 has shape .*\n.*{first}, {second}"):
            checks.joint_vector(robot, "q0", wrong)
    with pytest.raises(BadArgument, match=f"^q0 of joint '{second}' is nan; it must be finite"):
        checks.joint_vector(robot, "q0", [0, np.nan])


def test_a_refusal_has_parts_and_survives_pickling():
    error = pickle.loads(pickle.dumps(checks.refused("kp of 'play'", -1, "a positive number")))
    assert isinstance(error, WrongValue)
    assert (error.name, error.found) == ("kp of 'play'", "is -1")
    assert str(error) == "kp of 'play' is -1; give a positive number."
