"""Every kind of file gives the same log, says what it understood, and is refused in words."""

from __future__ import annotations

import struct

import numpy as np
import pytest
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
from long import long

import qddot
from qddot.errors import BadArgument, BadFile, BadLog, MissingExtra
from qddot.identification.log import Log, load_log

LOG = swinging(rate=50.0)
NAMES = ("q", "qd", "tau")


def same(found: Log, tolerance: float = 0.0, names=NAMES) -> None:
    np.testing.assert_allclose(found.t, LOG.t, rtol=0, atol=1e-9)
    for name in names:
        np.testing.assert_allclose(
            getattr(found, name), getattr(LOG, name), rtol=0, atol=max(tolerance, 1e-12)
        )


# arrays: NumPy, MATLAB, HDF5


def test_an_array_without_names_is_read_by_the_numbers_of_its_columns(tmp_path):
    np.save(tmp_path / "a.npy", np.hstack([LOG.q, LOG.qd, LOG.tau]))
    columns = {"q": "1-2", "qd": ["3", "4"], "tau": "5:6"}
    found = load_log(tmp_path / "a.npy", named("a", "b"), columns=columns, rate=50)
    same(found)
    assert found.origin is not None
    assert found.origin.columns["tau"] == ("5", "6")
    assert found.origin.unused == ()
    assert load_log(tmp_path / "a.npy", columns={"q": "3-4"}, rate=50).joint_names == ("1", "2")
    with pytest.raises(BadLog, match=r"no column '5-7'.*numbers from 1 to 6"):
        load_log(tmp_path / "a.npy", columns={"q": "5-7"}, rate=50)
    with pytest.raises(BadLog, match=r"no positions of any joint; its columns are 1, 2, 3"):
        load_log(tmp_path / "a.npy", rate=50)


def test_joints_may_be_named_in_the_order_of_the_columns(tmp_path):
    np.save(tmp_path / "a.npy", np.hstack([LOG.q[:, ::-1], LOG.tau[:, ::-1]]))
    columns, robot = {"q": "1-2", "tau": "3-4"}, named("a", "b")
    found = load_log(tmp_path / "a.npy", robot, columns=columns, joints=["b", "a"], rate=50)
    same(found, names=("q", "tau"))
    assert found.joint_names == ("a", "b")
    with pytest.raises(BadArgument, match="joints names x, y, which neither the log nor robot"):
        load_log(tmp_path / "a.npy", robot, columns=columns, joints=["x", "y"], rate=50)
    files = {"q": written(tmp_path / "q.txt", [f"{b!r} {a!r}" for a, b in LOG.q.tolist()])}
    found = load_log(files, robot, joints=["b", "a"], rate=50)
    same(found, names=("q",))


def test_a_structured_array_has_a_column_per_field(tmp_path):
    rows = np.rec.fromarrays([LOG.t, LOG.q[:, 0], LOG.q[:, 1]], names="t,q_1,q_2")
    np.save(tmp_path / "a.npy", np.asarray(rows))
    same(load_log(tmp_path / "a.npy"), names=("q",))


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_matlab_is_read_with_structs_and_arrays_either_way_round(tmp_path, packed):
    from scipy.io import savemat

    data = {"t": LOG.t, "q": LOG.q.T, "qd": LOG.qd, "gains": np.ones(2), "model": "arm"}
    cells = np.array(["left", "right"], dtype=object)
    whole = {"data": data, "tau": LOG.tau, "joint_names": cells}
    savemat(tmp_path / "a.mat", whole, do_compression=packed)
    found = load_log(tmp_path / "a.mat")
    same(found)
    assert found.joint_names == ("left", "right")
    assert "left out: data.gains (1 × 2)" in notes(found)
    assert "second dimension: data.q" in notes(found)
    assert found.origin is not None
    assert found.origin.columns["q"] == ("q.left", "q.right")


