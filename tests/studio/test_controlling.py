"""Control as a tool: what a law needs, wrong models, verdicts, and the same run from Python."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import qddot
from qddot.control import laws

START = [0.5, 0.4]
STEP = {"kind": "setpoint", "joints": [0.9, 0.8]}


def asked(law="pd_gravity", reference=STEP, seconds=1, model=None, **more):
    control = {"law": law, "reference": reference, **more}
    question = {"what": "control", "control": control, "q": START, "qd": [0, 0.1]}
    return question | {"duration": seconds} | ({} if model is None else {"model": model})


@pytest.fixture
def two_link(page):
    page.ask("robot", name="two_link")
    page.ask("set", payload={"frame": "tool", "mass": 5}, friction={"viscous": [3, 4]})
    return page


def test_a_law_says_its_gains_their_units_and_what_it_relies_on(two_link):
    found = two_link.ask("law", **asked())
    kp, kd = found["gains"]
    arm = qddot.load("two_link").with_payload("tool", 5).with_friction(viscous=[3, 4])
    assert (kp["name"], kp["unit"], kd["unit"]) == ("kp", "N·m/rad", "N·m·s/rad")
    largest = np.diagonal(arm.mass_matrix(arm.random_positions(1000)), axis1=1, axis2=2).max(axis=0)
    assert_allclose(kp["chosen"], 100 * largest)
    assert kp["parts"] == list(arm.joint_names)
    statements = [each["statement"] for each in found["relies_on"]]
    law = laws.PDGravity(arm, 1, 1, [0.9, 0.8])
    assert statements == [each.statement for each in law.assumptions(arm)]
    [*_, gamma] = two_link.ask("law", **asked("adaptive"))["gains"]
    assert gamma["matrix"]
    # the law is told even where its reference does not fit
    waves = two_link.ask("law", **asked("operational_space", {"kind": "sine", "amplitude": 0.1}))
    assert "this law moves a frame" in waves["note"]
    assert [gain["unit"] for gain in waves["gains"]][:2] == ["1/s²", "1/s"]


def test_a_run_is_judged_in_the_words_of_the_package(two_link):
    model = {"payload": 2, "friction": 0.5, "masses": 1.1, "lengths": 0.95}
    more = {"gains": {"kp": [900, 400], "kd": 150}, "rate": 500, "delay": 0.004, "noise_q": 1e-4}
    found = two_link.ask("play", **asked(model=model, **more))
    plain = qddot.load("two_link")
    arm = plain.with_payload("tool", 5).with_friction(viscous=[3, 4])
    wrong = plain.with_scale(1.1, 0.95).with_payload("tool", 2).with_friction(viscous=[1.5, 2])
    law = laws.PDGravity(wrong, [900, 400], 150, [0.9, 0.8])
    how = {"rate": 500, "delay": 0.004, "noise_q": 1e-4}
    run = qddot.control(arm, law, q0=START, qd0=[0, 0.1], duration=1, **how)
    report, told = run.report, found["report"]
    assert_allclose(told["rms"], report.rms, rtol=1e-9)
    assert_allclose(told["torque"]["peak"], report.peak, rtol=1e-9)
    assert told["settling_time"] == report.settling_time
    assert told["sound"] == "no"
    said = {each["statement"]: each["holds"] for each in told["assumptions"]}
    assert said == {each.statement: each.verdict for each in report.assumptions}
    assert found["error_names"] == list(arm.joint_names)
    assert len(found["V"]) == len(found["error"]) == len(found["t"])
    assert_allclose(found["V"], run.V, rtol=1e-6)
    assert_allclose(found["reference"], np.tile([0.9, 0.8], (len(found["t"]), 1)))


def test_a_frame_is_told_with_where_it_should_be(two_link):
    line = {"kind": "line", "target": [1.0, 1.2]}
    found = two_link.ask("play", **asked("cartesian_impedance", line))
    arm = qddot.load("two_link")
    places = arm.pose(np.array(found["q"]), "tool")[:, :2, 3]
    assert_allclose(found["place"], places, rtol=0, atol=1e-9)
    assert_allclose(found["place_wanted"][-1], [1.0, 1.2])


RUNS = {
    "a wrong model": asked(
        model={"payload": 2, "friction": 0, "masses": 1.1, "lengths": 1.02},
        gains={"kp": [900, 400.5], "kd": 150},
        rate=500,
        delay=0.004,
        noise_q=[1e-4, 2e-4],
    ),
    "a frame on a line": asked("operational_space", {"kind": "line", "target": [1.0, 1.2]}),
    "many times a chosen gain": asked("adaptive", gains={"adaptation": {"times": 3}}),
    "a sine": asked("computed_torque", {"kind": "sine", "amplitude": [0.2, 0.1], "frequency": 1}),
}


@pytest.mark.parametrize("what", RUNS)
def test_the_copied_program_gives_the_same_numbers(two_link, what):
    question = RUNS[what]
    found = two_link.ask("play", **question)
    text = two_link.ask("script", **question)["text"]
    names = {}
    exec(compile(text, "copied.py", "exec"), names)  # it is what a user would run
    run = names["run"]
    assert_allclose(run.report.rms, found["report"]["rms"], rtol=1e-9)
    assert_allclose(run.trajectory.q[-1], found["q"][-1], rtol=1e-9, atol=1e-12)
    assert_allclose(run.tau[-1], found["tau"][-1], rtol=1e-7, atol=1e-9)


def test_the_program_of_a_drop_gives_the_same_fall(two_link):
    question = {"what": "drop", "q": START, "qd": [0, 0.1], "duration": 0.5, "stops": True}
    found = two_link.ask("play", **question)
    names = {}
    exec(two_link.ask("script", **question)["text"], names)
    assert_allclose(names["run"].q[-1], found["q"][-1], rtol=1e-9)


def test_what_cannot_be_run_is_refused_with_words(two_link):
    def told(**more):
        return two_link.problem("play", **asked(**more))

    assert "a number from 0 to 20000" in told(rate=1e9)
    assert "600000 samples" in told(rate=1e4, seconds=60)
    assert "a number from 0 to 1" in told(delay=1e9)
    assert "'play model' knows no 'mass'" in told(model={"mass": 1})
    assert "a number from 0.01 to 100" in told(model={"masses": 0})
    assert "kq: pd_gravity has no such gain" in told(gains={"kq": 1})
    assert "with it the law would push away" in told(gains={"kp": -1})
    assert "must be an object" in told(model=3)
    assert "script" in two_link.problem("script", what="log")


def test_a_live_run_in_pieces_is_the_closed_loop(two_link):
    question = asked(gains={"kp": 900, "kd": 150}, rate=500, delay=0.005, seconds=5)
    del question["what"]
    pieces = [two_link.ask("live", seconds=0.1, **question) for _ in range(3)]
    assert pieces[-1]["ends"] == pytest.approx(0.3)
    t, q, error, V = (np.concatenate([p[key] for p in pieces]) for key in ("t", "q", "error", "V"))
    arm = qddot.load("two_link").with_payload("tool", 5).with_friction(viscous=[3, 4])
    more = {"q0": START, "qd0": [0, 0.1], "duration": 0.3}
    run = qddot.control(arm, question["control"], **more)
    rows = np.searchsorted(run.t, t - 1e-9)
    assert len(t) >= 15
    assert_allclose(run.t[rows], t, rtol=0, atol=1e-9)
    assert_allclose(q, run.trajectory.q[rows], rtol=1e-9)
    assert_allclose(error, run.error[rows], rtol=1e-9, atol=1e-12)
    assert_allclose(V, run.V[rows], rtol=1e-6)


def test_new_gains_and_a_new_payload_take_effect_with_the_next_piece(two_link):
    def piece(again=False, **gains):
        question = asked("pd", gains=gains, rate=500, seconds=5) | {"seconds": 0.2, "again": again}
        del question["what"]
        return two_link.ask("live", **question)

    soft = piece(again=True, kp=50, kd=5)
    stiff = piece(kp=5000, kd=500)
    arm = qddot.load("two_link")
    law = laws.PD(arm, 5000, 500, [0.9, 0.8])
    assert_allclose(stiff["tau"][0], law(0, stiff["q"][0], stiff["qd"][0]), rtol=1e-9)
    assert stiff["t"][0] > soft["t"][-1]
    assert np.abs(stiff["error"][-1]).max() < np.abs(stiff["error"][0]).max()
    two_link.ask("set", payload={"frame": "tool", "mass": 80})
    heavy = piece(kp=5000, kd=500)
    assert heavy["t"][0] > stiff["t"][-1]
    assert "number from 0.01 to 1" in two_link.problem("live", **asked(seconds=5), seconds=60)
