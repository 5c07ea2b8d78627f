"""`sound` means sound: every assumption decided for this arm, reference, sampling and region."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from long import long
from made import ARM, PANDA, SHOULDER
from numpy.testing import assert_allclose

import qddot
from qddot.certificate.bounds import bound
from qddot.control.laws import (
    PD,
    AdaptiveSlotineLi,
    Assumption,
    CartesianImpedance,
    ComputedTorque,
    JointImpedance,
    MomentumObserver,
    OperationalSpace,
    PDGravity,
    RobustSaturated,
    SlotineLi,
)
from qddot.control.laws.assumption import differences, no_gravity, verdict
from qddot.control.laws.dry_friction import LAYER
from qddot.control.laws.feedback import JointLaw
from qddot.control.loop import InterruptedLoop, closed_loop
from qddot.control.report import rate_program, rise
from qddot.motions import Quintic

HOME = np.array([0.0, 0.3, 0.0, -1.6])  # of the shoulder
GO = Quintic([[0, 0], [1, 1]], 2.0)
NEAR = dict(q0=[0.01, 0], duration=2.5)
LEVEL = ARM.with_gravity((0, 0, -9.81))  # its axes are vertical then
TOP = np.array([np.pi / 2, 0])  # upright


def judged(run, part: str) -> bool | None:
    """Return the verdict of the one assumption that speaks of something."""
    (found,) = [each for each in run.report.assumptions if part in each.statement]
    return found.holds


# three values


def test_one_that_fails_decides_and_one_that_is_open_keeps_from_yes():
    yes, no, unknown = (Assumption("it is", holds, "so") for holds in (True, False, None))
    assert verdict([yes, yes]) is True
    assert verdict([yes, unknown]) is None
    assert verdict([unknown, no]) is False
    assert str(unknown) == "it is: open (so)"


@pytest.mark.parametrize(
    "law",
    [
        PD(LEVEL, 2000, 1000, [0.5, 0.5]),
        PDGravity(ARM, 2000, 1000, [0.5, 0.5]),
        ComputedTorque(ARM, 100, 20, GO),
        SlotineLi(ARM, 5, 500, GO),
        AdaptiveSlotineLi(ARM.with_payload("tool", 5.0), 5, 500, GO, adaptation=10.0),
        JointImpedance(ARM, 2000, 500, GO),
        MomentumObserver(ComputedTorque(ARM, 100, 20, GO), 20.0),
        OperationalSpace(ARM, "tool", 100, 20, [1.2, 0.6], axes="xy"),
        CartesianImpedance(ARM, "tool", 3000, 1500, [1.2, 0.6], axes="xy"),
        RobustSaturated(ARM, 5, 500, GO, gravity=10),
    ],
    ids=lambda law: type(law).__name__,
)
def test_a_good_run_of_every_law_that_has_a_theorem_is_sound(law):
    arm = LEVEL if isinstance(law, PD) else ARM
    start = [0.2, 1.8] if hasattr(law, "frame") else [0.01, 0]
    run = closed_loop(arm, law, q0=start, duration=2.5)
    assert run.report.sound is True, run.report.reasons
    assert run.report.verdict == "yes"
    assert str(run.report).endswith("sound: yes")


def some_laws(factor, of):
    """Return laws of two links whose gains of these names are multiplied."""
    made = (
        PD(LEVEL, 2000, 1000, [0.5, 0.5]),
        PDGravity(ARM, 2000, 1000, [0.5, 0.5]),
        ComputedTorque(ARM, 100, 20, GO),
        SlotineLi(ARM, 5, 500, GO),
        AdaptiveSlotineLi(ARM, 5, 500, [0.5, 0.5], adaptation=10.0),
        JointImpedance(ARM, 2000, 500, GO),
        OperationalSpace(ARM, "tool", 100, 20, [1.2, 0.6], axes="xy"),
        CartesianImpedance(ARM, "tool", 3000, 1500, [1.2, 0.6], axes="xy"),
        RobustSaturated(ARM, 5, 500, GO),
    )
    for law in made:
        changed = {name: factor * getattr(law, name) for name in of if hasattr(law, name)}
        yield MomentumObserver(replace(law, **changed), 20.0)
        yield replace(law, **changed)


@pytest.mark.parametrize(
    ("factor", "of", "duration"),
    [
        (1e-290, ("kp", "kd", "lam"), 2.5),
        (1e-9, ("kp", "lam"), 2.5),
        (1e-3, ("kp", "lam"), 2.5),
        (1e-12, ("kd",), 2.5),
        (1.0, (), 1e-3),
    ],
)
def test_what_is_not_seen_to_fall_is_open(factor, of, duration):
    """A gain of next to nothing is positive, too, and V falls by next to nothing."""
    for law in some_laws(factor, of):
        arm = LEVEL if law.robot is LEVEL else ARM
        start = [0.2, 1.8] if "tool x" in law.error_names else [0.01, 0]
        run = closed_loop(arm, law, q0=start, qd0=[0, 0], duration=duration, effort="report")
        assert run.report.sound is not True, law
        assert run.V is None or run.report.falls, (law, run.report.reasons)


def test_each_error_must_fall_by_itself():
    """Also a small one beside a large one, and the velocities in the null space of a frame."""
    law = ComputedTorque(ARM, [100, 1e-9], [20, 20], [0, 0])
    run = closed_loop(ARM, law, q0=[1.0, 0.001], duration=4)
    assert judged(run, "seen to fall") is None
    assert "of j2" in run.report.verdict
    home = np.append(HOME, [0.0, 1.9, 0.5])
    place = PANDA.pose(home, "tool")[:3, 3] + 0.05
    loose = CartesianImpedance(PANDA, "tool", 400, 100, place, joint_damping=1e-9)
    turning = closed_loop(PANDA, loose, q0=home, qd0=0.3 * np.ones(7), duration=2, effort="report")
    assert turning.report.sound is None


def test_a_run_on_its_reference_is_sound_and_stays_at_rounding():
    run = closed_loop(ARM, ComputedTorque(ARM, 100, 20, GO))
    assert run.report.sound is True
    assert run.report.settling_time == 0
    assert "stays at the level of rounding" in str(run)
    assert "starts on its reference; the error is at most" in str(run)
    still = closed_loop(ARM, ComputedTorque(ARM, 100, 20, ARM.home), q0=ARM.home, duration=0.1)
    assert "the error is at most 0 rad" in str(still)


def test_v_of_a_sampled_law_may_rise_while_torques_are_held():
    """Its proof is of torques that follow the state at once, so that nothing is contradicted."""
    run = closed_loop(ARM, ComputedTorque(ARM, 100, 20, GO), rate=1000)
    assert run.report.falls is False
    assert run.report.sound is None
    assert run.report.verdict.startswith("open: The law is asked often enough")


def test_a_law_that_names_no_theorem_is_open():
    @dataclass(frozen=True, eq=False, repr=False)
    class Mine(JointLaw):
        def define(self, t, q, qd, x):
            e, ed = self.errors(t, q, qd)
            return -(self.kp @ e) - self.kd @ ed, np.zeros(0)

    run = closed_loop(LEVEL, Mine(LEVEL, 2000, 1000, [0.1, 0.1]), q0=[0, 0], duration=0.5)
    assert run.report.sound is None
    assert run.report.verdict.startswith("open: The law has a proof of stability")


# dry friction


@pytest.mark.parametrize(
    "law",
    [
        lambda arm: ComputedTorque(arm, 100, 20, GO),
        *long(
            lambda arm: SlotineLi(arm, 5, 100, GO),
            lambda arm: JointImpedance(arm, 2000, 500, GO),
        ),
    ],
)
def test_dry_friction_compensated_by_the_measured_rate_is_not_sound(law):
    rubbing = ARM.with_friction(coulomb=60)
    run = closed_loop(rubbing, law(rubbing), **NEAR)
    assert run.report.falls is False
    assert run.report.sound is False
    assert judged(run, "Dry friction") is False
    assert run.report.reasons[0].startswith("V rises")


def test_an_arm_that_sticks_is_within_the_error_that_is_named():
    """|e| ≤ |S⁺| F, and not far below where it starts just inside."""
    rubbing = ARM.with_friction(coulomb=60)
    for law in (PDGravity(rubbing, 2000, 500, [1, 1]), JointImpedance(rubbing, 2000, 500, [1, 1])):
        run = closed_loop(rubbing, law, q0=[0.971, 1.029], duration=1)
        assert_allclose(np.abs(run.error[-1]), 0.029, rtol=0, atol=1e-9)  # 60/2000 = 0.03
        assert run.report.sound is False
        assert "up to |e| = 0.03, 0.03" in run.report.verdict


def test_slotine_li_by_the_wanted_rate_arrives_in_spite_of_coulomb_friction():
    """V̇ ≤ −sᵀ K_D s: F sgn(q̇) rises with q̇, so what is left of it brakes s."""
    rubbing = ARM.with_friction(coulomb=60, viscous=5)
    law = SlotineLi(rubbing, 5, 500, [1, 1], friction="desired")
    run = closed_loop(rubbing, law, q0=[0.6, 0.7], duration=4)
    stuck = closed_loop(rubbing, SlotineLi(rubbing, 5, 500, [1, 1]), q0=[0.6, 0.7], duration=4)
    assert run.report.sound is True, run.report.reasons
    assert np.abs(run.error[-1]).max() < 3e-4  # 0.001/Λ
    assert np.abs(stuck.error[-1]).max() > 0.003
    tracking = SlotineLi(rubbing, 5, 500, GO, friction="desired")
    assert closed_loop(rubbing, tracking, **NEAR).report.sound is True


def test_what_is_left_of_coulomb_friction_never_feeds_v():
    """V̇ + sᵀ (K_D + Fᵥ) s ≤ Σ F v/4 at any state, whatever the signs of the rates."""
    rubbing = ARM.with_friction(coulomb=60, viscous=5)
    rng = np.random.default_rng(1)
    for law, damping in (
        (SlotineLi(rubbing, 5, 100, [1, 1], friction="desired"), 105.0),
        (JointImpedance(rubbing, 900, 100, GO, friction="desired"), 105.0),
    ):
        V = law.lyapunov(rubbing)
        rate = rate_program(V, rubbing.tree)
        place, wanted, _ = (np.asarray(x, float) for x in law.reference.at(0.7))
        states = list(rng.uniform(-2, 2, (50, 2, 2)))
        # and around where the sign is not ±1
        states += [(place + 2e-4 * a, wanted + 2e-3 * b) for a, b in rng.normal(size=(200, 2, 2))]
        for q, qd in states:
            t = np.array(0.7)
            qdd = rubbing.forward_dynamics(q, qd, law(t, q, qd))
            s = qd - wanted + (5 * (q - place) if isinstance(law, SlotineLi) else 0)
            room = 2 * 60 * LAYER / 4 + 1e-8 * abs(float(V(t, q, qd)))
            assert float(rate(t, q, qd, qdd)) <= -damping * s @ s + room


def test_the_adaptive_law_finds_coulomb_friction():
    rubbing, believed = ARM.with_friction(coulomb=60), ARM.with_friction(coulomb=20)
    law = AdaptiveSlotineLi(believed, 5, 500, GO, adaptation=10.0, friction="desired")
    run = closed_loop(rubbing, law, **NEAR, rate=2000)
    plain = closed_loop(rubbing, SlotineLi(believed, 5, 500, GO), **NEAR, rate=2000)
    assert run.report.rms.max() < plain.report.rms.max() / 2
    assert law.dry_friction(rubbing, HOME[:2]).holds is None  # estimates might drift


def test_static_friction_above_coulombs_is_never_covered():
    sticky = ARM.with_friction(coulomb=10, static=60, stribeck_velocity=0.05)
    for law in (SlotineLi, JointImpedance):
        made = law(sticky, 5, 100, GO, friction="desired")
        assert made.dry_friction(sticky, np.zeros(2)).holds is False


def test_joint_impedance_by_the_planned_rate_is_open_while_it_moves():
    rubbing = ARM.with_friction(coulomb=60)
    run = closed_loop(rubbing, JointImpedance(rubbing, 2000, 500, GO, friction="desired"), **NEAR)
    assert run.report.falls is True
    assert run.report.sound is None


# what the model is


def test_gravity_is_looked_at_everywhere_not_at_the_reference():
    """Standing upright g = 0; the 100 kg fall all the same."""
    run = closed_loop(ARM, PD(ARM, 100, 50, TOP), q0=[np.pi / 2 + 0.01, 0], duration=5)
    assert np.abs(run.error[-1]).max() > 1
    assert judged(run, "No gravity") is False
    assert no_gravity(LEVEL)
    assert not no_gravity(ARM)
    assert no_gravity(PANDA.with_gravity((0, 0, 0)))


def test_springs_and_offsets_keep_pd_from_its_target():
    pushed = LEVEL.with_friction(offset=3.0)
    assert PD(pushed, 100, 50, [0, 0]).assumptions()[1].holds is False


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (ARM.with_friction(coulomb=0.0, static=1000.0, stribeck_velocity=1e-3), "static"),
        (ARM.with_friction(viscous=1e-3), "viscous"),
        (ARM.with_friction(offset=1e-3), "offset"),
        (ARM.with_payload("tool", 1e-6), "inertia"),
        (ARM.with_gravity((0, -9.80665, 0)), "gravity"),
    ],
)
def test_models_are_compared_number_by_number(other, what):
    assert what in [each.what for each in differences(ARM, other)]
    assert what in [each.what for each in differences(other, ARM)]
    run = closed_loop(other, ComputedTorque(ARM, 100, 20, GO), q0=[0, 0], duration=0.1)
    assert judged(run, "The law's model is the arm") is False


def test_two_descriptions_of_one_arm_are_one_model(tmp_path):
    """Other link frames, fixed links folded, inertias about other points."""
    for name in ("ur5", "scara", "puma560"):
        robot = qddot.load(name).without("friction")
        robot.save(tmp_path / f"{name}.toml")
        assert differences(robot, qddot.load(str(tmp_path / f"{name}.toml"))) == []
    # a mass that hangs on a vertical axis of the first joint, which no torque shows
    first = PANDA.model.free_joints[0].child
    assert differences(PANDA, PANDA.with_payload(first, 3.0)) == []


def test_friction_that_is_not_in_the_model_is_not_estimated():
    rubbing = ARM.with_friction(viscous=40)
    law = AdaptiveSlotineLi(ARM, 5, 500, GO)
    assert law.assumptions(rubbing)[0].holds is False
    assert AdaptiveSlotineLi(rubbing, 5, 500, GO).assumptions(ARM)[0].holds is True
    assert law.assumptions(ARM.with_payload("tool", 10.0))[0].holds is True
    assert law.assumptions(ARM.with_gravity((0, -5, 0)))[0].holds is False


# bounds


@pytest.fixture(scope="module")
def slope():
    return bound(ARM, "dg.norm2", seconds=600)


@pytest.fixture(scope="module")
def near_hanging():
    box = {"j1": (-np.pi / 2 - 0.4, -np.pi / 2 + 0.4), "j2": (-0.4, 0.4)}
    return bound(ARM, "dg.norm2", box=box, seconds=600)


def pd(**more):
    return PDGravity(ARM, 1500, 700, more.pop("at", [0.5, 0.5]), compensate="target", **more)


def stiff(law, run=None) -> bool | None:
    return law._stiff_enough(run).holds


def test_a_bound_knows_its_quantity_and_its_robot(slope):
    c = bound(ARM, "c.norm1", seconds=600)
    with pytest.raises(qddot.QddotError, match=r"a bound of 'c.norm1'.*dg.norm2"):
        pd(gravity_slope=c)
    with pytest.raises(qddot.QddotError, match="of another robot than 'two_link'"):
        PDGravity(ARM.with_payload("tool", 1.0), 1500, 700, [0, 0], gravity_slope=slope)
    with pytest.raises(qddot.QddotError, match=r"the certified bound of dg\.norm2"):
        RobustSaturated(ARM, 5, 500, GO, gravity=slope)
    rubbing = ARM.with_friction(viscous=3)  # which gravity does not know of
    PDGravity(rubbing, 1500, 700, [0, 0], gravity_slope=slope)


def test_the_gain_condition_has_three_answers(slope):
    assert stiff(pd()) is None
    assert stiff(pd(gravity_slope=80.0)) is None  # a claim
    assert stiff(pd(gravity_slope=5000.0)) is False
    assert stiff(pd(gravity_slope=slope)) is True
    weak = PDGravity(ARM, 500, 700, [0, 0], compensate="target", gravity_slope=slope)
    assert stiff(weak) is False
    assert closed_loop(ARM, pd(gravity_slope=slope), q0=[0, 0], duration=2).report.sound is True


def test_a_box_that_is_left_proves_nothing_and_one_that_v_keeps_does(near_hanging):
    hanging = [-np.pi / 2, 0]
    law = pd(at=hanging, gravity_slope=near_hanging)
    assert stiff(law) is None  # before a run
    for away, expected in ((0.05, True), (0.39, None), (0.8, False)):
        start = np.array([hanging[0] + away, 0])
        run = closed_loop(ARM, law, q0=start, qd0=[0.0, 0.0], duration=1)
        assert judged(run, "Kp > sup") is expected, away
    outside = pd(at=[0.5, 0.5], gravity_slope=near_hanging)
    assert stiff(outside) is False


def test_bounds_of_what_is_not_modelled_cover_friction():
    rubbing = ARM.with_friction(coulomb=300)
    small = RobustSaturated(ARM, 5, 500, GO, gravity=10)
    large = RobustSaturated(ARM, 5, 500, GO, gravity=500)
    assert [each.holds for each in small.assumptions(rubbing)] == [True, True, False]
    assert [each.holds for each in large.assumptions(rubbing)] == [True, True, True]
    viscous = ARM.with_friction(viscous=3)  # bounded by no number: only the run's rates are known
    assert large.assumptions(viscous)[-1].holds is None


# what a run shows


def test_torques_that_are_cut_off_are_named():
    law = ComputedTorque(SHOULDER, 100, 20, Quintic([HOME, HOME + 0.6], 0.25))
    start = dict(q0=HOME, duration=0.5)
    for more in ({}, dict(rate=1000)):
        run = closed_loop(SHOULDER, law, **start, **more)
        assert judged(run, "cut off") is False
        assert run.report.sound is False
    free = closed_loop(SHOULDER, law, **start, effort="report")
    assert free.report.sound is True


def test_what_pushes_and_stops_that_are_hit_are_named():
    law = PDGravity(ARM, 2000, 1000, [0.5, 0.5])
    start = dict(q0=[0, 0], duration=0.3)
    for more in (
        dict(wrenches={"tool": [0, 0, 0, 0, 5, 0]}),
        dict(disturbance=[1.0, 0.0]),
        dict(base_motion=([0, 0, 0, 0.1, 0, 0], np.zeros(6))),
    ):
        assert judged(closed_loop(ARM, law, **start, **more), "Nothing acts") is False
    calm = closed_loop(ARM, law, q0=[0, 0], duration=2, disturbance=[0.0, 0.0])
    assert calm.report.sound is True
    far = PDGravity(SHOULDER, 50, 10, HOME + 3 * np.eye(4)[1])
    hit = closed_loop(SHOULDER, far, q0=HOME, duration=1.5, stops=0.0)
    assert judged(hit, "No stop") is False


def test_an_arm_that_leans_on_a_stop_from_the_beginning_is_not_sound():
    """No event says so: it never comes to the stop."""
    arm = qddot.load("ur5").without("friction")
    q = np.eye(6)[0] * arm.limits.upper
    law = PDGravity(arm, kp=50, kd=10, reference=q + 0.5 * np.eye(6)[0])
    run = closed_loop(arm, law, q0=q, duration=1, stops=0.0)
    assert judged(run, "No stop is hit") is False
    assert run.report.sound is False


def test_a_motion_that_is_not_computed_well_is_open():
    law = PDGravity(ARM, kp=2000, kd=1000, reference=[0.5, 0.5])
    coarse = dict(method="semi_implicit_euler", step=1e-3)
    with pytest.warns(qddot.SimulationWarning):
        run = closed_loop(ARM, law, q0=[0, 0], duration=2, **coarse)
    assert judged(run, "The motion is computed accurately") is None
    assert run.report.sound is None


@pytest.mark.parametrize("more", [{"effort": "report"}, {"rate": 500}])
def test_how_many_rows_are_returned_changes_no_verdict(more):
    law = ComputedTorque(ARM, 100, 20, GO)
    runs = [closed_loop(ARM, law, **NEAR, **more, every=every) for every in (None, 0.01, 2.5)]
    assert [len(run.t) for run in runs[1:]] == [251, 2]
    assert str(runs[0].report) == str(runs[1].report) == str(runs[2].report)
    assert "rate" in more or runs[0].report.sound is True
    assert all(run.V.shape == run.error.shape[:1] == run.t.shape for run in runs)


@dataclass
class Drawn:
    """A reference of one's own: a function of time that gives position, rate, acceleration."""

    of: object
    n: int = 2
    duration: float = 10.0

    def at(self, t):
        return self.of(t)


