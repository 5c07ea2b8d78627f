"""Logs are read from many things, mended with a note, or refused with row and column."""

from __future__ import annotations

import numpy as np
import pytest
from faults import not_installed
from hypothesis import given
from hypothesis import strategies as st
from identification.made_logs import (
    measured,
    named,
    notes,
    swinging,
    table,
    text,
    write_bag,
    written,
)
from measured_logs import staubli_tx40
from nearness import ROUND_OFF

import qddot
from qddot.errors import BadArgument, BadFile, BadLog, MissingExtra, UnknownName
from qddot.identification.log import Log, load_log

TX40_GEAR = [32, 32, 45, -48, 45, 32]


def same(a, b, tolerance: float = 0.0) -> None:
    assert a.joint_names == b.joint_names
    np.testing.assert_allclose(a.t, b.t, rtol=0, atol=ROUND_OFF)
    for name in ("q", "qd", "tau"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=0, atol=tolerance)


# what a log may come in


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_log_in_text_is_read_with_any_usual_separator(tmp_path, separator):
    log = swinging()
    same(load_log(written(tmp_path / "log.csv", text(log, separator))), log)


def test_a_log_is_the_same_from_a_table():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    log = swinging()
    names = [f"{what}.{joint}" for what in ("q", "qd", "tau") for joint in log.joint_names]
    frame = pandas.DataFrame(np.hstack([log.q, log.qd, log.tau]), columns=names).assign(t=log.t)
    same(load_log(frame), log)


def test_a_simulated_motion_is_a_log_itself_and_from_its_files(tmp_path):
    robot = qddot.load("two_link")
    run = qddot.simulate(robot, [0.3, -0.2], [0, 0], duration=0.5)
    direct = load_log(run, robot)
    same(load_log(run, "two_link"), direct)
    assert direct.joint_names == robot.joint_names
    assert direct.qdd is not None
    for ending in (".csv", ".npz"):
        run.save(tmp_path / f"run{ending}")
        same(load_log(tmp_path / f"run{ending}", robot), direct)


@pytest.mark.parametrize("shuffled", [False, True])
def test_joint_states_of_a_bag_are_read_by_name(tmp_path, shuffled):
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    log = swinging(rate=50.0)
    states = list(joint_states(log, shuffled))
    write_bag(tmp_path / "bag", "/joint_states", "sensor_msgs/msg/JointState", states)
    found = load_log(tmp_path / "bag")
    same(found, log, ROUND_OFF)
    assert ("left out" in notes(found)) == shuffled


def joint_states(log, shuffled: bool):
    """Yield joint states; shuffled: with the joints in changing order, a gripper in between."""
    for k, t in enumerate(log.t):
        order = [1, 0] if shuffled and k % 2 else [0, 1]
        x = {"position": log.q, "velocity": log.qd, "effort": log.tau}
        names = [log.joint_names[j] for j in order]
        yield t, {"name": names} | {name: values[k, order] for name, values in x.items()}
        if shuffled and k % 3 == 0:
            yield t, {"name": ["grip"]} | dict.fromkeys(x, np.zeros(1))


def test_a_bag_without_rosbags_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "a.mcap").write_bytes(b"")
    not_installed(monkeypatch, "rosbags")
    with pytest.raises(MissingExtra, match=r"pip install 'qddot\[logs\]'"):
        load_log(tmp_path / "a.mcap")


# which column is what


@pytest.mark.parametrize(
    "names",
    [
        ("position_j1", "position_j2", "effort_j1", "effort_j2"),
        ("j1_pos", "j2_pos", "j1_torque", "j2_torque"),
        ("Positions J1 [rad]", "Positions J2 [rad]", "Torques J1 [N·m]", "Torques J2 [N·m]"),
        ("q1", "q2", "tau1", "tau2"),
        ("q[0]", "q[1]", "tau[0]", "tau[1]"),
        ("q_1", "q_2", "tau_1", "tau_2"),
        *(("q_j1", "q_j2", f"{name}1", f"{name}2") for name in ("tau_j", "tau_", "tau", "effort_")),
        ("q_j1", "q_j2", "tau_J_1", "tau_J_2"),
        ("q_1", "q_2", "torque_j1", "torque_j2"),
    ],
)
def test_usual_names_of_columns_are_understood(tmp_path, names):
    log = swinging()
    lines = table(("time", *names), log.t, log.q, log.tau)
    robot = named("j1", "j2")
    found = load_log(written(tmp_path / "a.csv", lines), robot)
    np.testing.assert_array_equal(found.q, log.q)
    np.testing.assert_array_equal(found.tau, log.tau)
    assert found.joint_names == ("j1", "j2")
    assert found.qd is None


