"""Plans beyond one motion: loads, and what a log left open."""

import json
from functools import partial

import numpy as np
import pytest
from long import long
from made import ARM, PANDA

import qddot
from qddot.errors import BadArgument, BadFile, NotNumeric, UnknownName, WrongShape
from qddot.identification import Log, identifiable
from qddot.identification.excitation_basis import FourierBasis
from qddot.identification.excitation_criterion import better_known, criterion
from qddot.identification.excitation_limits import half_spaces, motion_limits
from qddot.identification.excitation_result import Excitation
from qddot.identification.excitation_search import Search
from qddot.identification.excitation_use import loaded

TWO_LINK = {"lower": -2.5, "upper": 2.5, "velocity": 3.0}
excite = partial(qddot.excite, ARM, limits=TWO_LINK, terms=(), starts=1, seconds=600)
LOAD = ("tool", 2.0, (0.1, -0.05, 0.2))


def states_of(robot, limits, count=200):
    rng, size = np.random.default_rng(3), (count, robot.n)
    spans = (limits.velocity, limits.acceleration)
    rates = (span * rng.uniform(-1, 1, size) for span in spans)
    return rng.uniform(limits.lower, limits.upper, size), *rates


def resting(joint, rows=400, duration=20.0):
    """Return a log of an arm one of whose joints does not move."""
    t = np.linspace(0, duration, rows)
    w = 2 * np.pi * np.array([[0.3, 0.5], [0.7, 0.9]])
    x, y = np.multiply.outer(t, w[0]), np.multiply.outer(t, w[1])
    q, qd = np.sin(x) + 0.3 * np.sin(y), w[0] * np.cos(x) + 0.3 * w[1] * np.cos(y)
    qdd = -(w[0] ** 2) * np.sin(x) - 0.3 * w[1] ** 2 * np.sin(y)
    for array in (q, qd, qdd):
        array[:, joint] = 0
    return Log(ARM.joint_names, t, q, qd, qdd, ARM.inverse_dynamics(q, qd, qdd))


def test_the_information_of_runs_with_loads_is_that_of_their_rows():
    """By the stacked regressor, the columns of the load from the torques that it really adds."""
    ur5 = qddot.load("ur5")
    limits = motion_limits(ur5)
    measure = criterion("condition", ur5, limits, ["tool"])
    states, p = states_of(ur5, limits), measure.p
    W = measure.regressor(*states)
    load = W @ measure.runs[1][:, p:]
    rows = np.vstack([np.hstack([W, 0 * load]), np.hstack([W, load])])
    np.testing.assert_allclose(measure.information(W), rows.T @ rows / 2, rtol=0, atol=1e-12)
    assert measure.names[p:][:3] == ("load 1.m", "load 1.mx", "load 1.my")
    assert len(measure.names) == 36 + 10
    empty, full = loaded(ur5, [{"frame": "tool", "mass": 2.0, "com": (0.1, -0.05, 0.2)}])
    added = full.inverse_dynamics(*states) - empty.inverse_dynamics(*states)
    added = added.reshape(-1) / np.sqrt(len(states[0]))
    found = np.linalg.lstsq(load, added, rcond=None)[0]
    np.testing.assert_allclose(load @ found, added, rtol=0, atol=1e-10)


def with_a_load_and_a_log(name):
    """Return a search that knows a log, with a load and limits of effort."""
    limits = motion_limits(ARM, TWO_LINK | {"effort": 400.0})
    robots = loaded(ARM, [{"frame": "tool", "mass": 20.0, "com": (0.1, 0, 0)}])
    measure = criterion(name, ARM, limits, ["tool"], [resting(1)], 10.0)
    return Search(robots, FourierBasis(10.0, 3), measure, limits, (), None, np.inf)


def in_a_workspace(name):
    """Return a search of a tool that keeps to one side of two planes."""
    limits = motion_limits(PANDA, {"effort": 20.0})
    spaces = half_spaces(PANDA, {"tool": ["z > 0.5", "x < 0.1"]})
    measure = criterion(name, PANDA, limits)
    return Search((PANDA,), FourierBasis(10.0, 3), measure, limits, spaces, None, np.inf)


@pytest.mark.parametrize(
    ("search", "name"),
    [
        (with_a_load_and_a_log, "condition"),
        (with_a_load_and_a_log, "determinant"),
        (in_a_workspace, "condition"),
        *long((in_a_workspace, "determinant")),
    ],
)
def test_the_gradient_of_the_search_is_that_of_its_objective(search, name):
    search, rng = search(name), np.random.default_rng(0)
    X = search.sizes * 0.6 * rng.standard_normal(search.sizes.shape)
    X[0] += search.limits.middle
    D, h = search.sizes * rng.standard_normal(X.shape), 1e-6
    up, down = (search.objective(X + s * h * D, 4, 10.0)[0] for s in (1, -1))
    slope = np.sum(search.objective(X, 4, 10.0)[1] * D)
    assert slope == pytest.approx((up - down) / (2 * h), rel=1e-5)