def lagging(t):
    """Give a place that moves, and say that it stands still."""
    return np.stack([1 - 0.05 * t, 0.5 + 0 * t]), np.zeros(2, int), np.zeros(2, int)


def jumping(t):
    place = np.where(t < 1, 1.0, 0.2)
    return np.stack([place, 0 * place]), np.zeros(2, int), np.zeros(2, int)


def kinked(t):
    """Give a rate that jumps without an acceleration."""
    rate = np.where(t < 1, 0.1, -0.1)
    place = np.where(t < 1, 0.1 * t, 0.2 - 0.1 * t)
    return np.stack([place, 0 * place]), np.stack([rate, 0 * rate]), np.zeros(2, int)


def swinging(t):
    s, c = np.sin(t), np.cos(t)
    return np.stack([s, c]), np.stack([c, -s]), np.stack([-s, -c])


@pytest.mark.parametrize("of", [lagging, jumping, kinked])
def test_a_reference_whose_rate_is_not_its_derivative_is_not_sound(of):
    law = ComputedTorque(ARM, 0.04, 0.4, Drawn(of))
    run = closed_loop(ARM, law, q0=[-1, 0.5], duration=4, effort="report")
    assert judged(run, "Velocity and acceleration of the reference") is False
    assert run.report.sound is False


