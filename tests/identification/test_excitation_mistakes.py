"""What cannot be excited is refused before the search, in words that help."""

import json
from functools import partial

import pytest
from made import ARM, PANDA

import qddot
from qddot.errors import BadArgument, BadFile, NotNumeric, UnknownName, WrongShape
from qddot.identification.excitation_result import Excitation

excite = partial(qddot.excite, terms=())

TWO_LINK = {"lower": -2.5, "upper": 2.5, "velocity": 3.0}
FEW = {"limits": TWO_LINK, "starts": 1, "seconds": 2}


def test_missing_limits_are_all_named_at_once():
    with pytest.raises(BadArgument, match="j1: there is no limit of velocity") as caught:
        excite(ARM)
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
        excite(PANDA, limits=limits)


def test_a_period_that_is_too_short_says_which_would_do():
    with pytest.raises(BadArgument, match=r"0.3 s is too short: .* joint 'panda_joint1'") as caught:
        excite(PANDA, period=0.3)
    assert "Give at least 0.6 s" in str(caught.value)


@pytest.mark.parametrize("said", ["z ~ 1", "z", {"w": (0, 1)}, 3, [((0, 0, 0), 1)], {"z": 1}])
def test_a_workspace_in_other_words_is_refused(said):
    with pytest.raises(BadArgument, match="The workspace of frame 'tool'"):
        excite(PANDA, workspace={"tool": said})


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
        excite(PANDA, **choice)


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
        excite(PANDA, **choice)


def test_symbols_must_have_values():
    robot = qddot.from_dh([{"a": "L1", "alpha": 0, "d": 0, "mass": "m1"}], convention="standard")
    with pytest.raises(NotNumeric, match="depends on L1, m1"):
        excite(robot, limits=TWO_LINK)


def test_a_rate_that_does_not_fit_the_period_is_refused(tmp_path):
    motion = excite(ARM, **FEW)
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
    motion = excite(ARM, **FEW)
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
    excite(ARM, **FEW).save(path)
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