@pytest.mark.parametrize(
    ("names", "joints", "order"),
    [
        (("q_j2", "q_j1", "tau_1", "tau_2"), ("j1", "j2"), ([1, 0], [0, 1])),
        (("q_neck", "q_head", "tau_1", "tau_2"), ("neck", "head"), ([0, 1], [0, 1])),
        (("q_head", "q_neck", "tau_1", "tau_2"), ("neck", "head"), ([1, 0], None)),
        (("q_j1", "q_j2", "tau_left_j1", "tau_left_j2"), ("j1", "j2"), ([0, 1], None)),
    ],
)
def test_torques_by_number_are_those_of_joints_with_these_numbers(tmp_path, names, joints, order):
    log = swinging()
    path = written(tmp_path / "a.csv", table(("t", *names), log.t, log.q, log.tau))
    found = load_log(path, named(*joints))
    np.testing.assert_array_equal(found.q, log.q[:, order[0]])
    if order[1] is None:
        assert found.tau is None
    else:
        np.testing.assert_array_equal(found.tau, log.tau[:, order[1]])


def test_columns_may_be_named_by_a_list_a_pattern_or_by_joint(tmp_path):
    log = swinging()
    lines = table(("clock", "words", "a", "b", "cur 1", "cur 2"), log.t, 0 * log.t, log.q, log.tau)
    lines[1:] = [line.replace(",0.0,", ",hello,", 1) for line in lines[1:]]
    path = written(tmp_path / "a.csv", lines)
    for q in (["a", "b"], {"x": "a", "y": "b"}):
        columns = {"t": "clock", "q": q, "tau": "cur {number}"}
        found = load_log(path, columns=columns)
        np.testing.assert_array_equal(found.q, log.q)
        np.testing.assert_array_equal(found.tau, log.tau)


def test_a_log_is_in_the_robots_order_and_other_joints_are_left_out(tmp_path):
    log = swinging(3)
    lines = table(("t", "q.hand", "q.j2", "q.j1"), log.t, log.q)
    found = load_log(written(tmp_path / "a.csv", lines), named("j1", "j2"))
    np.testing.assert_array_equal(found.q, log.q[:, [2, 1]])
    assert "left out: hand" in notes(found)


def test_joints_of_other_names_are_refused_until_somebody_says_which_is_which(tmp_path):
    log = swinging()
    path = written(tmp_path / "a.csv", table(("t", "q.left", "q.right"), log.t, log.q))
    robot = named("j1", "j2")
    with pytest.raises(BadLog, match=r"no positions of j1, j2.*Its joints are: left, right"):
        load_log(path, robot)
    found = load_log(path, robot, joints={"j1": "right", "j2": "left"})
    np.testing.assert_array_equal(found.q, log.q[:, ::-1])
    np.testing.assert_array_equal(load_log(path, robot, joints=["right", "left"]).q, found.q)
    with pytest.raises(UnknownName, match="has no joint named 'j3'"):
        load_log(path, robot, joints={"j3": "left"})


def test_a_column_that_is_not_there_is_refused_with_the_nearest(tmp_path):
    path = written(tmp_path / "a.csv", text(swinging()))
    with pytest.raises(BadLog, match=r"no column 'q.j7'. Did you mean 'q.j\d'"):
        load_log(path, columns={"q": ["q.j1", "q.j7"]})
    for name in ("torque", "command", "temperature"):
        with pytest.raises(BadArgument, match=f"is for t, q, qd, qdd, tau, not for {name}"):
            load_log(path, columns={name: ["a", "b"]})
    with pytest.raises(BadLog, match=r"it has no positions of .*columns=\{"):
        load_log(written(tmp_path / "b.csv", ["t,a,b", "0,1,2", "1,2,3"]))