def test_a_reference_of_ones_own_can_be_followed():
    law = ComputedTorque(ARM, 100, 20, Drawn(swinging))
    run = closed_loop(ARM, law, q0=[0, 1.01], qd0=[1, 0], duration=2, effort="report")
    assert judged(run, "Velocity and acceleration of the reference") is True
    assert run.report.sound is True


def test_coulomb_friction_that_the_model_takes_for_static_is_not_compensated():
    friction = dict(static=50, stribeck_velocity=0.01)
    model, arm = ARM.with_friction(coulomb=1, **friction), ARM.with_friction(coulomb=50)
    bounds = dict(mass=0, coriolis=0, gravity=0, layer=0.01)
    law = RobustSaturated(model, lam=2, kd=20, reference=GO, friction="desired", **bounds)
    assert law.wrong_by(arm)["gravity"] > 49


def test_a_run_that_runs_away_is_not_sound():
    law = PDGravity(ARM, 1e9, 1e9, [0, 0])
    run = closed_loop(ARM, law, q0=[0.1, 0.1], duration=5, rate=100)
    assert run.report.sound is False
    assert judged(run, "went on to its end") is False


def test_a_frame_that_is_flung_away_is_judged_all_the_same():
    """Angles of 1e20 have no sine; a report is there nevertheless."""
    rubbing = ARM.with_friction(coulomb=1)
    for law in (OperationalSpace, CartesianImpedance):
        made = law(rubbing, "tool", 1e7, 1e7, [1.2, 0.6], axes="xy")
        run = closed_loop(rubbing, made, q0=[0.2, 1.8], duration=3, rate=50)
        assert run.report.sound is False


