"""Joints that are given: of any arm that has one to spare, and advice that can be followed."""

import re
import warnings

import numpy as np
import pytest
from long import long

import qddot
from qddot.errors import BadArgument, NotInClosedForm

BODY = {"mass": 1.0, "inertia": [0.02, 0, 0, 0.02, 0, 0.01]}
GEN3_LENGTHS = (-0.0, -0.0118, -0.4208, -0.0128, -0.3143, -0.0, -0.1674)


def gen3(right: float = np.pi / 2) -> qddot.Robot:
    """Return a Kinova Gen3 by its table; with 1.5708, as its file has it, no closed form fits."""
    rows = [{"alpha": right, "d": d} | BODY for d in GEN3_LENGTHS]
    return qddot.from_dh([*rows[:-1], rows[-1] | {"alpha": "pi"}], "standard")


def off(arm: qddot.Robot, found: np.ndarray, q: np.ndarray) -> np.ndarray:
    carrying = arm.inverse_kinematics(np.eye(4), arm.tip, starts=0).search.task.joints
    return np.abs((found - q + np.pi) % (2 * np.pi) - np.pi)[..., carrying].max(axis=-1)


@pytest.mark.parametrize("joint", [2, *long(0, 1, 3, 4, 5)])
@pytest.mark.parametrize("name", ["gen3", "panda", *long("xarm7")])
def test_any_joint_may_be_given(name, joint):
    arm = gen3(1.5708) if name == "gen3" else qddot.load(name)
    low, high = arm.limits.span()
    q = np.random.default_rng(joint).uniform(low, high, (3, 7))
    X, given = arm.pose(q, arm.tip), {arm.joint_names[joint]: q[:, joint]}
    s = arm.inverse_kinematics_all(X, arm.tip, free=given)
    assert (off(arm, s.q, q[:, None]) < 1e-5).any(axis=1).all()
    assert (s.counts % 2 == 0).all()
    assert np.array_equal(s.q[s.found][:, joint], np.repeat(q[:, joint], s.counts))
    back = arm.pose(s.q[s.found], arm.tip) - np.repeat(X, s.counts, axis=0)
    assert np.abs(back).max() < 3e-12
    one = arm.inverse_kinematics_all(X[1], arm.tip, free={arm.joint_names[joint]: q[1, joint]})
    assert one.counts == s.counts[1]


def test_values_and_poses_are_broadcast():
    arm = gen3(1.5708)
    q = np.array([0.3, 0.7, -0.4, 1.1, 0.5, -0.9, 0.2])
    X = arm.pose(q, "tool")
    s = arm.inverse_kinematics_all(X, "tool", free={"j7": [[0.1], [0.2]]})
    assert s.q.shape == (2, 1, 16, 7)
    assert (off(arm, s.q[1, 0], q) < 1e-6).any()
    with pytest.raises(BadArgument):
        arm.inverse_kinematics_all(np.stack([X] * 3), "tool", free={"j7": [0.1, 0.2]})
    with pytest.raises(BadArgument, match="j7"):
        arm.inverse_kinematics_all(X, "tool", free={"j7": np.nan})


def refusal(call) -> str:
    try:
        call()
    except BadArgument as error:
        return str(error)
    return ""


def followed(arm: qddot.Robot, free: dict | None) -> int:
    """Follow the advice if there is one, and return how many pieces there were."""
    words = refusal(lambda: arm.inverse_kinematics_all(np.eye(4), arm.tip, free=free))
    if words:
        told = eval(re.search(r"free=(\{.*?\})", words)[1])
        q = np.array([told.get(name, 0.4) for name in arm.joint_names])
        s = arm.inverse_kinematics_all(arm.pose(q, arm.tip), arm.tip, free=told)
        assert (off(arm, s.q, q) < 1e-5).any() or s.singular.any()
        return 1
    return 0


@pytest.mark.parametrize("name", ["panda", "gen3", "iiwa14", *long("baxter", "xarm7")])
def test_advice_can_be_followed(name):
    arm = gen3(1.5708) if name == "gen3" else qddot.load(name)
    carrying = arm.inverse_kinematics(np.eye(4), arm.tip, starts=0).search.task.joints
    assert followed(arm, None) == 1
    if name == "iiwa14":  # its elbow alone says how far it reaches
        assert followed(arm, {arm.joint_names[3]: 0.5}) == 1
    for free in ([], [arm.joint_names[carrying[1]]]):
        words = refusal(lambda free=free: arm.inverse_kinematics_steps(arm.tip, free=free))
        told = eval(re.search(r"free=(\{.*?\})", words)[1])
        if "inverse_kinematics_all" in words:
            arm.inverse_kinematics_all(np.eye(4), arm.tip, free=told)
        else:
            arm.inverse_kinematics_steps(arm.tip, free=told)