def test_a_quantity_that_is_not_there_for_all_joints_is_left_out_with_a_warning(tmp_path):
    log = swinging()
    lines = table(("t", "q.j1", "q.j2", "tau.j1"), log.t, log.q, log.tau[:, :1])
    found = load_log(written(tmp_path / "a.csv", lines))
    assert found.tau is None
    assert "there is none for j2" in notes(found)


def test_numbered_joints_stand_beside_other_columns(tmp_path):
    log = swinging()
    lines = table(("t", "q_1", "q_2", "q_cmd_1", "q_cmd_2"), log.t, log.q, 0 * log.q)
    path = written(tmp_path / "a.csv", lines)
    np.testing.assert_array_equal(load_log(path).q, log.q)
    np.testing.assert_array_equal(load_log(path, named("a", "b")).q, log.q)
    np.testing.assert_array_equal(load_log(path, columns={"q": "q_cmd_{number}"}).q, 0)


def test_an_index_of_times_is_a_column_of_times():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    log = swinging()
    frame = pandas.DataFrame({"q1": log.q[:, 0]}, index=log.t)
    np.testing.assert_array_equal(load_log(frame).t, log.t)
    frame.index = pandas.to_datetime(1_700_000_000 * 10**9 + np.round(log.t * 1e9).astype("int64"))
    np.testing.assert_allclose(load_log(frame).t, log.t, rtol=0, atol=ROUND_OFF)


def test_lists_of_joints_are_as_long_as_the_robot(tmp_path):
    path = written(tmp_path / "a.csv", text(swinging()))
    with pytest.raises(BadArgument, match=r"joints names 1 joints, but robot .* has 2"):
        load_log(path, named("j1", "j2"), joints=["j1"])
    np.testing.assert_array_equal(load_log(path, joints=["j2"]).q, swinging().q[:, 1:])


def test_arrays_of_other_shapes_are_no_log():
    with pytest.raises(BadArgument, match=r"q of a log has shape \(3, 2\).*\(3, 1\)"):
        Log(("a",), np.arange(3.0), np.zeros((3, 2)))


# units, gears, couplings


def test_units_are_converted_and_those_in_the_names_are_read(tmp_path):
    log = swinging()
    columns = log.t * 1e3, np.rad2deg(log.q), np.rad2deg(log.qd), log.tau / 0.5
    plain = ("t", "q.j1", "q.j2", "qd.j1", "qd.j2", "tau.j1", "tau.j2")
    units = {"t": "ms", "q": "deg", "qd": "deg/s", "tau": "A"}
    path = written(tmp_path / "a.csv", table(plain, *columns))
    found = load_log(path, units=units, torque_constants=0.5)
    same(found, log, ROUND_OFF)
    told = ("t_ms", "q.j1 [deg]", "q.j2 [deg]", "qd.j1 (deg/s)", "qd.j2 (deg/s)", *plain[-2:])
    path = written(tmp_path / "b.csv", table(told, *columns))
    found = load_log(path, torque_constants=[0.5, 0.5])
    same(found, log, ROUND_OFF)
    assert "q: read in deg, as the names of its columns say" in notes(found)


def test_torques_in_millinewtonmetres_are_read(tmp_path):
    log = swinging()
    columns = log.t, log.q, log.qd, 1e3 * log.tau
    plain = ("t", "q.j1", "q.j2", "qd.j1", "qd.j2", "tau.j1", "tau.j2")
    path = written(tmp_path / "a.csv", table(plain, *columns))
    same(load_log(path, units={"tau": "mNm"}), log, ROUND_OFF)
    path = written(
        tmp_path / "b.csv", table((*plain[:5], "tau.j1 [mNm]", "tau.j2 [mNm]"), *columns)
    )
    same(load_log(path), log, ROUND_OFF)


