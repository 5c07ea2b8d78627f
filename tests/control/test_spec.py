"""One description of a controlled run: three doors, one law; a file in a folder is enough."""

import sys

import numpy as np
import pytest
from made import PANDA
from numpy.testing import assert_allclose

import qddot
from qddot.cli import words
from qddot.control import closed_loop
from qddot.control.laws import CartesianImpedance, PDGravity
from qddot.control.laws.law import ControlLaw
from qddot.control.spec import described_control, law_kind, laws, named_law
from qddot.errors import BadArgument, BadPlan
from qddot.motions import Fourier, Move, Setpoint
from qddot.motions.description import motion_kinds
from qddot.on_demand import everything_in
from qddot.sweeps.plan import study_of

ARM = qddot.load("two_link")
GO = {"kind": "quintic", "points": [[0, 0], [1, 1]], "duration": 2.0}


def test_words_a_plan_and_a_dict_describe_one_law():
    gains = words.gains_of(["kp=50,40,kd=10"])
    written = {"law": "pd", "gains": gains, "reference": words.reference_of("quintic 0,0 1,1 2.0")}
    plain = {"law": "pd", "gains": {"kp": [50, 40], "kd": 10}, "reference": GO}
    plan = {"robot": "two_link", "duration": 1.0, "control": plain}
    found = [described_control(each, ARM, ARM.home).law for each in (written, plain)]
    found.append(study_of(plan).controllers[0].law)
    for law in found:
        np.testing.assert_array_equal(law.kp, np.diag([50, 40]))
        np.testing.assert_array_equal(law.kd, 10 * np.eye(2))
        np.testing.assert_array_equal(law.reference.points, GO["points"])
    by_name = qddot.control(ARM, "pd", GO, duration=0.1)
    np.testing.assert_array_equal(by_name.trajectory.q[0], [0, 0])


