"""What every joint reference promises: derivatives, rest at its ends, the same when recorded."""

import pickle

import numpy as np
import pytest
from complex_step import STEP
from made import ARM

import qddot
from qddot.errors import BadArgument
from qddot.motions import (
    CartesianLine,
    Fourier,
    Move,
    Quintic,
    Repeated,
    SCurve,
    Setpoint,
    Spline,
    Trapezoidal,
    check_limits,
    time_optimal,
)

POLYNOMIAL = 1e-11  # of numbers of size 1, after polynomials of degree five


def two_link():
    return ARM


def rows_of(motion):
    t = np.linspace(0, motion.duration, 400)
    return Spline(t + 7.0, motion.sampled(t)[0], 1e-6)


def made():
    rng = np.random.default_rng(5)
    robot = two_link()
    start, end = [0.3, 1.2], [-0.5, 2.0]
    line = CartesianLine(robot, "tool", start, [-0.4, 0.9, 0], duration=1.5, orientation="free")
    return {
        "setpoint": Setpoint(start),
        "between": Quintic([start, end], 2.0),
        "move": Move(start, end, 2.0),
        "repeated": Repeated(Quintic([start, end, [1.0, 0.0], start], 0.4)),
        "spline": rows_of(Quintic([start, end, [1.0, 0.0], start], 2.0)),
        "quintic": Quintic(rng.uniform(-1, 1, (5, 2)), [0, 0.5, 0.8, 2.0, 2.5]),
        "trapezoidal": Trapezoidal(start, end, 0.5, [1.0, 2.0]),
        "triangle": Trapezoidal(start, end, 5.0, [1.0, 2.0]),
        "s-curve": SCurve(start, end, 0.5, 2.0, 10.0),
        "nowhere": SCurve(start, start, 0.5, 2.0, 10.0),
        "fourier": Fourier([0.1, 0.2], *rng.uniform(-1, 1, (2, 2, 5)), 0.3),
        "line": line.joints,
        "fastest": time_optimal(robot, [start, [0.5, 1.0], end], effort=2000.0, pieces=20),
        "task": line,
    }


MADE = made()
every = pytest.mark.parametrize("reference", MADE.values(), ids=MADE.keys())
ending = pytest.mark.parametrize(
    "reference",
    [x for x in MADE.values() if np.isfinite(x.duration)],
    ids=[key for key, x in MADE.items() if np.isfinite(x.duration)],
)


def span(reference):
    return reference.duration if np.isfinite(reference.duration) else 3.0


@every
def test_velocity_and_acceleration_are_the_derivatives(reference):
    for t in np.random.default_rng(0).uniform(-0.5, span(reference) + 0.5, 60):
        position, velocity, _ = (np.imag(x) / STEP for x in reference.at(complex(t, STEP)))
        _, qd, qdd = reference.at(float(t))
        assert position == pytest.approx(qd, rel=POLYNOMIAL, abs=POLYNOMIAL)
        assert velocity == pytest.approx(qdd, rel=POLYNOMIAL, abs=POLYNOMIAL * 10)


@every
def test_recorded_and_sampled_equal_plain(reference):
    t = np.concatenate(
        [np.linspace(-0.5, span(reference) + 0.5, 201), reference.breaks, [0.0, span(reference)]]
    )
    plain = [np.array(x) for x in zip(*(reference.at(float(x)) for x in t), strict=True)]
    for k, (found, expected) in enumerate(zip(reference.sampled(t), plain, strict=True)):
        assert found.shape == expected.shape
        assert found == pytest.approx(expected, abs=POLYNOMIAL * 10)
        program = qddot.record(lambda t, k=k: reference.at(t)[k], t=())
        assert qddot.Kernel(program).general(t) == pytest.approx(expected, abs=POLYNOMIAL * 10)


@ending
def test_it_rests_before_its_start_and_after_its_end(reference):
    first, last = reference.at(0.0)[0], reference.at(reference.duration)[0]
    for t, place in ((-1.0, first), (reference.duration, last), (reference.duration + 5, last)):
        q, qd, qdd = reference.at(t)
        assert q == pytest.approx(place, abs=POLYNOMIAL)
        assert not np.any(qd)
        assert not np.any(qdd)