def test_torques_keep_their_limits_with_every_load(tmp_path):
    weak = TWO_LINK | {"effort": [1800.0, 600.0]}
    motion = excite(limits=weak, payloads=[("tool", 5.0), LOAD])
    t = np.linspace(0, motion.period, 20_000)
    for robot in loaded(ARM, motion.payloads):
        assert (np.abs(robot.inverse_dynamics(*motion.at(t))) <= motion.limits.effort).all()
    assert not motion.violations()
    assert "with each of: 5 kg at tool, 2 kg at tool" in repr(motion)
    motion.save(tmp_path / "motion.json")
    back = Excitation.load(tmp_path / "motion.json", ARM)
    assert not back.violations()
    assert repr(back) == repr(motion)
    heavy = ARM.with_payload("tool", 60.0)
    assert any(each.what == "effort" for each in back.violations(heavy))


def test_after_a_log_the_motion_shows_what_the_log_does_not():
    """The second joint stood still: its friction and inertia are new, the rest is known."""
    robot = ARM.with_friction(viscous=1.0)
    motion = excite(after=resting(1), terms=("viscous",))
    assert motion.after["condition"] is None
    assert motion.parameters == excite().parameters + 2
    new = {name for name, factor in motion.after["better"] if factor > 1e3}
    unseen = set(identifiable(robot, resting(1), terms=("viscous",)).lost)
    assert new >= {"j2.fv"}
    assert {text.split(" ")[0] for text in unseen} <= new
    assert "which does not show them all" in repr(motion)
    # and the sum is what a log of both would have
    both = motion.to_log(rate=40)
    measure = criterion("condition", robot, motion.limits, (), [resting(1)], motion.period)
    W = [measure.regressor(log.q, log.qd, log.qdd) for log in (both[:-1], resting(1))]
    M = (10 * W[0].T @ W[0] + 20 * W[1].T @ W[1]) / 30
    values = np.sqrt(np.linalg.eigvalsh(M))
    assert motion.condition == pytest.approx(values[-1] / values[0], rel=1e-3)


def test_a_motion_after_a_log_differs_from_one_without():
    """The log turns joint 1 much: with it, the criterion is smaller than with another motion."""
    log, limits = resting(1), motion_limits(ARM, TWO_LINK)
    measure = criterion("condition", ARM, limits, (), [log], 10.0)
    halves = criterion("condition", ARM, limits, (), [log[:200], log[200:]], 10.0)
    np.testing.assert_allclose(halves.known, measure.known, rtol=0.01, atol=1e-6)
    states = [excite(after=given).to_log(50)[:-1] for given in (log, None)]
    after, without = (measure.condition(x.q, x.qd, x.qdd) for x in states)
    assert after < without
    factors = dict(better_known(measure, (states[0].q, states[0].qd, states[0].qdd)))
    assert min(factors.values()) >= 1 - 1e-9  # a motion more takes nothing away


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"payloads": "tool"}, "payloads is 'tool'; give each as"),
        ({"payloads": [("tool", "heavy")]}, "A payload is .* give each as"),
        ({"payloads": [("tool", 1, (0, 0))]}, "A payload is .* give each as"),
        ({"payloads": [("tool", -1)]}, "The mass of a payload is -1"),
        ({"payloads": [("base", 1)]}, "does not move"),
        ({"after": 3}, "The log"),
        ({"after": "nowhere.csv"}, "nowhere.csv"),
        ({"payloads": [("nose", 1.0)]}, "no frame named 'nose'"),
    ],
)
def test_plans_that_cannot_be_are_refused(choice, words):
    with pytest.raises(qddot.QddotError, match=words):
        excite(**choice)


# what cannot be planned

plan = partial(qddot.excite, terms=())

FEW = {"limits": TWO_LINK, "starts": 1, "seconds": 2}


def test_missing_limits_are_all_named_at_once():
    with pytest.raises(BadArgument, match="j1: there is no limit of velocity") as caught:
        plan(ARM)
    assert "j2: there is no limit of velocity" in str(caught.value)
    assert 'limits={"velocity": 1.5' in str(caught.value)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"velocty": 1}, "Did you mean 'velocity'"),
        ({"velocity": 0}, "panda_joint1: the limit of velocity is 0, but must be above zero"),
        ({"lower": 3.5}, "panda_joint1: lower 3.5 is not below upper"),
        ({"effort": [1, 2]}, "one for each of the 7 joints"),
        ({"effort": "much"}, "give a number"),
        ({"upper": float("inf")}, "the position must have finite limits"),
        ([1, 2], "give them by name"),
        ({"effort": 1.0}, "cannot hold itself in any of 4000 postures"),
    ],
)
def test_limits_that_cannot_be_right_are_refused(limits, words):
    with pytest.raises(BadArgument, match=words):
        plan(PANDA, limits=limits)


def test_a_period_that_is_too_short_says_which_would_do():
    with pytest.raises(BadArgument, match=r"0.3 s is too short: .* joint 'panda_joint1'") as caught:
        plan(PANDA, period=0.3)
    assert "Give at least 0.6 s" in str(caught.value)