def test_v_counts_only_where_it_is_said_to_fall():
    V = np.array([4.0, 3.0, 1.0, 2.0, 0.5])
    assert rise(V) == 1 / 3.5
    assert rise(V, claimed=np.array([True, True, False, False, True])) == 0
    assert rise(np.array([1.0, np.nan])) == np.inf


def test_a_place_out_of_reach_or_a_stretched_arm_is_open():
    law = CartesianImpedance(LEVEL, "tool", 3000, 1500, [2.5, 0.0], axes="xy")
    run = closed_loop(LEVEL, law, q0=[0.3, 0.5], duration=3)
    assert judged(run, "can be where") is None
    assert run.report.sound is None


def test_ctrl_c_leaves_the_report(monkeypatch):
    law = PDGravity(ARM, 2000, 1000, [0.5, 0.5])
    calls = []

    def press(t, q, qd):
        calls.append(t)
        if len(calls) == 50:  # once, as a person does
            raise KeyboardInterrupt
        return np.zeros(2)

    for more in ({}, dict(rate=1000)):
        calls.clear()
        with pytest.raises(InterruptedLoop) as caught:
            closed_loop(ARM, law, q0=[0, 0], duration=50, disturbance=press, **more)
        run = caught.value.run
        assert run.trajectory is caught.value.trajectory
        assert judged(run, "went on to its end") is None
        assert "interrupted" in run.trajectory.status