@ending
def test_position_and_velocity_are_continuous(reference):
    breaks = reference.breaks
    before, after = (reference.sampled(t) for t in (np.nextafter(breaks, -1), breaks))
    assert before[0] == pytest.approx(after[0], abs=POLYNOMIAL)
    # the square root of the speed's round-off, where a motion along a path stops
    assert before[1] == pytest.approx(after[1], abs=1e-6)


@pytest.mark.parametrize("key", ["between", "quintic", "s-curve", "line", "fourier"])
def test_acceleration_is_continuous_where_promised(key):
    reference = MADE[key]
    before, after = (reference.sampled(t) for t in (reference.breaks - 1e-9, reference.breaks))
    assert before[2] == pytest.approx(after[2], abs=1e-6)


@every
def test_a_reference_is_frozen_and_can_be_sent_elsewhere(reference):
    with pytest.raises(AttributeError):
        reference.duration = 3.0
    again = pickle.loads(pickle.dumps(reference))
    assert again.at(0.7)[0] == pytest.approx(reference.at(0.7)[0], abs=0)


def test_quintic_goes_through_its_points_with_four_continuous_derivatives():
    reference = MADE["quintic"]
    for t, point in zip(reference.times, reference.points, strict=True):
        assert reference.at(float(t))[0] == pytest.approx(point, abs=POLYNOMIAL)
    h = 1e-4  # third and fourth derivatives on both sides of a point, by differences of q̈
    for t in reference.times[1:-1]:
        left, right = ([reference.at(float(t + s * k * h))[2] for k in range(3)] for s in (-1, 1))
        third = [(x[1] - x[0]) / h for x in (left, right)]
        assert -third[0] == pytest.approx(third[1], rel=0.05, abs=0.5)
        fourth = [(x[2] - 2 * x[1] + x[0]) / h**2 for x in (left, right)]
        assert fourth[0] == pytest.approx(fourth[1], rel=0.05, abs=2.0)


def test_a_move_is_the_quintic_between_its_ends_and_takes_fewer_operations():
    move, quintic = MADE["move"], MADE["between"]
    t = np.linspace(-1, 3, 41)
    for own, other in zip(move.sampled(t), quintic.sampled(t), strict=True):
        assert own == pytest.approx(other, abs=POLYNOMIAL)
    assert len(move.program.steps) < len(quintic.program.steps)


def test_a_repeated_motion_begins_again_and_must_end_where_it_begins():
    motion = MADE["repeated"]
    t = np.linspace(0, motion.period, 23)[:-1]
    for periods in (0, 1, 9, 50_000):
        found = motion.sampled(t + periods * motion.period)[0]
        assert found == pytest.approx(motion.motion.sampled(t)[0], abs=1e-9)
        assert motion.values(t + periods * motion.period)[0] == pytest.approx(found, abs=1e-9)
    with pytest.raises(BadArgument, match=r"must end where it begins: it goes from \[0\.0\]"):
        Repeated(Quintic([[0.0], [1.0]], 1.0))


def test_a_spline_has_few_pieces_and_is_as_near_as_asked_for():
    t = np.linspace(0, 6, 3000)
    q = np.stack([np.sin(t), np.cos(2 * t)], axis=1)
    coarse, fine = Spline(t, q, 1e-3), Spline(t, q, 1e-8)
    assert len(coarse.breaks) < len(fine.breaks) <= 129
    for motion in (coarse, fine):
        assert np.abs(motion.sampled(t)[0] - q).max() <= motion.tolerance
        assert motion.error <= motion.tolerance
    assert fine.sampled(t[:-1])[1][:, 0] == pytest.approx(np.cos(t[:-1]), abs=1e-5)


def test_quintic_between_two_points_is_the_textbook_polynomial():
    reference = Quintic([[1.0, 0.0], [3.0, -1.0]], 2.0)
    for t in np.linspace(0, 2, 21)[:-1]:
        u = t / 2
        share = 10 * u**3 - 15 * u**4 + 6 * u**5
        assert reference.at(t)[0] == pytest.approx([1 + 2 * share, -share], abs=POLYNOMIAL)