def test_names_of_columns_in_an_npz_are_kept_whole(tmp_path):
    columns = {"q.j1": LOG.q[:, 0], "q.j2": LOG.q[:, 1], "tau.j2": LOG.tau[:, 1]}
    np.savez(tmp_path / "a.npz", t=LOG.t, **columns)
    found = load_log(tmp_path / "a.npz")
    assert found.joint_names == ("j1", "j2")
    assert "tau: there is none for j1" in notes(found)


def test_arrays_of_one_name_are_told_apart_by_their_path(tmp_path):
    from scipy.io import savemat

    both = {"meas": {"q": LOG.q, "tau": LOG.tau}, "cmd": {"q": 0 * LOG.q}, "t": LOG.t}
    savemat(tmp_path / "a.mat", both)
    found = load_log(tmp_path / "a.mat", columns={"q": "meas.q"})
    same(found, names=("q", "tau"))


def test_hdf5_is_read_with_its_groups(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, x in (("qpos", LOG.q), ("qvel", LOG.qd), ("effort", LOG.tau)):
            file.create_dataset(f"observations/{name}", data=x, compression="gzip")
        file["timestamp"] = LOG.t
        file["names"] = ["left", "right"]
        file["elsewhere"] = h5py.ExternalLink("/etc/passwd", "/")
    found = load_log(tmp_path / "a.h5")
    same(found)
    assert found.joint_names == ("left", "right")
    assert "links to other places or files are not followed: elsewhere" in notes(found)


def test_a_file_of_matlab_7_3_is_read(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "a.mat", "w", userblock_size=512) as file:
        for name, x in (("data/q", LOG.q), ("data/tau", LOG.tau), ("data/t", LOG.t[:, None])):
            file[name] = x.T  # MATLAB's dimensions run the other way
            file[name].attrs["MATLAB_class"] = np.bytes_("double")
        words = []
        for k, word in enumerate(("left", "right")):
            file[f"#refs#/{k}"] = np.array([[ord(letter)] for letter in word], dtype=np.uint16)
            file[f"#refs#/{k}"].attrs["MATLAB_class"] = np.bytes_("char")
            words.append(file[f"#refs#/{k}"].ref)
        file.create_dataset("joints", data=np.array([words]), dtype=h5py.ref_dtype)
        file["joints"].attrs["MATLAB_class"] = np.bytes_("cell")
    found = load_log(tmp_path / "a.mat")
    same(found, names=("q", "tau"))
    assert found.joint_names == ("left", "right")


def test_hdf5_without_h5py_names_the_extra(tmp_path, monkeypatch):
    from faults import not_installed

    not_installed(monkeypatch, "h5py")
    (tmp_path / "a.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    (tmp_path / "a.mat").write_bytes(bytes(512) + b"\x89HDF\r\n\x1a\n")
    with pytest.raises(MissingExtra, match=r"HDF5 file needs h5py.*\n.*qddot\[logs\]"):
        load_log(tmp_path / "a.h5")
    with pytest.raises(MissingExtra, match=r"\.mat file of version 7\.3 needs h5py"):
        load_log(tmp_path / "a.mat")


# text


def test_text_without_names_is_read_by_numbers(tmp_path):
    rows = np.column_stack([LOG.t, LOG.q, LOG.qd, LOG.tau])
    columns = {"t": 1, "q": "2-3", "qd": "4-5", "tau": "6-7"}
    for name, separator in (("a.csv", ","), ("a.txt", " "), ("a.dat", "   "), ("b.txt", "\t")):
        np.savetxt(tmp_path / name, rows, delimiter=separator, fmt="%.17g")
        found = load_log(tmp_path / name, columns=columns)
        same(found)
        assert "no line of names, so its columns are called 1 to 7" in notes(found)


def test_names_in_the_comment_above_the_rows_are_read(tmp_path):
    np.savetxt(tmp_path / "a.txt", np.column_stack([LOG.t, LOG.q]), header="t q1 q2", fmt="%.17g")
    found = load_log(tmp_path / "a.txt")
    same(found, names=("q",))
    assert "its names stand in the comment" in notes(found)


def test_times_and_joints_may_have_files_of_their_own(tmp_path):
    for name, x in (("t", LOG.t), ("q1", LOG.q[:, 0]), ("q2", LOG.q[:, 1])):
        np.savetxt(tmp_path / f"{name}.txt", x, fmt="%.17g")
    np.savetxt(tmp_path / "tau.txt", LOG.tau, fmt="%.17g")
    joints = [tmp_path / "q1.txt", tmp_path / "q2.txt"]
    files = {"q": joints, "tau": tmp_path / "tau.txt"}
    for found in (
        load_log(files, named("a", "b"), time=tmp_path / "t.txt"),
        load_log(files | {"t": tmp_path / "t.txt"}, named("a", "b")),
    ):
        same(found, names=("q", "tau"))
    np.savetxt(tmp_path / "short.txt", LOG.t[:-1])
    with pytest.raises(BadLog, match=r"different numbers of rows: 201 in .*200 in .*short\.txt"):
        load_log(files, named("a", "b"), time=tmp_path / "short.txt")
    with pytest.raises(BadLog, match="it has 2 columns, and none is called time"):
        load_log(files, named("a", "b"), time=tmp_path / "tau.txt")


def test_some_rows_are_taken_and_counted_as_the_file_has_them(tmp_path):
    lines = text(LOG)
    path = written(tmp_path / "a.csv", lines)
    found = load_log(path, rows=(51, 100))
    np.testing.assert_array_equal(found.q, LOG.q[50:100])
    assert (found.origin.first, found.origin.taken, found.origin.total) == (51, 50, 201)
    np.testing.assert_array_equal(load_log(path, rows=slice(50, None)).q, LOG.q[50:])
    with pytest.raises(BadLog, match=r"rows 150 to 300 are wanted, but it has 201"):
        load_log(path, rows=(150, 300))
    lines[60] = lines[60].replace(lines[60].split(",")[1], "nan")
    with pytest.raises(BadLog, match=r"row 60 \(line 61\), column 'q.j1' is nan"):
        load_log(written(path, lines), rows=(51, 100))


# recordings of known arms


def test_a_recording_of_ur_is_read_by_its_own_names(tmp_path):
    names = [f"{what}_{k}" for what in ("target_q", "actual_q", "actual_qd") for k in (0, 1)]
    names += [f"actual_current_{k}" for k in (0, 1)] + ["speed_scaling"]
    rows = np.column_stack([LOG.t, 0 * LOG.q, LOG.q, LOG.qd, LOG.tau / 0.5, LOG.t])
    head = " ".join(["timestamp", *names])
    np.savetxt(tmp_path / "a.csv", rows, header=head, comments="", fmt="%.17g")
    robot = named("a", "b")
    found = load_log(tmp_path / "a.csv", robot)
    same(found, names=("q", "qd"))
    assert found.tau is None
    assert "actual_current_0, actual_current_1, hold currents [A]" in notes(found)
    others = ("target_q_0", "target_q_1", "speed_scaling")
    assert found.origin.unused == (*others, "actual_current_0", "actual_current_1")
    same(load_log(tmp_path / "a.csv", robot, torque_constants=[0.5, 0.5]), 1e-12)
    more = " ".join([head, *(f"{w}_{k}" for w in ("target_moment",) for k in (0, 1))])
    both = np.column_stack([rows, LOG.tau])
    np.savetxt(tmp_path / "b.csv", both, header=more, comments="", fmt="%.17g")
    assert load_log(tmp_path / "b.csv", robot).tau is None  # a current is measured, a target not
    alone = more.replace("actual_current_0", "x").replace("actual_current_1", "y")
    np.savetxt(tmp_path / "c.csv", both, header=alone, comments="", fmt="%.17g")
    found = load_log(tmp_path / "c.csv", robot)
    same(found)
    assert "target_moment_0, target_moment_1 is what the controller's own model" in notes(found)
    torque = more.replace("target_moment", "actual_current_as_torque")
    np.savetxt(tmp_path / "d.csv", both, header=torque, comments="", fmt="%.17g")
    same(load_log(tmp_path / "d.csv", robot))


def test_a_log_of_libfranka_is_read_by_its_own_names_in_milliseconds(tmp_path):
    parts = ("state.q", "state.q_d", "state.dq", "state.dq_d", "state.tau_J")
    names = [f"{part}[{k}]" for part in (*parts, "cmd.tau_J_d") for k in (0, 1)]
    zero = 0 * LOG.q
    columns = [1000 * LOG.t, 0 * LOG.t + 1, LOG.q, zero, LOG.qd, zero, LOG.tau, zero]
    head = ",".join(["time", "success_rate", *names])
    path = tmp_path / "a.csv"
    np.savetxt(path, np.column_stack(columns), header=head, comments="", delimiter=",", fmt="%.17g")
    found = load_log(path, named("panda_joint1", "panda_joint2"))
    same(found)
    assert "time: read in ms" in notes(found)


def test_columns_of_lists_are_spread_by_pandas_first(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pandas.DataFrame({"t": LOG.t, "q": LOG.q.tolist()}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(BadLog, match=r"'q' holds list<.*Give each entry a column of its own"):
        load_log(tmp_path / "a.parquet", named("a"))
    rows = pandas.read_parquet(tmp_path / "a.parquet")
    spread = pandas.DataFrame(np.stack(rows["q"]), rows["t"], ["q.a", "q.b"])
    same(load_log(spread, named("a", "b")), names=("q",))


@pytest.mark.parametrize("ending", ["mcap", *long("db3")])
def test_franka_s_own_message_is_read_from_a_bag_of_any_kind(tmp_path, ending):
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    franka_bag(tmp_path / "bag", ending)
    robot = named("panda_joint1", "panda_joint2")
    found = load_log(tmp_path / "bag", robot, topic="/franka_states")
    same(found, 1e-9)
    assert found.origin is not None
    assert found.origin.columns["tau"] == ("tau_J.1", "tau_J.2")
    with pytest.raises(BadLog, match=r"no joint states .*/franka_states \(franka_msgs/msg/Frank"):
        load_log(tmp_path / "bag", robot)
    with pytest.raises(BadLog, match=r"no topic '/franka_state'. Did you mean '/franka_states'"):
        load_log(tmp_path / "bag", robot, topic="/franka_state")


def franka_bag(path, ending: str) -> None:
    from rosbags import rosbag2
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store, kind = get_typestore(Stores.ROS2_HUMBLE), "franka_msgs/msg/FrankaState"
    fields = "".join(f"float64[2] {name}\n" for name in ("q", "q_d", "dq", "tau_J", "tau_J_d"))
    words = f"std_msgs/Header header\n{fields}float64 time\nuint8 MODE_IDLE=1\nuint8 robot_mode\n"
    store.register(get_types_from_msg(words, kind))
    plugins = getattr(rosbag2, "StoragePlugin", None)
    if plugins is None:
        pytest.skip("this version of rosbags writes no MCAP")
    plugin = plugins.MCAP if ending == "mcap" else plugins.SQLITE3
    plain = {"time": 0.0, "robot_mode": 2, "q_d": np.zeros(2), "tau_J_d": np.zeros(2)}
    rows = zip(LOG.t, LOG.q, LOG.qd, LOG.tau, strict=True)
    messages = [(t, plain | {"q": q, "dq": qd, "tau_J": tau}) for t, q, qd, tau in rows]
    write_bag(path, "/franka_states", kind, messages, store=store, storage_plugin=plugin)


def test_joints_that_differ_by_a_prefix_are_matched_unless_two_arms_do(tmp_path):
    names = ["q.fer_joint1", "q.fer_joint2", "q.fer_finger_joint1"]
    lines = table(["t", *names], LOG.t, LOG.q, 0 * LOG.t)
    robot = named("panda_joint1", "panda_joint2")
    found = load_log(written(tmp_path / "a.csv", lines), robot)
    same(found, names=("q",))
    assert "fer_joint1 is panda_joint1" in notes(found)
    names = [f"q.{side}_s{k}" for side in ("left", "right") for k in (0, 1)]
    lines = table(["t", *names], LOG.t, LOG.q, LOG.q)
    with pytest.raises(BadLog, match=r"no positions of s0, s1.*Its joints are: left_s0"):
        load_log(written(tmp_path / "b.csv", lines), named("s0", "s1"))


# damaged and hostile files


def nested(depth: int) -> bytes:
    """Return a file of MATLAB with cells in cells."""

    def element(kind: int, data: bytes) -> bytes:
        return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)

    def head(kind: int, name: bytes) -> bytes:
        flags, size = struct.pack("<II", kind, 0), struct.pack("<2i", 1, 1)
        return element(6, flags) + element(5, size) + element(1, name)

    inside = head(6, b"") + element(9, struct.pack("<d", 1.0))
    parts, size = [struct.pack("<II", 14, len(inside)) + inside], 8 + len(inside)
    for k in range(depth):
        cell = head(1, b"c" if k == depth - 1 else b"")
        parts.append(struct.pack("<II", 14, len(cell) + size) + cell)
        size += 8 + len(cell)
    start = b"MATLAB 5.0".ljust(116) + bytes(8) + struct.pack("<H", 0x100) + b"IM"
    return start + b"".join(reversed(parts))


def test_a_file_that_would_end_the_process_is_refused(tmp_path):
    (tmp_path / "a.mat").write_bytes(nested(20_000))
    with pytest.raises(BadLog, match="it is damaged or not a MATLAB file"):
        load_log(tmp_path / "a.mat")


def test_objects_and_sizes_that_cannot_be_are_refused(tmp_path):
    objects = np.array([{}, {}], dtype=object)
    np.save(tmp_path / "a.npy", objects)
    np.savez(tmp_path / "a.npz", t=np.arange(2.0), q=objects)
    for ending in ("npy", "npz"):
        with pytest.raises(BadFile, match="holds Python objects, which are never read"):
            load_log(tmp_path / f"a.{ending}")
    np.save(tmp_path / "b.npy", LOG.q)
    data = (tmp_path / "b.npy").read_bytes()
    (tmp_path / "b.npy").write_bytes(data.replace(b"(201, 2)", b"(9999999999, 2)"[:8]))
    with pytest.raises(BadFile, match=r"damaged or not an \.npy file"):
        load_log(tmp_path / "b.npy")


def test_a_file_of_matlab_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    from scipy.io import savemat

    from qddot.timeseries import foreign, mat_file

    savemat(tmp_path / "a.mat", {"q": np.zeros((100_000, 2))}, do_compression=True)
    monkeypatch.setattr(foreign, "HARMLESS", 2**16)
    assert "would unpack to" in mat_file.arrays(str(tmp_path / "a.mat"))["why"]


def test_hdf5_that_declares_too_much_is_refused(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("q", shape=(10**12, 2), dtype="f8", chunks=(1000, 2))
    with pytest.raises(BadLog, match=r"would unpack to 15,258,789 MiB"):
        load_log(tmp_path / "a.h5")


@pytest.mark.parametrize("kind", ["npy", "npz", "mat", "h5", "mcap", "db3", "parquet", "csv"])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 9))]
)
def test_files_that_were_cut_or_changed_are_read_or_refused_in_words(tmp_path, kind, seed):
    whole = example(tmp_path / f"whole.{kind}", kind)
    rng = np.random.default_rng(seed)
    for how in ("cut", "bytes") if seed else ("bytes",):
        data = bytearray(whole)
        if how == "cut":
            data = data[: int(rng.integers(len(data)))]
        else:
            for at in rng.integers(0, len(data), 8):
                data[at] = int(rng.integers(256))
        path = tmp_path / f"damaged.{kind}"
        path.write_bytes(bytes(data))
        columns = {"q": "1-2"} if kind == "npy" else None
        topic = "/franka_states" if kind in ("mcap", "db3") else ""
        try:
            load_log(path, columns=columns, rate=50, topic=topic)
        except (BadFile, BadArgument) as error:
            assert len(str(error).splitlines()) <= 6  # noqa: PT017