def test_units_that_cannot_be_are_refused(tmp_path):
    path = written(tmp_path / "a.csv", text(swinging()))
    robot = named("j1", "j2")
    with pytest.raises(BadArgument, match="a current, so the torque it makes is not known"):
        load_log(path, units={"tau": "A"})
    with pytest.raises(BadArgument, match="'mm', but joint 'j1' turns"):
        load_log(path, robot, units={"q": "mm"})
    with pytest.raises(BadArgument, match=r"'degs', which is not known\. Did you mean 'deg'"):
        load_log(path, robot, units={"q": "degs"})
    with pytest.raises(BadArgument, match="units is for"):
        load_log(path, units={"position": "deg"})


def test_units_that_do_not_fit_each_other_are_told(tmp_path):
    log = swinging()
    names = ("t", "q.j1", "q.j2", "qd.j1", "qd.j2")
    lines = table(names, log.t, log.q, np.column_stack([np.rad2deg(log.qd[:, 0]), -log.qd[:, 1]]))
    found = load_log(written(tmp_path / "a.csv", lines))
    assert "joint 'j1': its velocity is 57.3 times the rate of its position" in notes(found)
    assert 'units={"qd": "deg/s"}' in notes(found)
    assert "joint 'j2': its velocity is -1 times" in notes(found)
    lines = table(names[:3], log.t, 60 * log.q)
    found = load_log(written(tmp_path / "b.csv", lines), named("j1", "j2"))
    assert 'If these are degrees: units={"q": "deg"}' in notes(found)


ratios = st.floats(0.1, 200).flatmap(lambda x: st.sampled_from([x, -x]))


@given(gear=st.lists(ratios, min_size=3, max_size=3), seed=st.integers(0, 2**32 - 1))
def test_gears_and_couplings_conserve_power(gear, seed):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    log = swinging(3, rate=20.0)
    A = np.eye(3) + 0.3 * np.random.default_rng(seed).uniform(-1, 1, (3, 3))
    names = [f"{what}.{joint}" for what in ("q", "qd", "tau") for joint in log.joint_names]
    motor = pandas.DataFrame(np.hstack([log.q, log.qd, log.tau]), columns=names)
    found = load_log(motor.assign(t=log.t), gear=gear, coupling=A)
    power = np.sum(log.qd * log.tau, axis=1)
    scale = np.abs(found.qd * found.tau).max() + np.abs(power).max()
    np.testing.assert_allclose(
        np.sum(found.qd * found.tau, axis=1), power, rtol=0, atol=1e-10 * scale
    )
    np.testing.assert_allclose(found.q, (log.q / gear) @ A.T, rtol=0, atol=1e-9)


def test_a_gear_may_be_for_one_quantity_and_offsets_come_last(tmp_path):
    log = swinging()
    path = written(tmp_path / "a.csv", text(log))
    found = load_log(path, gear={"tau": [10, -20]}, offset=[0, 1])
    np.testing.assert_allclose(found.tau, log.tau * [10, -20])
    np.testing.assert_allclose(found.q, log.q + np.array([0, 1]))
    for wrong in (
        {"gear": [0, 1]},
        {"gear": [1, 2, 3]},
        {"coupling": np.zeros((2, 2))},
        {"coupling": [[1, 0], [1]]},
    ):
        with pytest.raises(BadArgument, match=next(iter(wrong))):
            load_log(path, **wrong)


# times


def test_repeated_and_reversed_times_are_mended_with_a_note(tmp_path):
    log = swinging()
    lines = text(log)
    lines.insert(101, lines[100])
    lines[300], lines[301] = lines[301], lines[300]
    found = load_log(written(tmp_path / "a.csv", lines))
    assert (np.diff(found.t) > 0).all()
    assert "stands still after row 100 (line 101)" in notes(found)
    assert "goes back at row 301 (line 302): 1 rows left out" in notes(found)


def test_two_logs_in_one_file_are_refused(tmp_path):
    lines = text(swinging())
    with pytest.raises(BadLog, match=r"its times go back 1 times, first in row 802 \(line 803\)"):
        load_log(written(tmp_path / "a.csv", lines + lines[1:]))