# observers and models


def test_an_observer_takes_what_is_cut_off_for_no_push():
    stiff = np.full(4, 3000.0)
    law = MomentumObserver(PDGravity(SHOULDER, stiff, 0.2 * stiff, HOME + 0.3), gain=50.0)
    for more, small in (({}, 1e-9), (dict(rate=1000), 0.2)):  # a held torque differs a little
        run = closed_loop(SHOULDER, law, q0=HOME, duration=0.3, **more)
        assert judged(run, "cut off") is False
        found = law.residual(run.trajectory.q, run.trajectory.qd, run.x)
        assert np.abs(found).max() < small  # it was 105 N·m


@pytest.mark.parametrize("turning", [None, *long(((100, 20),))])
def test_every_law_can_be_made_on_another_model(turning):
    arm = PANDA if turning else SHOULDER
    home = np.concatenate([HOME, [0.0, 1.9, 0.5]])[: arm.n]
    heavy, X = arm.with_payload("tool", 2.0), arm.pose(home, "tool")
    turned = dict(orientation=X[:3, :3], turning=turning) if turning else {}

    def laws(robot):
        return [
            OperationalSpace(robot, "tool", 100, 20, X[:3, 3], **turned),
            CartesianImpedance(robot, "tool", 300, 40, X[:3, 3], joint_damping=2, **turned),
            MomentumObserver(ComputedTorque(robot, 100, 20, home), 20.0),
            AdaptiveSlotineLi(robot, 5, 10, home, adaptation=0.1),
        ]

    q, qd = home + 0.1, np.full(arm.n, 0.2)
    for law, expected in zip(laws(arm), laws(heavy), strict=True):
        found = law.on(heavy)
        for a, b in zip(
            found.define(0.0, q, qd, found.x0),
            expected.define(0.0, q, qd, expected.x0),
            strict=True,
        ):
            assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=1e-12, atol=1e-12)
    run = closed_loop(arm, laws(arm)[0], q0=home, duration=0.02, model=heavy)
    assert judged(run, "The law's model is the arm") is False


def test_an_adaptive_law_on_a_model_with_other_parameters():
    rubbing = ARM.with_friction(viscous=3, coulomb=1)
    assert len(AdaptiveSlotineLi(ARM, 5, 100, GO, adaptation=2.0).on(rubbing).x0) > 5
    p = len(AdaptiveSlotineLi(ARM, 5, 100, GO).x0)
    uneven = AdaptiveSlotineLi(ARM, 5, 100, GO, adaptation=np.arange(1, p + 1))
    with pytest.raises(qddot.QddotError, match="give one number"):
        uneven.on(rubbing)