def example(path, kind: str) -> bytes:
    """Return the bytes of a log of some kind."""
    if kind == "npy":
        np.save(path, LOG.q)
    elif kind == "npz":
        np.savez(path, t=LOG.t, q=LOG.q)
    elif kind == "mat":
        from scipy.io import savemat

        savemat(path, {"data": {"t": LOG.t, "q": LOG.q}, "tau": LOG.tau}, do_compression=True)
    elif kind == "h5":
        h5py = pytest.importorskip("h5py", reason="h5py is not installed")
        with h5py.File(path, "w") as file:
            file["q"], file["t"] = LOG.q, LOG.t
    elif kind in ("mcap", "db3"):
        pytest.importorskip("rosbags", reason="rosbags is not installed")
        franka_bag(path.parent / "bag", kind)
        path = next(file for file in (path.parent / "bag").iterdir() if file.suffix == f".{kind}")
    elif kind == "parquet":
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        pandas.DataFrame({"t": LOG.t, "q1": LOG.q[:, 0], "q2": LOG.q[:, 1]}).to_parquet(path)
    else:
        written(path, text(LOG))
    return path.read_bytes()


# logs of real arms


def test_a_real_baxter_is_read_in_the_order_of_its_columns():
    full = qddot.load("baxter")
    order = [f"left_{name}" for name in ("e0", "e1", "s0", "s1", "w0", "w1", "w2")]
    robot = full.locked({name: 0.0 for name in full.joint_names if name not in order})
    path = measured("baxter") / "BaxterRand.npy"
    columns = {"q": "1-7", "qd": "8-14", "qdd": "15-21", "tau": "22-28"}
    log = load_log(path, robot, columns=columns, joints=order, rate=100, rows=(1, 10_000))
    assert len(log) == 10_000
    limits = robot.limits
    assert (log.q > limits.lower - 0.05).all()
    assert (log.q < limits.upper + 0.05).all()