def test_trapezoid_reaches_its_velocity_and_acceleration_where_long_enough():
    reference = Trapezoidal([0.0, 1.0], [2.0, 0.0], [0.5, 0.5], [1.0, 0.4])
    _, qd, qdd = reference.sampled(np.linspace(0, reference.duration, 5000))
    assert np.abs(qd).max(axis=0) == pytest.approx([0.5, 0.25])
    assert np.abs(qdd).max(axis=0) == pytest.approx([0.8, 0.4])
    # length/v + v/a
    assert reference.duration == pytest.approx(2 / 0.5 + 0.5 / 0.8)


def test_a_short_trapezoid_is_a_triangle():
    reference = Trapezoidal([0.0], [0.5], 10.0, 2.0)
    assert reference.duration == pytest.approx(2 * np.sqrt(0.5 / 2))


@pytest.mark.parametrize("length", [1e-3, 0.05, 0.5, 3.0])
@pytest.mark.parametrize("velocity", [0.1, 1.0])
@pytest.mark.parametrize("acceleration", [0.2, 2.0])
def test_s_curve_keeps_its_limits_and_uses_one_of_them(length, velocity, acceleration):
    reference = SCurve([0.0, 0.0], [length, -length / 3], velocity, acceleration, 3.0)
    t = np.linspace(0, reference.duration, 20_001)
    q, qd, qdd = reference.sampled(t)
    jerk = np.abs(np.diff(qdd, axis=0)).max() / t[1]
    assert np.abs(qd).max() <= velocity * (1 + POLYNOMIAL)
    assert np.abs(qdd).max() <= acceleration * (1 + POLYNOMIAL)
    assert jerk == pytest.approx(3.0, rel=1e-3)
    assert q[-1] == pytest.approx([length, -length / 3])
    # slower than without a limit of the jerk, by no more than the time that the jerks take
    quick = Trapezoidal([0.0], [length], velocity, acceleration).duration
    assert quick < reference.duration
    if length == 3.0 and velocity == 0.1:
        rise = min(acceleration / 3, np.sqrt(velocity / 3))
        ramp = rise + velocity / (3 * rise)
        assert reference.duration == pytest.approx(length / velocity + ramp)


def test_fourier_repeats_itself():
    reference = MADE["fourier"]
    t = np.linspace(-1, 2, 50)
    for a, b in zip(reference.sampled(t), reference.sampled(t + reference.period), strict=True):
        assert a == pytest.approx(b, abs=1e-10)


READY = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.7])


def test_the_first_violation_of_a_limit_is_told():
    panda = qddot.load("panda")
    with pytest.raises(BadArgument, match=r"'panda_joint4' of 'panda' at t = 0 s: its position"):
        Setpoint(np.zeros(7), panda)
    there = READY + np.array([1, 0, 0, 0, 0, 0, 0])
    with pytest.raises(BadArgument) as caught:
        Quintic([READY, there], 0.5, panda)
    text = str(caught.value)
    assert "'panda_joint1'" in text
    assert "velocity would be 2.17" in text
    assert "its limit is 2.175" in text
    assert "at least 1.72 times the duration" in text  # 15/8 · 1 rad / 0.5 s / 2.175
    Quintic([READY, there], 1.73 * 0.5, panda)
    with pytest.raises(BadArgument, match="moves 2 joints, but robot 'panda' has 7"):
        Setpoint([0.0, 0.0], panda)


def test_torques_are_checked_when_asked():
    panda = qddot.load("panda")
    slow = Quintic([READY, READY + 0.5], 2.0, panda)
    assert check_limits(panda, slow, torque=True) is None
    heavy = panda.with_payload("tool", 12.0)
    assert check_limits(heavy, slow) is None
    with pytest.raises(BadArgument, match=r"its torque would be .* N·m, its limit is") as caught:
        check_limits(heavy, slow, torque=True)
    assert "stronger motor" in str(caught.value)


def test_a_trapezoid_takes_the_velocity_of_the_robot():
    panda = qddot.load("panda")
    reference = Trapezoidal(READY, READY + np.array([1, 0, 0, 0, 0, 0, 2]), None, 10.0, panda)
    _, qd, _ = reference.sampled(np.linspace(0, reference.duration, 2000))
    assert np.abs(qd).max(axis=0)[[0, 6]] == pytest.approx([1.305, 2.61])