@pytest.mark.long
@pytest.mark.parametrize("name", ["panda", "gen3", "iiwa14", "baxter", "xarm7"])
def test_no_advice_goes_in_a_circle(name):
    arm = gen3(1.5708) if name == "gen3" else qddot.load(name)
    carrying = arm.inverse_kinematics(np.eye(4), arm.tip, starts=0).search.task.joints
    refused = [k for k in carrying if followed(arm, {arm.joint_names[k]: 0.5})]
    assert refused == ([3] if name == "iiwa14" else [])


def test_of_eight_joints_two_are_named():
    """A Panda on a rail."""
    rows = [
        {"type": "prismatic", "alpha": "-pi/2"},
        *({"alpha": a, "d": d} for a, d in (("pi/2", 0.3), ("pi/2", 0), ("-pi/2", 0.3))),
        *({"alpha": a, "d": d} for a, d in (("pi/2", 0.1), ("-pi/2", 0.4), ("pi/2", 0), (0, 0.1))),
    ]
    limits = {"limits": {"lower": 0.6, "upper": 2.0}}
    rows[0] |= limits
    arm = qddot.from_dh([row | BODY for row in rows], "standard")
    words = refusal(lambda: arm.inverse_kinematics_all(np.eye(4), "tool"))
    told = eval(re.search(r"free=(\{.*?\})", words)[1])
    assert len(told) == 2
    assert all(name in words.splitlines()[1].split("given")[0] for name in told)
    assert 0.6 <= told.get("j1", 0.6) <= 2.0
    assert followed(arm, None) == 1
    assert followed(arm, {"j1": 0.7}) == 1
    with pytest.raises(BadArgument, match=r"j1.*given: free=.*'j1'"):
        arm.inverse_kinematics_all(np.eye(4), "tool", free={"j1": 0.7})


@pytest.mark.parametrize("name", ["X", "q", "a{}b"])
def test_a_joint_may_have_any_name(name):
    rows = [{"alpha": 1.5708, "d": d, "name": f"k{i}"} | BODY for i, d in enumerate(GEN3_LENGTHS)]
    rows[-1] |= {"alpha": "pi", "name": name}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a name looks like code
        arm = qddot.from_dh(rows, "standard")
    q = np.array([0.3, 0.7, -0.4, 1.1, 0.5, -0.9, 0.2])
    s = arm.inverse_kinematics_all(arm.pose(q, "tool"), "tool", free={name: 0.2})
    assert (off(arm, s.q, q) < 1e-6).any()
    error = NotInClosedForm("Why.", f"All with {name} given", {name: 0.5})
    assert f"given: free={{{name!r}: 0.5}}." in str(error)


def test_of_very_many_joints_sets_are_tried_one_after_the_other():
    """There are 50 million sets of 54 joints of 60."""
    rows = [{"alpha": "pi/2" if i % 2 else "-pi/2", "d": 0.1, "a": 0.05} for i in range(60)]
    arm = qddot.from_dh([row | BODY for row in rows], "standard")
    known = arm._closed_forms
    closed, solved = known.free_joints(known.chain("tool"), (29,))
    assert closed or solved
    assert all(len(some) == 54 and 29 in some for some in closed + solved)


@pytest.mark.parametrize("unit", [1e-4, 1e-6])
def test_singular_does_not_depend_on_the_unit_of_length(unit):
    table = [("pi/2", 0, 0.4), (0.01, 0.5, 0.02), ("pi/2", 0.03, 0.1), ("-pi/2", 0.01, 0.4)]
    table += [("pi/2", 0.02, 0.01), (0, 0.01, 0.1)]

    def arm(scale):
        rows = [{"alpha": b, "a": a * scale, "d": d * scale} | BODY for b, a, d in table]
        return qddot.from_dh(rows, "standard")

    q = np.random.default_rng(0).uniform(-2, 2, (3, 6))
    one, other = arm(1.0), arm(unit)
    first = one.inverse_kinematics_all(one.pose(q, "tool"), "tool")
    again = other.inverse_kinematics_all(other.pose(q, "tool"), "tool")
    assert np.array_equal(first.counts, again.counts)
    assert not first.singular.any()
    assert not again.singular.any()