@pytest.mark.parametrize("said", ["z ~ 1", "z", {"w": (0, 1)}, 3, [((0, 0, 0), 1)], {"z": 1}])
def test_a_workspace_in_other_words_is_refused(said):
    with pytest.raises(BadArgument, match="The workspace of frame 'tool'"):
        plan(PANDA, workspace={"tool": said})


HOME = [0, -0.785, 0, -2.356, 0, 1.571, 0.785]
STRETCHED = [0, 1.5, 0, -0.2, 0, 1.0, 0]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"harmonics": 1}, "harmonics is 1; give a whole number, 2 or more"),
        ({"starts": 0}, "starts is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"period": -1.0}, "period is -1.0; give seconds above zero"),
        ({"seconds": 0}, "seconds is 0"),
        ({"criterion": "trace"}, "it must be 'condition' or 'determinant'"),
        ({"margin": 1.5}, "margin is 1.5; give a share of the limits"),
        ({"terms": ["viscos"]}, "There is no term 'viscos'"),
        ({"start": [0] * 7}, "joint 'panda_joint4' at 0 rad, outside of its limits"),
        ({"start": "home"}, "give one position per joint"),
        (
            {"start": STRETCHED, "limits": {"effort": {"panda_joint2": 10.0}}},
            r"joint 'panda_joint2' needs .* and may give 9.5",
        ),
        (
            {"start": HOME, "workspace": {"tool": "z > 2"}},
            r"frame 'tool' .* outside of its workspace \(z ≥ 2\)",
        ),
        ({"workspace": {"tool": "z > 5"}}, r"is in the workspace \(tool: z ≥ 5\)"),
        ({"workspace": "z > 0"}, "give it by frame"),
    ],
)
def test_choices_that_do_not_exist_are_refused(choice, words):
    with pytest.raises(BadArgument, match=words):
        plan(PANDA, **choice)


@pytest.mark.parametrize(
    ("choice", "error", "words"),
    [
        ({"limits": {"velocity": {"panda_joint": 1.0}}}, UnknownName, "panda_joint1"),
        ({"workspace": {"tol": "z > 0"}}, UnknownName, "no frame named 'tol'"),
        ({"start": [0, 0]}, WrongShape, "start has shape"),
    ],
)
def test_unknown_names_and_wrong_shapes_are_refused(choice, error, words):
    with pytest.raises(error, match=words):
        plan(PANDA, **choice)


def test_symbols_must_have_values():
    robot = qddot.from_dh([{"a": "L1", "alpha": 0, "d": 0, "mass": "m1"}], convention="standard")
    with pytest.raises(NotNumeric, match="depends on L1, m1"):
        plan(robot, limits=TWO_LINK)


def test_a_rate_that_does_not_fit_the_period_is_refused(tmp_path):
    motion = plan(ARM, **FEW)
    with pytest.raises(BadArgument, match="must be a whole number of at least 2"):
        motion.save(tmp_path / "motion.csv", rate=33.33)
    with pytest.raises(BadArgument, match="rate is 0"):
        motion.times(0)
    with pytest.raises(BadArgument, match="periods is 0"):
        motion.times(100, 0)
    with pytest.raises(BadArgument, match="periods is 0"):
        motion.save(tmp_path / "motion.csv", periods=0)
    for name in ("motion.txt", "motion.urscript", "motion.yaml"):
        with pytest.raises(BadArgument, match=r"written as \.json or \.csv"):
            motion.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_without_its_robot_torques_cannot_be_checked(tmp_path):
    motion = plan(ARM, **FEW)
    motion.save(tmp_path / "motion.json")
    with pytest.raises(BadArgument, match="To check torques the robot is needed"):
        Excitation.load(tmp_path / "motion.json").violations()
    with pytest.raises(BadArgument, match="The motion is of the joints j1, j2, but robot 'panda'"):
        Excitation.load(tmp_path / "motion.json", PANDA)
    motion.plot()


def test_files_that_hold_something_else_are_refused(tmp_path):
    path = tmp_path / "motion.json"
    with pytest.raises(BadFile, match="there is no such file"):
        Excitation.load(path)
    plan(ARM, **FEW).save(path)
    facts = json.loads(path.read_text())
    for key, value in (("format", 2), ("curve", {"kind": "sine"}), ("joints", ["j1"])):
        path.write_text(json.dumps(facts | {key: value}))
        with pytest.raises(BadFile, match="does not hold an excitation"):
            Excitation.load(path)
    path.write_text("[]")
    with pytest.raises(BadFile, match="does not hold an excitation"):
        Excitation.load(path)
    other = tmp_path / "log.csv"
    other.write_text("t,q.j1\n0,1\n")
    with pytest.raises(BadFile, match="its first line does not hold the coefficients"):
        Excitation.load(other)
    with pytest.raises(BadFile, match="it is not a file of an excitation"):
        Excitation.load(tmp_path / "motion.txt")