def test_a_file_in_a_folder_is_found(tmp_path, monkeypatch):
    folder = tmp_path / "made_folder"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "one.py").write_text("ONE = 'one of them'\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "one of them" in list(everything_in("made_folder"))
    for name in ("made_folder", "made_folder.one"):
        sys.modules.pop(name)


def test_laws_have_names_of_their_own_and_classes_mean_the_same():
    assert len(laws()) == 12
    for name, law in laws().items():
        assert law_kind(name) is law_kind(law.__name__) is law
        assert law.gain_names
        assert issubclass(law, ControlLaw)
    assert next(iter(motion_kinds())) == "setpoint"


@pytest.mark.parametrize(
    ("law", "reference", "message"),
    [
        ("pdd", None, "^law: There is no law 'pdd'. Did you mean 'pd'"),
        ("gravity_compensation", None, "Did you mean 'pd_gravity'"),
        ("PD+gravity compensation", None, "Did you mean 'pd_gravity'"),
        ("ctc", None, "Did you mean 'computed_torque'"),
        ("inverse-dynamics", None, "Did you mean 'computed_torque'"),
        ("OSC", None, "Did you mean 'operational_space'"),
        ("impedance_control", None, "Did you mean 'joint_impedance'"),
        ("pd", [1], r"^The reference has shape \(1,\)"),
    ],
)
def test_a_call_is_refused_as_other_calls_are(law, reference, message):
    with pytest.raises(BadArgument, match=message):
        qddot.control.closed_loop(ARM, law, reference, duration=0.1)


def test_every_problem_is_told_at_once():
    wrong = {"law": "pd", "gains": {"ki": 1}, "rate": -1, "noise_q": -1, "drag": 3}
    with pytest.raises(BadPlan) as caught:
        described_control(wrong | {"reference": {"kind": "move", "target": 1}}, ARM, ARM.home)
    told = "\n".join(map(str, caught.value.problems))
    for part in ("ki: pd has no such gain", "it has no duration", "rate: it is -1",
                 "noise_q: it is -1", "drag: this key means nothing here"):  # fmt: skip
        assert part in told


def test_a_frame_goes_where_it_is_at_other_joint_positions():
    q, there = np.array([0.2, 1.8]), np.array([0.4, 1.5])
    place = ARM.pose(there, "tool")[:2, 3]
    still = {"kind": "setpoint", "joints": there}
    law = described_control({"law": "cartesian_impedance", "reference": still}, ARM, q).law
    assert isinstance(law, CartesianImpedance)
    np.testing.assert_allclose(law.reference.q, place)
    moved = {"kind": "move", "joints": there, "duration": 1}
    law = described_control({"law": "operational_space", "reference": moved}, ARM, q).law
    assert isinstance(law.reference, Move)
    np.testing.assert_allclose(law.reference.start, ARM.pose(q, "tool")[:2, 3])


def test_what_is_said_of_the_model_stands_instead_of_what_is_set():
    plan = {"robot": "two_link", "duration": 1.0, "set": {"payload.tool": 2.0}}
    heavy = {"law": "pd", "model_set": {"payload.tool": 5.0}}
    study = study_of(plan | {"control": heavy})
    assert study.nominal.mass == pytest.approx(ARM.mass + 2)
    assert study.controllers[0].law.robot.mass == pytest.approx(ARM.mass + 5)


def test_the_effort_of_a_description_is_kept_and_other_keys_are_refused():
    panda = qddot.load("panda")
    law = {"law": "pd", "effort": "report"}
    assert described_control(law, panda, panda.home).effort == "report"
    with pytest.raises(BadPlan, match=r"effort_limits: .* Did you mean 'effort'"):
        described_control({"law": "pd", "effort_limits": False}, panda, panda.home)


def test_limits_are_kept_by_whatever_moves_joints():
    panda = qddot.load("panda")
    far = panda.limits.upper + 1
    for reference in ({"kind": "setpoint"}, {"kind": "move", "duration": 1}):
        with pytest.raises(BadPlan, match="limits of joint"):
            described_control(
                {"law": "pd", "reference": reference | {"target": far}}, panda, panda.home
            )
    wave = described_control({"law": "pd", "reference": {"kind": "fourier"}}, panda, panda.home)
    assert not isinstance(wave.law.reference, Setpoint)


def test_a_law_by_name_has_the_gains_of_its_description():
    """As `qddot control --q0` has them; a frame's follow the place where the run starts."""
    place, frame = (
        {"kind": "setpoint", "target": [0.5, 0.3]},
        {"kind": "setpoint", "target": [1, 1]},
    )
    start = np.array([1.0, 2.0])
    for law, reference in (("pd", place), ("cartesian_impedance", frame)):
        there = closed_loop(ARM, law, reference, q0=start, duration=0.01).law
        described = described_control(
            {"law": law, "reference": reference}, ARM, start, start_given=True, seconds=0.01
        )
        assert there.gains == described.law.gains
        elsewhere = closed_loop(ARM, law, reference, q0=start / 2, duration=0.01).law
        assert (there.gains == elsewhere.gains) is (law == "pd")


@pytest.mark.parametrize("law", ["pd", "pd_gravity", "joint_impedance", "slotine_li", "robust"])
def test_gains_that_are_chosen_follow_the_largest_inertia(law):
    """Not the one at the start, which may be a hundredth of it: an upright arm about its axis."""
    arm = qddot.load("kinova_jaco")
    q = np.random.default_rng(5).uniform(-np.pi, np.pi, (500, arm.n)).clip(*arm.limits.span())
    largest = np.diagonal(arm.mass_matrix(q), axis1=1, axis2=2).max(axis=0)
    law = named_law(law, arm)
    gain = np.diag(law.kp) / 100 if hasattr(law, "kp") else np.diag(law.kd) / 5
    assert (gain > 0.9 * largest).all()
    assert (gain < 1.2 * largest).all()
    assert (largest > 4 * np.diag(arm.mass_matrix(arm.home))).any()
    other = named_law(type(law).kind, arm, q0=q[0])
    assert_allclose(getattr(other, "kp", other.kd), getattr(law, "kp", law.kd), rtol=1e-12, atol=0)


def test_gains_that_are_chosen_are_stable_at_a_thousand_samples_per_second():
    """Large dampers at a joint that has little inertia at the start would not be."""
    for name in ("iiwa14", "kinova_jaco"):
        run = closed_loop(qddot.load(name), "pd_gravity", rate=1000, duration=0.01)
        (asked,) = [each for each in run.report.assumptions if "often enough" in each.statement]
        assert asked.holds is None, asked.why


def test_a_number_alone_among_points_is_refused():
    """It is a duration too many, and would be a place of all joints."""
    slip = {"law": "pd", "reference": words.reference_of("quintic 0,0 1,1 2.0 3.0")}
    with pytest.raises(BadPlan, match=r"points: it has 1 number\. Give 2, in order: j1, j2"):
        described_control(slip, ARM, ARM.home)


def test_each_problem_of_a_robot_that_cannot_be_has_its_own_line():
    """Values that make two bodies impossible: neither is lost in the words of the other."""
    values = dict.fromkeys(qddot.load("two_link_symbolic").symbols, 1.0) | {"m1": -1, "m2": -1}
    with pytest.raises(BadPlan) as caught:
        study_of({"robot": "two_link_symbolic", "duration": 1.0, "set": values})
    first, *lines = str(caught.value).splitlines()
    assert first.endswith("2 problems.")
    assert [line.count("the mass is negative") for line in lines] == [1, 1]
    assert all(line.startswith("  [set]: ") for line in lines)


def test_a_gain_may_be_so_many_times_the_chosen_one():
    panda = PANDA
    reference = {"kind": "setpoint", "joints": panda.home}

    def law(gains):
        control = {"law": "pd", "reference": reference, "gains": gains}
        return described_control(control, panda, panda.home).law

    chosen = law({})
    assert_allclose(law({"kp": {"times": 2}}).kp, 2 * chosen.kp)
    assert_allclose(law({"kp": {"times": 2}, "kd": 3}).kd, 3 * np.eye(7))
    for wrong in ({"times": 0}, {"by": 2}):
        with pytest.raises(BadPlan):
            law({"kp": wrong})


def test_a_loop_is_closed_by_its_description_alone():
    panda = PANDA
    control = {"law": "pd_gravity", "gains": {"kp": 200, "kd": 30}, "rate": 500, "delay": 0.002}
    control["reference"] = {"kind": "sine", "amplitude": 0.1, "frequency": 0.5}
    model = panda.with_scale(masses=0.9)
    run = closed_loop(panda, control, q0=panda.home, duration=0.2, model=model)
    law = PDGravity(
        model, 200, 30, Fourier(panda.home, np.full((7, 1), 0.1 * np.pi), np.zeros((7, 1)), 0.5)
    )
    same = closed_loop(panda, law, q0=panda.home, duration=0.2, rate=500, delay=0.002)
    assert_allclose(run.trajectory.q, same.trajectory.q, rtol=1e-12, atol=1e-12)
    with pytest.raises(BadArgument, match="Say rate in the description"):
        closed_loop(panda, control, rate=100)


@pytest.mark.parametrize("kind", laws())
def test_every_gain_says_its_unit(kind):
    control = {"law": kind, "reference": {"kind": "setpoint", "joints": [0.6, 0.8]}}
    law = described_control(control, ARM, np.array([0.5, 0.7])).law
    assert set(law.gain_units) >= set(law.gain_names)
    units = {name: law.gain_unit(name) for name in law.gain_names}
    assert all(units[name] for name in units if name != "adaptation"), units