def test_gaps_and_jitter_are_noted(tmp_path):
    lines = text(swinging())
    found = load_log(written(tmp_path / "a.csv", lines[:200] + lines[260:]))
    assert "a gap of 0.305 s after row 199 (line 200), where rows are 0.005 s apart" in notes(found)
    assert not found.even
    log = swinging()
    t = log.t + np.random.default_rng(0).uniform(0, 1e-3, len(log.t))
    found = load_log(written(tmp_path / "b.csv", table(("t", "q.j1", "q.j2"), t, log.q)))
    assert "`resampled` makes them even" in notes(found)


def test_times_in_other_units_are_suspected(tmp_path):
    lines = ["stamp,q1", *(f"{1e6 * k},{k % 7}" for k in range(50))]
    found = load_log(written(tmp_path / "a.csv", lines))
    assert "rows are 1e+06 s apart. If the times are in other units" in notes(found)


@pytest.mark.parametrize("cell", ["1_0", "0x10", "1d3", "1+2j", "True", "1,5", "--1", "1e5e"])
def test_what_is_almost_a_number_is_none(tmp_path, cell):
    lines = ["t;q1", *(f"{k};{k}" for k in range(9)), f"9;{cell}"]
    with pytest.raises(BadLog, match=r":11: column 2 \(q1\) holds"):
        load_log(written(tmp_path / "a.csv", lines))


def test_line_ends_spaces_quotes_and_marks_of_spreadsheets_do_not_matter(tmp_path):
    rows = ['\ufeff"t", "q1"', "0, 1.5", "", '"1","2.5"', "2,3"]
    (tmp_path / "a.csv").write_text("\r\n".join(rows), encoding="utf-8", newline="")
    np.testing.assert_array_equal(load_log(tmp_path / "a.csv").q[:, 0], [1.5, 2.5, 3])
    (tmp_path / "b.csv").write_text("t,q1\r\n0,1\r\n1,2\r\n", encoding="utf-8", newline="")
    np.testing.assert_array_equal(load_log(tmp_path / "b.csv").q[:, 0], [1, 2])


def test_a_log_without_times_needs_a_rate(tmp_path):
    path = written(tmp_path / "a.csv", ["q1,tau1", *(f"{k * k},1" for k in range(50))])
    with pytest.raises(BadLog, match=r"no column of times.*rate=1000"):
        load_log(path)
    assert load_log(path, rate=100).duration == pytest.approx(0.49)
    with pytest.raises(BadArgument, match="rate is -1"):
        load_log(path, rate=-1)


# what cannot be right


def test_nothing_in_a_cell_a_formula_and_ragged_rows_are_told_all_at_once(tmp_path):
    lines = text(swinging())
    cells = lines[10].split(",")
    lines[10] = ",".join([*cells[:2], "=1+1", *cells[3:]])
    lines[20] = ",".join(cells[:-1])
    lines[30] = ",".join([*cells[:3], "", *cells[4:]])
    lines[40] = ",".join([*cells[:3], "0,5", *cells[4:]])
    path = written(tmp_path / "a.csv", lines)
    with pytest.raises(BadLog) as caught:
        load_log(path)
    said = str(caught.value)
    assert len(said.splitlines()) <= 6
    assert f"{path}:11: column 3 (q.j2) holds the formula '=1+1'" in said
    assert f"{path}:21: this line has 6 entries, but there are 7 columns" in said
    assert f"{path}:31: column 4 (qd.j1) holds nothing, not a number" in said
    assert f"{path}:41: this line has 8 entries" in said
    assert len(caught.value.problems) == 4
    assert isinstance(caught.value, BadFile)