def test_the_bag_of_a_real_panda_is_read_for_the_built_in_one():
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    log = load_log(measured("panda_bag") / "panda_exciting_trajectory.db3", qddot.load("panda"))
    assert log.joint_names[0] == "panda_joint1"
    assert "fer_joint7 is panda_joint7" in notes(log)
    assert len(log) == 727


@pytest.mark.parametrize(
    "names", ["target_q_{}", "command.position.{}", "action.{}.pos", "state.q_d[{}]", "q_des{}"]
)
def test_the_commanded_motion_is_not_taken_for_the_measured_one(names):
    pandas = pytest.importorskip("pandas")
    asked = {names.format(k): np.full(len(LOG.t), np.nan) for k in (0, 1)}
    columns = {"t": LOG.t} | asked | {f"q{k}": LOG.q[:, k] for k in (0, 1)}
    for robot in (named("a", "b"), None):
        found = load_log(pandas.DataFrame(columns), robot)
        assert np.array_equal(found.q, LOG.q)
        assert found.origin.unused == tuple(asked)


def test_the_only_joint_needs_no_name():
    pandas = pytest.importorskip("pandas")
    t = np.arange(50) / 50
    frame = pandas.DataFrame({"time": t, "position": np.sin(t), "torque [N·m]": np.cos(t)})
    found = load_log(frame, named("a"))
    assert found.joint_names == ("a",)
    assert np.array_equal(found.q[:, 0], np.sin(t))
    assert np.array_equal(found.tau[:, 0], np.cos(t))
    with pytest.raises(BadLog, match="it has 1 joints, position, but"):
        load_log(frame, named("a", "b"))