def test_what_is_never_measured_counts_as_missing(tmp_path):
    log = swinging()
    lines = table(("t", "q.j1", "q.j2", "tau.j1", "tau.j2"), log.t, log.q, np.nan * log.tau)
    found = load_log(written(tmp_path / "a.csv", lines))
    assert found.tau is None
    assert "tau: it is nan in every row" in notes(found)
    assert "no mass can be found" in str(found.warnings)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["t,q1,tau1", "0,1,2"], "it has one row"),
        (["t,q1,tau1"], "it has no rows"),
        (["", "# nothing"], "it is empty"),
        (["0,1,2", "1,2,3"], "it has no positions of any joint; its columns are 1, 2, 3"),
        (["t,q1,q1", "0,1,2", "1,2,3"], "it has the columns q1 more than once"),
        (["t,q1", "1,2", "1,3"], "all its rows have the same time"),
    ],
)
def test_logs_that_are_none_are_refused_in_words(tmp_path, lines, words):
    with pytest.raises(BadLog, match=words):
        load_log(written(tmp_path / "a.csv", lines))


def test_files_that_are_none_are_refused(tmp_path):
    for name, content in (("a.npz", b"PK"), ("a.parquet", b"PAR1"), ("a.csv", b"\xff\xfe\x00")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadFile, match=r"damaged|not text in UTF-8"):
            load_log(tmp_path / name)
    with pytest.raises(BadLog, match="there is no such file"):
        load_log(tmp_path / "none.csv")
    (tmp_path / "a.xlsx").write_bytes(b"")
    with pytest.raises(BadLog, match=r"Known are .csv"):
        load_log(tmp_path / "a.xlsx")
    with pytest.raises(BadArgument, match="A log is a file"):
        load_log(3.0)  # pyright: ignore[reportArgumentType]


def test_a_bag_that_is_none_is_refused(tmp_path):
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    for name in ("a.db3", "a.mcap"):
        (tmp_path / name).write_bytes(b"no bag")
        with pytest.raises(BadLog, match="cannot be read as a bag"):
            load_log(tmp_path / name)


def test_words_in_a_table_are_refused_with_row_and_column():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(
        {"t": [0.0, 1.0, 2.0], "q1": pandas.Series([0.0, "=1+1", 1.0], dtype=object)}
    )
    with pytest.raises(BadLog, match=r"row 2, column 'q1' holds '=1\+1', not a number"):
        load_log(frame)


def test_a_joint_that_never_moves_is_named(tmp_path):
    log = swinging()
    lines = table(("t", "q.j1", "q.j2", "tau.j1", "tau.j2"), log.t, log.q * [1, 1e-5], log.tau)
    found = load_log(written(tmp_path / "a.csv", lines))
    assert [note.place for note in found.warnings] == ["joint 'j2'"]
    assert "it never moves" in notes(found)
    assert "j2" in repr(found)


# logs of real arms


def test_the_log_of_a_real_tx40_is_read_from_the_motors_side():
    folder = measured("staubli_tx40")
    _, log = staubli_tx40(folder)
    assert log.joint_names == tuple(f"joint_{k}" for k in range(1, 7))
    assert len(log) == 45_000
    assert log.rate == pytest.approx(5000)
    assert log.duration == pytest.approx(9.0, abs=1e-3)
    assert not log.warnings
    # it starts upright, in zero position of the motors, and every joint swings by a radian or more
    np.testing.assert_allclose(log.q[0], 0, rtol=0, atol=1e-3)
    assert (np.ptp(log.q, axis=0) > 1).all()
    # R maps joints to motors, as the data's own description has it
    R = np.diag(np.array(TX40_GEAR, dtype=float))
    R[5, 4] = TX40_GEAR[5]
    files = {"q": folder / "pos_read_data.csv", "tau": folder / "curr_data.csv"}
    motors = load_log(files, rate=5000)
    offset = [0, -np.pi / 2, np.pi / 2, 0, 0, 0]
    np.testing.assert_allclose((log.q - offset) @ R.T, motors.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motors.tau @ R, log.tau, rtol=0, atol=1e-9)


def test_the_bag_of_a_real_ur10_is_read():
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    folder = measured("ur10_bag")
    robot = qddot.load("ur10")
    log = load_log(folder / "ur10_exciting_trajectory.db3", robot)
    assert log.joint_names == robot.joint_names
    assert len(log) == 3441
    assert log.rate == pytest.approx(125)
    assert log.duration == pytest.approx(27.52)
    assert log.qd is not None
    assert log.tau is not None
    assert not log.warnings
    with pytest.raises(BadLog, match="2 bags"):
        load_log(folder)
